// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults as people write and read them.
 */
#include "netlink/fault.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "facts/facts.h"
#include "ktap.h"
#include "netlink/json.h"

/*
 * host0 and host1, each with a NIC at a port of the switch leaf, and hosts with
 * more of them, but without links.
 */
static struct weft_nic nics[25] = {
	{ .id = 4, .name = "host0.eth0" }, { .id = 5, .name = "host1.eth0" },
	{ .id = 6, .name = "big.eth0" }, { .id = 7, .name = "big.eth1" },
	{ .id = 8, .name = "big.eth2" }, { .id = 9, .name = "big.eth3" },
};

static struct weft_switch leaf = { .id = 2, .name = "leaf" };

static struct weft_link links[] = {
	{ .id = 7, .name = "up", .end = { { true, 4, 0 }, { false, 2, 0 } } },
	{ .id = 8, .end = { { true, 5, 0 }, { false, 2, 1 } } },
};

static const struct weft_facts facts = {
	.fabric.id = 3, .switches = 1, .sw = &leaf, .links = 2, .link = links,
	.nics = 25, .nic = nics,
};

TEST(places)
{
	static const struct {
		const char *text;
		uint32_t link;
		/* 2: both wires; 3: refused */
		uint32_t direction;
	} t[] = {
		{ "up", 7, 2 }, { "host0", 7, 2 }, { "host1.eth0", 8, 2 },
		{ "leaf:1", 8, 2 }, { "host0>leaf", 7, 0 },
		{ "leaf>host0", 7, 1 }, { "leaf:1>host1", 8, 1 },
		{ "leaf<>host1", 8, 2 }, { "host1<>leaf:1", 8, 2 },
		{ "leaf", 0, 3 }, { "hos", 0, 3 }, { "host0>host1", 0, 3 },
		{ "", 0, 3 }, { ">", 0, 3 }, { "<>", 0, 3 }, { "host0>", 0, 3 },
		{ "leaf:1>host0", 0, 3 },
	};
	struct weft_err err = { 0 };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct weft_fault f = { 0 };
		int ret = weft_fault_parse_place(&f, t[i].text, &facts, &err);

		EXPECT_EQ(!!ret, t[i].direction == 3);
		if (ret)
			continue;
		EXPECT_EQ(f.link, t[i].link);
		EXPECT_EQ(f.fabric, 3);
		EXPECT_EQ(!(f.has & WEFT_HAS(WEFT_A_FAULT_DIRECTION)),
			  t[i].direction == 2);
		if (t[i].direction < 2)
			EXPECT_EQ(f.direction, t[i].direction);
	}
}

/* A NIC is meant by its own name, also where there is one at either end. */
TEST(places_of_nics)
{
	static const struct {
		const char *text;
		uint32_t kind;
		/* 2: left to the kernel */
		uint32_t direction;
	} t[] = {
		{ "host0", WEFT_FAULT_KIND_HANG, 0 },
		{ "leaf:1", WEFT_FAULT_KIND_SLOW, 1 },
		{ "leaf<>host1", WEFT_FAULT_KIND_SLOW, 2 },
		{ "up", WEFT_FAULT_KIND_HANG, 2 },
		{ "host0", WEFT_FAULT_KIND_ECN, 2 },
		{ "host3", WEFT_FAULT_KIND_HANG, 0 },
		{ "host4", WEFT_FAULT_KIND_HANG, 1 },
	};
	struct weft_nic nic[] = {
		nics[0], nics[1], { .id = 8, .name = "host3.eth0" },
		{ .id = 9, .name = "host4.eth0" },
	};
	struct weft_link link[] = {
		links[0], links[1],
		{ .id = 9, .end = { { true, 8, 0 }, { true, 9, 0 } } },
	};
	struct weft_facts f = facts;
	struct weft_err err = { 0 };

	f.nics = 4;
	f.nic = nic;
	f.links = 3;
	f.link = link;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct weft_fault fault = { .kind = t[i].kind };

		EXPECT_EQ(weft_fault_parse_place(&fault, t[i].text, &f, &err),
			  0);
		EXPECT_EQ(fault.has & WEFT_HAS(WEFT_A_FAULT_DIRECTION) ?
			  fault.direction : 2, t[i].direction);
	}
}

TEST(words_of_ports)
{
	static const char *const words[] = {
		"classes=0,3-5", "kmin=10kB", "kmax=1MiB", "pmax=0.25",
	};
	struct weft_err err = { 0 };
	struct weft_fault f = { 0 };

	EXPECT_EQ(weft_fault_parse_kind(&f, "pause-storm", &err), 0);
	EXPECT_EQ(f.kind, WEFT_FAULT_KIND_PAUSE_STORM);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		EXPECT_EQ(weft_fault_parse_word(&f, words[i], &facts, &err), 0);
	EXPECT_EQ(f.classes, 0x39);
	EXPECT_EQ(f.kmin, 10000);
	EXPECT_EQ(f.kmax, 1048576);
	EXPECT_EQ(f.pmax, 250000);
	EXPECT_EQ(weft_fault_parse_word(&f, "class=15", &facts, &err), 0);
	EXPECT_EQ(f.classes, 0x8000);
	/* No rate is no attribute. */
	EXPECT_EQ(weft_fault_parse_word(&f, "rate=0bps", &facts, &err), 0);
	EXPECT(!(f.has & WEFT_HAS(WEFT_A_FAULT_RATE)));
}

/* Of kinds of switches a switch is the place, by its whole name. */
TEST(switches)
{
	static const char *const kinds[] = {
		"blackhole", "forget", "misroute", "reboot", "buffer", "sharp-down",
		"sharp-slow",
	};
	static const char *const wrong[] = { "", "lea", "leaf:1", "up", "host0" };
	struct weft_err err = { 0 };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct weft_fault f = { 0 };

		EXPECT_EQ(weft_fault_parse_kind(&f, kinds[i], &err), 0);
		EXPECT(weft_fault_of_switch(&f));
		EXPECT_EQ(weft_fault_parse_place(&f, "leaf", &facts, &err), 0);
		EXPECT_EQ(f.sw, 2);
		EXPECT_EQ(f.has, WEFT_HAS(WEFT_A_FAULT_KIND) |
				 WEFT_HAS(WEFT_A_FAULT_FABRIC) |
				 WEFT_HAS(WEFT_A_FAULT_SWITCH));
		EXPECT(weft_fault_parse_place(&f, wrong[i % 5], &facts, &err) < 0);
	}
}

/* A NIC, the NICs of a node, one after the other, or all, which is none. */
TEST(destinations)
{
	struct weft_fault f = { 0 };
	struct weft_err err = { 0 };

	EXPECT_EQ(weft_fault_parse_word(&f, "dst=all", &facts, &err), 0);
	EXPECT_EQ(f.has, 0);
	EXPECT_EQ(weft_fault_parse_word(&f, "dst=host1", &facts, &err), 0);
	EXPECT_EQ(weft_fault_parse_word(&f, "dst=big.eth1", &facts, &err), 0);
	EXPECT_EQ(weft_fault_parse_word(&f, "dst=big", &facts, &err), 0);
	EXPECT_EQ(f.has, WEFT_HAS(WEFT_A_FAULT_DST));
	EXPECT_EQ(f.dst.n, 6);
	EXPECT_EQ(f.dst.v[0], 5);
	EXPECT_EQ(f.dst.v[1], 7);
	EXPECT_EQ(f.dst.v[2], 6);
	EXPECT_EQ(f.dst.v[5], 9);
	EXPECT(weft_fault_parse_word(&f, "dst=", &facts, &err) < 0);
	EXPECT(weft_fault_parse_word(&f, "dst=bi", &facts, &err) < 0);
	EXPECT(weft_fault_parse_word(&f, "dst=leaf", &facts, &err) < 0);
}

TEST(too_many_destinations)
{
	struct weft_fault f = { 0 };
	struct weft_err err = { 0 };
	unsigned int i;

	for (i = 6; i < 25; i++) {
		nics[i].id = i + 4;
		snprintf(nics[i].name, sizeof(nics[i].name), "huge.eth%u", i);
	}
	EXPECT_EQ(weft_fault_parse_word(&f, "dst=huge", &facts, &err), -E2BIG);
	EXPECT_EQ(f.dst.n, 16);
}

/* All that can be said, in one fault, and what of it is there. */
TEST(words)
{
	static const char *const words[] = {
		"rate=10Gbps", "lanes=3", "delay=5ms", "jitter=1us",
		"probability=1e-3", "burst=20", "ber=1e-6", "flows=0.25",
		"port=12", "size=1MiB", "start=1s",
		"duration=2ms", "period=4ms", "count=5", "seed=6",
	};
	struct weft_err err = { 0 };
	struct weft_fault f = { 0 };

	EXPECT_EQ(weft_fault_parse_kind(&f, "flap", &err), 0);
	EXPECT(weft_fault_complete(&f, "flap", &err) < 0);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		EXPECT_EQ(weft_fault_parse_word(&f, words[i], &facts, &err), 0);
	EXPECT_EQ(weft_fault_complete(&f, "flap", &err), 0);
	EXPECT_EQ(f.kind, WEFT_FAULT_KIND_DOWN);
	EXPECT_EQ(f.rate, 10000000000ULL);
	EXPECT_EQ(f.lanes, 3);
	EXPECT_EQ(f.delay, 5000000000ULL);
	EXPECT_EQ(f.jitter, 1000000);
	EXPECT_EQ(f.probability, 1000000);
	EXPECT_EQ(f.burst, 20);
	EXPECT_EQ(f.bits_per_error, 1000000);
	EXPECT_EQ(f.flows, 250000000);
	EXPECT_EQ(f.port, 12);
	EXPECT_EQ(f.size, 1 << 20);
	EXPECT_EQ(f.start, 1000000000000ULL);
	EXPECT_EQ(f.duration, 2000000000ULL);
	EXPECT_EQ(f.period, 4000000000ULL);
	EXPECT_EQ(f.count, 5);
	EXPECT_EQ(f.seed, 6);
	EXPECT(!(f.has & WEFT_HAS(WEFT_A_FAULT_AFTER)));
	EXPECT_EQ(weft_fault_parse_word(&f, "start=+7ns", &facts, &err), 0);
	EXPECT(f.has & WEFT_HAS(WEFT_A_FAULT_AFTER));
	EXPECT_EQ(f.after, 7000);
}

TEST(mistakes)
{
	static const char *const words[] = {
		"", "=", "rate", "rate=", "rate=fast", "rates=1Gbps",
		"lanes=-1", "lanes=4294967296", "delay=5", "probability=0",
		"probability=1.1", "probability=nan", "probability=0.5x",
		"flows=0", "flows=1.5", "flows=", "port=x", "size=big", "size=",
		"ber=0", "ber=1", "burst=1.5", "start=now", "start=+",
		"start=++1s", "count=", "seed=x", "classes=", "classes=16", "classes=3-1",
		"classes=0,", "classes=0-16", "class=-1", "kmin=x", "kmax=4GiB",
		"pmax=1.1",
	};
	struct weft_fault f = { 0 };
	struct weft_err err = { 0 };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		EXPECT(weft_fault_parse_word(&f, words[i], &facts, &err) < 0);
	EXPECT_EQ(f.has, 0);
	EXPECT(weft_fault_parse_kind(&f, "flaps", &err) < 0);
	EXPECT(weft_fault_parse_kind(&f, "", &err) < 0);
}

static void expect_text(const struct weft_fault *f, const char *effect,
			const char *when)
{
	char buf[256];

	EXPECT(!strcmp(weft_fault_effect(f, &facts, buf, sizeof(buf)), effect));
	EXPECT(!strcmp(weft_fault_when(f, &facts, buf, sizeof(buf)), when));
}

TEST(texts)
{
	expect_text(&(struct weft_fault) {
		.kind = WEFT_FAULT_KIND_RATE, .rate = 10000000000ULL,
		.lanes = 2 },
		"carries at most 10Gbps, at most 2 of its lanes work",
		"from 0ps until it is removed");
	expect_text(&(struct weft_fault) {
		.kind = WEFT_FAULT_KIND_DELAY, .delay = 5000, .jitter = 1000,
		.start = 2000, .duration = 3000 },
		"each packet arrives 5ns to 6ns later", "from 2ns for 3ns");
	expect_text(&(struct weft_fault) {
		.kind = WEFT_FAULT_KIND_LOSS, .probability = 1000000,
		.burst = 4, .duration = 1000, .period = 2000, .count = 9 },
		"a share of 0.001 of the frames is lost, in bursts of 4 on average",
		"from 0ps for 1ns, every 2ns, 9 times");
	expect_text(&(struct weft_fault) {
		.kind = WEFT_FAULT_KIND_BLACKHOLE, .flows = 250000000,
		.dst = { .n = 2, .v = { 5, 4 } } },
		"drops packets to host1.eth0, host0.eth0 of a share of 0.25 of the flows",
		"from 0ps until it is removed");
	expect_text(&(struct weft_fault) {
		.kind = WEFT_FAULT_KIND_BLACKHOLE, .flows = 1000000000 },
		"drops all packets", "from 0ps until it is removed");
	expect_text(&(struct weft_fault) {
		.kind = WEFT_FAULT_KIND_MISROUTE, .port = 3,
		.flows = 1000000000, .dst = { .n = 4, .v = { 6, 7, 8, 99 } } },
		"sends packets to big.eth0, big.eth1 and 2 others through port 3",
		"from 0ps until it is removed");
	expect_text(&(struct weft_fault) {
		.kind = WEFT_FAULT_KIND_BUFFER, .size = 1 << 20,
		.duration = 1000 },
		"has a shared buffer of at most 1MiB", "from 0ps for 1ns");
}

static void expect_effect(struct weft_fault f, const char *effect)
{
	expect_text(&f, effect, "from 0ps until it is removed");
}

TEST(texts_of_ports)
{
	expect_effect((struct weft_fault) {
		.kind = WEFT_FAULT_KIND_CREDIT_LOSS, .probability = 500000000 },
		"credits are lost with probability 0.5, packets are not");
	expect_effect((struct weft_fault) {
		.kind = WEFT_FAULT_KIND_PAUSE_STORM },
		"the sending port pauses all packets of the far end");
	expect_effect((struct weft_fault) {
		.kind = WEFT_FAULT_KIND_PAUSE_STORM, .classes = 0x8009 },
		"the sending port pauses all packets of class 0,3,15 of the far end");
	expect_effect((struct weft_fault) {
		.kind = WEFT_FAULT_KIND_HANG },
		"the sending NIC sends no packets and takes none");
	expect_effect((struct weft_fault) {
		.kind = WEFT_FAULT_KIND_SLOW },
		"the host of the sending NIC takes no packets");
	expect_effect((struct weft_fault) {
		.kind = WEFT_FAULT_KIND_SLOW, .rate = 1000000000 },
		"the host of the sending NIC takes at most 1Gbps");
	expect_effect((struct weft_fault) {
		.kind = WEFT_FAULT_KIND_ECN, .classes = 8 },
		"the sending port marks no packets of class 3");
	expect_effect((struct weft_fault) {
		.kind = WEFT_FAULT_KIND_ECN, .kmin = 1024, .kmax = 4096,
		.pmax = 200000 },
		"the sending port marks from 1KiB queued on, with probability 0.2 at 4KiB and all above");
}

/* The keys are those that the documentation names. */
TEST(json)
{
	struct weft_fault f = {
		.has = WEFT_HAS(WEFT_A_FAULT_KIND) |
		       WEFT_HAS(WEFT_A_FAULT_DIRECTION) |
		       WEFT_HAS(WEFT_A_FAULT_PROBABILITY),
		.kind = WEFT_FAULT_KIND_DUPLICATE, .link = 8, .direction = 1,
		.probability = 500000000,
	};
	json_t *o = weft_fault_json(&facts, &f);

	EXPECT(!strcmp(json_string_value(json_object_get(o, "kind")),
		       "duplicate"));
	EXPECT(!strcmp(json_string_value(json_object_get(o, "from")),
		       "leaf:1"));
	EXPECT(!strcmp(json_string_value(json_object_get(o, "to")),
		       "host1.eth0"));
	EXPECT(json_is_false(json_object_get(o, "both")));
	EXPECT_EQ(json_integer_value(json_object_get(o, "probability_ppb")),
		  500000000);
	EXPECT(!json_object_get(o, "rate_bps"));
	json_decref(o);
}

/* A seed is a string whatever it is, a quantity always an integer. */
TEST(json_seed)
{
	struct weft_fault f = {
		.has = WEFT_HAS(WEFT_A_FAULT_SEED), .link = 8,
		.seed = UINT64_MAX,
	};
	json_t *o = weft_fault_json(&facts, &f);

	EXPECT(!strcmp(json_string_value(json_object_get(o, "seed")),
		       "18446744073709551615"));
	json_decref(o);
	f.seed = INT64_MAX;
	o = weft_fault_json(&facts, &f);
	EXPECT(!strcmp(json_string_value(json_object_get(o, "seed")),
		       "9223372036854775807"));
	json_decref(o);
	o = weft_json_u64(UINT64_MAX);
	EXPECT_EQ(json_integer_value(o), INT64_MAX);
	json_decref(o);
}

/* A switch instead of a wire. */
TEST(json_of_switch)
{
	struct weft_fault f = {
		.has = WEFT_HAS(WEFT_A_FAULT_KIND) |
		       WEFT_HAS(WEFT_A_FAULT_SWITCH) |
		       WEFT_HAS(WEFT_A_FAULT_DST) |
		       WEFT_HAS(WEFT_A_FAULT_FLOWS),
		.kind = WEFT_FAULT_KIND_BLACKHOLE, .sw = 2,
		.dst = { .n = 2, .v = { 4, 77 } }, .flows = 1000000000,
	};
	json_t *o = weft_fault_json(&facts, &f), *dst;

	dst = json_object_get(o, "dst");
	EXPECT(!strcmp(json_string_value(json_object_get(o, "switch")),
		       "leaf"));
	EXPECT(!strcmp(json_string_value(json_array_get(dst, 0)),
		       "host0.eth0"));
	EXPECT(!strcmp(json_string_value(json_array_get(dst, 1)),
		       "a NIC that is gone"));
	EXPECT_EQ(json_integer_value(json_object_get(o, "flows_ppb")),
		  1000000000);
	EXPECT(!json_object_get(o, "link"));
	EXPECT(!json_object_get(o, "both"));
	json_decref(o);
}

static void expect_at(const char *text, uint32_t kind, uint64_t after)
{
	struct weft_err err = { 0 };
	struct weft_at at;

	EXPECT_EQ(weft_at_parse(&at, text, &err), 0);
	EXPECT_EQ(weft_at_bind(&at, &facts, &err), 0);
	EXPECT_EQ(at.given, true);
	EXPECT_EQ(at.trigger.kind, kind);
	EXPECT_EQ(at.trigger.fabric, 3);
	EXPECT_EQ(at.after, after);
	EXPECT_EQ(!!(at.trigger.has & WEFT_HAS(WEFT_A_TRIGGER_NIC)),
		  kind >= WEFT_TRIGGER_KIND_RATE);
	if (kind >= WEFT_TRIGGER_KIND_RATE)
		EXPECT_EQ(at.trigger.nic, 4);
}

TEST(triggers)
{
	static const char *const wrong[] = {
		"", "mark", "mark=", "mark=-x", "mark=a b", "after=1ms", "step=x",
		"mark=01234567890123456789012345678901", "phase=traffic-0",
		"phase=traffic-", "phase=traffic-x", "phase=step", "phase=traffic-+1",
		"phase=traffic-4294967296", "traffic=host0", "traffic=host0,above=0",
		"traffic=,above=1Gbps", "above=1Gbps", "bytes=1MiB", "of=host0",
		"bytes=0,of=host0", "bytes=1MiB,of=host0,least=1KiB",
		"traffic=host0,above=1Gbps,least=2GiB", "mark=x,phase=traffic-1",
		"mark=x,mark=y", "mark=x,after=1001s", "mark=x,after=soon",
	};
	struct weft_err err = { 0 };
	struct weft_at at;

	expect_at("mark=step-3,after=2ms", WEFT_TRIGGER_KIND_MARK, 2000000000);
	expect_at("phase=traffic-2", WEFT_TRIGGER_KIND_PHASE, 0);
	expect_at("after=1us,traffic=host0,above=100Gbps,least=1KiB",
		  WEFT_TRIGGER_KIND_RATE, 1000000);
	expect_at("bytes=64MiB,of=host0.eth0", WEFT_TRIGGER_KIND_BYTES, 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		EXPECT(weft_at_parse(&at, wrong[i], &err) < 0);
	EXPECT_EQ(weft_at_parse(&at, "bytes=1,of=hostx", &err), 0);
	EXPECT_EQ(weft_at_bind(&at, &facts, &err), -ENOENT);
	EXPECT_EQ(weft_at_parse(&at, "bytes=1,of=big", &err), 0);
	EXPECT_EQ(weft_at_bind(&at, &facts, &err), -EINVAL);
	EXPECT(strstr(err.msg, "NICs: name one, such as big.eth0"));
}

#define MET	(WEFT_HAS(WEFT_A_TRIGGER_AT) | WEFT_HAS(WEFT_A_TRIGGER_FOUND))

/* By a trigger; without one it would be "from 7ns for 1ns". */
static void expect_trigger(struct weft_trigger t, const char *when)
{
	struct weft_facts f = facts;
	struct weft_fault fault = {
		.has = WEFT_HAS(WEFT_A_FAULT_TRIGGER), .trigger = t.id,
		.after = 5000, .start = 7000, .duration = 1000,
	};
	char buf[256];

	f.trigger = &t;
	f.triggers = 1;
	EXPECT(!strcmp(weft_fault_when(&fault, &f, buf, sizeof(buf)), when));
}

TEST(texts_of_triggers)
{
	expect_trigger((struct weft_trigger) {
		.id = 6, .kind = WEFT_TRIGGER_KIND_MARK, .name = "step" },
		"from 5ns after the begin of step (not begun: no mark step) for 1ns");
	expect_trigger((struct weft_trigger) {
		.kind = WEFT_TRIGGER_KIND_PHASE, .number = 2, .has = MET,
		.at = 2000, .found = 7000 },
		"from 7ns (5ns after the begin of traffic-2) for 1ns");
	expect_trigger((struct weft_trigger) {
		.kind = WEFT_TRIGGER_KIND_PHASE, .number = 2, .has = MET,
		.at = 2000, .found = 7003 },
		"from 7ns (5ns after the begin of traffic-2, 3ps late) for 1ns");
	expect_trigger((struct weft_trigger) {
		.kind = WEFT_TRIGGER_KIND_RATE, .nic = 4, .rate = 1000000000,
		.size = 500 },
		"from 5ns after host0.eth0 sent more than 1Gbps (not begun: host0.eth0 did not send 500B above 1Gbps) for 1ns");
	expect_trigger((struct weft_trigger) {
		.kind = WEFT_TRIGGER_KIND_BYTES, .nic = 99, .size = 1 << 20,
		.sent = 12 },
		"from 5ns after a NIC that is gone had sent 1MiB (not begun: a NIC that is gone sent 12B of 1MiB) for 1ns");
}
