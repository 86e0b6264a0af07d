// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NVSwitch as a crossbar that never blocks, generations of NVLink, PCIe.
 */
#include "core/sim/fixed.h"
#include "ktap.h"
#include "nv.h"

static const u32 switches[] = { 8, 18, 72 };

/* 272 bytes at 200 Gb/s, one link of the fourth generation. */
#define CELL	10880ULL
#define LEN	256U

static struct net *crossbar(u32 nodes)
{
	struct fab_port_params port = nv_port(1, 4096, 65536);
	struct fab_wire_params wire = nv_wire(200 * GBPS, 10 * NS);
	struct net *net = nv_star(nodes, &port, &wire);

	net->no_check = true;
	return net;
}

static void quiet(struct net *net, u32 nodes)
{
	u32 i;

	EXPECT_NULL_STR(fab_check(&net->fab));
	for (i = 0; i < nodes; i++)
		net_pump(net, i, 0, 0, 0);
	net_drain(net);
	EXPECT_EQ(nv_drops(net), 0);
	EXPECT_EQ(net->fab.c.packets_delivered, net->sent);
	net_free(net);
}

/*
 * N5: any permutation at the rate of the nodes. Each egress has one ingress, and
 * the credits that go back ride in headers, so every wire carries packets all
 * the time: in n packet times each node gets n, exactly.
 */
static void permutation(u32 nodes, const u32 *to)
{
	struct net *net = crossbar(nodes);
	u64 rx[NET_MAX];
	u32 i;

	for (i = 0; i < nodes; i++)
		net_pump(net, i, to[i], LEN, 0);
	net_run(net, 2 * US);
	for (i = 0; i < nodes; i++)
		rx[i] = net->node[i]->rx;
	net_run(net, 2 * US + 200 * CELL);
	for (i = 0; i < nodes; i++)
		EXPECT_EQ(net->node[i]->rx - rx[i], 200);
	quiet(net, nodes);
}

TEST(n5_permutation)
{
	u32 to[NET_MAX], i, n, nodes, shift;

	for (n = 0; n < ARRAY_SIZE(switches); n++) {
		nodes = switches[n];
		for (shift = 1; shift < nodes; shift += nodes / 3) {
			for (i = 0; i < nodes; i++)
				to[i] = (i + shift) % nodes;
			permutation(nodes, to);
		}
		for (i = 0; i < nodes; i++)
			to[i] = nodes - 1 - i;
		permutation(nodes, to);
	}
}

/*
 * N5: k to 1, C / k each. Ingress ports are served in turn, so any k m packets
 * in a row hold m of each of them.
 */
static void incast(u32 nodes, u32 k)
{
	struct net *net = crossbar(nodes);
	struct net_node *sink = net->node[0];
	u64 from[NET_MAX];
	u32 i;

	for (i = 1; i <= k; i++)
		net_pump(net, i, 0, LEN, 0);
	net_run(net, 3 * US);
	memcpy(from, sink->rx_from, sizeof(from));
	net_run(net, 3 * US + 20 * k * CELL);
	for (i = 1; i <= k; i++)
		EXPECT_EQ(sink->rx_from[i] - from[i], 20);
	quiet(net, nodes);
}

TEST(n5_incast)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(switches); n++) {
		incast(switches[n], 2);
		incast(switches[n], switches[n] / 2);
		incast(switches[n], switches[n] - 1);
	}
}

/*
 * N5: one to n, the sum is C: the last of n m packets has been preceded by n m - 1
 * without a gap, and comes in after two propagations and the switch.
 */
static void scatter(u32 nodes, u32 each)
{
	u32 total = (nodes - 1) * each, i;
	struct net *net = crossbar(nodes);
	fab_time last = 0;

	net_run(net, US);
	for (i = 0; i < total; i++)
		EXPECT_EQ(net_send(net, 0, 1 + i % (nodes - 1), LEN), 0);
	net_drain(net);
	for (i = 1; i < nodes; i++) {
		EXPECT_EQ(net->node[i]->rx, each);
		last = max(last, net->node[i]->rx_at);
	}
	EXPECT_EQ(last, US + total * CELL + 2 * 10 * NS + 100 * NS);
	quiet(net, nodes);
}

TEST(n5_one_to_all)
{
	scatter(8, 20);
	scatter(18, 10);
	scatter(72, 3);
}

/*
 * The generations: all links of a GPU together, through a switch of 100 ns, 2 m
 * of cable each way. Credits are for 250 ns of the rate, a header for every two
 * units. All nodes send and receive at once, and lose nothing to credits: in
 * 1000 packet times everybody gets 1000.
 */
struct generation {
	const char *name;
	u64 gbytes;		/* per second, of a GPU */
	u32 hdr, data;
};

static const struct generation generations[] = {
	{ "nvlink1", 80, 1024, 2048 },
	{ "nvlink2", 150, 2048, 4096 },
	{ "nvlink3", 300, 4096, 8192 },
	{ "nvlink4", 450, 4096, 8192 },
	{ "nvlink5", 900, 8192, 16384 },
};

static void generation_run(const struct generation *g, u32 len)
{
	struct fab_port_params port = nv_port(1, g->hdr, g->data);
	struct fab_wire_params wire = nv_wire(8 * g->gbytes * GBPS, 10 * NS);
	struct net *net = nv_star(4, &port, &wire);
	struct fab_pkt pkt = { .len = len, .segs = 1 };
	fab_time time = fab_wire_time(&net->sw[0]->port[0].wire, &pkt);
	u64 rx[4];
	u32 i;

	EXPECT(g->data * NV_FLIT >= 250 * g->gbytes);
	net->no_check = true;
	for (i = 0; i < 4; i++)
		net_pump(net, i, (i + 1) % 4, len, 0);
	net_run(net, US);
	for (i = 0; i < 4; i++)
		rx[i] = net->node[i]->rx;
	net_run(net, US + 1000 * time);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(net->node[i]->rx - rx[i], 1000);
	quiet(net, 4);
}

TEST(generations_at_full_rate)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(generations); i++) {
		generation_run(&generations[i], 32);
		generation_run(&generations[i], 128);
		generation_run(&generations[i], 256);
		generation_run(&generations[i], 4096);
	}
}

/*
 * PCIe before flit mode: credits and acknowledgements are DLLPs of 8 bytes that
 * take their time from packets. Both ways at once the wire is never idle; all
 * of it is packets and DLLPs; and no more DLLPs go than quarters of the pools
 * and of the replay buffer are passed.
 */
struct pcie {
	u64 mbps;		/* x16, after 128b/130b */
	u32 hdr, data;
	u32 len;
};

static void pcie_run(const struct pcie *g, u32 replay)
{
	struct fab_port_params port = nv_port(1, g->hdr, g->data);
	struct fab_wire_params wire = nv_wire(g->mbps * GBPS / 1000, 10 * NS);
	u32 bytes = g->len + 24, quarters, i;
	struct fab_port_counters was;
	struct fab_port *a;
	struct net *net;
	u64 n, dllps;

	port.disc = &fab_pcie;
	port.flow.flit.payload = g->len;
	port.flow.flit.header = 24;
	port.retry.control = 8;
	port.retry.carry = false;
	port.retry.replay = replay;
	wire.payload = g->len;
	wire.overhead = 24;
	wire.unit = 4;
	net = nv_pair(&port, &wire);
	a = &net->node[0]->ep.port;
	for (i = 0; i < 2; i++)
		net_pump(net, i, 1 - i, g->len, 0);
	net_run(net, 2 * US);
	was = a->c;
	net_run(net, 12 * US);
	n = a->c.tx_packets - was.tx_packets;
	dllps = a->c.tx_control - was.tx_control;
	EXPECT_EQ(a->c.tx_wait_ps, was.tx_wait_ps);
	EXPECT_EQ(a->c.tx_wire_bytes - was.tx_wire_bytes,
		  n * bytes + dllps * 8);
	/* What is busy beyond the window is a packet at either end. */
	EXPECT_NEAR(a->c.tx_busy_ps - was.tx_busy_ps, 10 * US,
		    fab_serialise(bytes, wire.rate_bps));
	quarters = n / (g->hdr / 4) + n * g->len / 16 / (g->data / 4);
	if (replay)
		quarters += n * bytes / (replay / 4);
	EXPECT(dllps > 0);
	EXPECT(dllps <= quarters + 3);
	quiet(net, 2);
}

TEST(pcie_both_ways)
{
	static const struct pcie pcie[] = {
		{ 126031, 128, 512, 256 },
		{ 252062, 256, 1024, 256 },
		{ 504123, 512, 2048, 512 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(pcie); i++) {
		pcie_run(&pcie[i], 0);
		pcie_run(&pcie[i], 32768);
	}
}

/*
 * Posted writes, non-posted requests and completions have pools of their own:
 * when the host takes no requests, writes and completions still pass.
 */
TEST(pcie_types)
{
	struct fab_receive_params rx = { .stopped = BIT(1) };
	struct fab_port_params port = nv_port(3, 64, 1024);
	struct fab_wire_params wire = nv_wire(126031 * GBPS / 1000, 10 * NS);
	struct net *net;
	u32 cls;

	port.disc = &fab_pcie;
	for (cls = 0; cls < 3; cls++)
		port.sched.weight[cls] = 512;
	net = nv_pair(&port, &wire);
	fab_receive_set(&net->fab, &net->node[1]->ep, &rx);
	for (cls = 0; cls < 3; cls++)
		net_pump(net, 0, 1, 256, cls);
	net_run(net, 20 * US);
	EXPECT(net->node[1]->rx_cls[0] > 0);
	EXPECT_EQ(net->node[1]->rx_cls[1], 0);
	EXPECT(net->node[1]->rx_cls[2] > 0);
	EXPECT_EQ(net->node[0]->ep.port.cls[1].c.tx_packets, 64);
	net_free(net);
}
