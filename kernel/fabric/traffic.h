/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Background traffic: generators at NICs, and the packets that they use.
 */
#ifndef WEFT_TRAFFIC_H
#define WEFT_TRAFFIC_H

#include "core/node/traffic.h"
#include "fabric/hwpkt.h"

#define WEFT_TRAFFICS_MAX	1024U	/* of a fabric */
#define WEFT_TRAFFIC_DSTS_MAX	1024U	/* of a generator */
#define WEFT_TRAFFIC_MSGS_MAX	2000U	/* must fit in an attribute */

struct netlink_ext_ack;
struct weft_endpoint;
struct weft_fabric;
struct weft_traffic;

/**
 * struct weft_traffic_params - parameters of a generator
 */
struct weft_traffic_params {
	/** @p: the model's parameters */
	struct fab_traffic_params p;
	/** @list: memory of p.dst or p.message */
	void *list;
	/** @wep: the NIC that sends */
	struct weft_endpoint *wep;
	/** @trigger: trigger from whose moment p.start counts; NULL: none */
	struct weft_trigger *trigger;
	/** @group: number that the generators of one pattern share */
	u32 group;
	/** @pattern: enum weft_traffic_pattern; U32_MAX: none */
	u32 pattern;
	/** @window: maximum number of its packets in the fabric */
	u32 window;
	/** @grouped: the user has set @group */
	bool grouped;
	/** @relative: p.start counts from now */
	bool relative;
	/** @seeded: the user has set p.seed */
	bool seeded;
};

/**
 * struct weft_traffic_pkt - a packet of a generator
 */
struct weft_traffic_pkt {
	/** @hw: part that the fabric uses */
	struct weft_hwpkt hw;
	/** @of: its generator; constant */
	struct weft_traffic *of;
	/** @waits: its transmission at the NIC has not begun */
	bool waits;
	/** @copy: it is a copy by a fault and has memory of its own; constant */
	bool copy;
};

/**
 * struct weft_traffic - a generator
 *
 * Its packets are embedded, so it is not freed before the last one is back.
 */
struct weft_traffic {
	/** @rcu: for freeing in any context */
	struct rcu_head rcu;
	/** @t: the model's generator (fabric's lock) */
	struct fab_traffic t;
	/** @copies: number of copies by faults in the fabric (fabric's lock) */
	u32 copies;
	/** @gone: it was removed; its last packet frees it (fabric's lock) */
	bool gone;
	/** @fabric: its fabric, which outlives the packets; constant */
	struct weft_fabric *fabric;
	/** @id: number in the fabric; constant */
	u32 id;
	/** @p: parameters, with actual values; constant until it is gone */
	struct weft_traffic_params p;
	/** @pkt: its packets, p.window of them (fabric's lock) */
	struct weft_traffic_pkt pkt[];
};

void weft_traffic_prepare(struct weft_fabric *f);
struct weft_traffic *weft_traffic_create(struct weft_fabric *f,
					 const struct weft_traffic_params *p,
					 struct netlink_ext_ack *extack);
void weft_traffic_destroy(struct weft_traffic *tr);
void weft_traffic_nic_gone(const struct weft_endpoint *wep);

#endif
