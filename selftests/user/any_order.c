// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulations of reliable connections whose packets may come in any order, against closed
 * forms. Links and NICs are those of simulate.c.
 */
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "ktap.h"
#include "load.h"
#include "wires.h"

#define PACKETS		40ULL
#define PACKET		((4096 + 82) * BYTE)
#define ACK		((58 + 4 + 12 + 24) * BYTE)
#define PROCESS		(11 * NS)
#define PATH		(2 * CABLE + CUT + RX + PROCESS)
#define REORDER		(20000 * NS)
#define NIC(ordering)	"nic: {mtu: 5000, tx-latency: 100ns, rx-latency: 50ns, verbs: {doorbell: 0ns,\n" \
	"  process: 11ns, ack-every: 0, ordering: " ordering ", reorder-time: 20us}}\n"

/* Messages of so many packets from each of h1 to hN to h0: the last end. */
static uint64_t run_with(const char *congestion, const char *topology, uint32_t n,
			 uint64_t packets, const struct weft_sim_fault *f,
			 struct weft_sim_result *r)
{
	const struct weft_sim_options o = {
		.transport = "rc", .congestion = congestion, .faults = !!f, .fault = f,
		.ack_timeout = 14, .retries = 7,
	};
	struct weft_plan p = plan_of(topology);
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };
	uint64_t end;

	for (uint32_t i = 1; i <= n; i++)
		add_message(&w, i, 0, packets * 4096, 0);
	if (weft_sim_run(&p, &w, &o, r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	end = last_end(&w);
	weft_work_free(&w);
	weft_plan_free(&p);
	return end;
}

static uint64_t run(const char *topology, uint32_t n, uint64_t packets,
		    const struct weft_sim_fault *f, struct weft_sim_result *r)
{
	return run_with(NULL, topology, n, packets, f, r);
}

#define WAYS	4ULL
#define LONGER	(16 * PACKET)	/* one way than the one before */
#define SPRAYED	(10 * WAYS - 1)	/* packets; the first takes the second way */

#define TWO	"nodes: [{name: \"h[0-1]\"}]\n" \
	"switches: [{name: a, select: spray}, {name: b, select: spray}]\n" \
	"links:\n- {ends: [h0, a]}\n- {ends: [h1, b]}\n"

/* Two switches with several ways between them, which packets take in turn. */
static uint64_t sprayed(const char *nic, struct weft_sim_result *r)
{
	char text[2048];
	int n = snprintf(text, sizeof(text),
			 "name: x\nprofile: test\nport: {discipline: drop-tail}\n%s%s" TWO,
			 SHARED, nic);

	for (uint64_t i = 0; i < WAYS; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "- {ends: [a, b], name: way%d, propagation: %llups}\n", (int)i,
			      CABLE + i * LONGER);
	return run(text, 1, SPRAYED, NULL, r);
}

/*
 * Each way is longer than the one before by a multiple of as many packets as there are
 * ways. So no two packets meet behind them, and the last one, on the longest way, ends the
 * message. Nothing is repeated. In strict order nearly all is.
 */
TEST(sprayed)
{
	const uint64_t way = 3 * CABLE + (WAYS - 1) * LONGER + 2 * CUT + RX + PROCESS;
	struct weft_sim_result r;

	EXPECT_EQ(sprayed(NIC("any"), &r), TX + SPRAYED * PACKET + way);
	EXPECT_EQ(r.lost, 0);
	EXPECT_EQ(r.repeated, 0);
	EXPECT(sprayed(NIC("strict"), &r) > TX + 2 * SPRAYED * PACKET + way);
	EXPECT(r.repeated > SPRAYED);
}

/*
 * Packet J (from 0) is lost behind the switch. It began on the wire at TX + J P. The one
 * behind it takes P + PATH + TX + A + PATH until its acknowledgement is executed. So J
 * is lost so much and the reorder time after its begin, and nothing else is sent again.
 *
 * If the last one is lost, nothing was acknowledged. The timeout counts from when the first
 * was sent: TX. Then the first goes again, and its acknowledgement says that all but the
 * last have come, which goes then.
 */
TEST(lost_packet)
{
	const char *const topology = "name: x\nprofile: test\nport: {discipline: drop-tail}\n"
				     NIC("any") PAIR;
	const uint64_t rtt = PACKET + PATH + TX + ACK + PATH, lost = 5;
	const uint64_t timeout = (4096ULL << 14) * NS;
	struct weft_sim_fault f = {
		.fault = {
			.has = WEFT_HAS(WEFT_A_FAULT_LINK) | WEFT_HAS(WEFT_A_FAULT_DIRECTION) |
			       WEFT_HAS(WEFT_A_FAULT_DURATION) |
			       WEFT_HAS(WEFT_A_FAULT_PROBABILITY),
			.link = 0, .direction = 1, .kind = WEFT_FAULT_KIND_LOSS,
			.duration = 2, .probability = 1000000000,
		},
		.start = TX + CABLE + CUT + lost * PACKET - 1,
	};
	struct weft_sim_result r;

	EXPECT_EQ(run(topology, 1, PACKETS, &f, &r),
		  TX + lost * PACKET + rtt + REORDER + TX + PACKET + PATH);
	EXPECT_EQ(r.lost, 1);
	EXPECT_EQ(r.repeated, 1);
	f.start = TX + CABLE + CUT + (PACKETS - 1) * PACKET - 1;
	EXPECT_EQ(run(topology, 1, PACKETS, &f, &r),
		  TX + timeout + TX + rtt + TX + PACKET + PATH);
	EXPECT_EQ(r.lost, 1);
	EXPECT_EQ(r.repeated, 2);
}

#define SENDERS	16ULL
#define LONG	200ULL

#define TRIMS(limit)	"name: x\nprofile: test\nport: {discipline: drop-tail, classes: 8,\n" \
	"  weights: [14, 14, 14, 14, 14, 14, 14, 0],\n" \
	"  trim: {classes: [0], to-class: 7, length: 64}}\n" \
	"switch: {buffer: 64MiB, queue-limit: " limit "}\n" NIC("any") STAR

/*
 * The queue before h0 has room for 62 packets, and trims the others. The wire of h0 is
 * never idle, and headers take at most 5 % of it. Each packet that was trimmed is sent
 * again once, and nobody waits for a timeout.
 */
TEST(trimmed)
{
	const uint64_t whole = TX + SENDERS * LONG * PACKET + PATH;
	struct weft_sim_result r;
	uint64_t end = run(TRIMS("256KiB"), SENDERS, LONG, NULL, &r);

	EXPECT(end >= whole);
	EXPECT(end <= whole + whole / 20);
	EXPECT(r.lost > 0);
	EXPECT_EQ(r.repeated, r.lost);
}

/*
 * NDP: a message alone is sent at the rate of the wire. In the incast only what nobody asked
 * for can be trimmed, the packets of a round trip of each sender; then the wire of h0
 * is asked for as much as it takes.
 */
TEST(pulled)
{
	const uint64_t alone = 2 * (TX + PATH) + PACKET + ACK;
	const uint64_t whole = TX + SENDERS * LONG * PACKET + PATH;
	struct weft_sim_result r;
	uint64_t end;

	EXPECT_EQ(run_with("ndp", TRIMS("64KiB"), 1, LONG, NULL, &r),
		  TX + LONG * PACKET + PATH);
	EXPECT_EQ(r.lost, 0);
	end = run_with("ndp", TRIMS("64KiB"), SENDERS, LONG, NULL, &r);
	EXPECT(end >= whole);
	EXPECT(end <= whole + whole / 100);
	EXPECT(r.lost > 0);
	EXPECT(r.lost <= SENDERS * (alone / PACKET + 1));
	EXPECT_EQ(r.repeated, r.lost);
}

TEST(orderings_differ)
{
	struct weft_plan p = plan_of("name: x\nprofile: test\nport: {discipline: drop-tail}\n"
				     NIC("any") PAIR);
	const struct weft_sim_options o = { .transport = "rc" };
	struct weft_sim_result r;
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };

	p.nic[1].nic.verbs.ordering = WEFT_ORDERING_STRICT;
	add_message(&w, 0, 1, 1, 0);
	EXPECT(weft_sim_run(&p, &w, &o, &r, &err) != 0);
	if (strcmp(err.msg, "h0.eth0 and h1.eth0 have different orderings"))
		ktap_fail(__FILE__, __LINE__, "\"%s\"", err.msg);
	weft_work_free(&w);
	weft_plan_free(&p);
}
