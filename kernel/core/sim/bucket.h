/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A leaky bucket, which detects an excess over a rate.
 *
 * Its state is the time when it is empty, as in GCRA (ITU-T I.371, annex A).
 */
#ifndef FAB_BUCKET_H
#define FAB_BUCKET_H

#include "core/sim/fixed.h"

/**
 * struct fab_bucket - a leaky bucket
 */
struct fab_bucket {
	/** @rate_bps: rate at which it leaks, bits per second */
	u64 rate_bps;
	/** @depth: time in which a full bucket leaks, ps */
	fab_time depth;
	/** @empty: when its content has leaked */
	fab_time empty;
};

/**
 * fab_bucket_time() - time that bytes take at a rate
 * @bytes: number of bytes; may be more than fab_serialise() takes
 * @bps: the rate, bits per second, not 0
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
 * fab_bucket_init() - initialise an empty bucket
 * @b: the bucket
 * @rate_bps: rate at which it leaks, bits per second; 0: it is not used
 * @size: its size, bytes
 */
static inline void fab_bucket_init(struct fab_bucket *b, u64 rate_bps, u64 size)
{
	b->rate_bps = rate_bps;
	b->depth = rate_bps ? fab_bucket_time(size, rate_bps) : 0;
	b->empty = 0;
}

/**
 * fab_bucket_add() - add bytes to a bucket
 * @b: the bucket
 * @now: fabric time
 * @bytes: number of bytes, at most FAB_LEN_MAX
 *
 * Return: true if the bucket is full; bytes that do not fit are discarded.
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
