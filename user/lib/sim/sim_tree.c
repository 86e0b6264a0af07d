// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree of a group whose switches reduce.
 *
 * Of all switches, the root is one from which the group's farthest NIC is nearest, the
 * first if there are several. Each other switch has as its parent the neighbour by which a
 * search from the root came first.
 */
#include "sim/sim_reduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REDUCE_LATENCY	(100 * FAB_PS_PER_NS)	/* a choice, not published */
#define NONE		UINT32_MAX

/**
 * struct tree - a tree of a group in progress
 * @sim: the simulation
 * @g: the group
 * @depth: by switch: links from the root; NONE: not reached
 * @parent: by switch: its port to the parent
 * @queue: switches that were reached, in order
 * @used: by switch: children in the tree
 * @child: the ports of all of them; those of switch s begin at its first port
 * @first: by switch: its first port among all
 */
struct tree {
	struct weft_sim *sim;
	struct weft_sim_group *g;
	u32 *depth;
	u32 *parent;
	u32 *queue;
	u32 *used;
	u16 *child;
	u32 *first;
};

/* Search from a switch. Returns the depth of the farthest NIC; NONE: not all are reached. */
static u32 tree_search(struct tree *t, u32 root)
{
	const struct weft_plan *p = t->sim->plan;
	u32 n = 0, deepest = 0;

	memset(t->depth, 0xff, p->switches * sizeof(*t->depth));
	t->depth[root] = 0;
	t->parent[root] = FAB_REDUCE_ROOT;
	t->queue[n++] = root;
	for (u32 i = 0; i < n; i++) {
		struct fab_switch *sw = &t->sim->sw[t->queue[i]];

		for (u32 k = 0; k < sw->p.ports; k++) {
			struct fab_port *far = sw->port[k].peer;

			if (!far || !far->sw || !sw->port[k].wire.up ||
			    t->depth[far->sw->id] != NONE)
				continue;
			t->depth[far->sw->id] = t->depth[sw->id] + 1;
			t->parent[far->sw->id] = far->index;
			t->queue[n++] = far->sw->id;
		}
	}
	for (u32 i = 0; i < p->nodes; i++) {
		u32 depth;

		if (!t->g->leaf[i].group)
			continue;
		depth = t->depth[t->g->leaf[i].nic->ep.port.peer->sw->id];
		if (depth == NONE)
			return NONE;
		deepest = max(deepest, depth);
	}
	return deepest;
}

static int find_root(struct tree *t, struct weft_err *err)
{
	u32 best = NONE, root = 0, depth;

	for (u32 i = 0; i < t->sim->plan->switches; i++) {
		depth = tree_search(t, i);
		if (depth >= best)
			continue;
		best = depth;
		root = i;
	}
	if (best == NONE)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "no switch reaches all nodes that reduce together");
	if (best && t->g->store)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "nvls: expected all nodes at one switch of NVLink");
	tree_search(t, root);
	return 0;
}

/* A port leads to a child; it is the first time for @sw if it had none. */
static bool tree_child(struct tree *t, const struct fab_port *port)
{
	u16 *child = &t->child[t->first[port->sw->id]];
	u32 *n = &t->used[port->sw->id];

	for (u32 i = 0; i < *n; i++)
		if (child[i] == port->index)
			return false;
	child[(*n)++] = (u16)port->index;
	return *n == 1;
}

/* The way of a NIC up to the root, or to where another one has been. */
static void tree_climb(struct tree *t, const struct fab_port *nic)
{
	const struct fab_port *port = nic->peer;

	while (tree_child(t, port)) {
		u32 up = t->parent[port->sw->id];

		if (up == FAB_REDUCE_ROOT)
			return;
		port = port->sw->port[up].peer;
	}
}

static int by_number(const void *a, const void *b)
{
	return (int)*(const u16 *)a - (int)*(const u16 *)b;
}

static int add_node(struct tree *t, u32 sw, struct weft_err *err)
{
	struct weft_sim_reduce *all = t->sim->reduce;
	struct fab_reduce_params p = {
		.group = t->g->id, .children = t->used[sw], .child = &t->child[t->first[sw]],
		.parent = (u16)t->parent[sw], .slots = t->g->slots, .latency = REDUCE_LATENCY,
		.to = t->g->store ? FAB_REDUCE_OWNER : FAB_REDUCE_ALL,
	};
	void *mem = calloc(1, fab_reduce_mem(&p));

	if (!mem)
		return weft_err_nomem(err);
	qsort(&t->child[t->first[sw]], p.children, sizeof(*t->child), by_number);
	all->mem[all->nodes] = mem;
	fab_reduce_init(&t->sim->fab, &t->sim->sw[sw], &all->node[all->nodes++], &p, mem);
	return 0;
}

static int build_tree(struct tree *t, struct weft_err *err)
{
	const struct weft_plan *p = t->sim->plan;

	if (find_root(t, err))
		return err->code;
	memset(t->used, 0, p->switches * sizeof(*t->used));
	for (u32 i = 0; i < p->nodes; i++)
		if (t->g->leaf[i].group)
			tree_climb(t, &t->g->leaf[i].nic->ep.port);
	for (u32 i = 0; i < p->switches; i++)
		if (t->used[i] && add_node(t, i, err))
			return err->code;
	return 0;
}

/**
 * weft_sim_tree() - make the tree of a group
 * @sim: the simulation
 * @g: the group, with its members
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_tree(struct weft_sim *sim, struct weft_sim_group *g, struct weft_err *err)
{
	const u32 n = sim->plan->switches;
	struct tree t = {
		.sim = sim, .g = g, .depth = calloc(n + 1, sizeof(*t.depth)),
		.parent = calloc(n + 1, sizeof(*t.parent)),
		.queue = calloc(n + 1, sizeof(*t.queue)),
		.used = calloc(n + 1, sizeof(*t.used)),
		.first = calloc(n + 1, sizeof(*t.first)),
	};
	int ret = weft_err_nomem(err);

	if (t.depth && t.parent && t.queue && t.used && t.first) {
		for (u32 i = 0; i < n; i++)
			t.first[i + 1] = t.first[i] + sim->plan->sw[i].ports;
		t.child = calloc(t.first[n] + 1, sizeof(*t.child));
		if (t.child)
			ret = build_tree(&t, err);
	}
	free(t.depth);
	free(t.parent);
	free(t.queue);
	free(t.used);
	free(t.first);
	free(t.child);
	return ret;
}
