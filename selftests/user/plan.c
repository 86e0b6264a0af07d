// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans of good topologies.
 */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "ktap.h"
#include "load.h"

#define PAIR	"name: pair\nprofile: test\nnodes: [{name: \"host[0-1]\"}]\n" \
		"switches: [{name: leaf}]\nlinks: [{ends: [\"host[0-1]\", leaf]}]\n"
#define TREE(leaves, spines, hosts)					\
	"name: tree\nprofile: test\ngenerate: {kind: fat-tree, leaves: " \
	#leaves ", spines: " #spines ", hosts-per-leaf: " #hosts "}\n"

TEST(pair)
{
	struct weft_plan p = plan_of(PAIR);

	EXPECT_EQ(p.nodes, 2);
	EXPECT_EQ(p.nics, 2);
	EXPECT_EQ(p.switches, 1);
	EXPECT_EQ(p.links, 2);
	EXPECT_EQ(p.sw[0].ports, 2);
	EXPECT_EQ(p.routes, 3);
	EXPECT_EQ(p.nic[1].ip, 0x0a000002);
	EXPECT_EQ(p.nic[1].mac[5], 2);
	EXPECT_EQ(p.nic[1].mtu, 9000);
	EXPECT(!strcmp(p.nic[1].nic.name, "host1.eth0"));
	EXPECT_EQ(p.link[0].wire[0].rate, 400000000000);
	EXPECT_EQ(p.link[0].wire[0].propagation, 25000);
	EXPECT_EQ(p.link[0].wire[0].overhead, 24);
	EXPECT_EQ(p.link[0].wire[0].min_frame, 60);
	EXPECT_EQ(p.fabric.seed, 1);
	weft_plan_free(&p);
}

TEST(inheritance)
{
	struct weft_plan p = plan_of("name: x\nprofile: test\nclock: real/10\nseed: 7\n"
		"link: {rate: 100Gbps}\nnic: {mtu: 4096}\n"
		"switch: {select: spray, buffer: 1MiB}\n"
		"nodes: [{name: a}, {name: b, mtu: 1500, segmentation: train}, {name: c, profile: test}]\n"
		"switches: [{name: s, forward: store-forward}]\n"
		"links: [{ends: [a, s]}, {ends: [b, s], rate: 10Gbps}, {ends: [c, s], profile: test}]\n");

	EXPECT_EQ(p.clock, 10);
	EXPECT_EQ(p.fabric.dilation, 10);
	EXPECT_EQ(p.fabric.seed, 7);
	EXPECT_EQ(p.nic[0].mtu, 4096);
	EXPECT_EQ(p.nic[1].mtu, 1500);
	EXPECT_EQ(p.nic[2].mtu, 9000);
	EXPECT_EQ(p.nic[1].nic.segmentation, WEFT_SEGMENTATION_TRAIN);
	EXPECT_EQ(p.link[0].wire[0].rate, 100000000000);
	EXPECT_EQ(p.link[1].wire[0].rate, 10000000000);
	EXPECT_EQ(p.link[2].wire[0].rate, 400000000000);
	EXPECT_EQ(p.sw[0].forward, WEFT_FORWARD_STORE_FORWARD);
	EXPECT_EQ(p.sw[0].select, WEFT_SELECT_SPRAY);
	EXPECT_EQ(p.sw[0].buffer, 1 << 20);
	EXPECT_EQ(p.sw[0].latency, 400000);
	weft_plan_free(&p);
}

/*
 * 2 links, 4 directions, each 400 Gb/s / (8 * 9024 B) = 5.541 M packets a second at
 * MTU 9000 with 24 B of overhead, 6 us each: 133.0; at MTU 1500: 787.4; at 4096, which
 * RDMA sends at most: 291.3; at 1, 6 and 7 Gb/s: 0.33, 1.995 and 2.33.
 */
TEST(dilation)
{
	static const struct {
		const char *mtu, *device, *rate;
		uint32_t k;
	} cases[] = {
		{ "9000", "none", "400Gbps", 200 },
		{ "1500", "none", "400Gbps", 1000 },
		{ "9000", "weft", "400Gbps", 500 },
		{ "9000", "none", "1Gbps", 1 },
		{ "9000", "none", "6Gbps", 2 },
		{ "9000", "none", "7Gbps", 5 },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[512];
		struct weft_plan p;

		snprintf(text, sizeof(text),
			 "name: x\nprofile: test\nclock: real/auto\nlink: {rate: %s}\nnic: {mtu: %s, verbs: {device: %s}}\n"
			 "nodes: [{name: a}, {name: b}]\nswitches: [{name: s}]\n"
			 "links: [{ends: [a, s]}, {ends: [b, s]}]\n",
			 cases[i].rate, cases[i].mtu, cases[i].device);
		p = plan_of(text);
		EXPECT_EQ(weft_plan_dilation(&p), cases[i].k);
		EXPECT_EQ(p.clock, cases[i].k);
		EXPECT_EQ(p.fabric.dilation, cases[i].k);
		weft_plan_clock(&p, 0);
		EXPECT_EQ(p.fabric.dilation, 1);
		weft_plan_free(&p);
	}
}

TEST(fat_tree_paths)
{
	struct weft_plan p = plan_of(TREE(2, 2, 4));
	const struct weft_route *r;

	EXPECT_EQ(p.nodes, 8);
	EXPECT_EQ(p.switches, 4);
	EXPECT_EQ(p.links, 8 + 4);
	/* leaf0 to its own host2: that port; to host5: both uplinks */
	r = find_route(&p, 0, 2);
	EXPECT(r && r->ports == 1 && r->port[0] == 2);
	r = find_route(&p, 0, 5);
	EXPECT(r && r->ports == 2 && r->port[0] == 4 && r->port[1] == 5);
	/* the hosts of the other leaf are one entry */
	EXPECT(r && r->dst == 4 && r->dst_last == 7);
	/* spine1 to host5: down to leaf1 */
	r = find_route(&p, 3, 5);
	EXPECT(r && r->ports == 1 && r->port[0] == 1);
	weft_plan_free(&p);
}

/* Follow flooded copies: every NIC but the sender's must get exactly one. */
static void flood(const struct weft_plan *p, const struct weft_end *from,
		  unsigned int *copies, unsigned int depth)
{
	const struct weft_route *r = NULL;
	const struct weft_end *to = NULL;

	for (unsigned int i = 0; i < p->links; i++)
		for (unsigned int s = 0; s < 2; s++) {
			const struct weft_end *e = &p->link[i].end[s];

			if (e->is_nic == from->is_nic && e->id == from->id &&
			    (e->is_nic || e->port == from->port))
				to = &p->link[i].end[!s];
		}
	if (!to || depth > 32)
		abort();
	if (to->is_nic) {
		copies[to->id]++;
		return;
	}
	for (unsigned int i = 0; i < p->routes; i++)
		if (p->route[i].flood && p->route[i].sw == to->id)
			r = &p->route[i];
	for (unsigned int i = 0; r && i < r->ports; i++) {
		struct weft_end next = { .id = to->id, .port = r->port[i] };

		if (r->port[i] != to->port)
			flood(p, &next, copies, depth + 1);
	}
}

static void check_flood(const char *text)
{
	struct weft_plan p = plan_of(text);
	unsigned int copies[64];
	struct weft_end from = { .is_nic = true };

	for (from.id = 0; from.id < p.nics; from.id++) {
		memset(copies, 0, sizeof(copies));
		flood(&p, &from, copies, 0);
		for (unsigned int i = 0; i < p.nics; i++)
			EXPECT_EQ(copies[i], i != from.id);
	}
	weft_plan_free(&p);
}

TEST(flooding_reaches_everyone_once)
{
	check_flood(PAIR);
	check_flood(TREE(2, 2, 4));
	check_flood(TREE(4, 3, 2));
	check_flood("name: ring\nprofile: test\nnodes: [{name: \"h[0-3]\"}]\n"
		    "switches: [{name: \"s[0-3]\"}]\n"
		    "links: [{ends: [\"h[0-3]\", \"s[0-3]\"]},\n"
		    "  {ends: [s0, s1], count: 2}, {ends: [s1, s2]}, {ends: [s2, s3]},\n"
		    "  {ends: [s3, s0]}]\n");
	check_flood("name: mesh\nprofile: test\nnodes: [{name: \"h[0-3]\"}]\n"
		    "switches: [{name: \"l[0-1]\"}, {name: \"s[0-2]\"}]\n"
		    "links: [{ends: [\"h[0-1]\", l0]}, {ends: [\"h[2-3]\", l1]},\n"
		    "  {ends: [\"l[0-1]\", \"s[0-2]\"], join: all}]\n");
}

/* From every switch every NIC can be reached, and the path ends there. */
static bool arrives(const struct weft_plan *p, uint32_t sw, uint32_t nic)
{
	const struct weft_route *r = find_route(p, sw, nic);

	for (unsigned int i = 0; r && i < p->links; i++)
		for (unsigned int s = 0; s < 2; s++) {
			const struct weft_end *e = &p->link[i].end[s];
			const struct weft_end *to = &p->link[i].end[!s];

			if (e->is_nic || e->id != sw || e->port != r->port[0])
				continue;
			return to->is_nic ? to->id == nic :
					    arrives(p, to->id, nic);
		}
	return false;
}

TEST(routes_arrive)
{
	struct weft_plan p = plan_of(TREE(4, 3, 5));

	for (uint32_t sw = 0; sw < p.switches; sw++)
		for (uint32_t nic = 0; nic < p.nics; nic++)
			EXPECT(arrives(&p, sw, nic));
	weft_plan_free(&p);
}

TEST(two_nics_are_two_networks)
{
	struct weft_plan p = plan_of("name: x\nprofile: test\n"
		"nodes: [{name: \"h[0-1]\"}]\nswitches: [{name: \"s[0-1]\"}]\n"
		"links: [{ends: [\"h[0-1]\", s0]}, {ends: [\"h[0-1]\", s1]}]\n");

	EXPECT_EQ(p.nics, 4);
	EXPECT_EQ(p.nic[0].ip, 0x0a000001);
	EXPECT_EQ(p.nic[1].ip, 0x0a010001);
	EXPECT_EQ(p.nic[3].ip, 0x0a010002);
	/* One each, whatever the namespace. */
	for (uint32_t i = 0; i < p.nics; i++)
		EXPECT_EQ(p.nic[i].ifindex, p.nic[0].ifindex + i);
	weft_plan_free(&p);
}

TEST(wire_without_switch)
{
	struct weft_plan p = plan_of("name: x\nprofile: test\n"
		"nodes: [{name: \"h[0-1]\"}]\nlinks: [{ends: [h0, h1]}]\n");

	EXPECT_EQ(p.switches, 0);
	EXPECT_EQ(p.routes, 0);
	EXPECT(p.link[0].end[0].is_nic && p.link[0].end[1].is_nic);
	weft_plan_free(&p);
}

TEST(same_topology_same_plan)
{
	struct weft_plan a = plan_of(TREE(4, 4, 8)), b = plan_of(TREE(4, 4, 8));
	json_t *x = weft_plan_json(&a), *y = weft_plan_json(&b);

	EXPECT(json_equal(x, y));
	json_decref(x);
	json_decref(y);
	weft_plan_free(&a);
	weft_plan_free(&b);
}
