// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the links of a torus lead.
 *
 * A dimension is one of rings if each of its lines has the link between its ends;
 * otherwise it is one of lines, and such links as there are stay unused. Two
 * switches are no ring.
 *
 * Where links of a ring are down, who would cross them goes the other way round, and
 * so does every switch on that way. It still crosses the date line once at most and
 * ends before it comes round, so that a ring stays free of deadlock.
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
 * weft_torus_make() - look at a torus
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
 * weft_torus_step() - what kind of a link joins two neighbours
 * @t: the torus
 * @from: a switch
 * @to: its neighbour
 *
 * Return: the step from one to the other.
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

/* Places are numbered by their coordinates, the last one fastest. */
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
 * weft_torus_lose() - see which rings are broken
 * @t: the torus; what its rings are stays as it is
 * @g: its links, with those that are down
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

/* Is a link missing on the way along a line to coordinate @to? */
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
 * weft_torus_next() - the next step of dimension-order routing
 * @t: the torus
 * @from: where a packet is
 * @to: where it is to go
 * @step: result: the lowest dimension in which they differ, the shorter way round
 *
 * A ring of even size has two shortest ways to the switch opposite: upwards. Where
 * the shorter way is broken, the other one is taken if it is not.
 *
 * Return: whether they differ.
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
 * weft_torus_free() - free what weft_torus_lose() made
 * @t: the torus
 */
void weft_torus_free(struct weft_torus *t)
{
	free(t->cut);
	t->cut = NULL;
}
