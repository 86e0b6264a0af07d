// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the links of a torus lead.
 *
 * A dimension is one of rings if each of its lines has the link between its ends;
 * otherwise it is one of lines, and such links as there are stay unused. Two
 * switches are no ring.
 */
#include "plan_torus.h"

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

/**
 * weft_torus_next() - the next step of dimension-order routing
 * @t: the torus
 * @from: where a packet is
 * @to: where it is to go
 * @step: result: the lowest dimension in which they differ, the shorter way round
 *
 * A ring of even size has two shortest ways to the switch opposite: upwards.
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
	step->wraps = t->wraps[d] && a[d] == (step->up ? size - 1 : 0);
	return true;
}
