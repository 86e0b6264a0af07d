/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IP over InfiniBand in the nodes of a lab.
 */
#ifndef WEFT_LAB_IPOIB_H
#define WEFT_LAB_IPOIB_H

#include "base/err.h"
#include "lab/lab.h"
#include "plan/plan.h"

int weft_lab_ipoib_load(const struct weft_plan *plan, struct weft_err *err);
int weft_lab_ipoib_up(const struct weft_lab *lab, const struct weft_plan *plan,
		      unsigned int node, struct weft_err *err);
void weft_lab_ipoib_down(const struct weft_lab *lab);

#endif
