// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Date lines: a ring deadlocks, but not if the class of a packet changes at the date
 * line.
 *
 * Host i of n sends MESSAGES packets to host i + h, h links further along the ring.
 * The line is on the link from switch n - 1 to switch 0. A packet before the line is
 * in class 0; on it and after it the packet is in class 1. The host gets it in the
 * class in which it was sent. This is a rule of ingress port, egress port and class.
 * So class 0 never uses the link of the line. Class 1 never reaches it again, as paths
 * are shorter than the ring. Neither class has a cycle, for any h (Dally and Seitz
 * 1987).
 *
 * Link k carries the packets of the h hosts k - h + 1 to k; of those, host i has
 * not crossed the line if i <= k < n - 1.
 */
#include "ib.h"
#include "ktap.h"
#include "pfcnet.h"

#define PAYLOAD		4096U
#define MESSAGES	200U
#define FROM_RING	0U
#define TO_RING		1U
#define HOST		2U

/**
 * struct load - the traffic around the ring
 * @n: switches, and a host at each
 * @h: links of the ring that a packet crosses
 * @pfc: pauses, instead of credits
 * @bps: rate of all links
 */
struct load {
	u32 n;
	u32 h;
	bool pfc;
	u64 bps;
};

static const struct load loads[] = {
	{ 4, 3, false, 100 * GBPS }, { 5, 3, false, 400 * GBPS },
	{ 5, 4, false, 8 * GBPS }, { 6, 5, false, 400 * GBPS },
	{ 8, 7, false, 100 * GBPS }, { 4, 3, true, 100 * GBPS },
	{ 5, 4, true, 400 * GBPS }, { 8, 7, true, 10 * GBPS },
};

static struct ib links(const struct load *l)
{
	struct ib ib = {
		.bps = l->bps,
		.propagation = 50 * NS,
		.blocks = 16 * 65,
		.vls = 2,
		.period = 1000 * MS,
		.latency = 100 * NS,
	};

	return ib;
}

static struct fab_switch_params switch_of(const struct load *l,
					  enum fab_sl2vl sl2vl)
{
	struct fab_switch_params p = net_switch_params(3);
	struct ib ib = links(l);
	u32 i;

	if (l->pfc)
		p = pfcnet_switch(3, 2, 20 * PAYLOAD, 1 << 20);
	else
		p.port = ib_port(&ib);
	p.latency = ib.latency;
	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	p.sl2vl = sl2vl;
	for (i = 0; i < FAB_CLASSES_MAX; i++)
		p.vl[i] = min(i, 1U);
	return p;
}

static void host_join(struct net *net, const struct load *l, u32 id)
{
	struct fab_port *port = &net->sw[id]->port[HOST];
	struct fab_endpoint_params p;
	struct ib ib = links(l);

	if (!l->pfc) {
		ib_join(net, &ib, &ib_host(net, &ib, id)->ep.port, port);
		return;
	}
	p = pfcnet_host(2, 20 * PAYLOAD, 1 << 20);
	p.port.queue_limit = IB_FOREVER;
	net_join(net, &net_node_add(net, id, &p)->ep.port, port, l->bps,
		 ib.propagation);
}

static struct net *ring(const struct load *l, enum fab_sl2vl sl2vl)
{
	struct fab_switch_params p = switch_of(l, sl2vl);
	struct net *net = net_new(l->n + l->h);
	struct ib ib = links(l);
	u32 i, dst;

	for (i = 0; i < l->n; i++) {
		net_switch_add(net, i, &p);
		for (dst = 0; dst < l->n; dst++)
			net_route(net->sw[i], dst, dst == i ? HOST : TO_RING);
		host_join(net, l, i);
	}
	for (i = 0; i < l->n; i++) {
		struct fab_port *a = &net->sw[i]->port[TO_RING];
		struct fab_port *b = &net->sw[(i + 1) % l->n]->port[FROM_RING];

		if (l->pfc)
			net_join(net, a, b, l->bps, ib.propagation);
		else
			ib_join(net, &ib, a, b);
	}
	net->no_check = true;
	return net;
}

static void draw_line(struct net *net, const struct load *l)
{
	struct fab_switch *last = net->sw[l->n - 1];
	u32 i;

	EXPECT_EQ(fab_switch_sl2vl_set(last, FROM_RING, TO_RING, 0, 1), 0);
	EXPECT_EQ(fab_switch_sl2vl_set(last, HOST, TO_RING, 0, 1), 0);
	for (i = 0; i < l->n; i++)
		EXPECT_EQ(fab_switch_sl2vl_set(net->sw[i], FROM_RING, HOST, 1,
					       0), 0);
}

static void send(struct net *net, const struct load *l)
{
	u32 i, k;

	for (i = 0; i < l->n; i++)
		for (k = 0; k < MESSAGES; k++)
			EXPECT_EQ(net_send(net, i, (i + l->h) % l->n, PAYLOAD),
				  0);
	net_run(net, net->fab.now + 1000 * MS);
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
}

/* All buffers of the ring hold packets that wait for each other. */
static void stops(const struct load *l)
{
	struct net *net = ring(l, FAB_SL2VL_KEEP);
	u64 before;
	u32 i;

	send(net, l);
	before = net->fab.c.hops;
	net_run(net, net->fab.now + 1000 * MS);
	EXPECT_EQ(net->fab.c.hops, before);
	for (i = 0; i < l->n; i++) {
		EXPECT(net->node[i]->rx < MESSAGES);
		EXPECT_EQ(net->sw[i]->port[TO_RING].blocked, 1);
	}
	net_free(net);
}

static void goes(const struct load *l)
{
	struct net *net = ring(l, FAB_SL2VL_CLASS);
	u32 k, base;

	draw_line(net, l);
	send(net, l);
	for (k = 0; k < l->n; k++) {
		const struct fab_port *port = &net->sw[k]->port[TO_RING];

		base = k < l->n - 1 ? min(k + 1, l->h) : 0;
		EXPECT_EQ(net->node[k]->rx, MESSAGES);
		EXPECT_EQ(net->node[k]->rx_cls[0], MESSAGES * PAYLOAD);
		EXPECT_EQ(port->cls[0].c.tx_packets, MESSAGES * base);
		EXPECT_EQ(port->cls[1].c.tx_packets,
			  MESSAGES * (l->h - base));
	}
	net_free(net);
}

TEST(ring_without_date_line)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(loads); i++)
		stops(&loads[i]);
}

TEST(ring_with_date_line)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(loads); i++)
		goes(&loads[i]);
}

/*
 * With h = 3 and endless packets, f(k) is the rate of host k. Round robin gives the host
 * of switch k as much of link k as the packets from the ring. Those are from the two
 * hosts before, as the others leave there: f(k) = f(k - 1) + f(k - 2), with f(1) = f(0).
 * No packet on the line waits for packets behind it, so that link is full and its own
 * host has half of it. So in F slots, with F twice the n-th of 1, 1, 2, 3, 5, ..., host
 * k sends the k-th of them. Host 0 and the packets behind the line need no more than
 * link 0 has: 1 + f(n - 2) + f(n - 1) <= 2 f(n - 1).
 */
static void shares(const struct load *l)
{
	struct net *net = ring(l, FAB_SL2VL_CLASS);
	struct ib ib = links(l);
	fab_time slot = ib_time(&ib, PAYLOAD + IB_HEADER);
	u64 f[NET_MAX] = { 1, 1 }, before[NET_MAX];
	u32 i;

	for (i = 2; i < l->n; i++)
		f[i] = f[i - 1] + f[i - 2];
	draw_line(net, l);
	for (i = 0; i < l->n; i++)
		net_pump(net, i, (i + l->h) % l->n, PAYLOAD, 0);
	net_run(net, net->fab.now + 4000 * slot);
	for (i = 0; i < l->n; i++)
		before[i] = net->node[i]->rx;
	net_run(net, net->fab.now + 100 * 2 * f[l->n - 1] * slot);
	for (i = 0; i < l->n; i++)
		EXPECT_NEAR(net->node[(i + l->h) % l->n]->rx -
			    before[(i + l->h) % l->n], 100 * f[i], 2);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_free(net);
}

TEST(ring_shares)
{
	static const struct load l[] = {
		{ 4, 3, false, 8 * GBPS }, { 5, 3, false, 100 * GBPS },
		{ 6, 3, false, 400 * GBPS }, { 8, 3, false, 100 * GBPS },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(l); i++)
		shares(&l[i]);
}
