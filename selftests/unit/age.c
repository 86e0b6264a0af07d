// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lifetimes in a switch (I12): head of queue, switch, stall. Exact in ps.
 *
 * Hosts 0 and 2 send to host 1, which takes nothing and has room for one packet.
 */
#include "ib.h"
#include "ktap.h"

#define PAYLOAD	2048U
#define BLOCKS	33U	/* that a packet takes */

/**
 * struct late - the network, and the times of its events
 * @ib: the links
 * @net: the network
 * @sw: the switch
 * @out: its port to host 1
 * @t: time of a packet on the wire
 * @came: when the head of the first packet arrived
 * @stuck: when the second packet, which finds no room, could have left
 */
struct late {
	struct ib ib;
	struct net *net;
	struct fab_switch *sw;
	struct fab_port *out;
	fab_time t;
	fab_time came;
	fab_time stuck;
};

/* The first packet of host 0 passes to host 1 and fills its buffer. */
static void late_init(struct late *l, u64 bps, struct fab_age_params age,
		      enum fab_forward forward)
{
	struct ib small, *ib = &l->ib;
	u32 i;

	memset(l, 0, sizeof(*l));
	ib->bps = bps;
	ib->propagation = 50 * NS;
	ib->latency = 200 * NS;
	ib->blocks = 40 * BLOCKS;
	ib->period = 1000 * MS;
	ib->vls = 2;
	ib->age = age;
	ib->forward = forward;
	l->net = net_new(1);
	l->sw = ib_switch(l->net, ib, 0, 3);
	small = *ib;
	small.blocks = BLOCKS;
	for (i = 0; i < 3; i++) {
		ib_host(l->net, i == 1 ? &small : ib, i);
		ib_join(l->net, ib, &l->net->node[i]->ep.port,
			&l->sw->port[i]);
		net_route(l->sw, i, i);
	}
	l->out = &l->sw->port[1];
	ib_stop(l->net, 1, 1);
	net_run(l->net, 10 * US);
}

static void late_send(struct late *l, u32 src, u32 n)
{
	while (n--)
		EXPECT_EQ(net_send(l->net, src, 1, PAYLOAD), 0);
}

/* @n packets, now: one passes, and the next is stuck a packet time later. */
static void late_begin(struct late *l, u32 n)
{
	l->t = ib_time(&l->ib, PAYLOAD + IB_HEADER);
	l->came = l->net->fab.now + l->ib.propagation;
	if (l->ib.forward == FAB_STORE_FORWARD)
		l->came += l->t;
	l->stuck = l->came + l->t + l->ib.latency;
	late_send(l, 0, n);
}

/* At @at, and not before, the drops for @why are @n. */
static void dropped(struct late *l, fab_time at, enum fab_drop why, u64 n)
{
	net_run(l->net, at - 1);
	EXPECT(l->net->drops[why] < n);
	net_run(l->net, at);
	EXPECT_EQ(l->net->drops[why], n);
	EXPECT_EQ(l->out->c.drops[why], n);
}

/* The switch is empty again, has no event, and all room is granted. */
static void late_end(struct late *l)
{
	net_drain(l->net);
	EXPECT_EQ(l->out->queued, 0);
	EXPECT_EQ(ib_state(&l->sw->port[0])->vl[0].used, 0);
	net_free(l->net);
}

TEST(age_decode)
{
	EXPECT_EQ(fab_age_time(0), 4096 * NS);
	EXPECT_EQ(fab_age_time(0x10), 268435456 * NS);
	EXPECT_EQ(fab_age_time(0x12), 1073741824ULL * NS);
	EXPECT_EQ(fab_age_time(19), 2147483648ULL * NS);
	EXPECT_EQ(fab_age_time(20), 0);
	EXPECT_EQ(fab_age_time(31), 0);
}

TEST(age_params)
{
	struct fab_age_params p = { .hoq = US, .life = US, .stall_count = 7 };

	EXPECT_EQ(fab_age_params_check(&p), 0);
	p.hoq = 0;
	EXPECT_EQ(fab_age_params_check(&p), -EINVAL);
	p.stall_count = 0;
	EXPECT_EQ(fab_age_params_check(&p), 0);
	p.life = FAB_DELAY_MAX + 1;
	EXPECT_EQ(fab_age_params_check(&p), -ERANGE);
	p.life = 0;
	p.hoq = FAB_DELAY_MAX + 1;
	EXPECT_EQ(fab_age_params_check(&p), -ERANGE);
}

/*
 * Packet k of those that are stuck becomes head when k - 1 is dropped, so it is
 * dropped itself at stuck + k * hoq.
 */
static void held(struct late *l)
{
	net_run(l->net, l->stuck - 1);
	EXPECT_EQ(l->out->cls[0].c.held_since_ps, 0);
	net_run(l->net, l->stuck);
	EXPECT_EQ(l->out->cls[0].c.held_since_ps, l->stuck);
}

static void heads(u64 bps, u32 v, enum fab_forward forward)
{
	struct fab_age_params age = { .hoq = fab_age_time(v) };
	struct late l;
	u32 k;

	late_init(&l, bps, age, forward);
	late_begin(&l, 11);
	held(&l);
	for (k = 1; k <= 10; k++)
		dropped(&l, l.stuck + k * age.hoq, FAB_DROP_HOQ_LIFE, k);
	EXPECT_EQ(l.out->cls[0].c.first_drop_ps, l.stuck + age.hoq);
	EXPECT_EQ(l.out->cls[1].c.first_drop_ps, 0);
	late_end(&l);
}

TEST(age_head)
{
	heads(8 * GBPS, 0, FAB_CUT_THROUGH);
	heads(100 * GBPS, 0, FAB_STORE_FORWARD);
	heads(400 * GBPS, 7, FAB_CUT_THROUGH);
	heads(100 * GBPS, 0x12, FAB_CUT_THROUGH);
}

/* v of 20 and more: no lifetime, and no event. */
TEST(age_never)
{
	struct fab_age_params age = { .hoq = fab_age_time(20),
				      .life = fab_age_time(31) };
	struct late l;

	late_init(&l, 100 * GBPS, age, FAB_CUT_THROUGH);
	late_begin(&l, 11);
	net_drain(l.net);
	EXPECT_EQ(l.out->cls[0].packets, 10);
	EXPECT_EQ(l.net->fab.c.packets_dropped, 0);
	ib_stop(l.net, 1, 0);
	late_end(&l);
}

/* Packet k came in k t after the first, and is dropped life after that. */
static void lives(u64 bps, u32 v, enum fab_forward forward)
{
	struct fab_age_params age = { .life = fab_age_time(v) };
	struct late l;
	u32 k;

	late_init(&l, bps, age, forward);
	late_begin(&l, 11);
	for (k = 1; k <= 10; k++)
		dropped(&l, l.came + k * l.t + age.life, FAB_DROP_SWITCH_LIFE,
			k);
	late_end(&l);
}

TEST(age_life)
{
	lives(8 * GBPS, 4, FAB_CUT_THROUGH);
	lives(100 * GBPS, 2, FAB_STORE_FORWARD);
	lives(400 * GBPS, 0x12, FAB_CUT_THROUGH);
}

/*
 * After s drops in a row, at stuck + s * hoq, the VL is stalled: waiting packets are
 * dropped, and so are those that arrive until 8 hoq later. Then packets wait again.
 */
static void stall(u64 bps, u32 v, u32 s)
{
	struct fab_age_params age = { .hoq = fab_age_time(v),
				      .stall_count = s };
	fab_time at, end;
	struct late l;

	late_init(&l, bps, age, FAB_CUT_THROUGH);
	late_begin(&l, s + 6);
	at = l.stuck + s * age.hoq;
	end = at + FAB_AGE_STALL * age.hoq;
	dropped(&l, at, FAB_DROP_HOQ_LIFE, s);
	EXPECT_EQ(l.net->drops[FAB_DROP_VL_STALL], 5);
	EXPECT_EQ(l.out->queued, 0);
	EXPECT_EQ(l.out->dropping, 1);
	net_run(l.net, end - l.t / 2 - l.ib.propagation);
	late_send(&l, 0, 3);
	net_run(l.net, end - 1);
	EXPECT_EQ(l.net->drops[FAB_DROP_VL_STALL], 6);
	net_run(l.net, end);
	EXPECT_EQ(l.out->dropping, 0);
	net_run(l.net, end + 2 * l.t + l.ib.propagation);
	EXPECT_EQ(l.net->drops[FAB_DROP_VL_STALL], 6);
	EXPECT_EQ(l.out->cls[0].packets, 2);
	late_end(&l);
}

TEST(age_stall)
{
	stall(100 * GBPS, 0, 7);
	stall(8 * GBPS, 5, 1);
	stall(400 * GBPS, 9, 3);
}

/* A packet sent in between resets the count: s - 1 drops, one sent, s - 1 drops. */
TEST(age_stall_in_a_row)
{
	struct fab_age_params age = { .hoq = fab_age_time(2),
				      .stall_count = 3 };
	struct late l;

	late_init(&l, 100 * GBPS, age, FAB_CUT_THROUGH);
	late_begin(&l, 7);
	dropped(&l, l.stuck + 2 * age.hoq, FAB_DROP_HOQ_LIFE, 2);
	ib_stop(l.net, 1, 0);
	ib_stop(l.net, 1, 1);
	net_run(l.net, l.stuck + 3 * age.hoq - 1);
	EXPECT_EQ(l.out->cls[0].packets, 3);
	net_run(l.net, l.stuck + 4 * age.hoq + 10 * US);
	EXPECT_EQ(l.net->drops[FAB_DROP_HOQ_LIFE], 4);
	EXPECT_EQ(l.out->dropping, 0);
	late_end(&l);
}

/* Heads that are sent in time are not dropped, however long the queue is. */
TEST(age_slow)
{
	struct fab_age_params age = { .hoq = fab_age_time(0) };
	struct fab_receive_params rx = { .rate_bps = 5 * GBPS };
	struct late l;

	late_init(&l, 100 * GBPS, age, FAB_CUT_THROUGH);
	fab_receive_set(&l.net->fab, &l.net->node[1]->ep, &rx);
	late_begin(&l, 30);
	net_drain(l.net);
	EXPECT_EQ(l.net->node[1]->rx, 30);
	EXPECT_EQ(l.net->fab.c.packets_dropped, 0);
	EXPECT(l.net->node[1]->ep.latency->max > 10 * age.hoq);
	late_end(&l);
}

/* One VL is stuck, the other sends. */
TEST(age_lanes)
{
	struct fab_age_params age = { .hoq = fab_age_time(1), .stall_count = 2 };
	struct late l;

	late_init(&l, 100 * GBPS, age, FAB_CUT_THROUGH);
	net_pump(l.net, 2, 1, PAYLOAD, 1);
	late_begin(&l, 8);
	net_run(l.net, l.stuck + 5 * age.hoq);
	EXPECT_EQ(l.net->drops[FAB_DROP_HOQ_LIFE], 2);
	EXPECT_EQ(l.net->drops[FAB_DROP_VL_STALL], 5);
	EXPECT_EQ(l.net->fab.c.packets_dropped, 7);
	EXPECT(l.net->node[1]->rx > 50);
	net_pump(l.net, 2, 1, 0, 1);
	late_end(&l);
}

/* Virtual output queues: each loses its head after hoq. */
TEST(age_queues)
{
	struct fab_age_params age = { .hoq = fab_age_time(3) };
	fab_time other;
	struct late l;
	u32 k;

	late_init(&l, 100 * GBPS, age, FAB_CUT_THROUGH);
	late_begin(&l, 5);
	net_run(l.net, l.stuck + US);
	other = l.net->fab.now + l.ib.propagation + l.ib.latency;
	late_send(&l, 2, 4);
	for (k = 1; k <= 4; k++) {
		dropped(&l, l.stuck + k * age.hoq, FAB_DROP_HOQ_LIFE,
			2 * k - 1);
		EXPECT_EQ(ib_state(&l.sw->port[0])->vl[0].used,
			  (4 - k) * BLOCKS);
		dropped(&l, other + k * age.hoq, FAB_DROP_HOQ_LIFE, 2 * k);
		EXPECT_EQ(ib_state(&l.sw->port[2])->vl[0].used,
			  (4 - k) * BLOCKS);
	}
	late_end(&l);
}

/* fab_check() detects each kind of damage. */
TEST(age_check)
{
	struct fab_age_params age = { .hoq = fab_age_time(3) };
	struct late l;

	late_init(&l, 100 * GBPS, age, FAB_CUT_THROUGH);
	late_begin(&l, 5);
	net_run(l.net, l.stuck + US);
	EXPECT_NULL_STR(fab_check(&l.net->fab));
	l.out->age->moved[0] -= 9 * US;
	l.out->cls[0].fifo[0].head->at -= 9 * US;
	EXPECT(fab_check(&l.net->fab));
	l.out->cls[0].fifo[0].head->at += 9 * US;
	l.out->age->moved[0] += 9 * US;
	l.out->age->stalled = 1;
	EXPECT(fab_check(&l.net->fab));
	l.out->age->stalled = 0;
	fab_event_cancel(&l.net->fab.events, &l.out->age->due);
	EXPECT(fab_check(&l.net->fab));
	ib_stop(l.net, 1, 0);
	l.net->no_check = true;
	late_end(&l);
}
