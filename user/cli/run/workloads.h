/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of commands that send workloads: --workload, --sl, --ack-timeout, --retries, and
 * how the messages are printed.
 */
#ifndef WEFT_WORKLOADS_H
#define WEFT_WORKLOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"
#include "print/print_flows.h"
#include "workload/workload.h"

#define WORKLOADS_MAX	64

/**
 * struct workloads - the options, as they are given
 */
struct workloads {
	/** @spec: each --workload */
	const char *spec[WORKLOADS_MAX];
	/** @n: how many there are */
	unsigned int n;
	/** @sl: --sl, or NULL */
	const char *sl;
	/** @ack_timeout: --ack-timeout, or NULL */
	const char *ack_timeout;
	/** @retries: --retries, or NULL */
	const char *retries;
	/** @summary: no table of messages */
	bool summary;
	/** @critical: only those of the critical path */
	bool critical;
	/** @csv: the table as CSV, without a summary */
	bool csv;
	/** @json: JSON */
	bool json;
};

/* The options for an array of struct cli_option. */
#define WORKLOADS_OPTIONS(w) \
	CLI_EACH("workload", workloads_add, w), CLI_TEXT("sl", &(w)->sl), \
	CLI_TEXT("ack-timeout", &(w)->ack_timeout), CLI_TEXT("retries", &(w)->retries), \
	CLI_FLAG("summary", &(w)->summary), CLI_FLAG("critical", &(w)->critical), \
	CLI_FLAG("csv", &(w)->csv), CLI_FLAG("json", &(w)->json)

/**
 * struct reliable - how messages are sent
 */
struct reliable {
	/** @sl: service level of all packets */
	uint32_t sl;
	/** @ack_timeout: an acknowledgement is awaited for 4096 ns * 2^this; 0: for ever */
	uint32_t ack_timeout;
	/** @retries: how often a packet is sent again */
	uint32_t retries;
};

int workloads_add(const struct command *cmd, void *ctx, const char *name, const char *text);
int workloads_values(const struct command *cmd, const struct workloads *w, struct reliable *r);
enum flow_table workloads_table(const struct workloads *w);
int workloads_read(const struct workloads *w, const struct weft_plan *plan,
		   struct weft_work *work, struct weft_err *err);

#endif
