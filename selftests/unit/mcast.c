// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Multicast groups of a switch: who gets a copy, and when; the flood set.
 */
#include "core/sim/bitset.h"
#include "ib.h"
#include "ktap.h"

#define HOSTS	5U
#define GROUPS	8U
#define LEN	1000U

static const struct ib fast = {
	.bps = 100 * GBPS, .propagation = 50 * NS, .latency = 130 * NS,
	.blocks = 260,
};

/* Hosts 0 to 4 at a switch with @mcasts groups; the flood set is all ports. */
static struct net *star(u32 mcasts)
{
	static const u16 all[HOSTS] = { 0, 1, 2, 3, 4 };
	struct fab_switch_params p = net_switch_params(HOSTS);
	struct net *net = net_new(1);
	u32 i;

	p.latency = fast.latency;
	p.port = ib_port(&fast);
	p.mcasts = mcasts;
	net_switch_add(net, 0, &p);
	for (i = 0; i < HOSTS; i++)
		ib_join(net, &fast, &ib_host(net, &fast, i)->ep.port,
			&net->sw[0]->port[i]);
	EXPECT_EQ(fab_route_flood_set(&net->sw[0]->route, all, HOSTS), 0);
	net_drain(net);
	return net;
}

static int set(struct net *net, u32 group, const unsigned long *ports)
{
	return fab_route_mcast_set(&net->sw[0]->route, group, ports);
}

/* Host 0 sends to a group. Returns who got a copy, a bit per host. */
static u32 reach(struct net *net, u32 group)
{
	struct fab_pkt pkt = {
		.len = LEN, .segs = 1, .flags = FAB_PKT_MULTICAST, .dst = group,
	};
	u32 got = 0, i;

	for (i = 0; i < HOSTS; i++)
		net->node[i]->rx = 0;
	EXPECT_EQ(net_give(net->node[0], &pkt), 0);
	net_drain(net);
	for (i = 0; i < HOSTS; i++) {
		EXPECT(net->node[i]->rx <= 1);
		got |= net->node[i]->rx << i;
	}
	return got;
}

/* Its ports get one copy each, the ingress port none. */
TEST(mcast_group)
{
	unsigned long few = BIT(1) | BIT(3), own = BIT(0) | BIT(2), only = 1;
	struct net *net = star(GROUPS);

	EXPECT_EQ(set(net, 2, &few), 0);
	EXPECT_EQ(set(net, 7, &own), 0);
	EXPECT_EQ(set(net, 0, &only), 0);
	EXPECT_EQ(reach(net, 2), BIT(1) | BIT(3));
	EXPECT_EQ(reach(net, 7), BIT(2));
	EXPECT_EQ(reach(net, 0), 0);
	EXPECT_EQ(net->drops[FAB_DROP_NO_ROUTE], 1);
	EXPECT_EQ(net->fab.c.packets_cloned, 1);
	/* The bits are the host's, to be changed. */
	fab_bitset_add(&few, 4);
	fab_bitset_del(&few, 1);
	EXPECT_EQ(reach(net, 2), BIT(3) | BIT(4));
	net_free(net);
}

/* A group without ports is dropped, not flooded; a packet of no group is flooded. */
TEST(mcast_without_ports)
{
	unsigned long few = BIT(1);
	struct net *net = star(GROUPS);

	EXPECT_EQ(reach(net, 3), 0);
	EXPECT_EQ(net->sw[0]->port[0].c.drops[FAB_DROP_NO_ROUTE], 1);
	EXPECT_EQ(reach(net, GROUPS), 0);
	EXPECT_EQ(net->drops[FAB_DROP_NO_ROUTE], 2);
	EXPECT_EQ(set(net, GROUPS, &few), -EINVAL);
	EXPECT_EQ(reach(net, FAB_NO_DST), 0x1e);
	EXPECT_EQ(set(net, 3, &few), 0);
	EXPECT_EQ(reach(net, 3), BIT(1));
	EXPECT_EQ(set(net, 3, NULL), 0);
	EXPECT_EQ(reach(net, 3), 0);
	EXPECT_EQ(net->drops[FAB_DROP_NO_ROUTE], 3);
	EXPECT_EQ(ib_state(&net->sw[0]->port[0])->vl[0].used, 0);
	net_free(net);
}

/* A switch without groups floods, whatever the packet says. */
TEST(mcast_without_groups)
{
	struct net *net = star(0);

	EXPECT_EQ(set(net, 0, NULL), -EINVAL);
	EXPECT_EQ(reach(net, 0), 0x1e);
	EXPECT_EQ(reach(net, 5), 0x1e);
	EXPECT_EQ(reach(net, FAB_NO_DST), 0x1e);
	net_free(net);
}

/* All copies leave at once: each arrives at d + t + 2 p. */
TEST(mcast_time)
{
	fab_time t = ib_time(&fast, LEN + IB_HEADER), sent;
	unsigned long few = BIT(1) | BIT(2) | BIT(4);
	struct net *net = star(GROUPS);
	u32 i;

	EXPECT_EQ(set(net, 1, &few), 0);
	sent = net->fab.now;
	EXPECT_EQ(reach(net, 1), few);
	for (i = 1; i < HOSTS; i++)
		if (fab_bitset_has(&few, i))
			EXPECT_EQ(net->node[i]->rx_at - sent,
				  fast.latency + t + 2 * fast.propagation);
	net_free(net);
}

TEST(mcast_params)
{
	struct fab_switch_params p = net_switch_params(2);

	p.mcasts = FAB_MCASTS_MAX;
	EXPECT_EQ(fab_switch_params_check(&p), 0);
	p.mcasts++;
	EXPECT_EQ(fab_switch_params_check(&p), -ERANGE);
}
