// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The scheduler: strict priority, shares by weight, and the handling of deficits (E14).
 */
#include <stdlib.h>

#include "core/egress/sched.h"
#include "core/sim/rng.h"
#include "ktap.h"

#define CLASSES	FAB_CLASSES_MAX

/**
 * struct load - classes that always have a packet
 */
struct load {
	struct fab_sched s;
	u16 ready;
	u32 head[CLASSES];
	u64 bytes[CLASSES];
	u64 packets[CLASSES];
};

static void load_init(struct load *l, const u16 *weight, u32 n, u32 quantum)
{
	struct fab_sched_params p = { .quantum = quantum };
	u32 i;

	memset(l, 0, sizeof(*l));
	for (i = 0; i < n; i++)
		p.weight[i] = weight[i];
	fab_sched_init(&l->s, &p);
	l->ready = (1U << n) - 1;
	for (i = 0; i < n; i++)
		l->head[i] = 1000;
}

static int load_send(struct load *l)
{
	int cls = fab_sched_pick(&l->s, l->ready, l->head);

	if (cls < 0)
		return cls;
	fab_sched_sent(&l->s, cls, l->head[cls]);
	l->bytes[cls] += l->head[cls];
	l->packets[cls]++;
	return cls;
}

TEST(nothing_ready)
{
	static const u16 weight[] = { 1, 0 };
	struct load l;

	load_init(&l, weight, 2, 1000);
	l.ready = 0;
	EXPECT(load_send(&l) == -1);
}

TEST(strict_higher_number_first)
{
	static const u16 weight[16] = { 0 };
	struct load l;
	u32 i;

	load_init(&l, weight, 16, 1);
	for (i = 16; i--;) {
		EXPECT_EQ(load_send(&l), i);
		EXPECT_EQ(load_send(&l), i);
		l.ready &= ~BIT(i);
	}
}

/* E14: a strict class starves all weighted ones, whatever their numbers. */
TEST(strict_starves_weighted)
{
	static const u16 weight[] = { 0, 5, 0, 9 };
	struct load l;
	u32 i;

	load_init(&l, weight, 4, 1000);
	for (i = 0; i < 100; i++)
		EXPECT_EQ(load_send(&l), 2);
	l.ready &= ~BIT(2);
	for (i = 0; i < 100; i++)
		EXPECT_EQ(load_send(&l), 0);
	l.ready &= ~BIT(0);
	EXPECT(load_send(&l) & 1);
}

/*
 * Shreedhar and Varghese, lemma 2 and theorem 2, for classes i and j that are
 * always ready: after n visits to i it has sent n Q w_i - d_i with a deficit
 * 0 <= d_i < L (L the longest packet), and j had n - 1 to n + 1 visits, at
 * most one of them unfinished (which leaves less than Q w_j + L unsent):
 *	|bytes_i / w_i - bytes_j / w_j| < Q + L / w_i + L / w_j
 */
static void shares(const u16 *weight, u32 n, u32 quantum, u64 seed)
{
	const double longest = 9000;
	double a, b;
	struct load l;
	u32 i, j, k;

	load_init(&l, weight, n, quantum);
	for (k = 0; k < 20000; k++) {
		for (i = 0; i < n; i++)
			if (l.head[i] == 1000 && fab_rng_next(&seed) % 2)
				l.head[i] = 84 + fab_rng_next(&seed) % 8916;
		i = load_send(&l);
		l.head[i] = 1000;
		for (j = 0; j < n; j++) {
			a = (double)l.bytes[i] / weight[i];
			b = (double)l.bytes[j] / weight[j];
			EXPECT_NEAR(a - b, 0, quantum + longest / weight[i] +
				    longest / weight[j]);
		}
	}
}

TEST(shares_follow_weights)
{
	static const u16 equal[] = { 1, 1, 1 };
	static const u16 small[] = { 1, 2, 4, 8 };
	static const u16 ets[] = { 10, 20, 70 };
	static const u16 wide[] = { 1, 65535 };
	static const u16 many[] = { 3, 1, 4, 1, 5, 9, 2, 6,
				    5, 3, 5, 8, 9, 7, 9, 3 };
	static const u32 quantum[] = { 1, 84, 1500, 9000, 65536 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(quantum); i++) {
		shares(equal, 3, quantum[i], 1);
		shares(small, 4, quantum[i], 2);
		shares(ets, 3, quantum[i], 3);
		shares(wide, 2, quantum[i], 4);
		shares(many, 16, quantum[i], 5);
	}
}

/*
 * Equal packets of one quantum: each visit sends exactly w_i packets, so that
 * whole rounds give the exact ratio.
 */
TEST(whole_rounds_are_exact)
{
	static const u16 weight[] = { 1, 2, 5 };
	struct load l;
	u32 i;

	load_init(&l, weight, 3, 1000);
	for (i = 0; i < 8 * 125; i++)
		load_send(&l);
	EXPECT_EQ(l.packets[0], 125);
	EXPECT_EQ(l.packets[1], 250);
	EXPECT_EQ(l.packets[2], 625);
}

/* E14: the others share the rate of an idle class, by weight. */
TEST(idle_share_is_redistributed)
{
	static const u16 weight[] = { 1, 2, 5 };
	struct load l;
	u32 i;

	load_init(&l, weight, 3, 1000);
	l.ready = 3;
	for (i = 0; i < 300; i++)
		load_send(&l);
	EXPECT_EQ(l.packets[0], 100);
	EXPECT_EQ(l.packets[1], 200);
	EXPECT_EQ(l.packets[2], 0);
}

/*
 * A class that has one packet from time to time must not save up deficit. As its
 * deficit is cleared on idle, it gets no more than a visit each time.
 */
TEST(idle_class_loses_deficit)
{
	static const u16 weight[] = { 1, 10 };
	struct load l;

	load_init(&l, weight, 2, 1000);
	l.head[1] = 100;
	while (load_send(&l) != 1)
		;
	EXPECT(l.s.deficit[1] == 9900);
	fab_sched_idle(&l.s, 1);
	EXPECT(l.s.deficit[1] == 0);
	l.head[1] = 1000;
	/* The visit is over: the other class is next. */
	EXPECT_EQ(load_send(&l), 0);
}

/*
 * The port takes the packet off the queue before it reports it as sent. A class that
 * becomes empty in this way must not owe the packet. A visit is worth a packet, so a
 * class that has one while the other sends one is next every time.
 */
TEST(idle_class_owes_nothing)
{
	static const u16 weight[] = { 1, 1 };
	struct load l;
	int cls;
	u32 i;

	load_init(&l, weight, 2, 1000);
	EXPECT_EQ(load_send(&l), 0);
	for (i = 0; i < 50; i++) {
		l.ready = 3;
		cls = fab_sched_pick(&l.s, l.ready, l.head);
		EXPECT_EQ(cls, 1);
		fab_sched_idle(&l.s, cls);
		fab_sched_sent(&l.s, cls, l.head[cls]);
		EXPECT(l.s.deficit[cls] == 0);
		l.ready = 1;
		EXPECT_EQ(load_send(&l), 0);
	}
}

/* A blocked class keeps its deficit, and gains nothing. */
TEST(blocked_class_keeps_deficit)
{
	static const u16 weight[] = { 1, 2 };
	struct load l;
	u32 i;

	load_init(&l, weight, 2, 1000);
	while (load_send(&l) != 1)
		;
	EXPECT(l.s.deficit[1] == 1000);
	l.ready = 1;
	for (i = 0; i < 50; i++)
		EXPECT_EQ(load_send(&l), 0);
	EXPECT(l.s.deficit[1] == 1000);
}

/* One byte per round and a packet of 9000: the scheduler skips idle rounds. */
TEST(tiny_quantum)
{
	static const u16 weight[] = { 1, 3 };
	struct load l;
	u32 i;

	load_init(&l, weight, 2, 1);
	l.head[0] = 9000;
	l.head[1] = 9000;
	for (i = 0; i < 4000; i++)
		load_send(&l);
	EXPECT_EQ(l.packets[0], 1000);
	EXPECT_EQ(l.packets[1], 3000);
}

/*
 * fab_sched_only() is fab_sched_pick() of one class, from any state: quanta from a byte to
 * more than all packets, strict classes, and times in which several are ready.
 */
TEST(only_one_is_ready)
{
	static const u32 quanta[] = { 1, 100, 1500, 9000, U32_MAX };
	u16 weight[4] = { 1, 3, 0, 1000 };
	struct load a, b;
	u32 i, k, cls;
	int picked;

	for (k = 0; k < ARRAY_SIZE(quanta); k++) {
		load_init(&a, weight, 4, quanta[k]);
		load_init(&b, weight, 4, quanta[k]);
		for (i = 0; i < 20000; i++) {
			a.ready = fab_mix(i) % 3 ? BIT(fab_mix(i) >> 8 & 3) :
						   1 + (fab_mix(i) >> 8) % 15;
			cls = __ffs(a.ready);
			a.head[cls] = 1 + (fab_mix(i) >> 16) % 9000;
			b.head[cls] = a.head[cls];
			picked = fab_sched_pick(&a.s, a.ready, a.head);
			if (a.ready & (a.ready - 1))
				EXPECT_EQ(fab_sched_pick(&b.s, a.ready, b.head), picked);
			else
				EXPECT(fab_sched_only(&b.s, cls, b.head[cls]));
			if (fab_mix(i) >> 32 & 1)
				fab_sched_idle(&a.s, picked);
			if (fab_mix(i) >> 32 & 1)
				fab_sched_idle(&b.s, picked);
			fab_sched_sent(&a.s, picked, a.head[picked]);
			fab_sched_sent(&b.s, picked, b.head[picked]);
			EXPECT(!memcmp(&a.s, &b.s, sizeof(a.s)));
		}
	}
}

/* fab_sched_last() is fab_sched_only() and fab_sched_sent() of a class that runs empty. */
TEST(the_last_packet)
{
	u16 weight[4] = { 1, 3, 0, 1000 };
	struct load a, b;
	u32 i, cls;
	int picked;

	load_init(&a, weight, 4, 1500);
	load_init(&b, weight, 4, 1500);
	for (i = 0; i < 20000; i++) {
		a.ready = fab_mix(i) % 3 ? BIT(fab_mix(i) >> 8 & 3) : 1 + (fab_mix(i) >> 8) % 15;
		cls = __ffs(a.ready);
		a.head[cls] = 1 + (fab_mix(i) >> 16) % 9000;
		b.head[cls] = a.head[cls];
		picked = fab_sched_pick(&a.s, a.ready, a.head);
		if (a.ready & (a.ready - 1)) {
			EXPECT_EQ(fab_sched_pick(&b.s, a.ready, b.head), picked);
			fab_sched_sent(&a.s, picked, a.head[picked]);
			fab_sched_sent(&b.s, picked, a.head[picked]);
		} else {
			fab_sched_idle(&a.s, cls);
			fab_sched_sent(&a.s, cls, a.head[cls]);
			EXPECT(fab_sched_last(&b.s, cls));
			fab_sched_idle(&b.s, cls);
		}
		EXPECT(!memcmp(&a.s, &b.s, sizeof(a.s)));
	}
}

TEST(refusals)
{
	struct fab_sched_params p = { .quantum = 1 };

	EXPECT_EQ(fab_sched_params_check(&p, 1), 0);
	EXPECT_EQ(fab_sched_params_check(&p, CLASSES), 0);
	p.quantum = U32_MAX;
	EXPECT_EQ(fab_sched_params_check(&p, CLASSES), 0);
	p.quantum = 0;
	EXPECT(fab_sched_params_check(&p, CLASSES) == -EINVAL);
	p.quantum = 1;
	p.kind = FAB_SCHED_VLARB + 1;
	EXPECT(fab_sched_params_check(&p, CLASSES) == -EINVAL);
}

/* Every class is served eventually, with or without a weight. */
TEST(serves_all)
{
	static const u16 weight[] = { 0, 1 };
	struct load l;

	load_init(&l, weight, 2, 1000);
	EXPECT_EQ(fab_sched_serves(&l.s), U16_MAX);
}
