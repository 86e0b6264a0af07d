// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Headroom: every number that is published, to the byte, and the bound.
 */
#include "plan/headroom.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "ktap.h"

#define GBPS	1000000000ULL

/**
 * struct golden - a row of a published table: xoff at 5, 40 and 300 m
 */
struct golden {
	enum weft_headroom_model model;
	unsigned int gbps;
	unsigned int lanes;
	uint64_t want[3];
};

static const uint32_t lengths[3] = { 5, 40, 300 };

static void check_golden(const struct golden *g, bool size)
{
	struct weft_headroom_in in = {
		.rate = g->gbps * GBPS, .lanes = g->lanes, .mtu = 9216,
	};
	struct weft_headroom h;
	struct weft_err err;

	for (unsigned int i = 0; i < 3; i++) {
		uint64_t got;

		in.length = lengths[i];
		if (weft_headroom(g->model, &in, &h, &err)) {
			ktap_fail(__FILE__, __LINE__, "%s", err.msg);
			continue;
		}
		got = size ? h.size : h.xoff;
		if (got != g->want[i])
			ktap_fail(__FILE__, __LINE__, "%s %uG %um: %llu",
				  weft_headroom_name(g->model), g->gbps,
				  in.length, (unsigned long long)got);
	}
}

/* pg_profile_lookup.ini of SN2700, SN4700, SN5600 and of Broadcom's TH, TH2 */
TEST(published_xoff)
{
	static const struct golden rows[] = {
		{ WEFT_HEADROOM_SPECTRUM_1, 10, 1, { 29696, 29696, 36864 } },
		{ WEFT_HEADROOM_SPECTRUM_1, 25, 1, { 29696, 31744, 48128 } },
		{ WEFT_HEADROOM_SPECTRUM_1, 40, 4, { 29696, 32768, 59392 } },
		{ WEFT_HEADROOM_SPECTRUM_1, 50, 2, { 29696, 33792, 66560 } },
		{ WEFT_HEADROOM_SPECTRUM_1, 100, 4, { 30720, 38912, 104448 } },
		{ WEFT_HEADROOM_SPECTRUM_3, 100, 2, { 33792, 44032, 117760 } },
		{ WEFT_HEADROOM_SPECTRUM_3, 200, 4, { 35840, 55296, 203776 } },
		{ WEFT_HEADROOM_SPECTRUM_3, 400, 8, { 38912, 77824, 373760 } },
		{ WEFT_HEADROOM_SPECTRUM_4, 100, 1, { 113664, 126976, 225280 } },
		{ WEFT_HEADROOM_SPECTRUM_4, 200, 2, { 131072, 157696, 355328 } },
		{ WEFT_HEADROOM_SPECTRUM_4, 400, 4, { 231424, 283648, 677888 } },
		{ WEFT_HEADROOM_SPECTRUM_4, 800, 8, { 257024, 362496, 1150976 } },
		{ WEFT_HEADROOM_TABLE_TH, 100, 4, { 165568, 177632, 268736 } },
		{ WEFT_HEADROOM_TABLE_TH2, 100, 4, { 54080, 59696, 101088 } },
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_golden(&rows[i], false);
}

/*
 * Sizes of sonic-utilities' mellanox_buffer_migrator.py for Spectrum-3: they prove
 * what eight lanes add (19 - 1 KiB of xon and a frame) beside the xoff above.
 */
TEST(published_sizes)
{
	static const struct golden rows[] = {
		{ WEFT_HEADROOM_SPECTRUM_3, 10, 1, { 52224, 53248, 60416 } },
		{ WEFT_HEADROOM_SPECTRUM_3, 25, 1, { 52224, 55296, 73728 } },
		{ WEFT_HEADROOM_SPECTRUM_3, 40, 4, { 53248, 57344, 86016 } },
		{ WEFT_HEADROOM_SPECTRUM_3, 50, 1, { 53248, 58368, 95232 } },
		{ WEFT_HEADROOM_SPECTRUM_3, 100, 2, { 53248, 63488, 137216 } },
		{ WEFT_HEADROOM_SPECTRUM_3, 200, 4, { 55296, 74752, 223232 } },
		{ WEFT_HEADROOM_SPECTRUM_3, 400, 8, { 86016, 124928, 420864 } },
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_golden(&rows[i], true);
}

/* The generations that share a formula. */
TEST(same_formula)
{
	struct weft_headroom_in in = { 400 * GBPS, 40, 8, 0, 0, 9216, 0 };
	struct weft_headroom a, b;
	struct weft_err err;

	EXPECT(!weft_headroom(WEFT_HEADROOM_SPECTRUM_2, &in, &a, &err));
	EXPECT(!weft_headroom(WEFT_HEADROOM_SPECTRUM_3, &in, &b, &err));
	EXPECT_EQ(a.xoff, b.xoff);
	EXPECT_EQ(a.xon, 37888);
	EXPECT(!weft_headroom(WEFT_HEADROOM_SPECTRUM_4, &in, &a, &err));
	EXPECT(!weft_headroom(WEFT_HEADROOM_SPECTRUM_5, &in, &b, &err));
	EXPECT_EQ(a.xoff, b.xoff);
	in.lanes = 4;
	EXPECT(!weft_headroom(WEFT_HEADROOM_SPECTRUM_4, &in, &a, &err));
	EXPECT_EQ(a.xon, 19456);
}

TEST(published_th5)
{
	struct weft_headroom_in in = { 800 * GBPS, 5, 8, 0, 0, 9216, 0 };
	struct weft_headroom h;
	struct weft_err err;

	EXPECT(!weft_headroom(WEFT_HEADROOM_TABLE_TH5, &in, &h, &err));
	EXPECT_EQ(h.xoff, 724662);
	EXPECT_EQ(h.size, 8636);
	EXPECT_EQ(h.xon, 0);
	in.length = 6;
	EXPECT_EQ(weft_headroom(WEFT_HEADROOM_TABLE_TH5, &in, &h, &err),
		  -ENOENT);
	EXPECT(!strcmp(err.msg, "table-th5 is a table and has only 800Gbps at 5m"));
}

/*
 * (301 + 216 * m / 100) * Mbps / 1000 + 272 * MTU / 100, each division floored:
 *   7 m, 100G, 9216:  (301 + 15) * 100 + 25067      = 56667
 *   40 m, 400G, 1500: (301 + 86) * 400 + 4080       = 158880
 *   7 m, 10G as 40G, 1501: 316 * 40 + 4082          = 16722
 */
TEST(mlx5)
{
	struct weft_headroom_in in = { 100 * GBPS, 7, 4, 0, 0, 9216, 0 };
	struct weft_headroom h;
	struct weft_err err;

	EXPECT(!weft_headroom(WEFT_HEADROOM_MLX5, &in, &h, &err));
	EXPECT_EQ(h.xoff, 56667);
	EXPECT_EQ(h.size, 56667 + 9216 + 128);
	in = (struct weft_headroom_in) { 400 * GBPS, 40, 4, 0, 0, 1500, 0 };
	EXPECT(!weft_headroom(WEFT_HEADROOM_MLX5, &in, &h, &err));
	EXPECT_EQ(h.xoff, 158880);
	in = (struct weft_headroom_in) { 10 * GBPS, 7, 1, 0, 0, 1501, 0 };
	EXPECT(!weft_headroom(WEFT_HEADROOM_MLX5, &in, &h, &err));
	EXPECT_EQ(h.xoff, 16722);
}

/*
 * Cells of 144 bytes; delay D = rate * (2p + t) in bits, rounded up to bytes:
 *   100G, p 200 ns, t 2 us: D 240000 bit = 30000 B = 209 cells; MTU 9216 = 64
 *     delay 2 * 209 + 64 = 482, threshold 128, together 610 cells
 *   eight lanes: twice that
 *   1 ps at 1 Gb/s: a bit, a byte, a cell; MTU 145: 2 cells; 2 + 2, and 4
 */
TEST(mlxsw)
{
	struct weft_headroom_in in = {
		.rate = 100 * GBPS, .propagation = 200000, .react = 2000000,
		.mtu = 9216, .lanes = 4,
	};
	struct weft_headroom h;
	struct weft_err err;

	EXPECT(!weft_headroom(WEFT_HEADROOM_MLXSW, &in, &h, &err));
	EXPECT_EQ(h.xoff, 482 * 144);
	EXPECT_EQ(h.size, 610 * 144);
	in.lanes = 8;
	EXPECT(!weft_headroom(WEFT_HEADROOM_MLXSW, &in, &h, &err));
	EXPECT_EQ(h.size, 1220 * 144);
	in = (struct weft_headroom_in) { .rate = GBPS, .react = 1, .mtu = 145 };
	EXPECT(!weft_headroom(WEFT_HEADROOM_MLXSW, &in, &h, &err));
	EXPECT_EQ(h.size, 8 * 144);
}

/* 3 * floor(rate * delay / 8): 100G, 1 us: 37500; 25G, 1 us: 9375; 3 b: 0 */
TEST(hpcc)
{
	struct weft_headroom_in in = {
		.rate = 100 * GBPS, .propagation = 1000000, .mtu = 1000,
	};
	struct weft_headroom h;
	struct weft_err err;

	EXPECT(!weft_headroom(WEFT_HEADROOM_HPCC, &in, &h, &err));
	EXPECT_EQ(h.xoff, 37500);
	in.rate = 25 * GBPS;
	EXPECT(!weft_headroom(WEFT_HEADROOM_HPCC, &in, &h, &err));
	EXPECT_EQ(h.xoff, 9375);
	in.rate = GBPS;
	in.propagation = 7999;
	EXPECT(!weft_headroom(WEFT_HEADROOM_HPCC, &in, &h, &err));
	EXPECT_EQ(h.xoff, 0);
}

/*
 * C (2p + t) + L_rev + 84, and two frames more:
 *   400G, 202 ns, 1158.4 ns, 9216: 50 B/ns * 1562.4 ns = 78120
 *     + 9216 + 84 = 87420; + 18432 = 105852
 *   100G, 1 us, 2017.28 ns, 1522, reverse 64: 12.5 * 4017.28 = 50216
 *     + 64 + 84 = 50364; + 3044 = 53408
 *   8 b/s and 1 ps: less than a byte counts as one: 1 + 0 + 84; + 128 = 213
 */
TEST(bound)
{
	struct weft_headroom_in in = {
		.rate = 400 * GBPS, .propagation = 202000, .react = 1158400,
		.mtu = 9216, .reverse = 9216,
	};

	EXPECT_EQ(weft_headroom_least(&in), 87420);
	EXPECT_EQ(weft_headroom_enough(&in), 105852);
	in = (struct weft_headroom_in) {
		.rate = 100 * GBPS, .propagation = 1000000, .react = 2017280,
		.mtu = 1522, .reverse = 64,
	};
	EXPECT_EQ(weft_headroom_least(&in), 50364);
	EXPECT_EQ(weft_headroom_enough(&in), 53408);
	in = (struct weft_headroom_in) { .rate = 8, .react = 1, .mtu = 64 };
	EXPECT_EQ(weft_headroom_least(&in), 85);
	EXPECT_EQ(weft_headroom_enough(&in), 213);
}

/* Values that no buffer has do not wrap. */
TEST(bound_saturates)
{
	struct weft_headroom_in in = {
		.rate = UINT64_MAX, .propagation = UINT64_MAX,
		.react = UINT64_MAX, .mtu = UINT32_MAX, .reverse = UINT32_MAX,
	};

	EXPECT(weft_headroom_enough(&in) == UINT64_MAX);
	in.react = in.propagation = 10000000000000;
	EXPECT(weft_headroom_enough(&in) == UINT64_MAX);
}

static void explained(struct weft_headroom_in in, const char *want)
{
	char buf[256];

	weft_headroom_explain(buf, sizeof(buf), &in);
	if (strcmp(buf, want))
		ktap_fail(__FILE__, __LINE__, "%s", buf);
}

TEST(explanation)
{
	struct weft_headroom_in in = {
		.rate = 400 * GBPS, .propagation = 202000, .react = 1158400,
		.mtu = 9216, .reverse = 4096,
	};

	explained(in,
		  "need 100732 = 400Gbps * (2 * 202ns + 1.1584us) 78120 + reverse frame 4096 + pause frame 84 + 2 * frame 9216");
	in.react = 0;
	in.reverse = 0;
	explained(in,
		  "need 38716 = 400Gbps * (2 * 202ns + 0ps) 20200 + reverse frame 0 + pause frame 84 + 2 * frame 9216");
}

/* The model "generic" is the function, and its terms add up to it. */
TEST(bound_terms)
{
	struct weft_headroom_in in = {
		.rate = 400 * GBPS, .propagation = 202000, .react = 1158400,
		.mtu = 9216, .reverse = 4096,
	};
	struct weft_headroom h;
	uint64_t sum = 0;
	struct weft_err err;

	EXPECT(!weft_headroom(WEFT_HEADROOM_GENERIC, &in, &h, &err));
	for (unsigned int i = 0; i < h.terms; i++)
		sum += h.term[i].millibytes;
	EXPECT_EQ(sum, 1000 * weft_headroom_enough(&in));
	EXPECT_EQ(h.xoff, weft_headroom_enough(&in));
}

/* 40 m / 198e6 m/s = 202.02 ns; 905 * 512 bit at 400 Gb/s = 1158.4 ns */
TEST(cable_and_reaction)
{
	EXPECT_EQ(weft_headroom_propagation(40), 202021);
	EXPECT_EQ(weft_headroom_propagation(198), 1000000);
	EXPECT_EQ(weft_headroom_propagation(0), 0);
	EXPECT_EQ(weft_headroom_react(400 * GBPS), 1158400);
	EXPECT_EQ(weft_headroom_react(10 * GBPS), 3430400);
	EXPECT_EQ(weft_headroom_react(100 * GBPS), 2017280);
	EXPECT_EQ(weft_headroom_react(99 * GBPS), 0);
	EXPECT_EQ(weft_headroom_react(0), 0);
}

static void refused(struct weft_headroom_in in, enum weft_headroom_model model,
		    const char *text)
{
	struct weft_headroom h;
	struct weft_err err;

	if (!weft_headroom(model, &in, &h, &err))
		ktap_fail(__FILE__, __LINE__, "not refused: %s", text);
	else if (strcmp(err.msg, text))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
}

TEST(headroom_refusals)
{
	const struct weft_headroom_in good = { 100 * GBPS, 5, 4, 0, 0, 9216, 0 };
	struct weft_headroom_in in = good;
	enum weft_headroom_model model;
	struct weft_err err;

	in.rate = 0;
	refused(in, WEFT_HEADROOM_GENERIC, "rate: expected 1bps to 100Tbps");
	in = good;
	in.length = 100001;
	refused(in, WEFT_HEADROOM_MLX5, "length: expected up to 100000 m");
	in = good;
	in.react = 2000000000000;
	refused(in, WEFT_HEADROOM_GENERIC,
		"propagation and reaction: expected up to 1s");
	in = good;
	in.mtu = 63;
	refused(in, WEFT_HEADROOM_GENERIC, "MTU: expected 64 to 65536 bytes");
	in = good;
	in.reverse = 65537;
	refused(in, WEFT_HEADROOM_GENERIC,
		"reverse frame: expected up to 65536 bytes");
	in = good;
	in.rate = 30 * GBPS;
	refused(in, WEFT_HEADROOM_SPECTRUM_5,
		"spectrum-5 at 30Gbps: IEEE 802.3 has a reaction time for 10, 25, 40, 50, 100, 200, 400 and 800Gbps");
	EXPECT(weft_headroom_parse("spectrum", &model, &err));
	EXPECT(strstr(err.msg, "expected generic, spectrum-1, "));
	EXPECT(!weft_headroom_parse("table-th2", &model, &err));
	EXPECT_EQ(model, WEFT_HEADROOM_TABLE_TH2);
}

/* The largest input that is accepted stays within the arithmetic. */
TEST(headroom_extremes)
{
	struct weft_headroom_in in = {
		100000 * GBPS, 100000, 8, 1000000000000, 1000000000000, 65536,
		65536,
	};
	struct weft_headroom h;
	struct weft_err err;

	EXPECT(!weft_headroom(WEFT_HEADROOM_GENERIC, &in, &h, &err));
	/* 100 Tb/s for 3 s: 37.5e12 bytes, two frames, one in reverse, 84 */
	EXPECT_EQ(h.xoff, 37500000196692);
	EXPECT(!weft_headroom(WEFT_HEADROOM_SPECTRUM_1, &in, &h, &err));
	EXPECT(!weft_headroom(WEFT_HEADROOM_MLXSW, &in, &h, &err));
	EXPECT(!weft_headroom(WEFT_HEADROOM_HPCC, &in, &h, &err));
	EXPECT_EQ(h.xoff, 37500000000000);
}
