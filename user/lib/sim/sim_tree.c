// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The aggregation nodes of a group, by its tree (plan_tree.c).
 */
#include "sim/sim_reduce.h"

#include <errno.h>
#include <stdlib.h>

#include "plan/plan_tree.h"

static int add_node(struct weft_sim *sim, const struct weft_sim_group *g,
		    const struct weft_tree_node *node, struct weft_err *err)
{
	struct weft_sim_reduce *all = sim->reduce;
	struct fab_reduce_params p = {
		.group = g->id, .children = node->children, .child = node->child,
		.parent = node->parent == WEFT_TREE_ROOT ? FAB_REDUCE_ROOT :
							   (u16)node->parent,
		.slots = g->slots, .latency = node->latency,
		.to = g->store ? FAB_REDUCE_OWNER : FAB_REDUCE_ALL,
	};
	void *mem = weft_sim_alloc(sim, 1, fab_reduce_mem(&p));

	if (!mem)
		return weft_err_nomem(err);
	fab_reduce_init(&sim->fab, &sim->sw[node->sw], &all->node[all->nodes++], &p, mem);
	return 0;
}

static int check_room(const struct weft_sim *sim, const struct weft_tree_node *node,
		      struct weft_err *err)
{
	if (fab_reduce_count(&sim->sw[node->sw]) < node->groups)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EBUSY,
			    "%s has %u groups already, which is its reduce-groups",
			    sim->plan->sw[node->sw].name, node->groups);
}

/* A streaming tree, if all of its switches may have another one. */
static void set_kind(struct weft_sim *sim, struct weft_sim_group *g, const struct weft_tree *t)
{
	u32 *streams = sim->reduce->streams;

	for (unsigned int i = 0; i < t->nodes; i++)
		if (streams[t->node[i].sw] >= t->node[i].streams)
			g->small = t->small;
	for (unsigned int i = 0; !g->small && i < t->nodes; i++)
		streams[t->node[i].sw]++;
}

static int add_nodes(struct weft_sim *sim, struct weft_sim_group *g,
		     const struct weft_tree *t, struct weft_err *err)
{
	if (g->store && weft_tree_check_owners(t, err))
		return err->code;
	g->slots = t->slots;
	set_kind(sim, g, t);
	for (unsigned int i = 0; i < t->nodes; i++)
		if (check_room(sim, &t->node[i], err) || add_node(sim, g, &t->node[i], err))
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
	u32 *nic = calloc(sim->plan->nodes + 1, sizeof(*nic));
	struct weft_tree t = { 0 };
	unsigned int n = 0;
	int ret;

	if (!nic)
		return weft_err_nomem(err);
	for (u32 i = 0; i < sim->plan->nodes; i++)
		if (g->leaf[i].group)
			nic[n++] = g->leaf[i].nic->ep.id;
	ret = weft_tree_make(&t, sim->plan, NULL, nic, n, err);
	if (!ret)
		ret = add_nodes(sim, g, &t, err);
	weft_tree_free(&t);
	free(nic);
	return ret;
}
