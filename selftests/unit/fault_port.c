// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults of ports and NICs: lost credits, pause storms, hangs, slow hosts, marks.
 */
#include "core/sim/rng.h"
#include "ib.h"
#include "ktap.h"
#include "net.h"
#include "nv.h"
#include "pfcnet.h"

#define RATE	(100 * GBPS)
#define PROP	(100 * NS)
#define LEN	1000U
#define SLOT	((LEN + 24) * 80ULL)		/* of a packet on the wire */
#define PAUSE	(FAB_PFC_WIRE * 80ULL + PROP)	/* until a pause acts */

static void inject(struct net *net, struct fab_port *port, struct fab_fault *f,
		   struct fab_fault_params p)
{
	EXPECT_EQ(fab_fault_params_check(&p), 0);
	EXPECT(fab_fault_suits(port, p.kind));
	memset(f, 0, sizeof(*f));
	fab_fault_add(&net->fab, port, f, &p);
	EXPECT_NULL_STR(fab_check(&net->fab));
}

static struct fab_port *port_of(struct net *net, u32 id)
{
	return &net->node[id]->ep.port;
}

static struct net *pair_of(const struct fab_endpoint_params *p)
{
	struct net *net = net_new(1);
	u32 i;

	for (i = 0; i < 2; i++)
		net_node_add(net, i, p);
	net_join(net, port_of(net, 0), port_of(net, 1), RATE, PROP);
	return net;
}

static struct net *plain_pair(void)
{
	struct fab_endpoint_params p = { .port = net_port(1, 65536) };

	return pair_of(&p);
}

/* Two classes; a class of the buffer is over with its 20th packet. */
static struct net *pause_pair(const struct fab_discipline *disc, u16 quanta)
{
	struct fab_endpoint_params p = pfcnet_host(2, 20 * LEN, 1 << 20);

	p.port.disc = disc;
	p.port.flow.pfc.quanta = quanta;
	return pair_of(&p);
}

static void give(struct net *net, u32 src, u8 cls)
{
	struct fab_pkt pkt = { .len = LEN, .dst = !src, .segs = 1, .cls = cls };

	EXPECT_EQ(net_give(net->node[src], &pkt), 0);
}

static void finish(struct net *net)
{
	net_drain(net);
	net_free(net);
}

TEST(params)
{
	static const struct {
		struct fab_fault_params p;
		int err;
	} t[] = {
		{ { .kind = FAB_FAULT_CREDIT_LOSS }, -ERANGE },
		{ { .kind = FAB_FAULT_CREDIT_LOSS, .ppb = FAB_FAULT_PPB + 1 },
		  -ERANGE },
		{ { .kind = FAB_FAULT_SLOW }, 0 },
		{ { .kind = FAB_FAULT_SLOW, .rate_bps = 999 }, -ERANGE },
		{ { .kind = FAB_FAULT_SLOW, .rate_bps = FAB_RATE_MAX + 1 },
		  -ERANGE },
		{ { .kind = FAB_FAULT_ECN }, 0 },
		{ { .kind = FAB_FAULT_ECN, .red.kmin = 1 }, -EINVAL },
		{ { .kind = FAB_FAULT_ECN, .red.kmax = 1,
		    .red.pmax = FAB_MARK_ONE + 1 }, -EINVAL },
		{ { .kind = FAB_FAULT_HANG, .count = 1 }, -EINVAL },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		EXPECT_EQ(fab_fault_params_check(&t[i].p), t[i].err);
}

/* Links with credits can lose credits, links with pauses can have storms. */
TEST(suits)
{
	static const struct {
		const struct fab_discipline *disc;
		bool credits, pauses;
	} t[] = {
		{ &fab_drop_tail, false, false }, { &fab_pause, false, true },
		{ &fab_pfc, false, true }, { &fab_credit, true, false },
		{ &fab_nvlink, true, false }, { &fab_pcie, true, false },
	};
	struct fab_port_params p = { 0 };
	struct fab_endpoint ep = { .port.ep = &ep, .port.p = &p };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		p.disc = t[i].disc;
		EXPECT_EQ(fab_fault_suits(&ep.port, FAB_FAULT_CREDIT_LOSS),
			  t[i].credits);
		EXPECT_EQ(fab_fault_suits(&ep.port, FAB_FAULT_PAUSE_STORM),
			  t[i].pauses);
		EXPECT(fab_fault_suits(&ep.port, FAB_FAULT_HANG));
		EXPECT(fab_fault_suits(&ep.port, FAB_FAULT_SLOW));
		EXPECT(!fab_fault_suits(&ep.port, FAB_FAULT_ECN));
	}
}

/*
 * A packet fills the whole buffer. The far end grants the next when it has the first,
 * at t. That frame is lost, and is repeated every 5 us: those at t, t + 5, t + 10 and
 * t + 15 us are lost within the window. The one at t + 20 us arrives, with all credits.
 */
TEST(credits_come_back)
{
	struct ib ib = { .bps = RATE, .propagation = PROP, .blocks = 65,
			 .refresh = 5 * US };
	fab_time time = ib_time(&ib, 4096 + IB_HEADER);
	fab_time update = ib_time(&ib, FAB_CREDIT_FRAME) + PROP;
	struct net *net = ib_pair(&ib);
	fab_time start = 100 * US, t = start + time + PROP;
	struct fab_fault f;
	u32 i;

	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_CREDIT_LOSS, .ppb = FAB_FAULT_PPB,
		.start = start, .duration = 17 * US });
	net_run(net, start);
	for (i = 0; i < 3; i++)
		net_send(net, 0, 1, 4096);
	net_run(net, t + 20 * US + update + time + PROP - 1);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(f.c.control, 4);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at,
		  t + 20 * US + 2 * (update + time + PROP));
	EXPECT_EQ(net->node[1]->rx, 3);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	EXPECT_EQ(f.c.packets, 0);
	net_free(net);
}

/*
 * Credits that ride on packets are lost too, but not the packets. A packet takes 63 of
 * 4096 credits: 65 packets are sent, and no more until the window is over.
 */
TEST(riding_credits)
{
	struct fab_wire_params w = nv_wire(RATE, PROP);
	struct fab_port_params p = nv_port(1, 4096, 4096);
	struct net *net = nv_pair(&p, &w);
	struct fab_fault f;

	net_run(net, 10 * US);
	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_CREDIT_LOSS, .ppb = FAB_FAULT_PPB,
		.duration = 100 * US });
	net_pump(net, 0, 1, LEN, 0);
	net_pump(net, 1, 0, LEN, 0);
	net_run(net, 110 * US);
	EXPECT_EQ(net->node[1]->rx, 4096 / DIV_ROUND_UP(LEN, NV_FLIT));
	EXPECT(net->node[0]->rx > 1000);
	/* The last lost ride was sent less than a repetition before the end. */
	net_run(net, 120 * US + SLOT + PROP);
	EXPECT(net->node[1]->rx > 65);
	net_pump(net, 0, 1, 0, 0);
	net_pump(net, 1, 0, 0, 0);
	finish(net);
}

/*
 * A pause lasts 100 quanta of 5.12 ns and is repeated every 256 ns. The 196th and last
 * one is at 195 * 256 ns = 49.92 us.
 */
static void storm(const struct fab_discipline *disc, u16 classes, bool other)
{
	struct net *net = pause_pair(disc, 100);
	fab_time first = 10 * US + PAUSE, last = first + 195 * 256 * NS;
	struct fab_port *port = port_of(net, 0);
	struct fab_fault f;

	pfcnet_log(net);
	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_PAUSE_STORM, .classes = classes,
		.start = 10 * US, .duration = 50 * US });
	net_run(net, 20 * US);
	give(net, 0, 1);
	give(net, 0, 0);
	net_run(net, last + 512 * NS);
	EXPECT_EQ(net->node[1]->rx, other);
	net_drain(net);
	EXPECT_EQ(pfcnet_at(port, 1, FAB_NOTICE_PAUSED, 0), first);
	EXPECT_EQ(pfcnet_at(port, 1, FAB_NOTICE_RESUMED, 0), last + 512 * NS);
	EXPECT_EQ(pfcnet_notes(port, 1, FAB_NOTICE_PAUSED), 1);
	EXPECT_EQ(pfcnet_notes(port, 0, FAB_NOTICE_PAUSED), !other);
	EXPECT_EQ(net->node[1]->rx_at,
		  last + 512 * NS + SLOT * (other ? 1 : 2) + PROP);
	EXPECT_EQ(f.c.control, 196);
	pfcnet_check(net);
	pfcnet_log_end();
	net_free(net);
}

TEST(pause_storm)
{
	storm(&fab_pfc, BIT(1), true);
	storm(&fab_pfc, 0, false);
	storm(&fab_pause, 0, false);
}

/* A buffer that is over when the storm ends keeps the far end stopped. */
TEST(storm_on_a_full_buffer)
{
	struct net *net = pause_pair(&fab_pfc, 100);
	struct fab_fault stop, f;

	pfcnet_log(net);
	net_pump(net, 0, 1, LEN, 0);
	inject(net, port_of(net, 1), &stop, (struct fab_fault_params) {
		.kind = FAB_FAULT_SLOW });
	net_run(net, 20 * US);
	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_PAUSE_STORM, .duration = 5 * US });
	net_run(net, 50 * US);
	EXPECT_EQ(pfcnet_notes(port_of(net, 0), 0, FAB_NOTICE_RESUMED), 0);
	fab_fault_remove(&net->fab, &stop);
	net_run(net, 60 * US);
	EXPECT_EQ(pfcnet_at(port_of(net, 0), 0, FAB_NOTICE_RESUMED, 0),
		  50 * US + PAUSE);
	net_pump(net, 0, 1, 0, 0);
	pfcnet_log_end();
	finish(net);
}

/*
 * The watchdog of the switch polls every 10 us from the first pause on, and finds the
 * class stuck twice. It restores the class 30 us after the last pause. That is the
 * 40th, as each comes 500 quanta of 5.12 ns after the one before.
 */
TEST(storm_and_watchdog)
{
	struct fab_switch_params p = pfcnet_switch(2, 1, 1 << 20, 1 << 20);
	struct fab_endpoint_params ep = { .port = pfcnet_port(1, 0) };
	fab_time first = 10 * US + PAUSE;
	struct net *net = net_new(1);
	struct fab_fault f;
	u32 i;

	p.port.flow.pfc.action = FAB_WATCHDOG_DROP;
	p.port.flow.pfc.poll = 10 * US;
	p.port.flow.pfc.detect = 20 * US;
	p.port.flow.pfc.restore = 30 * US;
	ep.port.flow.pfc.quanta = 1000;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++) {
		net_node_add(net, i, &ep);
		net_join(net, port_of(net, i), &net->sw[0]->port[i], RATE,
			 PROP);
		net_route(net->sw[0], i, i);
	}
	pfcnet_log(net);
	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_PAUSE_STORM, .start = 10 * US,
		.duration = 100 * US });
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 200 * US);
	EXPECT_EQ(pfcnet_at(&net->sw[0]->port[1], 0, FAB_NOTICE_WATCHDOG, 0),
		  first + 20 * US);
	EXPECT_EQ(pfcnet_at(&net->sw[0]->port[1], 0, FAB_NOTICE_RESTORED, 0),
		  first + 39 * 2560 * NS + 30 * US);
	EXPECT_EQ(net->sw[0]->port[1].cls[0].c.watchdogs, 1);
	EXPECT(net->drops[FAB_DROP_WATCHDOG] > 100);
	net_pump(net, 0, 1, 0, 0);
	pfcnet_log_end();
	finish(net);
}

/*
 * The k-th packet arrives at k * SLOT + PROP; the 121st is the first after 10 us. The
 * 20th of those fills the class, so the sender stops a pause later, and resumes one
 * after the end. Packets that the NIC itself has to send wait until the end.
 */
TEST(hang_stops_the_sender)
{
	struct net *net = pause_pair(&fab_pfc, U16_MAX);
	struct fab_fault f;
	u64 rx;

	pfcnet_log(net);
	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_HANG, .start = 10 * US,
		.duration = 40 * US });
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 20 * US);
	give(net, 1, 0);
	rx = net->node[1]->rx;
	EXPECT_EQ(rx, 120);
	net_run(net, 50 * US - 1);
	EXPECT_EQ(net->node[1]->rx, rx);
	EXPECT_EQ(net->node[0]->rx, 0);
	net_run(net, 60 * US);
	EXPECT_EQ(pfcnet_at(port_of(net, 0), 0, FAB_NOTICE_PAUSED, 0),
		  140 * SLOT + PROP + PAUSE);
	EXPECT_EQ(pfcnet_at(port_of(net, 0), 0, FAB_NOTICE_RESUMED, 0),
		  50 * US + PAUSE);
	EXPECT_EQ(net->node[0]->rx_at, 50 * US + PAUSE + SLOT);
	/* The 20, and those that were sent until the pause took effect. */
	EXPECT_EQ(f.c.packets, 20 + (PAUSE + PROP) / SLOT + 1);
	pfcnet_check(net);
	net_pump(net, 0, 1, 0, 0);
	pfcnet_log_end();
	finish(net);
}

/* Without flow control 10 fit into the buffer, and the other 20 are lost. */
TEST(hang_loses)
{
	struct fab_endpoint_params p = {
		.port = net_port(1, 65536),
		.rx_latency = 300 * NS,
		.buffer.total = 10 * LEN,
	};
	struct net *net = pair_of(&p);
	struct fab_fault f;
	u32 i;

	net_run(net, US);
	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_HANG, .duration = 10 * US });
	for (i = 0; i < 30; i++)
		give(net, 0, 0);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_RX_FULL], 20);
	EXPECT_EQ(net->node[1]->rx, 10);
	EXPECT_EQ(net->node[1]->rx_at, 11 * US + 300 * NS);
	EXPECT_EQ(f.c.packets, 30);
	give(net, 0, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at,
		  11 * US + 300 * NS + SLOT + PROP + 300 * NS);
	net_free(net);
}

/* With credits the sender stops with the last of four, and nothing is lost. */
TEST(hang_keeps_credits)
{
	struct ib ib = { .bps = RATE, .propagation = PROP, .blocks = 4 * 65,
			 .refresh = 5 * US };
	fab_time time = ib_time(&ib, 4096 + IB_HEADER);
	struct net *net = ib_pair(&ib);
	struct fab_fault f;
	u32 i;

	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_HANG, .start = 50 * US,
		.duration = 100 * US });
	net_run(net, 50 * US);
	for (i = 0; i < 5; i++)
		net_send(net, 0, 1, 4096);
	net_run(net, 150 * US - 1);
	EXPECT_EQ(net->node[1]->rx, 0);
	EXPECT_EQ(f.c.packets, 4);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 5);
	EXPECT_EQ(net->node[1]->rx_at, 150 * US +
		  ib_time(&ib, FAB_CREDIT_FRAME) + PROP + time + PROP);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	net_free(net);
}

/* 1000 bytes at 10 Gb/s are 800 ns; the lowest of three rates applies. */
TEST(slow)
{
	struct net *net = plain_pair();
	struct fab_receive_params own = { .rate_bps = 40 * GBPS };
	struct fab_fault f[2];
	u32 i;

	inject(net, port_of(net, 1), &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_SLOW, .rate_bps = 20 * GBPS });
	inject(net, port_of(net, 1), &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_SLOW, .rate_bps = 10 * GBPS });
	fab_receive_set(&net->fab, &net->node[1]->ep, &own);
	for (i = 0; i < 10; i++)
		give(net, 0, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at, SLOT + PROP + 10 * 800 * NS);
	EXPECT_EQ(f[0].c.packets, 10);
	fab_fault_remove(&net->fab, &f[1]);
	fab_fault_remove(&net->fab, &f[0]);
	EXPECT_EQ(net->node[1]->ep.rx.p.rate_bps, 40 * GBPS);
	give(net, 0, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at,
		  SLOT + PROP + 10 * 800 * NS + SLOT + PROP + 200 * NS);
	net_free(net);
}

/* A host that takes no packets still sends; after the fault it gets all at once. */
TEST(stopped)
{
	struct net *net = plain_pair();
	struct fab_fault f;
	u32 i;

	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_SLOW, .duration = 10 * US });
	for (i = 0; i < 10; i++)
		give(net, 0, 0);
	give(net, 1, 0);
	net_run(net, 10 * US - 1);
	EXPECT_EQ(net->node[1]->rx, 0);
	EXPECT_EQ(net->node[0]->rx_at, SLOT + PROP);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 10);
	EXPECT_EQ(net->node[1]->rx_at, 10 * US);
	net_free(net);
}

/* Which of the last packets were marked, bit by bit. */
static u64 marks;

static void count_marks(struct net_node *node, const struct fab_pkt *pkt)
{
	marks = marks << 1 | !!(pkt->flags & FAB_PKT_CE);
}

/* Host 0 at 100 Gb/s, host 1 at 1 Gb/s: 20 packets find the first on the wire. */
static struct net *funnel(struct fab_red own)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = net_new(1);
	u32 i;

	p.port.mark.red[0] = own;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++) {
		net_host(net, i);
		net_join(net, port_of(net, i), &net->sw[0]->port[i],
			 i ? GBPS : RATE, 0);
		net_route(net->sw[0], i, i);
	}
	net->node[1]->on_deliver = count_marks;
	return net;
}

static u64 marked(struct net *net)
{
	struct fab_pkt pkt = { .len = LEN, .dst = 1, .segs = 1,
			       .flags = FAB_PKT_ECT };
	u32 i;

	marks = 0;
	for (i = 0; i < 20; i++)
		EXPECT_EQ(net_give(net->node[0], &pkt), 0);
	net_drain(net);
	return marks;
}

/*
 * The n-th packet finds n - 2 before it. With a step at 5000 bytes those from the 8th
 * on are marked, 13 of 20. The later of two faults applies.
 */
TEST(ecn)
{
	struct net *net = funnel((struct fab_red) { 0 });
	struct fab_red step = { .kmin = 5 * LEN, .kmax = 5 * LEN,
				.pmax = FAB_MARK_ONE };
	struct fab_fault f[3];

	EXPECT_EQ(marked(net), 0);
	inject(net, &net->sw[0]->port[1], &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_ECN, .red = step });
	EXPECT_EQ(marked(net), BIT(13) - 1);
	EXPECT_EQ(f[0].c.packets, 13);
	inject(net, &net->sw[0]->port[1], &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_ECN });
	EXPECT_EQ(marked(net), 0);
	inject(net, &net->sw[0]->port[1], &f[2], (struct fab_fault_params) {
		.kind = FAB_FAULT_ECN, .red = step, .classes = BIT(1) });
	EXPECT_EQ(marked(net), 0);
	fab_fault_remove(&net->fab, &f[1]);
	EXPECT_EQ(marked(net), BIT(13) - 1);
	fab_fault_remove(&net->fab, &f[0]);
	fab_fault_remove(&net->fab, &f[2]);
	EXPECT_EQ(marked(net), 0);
	EXPECT(!net->sw[0]->port[1].special);
	net_free(net);
}

/* After the fault, the draws of a port's own thresholds are as without it. */
TEST(ecn_leaves_draws)
{
	static const struct fab_red own = { .kmax = 20 * LEN, .pmax = 500000 };
	struct net *with = funnel(own), *without = funnel(own);
	struct fab_fault f;

	inject(with, &with->sw[0]->port[1], &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_ECN, .red = { .kmax = LEN } });
	EXPECT(marked(with) != marked(without));
	fab_fault_remove(&with->fab, &f);
	EXPECT_EQ(marked(with), marked(without));
	EXPECT(marks);
	net_free(with);
	net_free(without);
}

static struct net *credit_pair(void)
{
	struct ib ib = { .bps = RATE, .propagation = PROP, .blocks = 200,
			 .refresh = 5 * US };

	return ib_pair(&ib);
}

static struct net *pfc_pair(void)
{
	return pause_pair(&fab_pfc, 100);
}

static u64 digest_after(struct net *net, struct fab_fault_params p, bool faulty)
{
	struct fab_fault f;
	u64 digest;
	u32 i;

	net_run(net, 10 * US);
	if (faulty)
		inject(net, port_of(net, 1), &f, p);
	for (i = 0; i < 40; i++)
		net_send(net, 0, 1, 500);
	net_run(net, 500 * US);
	if (faulty)
		fab_fault_remove(&net->fab, &f);
	net_run(net, 2 * MS);
	EXPECT_EQ(net->node[1]->rx, 40);
	net->digest = 0;
	for (i = 0; i < 200; i++)
		net_send(net, 0, 1, 64 + 5 * i);
	net_run(net, 3 * MS);
	digest = net->digest;
	net_free(net);
	return digest;
}

TEST(removed_as_if_never_there)
{
	static const struct {
		struct net *(*pair)(void);
		struct fab_fault_params p;
	} t[] = {
		{ plain_pair, { .kind = FAB_FAULT_HANG } },
		{ pfc_pair, { .kind = FAB_FAULT_HANG } },
		{ credit_pair, { .kind = FAB_FAULT_HANG } },
		{ plain_pair, { .kind = FAB_FAULT_SLOW, .rate_bps = GBPS } },
		{ pfc_pair, { .kind = FAB_FAULT_SLOW } },
		{ credit_pair, { .kind = FAB_FAULT_SLOW, .rate_bps = GBPS } },
		{ pfc_pair, { .kind = FAB_FAULT_PAUSE_STORM } },
		{ credit_pair, { .kind = FAB_FAULT_CREDIT_LOSS,
				 .ppb = 500000000 } },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		EXPECT_EQ(digest_after(t[i].pair(), t[i].p, true),
			  digest_after(t[i].pair(), t[i].p, false));
}

/* Removing an endpoint removes its faults and the packets that they held. */
TEST(removed_while_it_hangs)
{
	struct net *net = pfc_pair();
	struct fab_fault f;

	inject(net, port_of(net, 1), &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_HANG });
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 20 * US);
	net_pump(net, 0, 1, 0, 0);
	net_node_del(net, 1);
	EXPECT(!f.port);
	EXPECT_EQ(net->fab.c.packets_in, net->fab.c.packets_dropped +
					 net->fab.c.packets_delivered);
	finish(net);
}

/* fab_check() detects each kind of damage. */
TEST(check_sees)
{
	struct net *net = plain_pair();
	struct fab_port *port = port_of(net, 0);
	struct fab_fault f;

	PFCNET_BREAK(port->faults.storm, 1,
		     "fault: the port storms for no reason, or does not");
	PFCNET_BREAK(port->faults.hangs, 1,
		     "fault: the NIC hangs for no reason, or does not");
	PFCNET_BREAK(port->faults.marks, 1,
		     "fault: the port marks by the wrong thresholds");
	PFCNET_BREAK(net->node[0]->ep.rx.left.rate_bps, GBPS,
		     "fault: the host takes packets in another way than it may");
	finish(net);
	net = pfc_pair();
	port = port_of(net, 0);
	inject(net, port, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_PAUSE_STORM, .classes = BIT(0) });
	PFCNET_BREAK(port->faults.storm, BIT(0) | BIT(1),
		     "pfc: a storm does not stop the far end");
	fab_fault_remove(&net->fab, &f);
	finish(net);
}
