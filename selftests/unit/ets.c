// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Enhanced transmission selection at a port of a switch (E14): senders at line rate,
 * one per class, into one wire. sched.c tests the scheduler alone, share.c a NIC.
 */
#include "ktap.h"
#include "net.h"

#define CLASSES_MAX	8
#define LONGEST		9024	/* on the wire */

/**
 * struct ets - classes of a switch
 * @n: classes, each with a sender
 * @quantum: bytes of a weight
 * @weight: of each class, 0: strict
 */
struct ets {
	u32 n;
	u32 quantum;
	u16 weight[CLASSES_MAX];
};

/* SONiC's two weights; bandwidths in percent; far apart; eight classes. */
static const struct ets sets[] = {
	{ 2, 1500, { 14, 15 } },
	{ 4, 100, { 10, 20, 30, 40 } },
	{ 3, 9000, { 1, 1, 6 } },
	{ 8, 256, { 14, 14, 14, 15, 15, 14, 14, 14 } },
};

static u32 frame(u32 cls)
{
	return 200 + 1100 * cls;
}

/* Senders 0 to n - 1 at 100 Gb/s, each with its class, one receiver at @bps. */
static struct net *star(const struct ets *e, u64 bps)
{
	struct fab_switch_params p = net_switch_params(e->n + 1);
	struct fab_endpoint_params ep;
	struct net *net = net_new(1);
	u32 i;

	p.port = net_port(e->n, 200000);
	p.port.sched.quantum = e->quantum;
	for (i = 0; i < e->n; i++)
		p.port.sched.weight[i] = e->weight[i];
	ep = (struct fab_endpoint_params) { .port = net_port(e->n, 65536) };
	net_switch_add(net, 0, &p);
	for (i = 0; i <= e->n; i++)
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], i < e->n ? 100 * GBPS : bps,
			 100 * NS);
	net_route(net->sw[0], e->n, e->n);
	net->no_check = true;
	return net;
}

static void pump(struct net *net, u32 n, u32 cls, bool on)
{
	net_pump(net, cls, n, on ? frame(cls) : 0, cls);
}

/* Bytes on the wire that class @cls of @port has sent so far. */
static u64 wire_sent(const struct fab_port *port, u32 cls)
{
	const struct fab_class_counters *c = &port->cls[cls].c;

	return c->tx_bytes + c->tx_packets * 24;
}

/**
 * struct shares - bytes on the wire that a port sent over an interval
 * @cls: by class
 * @sum: of all classes
 */
struct shares {
	u64 cls[CLASSES_MAX];
	u64 sum;
};

static struct shares measure(struct net *net, u32 n, fab_time time)
{
	struct fab_port *port = &net->sw[0]->port[n];
	struct shares s = { .sum = 0 };
	u32 i;

	for (i = 0; i < n; i++)
		s.cls[i] = wire_sent(port, i);
	net_run(net, net->fab.now + time);
	for (i = 0; i < n; i++) {
		s.cls[i] = wire_sent(port, i) - s.cls[i];
		s.sum += s.cls[i];
	}
	EXPECT_NULL_STR(fab_check(&net->fab));
	return s;
}

/*
 * Over any interval in which both have packets, class i is granted its quantum
 * g_i times and j g_j times, and |g_i - g_j| <= 1. At either end, the bytes granted and
 * not spent yet are less than a quantum and a frame. So with Q the bytes of a weight
 * and L the longest frame
 *
 *	|bytes_i / w_i - bytes_j / w_j| <= 2 (Q + L / w_i + L / w_j)
 */
static void in_ratio(const struct ets *e, const struct shares *s, u32 i, u32 j)
{
	double a = (double)s->cls[i] / e->weight[i];
	double b = (double)s->cls[j] / e->weight[j];

	EXPECT_NEAR(a, b, 2 * (e->quantum + (double)LONGEST / e->weight[i] +
			       (double)LONGEST / e->weight[j]));
}

/* E14: shares by weight of a wire that is never idle, at two rates. */
static void weights(const struct ets *e, u64 bps)
{
	struct net *net = star(e, bps);
	fab_time time = 20 * MS * GBPS / bps * 10;
	struct shares s;
	u32 i, sum = 0;

	for (i = 0; i < e->n; i++) {
		pump(net, e->n, i, true);
		sum += e->weight[i];
	}
	net_run(net, time / 10);
	s = measure(net, e->n, time);
	EXPECT_NEAR(s.sum, time / (8.0 * FAB_PS_PER_S / bps), LONGEST);
	for (i = 0; i < e->n; i++) {
		in_ratio(e, &s, i, 0);
		/* And so each has w / sum(w) of the rate, here within 2 %. */
		EXPECT_NEAR((double)s.cls[i] / s.sum * sum / e->weight[i], 1,
			    .02);
	}
	net_free(net);
}

TEST(shares_at_a_switch)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		weights(&sets[i], 100 * GBPS);
		weights(&sets[i], 40 * GBPS);
	}
}

/* E14: the others share the rate of an idle class by their weights. */
static void redistribution(const struct ets *e, u32 idle)
{
	struct net *net = star(e, 100 * GBPS);
	u32 other = !idle, i;
	struct shares s;

	for (i = 0; i < e->n; i++)
		pump(net, e->n, i, i != idle);
	net_run(net, 20 * US);
	s = measure(net, e->n, 200 * US);
	EXPECT_EQ(s.cls[idle], 0);
	EXPECT_NEAR(s.sum, 200 * US / 80.0, LONGEST);
	for (i = 0; i < e->n; i++)
		if (i != idle)
			in_ratio(e, &s, i, other);
	net_free(net);
}

/*
 * A class whose load is less than its share gets its load, and the others share the
 * rest: one sender is at a tenth of the rate.
 */
static void modest(const struct ets *e, u32 low)
{
	struct fab_wire_params wire = net_wire(10 * GBPS, 100 * NS);
	struct net *net = star(e, 100 * GBPS);
	u32 other = !low, i;
	struct shares s;

	fab_link_set(&net->fab, &net->node[low]->ep.port, &wire);
	for (i = 0; i < e->n; i++)
		pump(net, e->n, i, true);
	net_run(net, 20 * US);
	s = measure(net, e->n, 400 * US);
	/* The bytes that arrived, to a frame that waits at either end. */
	EXPECT_NEAR(s.cls[low], 400 * US / 800.0, 2 * LONGEST);
	for (i = 0; i < e->n; i++)
		if (i != low)
			in_ratio(e, &s, i, other);
	net_free(net);
}

TEST(what_is_left_goes_to_the_others)
{
	redistribution(&sets[0], 1);
	redistribution(&sets[1], 3);
	redistribution(&sets[2], 0);
	modest(&sets[1], 3);
	modest(&sets[2], 2);
	modest(&sets[0], 0);
}

/*
 * E14: a strict class has the whole wire while it has frames; if its load is only a
 * part, the others share the rest by weight.
 */
static void strict(const u16 *weight, u32 n, u32 cls)
{
	struct fab_wire_params wire = net_wire(10 * GBPS, 100 * NS);
	struct ets e = { .n = n, .quantum = 1500 };
	struct shares s;
	struct net *net;
	u32 i;

	for (i = 0; i < n; i++)
		e.weight[i] = weight[i];
	net = star(&e, 100 * GBPS);
	for (i = 0; i < n; i++)
		pump(net, n, i, true);
	net_run(net, 20 * US);
	s = measure(net, n, 200 * US);
	EXPECT_EQ(s.cls[cls], s.sum);
	EXPECT_NEAR(s.sum, 200 * US / 80.0, LONGEST);
	fab_link_set(&net->fab, &net->node[cls]->ep.port, &wire);
	net_run(net, net->fab.now + 100 * US);
	s = measure(net, n, 400 * US);
	EXPECT_NEAR(s.cls[cls], 400 * US / 800.0, 2 * LONGEST);
	EXPECT_NEAR(s.sum, 400 * US / 80.0, LONGEST);
	for (i = 0; i < n; i++)
		if (i != cls)
			in_ratio(&e, &s, i, !cls);
	net_free(net);
}

TEST(strict_class_at_a_switch)
{
	static const u16 a[] = { 5, 0 }, b[] = { 0, 1, 3 };
	static const u16 c[] = { 14, 15, 14, 0 };

	strict(a, 2, 1);
	strict(b, 3, 0);
	strict(c, 4, 3);
}

/* Of several strict classes the one with the highest number gets the whole wire. */
TEST(strict_classes_by_number)
{
	const struct ets e = { .n = 4, .quantum = 1500, .weight = { 9 } };
	struct net *net = star(&e, 100 * GBPS);
	struct shares s;
	u32 i;

	for (i = 0; i < 4; i++)
		pump(net, 4, i, true);
	for (i = 4; i--;) {
		net_run(net, net->fab.now + 100 * US);
		s = measure(net, 4, 50 * US);
		EXPECT_EQ(s.cls[i], s.sum);
		EXPECT_NEAR(s.sum, 50 * US / 80.0, LONGEST);
		pump(net, 4, i, false);
	}
	net_free(net);
}
