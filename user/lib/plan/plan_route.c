// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Forwarding tables of a plan.
 *
 * Unicast: at each switch, the ports by the policy, or the ports to the
 * neighbour that the topology names. Consecutive endpoint ids with the same
 * ports share an entry. Multicast: a spanning tree of the switches, and the
 * ports to the NICs, so that each NIC gets one copy.
 *
 * A NIC that is linked to another NIC directly needs no route.
 */
#include "plan/plan_route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/**
 * struct builder - tables under construction
 * @plan: the plan
 * @g: its graph
 * @ways: paths by the policy
 * @topo: the topology, for the routes that it names
 * @way: index of the first named route to the current NIC or a later one
 * @open: for each switch, index of the entry that may be extended, or -1
 * @ports: ports of the current entry
 * @n: entries of @ports
 * @err: error
 */
struct builder {
	struct weft_plan *plan;
	struct weft_graph *g;
	const struct weft_ways *ways;
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

/* Skip named routes to NICs before @nic; they are in the order of endpoint ids. */
static void seek_way(struct builder *b, uint32_t nic)
{
	uint32_t node = b->plan->nic[nic].node;
	uint32_t k = nic - b->plan->node[node].first;

	while (b->way < b->topo->routes &&
	       compare_way(&b->topo->route[b->way], node, k) < 0)
		b->way++;
}

/* The named neighbour of @sw for packets to @nic, WEFT_FAR if there is none. */
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

/* Collect the ports of @sw that lead to the neighbour @next. */
static void ports_to_switch(struct builder *b, uint32_t sw, uint32_t next)
{
	struct weft_graph *g = b->g;

	b->n = 0;
	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
		const struct weft_edge *e = &g->edge[i];

		if (!e->is_nic && !e->down && e->to == next)
			b->ports[b->n++] = e->port;
	}
}

/* Refuse a torus without the link that dimension-order routing needs. */
static int no_port(struct builder *b, uint32_t sw)
{
	uint32_t target = b->ways->target;
	struct weft_step step;

	if (b->ways->policy != WEFT_POLICY_DIMENSION_ORDER ||
	    b->g->hops[sw] == WEFT_FAR || sw == target)
		return 0;
	weft_torus_next(&b->ways->torus, sw, target, &step);
	return weft_err_set(b->err, WEFT_ERR_USAGE, -EINVAL,
			    "routing: policy dimension-order: %s has no link %s in dimension %u, which the path to %s needs",
			    b->plan->sw[sw].name, step.up ? "up" : "down",
			    step.dim, b->plan->sw[target].name);
}

static bool extends(const struct builder *b, const struct weft_route *r,
		    uint32_t nic)
{
	return r->dst_last == nic - 1 && r->ports == b->n &&
	       !memcmp(r->port, b->ports, b->n * sizeof(*b->ports));
}

static int route_from(struct builder *b, uint32_t sw, uint32_t nic)
{
	uint32_t next = named_next(b, sw, nic);
	struct weft_route *r;

	if (next != WEFT_FAR)
		ports_to_switch(b, sw, next);
	else
		b->n = weft_ways_ports(b->ways, sw, nic, b->ports);
	if (!b->n)
		return no_port(b, sw);
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

/* Other switches treat @nic like the previous NIC of the same switch. */
static void extend_all(struct builder *b, uint32_t nic)
{
	for (uint32_t sw = 0; sw < b->plan->switches; sw++) {
		struct weft_route *r = b->plan->route;

		if (b->open[sw] < 0)
			continue;
		r += b->open[sw];
		if (r->dst_last == nic - 1)
			r->dst_last = nic;
	}
}

static int unicast(struct builder *b, struct weft_ways *ways)
{
	bool alike = !weft_ways_of_nic(ways) && !b->topo->routes;
	const uint32_t *home = ways->home;
	uint32_t target = WEFT_FAR;

	for (uint32_t sw = 0; sw < b->plan->switches; sw++)
		b->open[sw] = -1;
	for (uint32_t nic = 0; nic < b->plan->nics; nic++) {
		if (home[nic] == WEFT_FAR)
			continue;
		if (alike && nic && home[nic - 1] == home[nic]) {
			if (route_from(b, target, nic))
				return b->err->code;
			extend_all(b, nic);
			continue;
		}
		if (home[nic] != target)
			weft_ways_aim(ways, home[nic]);
		target = home[nic];
		seek_way(b, nic);
		for (uint32_t sw = 0; sw < b->plan->switches; sw++)
			if (route_from(b, sw, nic))
				return b->err->code;
	}
	return 0;
}

/* Set @parent of each switch: the link towards the root. */
static void tree_from(struct builder *b, uint32_t root, unsigned int *parent)
{
	struct weft_graph *g = b->g;
	unsigned int i;

	weft_graph_search(g, root);
	for (uint32_t sw = 0; sw < g->switches; sw++) {
		if (g->hops[sw] == WEFT_FAR || sw == root)
			continue;
		i = g->first[sw];
		while (g->edge[i].is_nic || g->edge[i].down ||
		       g->hops[g->edge[i].to] != g->hops[sw] - 1)
			i++;
		parent[sw] = g->edge[i].link;
	}
}

static bool in_tree(const struct weft_edge *e, uint32_t sw,
		    const unsigned int *parent)
{
	if (e->down)
		return false;
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

/* Make a spanning tree of each connected component. */
static int flood(struct builder *b)
{
	unsigned int n = b->plan->switches, *parent;
	int ret = 0;

	parent = malloc((n + 1) * sizeof(*parent));
	if (!parent)
		return weft_err_nomem(b->err);
	for (unsigned int i = 0; i < n; i++)
		parent[i] = UINT32_MAX;
	/* The first switch of each component has no parent: it is the root. */
	for (unsigned int i = 0; i < n; i++)
		if (parent[i] == UINT32_MAX)
			tree_from(b, i, parent);
	for (unsigned int i = 0; !ret && i < n; i++)
		ret = flood_from(b, i, parent);
	free(parent);
	return ret;
}

/**
 * weft_plan_routes() - plan the forwarding tables
 * @plan: the plan, links complete
 * @g: its graph
 * @ways: paths by the policy
 * @topo: the topology
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_plan_routes(struct weft_plan *plan, struct weft_graph *g,
		     struct weft_ways *ways, const struct weft_topo *topo,
		     struct weft_err *err)
{
	struct builder b = {
		.plan = plan, .g = g, .ways = ways, .topo = topo, .err = err,
	};
	int ret;

	b.open = calloc(plan->switches + 1, sizeof(*b.open));
	b.ports = calloc(plan->links * 2 + 1, sizeof(*b.ports));
	if (!b.open || !b.ports) {
		ret = weft_err_nomem(err);
	} else {
		ret = unicast(&b, ways);
		if (!ret)
			ret = flood(&b);
	}
	free(b.open);
	free(b.ports);
	return ret;
}
