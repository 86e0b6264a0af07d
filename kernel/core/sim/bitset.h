/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of small numbers (ports, queues) as bits of unsigned longs, or of one word (classes).
 */
#ifndef FAB_BITSET_H
#define FAB_BITSET_H

#include "core/types.h"

static inline void fab_bitset_add(unsigned long *set, u32 i)
{
	set[i / BITS_PER_LONG] |= 1UL << (i % BITS_PER_LONG);
}

static inline void fab_bitset_del(unsigned long *set, u32 i)
{
	set[i / BITS_PER_LONG] &= ~(1UL << (i % BITS_PER_LONG));
}

static inline bool fab_bitset_has(const unsigned long *set, u32 i)
{
	return set[i / BITS_PER_LONG] >> (i % BITS_PER_LONG) & 1;
}

/**
 * fab_bitset_next() - first member at or after a number
 * @set: the set
 * @size: numbers are below this
 * @from: where to begin
 *
 * Return: the member, @size or more when there is none.
 */
static inline u32 fab_bitset_next(const unsigned long *set, u32 size, u32 from)
{
	u32 word = from / BITS_PER_LONG;
	unsigned long bits;

	if (from >= size)
		return size;
	bits = set[word] & (~0UL << (from % BITS_PER_LONG));
	while (!bits) {
		if (++word >= BITS_TO_LONGS(size))
			return size;
		bits = set[word];
	}
	return word * BITS_PER_LONG + __ffs(bits);
}

#define fab_bitset_for_each(i, set, size)				\
	for ((i) = fab_bitset_next(set, size, 0); (i) < (size);	\
	     (i) = fab_bitset_next(set, size, (i) + 1))

/**
 * fab_bits_turn() - the member of a word whose turn it is, round robin
 * @bits: the members, not 0
 * @from: where to begin, below 32
 *
 * Return: the first member at or after @from, or else the first one of all.
 */
static inline u32 fab_bits_turn(u32 bits, u32 from)
{
	u32 rest = bits & (~0U << from);

	return __ffs(rest ? rest : bits);
}

#endif
