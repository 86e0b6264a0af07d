// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Channel dependency graph: the buffers that wait for each other by a plan's
 * routes.
 *
 * For each destination, packets of each service level are followed from all
 * other NICs over all ports of the routes, with their class on each link. If a
 * packet has a lossless class on a link and on the next one, the first buffer
 * may wait for the second (Dally and Seitz 1987). A lossy class drops instead
 * of waiting.
 *
 * Service levels that all switches treat alike are followed once. So are
 * destinations of one switch with the same paths.
 *
 * Multicast is not followed. Adaptive detours do not exist.
 */
#include "plan/plan_waits.h"

#include <stdlib.h>
#include <string.h>

#include "topology/topo_port.h"

#define NO_CLASS	UINT32_MAX
#define WORD_BITS	64

/**
 * struct follow - state of the search
 * @w: result
 * @ways: paths by the policy
 * @first: index of the first row of each switch in plan->vl; one more for the end
 * @route: routes of each switch, in the order of destinations
 * @routes: index of the first route of each switch in @route; one more for the
 * end
 * @lossless: lossless classes of each switch, bit mask
 * @before: for each switch, the last of its NICs that was searched as destination
 * @alike: all NICs of a switch send alike, and their ports make no difference
 * @levels: service levels to be followed, bit mask
 * @seen: for each channel, levels that reached it on the way to this destination
 * @todo: channels with levels in @fresh
 * @todos: entries of @todo
 * @fresh: for each channel, levels of @seen that are not followed further yet
 * @used: channels whose @seen is not zero
 * @useds: entries of @used
 */
struct follow {
	struct weft_waits *w;
	const struct weft_ways *ways;
	unsigned int *first;
	const struct weft_route **route;
	unsigned int *routes;
	uint32_t *lossless;
	uint32_t *before;
	bool alike;
	uint32_t levels;
	uint16_t *seen;
	uint16_t *fresh;
	uint32_t *todo;
	unsigned int todos;
	uint32_t *used;
	unsigned int useds;
};

static uint32_t at_most(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Mapping of classes between two ports; the switch's own if there is no row. */
static const uint8_t *row_of(const struct follow *f, uint32_t sw, uint32_t in,
			     uint32_t out)
{
	const struct weft_plan *p = f->w->plan;
	unsigned int lo = f->first[sw], hi = f->first[sw + 1];

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;
		const struct weft_plan_vl *row = &p->vl[mid];

		if (row->in == in && row->out == out)
			return row->vl;
		if (row->in < in || (row->in == in && row->out < out))
			lo = mid + 1;
		else
			hi = mid;
	}
	return p->sw[sw].vl;
}

/* Class on the next wire, NO_CLASS if the packet is dropped. */
static uint32_t next_class(const struct follow *f, uint32_t sw, uint32_t in,
			   uint32_t out, uint32_t level, uint32_t cls)
{
	const struct weft_switch *s = &f->w->plan->sw[sw];
	uint32_t last = weft_port_classes(&s->port) - 1, index = level;

	if (s->sl2vl == WEFT_SL2VL_KEEP)
		return at_most(cls, last);
	if (s->sl2vl == WEFT_SL2VL_CLASS)
		index = cls;
	if (s->has & WEFT_SWITCH_HAS_VL)
		cls = row_of(f, sw, in, out)[index];
	else
		cls = at_most(index, last);
	return cls == WEFT_CLASSES_MAX - 1 ? NO_CLASS : cls;
}

/* Class in which a NIC sends a service level. */
static uint32_t class_of(const struct weft_port_params *p, uint32_t level)
{
	if (p->has & WEFT_HAS(WEFT_A_PORT_PARAMS_VL))
		return p->vl.v[level];
	return at_most(level, weft_port_classes(p) - 1);
}

static const struct weft_route *route_of(const struct follow *f, uint32_t sw,
					 uint32_t nic)
{
	unsigned int lo = f->routes[sw], hi = f->routes[sw + 1];

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;
		const struct weft_route *r = f->route[mid];

		if (r->dst <= nic && nic <= r->dst_last)
			return r;
		if (r->dst_last < nic)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static uint32_t channel_of(const struct follow *f, uint32_t sw, uint32_t port,
			   uint32_t cls)
{
	return (f->w->g->first[sw] + port) * WEFT_CLASSES_MAX + cls;
}

static void reach(struct follow *f, uint32_t channel, uint32_t levels)
{
	levels &= ~(uint32_t)f->seen[channel];
	if (!levels)
		return;
	if (!f->seen[channel])
		f->used[f->useds++] = channel;
	if (!f->fresh[channel])
		f->todo[f->todos++] = channel;
	f->seen[channel] |= (uint16_t)levels;
	f->fresh[channel] |= (uint16_t)levels;
}

/* A set has bits for all ports and classes of the switch at the channel's end. */
static int note_wait(struct follow *f, uint32_t channel, uint32_t port,
		     uint32_t cls, struct weft_err *err)
{
	const struct weft_graph *g = f->w->g;
	uint32_t to = g->edge[channel / WEFT_CLASSES_MAX].to;
	unsigned int bits = (g->first[to + 1] - g->first[to]) *
			    WEFT_CLASSES_MAX;
	uint64_t **set = &f->w->set[channel];
	uint32_t bit = port * WEFT_CLASSES_MAX + cls;

	if (!*set)
		*set = calloc(bits / WORD_BITS + 1, sizeof(**set));
	if (!*set)
		return weft_err_nomem(err);
	(*set)[bit / WORD_BITS] |= 1ULL << bit % WORD_BITS;
	return 0;
}

/* Follow packets of a service level from a port of a switch to another. */
static int pass(struct follow *f, uint32_t sw, const struct weft_edge *out,
		uint32_t in_port, uint32_t level, uint32_t channel,
		struct weft_err *err)
{
	uint32_t cls = channel % WEFT_CLASSES_MAX, next;

	next = next_class(f, sw, in_port, out->port, level, cls);
	if (next == NO_CLASS || out->is_nic)
		return 0;
	reach(f, channel_of(f, sw, out->port, next), 1U << level);
	if (f->lossless[sw] & 1U << cls &&
	    f->lossless[out->to] & 1U << next)
		return note_wait(f, channel, out->port, next, err);
	return 0;
}

/* Follow the packets of a channel further. */
static int follow_on(struct follow *f, uint32_t channel, uint32_t nic,
		     struct weft_err *err)
{
	const struct weft_graph *g = f->w->g;
	const struct weft_edge *e = &g->edge[channel / WEFT_CLASSES_MAX];
	const struct weft_route *r = route_of(f, e->to, nic);
	uint32_t levels = f->fresh[channel];

	f->fresh[channel] = 0;
	for (unsigned int i = 0; r && i < r->ports; i++) {
		const struct weft_edge *out = &g->edge[g->first[e->to]];

		out += r->port[i];
		for (uint32_t level = 0; levels >> level; level++)
			if (levels & 1U << level &&
			    pass(f, e->to, out, e->far, level, channel, err))
				return err->code;
	}
	return 0;
}

/* Follow the packets of a NIC through its switch. */
static void begin(struct follow *f, uint32_t from, const struct weft_edge *in,
		  uint32_t sw, const struct weft_route *r)
{
	const struct weft_port_params *p = &f->w->plan->nic[from].nic.port;
	const struct weft_graph *g = f->w->g;

	for (unsigned int i = 0; i < r->ports; i++) {
		const struct weft_edge *out = &g->edge[g->first[sw]];

		out += r->port[i];
		for (uint32_t l = 0; !out->is_nic && f->levels >> l; l++) {
			uint32_t cls;

			if (!(f->levels & 1U << l) ||
			    class_of(p, l) == WEFT_CLASSES_MAX - 1)
				continue;
			cls = next_class(f, sw, in->port, out->port, l,
					 class_of(p, l));
			if (cls != NO_CLASS)
				reach(f, channel_of(f, sw, out->port, cls),
				      1U << l);
		}
	}
}

static void begin_all(struct follow *f, uint32_t nic)
{
	const struct weft_graph *g = f->w->g;

	for (uint32_t sw = 0; sw < g->switches; sw++) {
		const struct weft_route *r = route_of(f, sw, nic);

		for (unsigned int i = g->first[sw]; r && i < g->first[sw + 1];
		     i++)
			if (g->edge[i].is_nic && g->edge[i].to != nic) {
				begin(f, g->edge[i].to, &g->edge[i], sw, r);
				if (f->alike)
					break;
			}
	}
}

static int follow_to(struct follow *f, uint32_t nic, struct weft_err *err)
{
	begin_all(f, nic);
	while (f->todos)
		if (follow_on(f, f->todo[--f->todos], nic, err))
			return err->code;
	while (f->useds)
		f->seen[f->used[--f->useds]] = 0;
	return 0;
}

/* Do all other switches have the same routes to two NICs of a switch? */
static bool is_like(const struct follow *f, uint32_t nic, uint32_t before)
{
	for (uint32_t sw = 0; sw < f->w->g->switches; sw++)
		if (sw != f->ways->home[nic] &&
		    route_of(f, sw, nic) != route_of(f, sw, before))
			return false;
	return true;
}

/* Would @nic give the same result as the previous destination of its switch? */
static bool is_known(const struct follow *f, uint32_t nic)
{
	uint32_t before = f->before[f->ways->home[nic]];

	if (before == WEFT_FAR)
		return false;
	if (!weft_ways_of_nic(f->ways) && !f->ways->topo->routes)
		return true;
	return is_like(f, nic, before);
}

static int follow_all(struct follow *f, struct weft_err *err)
{
	const uint32_t *home = f->ways->home;

	for (uint32_t sw = 0; sw < f->w->g->switches; sw++)
		f->before[sw] = WEFT_FAR;
	for (uint32_t nic = 0; nic < f->w->plan->nics; nic++) {
		if (home[nic] == WEFT_FAR || is_known(f, nic))
			continue;
		f->before[home[nic]] = nic;
		if (follow_to(f, nic, err))
			return err->code;
	}
	return 0;
}

static bool keeps_all(const struct weft_plan *p)
{
	for (unsigned int i = 0; i < p->switches; i++)
		if (p->sw[i].sl2vl != WEFT_SL2VL_KEEP)
			return false;
	for (unsigned int i = 0; i < p->nics; i++)
		if (p->nic[i].nic.port.has & WEFT_HAS(WEFT_A_PORT_PARAMS_VL))
			return false;
	return true;
}

/*
 * If classes never change, those that are lossless at the same switches are
 * alike.
 */
static bool are_alike(const struct follow *f, uint32_t a, uint32_t b)
{
	const struct weft_plan *p = f->w->plan;

	for (unsigned int i = 0; i < p->switches; i++) {
		uint32_t bits = f->lossless[i];

		if ((bits >> a & 1) != (bits >> b & 1) ||
		    weft_port_classes(&p->sw[i].port) <= b)
			return false;
	}
	return true;
}

static bool have_equal_classes(const struct weft_plan *p)
{
	for (unsigned int i = 1; i < p->nics; i++)
		if (weft_port_classes(&p->nic[i].nic.port) !=
		    weft_port_classes(&p->nic[0].nic.port))
			return false;
	return true;
}

/* Is a class lossy, and does it exist, at all switches? */
static bool is_lossy(const struct follow *f, uint32_t cls)
{
	const struct weft_plan *p = f->w->plan;

	for (unsigned int i = 0; i < p->switches; i++)
		if (f->lossless[i] >> cls & 1 ||
		    weft_port_classes(&p->sw[i].port) <= cls)
			return false;
	return true;
}

/* Do NICs have fewer classes? Then they send the level in their last class. */
static bool is_beyond(const struct follow *f, uint32_t level)
{
	return f->alike &&
	       level >= weft_port_classes(&f->w->plan->nic[0].nic.port);
}

static void choose_levels(struct follow *f)
{
	f->levels = (1U << WEFT_CLASSES_MAX) - 1;
	if (!keeps_all(f->w->plan))
		return;
	f->alike = have_equal_classes(f->w->plan);
	for (uint32_t b = 0; b < WEFT_CLASSES_MAX; b++) {
		if (is_lossy(f, b) || is_beyond(f, b))
			f->levels &= ~(1U << b);
		for (uint32_t a = 0; a < b; a++)
			if (are_alike(f, a, b))
				f->levels &= ~(1U << b);
	}
}

/* Index routes by switch, in the order of destinations, without flood ports. */
static void index_routes(struct follow *f)
{
	const struct weft_plan *p = f->w->plan;
	unsigned int n = 0, k;

	for (unsigned int i = 0; i < p->routes; i++)
		if (!p->route[i].flood)
			f->routes[p->route[i].sw]++;
	for (uint32_t i = 0; i <= p->switches; i++) {
		k = f->routes[i];
		f->routes[i] = n;
		n += k;
	}
	for (unsigned int i = 0; i < p->routes; i++)
		if (!p->route[i].flood)
			f->route[f->routes[p->route[i].sw]++] = &p->route[i];
	for (uint32_t i = p->switches; i; i--)
		f->routes[i] = f->routes[i - 1];
	f->routes[0] = 0;
}

static void index_rows(struct follow *f)
{
	const struct weft_plan *p = f->w->plan;
	unsigned int row = 0;

	for (uint32_t i = 0; i < p->switches; i++) {
		f->lossless[i] = weft_port_lossless(&p->sw[i].port);
		f->first[i] = row;
		while (row < p->vls && p->vl[row].sw == i)
			row++;
	}
	f->first[p->switches] = row;
}

static int make_follow(struct follow *f, struct weft_err *err)
{
	const struct weft_plan *p = f->w->plan;
	unsigned int n = f->w->channels + 1;

	f->first = calloc(p->switches + 1, sizeof(*f->first));
	f->routes = calloc(p->switches + 1, sizeof(*f->routes));
	f->lossless = calloc(p->switches + 1, sizeof(*f->lossless));
	f->before = calloc(p->switches + 1, sizeof(*f->before));
	f->route = calloc(p->routes + 1, sizeof(*f->route));
	f->seen = calloc(n, sizeof(*f->seen));
	f->fresh = calloc(n, sizeof(*f->fresh));
	f->todo = calloc(n, sizeof(*f->todo));
	f->used = calloc(n, sizeof(*f->used));
	if (!f->first || !f->routes || !f->lossless || !f->before ||
	    !f->route || !f->seen || !f->fresh || !f->todo || !f->used)
		return weft_err_nomem(err);
	index_routes(f);
	index_rows(f);
	choose_levels(f);
	return 0;
}

static void free_follow(struct follow *f)
{
	free(f->first);
	free(f->routes);
	free(f->lossless);
	free(f->before);
	free(f->route);
	free(f->seen);
	free(f->fresh);
	free(f->todo);
	free(f->used);
}

/**
 * weft_waits_make() - build the channel dependency graph
 * @w: result, to be freed by weft_waits_free() even after an error
 * @plan: the plan, with its routes
 * @ways: paths by the policy
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_waits_make(struct weft_waits *w, const struct weft_plan *plan,
		    const struct weft_ways *ways, struct weft_err *err)
{
	struct follow f = { .w = w, .ways = ways };
	int ret;

	*w = (struct weft_waits) { .plan = plan, .g = ways->g };
	w->channels = ways->g->first[plan->switches] * WEFT_CLASSES_MAX;
	w->set = calloc(w->channels + 1, sizeof(*w->set));
	if (!w->set)
		return weft_err_nomem(err);
	ret = make_follow(&f, err);
	if (!ret)
		ret = follow_all(&f, err);
	free_follow(&f);
	return ret;
}

/**
 * weft_waits_next() - find the next channel for which a channel waits
 * @w: the waits
 * @channel: the channel
 * @bit: position of the search, 0 at first
 *
 * Return: the channel, WEFT_FAR if there are no more.
 */
uint32_t weft_waits_next(const struct weft_waits *w, uint32_t channel,
			 unsigned int *bit)
{
	const uint64_t *set = w->set[channel];
	uint32_t to = w->g->edge[channel / WEFT_CLASSES_MAX].to;
	unsigned int first, end;

	if (!set)
		return WEFT_FAR;
	first = w->g->first[to] * WEFT_CLASSES_MAX;
	end = w->g->first[to + 1] * WEFT_CLASSES_MAX - first;
	for (; *bit < end; ++*bit)
		if (set[*bit / WORD_BITS] >> *bit % WORD_BITS & 1)
			return first + (*bit)++;
	return WEFT_FAR;
}

/**
 * weft_waits_free() - free the channel dependency graph
 * @w: the waits
 */
void weft_waits_free(struct weft_waits *w)
{
	for (unsigned int i = 0; w->set && i < w->channels; i++)
		free(w->set[i]);
	free(w->set);
	*w = (struct weft_waits) { 0 };
}
