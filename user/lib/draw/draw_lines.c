// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of a drawing. A line stands for one link, or for all links of the same rate
 * and discipline between two units if there are many.
 */
#include "draw/draw_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARALLEL_MAX	4	/* most links between two units that get a line each */
#define APART		5.0	/* distance between parallel lines */
#define BOW		58.0	/* distance of a curve's control point from the middle */

/**
 * struct ends - a link and its units
 * @unit: the units, the lower number first
 * @rate: its rate
 * @discipline: its discipline
 * @link: the link
 */
struct ends {
	unsigned int unit[2];
	uint64_t rate;
	const char *discipline;
	unsigned int link;
};

static int by_kind(const struct ends *x, const struct ends *y)
{
	for (unsigned int i = 0; i < 2; i++)
		if (x->unit[i] != y->unit[i])
			return x->unit[i] < y->unit[i] ? -1 : 1;
	if (x->rate != y->rate)
		return x->rate < y->rate ? -1 : 1;
	return strcmp(x->discipline, y->discipline);
}

static int by_ends(const void *a, const void *b)
{
	const struct ends *x = a, *y = b;
	int ret = by_kind(x, y);

	return ret ? ret : (x->link > y->link) - (x->link < y->link);
}

static const char *discipline_of(const struct weft_topo *topo,
				 const struct weft_topo_end *end)
{
	return end->is_node ?
		       topo->node[end->index].nic[end->port].port.p.discipline :
		       topo->sw[end->index].port.p.discipline;
}

static void fill_ends(const struct weft_draw *d, struct ends *e)
{
	for (unsigned int i = 0; i < d->topo->links; i++) {
		const struct weft_topo_link *link = &d->topo->link[i];
		unsigned int a, b;

		a = d->unit_of[weft_draw_vertex(d->topo, &link->end[0])];
		b = d->unit_of[weft_draw_vertex(d->topo, &link->end[1])];
		e[i] = (struct ends) {
			.unit = { a < b ? a : b, a < b ? b : a },
			.rate = link->wire.rate, .link = i,
			.discipline = discipline_of(d->topo, &link->end[0]),
		};
	}
	qsort(e, d->topo->links, sizeof(*e), by_ends);
}

static void add_line(struct weft_draw *d, const struct ends *e,
		     unsigned int first, unsigned int n)
{
	d->line[d->lines++] = (struct weft_draw_line) {
		.unit = { e->unit[0], e->unit[1] }, .first = first, .n = n,
		.rate = e->rate, .discipline = e->discipline,
	};
}

static void add_lines(struct weft_draw *d, const struct ends *e)
{
	unsigned int n = d->topo->links, end;

	for (unsigned int i = 0; i < n; i++)
		d->link[i] = e[i].link;
	for (unsigned int i = 0; i < n; i = end) {
		for (end = i + 1; end < n && !by_kind(&e[i], &e[end]);)
			end++;
		if (end - i > PARALLEL_MAX)
			add_line(d, &e[i], i, end - i);
		for (unsigned int k = i; end - i <= PARALLEL_MAX && k < end;
		     k++)
			add_line(d, &e[k], k, 1);
	}
}

static double middle_x(const struct weft_draw *d, unsigned int unit)
{
	return d->unit[unit].box.x + d->unit[unit].box.w / 2;
}

static double middle_y(const struct weft_draw *d, unsigned int unit)
{
	return d->unit[unit].box.y + d->unit[unit].box.h / 2;
}

/* Where the line goes: -1 up, 1 down, 0 to a box of the same row, which has the same top. */
static int side_of(const struct weft_draw *d, const struct weft_draw_line *l,
		   unsigned int k)
{
	double a = d->unit[l->unit[k]].box.y, b = d->unit[l->unit[!k]].box.y;

	return (b > a) - (b < a);
}

/**
 * struct anchor - end of a line at a box
 * @line: the line
 * @k: which end of the line, 0 or 1
 * @side: side of the box, as from side_of()
 * @far: x of the box at the other end
 */
struct anchor {
	unsigned int line;
	unsigned int k;
	int side;
	double far;
};

static int by_anchor(const void *a, const void *b, void *ctx)
{
	const struct anchor *x = a, *y = b;
	const struct weft_draw *d = ctx;
	unsigned int u = d->line[x->line].unit[x->k];
	unsigned int v = d->line[y->line].unit[y->k];

	if (u != v)
		return u < v ? -1 : 1;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	if (x->far != y->far)
		return x->far < y->far ? -1 : 1;
	/* Curves to the left are nested, so their order is reversed here. */
	if (!x->side && x->far < middle_x(d, u))
		return (x->line < y->line) - (x->line > y->line);
	return (x->line > y->line) - (x->line < y->line);
}

static void fix(struct weft_draw *d, const struct anchor *a, double share)
{
	struct weft_draw_line *l = &d->line[a->line];
	const struct weft_draw_box *box = &d->unit[l->unit[a->k]].box;

	l->x[a->k ? 2 : 0] = box->x + box->w * share;
	l->y[a->k ? 2 : 0] = a->side > 0 ? box->y + box->h : box->y;
	if (a->side)
		return;
	l->curved = true;
	l->x[1] = (middle_x(d, l->unit[0]) + middle_x(d, l->unit[1])) / 2;
	l->y[1] = box->y - BOW;
}

/* On each side of a box, lines are ordered by the x of their other ends. */
static int anchor_lines(struct weft_draw *d, struct weft_err *err)
{
	unsigned int n = 2 * d->lines, end;
	struct anchor *a = calloc(n + 1, sizeof(*a));

	if (!a)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < n; i++) {
		const struct weft_draw_line *l = &d->line[i / 2];

		a[i] = (struct anchor) { .line = i / 2, .k = i % 2 };
		a[i].side = side_of(d, l, i % 2);
		a[i].far = middle_x(d, l->unit[!(i % 2)]);
	}
	qsort_r(a, n, sizeof(*a), by_anchor, d);
	for (unsigned int i = 0; i < n; i = end) {
		unsigned int unit = d->line[a[i].line].unit[a[i].k];

		for (end = i; end < n && a[end].side == a[i].side &&
		     d->line[a[end].line].unit[a[end].k] == unit;)
			end++;
		for (unsigned int k = i; k < end; k++)
			fix(d, &a[k], (k - i + 1.0) / (end - i + 1.0));
	}
	free(a);
	return 0;
}

/* Is it a link of a torus from the last switch of a dimension to the first? */
static bool goes_around(const struct weft_draw *d,
			const struct weft_draw_line *l)
{
	const uint32_t *a, *b;

	if (d->layout != WEFT_DRAW_TORUS || !d->unit[l->unit[0]].is_switch ||
	    !d->unit[l->unit[1]].is_switch)
		return false;
	a = d->topo->sw[d->unit[l->unit[0]].first].coord;
	b = d->topo->sw[d->unit[l->unit[1]].first].coord;
	for (unsigned int i = 0; i < d->topo->dims; i++)
		if (a[i] > b[i] + 1 || b[i] > a[i] + 1)
			return true;
	return false;
}

/* Lines run from middle to middle, behind the boxes. Curves bend up or left. */
static void join_middles(struct weft_draw *d, struct weft_draw_line *l,
			 double apart)
{
	double x = middle_x(d, l->unit[1]) - middle_x(d, l->unit[0]);
	double y = middle_y(d, l->unit[1]) - middle_y(d, l->unit[0]);
	double len = hypot(x, y), px = y / len, py = -x / len;

	if (px > 0 || (!(px < 0) && py > 0)) {
		px = -px;
		py = -py;
	}
	for (unsigned int k = 0; k < 2; k++) {
		l->x[k ? 2 : 0] = middle_x(d, l->unit[k]) + px * apart;
		l->y[k ? 2 : 0] = middle_y(d, l->unit[k]) + py * apart;
	}
	l->curved = goes_around(d, l);
	if (!l->curved)
		return;
	l->x[1] = (l->x[0] + l->x[2]) / 2 + px * BOW;
	l->y[1] = (l->y[0] + l->y[2]) / 2 + py * BOW;
}

static double length(const struct weft_draw_line *l)
{
	return hypot(l->x[2] - l->x[0], l->y[2] - l->y[0]);
}

static bool joins_switches(const struct weft_draw *d,
			   const struct weft_draw_line *l)
{
	return d->unit[l->unit[0]].is_switch && d->unit[l->unit[1]].is_switch;
}

/*
 * On a circle around (0, 0), a line between switches of a group that are not next to
 * each other bends to the centre, past the switches between them.
 */
static void bend_short(struct weft_draw *d)
{
	double least = INFINITY;

	for (unsigned int i = 0; i < d->lines; i++)
		if (joins_switches(d, &d->line[i]))
			least = fmin(least, length(&d->line[i]));
	for (unsigned int i = 0; i < d->lines; i++) {
		struct weft_draw_line *l = &d->line[i];
		double len = length(l), r = hypot(l->x[0], l->y[0]);

		if (!joins_switches(d, l) || len < 1.4 * least || len > r)
			continue;
		l->curved = true;
		l->x[1] = (l->x[0] + l->x[2]) / 2 * (1 - len / 2 / r);
		l->y[1] = (l->y[0] + l->y[2]) / 2 * (1 - len / 2 / r);
	}
}

static bool same_units(const struct weft_draw_line *a,
		       const struct weft_draw_line *b)
{
	return a->unit[0] == b->unit[0] && a->unit[1] == b->unit[1];
}

static void join_all(struct weft_draw *d)
{
	unsigned int end;

	for (unsigned int i = 0; i < d->lines; i = end) {
		for (end = i + 1; end < d->lines &&
		     same_units(&d->line[i], &d->line[end]);)
			end++;
		for (unsigned int k = i; k < end; k++)
			join_middles(d, &d->line[k],
				     (k - i - (end - i - 1) / 2.0) * APART);
	}
}

/**
 * weft_draw_lines() - add the lines
 * @d: the drawing, with its units placed
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_draw_lines(struct weft_draw *d, struct weft_err *err)
{
	struct ends *e = calloc(d->topo->links + 1, sizeof(*e));
	int ret = 0;

	if (!e)
		return weft_err_nomem(err);
	fill_ends(d, e);
	add_lines(d, e);
	free(e);
	if (d->layout == WEFT_DRAW_TIERS)
		ret = anchor_lines(d, err);
	else
		join_all(d);
	if (d->layout == WEFT_DRAW_CIRCLE)
		bend_short(d);
	for (unsigned int i = 0; i < d->lines; i++) {
		struct weft_draw_line *l = &d->line[i];

		if (l->curved)
			continue;
		l->x[1] = (l->x[0] + l->x[2]) / 2;
		l->y[1] = (l->y[0] + l->y[2]) / 2;
	}
	return ret;
}
