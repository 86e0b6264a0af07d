// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout of a torus: switches by their coordinates, x to the right, y down, z up and
 * to the right, so that no link covers another one.
 */
#include "draw/draw_make.h"

#include <math.h>

#define SPACE		64.0	/* between switches of a row or column */
#define BESIDE		10.0	/* from the middle of a switch to its nodes */

/**
 * struct cell - space for a switch and its nodes
 * @w: width, pixels
 * @h: height, pixels
 */
struct cell {
	double w;
	double h;
};

/* The nodes are below the switch, right of its middle, where no link passes. */
static struct cell cell_size(const struct weft_draw *d)
{
	struct cell c = { 0 };
	double sw = 0, node = 0;

	for (unsigned int i = 0; i < d->units; i++) {
		const struct weft_draw_box *box = &d->unit[i].box;

		if (d->unit[i].is_switch) {
			sw = fmax(sw, box->w);
		} else {
			node = fmax(node, box->w);
			c.h = fmax(c.h, box->h);
		}
	}
	c.w = sw / 2 + fmax(sw / 2, BESIDE + node) + DRAW_GAP;
	c.h += DRAW_SWITCH_H + 2 * DRAW_GAP;
	return c;
}

static void place_switch(struct weft_draw *d, unsigned int v, struct cell c)
{
	const uint32_t *at = d->topo->sw[v].coord, *dim = d->topo->dim;
	struct weft_draw_box *box = &d->unit[v].box;
	double deep = d->topo->dims > 2 ? dim[2] : 1;
	double z = d->topo->dims > 2 ? at[2] : 0;
	double y = d->topo->dims > 1 ? at[1] : 0;

	box->x = at[0] * (deep * c.w + SPACE) + z * c.w - box->w / 2;
	box->y = y * (deep * c.h + SPACE) - z * c.h - box->h / 2;
}

/**
 * weft_draw_torus() - arrange the switches by their coordinates
 * @d: the drawing, with the units and their sizes
 * @g: the graph
 */
void weft_draw_torus(struct weft_draw *d, const struct weft_draw_graph *g)
{
	struct cell c = cell_size(d);
	double aside = 0;

	for (unsigned int v = 0; v < g->switches; v++)
		place_switch(d, v, c);
	for (unsigned int i = g->switches; i < d->units; i++) {
		unsigned int home = weft_draw_home(d, g, i);
		struct weft_draw_box *box = &d->unit[i].box;

		if (home != UINT32_MAX) {
			const struct weft_draw_box *sw = &d->unit[home].box;

			box->x = sw->x + sw->w / 2 + BESIDE;
			box->y = sw->y + sw->h + DRAW_GAP;
			continue;
		}
		box->x = -2 * c.w - box->w;
		box->y = aside;
		aside += box->h + DRAW_GAP;
	}
}
