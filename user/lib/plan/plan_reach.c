// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NICs over which a node reaches another one, if each node has one address.
 *
 * NICs that are connected by links and switches are in one network. Two nodes
 * with several common networks use the best one: by family (NVLink before PCIe
 * before InfiniBand before Ethernet), then by rate. In a network, rail k of a
 * node talks to rail k of the other, since in rail-optimized designs these
 * share a leaf. If no rail number is common, the nodes use the first NICs of
 * the first network.
 *
 * Of several rails a pair of nodes uses one, chosen by the sum of the nodes'
 * numbers. So both directions use the same rail, and the peers of a node are
 * spread evenly. With "multipath" the nodes use all rails, chosen by a hash of
 * the flow.
 */
#include "plan/plan_reach.h"

#include <stdbool.h>
#include <stdlib.h>

#include "netlink/discipline.h"
#include "plan/plan_components.h"
#include "plan/plan_room.h"

static void take_rate(struct weft_plan *p, const struct weft_link *link)
{
	for (unsigned int s = 0; s < 2; s++)
		if (link->end[s].is_nic)
			p->nic[link->end[s].id].reach.rate = link->wire[0].rate;
}

static void number_rails(struct weft_plan *p, const struct weft_plan_node *node)
{
	struct weft_plan_nic *nic = &p->nic[node->first];

	for (unsigned int i = 0; i < node->nics; i++)
		nic[i].reach.rank = weft_port_discipline(&nic[i].nic.port)->family;
	for (unsigned int i = 0; i < node->nics; i++)
		for (unsigned int j = 0; j < i; j++)
			if (nic[j].reach.rank == nic[i].reach.rank &&
			    nic[j].reach.rate == nic[i].reach.rate)
				nic[i].reach.rail++;
}

static bool is_in(const struct weft_plan *p, const struct weft_plan_node *node,
		  unsigned int network)
{
	for (unsigned int i = 0; i < node->nics; i++)
		if (p->nic[node->first + i].reach.network == network)
			return true;
	return false;
}

/* Is there a network of all nodes? If so, it is one of the first node's. */
static bool all_meet(const struct weft_plan *p)
{
	for (unsigned int k = 0; k < p->node[0].nics; k++) {
		unsigned int i = 1;

		while (i < p->nodes &&
		       is_in(p, &p->node[i], p->nic[k].reach.network))
			i++;
		if (i == p->nodes)
			return true;
	}
	return false;
}

/* Add a remark on the first pair of nodes without a common network. */
static int note_strangers(struct weft_plan *p, struct weft_err *err)
{
	struct weft_path path[WEFT_NODE_NICS_MAX];

	if (all_meet(p))
		return 0;
	for (unsigned int i = 0; i < p->nodes; i++)
		for (unsigned int j = i + 1; j < p->nodes; j++)
			if (!weft_plan_paths(p, i, j, path))
				return weft_plan_note(p, err,
						      "addresses of nodes: %s and %s have no network in common, so neither reaches the other",
						      p->node[i].name,
						      p->node[j].name);
	return 0;
}

/**
 * weft_plan_reach() - compute the network, rank, rate and rail of each NIC
 * @plan: the plan, ports and links complete
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_plan_reach(struct weft_plan *plan, struct weft_err *err)
{
	unsigned int *component;

	if (weft_plan_components(plan, &component, err))
		return err->code;
	for (unsigned int i = 0; i < plan->nics; i++)
		plan->nic[i].reach.network = component[plan->switches + i];
	free(component);
	for (unsigned int i = 0; i < plan->links; i++)
		take_rate(plan, &plan->link[i]);
	for (unsigned int i = 0; i < plan->nodes; i++)
		number_rails(plan, &plan->node[i]);
	return plan->nodes && plan->node[0].ip ? note_strangers(plan, err) : 0;
}

static const struct weft_reach *reach(const struct weft_plan *p, unsigned int i)
{
	return &p->nic[i].reach;
}

static uint64_t path_rate(const struct weft_plan *p, struct weft_path path)
{
	uint64_t a = reach(p, path.nic)->rate, b = reach(p, path.peer)->rate;

	return a < b ? a : b;
}

static bool same_rail(const struct weft_plan *p, struct weft_path path)
{
	return reach(p, path.nic)->rail == reach(p, path.peer)->rail;
}

/* Negative if @a is better, positive if @b is. */
static int compare(const struct weft_plan *p, struct weft_path a,
		   struct weft_path b)
{
	const struct weft_reach *x = reach(p, a.nic), *y = reach(p, b.nic);

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (path_rate(p, a) != path_rate(p, b))
		return path_rate(p, a) > path_rate(p, b) ? -1 : 1;
	if (same_rail(p, a) || same_rail(p, b))
		return same_rail(p, b) - same_rail(p, a);
	return (x->network > y->network) - (x->network < y->network);
}

/* Add a path if it is as good as the others, or replace them if it is better. */
static unsigned int offer(const struct weft_plan *p, struct weft_path *path,
			  unsigned int n, struct weft_path more)
{
	int order = n ? compare(p, more, path[0]) : -1;

	if (order < 0)
		n = 0;
	/* One path for each NIC; only one in total if rails do not match. */
	else if (order > 0 || path[n - 1].nic == more.nic ||
		 !same_rail(p, more))
		return n;
	path[n] = more;
	return n + 1;
}

/**
 * weft_plan_paths() - find the paths from a node to another one
 * @plan: the plan
 * @from: the node
 * @to: the other node
 * @path: result
 *
 * Return: number of paths; 0 if the nodes have no common network.
 */
unsigned int weft_plan_paths(const struct weft_plan *plan, unsigned int from,
			     unsigned int to,
			     struct weft_path path[WEFT_NODE_NICS_MAX])
{
	const struct weft_plan_node *a = &plan->node[from];
	const struct weft_plan_node *b = &plan->node[to];
	unsigned int n = 0;

	for (unsigned int i = a->first; i < a->first + a->nics; i++)
		for (unsigned int j = b->first; j < b->first + b->nics; j++)
			if (reach(plan, i)->network == reach(plan, j)->network)
				n = offer(plan, path, n,
					  (struct weft_path) { i, j });
	if (n < 2 || plan->multipath)
		return n;
	path[0] = path[(from + to) % n];
	return 1;
}

static bool same_nics(const struct weft_peers *peers,
		      const struct weft_path *path, unsigned int n)
{
	bool same = n == peers->n;

	for (unsigned int i = 0; same && i < n; i++)
		same = path[i].nic == peers->path[i].nic;
	return same;
}

/**
 * weft_plan_next_peers() - find the next range of peers with the same NICs
 * @plan: the plan
 * @from: the node
 * @peers: the previous range, zeroed before the first call; result
 *
 * Return: true if there is another range.
 */
bool weft_plan_next_peers(const struct weft_plan *plan, unsigned int from,
			  struct weft_peers *peers)
{
	struct weft_path path[WEFT_NODE_NICS_MAX];
	unsigned int to = peers->end;

	if (to == from)
		to++;
	if (to >= plan->nodes)
		return false;
	peers->first = to;
	peers->n = weft_plan_paths(plan, from, to++, peers->path);
	while (to < plan->nodes && to != from &&
	       same_nics(peers, path, weft_plan_paths(plan, from, to, path)))
		to++;
	peers->end = to;
	return true;
}
