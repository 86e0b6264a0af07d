// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes from forwarding tables to others, without loops in between.
 *
 * For each destination the switches change in the order of their new distance
 * from it, nearest first. So a packet at a switch with a new entry meets only
 * new entries from there on, and arrives. A packet elsewhere follows the old
 * entries, which have no loop either, until it meets a new one.
 *
 * Copies of multicast packets could loop in a mixture of two spanning trees. So
 * all switches first remove the ports that only the old tree has; the rest is a
 * part of the old tree. At the end they add the ports that only the new tree
 * has.
 */
#include "plan/reroute.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/plan_graph.h"

#define RANK_LAST	UINT32_MAX

/**
 * struct index - routes by switch
 * @route: the routes, by switch, then by destination
 * @first: index of the first route of each switch; one more for the end
 * @flood: flood ports of each switch, or NULL
 */
struct index {
	const struct weft_route **route;
	unsigned int *first;
	const struct weft_route **flood;
};

/**
 * struct diff - state of a comparison
 * @plan: the plan
 * @g: the plan's graph
 * @from: the present tables
 * @want: the new tables
 * @rank: links on the longest new path of each switch to the destination
 * @last: index of the last operation of each switch, or -1
 * @ops: result
 * @err: error
 */
struct diff {
	const struct weft_plan *plan;
	struct weft_graph g;
	struct index from;
	struct index want;
	uint32_t *rank;
	long *last;
	struct weft_route_ops *ops;
	struct weft_err *err;
};

static int index_make(struct index *x, const struct weft_plan *plan,
		      const struct weft_tables *t, struct weft_err *err)
{
	unsigned int n = 0, k;

	x->route = calloc(t->routes + 1, sizeof(*x->route));
	x->first = calloc(plan->switches + 2, sizeof(*x->first));
	x->flood = calloc(plan->switches + 1, sizeof(*x->flood));
	if (!x->route || !x->first || !x->flood)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < t->routes; i++)
		if (!t->route[i].flood)
			x->first[t->route[i].sw + 1]++;
	for (unsigned int i = 0; i <= plan->switches + 1; i++) {
		k = x->first[i];
		x->first[i] = n;
		n += k;
	}
	for (unsigned int i = 0; i < t->routes; i++) {
		const struct weft_route *r = &t->route[i];

		if (r->flood)
			x->flood[r->sw] = r;
		else
			x->route[x->first[r->sw + 1]++] = r;
	}
	return 0;
}

static void index_free(struct index *x)
{
	free(x->route);
	free(x->first);
	free(x->flood);
}

static const struct weft_route *find(const struct index *x, uint32_t sw,
				     uint32_t dst)
{
	unsigned int lo = x->first[sw], hi = x->first[sw + 1];

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;
		const struct weft_route *r = x->route[mid];

		if (r->dst <= dst && dst <= r->dst_last)
			return r;
		if (r->dst_last < dst)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Ports of both are in ascending order, from the kernel's dump and the planner. */
static bool same_ports(const struct weft_route *a, const struct weft_route *b)
{
	if (!a || !b)
		return a == b;
	return a->ports == b->ports &&
	       !memcmp(a->port, b->port, a->ports * sizeof(*a->port));
}

static struct weft_route_op *add_op(struct diff *d, uint32_t sw, uint32_t rank,
				    const uint32_t *port, unsigned int ports)
{
	struct weft_route_op *op;

	op = weft_array_grow(d->ops->op, d->ops->n, sizeof(*op));
	if (!op)
		return NULL;
	d->ops->op = op;
	op += d->ops->n;
	*op = (struct weft_route_op) { .del = !ports, .rank = rank };
	op->route.sw = sw;
	op->route.port = malloc(ports * sizeof(*port) + 1);
	if (!op->route.port)
		return NULL;
	if (ports)
		memcpy(op->route.port, port, ports * sizeof(*port));
	op->route.ports = ports;
	d->ops->n++;
	return op;
}

/* Consecutive destinations with the same change share an operation. */
static int change(struct diff *d, uint32_t sw, uint32_t dst,
		  const struct weft_route *want)
{
	uint32_t rank = want ? d->rank[sw] : 0;
	struct weft_route_op *op;

	if (d->last[sw] >= 0) {
		op = &d->ops->op[d->last[sw]];
		if (op->route.dst_last == dst - 1 && op->rank == rank &&
		    op->del == !want &&
		    (!want || same_ports(&op->route, want))) {
			op->route.dst_last = dst;
			return 0;
		}
	}
	op = add_op(d, sw, rank, want ? want->port : NULL,
		    want ? want->ports : 0);
	if (!op)
		return weft_err_nomem(d->err);
	op->route.dst = dst;
	op->route.dst_last = dst;
	d->last[sw] = op - d->ops->op;
	return 0;
}

/*
 * Links on the longest path by the new tables, 1 at the NIC's own switch. A
 * switch that the search is still visiting counts as 0: the planner makes no
 * loops.
 */
static uint32_t rank_of(struct diff *d, uint32_t sw, uint32_t dst)
{
	const struct weft_route *r = find(&d->want, sw, dst);
	uint32_t best = 0, next;

	if (d->rank[sw] != WEFT_FAR)
		return d->rank[sw];
	d->rank[sw] = 0;
	for (unsigned int i = 0; r && i < r->ports; i++) {
		const struct weft_edge *e;

		e = &d->g.edge[d->g.first[sw] + r->port[i]];
		next = e->is_nic ? 0 : rank_of(d, e->to, dst);
		if (next > best)
			best = next;
	}
	d->rank[sw] = best + 1;
	return d->rank[sw];
}

static int diff_dst(struct diff *d, uint32_t dst)
{
	bool ranked = false;

	for (uint32_t sw = 0; sw < d->plan->switches; sw++) {
		const struct weft_route *want = find(&d->want, sw, dst);

		if (same_ports(find(&d->from, sw, dst), want))
			continue;
		if (!ranked)
			memset(d->rank, 0xff,
			       d->plan->switches * sizeof(*d->rank));
		ranked = true;
		rank_of(d, sw, dst);
		if (change(d, sw, dst, want))
			return d->err->code;
	}
	return 0;
}

/* Reduce the flood ports to those that both tables have. */
static int shrink(struct diff *d, uint32_t sw, const struct weft_route *from,
		  const struct weft_route *want)
{
	struct weft_route_op *op;
	unsigned int n = 0;

	op = add_op(d, sw, 0, from->port, from->ports);
	if (!op)
		return weft_err_nomem(d->err);
	op->route.flood = true;
	for (unsigned int i = 0; i < from->ports; i++)
		for (unsigned int k = 0; want && k < want->ports; k++)
			if (want->port[k] == from->port[i])
				op->route.port[n++] = from->port[i];
	op->route.ports = n;
	op->del = !n;
	return 0;
}

static bool is_part(const struct weft_route *part, const struct weft_route *of)
{
	unsigned int k = 0;

	for (unsigned int i = 0; part && i < part->ports; i++) {
		while (of && k < of->ports && of->port[k] != part->port[i])
			k++;
		if (!of || k == of->ports)
			return false;
	}
	return true;
}

static int diff_flood(struct diff *d, uint32_t sw)
{
	const struct weft_route *from = d->from.flood[sw];
	const struct weft_route *want = d->want.flood[sw];
	struct weft_route_op *op;

	if (!is_part(from, want) && shrink(d, sw, from, want))
		return d->err->code;
	if (is_part(want, from))
		return 0;
	op = add_op(d, sw, RANK_LAST, want->port, want->ports);
	if (!op)
		return weft_err_nomem(d->err);
	op->route.flood = true;
	return 0;
}

static int by_rank(const void *a, const void *b)
{
	const struct weft_route_op *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->route.sw != y->route.sw)
		return x->route.sw < y->route.sw ? -1 : 1;
	if (x->route.flood != y->route.flood)
		return x->route.flood ? 1 : -1;
	return x->route.dst < y->route.dst ? -1 : 1;
}

static int compare(struct diff *d)
{
	for (uint32_t sw = 0; sw < d->plan->switches; sw++)
		d->last[sw] = -1;
	for (uint32_t dst = 0; dst < d->plan->nics; dst++)
		if (diff_dst(d, dst))
			return d->err->code;
	for (uint32_t sw = 0; sw < d->plan->switches; sw++)
		if (diff_flood(d, sw))
			return d->err->code;
	if (d->ops->n)
		qsort(d->ops->op, d->ops->n, sizeof(*d->ops->op), by_rank);
	return 0;
}

/**
 * weft_tables_diff() - find the changes from tables to other tables
 * @ops: result, to be freed by weft_route_ops_free() even after an error
 * @plan: the plan
 * @from: the present tables
 * @to: the new tables
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_tables_diff(struct weft_route_ops *ops, const struct weft_plan *plan,
		     const struct weft_tables *from,
		     const struct weft_tables *to, struct weft_err *err)
{
	struct diff d = { .plan = plan, .ops = ops, .err = err };
	int ret;

	*ops = (struct weft_route_ops) { 0 };
	d.rank = calloc(plan->switches + 1, sizeof(*d.rank));
	d.last = calloc(plan->switches + 1, sizeof(*d.last));
	ret = d.rank && d.last ? 0 : weft_err_nomem(err);
	if (!ret)
		ret = weft_graph_make(&d.g, plan, err);
	if (!ret)
		ret = index_make(&d.from, plan, from, err);
	if (!ret)
		ret = index_make(&d.want, plan, to, err);
	if (!ret)
		ret = compare(&d);
	index_free(&d.from);
	index_free(&d.want);
	weft_graph_free(&d.g);
	free(d.rank);
	free(d.last);
	return ret;
}

/**
 * weft_route_ops_free() - free operations
 * @ops: the operations
 */
void weft_route_ops_free(struct weft_route_ops *ops)
{
	for (unsigned int i = 0; i < ops->n; i++)
		free(ops->op[i].route.port);
	free(ops->op);
	*ops = (struct weft_route_ops) { 0 };
}
