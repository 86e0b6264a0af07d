// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Date lines of a torus: links on which the class of packets changes.
 *
 * The lossless classes of a switch form pairs, the first half with the second
 * half: of 0, 1, 2, 3 the pairs are 0 with 2 and 1 with 3. A packet enters each
 * ring in the lower class of its pair. The date line is the link between the
 * last coordinate and the first. On that link, and behind it in the ring, the
 * packet has the upper class. It leaves the fabric in the lower class. A class
 * without a partner shares the first pair.
 *
 * So no class of a ring has a cycle (Dally and Seitz 1987): the lower class
 * does not use the date line, and a path in the upper class ends before it is
 * back at it.
 *
 * In the table of a switch the value 15 drops packets, so no packet has class 15.
 */
#include "plan/plan_datelines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topology/topo_port.h"

#define LAST_CLASS	14U

/**
 * struct pairs - pairs of classes of a switch
 * @n: number of pairs
 * @low: lower class of the pair of each class; the class itself if it is lossy
 * @high: upper class of the pair of each class; the class itself if it is lossy
 */
struct pairs {
	unsigned int n;
	uint8_t low[WEFT_CLASSES_MAX];
	uint8_t high[WEFT_CLASSES_MAX];
};

static struct pairs pairs_of(const struct weft_switch *sw)
{
	uint32_t lossless = weft_port_lossless(&sw->port);
	uint32_t last = weft_port_classes(&sw->port) - 1;
	uint8_t list[WEFT_CLASSES_MAX] = { 0 };
	struct pairs p = { 0 };
	unsigned int n = 0;

	if (last > LAST_CLASS)
		last = LAST_CLASS;
	for (uint8_t i = 0; i < WEFT_CLASSES_MAX; i++) {
		p.low[i] = i < last ? i : (uint8_t)last;
		p.high[i] = p.low[i];
		if (i <= last && lossless & 1U << i)
			list[n++] = i;
	}
	p.n = n / 2;
	for (unsigned int i = 0; p.n && i < n; i++) {
		p.low[list[i]] = list[i % p.n];
		p.high[list[i]] = list[i % p.n + p.n];
	}
	return p;
}

static bool has_line(const struct weft_ways *w)
{
	for (unsigned int d = 0; d < w->topo->dims; d++)
		if (w->torus.wraps[d])
			return true;
	return false;
}

/* Does the path stay in its ring? Then the upper class remains. */
static bool goes_on(const struct weft_ways *w, uint32_t sw,
		    const struct weft_edge *in, const struct weft_edge *out)
{
	struct weft_step from, to;

	if (in->is_nic || out->is_nic)
		return false;
	from = weft_torus_step(&w->torus, in->to, sw);
	to = weft_torus_step(&w->torus, sw, out->to);
	return from.dim == to.dim && from.up == to.up &&
	       w->torus.wraps[to.dim];
}

static bool crosses(const struct weft_ways *w, uint32_t sw,
		    const struct weft_edge *out)
{
	return !out->is_nic && weft_torus_step(&w->torus, sw, out->to).wraps;
}

static int add_row(struct weft_plan *p, const struct weft_plan_vl *row,
		   struct weft_err *err)
{
	void *more = weft_array_grow(p->vl, p->vls, sizeof(*p->vl));

	if (!more)
		return weft_err_nomem(err);
	p->vl = more;
	p->vl[p->vls++] = *row;
	return 0;
}

/* Between two ports: all to the upper class; upper ones remain; or the default. */
static int plan_row(struct weft_plan *p, const struct weft_ways *w, uint32_t sw,
		    const struct pairs *pairs, const struct weft_edge *in,
		    const struct weft_edge *out, struct weft_err *err)
{
	struct weft_plan_vl row = { .sw = sw, .in = in->port, .out = out->port };

	if (crosses(w, sw, out)) {
		memcpy(row.vl, pairs->high, sizeof(row.vl));
		return add_row(p, &row, err);
	}
	if (!goes_on(w, sw, in, out))
		return 0;
	for (uint8_t i = 0; i < WEFT_CLASSES_MAX; i++)
		row.vl[i] = pairs->high[i] == i ? i : pairs->low[i];
	return add_row(p, &row, err);
}

static int plan_switch(struct weft_plan *p, const struct weft_ways *w,
		       uint32_t sw, const struct pairs *pairs,
		       struct weft_err *err)
{
	const struct weft_edge *first = &w->g->edge[w->g->first[sw]];
	const struct weft_edge *end = &w->g->edge[w->g->first[sw + 1]];
	struct weft_switch *s = &p->sw[sw];

	memcpy(s->vl, pairs->low, sizeof(s->vl));
	s->sl2vl = WEFT_SL2VL_CLASS;
	s->has |= WEFT_SWITCH_HAS_SL2VL | WEFT_SWITCH_HAS_VL;
	for (const struct weft_edge *in = first; in < end; in++)
		for (const struct weft_edge *out = first; out < end; out++)
			if (plan_row(p, w, sw, pairs, in, out, err))
				return err->code;
	return 0;
}

static int refuse(const struct weft_ways *w, const struct weft_switch *sw,
		  struct weft_err *err)
{
	bool asked = w->topo->routing.datelines == WEFT_DATELINES_ON;

	if (!asked)
		return 0;
	if (sw->sl2vl != WEFT_SL2VL_KEEP)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "routing: datelines set the classes of %s: remove its sl2vl",
				    sw->name);
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "routing: datelines need pairs of lossless classes, and %s has only one such class",
			    sw->name);
}

/**
 * weft_plan_datelines() - plan the date lines
 * @plan: the plan, ports complete
 * @ways: paths by the policy
 * @err: error, with the switch that cannot have date lines
 *
 * A torus without rings or without lossless classes needs none. By default
 * there are date lines if all switches can have them; if the topology requests
 * them, a switch that cannot is an error.
 *
 * Return: 0 or negative errno.
 */
int weft_plan_datelines(struct weft_plan *plan, const struct weft_ways *ways,
			struct weft_err *err)
{
	const struct weft_topo_routing *r = &ways->topo->routing;
	struct pairs pairs;

	if (r->policy != WEFT_POLICY_DIMENSION_ORDER || !plan->switches ||
	    r->datelines == WEFT_DATELINES_OFF || !has_line(ways))
		return 0;
	for (uint32_t sw = 0; sw < plan->switches; sw++) {
		const struct weft_switch *s = &plan->sw[sw];

		if (!weft_port_lossless(&s->port))
			return 0;
		if (s->sl2vl != WEFT_SL2VL_KEEP || !pairs_of(s).n)
			return refuse(ways, s, err);
	}
	for (uint32_t sw = 0; sw < plan->switches; sw++) {
		pairs = pairs_of(&plan->sw[sw]);
		if (plan_switch(plan, ways, sw, &pairs, err))
			return err->code;
	}
	return 0;
}
