// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole fabrics: conservation under load and teardown, repetition, placement.
 */
#include <math.h>

#include "core/sim/rng.h"
#include "ktap.h"
#include "net.h"

#define HOSTS	8

/*
 * Two leaves (0, 1) with four hosts each, two spines (2, 3). Ports of a leaf:
 * 0 to 3 hosts, 4 and 5 spines. Ports of a spine: 0 and 1 leaves. Multicast
 * goes over spine 2.
 */
static void clos_leaf(struct net *net, u32 leaf)
{
	static const u16 up[] = { 4, 5 }, flood[] = { 0, 1, 2, 3, 4 };
	struct fab_switch *sw = net->sw[leaf];
	u16 port;
	u32 i;

	for (i = 0; i < HOSTS; i++) {
		port = i % 4;
		fab_route_set(&sw->route, i, i / 4 == leaf ? &port : up,
			      i / 4 == leaf ? 1 : 2);
	}
	fab_route_flood_set(&sw->route, flood, 5);
	for (i = 0; i < 2; i++)
		net_join(net, &sw->port[4 + i], &net->sw[2 + i]->port[leaf],
			 100 * GBPS, 20 * NS);
}

static struct net *clos(u64 seed, enum fab_forward forward,
			enum fab_arbiter arbiter, enum fab_select select)
{
	struct fab_switch_params p = net_switch_params(6);
	struct fab_endpoint_params ep = {
		.tx_latency = 100 * NS,
		.rx_latency = 100 * NS,
		.port = net_port(2, 20000),
	};
	static const u16 flood[] = { 0, 1 };
	struct net *net = net_new(seed);
	u32 i, dst;

	p.latency = 300 * NS;
	p.forward = forward;
	p.arbiter = arbiter;
	p.select = select;
	p.port = net_port(2, 30000);
	p.port.sched.weight[0] = 1;
	p.port.sched.quantum = 1000;
	p.buffer.per_port = 50000;
	p.buffer.total = 100000;
	for (i = 0; i < 4; i++)
		net_switch_add(net, i, &p);
	for (i = 2; i < 4; i++) {
		for (dst = 0; dst < HOSTS; dst++)
			net_route(net->sw[i], dst, dst / 4);
		fab_route_flood_set(&net->sw[i]->route, flood, 2);
	}
	for (i = 0; i < 2; i++)
		clos_leaf(net, i);
	for (i = 0; i < HOSTS; i++)
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[i / 4]->port[i % 4], 100 * GBPS, 5 * NS);
	return net;
}

static void clos_load(struct net *net)
{
	struct fab_pkt all = {
		.len = 700, .segs = 1, .flags = FAB_PKT_MULTICAST,
	};
	u32 i;

	for (i = 0; i < HOSTS; i++) {
		net->node[i]->vary = true;
		net_pump(net, i, (i + 9) / 3, 3000, i % 2);
		net_give(net->node[i], &all);
	}
}

/* Every mode, overloaded, invariants after every instant. */
TEST(conservation_under_load)
{
	struct net *net;
	u32 mode;

	for (mode = 0; mode < 8; mode++) {
		net = clos(mode, mode & 1, mode >> 1 & 1, mode >> 2);
		clos_load(net);
		net_run(net, 40 * US);
		EXPECT(net->fab.c.packets_delivered > 100);
		EXPECT(net->fab.c.packets_dropped > 0);
		net_free(net);
	}
}

static void remove_at_random(struct net *net, u64 *rng)
{
	u64 r = fab_rng_next(rng);
	u32 i = (r >> 8) % HOSTS;

	switch (r % 3) {
	case 0:
		net_node_del(net, i);
		break;
	case 1:
		net_switch_del(net, i % 4);
		break;
	default:
		if (net->sw[i % 4])
			fab_link_part(&net->fab, &net->sw[i % 4]->port[r >> 16 &
				      3], FAB_DROP_TEARDOWN);
	}
}

static bool anything_left(const struct net *net)
{
	u32 i;

	for (i = 0; i < HOSTS; i++)
		if (net->node[i] || net->sw[i])
			return true;
	return false;
}

/* Objects are removed one by one, in any order, under load; nothing is left. */
TEST(teardown_in_any_order)
{
	struct net *net;
	u64 seed, rng;

	for (seed = 1; seed <= 60; seed++) {
		rng = seed;
		net = clos(seed, seed & 1, seed >> 1 & 1, seed >> 2 & 1);
		net->no_check = true;
		clos_load(net);
		while (anything_left(net)) {
			net_run(net, net->fab.now +
				fab_rng_next(&rng) % (2 * US));
			remove_at_random(net, &rng);
			EXPECT_NULL_STR(fab_check(&net->fab));
		}
		EXPECT_EQ(net->live, 0);
		net_free(net);
	}
}

static u64 digest(u64 seed, fab_time step)
{
	struct net *net = clos(seed, FAB_CUT_THROUGH, FAB_ARBITER_FIFO,
			       FAB_SELECT_ECMP);
	u64 result;

	net->no_check = true;
	clos_load(net);
	if (!step)
		net_run(net, 100 * US);
	while (net->fab.now < 100 * US)
		fab_run(&net->fab, net->fab.now + step, FAB_NO_BUDGET);
	result = net->digest;
	net_free(net);
	return result;
}

TEST(repeats_with_the_seed)
{
	EXPECT_EQ(digest(1, 0), digest(1, 0));
	EXPECT(digest(1, 0) != digest(2, 0));
}

/*
 * A late call changes when the host learns of a result, not the result: with steps of
 * any length the same packets are delivered at the same times.
 */
TEST(lateness_changes_nothing)
{
	EXPECT_EQ(digest(1, 0), digest(1, 10 * NS));
	EXPECT_EQ(digest(1, 0), digest(1, US));
	EXPECT_EQ(digest(1, 0), digest(1, 100 * US));
}

/* Two hosts on a wire of 80 ps a byte without delay. */
static struct net *pair(void)
{
	struct net *net = net_new(1);

	net_join(net, &net_host(net, 0)->ep.port, &net_host(net, 1)->ep.port,
		 100 * GBPS, 0);
	return net;
}

/*
 * Run a packet of 1000 bytes: its transmission begins at 0, on time, and it arrives at
 * 1024 * 80 ps = 81.92 ns. The model is called @late ps after that.
 */
static struct net *pair_late(fab_time late, fab_time bound)
{
	struct net *net = pair();

	net->fab.late_bound = bound;
	net_send(net, 0, 1, 1000);
	EXPECT_EQ(fab_run(&net->fab, 0, FAB_NO_BUDGET), 1024 * 80);
	EXPECT_EQ(fab_lateness(&net->fab)->max, 0);
	EXPECT_EQ(fab_run(&net->fab, 1024 * 80 + late, FAB_NO_BUDGET),
		  FAB_NEVER);
	EXPECT_EQ(net->fab.now, 1024 * 80 + late);
	return net;
}

/* One sample per event: those on time are samples of 0. */
TEST(lateness_is_measured)
{
	static const fab_time late[] = { 0, 1, 5000, 3 * US };
	const struct fab_hist *h;
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(late); i++) {
		net = pair_late(late[i], US);
		EXPECT_EQ(net->fab.c.events, 2);
		h = fab_lateness(&net->fab);
		EXPECT_EQ(h->count, 2);
		EXPECT_EQ(h->min, 0);
		EXPECT_EQ(h->max, late[i]);
		EXPECT_EQ(h->bucket[0], late[i] < 1024 ? 2 : 1);
		/* Reading it changes nothing. */
		EXPECT_EQ(fab_lateness(&net->fab)->count, 2);
		net_free(net);
	}
}

/* If no event was on time there is no sample of 0. */
TEST(lateness_of_all)
{
	struct net *net = pair();

	net_send(net, 0, 1, 1000);
	fab_run(&net->fab, 100000, FAB_NO_BUDGET);
	EXPECT_EQ(fab_lateness(&net->fab)->count, 2);
	EXPECT_EQ(net->fab.late.min, 100000 - 1024 * 80);
	EXPECT_EQ(net->fab.late.max, 100000);
	EXPECT_EQ(net->fab.late.bucket[0], 0);
	net_free(net);
}

/* An event counts as late if it is later than the bound, not at the bound itself. */
TEST(lateness_beyond_the_bound)
{
	static const fab_time bound[] = { 0, 1, US };
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bound); i++) {
		net = pair_late(bound[i], bound[i]);
		EXPECT_EQ(net->fab.late_events, 0);
		net_free(net);
		net = pair_late(bound[i] + 1, bound[i]);
		EXPECT_EQ(net->fab.late_events, 1);
		net_free(net);
	}
}

/* A clock that steps back is ignored: events due at the fabric's time are executed. */
TEST(time_never_steps_back)
{
	struct net *net = pair_late(18080, US);

	net_send(net, 0, 1, 1000);
	EXPECT_EQ(fab_run(&net->fab, 50000, FAB_NO_BUDGET), 100000 + 1024 * 80);
	EXPECT_EQ(net->fab.c.events, 3);
	EXPECT_EQ(net->fab.now, 100000);
	EXPECT_EQ(net->fab.late.max, 18080);
	net_free(net);
}

/*
 * Turns of any number of events give the same result as a single turn. Each turn
 * executes as many as its budget permits. Fabric time stays at the end of a turn until
 * no event is due any more.
 */
TEST(budget_ends_a_turn)
{
	u64 want = digest(1, 100 * US), budget, before;
	struct net *net;
	fab_time next;

	for (budget = 1; budget <= 1000; budget *= 10) {
		net = clos(1, FAB_CUT_THROUGH, FAB_ARBITER_FIFO,
			   FAB_SELECT_ECMP);
		clos_load(net);
		do {
			before = net->fab.c.events;
			next = fab_run(&net->fab, 100 * US, budget);
			EXPECT(next >= net->fab.now);
			if (next <= 100 * US)
				EXPECT_EQ(net->fab.c.events - before, budget);
		} while (next <= 100 * US);
		EXPECT(net->fab.c.events - before <= budget);
		EXPECT_EQ(net->fab.now, 100 * US);
		EXPECT_EQ(net->digest, want);
		EXPECT_EQ(fab_lateness(&net->fab)->count, net->fab.c.events);
		net_free(net);
	}
}

/* With a budget of 0 no event is executed, and time does not advance. */
TEST(budget_of_nothing)
{
	struct net *net = pair();

	net_send(net, 0, 1, 1000);
	EXPECT_EQ(fab_run(&net->fab, 50000, 0), 0);
	EXPECT_EQ(net->fab.c.events, 0);
	EXPECT_EQ(net->fab.now, 0);
	net_free(net);
}

/* Flows of host 0 that pass spine 2: one bit each. */
static u64 placement(u64 seed)
{
	struct fab_pkt pkt = { .len = 100, .segs = 1, .dst = 4 };
	struct net *net = clos(seed, FAB_CUT_THROUGH, FAB_ARBITER_FIFO,
			       FAB_SELECT_ECMP);
	u64 bits = 0, before;

	net->no_check = true;
	for (pkt.flow_hash = 0; pkt.flow_hash < 64; pkt.flow_hash++) {
		before = net->sw[2]->port[0].c.rx_packets;
		net_give(net->node[0], &pkt);
		net_drain(net);
		bits |= (net->sw[2]->port[0].c.rx_packets - before) <<
			pkt.flow_hash;
	}
	EXPECT_EQ(net->node[4]->rx, 64);
	net_free(net);
	return bits;
}

/*
 * Another seed places flows elsewhere: the placements of 64 flows differ in half
 * of them, with deviation sqrt(64)/2 = 4.
 */
TEST(seed_changes_placement)
{
	EXPECT_EQ(placement(1), placement(1));
	EXPECT_NEAR(__builtin_popcountll(placement(1) ^ placement(2)), 32, 20);
	EXPECT_NEAR(__builtin_popcountll(placement(3) ^ placement(4)), 32, 20);
}

/* Spray through the whole fabric: the uplinks differ by one packet at most. */
TEST(spray_is_even)
{
	struct net *net = clos(1, FAB_CUT_THROUGH, FAB_ARBITER_FIFO,
			       FAB_SELECT_SPRAY);
	u64 a, b;
	u32 i;

	net->no_check = true;
	for (i = 0; i < 101; i++) {
		net_send(net, 0, 4 + i % 4, 1500);
		net_drain(net);
		a = net->sw[0]->port[4].c.tx_packets;
		b = net->sw[0]->port[5].c.tx_packets;
		EXPECT_EQ(a + b, i + 1);
		EXPECT(a - b + 1 <= 2);
	}
	net_free(net);
}

/* Everything sent below capacity arrives; tx and rx counters agree per link. */
TEST(counters_agree)
{
	struct net *net = clos(1, FAB_CUT_THROUGH, FAB_ARBITER_FIFO,
			       FAB_SELECT_ECMP);
	struct fab_port *port;
	u32 i, round;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < HOSTS; i++)
			net_send(net, i, (i + round) % HOSTS, 100 + 50 * round);
		net_drain(net);
	}
	EXPECT_EQ(net->fab.c.packets_delivered, 20 * HOSTS);
	for (i = 0; i < 6; i++) {
		port = &net->sw[0]->port[i];
		EXPECT_EQ(port->c.tx_packets, port->peer->c.rx_packets);
		EXPECT_EQ(port->c.tx_bytes, port->peer->c.rx_bytes);
		EXPECT_EQ(port->peer->c.tx_bytes, port->c.rx_bytes);
		EXPECT_EQ(port->c.tx_wire_bytes,
			  port->c.tx_bytes + 24 * port->c.tx_packets);
		EXPECT_EQ(port->c.tx_busy_ps, port->c.tx_wire_bytes * 80);
	}
	net_free(net);
}
