// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Phases against closed forms, exact in ps.
 *
 *	host 0 -- switch -- host 1		400 Gb/s, 100 ns
 *
 * Traffic makes a phase above 40 Gb/s. At that rate a packet of 9000 bytes takes 1.8 us,
 * and 45000 bytes take 9 us. With a packet each microsecond, the bucket holds
 * 1 us + n * 0.8 us after the n-th, so the tenth fills it.
 */
#include <stdlib.h>

#include "ktap.h"
#include "net.h"

#define LEN	9000U
#define ROOM	4U
#define BEGIN	(12345 + 100 * US)
#define FILLS	10U
#define BURST	20U
#define QUIET	(50 * US)
#define LEAD	(QUIET / FAB_PHASE_LEAD)

/* The switch cuts through: a packet takes two propagations and its length once. */
#define WIRE(len)	(((len) + 24ULL) * 20)
#define PATH(len)	(200 * NS + WIRE(len))

static struct fab_phase list[ROOM];

static const struct fab_phase_params params = {
	.rate_bps = 40 * GBPS,
	.least = 45000,
	.quiet = QUIET,
};

static struct net *phase_net(const struct fab_phase_params *p)
{
	struct fab_switch_params sp = net_switch_params(2);
	struct net *net = net_new(1);
	u32 i;

	net_switch_add(net, 0, &sp);
	for (i = 0; i < 2; i++) {
		net_host(net, i);
		net_join(net, &net->node[i]->ep.port, &net->sw[0]->port[i],
			 400 * GBPS, 100 * NS);
		net_route(net->sw[0], i, i);
		net->node[i]->ep.port.phase.label = 2 * i;
		net->sw[0]->port[i].phase.label = 2 * i + 1;
	}
	if (!p)
		return net;
	fab_phase_start(&net->fab, list, ROOM);
	fab_phase_watch(&net->fab, p);
	return net;
}

static void send_at(struct net *net, fab_time at, u32 len)
{
	net_run(net, at);
	EXPECT_EQ(net_send(net, 0, 1, len), 0);
}

/* One packet each microsecond. */
static void burst(struct net *net, fab_time at, u32 packets)
{
	u32 i;

	for (i = 0; i < packets; i++)
		send_at(net, at + i * US, LEN);
}

static fab_time burst_end(fab_time at, u32 packets)
{
	return at + (packets - 1) * US + PATH(LEN);
}

static void settle_at(struct net *net, fab_time at)
{
	net_run(net, at);
	fab_phase_settle(&net->fab);
}

static void expect_burst(const struct fab_phase *ph, fab_time begin,
			 fab_time end, u64 packets)
{
	EXPECT_EQ(ph->begin, begin);
	EXPECT_EQ(ph->end, end);
	EXPECT_EQ(ph->sum[FAB_PHASE_PACKETS], packets);
	EXPECT_EQ(ph->sum[FAB_PHASE_BYTES], packets * LEN);
	EXPECT_EQ(ph->sum[FAB_PHASE_DROPPED], 0);
	EXPECT_EQ(ph->nics, 1);
	EXPECT_EQ(ph->nic_bytes, packets * LEN);
	EXPECT_EQ(ph->wire, 0);
	EXPECT_EQ(ph->wire_busy, packets * WIRE(LEN));
	EXPECT_EQ(ph->latency.count, packets);
	EXPECT_EQ(ph->latency.min, PATH(LEN));
	EXPECT_EQ(ph->latency.max, PATH(LEN));
}

TEST(a_burst_is_a_phase_from_hand_in_to_delivery)
{
	struct net *net = phase_net(&params);

	burst(net, BEGIN, BURST);
	settle_at(net, burst_end(BEGIN, BURST) + QUIET);
	EXPECT_EQ(net->fab.phases.n, 1);
	EXPECT_EQ(list[0].open, true);
	settle_at(net, burst_end(BEGIN, BURST) + QUIET + 1);
	EXPECT_EQ(list[0].open, false);
	EXPECT_EQ(list[0].name[0], 0);
	expect_burst(&list[0], BEGIN, burst_end(BEGIN, BURST), BURST);
	net_free(net);
}

TEST(the_tenth_packet_makes_it_one_and_nine_do_not)
{
	struct net *net = phase_net(&params);

	burst(net, BEGIN, FILLS - 1);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 0);
	burst(net, BEGIN + MS, FILLS);
	settle_at(net, BEGIN + 2 * MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	expect_burst(&list[0], BEGIN + MS, burst_end(BEGIN + MS, FILLS), FILLS);
	net_free(net);
}

/* Single packets before and after a phase do not belong to it, nor does their wire time. */
TEST(stragglers_are_of_no_phase)
{
	struct net *net = phase_net(&params);
	u32 i;

	send_at(net, BEGIN - LEAD - 1, LEN);
	burst(net, BEGIN, BURST);
	for (i = 1; i < 6; i++)
		send_at(net, burst_end(BEGIN, BURST) + i * 9 * US, 1000);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	expect_burst(&list[0], BEGIN, burst_end(BEGIN, BURST), BURST);
	net_free(net);
}

/* 1 us before, the bucket still holds 0.8 us of the packet. */
TEST(what_is_close_before_it_is_of_it)
{
	struct net *net = phase_net(&params);

	send_at(net, BEGIN - US, LEN);
	burst(net, BEGIN, BURST);
	settle_at(net, BEGIN + MS);
	expect_burst(&list[0], BEGIN - US, burst_end(BEGIN, BURST), BURST + 1);
	net_free(net);
}

/* A request at most LEAD before belongs to it, though the bucket empties in between. */
TEST(a_question_before_it_is_of_it)
{
	struct net *net = phase_net(&params);
	fab_time ask = BEGIN - LEAD;

	send_at(net, ask, LEN);
	burst(net, BEGIN, BURST);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	expect_burst(&list[0], ask, burst_end(BEGIN, BURST), BURST + 1);
	net_free(net);
}

/* A longer trickle before does not belong: the phase begins where the bucket fills. */
TEST(a_trickle_before_it_is_not_of_it)
{
	struct net *net = phase_net(&params);
	u32 i;

	for (i = 10; i; i--)
		send_at(net, BEGIN - i * 2 * US, LEN);
	burst(net, BEGIN, BURST);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	expect_burst(&list[0], BEGIN, burst_end(BEGIN, BURST), BURST);
	net_free(net);
}

TEST(a_pause_below_quiet_is_of_it)
{
	struct net *net = phase_net(&params);
	fab_time second = BEGIN + BURST * US + 30 * US;

	burst(net, BEGIN, BURST);
	burst(net, second, FILLS);
	settle_at(net, second + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	expect_burst(&list[0], BEGIN, burst_end(second, FILLS), BURST + FILLS);
	net_free(net);
}

/* After 30 us the bucket is empty: nine more packets do not fill it, and do not belong. */
TEST(a_rest_below_the_rate_is_not_of_it)
{
	struct net *net = phase_net(&params);
	fab_time second = BEGIN + BURST * US + 30 * US;

	burst(net, BEGIN, BURST);
	burst(net, second, FILLS - 1);
	settle_at(net, second + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	expect_burst(&list[0], BEGIN, burst_end(BEGIN, BURST), BURST);
	net_free(net);
}

TEST(a_pause_above_quiet_makes_two)
{
	struct net *net = phase_net(&params);
	fab_time second = burst_end(BEGIN, BURST) + QUIET + 1;

	burst(net, BEGIN, BURST);
	burst(net, second, FILLS);
	settle_at(net, second + MS);
	EXPECT_EQ(net->fab.phases.n, 2);
	expect_burst(&list[0], BEGIN, burst_end(BEGIN, BURST), BURST);
	expect_burst(&list[1], second, burst_end(second, FILLS), FILLS);
	net_free(net);
}

TEST(what_does_not_fit_is_missed)
{
	struct net *net = phase_net(&params);
	u32 i;

	for (i = 0; i < ROOM + 3; i++)
		burst(net, BEGIN + i * MS, BURST);
	settle_at(net, BEGIN + 10 * MS);
	EXPECT_EQ(net->fab.phases.n, ROOM);
	EXPECT_EQ(net->fab.phases.missed, 3);
	expect_burst(&list[ROOM - 1], BEGIN + (ROOM - 1) * MS,
		     burst_end(BEGIN + (ROOM - 1) * MS, BURST), BURST);
	net_free(net);
}

TEST(endpoints_that_are_ignored_make_none)
{
	struct net *net = phase_net(&params);

	net->node[0]->ep.phase.ignored = true;
	burst(net, BEGIN, BURST);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 0);
	net_free(net);
}

static void generate_at(struct net *net, fab_time at)
{
	struct net_pkt *np = calloc(1, sizeof(*np));

	net_run(net, at);
	np->p = (struct fab_pkt){ .len = LEN, .dst = 1, .segs = 1 };
	np->id = net->sent++;
	net->live++;
	EXPECT_EQ(fab_endpoint_generate(&net->fab, &net->node[0]->ep, &np->p), 0);
}

/* Packets of generators make no phase and belong to none; their wire time counts. */
TEST(generators_make_none)
{
	struct net *net = phase_net(&params);
	fab_time begin = BEGIN + MS;
	u32 i;

	for (i = 0; i < 3 * BURST; i++)
		generate_at(net, BEGIN + i * US);
	settle_at(net, begin - US);
	EXPECT_EQ(net->fab.phases.n, 0);
	for (i = 0; i < BURST; i++) {
		send_at(net, begin + i * US, LEN);
		generate_at(net, begin + i * US + US / 2);
	}
	settle_at(net, begin + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	EXPECT_EQ(list[0].end, burst_end(begin, BURST));
	EXPECT_EQ(list[0].sum[FAB_PHASE_PACKETS], BURST);
	EXPECT_EQ(list[0].nic_bytes, BURST * LEN);
	EXPECT_EQ(list[0].latency.count, BURST);
	/* the last one of the generator begins 0.5 us behind, and the end is 0.38 us */
	EXPECT_EQ(list[0].wire_busy, (2 * BURST - 1) * WIRE(LEN));
	net_free(net);
}

/*
 * A class is blocked for 0.3 us in a phase, and for 5.1 us that end after it. Reading
 * counters meanwhile changes nothing.
 */
TEST(held_back_is_of_it)
{
	struct net *net = phase_net(&params);
	struct fab_port *port = &net->node[1]->ep.port;
	fab_time last = burst_end(BEGIN, BURST);

	burst(net, BEGIN, BURST - 1);
	fab_port_waits(&net->fab, port, BIT(0), true);
	net_run(net, BEGIN + (BURST - 2) * US + 100 * NS);
	fab_port_settle(&net->fab, port);
	net_run(net, BEGIN + (BURST - 2) * US + 300 * NS);
	fab_port_waits(&net->fab, port, 0, false);
	send_at(net, BEGIN + (BURST - 1) * US, LEN);
	net_run(net, last - 100 * NS);
	fab_port_waits(&net->fab, port, BIT(0), true);
	net_run(net, last - 50 * NS);
	fab_port_settle(&net->fab, port);
	net_run(net, last + 5 * US);
	fab_port_waits(&net->fab, port, 0, false);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(list[0].sum[FAB_PHASE_WAIT], 300 * NS);
	EXPECT_EQ(port->cls[0].c.wait_ps, 400 * NS + 5 * US);
	net_free(net);
}

/* The last five packets are lost at the hand-in, and still determine its end. */
TEST(losses_are_of_it)
{
	struct net *net = phase_net(&params);
	fab_time cut = BEGIN + (BURST - 5) * US - 1;

	burst(net, BEGIN, BURST - 5);
	net_run(net, cut);
	fab_link_up(&net->fab, &net->node[0]->ep.port, false);
	burst(net, BEGIN + (BURST - 5) * US, 5);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	EXPECT_EQ(list[0].end, BEGIN + (BURST - 1) * US);
	EXPECT_EQ(list[0].sum[FAB_PHASE_PACKETS], BURST);
	EXPECT_EQ(list[0].sum[FAB_PHASE_DROPPED], 5);
	EXPECT_EQ(list[0].latency.count, BURST - 5);
	EXPECT_EQ(list[0].wire_busy, (BURST - 5) * WIRE(LEN));
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 5);
	net_free(net);
}

/* 1024 of the deliveries before a candidate is a phase are counted, and all later ones. */
TEST(latencies_ahead_are_bounded)
{
	struct fab_phase_params p = params;
	struct net *net;
	u32 i;

	/* 100 bytes each 10 ns are 80 Gb/s: 10 ns of 20 ns stay each time */
	p.least = 102400;
	net = phase_net(&p);
	net->no_check = true;
	for (i = 0; i < 3000; i++)
		send_at(net, BEGIN + i * 10 * NS, 100);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	EXPECT_EQ(list[0].sum[FAB_PHASE_PACKETS], 3000);
	EXPECT_EQ(list[0].begin, BEGIN);
	EXPECT_EQ(list[0].end, BEGIN + 2999 * 10 * NS + PATH(100));
	/*
	 * The 2047th fills the bucket: 10 ns + n * 10 ns >= 20480 ns. Of the 2046
	 * before it those of the last PATH are still on their way.
	 */
	EXPECT_EQ(list[0].latency.count,
		  3000 - (2046 - PATH(100) / (10 * NS) - 1024));
	net_free(net);
}

TEST(marks_take_what_is_between_them)
{
	struct net *net = phase_net(&params);

	burst(net, BEGIN, BURST);
	net_run(net, BEGIN + 200 * US);
	fab_phase_mark(&net->fab, "one");
	burst(net, BEGIN + 300 * US, 3);
	net_run(net, BEGIN + 400 * US);
	fab_phase_mark(&net->fab, "one");
	send_at(net, BEGIN + 500 * US, LEN);
	net_run(net, BEGIN + 600 * US);
	fab_phase_mark(&net->fab, "two");
	settle_at(net, BEGIN + 700 * US);
	EXPECT_EQ(net->fab.phases.n, 3);
	EXPECT_EQ(strcmp(list[1].name, "one"), 0);
	EXPECT_EQ(list[1].open, false);
	expect_burst(&list[1], BEGIN + 200 * US, BEGIN + 600 * US, 4);
	EXPECT_EQ(strcmp(list[2].name, "two"), 0);
	EXPECT_EQ(list[2].open, true);
	EXPECT_EQ(list[2].end, BEGIN + 700 * US);
	EXPECT_EQ(list[2].nics, 0);
	EXPECT_EQ(list[2].wire, FAB_NO_LABEL);
	EXPECT_EQ(list[2].latency.count, 0);
	net_run(net, BEGIN + 800 * US);
	fab_phase_mark(&net->fab, "");
	EXPECT_EQ(list[2].open, false);
	EXPECT_EQ(list[2].end, BEGIN + 800 * US);
	settle_at(net, BEGIN + 900 * US);
	EXPECT_EQ(list[2].end, BEGIN + 800 * US);
	EXPECT_EQ(net->fab.phases.n, 3);
	net_free(net);
}

/*
 * The counter of a wire includes a whole packet from its first bit on, and is reduced if
 * the packet is cut off. A phase by mark only includes the part within the phase.
 */
TEST(marks_cut_packets)
{
	static const struct fab_phase_params none;
	struct net *net = phase_net(&none);

	send_at(net, BEGIN, LEN);
	net_run(net, BEGIN + 50 * NS);
	fab_phase_mark(&net->fab, "one");
	net_run(net, BEGIN + 90 * NS);
	fab_phase_mark(&net->fab, "two");
	EXPECT_EQ(list[0].wire, 0);
	EXPECT_EQ(list[0].wire_busy, 40 * NS);
	net_run(net, BEGIN + 120 * NS);
	fab_link_up(&net->fab, &net->node[0]->ep.port, false);
	settle_at(net, BEGIN + 130 * NS);
	/* 30 ns of wire 0; wire 3 goes on with what came, for 30 ns so far */
	EXPECT_EQ(list[1].wire, 0);
	EXPECT_EQ(list[1].wire_busy, 30 * NS);
	net_free(net);
}

/*
 * With a lead of 1 us: 9000 bytes are in the bucket for 1.8 us. So the small packet at
 * 1.2 us does not find it empty, and is too late to be in a run with the first one. The
 * burst at 2 us finds it empty, and begins a candidate.
 */
TEST(what_is_long_before_it_is_not_of_it)
{
	struct fab_phase_params p = params;
	struct net *net;

	p.quiet = 4 * US;
	net = phase_net(&p);
	send_at(net, BEGIN, LEN);
	send_at(net, BEGIN + 1200 * NS, 100);
	burst(net, BEGIN + 2 * US, BURST);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	expect_burst(&list[0], BEGIN + 2 * US, burst_end(BEGIN + 2 * US, BURST), BURST);
	net_free(net);
}

/* After a port gets another wire, the old wire's time is not counted for it. */
TEST(another_wire_is_another)
{
	struct net *net = phase_net(&params);

	burst(net, BEGIN, BURST);
	fab_phase_plugged(&net->fab, &net->node[0]->ep.port, FAB_NO_LABEL);
	fab_phase_plugged(&net->fab, &net->sw[0]->port[1], 7);
	burst(net, BEGIN + BURST * US, 3);
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	EXPECT_EQ(list[0].wire, 7);
	EXPECT(list[0].wire_busy <= 4 * WIRE(LEN));
	net_free(net);
}

/* Without a rate there are marks only. */
TEST(marks_need_no_rate)
{
	static const struct fab_phase_params none;
	struct net *net = phase_net(&none);

	burst(net, BEGIN, BURST);
	fab_phase_mark(&net->fab, "rest");
	settle_at(net, BEGIN + MS);
	EXPECT_EQ(net->fab.phases.n, 1);
	EXPECT_EQ(list[0].sum[FAB_PHASE_PACKETS], 0);
	EXPECT_EQ(list[0].latency.count, 1);
	net_free(net);
}

static void two_bursts(struct net *net)
{
	burst(net, BEGIN, BURST);
	burst(net, BEGIN + MS, BURST);
	net_drain(net);
}

TEST(watching_changes_nothing)
{
	struct net *plain = phase_net(NULL), *watched = phase_net(&params);

	two_bursts(plain);
	two_bursts(watched);
	EXPECT_EQ(watched->fab.phases.n, 2);
	EXPECT_EQ(plain->digest, watched->digest);
	EXPECT_EQ(plain->fab.c.events, watched->fab.c.events);
	net_free(plain);
	net_free(watched);
}

/* A host that takes packets from its NIC with an interrupt, as the module's does. */
static struct fab_host_ops held_ops;

static bool held_interrupt(struct fab_endpoint *ep)
{
	(void)ep;
	return true;
}

static void held_deliver(struct net_node *node, const struct fab_pkt *pkt)
{
	fab_moderation_frames(&node->net->fab, &node->ep, pkt->segs,
			      fab_moderation_gap(&node->ep, pkt));
}

static struct net *held_net(u32 usecs, bool adaptive)
{
	const struct fab_moderation_params p = {
		.usecs = usecs,
		.adaptive = adaptive,
	};
	struct net *net = phase_net(&params);

	held_ops = *net->fab.host;
	held_ops.interrupt = held_interrupt;
	net->fab.host = &held_ops;
	net->node[1]->on_deliver = held_deliver;
	fab_moderation_set(&net->fab, &net->node[1]->ep, &p);
	return net;
}

static void steps(struct net *net, fab_time step)
{
	u32 i;

	for (i = 0; i < BURST; i++)
		send_at(net, BEGIN + i * step, LEN);
}

/*
 * A packet each 1.1 us, and an interrupt 3 us after the first one that is held: three
 * share one. The last two of twenty come with it 3 us after the 19th.
 */
TEST(it_ends_with_the_interrupt)
{
	const fab_time step = 1100 * NS;
	fab_time end = BEGIN + (BURST - 2) * step + PATH(LEN) + 3 * US;
	struct net *net = held_net(3, false);

	steps(net, step);
	settle_at(net, end - 1);
	EXPECT_EQ(list[0].end, BEGIN + (BURST - 1) * step + PATH(LEN));
	settle_at(net, end + QUIET);
	EXPECT_EQ(list[0].open, true);
	settle_at(net, end + QUIET + 1);
	EXPECT_EQ(list[0].open, false);
	expect_burst(&list[0], BEGIN, end, BURST);
	net_free(net);
}

/* The last frame of a stream is held until a gap: for as long as it took. */
TEST(it_ends_with_the_gap_after_a_stream)
{
	fab_time end = BEGIN + BURST * WIRE(LEN) + PATH(LEN);
	struct net *net = held_net(8, true);

	steps(net, WIRE(LEN));
	settle_at(net, end + MS);
	expect_burst(&list[0], BEGIN, end, BURST);
	net_free(net);
}

/* All twenty share an interrupt. That of a packet after them is not of the phase. */
TEST(the_interrupt_of_a_straggler_is_of_no_phase)
{
	fab_time end = BEGIN + PATH(LEN) + 30 * US;
	struct net *net = held_net(30, false);

	burst(net, BEGIN, BURST);
	send_at(net, end + US, 64);
	settle_at(net, end + MS);
	expect_burst(&list[0], BEGIN, end, BURST);
	net_free(net);
}

TEST(parameters_have_ranges)
{
	struct fab_phase_params p = params;

	EXPECT_EQ(fab_phase_params_check(&p), 0);
	p.least = 0;
	EXPECT_EQ(fab_phase_params_check(&p), -ERANGE);
	p.least = FAB_PHASE_LEAST_MAX + 1;
	EXPECT_EQ(fab_phase_params_check(&p), -ERANGE);
	p.least = FAB_PHASE_LEAST_MAX;
	EXPECT_EQ(fab_phase_params_check(&p), 0);
	p.rate_bps = FAB_RATE_MIN;
	EXPECT_EQ(fab_phase_params_check(&p), -ERANGE);
	p = params;
	p.quiet = 0;
	EXPECT_EQ(fab_phase_params_check(&p), -ERANGE);
	p.quiet = FAB_DELAY_MAX + 1;
	EXPECT_EQ(fab_phase_params_check(&p), -ERANGE);
	p = params;
	p.rate_bps = FAB_RATE_MAX + 1;
	EXPECT_EQ(fab_phase_params_check(&p), -ERANGE);
	p.rate_bps = FAB_RATE_MIN - 1;
	EXPECT_EQ(fab_phase_params_check(&p), -ERANGE);
	p.rate_bps = 0;
	EXPECT_EQ(fab_phase_params_check(&p), 0);
}
