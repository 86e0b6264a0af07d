// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout in rows: a row of nodes, rows of switches above it by their distance from
 * the nodes, and rows of switches of fabrics inside the hosts below it.
 *
 * To have few crossings, each unit is placed near the mean place of its neighbours
 * (Sugiyama, Tagawa, Toda 1981). Units with equal means keep their order.
 */
#include "draw/draw_make.h"

#include <stdlib.h>

#include "draw/draw_row.h"

#define SWEEPS		6
#define ROW_GAP_MIN	90.0
#define ROW_GAP_MAX	260.0
#define DOMAIN_PAD	10.0

/**
 * struct tiers - state of the layout
 * @d: the drawing
 * @g: the graph
 * @rows: number of rows; row 0 is the lowest
 * @low: tier of the lowest row
 * @first: for each row: index of its first unit in @order; one more entry for the end
 * @order: the units, by row, then from left to right
 * @pos: for each unit: its place in its row, 0 to 1; when placed, x of its middle
 * @key: for each unit: first and second sort key in its row
 */
struct tiers {
	struct weft_draw *d;
	const struct weft_draw_graph *g;
	unsigned int rows;
	int low;
	unsigned int *first;
	unsigned int *order;
	double *pos;
	double (*key)[2];
};

static int tier_of(const struct tiers *t, unsigned int unit)
{
	const struct weft_draw_unit *u = &t->d->unit[unit];

	return u->is_switch ? t->g->tier[u->first] : 0;
}

static unsigned int vertex(const struct weft_draw *d,
			   const struct weft_draw_unit *u, unsigned int k)
{
	return u->is_switch ? u->first :
			      d->topo->switches + d->member[u->first + k];
}

/**
 * struct mean - mean place of neighbours
 * @sum: sum of their places
 * @n: number of neighbours
 */
struct mean {
	double sum;
	unsigned int n;
};

/* @side: neighbours in rows below (-1), above (1), or both (0). */
static struct mean mean_of(const struct tiers *t, unsigned int unit, int side)
{
	const struct weft_draw_unit *u = &t->d->unit[unit];
	int tier = tier_of(t, unit);
	struct mean m = { 0 };

	for (unsigned int k = 0; k < u->n; k++) {
		unsigned int v = vertex(t->d, u, k);

		for (unsigned int i = t->g->first[v]; i < t->g->first[v + 1];
		     i++) {
			unsigned int to = t->d->unit_of[t->g->edge[i].to];
			int step = tier_of(t, to) - tier;

			if (!step || step * side < 0)
				continue;
			m.sum += t->pos[to];
			m.n++;
		}
	}
	return m;
}

/*
 * A row is sorted by neighbours that are nearer to the nodes, so branches of a tree stay
 * together, then by neighbours that are farther. Nodes are sorted by the neighbours of
 * fabrics inside the hosts first.
 */
static void find_key(const struct tiers *t, unsigned int unit)
{
	int near = tier_of(t, unit) < 0 ? 1 : -1;

	struct mean m = mean_of(t, unit, -near);

	t->key[unit][1] = m.n ? m.sum / m.n : t->pos[unit];
	m = mean_of(t, unit, near);
	t->key[unit][0] = m.n ? m.sum / m.n : t->key[unit][1];
}

static int by_key(const void *a, const void *b, void *ctx)
{
	unsigned int x = *(const unsigned int *)a;
	unsigned int y = *(const unsigned int *)b;
	const struct tiers *t = ctx;

	for (unsigned int i = 0; i < 2; i++)
		if (t->key[x][i] != t->key[y][i])
			return t->key[x][i] < t->key[y][i] ? -1 : 1;
	return (t->pos[x] > t->pos[y]) - (t->pos[x] < t->pos[y]);
}

static void number_row(struct tiers *t, unsigned int row)
{
	unsigned int n = t->first[row + 1] - t->first[row];

	for (unsigned int i = 0; i < n; i++)
		t->pos[t->order[t->first[row] + i]] = (i + 0.5) / n;
}

static void sort_row(struct tiers *t, unsigned int row)
{
	unsigned int n = t->first[row + 1] - t->first[row];

	for (unsigned int i = 0; i < n; i++)
		find_key(t, t->order[t->first[row] + i]);
	qsort_r(&t->order[t->first[row]], n, sizeof(*t->order), by_key, t);
	number_row(t, row);
}

static void fill_rows(struct tiers *t)
{
	for (unsigned int i = 0; i < t->d->units; i++)
		t->first[tier_of(t, i) - t->low + 1]++;
	for (unsigned int i = 0; i < t->rows; i++)
		t->first[i + 1] += t->first[i];
	for (unsigned int i = t->d->units; i--;)
		t->order[--t->first[tier_of(t, i) - t->low + 1]] = i;
	/* first[i + 1] is now the begin of row i. */
	for (unsigned int i = 0; i < t->rows; i++)
		t->first[i] = t->first[i + 1];
	t->first[t->rows] = t->d->units;
	for (unsigned int i = 0; i < t->rows; i++)
		number_row(t, i);
}

static void sort_rows(struct tiers *t)
{
	for (unsigned int i = 0; i < SWEEPS; i++)
		for (unsigned int k = 0; k < t->rows; k++)
			sort_row(t, i % 2 ? k : t->rows - 1 - k);
}

/* The gap between nodes of different switches is wider. */
static double gap_after(const struct tiers *t, unsigned int a, unsigned int b)
{
	const struct weft_draw_graph *g = t->g;
	unsigned int v = vertex(t->d, &t->d->unit[a], 0);
	unsigned int w = vertex(t->d, &t->d->unit[b], 0);

	if (v < g->switches || w < g->switches ||
	    g->first[v] == g->first[v + 1] || g->first[w] == g->first[w + 1] ||
	    g->edge[g->first[v]].to == g->edge[g->first[w]].to)
		return DRAW_GAP;
	return 2 * DRAW_GAP;
}

static void row_begin(const struct tiers *t, unsigned int row,
		      struct weft_draw_row *r)
{
	const unsigned int *order = &t->order[t->first[row]];

	r->n = t->first[row + 1] - t->first[row];
	for (unsigned int i = 0; i < r->n; i++) {
		double half = t->d->unit[order[i]].box.w / 2;

		r->half[i] = half;
		r->gap[i] = i + 1 < r->n ?
				    gap_after(t, order[i], order[i + 1]) : 0;
	}
}

/* @side: rows below (-1) or above (1) are placed already; 0: none is. */
static void place_row(struct tiers *t, unsigned int row,
		      struct weft_draw_row *r, double width, int side)
{
	const unsigned int *order = &t->order[t->first[row]];

	row_begin(t, row, r);
	for (unsigned int i = 0; i < r->n; i++) {
		struct mean m = mean_of(t, order[i], side);

		r->x[i] = m.n ? m.sum / m.n : width / 2;
	}
	if (side)
		weft_draw_row_near(r, width);
	else
		weft_draw_row_spread(r, width);
	for (unsigned int i = 0; i < r->n; i++)
		t->pos[order[i]] = r->x[i];
}

/* Place the row of nodes first, then the rows above it, then those below. */
static double place_rows(struct tiers *t, struct weft_draw_row *r)
{
	unsigned int nodes = (unsigned int)-t->low;
	double width = 0, row;

	for (unsigned int i = 0; i < t->rows; i++) {
		row_begin(t, i, r);
		row = weft_draw_row_width(r);
		if (row > width)
			width = row;
	}
	place_row(t, nodes, r, width, 0);
	for (unsigned int i = nodes + 1; i < t->rows; i++)
		place_row(t, i, r, width, -1);
	for (unsigned int i = nodes; i--;)
		place_row(t, i, r, width, 1);
	return width;
}

static double row_height(const struct tiers *t, unsigned int row)
{
	double h = 0;

	for (unsigned int i = t->first[row]; i < t->first[row + 1]; i++)
		if (t->d->unit[t->order[i]].box.h > h)
			h = t->d->unit[t->order[i]].box.h;
	return h;
}

static void fill_boxes(struct tiers *t, double width)
{
	double gap = 70 + width / 14, y = 0;

	if (gap < ROW_GAP_MIN)
		gap = ROW_GAP_MIN;
	if (gap > ROW_GAP_MAX)
		gap = ROW_GAP_MAX;
	for (unsigned int row = t->rows; row--;) {
		for (unsigned int i = t->first[row]; i < t->first[row + 1];
		     i++) {
			unsigned int unit = t->order[i];
			struct weft_draw_box *box = &t->d->unit[unit].box;

			box->x = t->pos[unit] - box->w / 2;
			box->y = y;
		}
		y += row_height(t, row) + gap;
	}
}

static void cover(struct weft_draw_box *all, const struct weft_draw_box *box)
{
	double right = box->x + box->w + DOMAIN_PAD;
	double bottom = box->y + box->h + DOMAIN_PAD;

	if (all->w && all->x + all->w > right)
		right = all->x + all->w;
	if (all->h && all->y + all->h > bottom)
		bottom = all->y + all->h;
	if (!all->w || box->x - DOMAIN_PAD < all->x)
		all->x = box->x - DOMAIN_PAD;
	if (!all->h || box->y - DOMAIN_PAD < all->y)
		all->y = box->y - DOMAIN_PAD;
	all->w = right - all->x;
	all->h = bottom - all->y;
}

static unsigned int root_of(unsigned int *up, unsigned int u)
{
	while (up[u] != u)
		u = up[u] = up[up[u]];
	return u;
}

/* Join units that have links in fabrics inside the hosts (union-find). */
static void join_domains(const struct tiers *t, unsigned int *up)
{
	for (unsigned int i = 0; i < t->d->units; i++)
		up[i] = i;
	for (unsigned int v = 0; v < t->g->n; v++)
		for (unsigned int i = t->g->first[v]; i < t->g->first[v + 1];
		     i++) {
			unsigned int a = t->d->unit_of[v];
			unsigned int b = t->d->unit_of[t->g->edge[i].to];

			if (t->g->edge[i].inner)
				up[root_of(up, a)] = root_of(up, b);
		}
}

static bool overlap(const struct weft_draw_box *a,
		    const struct weft_draw_box *b)
{
	return a->x < b->x + b->w && b->x < a->x + a->w &&
	       a->y < b->y + b->h && b->y < a->y + a->h;
}

/* Keep areas that have a size; keep none if any two overlap. */
static void keep_domains(struct weft_draw *d, unsigned int n)
{
	d->domains = 0;
	for (unsigned int i = 0; i < n; i++)
		if (d->domain[i].w)
			d->domain[d->domains++] = d->domain[i];
	for (unsigned int i = 0; i < d->domains; i++)
		for (unsigned int k = 0; k < i; k++)
			if (overlap(&d->domain[i], &d->domain[k]))
				d->domains = 0;
}

static int find_domains(const struct tiers *t, struct weft_err *err)
{
	struct weft_draw *d = t->d;
	unsigned int *up;

	if (!t->g->inner)
		return 0;
	up = calloc(d->units, sizeof(*up));
	d->domain = calloc(d->units, sizeof(*d->domain));
	if (!up || !d->domain) {
		free(up);
		return weft_err_nomem(err);
	}
	join_domains(t, up);
	for (unsigned int v = 0; v < t->g->switches; v++)
		if (t->g->tier[v] < 0)
			cover(&d->domain[root_of(up, d->unit_of[v])],
			      &d->unit[d->unit_of[v]].box);
	for (unsigned int i = t->g->switches; i < d->units; i++)
		if (d->domain[root_of(up, i)].w)
			cover(&d->domain[root_of(up, i)], &d->unit[i].box);
	keep_domains(d, d->units);
	free(up);
	return 0;
}

static int arrange(struct tiers *t, struct weft_err *err)
{
	struct weft_draw_row row = { 0 };
	int ret = weft_draw_row_make(&row, t->d->units, err);

	if (!ret) {
		fill_rows(t);
		sort_rows(t);
		fill_boxes(t, place_rows(t, &row));
		ret = find_domains(t, err);
	}
	weft_draw_row_free(&row);
	return ret;
}

/**
 * weft_draw_tiers() - arrange the units in rows
 * @d: the drawing, with the units and their sizes
 * @g: the graph
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_draw_tiers(struct weft_draw *d, const struct weft_draw_graph *g,
		    struct weft_err *err)
{
	struct tiers t = { .d = d, .g = g };
	int ret;

	for (unsigned int i = 0; i < g->switches; i++)
		if (g->tier[i] < t.low)
			t.low = g->tier[i];
	t.rows = (unsigned int)(g->top - t.low) + 1;
	t.first = calloc(t.rows + 2, sizeof(*t.first));
	t.order = calloc(d->units + 1, sizeof(*t.order));
	t.pos = calloc(d->units + 1, sizeof(*t.pos));
	t.key = calloc(d->units + 1, sizeof(*t.key));
	ret = t.first && t.order && t.pos && t.key ? arrange(&t, err) :
						     weft_err_nomem(err);
	free(t.first);
	free(t.order);
	free(t.pos);
	free(t.key);
	return ret;
}
