/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of a simulation: when each ended, and a summary.
 */
#ifndef WEFT_PRINT_FLOWS_H
#define WEFT_PRINT_FLOWS_H

#include <jansson.h>
#include <stdbool.h>

#include "plan/plan.h"
#include "sim/sim.h"
#include "workload/workload.h"

int print_flows(const struct weft_plan *plan, const struct weft_work *work,
		const struct weft_sim_result *r, bool table);
int print_flows_csv(const struct weft_plan *plan, const struct weft_work *work);
json_t *flows_json(const struct weft_plan *plan, const struct weft_work *work,
		   const struct weft_sim_options *o,
		   const struct weft_sim_result *r, bool table);

#endif
