// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rate limits of classes, at a NIC of 100 Gb/s.
 */
#include "core/egress/shaper.h"
#include "core/sim/fixed.h"
#include "ktap.h"
#include "net.h"

#define LINE	(100 * GBPS)

/* Two hosts and two classes: host 0 sends as much as it can to host 1. */
static struct net *pair(u32 len0, u32 len1)
{
	struct fab_endpoint_params p = { .port = net_port(2, 1 << 16) };
	struct net *net = net_new(1);

	p.port.sched.weight[0] = 1;
	p.port.sched.weight[1] = 1;
	net_node_add(net, 0, &p);
	net_node_add(net, 1, &p);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port, LINE, 0);
	if (len0)
		net_pump(net, 0, 1, len0, 0);
	if (len1)
		net_pump(net, 0, 1, len1, 1);
	return net;
}

static struct fab_port *out(struct net *net)
{
	return &net->node[0]->ep.port;
}

static u32 on_wire(struct net *net, u32 len)
{
	return len + out(net)->wire.p.overhead;
}

/*
 * Packet n (from 0) begins at n T, T = ceil(8 B / R), and arrives after its own time t
 * on the wire: by N T + t exactly N + 1 packets have arrived, and one picosecond before
 * that exactly N.
 */
static void paced(u64 bps, u32 len)
{
	struct net *net = pair(len, 0);
	fab_time gap = fab_serialise(on_wire(net, len), bps);
	fab_time time = fab_serialise(on_wire(net, len), LINE);
	const u32 n = 1000;

	EXPECT_EQ(fab_shaper_set(&net->fab, out(net), BIT(0), bps), 0);
	net_run(net, n * gap + time - 1);
	EXPECT_EQ(net->node[1]->rx, n);
	net_run(net, n * gap + time);
	EXPECT_EQ(net->node[1]->rx, n + 1);
	net_free(net);
}

TEST(one_packet_for_each_of_its_times)
{
	paced(10 * GBPS, 1500);
	paced(33333333333ULL, 64);
	paced(25 * GBPS, 9000);
	paced(1000000, 1000);
}

/* At the rate of the wire, or above, there is nothing to wait for. */
TEST(limit_of_the_wire)
{
	paced(LINE, 1500);
}

/*
 * Only class 0 is limited: it gets R, and class 1 the rest of the line L. When the
 * bucket of class 0 is due, the round robin with equal weights lets class 1 send at most
 * as many bytes as class 0, and a packet. So from one packet of B0 bytes of class 0 to
 * the next at most 8 B0 / R + 8 (B0 + B1) / L pass.
 */
static void rest(u64 bps, u32 len0, u32 len1)
{
	struct net *net = pair(len0, len1);
	double b0 = 8 * on_wire(net, len0), b1 = 8 * on_wire(net, len1);
	double time = 0.002, sent0, sent1;
	struct fab_port *port = out(net);

	fab_shaper_set(&net->fab, port, BIT(0), bps);
	net_run(net, 2 * MS);
	sent0 = b0 * port->cls[0].c.tx_packets;
	sent1 = b1 * port->cls[1].c.tx_packets;
	EXPECT_NEAR(sent0 + sent1, LINE * time, b0 + b1);
	EXPECT(sent0 <= bps * time + b0);
	EXPECT(sent0 >= b0 * (time / (b0 / bps + (b0 + b1) / LINE) - 1));
	net_free(net);
}

TEST(others_have_the_rest)
{
	rest(10 * GBPS, 1500, 1500);
	rest(25 * GBPS, 9000, 64);
	rest(1 * GBPS, 300, 9000);
}

/* One bucket for two classes: together they get R, and share it like a line. */
static void shared(u64 bps, u32 len)
{
	struct net *net = pair(len, len);
	fab_time gap = fab_serialise(on_wire(net, len), bps);
	struct fab_port *port = out(net);
	u64 a, b;

	EXPECT_EQ(fab_shaper_set(&net->fab, port, 3, bps), 0);
	net_run(net, 1000 * gap);
	a = port->cls[0].c.tx_packets;
	b = port->cls[1].c.tx_packets;
	/* one at 0, one at each of the 1000 ends of a gap */
	EXPECT_EQ(a + b, 1001);
	/* weights are equal: a quantum and a packet each, at most */
	EXPECT_NEAR(a, b, 2 + (double)port->p->sched.quantum / len);
	net_free(net);
}

TEST(bucket_of_two)
{
	shared(10 * GBPS, 1500);
	shared(50 * GBPS, 64);
	shared(3 * GBPS, 9000);
}

/* A limit that is removed ends at once; so does its bit in port.special. */
TEST(lifted)
{
	struct net *net = pair(1500, 0);
	fab_time time = fab_serialise(on_wire(net, 1500), LINE);

	fab_shaper_set(&net->fab, out(net), BIT(0), 1000);
	net_run(net, 1 * MS);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(fab_shaper_set(&net->fab, out(net), BIT(0), 0), 0);
	EXPECT_EQ(out(net)->special & FAB_SPECIAL_RATE, 0);
	net_run(net, 1 * MS + 100 * time);
	EXPECT_EQ(net->node[1]->rx, 101);
	net_free(net);
}

TEST(refused)
{
	struct net *net = pair(0, 0);

	EXPECT(fab_shaper_set(&net->fab, out(net), 0, GBPS) == -EINVAL);
	EXPECT(fab_shaper_set(&net->fab, out(net), BIT(2), GBPS) == -EINVAL);
	EXPECT(fab_shaper_set(&net->fab, out(net), 1, FAB_RATE_MIN - 1) ==
	       -ERANGE);
	EXPECT(fab_shaper_set(&net->fab, out(net), 1, FAB_RATE_MAX + 1) ==
	       -ERANGE);
	EXPECT_EQ(out(net)->special, 0);
	net_free(net);
}
