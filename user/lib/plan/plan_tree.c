// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree of a group whose switches reduce.
 *
 * Of all switches, the root is one from which the group's farthest NIC is nearest, the
 * first if there are several. Each other switch has as its parent the neighbour by which a
 * search from the root came first.
 */
#include "plan/plan_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_graph.h"

/**
 * struct build - a tree in progress
 * @t: the tree
 * @graph: the switches
 * @home: by NIC of the group: edge of its switch that leads to it
 * @nics: entries of @home
 * @parent: by switch: the edge to its parent; WEFT_FAR at the root
 * @used: by switch: children so far
 * @is_child: by edge: it leads to a child
 */
struct build {
	struct weft_tree *t;
	struct weft_graph graph;
	unsigned int *home;
	unsigned int nics;
	unsigned int *parent;
	uint32_t *used;
	bool *is_child;
};

static uint32_t switch_of(const struct weft_graph *g, unsigned int edge)
{
	uint32_t low = 0, high = g->switches, mid;

	while (high - low > 1) {
		mid = (low + high) / 2;
		if (g->first[mid] <= edge)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static unsigned int find_edge(const struct weft_graph *g, uint32_t sw, uint32_t port)
{
	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++)
		if (g->edge[i].port == port)
			return i;
	return WEFT_FAR;
}

/* The edge to each NIC of the group. */
static int find_homes(struct build *b, const struct weft_plan *plan, const uint32_t *nic,
		      struct weft_err *err)
{
	const struct weft_graph *g = &b->graph;
	unsigned int *at = malloc((plan->nics + 1) * sizeof(*at));
	int ret = 0;

	if (!at)
		return weft_err_nomem(err);
	memset(at, 0xff, (plan->nics + 1) * sizeof(*at));
	for (unsigned int i = 0; i < g->first[g->switches]; i++)
		if (g->edge[i].is_nic && !g->edge[i].down)
			at[g->edge[i].to] = i;
	for (unsigned int i = 0; !ret && i < b->nics; i++) {
		b->home[i] = at[nic[i]];
		if (b->home[i] == WEFT_FAR)
			ret = weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
					   "%s has no link to a switch",
					   plan->nic[nic[i]].nic.name);
	}
	free(at);
	return ret;
}

/* Search from a root. Returns the depth of the farthest NIC; WEFT_FAR: not all are reached. */
static uint32_t search(struct build *b, uint32_t root)
{
	uint32_t deepest = 0, depth;

	weft_graph_search(&b->graph, root);
	for (unsigned int i = 0; i < b->nics; i++) {
		depth = b->graph.hops[switch_of(&b->graph, b->home[i])];
		if (depth == WEFT_FAR)
			return WEFT_FAR;
		if (depth > deepest)
			deepest = depth;
	}
	return deepest;
}

static int find_root(struct build *b, uint32_t *root, struct weft_err *err)
{
	uint32_t depth;

	b->t->depth = WEFT_FAR;
	for (uint32_t i = 0; i < b->graph.switches; i++) {
		depth = search(b, i);
		if (depth >= b->t->depth)
			continue;
		b->t->depth = depth;
		*root = i;
	}
	if (b->t->depth == WEFT_FAR)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "no switch reaches all nodes that reduce together");
	return 0;
}

/* Of each switch the edge by which a search from the root came to it first. */
static void find_parents(struct build *b, uint32_t root)
{
	struct weft_graph *g = &b->graph;
	unsigned int head = 0, tail = 0;

	memset(b->parent, 0xff, g->switches * sizeof(*b->parent));
	g->queue[tail++] = root;
	while (head < tail) {
		uint32_t sw = g->queue[head++];

		for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
			const struct weft_edge *e = &g->edge[i];

			if (e->is_nic || e->down || e->to == root ||
			    b->parent[e->to] != WEFT_FAR)
				continue;
			b->parent[e->to] = find_edge(g, e->to, e->far);
			g->queue[tail++] = e->to;
		}
	}
}

/* An edge leads to a child; it is the first time for its switch if it had none. */
static bool add_child(struct build *b, unsigned int edge, uint32_t sw)
{
	if (b->is_child[edge])
		return false;
	b->is_child[edge] = true;
	return !b->used[sw]++;
}

/* The way of a NIC up to the root, or to where another one has been. */
static void climb(struct build *b, unsigned int edge)
{
	const struct weft_graph *g = &b->graph;
	uint32_t sw = switch_of(g, edge);

	while (add_child(b, edge, sw) && b->parent[sw] != WEFT_FAR) {
		const struct weft_edge *up = &g->edge[b->parent[sw]];

		edge = find_edge(g, up->to, up->far);
		sw = up->to;
	}
}

/* What the switch can do. */
static void set_capacity(struct weft_tree *t, struct weft_tree_node *node,
			 const struct weft_switch *sw)
{
	uint32_t slots = sw->reduce_slots ? sw->reduce_slots : WEFT_REDUCE_SLOTS;
	uint32_t small = sw->reduce_small ? sw->reduce_small : WEFT_REDUCE_SMALL;

	node->latency = sw->has & WEFT_SWITCH_HAS_REDUCE_LATENCY ? sw->reduce_latency :
								   WEFT_REDUCE_LATENCY;
	node->groups = sw->reduce_groups ? sw->reduce_groups : WEFT_REDUCE_GROUPS;
	node->streams = sw->reduce_streams ? sw->reduce_streams : node->groups;
	if (!t->slots || slots < t->slots)
		t->slots = slots;
	if (!t->small || small < t->small)
		t->small = small;
}

static int write_nodes(struct build *b, const struct weft_plan *plan, struct weft_err *err)
{
	const struct weft_graph *g = &b->graph;
	struct weft_tree *t = b->t;
	uint16_t *child;

	t->node = calloc(g->switches + 1, sizeof(*t->node));
	t->child = calloc(g->first[g->switches] + 1, sizeof(*t->child));
	child = t->child;
	if (!t->node || !t->child)
		return weft_err_nomem(err);
	for (uint32_t sw = 0; sw < g->switches; sw++) {
		struct weft_tree_node *node = &t->node[t->nodes];

		if (!b->used[sw])
			continue;
		t->nodes++;
		node->sw = sw;
		set_capacity(t, node, &plan->sw[sw]);
		node->parent = b->parent[sw] == WEFT_FAR ? WEFT_TREE_ROOT :
							   g->edge[b->parent[sw]].port;
		node->children = b->used[sw];
		node->child = child;
		for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++)
			if (b->is_child[i])
				*child++ = (uint16_t)g->edge[i].port;
	}
	return 0;
}

static int build(struct build *b, const struct weft_plan *plan, const uint32_t *nic,
		 struct weft_err *err)
{
	uint32_t root = 0;

	if (find_homes(b, plan, nic, err) || find_root(b, &root, err))
		return err->code;
	find_parents(b, root);
	for (unsigned int i = 0; i < b->nics; i++)
		climb(b, b->home[i]);
	return write_nodes(b, plan, err);
}

/**
 * weft_tree_make() - make the tree of a group
 * @t: result, to be freed by weft_tree_free() even after an error
 * @plan: the plan
 * @down: whether each link is down; NULL: none is
 * @nic: the NICs of the group
 * @nics: entries of @nic, 1 at least
 * @err: error
 *
 * Return: 0 or negative errno; -EOPNOTSUPP if no switch reaches all of them.
 */
int weft_tree_make(struct weft_tree *t, const struct weft_plan *plan, const bool *down,
		   const uint32_t *nic, unsigned int nics, struct weft_err *err)
{
	struct build b = { .t = t, .nics = nics };
	int ret;

	*t = (struct weft_tree) { 0 };
	ret = weft_graph_make(&b.graph, plan, err);
	if (!ret) {
		if (down)
			weft_graph_lose(&b.graph, down);
		b.home = calloc(nics + 1, sizeof(*b.home));
		b.parent = calloc(plan->switches + 1, sizeof(*b.parent));
		b.used = calloc(plan->switches + 1, sizeof(*b.used));
		b.is_child = calloc(2 * plan->links + 1, sizeof(*b.is_child));
		ret = b.home && b.parent && b.used && b.is_child ?
		      build(&b, plan, nic, err) : weft_err_nomem(err);
	}
	free(b.home);
	free(b.parent);
	free(b.used);
	free(b.is_child);
	weft_graph_free(&b.graph);
	return ret;
}

/**
 * weft_tree_check_owners() - can results have owners that store them to all (NVLS)?
 * @t: the tree
 * @err: error
 *
 * Return: 0; -EOPNOTSUPP if it has several switches.
 */
int weft_tree_check_owners(const struct weft_tree *t, struct weft_err *err)
{
	if (!t->depth)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
			    "nvls: expected all nodes at one switch of NVLink");
}

/**
 * weft_tree_free() - free a tree
 * @t: the tree
 */
void weft_tree_free(struct weft_tree *t)
{
	free(t->node);
	free(t->child);
	*t = (struct weft_tree) { 0 };
}
