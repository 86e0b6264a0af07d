/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which NIC a node reaches another one over.
 */
#ifndef WEFT_PLAN_REACH_H
#define WEFT_PLAN_REACH_H

#include <stdbool.h>

#include "base/err.h"
#include "plan/plan.h"

/**
 * struct weft_path - a way from a node to another one
 */
struct weft_path {
	/** @nic: NIC of the node */
	unsigned int nic;
	/** @peer: NIC of the other one */
	unsigned int peer;
};

/**
 * struct weft_peers - nodes in a row that a node reaches over the same NICs
 */
struct weft_peers {
	/** @first: the first of them */
	unsigned int first;
	/** @end: the one after the last */
	unsigned int end;
	/** @n: entries of @path */
	unsigned int n;
	/** @path: the ways to the first one */
	struct weft_path path[WEFT_NODE_NICS_MAX];
};

int weft_plan_reach(struct weft_plan *plan, struct weft_err *err);
unsigned int weft_plan_paths(const struct weft_plan *plan, unsigned int from,
			     unsigned int to,
			     struct weft_path path[WEFT_NODE_NICS_MAX]);
bool weft_plan_next_peers(const struct weft_plan *plan, unsigned int from,
			  struct weft_peers *peers);

#endif
