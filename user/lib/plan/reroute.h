/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forwarding tables without the links that are down, and the way there.
 *
 * All of it is pure: nothing of the machine is looked at.
 */
#ifndef WEFT_REROUTE_H
#define WEFT_REROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"
#include "topology/topo.h"

/**
 * struct weft_tables - forwarding tables of all switches of a plan
 */
struct weft_tables {
	/** @routes: entries of @route */
	unsigned int routes;
	/** @route: of each switch, as planned, in order of destinations */
	struct weft_route *route;
	/** @policy: enum weft_policy that they follow */
	uint32_t policy;
	/** @links: links that are down */
	unsigned int links;
	/** @nics: NICs that no switch has a way to */
	unsigned int nics;
	/** @why: why the policy is not the topology's, empty if it is */
	char why[WEFT_NOTE_MAX];
};

/**
 * struct weft_route_op - a change of a table
 */
struct weft_route_op {
	/** @del: forget the destinations, or all flood ports */
	bool del;
	/** @rank: operations of lower rank go first */
	uint32_t rank;
	/** @route: what to set or to forget; @route.sw as planned */
	struct weft_route route;
};

/**
 * struct weft_route_ops - what turns tables into others, in order
 */
struct weft_route_ops {
	/** @n: entries of @op */
	unsigned int n;
	/** @op: the operations */
	struct weft_route_op *op;
};

int weft_tables_make(struct weft_tables *t, const struct weft_plan *plan,
		     const struct weft_topo *topo, const bool *down,
		     struct weft_err *err);
void weft_tables_free(struct weft_tables *t);

int weft_tables_diff(struct weft_route_ops *ops, const struct weft_plan *plan,
		     const struct weft_tables *from,
		     const struct weft_tables *to, struct weft_err *err);
void weft_route_ops_free(struct weft_route_ops *ops);

const char *weft_policy_name(uint32_t policy);

#endif
