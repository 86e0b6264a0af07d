// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout on a circle: switches that have links to one another are on a circle, and
 * the nodes of each are outside of it.
 *
 * Switches of a group, as in a dragonfly, are next to one another. Without groups,
 * neighbours are, so a ring looks like a ring.
 */
#include "draw/draw_make.h"

#include <math.h>
#include <stdlib.h>

#define INNER_MIN	110.0	/* least radius of the circle of switches */
#define NONE		UINT32_MAX

/**
 * struct circle - state of the layout
 * @d: the drawing
 * @g: the graph
 * @group: for each switch: another one of its group (union-find), or the first one
 * @order: the switches in their order on the circle; sizes of groups before
 * @slot: for each switch: its place on the circle
 * @slots: number of places on the circle
 */
struct circle {
	struct weft_draw *d;
	const struct weft_draw_graph *g;
	unsigned int *group;
	unsigned int *order;
	unsigned int *slot;
	unsigned int slots;
};

static unsigned int group_of(unsigned int *group, unsigned int v)
{
	while (group[v] != v)
		v = group[v] = group[group[v]];
	return v;
}

/* The edges of each vertex are sorted by neighbour. */
static bool common_neighbour(const struct weft_draw_graph *g, unsigned int a,
			     unsigned int b)
{
	unsigned int i = g->first[a], k = g->first[b];

	while (i < g->first[a + 1] && k < g->first[b + 1]) {
		unsigned int x = g->edge[i].to, y = g->edge[k].to;

		if (x >= g->switches || y >= g->switches)
			return false;
		if (x == y)
			return true;
		i += x < y;
		k += y < x;
	}
	return false;
}

/* Join two groups. The root of a group is its lowest switch. */
static void join(unsigned int *group, unsigned int a, unsigned int b)
{
	a = group_of(group, a);
	b = group_of(group, b);
	group[a > b ? a : b] = a < b ? a : b;
}

/*
 * Two neighbours with a common neighbour are in one group. True if there are two or more
 * groups, and all have three or more switches.
 */
static bool find_groups(struct circle *c)
{
	unsigned int n = c->g->switches, groups = 0, *size = c->order;
	bool good = true;

	for (unsigned int v = 0; v < n; v++)
		c->group[v] = v;
	for (unsigned int v = 0; v < n; v++) {
		size[v] = 0;
		for (unsigned int i = c->g->first[v]; i < c->g->first[v + 1];
		     i++) {
			unsigned int to = c->g->edge[i].to;

			if (to < v && common_neighbour(c->g, v, to))
				join(c->group, v, to);
		}
	}
	for (unsigned int v = 0; v < n; v++)
		size[group_of(c->group, v)]++;
	for (unsigned int v = 0; v < n; v++) {
		groups += size[v] > 0;
		good &= !size[v] || size[v] > 2;
	}
	return good && groups > 1;
}

static int by_group(const void *a, const void *b, void *ctx)
{
	unsigned int x = *(const unsigned int *)a;
	unsigned int y = *(const unsigned int *)b;
	const struct circle *c = ctx;

	if (c->group[x] != c->group[y])
		return c->group[x] < c->group[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/* Leave one place empty between two groups. */
static void place_groups(struct circle *c)
{
	unsigned int n = c->g->switches;

	for (unsigned int v = 0; v < n; v++) {
		c->order[v] = v;
		c->group[v] = group_of(c->group, v);
	}
	qsort_r(c->order, n, sizeof(*c->order), by_group, c);
	for (unsigned int i = 0; i < n; i++) {
		if (i && c->group[c->order[i - 1]] != c->group[c->order[i]])
			c->slots++;
		c->slot[c->order[i]] = c->slots++;
	}
	c->slots++;
}

static unsigned int next_switch(const struct circle *c, unsigned int v)
{
	for (unsigned int i = c->g->first[v]; i < c->g->first[v + 1]; i++) {
		unsigned int to = c->g->edge[i].to;

		if (to < c->g->switches && c->slot[to] == NONE)
			return to;
	}
	return NONE;
}

/* Place the lowest switch, then follow the lowest neighbour that has no place yet. */
static void place_walk(struct circle *c)
{
	for (unsigned int v = 0; v < c->g->switches; v++)
		c->slot[v] = NONE;
	for (unsigned int v = 0; v < c->g->switches; v++)
		for (unsigned int at = c->slot[v] == NONE ? v : NONE;
		     at != NONE; at = next_switch(c, at))
			c->slot[at] = c->slots++;
}

static double diagonal(const struct weft_draw *d, bool is_switch)
{
	double most = 0, both;

	for (unsigned int i = 0; i < d->units; i++) {
		both = hypot(d->unit[i].box.w, d->unit[i].box.h);
		if (d->unit[i].is_switch == is_switch && both > most)
			most = both;
	}
	return most + DRAW_GAP;
}

/* Radius of a circle on which all slots have room for a box of this diameter. */
static double radius(const struct circle *c, double diameter)
{
	return c->slots > 1 ? diameter / 2 / sin(M_PI / c->slots) : 0;
}

static void put(struct circle *c, struct weft_draw_box *box, unsigned int slot,
		double r)
{
	double start = c->slots == 2 ? -M_PI : -M_PI / 2;
	double angle = start + 2 * M_PI * slot / c->slots;

	box->x = r * cos(angle) - box->w / 2;
	box->y = r * sin(angle) - box->h / 2;
}

/**
 * weft_draw_home() - switch beside which a unit of nodes is drawn
 * @d: the drawing
 * @g: the graph
 * @unit: the unit
 *
 * Return: the switch of the first link; UINT32_MAX if that goes to a node or is missing.
 */
unsigned int weft_draw_home(const struct weft_draw *d,
			    const struct weft_draw_graph *g, unsigned int unit)
{
	unsigned int v = g->switches + d->member[d->unit[unit].first];

	if (g->first[v] == g->first[v + 1] ||
	    g->edge[g->first[v]].to >= g->switches)
		return UINT32_MAX;
	return g->edge[g->first[v]].to;
}

static void fill_boxes(struct circle *c)
{
	double sw = diagonal(c->d, true), node = diagonal(c->d, false);
	double inner = fmax(INNER_MIN, radius(c, sw)), outer, aside = 0;

	outer = fmax(inner + sw / 2 + node / 2 + DRAW_GAP, radius(c, node));
	for (unsigned int v = 0; v < c->g->switches; v++)
		put(c, &c->d->unit[v].box, c->slot[v], inner);
	for (unsigned int i = c->g->switches; i < c->d->units; i++) {
		unsigned int home = weft_draw_home(c->d, c->g, i);
		struct weft_draw_box *box = &c->d->unit[i].box;

		if (home != NONE) {
			put(c, box, c->slot[home], outer);
			continue;
		}
		box->x = -2 * outer - node - box->w;
		box->y = aside;
		aside += box->h + DRAW_GAP;
	}
}

/**
 * weft_draw_circle() - arrange the switches on a circle
 * @d: the drawing, with the units and their sizes
 * @g: the graph
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_draw_circle(struct weft_draw *d, const struct weft_draw_graph *g,
		     struct weft_err *err)
{
	struct circle c = { .d = d, .g = g };
	unsigned int *all = calloc(3 * g->switches + 1, sizeof(*all));

	if (!all)
		return weft_err_nomem(err);
	c.group = all;
	c.order = c.group + g->switches;
	c.slot = c.order + g->switches;
	if (find_groups(&c))
		place_groups(&c);
	else
		place_walk(&c);
	fill_boxes(&c);
	free(all);
	return 0;
}
