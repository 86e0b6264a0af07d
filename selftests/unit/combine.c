// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arithmetic of reductions: against the machine's floating point, and against a search among
 * all numbers of a format; integers against plain C.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/combine.h"
#include "core/sim/rng.h"
#include "ktap.h"

#define TRIES	300000U

static const u32 bytes_of[] = {
#define X(NAME, name, bytes)						\
	[FAB_COMBINE_##NAME] = bytes,
	FAB_COMBINE_TYPES(X)
#undef X
};

static u64 combine(enum fab_combine_op op, enum fab_combine_type type, u64 a, u64 b)
{
	fab_combine(op, type, &a, &b, bytes_of[type]);
	return a;
}

/* Random bits: any number, often those at the edges, often of nearly equal exponents. */
static u64 any_bits(u64 *seed, u32 bits, u32 fraction, u64 near)
{
	const u64 sign = 1ULL << (bits - 1), inf = sign - (1ULL << fraction);
	const u64 edge[] = {
		0, sign, 1, sign | 1, (1ULL << fraction) - 1, 1ULL << fraction, inf - 1,
		inf, sign | inf, inf | 1, sign | inf | 1, inf | 1ULL << (fraction - 1),
	};
	u64 r = fab_rng_next(seed), mask = sign | (sign - 1);

	switch (r % 4) {
	case 0:
		return edge[(r >> 8) % (sizeof(edge) / sizeof(*edge))];
	case 1:
		return (near ^ sign ^ (r >> 8) % (4ULL << fraction)) & mask;
	default:
		return r >> (64 - bits);
	}
}

TEST(fp32_as_the_machine)
{
	u64 seed = 1, a = 0, b;
	float x, y, z;
	u32 i, sum;

	for (i = 0; i < TRIES; i++) {
		b = any_bits(&seed, 32, 23, a);
		a = any_bits(&seed, 32, 23, b);
		memcpy(&x, &a, sizeof(x));
		memcpy(&y, &b, sizeof(y));
		z = x + y;
		memcpy(&sum, &z, sizeof(sum));
		EXPECT_EQ(combine(FAB_COMBINE_SUM, FAB_COMBINE_FP32, a, b), sum);
		if (isnan(x) || isnan(y) || x == y)
			continue;
		EXPECT_EQ(combine(FAB_COMBINE_MIN, FAB_COMBINE_FP32, a, b), x < y ? a : b);
		EXPECT_EQ(combine(FAB_COMBINE_MAX, FAB_COMBINE_FP32, a, b), x > y ? a : b);
	}
}

TEST(fp64_as_the_machine)
{
	u64 seed = 2, a = 0, b, sum;
	double x, y, z;
	u32 i;

	for (i = 0; i < TRIES; i++) {
		b = any_bits(&seed, 64, 52, a);
		a = any_bits(&seed, 64, 52, b);
		memcpy(&x, &a, sizeof(x));
		memcpy(&y, &b, sizeof(y));
		z = x + y;
		memcpy(&sum, &z, sizeof(sum));
		EXPECT_EQ(combine(FAB_COMBINE_SUM, FAB_COMBINE_FP64, a, b), sum);
		if (isnan(x) || isnan(y) || x == y)
			continue;
		EXPECT_EQ(combine(FAB_COMBINE_MIN, FAB_COMBINE_FP64, a, b), x < y ? a : b);
		EXPECT_EQ(combine(FAB_COMBINE_MAX, FAB_COMBINE_FP64, a, b), x > y ? a : b);
	}
}

/* The number that bits of 16 are; infinities as if the format went on. */
static double value16(u32 bits, u32 fraction)
{
	u32 magnitude = bits & 0x7fff, e = magnitude >> fraction;
	u32 m = magnitude & ((1U << fraction) - 1);
	int bias = (1 << (14 - fraction)) - 1;
	double v = e ? ldexp(m + (1U << fraction), (int)e - bias - (int)fraction) :
		       ldexp(m, 1 - bias - (int)fraction);

	return bits & 0x8000 ? -v : v;
}

/* Nearest number to a sum, which is exact in double, by halving; ties to even. */
static u32 nearest16(double sum, u32 fraction)
{
	u32 low = 0, high = 0x7fff & ~((1U << fraction) - 1), mid;
	double want = fabs(sum), down, up;

	while (high - low > 1) {
		mid = (low + high) / 2;
		if (value16(mid, fraction) <= want)
			low = mid;
		else
			high = mid;
	}
	down = want - value16(low, fraction);
	up = value16(high, fraction) - want;
	if (up < down || (up == down && low & 1))
		low = high;
	return low | (signbit(sum) ? 0x8000 : 0);
}

static void check16(enum fab_combine_type type, u32 fraction, u64 seed)
{
	u32 inf = 0x7fff & ~((1U << fraction) - 1), i;
	u64 a = 0, b;

	for (i = 0; i < TRIES; i++) {
		b = any_bits(&seed, 16, fraction, a);
		a = any_bits(&seed, 16, fraction, b);
		if ((a & 0x7fff) >= inf || (b & 0x7fff) >= inf)
			continue;
		EXPECT_EQ(combine(FAB_COMBINE_SUM, type, a, b),
			  nearest16(value16(a, fraction) + value16(b, fraction), fraction));
	}
}

/* All pairs of numbers are too many; each number meets many. */
TEST(fp16_is_nearest)
{
	check16(FAB_COMBINE_FP16, 10, 3);
}

TEST(bf16_is_nearest)
{
	check16(FAB_COMBINE_BF16, 7, 4);
}

TEST(floats_have_an_order)
{
	const u16 inf = 0x7c00, nan = 0x7c01, zero = 0, minus_zero = 0x8000;

	EXPECT_EQ(combine(FAB_COMBINE_MIN, FAB_COMBINE_FP16, zero, minus_zero), minus_zero);
	EXPECT_EQ(combine(FAB_COMBINE_MIN, FAB_COMBINE_FP16, minus_zero, zero), minus_zero);
	EXPECT_EQ(combine(FAB_COMBINE_MAX, FAB_COMBINE_FP16, minus_zero, zero), zero);
	EXPECT_EQ(combine(FAB_COMBINE_MAX, FAB_COMBINE_FP16, 1, inf), inf);
	EXPECT_EQ(combine(FAB_COMBINE_MAX, FAB_COMBINE_FP16, 1, nan), 0x7e01);
	EXPECT_EQ(combine(FAB_COMBINE_MIN, FAB_COMBINE_FP16, nan, 1), 0x7e01);
	EXPECT_EQ(combine(FAB_COMBINE_SUM, FAB_COMBINE_FP16, 0x8000 | nan, nan), 0xfe01);
	EXPECT_EQ(combine(FAB_COMBINE_SUM, FAB_COMBINE_FP16, inf, 0x8000 | inf), 0xfe00);
	EXPECT_EQ(combine(FAB_COMBINE_SUM, FAB_COMBINE_FP16, 0x7bff, 0x7bff), inf);
}

static s64 number(enum fab_combine_type type, u64 bits)
{
	switch (type) {
	case FAB_COMBINE_S8:
		return (s8)bits;
	case FAB_COMBINE_S16:
		return (s16)bits;
	case FAB_COMBINE_S32:
		return (s32)bits;
	default:
		return (s64)bits;
	}
}

static bool less(enum fab_combine_type type, u64 a, u64 b)
{
	bool has_sign = type == FAB_COMBINE_S8 || type == FAB_COMBINE_S16 ||
			type == FAB_COMBINE_S32 || type == FAB_COMBINE_S64;

	return has_sign ? number(type, a) < number(type, b) : a < b;
}

static void check_integers(enum fab_combine_type type, u64 a, u64 b)
{
	u64 mask = bytes_of[type] == 8 ? ~0ULL : (1ULL << 8 * bytes_of[type]) - 1;

	a &= mask;
	b &= mask;
	EXPECT_EQ(combine(FAB_COMBINE_SUM, type, a, b), (a + b) & mask);
	EXPECT_EQ(combine(FAB_COMBINE_MIN, type, a, b), less(type, b, a) ? b : a);
	EXPECT_EQ(combine(FAB_COMBINE_MAX, type, a, b), less(type, b, a) ? a : b);
	EXPECT_EQ(combine(FAB_COMBINE_LAND, type, a, b), a && b);
	EXPECT_EQ(combine(FAB_COMBINE_LOR, type, a, b), a || b);
	EXPECT_EQ(combine(FAB_COMBINE_LXOR, type, a, b), !a != !b);
	EXPECT_EQ(combine(FAB_COMBINE_BAND, type, a, b), a & b);
	EXPECT_EQ(combine(FAB_COMBINE_BOR, type, a, b), a | b);
	EXPECT_EQ(combine(FAB_COMBINE_BXOR, type, a, b), a ^ b);
}

TEST(integers)
{
	const u64 edge[] = { 0, 1, ~0ULL, 0x8080808080808080ULL, 0x7f7f7f7f7f7f7f7fULL };
	u64 seed = 5;
	u32 type, i, k;

	for (type = FAB_COMBINE_U8; type < FAB_COMBINE_FP16; type++) {
		for (i = 0; i < 5; i++)
			for (k = 0; k < 5; k++)
				check_integers(type, edge[i], edge[k]);
		for (i = 0; i < 1000; i++)
			check_integers(type, fab_rng_next(&seed), fab_rng_next(&seed));
	}
}

/* Each element with its own, and none beyond. */
TEST(elements)
{
	u32 a[5] = { 1, 2, 3, 4, 5 };
	const u32 b[5] = { 10, 20, 30, 40, 50 };

	fab_combine(FAB_COMBINE_SUM, FAB_COMBINE_U32, a, b, 4 * sizeof(*a));
	EXPECT_EQ(a[0], 11);
	EXPECT_EQ(a[3], 44);
	EXPECT_EQ(a[4], 5);
	fab_combine(FAB_COMBINE_SUM, FAB_COMBINE_U32, a, b, 0);
	EXPECT_EQ(a[0], 11);
}

TEST(what_may_be)
{
	EXPECT(fab_combine_may(FAB_COMBINE_BXOR, FAB_COMBINE_S64, 16));
	EXPECT(!fab_combine_may(FAB_COMBINE_BXOR, FAB_COMBINE_S64, 12));
	EXPECT(fab_combine_may(FAB_COMBINE_MAX, FAB_COMBINE_FP64, 8));
	EXPECT(!fab_combine_may(FAB_COMBINE_LAND, FAB_COMBINE_FP64, 8));
	EXPECT(!fab_combine_may(FAB_COMBINE_OP_COUNT, FAB_COMBINE_U8, 1));
	EXPECT(!fab_combine_may(FAB_COMBINE_SUM, FAB_COMBINE_TYPE_COUNT, 1));
	EXPECT(fab_combine_may(FAB_COMBINE_SUM, FAB_COMBINE_U32, 0));
}
