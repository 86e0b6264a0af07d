/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of a workload in rounds: what a rank sends waits for all that it received.
 */
#ifndef WEFT_WORKLOAD_ROUNDS_H
#define WEFT_WORKLOAD_ROUNDS_H

#include "bound/bound.h"
#include "workload/workload.h"

/**
 * struct weft_work_rounds - the messages of collectives, while they are made
 */
struct weft_work_rounds {
	/** @work: the workload */
	struct weft_work *work;
	/** @ranks: ranks of the present collective */
	unsigned int ranks;
	/** @node: node of each of them; NULL: the node with its number */
	const uint32_t *node;
	/** @joined: of each node: the message that joins all that came before this round */
	uint32_t *joined;
	/** @first: first message of this round */
	uint32_t first;
	/** @err: error */
	struct weft_err *err;
	/** @failed: there was one */
	bool failed;
};

/* workload_collective.c */
int weft_work_rounds_begin(struct weft_work_rounds *r, struct weft_work *w,
			   unsigned int nodes, struct weft_err *err);
int weft_work_rounds_run(struct weft_work_rounds *r, const struct weft_algorithm *a,
			 uint64_t bytes);
int weft_work_rounds_reduce(struct weft_work_rounds *r, uint32_t group, bool store,
			    uint64_t bytes);
void weft_work_rounds_end(struct weft_work_rounds *r);

/* workload_hierarchy.c */
int weft_work_hierarchy(struct weft_work *w, const struct weft_algorithm *rails,
			uint64_t bytes, uint64_t times, const struct weft_plan *plan,
			const uint32_t *rank, uint32_t ranks, struct weft_err *err);

#endif
