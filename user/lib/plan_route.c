// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Forwarding tables of a plan.
 *
 * Unicast: from each switch, all ports that begin a shortest path to the
 * destination, or that lead to the neighbour that the topology names.
 * Neighbouring endpoint ids with the same ports share an entry.
 * Multicast: a spanning tree of the switches plus the ports of the NICs, so
 * that each copy reaches each NIC once.
 *
 * A NIC that hangs on another NIC directly needs no route.
 */
#include "plan_route.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

/**
 * struct builder - tables under construction
 * @plan: the plan
 * @g: its graph
 * @home: of each NIC, its switch, WEFT_FAR if it has none
 * @topo: the topology, for the ways that it names
 * @way: the first of them that is not for an earlier NIC
 * @open: of each switch, index of the entry that may still grow, or -1
 * @ports: ports of the entry that is being made
 * @n: how many
 * @err: error
 */
struct builder {
	struct weft_plan *plan;
	struct weft_graph *g;
	uint32_t *home;
	const struct weft_topo *topo;
	unsigned int way;
	long *open;
	uint32_t *ports;
	unsigned int n;
	struct weft_err *err;
};

static struct weft_route *add_route(struct builder *b, uint32_t sw)
{
	struct weft_plan *p = b->plan;
	struct weft_route *r;

	r = weft_array_grow(p->route, p->routes, sizeof(*r));
	if (!r)
		return NULL;
	p->route = r;
	r += p->routes;
	r->port = malloc(b->n * sizeof(*r->port) + 1);
	if (!r->port)
		return NULL;
	memcpy(r->port, b->ports, b->n * sizeof(*r->port));
	r->ports = b->n;
	r->sw = sw;
	p->routes++;
	return r;
}

static int compare_way(const struct weft_topo_route *r, uint32_t node,
		       uint32_t nic)
{
	if (r->node != node)
		return r->node < node ? -1 : 1;
	return r->nic < nic ? -1 : r->nic > nic;
}

/* Skip the ways to NICs before @nic; endpoint ids are in the same order. */
static void seek_way(struct builder *b, uint32_t nic)
{
	uint32_t node = b->plan->nic[nic].node;
	uint32_t k = nic - b->plan->node[node].first;

	while (b->way < b->topo->routes &&
	       compare_way(&b->topo->route[b->way], node, k) < 0)
		b->way++;
}

/* The neighbour that @sw sends what is for @nic to, WEFT_FAR if none is named. */
static uint32_t named_next(const struct builder *b, uint32_t sw, uint32_t nic)
{
	uint32_t node = b->plan->nic[nic].node;
	uint32_t k = nic - b->plan->node[node].first;

	for (unsigned int i = b->way; i < b->topo->routes; i++) {
		const struct weft_topo_route *r = &b->topo->route[i];

		if (compare_way(r, node, k) || r->sw > sw)
			break;
		if (r->sw == sw)
			return r->next;
	}
	return WEFT_FAR;
}

/* Ports of @sw on a shortest path to @nic, whose switch is the target. */
static void ports_to(struct builder *b, uint32_t sw, uint32_t nic)
{
	uint32_t next = named_next(b, sw, nic);
	struct weft_graph *g = b->g;

	b->n = 0;
	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
		const struct weft_edge *e = &g->edge[i];

		if (next != WEFT_FAR) {
			if (!e->is_nic && e->to == next)
				b->ports[b->n++] = e->port;
			continue;
		}
		if (e->is_nic ? e->to == nic :
				g->hops[sw] && g->hops[sw] != WEFT_FAR &&
				g->hops[e->to] == g->hops[sw] - 1)
			b->ports[b->n++] = e->port;
	}
}

static bool extends(const struct builder *b, const struct weft_route *r,
		    uint32_t nic)
{
	return r->dst_last == nic - 1 && r->ports == b->n &&
	       !memcmp(r->port, b->ports, b->n * sizeof(*b->ports));
}

static int route_from(struct builder *b, uint32_t sw, uint32_t nic)
{
	struct weft_route *r;

	ports_to(b, sw, nic);
	if (!b->n)
		return 0;
	if (b->open[sw] >= 0 &&
	    extends(b, &b->plan->route[b->open[sw]], nic)) {
		b->plan->route[b->open[sw]].dst_last = nic;
		return 0;
	}
	r = add_route(b, sw);
	if (!r)
		return weft_err_nomem(b->err);
	r->dst = nic;
	r->dst_last = nic;
	b->open[sw] = r - b->plan->route;
	return 0;
}

static int unicast(struct builder *b)
{
	uint32_t target = WEFT_FAR;

	for (uint32_t nic = 0; nic < b->plan->nics; nic++) {
		if (b->home[nic] == WEFT_FAR)
			continue;
		if (b->home[nic] != target)
			weft_graph_search(b->g, b->home[nic]);
		target = b->home[nic];
		seek_way(b, nic);
		for (uint32_t sw = 0; sw < b->plan->switches; sw++)
			if (route_from(b, sw, nic))
				return b->err->code;
	}
	return 0;
}

/* The link over which the search from the root first came to each switch. */
static void tree_from(struct builder *b, uint32_t root, unsigned int *parent)
{
	struct weft_graph *g = b->g;
	unsigned int i;

	weft_graph_search(g, root);
	for (uint32_t sw = 0; sw < g->switches; sw++) {
		if (g->hops[sw] == WEFT_FAR || sw == root)
			continue;
		i = g->first[sw];
		while (g->edge[i].is_nic ||
		       g->hops[g->edge[i].to] != g->hops[sw] - 1)
			i++;
		parent[sw] = g->edge[i].link;
	}
}

static bool in_tree(const struct weft_edge *e, uint32_t sw,
		    const unsigned int *parent)
{
	return e->is_nic || e->link == parent[sw] || e->link == parent[e->to];
}

static int flood_from(struct builder *b, uint32_t sw,
		      const unsigned int *parent)
{
	struct weft_graph *g = b->g;
	struct weft_route *r;

	b->n = 0;
	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++)
		if (in_tree(&g->edge[i], sw, parent))
			b->ports[b->n++] = g->edge[i].port;
	r = add_route(b, sw);
	if (!r)
		return weft_err_nomem(b->err);
	r->flood = true;
	return 0;
}

/* A forest, in case the switches do not hang together. */
static int flood(struct builder *b)
{
	unsigned int n = b->plan->switches, *parent;
	int ret = 0;

	parent = malloc((n + 1) * sizeof(*parent));
	if (!parent)
		return weft_err_nomem(b->err);
	for (unsigned int i = 0; i < n; i++)
		parent[i] = UINT32_MAX;
	/* Only the first switch of each part is still without a parent. */
	for (unsigned int i = 0; i < n; i++)
		if (parent[i] == UINT32_MAX)
			tree_from(b, i, parent);
	for (unsigned int i = 0; !ret && i < n; i++)
		ret = flood_from(b, i, parent);
	free(parent);
	return ret;
}

static void find_homes(struct builder *b)
{
	struct weft_graph *g = b->g;

	for (uint32_t i = 0; i < b->plan->nics; i++)
		b->home[i] = WEFT_FAR;
	for (uint32_t sw = 0; sw < g->switches; sw++) {
		b->open[sw] = -1;
		for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++)
			if (g->edge[i].is_nic)
				b->home[g->edge[i].to] = sw;
	}
}

/**
 * weft_plan_routes() - plan the forwarding tables
 * @plan: the plan, links complete
 * @g: its graph
 * @topo: the topology
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_plan_routes(struct weft_plan *plan, struct weft_graph *g,
		     const struct weft_topo *topo, struct weft_err *err)
{
	struct builder b = { .plan = plan, .g = g, .topo = topo, .err = err };
	int ret;

	b.home = calloc(plan->nics + 1, sizeof(*b.home));
	b.open = calloc(plan->switches + 1, sizeof(*b.open));
	b.ports = calloc(plan->links * 2 + 1, sizeof(*b.ports));
	if (!b.home || !b.open || !b.ports) {
		ret = weft_err_nomem(err);
	} else {
		find_homes(&b);
		ret = unicast(&b);
		if (!ret)
			ret = flood(&b);
	}
	free(b.home);
	free(b.open);
	free(b.ports);
	return ret;
}
