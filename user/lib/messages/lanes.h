/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NICs of a lab and the connections between them that a workload needs.
 */
#ifndef WEFT_MESSAGES_LANES_H
#define WEFT_MESSAGES_LANES_H

#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"
#include "messages/carrier.h"
#include "messages/messages.h"
#include "plan/plan.h"
#include "workload/workload.h"

#define NO_MESSAGE	UINT32_MAX

/**
 * enum messages_by - carriers
 * @BY_TCP: TCP
 * @BY_VERBS: verbs
 * @CARRIERS: how many there are
 */
enum messages_by { BY_TCP, BY_VERBS, CARRIERS };

/**
 * struct messages_row - numbers of messages in a row, by weft_messages_lanes.next
 */
struct messages_row {
	/** @first: its first one, or NO_MESSAGE */
	uint32_t first;
	/** @last: its last one */
	uint32_t last;
};

/**
 * struct messages_lane - a connection: messages of two nodes and one channel
 */
struct messages_lane {
	/** @nic: NIC of the plan that sends */
	uint32_t nic;
	/** @peer: NIC of the plan that receives */
	uint32_t peer;
	/** @by: its carrier */
	enum messages_by by;
	/** @depth: most of its messages that are on their way */
	uint32_t depth;
	/** @flying: how many are */
	uint32_t flying;
	/** @sent: these, in order */
	struct messages_row sent;
	/** @waiting: those that have started and find no room */
	struct messages_row waiting;
	/** @connection: the connection */
	struct weft_carrier_lane *connection;
};

/**
 * struct messages_lanes - all connections; all zero: none
 */
struct messages_lanes {
	/** @plan: the lab's plan */
	const struct weft_plan *plan;
	/** @carrier: those that are used, and others that are NULL */
	const struct weft_carrier *carrier[CARRIERS];
	/** @n: entries of @lane */
	uint32_t n;
	/** @lane: the connections */
	struct messages_lane *lane;
	/** @of: connection of each message, or UINT32_MAX for work of a node */
	uint32_t *of;
	/** @next: of each message, the next one in its row */
	uint32_t *next;
	/** @device: by carrier, of each NIC of the plan; NULL: not used */
	struct weft_carrier_device **device[CARRIERS];
	/** @memory: of all messages */
	void *memory;
	/** @bytes: its size */
	size_t bytes;
	/** @longest: bytes of the longest message by verbs */
	uint64_t longest;
};

int messages_lanes_open(struct messages_lanes *l, const struct weft_lab *lab,
			const struct weft_plan *plan, struct weft_work *work,
			const struct weft_messages_options *o, struct weft_err *err);
void messages_lanes_close(struct messages_lanes *l);

#endif
