// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Background traffic: its times, its destinations, and its share of the wire.
 */
#include "core/node/traffic.h"
#include "core/sim/rng.h"
#include "gen.h"
#include "ib.h"
#include "ktap.h"
#include "net.h"

static const u32 to_0[] = { 0 }, to_1[] = { 1 }, to_all[] = { 1, 2, 3 };

/* To node 1, in frames of 1476 bytes: 1500 on the wire, 120 ns at 100 Gb/s. */
static struct fab_traffic_params stream(u64 bps)
{
	struct fab_traffic_params p = {
		.rate_bps = bps, .len = 1476, .depth = 64, .seed = 1,
		.flags = FAB_PKT_HW | FAB_PKT_ECT, .dsts = 1, .dst = to_1,
	};

	return p;
}

static struct net *pair(void)
{
	struct net *net = with_gens(net_new(1));

	net_join(net, &net_host(net, 0)->ep.port, &net_host(net, 1)->ep.port,
		 100 * GBPS, 100 * NS);
	return net;
}

/* @hosts nodes around a switch, 100 Gb/s each. */
static struct net *star(u32 hosts)
{
	struct fab_switch_params p = net_switch_params(hosts);
	struct net *net = with_gens(net_new(1));
	struct fab_switch *sw = net_switch_add(net, 0, &p);
	u32 i;

	for (i = 0; i < hosts; i++) {
		net_join(net, &net_host(net, i)->ep.port, &sw->port[i],
			 100 * GBPS, 100 * NS);
		net_route(sw, i, i);
	}
	return net;
}

/* Packet n leaves at start + floor(n * bits * 10^12 / rate). */
static fab_time instant(u64 n, u32 wire, u64 bps)
{
	unsigned __int128 bits = n;

	return bits * wire * 8 * FAB_PS_PER_S / bps;
}

TEST(instants)
{
	static const struct { u64 bps; u32 len, wire; } t[] = {
		{ 50 * GBPS, 1476, 1500 }, { 33333333333, 9000, 9024 },
		{ 7000000019, 1, 84 }, { 99999999999, 65535, 65559 },
		{ 1000003, 60, 84 },
	};
	struct fab_traffic_params p;
	struct net *net;
	struct gen *g;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		net = pair();
		p = stream(t[i].bps);
		p.len = t[i].len;
		p.start = 12345;
		p.bytes = 500ULL * p.len - (p.len > 1);
		g = gen_new(net, 0, &p, POOL);
		net_run(net, p.start + instant(499, t[i].wire, t[i].bps) - 1);
		EXPECT_EQ(fab_traffic_state(&g->t), FAB_TRAFFIC_ACTIVE);
		EXPECT_EQ(g->t.c.offered_packets, 499);
		net_drain(net);
		EXPECT_EQ(fab_traffic_state(&g->t), FAB_TRAFFIC_OVER);
		EXPECT_EQ(g->n, 500);
		for (n = 0; n < g->n; n++)
			EXPECT_EQ(g->at[n], p.start +
				  instant(n, t[i].wire, t[i].bps));
		EXPECT_EQ(g->len[499], p.len - (p.len > 1));
		EXPECT_EQ(g->t.c.delivered_bytes, p.bytes);
		gen_free(net, g);
		net_free(net);
	}
}

/* An idle path: serialisation, 120 ns, and propagation, 100 ns. */
TEST(latency)
{
	struct fab_traffic_params p = stream(50 * GBPS);
	struct net *net = pair();
	struct gen *g;

	p.bytes = 10 * 1476;
	g = gen_new(net, 0, &p, POOL);
	net_drain(net);
	EXPECT_EQ(g->t.c.delivered_packets, 10);
	EXPECT_EQ(g->t.c.latency_min_ps, 220 * NS);
	EXPECT_EQ(g->t.c.latency_max_ps, 220 * NS);
	EXPECT_EQ(g->t.c.latency_sum_ps, 2200 * NS);
	gen_free(net, g);
	net_free(net);
}

/* Windows of 1 us every 3 us: at 240 ns apart packets at 0, 240, ... 960 ns. */
TEST(windows)
{
	struct fab_traffic_params p = stream(50 * GBPS);
	struct net *net = pair();
	struct gen *g;
	u32 n;

	p.on = 1 * US;
	p.off = 2 * US;
	p.duration = 30 * US;
	g = gen_new(net, 0, &p, POOL);
	net_run(net, 500 * NS);
	EXPECT_EQ(fab_traffic_state(&g->t), FAB_TRAFFIC_ACTIVE);
	net_run(net, 1500 * NS);
	EXPECT_EQ(fab_traffic_state(&g->t), FAB_TRAFFIC_WAITING);
	net_drain(net);
	EXPECT_EQ(g->n, 50);
	for (n = 0; n < g->n; n++)
		EXPECT_EQ(g->at[n], n / 5 * 3 * US + n % 5 * 240 * NS);
	gen_free(net, g);
	net_free(net);
}

/* A packet that would be due at the end of a window or of the generator is not offered. */
TEST(windows_end)
{
	static const u32 on[] = { 240, 241, 479, 480 };
	struct fab_traffic_params p = stream(50 * GBPS);
	struct net *net;
	struct gen *g;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(on); i++) {
		net = pair();
		p.on = i & 1 ? on[i / 2] * NS : 0;
		p.off = i & 1 ? 10 * US : 0;
		p.duration = i & 1 ? 10 * US : on[i / 2] * NS;
		g = gen_new(net, 0, &p, POOL);
		net_drain(net);
		EXPECT_EQ(g->n, DIV_ROUND_UP(on[i / 2], 240));
		gen_free(net, g);
		net_free(net);
	}
}

/*
 * 2000 windows and pauses of 1 and 3 us on average: both sums are within five
 * standard deviations, mean * sqrt(n), of n times the mean.
 */
TEST(windows_drawn)
{
	struct fab_traffic_params p = stream(1000);
	struct net *net = pair();
	fab_time sum[2] = { 0 }, at;
	struct gen *g;
	u32 i;

	p.on = 1 * US;
	p.off = 3 * US;
	p.drawn_times = true;
	g = gen_new(net, 0, &p, POOL);
	net_run(net, 0);
	for (i = 0; i < 4000; i++) {
		EXPECT_EQ(g->t.on, !(i & 1));
		at = net->fab.now;
		net_run(net, g->t.edge);
		sum[i & 1] += net->fab.now - at;
	}
	EXPECT_NEAR(sum[0], 2000.0 * US, 5 * 44.73 * US);
	EXPECT_NEAR(sum[1], 6000.0 * US, 5 * 134.2 * US);
	gen_free(net, g);
	net_free(net);
}

/* Without a rate the wire is never idle, even if few packets may wait. */
TEST(greedy)
{
	static const u32 depth[] = { 1, 2, 16, 1024 };
	struct fab_traffic_params p = stream(0);
	struct net *net;
	struct gen *g;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(depth); i++) {
		net = pair();
		p.depth = depth[i];
		g = gen_new(net, 0, &p, POOL);
		net_run(net, 120 * US - 1);
		EXPECT_EQ(net->node[0]->ep.port.c.tx_packets, 1000);
		EXPECT_EQ(net->node[0]->ep.port.c.tx_busy_ps, 120 * US);
		/* 45 frames of 1476 bytes are the first to fill 64 KiB. */
		EXPECT_EQ(g->t.waiting, depth[i] < 45 ? depth[i] : g->t.waiting);
		gen_free(net, g);
		net_free(net);
	}
}

/* With a window of w packets, w of them per round of 220 ns, at most. */
TEST(window)
{
	struct fab_traffic_params p = stream(0);
	struct net *net = pair();
	struct gen *g = gen_new(net, 0, &p, 1);

	net_run(net, 220 * US);
	EXPECT_EQ(g->t.c.delivered_packets, 1000);
	gen_free(net, g);
	net_free(net);
}

/*
 * On a wire that the host alone would fill, a generator of rate r gets r and leaves
 * C - r, whatever the host does. Over 1 ms, to a ring of 64 KiB.
 */
TEST(share)
{
	static const u32 gbps[] = { 10, 50, 90 };
	struct net *net;
	struct gen *g;
	struct fab_traffic_params p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(gbps); i++) {
		net = pair();
		net->no_check = true;
		net_pump(net, 0, 1, 1476, 0);
		p = stream(gbps[i] * GBPS);
		g = gen_new(net, 0, &p, POOL);
		net_run(net, 1 * MS);
		EXPECT_NEAR(g->t.c.delivered_bytes / 1476 * 1500,
			    gbps[i] * 125000.0, 70000);
		EXPECT_NEAR(net->node[1]->rx_bytes / 1476 * 1500,
			    (100 - gbps[i]) * 125000.0, 70000);
		EXPECT_EQ(net->node[0]->ep.port.c.tx_busy_ps / (120 * NS), 8334);
		EXPECT_NULL_STR(fab_check(&net->fab));
		net_pump(net, 0, 1, 0, 0);
		gen_free(net, g);
		net_free(net);
	}
}

/* Generators of one NIC whose load exceeds the wire get equal shares. */
TEST(turns)
{
	struct fab_traffic_params p = stream(0);
	struct gen *g[3];
	struct net *net = pair();
	u32 i;

	net->no_check = true;
	for (i = 0; i < ARRAY_SIZE(g); i++)
		g[i] = gen_new(net, 0, &p, POOL);
	net_run(net, 10 * MS);
	EXPECT_NULL_STR(fab_check(&net->fab));
	/* 83,333 frames of 120 ns */
	for (i = 0; i < ARRAY_SIZE(g); i++)
		EXPECT_NEAR(g[i]->t.c.delivered_packets, 83333 / 3.0, 64);
	for (i = 0; i < ARRAY_SIZE(g); i++)
		gen_free(net, g[i]);
	net_free(net);
}

/* A higher class is only delayed by the frame that is on the wire. */
TEST(strict)
{
	struct fab_endpoint_params ep = { .port = net_port(2, 65536) };
	struct net *net = with_gens(net_new(1));
	struct fab_traffic_params p = stream(0);
	struct fab_pkt pkt = { .len = 100, .dst = 1, .segs = 1, .cls = 1 };
	struct gen *g;
	fab_time sent;
	u32 i;

	net_node_add(net, 0, &ep);
	net_node_add(net, 1, &ep);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port,
		 100 * GBPS, 0);
	g = gen_new(net, 0, &p, POOL);
	for (i = 0; i < 50; i++) {
		net_run(net, net->fab.now + 1234567);
		sent = net->fab.now;
		EXPECT_EQ(net_give(net->node[0], &pkt), 0);
		net_run(net, sent + 500 * NS);
		/* 124 bytes are 9.92 ns */
		EXPECT(net->node[1]->rx_at - sent <= 120 * NS + 9920);
		EXPECT_EQ(net->node[1]->rx, i + 1);
	}
	gen_free(net, g);
	net_free(net);
}

/* Destinations in turn, or drawn: 3000 packets, 1000 +- 5 * sqrt(667) for each. */
TEST(destinations)
{
	struct fab_traffic_params p = stream(50 * GBPS);
	u32 drawn, i, n[4];
	struct net *net;
	struct gen *g;

	p.dst = to_all;
	p.dsts = ARRAY_SIZE(to_all);
	p.bytes = 3000 * 1476;
	for (drawn = 0; drawn < 2; drawn++) {
		net = star(4);
		p.drawn_dsts = drawn;
		g = gen_new(net, 0, &p, POOL);
		net_drain(net);
		EXPECT_EQ(g->n, 3000);
		memset(n, 0, sizeof(n));
		for (i = 0; i < g->n; i++) {
			n[g->dst[i]]++;
			EXPECT(drawn || g->dst[i] == to_all[i % 3]);
		}
		for (i = 1; i < 4; i++)
			EXPECT_NEAR(n[i], 1000, drawn ? 129 : 0);
		EXPECT_EQ(g->t.c.delivered_packets, 3000);
		gen_free(net, g);
		net_free(net);
	}
}

/* Each message is offered at its time, and cut into frames. */
TEST(messages)
{
	static const struct fab_traffic_message m[] = {
		{ 0, 1, 100 }, { 5 * US, 2, 3000 }, { 5 * US, 3, 1476 },
		{ 9 * US, 1, 1477 },
	};
	static const struct { fab_time at; u32 dst, len; } want[] = {
		{ 0, 1, 100 }, { 5 * US, 2, 1476 }, { 5 * US, 2, 1476 },
		{ 5 * US, 2, 48 }, { 5 * US, 3, 1476 }, { 9 * US, 1, 1476 },
		{ 9 * US, 1, 1 },
	};
	struct fab_traffic_params p = stream(0);
	struct net *net = star(4);
	struct gen *g;
	u32 i;

	p.dsts = 0;
	p.message = m;
	p.messages = ARRAY_SIZE(m);
	p.start = 1 * US;
	g = gen_new(net, 0, &p, POOL);
	net_drain(net);
	EXPECT_EQ(g->n, ARRAY_SIZE(want));
	for (i = 0; i < g->n; i++) {
		EXPECT_EQ(g->at[i], p.start + want[i].at);
		EXPECT_EQ(g->dst[i], want[i].dst);
		EXPECT_EQ(g->len[i], want[i].len);
	}
	EXPECT_EQ(g->t.c.delivered_bytes, 100 + 3000 + 1476 + 1477);
	EXPECT_EQ(fab_traffic_state(&g->t), FAB_TRAFFIC_OVER);
	gen_free(net, g);
	net_free(net);
}

/*
 * On a link that is down a generator with a rate loses each packet that is due; without
 * a rate nothing is sent until the link is up again.
 */
TEST(link_down)
{
	u64 bps[] = { 50 * GBPS, 0 };
	struct fab_traffic_params p;
	struct net *net;
	struct gen *g;
	u64 sent, lost;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bps); i++) {
		net = pair();
		p = stream(bps[i]);
		g = gen_new(net, 0, &p, POOL);
		net_run(net, 24 * US - 1);
		fab_link_up(&net->fab, &net->node[0]->ep.port, false);
		EXPECT_NULL_STR(fab_check(&net->fab));
		sent = g->t.c.sent_packets;
		lost = g->t.c.lost_packets;
		net_run(net, 48 * US - 1);
		/* 24 us are 100 packets of 240 ns */
		EXPECT_EQ(g->t.c.lost_packets - lost, bps[i] ? 100 : 0);
		EXPECT_EQ(g->t.c.sent_packets - sent, bps[i] ? 100 : 0);
		fab_link_up(&net->fab, &net->node[0]->ep.port, true);
		lost = g->t.c.lost_packets;
		sent = g->t.c.delivered_packets;
		net_run(net, 72 * US + 220 * NS - 2);
		EXPECT_EQ(g->t.c.lost_packets, lost);
		EXPECT_EQ(g->t.c.delivered_packets - sent, bps[i] ? 100 : 200);
		gen_free(net, g);
		net_free(net);
	}
}

/* Added before its NIC has a link; packets due meanwhile are lost. */
TEST(link_comes)
{
	u64 bps[] = { 50 * GBPS, 0 };
	struct fab_traffic_params p;
	struct net *net;
	struct gen *g;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bps); i++) {
		net = with_gens(net_new(1));
		net_host(net, 0);
		net_host(net, 1);
		p = stream(bps[i]);
		g = gen_new(net, 0, &p, POOL);
		net_run(net, 10 * US);
		EXPECT_EQ(g->t.c.delivered_packets, 0);
		net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port,
			 100 * GBPS, 100 * NS);
		net_run(net, 20 * US);
		EXPECT(g->t.c.delivered_packets >= 40);
		gen_free(net, g);
		net_free(net);
	}
}

static struct net *lossless_star(u32 hosts)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 100 * NS,
			 .blocks = 2000, .refresh = 5 * US };
	struct net *net = with_gens(net_new(1));
	struct fab_switch *sw = ib_switch(net, &ib, 0, hosts);
	u32 i;

	for (i = 0; i < hosts; i++) {
		ib_join(net, &ib, &ib_host(net, &ib, i)->ep.port, &sw->port[i]);
		net_route(sw, i, i);
	}
	return net;
}

/*
 * Into one port from three, each at half of its rate: credits lose nothing,
 * and each gets a third. A frame is 1502 bytes on the wire: 16,644 of 120.16 ns are
 * delivered in 2 ms, 8323 of 240.32 ns are due at each.
 */
TEST(incast_lossless)
{
	struct fab_traffic_params p = stream(50 * GBPS);
	struct net *net = lossless_star(4);
	struct gen *g[3];
	u32 i;

	net->no_check = true;
	p.dst = to_0;
	for (i = 0; i < 3; i++)
		g[i] = gen_new(net, i + 1, &p, POOL);
	net_run(net, 2 * MS);
	EXPECT_NULL_STR(fab_check(&net->fab));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(g[i]->t.c.lost_packets, 0);
		EXPECT_NEAR(g[i]->t.c.delivered_packets, 16644 / 3.0, 8);
		EXPECT_EQ(g[i]->t.c.offered_packets, 8323);
		EXPECT(g[i]->t.waiting > 0);
	}
	for (i = 0; i < 3; i++)
		gen_free(net, g[i]);
	net_free(net);
}

static struct fab_traffic_params any(struct net *net, u64 *rng)
{
	static const struct fab_traffic_message m[] = {
		{ 0, 1, 5000 }, { 1 * US, 2, 100000 }, { 2 * US, 3, 1 },
	};
	u64 draw = fab_rng_next(rng);
	struct fab_traffic_params p = stream((draw & 1) * (draw % 200) * GBPS);

	p.len = 1 + fab_rng_next(rng) % 2000;
	p.depth = 1 + fab_rng_next(rng) % 100;
	p.start = net->fab.now + fab_rng_next(rng) % (2 * US);
	p.drawn_dsts = draw & 2;
	p.drawn_times = draw & 4;
	p.dst = to_all;
	p.dsts = 1 + draw % 3;
	p.seed = draw;
	if (draw & 8) {
		p.message = m;
		p.messages = ARRAY_SIZE(m);
		p.dsts = 0;
		p.rate_bps = 0;
		return p;
	}
	if (draw & 16) {
		p.on = 1 + fab_rng_next(rng) % US;
		p.off = 1 + fab_rng_next(rng) % US;
	}
	p.bytes = draw & 32 ? 1 + fab_rng_next(rng) % 100000 : 0;
	p.duration = draw & 64 ? 1 + fab_rng_next(rng) % (5 * US) : 0;
	return p;
}

/* Generators come and go while links do, with the invariants after each step. */
static u64 churn(u64 seed)
{
	struct net *net = star(4);
	struct gen *g[GENS] = { 0 };
	u64 rng = seed, digest;
	u32 i, k;

	net_pump(net, 0, 1, 700, 0);
	for (i = 0; i < 60; i++) {
		struct fab_traffic_params p = any(net, &rng);

		k = fab_rng_next(&rng) % GENS;
		if (g[k] && g[k]->t.ep)
			fab_traffic_remove(&net->fab, &g[k]->t);
		else if (!g[k])
			g[k] = gen_new(net, 0, &p, 1 + i * 8);
		if (fab_rng_next(&rng) % 4 == 0)
			fab_link_up(&net->fab, &net->node[k & 3]->ep.port,
				    fab_rng_next(&rng) & 1);
		EXPECT_NULL_STR(fab_check(&net->fab));
		net_run(net, net->fab.now + fab_rng_next(&rng) % US);
	}
	net_node_del(net, 0);
	digest = net->digest;
	for (k = 0; k < GENS; k++)
		if (g[k])
			gen_free(net, g[k]);
	net_free(net);
	return digest;
}

/*
 * Fabric time has an end: a generator whose next packet would be due after it, or beyond
 * 64 bits, sends no more, and time can be advanced to its end.
 */
TEST(end_of_time)
{
	struct fab_traffic_params p = stream(FAB_RATE_MIN);
	struct net *net = pair();
	struct gen *g;

	net_run(net, FAB_TIME_END - 20 * FAB_PS_PER_S);
	g = gen_new(net, 0, &p, 8);
	/* 1,500 bytes at 1 kb/s: 12 s apart */
	EXPECT_EQ(fab_run(&net->fab, FAB_NEVER, 1000), FAB_NEVER);
	EXPECT_EQ(net->fab.now, FAB_TIME_END);
	EXPECT_EQ(g->t.c.offered_packets, 2);
	EXPECT_EQ(g->t.c.delivered_packets, 2);
	EXPECT_NULL_STR(fab_check(&net->fab));
	gen_free(net, g);
	net_free(net);
}

TEST(churn)
{
	u64 seed;

	for (seed = 1; seed <= 20; seed++)
		EXPECT_EQ(churn(seed), churn(seed));
	EXPECT(churn(1) != churn(2));
}

TEST(params)
{
	static const struct fab_traffic_message early[] = {
		{ 5, 1, 1 }, { 4, 1, 1 },
	}, none[] = { { 0, 1, 0 } };
	struct fab_traffic_params good = stream(GBPS), p;

#define REFUSED(error, ...)						\
	do {								\
		p = good;						\
		__VA_ARGS__;						\
		EXPECT_EQ(-fab_traffic_params_check(&p, 2), error);	\
	} while (0)

	REFUSED(0, p.cls = 1);
	REFUSED(EINVAL, p.cls = 2);
	REFUSED(ERANGE, p.len = 0);
	REFUSED(ERANGE, p.len = 65536);
	REFUSED(ERANGE, p.depth = 0);
	REFUSED(ERANGE, p.depth = 1025);
	REFUSED(ERANGE, p.rate_bps = 999);
	REFUSED(ERANGE, p.start = FAB_TRAFFIC_START_MAX + 1);
	REFUSED(ERANGE, p.duration = FAB_DELAY_MAX + 1);
	REFUSED(EINVAL, p.on = 1);
	REFUSED(EINVAL, p.off = 1);
	REFUSED(EINVAL, p.dsts = 0);
	p = stream(0);
	p.message = early;
	p.messages = 2;
	good = p;
	REFUSED(EINVAL, p.dsts = 1);
	REFUSED(EINVAL, p.dsts = 0);
	REFUSED(ERANGE, p.dsts = 0; p.message = none; p.messages = 1);
	REFUSED(0, p.dsts = 0; p.messages = 1);
#undef REFUSED
}
