// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The agent of a switch: when it is done with a packet, where that leaves, which room
 * it holds meanwhile; packets that a switch makes.
 */
#include "ib.h"
#include "ktap.h"

#define MAD		256U		/* bytes, IB_HEADER excluded */
#define SMA		(3 * US)	/* time of the agent for a packet */
#define OWN		70U		/* number of a switch */

static const struct ib fast = {
	.bps = 100 * GBPS, .propagation = 50 * NS, .latency = 130 * NS,
	.blocks = 64, .vls = 16,
};

static struct fab_switch *agent_switch(struct net *net, const struct ib *ib,
				       u32 id, u32 ports)
{
	struct fab_switch_params p = net_switch_params(ports);

	p.latency = ib->latency;
	p.forward = ib->forward;
	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	p.port = ib_port(ib);
	p.sma_latency = SMA;
	p.dst = OWN;
	return net_switch_add(net, id, &p);
}

/* Host 0, switches 0 to n - 1 in a row, host 1; lower ports 0, upper ports 1. */
static struct net *row(const struct ib *ib, u32 n)
{
	struct net *net = net_new(1);
	struct fab_port *port;
	u32 i;

	port = &ib_host(net, ib, 0)->ep.port;
	for (i = 0; i < n; i++) {
		agent_switch(net, ib, i, 2);
		ib_join(net, ib, port, &net->sw[i]->port[0]);
		port = &net->sw[i]->port[1];
	}
	ib_join(net, ib, port, &ib_host(net, ib, 1)->ep.port);
	net_drain(net);
	return net;
}

static void send_mad(struct net *net, u32 src, u32 dst, u8 cls)
{
	struct fab_pkt pkt = {
		.len = MAD, .dst = dst, .cls = cls, .segs = 1,
		.flow_hash = src,
	};

	EXPECT_EQ(net_give(net->node[src], &pkt), 0);
}

static int punt_on(struct net *net, struct fab_switch *sw, u32 in,
		   struct fab_pkt *pkt)
{
	return !in;
}

static int punt_back(struct net *net, struct fab_switch *sw, u32 in,
		     struct fab_pkt *pkt)
{
	return in;
}

/* The last of 63 switches answers, the others pass on. */
static int punt_last(struct net *net, struct fab_switch *sw, u32 in,
		     struct fab_pkt *pkt)
{
	return sw->id == 62 ? in : !in;
}

/*
 * A directed route over n switches: each of the n + 1 wires takes the time t of the
 * whole packet and its propagation p; each agent gets the whole packet, after the
 * pipeline d, takes a, and sends it through the pipeline:
 *
 *	(n + 1) (t + p) + n (2 d + a)
 *
 * for cut-through and store-and-forward.
 */
static void directed(u32 n, enum fab_forward forward)
{
	struct ib ib = fast;
	struct net *net;
	fab_time t, sent;

	ib.forward = forward;
	t = ib_time(&ib, MAD + IB_HEADER);
	net = row(&ib, n);
	net->on_punt = punt_on;
	sent = net->fab.now;
	send_mad(net, 0, FAB_DST_NEXT, 15);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(net->punts, n);
	EXPECT_EQ(net->node[1]->rx_pkt.cls, 15);
	EXPECT_EQ(net->node[1]->rx_at - sent, (n + 1) * (t + ib.propagation) +
		  n * (2 * ib.latency + SMA));
	net_free(net);
}

TEST(agent_directed_hop)
{
	directed(1, FAB_CUT_THROUGH);
	directed(1, FAB_STORE_FORWARD);
	directed(2, FAB_CUT_THROUGH);
	directed(7, FAB_CUT_THROUGH);
	directed(7, FAB_STORE_FORWARD);
}

/* There and back over 63 switches: 126 wires, 125 agents; no hop limit ends it. */
TEST(agent_directed_round_trip)
{
	fab_time t = ib_time(&fast, MAD + IB_HEADER), sent;
	struct net *net = row(&fast, 63);

	net->no_check = true;
	net->on_punt = punt_last;
	sent = net->fab.now;
	send_mad(net, 0, FAB_DST_NEXT, 15);
	net_drain(net);
	EXPECT_EQ(net->node[0]->rx, 1);
	EXPECT_EQ(net->punts, 125);
	EXPECT_EQ(net->node[0]->rx_at - sent, 126 * (t + fast.propagation) +
		  125 * (2 * fast.latency + SMA));
	net_free(net);
}

/* One at a time: n packets that wait for the agent are done each SMA after the last. */
TEST(agent_one_at_a_time)
{
	fab_time t = ib_time(&fast, MAD + IB_HEADER), sent;
	struct net *net = row(&fast, 1);
	u32 i;

	net->on_punt = punt_back;
	sent = net->fab.now;
	for (i = 0; i < 5; i++)
		send_mad(net, 0, FAB_DST_NEXT, 15);
	net_drain(net);
	EXPECT_EQ(net->node[0]->rx, 5);
	EXPECT_EQ(net->node[0]->rx_at - sent, 2 * (t + fast.propagation) +
		  2 * fast.latency + 5 * SMA);
	net_free(net);
}

/* Its own number is for the agent, unless the table has a port for it. */
TEST(agent_own_number)
{
	struct net *net = row(&fast, 1);

	net->on_punt = punt_back;
	send_mad(net, 0, OWN, 15);
	send_mad(net, 0, OWN, 0);
	net_drain(net);
	EXPECT_EQ(net->punts, 2);
	EXPECT_EQ(net->node[0]->rx, 2);
	net_route(net->sw[0], OWN, 1);
	send_mad(net, 0, OWN, 15);
	net_drain(net);
	EXPECT_EQ(net->punts, 2);
	EXPECT_EQ(net->node[1]->rx, 1);
	net_free(net);
}

/* A packet that the host does not want is lost at its ingress port. */
TEST(agent_refuses)
{
	struct net *net = row(&fast, 1);

	send_mad(net, 1, FAB_DST_NEXT, 15);
	net_drain(net);
	EXPECT_EQ(net->punts, 1);
	EXPECT_EQ(net->sw[0]->port[1].c.drops[FAB_DROP_NO_ROUTE], 1);
	EXPECT_EQ(ib_state(&net->sw[0]->port[1])->vl[15].used, 0);
	net_free(net);
}

/*
 * Packets hold their room until the agent has sent them: 282 bytes take 5 blocks, so
 * that 17 blocks hold three of eight. The room is of VL 15: data is not held up.
 */
TEST(agent_holds_room)
{
	struct ib ib = fast;
	struct net *net;
	u32 i;

	ib.blocks = 17;
	net = row(&ib, 1);
	net->on_punt = punt_back;
	net_route(net->sw[0], 1, 1);
	for (i = 0; i < 8; i++)
		send_mad(net, 0, FAB_DST_NEXT, 15);
	send_mad(net, 0, 1, 0);
	net_run(net, net->fab.now + US);
	EXPECT_EQ(ib_state(&net->sw[0]->port[0])->vl[15].used, 15);
	EXPECT_EQ(net->sw[0]->port[0].c.drops[FAB_DROP_PORT_LIMIT], 5);
	EXPECT_EQ(net->node[1]->rx, 1);
	net_drain(net);
	EXPECT_EQ(ib_state(&net->sw[0]->port[0])->vl[15].used, 0);
	EXPECT_EQ(net->node[0]->rx, 3);
	net_free(net);
}

/* Management keeps VL 15; a packet of a data VL leaves as its SL says. */
TEST(agent_classes)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = net_new(1);
	u32 i;

	p.port = ib_port(&fast);
	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	p.sl2vl = FAB_SL2VL_PORTS;
	for (i = 0; i < FAB_CLASSES_MAX; i++)
		p.vl[i] = FAB_VL_DROP;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++)
		ib_join(net, &fast, &ib_host(net, &fast, i)->ep.port,
			&net->sw[0]->port[i]);
	net_drain(net);
	fab_switch_sl2vl_set(net->sw[0], 0, 1, 0, 3);
	net_route(net->sw[0], 1, 1);
	net->on_punt = punt_on;
	send_mad(net, 0, FAB_DST_NEXT, 15);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_pkt.cls, 15);
	send_mad(net, 0, 1, 15);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_pkt.cls, 15);
	send_mad(net, 0, FAB_DST_NEXT, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_pkt.cls, 3);
	EXPECT_EQ(net->node[1]->rx, 3);
	/* From port 1 to port 0 no SL has a VL. */
	send_mad(net, 1, FAB_DST_NEXT, 0);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_SL_DROP], 1);
	net_free(net);
}

/* A bit error is found when the agent has the whole packet. */
TEST(agent_bit_error)
{
	struct net *net = row(&fast, 1);
	struct fab_wire_params bad = ib_wire(&fast);

	bad.bits_per_error = 1;
	fab_link_set(&net->fab, &net->node[0]->ep.port, &bad);
	send_mad(net, 0, FAB_DST_NEXT, 15);
	net_drain(net);
	EXPECT_EQ(net->punts, 0);
	EXPECT_EQ(net->sw[0]->port[0].c.drops[FAB_DROP_BIT_ERROR], 1);
	net_free(net);
}

/* A switch that goes, or reboots, loses what its agent has. */
TEST(agent_loses)
{
	struct fab_fault_params p = { .kind = FAB_FAULT_REBOOT };
	struct net *net = row(&fast, 1);
	struct fab_fault f = {};
	u32 i;

	for (i = 0; i < 3; i++)
		send_mad(net, 0, FAB_DST_NEXT, 15);
	net_run(net, net->fab.now + US);
	p.start = net->fab.now + 10 * NS;
	p.duration = US;
	fab_fault_add_switch(&net->fab, net->sw[0], &f, &p);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 3);
	EXPECT_EQ(f.c.packets, 3);
	fab_fault_remove(&net->fab, &f);
	send_mad(net, 0, FAB_DST_NEXT, 15);
	net_run(net, net->fab.now + US);
	net_switch_del(net, 0);
	EXPECT_EQ(net->drops[FAB_DROP_TEARDOWN], 1);
	EXPECT_EQ(net->punts, 0);
	net_free(net);
}

/* Faults of the forwarding do not hit what is for the agent. */
TEST(agent_blackhole)
{
	struct fab_fault_params p = {
		.kind = FAB_FAULT_BLACKHOLE, .ppb = FAB_FAULT_PPB,
	};
	struct net *net = row(&fast, 1);
	struct fab_fault f = {};

	net->on_punt = punt_on;
	net_route(net->sw[0], 1, 1);
	fab_fault_add_switch(&net->fab, net->sw[0], &f, &p);
	send_mad(net, 0, FAB_DST_NEXT, 15);
	send_mad(net, 0, 1, 15);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(net->drops[FAB_DROP_FAULT], 1);
	fab_fault_remove(&net->fab, &f);
	net_free(net);
}

/*
 * A switch that makes packets itself: from the pipeline to the host, at d + t + p;
 * beyond the room of VL 15 at the egress port they are lost.
 */
TEST(agent_originates)
{
	struct fab_pkt pkt = { .len = MAD, .dst = 1, .cls = 15, .segs = 1 };
	fab_time t = ib_time(&fast, MAD + IB_HEADER), sent;
	struct ib ib = fast;
	struct net *net;
	u32 i;

	ib.blocks = 17;
	net = row(&ib, 1);
	sent = net->fab.now;
	net_originate(net, net->sw[0], 1, &pkt);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(net->node[1]->rx_at - sent, ib.latency + t + ib.propagation);
	for (i = 0; i < 4; i++)
		net_originate(net, net->sw[0], 1, &pkt);
	EXPECT_EQ(net->sw[0]->port[1].c.drops[FAB_DROP_PORT_LIMIT], 1);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 4);
	EXPECT_EQ(ib_state(&net->sw[0]->port[1])->vl[15].used, 0);
	net_free(net);
}

/* Only InfiniBand has agents: elsewhere there is no route to the next device. */
TEST(agent_of_infiniband)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = net_new(1);

	net_switch_add(net, 0, &p);
	net_join(net, &net->sw[0]->port[0], &net_host(net, 0)->ep.port, GBPS,
		 0);
	net_send(net, 0, FAB_DST_NEXT, 100);
	net_drain(net);
	EXPECT_EQ(net->punts, 0);
	EXPECT_EQ(net->drops[FAB_DROP_NO_ROUTE], 1);
	net_free(net);
}
