/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link between two ports of a fabric.
 */
#ifndef WEFT_LINK_H
#define WEFT_LINK_H

#include <uapi/linux/weft.h>

#include "core/node/port.h"

struct netlink_ext_ack;
struct weft_endpoint;
struct weft_fabric;
struct weft_switch;

/**
 * struct weft_link_end - the port at one end of a link
 */
struct weft_link_end {
	/** @sw: the switch, NULL at a NIC */
	struct weft_switch *sw;
	/** @wep: the NIC's endpoint, NULL at a switch */
	struct weft_endpoint *wep;
	/** @port: number of the port in the switch */
	u32 port;
};

/**
 * struct weft_link_wire - one direction of a link
 */
struct weft_link_wire {
	/** @p: the model's parameters */
	struct fab_wire_params p;
	/** @up: administrative state */
	bool up;
};

/**
 * struct weft_link_params - parameters of a link
 */
struct weft_link_params {
	/** @name: label; empty for none */
	char name[WEFT_NAME_LEN];
	/** @end: its ends, a and b */
	struct weft_link_end end[2];
	/** @wire: its wires, from a to b and from b to a */
	struct weft_link_wire wire[2];
};

/**
 * struct weft_link - one link; all members but @up are constant
 */
struct weft_link {
	/** @fabric: its fabric */
	struct weft_fabric *fabric;
	/** @id: number in the fabric */
	u32 id;
	/** @name: label */
	char name[WEFT_NAME_LEN];
	/** @end: its ends */
	struct weft_link_end end[2];
	/** @faults: its faults (RTNL) */
	struct list_head faults;
	/** @up: state of its wires in the last event (RTNL) */
	bool up[2];
};

struct fab_port *weft_link_port(const struct weft_link_end *end);
bool weft_link_end_taken(const struct weft_link_end *end);
struct weft_link *weft_link_create(struct weft_fabric *f,
				   const struct weft_link_params *p,
				   struct netlink_ext_ack *extack);
bool weft_link_takes(const struct weft_link *link, u32 len);
void weft_link_destroy(struct weft_link *link);
void weft_link_wires(const struct weft_link *link,
		     struct weft_link_wire wire[2]);
void weft_link_set(struct weft_link *link,
		   const struct weft_link_wire wire[2]);
void weft_link_follow(struct weft_link *link);

#endif
