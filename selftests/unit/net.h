/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host for the model, for tests: allocates, records, saturates, tears down.
 */
#ifndef NET_H
#define NET_H

#include "core/fabric.h"

#define GBPS	1000000000ULL
#define NS	FAB_PS_PER_NS
#define US	(1000 * NS)
#define MS	(1000 * US)

#define NET_MAX		80	/* nodes, switches */

/**
 * struct net_pkt - a packet of the test host
 * @p: its handle
 * @id: number in the order of being sent
 * @value: what it brings to a reduction
 */
struct net_pkt {
	struct fab_pkt p;
	u64 id;
	u64 value;
};

struct net;

/**
 * struct net_node - an endpoint and its deliveries
 */
struct net_node {
	/** @ep: the endpoint */
	struct fab_endpoint ep;
	/** @p: its parameters */
	struct fab_endpoint_params p;
	/** @net: the network that it is in; NULL after removal */
	struct net *net;
	/** @mem: its memory */
	void *mem;
	/** @latency: its histogram */
	struct fab_hist latency;
	/** @rx: packets delivered */
	u64 rx;
	/** @rx_bytes: bytes delivered */
	u64 rx_bytes;
	/** @rx_at: when the last one was delivered */
	fab_time rx_at;
	/** @rx_pkt: handle of the last one, as it was */
	struct fab_pkt rx_pkt;
	/** @rx_from: packets delivered by source flow, as far as they fit */
	u64 rx_from[NET_MAX];
	/** @rx_cls: bytes delivered by class */
	u64 rx_cls[FAB_CLASSES_MAX];
	/** @pump: per class: packet whose copies keep the ring full; len 0: no pump */
	struct fab_pkt pump[FAB_CLASSES_MAX];
	/** @vary: pumped packets have random lengths, up to that of the pump */
	bool vary;
	/** @wakes: calls of tx_wake */
	u64 wakes;
	/** @on_deliver: optional hook of the test for each delivery */
	void (*on_deliver)(struct net_node *node, const struct fab_pkt *pkt);
};

/**
 * struct net - one fabric under test
 */
struct net {
	/** @fab: the fabric */
	struct fab fab;
	/** @node: the endpoints, index is destination id */
	struct net_node *node[NET_MAX];
	/** @sw: the switches */
	struct fab_switch *sw[NET_MAX];
	/** @live: packets in the model */
	u64 live;
	/** @sent: packets created */
	u64 sent;
	/** @drops: packets dropped, by reason */
	u64 drops[FAB_DROP_COUNT];
	/** @rng: random state of the host */
	u64 rng;
	/** @digest: hash over all deliveries and drops */
	u64 digest;
	/** @on_punt: optional hook of the test for each packet of a switch's agent */
	int (*on_punt)(struct net *net, struct fab_switch *sw, u32 in,
		       struct fab_pkt *pkt);
	/** @punts: number of them */
	u64 punts;
	/** @refuses: nothing is reduced */
	bool refuses;
	/** @no_result: reductions have none */
	bool no_result;
	/** @no_clone: the clone hook fails */
	bool no_clone;
	/** @no_check: do not run fab_check() after every step */
	bool no_check;
};

struct net *net_new(u64 seed);
void net_free(struct net *net);

struct fab_port_params net_port(u32 classes, u32 queue_limit);
struct fab_switch_params net_switch_params(u32 ports);
struct fab_wire_params net_wire(u64 bps, fab_time propagation);

struct net_node *net_node_add(struct net *net, u32 id,
			      const struct fab_endpoint_params *p);
struct net_node *net_host(struct net *net, u32 id);
void net_node_del(struct net *net, u32 id);
struct fab_switch *net_switch_add(struct net *net, u32 id,
				  const struct fab_switch_params *p);
void net_switch_del(struct net *net, u32 id);
void net_join(struct net *net, struct fab_port *a, struct fab_port *b,
	      u64 bps, fab_time propagation);
void net_route(struct fab_switch *sw, u32 dst, u16 port);

int net_give(struct net_node *node, const struct fab_pkt *like);
int net_give_value(struct net_node *node, const struct fab_pkt *like, u64 value);
void net_originate(struct net *net, struct fab_switch *sw, u32 out,
		   const struct fab_pkt *like);
int net_send(struct net *net, u32 src, u32 dst, u32 len);
void net_hit(struct net *net, struct fab_port *port, struct fab_fault *f, fab_time time);
void net_pump(struct net *net, u32 src, u32 dst, u32 len, u8 cls);
void net_run(struct net *net, fab_time until);
void net_drain(struct net *net);

#endif
