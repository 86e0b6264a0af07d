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
#define WEFT_TRAFFIC_MSGS_MAX	2000U	/* so that they fit an attribute */

struct netlink_ext_ack;
struct weft_endpoint;
struct weft_fabric;
struct weft_traffic;

/**
 * struct weft_traffic_params - what the user says about a generator
 */
struct weft_traffic_params {
	/** @p: the model's parameters */
	struct fab_traffic_params p;
	/** @list: memory of p.dst or p.message */
	void *list;
	/** @wep: the NIC that sends */
	struct weft_endpoint *wep;
	/** @group: what generators of one pattern have in common */
	u32 group;
	/** @pattern: enum weft_traffic_pattern; U32_MAX: none was said */
	u32 pattern;
	/** @window: packets in the fabric at most */
	u32 window;
	/** @grouped: @group is the user's */
	bool grouped;
	/** @relative: p.start counts from now on */
	bool relative;
	/** @seeded: p.seed is the user's */
	bool seeded;
};

/**
 * struct weft_traffic_pkt - a packet of a generator
 */
struct weft_traffic_pkt {
	/** @hw: the fabric's part */
	struct weft_hwpkt hw;
	/** @of: its generator; constant */
	struct weft_traffic *of;
	/** @waits: its first bit has not gone onto the NIC's wire */
	bool waits;
	/** @copy: a fault doubled one, and this memory is its own; constant */
	bool copy;
};

/**
 * struct weft_traffic - a generator
 *
 * Its packets are part of it, so that it is there until the last one is back.
 */
struct weft_traffic {
	/** @rcu: for freeing, which no context may wait for */
	struct rcu_head rcu;
	/** @t: the model's (fabric's lock) */
	struct fab_traffic t;
	/** @copies: doubled packets that are under way (fabric's lock) */
	u32 copies;
	/** @gone: freed with the last packet (fabric's lock) */
	bool gone;
	/** @fabric: its fabric, which outlives the packets; constant */
	struct weft_fabric *fabric;
	/** @id: number in the fabric; constant */
	u32 id;
	/** @p: parameters, as they came to be; constant until it is gone */
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
