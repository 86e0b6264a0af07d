// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What generators make: counts, distances and bisections against closed forms
 * and published numbers.
 *
 * Links have 400 Gb/s unless a test says otherwise, rates are in Gb/s and per
 * direction. Hops are links between switches.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "ktap.h"
#include "load.h"

#define B	400

static struct weft_topo generate(const char *numbers)
{
	struct weft_topo t;
	char *text;

	if (asprintf(&text, "name: x\nprofile: test\ngenerate: {%s}\n",
		     numbers) < 0)
		abort();
	t = topo_of(text);
	free(text);
	return t;
}

/**
 * struct law - what a design comes to
 * @numbers: the design
 * @nodes: nodes
 * @switches: switches
 * @links: links
 * @hops: links between switches on the longest shortest path
 * @half: nodes on one side of the cut
 * @cut: rate from these to the others
 */
struct law {
	const char *numbers;
	unsigned int nodes;
	unsigned int switches;
	unsigned int links;
	unsigned int hops;
	unsigned int half;
	uint64_t cut;
};

static void check_laws(const struct law *l, size_t n)
{
	for (; n; n--, l++) {
		struct weft_topo t = generate(l->numbers);

		printf("# %s\n", l->numbers);
		EXPECT_EQ(t.nodes, l->nodes);
		EXPECT_EQ(t.switches, l->switches);
		EXPECT_EQ(t.links, l->links);
		EXPECT_EQ(graph_hops(&t), l->hops);
		EXPECT_EQ(graph_cut(&t, l->half), l->cut);
		weft_topo_free(&t);
	}
}

#define CHECK_LAWS(laws) check_laws(laws, sizeof(laws) / sizeof(*(laws)))

/* One link for each of N hosts; half of them send at full rate: N/2 B. */
TEST(single_switch)
{
#define ONE(n) { "kind: single-switch, hosts: " #n, n, 1, n, 0, (n) / 2, \
		 (n) / 2 * B }
	static const struct law laws[] = { ONE(2), ONE(8), ONE(72) };

	CHECK_LAWS(laws);
}

/*
 * l leaves with n hosts each, s spines, u links from each leaf to each spine:
 * l n hosts, l + s switches, l (n + s u) links; leaf, spine, leaf are 2 hops.
 * Half of the leaves send l/2 min(n, s u) B.
 */
TEST(fat_tree_of_two_tiers)
{
#define TWO(l, s, n, u, cut) { "kind: fat-tree, leaves: " #l ", spines: " #s \
	", hosts-per-leaf: " #n ", uplinks-per-spine: " #u,		\
	(l) * (n), (l) + (s), (l) * ((n) + (s) * (u)), 2, (l) / 2 * (n), \
	(l) / 2 * (cut) * B }
	static const struct law laws[] = {
		TWO(2, 2, 4, 2, 4), TWO(4, 2, 4, 1, 2), TWO(8, 4, 16, 2, 8),
		TWO(16, 8, 8, 1, 8),
	};

	CHECK_LAWS(laws);
}

/* The ratio r of links down and up is n / (s u): u = n / (s r). */
TEST(oversubscription)
{
#define OVER(l, s, n, r, u) { "kind: fat-tree, leaves: " #l ", spines: " #s \
	", hosts-per-leaf: " #n ", oversubscription: '" r "'",		\
	(l) * (n), (l) + (s), (l) * ((n) + (s) * (u)), 2, (l) / 2 * (n), \
	(l) / 2 * (s) * (u) * B }
	static const struct law laws[] = {
		OVER(4, 4, 16, "1", 4), OVER(4, 4, 16, "2:1", 2),
		OVER(4, 4, 24, "3:2", 4), OVER(2, 1, 32, "4", 8),
	};

	CHECK_LAWS(laws);
}

/*
 * Al-Fares et al., section 3.1: k pods with k/2 edge and k/2 aggregation
 * switches, (k/2)^2 cores, k^3/4 hosts; each tier has k^3/4 links. Edge,
 * aggregation, core, aggregation, edge are 4 hops (2 with k = 2 pods of one edge
 * switch: 4 as well). Full bisection: k^3/8 hosts send at full rate.
 */
TEST(fat_tree_of_three_tiers)
{
#define THREE(k) { "kind: fat-tree, k: " #k, (k) * (k) * (k) / 4,	\
	5 * (k) * (k) / 4, 3 * (k) * (k) * (k) / 4, 4,			\
	(k) * (k) * (k) / 8, (k) * (k) * (k) / 8 * B }
	static const struct law laws[] = {
		THREE(2), THREE(4), THREE(6), THREE(8),
	};

	CHECK_LAWS(laws);
}

/*
 * k1 x k2 x ... hosts and as many switches; each switch begins a link in each
 * dimension, but where that has size 2 only every second one. The farthest place
 * is k/2 away, rounded down, in each dimension. Halves along the first one, of
 * even size k1, have two borders, where k1 > 2, of N / k1 links each:
 * 2 k^(n-1) links if all sizes are k (Dally and Towles, "Principles and Practices
 * of Interconnection Networks", 5.2).
 */
TEST(torus)
{
	static const struct law laws[] = {
		{ "kind: torus, size: 4", 4, 4, 4 + 4, 2, 2, 2 * B },
		{ "kind: torus, size: 5", 5, 5, 5 + 5, 2, 2, 2 * B },
		{ "kind: torus, size: 4x4", 16, 16, 16 + 32, 4, 8,
		  2 * 4 * B },
		{ "kind: torus, size: 8x3", 24, 24, 24 + 48, 5, 12,
		  2 * 3 * B },
		{ "kind: torus, size: 2x2x2", 8, 8, 8 + 12, 3, 4, 4 * B },
		{ "kind: torus, size: 4x4x4", 64, 64, 64 + 192, 6, 32,
		  2 * 16 * B },
		{ "kind: torus, size: 8x8x8", 512, 512, 512 + 1536, 12, 256,
		  2 * 64 * B },
		{ "kind: torus, size: 6x4x2", 48, 48, 48 + 48 + 48 + 24, 6, 24,
		  2 * 8 * B },
	};

	CHECK_LAWS(laws);
}

/* Links of a torus go where its coordinates say; the parser checks each. */
TEST(torus_coordinates)
{
	struct weft_topo t = generate("kind: torus, size: 4x3x2");

	EXPECT_EQ(t.dims, 3);
	EXPECT_EQ(t.dim[0], 4);
	EXPECT_EQ(t.dim[2], 2);
	/* places in order, the last dimension fastest: 3, 1, 0 is 3 * 6 + 2 */
	EXPECT_EQ(t.sw[20].coord[0], 3);
	EXPECT_EQ(t.sw[20].coord[1], 1);
	EXPECT_EQ(t.sw[20].coord[2], 0);
	EXPECT(!strcmp(t.sw[20].sw.name, "s3-1-0"));
	EXPECT(!strcmp(t.node[20].name, "host3-1-0"));
	weft_topo_free(&t);
}

/*
 * Kim et al., section 3: g = a h + 1 groups, N = a p g hosts; each switch has
 * p + a - 1 + h links, those between switches are shared by two. Three hops:
 * local, global, local; one less if a group is one switch. Between m groups and
 * the g - m others there are m (g - m) links, less than the m a p B of the hosts
 * in each case here.
 */
TEST(dragonfly)
{
#define FLY(p, a, h, arr, hops, m) { "kind: dragonfly, p: " #p ", a: " #a \
	", h: " #h ", arrangement: " #arr,				\
	(a) * (p) * ((a) * (h) + 1), (a) * ((a) * (h) + 1),		\
	(a) * ((a) * (h) + 1) * (p) +					\
	(a) * ((a) * (h) + 1) * ((a) - 1 + (h)) / 2, hops,		\
	(m) * (a) * (p), (m) * ((a) * (h) + 1 - (m)) * B }
	static const struct law laws[] = {
		FLY(2, 4, 2, absolute, 3, 4), FLY(2, 4, 2, relative, 3, 4),
		FLY(2, 3, 1, absolute, 3, 2), FLY(3, 6, 3, absolute, 3, 9),
		FLY(3, 3, 3, relative, 3, 5), FLY(5, 1, 8, absolute, 1, 4),
	};

	CHECK_LAWS(laws);
}

/* Group i, link k of it, absolute: group k, k + 1 from i on; switch k / h. */
static bool is_arranged(unsigned int from, unsigned int to, unsigned int sw,
			unsigned int groups, unsigned int h, bool relative)
{
	for (unsigned int k = sw * h; k < (sw + 1) * h; k++)
		if (to == (relative ? (from + k + 1) % groups :
			   k < from ? k : k + 1))
			return true;
	return false;
}

static void check_arrangement(const char *numbers, unsigned int a,
			      unsigned int h, bool relative)
{
	struct weft_topo t = generate(numbers);
	unsigned int groups = a * h + 1, seen = 0;

	for (unsigned int i = 0; i < t.links; i++) {
		const struct weft_topo_end *e = t.link[i].end;
		unsigned int x = e[0].index, y = e[1].index;

		if (e[0].is_node || e[1].is_node || x / a == y / a)
			continue;
		seen++;
		EXPECT(is_arranged(x / a, y / a, x % a, groups, h, relative));
		EXPECT(is_arranged(y / a, x / a, y % a, groups, h, relative));
	}
	EXPECT_EQ(seen, groups * (groups - 1) / 2);
	weft_topo_free(&t);
}

TEST(dragonfly_arrangements)
{
	check_arrangement("kind: dragonfly, p: 1, a: 4, h: 2", 4, 2, false);
	check_arrangement("kind: dragonfly, p: 1, a: 3, h: 3", 3, 3, false);
	check_arrangement("kind: dragonfly, p: 1, a: 4, h: 2, arrangement: relative",
			  4, 2, true);
	check_arrangement("kind: dragonfly, p: 2, a: 5, h: 1, arrangement: relative",
			  5, 1, true);
}

/*
 * NVIDIA's DGX SuperPOD reference architecture, counts of larger systems: SUs
 * of 32 hosts with 8 leaves each. 2 SUs: 16 leaves, 8 spines, 512 cables to
 * hosts and 512 to spines; 4 SUs: 32 leaves, 16 spines, 1024 and 1024. One SU
 * has 8 leaves and 4 spines (the same, DGX H100). Leaves have as many links up
 * as down, so half of the hosts of several SUs send on all of their 8 NICs;
 * inside an SU they do so without spines.
 */
TEST(rail_optimized)
{
#define SU(n, spines, hops) { "kind: rail-optimized, hosts: " #n		\
	", hosts-per-su: 32, spines: " #spines ", oversubscription: 1",	\
	n, (n) / 4 + (spines), 2 * 8 * (n), hops, (n) / 2, (n) / 2 * 8 * B }
	static const struct law laws[] = {
		SU(32, 4, 0), SU(64, 8, 2), SU(128, 16, 2),
	};

	CHECK_LAWS(laws);
}

/*
 * Two hosts reach each other in a leaf if they are in one SU, whatever the rail
 * (their NICs of one rail are meant for each other); GPUs of two rails over a
 * spine. With GPUs as nodes: 8 more links and one more switch for each host;
 * NVLink adds nothing between hosts.
 */
TEST(rail_optimized_by_gpu)
{
#define GPU(n, su, r, spines) { "kind: rail-optimized, node: gpu, nvlink: "	\
	"{profile: nv}, hosts: " #n					\
	", hosts-per-su: " #su ", spines: " #spines			\
	", oversubscription: " #r, 8 * (n),				\
	8 * (n) / (su) + (spines) + (n), 2 * 8 * (n) + 8 * (n) / (r), 2, \
	4 * (n), 4 * (n) / (r) * B }
	static const struct law laws[] = {
		GPU(4, 2, 1, 2), GPU(8, 4, 2, 2), GPU(64, 32, 1, 8),
	};

	CHECK_LAWS(laws);
}

/* NIC k of a host is on leaf k of its SU: that is what a rail is. */
TEST(rails)
{
	struct weft_topo t =
		generate("kind: rail-optimized, hosts: 6, hosts-per-su: 3, gpus: 4, spines: 1");
	unsigned int seen = 0;

	for (unsigned int i = 0; i < t.links; i++) {
		const struct weft_topo_end *e = t.link[i].end;

		if (!e[0].is_node)
			continue;
		EXPECT_EQ(e[1].index, e[0].index / 3 * 4 + e[0].port);
		seen++;
	}
	EXPECT_EQ(seen, 24);
	weft_topo_free(&t);
}

/*
 * NVIDIA on GB200 NVL72: 72 GPUs with 1.8 TB/s each, both directions together,
 * 130 TB/s in all: 72 * 1.8 = 129.6. In Gb/s and one direction 7200 for a GPU,
 * and half of the GPUs send 36 * 7200.
 */
TEST(nvl72)
{
	struct weft_topo t =
		generate("kind: nvl72, nvlink: {profile: nv}");
	uint64_t sum = 0;

	EXPECT_EQ(t.nodes, 72);
	EXPECT_EQ(t.switches, 1);
	EXPECT_EQ(graph_hops(&t), 0);
	for (unsigned int i = 0; i < t.links; i++) {
		EXPECT_EQ(t.link[i].wire.rate, 7200000000000);
		EXPECT_EQ(t.link[i].wire.lanes, 18);
		sum += t.link[i].wire.rate;
	}
	/* both directions, in bytes: 129.6 TB/s */
	EXPECT_EQ(2 * sum / 8, 129600000000000);
	EXPECT_EQ(graph_cut(&t, 36), 36 * 7200);
	weft_topo_free(&t);
}

/*
 * r racks of n GPUs with s rails: GPU i is on rail i mod s, whose leaf has the
 * r n / s GPUs of that rail; as many links up as down.
 */
TEST(nvl72_with_rails)
{
	static const struct law laws[] = {
		{ "kind: nvl72, nvlink: {profile: nv}, racks: 2, gpus: 8, rails: 4, spines: 2, oversubscription: 1",
		  16, 2 + 4 + 2, 16 + 16 + 16, 2, 8, 8 * B },
		{ "kind: nvl72, nvlink: {profile: nv}, racks: 4, gpus: 8, rails: 2, spines: 1, oversubscription: 2",
		  32, 4 + 2 + 1, 32 + 32 + 16, 2, 16, 16 * B },
		{ "kind: nvl72, nvlink: {profile: nv}, racks: 8, rails: 4, racks-per-su: 4, spines: 9, oversubscription: 1",
		  576, 8 + 8 + 9, 3 * 576, 2, 288, 288 * B },
	};

	CHECK_LAWS(laws);
}
