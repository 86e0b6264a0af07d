// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make a plan of a topology.
 *
 * Endpoint ids number NICs in the order of nodes. NIC k of node n has the IP
 * address 10.k.(n+1), with 16 bits for n+1. Its MAC address is 02:00, followed
 * by the four bytes of the IP address. Over InfiniBand it has the address
 * 10.(128+k).(n+1). A node with an address of its own has 10.255.(n+1).
 */
#include "plan/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_cycles.h"
#include "plan/plan_datelines.h"
#include "plan/plan_graph.h"
#include "plan/plan_port.h"
#include "plan/plan_reach.h"
#include "plan/plan_room.h"
#include "plan/plan_route.h"
#include "plan/plan_settings.h"
#include "plan/plan_verbs.h"

#define FIRST_IFINDEX	(WEFT_NODE_IFINDEX + 1)
#define MAX_NICS_MIN	1024

static void plan_fabric(struct weft_plan *p, const struct weft_topo *t)
{
	struct weft_fabric *f = &p->fabric;

	snprintf(f->name, sizeof(f->name), "%s", t->name);
	f->has = WEFT_FABRIC_HAS_SEED | WEFT_FABRIC_HAS_DILATION |
		 WEFT_FABRIC_HAS_MAX_NICS;
	f->seed = t->seed;
	f->max_nics = p->nics > MAX_NICS_MIN ? p->nics : MAX_NICS_MIN;
	f->late_bound = t->late_bound;
	if (t->late_bound)
		f->has |= WEFT_FABRIC_HAS_LATE_BOUND;
	f->managed = t->managed;
	p->has_clock = t->has_clock;
}

/*
 * MAC addresses follow from IP addresses, so nobody need ask for one. Link-local GIDs need
 * that even where the nodes use ARP: without an IPv6 address of its own, a node cannot ask.
 */
static void plan_neighbours(const struct weft_plan *p, struct weft_plan_nic *n)
{
	if (!p->arp) {
		n->nic.has |= WEFT_NIC_HAS_NEIGHBOUR_PREFIX;
		n->nic.neighbour_prefix = WEFT_MAC_PREFIX;
	}
	if (!p->arp || !p->ipv6)
		n->nic.has |= WEFT_NIC_HAS_NEIGHBOUR_EUI64;
}

static void plan_nic(struct weft_plan *p, unsigned int node, unsigned int k,
		     const struct weft_topo_node *t)
{
	struct weft_plan_nic *n = &p->nic[p->nics];

	n->node = node;
	n->ip = WEFT_NIC_NET | k << 16 | (node + 1);
	n->ipoib_ip = WEFT_IPOIB_NET | k << 16 | (node + 1);
	n->prefix = 16;
	n->mac[0] = WEFT_MAC_PREFIX >> 8;
	n->mac[1] = WEFT_MAC_PREFIX & 0xff;
	for (int i = 0; i < 4; i++)
		n->mac[2 + i] = (uint8_t)(n->ip >> (24 - 8 * i));
	n->ifindex = FIRST_IFINDEX + p->nics;
	n->mtu = t->nic[k].mtu;
	memcpy(n->device, t->nic[k].device, sizeof(n->device));
	n->ipoib = t->nic[k].ipoib;
	n->nic = t->nic[k].nic;
	n->nic.has |= WEFT_NIC_HAS_ID;
	n->nic.id = p->nics++;
	plan_neighbours(p, n);
	/* k is below WEFT_NODE_NICS_MAX; "% 1000" tells the compiler a bound. */
	snprintf(n->nic.ifname, sizeof(n->nic.ifname), "eth%u", k % 1000);
	snprintf(n->ipoib_name, sizeof(n->ipoib_name), "ib%u", k % 1000);
	snprintf(n->nic.name, sizeof(n->nic.name), "%s.eth%u", t->name,
		 k % 1000);
}

static int plan_nodes(struct weft_plan *p, const struct weft_topo *t,
		      struct weft_err *err)
{
	unsigned int nics = 0;

	for (unsigned int i = 0; i < t->nodes; i++)
		nics += t->node[i].nics;
	p->node = calloc(t->nodes + 1, sizeof(*p->node));
	p->nic = calloc(nics + 1, sizeof(*p->nic));
	if (!p->node || !p->nic)
		return weft_err_nomem(err);
	for (p->nodes = 0; p->nodes < t->nodes; p->nodes++) {
		const struct weft_topo_node *from = &t->node[p->nodes];
		struct weft_plan_node *to = &p->node[p->nodes];

		memcpy(to->name, from->name, sizeof(to->name));
		if (t->settings.node_addresses)
			to->ip = WEFT_NODE_NET | (p->nodes + 1);
		to->first = p->nics;
		to->nics = from->nics;
		for (unsigned int k = 0; k < from->nics; k++)
			plan_nic(p, p->nodes, k, from);
	}
	return 0;
}

static int plan_switches(struct weft_plan *p, const struct weft_topo *t,
			 struct weft_err *err)
{
	p->sw = calloc(t->switches + 1, sizeof(*p->sw));
	if (!p->sw)
		return weft_err_nomem(err);
	for (p->switches = 0; p->switches < t->switches; p->switches++) {
		p->sw[p->switches] = t->sw[p->switches].sw;
		p->sw[p->switches].id = p->switches;
	}
	return 0;
}

static struct weft_end plan_end(const struct weft_plan *p,
				const struct weft_topo_end *end)
{
	if (end->is_node)
		return (struct weft_end) {
			.is_nic = true,
			.id = p->node[end->index].first + end->port,
		};
	return (struct weft_end) { .id = end->index, .port = end->port };
}

static int plan_links(struct weft_plan *p, const struct weft_topo *t,
		      struct weft_err *err)
{
	p->link = calloc(t->links + 1, sizeof(*p->link));
	if (!p->link)
		return weft_err_nomem(err);
	for (p->links = 0; p->links < t->links; p->links++) {
		const struct weft_topo_link *from = &t->link[p->links];
		struct weft_link *to = &p->link[p->links];

		memcpy(to->name, from->name, sizeof(to->name));
		to->end[0] = plan_end(p, &from->end[0]);
		to->end[1] = plan_end(p, &from->end[1]);
		to->wires = 1;
		to->wire[0] = from->wire;
	}
	return 0;
}

/* Plan routes and date lines, and check them for deadlocks. */
static int plan_ways(struct weft_plan *p, const struct weft_topo *t,
		     struct weft_graph *g, struct weft_err *err)
{
	struct weft_ways ways;
	int ret;

	ret = weft_ways_make(&ways, p, t, g, err);
	if (!ret)
		ret = weft_plan_routes(p, g, &ways, t, err);
	if (!ret)
		ret = weft_plan_datelines(p, &ways, err);
	if (!ret)
		ret = weft_plan_cycles(p, &ways, err);
	weft_ways_free(&ways);
	return ret;
}

/**
 * weft_plan_make() - plan a topology
 * @plan: result, to be freed by weft_plan_free() even after an error
 * @topo: the topology
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_plan_make(struct weft_plan *plan, const struct weft_topo *topo,
		   struct weft_err *err)
{
	struct weft_graph g;
	int ret;

	*plan = (struct weft_plan) {
		.arp = topo->settings.arp,
		.ipv6 = topo->settings.ipv6,
		.multipath = topo->settings.multipath,
		.converges = topo->routing.converges,
		.convergence = topo->routing.convergence,
	};
	if (plan_nodes(plan, topo, err) || plan_switches(plan, topo, err) ||
	    plan_links(plan, topo, err))
		return err->code;
	plan_fabric(plan, topo);
	if (weft_plan_ports(plan, topo, err) || weft_plan_verbs(plan, err) ||
	    weft_plan_rooms(plan, topo, err) || weft_plan_reach(plan, err))
		return err->code;
	weft_plan_clock(plan, topo->clock);
	ret = weft_graph_make(&g, plan, err);
	if (!ret) {
		weft_plan_settings(plan, &g, topo);
		ret = plan_ways(plan, topo, &g, err);
	}
	weft_graph_free(&g);
	return ret;
}

/**
 * weft_plan_free() - free a plan
 * @plan: the plan
 */
void weft_plan_free(struct weft_plan *plan)
{
	weft_route_list_free(plan->route, plan->routes);
	free(plan->sw);
	free(plan->node);
	free(plan->nic);
	free(plan->link);
	free(plan->note);
	free(plan->vl);
	*plan = (struct weft_plan) { 0 };
}

/**
 * weft_plan_node_number() - find a node by its name
 * @plan: the plan
 * @name: the name
 *
 * Return: its entry in @plan->node; @plan->nodes if there is none.
 */
unsigned int weft_plan_node_number(const struct weft_plan *plan, const char *name)
{
	unsigned int i = 0;

	while (i < plan->nodes && strcmp(plan->node[i].name, name))
		i++;
	return i;
}
