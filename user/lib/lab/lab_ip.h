/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses, neighbours and routes of a node.
 */
#ifndef WEFT_LAB_IP_H
#define WEFT_LAB_IP_H

#include "base/err.h"
#include "plan/plan.h"

int weft_lab_ip(const struct weft_plan *plan, unsigned int node,
		struct weft_err *err);

#endif
