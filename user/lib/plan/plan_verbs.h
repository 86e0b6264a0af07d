/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RDMA devices of a plan.
 */
#ifndef WEFT_PLAN_VERBS_H
#define WEFT_PLAN_VERBS_H

#include "base/err.h"
#include "plan/plan.h"

int weft_plan_verbs(struct weft_plan *plan, struct weft_err *err);

#endif
