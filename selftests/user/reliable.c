// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reliable connections of simulations: what they repeat, and their congestion control,
 * against closed forms, to the picosecond. Links and NICs are those of simulate.c.
 */
#include "sim/sim.h"

#include <string.h>

#include <linux/weft.h>

#include "ktap.h"
#include "load.h"
#include "wires.h"

#define REPEATS	"nic: {mtu: 5000, tx-latency: 100ns, rx-latency: 50ns, verbs: {doorbell: 0ns,\n" \
	"  process: 11ns, ack-every: 0}}\n"
#define RC_PACKETS	40ULL

/* All that begins to be sent on a wire of link 1 in a time is lost. */
static struct weft_sim_fault loss_on(uint32_t link, uint32_t direction, uint64_t start,
				     uint64_t duration)
{
	const struct weft_sim_fault f = {
		.fault = {
			.has = WEFT_HAS(WEFT_A_FAULT_LINK) | WEFT_HAS(WEFT_A_FAULT_DIRECTION) |
			       WEFT_HAS(WEFT_A_FAULT_DURATION) |
			       WEFT_HAS(WEFT_A_FAULT_PROBABILITY),
			.link = link, .direction = direction, .kind = WEFT_FAULT_KIND_LOSS,
			.duration = duration, .probability = 1000000000,
		},
		.start = start,
	};

	return f;
}

/* A message of RC_PACKETS packets from h0 to h1 by a reliable connection; its end. */
static uint64_t repeated(const struct weft_sim_fault *f, struct weft_sim_result *r)
{
	const struct weft_sim_options o = {
		.transport = "rc", .faults = 1, .fault = f, .ack_timeout = 5, .retries = 1,
	};
	struct weft_plan p = plan_of("name: x\nprofile: test\nport: {discipline: drop-tail}\n"
				     REPEATS PAIR);
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };
	uint64_t end;

	add_message(&w, 0, 1, RC_PACKETS * 4096, 0);
	if (weft_sim_run(&p, &w, &o, r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	end = w.message[0].end;
	weft_work_free(&w);
	weft_plan_free(&p);
	return end;
}

/*
 * Packet J (from 0) of a reliable connection is lost on the second wire. P is the time of a
 * packet, A that of an acknowledgement. J + 1 is executed at
 *
 *	TX + (J + 2) P + 2 CABLE + CUT + RX + PROCESS,
 *
 * and its NAK is executed TX + A + 2 CABLE + CUT + RX + PROCESS after that. By then so many
 * packets as begin until then are on the first wire, and two more are in the NIC: one
 * more is taken while what the wire sends in TX, 5000 bytes, is not exceeded. They arrive
 * in vain, and behind them come J and all that follow it.
 */
TEST(lost_packet)
{
	const uint64_t packet = (4096 + 82) * BYTE, ack = (58 + 4 + 24) * BYTE;
	const uint64_t path = 2 * CABLE + CUT + RX + 11 * NS, lost = 5;
	const uint64_t nak = TX + (lost + 2) * packet + path + TX + ack + path;
	const uint64_t begun = (nak - TX) / packet + 1;
	struct weft_sim_fault f = loss_on(1, 1, TX + CABLE + CUT + lost * packet - 1, 2);
	struct weft_sim_result r;

	EXPECT_EQ(repeated(&f, &r), TX + (begun + 2 + RC_PACKETS - lost) * packet + path);
	EXPECT_EQ(r.lost, 1);
	EXPECT_EQ(r.repeated, begun + 2 - lost);
}

/*
 * The last packet is lost, and nobody sees it. The timeout counts from when the oldest
 * packet that is not acknowledged, here the first, was sent: TX. Then all go again. If the
 * acknowledgement is lost instead, the receiver has the message already.
 */
TEST(lost_last_packet)
{
	const uint64_t packet = (4096 + 82) * BYTE, timeout = 4096 * 32 * NS;
	const uint64_t path = 2 * CABLE + CUT + RX + 11 * NS;
	struct weft_sim_fault f = loss_on(1, 1, TX + CABLE + CUT +
						(RC_PACKETS - 1) * packet - 1, 2);
	struct weft_sim_result r;

	EXPECT_EQ(repeated(&f, &r), TX + timeout + TX + RC_PACKETS * packet + path);
	EXPECT_EQ(r.lost, 1);
	EXPECT_EQ(r.repeated, RC_PACKETS);
	f = loss_on(1, 0, 0, 10000 * NS);
	EXPECT_EQ(repeated(&f, &r), TX + RC_PACKETS * packet + path);
	EXPECT_EQ(r.lost, 1);
	EXPECT_EQ(r.repeated, 0);
}

#define CC_PACKETS	200ULL
#define CC_PACKET	((4096 + 82) * BYTE)
#define CC_PATH		(2 * CABLE + CUT + RX + 11 * NS)

/* N senders of so many packets to h0: the last end, and the longest queue. */
static uint64_t controlled_long(const char *congestion, uint32_t n, uint64_t packets,
				uint64_t *queue)
{
	struct weft_sim_objects objects = { 0 };
	const struct weft_sim_options o = {
		.transport = "rc", .congestion = congestion, .objects = &objects,
	};
	struct weft_plan p = plan_of("name: x\nprofile: test\n"
		"port: {discipline: drop-tail, ecn: {kmin: 200kB, kmax: 200kB, pmax: 1}}\n"
		SHARED REPEATS STAR);
	struct weft_sim_result r;
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };
	uint64_t end;

	for (uint32_t i = 1; i <= n; i++)
		add_message(&w, i, 0, packets * 4096, 0);
	*queue = 0;
	if (weft_sim_run(&p, &w, &o, &r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	else
		*queue = weft_counters_get(&objects.link[0].wire[1].counters, "queue_peak");
	end = last_end(&w);
	weft_sim_objects_free(&objects);
	weft_work_free(&w);
	weft_plan_free(&p);
	return end;
}

static uint64_t controlled(const char *congestion, uint32_t n, uint64_t *queue)
{
	return controlled_long(congestion, n, CC_PACKETS, queue);
}

/*
 * DCTCP begins with ten packets. The first acknowledgement is there at ACK. From then on
 * one comes in each packet time, and each is worth two packets: the wire is never idle
 * again. Swift begins with what two round trips need, and its wire never is.
 */
TEST(window_alone)
{
	const uint64_t ack = TX + CC_PACKET + CC_PATH + TX + (58 + 4 + 24) * BYTE + CC_PATH;
	uint64_t queue;

	EXPECT_EQ(controlled("none", 1, &queue), TX + CC_PACKETS * CC_PACKET + CC_PATH);
	EXPECT_EQ(controlled("swift", 1, &queue), TX + CC_PACKETS * CC_PACKET + CC_PATH);
	EXPECT_EQ(controlled("dctcp", 1, &queue),
		  ack + TX + (CC_PACKETS - 10) * CC_PACKET + CC_PATH);
}

/*
 * 16 senders: the receiver's wire is busy as without any control, but the queue before it
 * is shorter. Without control all but what the wire has sent is there when the last
 * packets come, 15/16. With Swift all windows together, of two round trips each and a
 * packet, bound it. DCTCP's windows double in each round trip until the first marks come
 * back. When the last messages are alone, their windows are for a share of the wire, which
 * costs up to two round trips.
 */
TEST(window_incast)
{
	const uint64_t whole = TX + 16 * CC_PACKETS * CC_PACKET + CC_PATH;
	const uint64_t alone = 2 * (TX + CC_PATH) + CC_PACKET + 2 * (58 + 4 + 24) * BYTE;
	const uint64_t window = 2 * alone / CC_PACKET + 1;
	uint64_t none, swift, dctcp;

	EXPECT_EQ(controlled("none", 16, &none), whole);
	EXPECT(controlled("swift", 16, &swift) <= whole + 2 * alone);
	EXPECT(none >= 15 * CC_PACKETS * (4096 + 58));
	EXPECT(swift <= 16 * window * (4096 + 58));
	EXPECT(controlled("dctcp", 16, &dctcp) <= whole + 2 * alone);
	EXPECT(dctcp < none);
}

/*
 * HPCC keeps the wire at 0.95; INT takes 42 bytes of each packet. It begins with what the
 * wire takes in a round trip, and not at 0.95, so it may be there a little earlier. 16
 * senders begin with as much each, which is the longest queue there ever is. From then
 * on there is hardly any. Their windows are of one or two packets, which leave up to a
 * fifth of the wire more.
 */
TEST(hpcc)
{
	const uint64_t packet = CC_PACKET + 42 * BYTE, packets = 4000;
	const uint64_t alone = 2 * (TX + CC_PATH) + packet + (58 + 4 + 42 + 24) * BYTE;
	const uint64_t law = packets * packet * 100 / 95;
	uint64_t queue, end = controlled_long("hpcc", 1, packets, &queue);

	EXPECT_NEAR(end, law, law / 100);
	EXPECT(queue <= (CUT / packet + 2) * 4196);
	end = controlled_long("hpcc", 16, packets / 4, &queue);
	EXPECT(end >= 4 * packets * packet);
	EXPECT(end <= 4 * law * 10 / 8);
	EXPECT(queue <= 16 * (alone / packet + 1) * 4196);
}

static void expect_congestion_error(const char *transport, const char *congestion,
				    const char *msg)
{
	const struct weft_sim_options o = { .transport = transport, .congestion = congestion };
	struct weft_plan p = plan_of("name: x\nprofile: test\nport: {discipline: drop-tail}\n"
				     REPEATS PAIR);
	struct weft_sim_result r;
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };

	add_message(&w, 0, 1, 1, 0);
	EXPECT(weft_sim_run(&p, &w, &o, &r, &err) != 0);
	if (strcmp(err.msg, msg))
		ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg, msg);
	weft_work_free(&w);
	weft_plan_free(&p);
}

#define CONGESTION	"congestion control "

TEST(congestion_errors)
{
	static const struct {
		const char *transport, *congestion, *msg;
	} bad[] = {
		{ "rc", "bbr",
		  CONGESTION "\"bbr\": expected none, dcqcn, ibcc, dctcp, swift, hpcc or ndp" },
		{ "frames", "swift", CONGESTION "\"swift\": expected transport rc" },
		{ "rc", "ndp", "h0.eth0: ndp needs nic: {verbs: {ordering: any}}" },
		{ "rc", "ibcc",
		  "h0.eth0: ibcc is not for its link; expected another congestion control" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_congestion_error(bad[i].transport, bad[i].congestion, bad[i].msg);
}
