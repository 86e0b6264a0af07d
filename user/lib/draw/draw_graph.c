// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A topology as a graph, for its drawing.
 *
 * If there are networks besides NVLink and PCIe, NVLink and PCIe count as fabrics inside
 * the hosts, and their switches are drawn on the other side of the nodes.
 */
#include "draw/draw_graph.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "netlink/discipline.h"

#define UNKNOWN		INT_MAX

/**
 * weft_draw_vertex() - vertex of an end of a link
 * @topo: the topology
 * @end: the end
 *
 * Return: the index of the switch; for a node, its index plus the number of switches.
 */
unsigned int weft_draw_vertex(const struct weft_topo *topo,
			      const struct weft_topo_end *end)
{
	return end->is_node ? topo->switches + end->index : end->index;
}

static bool inside_hosts(const struct weft_topo_switch *sw)
{
	enum weft_family family = weft_port_discipline(&sw->port.p)->family;

	return family == WEFT_NVLINK || family == WEFT_PCIE;
}

static bool has_outside(const struct weft_topo *topo)
{
	for (unsigned int i = 0; i < topo->switches; i++)
		if (!inside_hosts(&topo->sw[i]))
			return true;
	return false;
}

static int by_edge(const void *a, const void *b)
{
	const struct weft_draw_edge *x = a, *y = b;

	if (x->inner != y->inner)
		return x->inner ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->rate > y->rate) - (x->rate < y->rate);
}

/* Is one of the ends a switch of a fabric inside the hosts? */
static bool is_inner(const struct weft_topo *topo,
		     const struct weft_topo_link *link, bool outside)
{
	for (unsigned int i = 0; outside && i < 2; i++)
		if (!link->end[i].is_node &&
		    inside_hosts(&topo->sw[link->end[i].index]))
			return true;
	return false;
}

static void fill_edges(struct weft_draw_graph *g, const struct weft_topo *topo)
{
	bool outside = has_outside(topo);

	for (unsigned int i = 0; i < topo->links; i++) {
		const struct weft_topo_link *link = &topo->link[i];
		unsigned int v[2] = {
			weft_draw_vertex(topo, &link->end[0]),
			weft_draw_vertex(topo, &link->end[1]),
		};

		for (unsigned int k = 0; k < 2; k++)
			g->edge[--g->first[v[k]]] = (struct weft_draw_edge) {
				.inner = is_inner(topo, link, outside),
				.to = v[!k],
				.rate = link->wire.rate,
			};
	}
	for (unsigned int i = 0; i < g->n; i++)
		qsort(&g->edge[g->first[i]], g->first[i + 1] - g->first[i],
		      sizeof(*g->edge), by_edge);
}

/* Set first[v] to the end of the edges of v; fill_edges() moves it to their begin. */
static void count_edges(struct weft_draw_graph *g, const struct weft_topo *topo)
{
	for (unsigned int i = 0; i < topo->links; i++)
		for (unsigned int k = 0; k < 2; k++)
			g->first[weft_draw_vertex(topo, &topo->link[i].end[k])]++;
	for (unsigned int i = 0; i < g->n; i++)
		g->first[i + 1] += g->first[i];
}

static int next_tier(const struct weft_draw_graph *g, unsigned int v,
		     const struct weft_draw_edge *e)
{
	if (v >= g->switches)
		return e->inner ? -1 : 1;
	return g->tier[v] + (g->tier[v] > 0 ? 1 : -1);
}

/* Breadth-first search from all nodes at once. */
static void find_tiers(struct weft_draw_graph *g, unsigned int *queue)
{
	unsigned int head = 0, tail = 0;

	for (unsigned int i = 0; i < g->n; i++) {
		g->tier[i] = i < g->switches ? UNKNOWN : 0;
		if (i >= g->switches)
			queue[tail++] = i;
	}
	while (head < tail) {
		unsigned int v = queue[head++];

		for (unsigned int i = g->first[v]; i < g->first[v + 1]; i++) {
			const struct weft_draw_edge *e = &g->edge[i];

			if (g->tier[e->to] != UNKNOWN)
				continue;
			g->tier[e->to] = next_tier(g, v, e);
			queue[tail++] = e->to;
		}
	}
}

/* Switches that no node reaches are in a tier above all others. */
static void find_top(struct weft_draw_graph *g)
{
	int top = 0;

	for (unsigned int i = 0; i < g->n; i++) {
		if (g->tier[i] != UNKNOWN && g->tier[i] > top)
			top = g->tier[i];
		g->inner |= g->tier[i] < 0;
	}
	for (unsigned int i = 0; i < g->switches; i++) {
		if (g->tier[i] == UNKNOWN)
			g->tier[i] = top + 1;
		if (g->tier[i] > g->top)
			g->top = g->tier[i];
	}
}

static void find_flat(struct weft_draw_graph *g)
{
	if (g->top != 1)
		return;
	for (unsigned int v = 0; v < g->switches; v++)
		for (unsigned int i = g->first[v]; i < g->first[v + 1]; i++)
			g->flat |= g->edge[i].to < g->switches;
}

/**
 * weft_draw_graph_make() - build the graph of a topology
 * @g: result, to be freed by weft_draw_graph_free() even after an error
 * @topo: the topology
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_draw_graph_make(struct weft_draw_graph *g,
			 const struct weft_topo *topo, struct weft_err *err)
{
	unsigned int n = topo->switches + topo->nodes, *queue;

	*g = (struct weft_draw_graph) { .switches = topo->switches, .n = n };
	g->first = calloc(n + 1, sizeof(*g->first));
	g->edge = calloc(2 * topo->links + 1, sizeof(*g->edge));
	g->tier = calloc(n + 1, sizeof(*g->tier));
	queue = calloc(n + 1, sizeof(*queue));
	if (g->first && g->edge && g->tier && queue) {
		count_edges(g, topo);
		fill_edges(g, topo);
		find_tiers(g, queue);
		find_top(g);
		find_flat(g);
		free(queue);
		return 0;
	}
	free(queue);
	return weft_err_nomem(err);
}

/**
 * weft_draw_graph_free() - free a graph
 * @g: the graph
 */
void weft_draw_graph_free(struct weft_draw_graph *g)
{
	free(g->first);
	free(g->edge);
	free(g->tier);
	*g = (struct weft_draw_graph) { 0 };
}
