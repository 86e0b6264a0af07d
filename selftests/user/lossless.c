// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans of lossless fabrics: what both ends of a link agree on, and whether
 * buffers and credits are enough.
 */
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "ktap.h"
#include "load.h"
#include "topology/topo_port.h"

#define HOSTS(profile, n)						\
	"name: x\nprofile: " profile "\n"				\
	"generate: {kind: single-switch, hosts: " #n "}\n"

static void expect_refusal(const char *text, const char *msg)
{
	struct weft_err err = { 0 };
	struct weft_plan plan;

	EXPECT(load_plan(&plan, text, &err));
	if (strcmp(err.msg, msg))
		ktap_fail(__FILE__, __LINE__, "%s\ninstead of\n%s", err.msg,
			  msg);
	weft_plan_free(&plan);
}

/*
 * 9014 + 24 bytes on the wire; 50 B/ns * (2 * 25 + 1000) ns = 52500, and with
 * 9038 + 84 + 2 * 9038 there is 79698 to hold.
 */
TEST(headroom_is_what_the_link_needs)
{
	struct weft_plan p = plan_of(HOSTS("pfc", 4));
	const struct weft_buffer *b = &p.sw[0].classes;

	EXPECT(p.lossless);
	EXPECT_EQ(p.notes, 0);
	EXPECT_EQ(b->n, 2);
	EXPECT_EQ(b->cls[0].cls, 0);
	EXPECT_EQ(b->cls[1].cls, 3);
	EXPECT_EQ(b->cls[1].headroom, 79698);
	EXPECT_EQ(b->cls[1].xon, 3072);
	EXPECT(b->cls[1].has & WEFT_HAS(WEFT_A_BUFFER_CLASS_ALPHA));
	EXPECT_EQ(p.sw[0].port.pfc.enable, 9);
	EXPECT_EQ(p.nic[3].nic.port.pfc.enable, 9);
	EXPECT_EQ(p.nic[3].nic.port.react, 1000000);
	/* without a buffer to fill, a NIC needs none */
	EXPECT_EQ(p.nic[3].nic.classes.n, 0);
	weft_plan_free(&p);
}

/* The longest link of the switch counts: 50 B/ns * (2 * 500 + 1000) ns more. */
TEST(headroom_of_the_longest_link)
{
	struct weft_plan p = plan_of("name: x\nprofile: pfc\n"
		"nodes: [{name: \"h[0-1]\", rx-buffer: 1MiB}]\nswitches: [{name: s}]\n"
		"links: [{ends: [h0, s]}, {ends: [h1, s], propagation: 500ns}]\n");

	EXPECT_EQ(p.sw[0].classes.cls[0].headroom, 100000 + 9038 * 3 + 84);
	EXPECT_EQ(p.nic[0].nic.classes.cls[0].headroom, 79698);
	EXPECT_EQ(p.nic[1].nic.classes.cls[0].headroom, 100000 + 9038 * 3 + 84);
	weft_plan_free(&p);
}

/*
 * A train has 65535 - 52 bytes of payload in frames of 8948, that is 8, and 66
 * bytes of headers in each: 66011, and 24 more for each on the wire: 66203, as
 * the model counts frames of equal length, 8252 bytes.
 */
TEST(headroom_with_trains)
{
	struct weft_plan p = plan_of(HOSTS("pfc", 4) "nic: {segmentation: train}\n");
	uint32_t wire = 8 * (8252 + 24);

	EXPECT_EQ(p.sw[0].classes.cls[0].headroom, 52500 + 84 + 3 * wire);
	weft_plan_free(&p);
}

TEST(headroom_too_small)
{
	expect_refusal(HOSTS("pfc", 4) "switch: {headroom: 79697}\n",
		       "leaf0, link host0-leaf0: headroom 79697 is below its need 79698 = 400Gbps * (2 * 25ns + 1us) 52500 + reverse frame 9038 + pause frame 84 + 2 * frame 9038; to accept that, say \"lossless: false\"");
	expect_refusal("name: x\nprofile: pfc\nnodes: [{name: \"h[0-1]\", rx-buffer: 1MiB, rx-headroom: 1kB}]\n"
		       "links: [{ends: [h0, h1]}]\n",
		       "h0.eth0, link h0-h1: headroom 1000 is below its need 79698 = 400Gbps * (2 * 25ns + 1us) 52500 + reverse frame 9038 + pause frame 84 + 2 * frame 9038; to accept that, say \"lossless: false\"");
}

TEST(headroom_exactly_enough)
{
	struct weft_plan p = plan_of(HOSTS("pfc", 4) "switch: {headroom: 79698}\n");

	EXPECT(p.lossless);
	weft_plan_free(&p);
}

TEST(loss_that_is_accepted)
{
	struct weft_plan p = plan_of(HOSTS("pfc", 4)
				  "switch: {headroom: 0}\nlossless: false\n");

	EXPECT(!p.lossless);
	EXPECT_EQ(p.notes, 4);
	EXPECT(p.notes && strstr(p.note[0], "headroom 0 is below its need"));
	EXPECT_EQ(p.sw[0].classes.cls[0].headroom, 0);
	weft_plan_free(&p);
}

/* 150 ports with two classes of 79698: that cannot be accepted. */
TEST(headrooms_that_do_not_fit)
{
	expect_refusal(HOSTS("pfc", 150) "lossless: false\n",
		       "switch leaf0: reserves 0 + headrooms 159396 of each port, 150 ports, make 23909400 and the buffer has 16777216");
}

TEST(nothing_is_lossless_without_classes)
{
	struct weft_plan p = plan_of(HOSTS("pfc", 150) "port: {pfc: []}\n");

	EXPECT(!p.lossless);
	EXPECT_EQ(p.sw[0].classes.n, 0);
	EXPECT(!strcmp(p.sw[0].port.discipline, "pfc"));
	EXPECT_EQ(p.sw[0].port.pfc.enable, 0);
	weft_plan_free(&p);
}

/* What pfc knew and drop-tail does not is forgotten; marks are not. */
TEST(another_discipline)
{
	struct weft_plan p = plan_of(HOSTS("pfc", 2) "port: {discipline: drop-tail}\n"
				  "switch: {lossy-alpha: -3}\n");

	EXPECT(!p.lossless);
	EXPECT_EQ(p.sw[0].port.pfc.has, 0);
	EXPECT_EQ(p.sw[0].port.red[7].kmax, 400000);
	EXPECT_EQ(p.sw[0].port.red[7].pmax, 200000);
	EXPECT_EQ(p.sw[0].classes.n, 8);
	EXPECT_EQ(p.sw[0].classes.cls[7].alpha, -3);
	weft_plan_free(&p);
}

/*
 * 16 KiB are 256 blocks; a frame takes ceil((4106 + 24) / 64) = 65, so there are
 * 3 of 4130 wire bytes in a loop of 2 * 25 ns + 82.6 ns: 93.4 B/ns, more than
 * the 50 of the link.
 */
TEST(credits)
{
	struct weft_plan p = plan_of(HOSTS("ib", 4));
	const struct weft_port_params *port = &p.nic[2].nic.port;

	EXPECT(p.lossless);
	EXPECT_EQ(p.notes, 0);
	EXPECT_EQ(port->credit.blocks.n, 2);
	EXPECT_EQ(port->credit.blocks.v[0], 256);
	EXPECT_EQ(port->credit.blocks.v[1], 2048);
	EXPECT_EQ(port->scheduler, WEFT_SCHEDULER_VLARB);
	EXPECT_EQ(port->vlarb.low.n, 4);
	EXPECT_EQ(port->vlarb.low.v[2], 2);
	EXPECT_EQ(port->vlarb.low.v[3], 128);
	EXPECT_EQ(port->vlarb.high_limit, 3);
	EXPECT_EQ(p.sw[0].classes.n, 0);
	weft_plan_free(&p);
}

static void expect_note(const struct weft_plan *p, const char *note)
{
	EXPECT_EQ(p->notes, 1);
	EXPECT(p->notes && !strcmp(p->note[0], note));
}

/* 65 blocks are 4160 bytes, one packet: 4130 bytes in 132.6 ns, 249.17 Gb/s. */
TEST(credits_for_one_packet)
{
	struct weft_plan p = plan_of(HOSTS("ib", 2) "port: {credit-buffer: [4160]}\n");

	EXPECT(p.lossless);
	expect_note(&p,
		    "link host0-leaf0: credits for 1 packets limit a class to 249.17Gbps of 400Gbps (4 wires are limited)");
	weft_plan_free(&p);
	expect_refusal(HOSTS("ib", 2) "port: {credit-buffer: [128KiB, 4159]}\n",
		       "host0.eth0: VL 1 has 64 blocks of credit (2048 can be granted at most), the largest packet of 4106 bytes in 1 frames needs 65; to accept that, say \"lossless: false\"");
}

/* 9014 bytes are 36 packets of 256 and 564 units of 16. */
TEST(flit_credits)
{
	struct weft_plan p = plan_of(HOSTS("nv", 8));
	const struct weft_flit_params *f = &p.sw[0].port.flit;

	EXPECT(p.lossless);
	EXPECT_EQ(f->payload, 256);
	EXPECT_EQ(f->unit, 16);
	EXPECT_EQ(f->header, 16);
	EXPECT_EQ(p.link[0].wire[0].lanes, 18);
	EXPECT_EQ(p.link[0].wire[0].lanes_up, 18);
	weft_plan_free(&p);
	expect_refusal(HOSTS("nv", 2) "port: {header-credits: [36], data-credits: [563]}\n",
		       "host0.eth0: VC 0 has 36 header and 563 data credits, the largest packet of 9014 bytes in 1 frames needs 36 and 564; to accept that, say \"lossless: false\"");
	expect_refusal(HOSTS("nv", 2) "port: {replay-buffer: 9599}\n",
		       "host0.eth0: the replay buffer has 9599 bytes, the largest packet takes 9600; to accept that, say \"lossless: false\"");
}

/* 64 KiB are 512 credits of 128 bytes, and 9014 bytes take 71; VC 1 is best effort. */
TEST(ultra_ethernet_credits)
{
	struct weft_plan p = plan_of(HOSTS("uec", 2));
	const struct weft_cbfc_params *c = &p.sw[0].port.cbfc;

	EXPECT(p.lossless);
	EXPECT_EQ(c->limit.n, 3);
	EXPECT_EQ(c->limit.v[0], 512);
	EXPECT_EQ(c->limit.v[1], 0);
	EXPECT_EQ(c->limit.v[2], 256);
	EXPECT_EQ(weft_port_lossless(&p.sw[0].port), 5);
	weft_plan_free(&p);
	expect_refusal(HOSTS("uec", 2) "port: {vc-buffer: [64KiB, 0, 9087]}\n",
		       "host0.eth0: VC 2 has 70 credits of 128 bytes, the largest packet of 9014 bytes in 1 frames needs 71; to accept that, say \"lossless: false\"");
	expect_refusal(HOSTS("uec", 2) "port: {credit-size: 256, credit-overhead: 100, vc-buffer: [9215]}\n",
		       "host0.eth0: VC 0 has 35 credits of 256 bytes, the largest packet of 9014 bytes in 1 frames needs 36; to accept that, say \"lossless: false\"");
	expect_refusal(HOSTS("uec", 2) "port: {llr-buffer: 9013}\n",
		       "host0.eth0: the replay buffer has 9013 bytes, the largest packet takes 9014; to accept that, say \"lossless: false\"");
}

/* A NIC of each kind in one node; what each lacks it does not inherit. */
TEST(nics_of_several_kinds)
{
	struct weft_plan p = plan_of("name: x\nprofile: pfc\n"
		"nodes: [{name: \"h[0-1]\", segmentation: train}]\n"
		"switches: [{name: n, profile: nv}, {name: e}]\n"
		"links: [{ends: [\"h[0-1]\", n], profile: nv}, {ends: [\"h[0-1]\", e]}]\n");

	EXPECT(!strcmp(p.nic[2].nic.port.discipline, "nvlink"));
	EXPECT(!strcmp(p.nic[3].nic.port.discipline, "pfc"));
	EXPECT_EQ(p.nic[2].nic.port.pfc.has, 0);
	EXPECT_EQ(p.nic[2].nic.port.red[0].has, 0);
	EXPECT_EQ(p.nic[3].nic.port.flit.has, 0);
	EXPECT_EQ(p.nic[2].nic.segmentation, WEFT_SEGMENTATION_TRAIN);
	EXPECT_EQ(p.link[2].wire[0].payload, 0);
	EXPECT_EQ(p.link[2].wire[0].overhead, 24);
	weft_plan_free(&p);
}

TEST(one_discipline_on_a_link)
{
	expect_refusal("name: x\nprofile: pfc\nnodes: [{name: \"h[0-1]\"}]\n"
		       "switches: [{name: s, profile: ib}]\nlinks: [{ends: [\"h[0-1]\", s]}]\n",
		       "link h0-s: h0.eth0 has discipline pfc, s has credit: give the switch or the link the profile of the other end");
}

TEST(credits_are_the_receive_buffer)
{
	expect_refusal(HOSTS("ib", 2) "nic: {rx-buffer: 1MiB}\n",
		       "host0.eth0: rx-buffer: discipline credit has buffers of its own");
}

/* The port's quantum is the scheduler's, the switch's is that of adaptive. */
TEST(two_quanta)
{
	struct weft_plan p = plan_of(HOSTS("pfc", 2) "port: {quantum: 2048}\n"
				  "switch: {adaptive-quantum: 9000}\n");
	json_t *json = weft_plan_json(&p), *sw;

	sw = json_array_get(json_object_get(json, "switches"), 0);
	EXPECT_EQ(json_integer_value(json_object_get(sw, "quantum")), 2048);
	EXPECT_EQ(json_integer_value(json_object_get(sw, "adaptive_quantum")),
		  9000);
	json_decref(json);
	weft_plan_free(&p);
}

/* Ports of each switch: host, next, previous; s0 has the last link last. */
TEST(forced_ways)
{
	struct weft_plan p = plan_of("name: x\nprofile: pfc\nnodes: [{name: \"h[0-3]\"}]\n"
		"switches: [{name: \"s[0-3]\"}]\n"
		"links: [{ends: [\"h[0-3]\", \"s[0-3]\"]}, {ends: [s0, s1]},\n"
		"  {ends: [s1, s2]}, {ends: [s2, s3]}, {ends: [s3, s0]}]\n"
		"routing: {allow-cycles: on}\n"
		"routes: [{switch: s1, to: h0, via: [s2, s3, s0]}]\n");
	const struct weft_route *r;

	for (uint32_t sw = 1; sw < 4; sw++) {
		r = find_route(&p, sw, 0);
		EXPECT(r && r->ports == 1 && r->port[0] == 2);
	}
	r = find_route(&p, 0, 0);
	EXPECT(r && r->ports == 1 && r->port[0] == 0);
	/* others go the shortest way: from s2 to h1 back, from s1 to h3 both */
	r = find_route(&p, 2, 1);
	EXPECT(r && r->ports == 1 && r->port[0] == 1);
	r = find_route(&p, 1, 3);
	EXPECT(r && r->ports == 2);
	weft_plan_free(&p);
}
