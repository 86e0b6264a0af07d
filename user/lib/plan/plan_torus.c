// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links of a torus, and the steps of dimension-order routing.
 *
 * The lines of a dimension are rings if each of them has the link between its
 * ends. Otherwise the dimension has no rings, and links between ends are
 * unused. A ring has at least three switches.
 *
 * If a link of a ring is down, paths that would use it go the other way round,
 * from every switch on them. Such a path still crosses the date line at most
 * once and ends before it is back at it, so the ring stays free of deadlock.
 */
#include "plan/plan_torus.h"

#include <stdlib.h>
#include <string.h>

#define RING_MIN	3

static bool has_wrap(const struct weft_torus *t, const struct weft_graph *g,
		     uint32_t sw, unsigned int dim)
{
	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
		const struct weft_edge *e = &g->edge[i];
		struct weft_step step;

		if (e->is_nic)
			continue;
		step = weft_torus_step(t, sw, e->to);
		if (step.dim == dim && step.up)
			return true;
	}
	return false;
}

/**
 * weft_torus_make() - find the rings of a torus
 * @t: result
 * @topo: the topology
 * @g: its links
 */
void weft_torus_make(struct weft_torus *t, const struct weft_topo *topo,
		     const struct weft_graph *g)
{
	*t = (struct weft_torus) { .topo = topo };
	for (unsigned int d = 0; d < topo->dims; d++)
		t->wraps[d] = topo->dim[d] >= RING_MIN;
	for (uint32_t sw = 0; sw < topo->switches; sw++)
		for (unsigned int d = 0; d < topo->dims; d++)
			if (topo->sw[sw].coord[d] == topo->dim[d] - 1 &&
			    !has_wrap(t, g, sw, d))
				t->wraps[d] = false;
}

/**
 * weft_torus_step() - find the step between two neighbours
 * @t: the torus
 * @from: a switch
 * @to: its neighbour
 *
 * Return: the step from @from to @to.
 */
struct weft_step weft_torus_step(const struct weft_torus *t, uint32_t from,
				 uint32_t to)
{
	const uint32_t *a = t->topo->sw[from].coord;
	const uint32_t *b = t->topo->sw[to].coord;
	struct weft_step step = { 0 };
	uint32_t last;

	while (step.dim + 1 < t->topo->dims && a[step.dim] == b[step.dim])
		step.dim++;
	last = t->topo->dim[step.dim] - 1;
	step.up = a[step.dim] + 1 == b[step.dim] ||
		  (last >= RING_MIN - 1 && a[step.dim] == last &&
		   !b[step.dim]);
	step.wraps = t->wraps[step.dim] &&
		     ((a[step.dim] == last && !b[step.dim]) ||
		      (b[step.dim] == last && !a[step.dim]));
	return step;
}

/* Number of a place; the last coordinate varies fastest. @dim has @instead. */
static uint32_t place_of(const struct weft_torus *t, const uint32_t *coord,
			 unsigned int dim, uint32_t instead)
{
	uint32_t place = 0;

	for (unsigned int d = 0; d < t->topo->dims; d++)
		place = place * t->topo->dim[d] +
			(d == dim ? instead : coord[d]);
	return place;
}

static void find_cuts(struct weft_torus *t, const struct weft_graph *g,
		      uint32_t sw)
{
	uint32_t place = place_of(t, t->topo->sw[sw].coord, WEFT_DIMS_MAX, 0);

	for (unsigned int i = g->first[sw]; i < g->first[sw + 1]; i++) {
		const struct weft_edge *e = &g->edge[i];
		struct weft_step step;

		if (e->is_nic || e->down)
			continue;
		step = weft_torus_step(t, sw, e->to);
		if (step.up)
			t->cut[place] &= (uint8_t)~(1U << step.dim);
	}
}

/**
 * weft_torus_lose() - find the rings that are broken
 * @t: the torus; its rings stay as they were with all links
 * @g: its links; those that are down are marked
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_torus_lose(struct weft_torus *t, const struct weft_graph *g,
		    struct weft_err *err)
{
	uint32_t places = 1;

	for (unsigned int d = 0; d < t->topo->dims; d++)
		places *= t->topo->dim[d];
	free(t->cut);
	t->cut = malloc(places);
	if (!t->cut)
		return weft_err_nomem(err);
	memset(t->cut, 0xff, places);
	for (uint32_t sw = 0; sw < t->topo->switches; sw++)
		find_cuts(t, g, sw);
	return 0;
}

/* Is a link down on the path along a line to coordinate @to? */
static bool is_broken(const struct weft_torus *t, const uint32_t *from,
		      unsigned int dim, uint32_t to, bool up)
{
	uint32_t size = t->topo->dim[dim], c = from[dim], next;

	for (; c != to; c = next) {
		next = (c + (up ? 1 : size - 1)) % size;
		if (t->cut[place_of(t, from, dim, up ? c : next)] >> dim & 1)
			return true;
	}
	return false;
}

/**
 * weft_torus_next() - find the next step of dimension-order routing
 * @t: the torus
 * @from: current switch of a packet
 * @to: its destination switch
 * @step: result: in the lowest dimension in which they differ, the shorter way
 * round
 *
 * In a ring of even size both ways to the opposite switch are shortest; the
 * step is upwards then. If the shorter way is broken and the other is not, the
 * step goes the other way.
 *
 * Return: whether @from and @to differ.
 */
bool weft_torus_next(const struct weft_torus *t, uint32_t from, uint32_t to,
		     struct weft_step *step)
{
	const uint32_t *a = t->topo->sw[from].coord;
	const uint32_t *b = t->topo->sw[to].coord;
	unsigned int d = 0;
	uint32_t size, ahead;

	while (d < t->topo->dims && a[d] == b[d])
		d++;
	if (d == t->topo->dims)
		return false;
	size = t->topo->dim[d];
	ahead = (b[d] + size - a[d]) % size;
	step->dim = d;
	step->up = t->wraps[d] ? 2 * ahead <= size : b[d] > a[d];
	if (t->cut && t->wraps[d] && is_broken(t, a, d, b[d], step->up) &&
	    !is_broken(t, a, d, b[d], !step->up))
		step->up = !step->up;
	step->wraps = t->wraps[d] && a[d] == (step->up ? size - 1 : 0);
	return true;
}

/**
 * weft_torus_free() - free the memory of weft_torus_lose()
 * @t: the torus
 */
void weft_torus_free(struct weft_torus *t)
{
	free(t->cut);
	t->cut = NULL;
}
