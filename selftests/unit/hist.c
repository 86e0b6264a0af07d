// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The histogram: edges of its buckets, percentiles against sorted samples.
 */
#include <stdlib.h>

#include "core/sim/hist.h"
#include "core/sim/rng.h"
#include "ktap.h"

static struct fab_hist h;

static u32 bucket_of(fab_time t)
{
	u32 i;

	fab_hist_init(&h);
	fab_hist_add(&h, t);
	for (i = 0; !h.bucket[i]; i++)
		;
	return i;
}

/* Every bucket begins where the one before ends: nothing between, no overlap. */
TEST(buckets_meet)
{
	u32 i;

	EXPECT_EQ(bucket_of(0), 0);
	for (i = 0; i < FAB_HIST_BUCKETS - 1; i++) {
		EXPECT_EQ(bucket_of(fab_hist_bucket_end(i) - 1), i);
		EXPECT_EQ(bucket_of(fab_hist_bucket_end(i)), i + 1);
	}
	EXPECT_EQ(fab_hist_bucket_end(0), 1ULL << FAB_HIST_MIN_SHIFT);
	EXPECT_EQ(fab_hist_bucket_end(FAB_HIST_BUCKETS - 1), FAB_NEVER);
	EXPECT_EQ(bucket_of(FAB_NEVER - 1), FAB_HIST_BUCKETS - 1);
}

TEST(empty)
{
	fab_hist_init(&h);
	EXPECT_EQ(fab_hist_percentile(&h, 500), 0);
	EXPECT_EQ(h.min, FAB_NEVER);
}

TEST(one_sample_is_exact)
{
	fab_hist_init(&h);
	fab_hist_add(&h, 1234567);
	EXPECT_EQ(fab_hist_percentile(&h, 0), 1234567);
	EXPECT_EQ(fab_hist_percentile(&h, 500), 1234567);
	EXPECT_EQ(fab_hist_percentile(&h, 1000), 1234567);
}

/* Adding n samples at once equals adding them one by one; adding 0 changes nothing. */
TEST(many_samples_at_once)
{
	static struct fab_hist one;
	u32 n, i;

	fab_hist_init(&h);
	fab_hist_init(&one);
	for (n = 0; n < 5; n++) {
		fab_hist_add_many(&h, n * 5000, n);
		for (i = 0; i < n; i++)
			fab_hist_add(&one, n * 5000);
		EXPECT(!memcmp(&h, &one, sizeof(h)));
	}
	EXPECT_EQ(h.count, 1 + 2 + 3 + 4);
	EXPECT_EQ(h.min, 5000);
	EXPECT_EQ(h.max, 20000);
}

static int ascending(const void *a, const void *b)
{
	const fab_time *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * The bucket [16 + s, 17 + s) 2^k holds the sample of the requested rank, and its end
 * is returned: above the sample by at most 1/16 of it, or by 1.024 ns below the first
 * octave.
 */
TEST(percentiles_against_sorted_samples)
{
	static fab_time t[5001];
	u32 n = ARRAY_SIZE(t), i, rank;
	fab_time got, want;
	u64 rng = 3;

	fab_hist_init(&h);
	for (i = 0; i < n; i++) {
		t[i] = fab_rng_next(&rng) >> 24 >> (i % 32);
		fab_hist_add(&h, t[i]);
	}
	qsort(t, n, sizeof(t[0]), ascending);
	EXPECT_EQ(h.count, n);
	EXPECT_EQ(h.min, t[0]);
	EXPECT_EQ(h.max, t[n - 1]);
	for (i = 1; i <= 1000; i++) {
		rank = (n * i + 999) / 1000;
		want = t[rank - 1];
		got = fab_hist_percentile(&h, i);
		EXPECT(got >= want);
		EXPECT(got <= want + want / 16 + 1024);
	}
}
