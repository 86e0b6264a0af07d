// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event queue against a naive model, and the fairness of its ties.
 */
#include "core/sim/event.h"
#include "core/sim/rng.h"
#include "ktap.h"

#define EVENTS	300

static void nothing(struct fab *fab, struct fab_event *ev)
{
}

struct naive {
	struct fab_event_queue q;
	struct fab_event ev[EVENTS];
	u64 rng;
	fab_time now;
	u32 pending;
};

static fab_time naive_next(const struct naive *n)
{
	fab_time next = FAB_NEVER;
	u32 i;

	for (i = 0; i < EVENTS; i++)
		if (fab_event_pending(&n->ev[i]) && n->ev[i].at < next)
			next = n->ev[i].at;
	return next;
}

/* Advance to @until, or to the first event that is due by then. */
static void naive_pop(struct naive *n, fab_time until)
{
	fab_time next = naive_next(n);
	struct fab_event *ev;

	EXPECT(fab_event_next(&n->q) <= next);
	ev = fab_event_pop(&n->q, until);
	EXPECT(!ev == (next > until));
	if (!ev) {
		EXPECT(fab_event_next(&n->q) > until);
		n->now = until;
		if (until % 2)
			fab_event_pass(&n->q, until);
		return;
	}
	EXPECT_EQ(ev->at, next);
	EXPECT(!fab_event_pending(ev));
	n->now = next;
	n->pending--;
}

/* Times of all magnitudes, and every third one on a coarse grid, for ties. */
static fab_time naive_time(struct naive *n)
{
	u64 r = fab_rng_next(&n->rng);
	fab_time at = n->now + (r >> 8 >> (r % 56));

	return r % 3 ? at : (at | 0xff) + 1;
}

static void naive_step(struct naive *n)
{
	u64 r = fab_rng_next(&n->rng);
	struct fab_event *ev = &n->ev[(r >> 32) % EVENTS];

	if (r % 100 < 30 && n->pending) {
		naive_pop(n, FAB_NEVER - 1);
	} else if (r % 100 < 40) {
		naive_pop(n, n->now + (naive_time(n) - n->now) / 64);
	} else if (!fab_event_pending(ev)) {
		fab_event_schedule(&n->q, ev, naive_time(n));
		n->pending++;
	} else if (r % 100 < 60) {
		fab_event_cancel(&n->q, ev);
		EXPECT(!fab_event_pending(ev));
		n->pending--;
	}
}

TEST(matches_naive_model)
{
	struct naive n = { .rng = 7 };
	u64 count;
	u32 i;

	fab_event_queue_init(&n.q, 1);
	for (i = 0; i < EVENTS; i++)
		fab_event_init(&n.ev[i], nothing);
	for (i = 0; i < 60000; i++) {
		naive_step(&n);
		if (i % 8)
			continue;
		EXPECT_NULL_STR(fab_event_queue_check(&n.q, &count));
		EXPECT_EQ(count, n.pending);
	}
	while (n.pending)
		naive_pop(&n, FAB_NEVER - 1);
	EXPECT_EQ(fab_event_next(&n.q), FAB_NEVER);
	EXPECT(!fab_event_pop(&n.q, FAB_NEVER - 1));
}

TEST(ends_of_time)
{
	static const fab_time at[] = {
		0, 1, 63, 64, 4095, 4096, 1ULL << 60, 1ULL << 63, U64_MAX - 1,
	};
	struct fab_event ev[ARRAY_SIZE(at)];
	struct fab_event_queue q = { 0 };
	u32 i;

	fab_event_queue_init(&q, 1);
	for (i = ARRAY_SIZE(at); i--;) {
		fab_event_init(&ev[i], nothing);
		fab_event_schedule(&q, &ev[i], at[i]);
	}
	for (i = 0; i < ARRAY_SIZE(at); i++)
		EXPECT(fab_event_pop(&q, FAB_NEVER - 1) == &ev[i]);
}

TEST(past_counts_as_present)
{
	struct fab_event_queue q = { 0 };
	struct fab_event ev;

	fab_event_queue_init(&q, 1);
	fab_event_init(&ev, nothing);
	fab_event_schedule(&q, &ev, 1000);
	fab_event_pop(&q, FAB_NEVER - 1);
	fab_event_schedule(&q, &ev, 10);
	EXPECT_EQ(fab_event_next(&q), 1000);
}

TEST(cancel_is_idempotent)
{
	struct fab_event_queue q = { 0 };
	struct fab_event ev;

	fab_event_queue_init(&q, 1);
	fab_event_init(&ev, nothing);
	fab_event_cancel(&q, &ev);
	fab_event_schedule(&q, &ev, 5);
	fab_event_cancel(&q, &ev);
	fab_event_cancel(&q, &ev);
	EXPECT_EQ(fab_event_next(&q), FAB_NEVER);
}

/*
 * Cancelling the earliest event of a time that is far off does not search for the next
 * one: the old time stays as a bound. Once that time has come, the time of the next event
 * is known.
 */
TEST(cancel_the_earliest)
{
	const fab_time far = 100000000;
	struct fab_event_queue q = { 0 };
	struct fab_event ev[3];
	u32 i;

	fab_event_queue_init(&q, 1);
	for (i = 0; i < 3; i++) {
		fab_event_init(&ev[i], nothing);
		fab_event_schedule(&q, &ev[i], far + 100 * i);
	}
	fab_event_cancel(&q, &ev[0]);
	EXPECT_EQ(fab_event_next(&q), far);
	EXPECT(!fab_event_pop(&q, far - 1));
	EXPECT_EQ(fab_event_next(&q), far);
	EXPECT(!fab_event_pop(&q, far));
	EXPECT_EQ(fab_event_next(&q), far + 100);
	fab_event_schedule(&q, &ev[0], far + 1);
	EXPECT(fab_event_pop(&q, far + 1) == &ev[0]);
	EXPECT(fab_event_pop(&q, FAB_NEVER - 1) == &ev[1]);
	EXPECT(fab_event_pop(&q, FAB_NEVER - 1) == &ev[2]);
}

/* Of events that are due soon, and of those of the present 256 ps, the next is always known. */
static void cancel_soon(fab_time at, fab_time present)
{
	struct fab_event_queue q = { 0 };
	struct fab_event ev[5];
	u32 i;

	fab_event_queue_init(&q, 1);
	for (i = 0; i < 5; i++) {
		fab_event_init(&ev[i], nothing);
		fab_event_schedule(&q, &ev[i], at + i * 7 % 5);
	}
	/* Their times are at + 0, 2, 4, 1, 3. */
	if (present) {
		EXPECT(fab_event_pop(&q, present) == &ev[0]);
		fab_event_schedule(&q, &ev[0], at);
	}
	EXPECT_EQ(fab_event_next(&q), at);
	fab_event_cancel(&q, &ev[0]);
	EXPECT_EQ(fab_event_next(&q), at + 1);
	fab_event_cancel(&q, &ev[1]);
	fab_event_cancel(&q, &ev[3]);
	EXPECT_EQ(fab_event_next(&q), at + 3);
	EXPECT(!fab_event_pop(&q, at + 2));
	EXPECT(fab_event_pop(&q, at + 3) == &ev[4]);
	fab_event_cancel(&q, &ev[2]);
	EXPECT_EQ(fab_event_next(&q), FAB_NEVER);
}

TEST(cancel_the_earliest_of_a_few)
{
	cancel_soon(500000, 0);
	cancel_soon(500000, 500000);
	cancel_soon(0, 0);
	cancel_soon(0, 1);
}

TEST(move_to_any_time)
{
	struct fab_event_queue q = { 0 };
	struct fab_event ev;

	fab_event_queue_init(&q, 1);
	fab_event_init(&ev, nothing);
	fab_event_move(&q, &ev, FAB_NEVER);
	EXPECT(!fab_event_pending(&ev));
	fab_event_move(&q, &ev, 7);
	EXPECT_EQ(fab_event_next(&q), 7);
	fab_event_move(&q, &ev, 7000);
	EXPECT_EQ(fab_event_next(&q), 7000);
	fab_event_move(&q, &ev, 3);
	EXPECT_EQ(fab_event_next(&q), 3);
	fab_event_move(&q, &ev, FAB_NEVER);
	EXPECT_EQ(fab_event_next(&q), FAB_NEVER);
}

/*
 * All 4! orders of four events of one instant are equally likely. Chi-square
 * with 23 degrees of freedom is below 49.7 with probability 0.999.
 */
static void ties(fab_time ahead, u64 name)
{
	u32 seen[256] = { 0 }, round, i, key;
	struct fab_event_queue q = { 0 };
	struct fab_event ev[4];
	double chi = 0, expect;
	const u32 rounds = 24000;

	fab_event_queue_init(&q, 42);
	for (i = 0; i < 4; i++) {
		fab_event_init(&ev[i], nothing);
		fab_event_name(&ev[i], name * (i + 1));
	}
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < 4; i++)
			fab_event_schedule(&q, &ev[i], round * 1000000ULL +
					   ahead);
		for (key = i = 0; i < 4; i++)
			key = key << 2 |
			      (fab_event_pop(&q, FAB_NEVER - 1) - ev);
		seen[key]++;
	}
	expect = rounds / 24.0;
	for (key = i = 0; i < 256; i++) {
		key += !!seen[i];
		if (seen[i])
			chi += (seen[i] - expect) * (seen[i] - expect) / expect;
	}
	EXPECT_EQ(key, 24);
	EXPECT_NEAR(chi, 0, 49.7);
}

TEST(ties_are_fair)
{
	ties(0, 0);
	ties(1, 0);
	ties(100, 0);
	ties(77777, 0);
}

TEST(ties_of_names_are_fair)
{
	ties(0, fab_mix(1));
	ties(1, fab_mix(2));
	ties(100, fab_mix(3));
	ties(77777, 1);
}

/* The order of the events of @which, a bit for each of 8, scheduled from @first on. */
static u64 name_order(u64 seed, u32 which, u32 first, fab_time at)
{
	struct fab_event ev[8], *next;
	struct fab_event_queue q = { 0 };
	u64 order = 1;
	u32 i, n;

	fab_event_queue_init(&q, seed);
	for (i = 0; i < 8; i++) {
		n = (first + i) % 8;
		fab_event_init(&ev[n], nothing);
		fab_event_name(&ev[n], fab_mix(n + 1));
		if (which & BIT(n))
			fab_event_schedule(&q, &ev[n], at);
	}
	while ((next = fab_event_pop(&q, FAB_NEVER - 1)))
		order = order << 4 | (next - ev);
	return order;
}

/* @order without the events that are not in @which. */
static u64 only(u64 order, u32 which)
{
	u64 left = 1;
	u32 i;

	for (i = 8; i--;)
		if (which & BIT(order >> 4 * i & 15))
			left = left << 4 | (order >> 4 * i & 15);
	return left;
}

TEST(names_order_alike_in_any_queue)
{
	u64 all, before = 0;
	u32 first, differ = 0;
	fab_time at;

	for (at = 0; at < 100; at++) {
		all = name_order(1, 0xff, 0, at);
		differ += all != before;
		before = all;
		for (first = 0; first < 8; first++)
			EXPECT_EQ(name_order(first, 0xff, first, at), all);
		EXPECT_EQ(name_order(1, 0x35, 3, at), only(all, 0x35));
		EXPECT_EQ(name_order(1, 0xca, 6, at), only(all, 0xca));
	}
	/* Two of 40,320 orders are seldom the same. */
	EXPECT(differ > 95);
}

TEST(change_keeps_the_time)
{
	struct fab_event_queue a = { 0 }, b = { 0 };
	struct fab_event ev;

	fab_event_queue_init(&a, 1);
	fab_event_queue_init(&b, 2);
	fab_event_init(&ev, nothing);
	fab_event_change(&a, &b, &ev);
	EXPECT(!fab_event_pending(&ev));
	fab_event_schedule(&a, &ev, 5);
	fab_event_change(&a, &b, &ev);
	EXPECT_EQ(fab_event_next(&a), FAB_NEVER);
	EXPECT_EQ(fab_event_next(&b), 5);
	EXPECT(fab_event_pop(&b, 5) == &ev);
}

static u64 tie_order(u64 seed)
{
	struct fab_event_queue q = { 0 };
	struct fab_event ev[16];
	u64 order = 0;
	u32 i;

	fab_event_queue_init(&q, seed);
	for (i = 0; i < 16; i++) {
		fab_event_init(&ev[i], nothing);
		fab_event_schedule(&q, &ev[i], 12345);
	}
	for (i = 0; i < 16; i++)
		order = order << 4 | (fab_event_pop(&q, FAB_NEVER - 1) - ev);
	return order;
}

TEST(ties_repeat_with_the_seed)
{
	EXPECT_EQ(tie_order(1), tie_order(1));
	EXPECT(tie_order(1) != tie_order(2));
}

/**
 * struct twins - two queues with the same events, one of which omits further ones
 */
struct twins {
	struct fab_event_queue q[2];
	struct fab_event ev[2][16];
	struct fab_event extra[2];
	u64 rng;
	fab_time now;
	u32 asked;
	u32 omitted;
};

static void twins_init(struct twins *t, u64 seed)
{
	u32 k, i;

	memset(t, 0, sizeof(*t));
	t->rng = seed;
	for (k = 0; k < 2; k++) {
		fab_event_queue_init(&t->q[k], seed);
		fab_event_init(&t->extra[k], nothing);
		for (i = 0; i < 16; i++)
			fab_event_init(&t->ev[k][i], nothing);
	}
}

/* Schedule one of the events, often for an instant at which others are due. */
static void twins_add(struct twins *t)
{
	u32 i = fab_rng_next(&t->rng) % 16, k;
	fab_time at = t->now + (fab_rng_next(&t->rng) % 4 * 60 << (i & 1 ? 0 : i & 14));

	if (!fab_event_pending(&t->ev[0][i]))
		for (k = 0; k < 2; k++)
			fab_event_schedule(&t->q[k], &t->ev[k][i], at);
}

/* Take the earliest event of both, which is the same. Returns false if none is left. */
static bool twins_pop(struct twins *t)
{
	struct fab_event *a = fab_event_pop(&t->q[0], FAB_NEVER - 1);
	struct fab_event *b = fab_event_pop(&t->q[1], FAB_NEVER - 1);

	EXPECT_EQ(!a, !b);
	if (!a || !b)
		return false;
	EXPECT_EQ(a - t->ev[0], b - t->ev[1]);
	t->now = a->at;
	return true;
}

/* In an event: a further one for the present in the first, none in the second if it may. */
static void twins_omit(struct twins *t, u64 name)
{
	u32 k;

	for (k = 0; k < 2; k++)
		fab_event_name(&t->extra[k], name);
	t->asked++;
	if (!fab_event_omit(&t->q[1], &t->extra[1], t->now))
		return;
	fab_event_schedule(&t->q[0], &t->extra[0], t->now);
	EXPECT(fab_event_pop(&t->q[0], t->now) == &t->extra[0]);
	EXPECT_EQ(t->q[0].tie_state, t->q[1].tie_state);
	t->omitted++;
}

TEST(an_omitted_event_changes_no_order)
{
	struct twins t;
	u32 i;

	twins_init(&t, 7);
	for (i = 0; i < 100000; i++) {
		twins_add(&t);
		if (fab_rng_next(&t.rng) % 3 && twins_pop(&t))
			twins_omit(&t, i % 2 ? fab_mix(i) : 0);
	}
	EXPECT(t.omitted > 10000 && t.asked - t.omitted > 10000);
}

/* Between events, when the present has left the queue's time behind. */
TEST(an_omitted_event_would_be_the_next)
{
	struct twins t;
	u32 i, k;

	twins_init(&t, 8);
	for (i = 0; i < 100000; i++) {
		twins_add(&t);
		k = fab_rng_next(&t.rng) % 3;
		if (!k && !twins_pop(&t))
			continue;
		if (k == 1 && fab_event_next(&t.q[1]) > t.now + 1)
			t.now += fab_rng_next(&t.rng) %
				 min(fab_event_next(&t.q[1]) - t.now, 1000000ULL);
		if (!fab_event_omit(&t.q[1], &t.extra[1], t.now))
			continue;
		fab_event_schedule(&t.q[1], &t.extra[1], t.now);
		EXPECT(fab_event_pop(&t.q[1], t.now) == &t.extra[1]);
		fab_event_schedule(&t.q[0], &t.extra[0], t.now);
		EXPECT(fab_event_pop(&t.q[0], t.now) == &t.extra[0]);
		t.q[1].tie_state = t.q[0].tie_state;
		t.omitted++;
	}
	EXPECT(t.omitted > 1000);
}

#define CROWD	1000

/*
 * Many events of one instant, some cancelled, some added later: each remaining one is
 * executed once, in the order of their keys.
 */
TEST(crowd_at_one_instant)
{
	static struct fab_event ev[CROWD];
	struct fab_event_queue q = { 0 };
	struct fab_event *got;
	u64 rng = 5, count, key = 0;
	u32 i, left = CROWD;

	fab_event_queue_init(&q, 3);
	for (i = 0; i < CROWD; i++) {
		fab_event_init(&ev[i], nothing);
		fab_event_schedule(&q, &ev[i], 1000000);
	}
	got = fab_event_pop(&q, FAB_NEVER - 1);
	fab_event_schedule(&q, got, 1000000);
	for (i = 0; i < CROWD / 2; i++) {
		got = &ev[fab_rng_next(&rng) % CROWD];
		left -= fab_event_pending(got);
		fab_event_cancel(&q, got);
		EXPECT_NULL_STR(fab_event_queue_check(&q, &count));
		EXPECT_EQ(count, left);
	}
	for (; left; left--) {
		got = fab_event_pop(&q, FAB_NEVER - 1);
		EXPECT(got->key >= key);
		key = got->key;
		EXPECT_EQ(got->at, 1000000);
	}
	EXPECT(!fab_event_pop(&q, FAB_NEVER - 1));
}
