/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forwarding tables of a plan.
 */
#ifndef WEFT_PLAN_ROUTE_H
#define WEFT_PLAN_ROUTE_H

#include "base/err.h"
#include "plan/plan.h"
#include "plan/plan_graph.h"
#include "plan/plan_ways.h"

int weft_plan_routes(struct weft_plan *plan, struct weft_graph *g,
		     struct weft_ways *ways, const struct weft_topo *topo,
		     struct weft_err *err);

#endif
