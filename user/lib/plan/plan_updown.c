// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Up-down routing: paths lead up first, then down, and never up again.
 *
 * All switches have one order from the top down. A link leads up to the switch
 * that is earlier in the order. Neither links up nor links down alone make a
 * cycle, and no path goes from a link down to a link up. So there is no cycle
 * of waiting buffers (Autonet: Schroeder and others, IEEE JSAC 9(8), 1991;
 * OpenSM's updn).
 *
 * The order is by the distance to the named roots. Without roots, switches
 * farther from NICs are above nearer ones, as in every tree of which only the
 * leaves have NICs. If two NICs cannot reach each other in that order, it is by
 * the distance to the switch in the middle, which connects any network. Equal
 * switches are ordered by their numbers.
 */
#include "plan/plan_ways.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct rank - sort key of a switch, from top to bottom
 * @level: first key; larger is higher
 * @depth: second key; smaller is higher
 * @sw: the switch, third key; smaller is higher
 */
struct rank {
	uint32_t level;
	uint32_t depth;
	uint32_t sw;
};

static int compare(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->sw < y->sw ? -1 : 1;
}

/* Distance of the farthest switch in the result of a search. */
static uint32_t farthest(const struct weft_graph *g)
{
	uint32_t far = 0;

	for (uint32_t i = 0; i < g->switches; i++)
		if (g->hops[i] != WEFT_FAR && g->hops[i] > far)
			far = g->hops[i];
	return far;
}

/* Find the middle of the component of @sw, and mark its switches in @seen. */
static uint32_t find_middle(struct weft_graph *g, uint32_t sw, bool *seen,
			    uint32_t *part)
{
	uint32_t best = WEFT_FAR, middle = sw, n = 0, far;

	weft_graph_search(g, sw);
	for (uint32_t i = 0; i < g->switches; i++)
		if (g->hops[i] != WEFT_FAR)
			part[n++] = i;
	for (uint32_t i = 0; i < n; i++) {
		seen[part[i]] = true;
		weft_graph_search(g, part[i]);
		far = farthest(g);
		if (far < best) {
			best = far;
			middle = part[i];
		}
	}
	return middle;
}

/* Collect one switch of each connected component in @roots. */
static unsigned int find_roots(struct weft_ways *w, uint32_t *roots, bool *seen,
			       uint32_t *part)
{
	unsigned int n = 0;

	for (uint32_t sw = 0; sw < w->g->switches; sw++)
		if (!seen[sw])
			roots[n++] = find_middle(w->g, sw, seen, part);
	return n;
}

/* Sort by the levels if @by_level, then by the distance to @roots. */
static void put_in_order(struct weft_ways *w, struct rank *rank, bool by_level,
			 const uint32_t *roots, unsigned int n)
{
	weft_graph_search_all(w->g, roots, n);
	for (uint32_t i = 0; i < w->g->switches; i++)
		rank[i] = (struct rank) {
			by_level ? w->level[i] : 0, w->g->hops[i], i
		};
	qsort(rank, w->g->switches, sizeof(*rank), compare);
	for (uint32_t i = 0; i < w->g->switches; i++) {
		w->order[i] = rank[i].sw;
		w->place[rank[i].sw] = i;
	}
}

static bool has_nics(const struct weft_graph *g, uint32_t sw)
{
	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++)
		if (g->edge[i].is_nic)
			return true;
	return false;
}

/* Find two connected switches with NICs that have no legal path. */
static bool find_gap(struct weft_ways *w, uint32_t *from, uint32_t *to)
{
	const struct weft_graph *g = w->g;

	for (*to = 0; *to < g->switches; ++*to) {
		if (!has_nics(g, *to))
			continue;
		weft_ways_aim(w, *to);
		for (*from = 0; *from < g->switches; ++*from)
			if (g->hops[*from] != WEFT_FAR &&
			    w->legal[*from] == WEFT_FAR && has_nics(g, *from))
				return true;
	}
	return false;
}

static void find_levels(struct weft_ways *w, uint32_t *leaves)
{
	unsigned int n = 0;

	for (uint32_t sw = 0; sw < w->g->switches; sw++)
		if (has_nics(w->g, sw))
			leaves[n++] = sw;
	weft_graph_search_all(w->g, leaves, n);
	memcpy(w->level, w->g->hops, w->g->switches * sizeof(*w->level));
}

static int gap_error(const struct weft_ways *w, const char *policy,
		     uint32_t from, uint32_t to, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "routing: policy %s: there is no path from %s to %s that leads up first and then down",
			    policy, w->plan->sw[from].name,
			    w->plan->sw[to].name);
}

static int choose_order(struct weft_ways *w, struct rank *rank, uint32_t *roots,
			bool *seen, struct weft_err *err)
{
	const struct weft_topo_routing *r = &w->topo->routing;
	uint32_t from, to;
	unsigned int n;

	if (r->roots) {
		put_in_order(w, rank, false, r->root, r->roots);
		if (!find_gap(w, &from, &to))
			return 0;
		if (!w->lost)
			return gap_error(w, "up-down", from, to, err);
	}
	n = find_roots(w, roots, seen, w->order);
	put_in_order(w, rank, true, roots, n);
	if (!find_gap(w, &from, &to))
		return 0;
	if (w->policy == WEFT_POLICY_FAT_TREE && !w->lost)
		return gap_error(w, "fat-tree", from, to, err);
	w->policy = WEFT_POLICY_UP_DOWN;
	put_in_order(w, rank, false, roots, n);
	return 0;
}

/**
 * weft_updown_again() - order the switches again
 * @w: the paths, with an order; links may have gone down
 * @err: error, with two switches that have no path
 *
 * Levels remain unchanged. If fat-tree leaves switches without a path, the
 * policy becomes up-down.
 *
 * Return: 0 or negative errno.
 */
int weft_updown_again(struct weft_ways *w, struct weft_err *err)
{
	unsigned int n = w->g->switches + 1;
	struct rank *rank = calloc(n, sizeof(*rank));
	uint32_t *roots = calloc(n, sizeof(*roots));
	bool *seen = calloc(n, sizeof(*seen));
	int ret;

	if (rank && roots && seen)
		ret = choose_order(w, rank, roots, seen, err);
	else
		ret = weft_err_nomem(err);
	free(rank);
	free(roots);
	free(seen);
	return ret;
}

/**
 * weft_updown_make() - order the switches for up-down routing
 * @w: the paths; homes and graph are complete
 * @err: error, with two switches that have no path
 *
 * Return: 0 or negative errno.
 */
int weft_updown_make(struct weft_ways *w, struct weft_err *err)
{
	unsigned int n = w->g->switches + 1;

	w->order = calloc(n, sizeof(*w->order));
	w->place = calloc(n, sizeof(*w->place));
	w->level = calloc(n, sizeof(*w->level));
	w->down = calloc(n, sizeof(*w->down));
	w->legal = calloc(n, sizeof(*w->legal));
	if (!w->order || !w->place || !w->level || !w->down || !w->legal)
		return weft_err_nomem(err);
	find_levels(w, w->order);
	return weft_updown_again(w, err);
}

/* Search upwards from the target for switches that reach it by links down alone. */
static void search_down(struct weft_ways *w)
{
	struct weft_graph *g = w->g;
	unsigned int head = 0, tail = 0;

	for (uint32_t i = 0; i < g->switches; i++)
		w->down[i] = WEFT_FAR;
	w->down[w->target] = 0;
	g->queue[tail++] = w->target;
	while (head < tail) {
		uint32_t sw = g->queue[head++];

		for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
			const struct weft_edge *e = &g->edge[i];

			if (e->is_nic || e->down ||
			    w->place[e->to] > w->place[sw] ||
			    w->down[e->to] != WEFT_FAR)
				continue;
			w->down[e->to] = w->down[sw] + 1;
			g->queue[tail++] = e->to;
		}
	}
}

/*
 * Length of the shortest legal path of @sw: down, or else by the best switch
 * above.
 */
static uint32_t legal_of(const struct weft_ways *w, uint32_t sw)
{
	const struct weft_graph *g = w->g;
	uint32_t best = w->down[sw];

	if (best != WEFT_FAR)
		return best;
	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
		const struct weft_edge *e = &g->edge[i];

		if (e->is_nic || e->down ||
		    w->place[e->to] >= w->place[sw] ||
		    w->legal[e->to] == WEFT_FAR)
			continue;
		if (best == WEFT_FAR || w->legal[e->to] + 1 < best)
			best = w->legal[e->to] + 1;
	}
	return best;
}

/**
 * weft_updown_aim() - find the legal paths to the target
 * @w: the paths
 */
void weft_updown_aim(struct weft_ways *w)
{
	search_down(w);
	for (uint32_t i = 0; i < w->g->switches; i++)
		w->legal[w->order[i]] = legal_of(w, w->order[i]);
}

static int check_levels(const struct weft_ways *w, struct weft_err *err)
{
	const struct weft_graph *g = w->g;

	for (uint32_t sw = 0; sw < g->switches; sw++)
		for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
			const struct weft_edge *e = &g->edge[i];

			if (e->is_nic || w->level[sw] == WEFT_FAR ||
			    w->level[e->to] != w->level[sw])
				continue;
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "routing: policy fat-tree: link %s joins two switches of one level: this is no fat-tree",
					    w->plan->link[e->link].name);
		}
	return 0;
}

static uint32_t uplinks(const struct weft_ways *w, uint32_t sw)
{
	const struct weft_graph *g = w->g;
	uint32_t n = 0;

	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++)
		if (!g->edge[i].is_nic &&
		    w->place[g->edge[i].to] < w->place[sw])
			n++;
	return n;
}

/* Set @stride of each level: product of the most uplinks at each level below. */
static void find_strides(struct weft_ways *w)
{
	uint32_t all = 1;

	for (uint32_t i = 0; i < w->g->switches; i++) {
		uint32_t n = uplinks(w, i), level = w->level[i];

		if (level != WEFT_FAR && n > w->stride[level + 1])
			w->stride[level + 1] = n;
	}
	for (uint32_t i = 0; i <= w->g->switches; i++) {
		/* A stride above the number of NICs makes no difference. */
		if (w->stride[i] && all < w->plan->nics)
			all *= w->stride[i];
		w->stride[i] = all;
	}
}

static void number_nics(struct weft_ways *w)
{
	const struct weft_graph *g = w->g;
	uint32_t n = 0;

	for (unsigned int i = 0; i < g->first[g->switches]; i++)
		if (g->edge[i].is_nic)
			w->number[g->edge[i].to] = n++;
}

/**
 * weft_fat_tree_make() - check that it is a fat-tree, and number its NICs
 * @w: the paths; homes and graph are complete
 * @err: error, with the reason why it is none
 *
 * Destinations are spread by D-mod-k, as by OpenSM's ftree (Zahavi, D-Mod-K
 * Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life
 * Fat Trees, 2010). Each destination has one port, not a group of ports. So in
 * a tree of full bandwidth a shift by any distance loads each link once.
 *
 * Return: 0 or negative errno.
 */
int weft_fat_tree_make(struct weft_ways *w, struct weft_err *err)
{
	if (weft_updown_make(w, err) || check_levels(w, err))
		return err->code;
	w->number = calloc(w->plan->nics + 1, sizeof(*w->number));
	w->stride = calloc(w->g->switches + 2, sizeof(*w->stride));
	if (!w->number || !w->stride)
		return weft_err_nomem(err);
	find_strides(w);
	number_nics(w);
	return 0;
}
