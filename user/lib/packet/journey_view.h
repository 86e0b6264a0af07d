/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journey of a packet with the names of ports, and how long each part took.
 */
#ifndef WEFT_JOURNEY_VIEW_H
#define WEFT_JOURNEY_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "facts/facts.h"
#include "facts/port_view.h"
#include "packet/journey.h"

/**
 * struct weft_hop_view - a hop with names, and how long each part took
 *
 * The time from joined to arrived of @hop is the sum of @latency, @wait,
 * @propagation, @rest and, unless @cut_through, @serialisation. A part that has
 * not ended is 0.
 */
struct weft_hop_view {
	/** @hop: the hop */
	const struct weft_hop *hop;
	/** @port: name of the port */
	char port[WEFT_PORT_NAME];
	/** @peer: the port at the far end of its wire, "?" if unknown */
	char peer[WEFT_PORT_NAME];
	/** @latency: latency of the NIC or of the switch's pipeline, ps */
	uint64_t latency;
	/**
	 * @wait: wait behind other packets, and for pauses or credits (held), ps
	 */
	uint64_t wait;
	/** @serialisation: time from its first bit to its last, ps */
	uint64_t serialisation;
	/** @cut_through: the far end forwards from the first bit on */
	bool cut_through;
	/** @propagation: delay of the wire, ps */
	uint64_t propagation;
	/** @rest: delays of faults, replays, and the receiving NIC, ps */
	uint64_t rest;
};

void weft_place_name(const struct weft_facts *facts,
		     const struct weft_place *place, char *name);
void weft_hop_view(struct weft_hop_view *v, const struct weft_facts *facts,
		   const struct weft_hop *hop);
json_t *weft_journey_json(const struct weft_journey *j,
			  const struct weft_facts *facts);

#endif
