// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quantities with units.
 */
#include <string.h>

#include "base/units.h"
#include "ktap.h"

/**
 * struct quantity - a text and what it means
 */
struct quantity {
	const char *text;
	uint64_t value;
	int good;
};

typedef int (*parser)(const char *text, uint64_t *value, struct weft_err *err);

static void check_all(parser parse, const struct quantity *q, unsigned int n)
{
	struct weft_err err;
	uint64_t v;

	for (unsigned int i = 0; i < n; i++) {
		int ret = parse(q[i].text, &v, &err);

		if (!!ret == q[i].good)
			ktap_fail(__FILE__, __LINE__, "\"%s\": returned %d",
				  q[i].text, ret);
		else if (!ret && v != q[i].value)
			ktap_fail(__FILE__, __LINE__, "\"%s\": %llu",
				  q[i].text, (unsigned long long)v);
		else if (ret && err.kind != WEFT_ERR_USAGE)
			ktap_fail(__FILE__, __LINE__, "\"%s\": kind %d",
				  q[i].text, err.kind);
	}
}

#define CHECK_ALL(parse, q) check_all(parse, q, sizeof(q) / sizeof(*(q)))

TEST(rates)
{
	static const struct quantity q[] = {
		{ "400Gbps", 400000000000, 1 }, { "1bps", 1, 1 },
		{ "2.5Gbps", 2500000000, 1 }, { "0.0000000025Gbps", 0, 0 },
		{ "1.6Tbps", 1600000000000, 1 }, { "10 Mbps", 10000000, 1 },
		{ "100kbps", 100000, 1 }, { "400", 0, 0 }, { "400G", 0, 0 },
		{ "400GBps", 0, 0 }, { "400gbps", 0, 0 }, { "Gbps", 0, 0 },
		{ "", 0, 0 }, { "-1Gbps", 0, 0 }, { "1e3bps", 0, 0 },
		{ "99999999999999999999bps", 0, 0 },
		{ "99999999999Tbps", 0, 0 }, { "1..5Gbps", 0, 0 },
		{ "1Gbps ", 0, 0 }, { ".", 0, 0 }, { "0x10bps", 0, 0 },
	};

	CHECK_ALL(weft_parse_rate, q);
}

TEST(times)
{
	static const struct quantity q[] = {
		{ "500ns", 500000, 1 }, { "5.05ns", 5050, 1 }, { "1ps", 1, 1 },
		{ "0ps", 0, 1 }, { "1.5us", 1500000, 1 },
		{ "2ms", 2000000000, 1 }, { "1s", 1000000000000, 1 },
		{ "0.5ps", 0, 0 }, { "10", 0, 0 }, { "10m", 0, 0 },
		{ "ns", 0, 0 }, { "10NS", 0, 0 },
	};

	CHECK_ALL(weft_parse_time, q);
}

TEST(sizes)
{
	static const struct quantity q[] = {
		{ "16MiB", 16 << 20, 1 }, { "64", 64, 1 }, { "64B", 64, 1 },
		{ "1kB", 1000, 1 }, { "1KiB", 1024, 1 }, { "2GB", 2000000000, 1 },
		{ "60.8MB", 60800000, 1 }, { "0.5KiB", 512, 1 },
		{ "0.3KiB", 0, 0 }, { "1K", 0, 0 }, { "1kib", 0, 0 },
		{ "17179869184GiB", 0, 0 },
	};

	CHECK_ALL(weft_parse_size, q);
}

TEST(counts)
{
	static const struct quantity q[] = {
		{ "215M", 215000000, 1 }, { "5", 5, 1 }, { "1.5k", 1500, 1 },
		{ "1G", 1000000000, 1 }, { "0", 0, 1 }, { "1.5", 0, 0 },
		{ "215MB", 0, 0 }, { "215m", 0, 0 }, { "M", 0, 0 },
		{ "-1", 0, 0 }, { "99999999999999999999", 0, 0 },
	};

	CHECK_ALL(weft_parse_count, q);
}

TEST(bit_error_rates)
{
	static const struct quantity q[] = {
		{ "1e-12", 1000000000000, 1 }, { "0", 0, 1 }, { "0.5", 2, 1 },
		{ "1e-17", 0, 0 }, { "1", 0, 0 }, { "nan", 0, 0 },
		{ "-1e-9", 0, 0 }, { "1e-9x", 0, 0 }, { "", 0, 0 },
	};

	CHECK_ALL(weft_parse_ber, q);
}

TEST(fractions)
{
	struct weft_err err;
	uint32_t ppm = 0;

	EXPECT_EQ(weft_parse_fraction("0.2", &ppm, &err), 0);
	EXPECT_EQ(ppm, 200000);
	EXPECT_EQ(weft_parse_fraction("0.000001", &ppm, &err), 0);
	EXPECT_EQ(ppm, 1);
	EXPECT_EQ(weft_parse_fraction("1", &ppm, &err), 0);
	EXPECT_EQ(ppm, 1000000);
	EXPECT(weft_parse_fraction("0.0000001", &ppm, &err));
	EXPECT(weft_parse_fraction("1.000001", &ppm, &err));
	EXPECT(weft_parse_fraction("-0.1", &ppm, &err));
	EXPECT(weft_parse_fraction("20%", &ppm, &err));
}

TEST(clocks)
{
	struct weft_err err;
	uint32_t k = 99;

	EXPECT_EQ(weft_parse_clock("virtual", &k, &err), 0);
	EXPECT_EQ(k, 0);
	EXPECT_EQ(weft_parse_clock("real", &k, &err), 0);
	EXPECT_EQ(k, 1);
	EXPECT_EQ(weft_parse_clock("real/1000", &k, &err), 0);
	EXPECT_EQ(k, 1000);
	EXPECT_EQ(weft_parse_clock("real/auto", &k, &err), 0);
	EXPECT_EQ(k, WEFT_CLOCK_AUTO);
	EXPECT(weft_parse_clock("real/0", &k, &err));
	EXPECT(weft_parse_clock("real/1000001", &k, &err));
	EXPECT(weft_parse_clock("real/", &k, &err));
	EXPECT(weft_parse_clock("fast", &k, &err));
	EXPECT(strstr(err.msg, "virtual, real, real/auto or real/K"));
}

TEST(formats)
{
	char buf[32];

	EXPECT(!strcmp(weft_format_rate(buf, 32, 400000000000), "400Gbps"));
	EXPECT(!strcmp(weft_format_rate(buf, 32, 2500000), "2.5Mbps"));
	EXPECT(!strcmp(weft_format_time(buf, 32, 477940), "477.94ns"));
	EXPECT(!strcmp(weft_format_time(buf, 32, 0), "0ps"));
	EXPECT(!strcmp(weft_format_size(buf, 32, 64 << 20), "64MiB"));
	EXPECT(!strcmp(weft_format_clock(buf, 32, 0), "virtual"));
	EXPECT(!strcmp(weft_format_clock(buf, 32, 1), "real"));
	EXPECT(!strcmp(weft_format_clock(buf, 32, 1000), "real/1000"));
}
