// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links of flits for tests.
 */
#include "ktap.h"
#include "nv.h"

/**
 * struct watch - the order of deliveries
 * @deliver: the deliver hook of the test host
 * @last: per flow, destination and class: number of the last packet, plus one
 */
static struct watch {
	void (*deliver)(struct fab_endpoint *ep, struct fab_pkt *pkt);
	u64 last[4][4][FAB_CLASSES_MAX];
} watch;

/**
 * nv_port() - parameters of an NVLink port
 * @classes: virtual channels
 * @hdr: header credits of each
 * @data: data credits of each
 *
 * Return: the parameters.
 */
struct fab_port_params nv_port(u32 classes, u32 hdr, u32 data)
{
	struct fab_port_params p = net_port(classes, 1 << 16);
	u32 vc;

	p.disc = &fab_nvlink;
	for (vc = 0; vc < classes; vc++) {
		p.flow.flit.hdr[vc] = hdr;
		p.flow.flit.data[vc] = data;
	}
	p.flow.flit.payload = NV_PAYLOAD;
	p.flow.flit.unit = NV_FLIT;
	p.flow.flit.header = NV_FLIT;
	p.retry.control = NV_FLIT;
	p.retry.carry = true;
	p.retry.repeat = 10 * US;
	return p;
}

/**
 * nv_wire() - parameters of an NVLink wire without errors
 * @bps: rate
 * @propagation: delay
 *
 * Return: the parameters.
 */
struct fab_wire_params nv_wire(u64 bps, fab_time propagation)
{
	struct fab_wire_params p = {
		.rate_bps = bps,
		.propagation = propagation,
		.overhead = NV_FLIT,
		.payload = NV_PAYLOAD,
		.unit = NV_FLIT,
		.lanes = 1,
		.lanes_up = 1,
	};

	return p;
}

/**
 * nv_join() - link two ports with equal wires
 * @net: the network
 * @a: one port
 * @b: the other
 * @wire: both wires
 */
void nv_join(struct net *net, struct fab_port *a, struct fab_port *b,
	     const struct fab_wire_params *wire)
{
	EXPECT_EQ(fab_link_join(&net->fab, a, b, wire, wire), 0);
}

/**
 * nv_pair() - nodes 0 and 1 and a link between them
 * @port: their ports
 * @wire: both wires
 *
 * Return: the network.
 */
struct net *nv_pair(const struct fab_port_params *port,
		    const struct fab_wire_params *wire)
{
	struct fab_endpoint_params ep = { .port = *port };
	struct net *net = net_new(1);

	net_node_add(net, 0, &ep);
	net_node_add(net, 1, &ep);
	nv_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port, wire);
	return net;
}

/**
 * nv_star() - nodes around switch 0, which serves its ingress ports round robin
 * @nodes: number of nodes
 * @port: parameters of all ports
 * @wire: all wires
 *
 * Return: the network.
 */
struct net *nv_star(u32 nodes, const struct fab_port_params *port,
		    const struct fab_wire_params *wire)
{
	struct fab_endpoint_params ep = { .port = *port };
	struct fab_switch_params sw = net_switch_params(nodes);
	struct net *net = net_new(1);
	u32 i;

	sw.port = *port;
	sw.arbiter = FAB_ARBITER_ROUND_ROBIN;
	sw.latency = 100 * NS;
	net_switch_add(net, 0, &sw);
	for (i = 0; i < nodes; i++) {
		net_node_add(net, i, &ep);
		nv_join(net, &net->node[i]->ep.port, &net->sw[0]->port[i],
			wire);
		net_route(net->sw[0], i, i);
	}
	return net;
}

/**
 * nv_state() - state of the discipline at a port
 * @port: the port
 *
 * Return: the state.
 */
struct fab_flit_state *nv_state(const struct fab_port *port)
{
	return port->flow_state;
}

/**
 * nv_hit() - set the place of the next bit error of a port, and no error after it
 * @port: the port
 * @bytes: bytes that it sends from now until the error
 */
void nv_hit(struct fab_port *port, u64 bytes)
{
	port->wire.p.bits_per_error = FAB_ERROR_MAX;
	port->wire.error_in = 8 * bytes + 1;
}

/**
 * nv_drops() - number of packets lost, for any reason
 * @net: the network
 *
 * Return: the number.
 */
u32 nv_drops(const struct net *net)
{
	u32 sum = 0, why;

	for (why = 0; why < FAB_DROP_COUNT; why++)
		sum += net->drops[why];
	return sum;
}

static void watch_deliver(struct fab_endpoint *ep, struct fab_pkt *pkt)
{
	u64 id = container_of(pkt, struct net_pkt, p)->id;
	u64 *last = &watch.last[pkt->flow_hash][ep->id][pkt->cls];

	EXPECT(!(pkt->flags & FAB_PKT_CORRUPT));
	EXPECT(id >= *last);
	*last = id + 1;
	watch.deliver(ep, pkt);
}

/**
 * nv_watch() - expect packets in order, once, and intact
 * @net: the network, of at most four nodes
 */
void nv_watch(struct net *net)
{
	static struct fab_host_ops ops;

	memset(&watch, 0, sizeof(watch));
	watch.deliver = net->fab.host->deliver;
	ops = *net->fab.host;
	ops.deliver = watch_deliver;
	net->fab.host = &ops;
}
