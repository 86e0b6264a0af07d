// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Credit between two hosts: the rate of a link with too little room (I1 to I5), and
 * static rate (I11).
 *
 * Words: C rate of the link, L = payload + 26 bytes of a packet on the wire and
 * t = L / C its time, f = 8 / C the time of a flow-control packet, p the
 * propagation, r the reaction time, b = ceil(L / 64) blocks, B blocks of buffer,
 * n = floor(B / b) packets that fit.
 */
#include "ib.h"
#include "ktap.h"

#define NO_TICK	(1000 * MS)	/* a period longer than any test */

static struct fab_port *port(struct net *net, u32 id)
{
	return &net->node[id]->ep.port;
}

static u64 div_up(u64 a, u64 b)
{
	return a / b + !!(a % b);
}

/* Run to @at, then for @span; the number of packets that arrived in @span. */
static u64 count(struct net *net, fab_time at, fab_time span)
{
	u64 before;

	net_run(net, at);
	before = net->node[1]->rx;
	net_run(net, at + span);
	return net->node[1]->rx - before;
}

/*
 * From the first bit of a packet to the earliest first bit of the one that takes its
 * room: t + p until it has arrived and its room is free, then f + p + r until the
 * update takes effect at the sender.
 */
static fab_time loop(const struct ib *ib, u32 payload)
{
	return 2 * ib->propagation + ib_time(ib, payload + IB_HEADER) +
	       ib_time(ib, FAB_CREDIT_FRAME) + ib->react;
}

/*
 * I1: room for n packets, each of which is used once per loop a:
 *	T = n L / a		where n t < a
 * Between packets the sender sends its FCTBS, so for n t < a < n (t + f) it is slower,
 * by less than f / t; the sets below have n (t + f) <= a. Then the times at which
 * packets begin repeat after a. So an interval of K a has exactly K n packets, wherever
 * it begins. The same for the time that packets wait (I5):
 *	wait = K (a - n t), or wait / elapsed = 1 - T / C
 */
static void credit_limit(const struct ib *ib, u32 payload, u32 n)
{
	fab_time a = loop(ib, payload), t = ib_time(ib, payload + IB_HEADER);
	struct net *net = ib_pair(ib);
	u64 waited;

	EXPECT_EQ(n, ib->blocks / ib_blocks(payload));
	EXPECT(n * (t + ib_time(ib, FAB_CREDIT_FRAME)) <= a);
	net_pump(net, 0, 1, payload, 0);
	net_run(net, 40 * a + 123);
	fab_port_settle(&net->fab, port(net, 0));
	waited = port(net, 0)->c.tx_wait_ps;
	EXPECT_EQ(count(net, 40 * a + 123, 60 * a), 60 * n);
	fab_port_settle(&net->fab, port(net, 0));
	EXPECT_EQ(port(net, 0)->c.tx_wait_ps - waited, 60 * (a - n * t));
	net_free(net);
}

TEST(credit_limits)
{
	static const struct {
		u64 bps;
		fab_time propagation;
		fab_time react;
		u32 blocks;
		u32 payload;
		u32 n;
	} set[] = {
		{ 8 * GBPS, 10 * US, 0, 100, 2048, 3 },
		{ 32 * GBPS, 5 * US, 0, 70, 4096, 1 },
		{ 100 * GBPS, 2 * US, 0, 650, 4096, 10 },
		{ 100 * GBPS, 1 * US, 0, 104, 256, 20 },
		{ 400 * GBPS, 5 * US, 0, 2048, 4096, 31 },
		{ 800 * GBPS, 1 * US, 300 * NS, 1000, 4096, 15 },
	};
	struct ib ib = { .period = NO_TICK };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(set); i++) {
		ib.bps = set[i].bps;
		ib.propagation = set[i].propagation;
		ib.react = set[i].react;
		ib.blocks = set[i].blocks;
		credit_limit(&ib, set[i].payload, set[i].n);
	}
}

/*
 * I3: room for N = ceil(a / t) packets is enough for every packet to follow the one
 * before without a gap: an interval of K t has K packets. Room for N - 1 is not:
 * T = (N - 1) L / a, or up to f / t less (see above).
 */
static void enough(struct ib ib, u32 payload)
{
	fab_time a = loop(&ib, payload), t = ib_time(&ib, payload + IB_HEADER);
	fab_time f = ib_time(&ib, FAB_CREDIT_FRAME);
	u32 n = div_up(a, t);
	struct net *net;
	double rate;

	ib.blocks = n * ib_blocks(payload);
	EXPECT(ib.blocks <= 2048);
	net = ib_pair(&ib);
	net_pump(net, 0, 1, payload, 0);
	EXPECT_EQ(count(net, 40 * a, 1000 * t), 1000);
	EXPECT_EQ(port(net, 0)->c.tx_wait_ps, 0);
	net_free(net);
	ib.blocks--;
	net = ib_pair(&ib);
	net_pump(net, 0, 1, payload, 0);
	rate = count(net, 40 * a, 1000 * a) / 1000.0;
	EXPECT(rate <= n - 1 + 0.001);
	EXPECT(rate >= (n - 1) * (double)t / (t + f) - 0.001);
	EXPECT(port(net, 0)->c.tx_wait_ps > 0);
	net_free(net);
}

TEST(credit_enough)
{
	static const struct ib set[] = {
		{ .bps = 8 * GBPS, .propagation = 100 * NS },
		{ .bps = 100 * GBPS, .propagation = 250 * NS },
		{ .bps = 400 * GBPS, .propagation = 250 * NS, .react = 100 * NS },
		{ .bps = 800 * GBPS, .propagation = 50 * NS },
	};
	struct ib ib;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(set); i++) {
		ib = set[i];
		ib.period = NO_TICK;
		enough(ib, 4096);
		enough(ib, 2048);
	}
	/* The reference's case, the third: 8.3 packets of 4122 bytes, so 9. */
	EXPECT_EQ(div_up(loop(&set[2], 4096), ib_time(&set[2], 4122)), 9);
}

/* I4: packets that a receiver takes before it must empty its buffer. */
TEST(credit_rounding)
{
	static const u32 payload[] = { 1, 38, 39, 256, 512, 1024, 2048, 4096 };
	static const u32 b[] = { 1, 1, 2, 5, 9, 17, 33, 65 };
	static const u32 blocks[] = { 65, 330, 1000, 2048 };
	struct net *net;
	struct ib ib = { .bps = 100 * GBPS, .propagation = 30 * NS };
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(payload); i++) {
		EXPECT_EQ(ib_blocks(payload[i]), b[i]);
		for (k = 0; k < ARRAY_SIZE(blocks); k++) {
			ib.blocks = blocks[k];
			ib.ring = 4096 * 64;
			net = ib_pair(&ib);
			net->no_check = true;
			ib_stop(net, 1, 1);
			net_pump(net, 0, 1, payload[i], 0);
			net_drain(net);
			EXPECT_NULL_STR(fab_check(&net->fab));
			EXPECT_EQ(port(net, 0)->c.tx_packets,
				  blocks[k] / b[i]);
			net_free(net);
		}
	}
}

/*
 * I2: updates at ticks only, tau apart. The one sent at a tick takes effect f + p + r
 * later; then n packets are sent back to back, and the room of the last one is free at
 *	e = f + 2 p + r + n t
 * after the tick. Where e <= tau, all n are granted at the next tick, and
 *	T = n L / tau.
 * More general, if none is free k - 1 ticks later and all are at the k-th,
 *	f + 2 p + r + t > (k - 1) tau,	e <= k tau:	T = n L / (k tau).
 */
static void ticks(struct ib ib, u32 payload, u32 n, u32 k)
{
	fab_time tau = ib.period, t = ib_time(&ib, payload + IB_HEADER);
	fab_time way = loop(&ib, payload);
	struct net *net;

	ib.lazy = true;
	ib.blocks = n * ib_blocks(payload);
	EXPECT(way > (k - 1) * tau && way + (n - 1) * t <= k * tau);
	net = ib_pair(&ib);
	net_pump(net, 0, 1, payload, 0);
	EXPECT_EQ(count(net, 20 * tau + 1, 40 * k * tau), 40 * n);
	net_free(net);
}

TEST(credit_ticks)
{
	struct ib ib = { .bps = 400 * GBPS, .propagation = 50 * NS,
			 .period = 4096 * NS };

	/* 32 packets of 4096 bytes in all: 32 bytes per ns, the reference's. */
	ticks(ib, 4070, 32, 1);
	ticks(ib, 4096, 31, 1);
	ib.propagation = 3 * US;
	ticks(ib, 4096, 20, 2);
	ib.react = 5 * US;
	ticks(ib, 4096, 14, 3);
	ib.bps = 100 * GBPS;
	ib.react = 0;
	ib.propagation = 100 * NS;
	ticks(ib, 2048, 20, 1);
	ib.bps = 8 * GBPS;
	ib.period = 20 * US;
	ticks(ib, 2048, 9, 1);
}

/*
 * Between those sets the reference's I2, T = min(C, B / (tau ceil(a / tau))), is
 * too high. Let the sender finish within tau, n t <= tau, but only m < n packets be
 * received by the next tick, m = floor((tau - f - 2 p - r) / t). That tick grants m.
 * The next one grants the n - m that were late and those m. So
 *	T = (n + m) L / (2 tau) < n L / tau.
 */
static void ticks_missed(struct ib ib, u32 payload, u32 n)
{
	fab_time tau = ib.period, t = ib_time(&ib, payload + IB_HEADER);
	u32 m = (tau - loop(&ib, payload) + t) / t;
	struct net *net;

	ib.lazy = true;
	ib.blocks = n * ib_blocks(payload);
	EXPECT(m < n && n * t <= tau);
	net = ib_pair(&ib);
	net_pump(net, 0, 1, payload, 0);
	EXPECT_EQ(count(net, 20 * tau + 1, 80 * tau), 40 * (n + m));
	net_free(net);
}

TEST(credit_ticks_missed)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 500 * NS,
			 .period = 4096 * NS };

	ticks_missed(ib, 4096, 11);
	ticks_missed(ib, 2048, 22);
	ib.bps = 400 * GBPS;
	ib.propagation = 1 * US;
	ticks_missed(ib, 4096, 31);
	ib.bps = 8 * GBPS;
	ib.propagation = 10 * US;
	ib.period = 50 * US;
	ticks_missed(ib, 4096, 12);
}

/*
 * At full rate only the sender's own updates, one per tick, take time from data: K
 * ticks carry data for K (tau - f), a packet more or less.
 */
static void overhead(u64 bps, fab_time tau, u32 payload)
{
	struct ib ib = { .bps = bps, .propagation = 50 * NS, .blocks = 2048,
			 .period = tau };
	fab_time t = ib_time(&ib, payload + IB_HEADER);
	u64 want = 1000 * (tau - ib_time(&ib, FAB_CREDIT_FRAME)) / t, got;
	struct net *net = ib_pair(&ib);

	net_pump(net, 0, 1, payload, 0);
	got = count(net, 10 * tau, 1000 * tau);
	EXPECT(got >= want - 1 && got <= want + 1);
	EXPECT(want + 1 < 1000 * tau / t);
	net_free(net);
}

TEST(credit_overhead)
{
	overhead(8 * GBPS, 4096 * NS, 2048);
	overhead(100 * GBPS, 2 * US, 4096);
	overhead(400 * GBPS, 500 * NS, 4096);
}

/*
 * If both directions are busy, an update waits for a tick, at most tau, and for the
 * packet that is on the wire, t. So the condition for enough room (I3) becomes
 *	n t >= a + tau + t
 * and each direction has the rate C minus its own updates, f per tau. Without ticks
 * updates are only sent when no data can be sent, which reduces the rate.
 */
static void both_ways(u64 bps, fab_time propagation, fab_time tau)
{
	struct ib ib = { .bps = bps, .propagation = propagation,
			 .period = tau };
	fab_time t = ib_time(&ib, 4122), f = ib_time(&ib, FAB_CREDIT_FRAME);
	double want = 1000 - 1000.0 * f / tau;
	struct net *net;
	u64 before;

	ib.blocks = div_up(loop(&ib, 4096) + tau + t, t) * 65;
	net = ib_pair(&ib);
	net_pump(net, 0, 1, 4096, 0);
	net_pump(net, 1, 0, 4096, 0);
	net_run(net, 100 * t);
	before = net->node[0]->rx;
	EXPECT_NEAR(count(net, 100 * t, 1000 * t), want, 1);
	EXPECT_NEAR(net->node[0]->rx - before, want, 1);
	net_free(net);
	ib.period = NO_TICK;
	net = ib_pair(&ib);
	net_pump(net, 0, 1, 4096, 0);
	net_pump(net, 1, 0, 4096, 0);
	EXPECT(count(net, 100 * t, 1000 * t) < want - 1);
	net_free(net);
}

TEST(credit_both_ways)
{
	both_ways(8 * GBPS, 50 * NS, 20 * US);
	both_ways(100 * GBPS, 100 * NS, 4096 * NS);
	both_ways(400 * GBPS, 50 * NS, 1 * US);
	both_ways(800 * GBPS, 100 * NS, 500 * NS);
}

/* I11: the wire is idle for ipd packet times after each packet: T = C / (ipd + 1). */
static void static_rate(u64 bps, u32 payload, u32 ipd)
{
	struct ib ib = { .bps = bps, .propagation = 50 * NS, .blocks = 2048,
			 .period = NO_TICK, .ipd = ipd };
	fab_time t = ib_time(&ib, payload + IB_HEADER);
	struct net *net = ib_pair(&ib);

	net_pump(net, 0, 1, payload, 0);
	EXPECT_EQ(count(net, 100 * t, 500 * t * (ipd + 1)), 500);
	net_free(net);
}

TEST(static_rates)
{
	static_rate(32 * GBPS, 2048, 3);	/* 4x to 1x */
	static_rate(96 * GBPS, 4096, 11);	/* 12x to 1x */
	static_rate(96 * GBPS, 1024, 2);	/* 12x to 4x */
	static_rate(400 * GBPS, 4096, 0);
}
