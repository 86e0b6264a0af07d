/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forwarding tables without the links that are down, and how to change to them.
 *
 * All of it is pure and does not depend on the machine.
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
	/**
	 * @route: routes of all switches, in the order of destinations; numbers
	 * of switches are those of the plan
	 */
	struct weft_route *route;
	/** @policy: their policy, enum weft_policy */
	uint32_t policy;
	/** @links: number of links that are down */
	unsigned int links;
	/** @nics: number of NICs that no switch can reach */
	unsigned int nics;
	/**
	 * @why: reason why the policy differs from the topology's, empty if it
	 * does not
	 */
	char why[WEFT_NOTE_MAX];
};

/**
 * struct weft_route_op - a change of a table
 */
struct weft_route_op {
	/** @del: remove the routes to the destinations, or all flood ports */
	bool del;
	/** @rank: operations of lower rank are first */
	uint32_t rank;
	/** @route: route to set or to remove; @route.sw is the plan's number */
	struct weft_route route;
};

/**
 * struct weft_route_ops - changes from tables to other tables, in order
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
