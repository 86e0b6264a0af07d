/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connected components of a fabric.
 */
#ifndef WEFT_PLAN_COMPONENTS_H
#define WEFT_PLAN_COMPONENTS_H

#include "base/err.h"
#include "plan/plan.h"

int weft_plan_components(const struct weft_plan *plan, unsigned int **component,
			 struct weft_err *err);

#endif
