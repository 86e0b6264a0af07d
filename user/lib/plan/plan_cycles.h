/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlocks: cycles of buffers of lossless classes that wait for each other.
 */
#ifndef WEFT_PLAN_CYCLES_H
#define WEFT_PLAN_CYCLES_H

#include "base/err.h"
#include "plan/plan.h"
#include "plan/plan_ways.h"

int weft_plan_cycles(struct weft_plan *plan, const struct weft_ways *ways,
		     struct weft_err *err);

#endif
