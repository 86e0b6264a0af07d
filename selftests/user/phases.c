// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Phases: the rule as people write it, and what a report has of them.
 */
#include "report/phases.h"

#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "facts/phase_rule.h"
#include "ktap.h"
#include "netlink/phase.h"

#define PS_PER_US	1000000ULL

static int parse(struct weft_phase_words *w, char *text, const char *from)
{
	struct weft_err err;

	strcpy(text, from);
	return weft_phase_words_parse(w, text, &err);
}

TEST(words)
{
	struct weft_phase_words w;
	char text[128];

	EXPECT_EQ(parse(&w, text, "none"), 0);
	EXPECT(w.none);
	EXPECT_EQ(parse(&w, text, "auto"), 0);
	EXPECT(!w.none);
	EXPECT_EQ(w.above, 0);
	EXPECT_EQ(parse(&w, text,
			"ports=a.eth0,b.eth1,above=40Gbps,least=1MiB,quiet=30us"), 0);
	EXPECT(!w.none);
	EXPECT_EQ(w.above, 40000000000);
	EXPECT_EQ(w.least, 1048576);
	EXPECT_EQ(w.quiet, 30 * PS_PER_US);
	EXPECT_EQ(w.ports, 2);
	EXPECT(!strcmp(w.port[0], "a.eth0"));
	EXPECT(!strcmp(w.port[1], "b.eth1"));
	EXPECT_EQ(parse(&w, text, "quiet=1ms"), 0);
	EXPECT_EQ(w.above, 0);
	EXPECT_EQ(w.ports, 0);
}

TEST(words_that_are_wrong)
{
	static const char *const wrong[] = {
		"", "b", "above", "above=", "above=3", "above=0bps", "quiet=0ns",
		"least=0", "none,above=1Gbps", "above=1Gbps,none", "speed=1Gbps",
	};
	struct weft_phase_words w;
	char text[128];

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (!parse(&w, text, wrong[i]))
			ktap_fail(__FILE__, __LINE__, "accepted: %s", wrong[i]);
}

static const char *text_of(json_t *list, unsigned int i, const char *key)
{
	return json_string_value(json_object_get(json_array_get(list, i), key));
}

static long long number_of(json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

/* By their begins; a mark before what traffic made at that instant. */
TEST(order_and_names)
{
	static const char *const want[] = {
		"early", "traffic-1", "late", "traffic-2", "traffic-3",
	};
	struct weft_phase ph[5] = {
		{ .id = 0, .number = 2, .begin = 20, .end = 30 },
		{ .id = 1, .number = 1, .begin = 5, .end = 6 },
		{ .id = 2, .number = 3, .begin = 40, .end = 50 },
		{ .id = 3, .name = "late", .begin = 20, .end = 30 },
		{ .id = 4, .name = "early", .begin = 1, .end = 20 },
	};
	struct weft_facts f = { .phase = ph, .phases = 5 };
	json_t *list = weft_phases_json(&f, 0);

	EXPECT_EQ(json_array_size(list), 5);
	for (unsigned int i = 0; i < 5; i++)
		EXPECT(!strcmp(text_of(list, i, "name"), want[i]));
	EXPECT(!strcmp(text_of(list, 0, "by"), "mark"));
	EXPECT(!strcmp(text_of(list, 1, "by"), "traffic"));
	EXPECT(json_is_null(json_object_get(json_array_get(list, 0), "busiest")));
	json_decref(list);
}

TEST(values)
{
	struct weft_link link[2] = {
		{ .id = 7, .name = "a", .end[0] = { .is_nic = true } },
		{ .id = 9, .name = "b", .end[1] = { .is_nic = true } },
	};
	struct weft_nic nic = { .name = "host0.eth0" };
	struct weft_switch sw = { .name = "leaf" };
	struct weft_phase ph = {
		.has = WEFT_HAS(WEFT_A_PHASE_LINK), .link = 9, .direction = 1,
		.open = 1, .begin = 100 * PS_PER_US, .end = 140 * PS_PER_US,
		.nics = 8, .nic_bytes = 1000000, .busy = 30 * PS_PER_US,
		.counters = { 2, { { "packets", 3 }, { "dropped", 4 } } },
	};
	struct weft_facts f = {
		.phase = &ph, .phases = 1, .link = link, .links = 2, .nic = &nic,
		.nics = 1, .sw = &sw, .switches = 1,
	};
	json_t *list = weft_phases_json(&f, 0), *o = json_array_get(list, 0);
	json_t *busiest = json_object_get(o, "busiest");

	EXPECT_EQ(number_of(o, "begin_ps"), 100 * PS_PER_US);
	EXPECT_EQ(number_of(o, "time_ps"), 40 * PS_PER_US);
	EXPECT_EQ(number_of(o, "packets"), 3);
	EXPECT_EQ(number_of(o, "dropped"), 4);
	EXPECT_EQ(number_of(o, "nics"), 8);
	EXPECT_EQ(number_of(o, "busbw_bytes_per_s"), 25000000000);
	EXPECT(json_is_true(json_object_get(o, "open")));
	EXPECT(!strcmp(json_string_value(json_object_get(busiest, "link")), "b"));
	EXPECT(!strcmp(json_string_value(json_object_get(busiest, "from")),
		       "host0.eth0"));
	EXPECT_NEAR(json_real_value(json_object_get(busiest, "utilisation")),
		    0.75, 0);
	json_decref(list);
}

/* A mark that is followed at once by another: no time, and no rate. */
TEST(no_time)
{
	struct weft_phase ph = { .name = "x", .begin = 5, .end = 5,
				 .nic_bytes = 7 };
	struct weft_facts f = { .phase = &ph, .phases = 1 };
	json_t *list = weft_phases_json(&f, 0);

	EXPECT_EQ(number_of(json_array_get(list, 0), "busbw_bytes_per_s"), 0);
	json_decref(list);
}
