// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One address per node: over which NIC each peer is reached.
 */
#include "plan/plan_reach.h"

#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "load.h"

#define ONE	"name: x\nprofile: test\nsettings: {addresses: node}\n"
#define ALL	"name: x\nprofile: test\n" \
		"settings: {addresses: node, multipath: on}\n"

#define POD_8	"nodes: [{name: \"g[0-7]\"}]\n" \
	"switches: [{name: \"nv[0-1]\", profile: nv}, {name: \"l[0-3]\"}, {name: sp}]\n" \
	"links: [{ends: [\"g[0-3]\", nv0], profile: nv}, {ends: [\"g[4-7]\", nv1], profile: nv},\n" \
	"  {ends: [\"g[0-3]\", \"l[0-3]\"]}, {ends: [\"g[4-7]\", \"l[0-3]\"]}, {ends: [\"l[0-3]\", sp]}]\n"

/* NICs of @from, counted per node, that it reaches @to over: bit k for NIC k */
static unsigned int nics_to(const struct weft_plan *p, unsigned int from,
			    unsigned int to)
{
	struct weft_path path[WEFT_NODE_NICS_MAX];
	unsigned int n = weft_plan_paths(p, from, to, path), bits = 0;

	for (unsigned int i = 0; i < n; i++) {
		EXPECT_EQ(p->nic[path[i].nic].node, from);
		EXPECT_EQ(p->nic[path[i].peer].node, to);
		EXPECT_EQ(p->nic[path[i].nic].reach.network,
			  p->nic[path[i].peer].reach.network);
		bits |= 1u << (path[i].nic - p->node[from].first);
	}
	return bits;
}

/* The peer's NIC on the only path. */
static unsigned int peer_nic(const struct weft_plan *p, unsigned int from,
			     unsigned int to)
{
	struct weft_path path[WEFT_NODE_NICS_MAX];

	EXPECT_EQ(weft_plan_paths(p, from, to, path), 1);
	return path[0].peer - p->node[to].first;
}

TEST(addresses)
{
	struct weft_plan p = plan_of(ONE
		"nodes: [{name: \"h[0-299]\"}]\nswitches: [{name: s}]\n"
		"links: [{ends: [\"h[0-299]\", s]}]\n");

	EXPECT_EQ(p.node[0].ip, 0x0aff0001);
	/* 16 bits for the number: 256 + 44 */
	EXPECT_EQ(p.node[299].ip, 0x0aff012c);
	EXPECT_EQ(p.nic[299].ip, 0x0a00012c);
	/* The node's device comes before its NICs. */
	EXPECT_EQ(p.nic[0].ifindex, WEFT_NODE_IFINDEX + 1);
	weft_plan_free(&p);
}

TEST(no_addresses_unless_asked)
{
	struct weft_plan p = plan_of("name: x\nprofile: test\n"
		"settings: {addresses: nic}\n"
		"nodes: [{name: \"h[0-1]\"}]\nlinks: [{ends: [h0, h1]}]\n");
	json_t *json = weft_plan_json(&p);

	EXPECT_EQ(p.node[0].ip, 0);
	EXPECT_EQ(json_array_size(json_object_get(json, "paths")), 0);
	json_decref(json);
	weft_plan_free(&p);
}

/*
 * @hosts hosts of @gpus GPUs, a node each: NVLink inside, outside rail k for the
 * k-th GPU of each host, all rails under one spine.
 */
static void check_pod(const char *text, unsigned int hosts, unsigned int gpus)
{
	struct weft_plan p = plan_of(text);

	EXPECT_EQ(p.nodes, hosts * gpus);
	for (unsigned int i = 0; i < p.nodes; i++)
		for (unsigned int j = 0; j < p.nodes; j++)
			if (i != j)
				EXPECT_EQ(nics_to(&p, i, j),
					  i / gpus == j / gpus ? 1 : 2);
	EXPECT_EQ(p.notes, 0);
	weft_plan_free(&p);
}

TEST(a_gpu_is_a_node)
{
	check_pod(ONE POD_8, 2, 4);
	check_pod(ONE
		"nodes: [{name: \"g[0-5]\"}]\n"
		"switches: [{name: \"nv[0-2]\", profile: nv}, {name: \"l[0-1]\"}, {name: sp}]\n"
		"links: [{ends: [\"g[0-1]\", nv0], profile: nv}, {ends: [\"g[2-3]\", nv1], profile: nv},\n"
		"  {ends: [\"g[4-5]\", nv2], profile: nv}, {ends: [\"g[0-1]\", \"l[0-1]\"]},\n"
		"  {ends: [\"g[2-3]\", \"l[0-1]\"]}, {ends: [\"g[4-5]\", \"l[0-1]\"]}, {ends: [\"l[0-1]\", sp]}]\n",
		3, 2);
	/* A domain of one: its NVLink leads nowhere. */
	check_pod(ONE
		"nodes: [{name: \"g[0-2]\"}]\n"
		"switches: [{name: \"nv[0-2]\", profile: nv}, {name: l0}]\n"
		"links: [{ends: [\"g[0-2]\", \"nv[0-2]\"], profile: nv}, {ends: [\"g[0-2]\", l0]}]\n",
		3, 1);
}

/*
 * Hosts with a NIC in each of @rails rails: nodes a and b take rail (a + b) mod
 * @rails, both of them. So a host has ceil or floor of (hosts - 1) / rails peers
 * in each rail, but for the one that its own number would take.
 */
static void check_rails(const char *text, unsigned int hosts,
			unsigned int rails)
{
	struct weft_plan p = plan_of(text);
	unsigned int use[WEFT_NODE_NICS_MAX];

	EXPECT_EQ(p.nodes, hosts);
	for (unsigned int i = 0; i < hosts; i++) {
		memset(use, 0, sizeof(use));
		for (unsigned int j = 0; j < hosts; j++) {
			if (i == j)
				continue;
			EXPECT_EQ(nics_to(&p, i, j), 1u << (i + j) % rails);
			EXPECT_EQ(peer_nic(&p, i, j), (i + j) % rails);
			use[(i + j) % rails]++;
		}
		use[2 * i % rails]++;
		for (unsigned int k = 0; k < rails; k++)
			EXPECT(use[k] == hosts / rails ||
			       use[k] == (hosts + rails - 1) / rails);
	}
	weft_plan_free(&p);
}

/* The same with "multipath": all rails for each pair. */
static void check_all_rails(const char *text, unsigned int rails)
{
	struct weft_plan p = plan_of(text);

	for (unsigned int i = 0; i < p.nodes; i++)
		for (unsigned int j = 0; j < p.nodes; j++)
			if (i != j)
				EXPECT_EQ(nics_to(&p, i, j), (1u << rails) - 1);
	weft_plan_free(&p);
}

#define RAILS_2	"nodes: [{name: \"h[0-3]\"}]\n" \
		"switches: [{name: \"l[0-1]\"}, {name: sp}]\n" \
		"links: [{ends: [\"h[0-3]\", l0]}, {ends: [\"h[0-3]\", l1]},\n" \
		"  {ends: [\"l[0-1]\", sp]}]\n"
/* Rails that do not hang together. */
#define RAILS_3	"nodes: [{name: \"h[0-4]\"}]\n" \
		"switches: [{name: \"l[0-2]\"}]\n" \
		"links: [{ends: [\"h[0-4]\", l0]}, {ends: [\"h[0-4]\", l1]},\n" \
		"  {ends: [\"h[0-4]\", l2]}]\n"
/* All rails on one switch. */
#define RAILS_4	"nodes: [{name: \"h[0-8]\"}]\nswitches: [{name: s}]\n" \
		"links: [{ends: [\"h[0-8]\", s], count: 4}]\n"

TEST(rails)
{
	check_rails(ONE RAILS_2, 4, 2);
	check_rails(ONE RAILS_3, 5, 3);
	check_rails(ONE RAILS_4, 9, 4);
}

TEST(multipath)
{
	struct weft_plan p = plan_of(ALL RAILS_2);
	bool found = false;

	for (unsigned int i = 0; i < p.node[0].settings; i++)
		if (!strcmp(p.node[0].setting[i].key,
			    "net.ipv4.fib_multipath_hash_policy"))
			found = !strcmp(p.node[0].setting[i].value, "1");
	EXPECT(found);
	weft_plan_free(&p);
	check_all_rails(ALL RAILS_2, 2);
	check_all_rails(ALL RAILS_3, 3);
	check_all_rails(ALL RAILS_4, 4);
}

/*
 * By discipline, whatever the order of NICs and the rates: h0 has Ethernet,
 * InfiniBand and NVLink, each other node fewer of them.
 */
TEST(disciplines)
{
	struct weft_plan p = plan_of(ONE
		"nodes: [{name: \"h[0-3]\"}]\n"
		"switches: [{name: e, profile: pfc}, {name: i, profile: ib}, {name: n, profile: nv}]\n"
		"links: [{ends: [\"h[0-3]\", e], profile: pfc, rate: 800Gbps},\n"
		"  {ends: [\"h[0-2]\", i], profile: ib},\n"
		"  {ends: [\"h[0-1]\", n], profile: nv, rate: 100Gbps}]\n");

	EXPECT_EQ(nics_to(&p, 0, 1), 4);
	EXPECT_EQ(nics_to(&p, 0, 2), 2);
	EXPECT_EQ(nics_to(&p, 0, 3), 1);
	EXPECT_EQ(nics_to(&p, 3, 0), 1);
	EXPECT_EQ(nics_to(&p, 2, 1), 2);
	weft_plan_free(&p);
}

TEST(pcie_is_second)
{
	struct weft_plan p = plan_of(ONE
		"nodes: [{name: \"h[0-1]\"}]\nlinks:\n"
		"  - {ends: [h0, h1], profile: ib}\n"
		"  - {ends: [h0, h1], profile: pcie, rate: 100Gbps}\n");

	EXPECT_EQ(nics_to(&p, 0, 1), 2);
	weft_plan_free(&p);
}

/* A slow network for management is not taken for a rail. */
TEST(faster_first)
{
	struct weft_plan p = plan_of(ALL
		"nodes: [{name: \"h[0-1]\"}]\nswitches: [{name: m}, {name: \"l[0-1]\"}]\n"
		"links: [{ends: [\"h[0-1]\", m], rate: 1Gbps}, {ends: [\"h[0-1]\", l0]},\n"
		"  {ends: [\"h[0-1]\", l1]}]\n");

	EXPECT_EQ(nics_to(&p, 0, 1), 2 | 4);
	weft_plan_free(&p);
}

static const char strangers[] =
	"addresses of nodes: h1 and h3 have no network in common, so neither reaches the other";

/* Nodes that have only some of the networks, in another order. */
TEST(rails_that_do_not_match)
{
	struct weft_plan p = plan_of(ALL
		"nodes: [{name: \"h[0-3]\"}]\nswitches: [{name: x}, {name: y}]\n"
		"links: [{ends: [h0, x]}, {ends: [h0, y]}, {ends: [h1, y]},\n"
		"  {ends: [h2, y]}, {ends: [h2, x]}, {ends: [h3, x]}]\n");

	/* Rail 1 of h0 is the only one in y, rail 0 that of h1. */
	EXPECT_EQ(nics_to(&p, 0, 1), 2);
	EXPECT_EQ(peer_nic(&p, 0, 1), 0);
	EXPECT_EQ(nics_to(&p, 1, 0), 1);
	/* Both networks, but never the same rail: the first network, x. */
	EXPECT_EQ(nics_to(&p, 0, 2), 1);
	EXPECT_EQ(peer_nic(&p, 0, 2), 1);
	EXPECT_EQ(nics_to(&p, 2, 0), 2);
	EXPECT_EQ(peer_nic(&p, 2, 0), 0);
	/* h1 is in y only, h3 in x. */
	EXPECT_EQ(nics_to(&p, 1, 3), 0);
	EXPECT_EQ(p.notes, 1);
	EXPECT(!strcmp(p.note[0], strangers));
	weft_plan_free(&p);
}

static void expect_paths(json_t *json, unsigned int i, const char *want)
{
	char *got = json_dumps(json_array_get(json_object_get(json, "paths"), i),
			       JSON_COMPACT | JSON_SORT_KEYS);

	if (!got || strcmp(got, want))
		ktap_fail(__FILE__, __LINE__, "%s", got);
	free(got);
}

TEST(peers_in_a_row)
{
	struct weft_plan p = plan_of(ONE
		"nodes: [{name: \"h[0-5]\"}]\n"
		"switches: [{name: nv, profile: nv}, {name: l}]\n"
		"links: [{ends: [\"h[0-3]\", nv], profile: nv}, {ends: [\"h[0-4]\", l]},\n"
		"  {ends: [h5, h4]}]\n");
	json_t *json = weft_plan_json(&p);

	/* h0: 3 peers, 1, none; h1: 1, 2, 1, none; ... */
	expect_paths(json, 0, "{\"first\":\"h1\",\"last\":\"h3\",\"nics\":[\"eth0\"],\"node\":\"h0\"}");
	expect_paths(json, 1, "{\"first\":\"h4\",\"last\":\"h4\",\"nics\":[\"eth1\"],\"node\":\"h0\"}");
	expect_paths(json, 2, "{\"first\":\"h5\",\"last\":\"h5\",\"nics\":[],\"node\":\"h0\"}");
	expect_paths(json, 3, "{\"first\":\"h0\",\"last\":\"h0\",\"nics\":[\"eth0\"],\"node\":\"h1\"}");
	expect_paths(json, 4, "{\"first\":\"h2\",\"last\":\"h3\",\"nics\":[\"eth0\"],\"node\":\"h1\"}");
	json_decref(json);
	weft_plan_free(&p);
}

static const struct mistake mistakes[] = {
	{ "no such kind of address",
	  "name: x\nprofile: test\nsettings: {addresses: host}\n"
	  "nodes: [{name: \"h[0-1]\"}]\nlinks: [{ends: [h0, h1]}]\n",
	  "t.yaml:3:23: addresses: \"host\": expected nic or node"
	},
	{ "a list of addresses",
	  "name: x\nprofile: test\nsettings: {addresses: [node]}\n"
	  "nodes: [{name: \"h[0-1]\"}]\nlinks: [{ends: [h0, h1]}]\n",
	  "t.yaml:3:23: addresses: expected a single value, found a list"
	},
	{ "not on or off",
	  "name: x\nprofile: test\nsettings: {addresses: node, multipath: 2}\n"
	  "nodes: [{name: \"h[0-1]\"}]\nlinks: [{ends: [h0, h1]}]\n",
	  "t.yaml:3:40: multipath: \"2\": expected off or on"
	},
	{ "paths for addresses of NICs",
	  "name: x\nprofile: test\nsettings: {multipath: on}\n"
	  "nodes: [{name: \"h[0-1]\"}]\nlinks: [{ends: [h0, h1]}]\n",
	  "t.yaml:3:23: multipath: needs \"addresses: node\""
	},
};

TEST(mistakes)
{
	expect_mistakes(mistakes, sizeof(mistakes) / sizeof(*mistakes));
}
