// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Credit in fabrics: shares of a congested link (I6 to I8), one-way times (I16), rings
 * that deadlock, and ways to prevent or break a deadlock (I13).
 *
 * Senders are backlogged and packets equal, so time is counted in packet times t. No
 * tick falls into a run, and a link that is never idle carries only data: K packets in
 * K t, one more or less in an interval that begins anywhere.
 */
#include "ib.h"
#include "ktap.h"

#define PAYLOAD	4096U
#define NO_TICK	(1000 * MS)

static const u64 rates[] = { 8 * GBPS, 100 * GBPS, 400 * GBPS };

static struct ib links(u64 bps, u32 vls)
{
	struct ib ib = {
		.bps = bps,
		.propagation = 50 * NS,
		.blocks = 16 * 65,
		.vls = vls,
		.period = NO_TICK,
		.latency = 100 * NS,
		.ring = 65536,
	};

	return ib;
}

static fab_time slot(const struct ib *ib)
{
	return ib_time(ib, PAYLOAD + IB_HEADER);
}

static void host_at(struct net *net, const struct ib *ib, u32 id, u32 sw,
		    u32 port)
{
	ib_join(net, ib, &ib_host(net, ib, id)->ep.port,
		&net->sw[sw]->port[port]);
	net_route(net->sw[sw], id, port);
}

/* Let a transient of 2000 packet times pass, and start the counters. */
static void settle(struct net *net, const struct ib *ib)
{
	u32 i;

	net->no_check = true;
	net_run(net, net->fab.now + 2000 * slot(ib));
	EXPECT_NULL_STR(fab_check(&net->fab));
	for (i = 0; i < NET_MAX; i++)
		if (net->node[i])
			memset(net->node[i]->rx_from, 0,
			       sizeof(net->node[i]->rx_from));
}

static void nothing_lost(struct net *net)
{
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
}

/*
 * I6: A (host 0) to hot (2) and V (1) to cold (3) share a trunk; n - 1 more
 * senders on the second switch make n ports that compete for the hot output.
 */
static struct net *victim(const struct ib *ib, u32 n, u8 cls)
{
	struct net *net = net_new(1);
	u32 i;

	ib_switch(net, ib, 0, 3);
	ib_switch(net, ib, 1, n + 2);
	ib_join(net, ib, &net->sw[0]->port[2], &net->sw[1]->port[0]);
	host_at(net, ib, 0, 0, 0);
	host_at(net, ib, 1, 0, 1);
	for (i = 2; i < n + 3; i++)
		host_at(net, ib, i, 1, i - 1);
	net_route(net->sw[0], 2, 2);
	net_route(net->sw[0], 3, 2);
	net_pump(net, 0, 2, PAYLOAD, cls);
	net_pump(net, 1, 3, PAYLOAD, 0);
	for (i = 4; i < n + 3; i++)
		net_pump(net, i, 2, PAYLOAD, cls);
	settle(net, ib);
	return net;
}

/*
 * One VL: the hot output serves its n ports round robin, so A gets C / n. The trunk's
 * receive buffer is full of A's packets. Each packet that leaves it is replaced by one
 * of A and V alternately, because the first switch serves them round robin. So V = A =
 * C / n.
 */
static void victim_one_lane(u64 bps, u32 n)
{
	struct ib ib = links(bps, 1);
	struct net *net = victim(&ib, n, 0);

	net_run(net, net->fab.now + 300 * n * slot(&ib));
	EXPECT_NEAR(net->node[2]->rx_from[0], 300, 1);
	EXPECT_NEAR(net->node[3]->rx_from[1], 300, 1);
	nothing_lost(net);
	net_free(net);
}

/*
 * A has a VL of its own, served first: it still gets C / n, and V the rest of the
 * trunk, C - C / n.
 */
static void victim_two_lanes(u64 bps, u32 n)
{
	struct ib ib = links(bps, 2);
	struct net *net = victim(&ib, n, 1);

	net_run(net, net->fab.now + 300 * n * slot(&ib));
	EXPECT_NEAR(net->node[2]->rx_from[0], 300, 1);
	EXPECT_NEAR(net->node[3]->rx_from[1], 300 * (n - 1), 2);
	nothing_lost(net);
	net_free(net);
}

TEST(credit_victim)
{
	static const u32 n[] = { 2, 3, 4, 5, 8 };
	u32 i, r;

	for (i = 0; i < ARRAY_SIZE(n); i++)
		for (r = 0; r < ARRAY_SIZE(rates); r++) {
			victim_one_lane(rates[r], n[i]);
			victim_two_lanes(rates[r], n[i]);
		}
}

/*
 * I7: m switches in line, a host at each and one more at the first, all send to
 * the end. Each switch serves its two inputs in turn, so the host at the last one
 * gets 1/2, the one before 1/4, and the two at the first 1/2^m.
 */
static void parking_lot(u64 bps, u32 m)
{
	struct ib ib = links(bps, 1);
	struct net *net = net_new(1);
	u32 i;

	for (i = 0; i < m; i++) {
		ib_switch(net, &ib, i, 3);
		net_route(net->sw[i], m + 1, 2);
		if (i)
			ib_join(net, &ib, &net->sw[i - 1]->port[2],
				&net->sw[i]->port[0]);
	}
	for (i = 0; i <= m; i++)
		host_at(net, &ib, i, i ? i - 1 : 0, i ? 1 : 0);
	host_at(net, &ib, m + 1, m - 1, 2);
	for (i = 0; i <= m; i++)
		net_pump(net, i, m + 1, PAYLOAD, 0);
	settle(net, &ib);
	net_run(net, net->fab.now + (200 << m) * slot(&ib));
	for (i = 0; i <= m; i++)
		EXPECT_NEAR(net->node[m + 1]->rx_from[i],
			    200 << (i ? i - 1 : 0), 1);
	nothing_lost(net);
	net_free(net);
}

TEST(credit_parking_lot)
{
	u32 m, r;

	for (m = 2; m <= 4; m++)
		for (r = 0; r < ARRAY_SIZE(rates); r++)
			parking_lot(rates[r], m);
}

/* I8: k senders into one port get C / k each, and nothing is lost. */
static void incast(u64 bps, u32 k)
{
	struct ib ib = links(bps, 1);
	struct net *net = net_new(1);
	u64 sum = 0;
	u32 i;

	ib_switch(net, &ib, 0, k + 1);
	for (i = 0; i <= k; i++)
		host_at(net, &ib, i, 0, i);
	for (i = 0; i < k; i++)
		net_pump(net, i, k, PAYLOAD, 0);
	settle(net, &ib);
	net_run(net, net->fab.now + 100 * k * slot(&ib));
	for (i = 0; i < k; i++) {
		EXPECT_NEAR(net->node[k]->rx_from[i], 100, 1);
		sum += net->node[k]->rx_from[i];
	}
	EXPECT_NEAR(sum, 100 * k, 1);
	nothing_lost(net);
	net_free(net);
}

TEST(credit_incast)
{
	static const u32 k[] = { 2, 3, 7, 16, 32, 60 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(k); i++)
		incast(rates[i % ARRAY_SIZE(rates)], k[i]);
}

/*
 * I16 over h idle switches; p includes the latency of FEC at each end of a link:
 *	cut-through		(h + 1) p + h d + L / C
 *	store-and-forward	(h + 1) (p + L / C) + h d
 */
static void one_way(u64 bps, fab_time fec, u32 h, enum fab_forward forward,
		    u32 payload)
{
	struct ib ib = links(bps, 1);
	struct net *net = net_new(1);
	fab_time want, t = ib_time(&ib, payload + IB_HEADER);
	u32 i;

	ib.propagation += fec;
	ib.forward = forward;
	for (i = 0; i < h; i++) {
		ib_switch(net, &ib, i, 2);
		net_route(net->sw[i], 1, 1);
		if (i)
			ib_join(net, &ib, &net->sw[i - 1]->port[1],
				&net->sw[i]->port[0]);
	}
	host_at(net, &ib, 0, 0, 0);
	host_at(net, &ib, 1, h - 1, 1);
	net_run(net, 10 * US);
	net_send(net, 0, 1, payload);
	net_drain(net);
	want = (h + 1) * (50 * NS + fec) + h * ib.latency +
	       (forward == FAB_STORE_FORWARD ? h + 1 : 1) * t;
	EXPECT_EQ(net->node[1]->rx_at, 10 * US + want);
	net_free(net);
}

TEST(credit_one_way)
{
	static const u32 payload[] = { 1, 256, 2048, 4096 };
	u32 h, i, r;

	for (h = 1; h <= 3; h++)
		for (i = 0; i < ARRAY_SIZE(payload); i++)
			for (r = 0; r < ARRAY_SIZE(rates); r++) {
				one_way(rates[r], 0, h, FAB_CUT_THROUGH,
					payload[i]);
				one_way(rates[r], 110 * NS, h, FAB_CUT_THROUGH,
					payload[i]);
				one_way(rates[r], 60 * NS, h,
					FAB_STORE_FORWARD, payload[i]);
			}
}

/* A ring of n switches, port 0 from the one before, 1 to the next, 2 the host. */
static struct net *ring(const struct ib *ib, u32 n, enum fab_sl2vl sl2vl)
{
	struct net *net = net_new(1);
	struct fab_switch_params p;
	u32 i, dst;

	p = net_switch_params(3);
	p.latency = ib->latency;
	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	p.sl2vl = sl2vl;
	p.port = ib_port(ib);
	for (i = 0; i < n; i++) {
		net_switch_add(net, i, &p);
		for (dst = 0; dst < n; dst++)
			net_route(net->sw[i], dst, 1);
		host_at(net, ib, i, i, 2);
	}
	for (i = 0; i < n; i++)
		ib_join(net, ib, &net->sw[i]->port[1],
			&net->sw[(i + 1) % n]->port[0]);
	net->no_check = true;
	return net;
}

/* Each host sends to the one @h links on; @sl for paths past switch 0. */
static void ring_load(struct net *net, u32 n, u32 h, u8 sl)
{
	u32 i;

	for (i = 0; i < n; i++) {
		net->node[i]->pump[0].sl = i + h >= n ? sl : 0;
		net_pump(net, i, (i + h) % n, PAYLOAD, 0);
	}
}

/*
 * h flows share each link. With h = 1 each has a whole link. With h = 2 the flow that
 * begins here and the one that passes through alternate and get C / 2 each. The one
 * that passes through leaves at the next switch, whose host takes it at once, so every
 * buffer drains: no deadlock. The total is n C / h.
 *
 * With h = 1 the links of the hosts are busy in both directions and never idle for
 * updates. So here updates are sent at ticks, 8 packet times apart. Each takes 8 bytes
 * from 8 * 4122: together a quarter of a packet in 1000.
 */
static void ring_goes(u64 bps, u32 n, u32 h)
{
	struct ib ib = links(bps, 1);
	struct net *net;
	u32 i;

	ib.period = 8 * slot(&ib);
	net = ring(&ib, n, FAB_SL2VL_KEEP);
	ring_load(net, n, h, 0);
	settle(net, &ib);
	net_run(net, net->fab.now + 1000 * h * slot(&ib));
	for (i = 0; i < n; i++)
		EXPECT_NEAR(net->node[(i + h) % n]->rx_from[i], 1000, 2);
	nothing_lost(net);
	net_free(net);
}

TEST(credit_ring)
{
	u32 r;

	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		ring_goes(rates[r], 3, 1);
		ring_goes(rates[r], 4, 1);
		ring_goes(rates[r], 3, 2);
		ring_goes(rates[r], 4, 2);
	}
}

/*
 * With three flows per link the buffers of the ring fill with packets that wait for
 * room in the next buffer. Then nothing moves: no event is pending, and every ring port
 * has packets and no credit for the first of any.
 */
static struct net *deadlock(struct ib *ib, u32 n, u32 h)
{
	struct net *net = ring(ib, n, FAB_SL2VL_KEEP);

	ring_load(net, n, h, 0);
	net_run(net, net->fab.now + 5000 * slot(ib));
	return net;
}

static void ring_stops(u64 bps, u32 n, u32 h)
{
	struct ib ib = links(bps, 1);
	struct net *net = deadlock(&ib, n, h);
	struct fab_port *port;
	u32 i;

	net_drain(net);
	for (i = 0; i < n; i++) {
		port = &net->sw[i]->port[1];
		EXPECT_EQ(port->blocked, 1);
		EXPECT(ib_state(port->peer)->vl[0].used > 15 * 65);
	}
	nothing_lost(net);
	net_free(net);
}

TEST(credit_deadlock)
{
	u32 r;

	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		ring_stops(rates[r], 4, 3);
		ring_stops(rates[r], 5, 3);
	}
}

static u64 delivered(const struct net *net)
{
	return net->fab.c.packets_delivered;
}

/*
 * The lifetimes of I12 break the deadlock: nothing is lost in the first head-of-queue
 * lifetime; after it packets are dropped and others are delivered, again and again.
 */
static void ring_broken(u64 bps, u32 n, u32 v)
{
	struct ib ib = links(bps, 1);
	struct net *net;
	u64 before, i;

	ib.age.hoq = fab_age_time(v);
	net = deadlock(&ib, n, 3);
	for (i = 0; i < 5; i++) {
		before = delivered(net);
		net_run(net, net->fab.now + 20 * ib.age.hoq);
		EXPECT(delivered(net) > before);
		EXPECT_NULL_STR(fab_check(&net->fab));
	}
	EXPECT(net->drops[FAB_DROP_HOQ_LIFE] > 0);
	EXPECT_EQ(net->fab.c.packets_dropped, net->drops[FAB_DROP_HOQ_LIFE]);
	net_free(net);
}

TEST(credit_deadlock_broken)
{
	ring_broken(400 * GBPS, 4, 8);
	ring_broken(100 * GBPS, 4, 10);
	ring_broken(100 * GBPS, 5, 10);
}

/*
 * A second VL behind switch 0, the date line, prevents the deadlock. A path that passes
 * it (service level 1) is on VL 1 from there on, so VL 0 has no cycle. VL 1 begins at
 * switch 0 and ends before the paths complete the ring. The ingress port determines the
 * side of a packet: from the ring into one of the first h - 1 switches is behind the
 * line.
 */
static void date_line(u64 bps, u32 n, u32 h)
{
	struct ib ib = links(bps, 2);
	struct net *net = ring(&ib, n, FAB_SL2VL_PORTS);
	u64 before[NET_MAX];
	u32 i, k;

	for (i = 0; i + 1 < h; i++)
		EXPECT_EQ(fab_switch_sl2vl_set(net->sw[i], 0, 1, 1, 1), 0);
	ring_load(net, n, h, 1);
	settle(net, &ib);
	for (k = 0; k < 5; k++) {
		for (i = 0; i < n; i++)
			before[i] = net->node[i]->rx;
		net_run(net, net->fab.now + 1000 * slot(&ib));
		for (i = 0; i < n; i++)
			EXPECT(net->node[i]->rx > before[i] + 50);
	}
	nothing_lost(net);
	net_free(net);
}

TEST(credit_date_line)
{
	u32 r;

	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		date_line(rates[r], 4, 3);
		date_line(rates[r], 5, 3);
	}
}
