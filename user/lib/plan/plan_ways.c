// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths to a destination, by the policy of the topology.
 *
 * min-hop uses all ports on shortest paths. The other policies use a part of
 * the ports, so that no lossless class can deadlock (plan_cycles.c proves it),
 * or to spread destinations over links (fat-tree). The path from a switch
 * depends on the destination of a packet only, not on the port through which it
 * came.
 */
#include "plan/plan_ways.h"

#include <errno.h>
#include <stdlib.h>

static void find_homes(struct weft_ways *w)
{
	struct weft_graph *g = w->g;

	for (uint32_t i = 0; i < w->plan->nics; i++)
		w->home[i] = WEFT_FAR;
	for (uint32_t sw = 0; sw < g->switches; sw++)
		for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++)
			if (g->edge[i].is_nic && !g->edge[i].down)
				w->home[g->edge[i].to] = sw;
}

/**
 * weft_ways_make() - prepare to find paths
 * @w: result, to be freed by weft_ways_free() even after an error
 * @plan: the plan, links complete
 * @topo: the topology
 * @g: the plan's graph
 * @err: error, with the reason why the policy does not fit the topology
 *
 * Return: 0 or negative errno.
 */
int weft_ways_make(struct weft_ways *w, const struct weft_plan *plan,
		   const struct weft_topo *topo, struct weft_graph *g,
		   struct weft_err *err)
{
	*w = (struct weft_ways) {
		.plan = plan, .topo = topo, .g = g,
		.policy = topo->routing.policy,
	};
	w->home = calloc(plan->nics + 1, sizeof(*w->home));
	if (!w->home)
		return weft_err_nomem(err);
	find_homes(w);
	if (w->policy == WEFT_POLICY_DIMENSION_ORDER)
		weft_torus_make(&w->torus, topo, g);
	if (w->policy == WEFT_POLICY_UP_DOWN)
		return weft_updown_make(w, err);
	if (w->policy == WEFT_POLICY_FAT_TREE)
		return weft_fat_tree_make(w, err);
	return 0;
}

/**
 * weft_ways_up_down() - change the policy to up-down, which connects any network
 * @w: the paths; links may be down
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_ways_up_down(struct weft_ways *w, struct weft_err *err)
{
	w->policy = WEFT_POLICY_UP_DOWN;
	return w->order ? weft_updown_again(w, err) : weft_updown_make(w, err);
}

/**
 * weft_ways_lose() - find paths without links that are down
 * @w: the paths
 * @down: whether each link of the plan is down
 * @err: error
 *
 * The levels of a fat-tree, the rings of a torus and the order of switches stay
 * as with all links, as long as they connect all connected switches.
 *
 * Return: 0 or negative errno.
 */
int weft_ways_lose(struct weft_ways *w, const bool *down, struct weft_err *err)
{
	w->lost = true;
	weft_graph_lose(w->g, down);
	find_homes(w);
	if (w->policy == WEFT_POLICY_DIMENSION_ORDER)
		return weft_torus_lose(&w->torus, w->g, err);
	return w->order ? weft_updown_again(w, err) : 0;
}

/**
 * weft_ways_aim() - set the target of paths
 * @w: the paths
 * @target: the target switch
 */
void weft_ways_aim(struct weft_ways *w, uint32_t target)
{
	w->target = target;
	weft_graph_search(w->g, target);
	if (w->order)
		weft_updown_aim(w);
}

/**
 * weft_ways_of_nic() - may paths to NICs of one switch differ before that switch?
 * @w: the paths
 *
 * Return: whether they may differ.
 */
bool weft_ways_of_nic(const struct weft_ways *w)
{
	return w->policy == WEFT_POLICY_FAT_TREE;
}

static bool is_shorter(const struct weft_ways *w, uint32_t sw,
		       const struct weft_edge *e)
{
	return w->g->hops[e->to] == w->g->hops[sw] - 1;
}

/* A packet may have come down already: it must not go up if a path leads down. */
static bool is_legal(const struct weft_ways *w, uint32_t sw,
		     const struct weft_edge *e)
{
	bool up = w->place[e->to] < w->place[sw];

	if (w->down[sw] != WEFT_FAR)
		return !up && w->down[e->to] == w->down[sw] - 1;
	return up && w->legal[sw] != WEFT_FAR &&
	       w->legal[e->to] == w->legal[sw] - 1;
}

static bool is_in_order(const struct weft_ways *w, uint32_t sw,
			const struct weft_edge *e)
{
	struct weft_step want, step = weft_torus_step(&w->torus, sw, e->to);

	weft_torus_next(&w->torus, sw, w->target, &want);
	return step.dim == want.dim && step.up == want.up;
}

static bool leads(const struct weft_ways *w, uint32_t sw,
		  const struct weft_edge *e)
{
	if (w->order)
		return is_legal(w, sw, e);
	if (w->policy == WEFT_POLICY_DIMENSION_ORDER)
		return is_in_order(w, sw, e);
	return is_shorter(w, sw, e);
}

/*
 * D-mod-k: consecutive destinations use consecutive ports, on the way up and
 * among parallel links on the way down. Each level divides by the number of
 * destinations that the levels below have already spread.
 */
static uint32_t spread(const struct weft_ways *w, uint32_t sw, uint32_t nic,
		       unsigned int n)
{
	uint32_t level = w->level[sw];

	if (w->down[sw] != WEFT_FAR)
		level--;
	return w->number[nic] / w->stride[level] % n;
}

/**
 * weft_ways_ports() - find the ports that lead to a NIC
 * @w: the paths; the target is the switch of the NIC
 * @sw: a switch
 * @nic: the NIC
 * @ports: result, with room for all ports of @sw
 *
 * Return: number of ports.
 */
unsigned int weft_ways_ports(const struct weft_ways *w, uint32_t sw,
			     uint32_t nic, uint32_t *ports)
{
	const struct weft_graph *g = w->g;
	unsigned int n = 0;

	if (sw != w->target && g->hops[sw] == WEFT_FAR)
		return 0;
	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
		const struct weft_edge *e = &g->edge[i];

		if (e->down)
			continue;
		if (sw == w->target ? e->is_nic && e->to == nic :
				      !e->is_nic && leads(w, sw, e))
			ports[n++] = e->port;
	}
	if (n > 1 && weft_ways_of_nic(w)) {
		ports[0] = ports[spread(w, sw, nic, n)];
		n = 1;
	}
	return n;
}

/**
 * weft_ways_free() - free the memory of weft_ways_make()
 * @w: the paths
 */
void weft_ways_free(struct weft_ways *w)
{
	free(w->home);
	free(w->order);
	free(w->place);
	free(w->level);
	free(w->down);
	free(w->legal);
	free(w->number);
	free(w->stride);
	weft_torus_free(&w->torus);
	*w = (struct weft_ways) { 0 };
}
