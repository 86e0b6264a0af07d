/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least time of a message between two nodes of a planned fabric.
 */
#ifndef WEFT_BOUND_PATH_H
#define WEFT_BOUND_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"

/**
 * struct weft_hop - a wire of a path, and what is before it
 */
struct weft_hop {
	/** @wire: the wire */
	const struct weft_wire *wire;
	/** @latency: of the switch before the wire, ps */
	uint64_t latency;
	/** @stored: that switch receives each packet whole before it sends it */
	bool stored;
};

/**
 * struct weft_lane - a path from a NIC to another one
 */
struct weft_lane {
	/** @tx: latencies of the sending NIC, ps */
	uint64_t tx;
	/** @rx: latencies of the receiving NIC, ps */
	uint64_t rx;
	/** @payload: most bytes of a message that a packet carries */
	uint32_t payload;
	/** @header: bytes that the model counts beside them, overhead excluded */
	uint32_t header;
	/** @nic: NIC of the sender */
	unsigned int nic;
	/** @peer: NIC of the receiver */
	unsigned int peer;
	/** @hops: entries of @hop */
	unsigned int hops;
	/** @hop: the wires in order */
	struct weft_hop *hop;
};

/**
 * struct weft_link_at - the link at a port
 */
struct weft_link_at {
	/** @link: the link, NULL if there is none */
	const struct weft_link *link;
	/** @side: which of its ends is here */
	unsigned int side;
};

/**
 * struct weft_lanes - the paths of a plan, found when they are asked for
 */
struct weft_lanes {
	/** @plan: the plan */
	const struct weft_plan *plan;
	/** @verbs: messages are sent by verbs, not by sockets */
	bool verbs;
	/** @at_nic: the link of each NIC */
	struct weft_link_at *at_nic;
	/** @port: of each switch, its first entry of @at_port */
	unsigned int *port;
	/** @at_port: the links of the ports */
	struct weft_link_at *at_port;
	/** @routes: entries of @route */
	unsigned int routes;
	/** @route: routes to NICs, by switch, then by destination */
	const struct weft_route **route;
	/** @hop: room for the hops of a path */
	struct weft_hop *hop;
};

int weft_lanes_make(struct weft_lanes *l, const struct weft_plan *plan,
		    bool verbs, struct weft_err *err);
void weft_lanes_free(struct weft_lanes *l);
int weft_lanes_find(struct weft_lanes *l, unsigned int from, unsigned int to,
		    struct weft_lane *lane, struct weft_err *err);
void weft_lanes_nic(const struct weft_lanes *l, unsigned int nic,
		    struct weft_lane *lane);
uint64_t weft_lane_wire_time(const struct weft_lane *lane,
			     const struct weft_wire *w, uint64_t bytes);
uint64_t weft_lane_latency(const struct weft_lane *lane);
uint64_t weft_lane_time(const struct weft_lane *lane, uint64_t bytes);

#endif
