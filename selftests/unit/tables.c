// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of a switch that are set while it runs: SL to VL, VL arbitration of a port.
 */
#include "ib.h"
#include "ktap.h"

#define LEN	(2048U - IB_HEADER)	/* bytes of a packet, 2048 on the wire */
#define PACKETS	400U			/* of each VL */

static const struct ib two_vls = {
	.bps = 100 * GBPS, .propagation = 50 * NS, .latency = 130 * NS,
	.blocks = 256, .vls = 2,
};

static struct fab_sched_params shares(u8 vl0, u8 vl1)
{
	struct fab_sched_params p = { .kind = FAB_SCHED_VLARB };

	p.vlarb.low[0] = (struct fab_vlarb_entry){ .vl = 0, .weight = vl0 };
	p.vlarb.low[1] = (struct fab_vlarb_entry){ .vl = 1, .weight = vl1 };
	p.vlarb.low_entries = 2;
	return p;
}

/* Hosts 0 to 2 on one switch, whose ports share equally. */
static struct net *star(enum fab_sl2vl sl2vl)
{
	struct fab_switch_params p = net_switch_params(3);
	struct net *net = net_new(1);
	u32 i;

	p.latency = two_vls.latency;
	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	p.port = ib_port(&two_vls);
	p.port.sched = shares(64, 64);
	p.sl2vl = sl2vl;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 3; i++) {
		ib_join(net, &two_vls, &ib_host(net, &two_vls, i)->ep.port,
			&net->sw[0]->port[i]);
		net_route(net->sw[0], i, i);
	}
	net_drain(net);
	return net;
}

static void load(struct net *net, u32 src, u8 cls)
{
	struct fab_pkt pkt = { .len = LEN, .dst = 2, .cls = cls, .segs = 1 };
	u32 i;

	for (i = 0; i < PACKETS; i++)
		EXPECT_EQ(net_give(net->node[src], &pkt), 0);
}

/* Packets of VL 0 among the first PACKETS that host 2 gets, while both VLs wait. */
static u64 won(struct net *net)
{
	const struct fab_port *port = &net->node[2]->ep.port;
	u64 before = port->cls[0].c.rx_packets, n;

	load(net, 0, 0);
	load(net, 1, 1);
	net_run(net, net->fab.now + PACKETS * ib_time(&two_vls, LEN));
	n = port->cls[0].c.rx_packets - before;
	net_drain(net);
	return n;
}

/* Of weights w and v, w / (w + v) of the packets are VL 0's, but for a round. */
TEST(arbitration_of_a_port)
{
	struct fab_sched_params p = shares(192, 64), got;
	struct net *net = star(FAB_SL2VL_KEEP);
	struct fab_switch *sw = net->sw[0];

	EXPECT_NEAR(won(net), PACKETS / 2, 8);
	EXPECT_EQ(fab_switch_sched_set(&net->fab, sw, 2, &p), 0);
	EXPECT_NEAR(won(net), PACKETS * 3 / 4, 8);
	fab_switch_sched_get(sw, 2, &got);
	EXPECT_EQ(got.vlarb.low[0].weight, 192);
	/* The other ports keep theirs, and so does this one if nothing has a weight. */
	fab_switch_sched_get(sw, 1, &got);
	EXPECT_EQ(got.vlarb.low[0].weight, 64);
	p = shares(0, 0);
	EXPECT_EQ(fab_switch_sched_set(&net->fab, sw, 2, &p), -EINVAL);
	fab_switch_sched_get(sw, 2, &got);
	EXPECT_EQ(got.vlarb.low[0].weight, 192);
	net_free(net);
}

TEST(arbitration_of_another_kind)
{
	struct fab_sched_params p = { .kind = FAB_SCHED_DRR, .quantum = 64 };
	struct net *net = star(FAB_SL2VL_KEEP);

	EXPECT_EQ(fab_switch_sched_set(&net->fab, net->sw[0], 2, &p), -EINVAL);
	net_free(net);
}

TEST(mapping_is_what_was_set)
{
	struct net *net = star(FAB_SL2VL_PORTS);
	struct fab_switch *sw = net->sw[0];

	EXPECT_EQ(fab_switch_sl2vl_set(sw, 0, 1, 5, 1), 0);
	EXPECT_EQ(fab_switch_sl2vl_get(sw, 0, 1, 5), 1);
	EXPECT_EQ(fab_switch_sl2vl_get(sw, 1, 0, 5), 0);
	net_free(net);
	net = star(FAB_SL2VL_KEEP);
	EXPECT_EQ(fab_switch_sl2vl_get(net->sw[0], 0, 1, 5), 5);
	net_free(net);
}
