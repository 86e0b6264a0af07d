/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netdevs, addresses, neighbours and routes.
 */
#ifndef WEFT_RTNL_H
#define WEFT_RTNL_H

#include <stdint.h>

#include "base/err.h"
#include "netlink/nl.h"

/**
 * struct weft_hop - next hop of a route
 */
struct weft_hop {
	/** @ifindex: interface index of the netdev */
	uint32_t ifindex;
	/** @via: address of the gateway, in the host's byte order */
	uint32_t via;
};

int weft_rtnl_nic_new(struct weft_nl *nl, const char *name, uint32_t index,
		      const uint8_t mac[6], uint32_t mtu, struct weft_err *err);
int weft_rtnl_dummy_new(struct weft_nl *nl, const char *name, uint32_t index,
			struct weft_err *err);
int weft_rtnl_link_up(struct weft_nl *nl, uint32_t index, struct weft_err *err);
int weft_rtnl_link_down(struct weft_nl *nl, uint32_t index,
			struct weft_err *err);
int weft_rtnl_link_sync(struct weft_nl *nl, uint32_t index, struct weft_err *err);
int weft_rtnl_addr_new(struct weft_nl *nl, uint32_t index, uint32_t ip,
		       unsigned int prefix, struct weft_err *err);
int weft_rtnl_route6_new(struct weft_nl *nl, uint32_t index,
			 const uint8_t to[16], unsigned int prefix,
			 struct weft_err *err);
int weft_rtnl_route_new(struct weft_nl *nl, uint32_t to, uint32_t from, uint32_t metric,
			const struct weft_hop *hop, unsigned int n, struct weft_err *err);

#endif
