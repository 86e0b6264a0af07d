/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What no algorithm can avoid: bytes across cuts of a planned fabric, and the
 * latency between the nodes that are farthest apart.
 */
#ifndef WEFT_BOUND_CUT_H
#define WEFT_BOUND_CUT_H

#include <stdint.h>

#include "base/err.h"
#include "bound/bound_path.h"
#include "plan/plan.h"

#define WEFT_CUTS_MAX	8

/**
 * struct weft_cut - the nodes in groups, and what leads out of and into each
 */
struct weft_cut {
	/** @groups: how many */
	unsigned int groups;
	/** @of: of each node, its group */
	unsigned int *of;
	/** @ranks: of each group, its ranks */
	unsigned int *ranks;
	/** @rate: of all links that leave each group, bytes of messages per ps */
	double *rate;
};

/**
 * struct weft_floor - cuts, and latencies
 */
struct weft_floor {
	/** @cuts: entries of @cut */
	unsigned int cuts;
	/** @cut: by node, by switch, and by what hangs together below a level */
	struct weft_cut cut[WEFT_CUTS_MAX];
	/** @nearest: no message between two nodes has a smaller latency, ps */
	uint64_t nearest;
	/** @reach: latency to the node that is farthest from the first one, ps */
	uint64_t reach;
	/** @diameter: the same from the node that is farthest from that one, ps */
	uint64_t diameter;
};

int weft_floor_make(struct weft_floor *f, const struct weft_lanes *lanes,
		    unsigned int ranks, unsigned int per_node,
		    struct weft_err *err);
void weft_floor_free(struct weft_floor *f);

#endif
