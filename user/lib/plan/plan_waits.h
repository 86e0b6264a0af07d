/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which buffers wait for which, by the routes of a plan.
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
 * A channel is an edge of the plan's graph, from switch to switch, and a lossless
 * class on it: number edge * WEFT_CLASSES_MAX + class. It waits for another one
 * when a packet on it goes on there.
 */
struct weft_waits {
	/** @plan: the plan */
	const struct weft_plan *plan;
	/** @g: its graph */
	const struct weft_graph *g;
	/** @channels: edges times classes */
	unsigned int channels;
	/**
	 * @set: of each channel, NULL if it waits for none: bit port *
	 * WEFT_CLASSES_MAX + class for the channel through this port of the
	 * switch at its end
	 */
	uint64_t **set;
};

int weft_waits_make(struct weft_waits *w, const struct weft_plan *plan,
		    const struct weft_ways *ways, struct weft_err *err);
uint32_t weft_waits_next(const struct weft_waits *w, uint32_t channel,
			 unsigned int *bit);
void weft_waits_free(struct weft_waits *w);

#endif
