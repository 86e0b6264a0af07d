// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The planned links as a graph of switches.
 */
#include "plan/plan_graph.h"

#include <stdlib.h>

static void add_edge(struct weft_graph *g, unsigned int *fill,
		     const struct weft_link *link, unsigned int index,
		     unsigned int side)
{
	const struct weft_end *here = &link->end[side];
	const struct weft_end *there = &link->end[!side];

	if (here->is_nic)
		return;
	g->edge[fill[here->id]++] = (struct weft_edge) {
		.port = here->port,
		.is_nic = there->is_nic,
		.to = there->id,
		.far = there->port,
		.link = index,
	};
}

static void count_edges(struct weft_graph *g, const struct weft_plan *plan)
{
	unsigned int n = 0, k;

	for (unsigned int i = 0; i < plan->links; i++)
		for (unsigned int s = 0; s < 2; s++)
			if (!plan->link[i].end[s].is_nic)
				g->first[plan->link[i].end[s].id]++;
	for (unsigned int i = 0; i <= g->switches; i++) {
		k = g->first[i];
		g->first[i] = n;
		n += k;
	}
}

/**
 * weft_graph_make() - build the graph
 * @g: result, to be freed by weft_graph_free() even after an error
 * @plan: the plan, links complete
 * @err: error
 *
 * Ports are numbered in the order of links, so edges are sorted by port.
 *
 * Return: 0 or negative errno.
 */
int weft_graph_make(struct weft_graph *g, const struct weft_plan *plan,
		    struct weft_err *err)
{
	unsigned int n = plan->switches, *fill;

	*g = (struct weft_graph) { .switches = n };
	g->first = calloc(n + 1, sizeof(*g->first));
	g->edge = calloc(2 * plan->links + 1, sizeof(*g->edge));
	g->hops = calloc(n + 1, sizeof(*g->hops));
	g->queue = calloc(n + 1, sizeof(*g->queue));
	fill = calloc(n + 1, sizeof(*fill));
	if (!g->first || !g->edge || !g->hops || !g->queue || !fill) {
		free(fill);
		return weft_err_nomem(err);
	}
	count_edges(g, plan);
	for (unsigned int i = 0; i < n; i++)
		fill[i] = g->first[i];
	for (unsigned int i = 0; i < plan->links; i++) {
		add_edge(g, fill, &plan->link[i], i, 0);
		add_edge(g, fill, &plan->link[i], i, 1);
	}
	free(fill);
	return 0;
}

/**
 * weft_graph_lose() - mark links that are down
 * @g: the graph
 * @down: whether each link is down
 */
void weft_graph_lose(struct weft_graph *g, const bool *down)
{
	for (unsigned int i = 0; i < g->first[g->switches]; i++)
		g->edge[i].down = down[g->edge[i].link];
}

/**
 * weft_graph_search_all() - compute the hops of each switch to the nearest target
 * @g: the graph; @g->hops is the result
 * @targets: the target switches, without duplicates
 * @n: entries of @targets
 */
void weft_graph_search_all(struct weft_graph *g, const uint32_t *targets,
			   unsigned int n)
{
	unsigned int head = 0, tail = 0;

	for (unsigned int i = 0; i < g->switches; i++)
		g->hops[i] = WEFT_FAR;
	for (unsigned int i = 0; i < n; i++) {
		g->hops[targets[i]] = 0;
		g->queue[tail++] = targets[i];
	}
	while (head < tail) {
		uint32_t sw = g->queue[head++];

		for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
			const struct weft_edge *e = &g->edge[i];

			if (e->is_nic || e->down ||
			    g->hops[e->to] != WEFT_FAR)
				continue;
			g->hops[e->to] = g->hops[sw] + 1;
			g->queue[tail++] = e->to;
		}
	}
}

/**
 * weft_graph_search() - compute the hops of each switch to a target
 * @g: the graph; @g->hops is the result
 * @target: the target switch
 */
void weft_graph_search(struct weft_graph *g, uint32_t target)
{
	weft_graph_search_all(g, &target, 1);
}

/**
 * weft_graph_free() - free a graph
 * @g: the graph
 */
void weft_graph_free(struct weft_graph *g)
{
	free(g->first);
	free(g->edge);
	free(g->hops);
	free(g->queue);
	*g = (struct weft_graph) { 0 };
}
