// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Background traffic as people write it.
 */
#include "traffic.h"

#include <string.h>

#include "ktap.h"

#define HAS(key)	(1U << WEFT_TRAFFIC_##key)

static int parse(struct weft_traffic_plan *p, const char *const *words,
		 struct weft_err *err)
{
	int ret = weft_traffic_parse_pattern(p, *words++, err);

	while (!ret && *words)
		ret = weft_traffic_parse_word(p, *words++, err);
	return ret ? ret : weft_traffic_complete(p, err);
}

/* All that can be said, and what of it is there. */
TEST(words)
{
	static const char *const words[] = {
		"incast", "from=all", "to=host0", "sl=3", "size=1500B",
		"rate=10Gbps", "depth=5", "window=6", "on=1ms", "off=2ms",
		"times=exponential", "start=+7ns", "duration=3s", "bytes=1MB",
		"seed=8", NULL,
	};
	struct weft_traffic_plan p = { 0 };
	struct weft_err err = { 0 };

	EXPECT_EQ(parse(&p, words, &err), 0);
	EXPECT_EQ(p.pattern, 0);
	EXPECT(!strcmp(p.text[WEFT_TRAFFIC_FROM], "all"));
	EXPECT(!strcmp(p.text[WEFT_TRAFFIC_TO], "host0"));
	EXPECT_EQ(p.value[WEFT_TRAFFIC_SL], 3);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_SIZE], 1500);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_RATE], 10000000000ULL);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_DEPTH], 5);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_WINDOW], 6);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_ON], 1000000000ULL);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_OFF], 2000000000ULL);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_TIMES], 1);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_START], 7000);
	EXPECT(p.relative);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_DURATION], 3000000000000ULL);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_BYTES], 1000000);
	EXPECT_EQ(p.value[WEFT_TRAFFIC_SEED], 8);
	EXPECT(!(p.has & (HAS(FILE) | HAS(ORDER))));
}

TEST(mistakes)
{
	static const char *const words[] = {
		"", "=", "rate", "rate=", "rate=fast", "rates=1Gbps",
		"sl=-1", "sl=4294967296", "size=five", "on=now", "times=often",
		"times=", "order=any", "from=", "to=", "file=", "start=+",
		"start=++1s", "bytes=-1", "seed=x", "depth=1.5",
	};
	struct weft_traffic_plan p = { 0 };
	struct weft_err err = { 0 };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		EXPECT(weft_traffic_parse_word(&p, words[i], &err) < 0);
	EXPECT_EQ(p.has, 0);
	EXPECT(weft_traffic_parse_pattern(&p, "incasts", &err) < 0);
	EXPECT(weft_traffic_parse_pattern(&p, "", &err) < 0);
}

/* What a pattern lacks, or does not take, is said. */
TEST(patterns)
{
	static const struct {
		const char *words[6];
		const char *said;
	} t[] = {
		{ { "incast", "to=a" }, NULL },
		{ { "incast", "from=a" }, "incast: expected to=" },
		{ { "incast", "to=a", "order=random" },
		  "incast takes no order=" },
		{ { "permutation" }, NULL },
		{ { "permutation", "to=a" }, "permutation takes no to=" },
		{ { "all-to-all", "order=random" }, NULL },
		{ { "on-off", "from=a", "to=b", "on=1s" },
		  "on-off: expected from= and to= (as many), on= and off=" },
		{ { "on-off", "from=a", "to=b", "on=1s", "off=1s" }, NULL },
		{ { "trace" }, "trace: expected file=" },
		{ { "trace", "file=x", "rate=1Gbps" }, "trace takes no rate=" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct weft_traffic_plan p = { 0 };
		struct weft_err err = { 0 };
		int ret = parse(&p, t[i].words, &err);

		EXPECT_EQ(!!ret, !!t[i].said);
		EXPECT(!t[i].said ||
		       !strncmp(err.msg, t[i].said, strlen(t[i].said)));
	}
}
