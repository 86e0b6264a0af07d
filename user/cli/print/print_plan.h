/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printing the plan of a topology.
 */
#ifndef WEFT_PRINT_PLAN_H
#define WEFT_PRINT_PLAN_H

#include <stdbool.h>

#include "bring_up.h"

int print_plan(const struct bring_up *up, bool check, bool json);

#endif
