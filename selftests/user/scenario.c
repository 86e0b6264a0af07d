// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scenario files: what is read, what is refused and where.
 */
#include "scenario/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "ktap.h"

#define MS	1000000000ULL

static int parse(struct weft_scenario *s, const char *text,
		 struct weft_err *err)
{
	return weft_scenario_parse(s, "s.yaml", text, strlen(text), err);
}

static const char whole[] =
	"name: day\n"
	"description: all that can be said\n"
	"seed: 7\n"
	"timeline:\n"
	"  - {at: 1ms, fault: loss, on: host0, probability: 1e-3, for: 2ms}\n"
	"  - {fault: flap, on: host1>leaf, for: 1ms, every: 4ms, times: 3}\n"
	"  - {fault: delay, on: up, delay: 5us, seed: 9}\n"
	"  - {at: 5ms, node: host1, do: freeze, for: 3ms, every: 10ms, times: 2}\n"
	"  - {at: 7ms, node: host0, do: kill}\n"
	"expect:\n"
	"  lossless: true\n"
	"  no-drops: false\n"
	"  finished-within: 20ms\n"
	"  busbw: 10Gbps\n"
	"  utilisation-below: 0.9\n";

TEST(whole_file)
{
	struct weft_err err = { 0 };
	struct weft_scenario s;

	EXPECT_EQ(parse(&s, whole, &err), 0);
	EXPECT(!strcmp(s.name, "day"));
	EXPECT(s.has_seed && s.seed == 7);
	EXPECT_EQ(s.entries, 5);
	EXPECT_EQ(s.entry[0].at, MS);
	EXPECT_EQ(s.entry[0].duration, 2 * MS);
	EXPECT_EQ(s.entry[0].words, 1);
	EXPECT(!strcmp(s.entry[0].word[0].text, "probability=1e-3"));
	EXPECT_EQ(s.entry[0].word[0].line, 5);
	EXPECT_EQ(s.entry[0].word[0].column, 52);
	EXPECT_EQ(s.entry[1].at, 0);
	EXPECT_EQ(s.entry[1].period, 4 * MS);
	EXPECT_EQ(s.entry[1].count, 3);
	EXPECT_EQ(s.entry[3].kind, WEFT_ENTRY_NODE);
	EXPECT_EQ(s.entry[3].act, WEFT_NODE_FREEZE);
	EXPECT_EQ(s.entry[4].act, WEFT_NODE_KILL);
	EXPECT(s.expect.has[WEFT_EXPECT_LOSSLESS]);
	EXPECT(!s.expect.has[WEFT_EXPECT_NO_DROPS]);
	EXPECT(!s.expect.has[WEFT_EXPECT_NO_DEADLOCK]);
	EXPECT_EQ(s.expect.value[WEFT_EXPECT_FINISHED_WITHIN], 20 * MS);
	EXPECT_EQ(s.expect.value[WEFT_EXPECT_BUSBW], 10000000000ULL);
	EXPECT_EQ(s.expect.value[WEFT_EXPECT_UTILISATION_BELOW], 900000);
	weft_scenario_free(&s);
}

/* The place is that of the value, or of the entry where something is missing. */
TEST(mistakes)
{
	static const struct {
		const char *text;
		const char *message;
	} t[] = {
		{ "name: x\ntimelime: []\n", "s.yaml:2:1: unknown key" },
		{ "seed: 1\n", "lacks the key \"name\"" },
		{ "name: x\nseed: y\n", "s.yaml:2:7: seed:" },
		{ "name: x\ntimeline: 5\n", "s.yaml:2:11: timeline: expected a list" },
		{ "name: x\ntimeline: [5]\n", "s.yaml:2:12: an entry" },
		{ "name: x\ntimeline:\n  - {at: 1ms}\n",
		  "s.yaml:3:5: expected one of the keys" },
		{ "name: x\ntimeline:\n  - {fault: loss, node: h, on: h}\n",
		  "s.yaml:3:5: expected one of the keys" },
		{ "name: x\ntimeline:\n  - {fault: loss}\n",
		  "s.yaml:3:5: the entry lacks the key \"on\"" },
		{ "name: x\ntimeline:\n  - {fault: lost, on: h}\n",
		  "s.yaml:3:13: fault: \"lost\"" },
		{ "name: x\ntimeline:\n  - {at: soon, fault: loss, on: h}\n",
		  "s.yaml:3:10: at: " },
		{ "name: x\ntimeline:\n  - {at: 1001s, fault: loss, on: h}\n",
		  "s.yaml:3:10: at: \"1001s\": expected 1000s at most" },
		{ "name: x\ntimeline:\n  - {at: {step: 3}, fault: down, on: h}\n",
		  "s.yaml:3:10: at: \"step=3\": expected mark=" },
		{ "name: x\ntimeline:\n  - {at: {phase: step}, fault: down, on: h}\n",
		  "s.yaml:3:10: at: phase: \"step\": expected traffic-1" },
		{ "name: x\ntimeline:\n  - {at: {mark: [a]}, fault: down, on: h}\n",
		  "s.yaml:3:10: at: expected a time, or a mapping of single values" },
		{ "name: x\ntimeline:\n  - {at: {mark: \"a,after=1s\"}, fault: down, on: h}\n",
		  "s.yaml:3:10: at: expected a time, or a mapping of single values" },
		{ "name: x\ntimeline:\n  - {at: [1ms], fault: down, on: h}\n",
		  "s.yaml:3:10: at: expected a time, or a mapping" },
		{ "name: x\ntimeline:\n  - {at: {mark: a}, at: 1ms, fault: down, on: h}\n",
		  "at: given twice" },
		{ "name: x\ntimeline:\n  - {at: {mark: a}, fault: down, on: h}\n"
		  "expect: {recovery-within: 1ms}\n",
		  "s.yaml:3:10: at: with recovery-within, expected \"after\"" },
		{ "name: x\ntimeline:\n  - {fault: down, on: h, for: 1ms, duration: 1ms}\n",
		  "duration: given twice" },
		{ "name: x\ntimeline:\n  - {fault: down, on: h, start: 1ms}\n",
		  "s.yaml:3:33: start: use \"at\"" },
		{ "name: x\ntimeline:\n  - {fault: down, on: h, times: 2}\n",
		  "s.yaml:3:33: times: needs every" },
		{ "name: x\ntimeline:\n  - {fault: loss, on: h, burst: {a: 1}}\n",
		  "s.yaml:3:33: burst: expected a value or a list" },
		{ "name: x\ntimeline:\n  - {traffic: flood}\n",
		  "s.yaml:3:15: traffic: \"flood\"" },
		{ "name: x\ntimeline:\n  - {traffic: incast, node: h}\n",
		  "s.yaml:3:5: expected one of the keys" },
		{ "name: x\ntimeline:\n  - {node: h, do: dance}\n",
		  "s.yaml:3:19: do: \"dance\": expected freeze" },
		{ "name: x\ntimeline:\n  - {node: h}\n",
		  "s.yaml:3:5: the entry lacks the key \"do\"" },
		{ "name: x\ntimeline:\n  - {node: h, do: kill, rate: 1Gbps}\n",
		  "s.yaml:3:31: unknown key \"rate\"" },
		{ "name: x\ntimeline:\n  - {node: h, do: thaw, for: 1ms}\n",
		  "s.yaml:3:30: for: only freeze and kill have it" },
		{ "name: x\ntimeline:\n  - {node: h, do: kill, for: 2ms, every: 2ms, times: 3}\n",
		  "s.yaml:3:42: every: " },
		{ "name: x\ntimeline:\n  - {node: h, do: kill, for: 2ms, every: 3ms, times: 0}\n",
		  "s.yaml:3:54: times: \"0\"" },
		{ "name: x\ntimeline:\n  - {set: switch, on: s, rate: 1Gbps}\n",
		  "s.yaml:3:11: set: \"switch\": expected nic or link" },
		{ "name: x\ntimeline:\n  - {set: nic, rx-stop: all}\n",
		  "s.yaml:3:5: the entry lacks the key \"on\"" },
		{ "name: x\ntimeline:\n  - {set: nic, on: h}\n",
		  "s.yaml:3:5: expected what to set, too" },
		{ "name: x\nexpect: [lossless]\n", "s.yaml:2:9: expect: expected a mapping" },
		{ "name: x\nexpect: {lossless: maybe}\n",
		  "s.yaml:2:20: lossless: \"maybe\": expected true or false" },
		{ "name: x\nexpect: {fast: true}\n", "s.yaml:2:16: \"fast\": expected" },
		{ "name: x\nexpect: {finished-within: 0s}\n",
		  "s.yaml:2:27: finished-within: " },
		{ "name: x\nexpect: {utilisation-below: 90}\n",
		  "s.yaml:2:29: utilisation-below: " },
		{ "name: x\nexpect: {busbw: 1ms}\n", "s.yaml:2:17: busbw: " },
	};
	struct weft_err err;
	struct weft_scenario s;

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		err = (struct weft_err) { 0 };
		EXPECT(parse(&s, t[i].text, &err) < 0);
		EXPECT_EQ(err.kind, WEFT_ERR_USAGE);
		if (!strstr(err.msg, t[i].message))
			printf("# %zu: %s\n", i, err.msg);
		EXPECT(strstr(err.msg, t[i].message));
		weft_scenario_free(&s);
	}
}

/* host0 and host1, each with a NIC at a port of the switch leaf. */
static struct weft_nic nics[] = {
	{ .id = 4, .name = "host0.eth0" }, { .id = 5, .name = "host1.eth0" },
};

static struct weft_switch leaf = { .id = 2, .name = "leaf" };

static struct weft_link links[] = {
	{ .id = 7, .name = "up", .end = { { true, 4, 0 }, { false, 2, 0 } } },
	{ .id = 8, .end = { { true, 5, 0 }, { false, 2, 1 } } },
};

static const struct weft_facts facts = {
	.fabric.id = 3, .switches = 1, .sw = &leaf, .links = 2, .link = links,
	.nics = 2, .nic = nics,
};

/* Seeds are the first and the second step of splitmix64 from 7 on. */
TEST(faults_of_a_lab)
{
	struct weft_err err = { 0 };
	struct weft_scenario s;
	struct weft_fault *f;

	EXPECT_EQ(parse(&s, whole, &err), 0);
	EXPECT_EQ(weft_scenario_bind(&s, &facts, &err), 0);
	f = &s.entry[0].fault;
	EXPECT_EQ(f->link, 7);
	EXPECT_EQ(f->kind, WEFT_FAULT_KIND_LOSS);
	EXPECT_EQ(f->probability, 1000000);
	EXPECT_EQ(f->duration, 2 * MS);
	EXPECT_EQ(f->seed, 7191089600892374487ULL);
	f = &s.entry[1].fault;
	EXPECT_EQ(f->link, 8);
	EXPECT_EQ(f->period, 4 * MS);
	EXPECT_EQ(f->count, 3);
	EXPECT_EQ(f->seed, 309689372594955804ULL);
	EXPECT_EQ(s.entry[2].fault.seed, 9);
	weft_scenario_free(&s);
}

TEST(places_that_are_not_there)
{
	static const struct {
		const char *entry;
		const char *message;
	} t[] = {
		{ "{fault: down, on: spine}", "s.yaml:3:5: no link is at \"spine\"" },
		{ "{node: host2, do: kill}", "s.yaml:3:5: there is no node \"host2\"" },
		{ "{node: host, do: kill}", "s.yaml:3:5: there is no node \"host\"" },
		{ "{traffic: incast, to: host9}", "s.yaml:3:5: " },
		{ "{traffic: incast, to: host0, rate: much}", "s.yaml:3:40: " },
		{ "{fault: loss, on: up, probability: 2}",
		  "s.yaml:3:40: probability: \"2\"" },
		{ "{fault: loss, on: up, colour: red}",
		  "s.yaml:3:35: \"colour=red\": expected" },
		{ "{fault: flap, on: up, for: 1ms}", "s.yaml:3:5: flap: expected" },
		{ "{set: nic, on: host9, rx-rate: 1Gbps}",
		  "s.yaml:3:5: no NIC is called \"host9\"" },
		{ "{set: nic, on: host0, rx-rate: much}",
		  "s.yaml:3:36: rx-rate: \"much\": expected" },
		{ "{set: nic, on: host0, rate: 1Gbps}",
		  "s.yaml:3:33: \"rate\": expected rx-rate, rx-stop or verbs.KEY" },
		{ "{set: link, on: spine, rate: 1Gbps}",
		  "s.yaml:3:5: no link is at \"spine\"" },
		{ "{set: link, on: up, for: 1ms}",
		  "s.yaml:3:30: \"for\": expected rate or lanes-up" },
	};
	struct weft_err err = { 0 };
	struct weft_scenario s;
	char text[160];

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		snprintf(text, sizeof(text), "name: x\ntimeline:\n  - %s\n",
			 t[i].entry);
		EXPECT_EQ(parse(&s, text, &err), 0);
		EXPECT(weft_scenario_bind(&s, &facts, &err) < 0);
		if (!strstr(err.msg, t[i].message))
			printf("# %zu: %s\n", i, err.msg);
		EXPECT(strstr(err.msg, t[i].message));
		weft_scenario_free(&s);
	}
}

/* What does no harm has nothing to recover from. */
TEST(triggers_without_recovery)
{
	static const char text[] =
		"name: x\ntimeline:\n"
		"  - {at: {mark: a}, traffic: incast, to: host0}\n"
		"  - {at: {mark: a}, node: host1, do: thaw}\n"
		"  - {at: {mark: a}, node: host1, do: return}\n"
		"expect: {recovery-within: 1ms}\n";
	struct weft_err err = { 0 };
	struct weft_scenario s;

	EXPECT_EQ(parse(&s, text, &err), 0);
	EXPECT_EQ(s.entries, 3);
	weft_scenario_free(&s);
}

TEST(settings_of_a_lab)
{
	static const char text[] =
		"name: x\ntimeline:\n"
		"  - {at: 1ms, set: nic, on: host0, rx-rate: 1Gbps, verbs.doorbell: 1us}\n"
		"  - {set: link, on: host1>leaf, rate: 10Gbps, lanes-up: 2}\n";
	struct weft_err err = { 0 };
	struct weft_scenario s;

	EXPECT_EQ(parse(&s, text, &err), 0);
	EXPECT_EQ(weft_scenario_bind(&s, &facts, &err), 0);
	EXPECT_EQ(s.entry[0].kind, WEFT_ENTRY_SET);
	EXPECT_EQ(s.entry[0].at, MS);
	EXPECT_EQ(s.entry[0].words, 2);
	EXPECT(!strcmp(s.entry[1].what, "link"));
	weft_scenario_free(&s);
}

TEST(trigger_that_is_gone)
{
	struct weft_entry e = {
		.kind = WEFT_ENTRY_FAULT, .what = "down", .on = "host0",
		.duration = MS, .armed = true, .gone = true,
	};
	struct weft_scenario s = { .entries = 1, .entry = &e };
	struct weft_player p = { .scenario = &s, .start = 3 * MS };
	struct weft_results results = { 0 };
	struct weft_err err;

	EXPECT_EQ(weft_player_end(&p), 3 * MS);
	weft_scenario_triggers(p.scenario, &facts, &results);
	EXPECT_EQ(results.n, 1);
	EXPECT_EQ(results.result[0].outcome, WEFT_FAILED);
	EXPECT(!strcmp(results.result[0].text,
		       "down at host0 never began: its trigger was removed"));
	EXPECT_EQ(weft_player_disarm(&p, &e, &err), 0);
	EXPECT_EQ(p.awaited, 0);
}

TEST(triggers_of_a_lab)
{
	static const char text[] =
		"name: x\ntimeline:\n"
		"  - {at: {mark: step-3, after: 2ms}, fault: down, on: host0}\n"
		"  - {at: {bytes: 64MiB, of: host1}, node: host1, do: kill}\n"
		"expect: {recovery-within: 1ms}\n";
	static const char other[] =
		"name: x\ntimeline:\n"
		"  - {at: {bytes: 64MiB, of: host7}, node: host1, do: kill}\n";
	struct weft_err err = { 0 };
	struct weft_scenario s;

	EXPECT(parse(&s, text, &err) < 0);
	EXPECT(strstr(err.msg, "s.yaml:4:10: at: with recovery-within"));
	weft_scenario_free(&s);
	EXPECT_EQ(weft_scenario_parse(&s, "s.yaml", text,
				      strlen(text) - strlen("expect: {recovery-within: 1ms}\n"),
				      &err), 0);
	EXPECT_EQ(weft_scenario_bind(&s, &facts, &err), 0);
	EXPECT_EQ(s.entry[0].by.given, true);
	EXPECT(!strcmp(s.entry[0].by.trigger.name, "step-3"));
	EXPECT_EQ(s.entry[0].by.after, 2 * MS);
	EXPECT_EQ(s.entry[1].by.trigger.nic, 5);
	EXPECT_EQ(s.entry[1].by.trigger.size, 64 << 20);
	EXPECT_EQ(s.entry[1].by.after, 0);
	weft_scenario_free(&s);
	EXPECT_EQ(parse(&s, other, &err), 0);
	EXPECT_EQ(weft_scenario_bind(&s, &facts, &err), -ENOENT);
	EXPECT(strstr(err.msg, "s.yaml:3:5: at: there is no NIC \"host7\""));
	weft_scenario_free(&s);
}
