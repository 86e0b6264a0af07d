// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ways of packets, put together from steps, and which of them are meant.
 */
#include <stdio.h>
#include <string.h>

#include "ktap.h"
#include "packet/capture.h"
#include "packet/flow.h"
#include "packet/journey.h"
#include "packet/journey_view.h"

#define DONE	8

/* host0 (NIC 0) -- port 0, leaf, port 1 -- host1 (NIC 1); it cuts through. */
static struct weft_nic nics[] = {
	{ .id = 0, .name = "host0.eth0" },
	{ .id = 1, .name = "host1.eth0" },
};

static struct weft_switch leaf = {
	.id = 3, .name = "leaf", .forward = WEFT_FORWARD_CUT_THROUGH,
};

static struct weft_link links[] = {
	{ .id = 0, .wires = 2, .end = { { true, 0, 0 }, { false, 3, 0 } },
	  .wire = { { .propagation = 10 }, { .propagation = 10 } } },
	{ .id = 1, .wires = 2, .end = { { false, 3, 1 }, { true, 1, 0 } },
	  .wire = { { .propagation = 20 }, { .propagation = 20 } } },
};

static const struct weft_facts facts = {
	.nics = 2, .nic = nics, .switches = 1, .sw = &leaf,
	.links = 2, .link = links,
};

static const struct weft_place from = { true, true, 0, 0 };
static const struct weft_place out = { true, false, 3, 1 };
static const struct weft_place to = { true, true, 0, 1 };

/**
 * struct result - journeys that have come to an end
 * @js: those that have not
 * @n: how many have
 * @done: those
 * @hop: their hops
 */
struct result {
	struct weft_journeys js;
	unsigned int n;
	struct weft_journey done[DONE];
	struct weft_hop hop[DONE][WEFT_JOURNEY_HOPS];
};

static int take(const struct weft_journey *j, void *ctx, struct weft_err *err)
{
	struct result *r = ctx;

	(void)err;
	if (r->n == DONE)
		return 0;
	r->done[r->n] = *j;
	memcpy(r->hop[r->n], j->hop, j->hops * sizeof(*j->hop));
	r->done[r->n].hop = r->hop[r->n];
	r->n++;
	return 0;
}

static void begin(struct result *r)
{
	r->n = 0;
	r->js = (struct weft_journeys) { .done = take, .ctx = r };
	weft_journeys_init(&r->js);
}

/**
 * struct happening - a step, in short
 * @what: enum weft_trail_what
 * @time: when
 * @id: the packet
 * @place: where
 * @more: ready, until, or the id of the parent
 */
struct happening {
	uint32_t what;
	uint64_t time;
	uint64_t id;
	const struct weft_place *place;
	uint64_t more;
};

static void play(struct result *r, const struct happening *h, unsigned int n)
{
	struct weft_err err;

	for (unsigned int i = 0; i < n; i++) {
		const struct weft_step s = {
			.what = h[i].what, .time = h[i].time, .id = h[i].id,
			.place = h[i].place ? *h[i].place :
				 (struct weft_place) { 0 },
			.ready = h[i].more, .until = h[i].more,
			.parent = h[i].more, .dst = 1, .length = 100,
			.segments = 1, .reason = "fault",
		};

		EXPECT(!weft_journeys_step(&r->js, &s, &err));
	}
}

#define PLAY(r, h) play(r, h, sizeof(h) / sizeof(*(h)))

/* 1 is delivered; it waited 90 at the switch, and 30 of that for the far end. */
static const struct happening one_way[] = {
	{ WEFT_TRAIL_WHAT_ENQUEUE, 100, 7, &from, 105 },
	{ WEFT_TRAIL_WHAT_TRANSMIT, 115, 7, &from, 155 },
	{ WEFT_TRAIL_WHAT_MARK, 125, 7, &out, 0 },
	{ WEFT_TRAIL_WHAT_ENQUEUE, 125, 7, &out, 130 },
	{ WEFT_TRAIL_WHAT_STALL, 120, 0, &out, 0 },
	{ WEFT_TRAIL_WHAT_UNSTALL, 150, 0, &out, 0 },
	{ WEFT_TRAIL_WHAT_STALL, 200, 0, &out, 0 },
	{ WEFT_TRAIL_WHAT_UNSTALL, 210, 0, &out, 0 },
	{ WEFT_TRAIL_WHAT_TRANSMIT, 220, 7, &out, 260 },
	{ WEFT_TRAIL_WHAT_DELIVER, 287, 7, &to, 0 },
};

TEST(a_packet)
{
	struct weft_hop_view v;
	struct result r;

	begin(&r);
	PLAY(&r, one_way);
	EXPECT_EQ(r.n, 1);
	EXPECT_EQ(r.done[0].fate, WEFT_FATE_DELIVERED);
	EXPECT_EQ(r.done[0].hops, 2);
	EXPECT_EQ(r.done[0].end - r.done[0].born, 187);
	/* 5 + 10 + 10: the switch goes on with the first bit */
	weft_hop_view(&v, &facts, &r.hop[0][0]);
	EXPECT(!strcmp(v.port, "host0.eth0") && !strcmp(v.peer, "leaf:0"));
	EXPECT_EQ(v.latency, 5);
	EXPECT_EQ(v.wait, 10);
	EXPECT(v.cut_through);
	EXPECT_EQ(v.serialisation, 40);
	EXPECT_EQ(v.propagation, 10);
	EXPECT_EQ(v.rest, 0);
	/* 5 + 90 + 40 + 20, and 7 at the NIC; held back 130-150 and 200-210 */
	weft_hop_view(&v, &facts, &r.hop[0][1]);
	EXPECT(!strcmp(v.port, "leaf:1") && !strcmp(v.peer, "host1.eth0"));
	EXPECT_EQ(v.wait, 90);
	EXPECT_EQ(v.hop->held, 30);
	EXPECT(!v.cut_through);
	EXPECT_EQ(v.rest, 7);
	EXPECT(v.hop->marked && !r.hop[0][0].marked);
	weft_journeys_free(&r.js);
}

TEST(ids_are_used_again)
{
	struct weft_err err;
	struct result r;

	begin(&r);
	PLAY(&r, one_way);
	PLAY(&r, one_way);
	EXPECT_EQ(r.n, 2);
	EXPECT_EQ(r.done[1].number, 2);
	EXPECT_EQ(r.done[1].hops, 2);
	/* nothing is left of either */
	EXPECT(!weft_journeys_rest(&r.js, &err));
	EXPECT_EQ(r.n, 2);
	weft_journeys_free(&r.js);
}

/* The end was not told; the next packet of this id is another one. */
TEST(a_lost_end)
{
	struct result r;

	begin(&r);
	play(&r, one_way, 9);
	PLAY(&r, one_way);
	EXPECT_EQ(r.n, 1);
	EXPECT_EQ(r.done[0].hops, 2);
	weft_journeys_free(&r.js);
}

static bool none(const struct weft_journey *j, void *ctx)
{
	(void)j;
	(void)ctx;
	return false;
}

/* Nor are steps of a packet that is not wanted taken for those of another. */
TEST(a_lost_end_and_one_that_is_not_wanted)
{
	struct weft_err err;
	struct result r;

	begin(&r);
	play(&r, one_way, 9);
	r.js.wanted = none;
	PLAY(&r, one_way);
	EXPECT(!weft_journeys_rest(&r.js, &err));
	EXPECT_EQ(r.n, 0);
	weft_journeys_free(&r.js);
}

TEST(losses)
{
	static const struct happening wire[] = {
		{ WEFT_TRAIL_WHAT_ENQUEUE, 100, 7, &from, 105 },
		{ WEFT_TRAIL_WHAT_TRANSMIT, 105, 7, &from, 145 },
		{ WEFT_TRAIL_WHAT_DROP, 105, 7, &from, 0 },
	}, queue[] = {
		{ WEFT_TRAIL_WHAT_ENQUEUE, 100, 8, &from, 105 },
		{ WEFT_TRAIL_WHAT_TRANSMIT, 105, 8, &from, 145 },
		{ WEFT_TRAIL_WHAT_DROP, 115, 8, &out, 0 },
	}, home[] = {
		{ WEFT_TRAIL_WHAT_DROP, 200, 9, &from, 0 },
		{ WEFT_TRAIL_WHAT_DROP, 200, 10, &to, 0 },
		{ WEFT_TRAIL_WHAT_DROP, 200, 11, &out, 0 },
	};
	struct result r;

	begin(&r);
	PLAY(&r, wire);
	PLAY(&r, queue);
	PLAY(&r, home);
	EXPECT_EQ(r.n, 3);
	EXPECT(!r.hop[0][0].has_arrived);
	EXPECT(!strcmp(r.done[0].reason, "fault"));
	EXPECT_EQ(r.done[0].fate, WEFT_FATE_LOST);
	EXPECT(r.hop[1][0].has_arrived);
	EXPECT_EQ(r.hop[1][0].arrived, 115);
	EXPECT_EQ(r.done[2].hops, 0);
	weft_journeys_free(&r.js);
}

/* A copy at the switch, and one that a fault makes on the wire. */
TEST(copies)
{
	static const struct happening steps[] = {
		{ WEFT_TRAIL_WHAT_ENQUEUE, 100, 7, &from, 105 },
		{ WEFT_TRAIL_WHAT_TRANSMIT, 105, 7, &from, 145 },
		{ WEFT_TRAIL_WHAT_COPY, 105, 9, NULL, 7 },
		{ WEFT_TRAIL_WHAT_REPLAY, 105, 9, &from, 0 },
		{ WEFT_TRAIL_WHAT_COPY, 115, 8, NULL, 7 },
		{ WEFT_TRAIL_WHAT_ENQUEUE, 115, 8, &out, 120 },
		{ WEFT_TRAIL_WHAT_DROP, 116, 7, &out, 0 },
		{ WEFT_TRAIL_WHAT_DROP, 130, 8, &out, 0 },
		{ WEFT_TRAIL_WHAT_REPLAY, 140, 9, &from, 0 },
		{ WEFT_TRAIL_WHAT_DROP, 155, 9, &out, 0 },
	};
	struct result r;

	begin(&r);
	PLAY(&r, steps);
	EXPECT_EQ(r.n, 3);
	EXPECT_EQ(r.done[0].copy_of, 0);
	EXPECT_EQ(r.done[1].copy_of, 1);
	EXPECT_EQ(r.done[1].hops, 2);
	EXPECT_EQ(r.hop[1][0].arrived, 115);
	EXPECT_EQ(r.done[2].copy_of, 1);
	EXPECT_EQ(r.hop[2][0].replays, 1);
	weft_journeys_free(&r.js);
}

TEST(under_way)
{
	struct weft_err err;
	struct result r;

	begin(&r);
	play(&r, one_way, 9);
	EXPECT_EQ(r.n, 0);
	EXPECT(!weft_journeys_rest(&r.js, &err));
	EXPECT_EQ(r.n, 1);
	EXPECT_EQ(r.done[0].fate, WEFT_FATE_UNDER_WAY);
	weft_journeys_free(&r.js);
}

/* Ethernet, VLAN 802.1Q, IPv4, TCP from port 4660 to 5201. */
static const uint8_t tcp[] = {
	2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0, 0x60, 0, 8, 0,
	0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
	0x12, 0x34, 0x14, 0x51,
};

/* LRH from LID 1 to 3, without GRH; BTH: opcode 4, QP 17, PSN 258. */
static const uint8_t lrh[] = {
	0, 2, 0, 3, 0, 10, 0, 1, 4, 0, 0xff, 0xff, 0, 0, 0, 17, 0, 0, 1, 2,
};

TEST(headers)
{
	struct weft_headers h;
	char text[160];

	weft_headers_parse(&h, tcp, sizeof(tcp), false);
	weft_headers_text(&h, text, sizeof(text));
	EXPECT(!strcmp(text, "tcp 10.0.0.1:4660 > 10.0.0.2:5201"));
	weft_headers_parse(&h, lrh, sizeof(lrh), true);
	weft_headers_text(&h, text, sizeof(text));
	EXPECT(!strcmp(text, "verbs lid 1 > lid 3 qp 17 psn 258 opcode 4"));
	/* cut off anywhere it is something, and nothing is read behind it */
	for (size_t n = 0; n < sizeof(tcp); n++) {
		weft_headers_parse(&h, tcp, n, false);
		EXPECT(h.kind == (n < 38 ? WEFT_HEADERS_OTHER :
					   WEFT_HEADERS_IP));
	}
	for (size_t n = 0; n < sizeof(lrh); n++) {
		weft_headers_parse(&h, lrh, n, true);
		EXPECT_EQ(h.kind, WEFT_HEADERS_OTHER);
	}
}

static bool meant(const char *text, uint32_t src, uint32_t dst)
{
	struct weft_journey j = {
		.source = { true, true, 0, src }, .dst = dst,
		.len = sizeof(tcp),
	};
	struct weft_flow f;
	struct weft_err err;

	memcpy(j.data, tcp, sizeof(tcp));
	if (weft_flow_parse(&f, text, &facts, &err)) {
		ktap_fail(__FILE__, __LINE__, "\"%s\": %s", text, err.msg);
		return false;
	}
	return weft_flow_sets_out(&f, &j);
}

TEST(flows)
{
	EXPECT(meant("host0>host1", 0, 1) && !meant("host0>host1", 1, 0));
	EXPECT(meant("host0.eth0>", 0, 1) && meant(">", 1, 0));
	EXPECT(meant(">host1:tcp", 0, 1) && !meant(">host1:udp", 0, 1));
	EXPECT(meant(">:tcp/5201", 0, 1) && meant(">:tcp/4660", 0, 1));
	EXPECT(!meant(">:tcp/80", 0, 1));
}

TEST(flow_mistakes)
{
	static const char *const wrong[] = {
		"host0", "host>host1", "host0>host", "host0>host1:", "a:b>",
		"host0>host1:ftp", ">:arp/1", ">:udp/-1", ">:udp/65536",
		">:verbs/16777216", ">:tcp/", "host0.eth00>",
		"a_name_that_is_longer_than_any_that_there_can_be>",
	};
	struct weft_flow f;
	struct weft_err err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (!weft_flow_parse(&f, wrong[i], &facts, &err) ||
		    err.kind != WEFT_ERR_USAGE)
			ktap_fail(__FILE__, __LINE__, "\"%s\" is taken",
				  wrong[i]);
}
