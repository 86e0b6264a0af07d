// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pauses in a fabric: incast (E4), victims (E5), parking lot (E6), cycles (E7),
 * storms that spread (E8).
 */
#include "core/sim/fixed.h"
#include "ktap.h"
#include "pfcnet.h"

#define LEN	1000

/**
 * struct speed - parameters of all links of a fabric
 */
struct speed {
	u64 bps;
	fab_time prop;
	fab_time react;
};

static const struct speed speeds[] = {
	{ 10 * GBPS, 25250, 3430 * NS },
	{ 100 * GBPS, 202000, 2017 * NS },
	{ 400 * GBPS, 252500, 1158 * NS },
};

static fab_time slot_of(const struct speed *s)
{
	return fab_serialise(LEN + 24, s->bps);
}

static fab_time frame_of(const struct speed *s)
{
	return fab_serialise(FAB_PFC_WIRE, s->bps);
}

/* Packets that arrive after the decision to stop; see pfc.c for E1. */
static u32 more_of(const struct speed *s)
{
	return DIV_ROUND_UP(LEN + 24 + (2 * s->prop + s->react) * s->bps /
			    8 / FAB_PS_PER_S + FAB_PFC_WIRE, LEN + 24) + 1;
}

static struct fab_switch_params switch_of(const struct speed *s, u32 ports,
					  u32 classes, u32 xoff_packets)
{
	struct fab_switch_params p = pfcnet_switch(ports, classes,
						   xoff_packets * LEN,
						   (more_of(s) + 1) * LEN);
	u32 i;

	p.port.react = s->react;
	/* What is left at XON lasts until packets come again. */
	for (i = 0; i < classes; i++)
		p.buffer.cls[i].xon = LEN;
	return p;
}

static struct net_node *host_add(struct net *net, u32 id, const struct speed *s,
				 u32 classes)
{
	struct fab_endpoint_params p = {
		.port = pfcnet_port(classes, s->react),
	};

	return net_node_add(net, id, &p);
}

static void host_join(struct net *net, u32 id, const struct speed *s,
		      u32 classes, u32 sw, u32 port)
{
	net_join(net, &host_add(net, id, s, classes)->ep.port,
		 &net->sw[sw]->port[port], s->bps, s->prop);
}

/* @n senders 0 to n - 1 at one switch, all to host n. */
static struct net *incast(const struct speed *s, u32 n, u32 xoff)
{
	struct fab_switch_params p = switch_of(s, n + 1, 1, xoff);
	struct net *net = net_new(n);
	u32 i;

	net_switch_add(net, 0, &p);
	for (i = 0; i <= n; i++) {
		host_join(net, i, s, 1, 0, i);
		net_route(net->sw[0], i, i);
	}
	pfcnet_log(net);
	return net;
}

static void forget(struct net *net, u32 id)
{
	memset(net->node[id]->rx_from, 0, sizeof(net->node[id]->rx_from));
	net->node[id]->rx = 0;
}

/*
 * E4, the first pause. In every slot each sender's packet arrives and one of all
 * packets leaves, so that after m arrivals of a sender between floor((m - 1) / k)
 * and ceil(m / k) of its own have left. It is over when X = x L are there: with
 * m - d = x and |d - m / k| <= 1, m is within 1 / (1 - 1/k) <= 2 slots of
 * x / (1 - 1/k); the first arrival is a slot and p after the start, the pause
 * acts 84 / C + p + react later. Senders compete, so the first of them is the
 * one that was served least.
 */
static void first_pause(const struct speed *s, u32 k, u32 x)
{
	struct net *net = incast(s, k, x);
	double slot = slot_of(s), law;
	fab_time first = FAB_NEVER;
	u32 i;

	law = x / (1 - 1.0 / k) * slot + 2.0 * s->prop + frame_of(s) + s->react;
	for (i = 0; i < k; i++)
		net_pump(net, i, k, LEN, 0);
	net_run(net, 2 * law);
	for (i = 0; i < k; i++)
		first = min(first, pfcnet_at(&net->node[i]->ep.port, 0,
					     FAB_NOTICE_PAUSED, 0));
	EXPECT_NEAR(first, law, 2 * slot);
	pfcnet_check(net);
	net_free(net);
}

TEST(first_pause)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++) {
		first_pause(&speeds[i], 2, 100);
		first_pause(&speeds[i], 3, 120);
		first_pause(&speeds[i], 8, 140);
	}
}

/*
 * E4 in the long run. The threshold is so high that no queue runs empty between XON and
 * the next packet: round robin is exact, and the output is always busy. A sender either
 * sends or is paused: both times add up to the total, to the end of the packet on the
 * wire.
 */
static void shares(const struct speed *s, u32 k)
{
	u32 x = 2 * more_of(s) + 20, m = 200 * k, i;
	struct net *net = incast(s, k, x);
	fab_time slot = slot_of(s), begin;
	struct fab_port *port;
	double cycle;

	for (i = 0; i < k; i++)
		net_pump(net, i, k, LEN, 0);
	net->no_check = true;
	net_run(net, 10 * x * k * slot);
	forget(net, k);
	begin = net->fab.now;
	net_run(net, begin + m * slot);
	EXPECT_EQ(net->node[k]->rx, m);
	/* Sent between two pauses, and not yet arrived. */
	cycle = 2 * (x + more_of(s) + 1.0) * slot;
	for (i = 0; i < k; i++) {
		port = &net->node[i]->ep.port;
		EXPECT_NEAR(net->node[k]->rx_from[i], m / k, 1);
		fab_port_settle(&net->fab, port);
		EXPECT_NEAR(port->cls[0].c.tx_packets,
			    (double)net->fab.now / slot / k, cycle / slot);
		EXPECT_NEAR(port->c.tx_busy_ps + port->cls[0].c.wait_ps,
			    net->fab.now, slot);
		EXPECT_NEAR(port->cls[0].c.wait_ps,
			    (1 - 1.0 / k) * net->fab.now, cycle);
	}
	pfcnet_check(net);
	net_free(net);
}

TEST(incast_shares)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++) {
		shares(&speeds[i], 2);
		shares(&speeds[i], 3);
		shares(&speeds[i], 8);
	}
}

/*
 * E5: A and V, at one switch, share a trunk to another one, where A's packets go
 * to the hot output together with n - 1 senders of that switch, V's to the cold
 * one. Round robin at the hot output gives the trunk 1/n of it; round robin at the
 * trunk gives A and V one packet each. So V has C/n although its own output is free,
 * and the trunk is busy 2/n of the time. With n = 2 the trunk delivers A at C/2, exactly
 * the rate of the hot output for it, and is never paused.
 */
static struct net *victim(const struct speed *s, u32 n, u32 classes, u32 x)
{
	struct fab_switch_params p = switch_of(s, n + 2, classes, x);
	struct net *net = net_new(n);
	u32 i;

	for (i = 0; i < classes; i++)
		p.port.sched.weight[i] = 1;
	p.port.sched.quantum = LEN + 24;
	net_switch_add(net, 0, &p);
	net_switch_add(net, 1, &p);
	net_join(net, &net->sw[0]->port[2], &net->sw[1]->port[0], s->bps,
		 s->prop);
	/* 0 is A, 1 is V, 2 and 3 are their destinations. */
	for (i = 0; i < n + 3; i++)
		host_join(net, i, s, classes, i > 1, i > 1 ? i - 1 : i);
	for (i = 2; i < 4; i++) {
		net_route(net->sw[0], i, 2);
		net_route(net->sw[1], i, i - 1);
	}
	return net;
}

static void victim_runs(struct net *net, const struct speed *s, u32 n, u32 x,
			u8 cls)
{
	u32 i;

	net_pump(net, 0, 2, LEN, 0);
	net_pump(net, 1, 3, LEN, cls);
	for (i = 4; i < n + 3; i++)
		net_pump(net, i, 2, LEN, 0);
	net->no_check = true;
	net_run(net, 20 * x * n * slot_of(s));
	forget(net, 2);
	forget(net, 3);
}

/*
 * In an interval V has as many packets as A over the trunk. Those differ from the
 * packets that the hot output took by at most the size of the trunk's account.
 */
static void victim_share(const struct speed *s, u32 n)
{
	u32 x = 3 * more_of(s) + 20, m = 70 * x, hold = x + more_of(s) + 2;
	struct net *net = victim(s, n, 1, x);
	struct fab_port *trunk = &net->sw[0]->port[2];
	fab_time busy;

	victim_runs(net, s, n, x, 0);
	busy = trunk->c.tx_busy_ps;
	net_run(net, net->fab.now + m * n * slot_of(s));
	EXPECT_EQ(net->node[2]->rx, m * n);
	EXPECT_NEAR(net->node[2]->rx_from[0], m, 1);
	EXPECT_NEAR(net->node[3]->rx, m, hold);
	EXPECT_NEAR(trunk->c.tx_busy_ps - busy, 2.0 * m * slot_of(s),
		    2.0 * hold * slot_of(s));
	if (n == 2)
		EXPECT_EQ(trunk->cls[0].c.rx_pause, 0);
	else
		EXPECT(trunk->cls[0].c.rx_pause > 2);
	pfcnet_check(net);
	net_free(net);
}

TEST(victim_of_a_pause)
{
	static const u32 n[] = { 2, 3, 4, 5, 8 };
	u32 i;

	for (i = 0; i < 3 * ARRAY_SIZE(n); i++)
		victim_share(&speeds[i % 3], n[i / 3]);
}

/*
 * The same with V in a class of its own: it gets the rest of the trunk, C - C/n.
 */
static void victim_rescued(const struct speed *s, u32 n)
{
	u32 x = 3 * more_of(s) + 20, m = 70 * x, hold = x + more_of(s) + 2;
	struct net *net = victim(s, n, 2, x);

	victim_runs(net, s, n, x, 1);
	net_run(net, net->fab.now + m * n * slot_of(s));
	EXPECT_EQ(net->node[2]->rx, m * n);
	EXPECT_NEAR(net->node[2]->rx_from[0], m, 1);
	EXPECT_NEAR(net->node[3]->rx, m * (n - 1), hold);
	pfcnet_check(net);
	net_free(net);
}

TEST(victim_with_a_class_of_its_own)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++) {
		victim_rescued(&speeds[i], 2);
		victim_rescued(&speeds[i], 3);
		victim_rescued(&speeds[i], 8);
	}
}

/*
 * E6: a line of m switches, a host at each, two at the first, all to the end.
 * Each switch serves its host and the line alternately. Both always have a packet
 * there, and packets stay in order. So the shares at the end are those of the round
 * robins: 1/2, 1/4, ..., 1/2^m and 1/2^m, to a packet for each switch passed.
 */
static void parking_lot(const struct speed *s, u32 m)
{
	u32 x = 2 * more_of(s) + 20, n = m + 1, slots = 500 << m, i, share;
	struct fab_switch_params p = switch_of(s, 3, 1, x);
	struct net *net = net_new(m);

	for (i = 0; i < m; i++) {
		net_switch_add(net, i, &p);
		net_route(net->sw[i], n, 2);
		if (i)
			net_join(net, &net->sw[i - 1]->port[2],
				 &net->sw[i]->port[0], s->bps, s->prop);
	}
	for (i = 0; i < n; i++)
		host_join(net, i, s, 1, i ? i - 1 : 0, i ? 1 : 0);
	host_join(net, n, s, 1, m - 1, 2);
	net->no_check = true;
	for (i = 0; i < n; i++)
		net_pump(net, i, n, LEN, 0);
	net_run(net, (40 * x << m) * slot_of(s));
	forget(net, n);
	net_run(net, net->fab.now + slots * slot_of(s));
	EXPECT_EQ(net->node[n]->rx, slots);
	for (i = 0; i < n; i++) {
		share = slots >> (i ? m - i + 1 : m);
		EXPECT_NEAR(net->node[n]->rx_from[i], share, m);
	}
	pfcnet_check(net);
	net_free(net);
}

TEST(parking_lot)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++) {
		parking_lot(&speeds[i], 2);
		parking_lot(&speeds[i], 3);
		parking_lot(&speeds[i], 4);
	}
}

/*
 * E7: a ring of n switches, a host at each; host i sends to host i + h, over h links of
 * the ring. Round robin gives the host of each switch half of the next link. So with
 * h > 2 flows the load of a link is h/2: the accounts of all switches fill, and each
 * waits for the next one. With h = 2 half of a link is enough; with h = 1 each host has
 * its own. (A triangle with h = 2 does not deadlock.)
 */
static struct net *ring(const struct speed *s, u32 n, u32 h, u32 x)
{
	struct fab_switch_params p = switch_of(s, 3, 1, x);
	struct net *net = net_new(n + h);
	u32 i, dst;

	for (i = 0; i < n; i++)
		net_switch_add(net, i, &p);
	for (i = 0; i < n; i++) {
		net_join(net, &net->sw[i]->port[1],
			 &net->sw[(i + 1) % n]->port[2], s->bps, s->prop);
		host_join(net, i, s, 1, i, 0);
		for (dst = 0; dst < n; dst++)
			net_route(net->sw[i], dst, dst == i ? 0 : 1);
	}
	for (i = 0; i < n; i++)
		net_pump(net, i, (i + h) % n, LEN, 0);
	net->no_check = true;
	return net;
}

/* @packets: of each host in @slots slots; exact, except for the phase of round robin. */
static void ring_shares(const struct speed *s, u32 n, u32 h, u32 slots,
			u32 packets)
{
	u32 x = 2 * more_of(s) + 20, i;
	struct net *net = ring(s, n, h, x);

	net_run(net, 50 * x * slot_of(s));
	for (i = 0; i < n; i++)
		forget(net, i);
	net_run(net, net->fab.now + slots * slot_of(s));
	for (i = 0; i < n; i++)
		EXPECT_NEAR(net->node[i]->rx, packets, 2);
	pfcnet_check(net);
	net_free(net);
}

static void ring_deadlock(const struct speed *s, u32 n, u32 h)
{
	u32 x = 2 * more_of(s) + 20, i;
	struct net *net = ring(s, n, h, x);
	u64 sent;

	net_run(net, 50 * x * slot_of(s));
	sent = net->fab.c.hops;
	for (i = 0; i < n; i++)
		forget(net, i);
	net_run(net, 500 * x * slot_of(s));
	EXPECT_EQ(net->fab.c.hops, sent);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(net->node[i]->rx, 0);
		EXPECT(net->sw[i]->port[1].blocked);
	}
	pfcnet_check(net);
	net_free(net);
}

TEST(rings)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++) {
		ring_deadlock(&speeds[i], 4, 3);
		ring_deadlock(&speeds[i], 5, 3);
		ring_shares(&speeds[i], 3, 2, 2000, 1000);
		ring_shares(&speeds[i], 4, 2, 2000, 1000);
		ring_shares(&speeds[i], 4, 1, 1000, 1000);
	}
}

/* A line of m switches: hosts 0, 2, 4 at its start, 1 and 3 at its end. */
static struct net *line(const struct speed *s, u32 m, u32 classes, u32 x)
{
	struct fab_switch_params p = switch_of(s, 4, classes, x);
	struct fab_endpoint_params ep = pfcnet_host(classes, x * LEN, 1 << 20);
	struct net *net = net_new(m);
	u32 i;

	ep.port.react = s->react;
	for (i = 0; i < m; i++) {
		net_switch_add(net, i, &p);
		net_route(net->sw[i], 1, 3);
		net_route(net->sw[i], 3, i == m - 1 ? 2 : 3);
		if (i)
			net_join(net, &net->sw[i - 1]->port[3],
				 &net->sw[i]->port[0], s->bps, s->prop);
	}
	host_join(net, 0, s, classes, 0, 0);
	net_join(net, &net_node_add(net, 1, &ep)->ep.port,
		 &net->sw[m - 1]->port[3], s->bps, s->prop);
	if (m > 1) {
		host_join(net, 2, s, classes, 0, 1);
		host_join(net, 3, s, classes, m - 1, 2);
		host_join(net, 4, s, classes, 0, 2);
	}
	pfcnet_log(net);
	return net;
}

static void stop_class(struct net *net, u32 id, u16 classes)
{
	struct fab_receive_params rx = { .stopped = classes };

	fab_receive_set(&net->fab, &net->node[id]->ep, &rx);
}

/*
 * E8, how a storm spreads: host 1 takes nothing, host 0 sends at line rate. The
 * host's buffer is over with the x-th packet, which arrives (m + 1) (slot + p)
 * and x - 1 slots after the start; a pause takes effect 84 / C + p + react after its
 * cause. The last switch holds all packets that arrive at that instant or later, and is
 * over x - 1 slots after the first of them; and so on. Per hop that is
 * X / C + 84 / C + p + react, to a slot.
 */
static void storm_spreads(const struct speed *s, u32 m, u32 x)
{
	struct net *net = line(s, m, 1, x);
	fab_time slot = slot_of(s), hop = slot + s->prop, acts, first;
	fab_time delay = frame_of(s) + s->prop + s->react, got, before = 0;
	struct fab_port *port;
	int i;

	stop_class(net, 1, 1);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, (m + 2) * (x * slot + delay + hop));
	acts = (m + 1) * hop + (x - 1) * slot + delay;
	for (i = m; i >= 0; i--) {
		port = i ? &net->sw[i - 1]->port[3] : &net->node[0]->ep.port;
		got = pfcnet_at(port, 0, FAB_NOTICE_PAUSED, 0);
		EXPECT_EQ(got, acts);
		if (before)
			EXPECT_NEAR(got - before, x * slot + delay, slot);
		before = got;
		/* The first packet that comes to switch i then or later. */
		EXPECT((acts - i * hop) % slot);
		first = i * hop + DIV_ROUND_UP(acts - i * hop, slot) * slot;
		acts = first + (x - 1) * slot + delay;
	}
	EXPECT_EQ(net->node[1]->rx, 0);
	pfcnet_check(net);
	stop_class(net, 1, 0);
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, net->sent);
	net_free(net);
}

TEST(storm_spreads)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++) {
		storm_spreads(&speeds[i], 1, 10);
		storm_spreads(&speeds[i], 2, 17);
		storm_spreads(&speeds[i], 4, 30);
	}
}

/*
 * E8, the victims: all of class 0, also host 4's packets to host 3, which takes them.
 * Class 1 has the links for itself, a packet per slot.
 */
static void storm_victims(const struct speed *s)
{
	struct net *net = line(s, 3, 2, 20);

	stop_class(net, 1, 1);
	net->no_check = true;
	net_pump(net, 0, 1, LEN, 0);
	net_pump(net, 4, 3, LEN, 0);
	net_pump(net, 2, 3, LEN, 1);
	net_run(net, 500 * slot_of(s) + 10 * (s->react + s->prop));
	memset(net->node[3]->rx_cls, 0, sizeof(net->node[3]->rx_cls));
	net_run(net, net->fab.now + 1000 * slot_of(s));
	EXPECT_EQ(net->node[3]->rx_cls[0], 0);
	EXPECT_EQ(net->node[3]->rx_cls[1], 1000 * LEN);
	EXPECT_EQ(net->node[1]->rx, 0);
	EXPECT(net->node[0]->ep.port.blocked && net->node[4]->ep.port.blocked);
	EXPECT(!net->node[2]->ep.port.blocked);
	pfcnet_check(net);
	net_free(net);
}

TEST(storm_victims)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++)
		storm_victims(&speeds[i]);
}
