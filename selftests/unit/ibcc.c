// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * InfiniBand's congestion control (I14): index, timer, table.
 */
#include "core/cc/ibcc.h"
#include "core/sim/rng.h"
#include "ktap.h"
#include "net.h"

#define PACKET	(4158 * 80ULL)	/* ps of a packet at 100 Gb/s */

static struct fab_ibcc_params params(u16 increase, u16 limit, u16 min,
				     fab_time timer)
{
	struct fab_ibcc_params p;

	fab_ibcc_defaults(&p);
	p.sl[0].increase = increase;
	p.limit = limit;
	p.sl[0].min = min;
	p.sl[0].timer = timer;
	return p;
}

/* I14: b BECNs within a period raise the index to min(limit, min + b inc). */
static void raised(u16 increase, u16 limit, u16 least, fab_time timer)
{
	struct fab_ibcc_params p = params(increase, limit, least, timer);
	struct fab_ibcc cc = {};
	u32 b;

	fab_ibcc_init(&cc, &p);
	for (b = 1; b <= 300; b++) {
		EXPECT_EQ(fab_ibcc_on_becn(&cc, &p, 5 * US + b),
			  least + (b - 1) * increase < limit);
		EXPECT_EQ(cc.index, min((u32)limit, least + b * increase));
	}
}

TEST(index_rises)
{
	raised(1, 127, 0, 150 * 1024 * NS);
	raised(3, 100, 7, 38 * 1024 * NS);
	raised(40, 255, 0, 10 * 1024 * NS);
}

/*
 * I14: the index is back at the minimum after (index - min) periods, exactly, and falls
 * by one at the end of each, however rarely it is read.
 */
static void falls(u16 b, u16 least, fab_time timer, u32 stride)
{
	struct fab_ibcc_params p = params(1, 200, least, timer);
	const fab_time start = 3 * US;
	struct fab_ibcc cc = {};
	u32 i;

	fab_ibcc_init(&cc, &p);
	for (i = 0; i < b; i++)
		fab_ibcc_on_becn(&cc, &p, start);
	for (i = stride; i <= b; i += stride) {
		fab_ibcc_delay(&cc, &p, start + i * timer - 1, PACKET);
		EXPECT_EQ(cc.index, least + b - i + 1);
		fab_ibcc_delay(&cc, &p, start + i * timer, PACKET);
		EXPECT_EQ(cc.index, least + b - i);
	}
	EXPECT_EQ(cc.index, least);
	EXPECT_EQ(cc.fall_at, FAB_NEVER);
}

TEST(index_falls)
{
	falls(100, 0, 150 * 1024 * NS, 1);
	falls(60, 7, 38 * 1024 * NS, 20);
	falls(127, 30, 1, 127);
}

/*
 * I14: a flow that always has a packet sends one per t + delay, so its rate is
 * C / (1 + m / 2^s) of the entry: N packets take N (t + floor(t m / 2^s)).
 */
static void paced(u32 entry, u32 m, u32 s, fab_time time)
{
	struct fab_ibcc_params p = params(1, 255, entry, FAB_DELAY_MAX);
	fab_time now = 0, want;
	struct fab_ibcc cc = {};
	u32 n;

	p.cct[entry] = s << 14 | m;
	fab_ibcc_init(&cc, &p);
	for (n = 0; n < 1000; n++)
		now += time + fab_ibcc_delay(&cc, &p, now, time);
	want = 1000 * (time + (time * m >> s));
	EXPECT_EQ(now, want);
	EXPECT_NEAR(1000.0 * time / now, 1 / (1 + m / (double)(1 << s)), 0.0001);
}

TEST(delay_of_an_entry)
{
	paced(0, 0, 0, PACKET);
	paced(9, 1, 0, PACKET);
	paced(200, 7, 2, PACKET + 1);
	paced(255, 16383, 3, PACKET);
	paced(17, 5, 1, 282 * 20);
}

/* The longest packet time and multiplier fit; longer times are limited to it. */
TEST(delay_without_overflow)
{
	struct fab_ibcc_params p = params(1, 127, 1, US);
	struct fab_ibcc cc = {};

	p.cct[1] = 16383;
	fab_ibcc_init(&cc, &p);
	EXPECT_EQ(fab_ibcc_delay(&cc, &p, 0, FAB_DELAY_MAX),
		  16383 * FAB_DELAY_MAX);
	EXPECT_EQ(fab_ibcc_delay(&cc, &p, 0, 5 * FAB_DELAY_MAX),
		  16383 * FAB_DELAY_MAX);
}

/*
 * I14: a BECN every "increase" periods keeps the index. It was raised to x, and is at
 * x - increase, or one more, whenever the next BECN arrives. If they arrive a little
 * more often, the index climbs to the limit.
 */
static void balanced(u16 increase, fab_time timer)
{
	struct fab_ibcc_params p = params(increase, 127, 0, timer);
	const fab_time every = increase * timer;
	struct fab_ibcc cc = {};
	fab_time now;
	u32 i;

	fab_ibcc_init(&cc, &p);
	for (i = 0; i < 10; i++)
		fab_ibcc_on_becn(&cc, &p, 0);
	for (i = 1; i <= 1000; i++) {
		fab_ibcc_on_becn(&cc, &p, i * every);
		EXPECT_EQ(cc.index, 10 * increase);
	}
	now = 1000 * every;
	for (i = 1; i <= 20000; i++)
		fab_ibcc_on_becn(&cc, &p, now + i * (every - every / 64));
	EXPECT_EQ(cc.index, 127);
}

TEST(equilibrium)
{
	balanced(1, 150 * 1024 * NS);
	balanced(2, 38 * 1024 * NS);
	balanced(12, 10 * 1024 * NS);
}

/* Late reads give the same values as a read at each timer. */
TEST(late_looks_change_nothing)
{
	struct fab_ibcc_params p = params(3, 90, 4, 7 * US);
	fab_time now = 0, due = FAB_NEVER;
	u32 i, index = p.sl[0].min;
	struct fab_ibcc cc = {};
	u64 rng = 1;

	fab_ibcc_init(&cc, &p);
	for (i = 0; i < 20000; i++) {
		u64 x = fab_rng_next(&rng);

		now += x % 5 ? x / 8 % (15 * US) : x / 8 % (700 * US);
		for (; due <= now; due = index > p.sl[0].min ? due + p.sl[0].timer : FAB_NEVER)
			index--;
		if (x & 4) {
			fab_ibcc_on_becn(&cc, &p, now);
			index = min(index + 3, 90U);
			due = min(due, now + p.sl[0].timer);
		}
		EXPECT_EQ(fab_ibcc_delay(&cc, &p, now, PACKET),
			  PACKET * (p.cct[index] & 16383) >> 3);
		EXPECT_EQ(cc.index, index);
	}
}

/* Other parameters apply from the next read on. */
TEST(parameters_change)
{
	struct fab_ibcc_params p = params(1, 127, 0, US);
	struct fab_ibcc cc = {};
	u32 i;

	fab_ibcc_init(&cc, &p);
	for (i = 0; i < 100; i++)
		fab_ibcc_on_becn(&cc, &p, 0);
	p.limit = 50;
	fab_ibcc_delay(&cc, &p, 0, PACKET);
	EXPECT_EQ(cc.index, 50);
	p.sl[0].min = 60;
	p.limit = 70;
	fab_ibcc_delay(&cc, &p, 0, PACKET);
	EXPECT_EQ(cc.index, 60);
	EXPECT_EQ(cc.fall_at, FAB_NEVER);
	p.sl[0].min = 58;
	fab_ibcc_delay(&cc, &p, 5 * US, PACKET);
	fab_ibcc_delay(&cc, &p, 6 * US, PACKET);
	EXPECT_EQ(cc.index, 59);
	fab_ibcc_delay(&cc, &p, 7 * US, PACKET);
	EXPECT_EQ(cc.index, 58);
}

/* Entry i is round(8 i^2 / 127) eighths: 0 leaves C, 127 leaves C / 129. */
TEST(table_to_begin_with)
{
	struct fab_ibcc_params p;
	u32 i;

	fab_ibcc_defaults(&p);
	EXPECT_EQ(fab_ibcc_params_check(&p), 0);
	EXPECT_EQ(p.cct[0] & 16383, 0);
	EXPECT_EQ(p.cct[127], 3U << 14 | 8 * 127);
	for (i = 0; i < FAB_CCT_MAX; i++)
		EXPECT_NEAR(p.cct[i] & 16383, 8.0 * i * i / 127, 0.5);
	EXPECT_EQ(p.sl[0].timer, 153600 * NS);
}

TEST(refused)
{
	struct fab_ibcc_params p = params(1, 256, 0, US);

	EXPECT(fab_ibcc_params_check(&p) == -EINVAL);
	p = params(1, 10, 11, US);
	EXPECT(fab_ibcc_params_check(&p) == -EINVAL);
	p = params(1, 10, 0, 0);
	EXPECT(fab_ibcc_params_check(&p) == -ERANGE);
	p = params(1, 10, 0, FAB_DELAY_MAX + 1);
	EXPECT(fab_ibcc_params_check(&p) == -ERANGE);
}

/* Each service level has its own increase; one outside Control_Map has no delay. */
TEST(service_levels)
{
	struct fab_ibcc_params p = params(1, 127, 0, US);
	struct fab_ibcc cc[3] = { { .sl = 0 }, { .sl = 3 }, { .sl = 15 } };
	u32 i;

	p.sl[3].increase = 20;
	p.sl[3].min = 2;
	p.sl[15].increase = 50;
	p.map = BIT(0) | BIT(3);
	for (i = 0; i < 3; i++) {
		fab_ibcc_init(&cc[i], &p);
		EXPECT_EQ(fab_ibcc_on_becn(&cc[i], &p, 0), i < 2);
	}
	EXPECT_EQ(cc[0].index, 1);
	EXPECT_EQ(cc[1].index, 22);
	EXPECT_EQ(fab_ibcc_delay(&cc[1], &p, 0, PACKET),
		  PACKET * (p.cct[22] & 16383) >> 3);
	EXPECT_EQ(fab_ibcc_delay(&cc[2], &p, 0, PACKET), 0);
	/* What is not controlled need not be good. */
	p.sl[15].timer = 0;
	EXPECT_EQ(fab_ibcc_params_check(&p), 0);
	p.map |= BIT(15);
	EXPECT(fab_ibcc_params_check(&p) == -ERANGE);
	p.sl[3].min = 128;
	EXPECT(fab_ibcc_params_check(&p) == -EINVAL);
}
