// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Expectations: what is judged of made-up labs, and how JUnit XML says it.
 */
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "junit.h"
#include "ktap.h"

#define MS	1000000000ULL

/**
 * struct lab - three switches in a ring and a host at each
 * @sw: the switches
 * @nic: the NICs
 * @link: link i leads from switch i to the next; link 3 + i to NIC i
 * @cls: class 0 of each wire
 * @f: all of it
 */
struct lab {
	struct weft_switch sw[3];
	struct weft_nic nic[3];
	struct weft_link link[6];
	struct weft_class_state cls[6][2];
	struct weft_facts f;
};

static void lab_link(struct lab *l, unsigned int i, struct weft_end a,
		     struct weft_end b)
{
	l->link[i] = (struct weft_link) {
		.id = i, .end = { a, b }, .wires = 2,
	};
	for (unsigned int dir = 0; dir < 2; dir++)
		l->link[i].wire[dir].cls = (struct weft_class_states) {
			1, &l->cls[i][dir]
		};
}

static void lab_init(struct lab *l, const char *discipline)
{
	memset(l, 0, sizeof(*l));
	for (unsigned int i = 0; i < 3; i++) {
		l->sw[i].id = i;
		snprintf(l->sw[i].name, sizeof(l->sw[i].name), "s%u", i);
		snprintf(l->sw[i].port.discipline,
			 sizeof(l->sw[i].port.discipline), "%s", discipline);
		l->nic[i].id = i;
		snprintf(l->nic[i].name, sizeof(l->nic[i].name), "h%u.eth0", i);
		l->nic[i].port = l->sw[i].port;
		lab_link(l, i, (struct weft_end) { false, i, 0 },
			 (struct weft_end) { false, (i + 1) % 3, 1 });
		lab_link(l, 3 + i, (struct weft_end) { false, i, 2 },
			 (struct weft_end) { true, i, 0 });
	}
	l->f = (struct weft_facts) {
		.switches = 3, .sw = l->sw, .nics = 3, .nic = l->nic,
		.links = 6, .link = l->link, .fabric.now = 100 * MS,
	};
}

static void count(struct weft_counters *cs, const char *name, uint64_t value)
{
	struct weft_counter *c = &cs->c[cs->n++];

	snprintf(c->name, sizeof(c->name), "%s", name);
	c->value = value;
}

static void lose(struct lab *l, unsigned int link, uint64_t n, uint64_t at)
{
	count(&l->link[link].wire[0].drops, "fault", n);
	count(&l->cls[link][0].counters, "dropped", n);
	count(&l->cls[link][0].counters, "first_drop_ps", at);
}

/* What comes of WORD in the lab; a program ran from 10 ms to 90 ms. */
static struct weft_result judge(struct lab *l, const char *word)
{
	struct weft_run run = {
		.facts = &l->f, .has_job = true, .begun = 10 * MS,
		.ended = 90 * MS,
	};
	struct weft_expect e = { 0 };
	struct weft_results r;
	struct weft_err err = { 0 };

	EXPECT_EQ(weft_expect_word(&e, word, &err), 0);
	weft_expect_judge(&e, &run, &r);
	EXPECT_EQ(r.n, 1);
	EXPECT(!strcmp(r.result[0].name, word));
	return r.result[0];
}

static void expect_failed(struct weft_result r, const char *port, uint64_t at)
{
	EXPECT_EQ(r.outcome, WEFT_FAILED);
	EXPECT(!strcmp(r.port, port));
	EXPECT_EQ(r.has_at, !!at);
	if (at)
		EXPECT_EQ(r.at, at);
}

TEST(losses)
{
	struct lab l;

	lab_init(&l, "pause");
	EXPECT_EQ(judge(&l, "lossless").outcome, WEFT_PASSED);
	EXPECT_EQ(judge(&l, "no-drops").outcome, WEFT_PASSED);
	lose(&l, 1, 7, 40 * MS);
	lose(&l, 4, 1, 30 * MS);
	expect_failed(judge(&l, "lossless"), "s1:2", 30 * MS);
	expect_failed(judge(&l, "no-drops"), "s1:2", 30 * MS);
	EXPECT(!strcmp(judge(&l, "no-drops").text,
		       "lost 8 packets; 2 ports lost some"));
}

/* What loses by design is not expected to be lossless. */
TEST(lossy_classes)
{
	struct lab l;

	lab_init(&l, "drop-tail");
	lose(&l, 1, 7, 40 * MS);
	EXPECT_EQ(judge(&l, "lossless").outcome, WEFT_SKIPPED);
	expect_failed(judge(&l, "no-drops"), "s1:0", 40 * MS);
}

static void hold(struct lab *l, unsigned int link, uint64_t since)
{
	count(&l->cls[link][0].counters, "held_since_ps", since);
}

/* Two of the ring wait: no deadlock. All three do, and one of them not for long. */
TEST(rings)
{
	struct lab l;

	lab_init(&l, "pause");
	hold(&l, 0, 50 * MS);
	hold(&l, 1, 40 * MS);
	hold(&l, 3, 20 * MS);
	EXPECT_EQ(judge(&l, "no-deadlock").outcome, WEFT_PASSED);
	hold(&l, 2, 60 * MS);
	expect_failed(judge(&l, "no-deadlock"), "s1:0", 40 * MS);
	EXPECT(!strcmp(judge(&l, "no-deadlock").text,
		       "3 wires wait for each other: s0:0, s1:0, s2:0"));
	l.cls[2][0].counters.n = 0;
	hold(&l, 2, 99 * MS + 1);
	EXPECT_EQ(judge(&l, "no-deadlock").outcome, WEFT_PASSED);
}

TEST(storms)
{
	struct lab l;

	lab_init(&l, "pause");
	count(&l.cls[2][0].counters, "watchdogs", 1);
	count(&l.cls[2][0].counters, "first_watchdog_ps", 70 * MS);
	count(&l.cls[5][0].counters, "watchdogs", 3);
	count(&l.cls[5][0].counters, "first_watchdog_ps", 60 * MS);
	expect_failed(judge(&l, "no-deadlock"), "s2:2", 60 * MS);
}

/* 80 ms: to the picosecond. */
TEST(time_of_a_program)
{
	struct lab l;

	lab_init(&l, "pause");
	EXPECT_EQ(judge(&l, "finished-within=80ms").outcome, WEFT_PASSED);
	expect_failed(judge(&l, "finished-within=79.5ms"), "", 89500000000ULL);
}

/* 40 MB and 60 MB of one node in 80 ms: 10 Gb/s. */
TEST(bus_bandwidth)
{
	struct lab l;

	lab_init(&l, "pause");
	strcpy(l.nic[2].name, "h1.eth1");
	count(&l.nic[0].counters, "tx_bytes", 90000000);
	count(&l.nic[1].counters, "tx_bytes", 40000000);
	count(&l.nic[2].counters, "tx_bytes", 60000000);
	EXPECT_EQ(judge(&l, "busbw=10Gbps").outcome, WEFT_PASSED);
	expect_failed(judge(&l, "busbw=10.1Gbps"), "h1.eth0", 0);
}

/* 25 ms of the 100 ms since the lab is up. */
TEST(utilisation)
{
	struct lab l;

	lab_init(&l, "pause");
	count(&l.link[4].wire[1].counters, "tx_busy_ps", 25 * MS);
	EXPECT_EQ(judge(&l, "utilisation-below=0.250001").outcome, WEFT_PASSED);
	expect_failed(judge(&l, "utilisation-below=0.25"), "h1.eth0", 0);
}

static const struct weft_results results = {
	.n = 3, .result = {
		{ .name = "no-drops", .outcome = WEFT_FAILED,
		  .text = "a<b & \"c\" > d\x01", .port = "s<0>:1",
		  .has_at = true, .at = 2000000000001ULL },
		{ .name = "lossless", .outcome = WEFT_SKIPPED, .text = "none" },
		{ .name = "command", .text = "exit code 0" },
	},
};

static const char xml[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<testsuites name=\"weft\" tests=\"3\" failures=\"1\" errors=\"0\" time=\"2.500000000000\">\n"
	"\t<testsuite name=\"R&amp;D\" tests=\"3\" failures=\"1\" errors=\"0\" time=\"2.500000000000\" skipped=\"1\">\n"
	"\t\t<properties>\n"
	"\t\t\t<property name=\"scenario\" value=\"R&amp;D\"/>\n"
	"\t\t\t<property name=\"topology\" value=\"x&lt;y\"/>\n"
	"\t\t\t<property name=\"clock\" value=\"virtual\"/>\n"
	"\t\t\t<property name=\"seed\" value=\"18446744073709551615\"/>\n"
	"\t\t</properties>\n"
	"\t\t<testcase name=\"no-drops\" classname=\"R&amp;D\" time=\"1.500000000001\">\n"
	"\t\t\t<failure message=\"s&lt;0&gt;:1: a&lt;b &amp; &quot;c&quot; &gt; d?; it began at fabric time 2s, 1.5s after the start\" type=\"no-drops\">s&lt;0&gt;:1: a&lt;b &amp; &quot;c&quot; &gt; d?; it began at fabric time 2s, 1.5s after the start</failure>\n"
	"\t\t</testcase>\n"
	"\t\t<testcase name=\"lossless\" classname=\"R&amp;D\" time=\"2.500000000000\">\n"
	"\t\t\t<skipped message=\"none\"/>\n"
	"\t\t</testcase>\n"
	"\t\t<testcase name=\"command\" classname=\"R&amp;D\" time=\"2.500000000000\">\n"
	"\t\t\t<system-out>exit code 0</system-out>\n"
	"\t\t</testcase>\n"
	"\t</testsuite>\n"
	"</testsuites>\n";

TEST(junit)
{
	const struct weft_junit j = {
		.scenario = "R&D", .topology = "x<y", .clock = "virtual",
		.seed = UINT64_MAX, .begun = 500000000000ULL,
		.ended = 3000000000000ULL,
	};
	struct weft_err err = { 0 };
	char *text = NULL;

	EXPECT_EQ(weft_junit_text(&j, &results, &text, &err), 0);
	if (text && strcmp(text, xml))
		printf("# %s", text);
	EXPECT(text && !strcmp(text, xml));
	free(text);
}
