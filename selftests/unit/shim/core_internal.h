/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User-space twin of kernel/core/core_internal.h: what the model takes from the
 * kernel. Included first (-include), it makes the other one empty. The tests of the
 * model, its benchmarks and `weft simulate` share it.
 */
#ifndef FAB_CORE_INTERNAL_H
#define FAB_CORE_INTERNAL_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)

#define BITS_PER_LONG	((u32)(8 * sizeof(long)))
#define BITS_TO_LONGS(n) (((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))

#define noinline	__attribute__((noinline))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define prefetch(x)	__builtin_prefetch(x)

#define min(a, b)	({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); \
			   _a < _b ? _a : _b; })
#define max(a, b)	({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); \
			   _a > _b ? _a : _b; })

#define container_of(ptr, type, member)				\
	((type *)((char *)(ptr) - offsetof(type, member)))

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	unsigned __int128 product = a;

	return (product * mul) >> shift;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 div)
{
	unsigned __int128 product = a;

	return (u64)(product * mul / div);
}

static inline unsigned long __ffs(unsigned long word)
{
	return __builtin_ctzl(word);
}

static inline unsigned long __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline unsigned int hweight16(unsigned int x)
{
	return __builtin_popcount(x & 0xffff);
}

static inline void strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

#endif
