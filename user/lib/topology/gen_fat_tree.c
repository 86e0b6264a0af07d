// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators of trees: a single switch, and fat trees.
 *
 * A fat tree of two tiers has leaves and spines; each leaf has the same number of
 * links to each spine. A fat tree of three tiers has k pods of k/2 leaves and k/2
 * aggregation switches, k^2/4 cores and k^3/4 hosts. All its switches have k ports
 * (Al-Fares, Loukissas, Vahdat: "A scalable, commodity data center network
 * architecture", SIGCOMM 2008).
 */
#include "topology/topo.h"
#include "topology/topo_generate.h"

/**
 * struct tree - numbers of a fat tree of two tiers
 * @leaves: switches with hosts
 * @spines: switches without hosts
 * @hosts: hosts per leaf
 * @uplinks: links from each leaf to each spine
 */
struct tree {
	uint64_t leaves;
	uint64_t spines;
	uint64_t hosts;
	uint64_t uplinks;
};

static void add_leaves(struct weft_gen *g, uint64_t leaves, uint64_t hosts)
{
	weft_gen_nodes(g, weft_gen_range("host", 0, leaves * hosts));
	weft_gen_switches(g, "host-link", weft_gen_range("leaf", 0, leaves));
	for (uint64_t i = 0; i < leaves; i++)
		weft_gen_link(g, "host-link",
			      weft_gen_range("host", i * hosts, hosts),
			      weft_gen_range("leaf", i, 1));
}

/**
 * weft_gen_single_switch() - generate one switch with all hosts
 * @g: the design
 *
 * Return: 0 or negative errno.
 */
int weft_gen_single_switch(struct weft_gen *g)
{
	uint64_t hosts = 0;

	if (weft_gen_number(g, "hosts", 1, WEFT_NODES_MAX, &hosts))
		return g->err->code;
	add_leaves(g, 1, hosts);
	return 0;
}

static int two_tiers(struct weft_gen *g)
{
	struct tree t = { 0 };

	if (weft_gen_number(g, "leaves", 1, WEFT_SWITCHES_MAX, &t.leaves) ||
	    weft_gen_number(g, "spines", 1, WEFT_SWITCHES_MAX, &t.spines) ||
	    weft_gen_number(g, "hosts-per-leaf", 1, WEFT_NODES_MAX, &t.hosts) ||
	    weft_gen_uplinks(g, t.hosts, t.spines, &t.uplinks) ||
	    weft_gen_fits(g, t.leaves * t.hosts, t.leaves + t.spines,
			  t.leaves * (t.hosts + t.spines * t.uplinks)))
		return g->err->code;
	add_leaves(g, t.leaves, t.hosts);
	weft_gen_switches(g, "uplink", weft_gen_range("spine", 0, t.spines));
	weft_gen_join(g, "uplink", t.uplinks,
		      weft_gen_range("leaf", 0, t.leaves),
		      weft_gen_range("spine", 0, t.spines));
	return 0;
}

/* Aggregation switch j of each pod has links to k/2 cores, from core j k/2 on. */
static void add_cores(struct weft_gen *g, uint64_t half)
{
	for (uint64_t pod = 0; pod < 2 * half; pod++)
		weft_gen_join(g, "uplink", 1,
			      weft_gen_range("leaf", pod * half, half),
			      weft_gen_range("agg", pod * half, half));
	for (uint64_t i = 0; i < 2 * half * half; i++)
		weft_gen_link(g, "uplink",
			      weft_gen_range("core", i % half * half, half),
			      weft_gen_range("agg", i, 1));
}

static int three_tiers(struct weft_gen *g)
{
	static const char *const others[] = {
		"leaves", "spines", "hosts-per-leaf", "uplinks-per-spine",
		"oversubscription", NULL
	};
	uint64_t k = 0, half;

	for (unsigned int i = 0; others[i]; i++)
		if (weft_gen_has(g, others[i]))
			return weft_place_fail(&g->at, others[i], g->err,
					       "%s: expected this or k, not both",
					       others[i]);
	if (weft_gen_number(g, "k", 2, 128, &k))
		return g->err->code;
	half = k / 2;
	if (k % 2)
		return weft_place_fail(&g->at, "k", g->err,
				       "k: expected an even number of ports");
	if (weft_gen_fits(g, k * half * half, 5 * half * half,
			  3 * k * half * half))
		return g->err->code;
	add_leaves(g, k * half, half);
	weft_gen_switches(g, "uplink", weft_gen_range("agg", 0, k * half));
	weft_gen_switches(g, "uplink", weft_gen_range("core", 0, half * half));
	add_cores(g, half);
	return 0;
}

/**
 * weft_gen_fat_tree() - generate a fat tree of two or three tiers
 * @g: the design
 *
 * Return: 0 or negative errno.
 */
int weft_gen_fat_tree(struct weft_gen *g)
{
	return weft_gen_has(g, "k") ? three_tiers(g) : two_tiers(g);
}
