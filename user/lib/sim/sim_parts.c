// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a fabric is cut: the cell of each node and of each switch.
 *
 * DOC: theory of operation
 *
 * A fabric is cut into cells, as many for each part. A cell has so few ports that a CPU
 * has their state in its cache. More cells than parts are made only where a window, which
 * is as long as the shortest wire that is cut, has room for some packets of each port,
 * and does not become shorter by it.
 *
 * Nodes and switches between which nothing can be cut are together: ends of a link with
 * retry (NVLink, PCIe) or without propagation, nodes one of which waits for what ends at
 * the other, and a trigger and what its fault is on or its traffic comes from. If switches
 * reduce or have notices, all are together. If that leaves enough, nodes stay with the
 * switches that they are linked to. So the links between switches are cut, which are longer.
 *
 * The groups with nodes are divided in the order of their nodes, by NICs: pods, racks
 * and groups of a dragonfly are neighbours in a topology. A switch without nodes goes
 * where most of its links lead, to the cell with fewer such links if that is equal.
 */
#include "sim/sim_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/sets.h"
#include "sim/sim_image.h"

#define NO_CELL		UINT32_MAX
#define CELL_PORTS	256			/* a CPU's L2 cache has the state of so many */
#define CELL_WINDOW	(50 * FAB_PS_PER_NS)	/* shorter windows gain nothing */

/**
 * struct divide - a division in progress
 * @sim: the simulation
 * @n: cells
 * @groups: groups with a node
 * @nodes: nodes, which are the first objects; behind them are the switches
 * @objects: all objects
 * @root: the sets of objects that are together; a group with a node has a node as its root
 * @cell: cell of each object
 * @nics: NICs of each group
 * @load: links of the switches without nodes to their cell, by cell
 * @links: links of each group to each cell
 */
struct divide {
	const struct weft_sim *sim;
	u32 n;
	u32 groups;
	u32 nodes;
	u32 objects;
	u32 *root;
	u32 *cell;
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

/* A trigger is together with what its fault is on, or with the nodes of its traffic. */
static void join_triggers(struct divide *d)
{
	const struct weft_sim_options *o = d->sim->o;
	const struct weft_plan *p = d->sim->plan;

	for (u32 i = 0; i < o->traffics; i++)
		if (o->traffic[i].by.given)
			weft_sets_join(d->root, p->nic[o->traffic[i].by.trigger.nic].node,
				       p->nic[o->traffic[i].traffic.nic].node);
	for (u32 i = 0; i < o->faults; i++) {
		const struct weft_sim_fault *f = &o->fault[i];
		u32 at;

		if (!f->by.given)
			continue;
		at = f->fault.has & WEFT_HAS(WEFT_A_FAULT_SWITCH) ? d->nodes + f->fault.sw :
			object_of(d, &p->link[f->fault.link].end[0]);
		weft_sets_join(d->root, p->nic[f->by.trigger.nic].node, at);
	}
}

/* Trees of reductions are in one cell. */
static void join_all(struct divide *d)
{
	for (u32 i = 1; i < d->objects; i++)
		weft_sets_join(d->root, 0, i);
}

static bool has_arn(const struct weft_plan *plan)
{
	for (u32 i = 0; i < plan->switches; i++)
		if (plan->sw[i].arn_hold)
			return true;
	return false;
}

/* Return: groups with nodes. */
static u32 find_groups(struct divide *d, bool nodes)
{
	u32 n = 0;

	weft_sets_init(d->root, d->objects);
	join_links(d, nodes);
	join_followers(d);
	join_triggers(d);
	if (d->sim->reduce || has_arn(d->sim->plan))
		join_all(d);
	for (u32 i = 0; i < d->nodes; i++)
		n += weft_sets_find(d->root, i) == i;
	return n;
}

/* Divide the groups: each cell takes its share of the NICs that are left. */
static void divide_groups(struct divide *d)
{
	const struct weft_plan *p = d->sim->plan;
	u64 left = p->nics, has = 0;
	u32 groups = d->groups, cell = 0;

	memset(d->nics, 0, d->objects * sizeof(*d->nics));
	for (u32 i = 0; i < p->nics; i++)
		d->nics[weft_sets_find(d->root, p->nic[i].node)]++;
	for (u32 i = 0; i < d->nodes; i++) {
		if (weft_sets_find(d->root, i) != i)
			continue;
		d->cell[i] = cell;
		has += d->nics[i];
		groups--;
		if (cell + 1 < d->n &&
		    (has * (d->n - cell) >= left || groups < d->n - cell)) {
			left -= has;
			has = 0;
			cell++;
		}
	}
	for (u32 i = 0; i < d->objects; i++)
		d->cell[i] = d->cell[weft_sets_find(d->root, i)];
}

/* A link leads from a group of switches without a cell to an object that has one. */
static void count_link(struct divide *d, u32 from, u32 to)
{
	from = weft_sets_find(d->root, from);
	if (d->cell[from] == NO_CELL && d->cell[to] != NO_CELL)
		d->links[(size_t)from * d->n + d->cell[to]]++;
}

/* Return: the cell to which most links lead; NO_CELL if none does. */
static u32 best_cell(struct divide *d, u32 object)
{
	const u32 *links = &d->links[(size_t)object * d->n];
	u32 best = 0;

	for (u32 i = 1; i < d->n; i++)
		if (links[i] > links[best] ||
		    (links[i] == links[best] && d->load[i] < d->load[best]))
			best = i;
	if (!links[best])
		return NO_CELL;
	d->load[best] += links[best];
	return best;
}

/* Give a cell to those next to an object that has one. Return: false if there are none. */
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
		if (weft_sets_find(d->root, i) != i || d->cell[i] != NO_CELL)
			continue;
		d->cell[i] = best_cell(d, i);
		any |= d->cell[i] != NO_CELL;
	}
	for (u32 i = d->nodes; i < d->objects; i++)
		d->cell[i] = d->cell[weft_sets_find(d->root, i)];
	return any;
}

static void divide_switches(struct divide *d)
{
	memset(d->load, 0, d->n * sizeof(*d->load));
	while (spread(d))
		;
	/* What is left has no link to any node. */
	for (u32 i = d->nodes; i < d->objects; i++)
		if (d->cell[i] == NO_CELL)
			d->cell[i] = 0;
}

/* The groups, with as few cuts as @parts need. */
static int make_groups(struct divide *d, u32 parts, struct weft_err *err)
{
	d->groups = find_groups(d, true);
	if (d->groups < parts)
		d->groups = find_groups(d, false);
	if (d->groups < parts)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%u parts: expected at most %u; NVLink, PCIe, wires without propagation, with bit errors or with faults, nodes that wait for each other's messages, and switches that reduce or have notices, are not cut",
				    parts, d->groups);
	return 0;
}

static int divide(struct divide *d, u32 n, struct weft_err *err)
{
	d->n = n;
	free(d->load);
	free(d->links);
	d->load = calloc(n, sizeof(*d->load));
	d->links = calloc((size_t)n * (d->objects + 1), sizeof(*d->links));
	if (!d->load || !d->links)
		return weft_err_nomem(err);
	for (u32 i = 0; i < d->objects; i++)
		d->cell[i] = NO_CELL;
	divide_groups(d);
	divide_switches(d);
	return 0;
}

/* The shortest wire between two parts of so many cells. */
static fab_time shortest_cut(const struct divide *d, u32 cells)
{
	const struct weft_plan *p = d->sim->plan;
	fab_time shortest = FAB_NEVER;

	for (u32 i = 0; i < p->links; i++) {
		const struct weft_end *end = p->link[i].end;
		const struct fab_port *port = weft_sim_port_of(d->sim, &end[0]);

		if (d->cell[object_of(d, &end[0])] / cells ==
		    d->cell[object_of(d, &end[1])] / cells)
			continue;
		shortest = min(shortest, port->wire.p.propagation);
		shortest = min(shortest, port->peer->wire.p.propagation);
	}
	return shortest;
}

/* Cells of each part that are worth while, if their windows are. */
static u32 cells_by_size(const struct divide *d, u32 parts)
{
	u32 ports = 2 * d->sim->plan->links;

	return min(ports / CELL_PORTS / parts, (u32)WEFT_SIM_CELLS_MAX);
}

static bool window_suffices(const struct divide *d, u32 cells)
{
	fab_time window = shortest_cut(d, 1), far = shortest_cut(d, cells);

	return window >= CELL_WINDOW && (window >= far || far == FAB_NEVER);
}

/* Divide into parts, and these into cells if it is worth while. */
static int divide_parts(struct divide *d, struct weft_err *err)
{
	struct weft_sim_parts *p = d->sim->parts;
	u32 wanted = p->index ? p->index->cells : d->sim->o->cells;
	u32 n = p->divided, cells = wanted;

	if (make_groups(d, n, err))
		return err->code;
	if (!cells)
		cells = cells_by_size(d, n);
	cells = min(cells, d->groups / n);
	cells = max(cells, 1U);
	if (divide(d, n * cells, err))
		return err->code;
	if (cells > 1 && !wanted && !window_suffices(d, cells)) {
		cells = 1;
		if (divide(d, n, err))
			return err->code;
	}
	p->cells = n * cells;
	/* Without this check, parts would have no cells. */
	if (p->n > p->cells)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "the checkpoint is of another topology or workload");
	return 0;
}

static int divide_init(struct divide *d, struct weft_err *err)
{
	size_t entries = d->objects + (size_t)1;

	d->root = calloc(entries, sizeof(*d->root));
	d->cell = calloc(entries, sizeof(*d->cell));
	d->nics = calloc(entries, sizeof(*d->nics));
	if (!d->root || !d->cell || !d->nics)
		return weft_err_nomem(err);
	return 0;
}

/* Keep the cells of nodes and of switches. */
static int divide_keep(const struct divide *d, struct weft_err *err)
{
	struct weft_sim_parts *p = d->sim->parts;

	p->of_node = calloc(d->nodes + 1, sizeof(*p->of_node));
	p->of_switch = calloc(d->objects - d->nodes + 1, sizeof(*p->of_switch));
	if (!p->of_node || !p->of_switch)
		return weft_err_nomem(err);
	memcpy(p->of_node, d->cell, d->nodes * sizeof(*d->cell));
	memcpy(p->of_switch, d->cell + d->nodes,
	       (d->objects - d->nodes) * sizeof(*d->cell));
	return 0;
}

/**
 * weft_sim_divide() - choose the cell of each node and each switch
 * @sim: the simulation, with its model and its workload; sim->parts->divided is set
 * @err: error
 *
 * Return: 0 or negative errno, if there cannot be so many parts.
 */
int weft_sim_divide(struct weft_sim *sim, struct weft_err *err)
{
	struct divide d = {
		.sim = sim, .nodes = sim->plan->nodes,
		.objects = sim->plan->nodes + sim->plan->switches,
	};
	int ret = divide_init(&d, err);

	if (!ret)
		ret = divide_parts(&d, err);
	if (!ret)
		ret = divide_keep(&d, err);
	free(d.root);
	free(d.cell);
	free(d.nics);
	free(d.load);
	free(d.links);
	return ret;
}
