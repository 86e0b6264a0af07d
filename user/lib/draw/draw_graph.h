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
	/** @inner: of a fabric inside the hosts */
	bool inner;
	/** @to: the vertex at the other end */
	unsigned int to;
	/** @rate: of the link, bits per second */
	uint64_t rate;
};

/**
 * struct weft_draw_graph - vertices are the switches and then the nodes
 */
struct weft_draw_graph {
	/** @switches: how many of them */
	unsigned int switches;
	/** @n: how many vertices */
	unsigned int n;
	/** @first: of each vertex, its first edge; one more for the end */
	unsigned int *first;
	/** @edge: by vertex, inner ones first, then by @to and rate */
	struct weft_draw_edge *edge;
	/**
	 * @tier: of each vertex, links to the next node; negative for the
	 * switches of fabrics inside the hosts
	 */
	int *tier;
	/** @inner: there are such switches */
	bool inner;
	/** @top: the highest tier */
	int top;
	/** @flat: switches of one tier, with links between them */
	bool flat;
};

int weft_draw_graph_make(struct weft_draw_graph *g,
			 const struct weft_topo *topo, struct weft_err *err);
void weft_draw_graph_free(struct weft_draw_graph *g);
unsigned int weft_draw_vertex(const struct weft_topo *topo,
			      const struct weft_topo_end *end);

#endif
