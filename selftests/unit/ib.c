// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * InfiniBand links for tests.
 */
#include "ib.h"
#include "ktap.h"

/**
 * ib_blocks() - blocks of 64 bytes that a packet takes, by hand
 * @payload: its payload
 *
 * Return: blocks.
 */
u32 ib_blocks(u32 payload)
{
	return (payload + IB_HEADER + 63) / 64;
}

/**
 * ib_time() - time of bytes on the wire, rounded up; independent of fixed.h
 * @ib: the links
 * @bytes: bytes, headers included
 *
 * Return: ps.
 */
fab_time ib_time(const struct ib *ib, u32 bytes)
{
	unsigned __int128 bits = bytes;

	return (bits * 8 * FAB_PS_PER_S + ib->bps - 1) / ib->bps;
}

/**
 * ib_port() - parameters of a port
 * @ib: the links
 *
 * Return: the parameters.
 */
struct fab_port_params ib_port(const struct ib *ib)
{
	struct fab_port_params p = net_port(ib->vls ? ib->vls : 1,
					    ib->ring ? ib->ring : IB_FOREVER);
	struct fab_credit_params *c = &p.flow.credit;
	u32 i;

	p.disc = &fab_credit;
	p.react = ib->react;
	p.ipd = ib->ipd;
	p.age = ib->age;
	for (i = 0; i < p.classes; i++)
		c->blocks[i] = ib->blocks;
	c->blocks[FAB_VL_MGMT] = ib->mgmt ? ib->mgmt : ib->blocks;
	c->block = 64;
	c->header = IB_HEADER;
	c->period = ib->period ? ib->period : 4096 * NS;
	c->refresh = ib->refresh;
	c->eager = !ib->lazy;
	return p;
}

/**
 * ib_wire() - parameters of a wire
 * @ib: the links
 *
 * Return: the parameters.
 */
struct fab_wire_params ib_wire(const struct ib *ib)
{
	struct fab_wire_params p = {
		.rate_bps = ib->bps,
		.propagation = ib->propagation,
		.overhead = IB_HEADER,
		.lanes = 1,
		.lanes_up = 1,
	};

	return p;
}

/**
 * ib_host() - make a host
 * @net: the network
 * @ib: its links
 * @id: its destination id
 *
 * Return: the node.
 */
struct net_node *ib_host(struct net *net, const struct ib *ib, u32 id)
{
	struct fab_endpoint_params p = { .port = ib_port(ib) };

	return net_node_add(net, id, &p);
}

/**
 * ib_switch() - make a cut-through switch with virtual output queues
 * @net: the network
 * @ib: its links
 * @id: its number
 * @ports: its ports
 *
 * Return: the switch.
 */
struct fab_switch *ib_switch(struct net *net, const struct ib *ib, u32 id,
			     u32 ports)
{
	struct fab_switch_params p = net_switch_params(ports);

	p.latency = ib->latency;
	p.forward = ib->forward;
	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	p.port = ib_port(ib);
	return net_switch_add(net, id, &p);
}

/**
 * ib_join() - link two ports
 * @net: the network
 * @ib: its links
 * @a: one port
 * @b: the other
 */
void ib_join(struct net *net, const struct ib *ib, struct fab_port *a,
	     struct fab_port *b)
{
	struct fab_wire_params p = ib_wire(ib);

	EXPECT_EQ(fab_link_join(&net->fab, a, b, &p, &p), 0);
}

/**
 * ib_pair() - make two hosts with a link whose VLs are open
 * @ib: the link
 *
 * Return: the network.
 */
struct net *ib_pair(const struct ib *ib)
{
	struct net *net = net_new(1);
	u32 i;

	for (i = 0; i < 2; i++)
		ib_host(net, ib, i);
	ib_join(net, ib, &net->node[0]->ep.port, &net->node[1]->ep.port);
	net_drain(net);
	return net;
}

/**
 * ib_state() - state of the discipline
 * @port: a port
 *
 * Return: the state.
 */
struct fab_credit *ib_state(const struct fab_port *port)
{
	return port->flow_state;
}

/**
 * ib_stop() - stop a host from taking packets of some classes
 * @net: the network
 * @id: the host
 * @classes: bit per class; 0: it takes all again
 */
void ib_stop(struct net *net, u32 id, u16 classes)
{
	struct fab_receive_params p = { .stopped = classes };

	fab_receive_set(&net->fab, &net->node[id]->ep, &p);
}
