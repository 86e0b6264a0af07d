/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ports of a plan: the discipline of each link.
 */
#ifndef WEFT_PLAN_PORT_H
#define WEFT_PLAN_PORT_H

#include "base/err.h"
#include "plan/plan.h"
#include "topology/topo.h"

int weft_plan_ports(struct weft_plan *plan, const struct weft_topo *topo,
		    struct weft_err *err);

#endif
