// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The units of a drawing: a switch, a node, or a frame of several nodes.
 *
 * In rows, up to ALONE_MAX nodes are drawn one by one. If there are more, nodes with the
 * same links to the same switches share a frame. If that makes too many frames, or in
 * other layouts, nodes with the same first switch share one. Switches of fabrics inside
 * the hosts come first.
 */
#include "draw/draw_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALONE_MAX	24	/* most nodes that are drawn without frames */
#define FRAMES_MAX	48	/* most frames by equal links */
#define NAMES_MAX	768	/* most nodes that are drawn with a name */
#define ROW_WIDTH	1500.0	/* target width of a row of frames */

static unsigned int degree(const struct weft_draw_graph *g, unsigned int v)
{
	return g->first[v + 1] - g->first[v];
}

/* Compare the links of two nodes; 0 if they may share a frame. */
static int compare_links(const struct weft_draw_graph *g, unsigned int a,
			 unsigned int b, bool first_only)
{
	unsigned int na = degree(g, a), nb = degree(g, b);

	if (!first_only && na != nb)
		return na < nb ? -1 : 1;
	for (unsigned int i = 0; i < na && i < nb; i++) {
		const struct weft_draw_edge *x = &g->edge[g->first[a] + i];
		const struct weft_draw_edge *y = &g->edge[g->first[b] + i];

		if (x->to != y->to)
			return x->to < y->to ? -1 : 1;
		if (first_only)
			return 0;
		if (x->rate != y->rate)
			return x->rate < y->rate ? -1 : 1;
	}
	return 0;
}

/**
 * struct nodes_order - sort order of nodes
 * @g: the graph
 * @first_only: compare the first switch only
 */
struct nodes_order {
	const struct weft_draw_graph *g;
	bool first_only;
};

static int by_links(const void *a, const void *b, void *ctx)
{
	const unsigned int *x = a, *y = b;
	const struct nodes_order *o = ctx;
	int ret = compare_links(o->g, o->g->switches + *x,
				o->g->switches + *y, o->first_only);

	return ret ? ret : (*x > *y) - (*x < *y);
}

static int by_first_node(const void *a, const void *b, void *ctx)
{
	const struct weft_draw_unit *x = a, *y = b;
	const unsigned int *member = ctx, u = member[x->first],
			   v = member[y->first];

	return (u > v) - (u < v);
}

static void add_unit(struct weft_draw *d, bool is_switch, unsigned int first)
{
	d->unit[d->units++] = (struct weft_draw_unit) {
		.is_switch = is_switch, .first = first, .n = 1,
	};
}

static void add_frames(struct weft_draw *d, const struct weft_draw_graph *g,
		       bool first_only)
{
	struct nodes_order order = { g, first_only };
	unsigned int s = d->topo->switches;

	qsort_r(d->member, d->topo->nodes, sizeof(*d->member), by_links,
		&order);
	d->units = s;
	for (unsigned int i = 0; i < d->topo->nodes; i++) {
		if (i && degree(g, s + d->member[i]) &&
		    !compare_links(g, s + d->member[i - 1], s + d->member[i],
				   first_only))
			d->unit[d->units - 1].n++;
		else
			add_unit(d, false, i);
	}
	qsort_r(d->unit + s, d->units - s, sizeof(*d->unit), by_first_node,
		d->member);
}

static void add_nodes(struct weft_draw *d, const struct weft_draw_graph *g)
{
	unsigned int n = d->topo->nodes, s = d->topo->switches;

	if (d->layout != WEFT_DRAW_TIERS) {
		add_frames(d, g, true);
		return;
	}
	if (n <= ALONE_MAX) {
		for (unsigned int i = 0; i < n; i++)
			add_unit(d, false, i);
		return;
	}
	add_frames(d, g, false);
	if (d->units - s > FRAMES_MAX)
		add_frames(d, g, true);
}

static void find_cell(struct weft_draw *d)
{
	size_t longest = 4;

	d->dots = d->topo->nodes > NAMES_MAX;
	for (unsigned int i = 0; i < d->topo->nodes; i++)
		if (strlen(d->topo->node[i].name) > longest)
			longest = strlen(d->topo->node[i].name);
	d->cell = d->dots ? DRAW_DOT : (double)longest * DRAW_CHAR + 12;
}

static unsigned int columns_of(const struct weft_draw *d, unsigned int n)
{
	double each = ROW_WIDTH / (d->units - d->topo->switches);
	double fit = floor(each / (d->cell + DRAW_CELL_GAP));
	double high = ceil(sqrt(n * (d->dots ? 2.0 : 0.7)));

	if (d->layout != WEFT_DRAW_TIERS)
		fit = ceil(sqrt(n / 3.0));
	if (fit > high)
		fit = high;
	return fit < 1 ? 1 : (unsigned int)fit;
}

/* The label may be wider than the columns of dots: then there are more columns. */
static void size_frame(struct weft_draw *d, struct weft_draw_unit *u)
{
	double cell_h = d->dots ? DRAW_DOT : DRAW_CELL_H;
	double pitch = d->cell + DRAW_CELL_GAP, label;
	unsigned int rows, fit;
	char text[DRAW_LABEL];

	weft_draw_label(d, u, text);
	label = (double)strlen(text) * DRAW_CHAR + 12;
	fit = (unsigned int)((label - 2 * DRAW_PAD + DRAW_CELL_GAP) / pitch);
	u->columns = columns_of(d, u->n);
	if (u->columns < fit)
		u->columns = fit;
	rows = (u->n + u->columns - 1) / u->columns;
	u->box.w = fmax(label, u->columns * pitch - DRAW_CELL_GAP +
			       2 * DRAW_PAD);
	u->box.h = rows * (cell_h + DRAW_CELL_GAP) - DRAW_CELL_GAP + DRAW_PAD +
		   DRAW_HEAD;
}

static void size_unit(struct weft_draw *d, struct weft_draw_unit *u)
{
	const char *name;

	u->columns = 1;
	if (u->is_switch) {
		name = d->topo->sw[u->first].sw.name;
		u->box.w = (double)strlen(name) * DRAW_CHAR + 20;
		u->box.h = DRAW_SWITCH_H;
	} else if (u->n > 1) {
		size_frame(d, u);
	} else {
		name = d->topo->node[d->member[u->first]].name;
		u->box.w = d->dots ? (double)strlen(name) * DRAW_CHAR + 12 :
				     d->cell;
		u->box.h = DRAW_CELL_H;
	}
}

/**
 * weft_draw_label() - label of a frame
 * @d: the drawing
 * @u: the frame
 * @text: result, DRAW_LABEL bytes
 */
void weft_draw_label(const struct weft_draw *d, const struct weft_draw_unit *u,
		     char *text)
{
	snprintf(text, DRAW_LABEL, "%u nodes", u->n);
	if (d->dots)
		snprintf(text, DRAW_LABEL, "%s +%u",
			 d->topo->node[d->member[u->first]].name, u->n - 1);
}

/**
 * weft_draw_units() - find the units of a drawing and their sizes
 * @d: the drawing, with its layout and allocated arrays
 * @g: the graph
 */
void weft_draw_units(struct weft_draw *d, const struct weft_draw_graph *g)
{
	for (unsigned int i = 0; i < d->topo->switches; i++)
		add_unit(d, true, i);
	for (unsigned int i = 0; i < d->topo->nodes; i++)
		d->member[i] = i;
	add_nodes(d, g);
	find_cell(d);
	for (unsigned int i = 0; i < d->units; i++) {
		struct weft_draw_unit *u = &d->unit[i];

		size_unit(d, u);
		if (u->is_switch)
			d->unit_of[u->first] = i;
		for (unsigned int k = 0; !u->is_switch && k < u->n; k++)
			d->unit_of[d->topo->switches +
				   d->member[u->first + k]] = i;
	}
}
