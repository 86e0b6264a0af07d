// SPDX-License-Identifier: GPL-2.0
/*
 * Arithmetic of reductions, element by element.
 *
 * DOC: theory of operation
 *
 * Sums of integers wrap. Logical operations give 1 or 0. For floating point there are the
 * sum, the minimum and the maximum.
 *
 * Floating point is computed with integers, so that it works where no floating point may be
 * used, as in the kernel, and gives the same bits everywhere. It follows IEEE 754-2019:
 *
 * - A sum is rounded to nearest, ties to even, subnormal numbers included. Each sum is
 *   rounded to its own type.
 * - A sum with a NaN is that NaN, quiet; the first of two. The sum of opposite infinities is a
 *   NaN. As on x86, which gives the same bits for FP32 and FP64, this one is negative.
 * - The minimum and the maximum have the total order of the standard among numbers: -0 is less
 *   than +0. With a NaN both are that NaN (minimum and maximum of clause 9.6).
 *
 * BF16 has the exponent of FP32, and 7 bits of fraction.
 */
#include "core/sim/combine.h"

#define GUARD	3	/* bits below the fraction: enough to round once */

/**
 * struct format - a format of floating point
 */
struct format {
	/** @bits: of a number */
	u32 bits;
	/** @fraction: of these, bits of the fraction */
	u32 fraction;
};

static const u8 type_bytes[] = {
#define X(NAME, name, bytes)						\
	[FAB_COMBINE_##NAME] = (bytes),
	FAB_COMBINE_TYPES(X)
#undef X
};

static bool type_floats(u32 type)
{
	return type >= FAB_COMBINE_FP16;
}

/**
 * fab_combine_may() - can an operation be done?
 * @op: enum fab_combine_op, or another number
 * @type: enum fab_combine_type, or another number
 * @bytes: bytes of each operand
 *
 * Return: false if there is no such operation or type, if it is none for this type, or if
 * the bytes are no whole elements.
 */
bool fab_combine_may(u32 op, u32 type, u32 bytes)
{
	if (op >= FAB_COMBINE_OP_COUNT || type >= FAB_COMBINE_TYPE_COUNT)
		return false;
	if (type_floats(type) && op > FAB_COMBINE_MAX)
		return false;
	return !(bytes & (type_bytes[type] - 1U));
}

static inline u64 float_sign(const struct format *f)
{
	return 1ULL << (f->bits - 1);
}

/* Infinity, and the largest exponent at its place. */
static inline u64 float_inf(const struct format *f)
{
	return float_sign(f) - (1ULL << f->fraction);
}

static inline bool float_is_nan(const struct format *f, u64 a)
{
	return (a & (float_sign(f) - 1)) > float_inf(f);
}

static inline u64 float_quiet(const struct format *f, u64 nan)
{
	return nan | 1ULL << (f->fraction - 1);
}

/* Fraction with its leading one, if it has that, above the guard bits. */
static inline u64 float_fraction(const struct format *f, u64 magnitude)
{
	u64 one = 1ULL << f->fraction;
	u64 fraction = magnitude & (one - 1);

	return (magnitude >= one ? fraction | one : fraction) << GUARD;
}

/* Subnormal numbers have the exponent of the smallest normal ones. */
static inline u32 float_exponent(const struct format *f, u64 magnitude)
{
	u32 e = (u32)(magnitude >> f->fraction);

	return e ? e : 1;
}

/* Shift to the right; the lowest bit keeps whether a one was lost. */
static inline u64 shift_sticky(u64 a, u32 n)
{
	if (n > 63)
		return !!a;
	return (a >> n) | (a & ((1ULL << n) - 1) ? 1 : 0);
}

/* Round what has guard bits, and put it together. */
static inline u64 float_round(const struct format *f, u64 fraction, u32 e)
{
	u64 one = 1ULL << (f->fraction + GUARD);
	u64 low = fraction & 7;
	u64 m;

	if (fraction >= 2 * one) {
		fraction = shift_sticky(fraction, 1);
		low = fraction & 7;
		e++;
	}
	m = fraction >> GUARD;
	m += low > 4 || (low == 4 && m & 1);
	/* The leading one adds 1 to the exponent, and so does a carry of the rounding. */
	m += (u64)(e - 1) << f->fraction;
	return m < float_inf(f) ? m : float_inf(f);
}

/* The difference of magnitudes, the first of which is not less. */
static inline u64 float_difference(const struct format *f, u64 a, u64 b, u32 e)
{
	u64 one = 1ULL << (f->fraction + GUARD), m = a - b;

	while (m < one && e > 1) {
		m <<= 1;
		e--;
	}
	return float_round(f, m, e);
}

static inline u64 float_sum(const struct format *f, u64 a, u64 b)
{
	u64 sign = float_sign(f), x = a & (sign - 1), y = b & (sign - 1), t;
	u32 e, apart;

	if (float_is_nan(f, a))
		return float_quiet(f, a);
	if (float_is_nan(f, b))
		return float_quiet(f, b);
	if (x < y) {
		t = x;
		x = y;
		y = t;
		t = a;
		a = b;
		b = t;
	}
	if (x == float_inf(f))
		return y == x && (a ^ b) & sign ? float_quiet(f, sign | x) : a;
	if (x == y && (a ^ b) & sign)
		return 0;
	e = float_exponent(f, x);
	apart = e - float_exponent(f, y);
	x = float_fraction(f, x);
	y = shift_sticky(float_fraction(f, y), apart);
	if ((a ^ b) & sign)
		return (a & sign) | float_difference(f, x, y, e);
	return (a & sign) | float_round(f, x + y, e);
}

static inline bool float_less(const struct format *f, u64 a, u64 b)
{
	u64 sign = float_sign(f);

	if ((a ^ b) & sign)
		return a & sign;
	return a & sign ? a > b : a < b;
}

static inline u64 float_combine(const struct format *f, enum fab_combine_op op, u64 a, u64 b)
{
	if (op == FAB_COMBINE_SUM)
		return float_sum(f, a, b);
	if (float_is_nan(f, a))
		return float_quiet(f, a);
	if (float_is_nan(f, b))
		return float_quiet(f, b);
	return float_less(f, a, b) == (op == FAB_COMBINE_MIN) ? a : b;
}

/* All elements of a type; its integer, for floating point, has the same bits. */
#define DEFINE_FLOATS(name, type, width, frac)				\
static void combine_##name(enum fab_combine_op op, void *to, const void *from, u32 n) \
{									\
	const struct format f = { .bits = (width), .fraction = (frac) }; \
	const __typeof__(type) *b = from;				\
	__typeof__(type) *a = to;					\
	u32 i;								\
									\
	for (i = 0; i < n; i++)						\
		a[i] = (type)float_combine(&f, op, a[i], b[i]);		\
}

DEFINE_FLOATS(fp16, u16, 16, 10)
DEFINE_FLOATS(bf16, u16, 16, 7)
DEFINE_FLOATS(fp32, u32, 32, 23)
DEFINE_FLOATS(fp64, u64, 64, 52)

#define EACH(expression)						\
	do {								\
		for (i = 0; i < n; i++)					\
			a[i] = expression;				\
	} while (0)

/* Sums are those of numbers without sign, which wrap. */
#define DEFINE_INTEGERS(name, type, plain)				\
static void combine_##name(enum fab_combine_op op, void *to, const void *from, u32 n) \
{									\
	const __typeof__(type) *b = from;				\
	__typeof__(type) *a = to;					\
	u32 i;								\
									\
	switch (op) {							\
	case FAB_COMBINE_SUM:						\
		EACH((type)((plain)a[i] + (plain)b[i]));		\
		break;							\
	case FAB_COMBINE_MIN:						\
		EACH(a[i] < b[i] ? a[i] : b[i]);			\
		break;							\
	case FAB_COMBINE_MAX:						\
		EACH(a[i] < b[i] ? b[i] : a[i]);			\
		break;							\
	case FAB_COMBINE_LAND:						\
		EACH(a[i] && b[i]);					\
		break;							\
	case FAB_COMBINE_LOR:						\
		EACH(a[i] || b[i]);					\
		break;							\
	case FAB_COMBINE_LXOR:						\
		EACH(!a[i] != !b[i]);					\
		break;							\
	case FAB_COMBINE_BAND:						\
		EACH(a[i] & b[i]);					\
		break;							\
	case FAB_COMBINE_BOR:						\
		EACH(a[i] | b[i]);					\
		break;							\
	case FAB_COMBINE_BXOR:						\
		EACH(a[i] ^ b[i]);					\
		break;							\
	case FAB_COMBINE_OP_COUNT:					\
		break;							\
	}								\
}

DEFINE_INTEGERS(u8, u8, u8)
DEFINE_INTEGERS(s8, s8, u8)
DEFINE_INTEGERS(u16, u16, u32)
DEFINE_INTEGERS(s16, s16, u32)
DEFINE_INTEGERS(u32, u32, u32)
DEFINE_INTEGERS(s32, s32, u32)
DEFINE_INTEGERS(u64, u64, u64)
DEFINE_INTEGERS(s64, s64, u64)

/**
 * fab_combine() - combine elements
 * @op: what is done
 * @type: type of the elements
 * @to: the first operands, aligned for them; set to the results
 * @from: the second operands, aligned as well
 * @bytes: bytes of each, as fab_combine_may() accepts them
 */
void fab_combine(enum fab_combine_op op, enum fab_combine_type type, void *to,
		 const void *from, u32 bytes)
{
	static void (*const combine[])(enum fab_combine_op op, void *to, const void *from,
				       u32 n) = {
#define X(NAME, name, bytes)						\
	[FAB_COMBINE_##NAME] = combine_##name,
		FAB_COMBINE_TYPES(X)
#undef X
	};

	combine[type](op, to, from, bytes / type_bytes[type]);
}
