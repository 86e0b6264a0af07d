// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histograms, the verdict and the report.
 */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "ktap.h"

static void counter(struct weft_counters *cs, const char *name, uint64_t v)
{
	cs->c[cs->n].name = name;
	cs->c[cs->n++].value = v;
}

TEST(percentiles)
{
	struct weft_bucket b[] = { { 10, 50 }, { 20, 40 }, { 40, 9 }, { 80, 1 } };
	struct weft_hist h = { 100, 3, 55, 4, b };

	EXPECT_EQ(weft_hist_percentile(&h, 500), 10);
	EXPECT_EQ(weft_hist_percentile(&h, 501), 20);
	EXPECT_EQ(weft_hist_percentile(&h, 900), 20);
	EXPECT_EQ(weft_hist_percentile(&h, 990), 40);
	EXPECT_EQ(weft_hist_percentile(&h, 1000), 55);
}

TEST(percentiles_of_nothing)
{
	struct weft_hist h = { 0 };

	EXPECT_EQ(weft_hist_percentile(&h, 990), 0);
}

TEST(merge)
{
	struct weft_bucket b1[] = { { 10, 1 }, { 30, 2 } };
	struct weft_bucket b2[] = { { 10, 4 }, { 20, 5 }, { 40, 6 } };
	struct weft_hist h1 = { 3, 5, 29, 2, b1 }, h2 = { 15, 2, 39, 3, b2 };
	struct weft_hist all = { 0 };
	struct weft_err err;

	EXPECT_EQ(weft_hist_merge(&all, &h1, &err), 0);
	EXPECT_EQ(weft_hist_merge(&all, &h2, &err), 0);
	EXPECT_EQ(all.count, 18);
	EXPECT_EQ(all.min, 2);
	EXPECT_EQ(all.max, 39);
	EXPECT_EQ(all.n, 4);
	EXPECT_EQ(all.bucket[0].count, 5);
	EXPECT_EQ(all.bucket[3].end, 40);
	weft_hist_free(&all);
}

static void expect_verdict(const struct weft_facts *f, const char *reason)
{
	json_t *v = weft_verdict(f), *reasons = json_object_get(v, "reasons");
	const char *got = json_string_value(json_array_get(reasons, 0));

	EXPECT_EQ(json_array_size(reasons), reason ? 1 : 0);
	EXPECT_EQ(json_is_true(json_object_get(v, "faithful")), !reason);
	if (reason && (!got || strcmp(got, reason)))
		ktap_fail(__FILE__, __LINE__, "%s", got ? got : "(none)");
	json_decref(v);
}

TEST(verdict_faithful)
{
	struct weft_facts f = { .fabric.late_events = 10 };

	counter(&f.fabric.counters, "events", 10000);
	counter(&f.fabric.host_drops, "no_memory", 0);
	expect_verdict(&f, NULL);
}

TEST(verdict_late)
{
	struct weft_facts f = {
		.fabric = { .late_events = 11, .late_bound = 1000000 },
	};

	counter(&f.fabric.counters, "events", 10000);
	expect_verdict(&f, "11 of 10000 events were executed more than 1us late (tolerated: 1 in 1000); a larger K of --clock real/K helps");
}

TEST(verdict_host_drops)
{
	struct weft_facts f = { 0 };

	counter(&f.fabric.host_drops, "rx_full", 3);
	counter(&f.fabric.host_drops, "other", 0);
	counter(&f.fabric.host_drops, "no_memory", 1);
	expect_verdict(&f, "packets were lost because of the host: rx_full 3, no_memory 1");
}

TEST(verdict_spinners)
{
	struct weft_facts f = { 0 };
	char text[] = "parks: 7\nforced_calls: 0\n"
		"spinner: pid 41 proven 0 forced 2 comm spin\n"
		"spinner: pid 42 proven 9 forced 1 comm spin\n"
		"spinner: pid 43 proven 9 forced 0 comm fine\n"
		"spinner: pid 44 proven 0 forced 1 comm other\n";

	weft_vclock_parse(&f.vclock, text);
	EXPECT_EQ(f.vclock.forced, 4);
	EXPECT_EQ(f.vclock.by_proof.names, 1);
	expect_verdict(&f, "spin, other spun on memory or computed for long, and had to be interrupted");
}

/* What the kernel says, with process 74 in the second node, and another in none. */
TEST(verdict_memory)
{
	static const char said[] =
		"3,9,1,-;Out of memory: Killed process 74 (a (b)) total-vm:9kB, oom_score_adj:2\n";
	static const char none[] =
		"3,9,1,-;Out of memory: Killed process 75 (c) total-vm:9kB, oom_score_adj:0\n";
	struct weft_lab lab = { .state = json_pack("{s:[{s:s}, {s:s}]}", "nodes",
						   "name", "host0", "name", "host1") };
	struct weft_facts f = { 0 };

	weft_killed_parse(&f.killed, &lab, "6,1,0,-;Out of memory: OOM victim 9\n");
	expect_verdict(&f, NULL);
	weft_killed_parse(&f.killed, &lab, said);
	expect_verdict(&f, "the virtual machine ran out of memory and killed a (b) of host1: --mem gives it more (default 4G)");
	weft_killed_parse(&f.killed, &lab, none);
	expect_verdict(&f, "the virtual machine ran out of memory and killed a (b) of host1, c: --mem gives it more (default 4G)");
	for (int i = 2; i < WEFT_KILLED_MAX + 3; i++)
		weft_killed_parse(&f.killed, &lab, none);
	expect_verdict(&f, "the virtual machine ran out of memory and killed a (b) of host1, c, c, c, c, c, c, c and 3 more: --mem gives it more (default 4G)");
	json_decref(lab.state);
}

static void expect_note(const struct weft_facts *f, const char *note)
{
	json_t *v = weft_verdict(f), *notes = json_object_get(v, "notes");

	EXPECT_EQ(json_array_size(notes), 1);
	EXPECT(!strcmp(json_string_value(json_array_get(notes, 0)), note));
	json_decref(v);
}

TEST(vclock_proved_spinners)
{
	struct weft_facts f = { 0 };
	char text[] = "parks: 7\nforced_calls: 0\nspinner: pid 9 proven 3 forced 0 comm x\n";

	weft_vclock_parse(&f.vclock, text);
	expect_verdict(&f, NULL);
	expect_note(&f, "x spun on memory and was proved to wait");
}

TEST(verbs_whose_memory_went)
{
	struct weft_nic nic[2] = { 0 };
	struct weft_facts f = { .nic = nic, .nics = 2 };

	counter(&nic[0].verbs_counters, "tx_packets", 9);
	counter(&nic[0].verbs_counters, "no_reference", 2);
	counter(&nic[1].verbs_counters, "no_reference", 5);
	expect_verdict(&f, NULL);
	expect_note(&f, "7 packets of verbs were lost because their sender released the memory; hardware would have delivered them");
}

/* On a real clock somebody has to look at doorbells: 50 us, at 1/500 of the speed. */
TEST(doorbells)
{
	struct weft_nic nic = { .verbs = { .kind = WEFT_VERBS_KIND_EFA } };
	struct weft_facts f = {
		.clock = "real/500", .nic = &nic, .nics = 1, .fabric = { .dilation = 500 },
	};
	json_t *v;

	snprintf(nic.device, sizeof(nic.device), "rdmap0");
	expect_verdict(&f, NULL);
	expect_note(&f, "NICs of the EFA kind see the first request after a pause up to 100ns late (look_rest_us of weft_rdma, 50us of real time)");
	nic.verbs.kind = WEFT_VERBS_KIND_HCA;
	v = weft_verdict(&f);
	EXPECT_EQ(json_array_size(json_object_get(v, "notes")), 0);
	json_decref(v);
}

/* A clock that is not virtual counts what programs compute. */
TEST(computing)
{
	struct weft_facts f = { .clock = "virtual" };
	json_t *v;

	expect_verdict(&f, NULL);
	expect_note(&f, "computing took no time: rates of computing that programs print mean nothing");
	f.clock = "real/500";
	v = weft_verdict(&f);
	EXPECT_EQ(json_array_size(json_object_get(v, "notes")), 0);
	json_decref(v);
}

/* The keys are a promise: this list may only grow. */
TEST(keys)
{
	static const char *const keys[] = {
		"version", "lab", "topology", "clock", "seed", "dilation",
		"time_ps", "verdict", "counters", "dropped", "host_drops",
		"lateness", "latency", "links", "nics", "switches",
		"lossless", "phases", "phases_missed",
	};
	static const char *const link_keys[] = {
		"link", "from", "to", "rate_bps", "up", "tx_packets",
		"tx_bytes", "tx_wire_bytes", "tx_busy_ps", "queue_peak",
		"utilisation", "drops", "dropped", "discipline", "tx_wait_ps",
		"tx_control", "tx_replays", "wait_ps", "tx_pause", "rx_pause",
		"marked", "trimmed",
	};
	static const char *const nic_keys[] = {
		"name", "tx_packets", "rx_packets", "drops", "dropped",
		"rx_used", "rx_peak", "latency", "rdma_device", "verbs",
	};
	struct weft_link link = { .name = "l", .end[0] = { .is_nic = true } };
	struct weft_nic nic = { .name = "host0.eth0" };
	struct weft_switch sw = { .name = "leaf" };
	struct weft_facts f = {
		.lab = "x", .topology = "t", .clock = "virtual", .since = 100,
		.fabric.now = 300, .link = &link, .links = 1, .nic = &nic,
		.nics = 1, .sw = &sw, .switches = 1,
	};
	struct weft_err err;
	json_t *r, *wire;

	counter(&link.wire[0].counters, "tx_busy_ps", 50);
	r = weft_report_make(&f, &err);
	for (unsigned int i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!json_object_get(r, keys[i]))
			ktap_fail(__FILE__, __LINE__, "no %s", keys[i]);
	wire = json_array_get(json_object_get(r, "links"), 0);
	for (unsigned int i = 0; i < sizeof(link_keys) / sizeof(*keys); i++)
		if (!json_object_get(wire, link_keys[i]))
			ktap_fail(__FILE__, __LINE__, "no %s", link_keys[i]);
	for (unsigned int i = 0; i < sizeof(nic_keys) / sizeof(*keys); i++)
		if (!json_object_get(json_array_get(json_object_get(r, "nics"),
						    0), nic_keys[i]))
			ktap_fail(__FILE__, __LINE__, "no %s", nic_keys[i]);
	EXPECT_NEAR(json_real_value(json_object_get(wire, "utilisation")),
		    0.25, 0);
	EXPECT(!strcmp(json_string_value(json_object_get(wire, "from")),
		       "host0.eth0"));
	EXPECT(!strcmp(json_string_value(json_object_get(wire, "to")),
		       "leaf:0"));
	json_decref(r);
}

/* Whichever allocation fails, there is no report, and the error says why. */
TEST(no_memory)
{
	struct weft_link link = { .name = "l", .end[0] = { .is_nic = true } };
	struct weft_nic nic = { .name = "host0.eth0" };
	struct weft_facts f = {
		.lab = "x", .topology = "t", .clock = "virtual", .fabric.now = 300,
		.link = &link, .links = 1, .nic = &nic, .nics = 1,
	};
	struct weft_err err = { 0 };
	json_t *r = NULL;
	long n;

	for (n = 0; !r && n < 100000; n++) {
		weft_json_fail_after(n);
		r = weft_report_make(&f, &err);
		if (!r)
			EXPECT(err.code == -ENOMEM);
		err.code = 0;
	}
	weft_json_fail_after(-1);
	EXPECT(n > 100);
	EXPECT_EQ(json_object_size(r), 21);
	json_decref(r);
}
