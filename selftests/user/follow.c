// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets that follow the routes of a plan, for the tests.
 *
 * All ways that the routes allow are gone, one after the other: for small networks,
 * and apart from how the library looks at them.
 */
#include "follow.h"

#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "load.h"

#define HOPS_MAX	32

/**
 * struct trip - a packet under way
 * @m: the network
 * @to: NIC that it goes to
 * @fn: looks at each step
 * @ctx: for @fn
 * @links: links between switches on its longest way
 */
struct trip {
	const struct follow_map *m;
	uint32_t to;
	follow_fn fn;
	void *ctx;
	unsigned int links;
};

/**
 * follow_map() - see what is at the other end of each port
 * @m: result
 * @plan: the plan
 */
void follow_map(struct follow_map *m, const struct weft_plan *plan)
{
	memset(m, 0, sizeof(*m));
	m->plan = plan;
	for (unsigned int i = 0; i < plan->switches; i++) {
		m->first[i] = m->ports;
		m->ports += plan->sw[i].ports;
	}
	if (m->ports > FOLLOW_MAX || plan->nics > FOLLOW_MAX)
		abort();
	for (unsigned int i = 0; i < plan->links; i++)
		for (unsigned int s = 0; s < 2; s++) {
			const struct weft_end *e = &plan->link[i].end[s];

			if (e->is_nic)
				m->at[e->id] = plan->link[i].end[!s];
			else
				m->far[m->first[e->id] + e->port] =
					plan->link[i].end[!s];
		}
}

static unsigned int next_class(const struct weft_plan *p, uint32_t sw,
			       uint32_t in, uint32_t out, unsigned int cls)
{
	if (p->sw[sw].sl2vl == WEFT_SL2VL_KEEP)
		return cls;
	for (unsigned int i = 0; i < p->vls; i++)
		if (p->vl[i].sw == sw && p->vl[i].in == in &&
		    p->vl[i].out == out)
			return p->vl[i].vl[cls];
	return p->sw[sw].vl[cls];
}

static void step(struct trip *t, const struct weft_end *at, unsigned int cls,
		 unsigned int hops, int before)
{
	const struct weft_route *r = find_route(t->m->plan, at->id, t->to);

	if (!r || hops > HOPS_MAX) {
		ktap_fail(__FILE__, __LINE__, "to %u: %s after %u links", t->to,
			  r ? "no end" : "no route", hops);
		return;
	}
	for (unsigned int i = 0; i < r->ports; i++) {
		unsigned int port = t->m->first[at->id] + r->port[i];
		const struct weft_end *far = &t->m->far[port];
		unsigned int next = next_class(t->m->plan, at->id, at->port,
					       r->port[i], cls);

		t->fn(t->ctx, port, next, before, cls);
		if (!far->is_nic)
			step(t, far, next, hops + 1, (int)port);
		else if (far->id != t->to)
			ktap_fail(__FILE__, __LINE__, "to %u: came to %u",
				  t->to, far->id);
		else if (hops > t->links)
			t->links = hops;
	}
}

/**
 * follow() - let a packet go all ways that it may
 * @m: the network
 * @from: NIC that it comes from
 * @to: NIC that it goes to
 * @cls: its class as it is sent
 * @fn: looks at each step
 * @ctx: for @fn
 *
 * That it arrives is a condition of the test.
 *
 * Return: links between switches on the longest way.
 */
unsigned int follow(const struct follow_map *m, uint32_t from, uint32_t to,
		    unsigned int cls, follow_fn fn, void *ctx)
{
	struct trip t = { .m = m, .to = to, .fn = fn, .ctx = ctx };

	step(&t, &m->at[from], cls, 0, -1);
	return t.links;
}
