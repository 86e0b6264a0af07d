// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cuts and latencies of a planned fabric.
 *
 * Any set of nodes and switches is a cut: what its ranks need from the others
 * crosses the links that have one end in the set. The sets here are each node,
 * each switch with its nodes, and the parts that are left when all switches
 * above some level are taken out.
 */
#include "bound/bound_cut.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/units.h"
#include "plan/plan_graph.h"

#define NO_GROUP	UINT32_MAX
#define UNREACHED	UINT64_MAX

/**
 * struct maker - a floor being made
 * @f: result
 * @lanes: paths
 * @p: the plan
 * @ranks: ranks
 * @per_node: ranks on each node
 * @g: the graph of switches; @g.hops is the level of each
 * @home: of each node, its first switch, or WEFT_FAR
 * @group: of each switch, its group or NO_GROUP
 * @rate: of each link, bytes of messages per ps
 * @dist: of each node, then of each switch, latency from the source
 */
struct maker {
	struct weft_floor *f;
	const struct weft_lanes *lanes;
	const struct weft_plan *p;
	unsigned int ranks;
	unsigned int per_node;
	struct weft_graph g;
	uint32_t *home;
	uint32_t *group;
	double *rate;
	uint64_t *dist;
};

/* Largest share of a wire's bytes that are those of messages. */
static double best_share(const struct weft_wire *w, const struct weft_lane *cut)
{
	uint32_t from = w->payload ? 1 : cut->payload;
	double best = 0, share;

	for (uint32_t n = from; n <= cut->payload; n++) {
		share = (double)n / (double)weft_wire_bytes(w, n + cut->header);
		if (share > best)
			best = share;
	}
	return best;
}

static bool same_packets(const struct weft_wire *a, const struct weft_wire *b)
{
	return a->payload == b->payload && a->unit == b->unit &&
	       a->overhead == b->overhead && a->min_frame == b->min_frame;
}

/* The NIC with the largest packets; larger ones waste less. */
static void largest_packets(const struct maker *m, struct weft_lane *lane)
{
	struct weft_lane other;

	*lane = (struct weft_lane) { .payload = 1 };
	for (unsigned int i = 0; i < m->p->nics; i++) {
		weft_lanes_nic(m->lanes, i, &other);
		if (other.payload > lane->payload ||
		    (other.payload == lane->payload &&
		     other.header < lane->header))
			*lane = other;
	}
}

static void find_rates(struct maker *m)
{
	const struct weft_wire *before = NULL;
	struct weft_lane lane;
	double share = 0;

	largest_packets(m, &lane);
	for (unsigned int i = 0; i < m->p->links; i++) {
		const struct weft_wire *w = &m->p->link[i].wire[0];

		if (!before || !same_packets(before, w))
			share = best_share(w, &lane);
		before = w;
		m->rate[i] = (double)weft_wire_rate(w) / 8 / WEFT_PS_PER_S *
			     share;
	}
}

static void find_homes(struct maker *m)
{
	for (unsigned int i = 0; i < m->p->nodes; i++) {
		const struct weft_link_at *at =
			&m->lanes->at_nic[m->p->node[i].first];
		const struct weft_end *far;

		m->home[i] = WEFT_FAR;
		if (!m->p->node[i].nics || !at->link)
			continue;
		far = &at->link->end[!at->side];
		if (!far->is_nic)
			m->home[i] = far->id;
	}
}

/* Levels: links to the nearest switch that nodes are at. */
static int find_levels(struct maker *m, struct weft_err *err)
{
	uint32_t *targets = calloc(m->p->switches + 1, sizeof(*targets));
	unsigned int n = 0;

	if (!targets)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < m->p->nodes; i++)
		if (m->home[i] != WEFT_FAR)
			m->group[m->home[i]] = 0;
	for (unsigned int i = 0; i < m->p->switches; i++)
		if (m->group[i] == 0)
			targets[n++] = i;
	weft_graph_search_all(&m->g, targets, n);
	free(targets);
	return 0;
}

static bool joins(const struct maker *m, uint32_t sw, int level)
{
	return m->group[sw] == NO_GROUP && m->g.hops[sw] <= (uint32_t)level;
}

/* Those that hang together with @sw up to @level are part @n. */
static void fill_part(struct maker *m, uint32_t sw, int level, unsigned int n)
{
	unsigned int head = 0, tail = 0;

	m->group[sw] = n;
	m->g.queue[tail++] = sw;
	while (head < tail) {
		sw = m->g.queue[head++];
		for (unsigned int e = m->g.first[sw]; e < m->g.first[sw + 1];
		     e++) {
			const struct weft_edge *edge = &m->g.edge[e];

			if (edge->is_nic || !joins(m, edge->to, level))
				continue;
			m->group[edge->to] = n;
			m->g.queue[tail++] = edge->to;
		}
	}
}

/* Number the parts that the switches up to @level are in; @level -1: each alone. */
static unsigned int number_parts(struct maker *m, int level)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < m->p->switches; i++)
		m->group[i] = NO_GROUP;
	for (unsigned int i = 0; i < m->p->switches; i++) {
		if (!joins(m, i, level < 0 ? 0 : level))
			continue;
		if (level < 0)
			m->group[i] = n++;
		else
			fill_part(m, i, level, n++);
	}
	return n;
}

static unsigned int group_of(const struct maker *m, const struct weft_cut *c,
			     const struct weft_end *e)
{
	return e->is_nic ? c->of[m->p->nic[e->id].node] : m->group[e->id];
}

/* What leaves each group is as much as what comes into it: links are alike. */
static void sum_rates(struct maker *m, struct weft_cut *c)
{
	for (unsigned int i = 0; i < m->p->links; i++) {
		unsigned int a = group_of(m, c, &m->p->link[i].end[0]);
		unsigned int b = group_of(m, c, &m->p->link[i].end[1]);

		if (a == b)
			continue;
		if (a != NO_GROUP)
			c->rate[a] += m->rate[i];
		if (b != NO_GROUP)
			c->rate[b] += m->rate[i];
	}
}

/* A node without a switch, or with @parts 0, is a group of its own. */
static int add_cut(struct maker *m, unsigned int parts, struct weft_err *err)
{
	struct weft_cut *c = &m->f->cut[m->f->cuts++];
	unsigned int nodes = m->p->nodes;

	c->groups = parts + nodes;
	c->of = calloc(nodes, sizeof(*c->of));
	c->ranks = calloc(c->groups, sizeof(*c->ranks));
	c->rate = calloc(c->groups, sizeof(*c->rate));
	if (!c->of || !c->ranks || !c->rate)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < nodes; i++)
		c->of[i] = parts && m->home[i] != WEFT_FAR ?
			m->group[m->home[i]] : parts + i;
	for (unsigned int i = 0; i < m->ranks; i++)
		c->ranks[c->of[i / m->per_node]]++;
	sum_rates(m, c);
	return 0;
}

static int add_cuts(struct maker *m, struct weft_err *err)
{
	uint32_t top = 0;

	for (unsigned int i = 0; i < m->p->switches; i++) {
		m->group[i] = NO_GROUP;
		if (m->g.hops[i] != WEFT_FAR && m->g.hops[i] > top)
			top = m->g.hops[i];
	}
	if (add_cut(m, 0, err) ||
	    (m->p->switches && add_cut(m, number_parts(m, -1), err)))
		return err->code;
	for (uint32_t level = 0; level < top && m->f->cuts < WEFT_CUTS_MAX;
	     level++)
		if (add_cut(m, number_parts(m, (int)level), err))
			return err->code;
	return 0;
}

/* The least of a way out of a node, and the least of one into a node. */
static void find_nearest(struct maker *m)
{
	uint64_t out = UNREACHED, in = UNREACHED;
	struct weft_lane lane;

	for (unsigned int i = 0; i < m->p->nics; i++) {
		const struct weft_link_at *at = &m->lanes->at_nic[i];
		const struct weft_end *far;
		uint64_t t;

		if (!at->link)
			continue;
		far = &at->link->end[!at->side];
		weft_lanes_nic(m->lanes, i, &lane);
		t = lane.tx;
		if (!far->is_nic)
			t += at->link->wire[0].propagation +
			     m->p->sw[far->id].latency;
		if (t < out)
			out = t;
		t = at->link->wire[0].propagation + lane.rx;
		if (t < in)
			in = t;
	}
	m->f->nearest = out + in;
}

/* If @end is reached sooner now, it is told. */
static bool reach(struct maker *m, uint64_t t, const struct weft_end *end,
		  unsigned int *at)
{
	struct weft_lane lane;

	if (end->is_nic) {
		weft_lanes_nic(m->lanes, end->id, &lane);
		*at = m->p->nic[end->id].node;
		t += lane.rx;
	} else {
		*at = m->p->nodes + end->id;
		t += m->p->sw[end->id].latency;
	}
	if (t >= m->dist[*at])
		return false;
	m->dist[*at] = t;
	return true;
}

/* The links of a node or, behind the nodes, of a switch. */
static const struct weft_link_at *links_of(const struct maker *m, unsigned int v,
					   unsigned int *n)
{
	if (v < m->p->nodes) {
		*n = m->p->node[v].nics;
		return &m->lanes->at_nic[m->p->node[v].first];
	}
	*n = m->p->sw[v - m->p->nodes].ports;
	return &m->lanes->at_port[m->lanes->port[v - m->p->nodes]];
}

/* Bellman and Ford's search with a queue; nodes may pass messages on. */
static int search(struct maker *m, unsigned int source, struct weft_err *err)
{
	unsigned int all = m->p->nodes + m->p->switches, head = 0, queued = 1;
	unsigned int *queue = calloc(all, sizeof(*queue));
	bool *waits = calloc(all, sizeof(*waits));

	if (!queue || !waits) {
		free(queue);
		free(waits);
		return weft_err_nomem(err);
	}
	for (unsigned int i = 0; i < all; i++)
		m->dist[i] = UNREACHED;
	m->dist[source] = 0;
	queue[0] = source;
	while (queued) {
		unsigned int v = queue[head], n, to;
		const struct weft_link_at *at = links_of(m, v, &n);
		struct weft_lane lane = { 0 };

		head = (head + 1) % all;
		queued--;
		waits[v] = false;
		for (unsigned int i = 0; i < n; i++) {
			if (!at[i].link)
				continue;
			if (v < m->p->nodes)
				weft_lanes_nic(m->lanes, m->p->node[v].first + i,
					       &lane);
			if (reach(m, m->dist[v] + lane.tx +
				  at[i].link->wire[0].propagation,
				  &at[i].link->end[!at[i].side], &to) &&
			    !waits[to]) {
				waits[to] = true;
				queue[(head + queued++) % all] = to;
			}
		}
	}
	free(queue);
	free(waits);
	return 0;
}

/* The node with ranks that is farthest from @source. */
static int farthest(struct maker *m, unsigned int source, unsigned int *node,
		    uint64_t *latency, struct weft_err *err)
{
	*latency = 0;
	*node = source;
	if (search(m, source, err))
		return err->code;
	for (unsigned int i = 0; i <= (m->ranks - 1) / m->per_node; i++) {
		if (m->dist[i] == UNREACHED)
			return weft_err_set(err, WEFT_ERR_USAGE, -EHOSTUNREACH,
					    "there is no path from %s to %s",
					    m->p->node[source].name,
					    m->p->node[i].name);
		if (m->dist[i] > *latency) {
			*latency = m->dist[i];
			*node = i;
		}
	}
	return 0;
}

static int make(struct maker *m, struct weft_err *err)
{
	unsigned int far, other;

	if (!m->home || !m->group || !m->rate || !m->dist)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < m->p->switches; i++)
		m->group[i] = NO_GROUP;
	find_rates(m);
	find_homes(m);
	find_nearest(m);
	if (find_levels(m, err) || add_cuts(m, err) ||
	    farthest(m, 0, &far, &m->f->reach, err))
		return err->code;
	return farthest(m, far, &other, &m->f->diameter, err);
}

/**
 * weft_floor_make() - find cuts and latencies
 * @f: result, to be freed by weft_floor_free() even after an error
 * @lanes: paths of the plan
 * @ranks: ranks, in the order of nodes
 * @per_node: ranks on each node
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_floor_make(struct weft_floor *f, const struct weft_lanes *lanes,
		    unsigned int ranks, unsigned int per_node,
		    struct weft_err *err)
{
	const struct weft_plan *p = lanes->plan;
	struct maker m = {
		.f = f, .lanes = lanes, .p = p, .ranks = ranks,
		.per_node = per_node,
		.home = calloc(p->nodes + 1, sizeof(*m.home)),
		.group = calloc(p->switches + 1, sizeof(*m.group)),
		.rate = calloc(p->links + 1, sizeof(*m.rate)),
		.dist = calloc(p->nodes + p->switches + 1, sizeof(*m.dist)),
	};
	int ret;

	*f = (struct weft_floor) { 0 };
	ret = weft_graph_make(&m.g, p, err);
	if (!ret)
		ret = make(&m, err);
	weft_graph_free(&m.g);
	free(m.home);
	free(m.group);
	free(m.rate);
	free(m.dist);
	return ret;
}

/**
 * weft_floor_free() - free
 * @f: to be freed
 */
void weft_floor_free(struct weft_floor *f)
{
	for (unsigned int i = 0; i < f->cuts; i++) {
		free(f->cut[i].of);
		free(f->cut[i].ranks);
		free(f->cut[i].rate);
	}
	f->cuts = 0;
}
