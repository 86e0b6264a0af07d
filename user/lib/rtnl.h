/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netdevs, addresses and neighbours.
 */
#ifndef WEFT_RTNL_H
#define WEFT_RTNL_H

#include <stdint.h>

#include "err.h"
#include "nl.h"

int weft_rtnl_nic_new(struct weft_nl *nl, const char *name, uint32_t index,
		      const uint8_t mac[6], uint32_t mtu, struct weft_err *err);
int weft_rtnl_link_up(struct weft_nl *nl, uint32_t index, struct weft_err *err);
int weft_rtnl_addr_new(struct weft_nl *nl, uint32_t index, uint32_t ip,
		       unsigned int prefix, struct weft_err *err);
int weft_rtnl_neigh_new(struct weft_nl *nl, uint32_t index, uint32_t ip,
			const uint8_t mac[6], struct weft_err *err);

#endif
