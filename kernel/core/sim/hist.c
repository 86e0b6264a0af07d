// SPDX-License-Identifier: GPL-2.0
/*
 * A log-linear histogram of times, for latency and lateness.
 *
 * DOC: theory of operation
 *
 * Each octave [2^k, 2^(k+1)) has 16 buckets of equal width, so the width of a bucket
 * is at most 1/16 of its times, as in HdrHistogram. Count, minimum and maximum are
 * exact.
 */
#include "core/sim/hist.h"

/**
 * fab_hist_init() - initialise an empty histogram
 * @h: the histogram
 */
void fab_hist_init(struct fab_hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = FAB_NEVER;
}

static u32 hist_index(fab_time t)
{
	u32 octave, step;

	if (t < 1ULL << FAB_HIST_MIN_SHIFT)
		return 0;
	octave = fls64(t) - 1;
	if (unlikely(octave >= FAB_HIST_MIN_SHIFT + FAB_HIST_OCTAVES))
		return FAB_HIST_BUCKETS - 1;
	step = (t >> (octave - FAB_HIST_SUB_BITS)) -
	       (1U << FAB_HIST_SUB_BITS);
	return 1 + ((octave - FAB_HIST_MIN_SHIFT) << FAB_HIST_SUB_BITS) + step;
}

/**
 * fab_hist_add_many() - count equal samples
 * @h: the histogram
 * @t: the sample
 * @n: how many, 0 included
 */
void fab_hist_add_many(struct fab_hist *h, fab_time t, u64 n)
{
	if (!n)
		return;
	h->count += n;
	if (t < h->min)
		h->min = t;
	if (t > h->max)
		h->max = t;
	h->bucket[hist_index(t)] += n;
}

/**
 * fab_hist_add() - count a sample
 * @h: the histogram
 * @t: the sample
 */
void fab_hist_add(struct fab_hist *h, fab_time t)
{
	fab_hist_add_many(h, t, 1);
}

/**
 * fab_hist_bucket_end() - upper end of a bucket
 * @index: number of the bucket
 *
 * Return: the smallest time above the bucket, FAB_NEVER for the last one.
 */
fab_time fab_hist_bucket_end(u32 index)
{
	u32 octave, step;

	if (index >= FAB_HIST_BUCKETS - 1)
		return FAB_NEVER;
	/* Bucket i ends where i + 1 starts, which is simpler to compute. */
	octave = index >> FAB_HIST_SUB_BITS;
	step = index & ((1U << FAB_HIST_SUB_BITS) - 1);
	return ((1ULL << FAB_HIST_SUB_BITS) + step) <<
	       (octave + FAB_HIST_MIN_SHIFT - FAB_HIST_SUB_BITS);
}

/**
 * fab_hist_percentile() - percentile of the samples
 * @h: the histogram
 * @per_mille: the share, 0 to 1000
 *
 * The sample of rank ceil(count * per_mille / 1000) is in the bucket whose end is
 * returned, or is the maximum.
 *
 * Return: an upper bound, at most 1/16 above; 0 without samples.
 */
fab_time fab_hist_percentile(const struct fab_hist *h, u32 per_mille)
{
	u64 rank = div64_u64(h->count * per_mille + 999, 1000);
	u64 seen = 0;
	u32 i;

	if (!h->count)
		return 0;
	if (!rank)
		return h->min;
	for (i = 0; i < FAB_HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			break;
	}
	return min(fab_hist_bucket_end(i), h->max);
}
