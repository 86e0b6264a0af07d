// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulations of NICs of the EFA kind, against closed forms. Links and NICs are those of
 * simulate.c.
 */
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "ktap.h"
#include "load.h"
#include "wires.h"

#define PAYLOAD		4900ULL		/* MTU 5000, less 100 of the longest headers */
#define PACKETS		40ULL
#define PACKET		((PAYLOAD + 94 + 24) * BYTE)
#define ACK		((102 + 24) * BYTE)
#define PROCESS		(11 * NS)
#define PATH		(2 * CABLE + CUT + RX + PROCESS)
#define REORDER		(20000 * NS)
#define TIMEOUT		(300000 * NS)
#define NIC(paths)	"nic: {mtu: 5000, tx-latency: 100ns, rx-latency: 50ns, verbs: {doorbell: 0ns,\n" \
	"  process: 11ns, kind: efa, paths: " paths ", reorder-time: 20us, retransmit-time: 300us,\n" \
	"  target-delay: 2ms}}\n"
#define ONE(paths)	"name: x\nprofile: test\nport: {discipline: drop-tail}\n" NIC(paths) PAIR

/* A message of so many bytes from h1 to h0: its end. */
static uint64_t run(const char *topology, const char *transport, uint64_t bytes,
		    const struct weft_sim_fault *f, struct weft_sim_result *r)
{
	const struct weft_sim_options o = {
		.transport = transport, .faults = !!f, .fault = f,
	};
	struct weft_plan p = plan_of(topology);
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };
	uint64_t end;

	add_message(&w, 1, 0, bytes, 0);
	if (weft_sim_run(&p, &w, &o, r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	end = last_end(&w);
	weft_work_free(&w);
	weft_plan_free(&p);
	return end;
}

/* The wire is never idle, and one acknowledgement comes for each packet. */
TEST(message)
{
	static const uint64_t sizes[] = { 1, PAYLOAD, PAYLOAD + 1, PACKETS * PAYLOAD };
	struct weft_sim_result r;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint64_t n = (sizes[i] + PAYLOAD - 1) / PAYLOAD;
		uint64_t last = (sizes[i] - (n - 1) * PAYLOAD + 3) / 4 * 4;

		EXPECT_EQ(run(ONE("4"), NULL, sizes[i], NULL, &r),
			  TX + (n - 1) * PACKET + (last + 94 + 24) * BYTE + PATH);
		EXPECT(!strcmp(r.transport, "srd"));
		EXPECT_EQ(r.packets, 2 * n);
		EXPECT_EQ(r.repeated, 0);
	}
}

static struct weft_sim_fault loss(uint64_t start, uint64_t duration)
{
	return (struct weft_sim_fault) {
		.fault = {
			.has = WEFT_HAS(WEFT_A_FAULT_LINK) | WEFT_HAS(WEFT_A_FAULT_DIRECTION) |
			       WEFT_HAS(WEFT_A_FAULT_DURATION) |
			       WEFT_HAS(WEFT_A_FAULT_PROBABILITY),
			.link = 0, .direction = 1, .kind = WEFT_FAULT_KIND_LOSS,
			.duration = duration, .probability = 1000000000,
		},
		.start = start,
	};
}

/*
 * One path. Packet J (from 0) is lost behind the switch; it began at TX + J P. The
 * acknowledgement of the one behind it, which takes the round trip R = P + PATH + TX + A +
 * PATH from its begin, says so R and the reorder time after the lost one began. The rest is on
 * the wire or done by then, and the packet goes at once.
 *
 * If the last one is lost nothing is behind it: the timeout counts from its own begin.
 */
TEST(lost_packet)
{
	const uint64_t rtt = PACKET + PATH + TX + ACK + PATH, lost = 5;
	struct weft_sim_fault f = loss(TX + CABLE + CUT + lost * PACKET - 1, 2);
	struct weft_sim_result r;

	EXPECT_EQ(run(ONE("1"), "srd", PACKETS * PAYLOAD, &f, &r),
		  TX + lost * PACKET + rtt + REORDER + TX + PACKET + PATH);
	EXPECT_EQ(r.lost, 1);
	EXPECT_EQ(r.repeated, 1);
	f = loss(TX + CABLE + CUT + (PACKETS - 1) * PACKET - 1, 2);
	EXPECT_EQ(run(ONE("1"), "srd", PACKETS * PAYLOAD, &f, &r),
		  TX + (PACKETS - 1) * PACKET + TIMEOUT + TX + PACKET + PATH);
	EXPECT_EQ(r.lost, 1);
	EXPECT_EQ(r.repeated, 1);
}

/* Nothing comes any more: ten tries, and the run fails. */
TEST(gone)
{
	const struct weft_sim_fault f = loss(0, 0);
	const struct weft_sim_options o = { .transport = "srd", .faults = 1, .fault = &f };
	struct weft_plan p = plan_of(ONE("4"));
	struct weft_sim_result r;
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };

	add_message(&w, 1, 0, 10, 0);
	EXPECT(weft_sim_run(&p, &w, &o, &r, &err));
	EXPECT(strstr(err.msg, "a packet from h1 to h0 was not acknowledged after 10 tries"));
	weft_work_free(&w);
	weft_plan_free(&p);
}

/* Each transport is for NICs of its kind. */
TEST(kinds)
{
	static const struct {
		const char *transport, *kind, *message;
	} refused[] = {
		{ "rc", "efa",
		  "h0.eth0: transport rc: it is of the EFA kind, which has no connections" },
		{ "srd", "hca", "h0.eth0: transport srd: it is not of the EFA kind" },
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		const struct weft_sim_options o = { .transport = refused[i].transport };
		struct weft_work w = { 0 };
		struct weft_sim_result r;
		struct weft_err err = { 0 };
		struct weft_plan p;
		char text[1024];

		snprintf(text, sizeof(text),
			 "name: x\nprofile: test\nport: {discipline: drop-tail}\n"
			 "nic: {verbs: {kind: %s}}\n" PAIR, refused[i].kind);
		p = plan_of(text);
		add_message(&w, 1, 0, 10, 0);
		EXPECT(weft_sim_run(&p, &w, &o, &r, &err));
		if (strcmp(err.msg, refused[i].message))
			ktap_fail(__FILE__, __LINE__, "%s", err.msg);
		weft_work_free(&w);
		weft_plan_free(&p);
	}
}
