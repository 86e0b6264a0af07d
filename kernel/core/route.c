// SPDX-License-Identifier: GPL-2.0
/*
 * Forwarding: destination -> group of ports -> one port of the group.
 *
 * DOC: theory of operation
 *
 * Destinations with the same set of ports share a group, so that a table of
 * many destinations stays small and spray serves the ports of a group evenly
 * whatever the destination (as next-hop groups of switch chips do).
 *
 * ECMP scrambles the flow hash with a salt of the switch and scales it to the
 * number of members (Lemire, Fast Random Integer Generation in an Interval,
 * 2019). Without the salt all switches would choose alike and half the paths of
 * a Clos network would stay unused. A change of the group moves flows.
 *
 * Not modelled: resilient hashing, weights, a choice that avoids ports down.
 */
#include "bitset.h"
#include "mem.h"
#include "rng.h"
#include "route.h"

/**
 * fab_route_mem() - memory that a forwarding table takes
 * @ports: ports of the switch
 * @dsts: destinations
 * @groups: groups of ports
 *
 * Return: bytes.
 */
size_t fab_route_mem(u32 ports, u32 dsts, u32 groups)
{
	size_t set = fab_mem_size(BITS_TO_LONGS(ports), sizeof(unsigned long));
	size_t member = fab_mem_size(ports, sizeof(u16));

	return fab_mem_size(dsts, sizeof(u16)) + set +
	       fab_mem_size(groups, sizeof(struct fab_group)) +
	       groups * (set + member);
}

/**
 * fab_route_init() - make an empty forwarding table
 * @t: the table
 * @ports: ports of the switch
 * @dsts: destinations
 * @groups: groups of ports, below FAB_NO_GROUP
 * @select: how a port of a group is chosen
 * @salt: makes the choices of switches independent of each other
 * @mem: zeroed memory, fab_route_mem() bytes
 *
 * Return: the end of the memory used.
 */
void *fab_route_init(struct fab_route_table *t, u32 ports, u32 dsts, u32 groups,
		     enum fab_select select, u64 salt, void *mem)
{
	u32 longs = BITS_TO_LONGS(ports), i;

	t->ports = ports;
	t->dsts = dsts;
	t->groups = groups;
	t->select = select;
	t->salt = salt;
	t->group_of = fab_mem_cut(&mem, dsts, sizeof(u16));
	for (i = 0; i < dsts; i++)
		t->group_of[i] = FAB_NO_GROUP;
	t->flood = fab_mem_cut(&mem, longs, sizeof(unsigned long));
	t->group = fab_mem_cut(&mem, groups, sizeof(struct fab_group));
	for (i = 0; i < groups; i++) {
		t->group[i].ports = fab_mem_cut(&mem, longs,
						sizeof(unsigned long));
		t->group[i].member = fab_mem_cut(&mem, ports, sizeof(u16));
	}
	return mem;
}

static u32 route_scale(u64 hash, u32 n)
{
	return (hash >> 32) * n >> 32;
}

/* @ports as a set; false when one of them does not exist. */
static bool route_port_set(const struct fab_route_table *t, const u16 *ports,
			   u32 n, unsigned long *set)
{
	u32 i;

	memset(set, 0, BITS_TO_LONGS(t->ports) * sizeof(*set));
	for (i = 0; i < n; i++) {
		if (ports[i] >= t->ports)
			return false;
		fab_bitset_add(set, ports[i]);
	}
	return true;
}

static struct fab_group *route_group(const struct fab_route_table *t, u32 dst)
{
	if (dst >= t->dsts || t->group_of[dst] == FAB_NO_GROUP)
		return NULL;
	return &t->group[t->group_of[dst]];
}

/*
 * A group with exactly the ports of @set, else a slot for one: a free slot, or
 * that of @old when only one destination used it. NULL when there is none.
 */
static struct fab_group *route_find(struct fab_route_table *t,
				    const unsigned long *set,
				    struct fab_group *old)
{
	size_t bytes = BITS_TO_LONGS(t->ports) * sizeof(*set);
	struct fab_group *slot = NULL, *g;

	for (g = t->group; g < t->group + t->groups; g++) {
		if (!g->users)
			slot = slot ? slot : g;
		else if (!memcmp(g->ports, set, bytes))
			return g;
	}
	return !slot && old && old->users == 1 ? old : slot;
}

static void route_fill(struct fab_route_table *t, struct fab_group *g,
		       const unsigned long *set)
{
	u64 seed = t->salt + (g - t->group);
	u32 port;

	memcpy(g->ports, set, BITS_TO_LONGS(t->ports) * sizeof(*set));
	g->n = 0;
	fab_bitset_for_each(port, g->ports, t->ports)
		g->member[g->n++] = port;
	g->next = route_scale(fab_mix(seed), g->n);
}

static void route_put(struct fab_group *g)
{
	if (!--g->users)
		g->n = 0;
}

/**
 * fab_route_set() - say which ports lead to a destination
 * @t: the table
 * @dst: the destination
 * @ports: its ports; one named twice counts once
 * @n: how many, at least 1
 *
 * On failure the old route stays.
 *
 * Return: 0; -EINVAL when the destination or a port does not exist or no port
 * is named; -ENOSPC when the table has no group left.
 */
int fab_route_set(struct fab_route_table *t, u32 dst, const u16 *ports, u32 n)
{
	unsigned long set[BITS_TO_LONGS(FAB_PORTS_MAX)];
	struct fab_group *old, *g;

	if (dst >= t->dsts || !n || !route_port_set(t, ports, n, set))
		return -EINVAL;
	old = route_group(t, dst);
	g = route_find(t, set, old);
	if (!g)
		return -ENOSPC;
	if (g == old && !memcmp(g->ports, set, BITS_TO_LONGS(t->ports) *
				sizeof(*set)))
		return 0;
	if (old)
		route_put(old);
	if (!g->users++)
		route_fill(t, g, set);
	t->group_of[dst] = g - t->group;
	return 0;
}

/**
 * fab_route_del() - forget how to reach a destination
 * @t: the table
 * @dst: the destination
 *
 * Return: 0, or -ENOENT when it has no route.
 */
int fab_route_del(struct fab_route_table *t, u32 dst)
{
	struct fab_group *g = route_group(t, dst);

	if (!g)
		return -ENOENT;
	route_put(g);
	t->group_of[dst] = FAB_NO_GROUP;
	return 0;
}

/**
 * fab_route_get() - which ports lead to a destination?
 * @t: the table
 * @dst: the destination
 *
 * Return: their group, NULL without a route.
 */
const struct fab_group *fab_route_get(const struct fab_route_table *t, u32 dst)
{
	return route_group(t, dst);
}

/**
 * fab_route_flood_set() - say where a multicast packet is copied to
 * @t: the table
 * @ports: ports; the one that the packet came in through is left out each time
 * @n: how many
 *
 * The ports of all switches must form a tree, or packets circle until their
 * hop limit ends them. On failure the old set stays.
 *
 * Return: 0, or -EINVAL when a port does not exist.
 */
int fab_route_flood_set(struct fab_route_table *t, const u16 *ports, u32 n)
{
	unsigned long set[BITS_TO_LONGS(FAB_PORTS_MAX)];

	if (!route_port_set(t, ports, n, set))
		return -EINVAL;
	memcpy(t->flood, set, BITS_TO_LONGS(t->ports) * sizeof(*set));
	return 0;
}

/**
 * fab_route_select() - choose the port that a packet leaves through
 * @t: the table
 * @pkt: the packet
 *
 * Return: number of the port, -1 without a route.
 */
int fab_route_select(struct fab_route_table *t, const struct fab_pkt *pkt)
{
	struct fab_group *g = route_group(t, pkt->dst);
	u16 i;

	if (!g)
		return -1;
	if (g->n == 1)
		return g->member[0];
	if (t->select == FAB_SELECT_ECMP)
		return g->member[route_scale(fab_mix(t->salt ^ pkt->flow),
					     g->n)];
	i = g->next;
	g->next = i + 1 == g->n ? 0 : i + 1;
	return g->member[i];
}
