// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wires: lengths, exact times, bit errors.
 */
#include <math.h>

#include "core/sim/fixed.h"
#include "core/sim/rng.h"
#include "core/wire/wire.h"
#include "ktap.h"
#include "net.h"

static struct fab_wire wire_of(u64 bps)
{
	struct fab_wire_params p = net_wire(bps, 0);
	struct fab_wire w = { .p = p };

	fab_wire_init(&w, &p, 1);
	return w;
}

TEST(bytes)
{
	struct fab_wire w = wire_of(GBPS);
	struct fab_pkt pkt = { .len = 1, .segs = 1 };

	EXPECT_EQ(fab_wire_bytes(&w, &pkt), 60 + 24);
	pkt.len = 60;
	EXPECT_EQ(fab_wire_bytes(&w, &pkt), 60 + 24);
	pkt.len = 61;
	EXPECT_EQ(fab_wire_bytes(&w, &pkt), 61 + 24);
	pkt.len = 45 * 1514;
	pkt.segs = 45;
	EXPECT_EQ(fab_wire_bytes(&w, &pkt), 45 * (1514 + 24));
}

/* ceil(8e12 bytes / rate), in 128 bits. */
static fab_time exact(u32 bytes, u64 bps)
{
	unsigned __int128 bits = (unsigned __int128)bytes * 8 * FAB_PS_PER_S;

	return (bits + bps - 1) / bps;
}

static void times(u64 bps)
{
	struct fab_wire w = wire_of(bps);
	struct fab_pkt pkt = { .segs = 1 };

	for (pkt.len = 60; pkt.len + 24 <= FAB_LEN_MAX;
	     pkt.len += 1 + pkt.len / 7)
		EXPECT_EQ(fab_wire_time(&w, &pkt), exact(pkt.len + 24, bps));
	pkt.len = FAB_LEN_MAX - 24;
	EXPECT_EQ(fab_wire_time(&w, &pkt), exact(FAB_LEN_MAX, bps));
}

TEST(times_are_exact)
{
	static const u64 odd[] = {
		FAB_RATE_MIN, 1862, 1863, 9600, 1000003, 26562500000ULL,
		53125 * GBPS / 1000, 106250000007ULL, 1600 * GBPS,
		8000 * GBPS, 8000 * GBPS + 1, FAB_RATE_MAX,
	};
	u32 i;

	times(10 * GBPS);
	times(100 * GBPS);
	times(400 * GBPS);
	times(800 * GBPS);
	for (i = 0; i < ARRAY_SIZE(odd); i++)
		times(odd[i]);
}

/* 64 bytes at 800 Gb/s: the reason for picoseconds. */
TEST(fast_path)
{
	EXPECT_EQ(wire_of(800 * GBPS).ps_per_byte, 10);
	EXPECT_EQ(wire_of(400 * GBPS).ps_per_byte, 20);
	EXPECT_EQ(wire_of(100 * GBPS).ps_per_byte, 80);
	EXPECT_EQ(wire_of(10 * GBPS).ps_per_byte, 800);
	EXPECT_EQ(wire_of(3 * GBPS).ps_per_byte, 0);
	EXPECT_EQ(wire_of(FAB_RATE_MIN).ps_per_byte, 0);
	EXPECT_EQ(fab_serialise(64, 800 * GBPS), 640);
}

TEST(params_out_of_range)
{
	struct fab_wire_params good = net_wire(GBPS, 0), p;

	EXPECT_EQ(fab_wire_params_check(&good), 0);
	p = good;
	p.rate_bps = FAB_RATE_MIN - 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p.rate_bps = FAB_RATE_MAX + 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p = good;
	p.propagation = FAB_DELAY_MAX + 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p = good;
	p.overhead = FAB_OVERHEAD_MAX + 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p = good;
	p.min_frame = FAB_FRAME_MIN_MAX + 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p = good;
	p.bits_per_error = FAB_ERROR_MAX + 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
}

/*
 * A packet of n bits is hit with probability p = 1 - exp(-n / mean), each
 * independently: the hits among m packets are binomial, with deviation
 * sqrt(m p (1 - p)). Seeds are fixed; five deviations would be exceeded by one
 * seed in 1.7 million. The distance floor(X) + 1, with X exponential, is at most
 * n exactly when X < n: counting whole bits does not change the law.
 */
static void errors(u64 mean, u32 bytes, u64 seed)
{
	struct fab_wire_params p = net_wire(GBPS, 0);
	const u32 m = 400000;
	struct fab_wire w;
	u32 hits = 0, i;
	double q;

	p.bits_per_error = mean;
	fab_wire_init(&w, &p, seed);
	for (i = 0; i < m; i++)
		hits += fab_wire_hit(&w, bytes);
	q = -expm1(-8.0 * bytes / mean);
	EXPECT_NEAR(hits, m * q, 5 * sqrt(m * q * (1 - q)) + 1);
}

TEST(errors_are_binomial)
{
	u64 seed;

	for (seed = 1; seed <= 5; seed++) {
		errors(1000000, 1500, seed);
		errors(1000000, 64, seed);
		errors(100000, 9000, seed);
		errors(12000, 1500, seed);
		errors(100, 8, seed);
		errors(20, 1, seed);
		errors(1, 1, seed);
		errors(100000000000ULL, 4096, seed);
	}
}

TEST(errors_repeat_with_the_seed)
{
	struct fab_wire_params p = net_wire(GBPS, 0);
	u32 i, same = 0, other = 0;
	struct fab_wire a, b, c;
	bool hit;

	p.bits_per_error = 20000;
	fab_wire_init(&a, &p, 9);
	fab_wire_init(&b, &p, 9);
	fab_wire_init(&c, &p, 10);
	for (i = 0; i < 1000; i++) {
		hit = fab_wire_hit(&a, 1000);
		same += hit == fab_wire_hit(&b, 1000);
		other += hit == fab_wire_hit(&c, 1000);
	}
	EXPECT_EQ(same, 1000);
	EXPECT(other < 1000);
}

TEST(no_errors_without_a_mean)
{
	struct fab_wire w = wire_of(GBPS);
	u32 i;

	for (i = 0; i < 1000; i++)
		EXPECT(!fab_wire_hit(&w, 9000));
}

/* A change of other parameters does not change the positions of errors. */
TEST(set_keeps_the_distance)
{
	struct fab_wire_params p = net_wire(GBPS, 0);
	struct fab_wire w;
	u64 left;

	p.bits_per_error = 1000000;
	fab_wire_init(&w, &p, 4);
	left = w.error_in;
	p.rate_bps = 2 * GBPS;
	fab_wire_set(&w, &p);
	EXPECT_EQ(w.error_in, left);
	EXPECT_EQ(w.ps_per_byte, 4000);
	p.bits_per_error = 5;
	fab_wire_set(&w, &p);
	EXPECT(w.error_in < 5 * 50);
}
