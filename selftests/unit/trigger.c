// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Triggers against closed forms, exact in ps.
 *
 *	host 0 -- host 1		400 Gb/s, 100 ns
 *
 * Host 0 hands in 9000 bytes each microsecond. At 40 Gb/s they take 1.8 us, and
 * 45000 bytes 9 us: after the n-th packet the bucket holds 1 us + n * 0.8 us, so the
 * tenth fills it, 9 us after the first.
 */
#include "core/node/traffic.h"
#include "ktap.h"
#include "net.h"

#define LEN	9000U
#define BEGIN	(12345 + 100 * US)
#define FILLS	10U
#define BURST	20U
#define FOUND	((FILLS - 1) * US)
#define AFTER	(15 * US + 7)

static struct fab_phase list[4];

static struct net *trigger_net(void)
{
	static const struct fab_phase_params p = {
		.rate_bps = 40 * GBPS, .least = 45000, .quiet = 50 * US,
	};
	struct net *net = net_new(1);

	net_join(net, &net_host(net, 0)->ep.port, &net_host(net, 1)->ep.port,
		 400 * GBPS, 100 * NS);
	fab_phase_start(&net->fab, list, ARRAY_SIZE(list));
	fab_phase_watch(&net->fab, &p);
	return net;
}

/* Add a trigger; one of a NIC is added to host 0. */
static void arm(struct net *net, struct fab_trigger *t,
		struct fab_trigger_params p)
{
	EXPECT_EQ(fab_trigger_params_check(&p), 0);
	fab_trigger_add(&net->fab, &net->node[0]->ep, t, &p);
}

static void arm_phase(struct net *net, struct fab_trigger *t, u64 phase)
{
	arm(net, t, (struct fab_trigger_params) {
		.kind = FAB_TRIGGER_PHASE, .phase = phase });
}

static void arm_mark(struct net *net, struct fab_trigger *t, const char *name)
{
	struct fab_trigger_params p = { .kind = FAB_TRIGGER_MARK };

	strscpy(p.mark, name, sizeof(p.mark));
	arm(net, t, p);
}

/* Add a fault that begins @after the trigger: a delay on the wire to host 0, which is idle. */
static void inject(struct net *net, struct fab_fault *f, struct fab_trigger *t,
		   fab_time after)
{
	const struct fab_fault_params p = {
		.kind = FAB_FAULT_DELAY, .delay = US, .duration = 5 * US,
		.moment = &t->moment, .start = after,
	};

	EXPECT_EQ(fab_fault_params_check(&p), 0);
	fab_fault_add(&net->fab, &net->node[1]->ep.port, f, &p);
	EXPECT_NULL_STR(fab_check(&net->fab));
}

static void burst(struct net *net, u32 src, fab_time at, u32 packets)
{
	u32 i;

	for (i = 0; i < packets; i++) {
		net_run(net, at + i * US);
		EXPECT_EQ(net_send(net, src, !src, LEN), 0);
	}
}

/* The fault begins at @at and ends 5 us later, each to the picosecond. */
static void expect_begin(struct net *net, const struct fab_fault *f, fab_time at)
{
	net_run(net, at - 1);
	EXPECT_EQ(f->state, FAB_FAULT_WAITING);
	net_run(net, at);
	EXPECT_EQ(f->state, FAB_FAULT_ACTIVE);
	EXPECT_EQ(f->begun, at);
	EXPECT_EQ(f->p.start, at);
	net_run(net, at + 5 * US);
	EXPECT_EQ(f->state, FAB_FAULT_OVER);
}

TEST(a_fault_begins_in_the_second_phase)
{
	struct net *net = trigger_net();
	struct fab_trigger t = { 0 };
	struct fab_fault f = { 0 };

	arm_phase(net, &t, 2);
	inject(net, &f, &t, AFTER);
	burst(net, 0, BEGIN, BURST);
	EXPECT_EQ(fab_fault_next(&f), FAB_NEVER);
	burst(net, 0, BEGIN + MS, FILLS);
	EXPECT_EQ(t.moment.known, true);
	EXPECT_EQ(t.moment.at, BEGIN + MS);
	EXPECT_EQ(t.moment.found, BEGIN + MS + FOUND);
	EXPECT_EQ(fab_fault_next(&f), BEGIN + MS + AFTER);
	expect_begin(net, &f, BEGIN + MS + AFTER);
	EXPECT_EQ(f.waiter.late, 0);
	EXPECT_EQ(list[1].begin, BEGIN + MS);
	net_free(net);
}

/* Due when the phase is detected: in time. Due a ps before: late by a ps. */
TEST(what_is_due_before_a_phase_is_found_is_late)
{
	struct net *net = trigger_net();
	struct fab_fault f[3] = { 0 };
	struct fab_trigger t = { 0 };

	arm_phase(net, &t, 1);
	inject(net, &f[0], &t, FOUND);
	inject(net, &f[1], &t, FOUND - 1);
	inject(net, &f[2], &t, 0);
	burst(net, 0, BEGIN, FILLS);
	net_run(net, BEGIN + FOUND);
	EXPECT_EQ(f[0].waiter.late, 0);
	EXPECT_EQ(f[1].waiter.late, 1);
	EXPECT_EQ(f[2].waiter.late, FOUND);
	EXPECT_EQ(f[0].begun, BEGIN + FOUND);
	EXPECT_EQ(f[1].begun, BEGIN + FOUND);
	EXPECT_EQ(f[2].begun, BEGIN + FOUND);
	net_free(net);
}

/* A fault added after the moment has come still counts from it. */
TEST(who_comes_later_counts_from_the_moment)
{
	struct net *net = trigger_net();
	struct fab_fault f[2] = { 0 };
	struct fab_trigger t = { 0 };

	arm_phase(net, &t, 1);
	burst(net, 0, BEGIN, FILLS);
	net_run(net, BEGIN + 12 * US);
	inject(net, &f[0], &t, 10 * US);
	inject(net, &f[1], &t, AFTER);
	EXPECT_EQ(f[0].waiter.late, 2 * US);
	EXPECT_EQ(f[1].waiter.late, 0);
	expect_begin(net, &f[1], BEGIN + AFTER);
	EXPECT_EQ(f[0].p.start, BEGIN + 12 * US);
	net_free(net);
}

/* The first mark of the name after the trigger was added. */
TEST(marks)
{
	struct net *net = trigger_net();
	struct fab_trigger t = { 0 };
	struct fab_fault f = { 0 };

	net_run(net, BEGIN - 50 * US);
	fab_phase_mark(&net->fab, "two");
	fab_phase_mark(&net->fab, "one");
	arm_mark(net, &t, "two");
	inject(net, &f, &t, 3);
	net_run(net, BEGIN - US);
	fab_phase_mark(&net->fab, "two.b");
	EXPECT_EQ(t.moment.known, false);
	net_run(net, BEGIN);
	fab_phase_mark(&net->fab, "two");
	EXPECT_EQ(t.moment.at, BEGIN);
	EXPECT_EQ(t.moment.found, BEGIN);
	expect_begin(net, &f, BEGIN + 3);
	fab_phase_mark(&net->fab, "one");
	fab_phase_mark(&net->fab, "two");
	EXPECT_EQ(t.moment.at, BEGIN);
	net_free(net);
}

/* Phases that do not fit the list count too. */
TEST(phases_that_are_missed_count)
{
	struct net *net = trigger_net();
	struct fab_trigger t[2] = { 0 };
	u32 i;

	arm_phase(net, &t[0], ARRAY_SIZE(list) + 1);
	arm_mark(net, &t[1], "x");
	for (i = 0; i <= ARRAY_SIZE(list); i++)
		burst(net, 0, BEGIN + i * MS, FILLS);
	fab_phase_mark(&net->fab, "x");
	EXPECT_EQ(net->fab.phases.missed, 2);
	EXPECT_EQ(t[0].moment.at, BEGIN + ARRAY_SIZE(list) * MS);
	EXPECT_EQ(t[1].moment.known, true);
	net_free(net);
}

static struct fab_trigger_params above(void)
{
	return (struct fab_trigger_params) {
		.kind = FAB_TRIGGER_RATE, .rate_bps = 40 * GBPS, .bytes = 45000,
	};
}

/* Packets of the other host do not count. The trigger is never late. */
TEST(a_rate_is_exceeded_by_the_packet_that_fills_the_bucket)
{
	struct net *net = trigger_net();
	struct fab_trigger t = { 0 };
	struct fab_fault f = { 0 };

	arm(net, &t, above());
	inject(net, &f, &t, 0);
	burst(net, 1, BEGIN, BURST);
	burst(net, 0, BEGIN + MS, FILLS - 1);
	EXPECT_EQ(t.moment.known, false);
	burst(net, 0, BEGIN + 2 * MS, FILLS);
	EXPECT_EQ(t.moment.at, BEGIN + 2 * MS + FOUND);
	net_run(net, BEGIN + 2 * MS + FOUND);
	EXPECT_EQ(f.begun, BEGIN + 2 * MS + FOUND);
	EXPECT_EQ(f.waiter.late, 0);
	net_free(net);
}

/* The sixth packet reaches 45001 bytes; packets before the trigger do not count. */
TEST(bytes_are_counted_from_when_it_is_added)
{
	struct net *net = trigger_net();
	struct fab_trigger t = { 0 };
	struct fab_fault f = { 0 };

	burst(net, 0, BEGIN, BURST);
	arm(net, &t, (struct fab_trigger_params) {
		.kind = FAB_TRIGGER_BYTES, .bytes = 5 * LEN + 1 });
	inject(net, &f, &t, AFTER);
	burst(net, 1, BEGIN + MS, BURST);
	burst(net, 0, BEGIN + 2 * MS, 5);
	EXPECT_EQ(t.moment.known, false);
	burst(net, 0, BEGIN + 3 * MS, 1);
	EXPECT_EQ(t.moment.at, BEGIN + 3 * MS);
	expect_begin(net, &f, BEGIN + 3 * MS + AFTER);
	net_free(net);
}

/* A generator begins at a trigger as a fault does; its packets meet no trigger. */
TEST(traffic_begins)
{
	static const u32 dst[] = { 1 };
	struct fab_traffic_params p = {
		.len = LEN, .depth = 4, .rate_bps = 72 * GBPS, .dst = dst,
		.dsts = 1, .duration = 10 * US, .start = AFTER,
	};
	struct fab_trigger t[2] = { 0 };
	struct net *net = trigger_net();
	struct fab_traffic g = { 0 };

	arm_phase(net, &t[0], 1);
	arm(net, &t[1], above());
	p.moment = &t[0].moment;
	fab_traffic_add(&net->fab, &net->node[0]->ep, &g, &p);
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(fab_traffic_state(&g), FAB_TRAFFIC_WAITING);
	burst(net, 1, BEGIN, FILLS);
	net_run(net, BEGIN + AFTER - 1);
	EXPECT_EQ(fab_traffic_state(&g), FAB_TRAFFIC_WAITING);
	net_run(net, BEGIN + AFTER);
	EXPECT_EQ(fab_traffic_state(&g), FAB_TRAFFIC_ACTIVE);
	EXPECT_EQ(g.c.offered_packets, 1);
	EXPECT_EQ(g.p.start, BEGIN + AFTER);
	net_run(net, BEGIN + AFTER + 10 * US - 1);
	EXPECT_EQ(fab_traffic_state(&g), FAB_TRAFFIC_ACTIVE);
	net_run(net, BEGIN + AFTER + 10 * US);
	EXPECT_EQ(fab_traffic_state(&g), FAB_TRAFFIC_OVER);
	/* each 9024 * 8 / 72 ns = 1002.67 ns, below 10 us: ten */
	EXPECT_EQ(g.c.offered_packets, 10);
	EXPECT_EQ(t[1].moment.known, false);
	fab_traffic_remove(&net->fab, &g);
	net_free(net);
}

/* Faults and generators are removed while they wait, and so are triggers. */
TEST(taken_back)
{
	static const u32 dst[] = { 1 };
	struct fab_traffic_params p = {
		.len = LEN, .depth = 4, .rate_bps = GBPS, .dst = dst, .dsts = 1,
	};
	struct net *net = trigger_net();
	struct fab_trigger t[2] = { 0 };
	struct fab_fault f[2] = { 0 };
	struct fab_traffic g = { 0 };

	arm_phase(net, &t[0], 1);
	arm_phase(net, &t[1], 1);
	inject(net, &f[0], &t[0], AFTER);
	inject(net, &f[1], &t[1], AFTER);
	p.moment = &t[0].moment;
	fab_traffic_add(&net->fab, &net->node[0]->ep, &g, &p);
	fab_fault_remove(&net->fab, &f[0]);
	fab_traffic_remove(&net->fab, &g);
	EXPECT(!t[0].moment.waiters);
	fab_trigger_remove(&t[0]);
	burst(net, 0, BEGIN, FILLS);
	EXPECT_EQ(t[0].moment.known, false);
	expect_begin(net, &f[1], BEGIN + AFTER);
	fab_trigger_remove(&t[1]);
	net_free(net);
}

TEST(a_nic_that_goes_is_waited_for_in_vain)
{
	struct net *net = trigger_net();
	struct fab_trigger t = { 0 };
	struct fab_fault f = { 0 };

	arm(net, &t, above());
	inject(net, &f, &t, 0);
	EXPECT(t.prev);
	net_node_del(net, 0);
	EXPECT(!t.prev);
	EXPECT_EQ(t.moment.known, false);
	net_free(net);
}

/* A fault that is due long after its moment begins at the end of time at the latest. */
TEST(time_does_not_wrap)
{
	struct net *net = trigger_net();
	struct fab_trigger t = { 0 };
	struct fab_fault f = { 0 };

	arm_mark(net, &t, "x");
	inject(net, &f, &t, FAB_FAULT_START_MAX);
	net_run(net, BIT_ULL(63));
	fab_phase_mark(&net->fab, "x");
	EXPECT_EQ(f.p.start, FAB_TIME_END);
	fab_fault_remove(&net->fab, &f);
	net_free(net);
}

static void two_bursts(struct net *net)
{
	burst(net, 0, BEGIN, BURST);
	burst(net, 0, BEGIN + MS, BURST);
	net_drain(net);
}

TEST(waiting_changes_nothing)
{
	struct net *plain = trigger_net(), *watched = trigger_net();
	struct fab_trigger t[3] = { 0 };

	arm_phase(watched, &t[0], 1);
	arm(watched, &t[1], above());
	arm_mark(watched, &t[2], "x");
	two_bursts(plain);
	two_bursts(watched);
	EXPECT_EQ(t[1].moment.at, BEGIN + FOUND);
	EXPECT_EQ(plain->digest, watched->digest);
	EXPECT_EQ(plain->fab.c.events, watched->fab.c.events);
	net_free(plain);
	net_free(watched);
}

TEST(params)
{
	static const struct {
		struct fab_trigger_params p;
		int err;
	} t[] = {
		{ { .kind = FAB_TRIGGER_MARK }, -EINVAL },
		{ { .kind = FAB_TRIGGER_MARK, .mark = "x" }, 0 },
		{ { .kind = FAB_TRIGGER_MARK, .mark = "9._:+-" }, 0 },
		{ { .kind = FAB_TRIGGER_MARK, .mark = "-" }, -EINVAL },
		{ { .kind = FAB_TRIGGER_MARK, .mark = "a b" }, -EINVAL },
		{ { .kind = FAB_TRIGGER_PHASE }, -ERANGE },
		{ { .kind = FAB_TRIGGER_BYTES }, -ERANGE },
		{ { .kind = FAB_TRIGGER_RATE, .bytes = 1 }, -ERANGE },
		{ { .kind = FAB_TRIGGER_RATE, .rate_bps = GBPS }, -ERANGE },
		{ { .kind = FAB_TRIGGER_RATE, .rate_bps = GBPS,
		    .bytes = FAB_PHASE_LEAST_MAX + 1 }, -ERANGE },
		{ { .kind = FAB_TRIGGER_RATE, .rate_bps = GBPS,
		    .bytes = FAB_PHASE_LEAST_MAX }, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		EXPECT_EQ(fab_trigger_params_check(&t[i].p), t[i].err);
}
