// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One-way time of a packet over an idle path: closed forms, exact in ps.
 */
#include "ktap.h"
#include "net.h"

#define HOPS_MAX	3

/**
 * struct path - a line of switches between host 0 and host 1
 * @h: switches
 * @forward: how they forward
 * @bps: rate of each link, h + 1 of them
 * @propagation: of each link
 * @latency: pipeline of each switch
 * @tx: latency of the sending host
 * @rx: latency of the receiving host
 * @overhead: bytes per frame beside its length: 24 with the FCS, 20 where the
 *	length has it
 */
struct path {
	u32 h;
	enum fab_forward forward;
	u64 bps[HOPS_MAX + 1];
	fab_time propagation;
	fab_time latency;
	fab_time tx;
	fab_time rx;
	u32 overhead;
};

#define SLOT_MIN	84U	/* bytes: frame 64, preamble 8, gap 12 */

static void path_join(struct net *net, const struct path *path, u32 link,
		      struct fab_port *a, struct fab_port *b)
{
	struct fab_wire_params p = net_wire(path->bps[link], path->propagation);

	p.overhead = path->overhead;
	p.min_frame = SLOT_MIN - path->overhead;
	EXPECT_EQ(fab_link_join(&net->fab, a, b, &p, &p), 0);
}

static struct net *path_build(const struct path *path)
{
	struct fab_switch_params sp = net_switch_params(2);
	struct fab_endpoint_params ep = {
		.tx_latency = path->tx,
		.rx_latency = path->rx,
		.port = net_port(1, 65536),
	};
	struct net *net = net_new(1);
	struct fab_port *last;
	u32 i;

	sp.forward = path->forward;
	sp.latency = path->latency;
	last = &net_node_add(net, 0, &ep)->ep.port;
	for (i = 0; i < path->h; i++) {
		net_switch_add(net, i, &sp);
		net_route(net->sw[i], 1, 1);
		path_join(net, path, i, last, &net->sw[i]->port[0]);
		last = &net->sw[i]->port[1];
	}
	path_join(net, path, i, last, &net_node_add(net, 1, &ep)->ep.port);
	return net;
}

/* Time of a frame on the wire, rounded up; independent of fixed.h. */
static fab_time wire_time(const struct path *path, u32 len, u64 bps)
{
	unsigned __int128 bits = max(len + path->overhead, SLOT_MIN);

	return (bits * 8 * FAB_PS_PER_S + bps - 1) / bps;
}

/*
 * With t_i the wire time on link i, p the propagation, d the pipeline:
 *
 * store-and-forward: each link carries the packet in full before the next one
 * begins:		tx + sum(t_i + p) + h d + rx			(I16)
 *
 * cut-through: the head leaves link i + 1 later than link i by p + d, and by
 * t_i - t_(i+1) more if the next link is faster, so that the tail is never sent
 * before it arrived; the last link then carries the tail t_h later:
 *	tx + (h + 1) p + h d + sum(max(0, t_i - t_(i+1))) + t_h + rx
 * For equal rates that is (h + 1) p + h d + L/C, the form of I16; the sum of
 * the differences over a falling sequence of times telescopes, so for any rates
 * on which t falls and then rises it is L/C_min.
 */
static fab_time path_expect(const struct path *path, u32 len)
{
	fab_time t, before, sum;
	u32 i;

	sum = path->tx + path->rx + (path->h + 1) * path->propagation +
	      path->h * path->latency;
	before = 0;
	for (i = 0; i <= path->h; i++) {
		t = wire_time(path, len, path->bps[i]);
		if (path->forward == FAB_STORE_FORWARD)
			sum += t;
		else if (before > t)
			sum += before - t;
		before = t;
	}
	return path->forward == FAB_STORE_FORWARD ? sum : sum + before;
}

static void path_try(const struct path *path, u32 len)
{
	struct net *net = path_build(path);

	net_run(net, 12345);
	EXPECT_EQ(net_send(net, 0, 1, len), 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(net->node[1]->rx_at, 12345 + path_expect(path, len));
	EXPECT_EQ(net->node[1]->ep.latency->max, path_expect(path, len));
	EXPECT_EQ(net->node[1]->rx_pkt.hops, path->h);
	net_free(net);
}

static void path_lengths(const struct path *path)
{
	static const u32 len[] = {
		1, 59, 60, 61, 64, 65, 127, 128, 256, 512, 1000, 1024, 1500,
		2048, 4096, 4097, 8192, 8999, 9000,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(len); i++)
		path_try(path, len[i]);
}

static const u64 rates[] = { 10 * GBPS, 100 * GBPS, 400 * GBPS, 800 * GBPS };

static void path_uniform(enum fab_forward forward, u32 overhead)
{
	struct path path = {
		.overhead = overhead,
		.forward = forward,
		.propagation = 15 * NS,
		.latency = 425 * NS,
		.tx = 600 * NS,
		.rx = 350 * NS,
	};
	u32 r, i;

	for (path.h = 0; path.h <= HOPS_MAX; path.h++) {
		for (r = 0; r < 4; r++) {
			for (i = 0; i <= HOPS_MAX; i++)
				path.bps[i] = rates[r];
			path_lengths(&path);
		}
	}
}

TEST(cut_through_uniform)
{
	path_uniform(FAB_CUT_THROUGH, 24);
}

TEST(store_forward_uniform)
{
	path_uniform(FAB_STORE_FORWARD, 24);
}

/*
 * E17: the same forms with the slot of 20 bytes (preamble 8, gap 12), where the
 * length has the frame check sequence in it.
 */
TEST(slot_of_20_bytes)
{
	path_uniform(FAB_CUT_THROUGH, 20);
	path_uniform(FAB_STORE_FORWARD, 20);
}

static fab_time path_measure(const struct path *path, u32 len)
{
	struct net *net = path_build(path);
	fab_time at;

	net_send(net, 0, 1, len);
	net_drain(net);
	at = net->node[1]->rx_at;
	net_free(net);
	return at;
}

/*
 * E17: both ways of counting are equal. A frame of n bytes with its FCS and an overhead
 * of 20 bytes takes as long as n - 4 bytes without FCS and an overhead of 24. The
 * shortest frame takes 84 bytes.
 */
TEST(fcs_in_length_or_overhead)
{
	static const u32 len[] = { 40, 64, 65, 1518, 4096, 9022 };
	struct path a = {
		.h = 2,
		.bps = { 400 * GBPS, 100 * GBPS, 200 * GBPS },
		.propagation = 15 * NS,
		.latency = 425 * NS,
		.overhead = 20,
	};
	struct path b = a;
	u32 i;

	b.overhead = 24;
	for (i = 0; i < 2 * ARRAY_SIZE(len); i++) {
		a.forward = i & 1;
		b.forward = i & 1;
		EXPECT_EQ(path_measure(&a, len[i / 2]),
			  path_measure(&b, len[i / 2] - 4));
	}
	EXPECT_EQ(path_measure(&a, 1), path_measure(&a, 64));
	EXPECT_EQ(path_measure(&b, 1), path_measure(&b, 60));
}

/* All 4^3 rates of three links, and one that is no divisor of 8e12. */
static void path_mixed(enum fab_forward forward)
{
	struct path path = {
		.h = 2,
		.forward = forward,
		.propagation = 7 * NS + 1,
		.latency = 100 * NS + 3,
		.overhead = 24,
	};
	u32 i;

	for (i = 0; i < 64; i++) {
		path.bps[0] = rates[i & 3];
		path.bps[1] = rates[i >> 2 & 3];
		path.bps[2] = rates[i >> 4];
		path_lengths(&path);
	}
	path.h = 3;
	path.bps[1] = 106250000007ULL;
	path.bps[3] = 26562500000ULL;
	path_lengths(&path);
}

TEST(cut_through_mixed)
{
	path_mixed(FAB_CUT_THROUGH);
}

TEST(store_forward_mixed)
{
	path_mixed(FAB_STORE_FORWARD);
}

/* I16 as printed in the reference: L/C_min for slow-fast-slow rates too. */
TEST(cut_through_slowest_link)
{
	struct path path = {
		.h = 2,
		.bps = { 100 * GBPS, 10 * GBPS, 400 * GBPS },
		.propagation = 50 * NS,
		.latency = 300 * NS,
		.overhead = 24,
	};
	struct net *net = path_build(&path);

	net_send(net, 0, 1, 1500);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at, 3 * 50 * NS + 2 * 300 * NS +
		  wire_time(&path, 1500, 10 * GBPS));
	net_free(net);
}

/* Back to back the wire is never idle: packet n arrives n wire times later. */
TEST(back_to_back)
{
	struct path path = {
		.h = 2,
		.bps = { 400 * GBPS, 400 * GBPS, 400 * GBPS },
		.propagation = 10 * NS,
		.latency = 300 * NS,
		.overhead = 24,
	};
	struct net *net = path_build(&path);
	u32 i;

	for (i = 0; i < 10; i++)
		EXPECT_EQ(net_send(net, 0, 1, 4096), 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at, path_expect(&path, 4096) +
		  9 * wire_time(&path, 4096, 400 * GBPS));
	net_free(net);
}
