// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulations of reductions in switches, against closed forms. Links and NICs are those of
 * simulate.c.
 */
#include "sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "ktap.h"
#include "load.h"
#include "wires.h"

#define PACKET		((4096 + 82 + 12) * BYTE)	/* with DETH and immediate data */
#define WORK		(100 * NS)	/* of an aggregation node */
#define PROCESS		(11 * NS)
#define NICS	"name: x\nprofile: test\nport: {discipline: drop-tail}\n" \
	"nic: {mtu: 5000, tx-latency: 100ns, rx-latency: 50ns,\n" \
	"  verbs: {doorbell: 0ns, process: 11ns, ack-every: 0}}\n"
#define HEAD	NICS SHARED

#define TREE	HEAD \
	"nodes: [{name: \"h[0-7]\"}]\nswitches: [{name: a}, {name: b}, {name: c}]\n" \
	"links: [{ends: [\"h[0-3]\", a]}, {ends: [\"h[4-7]\", b]}, {ends: [a, c]}, {ends: [b, c]}]\n"

/*
 * The last of some chunks. Up, each level takes the wire, a packet, the pipeline twice and
 * the node. Down, the pipeline of the switches below the root, the wires, a packet.
 */
static uint64_t law(uint64_t levels, uint64_t chunks)
{
	return TX + levels * (CABLE + PACKET + 2 * CUT + WORK) +
	       (levels - 1) * (CABLE + CUT) + CABLE + PACKET + RX + PROCESS +
	       (chunks - 1) * PACKET;
}

/* What a node brings to a group. */
static void bring(struct weft_work *w, uint32_t node, uint32_t group, uint64_t chunks,
		  uint64_t at)
{
	const struct weft_message like = {
		.from = node, .to = node, .bytes = chunks * 4096, .group = group, .at = at,
	};
	struct weft_err err = { 0 };

	EXPECT(weft_work_add(w, &like, &err));
}

static int run(const char *topology, struct weft_work *w, struct weft_err *err)
{
	const struct weft_sim_options o = { .seed = 1, .retries = 7, .ack_timeout = 14 };
	struct weft_plan p = plan_of(topology);
	struct weft_sim_result r;
	int ret = weft_sim_run(&p, w, &o, &r, err);

	weft_plan_free(&p);
	return ret;
}

static void run_well(const char *topology, struct weft_work *w)
{
	struct weft_err err = { 0 };

	if (run(topology, w, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
}

/* All nodes of a topology, and its levels of switches. */
static void all_reduce(const char *topology, uint32_t nodes, uint64_t levels,
		       uint64_t chunks)
{
	struct weft_work w = { 0 };

	for (uint32_t i = 0; i < nodes; i++)
		bring(&w, i, 1, chunks, 0);
	run_well(topology, &w);
	for (uint32_t i = 0; i < nodes; i++) {
		EXPECT_EQ(w.message[i].end, law(levels, chunks));
		EXPECT_EQ(w.message[i].ideal + PROCESS, law(levels, chunks));
	}
	weft_work_free(&w);
}

TEST(sharp)
{
	all_reduce(HEAD STAR, 17, 1, 1);
	all_reduce(HEAD STAR, 17, 1, 1000);
	all_reduce(TREE, 8, 2, 1);
	all_reduce(TREE, 8, 2, 1000);
}

/**
 * struct set - a set of parameters
 * @gbps: rate of all links, Gb/s
 * @cable: their propagation, ns
 * @cut: latency of a switch, ns
 */
struct set {
	uint64_t gbps;
	uint64_t cable;
	uint64_t cut;
};

static const struct set sets[] = {
	{ 400, 25, 400 }, { 100, 5, 130 }, { 800, 500, 300 },
};

/**
 * struct shape - a tree of switches
 * @ranks: nodes
 * @levels: of switches
 * @text: nodes, switches and links but for their parameters
 */
struct shape {
	uint64_t ranks;
	uint64_t levels;
	const char *text;
};

#define LEAVES(hosts, leaves) "nodes: [{name: \"h[0-" hosts "]\"}]\n" \
	"switches: [{name: \"l[0-" leaves "]\"}, {name: r}]\n"

/* Radix 4 and 16. */
static const struct shape shapes[] = {
	{ 8, 1, "nodes: [{name: \"h[0-7]\"}]\nswitches: [{name: s}]\n"
	  "links: [{ends: [\"h[0-7]\", s], %s}]\n" },
	{ 8, 2, LEAVES("7", "1") "links: [{ends: [\"h[0-3]\", l0], %1$s},\n"
	  "  {ends: [\"h[4-7]\", l1], %1$s}, {ends: [\"l[0-1]\", r], %1$s}]\n" },
	{ 16, 1, "nodes: [{name: \"h[0-15]\"}]\nswitches: [{name: s}]\n"
	  "links: [{ends: [\"h[0-15]\", s], %s}]\n" },
	{ 16, 2, LEAVES("15", "3") "links: [{ends: [\"h[0-3]\", l0], %1$s},\n"
	  "  {ends: [\"h[4-7]\", l1], %1$s}, {ends: [\"h[8-11]\", l2], %1$s},\n"
	  "  {ends: [\"h[12-15]\", l3], %1$s}, {ends: [\"l[0-3]\", r], %1$s}]\n" },
	{ 64, 2, LEAVES("63", "3") "links: [{ends: [\"h[0-15]\", l0], %1$s},\n"
	  "  {ends: [\"h[16-31]\", l1], %1$s}, {ends: [\"h[32-47]\", l2], %1$s},\n"
	  "  {ends: [\"h[48-63]\", l3], %1$s}, {ends: [\"l[0-3]\", r], %1$s}]\n" },
};

/* Bytes of a chunk on the wire. */
static uint64_t wire_time(const struct set *s, uint64_t payload)
{
	return (payload + 82 + 12) * 8000 / s->gbps;
}

/* As law(), where the last chunk may be short: then it comes right behind the one before. */
static uint64_t law_of(const struct set *s, uint64_t levels, uint64_t bytes)
{
	uint64_t chunks = (bytes + 4095) / 4096, last = wire_time(s, bytes - (chunks - 1) * 4096);
	uint64_t t = chunks > 1 ? wire_time(s, 4096) : last;

	return TX + levels * (s->cable * NS + t + 2 * s->cut * NS + WORK) +
	       (levels - 1) * (s->cable + s->cut) * NS + s->cable * NS + t + RX + PROCESS +
	       (chunks > 1 ? (chunks - 2) * t + last : 0);
}

static void check_shape(const struct shape *shape, const struct set *s, uint64_t bytes)
{
	char links[80], text[1500];
	struct weft_work w = { 0 };
	size_t n;

	snprintf(links, sizeof(links), "rate: %" PRIu64 "Gbps, propagation: %" PRIu64 "ns",
		 s->gbps, s->cable);
	n = (size_t)snprintf(text, sizeof(text), NICS "switch: {latency: %" PRIu64
			     "ns, buffer: 64MiB, queue-limit: 16MiB}\n", s->cut);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text + n, sizeof(text) - n, shape->text, links);
#pragma GCC diagnostic pop
	for (uint32_t i = 0; i < shape->ranks; i++) {
		bring(&w, i, 1, 1, 0);
		w.message[i].bytes = bytes;
	}
	run_well(text, &w);
	for (uint32_t i = 0; i < shape->ranks; i++)
		EXPECT_EQ(w.message[i].end, law_of(s, shape->levels, bytes));
	for (uint32_t i = 0; i < shape->ranks; i++)
		EXPECT_EQ(w.message[i].ideal + PROCESS, w.message[i].end);
	weft_work_free(&w);
}

/* 8, 16 and 64 ranks, radix 4 and 16, from 8 bytes on, by three sets of parameters. */
TEST(shapes)
{
	const uint64_t bytes[] = { 8, 4096, 65536 + 8, 1 << 20 };

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		for (size_t k = 0; k < sizeof(sets) / sizeof(*sets); k++)
			for (size_t b = 0; b < sizeof(bytes) / sizeof(*bytes); b++)
				check_shape(&shapes[i], &sets[k], bytes[b]);
}

/* 256 MiB: S / B and latencies, in place of 2 (n - 1) / n S / B. */
TEST(large)
{
	check_shape(&shapes[1], &sets[0], 256 << 20);
}

/*
 * Two groups of four at one switch: each as if it were alone. Node 3 of the first comes
 * late. It finds the others' packets in the node, as many as there are slots, and the
 * second group does not notice.
 */
TEST(two_groups)
{
	struct weft_work w = { 0 };

	for (uint32_t i = 0; i < 8; i++)
		bring(&w, i, 1 + i / 4, 500, i == 3 ? 100000 * NS : 0);
	run_well(HEAD STAR, &w);
	for (uint32_t i = 0; i < 8; i++)
		EXPECT_EQ(w.message[i].end, law(1, 500) + (i < 4 ? 100000 * NS : 0));
	weft_work_free(&w);
}

/* Operations of one group follow one another: their results come without a gap. */
TEST(one_after_the_other)
{
	struct weft_work w = { 0 };

	for (uint32_t n = 0; n < 2; n++)
		for (uint32_t i = 0; i < 4; i++)
			bring(&w, i, 1, 300, 0);
	run_well(HEAD STAR, &w);
	for (uint32_t i = 0; i < 4; i++) {
		EXPECT_EQ(w.message[i].end, law(1, 300));
		EXPECT_EQ(w.message[4 + i].end, 2 * law(1, 300));
	}
	weft_work_free(&w);
}

/* NVLS of 256 MiB: (n + 1) / n times S / B, within 2 % (N6). */
TEST(nvls)
{
	const char *const spec = "allreduce:nvls:256MiB";
	struct weft_plan p = plan_of("name: x\nprofile: nv\nnic: {moderation: {rx-usecs: 0}}\n"
				     "generate: {kind: single-switch, hosts: 8}\n");
	const struct weft_sim_options o = { .seed = 1 };
	/* 256 bytes have a header of 16: 7200 Gb/s carry so many ps for 256 MiB. */
	const uint64_t wire = (256ULL << 20) / 256 * 272 * 8 * 1000 / 7200;
	struct weft_err err = { 0 };
	struct weft_sim_result r;
	struct weft_work w;

	EXPECT_EQ(weft_work_read(&w, spec, &p, &err), 0);
	if (weft_sim_run(&p, &w, &o, &r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	for (uint32_t i = 0; i < 8; i++) {
		EXPECT(w.message[i].end >= wire / 8 * 9);
		EXPECT(w.message[i].end <= wire / 8 * 9 / 100 * 102);
	}
	weft_work_free(&w);
	weft_plan_free(&p);
}

#define WITH(reduce) NICS "switch: {buffer: 64MiB, queue-limit: 16MiB, latency: 400ns, " \
	reduce "}\n" STAR

/* What the file says a switch can do. */
TEST(capacity)
{
	const uint64_t slow = 900 * NS, once = law(1, 1);
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };

	for (uint32_t i = 0; i < 2; i++)
		bring(&w, i, 1, 1, 0);
	run_well(WITH("reduce-latency: 1us"), &w);
	EXPECT_EQ(w.message[1].end, once + slow);
	EXPECT_EQ(w.message[1].ideal + PROCESS, once + slow);
	weft_work_free(&w);

	/* A slot is free for the next chunk when the result is executed. */
	w = (struct weft_work) { 0 };
	for (uint32_t i = 0; i < 2; i++)
		bring(&w, i, 1, 3, 0);
	run_well(WITH("reduce-slots: 1"), &w);
	EXPECT_EQ(w.message[1].end, 3 * once);
	weft_work_free(&w);

	w = (struct weft_work) { 0 };
	for (uint32_t i = 0; i < 4; i++)
		bring(&w, i, 1 + i / 2, 1, 0);
	EXPECT(run(WITH("reduce-groups: 1"), &w, &err) != 0);
	if (strcmp(err.msg, "s has 1 groups already, which is its reduce-groups"))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	run_well(WITH("reduce-groups: 2"), &w);
	EXPECT_EQ(w.message[3].end, once);
	weft_work_free(&w);
}

/*
 * A switch that may have one streaming tree: the second group has chunks of 256 bytes, sixteen
 * instead of one, each with headers of its own.
 */
TEST(streams)
{
	const uint64_t small = (256 + 82 + 12) * BYTE;
	struct weft_work w = { 0 };

	for (uint32_t i = 0; i < 4; i++)
		bring(&w, i, 1 + i / 2, 1, 0);
	run_well(WITH("reduce-streams: 1"), &w);
	EXPECT_EQ(w.message[1].end, law(1, 1));
	EXPECT_EQ(w.message[3].end, law(1, 1) - 2 * PACKET + 2 * small + 15 * small);
	EXPECT_EQ(w.message[3].ideal + PROCESS, w.message[3].end);
	run_well(WITH("reduce-streams: 1, reduce-small: 4096"), &w);
	EXPECT_EQ(w.message[3].end, law(1, 1));
	run_well(WITH("reduce-streams: 2"), &w);
	EXPECT_EQ(w.message[3].end, law(1, 1));
	weft_work_free(&w);
}

static void refused(const char *topology, bool store, const char *msg)
{
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };

	bring(&w, 0, 1, 1, 0);
	bring(&w, 1, 1, 1, 0);
	w.message[0].store = store;
	w.message[1].store = store;
	EXPECT(run(topology, &w, &err) != 0);
	if (strcmp(err.msg, msg))
		ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg, msg);
	weft_work_free(&w);
}

TEST(refused)
{
	refused(HEAD "nodes: [{name: \"h[0-1]\"}]\nlinks: [{ends: [h0, h1]}]\n", false,
		"h0 has no NIC at a switch, which could reduce");
	refused(HEAD PAIR, true, "h0 has no NVLink NIC at a switch, which could reduce");
}

/* A packet that is lost is not repeated, and says so. */
TEST(lost)
{
	const struct weft_sim_fault f = {
		.fault = {
			.has = WEFT_HAS(WEFT_A_FAULT_LINK) | WEFT_HAS(WEFT_A_FAULT_DIRECTION) |
			       WEFT_HAS(WEFT_A_FAULT_DURATION) |
			       WEFT_HAS(WEFT_A_FAULT_PROBABILITY),
			.link = 0, .direction = 0, .kind = WEFT_FAULT_KIND_LOSS,
			.duration = 1000 * NS, .probability = 1000000000,
		},
		.start = 0,
	};
	const struct weft_sim_options o = { .seed = 1, .faults = 1, .fault = &f };
	struct weft_plan p = plan_of(HEAD PAIR);
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };
	struct weft_sim_result r;

	bring(&w, 0, 1, 10, 0);
	bring(&w, 1, 1, 10, 0);
	EXPECT(weft_sim_run(&p, &w, &o, &r, &err) != 0);
	EXPECT(strstr(err.msg, "a packet that is reduced was lost at "));
	weft_work_free(&w);
	weft_plan_free(&p);
}
