/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Date lines of a torus: links on which the class of packets changes.
 */
#ifndef WEFT_PLAN_DATELINES_H
#define WEFT_PLAN_DATELINES_H

#include "base/err.h"
#include "plan/plan.h"
#include "plan/plan_ways.h"

int weft_plan_datelines(struct weft_plan *plan, const struct weft_ways *ways,
			struct weft_err *err);

#endif
