/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ports of a lab: the port that sends on each wire, its parameters and counters.
 */
#ifndef WEFT_PORT_VIEW_H
#define WEFT_PORT_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "facts/facts.h"
#include "netlink/link.h"
#include "netlink/port_params.h"

/* "SWITCH:65535", "NODE.eth255" */
#define WEFT_PORT_NAME	(WEFT_NAME_SIZE + 8)

/**
 * struct weft_port_view - the port that sends on a wire
 */
struct weft_port_view {
	/** @name: a NIC (host0.eth0) or a switch port (leaf:3) */
	char name[WEFT_PORT_NAME];
	/** @peer: the port at the other end */
	char peer[WEFT_PORT_NAME];
	/** @link: the link */
	const struct weft_link *link;
	/** @wire: the wire, with the counters of the port */
	const struct weft_wire *wire;
	/** @params: parameters of the port */
	const struct weft_port_params *params;
	/** @limits: buffer limits of its classes, for packets that arrive at it */
	const struct weft_buffer *limits;
	/** @lossless: bit per class whose queues lose nothing */
	uint32_t lossless;
};

void weft_port_view(struct weft_port_view *v, const struct weft_facts *facts,
		    const struct weft_link *link, unsigned int dir);
uint64_t weft_port_sum(const struct weft_port_view *v, const char *name);
bool weft_port_first(const struct weft_port_view *v, uint32_t classes,
		     const char *what, const char *when, uint64_t *ps);
json_t *weft_port_json(const struct weft_port_view *v);
json_t *weft_port_class_json(const struct weft_port_view *v,
			     const struct weft_class_state *s);

#endif
