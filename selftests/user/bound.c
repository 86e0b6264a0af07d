// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Least times of collectives, against closed forms.
 *
 * Profile "test" has 400 Gb/s, which is 50 bytes a ns, 25 ns of cable, switches of
 * 400 ns and no latency at NICs. A packet carries up to 8948 bytes beside 66 of
 * headers and 24 of overhead. So a message of k packets and m bytes takes, over
 * one cut-through switch, ALPHA + (m + 90 k) / 50 ns.
 */
#include "bound/bound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "load.h"

#define SWITCH(n) "name: x\nprofile: test\ngenerate: {kind: single-switch, hosts: " #n "}\n"
#define TREE(leaves, spines, hosts)					\
	"name: tree\nprofile: test\ngenerate: {kind: fat-tree, leaves: " \
	#leaves ", spines: " #spines ", hosts-per-leaf: " #hosts "}\n"
/* Two hosts of four GPUs each: NVLink inside, rails between. */
#define POD_8	"name: x\nprofile: test\nsettings: {addresses: node}\n" \
	"nodes: [{name: \"g[0-7]\"}]\n" \
	"switches: [{name: \"nv[0-1]\", profile: nv}, {name: \"l[0-3]\"}, {name: sp}]\n" \
	"links: [{ends: [\"g[0-3]\", nv0], profile: nv}, {ends: [\"g[4-7]\", nv1], profile: nv},\n" \
	"  {ends: [\"g[0-3]\", \"l[0-3]\"]}, {ends: [\"g[4-7]\", \"l[0-3]\"]}, {ends: [\"l[0-3]\", sp]}]\n"

#define PACKET	8948
#define ALPHA	450.0			/* 25 + 400 + 25 */
#define FAR	(ALPHA + 850)		/* over three switches */
#define EMPTY	(90 / 50.0)
#define FULL	((PACKET + 90) / 50.0)
#define EXACT	(1 / 1e6)		/* ns; times are whole ps */

static const struct weft_algorithm *algorithm(enum weft_collective collective,
					      const char *name)
{
	for (unsigned int i = 0; i < weft_algorithms_n; i++)
		if (weft_algorithms[i].collective == collective &&
		    !strcmp(weft_algorithms[i].name, name))
			return &weft_algorithms[i];
	abort();
}

/* In ns. */
static double time_of(struct weft_rounds *r, enum weft_collective collective,
		      const char *name, uint64_t bytes)
{
	struct weft_err err = { 0 };
	double seconds = -1;

	EXPECT_EQ(weft_bound_time(r, algorithm(collective, name), bytes,
				  &seconds, &err), 0);
	return seconds * 1e9;
}

static double floor_of(struct weft_rounds *r, enum weft_collective collective,
		       uint64_t bytes)
{
	return weft_bound_floor(r, collective, bytes) * 1e9;
}

/**
 * struct fabric - ranks on a topology
 * @plan: its plan
 * @r: the ranks
 */
struct fabric {
	struct weft_plan plan;
	struct weft_rounds r;
};

static void make(struct fabric *f, const char *text, unsigned int ranks,
		 unsigned int per_node, bool verbs)
{
	struct weft_err err = { 0 };

	f->plan = plan_of(text);
	EXPECT_EQ(weft_bound_make(&f->r, &f->plan, ranks, per_node, verbs, &err),
		  0);
}

static void unmake(struct fabric *f)
{
	weft_rounds_free(&f->r);
	weft_plan_free(&f->plan);
}

/* Eight ranks, eight blocks of one packet each, and a barrier. */
TEST(closed_forms)
{
	static const struct {
		enum weft_collective collective;
		const char *name;
		double ns;
	} cases[] = {
		/* 2 (n - 1) steps of a block */
		{ WEFT_ALLREDUCE, "ring", 14 * (ALPHA + FULL) },
		/* log2 n rounds of the buffer */
		{ WEFT_ALLREDUCE, "recursive-doubling", 3 * (ALPHA + 8 * FULL) },
		/* log2 n rounds each way of 4, 2 and 1 blocks */
		{ WEFT_ALLREDUCE, "rabenseifner", 2 * (3 * ALPHA + 7 * FULL) },
		{ WEFT_ALLREDUCE, "binomial", 6 * (ALPHA + 8 * FULL) },
		/* both trees, both ways: twice the buffer through each NIC */
		{ WEFT_ALLREDUCE, "double-tree", ALPHA + 16 * FULL },
		/* seven buffers into the first rank, then seven out of it */
		{ WEFT_ALLREDUCE, "linear", 2 * (ALPHA + 56 * FULL) },
		{ WEFT_ALLGATHER, "ring", 7 * (ALPHA + FULL) },
		{ WEFT_ALLGATHER, "recursive-doubling", 3 * ALPHA + 7 * FULL },
		{ WEFT_ALLGATHER, "bruck", 3 * ALPHA + 7 * FULL },
		{ WEFT_ALLGATHER, "linear", ALPHA + 7 * FULL },
		{ WEFT_REDUCE_SCATTER, "ring", 7 * (ALPHA + FULL) },
		{ WEFT_REDUCE_SCATTER, "recursive-halving", 3 * ALPHA + 7 * FULL },
		{ WEFT_REDUCE_SCATTER, "pairwise", 7 * (ALPHA + FULL) },
		{ WEFT_REDUCE_SCATTER, "linear", ALPHA + 7 * FULL },
		{ WEFT_BROADCAST, "binomial", 3 * (ALPHA + 8 * FULL) },
		/* halves down a tree, 4 + 2 + 1 blocks, then the ring */
		{ WEFT_BROADCAST, "scatter-ring", 10 * ALPHA + 14 * FULL },
		{ WEFT_BROADCAST, "double-tree", ALPHA + 8 * FULL },
		/* the first byte crosses seven pairs: longer than the wire's time */
		{ WEFT_BROADCAST, "chain", 7 * ALPHA },
		{ WEFT_BROADCAST, "linear", ALPHA + 56 * FULL },
		{ WEFT_REDUCE, "binomial", 3 * (ALPHA + 8 * FULL) },
		{ WEFT_REDUCE, "rabenseifner", 2 * (3 * ALPHA + 7 * FULL) },
		{ WEFT_REDUCE, "double-tree", ALPHA + 8 * FULL },
		{ WEFT_REDUCE, "chain", 7 * ALPHA },
		{ WEFT_REDUCE, "linear", ALPHA + 56 * FULL },
		{ WEFT_ALLTOALL, "pairwise", 7 * (ALPHA + FULL) },
		/* log2 n rounds of half the blocks */
		{ WEFT_ALLTOALL, "bruck", 3 * (ALPHA + 4 * FULL) },
		{ WEFT_ALLTOALL, "linear", ALPHA + 7 * FULL },
		{ WEFT_BARRIER, "recursive-doubling", 3 * (ALPHA + EMPTY) },
		{ WEFT_BARRIER, "dissemination", 3 * (ALPHA + EMPTY) },
		{ WEFT_BARRIER, "binomial", 6 * (ALPHA + EMPTY) },
		{ WEFT_BARRIER, "linear", 2 * (ALPHA + 7 * EMPTY) },
		{ WEFT_BARRIER, "double-ring", 14 * (ALPHA + EMPTY) },
		{ WEFT_POINT_TO_POINT, "direct", ALPHA + 8 * FULL },
	};
	struct fabric f;

	make(&f, SWITCH(8), 8, 1, false);
	EXPECT_EQ(sizeof(cases) / sizeof(*cases), weft_algorithms_n);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t bytes = 8 * PACKET;
		double got;

		if (cases[i].collective == WEFT_BARRIER)
			bytes = 0;
		got = time_of(&f.r, cases[i].collective, cases[i].name, bytes);
		if (got < cases[i].ns - EXACT || got > cases[i].ns + EXACT)
			ktap_fail(__FILE__, __LINE__, "%s %s: %.3f, not %.3f ns",
				  weft_collective_words[cases[i].collective],
				  cases[i].name, got, cases[i].ns);
	}
	unmake(&f);
}

/*
 * Six ranks: 0 and 2 give their data to 1 and 3, and get the result back. 4 and 5
 * do not wait for that in the first exchange, so the longest chain of recursive
 * doubling has three messages, not four. Of six blocks Bruck's rounds have 1, 2 and
 * the 2 that are missing, and those of an all-to-all 3, 2 and 2. A binomial tree of
 * six has two levels.
 */
TEST(no_power_of_two)
{
	struct fabric f;

	make(&f, SWITCH(6), 6, 1, false);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLREDUCE, "recursive-doubling", PACKET),
		    3 * (ALPHA + FULL), EXACT);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLREDUCE, "rabenseifner", 4 * PACKET),
		    6 * ALPHA + (4 + 2 + 1 + 1 + 2 + 4) * FULL, EXACT);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLGATHER, "bruck", 6 * PACKET),
		    3 * ALPHA + 5 * FULL, EXACT);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLTOALL, "bruck", 6 * PACKET),
		    3 * ALPHA + 7 * FULL, EXACT);
	EXPECT_NEAR(time_of(&f.r, WEFT_BROADCAST, "binomial", PACKET),
		    2 * (ALPHA + FULL), EXACT);
	EXPECT(!weft_bound_has(&f.r, algorithm(WEFT_ALLGATHER,
					       "recursive-doubling")));
	EXPECT(weft_bound_has(&f.r, algorithm(WEFT_ALLGATHER, "bruck")));
	unmake(&f);
}

/*
 * Four hosts on each of two leaves. Of any 14 neighbouring pairs of the ring in a
 * row, at most 4 are in two leaves; one round of three crosses.
 */
TEST(fat_tree)
{
	struct fabric f;

	make(&f, TREE(2, 2, 4), 8, 1, false);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLREDUCE, "ring", 8 * PACKET),
		    10 * (ALPHA + FULL) + 4 * (FAR + FULL), EXACT);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLREDUCE, "recursive-doubling", PACKET),
		    2 * (ALPHA + FULL) + FAR + FULL, EXACT);
	/* The leaves' two uplinks: 16 messages of PACKET / 8 each way. */
	EXPECT_NEAR(floor_of(&f.r, WEFT_BARRIER, 0), FAR, EXACT);
	EXPECT_NEAR(floor_of(&f.r, WEFT_ALLTOALL, 800 * PACKET),
		    ALPHA + 16 * 100 * FULL / 2, EXACT);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLTOALL, "linear", 800 * PACKET),
		    ALPHA + 16 * 100 * FULL / 2, EXACT);
	unmake(&f);
}

/* One uplink for four hosts: what a leaf sends to the others is 4 * 12 blocks. */
TEST(narrow_uplink)
{
	struct fabric f;

	make(&f, TREE(4, 1, 4), 16, 1, false);
	/* a leaf receives the blocks of 12 ranks, and a NIC those of 15 */
	EXPECT_NEAR(floor_of(&f.r, WEFT_ALLGATHER, 1600 * PACKET),
		    ALPHA + 1500 * FULL, EXACT);
	/* 2 (16 - 1) / 16 of the buffer at a NIC, 2 (4 - 1) / 4 at a leaf */
	EXPECT_NEAR(floor_of(&f.r, WEFT_ALLREDUCE, 1600 * PACKET),
		    ALPHA + 2 * 15 * 100 * FULL, EXACT);
	EXPECT_NEAR(floor_of(&f.r, WEFT_BROADCAST, 1600 * PACKET),
		    ALPHA + 1600 * FULL, EXACT);
	EXPECT_NEAR(floor_of(&f.r, WEFT_ALLTOALL, 1600 * PACKET),
		    ALPHA + 4 * 12 * 100 * FULL, EXACT);
	unmake(&f);
}

/* A switch that stores sends the first packet after it has all of it. */
TEST(store_forward)
{
	struct fabric f;

	make(&f, "name: x\nprofile: test\nswitch: {forward: store-forward}\n"
	     "generate: {kind: single-switch, hosts: 2}\n", 2, 1, false);
	EXPECT_NEAR(time_of(&f.r, WEFT_POINT_TO_POINT, "direct", 0),
		    ALPHA + 2 * EMPTY, EXACT);
	EXPECT_NEAR(time_of(&f.r, WEFT_POINT_TO_POINT, "direct", 3 * PACKET),
		    ALPHA + 4 * FULL, EXACT);
	unmake(&f);
}

/*
 * Blocks of one byte. Of any 14 neighbouring pairs in a row, at most 4 are in two
 * hosts: FAR + 91 / 50 ns. Inside, 67 bytes are a packet of 80 and 16, 96 bytes at
 * 900 a ns, 107 ps rounded up: 2 * 25 + 120 + 0.107 ns. Large blocks wait for the
 * slow pairs, which pass 14 of them on, and for nothing else.
 */
TEST(slow_and_fast)
{
	struct fabric f;

	make(&f, POD_8, 8, 1, false);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLREDUCE, "ring", 8),
		    4 * (FAR + 91 / 50.0) + 10 * 170.107, EXACT);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLREDUCE, "ring", 800 * PACKET),
		    FAR + 1400 * FULL, EXACT);
	unmake(&f);
	/* Inside one host NVLink bounds it. */
	make(&f, POD_8, 4, 1, false);
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLREDUCE, "ring", 4), 6 * 170.107, EXACT);
	unmake(&f);
}

/*
 * IPoIB: 4106 + 24 bytes carry 4040, 2 * 25 + 300 ns. NVLink: 9014 bytes are 36
 * packets with a header of 16, filled up to 9024, 2 * 25 + 120 ns; of 18 lanes
 * at 50 bytes a ns each, 17 may work. Times are rounded up to a ps.
 */
TEST(other_packets)
{
	static const struct {
		const char *text;
		uint64_t payload;
		double ns;
	} on[] = {
		{ "name: x\nprofile: ib\n", 4040, 350 + 4130 / 50.0 },
		{ "name: x\nprofile: nv\n", 8948, 170 + 10.667 },
		{ "name: x\nprofile: nv\nlink: {lanes-up: 17}\n", 8948,
		  170 + 11.295 },
	};

	for (unsigned int i = 0; i < sizeof(on) / sizeof(*on); i++) {
		struct fabric f;
		char text[256];

		snprintf(text, sizeof(text),
			 "%sgenerate: {kind: single-switch, hosts: 8}\n",
			 on[i].text);
		make(&f, text, 8, 1, false);
		EXPECT_NEAR(time_of(&f.r, WEFT_ALLREDUCE, "ring",
				    8 * on[i].payload), 14 * on[i].ns, EXACT);
		unmake(&f);
	}
}

/* Two ranks on each node share its NIC, and need no time between themselves. */
TEST(ranks_on_one_node)
{
	struct fabric f;

	make(&f, SWITCH(4), 8, 2, false);
	EXPECT_NEAR(time_of(&f.r, WEFT_BARRIER, "recursive-doubling", 0),
		    2 * (ALPHA + EMPTY), EXACT);
	/* of three rounds two cross, with both ranks' buffers */
	EXPECT_NEAR(time_of(&f.r, WEFT_ALLREDUCE, "recursive-doubling",
			    100 * PACKET), ALPHA + 400 * FULL, EXACT);
	EXPECT_NEAR(floor_of(&f.r, WEFT_ALLREDUCE, 100 * PACKET),
		    ALPHA + 2 * 100 * FULL * 3 / 4, EXACT);
	unmake(&f);
}

/*
 * InfiniBand: LRH 8, BTH 12, ICRC 4, VCRC 2 beside up to 4096 bytes. RoCE v2:
 * Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, and the 24 of the wire.
 */
TEST(verbs)
{
	struct fabric f;

	make(&f, "name: x\nprofile: ib\nnic: {tx-latency: 10ns, rx-latency: 5ns,\n"
	     "  verbs: {device: weft, doorbell: 100ns, process: 7ns}}\n"
	     "generate: {kind: single-switch, hosts: 2}\n", 2, 1, true);
	EXPECT_NEAR(time_of(&f.r, WEFT_POINT_TO_POINT, "direct", 3 * 4096),
		    100 + 10 + 350 + 5 + 7 + 3 * (4096 + 26) / 50.0, EXACT);
	unmake(&f);
	make(&f, "name: x\nprofile: test\nnic: {verbs: {device: weft}}\n"
	     "generate: {kind: single-switch, hosts: 2}\n", 2, 1, true);
	EXPECT_NEAR(time_of(&f.r, WEFT_POINT_TO_POINT, "direct", 3 * 4096),
		    ALPHA + 3 * (4096 + 58 + 24) / 50.0, EXACT);
	unmake(&f);
	/* What the MTU leaves for headers: 80; so 1500 bytes carry 1024. */
	make(&f, "name: x\nprofile: test\nnic: {mtu: 1500, verbs: {device: weft}}\n"
	     "generate: {kind: single-switch, hosts: 2}\n", 2, 1, true);
	EXPECT_NEAR(time_of(&f.r, WEFT_POINT_TO_POINT, "direct", 3 * 4096),
		    ALPHA + 12 * (1024 + 58 + 24) / 50.0, EXACT);
	unmake(&f);
}

/* No algorithm is below the floor, on any fabric, of any size. */
TEST(floor_is_below_all)
{
	static const struct {
		const char *text;
		unsigned int ranks, per_node;
	} on[] = {
		{ SWITCH(8), 8, 1 }, { SWITCH(5), 5, 1 }, { SWITCH(4), 12, 3 },
		{ TREE(2, 2, 4), 8, 1 }, { TREE(4, 1, 4), 16, 1 },
		{ TREE(3, 2, 3), 7, 1 }, { POD_8, 8, 1 }, { POD_8, 8, 2 },
		{ "name: x\nprofile: test\nlinks: [{ends: [a, s]}, {ends: [b, s], rate: 10Gbps}, {ends: [c, s]}]\n"
		  "nodes: [{name: a}, {name: b}, {name: c}]\nswitches: [{name: s}]\n",
		  3, 1 },
		{ "name: x\nprofile: test\nnodes: [{name: \"h[0-1]\"}]\nlinks: [{ends: [h0, h1]}]\n",
		  2, 1 },
		{ "name: x\nprofile: test\ngenerate: {kind: fat-tree, k: 4}\n", 16,
		  1 },
		{ "name: x\nprofile: nv\ngenerate: {kind: single-switch, hosts: 3}\n",
		  3, 1 },
	};
	static const uint64_t sizes[] = { 1, 100, 4096, 65536, 1000003, 64 << 20 };

	for (unsigned int i = 0; i < sizeof(on) / sizeof(*on); i++) {
		struct fabric f;

		make(&f, on[i].text, on[i].ranks, on[i].per_node, false);
		for (unsigned int a = 0; a < weft_algorithms_n; a++)
			for (unsigned int s = 0; s < 6; s++) {
				const struct weft_algorithm *alg =
					&weft_algorithms[a];
				uint64_t n = alg->collective == WEFT_BARRIER ?
					0 : sizes[s] / on[i].ranks * on[i].ranks;
				double least = floor_of(&f.r, alg->collective, n);
				double t;

				if (!weft_bound_has(&f.r, alg))
					continue;
				t = time_of(&f.r, alg->collective, alg->name, n);
				if (least <= 0 || t < least - EXACT)
					ktap_fail(__FILE__, __LINE__,
						  "%u: %s %s of %lu: %f is below %f",
						  i, weft_collective_words[alg->collective],
						  alg->name, (unsigned long)n, t,
						  least);
			}
		unmake(&f);
	}
}

static void expect_refused(const char *text, unsigned int ranks,
			   unsigned int per_node, bool verbs, const char *msg)
{
	struct weft_plan p = plan_of(text);
	struct weft_err err = { 0 };
	struct weft_rounds r;
	double seconds;

	if (!weft_bound_make(&r, &p, ranks, per_node, verbs, &err))
		EXPECT(weft_bound_time(&r, &weft_algorithms[0], 8, &seconds,
				       &err));
	if (strcmp(err.msg, msg))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	weft_rounds_free(&r);
	weft_plan_free(&p);
}

TEST(bound_mistakes)
{
	expect_refused(SWITCH(8), 9, 1, false,
		       "9 ranks, 1 on each node: the topology has 8 nodes, and a collective needs 2 ranks");
	expect_refused(SWITCH(8), 1, 1, false,
		       "1 ranks, 1 on each node: the topology has 8 nodes, and a collective needs 2 ranks");
	expect_refused(SWITCH(8), 2, 2, false,
		       "all 2 ranks are on one node: no link bounds them");
	expect_refused("name: x\nprofile: test\nnodes: [{name: \"h[0-3]\"}]\n"
		       "links: [{ends: [h0, h1]}, {ends: [h2, h3]}]\n", 4, 1, false,
		       "there is no path from h0 to h2");
	expect_refused("name: x\nprofile: nv\ngenerate: {kind: single-switch, hosts: 2}\n",
		       2, 1, true,
		       "host0 and host1 meet at NICs without RDMA devices: expected --net tcp");
}
