// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Background traffic as people write it.
 */
#include "netlink/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/weft.h>

#include "facts/facts.h"
#include "ktap.h"
#include "netlink/nl_fields.h"

#define HAS(key)	(1U << WEFT_TRAFFIC_##key)
#define NICS		6

/* host0 to host3 with a NIC each, dgx with two; ids are 10 to 15. */
static struct weft_nic nics[NICS] = {
	{ .id = 10, .name = "host0.eth0" }, { .id = 11, .name = "host1.eth0" },
	{ .id = 12, .name = "host2.eth0" }, { .id = 13, .name = "host3.eth0" },
	{ .id = 14, .name = "dgx.eth0" }, { .id = 15, .name = "dgx.eth1" },
};

static const struct weft_facts facts = {
	.fabric.id = 3, .fabric.seed = 1, .nics = NICS, .nic = nics,
};

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
	EXPECT(!(p.has & (HAS(ORDER) | HAS(FILE))));
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

/* The generators of a pattern as "FROM:TO,TO FROM:TO", ids less 10. */
static int resolve(const char *const *words, char *text, struct weft_err *err)
{
	struct weft_traffic_plan p = { 0 };
	struct weft_traffic *list;
	unsigned int n;
	int ret = parse(&p, words, err);

	*text = '\0';
	if (ret)
		return ret;
	ret = weft_traffic_resolve(&p, &facts, &list, &n, err);
	for (unsigned int i = 0; !ret && i < n; i++) {
		EXPECT_EQ(list[i].fabric, 3);
		EXPECT_EQ(list[i].pattern, p.pattern);
		text += sprintf(text, "%s%u:", i ? " " : "", list[i].nic - 10);
		for (unsigned int k = 0; k < list[i].dsts; k++)
			text += sprintf(text, "%s%u", k ? "," : "",
					list[i].dst[k] - 10);
	}
	weft_traffic_list_free(list, n);
	return ret;
}

TEST(places)
{
	static const struct {
		const char *words[6];
		const char *found;
	} t[] = {
		{ { "incast", "to=host1" }, "0:1 2:1 3:1 4:1 5:1" },
		{ { "incast", "to=dgx.eth1", "from=dgx,host0" }, "4:5 0:5" },
		{ { "incast", "to=host0", "from=host[1-3]" }, "1:0 2:0 3:0" },
		{ { "incast", "to=host0", "from=host[0-2].eth0,dgx" },
		  "1:0 2:0 4:0 5:0" },
		{ { "all-to-all", "from=host[0,2-3]" }, "0:2,3 2:3,0 3:0,2" },
		{ { "on-off", "from=host0,host1", "to=host1,host0", "on=1s",
		    "off=1s" }, "0:1 1:0" },
		{ { "permutation", "from=host0,host1" }, "0:1 1:0" },
		{ { "incast", "to=dgx" }, NULL },
		{ { "incast", "to=host4" }, NULL },
		{ { "incast", "to=host" }, NULL },
		{ { "incast", "to=host0", "from=host0" }, NULL },
		{ { "incast", "to=host0", "from=host1,,host2" }, NULL },
		{ { "incast", "to=host0", "from=host1," }, NULL },
		{ { "incast", "to=host0", "from=host[1-3" }, NULL },
		{ { "permutation", "from=host0" }, NULL },
		{ { "permutation", "from=host0,host0" }, NULL },
		{ { "on-off", "from=host0,host1", "to=host1", "on=1s",
		    "off=1s" }, NULL },
	};
	struct weft_err err = { 0 };
	char text[256];

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		EXPECT_EQ(!!resolve(t[i].words, text, &err), !t[i].found);
		EXPECT(!t[i].found || !strcmp(text, t[i].found));
	}
}

/* Of three there are two permutations without a fixed point, each as likely. */
TEST(permutations)
{
	struct weft_err err = { 0 };
	unsigned int first = 0;
	char text[256], seed[32];

	for (unsigned int i = 0; i < 400; i++) {
		const char *const words[] = {
			"permutation", "from=host[0-2]", seed, NULL,
		};

		sprintf(seed, "seed=%u", i);
		EXPECT_EQ(resolve(words, text, &err), 0);
		first += !strcmp(text, "0:1 1:2 2:0");
		EXPECT(!strcmp(text, "0:1 1:2 2:0") ||
		       !strcmp(text, "0:2 1:0 2:1"));
	}
	/* 200 +- five deviations of 10 */
	EXPECT_NEAR(first, 200, 50);
}

/* What is said is what the kernel is asked; each generator draws by itself. */
TEST(parameters)
{
	static const char *const words[] = {
		"permutation", "from=host0,host1", "sl=3", "size=1500",
		"rate=10Gbps", "on=1ms", "off=2ms", "start=+7ns", "seed=8",
		NULL,
	};
	struct weft_traffic_plan p = { 0 };
	struct weft_err err = { 0 };
	struct weft_traffic *list;
	unsigned int n;

	EXPECT_EQ(parse(&p, words, &err), 0);
	EXPECT_EQ(weft_traffic_resolve(&p, &facts, &list, &n, &err), 0);
	EXPECT_EQ(n, 2);
	for (unsigned int i = 0; i < n; i++) {
		EXPECT_EQ(list[i].sl, 3);
		EXPECT_EQ(list[i].size, 1500);
		EXPECT_EQ(list[i].rate, 10000000000ULL);
		EXPECT_EQ(list[i].on, 1000000000ULL);
		EXPECT_EQ(list[i].off, 2000000000ULL);
		EXPECT_EQ(list[i].after, 7000);
		EXPECT_EQ(list[i].seed, 8 + i);
		EXPECT(list[i].has & WEFT_HAS(WEFT_A_TRAFFIC_AFTER));
		EXPECT(!(list[i].has & (WEFT_HAS(WEFT_A_TRAFFIC_START) |
					WEFT_HAS(WEFT_A_TRAFFIC_DEPTH))));
	}
	weft_traffic_list_free(list, n);
}

static int read_trace(const char *text, struct weft_traffic **list,
		      unsigned int *n, struct weft_err *err)
{
	char path[] = "/tmp/weft-trace-XXXXXX";
	int fd = mkstemp(path), ret;

	EXPECT(fd >= 0);
	EXPECT_EQ(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	ret = weft_traffic_read(path, &facts, list, n, err);
	unlink(path);
	return ret;
}

TEST(trace)
{
	static const char text[] =
		"time_us,src,dst,bytes\r\n\n# a comment\n"
		"0,host0,host1,1\n"
		"1.5 , dgx.eth1,\thost0 , 4294967295\r\n"
		"1.500001,host0,host2,7";
	struct weft_err err = { 0 };
	struct weft_traffic *t;
	unsigned int n;

	EXPECT_EQ(read_trace(text, &t, &n, &err), 0);
	EXPECT_EQ(n, 2);
	EXPECT_EQ(t[0].nic, 10);
	EXPECT_EQ(t[0].messages, 2);
	EXPECT_EQ(t[0].message[0].at, 0);
	EXPECT_EQ(t[0].message[0].dst, 11);
	EXPECT_EQ(t[0].message[1].at, 1500001);
	EXPECT_EQ(t[0].message[1].bytes, 7);
	EXPECT_EQ(t[1].nic, 15);
	EXPECT_EQ(t[1].message[0].at, 1500000);
	EXPECT_EQ(t[1].message[0].bytes, 4294967295U);
	weft_traffic_list_free(t, n);
}

/* Mistakes are told with line and column. */
TEST(trace_mistakes)
{
	static const char *const t[][2] = {
		{ "", "no messages" },
		{ "0,host0,host1", ":1:1: expected four fields" },
		{ "0,host0,host1,1,2", ":1:1: expected four fields" },
		{ "\nx,host0,host1,1", ":2:1: \"x\": expected a time" },
		{ "-1,host0,host1,1", ":1:1: \"-1\": expected a time" },
		{ "1.5.5,host0,host1,1", ":1:1: \"1.5.5\": expected a time" },
		{ "1.1234567,host0,host1,1", ":1:1: " },
		{ "1000000001,host0,host1,1", ":1:1: " },
		{ "0,host9,host1,1", ":1:3: no NIC is at \"host9\"" },
		{ "0, host0, dgx,1", ":1:11: \"dgx\" is 2 NICs" },
		{ "0,host0,,1", ":1:9: no NIC is at \"\"" },
		{ "0,host0,host1,0", ":1:15: \"0\": expected a number of bytes" },
		{ "0,host0,host1,4294967296", ":1:15: " },
		{ "0,host0,host0,1", ":1:9: a NIC sends nothing to itself" },
		{ "2,host0,host1,1\n1,host2,host1,1",
		  ":2:1: the time is before that of the previous line" },
	};
	struct weft_traffic *list;
	unsigned int n;

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct weft_err err = { 0 };

		EXPECT(read_trace(t[i][0], &list, &n, &err) < 0);
		EXPECT(strstr(err.msg, t[i][1]));
		weft_traffic_list_free(list, n);
	}
}

static struct weft_counters did(uint64_t packets, uint64_t least, uint64_t most)
{
	struct weft_counters c = { 4, {
		{ "delivered_packets", packets },
		{ "latency_sum_ps", packets * (least + most) / 2 },
		{ "latency_min_ps", least }, { "latency_max_ps", most },
	} };

	return c;
}

static uint64_t value(json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

/* Generators of one group are one entry, with the sum of what they did. */
TEST(json)
{
	struct weft_traffic t[] = {
		{ .group = 1, .nic = 10, .state = WEFT_TRAFFIC_STATE_OVER,
		  .counters = did(0, 0, 0), .inside = 1 },
		{ .group = 2, .nic = 10, .counters = did(1, 5, 5) },
		{ .group = 1, .nic = 11, .state = WEFT_TRAFFIC_STATE_ACTIVE,
		  .counters = did(3, 40, 60), .inside = 2 },
		{ .group = 1, .nic = 12, .state = WEFT_TRAFFIC_STATE_OVER,
		  .counters = did(1, 10, 10) },
	};
	json_t *all = weft_traffic_json(&facts, t, 4), *o;

	EXPECT_EQ(json_array_size(all), 2);
	o = json_array_get(all, 0);
	EXPECT_EQ(value(o, "group"), 1);
	EXPECT_EQ(value(o, "inside"), 3);
	EXPECT_EQ(value(o, "delivered_packets"), 4);
	EXPECT_EQ(value(o, "latency_min_ps"), 10);
	EXPECT_EQ(value(o, "latency_max_ps"), 60);
	EXPECT_EQ(value(o, "latency_mean_ps"), 40);
	EXPECT(!strcmp(json_string_value(json_object_get(o, "state")), "active"));
	EXPECT_EQ(json_array_size(json_object_get(o, "generators")), 3);
	json_decref(all);
}
