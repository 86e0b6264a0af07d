/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The critical path of a workload that was sent.
 */
#ifndef WEFT_WORKLOAD_PATH_H
#define WEFT_WORKLOAD_PATH_H

#include "workload/workload.h"

#define WEFT_ALL_JOBS	UINT32_MAX

/**
 * struct weft_work_pair - two nodes between which messages took longer than alone
 */
struct weft_work_pair {
	/** @from: node that sends; of reductions, the same as @to */
	uint32_t from;
	/** @to: node that receives */
	uint32_t to;
	/** @longer: how much longer its messages took, all together, ps */
	uint64_t longer;
};

/**
 * struct weft_work_path - messages, each of which waited for the one before
 *
 * The times add up to the end of the last one.
 */
struct weft_work_path {
	/** @n: entries of @message */
	uint32_t n;
	/** @message: their numbers, the first one first */
	uint32_t *message;
	/** @moves: how many of them are no work of a node */
	uint32_t moves;
	/** @computing: time that nodes compute, ps */
	uint64_t computing;
	/** @alone: time that the messages would take alone, ps */
	uint64_t alone;
	/** @longer: time that they took longer, ps */
	uint64_t longer;
	/** @held: time until they might begin, or while nodes were frozen, ps */
	uint64_t held;
	/** @worst: the pair whose messages on the path took longer by most; 0 longer: none */
	struct weft_work_pair worst;
};

int weft_work_path(const struct weft_work *w, uint32_t job, struct weft_work_path *p,
		   struct weft_err *err);
void weft_work_path_free(struct weft_work_path *p);

#endif
