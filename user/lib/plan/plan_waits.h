/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Channel dependency graph: the buffers that wait for each other by a plan's
 * routes.
 */
#ifndef WEFT_PLAN_WAITS_H
#define WEFT_PLAN_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"
#include "plan/plan_ways.h"

/**
 * struct weft_waits - the channel dependency graph
 *
 * A channel is an edge of the plan's graph, from switch to switch, and a
 * lossless class on it. Its number is edge * WEFT_CLASSES_MAX + class. It waits
 * for another channel if its packets may go on there.
 */
struct weft_waits {
	/** @plan: the plan */
	const struct weft_plan *plan;
	/** @g: its graph */
	const struct weft_graph *g;
	/** @channels: number of channels: edges times WEFT_CLASSES_MAX */
	unsigned int channels;
	/**
	 * @set: channels for which each channel waits, NULL for none: bit port
	 * * WEFT_CLASSES_MAX + class is that port and class of the switch at
	 * its end
	 */
	uint64_t **set;
};

int weft_waits_make(struct weft_waits *w, const struct weft_plan *plan,
		    const struct weft_ways *ways, struct weft_err *err);
uint32_t weft_waits_next(const struct weft_waits *w, uint32_t channel,
			 unsigned int *bit);
void weft_waits_free(struct weft_waits *w);

#endif
