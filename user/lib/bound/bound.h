/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least time that a collective can take on a planned fabric.
 */
#ifndef WEFT_BOUND_H
#define WEFT_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "bound/bound_rounds.h"
#include "plan/plan.h"

/** enum weft_collective - what ranks do together */
enum weft_collective {
	WEFT_ALLREDUCE,
	WEFT_ALLGATHER,
	WEFT_REDUCE_SCATTER,
	WEFT_BROADCAST,
	WEFT_REDUCE,
	WEFT_ALLTOALL,
	WEFT_BARRIER,
	WEFT_POINT_TO_POINT,
	WEFT_COLLECTIVES,
};

/**
 * struct weft_algorithm - a way to do it
 */
struct weft_algorithm {
	/** @collective: what it does */
	enum weft_collective collective;
	/** @name: its name */
	const char *name;
	/** @square: its messages are as many as pairs of ranks */
	bool square;
	/** @powers: for powers of two only */
	bool powers;
	/** @run: all messages, for a buffer of @bytes */
	void (*run)(struct weft_rounds *r, uint64_t bytes);
};

extern const char *const weft_collective_words[];
extern const struct weft_algorithm weft_algorithms[];
extern const unsigned int weft_algorithms_n;

const struct weft_algorithm *weft_bound_algorithm(enum weft_collective collective,
						  const char *name, size_t len);
int weft_bound_make(struct weft_rounds *r, const struct weft_plan *plan,
		    unsigned int ranks, unsigned int per_node, bool verbs,
		    struct weft_err *err);
bool weft_bound_has(const struct weft_rounds *r,
		    const struct weft_algorithm *a);
int weft_bound_time(struct weft_rounds *r, const struct weft_algorithm *a,
		    uint64_t bytes, double *seconds, struct weft_err *err);
double weft_bound_floor(const struct weft_rounds *r,
			enum weft_collective collective, uint64_t bytes);

#endif
