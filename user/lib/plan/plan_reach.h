/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NICs over which a node reaches another one.
 */
#ifndef WEFT_PLAN_REACH_H
#define WEFT_PLAN_REACH_H

#include <stdbool.h>

#include "base/err.h"
#include "plan/plan.h"

/**
 * struct weft_path - a path from a node to another one
 */
struct weft_path {
	/** @nic: NIC of the node */
	unsigned int nic;
	/** @peer: NIC of the other node */
	unsigned int peer;
};

/**
 * struct weft_peers - consecutive nodes that a node reaches over the same NICs
 */
struct weft_peers {
	/** @first: the first node */
	unsigned int first;
	/** @end: the node after the last one */
	unsigned int end;
	/** @n: entries of @path */
	unsigned int n;
	/** @path: the paths to the first node */
	struct weft_path path[WEFT_NODE_NICS_MAX];
};

int weft_plan_reach(struct weft_plan *plan, struct weft_err *err);
unsigned int weft_plan_paths(const struct weft_plan *plan, unsigned int from,
			     unsigned int to,
			     struct weft_path path[WEFT_NODE_NICS_MAX]);
bool weft_plan_next_peers(const struct weft_plan *plan, unsigned int from,
			  struct weft_peers *peers);

#endif
