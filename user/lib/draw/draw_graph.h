/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A topology as a graph, for its drawing.
 */
#ifndef WEFT_DRAW_GRAPH_H
#define WEFT_DRAW_GRAPH_H

#include <stdbool.h>

#include "base/err.h"
#include "topology/topo.h"

/**
 * struct weft_draw_edge - a link, seen from one of its ends
 */
struct weft_draw_edge {
	/** @inner: it is in a fabric inside the hosts */
	bool inner;
	/** @to: the vertex at the other end */
	unsigned int to;
	/** @rate: rate of the link, bits per second */
	uint64_t rate;
};

/**
 * struct weft_draw_graph - a graph; its vertices are the switches, then the nodes
 */
struct weft_draw_graph {
	/** @switches: number of switches */
	unsigned int switches;
	/** @n: number of vertices */
	unsigned int n;
	/** @first: for each vertex: index of its first edge; one more entry for the end */
	unsigned int *first;
	/** @edge: edges by vertex, inner ones first, then by @to and rate */
	struct weft_draw_edge *edge;
	/**
	 * @tier: for each vertex: number of links to the nearest node; negative for
	 * switches of fabrics inside the hosts
	 */
	int *tier;
	/** @inner: there are switches of fabrics inside the hosts */
	bool inner;
	/** @top: the highest tier */
	int top;
	/** @flat: all switches are in one tier, with links between them */
	bool flat;
};

int weft_draw_graph_make(struct weft_draw_graph *g,
			 const struct weft_topo *topo, struct weft_err *err);
void weft_draw_graph_free(struct weft_draw_graph *g);
unsigned int weft_draw_vertex(const struct weft_topo *topo,
			      const struct weft_topo_end *end);

#endif
