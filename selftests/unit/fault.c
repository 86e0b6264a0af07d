// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults of wires: when they are active, their effect, and the state after their end.
 */
#include <math.h>

#include "ktap.h"
#include "net.h"

#define PACKETS	100000U

/* Two hosts on one link; a 1000-byte frame takes 1024 bytes on the wire. */
static struct net *duo(u64 bps, fab_time propagation)
{
	struct net *net = net_new(1);

	net_join(net, &net_host(net, 0)->ep.port, &net_host(net, 1)->ep.port,
		 bps, propagation);
	return net;
}

static struct fab_port *port_of(struct net *net)
{
	return &net->node[0]->ep.port;
}

static void inject(struct net *net, struct fab_fault *f,
		   struct fab_fault_params p)
{
	EXPECT_EQ(fab_fault_params_check(&p), 0);
	fab_fault_add(&net->fab, port_of(net), f, &p);
	EXPECT_NULL_STR(fab_check(&net->fab));
}

/* Time of one packet from now until its delivery; 0 if it is lost. */
static fab_time one_way(struct net *net)
{
	fab_time then = net->fab.now;
	u64 before = net->node[1]->rx;

	net_send(net, 0, 1, 1000);
	net_drain(net);
	return net->node[1]->rx > before ? net->node[1]->rx_at - then : 0;
}

TEST(params)
{
	static const struct {
		struct fab_fault_params p;
		int err;
	} t[] = {
		{ { .kind = FAB_FAULT_DOWN }, 0 },
		{ { .kind = FAB_FAULT_DOWN, .start = BIT_ULL(63) + 1 },
		  -ERANGE },
		{ { .kind = FAB_FAULT_DOWN, .duration = FAB_DELAY_MAX + 1 },
		  -ERANGE },
		{ { .kind = FAB_FAULT_DOWN, .duration = 1,
		    .period = FAB_DELAY_MAX + 1 }, -ERANGE },
		{ { .kind = FAB_FAULT_DOWN, .period = 1 }, -EINVAL },
		{ { .kind = FAB_FAULT_DOWN, .period = 5, .duration = 5 },
		  -EINVAL },
		{ { .kind = FAB_FAULT_DOWN, .count = 1 }, -EINVAL },
		{ { .kind = FAB_FAULT_RATE }, -EINVAL },
		{ { .kind = FAB_FAULT_RATE, .rate_bps = 999 }, -ERANGE },
		{ { .kind = FAB_FAULT_RATE, .rate_bps = FAB_RATE_MAX + 1 },
		  -ERANGE },
		{ { .kind = FAB_FAULT_DELAY }, -EINVAL },
		{ { .kind = FAB_FAULT_DELAY, .delay = FAB_DELAY_MAX + 1 },
		  -ERANGE },
		{ { .kind = FAB_FAULT_DELAY, .jitter = FAB_DELAY_MAX + 1 },
		  -ERANGE },
		{ { .kind = FAB_FAULT_LOSS }, -ERANGE },
		{ { .kind = FAB_FAULT_LOSS, .ppb = FAB_FAULT_PPB + 1 },
		  -ERANGE },
		{ { .kind = FAB_FAULT_LOSS, .ppb = FAB_FAULT_BURST_PPB + 1,
		    .burst = 2 }, -ERANGE },
		{ { .kind = FAB_FAULT_LOSS, .ppb = 1,
		    .burst = FAB_FAULT_BURST_MAX + 1 }, -ERANGE },
		{ { .kind = FAB_FAULT_CORRUPT }, -ERANGE },
		{ { .kind = FAB_FAULT_CORRUPT,
		    .bits_per_error = FAB_ERROR_MAX + 1 }, -ERANGE },
		{ { .kind = FAB_FAULT_REORDER, .ppb = 1 }, -EINVAL },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		EXPECT_EQ(fab_fault_params_check(&t[i].p), t[i].err);
}

/* The delay, and nothing else, is added to propagation and wire time. */
TEST(delay)
{
	static const fab_time delays[] = { 1, 333 * NS, 5 * MS };
	struct fab_fault f = { 0 };
	struct net *net;
	fab_time law;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(delays); i++) {
		net = duo(100 * GBPS, 200 * NS);
		law = 1024 * 80 + 200 * NS;
		EXPECT_EQ(one_way(net), law);
		inject(net, &f, (struct fab_fault_params) {
			.kind = FAB_FAULT_DELAY, .delay = delays[i] });
		EXPECT_EQ(one_way(net), law + delays[i]);
		EXPECT_EQ(f.c.packets, 1);
		fab_fault_remove(&net->fab, &f);
		EXPECT_EQ(one_way(net), law);
		memset(&f, 0, sizeof(f));
		net_free(net);
	}
}

/* Delays of two faults add up; the lowest rate and number of lanes apply. */
TEST(stack)
{
	struct net *net = duo(100 * GBPS, 0);
	struct fab_fault f[5] = { 0 };

	inject(net, &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_DELAY, .delay = 3 * US });
	inject(net, &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_DELAY, .delay = 4 * US });
	EXPECT_EQ(one_way(net), 1024 * 80 + 7 * US);
	inject(net, &f[2], (struct fab_fault_params) {
		.kind = FAB_FAULT_RATE, .rate_bps = 10 * GBPS });
	inject(net, &f[3], (struct fab_fault_params) {
		.kind = FAB_FAULT_RATE, .rate_bps = 40 * GBPS });
	EXPECT_EQ(one_way(net), 1024 * 800 + 7 * US);
	fab_fault_remove(&net->fab, &f[0]);
	fab_fault_remove(&net->fab, &f[2]);
	EXPECT_EQ(one_way(net), 1024 * 200 + 4 * US);
	/* A rate above that of the wire changes nothing. */
	inject(net, &f[4], (struct fab_fault_params) {
		.kind = FAB_FAULT_RATE, .rate_bps = 400 * GBPS });
	fab_fault_remove(&net->fab, &f[3]);
	fab_fault_remove(&net->fab, &f[1]);
	EXPECT_EQ(one_way(net), 1024 * 80);
	net_free(net);
}

/* 3 of 4 lanes carry three quarters: a byte takes 4/3 of its time, rounded up. */
TEST(lanes)
{
	struct fab_wire_params p = net_wire(100 * GBPS, 0);
	struct net *net = net_new(1);
	struct fab_fault f[2] = { 0 };

	p.lanes = 4;
	p.lanes_up = 4;
	EXPECT_EQ(fab_link_join(&net->fab, &net_host(net, 0)->ep.port,
				&net_host(net, 1)->ep.port, &p, &p), 0);
	inject(net, &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_RATE, .lanes = 3 });
	EXPECT_EQ(one_way(net), (1024 * 80 * 4 + 2) / 3);
	inject(net, &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_RATE, .lanes = 1 });
	EXPECT_EQ(one_way(net), 1024 * 80 * 4);
	/* Settings changed meanwhile apply once the faults are gone. */
	p.rate_bps = 200 * GBPS;
	fab_link_set(&net->fab, port_of(net), &p);
	EXPECT_EQ(one_way(net), 1024 * 40 * 4);
	fab_fault_remove(&net->fab, &f[0]);
	fab_fault_remove(&net->fab, &f[1]);
	EXPECT_EQ(one_way(net), 1024 * 40);
	net_free(net);
}

/*
 * Windows from 10 us on, each of 3 us, every 8 us, four of them. A packet sent
 * at t takes 81.92 ns; it is lost if the wire is down at any time from t to
 * t + 81.92 ns. The instant at which a window ends is not part of the window.
 */
TEST(flap)
{
	struct net *net = duo(100 * GBPS, 0);
	struct fab_fault f = { 0 };
	u32 i, sent = 0, lost = 0;
	fab_time t, from;

	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_DOWN, .start = 10 * US, .duration = 3 * US,
		.period = 8 * US, .count = 4 });
	for (t = 0; t < 60 * US; t += 100 * NS, sent++) {
		net_run(net, t);
		net_send(net, 0, 1, 1000);
		for (i = 0; i < 4; i++) {
			from = 10 * US + i * 8 * US;
			lost += t + 1024 * 80 >= from && t < from + 3 * US;
		}
	}
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], lost);
	EXPECT_EQ(net->node[1]->rx, sent - lost);
	EXPECT_EQ(f.state, FAB_FAULT_OVER);
	EXPECT_EQ(f.c.windows, 4);
	EXPECT_EQ(f.c.active_ps, 12 * US);
	EXPECT_EQ(f.c.packets, lost);
	EXPECT(port_of(net)->wire.up);
	net_free(net);
}

/* Edges to the picosecond, and a window without an end. */
TEST(window_edges)
{
	struct net *net = duo(100 * GBPS, 0);
	struct fab_port *port = port_of(net);
	struct fab_fault f[2] = { 0 };

	inject(net, &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_DOWN, .start = 7001, .duration = 13 });
	EXPECT_EQ(fab_fault_next(&f[0]), 7001);
	net_run(net, 7000);
	EXPECT(port->wire.up);
	net_run(net, 7001);
	EXPECT(!port->wire.up);
	/* A second one keeps it down when the first ends. */
	inject(net, &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_DOWN, .start = 3 });
	EXPECT_EQ(fab_fault_next(&f[1]), FAB_NEVER);
	net_run(net, 7013);
	EXPECT_EQ(f[0].state, FAB_FAULT_ACTIVE);
	net_run(net, 7014);
	EXPECT_EQ(f[0].state, FAB_FAULT_OVER);
	EXPECT(!port->wire.up);
	fab_fault_settle(&net->fab, &f[1]);
	EXPECT_EQ(f[1].c.active_ps, 13);
	/* Setting the wire up has no effect yet, but is recorded; so is setting it down. */
	fab_link_up(&net->fab, port, true);
	EXPECT(!port->wire.up);
	fab_link_up(&net->fab, port, false);
	fab_fault_remove(&net->fab, &f[1]);
	EXPECT(!port->wire.up);
	fab_link_up(&net->fab, port, true);
	EXPECT(port->wire.up);
	net_free(net);
}

static u64 lose(struct fab_fault_params p, u32 n)
{
	struct net *net = duo(100 * GBPS, 0);
	struct fab_fault f = { 0 };
	u32 i;

	net->no_check = true;
	inject(net, &f, p);
	for (i = 0; i < n; i++)
		one_way(net);
	EXPECT_EQ(f.c.packets, net->drops[FAB_DROP_FAULT]);
	EXPECT_EQ(net->node[1]->rx + f.c.packets, n);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_free(net);
	return f.c.packets;
}

/* Binomial: mean n p, deviation sqrt(n p (1 - p)); five of them. */
TEST(loss)
{
	static const u32 ppb[] = { 1000000, 10000000, 250000000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ppb); i++) {
		struct fab_fault_params p = {
			.kind = FAB_FAULT_LOSS, .ppb = ppb[i], .seed = i };
		double share = ppb[i] / 1e9, mean = PACKETS * share;
		u64 lost = lose(p, PACKETS);

		EXPECT(fabs((double)lost - mean) <
		       5 * sqrt(mean * (1 - share)));
		EXPECT_EQ(lose(p, PACKETS), lost);
		p.seed += 1000;
		EXPECT(lose(p, PACKETS) != lost);
	}
	EXPECT_EQ(lose((struct fab_fault_params) {
		.kind = FAB_FAULT_LOSS, .ppb = FAB_FAULT_PPB }, 1000), 1000);
}

/*
 * Bursts end with probability 1/B after each frame: they are geometric with mean
 * B and variance B (B - 1), the gaps with mean B (1 - p) / p. Of n frames
 * n p / B begin a burst; the mean of so many bursts is within five of its
 * deviations, and so is their number, whose variance is at most that of a renewal
 * process, n (var B + var gap) / (mean B + mean gap)^3.
 */
TEST(bursts)
{
	static const u32 burst[] = { 2, 10, 50 };
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(burst); i++) {
		struct net *net = duo(100 * GBPS, 0);
		double b = burst[i], gap = b * 19, n, law;
		struct fab_fault f = { 0 };
		u64 bursts = 0;
		bool was = false;

		net->no_check = true;
		inject(net, &f, (struct fab_fault_params) {
			.kind = FAB_FAULT_LOSS, .ppb = 50000000,
			.burst = burst[i], .seed = 5 });
		for (k = 0; k < PACKETS; k++) {
			bool lost = !one_way(net);

			bursts += lost && !was;
			was = lost;
		}
		n = PACKETS / (b + gap);
		law = 5 * sqrt(PACKETS * (b * (b - 1) + gap * (gap - 1)) /
			       pow(b + gap, 3));
		EXPECT(fabs((double)bursts - n) < law);
		EXPECT(fabs((double)f.c.packets / (double)bursts - b) <
		       5 * sqrt(b * (b - 1) / (double)bursts));
		net_free(net);
	}
}

/* Like the wire's own errors: hit with 1 - exp(-bits / mean); 1024 bytes each. */
TEST(corrupt)
{
	static const u64 mean[] = { 100000, 1000000, 10000000 };
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(mean); i++) {
		struct net *net = duo(100 * GBPS, 0);
		double p = 1 - exp(-8192.0 / (double)mean[i]), law = PACKETS * p;
		struct fab_fault f = { 0 };

		net->no_check = true;
		inject(net, &f, (struct fab_fault_params) {
			.kind = FAB_FAULT_CORRUPT, .bits_per_error = mean[i] });
		for (k = 0; k < PACKETS; k++)
			one_way(net);
		EXPECT_EQ(net->drops[FAB_DROP_BIT_ERROR], f.c.packets);
		EXPECT(fabs((double)f.c.packets - law) <
		       5 * sqrt(law * (1 - p)));
		net_free(net);
	}
}

/* Jitter is uniform: mean J/2, deviation J / sqrt(12 n), never beyond J. */
TEST(jitter)
{
	struct net *net = duo(100 * GBPS, 0);
	fab_time law = 1024 * 80, jitter = 10 * US, t, most = 0;
	struct fab_fault f = { 0 };
	double sum = 0;
	u32 i;

	net->no_check = true;
	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_DELAY, .delay = US, .jitter = jitter });
	for (i = 0; i < PACKETS; i++) {
		t = one_way(net) - law - US;
		most = max(most, t);
		sum += (double)t;
	}
	EXPECT(most <= jitter && most > jitter - jitter / 1000);
	EXPECT(fabs(sum / PACKETS - (double)jitter / 2) <
	       5 * (double)jitter / sqrt(12.0 * PACKETS));
	net_free(net);
}

static u64 expected_id, overtaken;

static void see_order(struct net_node *node, const struct fab_pkt *pkt)
{
	u64 id = container_of(pkt, struct net_pkt, p)->id;

	overtaken += id < expected_id;
	expected_id = max(expected_id, id);
}

static void flood(struct net *net, u32 n)
{
	u32 i;

	expected_id = 0;
	overtaken = 0;
	net->node[1]->on_deliver = see_order;
	for (i = 0; i < n; i++) {
		while (fab_endpoint_stop(&net->node[0]->ep, 0))
			net_run(net, net->fab.now + 100 * NS);
		net_send(net, 0, 1, 1000);
	}
	net_drain(net);
}

/* Jitter alone keeps the order, even if it is much longer than a packet's time. */
TEST(jitter_keeps_order)
{
	struct net *net = duo(100 * GBPS, 0);
	struct fab_fault f = { 0 };

	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_DELAY, .jitter = 20 * US });
	flood(net, 2000);
	EXPECT_EQ(net->node[1]->rx, 2000);
	EXPECT_EQ(overtaken, 0);
	net_free(net);
}

/*
 * A packet that is delayed by more than a packet's time is overtaken, unless it is
 * among the last ones. All others keep the order, and nothing is lost.
 */
TEST(reorder)
{
	static const u32 ppb[] = { 1000000, 50000000, 300000000 };
	struct fab_fault f;
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ppb); i++) {
		net = duo(100 * GBPS, US);
		f = (struct fab_fault) { 0 };
		inject(net, &f, (struct fab_fault_params) {
			.kind = FAB_FAULT_REORDER, .ppb = ppb[i],
			.delay = 5 * US });
		flood(net, 5000);
		EXPECT_EQ(net->node[1]->rx, 5000);
		/* At most 61 packets of 81.92 ns go by within the delay. */
		EXPECT(overtaken <= f.c.packets);
		EXPECT(overtaken + 62 >= f.c.packets);
		EXPECT_EQ(port_of(net)->faults.late, 0);
		net_free(net);
	}
}

/* Removed with packets in flight: the late ones arrive late, all others at once. */
TEST(reorder_removed)
{
	struct net *net = duo(100 * GBPS, 0);
	struct fab_fault f = { 0 };
	fab_time then;

	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_REORDER, .ppb = FAB_FAULT_PPB,
		.delay = 50 * US });
	net_send(net, 0, 1, 1000);
	net_run(net, US);
	EXPECT_EQ(port_of(net)->faults.late, 1);
	fab_fault_remove(&net->fab, &f);
	then = net->fab.now;
	net_send(net, 0, 1, 1000);
	net_run(net, 2 * US);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(net->node[1]->rx_at, then + 1024 * 80);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at, 50 * US + 1024 * 80);
	EXPECT(!(port_of(net)->special & FAB_SPECIAL_FAULT));
	net_free(net);
}

/* The copy arrives one packet's time later, and takes that time on the wire. */
TEST(duplicate)
{
	struct net *net = duo(100 * GBPS, 300 * NS);
	struct fab_fault f = { 0 };

	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_DUPLICATE, .ppb = FAB_FAULT_PPB });
	EXPECT_EQ(one_way(net), 2 * 1024 * 80 + 300 * NS);
	EXPECT_EQ(net->node[1]->rx, 2);
	EXPECT_EQ(port_of(net)->c.tx_packets, 2);
	EXPECT_EQ(port_of(net)->c.tx_busy_ps, 2 * 1024 * 80);
	flood(net, 100);
	EXPECT_EQ(net->node[1]->rx, 202);
	EXPECT_EQ(overtaken, 0);
	net->no_clone = true;
	flood(net, 100);
	EXPECT_EQ(net->node[1]->rx, 302);
	net_free(net);
}

/* Half of the packets, within the binomial interval. */
TEST(duplicate_some)
{
	struct net *net = duo(100 * GBPS, 0);
	struct fab_fault f = { 0 };

	net->no_check = true;
	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_DUPLICATE, .ppb = FAB_FAULT_PPB / 2 });
	flood(net, 10000);
	EXPECT_EQ(net->node[1]->rx, 10000 + f.c.packets);
	EXPECT(fabs((double)f.c.packets - 5000) < 5 * sqrt(2500));
	net_free(net);
}

/* Faults that a link with credits cannot have. */
TEST(suits)
{
	static const struct {
		const struct fab_discipline *disc;
		bool suits;
	} t[] = {
		{ &fab_drop_tail, true }, { &fab_pause, true },
		{ &fab_pfc, true }, { &fab_credit, false },
		{ &fab_nvlink, false }, { &fab_pcie, false },
	};
	struct fab_port_params p = { 0 };
	struct fab_port port = { .p = &p };
	u32 i, kind;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		p.disc = t[i].disc;
		for (kind = 0; kind < FAB_FAULT_DUPLICATE; kind++)
			EXPECT(fab_fault_suits(&port, kind));
		EXPECT_EQ(fab_fault_suits(&port, FAB_FAULT_DUPLICATE),
			  t[i].suits);
		EXPECT_EQ(fab_fault_suits(&port, FAB_FAULT_REORDER),
			  t[i].suits);
	}
}
