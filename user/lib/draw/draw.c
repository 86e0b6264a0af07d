// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A drawing of a topology: the layout of nodes, switches and links.
 */
#include "draw/draw.h"

#include <math.h>
#include <stdlib.h>

#include "draw/draw_make.h"

static int get_memory(struct weft_draw *d, struct weft_err *err)
{
	const struct weft_topo *t = d->topo;
	size_t all = (size_t)t->switches + t->nodes + 1;

	d->unit = calloc(all, sizeof(*d->unit));
	d->unit_of = calloc(all, sizeof(*d->unit_of));
	d->member = calloc(all, sizeof(*d->member));
	d->node = calloc(all, sizeof(*d->node));
	d->line = calloc((size_t)t->links + 1, sizeof(*d->line));
	d->link = calloc((size_t)t->links + 1, sizeof(*d->link));
	if (d->unit && d->unit_of && d->member && d->node && d->line && d->link)
		return 0;
	return weft_err_nomem(err);
}

static enum weft_draw_layout layout_of(const struct weft_topo *topo,
				       const struct weft_draw_graph *g)
{
	if (g->inner || !g->flat)
		return WEFT_DRAW_TIERS;
	return topo->dims ? WEFT_DRAW_TORUS : WEFT_DRAW_CIRCLE;
}

static int place_units(struct weft_draw *d, const struct weft_draw_graph *g,
		       struct weft_err *err)
{
	if (d->layout == WEFT_DRAW_TIERS)
		return weft_draw_tiers(d, g, err);
	if (d->layout == WEFT_DRAW_CIRCLE)
		return weft_draw_circle(d, g, err);
	weft_draw_torus(d, g);
	return 0;
}

static void place_nodes(struct weft_draw *d)
{
	double h = d->dots ? DRAW_DOT : DRAW_CELL_H;

	for (unsigned int i = d->topo->switches; i < d->units; i++) {
		const struct weft_draw_unit *u = &d->unit[i];

		for (unsigned int k = 0; k < u->n; k++) {
			struct weft_draw_box *box = &d->node[d->member[u->first + k]];
			unsigned int row = k / u->columns;

			*box = u->box;
			if (u->n == 1)
				continue;
			box->w = d->cell;
			box->h = h;
			box->x += DRAW_PAD + (k - row * u->columns) *
					     (d->cell + DRAW_CELL_GAP);
			box->y += DRAW_HEAD + row * (h + DRAW_CELL_GAP);
		}
	}
}

/**
 * struct extent - bounding box of the drawing
 * @lo: least x and y
 * @hi: greatest x and y
 */
struct extent {
	double lo[2];
	double hi[2];
};

static void reach(struct extent *e, double x, double y)
{
	e->lo[0] = fmin(e->lo[0], x);
	e->lo[1] = fmin(e->lo[1], y);
	e->hi[0] = fmax(e->hi[0], x);
	e->hi[1] = fmax(e->hi[1], y);
}

static void reach_box(struct extent *e, const struct weft_draw_box *box)
{
	reach(e, box->x, box->y);
	reach(e, box->x + box->w, box->y + box->h);
}

static struct extent find_extent(const struct weft_draw *d)
{
	struct extent e = { { INFINITY, INFINITY }, { -INFINITY, -INFINITY } };

	for (unsigned int i = 0; i < d->units; i++)
		reach_box(&e, &d->unit[i].box);
	for (unsigned int i = 0; i < d->domains; i++)
		reach_box(&e, &d->domain[i]);
	for (unsigned int i = 0; i < d->lines; i++)
		reach(&e, d->line[i].x[1], d->line[i].y[1]);
	return e;
}

/* Round to 0.1 pixel, so that the result does not depend on the machine. */
static double tenths(double v)
{
	return floor(v * 10 + 0.5) / 10;
}

static void move_box(struct weft_draw_box *box, double x, double y)
{
	box->x = tenths(box->x + x);
	box->y = tenths(box->y + y);
	box->w = tenths(box->w);
	box->h = tenths(box->h);
}

/* Move everything into view, with a margin. */
static void move_all(struct weft_draw *d)
{
	struct extent e = find_extent(d);
	double x = DRAW_MARGIN - e.lo[0], y = DRAW_MARGIN - e.lo[1];

	d->width = ceil(e.hi[0] + x + DRAW_MARGIN);
	d->height = ceil(e.hi[1] + y + DRAW_MARGIN);
	for (unsigned int i = 0; i < d->units; i++)
		move_box(&d->unit[i].box, x, y);
	for (unsigned int i = 0; i < d->topo->nodes; i++)
		move_box(&d->node[i], x, y);
	for (unsigned int i = 0; i < d->domains; i++)
		move_box(&d->domain[i], x, y);
	for (unsigned int i = 0; i < 3 * d->lines; i++) {
		struct weft_draw_line *l = &d->line[i / 3];

		l->x[i % 3] = tenths(l->x[i % 3] + x);
		l->y[i % 3] = tenths(l->y[i % 3] + y);
	}
}

static int draw(struct weft_draw *d, const struct weft_draw_graph *g,
		struct weft_err *err)
{
	d->layout = layout_of(d->topo, g);
	weft_draw_units(d, g);
	if (place_units(d, g, err))
		return err->code;
	place_nodes(d);
	if (weft_draw_lines(d, err))
		return err->code;
	move_all(d);
	return 0;
}

/**
 * weft_draw_make() - draw a topology
 * @d: result, to be freed by weft_draw_free() even after an error
 * @topo: the topology; must outlive @d
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_draw_make(struct weft_draw *d, const struct weft_topo *topo,
		   struct weft_err *err)
{
	struct weft_draw_graph g;
	int ret;

	*d = (struct weft_draw) { .topo = topo };
	ret = weft_draw_graph_make(&g, topo, err);
	if (!ret)
		ret = get_memory(d, err);
	if (!ret)
		ret = draw(d, &g, err);
	weft_draw_graph_free(&g);
	return ret;
}

/**
 * weft_draw_free() - free a drawing
 * @d: the drawing
 */
void weft_draw_free(struct weft_draw *d)
{
	free(d->unit);
	free(d->unit_of);
	free(d->member);
	free(d->node);
	free(d->line);
	free(d->link);
	free(d->domain);
	*d = (struct weft_draw) { 0 };
}
