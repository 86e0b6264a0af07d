/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A leaky bucket: is more handed in than a rate carries off?
 *
 * It is kept as the time when it is empty, as GCRA does (ITU-T I.371, annex A).
 */
#ifndef FAB_BUCKET_H
#define FAB_BUCKET_H

#include "core/sim/fixed.h"

/**
 * struct fab_bucket - a leaky bucket
 */
struct fab_bucket {
	/** @rate_bps: at which it leaks, not 0 */
	u64 rate_bps;
	/** @depth: ps that its size takes at that rate */
	fab_time depth;
	/** @empty: when all that is in it has leaked */
	fab_time empty;
};

/**
 * fab_bucket_time() - time that bytes take at a rate
 * @bytes: how many; may be more than fab_serialise() takes
 * @bps: the rate, not 0
 *
 * Return: picoseconds.
 */
static inline fab_time fab_bucket_time(u64 bytes, u64 bps)
{
	const u32 part = BIT(20);

	return (bytes / part) * fab_serialise(part, bps) +
	       fab_serialise(bytes % part, bps);
}

/**
 * fab_bucket_init() - make an empty bucket
 * @b: the bucket
 * @rate_bps: at which it leaks; 0: it is not used
 * @size: how many bytes it holds
 */
static inline void fab_bucket_init(struct fab_bucket *b, u64 rate_bps, u64 size)
{
	b->rate_bps = rate_bps;
	b->depth = rate_bps ? fab_bucket_time(size, rate_bps) : 0;
	b->empty = 0;
}

/**
 * fab_bucket_add() - put something into a bucket
 * @b: the bucket
 * @now: fabric time
 * @bytes: how much, at most FAB_LEN_MAX
 *
 * Return: whether the bucket is full; what does not fit runs over.
 */
static inline bool fab_bucket_add(struct fab_bucket *b, fab_time now, u32 bytes)
{
	b->empty = max(b->empty, now) + fab_serialise(bytes, b->rate_bps);
	if (b->empty < now + b->depth)
		return false;
	b->empty = now + b->depth;
	return true;
}

#endif
