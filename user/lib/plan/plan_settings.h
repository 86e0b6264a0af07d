/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel parameters of the nodes.
 */
#ifndef WEFT_PLAN_SETTINGS_H
#define WEFT_PLAN_SETTINGS_H

#include "plan/plan.h"
#include "plan/plan_graph.h"
#include "topology/topo.h"

void weft_plan_settings(struct weft_plan *plan, struct weft_graph *g,
			const struct weft_topo *topo);

#endif
