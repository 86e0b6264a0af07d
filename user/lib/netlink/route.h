/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries of the forwarding tables of switches.
 */
#ifndef WEFT_ROUTE_H
#define WEFT_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/nl.h"

/**
 * struct weft_route - egress ports for a range of destinations
 */
struct weft_route {
	/** @fabric: the fabric */
	uint32_t fabric;
	/** @sw: the switch */
	uint32_t sw;
	/** @flood: @port are the ports to which multicast is copied; there is no destination */
	bool flood;
	/** @dst: first endpoint id */
	uint32_t dst;
	/** @dst_last: last endpoint id */
	uint32_t dst_last;
	/** @ports: entries of @port */
	unsigned int ports;
	/** @port: the ports; without @flood, a packet takes any one of them */
	uint32_t *port;
};

int weft_route_set(struct weft_nl *nl, const struct weft_route *r,
		   struct weft_err *err);
int weft_route_del(struct weft_nl *nl, const struct weft_route *r,
		   struct weft_err *err);
int weft_route_list(struct weft_nl *nl, uint32_t fabric, uint32_t sw,
		    struct weft_route **list, unsigned int *n,
		    struct weft_err *err);
void weft_route_list_free(struct weft_route *list, unsigned int n);

#endif
