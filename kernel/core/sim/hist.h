/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A log-linear histogram of times, for latency and lateness.
 */
#ifndef FAB_HIST_H
#define FAB_HIST_H

#include "core/types.h"

#define FAB_HIST_SUB_BITS	4		/* 16 steps per octave: 6 % */
#define FAB_HIST_MIN_SHIFT	10		/* first octave starts at 1.024 ns */
#define FAB_HIST_OCTAVES	34		/* last one ends at 17.6 s */
#define FAB_HIST_BUCKETS	(1 + (FAB_HIST_OCTAVES << FAB_HIST_SUB_BITS))

/**
 * struct fab_hist - histogram of times
 */
struct fab_hist {
	/** @count: samples */
	u64 count;
	/** @min: smallest sample, exact; FAB_NEVER without samples */
	fab_time min;
	/** @max: largest sample, exact */
	fab_time max;
	/** @bucket: samples below 2^FAB_HIST_MIN_SHIFT ps, then 16 per octave; the last is open */
	u64 bucket[FAB_HIST_BUCKETS];
};

void fab_hist_init(struct fab_hist *h);
void fab_hist_add(struct fab_hist *h, fab_time t);
void fab_hist_add_many(struct fab_hist *h, fab_time t, u64 n);
fab_time fab_hist_bucket_end(u32 index);
fab_time fab_hist_percentile(const struct fab_hist *h, u32 per_mille);

#endif
