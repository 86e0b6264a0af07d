// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Distances and flows in a topology, for the tests.
 *
 * The greatest flow between two sets of nodes is the least cut between them
 * (Ford and Fulkerson); it is found by Dinic's algorithm. All of it is simple
 * rather than fast, and independent of how the library finds its ways.
 */
#include "graph.h"

#include <stdlib.h>

#define GBPS	1000000000ULL
#define FAR	(~0U)

/**
 * struct arc - one direction of a link
 * @to: vertex that it leads to
 * @room: rate that is left
 */
struct arc {
	unsigned int to;
	uint64_t room;
};

/**
 * struct graph - nodes, then switches, then source and sink
 * @t: the topology
 * @n: vertices
 * @first: of each vertex, the first entry of @out; one more for the end
 * @out: arcs that begin there; arcs 2i and 2i + 1 are the two of a link
 * @arc: the arcs
 * @arcs: how many
 * @depth: hops from the source
 * @next: of each vertex, the first entry of @out that is not exhausted
 * @queue: for the search
 */
struct graph {
	const struct weft_topo *t;
	unsigned int n;
	unsigned int *first;
	unsigned int *out;
	struct arc *arc;
	unsigned int arcs;
	unsigned int *depth;
	unsigned int *next;
	unsigned int *queue;
};

static unsigned int vertex(const struct weft_topo *t,
			   const struct weft_topo_end *end)
{
	return end->is_node ? end->index : t->nodes + end->index;
}

static void add_arcs(struct graph *g, unsigned int a, unsigned int b,
		     uint64_t there, uint64_t back)
{
	g->arc[g->arcs++] = (struct arc) { b, there };
	g->arc[g->arcs++] = (struct arc) { a, back };
	g->first[a]++;
	g->first[b]++;
}

/* Where an arc begins is where its twin ends. */
static void index_arcs(struct graph *g)
{
	unsigned int sum = 0;

	for (unsigned int v = 0; v <= g->n; v++) {
		sum += g->first[v];
		g->first[v] = sum;
	}
	for (unsigned int i = g->arcs; i--;)
		g->out[--g->first[g->arc[i ^ 1].to]] = i;
}

/* The first @half nodes hang on the source, the others on the sink. */
static void make(struct graph *g, const struct weft_topo *t, unsigned int half)
{
	unsigned int max;

	*g = (struct graph) { .t = t, .n = t->nodes + t->switches + 2 };
	max = 2 * (t->links + t->nodes);
	g->first = calloc(g->n + 1, sizeof(*g->first));
	g->out = calloc(max + 1, sizeof(*g->out));
	g->arc = calloc(max + 1, sizeof(*g->arc));
	g->depth = calloc(g->n, sizeof(*g->depth));
	g->next = calloc(g->n, sizeof(*g->next));
	g->queue = calloc(g->n, sizeof(*g->queue));
	for (unsigned int i = 0; i < t->links; i++)
		add_arcs(g, vertex(t, &t->link[i].end[0]),
			 vertex(t, &t->link[i].end[1]),
			 t->link[i].wire.rate / GBPS,
			 t->link[i].wire.rate / GBPS);
	for (unsigned int i = 0; half && i < t->nodes; i++)
		add_arcs(g, i < half ? g->n - 2 : i, i < half ? i : g->n - 1,
			 UINT32_MAX, 0);
	index_arcs(g);
}

static void drop(struct graph *g)
{
	free(g->first);
	free(g->out);
	free(g->arc);
	free(g->depth);
	free(g->next);
	free(g->queue);
}

/* Breadth first over arcs with room; a packet does not cross other nodes. */
static void search(struct graph *g, unsigned int from)
{
	unsigned int head = 0, tail = 0;

	for (unsigned int v = 0; v < g->n; v++)
		g->depth[v] = FAR;
	g->depth[from] = 0;
	g->queue[tail++] = from;
	while (head < tail) {
		unsigned int v = g->queue[head++];

		for (unsigned int i = g->first[v]; i < g->first[v + 1]; i++) {
			const struct arc *a = &g->arc[g->out[i]];

			if (!a->room || g->depth[a->to] != FAR)
				continue;
			g->depth[a->to] = g->depth[v] + 1;
			if (a->to >= g->t->nodes || from == g->n - 2)
				g->queue[tail++] = a->to;
		}
	}
}

/**
 * graph_hops() - links between switches on the longest shortest path
 * @t: a topology
 *
 * Return: how many; FAR for nodes that do not reach each other.
 */
unsigned int graph_hops(const struct weft_topo *t)
{
	unsigned int most = 0;
	struct graph g;

	make(&g, t, 0);
	for (unsigned int i = 0; i < t->nodes; i++) {
		search(&g, i);
		for (unsigned int k = 0; k < t->nodes; k++)
			if (k != i && g.depth[k] - 2 > most)
				most = g.depth[k] - 2;
	}
	drop(&g);
	return most;
}

static uint64_t push(struct graph *g, unsigned int v, uint64_t most)
{
	uint64_t sent = 0, part;

	if (v == g->n - 1)
		return most;
	for (; g->next[v] < g->first[v + 1] && sent < most; g->next[v]++) {
		unsigned int i = g->out[g->next[v]];
		struct arc *a = &g->arc[i];

		if (!a->room || g->depth[a->to] != g->depth[v] + 1)
			continue;
		part = most - sent < a->room ? most - sent : a->room;
		part = push(g, a->to, part);
		a->room -= part;
		g->arc[i ^ 1].room += part;
		sent += part;
		if (sent == most)
			break;
	}
	return sent;
}

/**
 * graph_cut() - the greatest rate from some nodes to the others
 * @t: a topology
 * @half: the first so many nodes send
 *
 * Return: Gb/s.
 */
uint64_t graph_cut(const struct weft_topo *t, unsigned int half)
{
	uint64_t flow = 0;
	struct graph g;

	make(&g, t, half);
	for (;;) {
		search(&g, g.n - 2);
		if (g.depth[g.n - 1] == FAR)
			break;
		for (unsigned int v = 0; v < g.n; v++)
			g.next[v] = g.first[v];
		flow += push(&g, g.n - 2, UINT64_MAX);
	}
	drop(&g);
	return flow;
}
