// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Expectations: what is judged of made-up labs, and how JUnit XML says it.
 */
#include "scenario/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "ktap.h"
#include "scenario/junit.h"

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

	c->name = name;
	c->value = value;
}

static void lose(struct lab *l, unsigned int link, uint64_t n, uint64_t at)
{
	count(&l->link[link].wire[0].drops, "fault", n);
	count(&l->cls[link][0].counters, "dropped", n);
	count(&l->cls[link][0].counters, "first_drop_ps", at);
}

/* A program ran from 10 ms to 90 ms. */
static struct weft_run run_in(struct lab *l)
{
	return (struct weft_run) {
		.facts = &l->f, .has_job = true, .begun = 10 * MS,
		.ended = 90 * MS,
	};
}

static struct weft_result judge_run(const struct weft_run *run,
				    const char *word)
{
	struct weft_expect e = { 0 };
	struct weft_results r;
	struct weft_err err = { 0 };

	EXPECT_EQ(weft_expect_word(&e, word, &err), 0);
	weft_expect_judge(&e, run, &r);
	EXPECT_EQ(r.n, 1);
	EXPECT(!strcmp(r.result[0].name, word));
	return r.result[0];
}

/* What comes of WORD in the lab. */
static struct weft_result judge(struct lab *l, const char *word)
{
	struct weft_run run = run_in(l);

	return judge_run(&run, word);
}

static void expect_failed(struct weft_result r, const char *port, uint64_t at)
{
	EXPECT_EQ(r.outcome, WEFT_FAILED);
	EXPECT(!strcmp(r.port, port));
	EXPECT(r.has_at);
	EXPECT_EQ(r.at, at);
}

static void expect_text(const struct weft_result *r, uint64_t begun,
			const char *want)
{
	char text[600];

	weft_result_text(r, begun, text, sizeof(text));
	if (strcmp(text, want))
		printf("# %s\n", text);
	EXPECT(!strcmp(text, want));
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

static void queue(struct lab *l, unsigned int link, unsigned int dir,
		  uint64_t bytes)
{
	count(&l->link[link].wire[dir].counters, "queue", bytes);
}

static void expect_suspect(struct lab *l, uint64_t since, const char *port,
			   uint64_t queued)
{
	struct weft_suspect s;

	weft_suspect_find(&s, &l->f, since);
	EXPECT(!strcmp(s.port, port));
	EXPECT_EQ(s.queued, queued);
}

/* Where most waits; if nothing does, where the first loss since then was. */
TEST(suspects)
{
	struct lab l;

	lab_init(&l, "pause");
	expect_suspect(&l, 0, "", 0);
	lose(&l, 0, 1, 30 * MS);
	lose(&l, 1, 9, 50 * MS);
	lose(&l, 2, 1, 40 * MS);
	expect_suspect(&l, 0, "s0:0", 0);
	expect_suspect(&l, 30 * MS + 1, "s2:0", 0);
	expect_suspect(&l, 50 * MS, "s1:0", 0);
	expect_suspect(&l, 50 * MS + 1, "", 0);
	queue(&l, 3, 0, 1000);
	queue(&l, 4, 1, 1001);
	queue(&l, 5, 0, 1001);
	expect_suspect(&l, 0, "h1.eth0", 1001);
}

TEST(late_because_of)
{
	struct weft_result r;
	struct weft_run run;
	struct lab l;

	lab_init(&l, "pause");
	run = run_in(&l);
	run.killed = true;
	run.suspect = (struct weft_suspect) { "s1:2", 4096 };
	r = judge_run(&run, "finished-within=80ms");
	expect_failed(r, "s1:2", 90 * MS);
	expect_text(&r, run.begun,
		    "s1:2: it was killed after 80ms; 4096 bytes were queued here then, the most of all; it began at fabric time 90ms, 80ms after the start");
	run.suspect.queued = 0;
	r = judge_run(&run, "finished-within=80ms");
	expect_failed(r, "s1:2", 90 * MS);
	expect_text(&r, run.begun,
		    "s1:2: it was killed after 80ms; nothing was queued then, and the first loss was here; it began at fabric time 90ms, 80ms after the start");
}

/* Goodput was to be back 10 ms after 40 ms. */
TEST(no_recovery)
{
	struct weft_recovery rec = {
		.what = "rate at h1", .begins = 30 * MS, .ends = 40 * MS,
		.window = 10 * MS, .before = 1, .best = 250000,
		.slices = WEFT_RECOVERY_SLICES,
	};
	struct weft_result r;
	struct weft_run run;
	struct lab l;

	lab_init(&l, "pause");
	run = run_in(&l);
	run.recoveries = 1;
	run.recovery = &rec;
	expect_failed(judge_run(&run, "recovery-within=10ms"), "", 50 * MS);
	rec.suspect = (struct weft_suspect) { "s1:2", 512 };
	r = judge_run(&run, "recovery-within=10ms");
	expect_failed(r, "s1:2", 50 * MS);
	expect_text(&r, run.begun,
		    "s1:2: after rate at h1 goodput recovered to at most 0.250 of the previous; 512 bytes were queued here then, the most of all; it began at fabric time 50ms, 40ms after the start");
	rec.recovered = true;
	EXPECT_EQ(judge_run(&run, "recovery-within=10ms").outcome, WEFT_PASSED);
}

/* Where there is no time before a fault, nothing is known, and nothing passes. */
TEST(no_recovery_measured)
{
	struct weft_recovery rec = {
		.what = "rate at h1", .begins = 30 * MS, .ends = 40 * MS,
		.slices = WEFT_RECOVERY_SLICES, .recovered = true, .at = 41 * MS,
	};
	struct weft_result r;
	struct weft_run run;
	struct lab l;

	lab_init(&l, "pause");
	run = run_in(&l);
	run.recoveries = 1;
	run.recovery = &rec;
	r = judge_run(&run, "recovery-within=10ms");
	expect_failed(r, "", 30 * MS);
	expect_text(&r, run.begun,
		    "goodput before rate at h1 could not be measured: its trigger was found too late; it began at fabric time 30ms, 20ms after the start");
	rec.begins = run.begun;
	r = judge_run(&run, "recovery-within=10ms");
	expect_failed(r, "", 10 * MS);
	expect_text(&r, run.begun,
		    "goodput before rate at h1 could not be measured: the scenario had just begun; it began at fabric time 10ms, 0ps after the start");
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
	expect_failed(judge(&l, "busbw=10.1Gbps"), "h1.eth0", 10 * MS);
}

/* 25 ms of the 100 ms since the lab is up. */
TEST(utilisation)
{
	struct weft_result r;
	struct lab l;

	lab_init(&l, "pause");
	l.f.since = 4 * MS;
	l.f.fabric.now = 104 * MS;
	count(&l.link[4].wire[1].counters, "tx_busy_ps", 25 * MS);
	EXPECT_EQ(judge(&l, "utilisation-below=0.250001").outcome, WEFT_PASSED);
	r = judge(&l, "utilisation-below=0.25");
	expect_failed(r, "h1.eth0", 4 * MS);
	expect_text(&r, 10 * MS,
		    "h1.eth0: h1.eth0 was busy for 0.250000 of the time, the most of all; it began at fabric time 4ms, 6ms before the start");
}

/* 9 of 10, unless a group failed; without a manager nothing is. */
TEST(in_switches)
{
	struct lab l;

	lab_init(&l, "pause");
	EXPECT_EQ(judge(&l, "in-switches=0.1").outcome, WEFT_FAILED);
	l.f.reductions = json_pack("{s:i, s:i, s:i, s:i}", "in_switches", 9, "by_hosts", 1,
				   "refused", 0, "failed", 0);
	EXPECT_EQ(judge(&l, "in-switches=0.9").outcome, WEFT_PASSED);
	EXPECT_EQ(judge(&l, "in-switches=0.900001").outcome, WEFT_FAILED);
	json_object_set_new(l.f.reductions, "failed", json_integer(1));
	EXPECT_EQ(judge(&l, "in-switches=0.9").outcome, WEFT_FAILED);
	json_object_set_new(l.f.reductions, "failed", json_integer(0));
	json_object_set_new(l.f.reductions, "by_hosts", json_integer(0));
	EXPECT_EQ(judge(&l, "in-switches=1").outcome, WEFT_PASSED);
	json_decref(l.f.reductions);
}

static const struct weft_results results = {
	.n = 3, .result = {
		{ .name = "no-drops", .outcome = WEFT_FAILED,
		  .text = "a<b & \"c\" > d\x01\xc3", .port = "s<0>:1",
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
	"\t\t\t<failure message=\"s&lt;0&gt;:1: a&lt;b &amp; &quot;c&quot; &gt; d??; it began at fabric time 2s, 1.5s after the start\" type=\"no-drops\">s&lt;0&gt;:1: a&lt;b &amp; &quot;c&quot; &gt; d??; it began at fabric time 2s, 1.5s after the start</failure>\n"
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

/* Two steps of a name, and one that traffic made. */
static const struct weft_phase steps[] = {
	{ .id = 0, .name = "step", .begin = 1 * MS, .end = 3 * MS,
	  .nic_bytes = 50000000, .has = WEFT_HAS(WEFT_A_PHASE_LINK), .link = 3,
	  .direction = 1, .busy = MS, .counters = { 1, { { "dropped", 0 } } } },
	{ .id = 1, .name = "step", .begin = 5 * MS, .end = 9 * MS,
	  .nic_bytes = 50000000, .has = WEFT_HAS(WEFT_A_PHASE_LINK), .link = 3,
	  .direction = 1, .busy = 3 * MS, .counters = { 1, { { "dropped", 2 } } } },
	{ .id = 2, .number = 1, .begin = 20 * MS, .end = 21 * MS, .open = 1 },
};

/* What comes of WORD of the phase NAME; the result is of a lab with these phases. */
static struct weft_result of_phase(const char *name, const char *word)
{
	struct weft_expect e = { 0 };
	struct weft_results got;
	char phase[64];
	struct lab l;
	struct weft_run run = { .facts = &l.f };
	struct weft_err err;

	lab_init(&l, "pfc");
	l.f.phase = (struct weft_phase *)steps;
	l.f.phases = 3;
	snprintf(phase, sizeof(phase), "phase=%s", name);
	EXPECT_EQ(weft_expect_word(&e, phase, &err), 0);
	EXPECT_EQ(weft_expect_word(&e, word, &err), 0);
	EXPECT_EQ(weft_expect_check(&e, &err), 0);
	weft_expect_judge(&e, &run, &got);
	EXPECT_EQ(got.n, 1);
	return got.result[0];
}

static void expect_phase(const char *name, const char *word,
			 enum weft_outcome outcome, const char *text, uint64_t at)
{
	struct weft_result r = of_phase(name, word);

	EXPECT_EQ(r.outcome, outcome);
	if (strcmp(r.text, text))
		ktap_fail(__FILE__, __LINE__, "%s: %s", word, r.text);
	EXPECT_EQ(r.has_at, outcome == WEFT_FAILED && at);
	EXPECT_EQ(r.at, at);
}

TEST(phase)
{
	expect_phase("step", "phase-within=4ms", WEFT_PASSED, "it took 4ms", 0);
	expect_phase("step", "phase-within=3ms", WEFT_FAILED, "it took 4ms",
		     5 * MS);
	expect_phase("step", "phase-within=1ms", WEFT_FAILED, "it took 2ms", MS);
	expect_phase("step", "busbw=100Gbps", WEFT_PASSED,
		     "the NIC that sent most sent 100Gbps", 0);
	expect_phase("step", "busbw=101Gbps", WEFT_FAILED,
		     "the NIC that sent most sent 100Gbps", 5 * MS);
	expect_phase("step", "utilisation-below=0.76", WEFT_PASSED,
		     "h0.eth0 was busy for 0.750000 of the time, the most of all", 0);
	expect_phase("step", "utilisation-below=0.75", WEFT_FAILED,
		     "h0.eth0 was busy for 0.750000 of the time, the most of all",
		     5 * MS);
	expect_phase("step", "no-drops", WEFT_FAILED, "lost 2 packets", 5 * MS);
	expect_phase("traffic-1", "no-drops", WEFT_PASSED, "lost 0 packets", 0);
	expect_phase("traffic-1", "phase-within=5ms", WEFT_FAILED,
		     "it took 1ms, and is not over", 20 * MS);
	expect_phase("stop", "no-drops", WEFT_FAILED,
		     "there was no such phase", 0);
}

TEST(phase_names)
{
	EXPECT(!strcmp(of_phase("step", "busbw=1Gbps").name,
		       "busbw=1Gbps in step"));
	EXPECT(!strcmp(of_phase("step", "utilisation-below=0.75").port,
		       "h0.eth0"));
}

TEST(phase_mistakes)
{
	struct weft_expect e = { 0 };
	struct weft_err err;

	EXPECT_EQ(weft_expect_check(&e, &err), 0);
	EXPECT(weft_expect_word(&e, "phase=", &err));
	EXPECT(weft_expect_word(&e, "phase", &err));
	EXPECT(weft_expect_word(&e, "phase=12345678901234567890123456789012",
				&err));
	EXPECT_EQ(weft_expect_word(&e, "phase-within=2ms", &err), 0);
	EXPECT(weft_expect_check(&e, &err));
	EXPECT(!strcmp(err.msg, "phase-within: expected phase, too: which one"));
	e = (struct weft_expect) { 0 };
	EXPECT_EQ(weft_expect_word(&e, "phase=step", &err), 0);
	EXPECT_EQ(weft_expect_word(&e, "lossless", &err), 0);
	EXPECT(weft_expect_check(&e, &err));
}
