// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: conversion between the clock and fabric time.
 */
#include <kunit/test.h>
#include <linux/ktime.h>
#include <uapi/linux/weft.h>

#include "fabric/engine.h"

/**
 * struct time_case - nanoseconds and their fabric time
 */
struct time_case {
	/** @ns: nanoseconds */
	u64 ns;
	/** @dilation: dilation */
	u32 dilation;
	/** @ps: floor(1000 * ns / dilation) */
	u64 ps;
};

static const struct time_case time_cases[] = {
	{ 0, 1, 0 },
	{ 1, 1, 1000 },
	{ 1, 1000, 1 },
	{ 1, 1001, 0 },
	{ 2, 3, 666 },
	{ 1000000000, 1, FAB_PS_PER_S },
	{ 1000000000, WEFT_DILATION_MAX, 1000000 },
	/* 2^54 - 1, the last that fits by plain multiplication */
	{ 18014398509481983, 7, 2573485501354569000 },
	/* 2^54, and beyond 64 bits before the division */
	{ 18014398509481984, 7, 2573485501354569142 },
	{ 9223372036854775807, 1000, 9223372036854775807 },
	/* 213 days and more without dilation: beyond the range of fabric time */
	{ 18446744073709552, 1, FAB_NEVER - 1 },
	{ 9223372036854775807, 1, FAB_NEVER - 1 },
};

static void time_case_desc(const struct time_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%llu ns / %u", c->ns,
		 c->dilation);
}

KUNIT_ARRAY_PARAM(time, time_cases, time_case_desc);

static void time_from_ns(struct kunit *test)
{
	const struct time_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, weft_time_from_ns(c->ns, c->dilation), c->ps);
}

/* The timer fires at the first nanosecond at which the event is due. */
static void time_to_ns(struct kunit *test)
{
	static const u32 dilations[] = { 1, 2, 3, 7, 1000, 1001, 999983,
					 WEFT_DILATION_MAX };
	fab_time t;
	u64 ns;
	int i;

	for (i = 0; i < ARRAY_SIZE(dilations); i++) {
		for (t = 1; t < FAB_PS_PER_S * 1000; t = t * 3 + 1) {
			ns = weft_time_to_ns(t, dilations[i]);
			KUNIT_EXPECT_GE(test,
					weft_time_from_ns(ns, dilations[i]), t);
			KUNIT_EXPECT_LT(test,
					weft_time_from_ns(ns - 1, dilations[i]),
					t);
		}
	}
}

static void time_to_ns_limit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, weft_time_to_ns(0, 1), 0);
	KUNIT_EXPECT_EQ(test, weft_time_to_ns(FAB_NEVER, WEFT_DILATION_MAX),
			KTIME_MAX);
	KUNIT_EXPECT_EQ(test, weft_time_to_ns(FAB_NEVER - 2000, 1),
			18446744073709550);
}

static struct kunit_case time_kunit_cases[] = {
	KUNIT_CASE_PARAM(time_from_ns, time_gen_params),
	KUNIT_CASE(time_to_ns),
	KUNIT_CASE(time_to_ns_limit),
	{}
};

static struct kunit_suite time_suite = {
	.name = "weft_time",
	.test_cases = time_kunit_cases,
};

kunit_test_suite(time_suite);
