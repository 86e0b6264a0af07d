/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link-local IPv6 as far as RoCE needs it.
 */
#ifndef WEFT_LAB_IP6_H
#define WEFT_LAB_IP6_H

#include "base/err.h"
#include "netlink/nl.h"
#include "plan/plan.h"

int weft_lab_ip6(const struct weft_plan *plan, const struct weft_plan_nic *n,
		 struct weft_nl *rt, struct weft_err *err);

#endif
