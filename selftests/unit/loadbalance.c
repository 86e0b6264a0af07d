// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Choices among equal ports that depend on more than the flow: random, adaptive,
 * flowlet (E15).
 */
#include <math.h>
#include <stdlib.h>

#include "core/sim/rng.h"
#include "ktap.h"
#include "net.h"

#define PORTS	128

/**
 * struct bench - a forwarding table and its ports
 */
struct bench {
	struct fab_route_table t;
	struct fab_port port[PORTS];
	struct fab_class cls[PORTS][2];
	void *mem;
};

static struct bench *bench_new(const struct fab_route_params *like, u64 salt)
{
	struct fab_route_params p = *like;
	struct bench *b = calloc(1, sizeof(*b));
	u32 i;

	p.ports = PORTS;
	p.dsts = p.dsts ? p.dsts : 4;
	p.groups = p.groups ? p.groups : PORTS + 2;
	EXPECT_EQ(fab_route_params_check(&p), 0);
	b->mem = calloc(1, fab_route_mem(&p));
	EXPECT((char *)fab_route_init(&b->t, &p, salt, b->mem) ==
	       (char *)b->mem + fab_route_mem(&p));
	for (i = 0; i < PORTS; i++) {
		b->port[i].cls = b->cls[i];
		b->port[i].peer = &b->port[i];
		b->port[i].wire.up = true;
	}
	return b;
}

static void bench_free(struct bench *b)
{
	free(b->mem);
	free(b);
}

/* Ports @first to @first + @n - 1 lead to @dst. */
static void bench_set(struct bench *b, u32 dst, u16 first, u16 n)
{
	u16 ports[PORTS], i;

	for (i = 0; i < n; i++)
		ports[i] = first + i;
	EXPECT_EQ(fab_route_set(&b->t, dst, ports, n), 0);
}

static int bench_at(struct bench *b, u32 dst, u32 flow, fab_time now)
{
	struct fab_pkt pkt = { .dst = dst, .flow_hash = flow };

	return fab_route_select(&b->t, b->port, &pkt, now);
}

static int bench_pick(struct bench *b)
{
	return bench_at(b, 0, 1, 0);
}

/* Set the queued bytes of a class of a port, without packets. */
static void bench_queue(struct bench *b, u32 port, u32 cls, u32 bytes)
{
	b->cls[port][cls].bytes = bytes;
	if (bytes)
		b->port[port].ready |= BIT(cls);
	else
		b->port[port].ready &= ~BIT(cls);
}

/*
 * The counts of M packets thrown at n ports are multinomial: each has variance
 * M/n (1 - 1/n), so that the sum of squared deviations has mean M (1 - 1/n). It
 * is M/n times a chi-square of n - 1 degrees, whose variance is 2 (n - 1): over
 * T trials the mean has the deviation M/n sqrt(2 (n - 1) / T).
 */
static void random_spread(u32 n, u32 packets, u32 trials)
{
	struct fab_route_params p = { .select = FAB_SELECT_RANDOM };
	struct bench *b = bench_new(&p, fab_mix(n));
	double mean = (double)packets / n, sum = 0, dev;
	u32 seen[PORTS], trial, i;

	bench_set(b, 0, 3, n);
	for (trial = 0; trial < trials; trial++) {
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < packets; i++)
			seen[bench_pick(b)]++;
		for (i = 0; i < n; i++)
			sum += pow(seen[3 + i] - mean, 2);
	}
	dev = mean * sqrt(2.0 * (n - 1) / trials);
	EXPECT_NEAR(sum / trials, packets * (1 - 1.0 / n), 5 * dev);
	bench_free(b);
}

TEST(random_is_multinomial)
{
	random_spread(2, 1000, 400);
	random_spread(5, 1000, 400);
	random_spread(64, 6400, 100);
}

static u64 random_draw(u64 salt)
{
	struct fab_route_params p = { .select = FAB_SELECT_RANDOM };
	struct bench *b = bench_new(&p, salt);
	u64 draw = 0;
	u32 i;

	bench_set(b, 0, 0, 2);
	for (i = 0; i < 64; i++)
		draw |= (u64)bench_pick(b) << i;
	bench_free(b);
	return draw;
}

/* Two draws of 64 bits differ in half of them, deviation sqrt(64)/2 = 4. */
TEST(random_is_seeded)
{
	u64 salt;

	for (salt = 1; salt < 4; salt++) {
		EXPECT_EQ(random_draw(salt), random_draw(salt));
		EXPECT_NEAR(__builtin_popcountll(random_draw(salt) ^
						 random_draw(salt + 1)), 32, 20);
	}
}

/* With equal ports adaptive is spray: counts differ by at most 1. */
static void idle_even(u32 n)
{
	struct fab_route_params p = { .select = FAB_SELECT_ADAPTIVE };
	struct bench *b = bench_new(&p, n);
	u32 seen[PORTS] = { 0 }, i;

	bench_set(b, 0, 0, n);
	for (i = 0; i < 10 * n; i++)
		seen[bench_pick(b)]++;
	for (i = 0; i < n; i++)
		EXPECT_EQ(seen[i], 10);
	bench_free(b);
}

TEST(adaptive_idle_is_spray)
{
	struct fab_route_params p = { .select = FAB_SELECT_ADAPTIVE };
	struct bench *b;
	u32 salt, first = 0;

	idle_even(2);
	idle_even(7);
	idle_even(PORTS);
	for (salt = 0; salt < 64; salt++) {
		b = bench_new(&p, fab_mix(salt));
		bench_set(b, 0, 0, 8);
		first |= 1U << bench_pick(b);
		bench_free(b);
	}
	EXPECT_EQ(first, 0xff);
}

/* The neighbour of a bad port gets no more than the others. */
static void bad_one(u32 n, u32 bad)
{
	struct fab_route_params p = { .select = FAB_SELECT_ADAPTIVE };
	struct bench *b = bench_new(&p, n);
	u32 seen[PORTS] = { 0 }, i;

	bench_set(b, 0, 0, n);
	bench_queue(b, bad, 0, 1);
	for (i = 0; i < 10 * (n - 1); i++)
		seen[bench_pick(b)]++;
	for (i = 0; i < n; i++)
		EXPECT_EQ(seen[i], i == bad ? 0 : 10);
	bench_free(b);
}

TEST(adaptive_ties_are_even)
{
	bad_one(3, 0);
	bad_one(4, 2);
	bad_one(16, 15);
}

/*
 * The order of criteria: port i + 1 is better than port i in one criterion, and worse
 * in all later ones.
 */
TEST(adaptive_order)
{
	struct fab_route_params p = {
		.select = FAB_SELECT_ADAPTIVE, .quantum = 1000,
	};
	struct bench *b = bench_new(&p, 1);
	u32 i;

	bench_set(b, 0, 0, 5);
	b->port[0].wire.up = false;
	bench_queue(b, 1, 0, 1);
	b->port[1].blocked = BIT(0);
	bench_queue(b, 2, 0, U32_MAX);
	bench_queue(b, 3, 0, 999);
	b->port[3].busy_until = 1;
	bench_queue(b, 4, 0, 999);
	for (i = 4; i > 0; i--) {
		EXPECT_EQ(bench_pick(b), i);
		EXPECT_EQ(bench_pick(b), i);
		b->port[i].peer = NULL;
	}
	/* No port is up: the choice is one that will drop the packet. */
	EXPECT(bench_pick(b) < 5);
	bench_free(b);
}

/* Queues of one step are equal, whatever the bytes; 0 means each byte counts. */
static void quantum_steps(u32 quantum, u32 q0, u32 q1, bool same)
{
	struct fab_route_params p = {
		.select = FAB_SELECT_ADAPTIVE, .quantum = quantum,
	};
	struct bench *b = bench_new(&p, 1);
	u32 seen[2] = { 0 }, i;

	bench_set(b, 0, 0, 2);
	bench_queue(b, 0, 0, q0);
	bench_queue(b, 1, 0, q1);
	for (i = 0; i < 10; i++)
		seen[bench_pick(b)]++;
	EXPECT_EQ(seen[0], same ? 5 : q0 < q1 ? 10 : 0);
	bench_free(b);
}

TEST(adaptive_quantum)
{
	quantum_steps(0, 2, 1, false);
	quantum_steps(0, 7, 7, true);
	quantum_steps(1000, 0, 999, true);
	quantum_steps(1000, 999, 1000, false);
	quantum_steps(4096, 8191, 4096, true);
	quantum_steps(4096, 8192, 8191, false);
}

/* Only the packet's class counts, and only while it holds something. */
TEST(adaptive_looks_at_the_class)
{
	struct fab_route_params p = { .select = FAB_SELECT_ADAPTIVE };
	struct bench *b = bench_new(&p, 1);
	struct fab_pkt pkt = { .cls = 1 };
	u32 i;

	bench_set(b, 0, 0, 2);
	bench_queue(b, 0, 0, 1);
	b->port[0].blocked = BIT(0);
	bench_queue(b, 1, 1, 1);
	for (i = 0; i < 4; i++) {
		pkt.cls = i % 2;
		EXPECT_EQ(fab_route_select(&b->t, b->port, &pkt, 0), !pkt.cls);
	}
	/* The queue was flushed, and there was no choice since. */
	bench_queue(b, 0, 0, 0);
	EXPECT(bench_pick(b) != bench_pick(b));
	bench_free(b);
}

/*
 * Two switches, host 0 at the first, hosts 1 and 3 at the second, @n links in
 * between. Host 2 sends to host 3 over one link, host 0 to host 1 over any.
 */
static struct net *pair_new(const struct fab_switch_params *p, u32 n,
			    u64 any_bps, u64 one_bps, fab_time skew)
{
	struct fab_endpoint_params ep = { .port = net_port(1, 65536) };
	struct net *net = net_new(1);
	u16 up[PORTS], i;

	ep.port.disc = p->port.disc;
	net_switch_add(net, 0, p);
	net_switch_add(net, 1, p);
	for (i = 0; i < n; i++) {
		up[i] = i;
		net_join(net, &net->sw[0]->port[i], &net->sw[1]->port[i],
			 100 * GBPS, i * skew);
	}
	for (i = 0; i < 4; i++)
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[i % 2]->port[n + i / 2],
			 i == 0 ? any_bps : i == 2 ? one_bps : 1000 * GBPS, 0);
	EXPECT_EQ(fab_route_set(&net->sw[0]->route, 1, up, n), 0);
	net_route(net->sw[0], 3, 0);
	net_route(net->sw[1], 1, n);
	net_route(net->sw[1], 3, n + 1);
	return net;
}

static u32 pair_queue(const struct net *net, u32 port)
{
	return net->sw[0]->port[port].cls[0].packets;
}

/* How many of the links between the switches carried a packet? */
static u32 pair_used(const struct net *net, u32 n)
{
	u32 used = 0, i;

	for (i = 0; i < n; i++)
		used += net->sw[0]->port[i].c.tx_packets > 0;
	return used;
}

/**
 * struct load - two loads on two links of 100 Gb/s
 * @any: load that may take either link, Gb/s
 * @one: load on link 0, Gb/s, less than @any
 * @step: packets in a quantum
 */
struct load {
	u64 any, one;
	u32 step;
};

/* @ahead: the most packets by which queue 0, and queue 1, exceeded the other. */
static void load_run(const struct load *l, enum fab_select select, int ahead[2])
{
	struct fab_switch_params p = net_switch_params(4);
	struct net *net;
	fab_time next;
	int diff;

	p.forward = FAB_STORE_FORWARD;
	p.select = select;
	p.quantum = l->step * 1500;
	net = pair_new(&p, 2, l->any * GBPS, l->one * GBPS, 0);
	net_pump(net, 0, 1, 1500, 0);
	net_pump(net, 2, 3, 1500, 0);
	for (next = 0; next < 60 * US; ) {
		net_run(net, next);
		diff = (int)pair_queue(net, 0) - (int)pair_queue(net, 1);
		ahead[0] = max(ahead[0], diff);
		ahead[1] = max(ahead[1], -diff);
		next = fab_event_next(&net->fab.events);
	}
	EXPECT(pair_queue(net, 0) > 10);
	net_free(net);
}

/*
 * Both links drain at one rate. Let w be the work of a link: its queue and the rest of
 * the packet on the wire. The difference of w is constant while both have work, and
 * shrinks otherwise. With m packets to a quantum (1 without one) a packet joins a queue
 * that is at most m - 1 packets longer, and makes that m. The rests differ by less than
 * a packet, so w differs by less than m + 1 packets. Between two packets of the fixed,
 * smaller load there is one that may choose; it compensates the packet that the fixed
 * one adds to queue 0: less than m + 2. So queues in whole packets differ by at most
 * m + 1, and by m + 2 if queue 0 is the longer one.
 */
static void load_bound(u64 any, u64 one, u32 step)
{
	struct load l = { any, one, step };
	int adaptive[2] = { 0 }, spray[2] = { 0 }, m = step ? step : 1;

	load_run(&l, FAB_SELECT_ADAPTIVE, adaptive);
	EXPECT(adaptive[0] <= m + 2);
	EXPECT(adaptive[1] <= m + 1);
	/*
	 * In turn, link 0 has more than half: (any / 2 + one - 100) Gb/s too
	 * much, of 12192 bits per packet; link 1 has no queue.
	 */
	load_run(&l, FAB_SELECT_SPRAY, spray);
	EXPECT_NEAR(spray[0], (any / 2.0 + one - 100) * 60e3 / 12192, 3);
}

TEST(adaptive_evens_out_loads)
{
	load_bound(150, 60, 0);
	load_bound(120, 90, 0);
	load_bound(180, 40, 4);
	load_bound(130, 80, 2);
}

/*
 * A link is down: adaptive spreads the packets over the others exactly and loses
 * none; spray loses its share.
 */
static void down_run(u32 n, u32 down, enum fab_select select, u64 lost)
{
	struct fab_switch_params p = net_switch_params(n + 2);
	struct net *net;
	u32 i;

	p.select = select;
	net = pair_new(&p, n, 100 * GBPS, 100 * GBPS, 0);
	fab_link_up(&net->fab, &net->sw[0]->port[down], false);
	for (i = 0; i < 10 * n * (n - 1); i++) {
		net_send(net, 0, 1, 1000);
		net_drain(net);
	}
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], lost);
	EXPECT_EQ(net->node[1]->rx, 10 * n * (n - 1) - lost);
	for (i = 0; i < n && !lost; i++)
		EXPECT_EQ(net->sw[0]->port[i].c.tx_packets,
			  i == down ? 0 : 10 * n);
	net_free(net);
}

TEST(adaptive_avoids_links_down)
{
	down_run(2, 0, FAB_SELECT_ADAPTIVE, 0);
	down_run(3, 1, FAB_SELECT_ADAPTIVE, 0);
	down_run(5, 4, FAB_SELECT_ADAPTIVE, 0);
	down_run(3, 1, FAB_SELECT_SPRAY, 20);
}

static u32 shut;	/* the port of the first switch that shut_discipline holds */

static bool shut_may_send(const struct fab_port *port, const struct fab_pkt *pkt)
{
	return !port->sw || port->sw->id || port->index != shut;
}

static const struct fab_flow_control shut_flow = {
	.may_send = shut_may_send,
};

static const struct fab_discipline shut_discipline = {
	.name = "shut",
	.framing = &fab_frames,
	.flow = &shut_flow,
};

/*
 * Flow control blocks one link: its queue gets the one packet that reveals it, and no
 * other, however long the other queues get and whatever the quantum.
 */
static void shut_run(u32 n, u32 port, u32 quantum)
{
	struct fab_switch_params p = net_switch_params(n + 2);
	struct net *net;
	u32 i;

	shut = port;
	p.select = FAB_SELECT_ADAPTIVE;
	p.quantum = quantum;
	p.port.disc = &shut_discipline;
	net = pair_new(&p, n, 400 * GBPS, 100 * GBPS, 0);
	for (i = 0; i < n; i++) {
		net_send(net, 0, 1, 1000);
		net_drain(net);
	}
	for (i = 0; i < 10 * (n - 1); i++)
		net_send(net, 0, 1, 1000);
	net_drain(net);
	EXPECT_EQ(net->sw[0]->port[port].c.tx_packets, 0);
	EXPECT_EQ(pair_queue(net, port), 1);
	EXPECT_EQ(net->node[1]->rx, n + 10 * (n - 1) - 1);
	net_free(net);
}

TEST(adaptive_avoids_a_port_held_back)
{
	shut_run(2, 1, 0);
	shut_run(3, 0, 1 << 20);
	shut_run(4, 2, 1000);
}

static struct bench *flowlet_new(u32 flowlets, fab_time gap, u64 salt)
{
	struct fab_route_params p = {
		.select = FAB_SELECT_FLOWLET,
		.flowlets = flowlets,
		.flowlet_gap = gap,
	};

	return bench_new(&p, salt);
}

/*
 * A flow stays for every gap below flowlet_gap, however bad its port gets, and
 * at flowlet_gap exactly it moves if another one is better, and only then.
 */
static void flowlet_times(fab_time gap, u32 n)
{
	struct bench *b = flowlet_new(64, gap, gap);
	fab_time now = 12345;
	int port, i;

	bench_set(b, 0, 0, n);
	port = bench_at(b, 0, 7, now);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(bench_at(b, 0, 7, now += gap), port);
	bench_queue(b, port, 0, 1);
	b->port[port].blocked = BIT(0);
	for (i = 0; i < 100; i++)
		EXPECT_EQ(bench_at(b, 0, 7, now += gap - 1), port);
	i = bench_at(b, 0, 7, now += gap);
	EXPECT(i != port);
	EXPECT_EQ(bench_at(b, 0, 7, now += gap - 1), i);
	bench_free(b);
}

TEST(flowlet_exact_times)
{
	flowlet_times(10 * US, 2);
	flowlet_times(123457, 3);
	flowlet_times(1 * MS, 64);
	flowlet_times(1, 5);
}

/* With a gap of 0 every packet may move. */
TEST(flowlet_gap_of_zero)
{
	struct bench *b = flowlet_new(64, 0, 1);
	int port, i;

	bench_set(b, 0, 0, 4);
	for (i = 0; i < 8; i++) {
		port = bench_at(b, 0, 7, 5);
		bench_queue(b, port, 0, 1 + i);
		EXPECT(bench_at(b, 0, 7, 5) != port);
		bench_queue(b, port, 0, 0);
	}
	bench_free(b);
}

/*
 * F flows hash to n entries. The number of flows that find their entry taken is known
 * from E15: F - n (1 - (1 - 1/n)^F). Such a flow uses the port of the entry; any other
 * takes the next port round robin. Mean over salts; the deviation of one trial is below
 * sqrt(n)/2.
 */
static void flowlet_collide(u32 entries, u32 flows)
{
	const u32 trials = 400;
	double n = entries, want = n * (1 - pow(1 - 1 / n, flows));
	u32 trial, i, fresh = 0, turn;
	struct bench *b;

	for (trial = 0; trial < trials; trial++) {
		b = flowlet_new(entries, 10 * US, fab_mix(trial));
		bench_set(b, 0, 0, PORTS);
		for (i = 0; i < flows; i++) {
			turn = fab_route_get(&b->t, 0)->next;
			bench_at(b, 0, i, 0);
			fresh += fab_route_get(&b->t, 0)->next != turn;
		}
		bench_free(b);
	}
	EXPECT_NEAR((double)fresh / trials, want,
		    5 * sqrt(n) / 2 / sqrt(trials));
}

TEST(flowlet_collisions)
{
	flowlet_collide(1, 5);
	flowlet_collide(64, 64);
	flowlet_collide(256, 100);
	flowlet_collide(64, 300);
}

/* Flows that share an entry keep each other in place, but within their groups. */
TEST(flowlet_shared_entry)
{
	struct bench *b = flowlet_new(1, 1000, 1);
	int port, i;

	bench_set(b, 0, 0, 2);
	bench_set(b, 1, 0, 2);
	bench_set(b, 2, 8, 2);
	port = bench_at(b, 0, 1, 0);
	bench_queue(b, port, 0, 1);
	for (i = 1; i < 9; i++)
		EXPECT_EQ(bench_at(b, i % 2, i, 600 * i), port);
	EXPECT(bench_at(b, 2, 1, 600 * i) >= 8);
	EXPECT(bench_at(b, 0, 1, 600 * i) == !port);
	bench_free(b);
}

TEST(flowlet_leaves_link_down)
{
	struct bench *b = flowlet_new(4, 1000, 1);
	int port, other;

	bench_set(b, 0, 0, 2);
	port = bench_at(b, 0, 1, 0);
	b->port[port].wire.up = false;
	other = bench_at(b, 0, 1, 1);
	EXPECT_EQ(other, !port);
	/* Up again: the flow stays on its new port. */
	b->port[port].wire.up = true;
	EXPECT_EQ(bench_at(b, 0, 1, 2), other);
	bench_free(b);
}

/* How many of 60 packets, sent @apart, come after one that was sent later? */
static u32 reordered(u32 n, enum fab_select select, fab_time gap,
		     fab_time apart)
{
	struct fab_switch_params p = net_switch_params(n + 2);
	fab_time next = 0;
	u32 last = 0, late = 0, i = 0;
	struct net *net;
	u64 rx;

	p.select = select;
	p.flowlets = select == FAB_SELECT_FLOWLET ? 16 : 0;
	p.flowlet_gap = gap;
	/* Two neighbouring links differ by more than the packets are apart. */
	net = pair_new(&p, n, 100 * GBPS, 100 * GBPS, 2 * apart);
	while (next != FAB_NEVER) {
		rx = net->node[1]->rx;
		if (i < 60 && next >= i * apart)
			net_send(net, 0, 1, 100 + i++);
		net_run(net, next);
		if (net->node[1]->rx > rx) {
			late += net->node[1]->rx_pkt.len < last;
			last = max(last, net->node[1]->rx_pkt.len);
		}
		next = fab_event_next(&net->fab.events);
		if (i < 60)
			next = min(next, i * apart);
	}
	EXPECT_EQ(net->node[1]->rx, 60);
	net_free(net);
	return late;
}

/* Packets closer than the gap arrive in order; one by one they would not. */
TEST(flowlet_keeps_order)
{
	EXPECT_EQ(reordered(2, FAB_SELECT_FLOWLET, 10 * US, 10 * US - 1), 0);
	EXPECT_EQ(reordered(4, FAB_SELECT_FLOWLET, 1 * US, 999 * NS), 0);
	EXPECT_EQ(reordered(8, FAB_SELECT_FLOWLET, 50 * US, 1 * US), 0);
	EXPECT(reordered(2, FAB_SELECT_ADAPTIVE, 0, 10 * US - 1) > 10);
	EXPECT(reordered(4, FAB_SELECT_ADAPTIVE, 0, 999 * NS) > 10);
	EXPECT(reordered(8, FAB_SELECT_ADAPTIVE, 0, 1 * US) > 10);
}

/*
 * Through a switch: the flow's link gets a queue; the flow stays there for the packets
 * of its flowlet, and moves with the first one that arrives a gap later.
 */
static void flowlet_moves(u32 n, fab_time gap)
{
	struct fab_switch_params p = net_switch_params(n + 2);
	struct net *net;
	fab_time at;
	u32 i;

	p.select = FAB_SELECT_FLOWLET;
	p.flowlets = 16;
	p.flowlet_gap = gap;
	net = pair_new(&p, n, 100 * GBPS, 200 * GBPS, 0);
	net_send(net, 0, 1, 64);
	net_run(net, at = gap - 1);
	for (i = 0; !net->sw[0]->port[i].c.tx_packets; i++)
		;
	net_route(net->sw[0], 3, i);
	net_pump(net, 2, 3, 1500, 0);
	for (; at < 4 * gap - 5; at += gap - 1) {
		net_send(net, 0, 1, 64);
		net_run(net, at + gap - 1);
	}
	EXPECT(pair_queue(net, i) > 0);
	EXPECT_EQ(pair_used(net, n), 1);
	net_run(net, at + 1);
	net_send(net, 0, 1, 64);
	net_run(net, at + 1);
	EXPECT_EQ(pair_used(net, n), 2);
	net_free(net);
}

TEST(flowlet_moves_at_the_gap)
{
	flowlet_moves(2, 10 * US);
	flowlet_moves(3, 1 * US);
	flowlet_moves(8, 3 * US);
}
