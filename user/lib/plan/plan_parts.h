/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a fabric that do not hang together.
 */
#ifndef WEFT_PLAN_PARTS_H
#define WEFT_PLAN_PARTS_H

#include "base/err.h"
#include "plan/plan.h"

int weft_plan_parts(const struct weft_plan *plan, unsigned int **part,
		    struct weft_err *err);

#endif
