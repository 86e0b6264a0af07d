// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a fabric is cut: the part of each node and of each switch.
 *
 * DOC: theory of operation
 *
 * Nodes and switches between which nothing can be cut are together: ends of a link with
 * retry (NVLink, PCIe) or without propagation, and nodes one of which waits for what
 * ends at the other. If that leaves enough, nodes stay with the switches that they are
 * linked to. So the links between switches are cut, which are longer.
 *
 * The groups with nodes are divided in the order of their nodes, by NICs: pods, racks
 * and groups of a dragonfly are neighbours in a topology. A switch without nodes goes
 * where most of its links lead, to the part with fewer such links if that is equal.
 */
#include "sim/sim_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sets.h"

#define NO_PART	UINT32_MAX

/**
 * struct divide - a division in progress
 * @sim: the simulation
 * @n: parts
 * @nodes: nodes, which are the first objects; behind them are the switches
 * @objects: all objects
 * @root: the sets of objects that are together; a group with a node has a node as its root
 * @part: part of each object
 * @nics: NICs of each group
 * @load: links of the switches without nodes to their part, by part
 * @links: links of each group to each part
 */
struct divide {
	const struct weft_sim *sim;
	u32 n;
	u32 nodes;
	u32 objects;
	u32 *root;
	u32 *part;
	u32 *nics;
	u64 *load;
	u32 *links;
};

static u32 object_of(const struct divide *d, const struct weft_end *end)
{
	return end->is_nic ? d->sim->plan->nic[end->id].node : d->nodes + end->id;
}

static bool can_cut(const struct divide *d, const struct weft_link *link)
{
	const struct fab_port *port = weft_sim_port_of(d->sim, &link->end[0]);

	return fab_cut_possible(port) && fab_cut_possible(port->peer);
}

/* What has to be together; with @nodes also each node and its switches. */
static void join_links(struct divide *d, bool nodes)
{
	const struct weft_plan *p = d->sim->plan;

	for (u32 i = 0; i < p->links; i++) {
		const struct weft_end *end = p->link[i].end;

		if (!can_cut(d, &p->link[i]) ||
		    (nodes && end[0].is_nic != end[1].is_nic))
			weft_sets_join(d->root, object_of(d, &end[0]), object_of(d, &end[1]));
	}
}

static void join_followers(struct divide *d)
{
	const struct weft_work *w = d->sim->work;

	for (u32 i = 0; i < w->messages; i++)
		for (u32 k = 0; k < w->message[i].afters; k++)
			weft_sets_join(d->root, w->message[i].from,
				       w->message[w->after[w->message[i].after + k]].to);
}

/* Return: groups with nodes. */
static u32 find_groups(struct divide *d, bool nodes)
{
	u32 n = 0;

	weft_sets_init(d->root, d->objects);
	join_links(d, nodes);
	join_followers(d);
	for (u32 i = 0; i < d->nodes; i++)
		n += weft_sets_find(d->root, i) == i;
	return n;
}

/* Divide the groups: each part takes its share of the NICs that are left. */
static void divide_groups(struct divide *d, u32 groups)
{
	const struct weft_plan *p = d->sim->plan;
	u64 left = p->nics, has = 0;
	u32 part = 0;

	memset(d->nics, 0, d->objects * sizeof(*d->nics));
	for (u32 i = 0; i < p->nics; i++)
		d->nics[weft_sets_find(d->root, p->nic[i].node)]++;
	for (u32 i = 0; i < d->nodes; i++) {
		if (weft_sets_find(d->root, i) != i)
			continue;
		d->part[i] = part;
		has += d->nics[i];
		groups--;
		if (part + 1 < d->n &&
		    (has * (d->n - part) >= left || groups < d->n - part)) {
			left -= has;
			has = 0;
			part++;
		}
	}
	for (u32 i = 0; i < d->objects; i++)
		d->part[i] = d->part[weft_sets_find(d->root, i)];
}

/* A link leads from a group of switches without a part to an object that has one. */
static void count_link(struct divide *d, u32 from, u32 to)
{
	from = weft_sets_find(d->root, from);
	if (d->part[from] == NO_PART && d->part[to] != NO_PART)
		d->links[(size_t)from * d->n + d->part[to]]++;
}

/* Return: the part to which most links lead; NO_PART if none does. */
static u32 best_part(struct divide *d, u32 object)
{
	const u32 *links = &d->links[(size_t)object * d->n];
	u32 best = 0;

	for (u32 i = 1; i < d->n; i++)
		if (links[i] > links[best] ||
		    (links[i] == links[best] && d->load[i] < d->load[best]))
			best = i;
	if (!links[best])
		return NO_PART;
	d->load[best] += links[best];
	return best;
}

/* Give a part to those next to an object that has one. Return: false if there are none. */
static bool spread(struct divide *d)
{
	const struct weft_plan *p = d->sim->plan;
	bool any = false;

	memset(d->links, 0, (size_t)d->objects * d->n * sizeof(*d->links));
	for (u32 i = 0; i < p->links; i++) {
		u32 a = object_of(d, &p->link[i].end[0]);
		u32 b = object_of(d, &p->link[i].end[1]);

		count_link(d, a, b);
		count_link(d, b, a);
	}
	for (u32 i = d->nodes; i < d->objects; i++) {
		if (weft_sets_find(d->root, i) != i || d->part[i] != NO_PART)
			continue;
		d->part[i] = best_part(d, i);
		any |= d->part[i] != NO_PART;
	}
	for (u32 i = d->nodes; i < d->objects; i++)
		d->part[i] = d->part[weft_sets_find(d->root, i)];
	return any;
}

static void divide_switches(struct divide *d)
{
	memset(d->load, 0, d->n * sizeof(*d->load));
	while (spread(d))
		;
	/* What is left has no link to any node. */
	for (u32 i = d->nodes; i < d->objects; i++)
		if (d->part[i] == NO_PART)
			d->part[i] = 0;
}

static int divide(struct divide *d, struct weft_err *err)
{
	u32 groups = find_groups(d, true);

	if (groups < d->n)
		groups = find_groups(d, false);
	if (groups < d->n)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%u parts: expected at most %u; NVLink, PCIe, wires without propagation, with bit errors or with faults, and nodes that wait for each other's messages, are not cut",
				    d->n, groups);
	for (u32 i = 0; i < d->objects; i++)
		d->part[i] = NO_PART;
	divide_groups(d, groups);
	divide_switches(d);
	return 0;
}

static int divide_init(struct divide *d, struct weft_err *err)
{
	size_t entries = max(d->objects, d->n) + (size_t)1;

	d->root = calloc(entries, sizeof(*d->root));
	d->part = calloc(entries, sizeof(*d->part));
	d->nics = calloc(entries, sizeof(*d->nics));
	d->load = calloc(entries, sizeof(*d->load));
	d->links = calloc(entries * max(d->n, 1U), sizeof(*d->links));
	if (!d->root || !d->part || !d->nics || !d->load || !d->links)
		return weft_err_nomem(err);
	return 0;
}

/* Keep the parts of nodes and of switches. */
static int divide_keep(const struct divide *d, struct weft_err *err)
{
	struct weft_sim_parts *p = d->sim->parts;

	p->of_node = calloc(d->nodes + 1, sizeof(*p->of_node));
	p->of_switch = calloc(d->objects - d->nodes + 1, sizeof(*p->of_switch));
	if (!p->of_node || !p->of_switch)
		return weft_err_nomem(err);
	memcpy(p->of_node, d->part, d->nodes * sizeof(*d->part));
	memcpy(p->of_switch, d->part + d->nodes,
	       (d->objects - d->nodes) * sizeof(*d->part));
	return 0;
}

/**
 * weft_sim_divide() - choose the part of each node and each switch
 * @sim: the simulation, with its model and its workload; sim->parts->n is set
 * @err: error
 *
 * Return: 0 or negative errno, if there cannot be so many parts.
 */
int weft_sim_divide(struct weft_sim *sim, struct weft_err *err)
{
	struct divide d = {
		.sim = sim, .n = sim->parts->n, .nodes = sim->plan->nodes,
		.objects = sim->plan->nodes + sim->plan->switches,
	};
	int ret = divide_init(&d, err);

	if (!ret)
		ret = divide(&d, err);
	if (!ret)
		ret = divide_keep(&d, err);
	free(d.root);
	free(d.part);
	free(d.nics);
	free(d.load);
	free(d.links);
	return ret;
}
