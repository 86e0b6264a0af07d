// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Forwarding tables: groups, ECMP by hash, spray (E15), paths of an LMC.
 */
#include <math.h>
#include <stdlib.h>

#include "core/node/route.h"
#include "core/sim/bitset.h"
#include "core/sim/rng.h"
#include "ktap.h"

/**
 * struct table - a forwarding table and its memory
 */
struct table {
	struct fab_route_table t;
	void *mem;
};

static struct table table_make(const struct fab_route_params *p, u64 salt)
{
	size_t size = fab_route_mem(p);
	struct table x = { .mem = calloc(1, size) };
	void *end = fab_route_init(&x.t, p, salt, x.mem);

	EXPECT_EQ(fab_route_params_check(p), 0);
	EXPECT((char *)end == (char *)x.mem + size);
	return x;
}

static struct table table_new(u32 ports, u32 dsts, u32 groups,
			      enum fab_select select, u64 salt)
{
	struct fab_route_params p = {
		.ports = ports,
		.dsts = dsts,
		.groups = groups,
		.select = select,
	};

	return table_make(&p, salt);
}

static int table_set(struct table *x, u32 dst, u16 first, u16 n)
{
	u16 ports[64], i;

	for (i = 0; i < n; i++)
		ports[i] = first + n - 1 - i;
	return fab_route_set(&x->t, dst, ports, n);
}

static int table_select(struct table *x, u32 dst, u32 flow)
{
	struct fab_pkt pkt = { .dst = dst, .flow_hash = flow };

	return fab_route_select(&x->t, NULL, &pkt, 0);
}

TEST(set_get_del)
{
	struct table x = table_new(8, 4, 4, FAB_SELECT_ECMP, 1);
	const struct fab_group *g;

	EXPECT(!fab_route_get(&x.t, 0));
	EXPECT(!fab_route_get(&x.t, 4));
	EXPECT(table_select(&x, 0, 1) == -1);
	EXPECT(table_select(&x, 4, 1) == -1);
	EXPECT_EQ(table_set(&x, 0, 2, 3), 0);
	g = fab_route_get(&x.t, 0);
	EXPECT_EQ(g->n, 3);
	EXPECT_EQ(g->member[0], 2);
	EXPECT_EQ(g->member[1], 3);
	EXPECT_EQ(g->member[2], 4);
	EXPECT(fab_route_del(&x.t, 1) == -ENOENT);
	EXPECT_EQ(fab_route_del(&x.t, 0), 0);
	EXPECT(fab_route_del(&x.t, 0) == -ENOENT);
	EXPECT(table_select(&x, 0, 1) == -1);
	free(x.mem);
}

/* A table with one route to each destination does not need the flows of packets. */
TEST(flows_where_there_is_a_choice)
{
	const struct fab_route_params paths = {
		.ports = 8, .dsts = 2, .groups = 2, .lmc = 1,
	};
	struct table x = table_new(8, 2, 4, FAB_SELECT_ECMP, 1);
	struct table y = table_make(&paths, 1);

	EXPECT(!x.t.flows);
	EXPECT_EQ(table_set(&x, 0, 2, 1), 0);
	EXPECT_EQ(table_set(&x, 1, 3, 1), 0);
	EXPECT(!x.t.flows);
	EXPECT_EQ(table_set(&x, 1, 3, 2), 0);
	EXPECT(x.t.flows);
	EXPECT(y.t.flows);
	free(x.mem);
	free(y.mem);
}

TEST(port_named_twice_counts_once)
{
	struct table x = table_new(70, 1, 1, FAB_SELECT_ECMP, 1);
	static const u16 ports[] = { 69, 3, 69, 3, 64 };
	const struct fab_group *g;

	EXPECT_EQ(fab_route_set(&x.t, 0, ports, 5), 0);
	g = fab_route_get(&x.t, 0);
	EXPECT_EQ(g->n, 3);
	EXPECT_EQ(g->member[0], 3);
	EXPECT_EQ(g->member[1], 64);
	EXPECT_EQ(g->member[2], 69);
	free(x.mem);
}

TEST(equal_sets_share_a_group)
{
	struct table x = table_new(8, 100, 2, FAB_SELECT_ECMP, 1);
	u32 i;

	for (i = 0; i < 100; i++)
		EXPECT_EQ(table_set(&x, i, i % 2 * 4, 4), 0);
	EXPECT(fab_route_get(&x.t, 0) == fab_route_get(&x.t, 98));
	EXPECT(fab_route_get(&x.t, 0) != fab_route_get(&x.t, 99));
	EXPECT_EQ(fab_route_get(&x.t, 0)->users, 50);
	/* Setting it again changes nothing. */
	EXPECT_EQ(table_set(&x, 0, 0, 4), 0);
	EXPECT_EQ(fab_route_get(&x.t, 0)->users, 50);
	free(x.mem);
}

TEST(refusals_keep_the_old_route)
{
	struct table x = table_new(8, 4, 2, FAB_SELECT_ECMP, 1);
	const struct fab_group *g;

	EXPECT_EQ(table_set(&x, 0, 1, 2), 0);
	EXPECT_EQ(table_set(&x, 1, 1, 2), 0);
	EXPECT_EQ(table_set(&x, 2, 5, 1), 0);
	g = fab_route_get(&x.t, 0);
	EXPECT(table_set(&x, 0, 7, 2) == -EINVAL);
	EXPECT(table_set(&x, 0, 0, 0) == -EINVAL);
	EXPECT(table_set(&x, 4, 0, 1) == -EINVAL);
	EXPECT(table_set(&x, 0, 6, 2) == -ENOSPC);
	EXPECT(fab_route_get(&x.t, 0) == g);
	EXPECT_EQ(g->users, 2);
	EXPECT_EQ(g->member[0], 1);
	/* A group with one user may change in place, even in a full table. */
	EXPECT_EQ(table_set(&x, 2, 6, 2), 0);
	EXPECT_EQ(fab_route_get(&x.t, 2)->member[1], 7);
	/* A group is free again after its last user. */
	EXPECT_EQ(fab_route_del(&x.t, 2), 0);
	EXPECT_EQ(table_set(&x, 0, 3, 1), 0);
	free(x.mem);
}

TEST(flood_set)
{
	struct table x = table_new(8, 1, 1, FAB_SELECT_ECMP, 1);
	static const u16 good[] = { 1, 7 }, bad[] = { 2, 8 };

	EXPECT_EQ(fab_route_flood_set(&x.t, good, 2), 0);
	EXPECT(fab_route_flood_set(&x.t, bad, 2) == -EINVAL);
	EXPECT(fab_bitset_has(x.t.flood, 1) && fab_bitset_has(x.t.flood, 7));
	EXPECT(!fab_bitset_has(x.t.flood, 2));
	EXPECT_EQ(fab_route_flood_set(&x.t, NULL, 0), 0);
	EXPECT(!fab_bitset_has(x.t.flood, 1));
	free(x.mem);
}

TEST(flow_keeps_its_port)
{
	struct table x = table_new(16, 2, 2, FAB_SELECT_ECMP, 1);
	u32 flow;
	int port;

	table_set(&x, 0, 3, 7);
	for (flow = 0; flow < 1000; flow++) {
		port = table_select(&x, 0, flow);
		EXPECT(port >= 3 && port < 10);
		EXPECT_EQ(table_select(&x, 0, flow), port);
	}
	free(x.mem);
}

/* The 99.9 % point of chi-square (Wilson and Hilferty; exact within 1 %). */
static double chi_limit(u32 freedom)
{
	double a = 2.0 / (9 * freedom);

	return freedom * pow(1 - a + 3.0902 * sqrt(a), 3);
}

/*
 * E15: flows that differ in a single bit, in steps of a stride, or at random
 * fall on n ports evenly: chi-square with n - 1 degrees of freedom.
 */
static void ecmp_even(u32 n, u32 stride, u64 salt)
{
	struct table x = table_new(64, 1, 1, FAB_SELECT_ECMP, salt);
	u32 seen[64] = { 0 }, i;
	const u32 flows = 20000;
	double chi = 0, expect = (double)flows / n;

	table_set(&x, 0, 0, n);
	for (i = 0; i < flows; i++)
		seen[table_select(&x, 0, i * stride)]++;
	for (i = 0; i < n; i++)
		chi += (seen[i] - expect) * (seen[i] - expect) / expect;
	EXPECT_NEAR(chi, 0, chi_limit(n - 1));
	free(x.mem);
}

TEST(ecmp_chi_square)
{
	static const u32 n[] = { 2, 3, 4, 7, 8, 16, 31, 64 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(n); i++) {
		ecmp_even(n[i], 1, 1);
		ecmp_even(n[i], 65536, 2);
		ecmp_even(n[i], 0x9e3779b9, 3);
	}
}

/*
 * Two switches choose independently: over the n^2 pairs of choices chi-square
 * has n^2 - 1 degrees of freedom. (With one salt all pairs would be equal.)
 */
TEST(switches_choose_independently)
{
	struct table x = table_new(8, 1, 1, FAB_SELECT_ECMP, 1);
	struct table y = table_new(8, 1, 1, FAB_SELECT_ECMP, 2);
	u32 seen[64] = { 0 }, i;
	const u32 flows = 64000;
	double chi = 0;

	table_set(&x, 0, 0, 8);
	table_set(&y, 0, 0, 8);
	for (i = 0; i < flows; i++)
		seen[table_select(&x, 0, i) * 8 + table_select(&y, 0, i)]++;
	for (i = 0; i < 64; i++)
		chi += (seen[i] - 1000.0) * (seen[i] - 1000.0) / 1000;
	EXPECT_NEAR(chi, 0, chi_limit(63));
	free(x.mem);
	free(y.mem);
}

/* n! / ((n - F)! n^F): the factors are the free ports that each flow finds. */
static double apart_chance(u32 n, u32 flows)
{
	double p = 1;
	u32 i;

	for (i = 0; i < flows; i++)
		p *= i < n ? (double)(n - i) / n : 0;
	return p;
}

/*
 * E15: F flows on n ports use n (1 - (1 - 1/n)^F) of them on average, for each
 * port is missed by one flow with probability 1 - 1/n; mean over many salts,
 * the deviation of one trial is below sqrt(n)/2. No two flows meet in a trial
 * with probability p = n! / ((n - F)! n^F): binomial.
 */
static void ecmp_used(u32 n, u32 flows)
{
	const u32 trials = 4000;
	double want, p = apart_chance(n, flows);
	u32 trial, i, used = 0, apart = 0;
	struct table x;
	u64 set;

	for (trial = 0; trial < trials; trial++) {
		x = table_new(64, 1, 1, FAB_SELECT_ECMP, fab_mix(trial));
		table_set(&x, 0, 0, n);
		for (set = i = 0; i < flows; i++)
			set |= 1ULL << table_select(&x, 0, i);
		used += __builtin_popcountll(set);
		apart += (u32)__builtin_popcountll(set) == flows;
		free(x.mem);
	}
	want = n * (1 - pow(1 - 1.0 / n, flows));
	EXPECT_NEAR((double)used / trials, want,
		    5 * sqrt(n) / 2 / sqrt(trials));
	EXPECT_NEAR(apart, trials * p, 5 * sqrt(trials * p * (1 - p)));
}

TEST(ecmp_collisions)
{
	ecmp_used(2, 2);
	ecmp_used(64, 4);
	ecmp_used(16, 5);
	ecmp_used(4, 4);
	ecmp_used(8, 8);
	ecmp_used(32, 16);
	ecmp_used(64, 256);
}

/* E15: after any number of packets two ports of a group differ by at most 1. */
TEST(spray_within_one)
{
	struct table x = table_new(16, 3, 3, FAB_SELECT_SPRAY, 5);
	u32 seen[16] = { 0 }, i, j, low, high;

	table_set(&x, 0, 4, 5);
	table_set(&x, 1, 4, 5);
	for (i = 0; i < 1000; i++) {
		seen[table_select(&x, i * 7 % 3 % 2, i)]++;
		for (low = high = seen[4], j = 5; j < 9; j++) {
			low = min(low, seen[j]);
			high = max(high, seen[j]);
		}
		EXPECT(high - low <= 1);
	}
	free(x.mem);
}

TEST(spray_start_is_seeded)
{
	u32 salt, seen = 0;
	struct table x;

	for (salt = 0; salt < 64; salt++) {
		x = table_new(8, 1, 1, FAB_SELECT_SPRAY, fab_mix(salt));
		table_set(&x, 0, 0, 8);
		seen |= 1U << table_select(&x, 0, 0);
		free(x.mem);
	}
	EXPECT_EQ(seen, 0xff);
}

/* A table of 4 destinations with an LMC. */
static struct table lmc_new(u32 lmc, u32 groups, u64 salt)
{
	struct fab_route_params p = {
		.ports = 128, .dsts = 4, .groups = groups, .lmc = lmc,
	};

	return table_make(&p, salt);
}

/*
 * Path p of a destination leads to port p: the port is the path of the flow, at
 * every switch; flows fall on the 2^lmc paths evenly: chi-square with 2^lmc - 1
 * degrees of freedom.
 */
static void lmc_paths(u32 lmc)
{
	struct table x = lmc_new(lmc, 128, 1), y = lmc_new(lmc, 128, 2);
	const u32 paths = 1 << lmc, flows = 1000 << lmc;
	u32 seen[128] = { 0 }, flow;
	double chi = 0;
	u16 port;

	for (port = 0; port < paths; port++) {
		EXPECT_EQ(fab_route_set_path(&x.t, 1, port, &port, 1), 0);
		EXPECT_EQ(fab_route_set_path(&y.t, 1, port, &port, 1), 0);
		EXPECT(fab_route_get_path(&x.t, 1, port) ==
		       &x.t.group[port]);
	}
	for (flow = 0; flow < flows; flow++) {
		port = table_select(&x, 1, flow);
		EXPECT_EQ(port, fab_route_path(flow, lmc));
		EXPECT_EQ(table_select(&y, 1, flow), port);
		seen[port]++;
	}
	for (port = 0; port < paths; port++) {
		EXPECT(seen[port] > 0);
		chi += pow(seen[port] - 1000.0, 2) / 1000;
	}
	EXPECT_NEAR(chi, 0, chi_limit(paths - 1));
	EXPECT(table_select(&x, 0, 1) == -1);
	EXPECT(table_select(&x, 2, 1) == -1);
	free(x.mem);
	free(y.mem);
}

TEST(lmc_path_is_of_the_flow)
{
	lmc_paths(1);
	lmc_paths(3);
	lmc_paths(7);
}

/* Entries change alone or together; those of other destinations do not. */
static void lmc_entries(u32 lmc)
{
	const u32 paths = 1 << lmc;
	struct table x = lmc_new(lmc, 2, 1);
	const struct fab_group *all;
	u16 port = 9;
	u32 path;

	table_set(&x, 1, 3, 2);
	table_set(&x, 3, 3, 2);
	table_set(&x, 3, 3, 2);
	all = fab_route_get(&x.t, 1);
	EXPECT_EQ(all->users, 2 * paths);
	EXPECT_EQ(fab_route_del(&x.t, 3), 0);
	EXPECT_EQ(all->users, paths);
	EXPECT_EQ(fab_route_set_path(&x.t, 1, paths - 1, &port, 1), 0);
	EXPECT_EQ(fab_route_get_path(&x.t, 1, paths - 1)->member[0], 9);
	EXPECT_EQ(all->users, paths - 1);
	for (path = 0; path + 1 < paths; path++)
		EXPECT(fab_route_get_path(&x.t, 1, path) == all);
	EXPECT(!fab_route_get_path(&x.t, 1, paths));
	EXPECT(fab_route_set_path(&x.t, 1, paths, &port, 1) == -EINVAL);
	EXPECT(fab_route_set_path(&x.t, 4, 0, &port, 1) == -EINVAL);
	EXPECT(fab_route_set_path(&x.t, 1, 0, &port, 0) == -EINVAL);
	EXPECT(!fab_route_get_path(&x.t, 0, paths - 1));
	EXPECT(!fab_route_get(&x.t, 2));
	EXPECT_EQ(fab_route_del(&x.t, 1), 0);
	EXPECT(fab_route_del(&x.t, 1) == -ENOENT);
	EXPECT(!fab_route_get_path(&x.t, 1, paths - 1));
	EXPECT_EQ(all->users, 0);
	free(x.mem);
}

TEST(lmc_entries_are_separate)
{
	lmc_entries(1);
	lmc_entries(2);
	lmc_entries(7);
}

/* One path without a route: its flows have none, the others do. */
TEST(lmc_path_without_route)
{
	struct table x = lmc_new(2, 1, 1);
	u16 port = 5;
	u32 flow;

	EXPECT_EQ(fab_route_set_path(&x.t, 0, 2, &port, 1), 0);
	EXPECT(!fab_route_get(&x.t, 0));
	for (flow = 0; flow < 100; flow++)
		EXPECT(table_select(&x, 0, flow) ==
		       (fab_route_path(flow, 2) == 2 ? 5 : -1));
	EXPECT_EQ(fab_route_del(&x.t, 0), 0);
	free(x.mem);
}

/* A full table: the paths' own group may be used again, another one may not. */
TEST(lmc_full_table)
{
	struct table x = lmc_new(2, 2, 1);
	u16 port = 5;

	table_set(&x, 0, 0, 2);
	table_set(&x, 1, 2, 2);
	EXPECT(fab_route_set_path(&x.t, 1, 3, &port, 1) == -ENOSPC);
	EXPECT_EQ(fab_route_get_path(&x.t, 1, 3)->n, 2);
	table_set(&x, 1, 5, 1);
	EXPECT_EQ(fab_route_get_path(&x.t, 1, 3)->member[0], 5);
	EXPECT_EQ(fab_route_get(&x.t, 1)->users, 4);
	EXPECT_EQ(fab_route_get(&x.t, 0)->users, 4);
	free(x.mem);
}

#define REFUSE(field, value, err)					\
	do {								\
		struct fab_route_params p_ = good;			\
									\
		p_.field = (value);					\
		EXPECT(fab_route_params_check(&p_) == (err));		\
	} while (0)

TEST(refusals)
{
	struct fab_route_params good = {
		.ports = 4, .dsts = 1 << 24, .groups = 4, .lmc = 7,
		.select = FAB_SELECT_FLOWLET, .flowlets = 1024,
	};

	EXPECT_EQ(fab_route_params_check(&good), 0);
	REFUSE(lmc, 8, -ERANGE);
	REFUSE(dsts, 1 << 25, -ERANGE);
	REFUSE(groups, FAB_NO_GROUP, -ERANGE);
	REFUSE(flowlets, 2 * FAB_FLOWLETS_MAX, -ERANGE);
	REFUSE(flowlet_gap, FAB_DELAY_MAX + 1, -ERANGE);
	REFUSE(flowlets, 1000, -EINVAL);
	REFUSE(flowlets, 0, -EINVAL);
	REFUSE(select, FAB_SELECT_ADAPTIVE, -EINVAL);
	REFUSE(select, __FAB_SELECT_MAX, -EINVAL);
}
