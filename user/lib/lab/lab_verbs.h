/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RDMA devices of a lab.
 */
#ifndef WEFT_LAB_VERBS_H
#define WEFT_LAB_VERBS_H

#include <stdbool.h>

#include "base/err.h"
#include "lab/lab.h"
#include "plan/plan.h"

bool weft_verbs_loaded(void);
int weft_lab_verbs_up(struct weft_lab *lab, const struct weft_plan *plan,
		      struct weft_err *err);
void weft_lab_verbs_down(const struct weft_lab *lab);
bool weft_lab_lacks_devices(const struct weft_lab *lab);
bool weft_lab_shares_devices(const struct weft_lab *lab);
const char *weft_lab_device(const struct weft_lab *lab, const char *node);

#endif
