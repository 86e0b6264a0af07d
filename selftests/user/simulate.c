// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulations, against closed forms, to the picosecond.
 *
 * Links have 400 Gb/s, which is 20 ps a byte, and 25 ns of cable. Switches forward the
 * first bit after 400 ns. NICs take 100 ns to send and 50 ns to receive. A message has
 * K packets of one size, each of which takes P on a wire. So alone it takes
 *
 *	TX + K P + 2 CABLE + CUT + RX		over one switch
 *
 * and each further switch adds CUT + CABLE. What is said of a wire holds whatever the
 * discipline is, as long as it is never idle while packets wait for it: so buffers are
 * large, and what shares wires with packets is not sent during a test: credits of
 * InfiniBand where both directions are in use (a long period, without eager), repeated
 * control flits (a long flit-repeat).
 */
#include "sim/sim.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "ktap.h"
#include "load.h"
#include "wires.h"

#define MTU		1500
#define PAYLOAD		(MTU - 28)	/* of transport frames */
#define FRAME		(MTU + 14)
#define K		40ULL
#define MESSAGE		(K * PAYLOAD)
#define HOSTS		17

#define NICS	"nic: {mtu: 1500, tx-latency: 100ns, rx-latency: 50ns}\n"
#define SLOTS	"link: {payload: 256, unit: 16, overhead: 16, min-frame: 0, rate: 400Gbps, propagation: 25ns}\n"

/**
 * struct kind - a discipline, and what it makes of a frame
 * @name: its name
 * @groups: groups of the topology file
 * @wire: bytes of a frame of FRAME bytes on a wire
 * @period: time after which a flow-control packet goes before data; 0: none does
 */
struct kind {
	const char *name;
	const char *groups;
	uint64_t wire;
	uint64_t period;
};

/* A frame of 1514 bytes is six packets of a link with flits: 1520 and 6 headers. */
static const struct kind kinds[] = {
	{ "drop-tail", "port: {discipline: drop-tail}\n" SHARED, FRAME + 24, 0 },
	{ "pause", "port: {discipline: pause, react: 1us}\n" SHARED, FRAME + 24, 0 },
	{ "pfc", "port: {discipline: pfc, pfc: [0], react: 1us}\n" SHARED, FRAME + 24, 0 },
	{ "nvlink", "port: {discipline: nvlink, header-credits: [4096],\n"
	  "  data-credits: [65536], flit-carry: on, flit-repeat: 1s}\n" SLOTS, 1520 + 6 * 16, 0 },
	{ "pcie", "port: {discipline: pcie, header-credits: [4096],\n"
	  "  data-credits: [65536], flit-carry: on, flit-repeat: 1s}\n" SLOTS, 1520 + 6 * 16, 0 },
};

/* Credits come back along idle wires. With data goes how much was sent: FLOW bytes. */
#define FLOW	8

static const struct kind credit_one_way = {
	"credit", "port: {discipline: credit, credit-buffer: [128KiB], credit-period: 4096ns}\n",
	FRAME + 24, 4096 * NS
};

static const struct kind credit_both_ways = {
	"credit", "port: {discipline: credit, credit-buffer: [128KiB],\n"
	"  credit-period: 1s, credit-eager: off}\n", FRAME + 24, 0
};

static uint64_t packet_time(const struct kind *k)
{
	return k->wire * BYTE;
}

static struct weft_plan plan_with(const struct kind *k, const char *nodes)
{
	char text[2048];

	snprintf(text, sizeof(text), "name: x\nprofile: test\n%s%s%s", k->groups,
		 NICS, nodes);
	return plan_of(text);
}

static struct weft_sim_result simulate(const struct weft_plan *p, struct weft_work *w,
				       const char *transport, uint64_t seed)
{
	const struct weft_sim_options o = { .transport = transport, .seed = seed };
	struct weft_sim_result r;
	struct weft_err err = { 0 };

	if (weft_sim_run(p, w, &o, &r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	return r;
}

/*
 * The wire to the receiver sends 16 K packets without a gap, and before one of them, at
 * each end of a period, a flow-control packet.
 */
static void expect_incast(const struct kind *k)
{
	struct weft_plan p = plan_with(k, STAR);
	uint64_t sent = TX + CABLE + CUT + 16 * K * packet_time(k);
	struct weft_work w = { 0 };

	if (k->period)
		sent += sent / k->period * FLOW * BYTE;
	for (uint32_t i = 1; i < HOSTS; i++)
		add_message(&w, i, 0, MESSAGE, 0);
	simulate(&p, &w, "frames", 1);
	EXPECT_EQ(last_end(&w), sent + CABLE + RX);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(incast)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		expect_incast(&kinds[i]);
	expect_incast(&credit_one_way);
}

/* No two messages share a wire: each is as fast as alone, and as its ideal. */
static void expect_permutation(const struct kind *k)
{
	struct weft_plan p = plan_with(k, STAR);
	struct weft_work w = { 0 };
	uint64_t alone = TX + CABLE + CUT + K * packet_time(k) + CABLE + RX;

	for (uint32_t i = 0; i < HOSTS; i++)
		add_message(&w, i, (i + 5) % HOSTS, MESSAGE, 0);
	simulate(&p, &w, "frames", 1);
	for (unsigned int i = 0; i < w.messages; i++) {
		EXPECT_EQ(w.message[i].end, alone);
		EXPECT_EQ(w.message[i].ideal, alone);
	}
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(permutation)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		expect_permutation(&kinds[i]);
	expect_permutation(&credit_both_ways);
}

/*
 * Host i sends to i + 1, i + 2, ... in turn, a packet each: the messages are posted
 * 1 ps after each other, so that this is their order. In each turn the packets are a
 * permutation, and no wire is idle or in demand twice.
 */
static void expect_all_to_all(const struct kind *k, uint64_t packets)
{
	struct weft_plan p = plan_with(k, STAR);
	struct weft_work w = { 0 };

	for (uint32_t i = 0; i < HOSTS; i++)
		for (uint32_t d = 1; d < HOSTS; d++)
			add_message(&w, i, (i + d) % HOSTS, packets * PAYLOAD, d - 1);
	simulate(&p, &w, "frames", 1);
	EXPECT_EQ(last_end(&w), TX + CABLE + CUT +
				(HOSTS - 1) * packets * packet_time(k) + CABLE + RX);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(all_to_all)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		expect_all_to_all(&kinds[i], 8);
	/* As much as the credits of the beginning allow. */
	expect_all_to_all(&credit_both_ways, 4);
}

#define LOT	"nodes: [{name: \"h[0-2]\"}, {name: r}]\n" \
	"switches: [{name: \"s[0-2]\", arbiter: round-robin}]\n" \
	"links: [{ends: [\"h[0-2]\", \"s[0-2]\"]}, {ends: [s0, s1]}, {ends: [s1, s2]}, {ends: [s2, r]}]\n"

/*
 * h0 - s0 - s1 - s2 - r, h1 at s1, h2 at s2: three senders, one receiver. A switch takes
 * its ingress ports in turn. The packets of who is nearer are alone until those that
 * come by one more switch arrive, CUT + CABLE later: N = ceil((CUT + CABLE) / P) of
 * them. From then on both send one packet each. So of K packets each,
 *
 *	h2 has the wire to r for		N + 2 (K - N)		packets,
 *	of what s1 sends, h1's last one is number	N + 2 (K - N),
 *	which is behind all K of h2, as			2 K - N > K - N,
 *
 * and the wire is never idle until all 3 K have passed. Here K is such that the credits
 * of the beginning are enough.
 */
#define LOT_K	20ULL

static void expect_parking_lot(const struct kind *k)
{
	struct weft_plan p = plan_with(k, LOT);
	struct weft_work w = { 0 };
	uint64_t time = packet_time(k), begin = TX + CABLE + CUT;
	uint64_t n = (CUT + CABLE + time - 1) / time;

	for (uint32_t i = 0; i < 3; i++)
		add_message(&w, i, 3, LOT_K * PAYLOAD, 0);
	simulate(&p, &w, "frames", 1);
	EXPECT_EQ(w.message[2].end, begin + (2 * LOT_K - n) * time + CABLE + RX);
	EXPECT_EQ(w.message[1].end, begin + (3 * LOT_K - n) * time + CABLE + RX);
	EXPECT_EQ(w.message[0].end, begin + 3 * LOT_K * time + CABLE + RX);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(parking_lot)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		expect_parking_lot(&kinds[i]);
	expect_parking_lot(&credit_both_ways);
}

/*
 * 16 senders, as above: the wire to the receiver is busy with all packets. The last of
 * them come K - 1 packet times P after the first. By then the wire has begun one packet
 * CUT after the first ones came, and one in each P since; all others are queued. The
 * first packet meets nobody.
 */
TEST(objects)
{
	const struct kind *k = &kinds[2];
	struct weft_sim_objects objects = { 0 };
	const struct weft_sim_options o = {
		.transport = "frames", .seed = 1, .objects = &objects,
	};
	struct weft_plan p = plan_with(k, STAR);
	struct weft_work w = { 0 };
	uint64_t begun = 1 + ((K - 1) * packet_time(k) - CUT) / packet_time(k);
	const struct weft_wire *to_h0;
	struct weft_sim_result r;
	struct weft_err err = { 0 };

	for (uint32_t i = 1; i < HOSTS; i++)
		add_message(&w, i, 0, MESSAGE, 0);
	EXPECT_EQ(weft_sim_run(&p, &w, &o, &r, &err), 0);
	EXPECT_EQ(objects.links, HOSTS);
	to_h0 = &objects.link[0].wire[1];
	EXPECT_EQ(weft_counters_get(&to_h0->counters, "tx_packets"), 16 * K);
	EXPECT_EQ(weft_counters_get(&to_h0->counters, "tx_bytes"), 16 * K * FRAME);
	EXPECT_EQ(weft_counters_get(&to_h0->counters, "tx_busy_ps"), 16 * K * packet_time(k));
	EXPECT_EQ(weft_counters_get(&to_h0->counters, "queue_peak"), (16 * K - begun) * FRAME);
	EXPECT_EQ(weft_counters_sum(&to_h0->drops), 0);
	EXPECT_EQ(weft_counters_get(&objects.nic[1].counters, "tx_packets"), K);
	EXPECT_EQ(weft_counters_get(&objects.nic[0].counters, "rx_packets"), 16 * K);
	EXPECT_EQ(weft_counters_get(&objects.fabric.counters, "packets_delivered"), 16 * K);
	EXPECT_EQ(objects.nic[0].latency.count, 16 * K);
	EXPECT_EQ(objects.nic[0].latency.min, TX + packet_time(k) + 2 * CABLE + CUT + RX);
	EXPECT_EQ(objects.fabric.now, r.now);
	weft_sim_objects_free(&objects);
	weft_work_free(&w);
	weft_plan_free(&p);
}

#define VERBS	"nic: {mtu: 5000, tx-latency: 100ns, rx-latency: 50ns, verbs: {doorbell: 7ns,\n" \
	"  process: 11ns, message-rate: 1M, qp-cache: 1, qp-miss: 600ns, ack-every: 4}}\n"

static struct weft_plan verbs_plan(const char *port)
{
	char text[2048];

	snprintf(text, sizeof(text), "name: x\nprofile: test\n%s" VERBS PAIR, port);
	return plan_of(text);
}

/*
 * Sends of a reliable connection. A packet of n bytes of payload has n + 58 + 24 on the
 * wire, padded to 4 (RoCE v2), or n + 26 (InfiniBand). The NIC's cache has
 * room for one queue pair, and has the one that was connected last: that of channel 1. So
 * the first message costs MISS, then DOORBELL and PROCESS. The NIC begins 1 M messages a
 * second, so the second packet is taken 1 us after the first packet of the first message.
 * All others, and the second message, follow without a gap. The third message misses the
 * cache, the fourth does not.
 */
static void expect_sends(const char *port, uint64_t header)
{
	const uint64_t miss = 600 * NS, doorbell = 7 * NS, process = 11 * NS;
	uint64_t path = TX + CABLE + CUT + CABLE + RX + process;
	struct weft_plan p = verbs_plan(port);
	struct weft_work w = { 0 };

	add_message(&w, 0, 1, 4 * 4096 + 5, 0);
	add_message(&w, 0, 1, 1, 0);
	for (unsigned int i = 1; i <= 2; i++) {
		add_message(&w, 0, 1, 1, i * 1000000 * NS);
		w.message[w.messages - 1].channel = 1;
	}
	simulate(&p, &w, "rc", 1);
	EXPECT_EQ(w.message[0].end, doorbell + miss + 1000 * NS + path +
				    (3 * (4096 + header) + 8 + header) * BYTE);
	EXPECT_EQ(w.message[1].end, w.message[0].end + (4 + header) * BYTE);
	EXPECT_EQ(w.message[2].end, 1000000 * NS + doorbell + miss + path +
				    (4 + header) * BYTE);
	EXPECT_EQ(w.message[3].end, 2000000 * NS + doorbell + path + (4 + header) * BYTE);
	EXPECT_EQ(w.message[0].ideal, doorbell + path +
				      (4 * (4096 + header) + 8 + header) * BYTE);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(verbs)
{
	expect_sends("port: {discipline: drop-tail}\n", 82);
	expect_sends("port: {discipline: credit}\nlink: {overhead: 24, min-frame: 0}\n", 26);
}

#define FIRST_BIT	(TX + CABLE + CUT)	/* of a message, on the wire from s to h1 */

static struct weft_sim_fault fault_to_h1(uint32_t kind, uint64_t start, uint64_t duration)
{
	const struct weft_sim_fault f = {
		.fault = {
			.has = WEFT_HAS(WEFT_A_FAULT_LINK) | WEFT_HAS(WEFT_A_FAULT_DIRECTION) |
			       WEFT_HAS(WEFT_A_FAULT_DURATION),
			.link = 1, .direction = 1, .kind = kind,
			.duration = duration,
		},
		.start = start,
		.at = "f.yaml:3:5",
	};

	return f;
}

/* A message from h0 to h1 with a fault; its end, or 0 with an error. */
static uint64_t end_with(const struct weft_sim_fault *f, struct weft_err *err)
{
	const struct weft_sim_options o = { .transport = "frames", .faults = 1, .fault = f };
	struct weft_plan p = plan_with(&kinds[0], PAIR);
	struct weft_work w = { 0 };
	struct weft_sim_result r;
	uint64_t end = 0;

	add_message(&w, 0, 1, MESSAGE, 0);
	if (!weft_sim_run(&p, &w, &o, &r, err))
		end = w.message[0].end;
	weft_work_free(&w);
	weft_plan_free(&p);
	return end;
}

/*
 * A quarter of the rate: packets take 4 P. It begins in the middle of packet 11, which
 * ends at its old rate, and lasts 8 P: packets 12 and 13 begin before it ends. The switch
 * has packets all the time, so the other 27 follow in P each.
 */
TEST(fault_of_the_rate)
{
	const uint64_t packet = packet_time(&kinds[0]);
	struct weft_sim_fault f = fault_to_h1(WEFT_FAULT_KIND_RATE, 0, 0);
	struct weft_err err = { 0 };

	f.fault.has |= WEFT_HAS(WEFT_A_FAULT_RATE);
	f.fault.rate = 100000000000ULL;
	EXPECT_EQ(end_with(&f, &err), FIRST_BIT + 4 * K * packet + CABLE + RX);
	f.start = FIRST_BIT + 10 * packet + packet / 2;
	f.fault.duration = 8 * packet;
	EXPECT_EQ(end_with(&f, &err), FIRST_BIT + (11 + 2 * 4 + 27) * packet + CABLE + RX);
}

/* Packets that begin while it acts arrive later by the delay, and the others behind them. */
TEST(fault_of_the_delay)
{
	const uint64_t packet = packet_time(&kinds[0]), alone = FIRST_BIT + K * packet + CABLE + RX;
	struct weft_sim_fault f = fault_to_h1(WEFT_FAULT_KIND_DELAY, 0, 0);
	struct weft_err err = { 0 };

	f.fault.has |= WEFT_HAS(WEFT_A_FAULT_DELAY);
	f.fault.delay = 3000 * NS;
	EXPECT_EQ(end_with(&f, &err), alone + 3000 * NS);
	/* The first three: the third arrives 3 us late, long after the last would. */
	f.fault.duration = FIRST_BIT + 3 * packet - packet / 2;
	EXPECT_EQ(end_with(&f, &err), FIRST_BIT + 3 * packet + CABLE + RX + 3000 * NS);
}

/*
 * Two packets from h0 to h1, at 0 and at SECOND. The second meets a trigger of one byte more
 * than the first, in the instant in which h0 hands it over. It is on the last wire so much
 * later as it takes TX, a cable and CUT, and is delayed if the fault has begun by then.
 */
#define SECOND	(10000 * NS)

static void expect_trigger(uint64_t after, uint64_t delay)
{
	struct weft_sim_fault f = fault_to_h1(WEFT_FAULT_KIND_DELAY, 0, 0);
	struct weft_sim_objects objects = { 0 };
	const struct weft_sim_options o = {
		.transport = "frames", .faults = 1, .fault = &f, .objects = &objects,
	};
	struct weft_plan p = plan_with(&kinds[0], PAIR);
	const uint64_t alone = FIRST_BIT + packet_time(&kinds[0]) + CABLE + RX;
	struct weft_work w = { 0 };
	struct weft_sim_result r;
	struct weft_err err = { 0 };

	f.fault.has |= WEFT_HAS(WEFT_A_FAULT_DELAY);
	f.fault.delay = 3000 * NS;
	f.by = (struct weft_at) { .given = true, .after = after };
	f.by.trigger = (struct weft_trigger) {
		.has = WEFT_HAS(WEFT_A_TRIGGER_SIZE), .kind = WEFT_TRIGGER_KIND_BYTES,
		.nic = 0, .size = FRAME + 1,
	};
	add_message(&w, 0, 1, PAYLOAD, 0);
	add_message(&w, 0, 1, PAYLOAD, SECOND);
	EXPECT_EQ(weft_sim_run(&p, &w, &o, &r, &err), 0);
	EXPECT_EQ(w.message[0].end, alone);
	EXPECT_EQ(w.message[1].end, SECOND + alone + delay);
	EXPECT_EQ(objects.triggers, 1);
	EXPECT_EQ(objects.trigger[0].at, SECOND);
	EXPECT_EQ(objects.trigger[0].found, SECOND);
	EXPECT_EQ(objects.fault[0].start, SECOND + after);
	weft_sim_objects_free(&objects);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(fault_by_a_trigger)
{
	expect_trigger(0, 3000 * NS);
	expect_trigger(FIRST_BIT - 1, 3000 * NS);
	expect_trigger(FIRST_BIT + 1, 0);
}

static void expect_error(const struct weft_sim_fault *f, const char *msg)
{
	struct weft_err err = { 0 };

	EXPECT_EQ(end_with(f, &err), 0);
	if (strcmp(err.msg, msg))
		ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg, msg);
}

/* What a fault loses ends the simulation; what cannot be a fault here is refused. */
TEST(fault_errors)
{
	struct weft_sim_fault f = fault_to_h1(WEFT_FAULT_KIND_DOWN, 1000 * NS, 0);
	struct weft_sim_fault by = f;

	expect_error(&f, "at 1us: a packet from h0 to h1 was lost at s (link down): transport frames repeats no packet");
	f = fault_to_h1(WEFT_FAULT_KIND_REORDER, 0, 0);
	f.fault.has |= WEFT_HAS(WEFT_A_FAULT_PROBABILITY) | WEFT_HAS(WEFT_A_FAULT_DELAY);
	f.fault.probability = 1000;
	f.fault.delay = 1;
	expect_error(&f, "f.yaml:3:5: transport frames takes each packet once and in order");
	f = fault_to_h1(WEFT_FAULT_KIND_HANG, 0, 0);
	expect_error(&f, "f.yaml:3:5: the link cannot have this kind of fault");
	f = fault_to_h1(WEFT_FAULT_KIND_RATE, 0, 0);
	expect_error(&f, "f.yaml:3:5: its numbers are out of range, or do not fit together");
	by.by.given = true;
	by.by.trigger.kind = WEFT_TRIGGER_KIND_MARK;
	expect_error(&by, "f.yaml:3:5: at: a simulation has no phases; expected a time, traffic or bytes");
	by.by.trigger.kind = WEFT_TRIGGER_KIND_RATE;
	by.by.trigger.rate = 1;
	expect_error(&by, "f.yaml:3:5: at: above a rate, size is at most 1 GiB and what the rate carries in 1000 s");
}

/* Each start is the last end of what the message waits for, and its delay later. */
TEST(dependencies)
{
	static const char text[] =
		"# two that wait for one, and one for both\n"
		"a: h0 h1 10kB at 1us\n"
		"b: h1 h2 20kB after a delay 3us\n"
		"c: h1 h3 5kB  after a\n"
		"work: h4 h4 0 after b,c delay 10us\n"
		"d: h4 h5 1B after work,a\n"
		"h0 h1 1kB at 900us channel 7\n";
	struct weft_plan p = plan_with(&kinds[0], STAR);
	struct weft_err err = { 0 };
	struct weft_message *m;
	struct weft_work w;

	EXPECT_EQ(load_work(&w, "file", text, &p, &err), 0);
	EXPECT_EQ(w.messages, 6);
	simulate(&p, &w, "frames", 1);
	m = w.message;
	EXPECT_EQ(m[0].start, 1000 * NS);
	EXPECT_EQ(m[1].start, m[0].end + 3000 * NS);
	EXPECT_EQ(m[2].start, m[0].end);
	EXPECT_EQ(m[3].start, m[1].end + 10000 * NS);
	EXPECT_EQ(m[3].end, m[3].start);
	EXPECT_EQ(m[4].start, m[3].end);
	EXPECT_EQ(m[5].start, 900000 * NS);
	EXPECT_EQ(m[5].line, 7);
	EXPECT_EQ(strcmp(w.names + m[4].name, "d"), 0);
	weft_work_free(&w);
	weft_plan_free(&p);
}

/* The files of other simulators have the same flows here. */
TEST(flow_lists)
{
	static const char matrix[] =
		"Nodes 17\nConnections 2\n0->16 id 1 start 2000 size 1000\n"
		"3->4 start 1 size 7 prio 2\n";
	static const char flows[] =
		"2\n0 16 3 100 1000 0.000000002\n3 4 3 100 7 0.000000000001\n";
	struct weft_plan p = plan_with(&kinds[0], STAR);
	struct weft_err err = { 0 };
	struct weft_work w[2];

	EXPECT_EQ(load_work(&w[0], "x.cm", matrix, &p, &err), 0);
	EXPECT_EQ(load_work(&w[1], "flow.txt", flows, &p, &err), 0);
	for (unsigned int i = 0; i < 2; i++) {
		EXPECT_EQ(w[i].messages, 2);
		EXPECT_EQ(w[i].message[0].from, 0);
		EXPECT_EQ(w[i].message[0].to, 16);
		EXPECT_EQ(w[i].message[0].bytes, 1000);
		EXPECT_EQ(w[i].message[0].at, 2000);
		EXPECT_EQ(w[i].message[1].at, 1);
		EXPECT_EQ(w[i].message[1].bytes, 7);
		EXPECT(w[i].message[0].channel != w[i].message[1].channel);
		weft_work_free(&w[i]);
	}
	weft_plan_free(&p);
}

TEST(bad_workloads)
{
	static const struct { const char *file, *text, *msg; } bad[] = {
		{ "w", "",
		  "w: there is no message in it" },
		{ "w", "h0 h1\n",
		  "w:1: expected [NAME:] FROM TO SIZE, then pairs of a key and a value" },
		{ "w", "\nh0 x 1kB\n",
		  "w:2: \"x\": the topology has no such node" },
		{ "w", "h0 h1 1K\n",
		  "w:1: \"1K\": expected a size such as 16MiB (B, kB, MB, GB, KiB, MiB, GiB)" },
		{ "w", "h0 h1 1kB after b\n",
		  "w:1: after: \"b\": expected the name of an earlier message" },
		{ "w", "a: h0 h1 1kB after a\n",
		  "w:1: after: \"a\": expected the name of an earlier message" },
		{ "w", "a: h0 h1 1kB\na: h0 h1 1kB\n",
		  "w:2: a: there is another message of this name" },
		{ "w", "h0 h0 1kB\n",
		  "w:1: from node h0 to itself: expected another node, or 0 bytes for work there" },
		{ "w", "h0 h1 1kB size 3\n",
		  "w:1: \"size\": expected at, after, delay or channel" },
		{ "w", "h0 h1 1kB at 2000s\n",
		  "w:1: at: \"2000s\": expected up to 1000s" },
		{ "w.cm", "Nodes 18\n",
		  "w.cm:1: Nodes 18: the topology has 17" },
		{ "w.cm", "Connections 2\n0->1 start 0 size 1\n",
		  "w.cm:2: the file has 1 flows, and says 2" },
		{ "w.cm", "0->1 trigger 1 size 1\n",
		  "w.cm:1: \"trigger\": expected start, size, id or prio; "
		  "others are not simulated" },
		{ "w.cm", "0->17 start 0 size 1\n",
		  "w.cm:1: node \"17\": expected a number from 0 to 16" },
		{ "w", "1\n0 1 3 100 5\n",
		  "w:2: expected FROM TO PRIORITY PORT BYTES SECONDS" },
		{ "w", "1\n0 1 3 100 5 2000.0\n",
		  "w:2: start \"2000.0\": expected a number of seconds up to 1000 s" },
	};
	struct weft_plan p = plan_with(&kinds[0], STAR);

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct weft_err err = { 0 };
		struct weft_work w;

		EXPECT(load_work(&w, bad[i].file, bad[i].text, &p, &err));
		if (strcmp(err.msg, bad[i].msg))
			ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg,
				  bad[i].msg);
		weft_work_free(&w);
	}
	weft_plan_free(&p);
}

/* What is not simulated says so. */
static void expect_refusal(const char *groups, const char *transport, const char *msg)
{
	const struct kind k = { "", groups, 0, 0 };
	struct weft_plan p = plan_with(&k, STAR);
	const struct weft_sim_options o = { .transport = transport };
	struct weft_sim_result r;
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };

	for (uint32_t i = 1; i < HOSTS; i++)
		add_message(&w, i, 0, MESSAGE, 0);
	EXPECT(weft_sim_run(&p, &w, &o, &r, &err));
	if (fnmatch(msg, err.msg, 0))
		ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg, msg);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(refusals)
{
	expect_refusal("", "tcp", "transport \"tcp\": expected rc, srd or frames");
	expect_refusal("port: {discipline: nvlink}\n" SLOTS, "rc",
		       "h0.eth0: transport rc: it has no RDMA device");
	/* There is room for two packets of each sender until the first bit of the third. */
	expect_refusal("switch: {queue-limit: 48448}\n", "frames",
		       "at 186.52ns: a packet from h* to h0 was lost at s (class queue of the egress port full): transport frames repeats no packet");
}

/* The same seed gives the same times; another one orders what happens at once anew. */
TEST(seeds)
{
	struct weft_plan p = plan_with(&kinds[0], STAR);
	uint64_t end[3][HOSTS - 1];
	const uint64_t seed[3] = { 1, 1, 2 };

	for (unsigned int n = 0; n < 3; n++) {
		struct weft_work w = { 0 };

		for (uint32_t i = 1; i < HOSTS; i++)
			add_message(&w, i, 0, MESSAGE, 0);
		simulate(&p, &w, "frames", seed[n]);
		for (unsigned int i = 0; i < w.messages; i++)
			end[n][i] = w.message[i].end;
		weft_work_free(&w);
	}
	EXPECT(!memcmp(end[0], end[1], sizeof(end[0])));
	EXPECT(memcmp(end[0], end[2], sizeof(end[0])));
	weft_plan_free(&p);
}

/*
 * A ring of 8: rank i sends its block on when it has come, 14 times. Ranks are alike, so
 * all steps take the time of a block alone. Only one of two blocks that meet on a wire
 * would be late; none do.
 */
TEST(ring)
{
	static const char star[] = "nodes: [{name: \"h[0-7]\"}]\nswitches: [{name: s}]\n"
		"links: [{ends: [\"h[0-7]\", s]}]\n";
	struct weft_plan p = plan_with(&kinds[0], star);
	uint64_t step = TX + CABLE + CUT + K * packet_time(&kinds[0]) + CABLE + RX;
	char spec[64];
	struct weft_err err = { 0 };
	struct weft_work w;

	snprintf(spec, sizeof(spec), "allreduce:ring:%llu", 8 * MESSAGE);
	EXPECT(weft_work_is_collective(spec));
	EXPECT_EQ(weft_work_read(&w, spec, &p, &err), 0);
	simulate(&p, &w, "frames", 1);
	EXPECT_EQ(last_end(&w), 14 * step);
	weft_work_free(&w);
	EXPECT(weft_work_read(&w, "allreduce:double-tree:1MiB", &p, &err));
	EXPECT(weft_work_read(&w, "allreduce:tree:1MiB", &p, &err));
	EXPECT(!weft_work_is_collective("ring.txt"));
	weft_plan_free(&p);
}
