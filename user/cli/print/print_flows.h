/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of a workload: when each ended, and a summary.
 */
#ifndef WEFT_PRINT_FLOWS_H
#define WEFT_PRINT_FLOWS_H

#include <jansson.h>
#include <stdbool.h>

#include "plan/plan.h"
#include "sim/sim.h"
#include "workload/workload.h"

#define FLOW_BINS	4	/* of messages of similar size */

/** enum flow_table - which messages are listed */
enum flow_table {
	FLOW_TABLE_ALL,
	FLOW_TABLE_CRITICAL,	/* those of the critical path */
	FLOW_TABLE_NONE,
};

size_t flow_bin(uint64_t bytes);
const char *flow_bin_name(size_t bin);
bool flow_has_ended(const struct weft_message *m);
int flow_by_value(const void *a, const void *b);
double flow_slowdown(const struct weft_message *m);
int print_flows(const struct weft_plan *plan, const struct weft_work *work,
		const char *transport, const struct weft_sim_result *r, enum flow_table table);
int print_flows_csv(const struct weft_plan *plan, const struct weft_work *work,
		    enum flow_table table);
json_t *flows_json(const struct weft_plan *plan, const struct weft_work *work,
		   const char *transport, enum flow_table table);

#endif
