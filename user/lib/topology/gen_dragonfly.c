// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generator of dragonflies (Kim, Dally, Scott, Abts: "Technology-driven, highly
 * scalable dragonfly topology", ISCA 2008).
 *
 * A group has a switches. Each of them has p hosts, a link to each other switch of the
 * group and h links to other groups. There is one link between any two groups, which
 * makes a h + 1 groups. So a path has at most three links between switches: in the
 * source group, to the destination group, and in that group.
 *
 * Link k of a group, 0 to a h - 1, is on switch k / h. The arrangement says to which
 * group it goes (Hastings et al.: "Comparing global link arrangements for dragonfly
 * networks", CLUSTER 2015). Absolute, also called consecutive: to group k if k is
 * lower than its own group, else to k + 1. Relative: to the group k + 1 after its
 * own, modulo the number of groups.
 */
#include <inttypes.h>

#include "topology/topo.h"
#include "topology/topo_generate.h"

#define PORTS_MAX	1024

/**
 * struct dragonfly - numbers of a dragonfly
 * @p: hosts per switch
 * @a: switches per group
 * @h: links of a switch to other groups
 * @groups: number of groups
 * @relative: the arrangement is relative, not absolute
 */
struct dragonfly {
	uint64_t p;
	uint64_t a;
	uint64_t h;
	uint64_t groups;
	uint32_t relative;
};

static int take_numbers(struct weft_gen *g, struct dragonfly *d)
{
	static const char *const arrangements[] = {
		"absolute", "relative", NULL
	};

	if (weft_gen_number(g, "p", 1, PORTS_MAX, &d->p) ||
	    weft_gen_number(g, "a", 1, PORTS_MAX, &d->a) ||
	    weft_gen_number(g, "h", 1, PORTS_MAX, &d->h) ||
	    weft_gen_choice(g, "arrangement", arrangements, &d->relative))
		return g->err->code;
	d->groups = d->a * d->h + 1;
	return weft_gen_fits(g, d->groups * d->a * d->p, d->groups * d->a,
			     d->groups * d->a * d->p +
			     d->groups * (d->a * (d->a - 1) / 2) +
			     d->groups * (d->groups - 1) / 2);
}

static void add_hosts(struct weft_gen *g, const struct dragonfly *d)
{
	for (uint64_t i = 0; i < d->groups * d->a; i++)
		weft_gen_link(g, "host-link",
			      weft_gen_range("host", i * d->p, d->p),
			      weft_gen_name("g%" PRIu64 "-s%" PRIu64, i / d->a,
					    i % d->a));
}

/* Each entry links switch i to switch j, in all groups. */
static void add_local(struct weft_gen *g, const struct dragonfly *d)
{
	struct weft_gen_name all = weft_gen_range("g", 0, d->groups);

	for (uint64_t i = 0; i < d->a; i++)
		for (uint64_t j = i + 1; j < d->a; j++)
			weft_gen_link(g, "switch-link",
				      weft_gen_name("%s-s%" PRIu64, all.s,
						    i),
				      weft_gen_name("%s-s%" PRIu64, all.s,
						    j));
}

/* The switch of group @from that has the link to group @to. */
static struct weft_gen_name gateway(const struct dragonfly *d, uint64_t from,
				    uint64_t to)
{
	uint64_t k = to < from ? to : to - 1;

	if (d->relative)
		k = (to + d->groups - from - 1) % d->groups;
	return weft_gen_name("g%" PRIu64 "-s%" PRIu64, from, k / d->h);
}

static void add_global(struct weft_gen *g, const struct dragonfly *d)
{
	for (uint64_t i = 0; i < d->groups; i++)
		for (uint64_t j = i + 1; j < d->groups; j++)
			weft_gen_link(g, "global", gateway(d, i, j),
				      gateway(d, j, i));
}

/* Shortest paths (local, global, local) can deadlock, in a cycle of groups. */
static void set_routing(struct weft_gen *g)
{
	int map = weft_yaml_add_map(g->y);

	if (weft_yaml_key(g->y, 1, "routing"))
		return;
	weft_yaml_put(g->y, map, "policy", weft_yaml_add_text(g->y, "up-down"));
	weft_yaml_put(g->y, 1, "routing", map);
}

/**
 * weft_gen_dragonfly() - generate a dragonfly
 * @g: the design
 *
 * Return: 0 or negative errno.
 */
int weft_gen_dragonfly(struct weft_gen *g)
{
	struct dragonfly d = { 0 };

	if (take_numbers(g, &d))
		return g->err->code;
	set_routing(g);
	weft_gen_nodes(g, weft_gen_range("host", 0, d.groups * d.a * d.p));
	weft_gen_switches(g, "host-link",
			  weft_gen_name("g[0-%" PRIu64 "]-%s", d.groups - 1,
					weft_gen_range("s", 0, d.a).s));
	add_hosts(g, &d);
	add_local(g, &d);
	add_global(g, &d);
	return 0;
}
