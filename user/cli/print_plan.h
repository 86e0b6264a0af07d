/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan as text.
 */
#ifndef WEFT_PRINT_PLAN_H
#define WEFT_PRINT_PLAN_H

#include "plan.h"

int print_plan(const struct weft_plan *plan);

#endif
