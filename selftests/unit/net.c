// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A host for the model, for tests. Every packet is a separate allocation, so that the
 * address sanitiser detects a packet that is used after it was returned.
 */
#include <stdlib.h>

#include "core/sim/rng.h"
#include "ktap.h"
#include "net.h"

static void net_record(struct net *net, const struct fab_pkt *pkt, u64 what)
{
	const struct net_pkt *np = container_of(pkt, struct net_pkt, p);

	net->digest = fab_mix(net->digest ^ net->fab.now) + what +
		      fab_mix(np->id);
}

static void net_give_back(struct net *net, struct fab_pkt *pkt)
{
	net->live--;
	free(container_of(pkt, struct net_pkt, p));
}

static void net_fill(struct net_node *node, u8 cls)
{
	struct fab_pkt pkt = node->pump[cls];
	u64 dropped = node->net->fab.c.packets_dropped;

	while (pkt.len && !fab_endpoint_stop(&node->ep, cls)) {
		if (node->vary)
			pkt.len = 60 + fab_rng_next(&node->net->rng) %
				       (node->pump[cls].len - 59);
		if (net_give(node, &pkt))
			break;
		/* What is too long for the link would be dropped for ever. */
		if (node->net->fab.c.packets_dropped != dropped)
			break;
	}
}

static void net_deliver(struct fab_endpoint *ep, struct fab_pkt *pkt)
{
	struct net_node *node = container_of(ep, struct net_node, ep);
	struct net *net = node->net;

	node->rx++;
	node->rx_bytes += pkt->len;
	node->rx_at = net->fab.now;
	node->rx_pkt = *pkt;
	node->rx_cls[pkt->cls] += pkt->len;
	if (pkt->flow_hash < NET_MAX)
		node->rx_from[pkt->flow_hash]++;
	if (node->on_deliver)
		node->on_deliver(node, pkt);
	net_record(net, pkt, ep->id);
	net_give_back(net, pkt);
}

static void net_drop(struct fab *fab, struct fab_port *port,
		     struct fab_pkt *pkt, enum fab_drop why)
{
	struct net *net = container_of(fab, struct net, fab);

	(void)port;
	net->drops[why]++;
	net_record(net, pkt, 1000 + why);
	net_give_back(net, pkt);
}

static struct fab_pkt *net_clone(struct fab *fab, const struct fab_pkt *pkt)
{
	struct net *net = container_of(fab, struct net, fab);
	struct net_pkt *copy;

	if (net->no_clone)
		return NULL;
	copy = malloc(sizeof(*copy));
	if (!copy)
		abort();
	*copy = *container_of(pkt, struct net_pkt, p);
	net->live++;
	return &copy->p;
}

static void net_tx_wake(struct fab_endpoint *ep, u8 cls)
{
	struct net_node *node = container_of(ep, struct net_node, ep);

	node->wakes++;
	if (fab_port_can_send(&ep->port))
		net_fill(node, cls);
}

static int net_punt(struct fab *fab, struct fab_switch *sw, u32 in,
		    struct fab_pkt *pkt)
{
	struct net *net = container_of(fab, struct net, fab);

	net->punts++;
	return net->on_punt ? net->on_punt(net, sw, in, pkt) : -1;
}

static bool net_reducible(const struct fab *fab, const struct fab_reduce *r,
			  const struct fab_pkt *pkt, const struct fab_pkt *other)
{
	return !container_of(fab, struct net, fab)->refuses;
}

/* A polynomial of the values, which depends on their order. */
static struct fab_pkt *net_reduce(struct fab *fab, struct fab_reduce *r,
				  struct fab_pkt *first)
{
	struct net *net = container_of(fab, struct net, fab);
	struct net_pkt *sum = container_of(first, struct net_pkt, p);
	struct fab_pkt *pkt = first->next, *next;

	for (; pkt; pkt = next) {
		next = pkt->next;
		sum->value = 31 * sum->value + container_of(pkt, struct net_pkt, p)->value;
		net_give_back(net, pkt);
	}
	if (!net->no_result)
		return first;
	net_give_back(net, first);
	return NULL;
}

static const struct fab_host_ops net_ops = {
	.deliver = net_deliver,
	.drop = net_drop,
	.clone = net_clone,
	.tx_wake = net_tx_wake,
	.punt = net_punt,
	.reducible = net_reducible,
	.reduce = net_reduce,
};

static void *net_zalloc(size_t size)
{
	void *mem = calloc(1, size);

	if (!mem)
		abort();
	return mem;
}

/**
 * net_new() - make an empty network
 * @seed: its seed
 *
 * Return: the network.
 */
struct net *net_new(u64 seed)
{
	struct net *net = net_zalloc(sizeof(*net));

	fab_init(&net->fab, &net_ops, seed);
	return net;
}

/**
 * net_free() - remove all objects and check that nothing is left
 * @net: the network
 */
void net_free(struct net *net)
{
	u32 i;

	for (i = 0; i < NET_MAX; i++) {
		net_node_del(net, i);
		net_switch_del(net, i);
	}
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(net->live, 0);
	EXPECT_EQ(fab_event_next(&net->fab.events), FAB_NEVER);
	free(net);
}

/**
 * net_port() - parameters of a drop-tail port, all classes strict
 * @classes: classes
 * @queue_limit: bytes per class
 *
 * Return: the parameters.
 */
struct fab_port_params net_port(u32 classes, u32 queue_limit)
{
	struct fab_port_params p = {
		.classes = classes,
		.queue_limit = queue_limit,
		.sched.quantum = 1,
		.disc = &fab_drop_tail,
	};

	return p;
}

/**
 * net_switch_params() - parameters of a cut-through switch without latency
 * @ports: its ports
 *
 * Return: the parameters.
 */
struct fab_switch_params net_switch_params(u32 ports)
{
	struct fab_switch_params p = {
		.ports = ports,
		.buffer = { .total = 1 << 30, .per_port = 1 << 30 },
		.dsts = NET_MAX,
		.dst = FAB_NO_DST,
		.groups = NET_MAX,
		.port = net_port(1, 1 << 20),
	};

	return p;
}

/**
 * net_wire() - parameters of an Ethernet wire without errors
 * @bps: rate
 * @propagation: delay
 *
 * Return: the parameters.
 */
struct fab_wire_params net_wire(u64 bps, fab_time propagation)
{
	struct fab_wire_params p = {
		.rate_bps = bps,
		.propagation = propagation,
		.overhead = 24,		/* FCS 4, preamble 8, gap 12 */
		.min_frame = 60,
		.lanes = 1,
		.lanes_up = 1,
	};

	return p;
}

/**
 * net_node_add() - make an endpoint
 * @net: the network
 * @id: its destination id
 * @p: its parameters
 *
 * Return: the node.
 */
struct net_node *net_node_add(struct net *net, u32 id,
			      const struct fab_endpoint_params *p)
{
	struct net_node *node = net_zalloc(sizeof(*node));

	EXPECT_EQ(fab_endpoint_params_check(p), 0);
	node->net = net;
	node->mem = net_zalloc(fab_endpoint_mem(p));
	node->p = *p;
	fab_endpoint_init(&net->fab, &node->ep, id, &node->p, node->mem);
	fab_hist_init(&node->latency);
	node->ep.latency = &node->latency;
	net->node[id] = node;
	return node;
}

/**
 * net_host() - make an endpoint with one class, no latency, a ring of 64 KiB
 * @net: the network
 * @id: its destination id
 *
 * Return: the node.
 */
struct net_node *net_host(struct net *net, u32 id)
{
	struct fab_endpoint_params p = { .port = net_port(1, 65536) };

	return net_node_add(net, id, &p);
}

/**
 * net_node_del() - remove an endpoint, if there is one
 * @net: the network
 * @id: its destination id
 */
void net_node_del(struct net *net, u32 id)
{
	struct net_node *node = net->node[id];

	if (!node)
		return;
	memset(node->pump, 0, sizeof(node->pump));
	fab_endpoint_remove(&net->fab, &node->ep);
	net->node[id] = NULL;
	free(node->mem);
	free(node);
}

/**
 * net_switch_add() - make a switch
 * @net: the network
 * @id: its number
 * @p: its parameters
 *
 * Return: the switch.
 */
struct fab_switch *net_switch_add(struct net *net, u32 id,
				  const struct fab_switch_params *p)
{
	size_t head = (sizeof(struct fab_switch) + 15) & ~(size_t)15;
	char *mem = net_zalloc(head + fab_switch_mem(p));
	struct fab_switch *sw = (struct fab_switch *)mem;

	EXPECT_EQ(fab_switch_params_check(p), 0);
	fab_switch_init(&net->fab, sw, id, p, mem + head);
	fab_switch_enter(&net->fab, sw);
	net->sw[id] = sw;
	return sw;
}

/**
 * net_switch_del() - remove a switch, if there is one
 * @net: the network
 * @id: its number
 */
void net_switch_del(struct net *net, u32 id)
{
	if (!net->sw[id])
		return;
	fab_switch_remove(&net->fab, net->sw[id]);
	free(net->sw[id]);
	net->sw[id] = NULL;
}

/**
 * net_join() - link two ports with equal wires
 * @net: the network
 * @a: one port
 * @b: the other
 * @bps: rate of both wires
 * @propagation: delay of both wires
 */
void net_join(struct net *net, struct fab_port *a, struct fab_port *b,
	      u64 bps, fab_time propagation)
{
	struct fab_wire_params p = net_wire(bps, propagation);

	EXPECT_EQ(fab_link_join(&net->fab, a, b, &p, &p), 0);
}

/**
 * net_route() - route a destination through one port
 * @sw: the switch
 * @dst: the destination
 * @port: the port
 */
void net_route(struct fab_switch *sw, u32 dst, u16 port)
{
	EXPECT_EQ(fab_route_set(&sw->route, dst, &port, 1), 0);
}

/**
 * net_give() - send a packet
 * @node: the sender
 * @like: fields of the packet
 *
 * Return: the result of fab_endpoint_send().
 */
int net_give(struct net_node *node, const struct fab_pkt *like)
{
	return net_give_value(node, like, 0);
}

/**
 * net_give_value() - send a packet that is to be reduced
 * @node: the sender
 * @like: fields of the packet
 * @value: what it brings
 *
 * Return: the result of fab_endpoint_send().
 */
int net_give_value(struct net_node *node, const struct fab_pkt *like, u64 value)
{
	struct net *net = node->net;
	struct net_pkt *np = net_zalloc(sizeof(*np));
	int err;

	np->p = *like;
	np->value = value;
	np->id = net->sent++;
	net->live++;
	err = fab_endpoint_send(&net->fab, &node->ep, &np->p);
	if (err) {
		net->live--;
		free(np);
	}
	return err;
}

/**
 * net_originate() - send a packet of a switch itself
 * @net: the network
 * @sw: the switch
 * @out: egress port
 * @like: fields of the packet
 */
void net_originate(struct net *net, struct fab_switch *sw, u32 out,
		   const struct fab_pkt *like)
{
	struct net_pkt *np = net_zalloc(sizeof(*np));

	np->p = *like;
	np->id = net->sent++;
	net->live++;
	fab_switch_originate(&net->fab, sw, out, &np->p);
}

/**
 * net_send() - send a plain packet, whose flow is the source
 * @net: the network
 * @src: source
 * @dst: destination
 * @len: bytes
 *
 * Return: the result of fab_endpoint_send().
 */
int net_send(struct net *net, u32 src, u32 dst, u32 len)
{
	struct fab_pkt pkt = {
		.len = len, .dst = dst, .flow_hash = src, .segs = 1,
	};

	return net_give(net->node[src], &pkt);
}

/**
 * net_hit() - lose all packets that a port sends from now on
 * @net: the network
 * @port: the port
 * @f: memory for the fault
 * @time: for how long, ps
 */
void net_hit(struct net *net, struct fab_port *port, struct fab_fault *f, fab_time time)
{
	const struct fab_fault_params p = {
		.kind = FAB_FAULT_LOSS, .ppb = FAB_FAULT_PPB,
		.start = net->fab.now, .duration = time,
	};

	memset(f, 0, sizeof(*f));
	EXPECT(fab_fault_suits(port, p.kind));
	fab_fault_add(&net->fab, port, f, &p);
}

/**
 * net_pump() - let a node send at line rate from now on
 * @net: the network
 * @src: source
 * @dst: destination
 * @len: bytes per packet; 0 to stop
 * @cls: class
 */
void net_pump(struct net *net, u32 src, u32 dst, u32 len, u8 cls)
{
	struct net_node *node = net->node[src];
	struct fab_pkt *pump = &node->pump[cls];

	pump->len = len;
	pump->dst = dst;
	pump->flow_hash = src;
	pump->segs = 1;
	pump->cls = cls;
	net_fill(node, cls);
}

/**
 * net_run() - run event by event, invariants checked after each instant
 * @net: the network
 * @until: when to stop
 */
void net_run(struct net *net, fab_time until)
{
	fab_time next = fab_event_next(&net->fab.events);

	while (next <= until && next != FAB_NEVER) {
		next = fab_run(&net->fab, next, FAB_NO_BUDGET);
		if (!net->no_check)
			EXPECT_NULL_STR(fab_check(&net->fab));
	}
	fab_run(&net->fab, until, FAB_NO_BUDGET);
}

/**
 * net_drain() - run until no event is pending
 * @net: the network
 */
void net_drain(struct net *net)
{
	while (fab_event_next(&net->fab.events) != FAB_NEVER)
		net_run(net, fab_event_next(&net->fab.events));
}
