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
 * ECMP mixes the flow hash with a salt of the switch and scales it to the number of
 * members (Lemire, Fast Random Integer Generation in an Interval, 2019). Without the
 * salt all switches would choose alike, and half of the paths of a Clos network would
 * not be used. A change of the group moves flows.
 *
 * Adaptive compares the members by link down, notice of the next switch (arn.c), class
 * held back by the peer, steps of the class's queue, wire busy, in this order; htsim
 * compares pause, queue and utilisation in the same way. Equal members are served round
 * robin: with idle ports adaptive is spray.
 *
 * Flowlet makes an adaptive choice when a flow starts or was silent for the gap, and
 * keeps the port in between (Sinha, Kandula, Katabi, Harnessing TCP's Burstiness with
 * Flowlet Switching, HotNets 2004). A flow that may move does so only if another port
 * is better than its own (CONGA, SIGCOMM 2014, 3.5). The table is indexed by a hash
 * without a check of the flow, as in that hardware: flows that collide share an
 * entry, and move when both are silent.
 *
 * With an LMC (InfiniBand's LID mask control, linear forwarding) a destination has
 * 2^lmc entries, one for each LID of its port. The sender chooses the LID of a packet
 * by its flow.
 *
 * Multicast packets go to all ports of a flood set. With multicast groups (InfiniBand's
 * multicast forwarding tables) they go to the ports of their group instead, and a group
 * without ports is not forwarded. The bitmaps are the host's, because most groups have
 * no ports at most switches.
 *
 * Not modelled: resilient hashing, weights, a static choice that avoids ports
 * down, utilisation over a window.
 */
#include "core/node/route.h"
#include "core/node/arn.h"
#include "core/node/port.h"
#include "core/sim/bitset.h"
#include "core/sim/mem.h"
#include "core/sim/rng.h"

/**
 * fab_route_params_check() - can the model carry these parameters?
 * @p: the parameters; the caller has checked @p->ports
 *
 * Return: 0, -ERANGE for a size or time, -EINVAL for anything else.
 */
int fab_route_params_check(const struct fab_route_params *p)
{
	bool flowlet = p->select == FAB_SELECT_FLOWLET;

	if (p->groups >= FAB_NO_GROUP || p->lmc > FAB_LMC_MAX ||
	    p->mcasts > FAB_MCASTS_MAX)
		return -ERANGE;
	if (p->dsts > U32_MAX >> p->lmc)
		return -ERANGE;
	if (p->flowlets > FAB_FLOWLETS_MAX || p->flowlet_gap > FAB_DELAY_MAX)
		return -ERANGE;
	if (p->select >= __FAB_SELECT_MAX)
		return -EINVAL;
	if (p->flowlets & (p->flowlets - 1))
		return -EINVAL;
	if (flowlet != !!p->flowlets)
		return -EINVAL;
	return 0;
}

static size_t route_blocks(u32 dsts, u32 lmc)
{
	return DIV_ROUND_UP((size_t)dsts << lmc, FAB_ROUTE_BLOCK);
}

/**
 * fab_route_mem() - memory that a forwarding table takes
 * @p: its parameters
 *
 * Return: bytes.
 */
size_t fab_route_mem(const struct fab_route_params *p)
{
	size_t set = fab_mem_size(BITS_TO_LONGS(p->ports),
				  sizeof(unsigned long));
	size_t member = fab_mem_size(p->ports, sizeof(u16));

	return fab_mem_size(route_blocks(p->dsts, p->lmc), sizeof(u16)) +
	       fab_mem_size((size_t)p->dsts << p->lmc, sizeof(u16)) + set +
	       fab_mem_size(p->flowlets, sizeof(struct fab_flowlet)) +
	       fab_mem_size(p->groups, sizeof(struct fab_group)) +
	       fab_mem_size(p->mcasts, sizeof(unsigned long *)) +
	       p->groups * (set + member);
}

static void *route_cut(struct fab_route_table *t, u32 flowlets, void *mem)
{
	u32 longs = BITS_TO_LONGS(t->ports), i;

	t->block = fab_mem_cut(&mem, route_blocks(t->dsts, t->lmc),
			       sizeof(u16));
	t->group_of = fab_mem_cut(&mem, (size_t)t->dsts << t->lmc, sizeof(u16));
	t->flood = fab_mem_cut(&mem, longs, sizeof(unsigned long));
	t->flowlet = fab_mem_cut(&mem, flowlets, sizeof(struct fab_flowlet));
	t->mcast = fab_mem_cut(&mem, t->mcasts, sizeof(unsigned long *));
	t->group = fab_mem_cut(&mem, t->groups, sizeof(struct fab_group));
	for (i = 0; i < t->groups; i++) {
		t->group[i].ports = fab_mem_cut(&mem, longs,
						sizeof(unsigned long));
		t->group[i].member = fab_mem_cut(&mem, t->ports, sizeof(u16));
	}
	return mem;
}

/**
 * fab_route_init() - initialise an empty forwarding table
 * @t: the table
 * @p: parameters, which fab_route_params_check() accepts
 * @salt: makes the choices of switches independent of each other
 * @mem: zeroed memory, fab_route_mem() bytes
 *
 * Return: the end of the memory used.
 */
void *fab_route_init(struct fab_route_table *t,
		     const struct fab_route_params *p, u64 salt, void *mem)
{
	u32 i;

	t->ports = p->ports;
	t->dsts = p->dsts;
	t->lmc = p->lmc;
	t->flows = p->lmc;
	t->groups = p->groups;
	t->mcasts = p->mcasts;
	t->select = p->select;
	t->salt = salt;
	t->rng = salt;
	t->quantum = p->quantum ? p->quantum : 1;
	t->flowlet_mask = p->flowlets - 1;
	t->flowlet_gap = p->flowlet_gap;
	mem = route_cut(t, p->flowlets, mem);
	for (i = 0; i < route_blocks(t->dsts, t->lmc); i++)
		t->block[i] = FAB_NO_GROUP;
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

/* The group of an entry, which exists. */
static struct fab_group *route_group(const struct fab_route_table *t, u32 entry)
{
	u16 group = t->block[entry / FAB_ROUTE_BLOCK];

	if (group == FAB_ROUTE_MIXED)
		group = t->group_of[entry];
	return group == FAB_NO_GROUP ? NULL : &t->group[group];
}

/* Entries of the block of an entry; the last block may be short. */
static u32 route_block(const struct fab_route_table *t, u32 entry, u16 **first)
{
	u32 begin = entry / FAB_ROUTE_BLOCK * FAB_ROUTE_BLOCK;

	*first = &t->group_of[begin];
	return min(FAB_ROUTE_BLOCK, (t->dsts << t->lmc) - begin);
}

/* Set the group of an entry. A block of one group is stored as such. */
static void route_put(struct fab_route_table *t, u32 entry, u16 group)
{
	u16 *block = &t->block[entry / FAB_ROUTE_BLOCK], *first;
	u32 n = route_block(t, entry, &first), i;

	if (*block == group)
		return;
	if (*block != FAB_ROUTE_MIXED)
		for (i = 0; i < n; i++)
			first[i] = *block;
	t->group_of[entry] = group;
	/* Tables are filled in order, so the last entry mostly tells. */
	while (n && first[n - 1] == group)
		n--;
	*block = n ? FAB_ROUTE_MIXED : group;
}

/* Set the group of @n entries from @first on. */
static void route_put_many(struct fab_route_table *t, u32 first, u32 n,
			   u16 group)
{
	u32 i = first, end = first + n;

	while (i < end) {
		if (i % FAB_ROUTE_BLOCK || end - i < FAB_ROUTE_BLOCK) {
			route_put(t, i++, group);
			continue;
		}
		t->block[i / FAB_ROUTE_BLOCK] = group;
		i += FAB_ROUTE_BLOCK;
	}
}

/* The group with exactly the ports of @set. */
static struct fab_group *route_match(const struct fab_route_table *t,
				     const unsigned long *set)
{
	size_t bytes = BITS_TO_LONGS(t->ports) * sizeof(*set);
	struct fab_group *g;

	for (g = t->group; g < t->group + t->groups; g++)
		if (g->users && !memcmp(g->ports, set, bytes))
			return g;
	return NULL;
}

/* How many of @n entries from @first on refer to @g? */
static u32 route_users(const struct fab_route_table *t,
		       const struct fab_group *g, u32 first, u32 n)
{
	u32 users = 0, i;

	for (i = first; i < first + n; i++)
		users += route_group(t, i) == g;
	return users;
}

/*
 * A slot for a new group of @n entries from @first on: a free one, or one that
 * only these entries used. NULL when there is none.
 */
static struct fab_group *route_slot(const struct fab_route_table *t, u32 first,
				    u32 n)
{
	struct fab_group *g;
	u32 i;

	for (g = t->group; g < t->group + t->groups; g++)
		if (!g->users)
			return g;
	for (i = first; i < first + n; i++) {
		g = route_group(t, i);
		if (g && route_users(t, g, first, n) == g->users)
			return g;
	}
	return NULL;
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
	g->first = g->member[0];
	t->flows |= g->n > 1;
	g->next = route_scale(fab_mix(seed), g->n);
}

/* @n entries from @first on no longer use their groups. Return: how many had one. */
static u32 route_leave(struct fab_route_table *t, u32 first, u32 n)
{
	struct fab_group *g;
	u32 had = 0, i;

	for (i = first; i < first + n; i++) {
		g = route_group(t, i);
		if (!g)
			continue;
		had++;
		if (!--g->users)
			g->n = 0;
	}
	return had;
}

/* Clear the groups of @n entries from @first on. Return: how many had one. */
static u32 route_clear(struct fab_route_table *t, u32 first, u32 n)
{
	u32 had = route_leave(t, first, n);

	route_put_many(t, first, n, FAB_NO_GROUP);
	return had;
}

/* Set the group of @n entries from @first on to @ports. */
static int route_assign(struct fab_route_table *t, u32 first, u32 n,
			const u16 *ports, u32 count)
{
	unsigned long set[BITS_TO_LONGS(FAB_PORTS_MAX)];
	struct fab_group *old, *g;

	if (!count || !route_port_set(t, ports, count, set))
		return -EINVAL;
	old = route_match(t, set);
	g = old ? old : route_slot(t, first, n);
	if (!g)
		return -ENOSPC;
	/* A group that stays keeps its users, and so its next member. */
	if (old)
		old->users += n;
	route_leave(t, first, n);
	if (!old) {
		route_fill(t, g, set);
		g->users = n;
	}
	route_put_many(t, first, n, g - t->group);
	return 0;
}

/**
 * fab_route_set() - set the ports to a destination
 * @t: the table
 * @dst: the destination
 * @ports: its ports; one named twice counts once
 * @n: how many, at least 1
 *
 * With an LMC this sets all paths. On failure the old route stays.
 *
 * Return: 0; -EINVAL when the destination or a port does not exist or no port
 * is named; -ENOSPC when the table has no group left.
 */
int fab_route_set(struct fab_route_table *t, u32 dst, const u16 *ports, u32 n)
{
	if (dst >= t->dsts)
		return -EINVAL;
	return route_assign(t, dst << t->lmc, BIT(t->lmc), ports, n);
}

/**
 * fab_route_set_path() - set the ports of one path to a destination
 * @t: the table
 * @dst: the destination
 * @path: the path bits of its LID, below 1 << lmc
 * @ports: its ports, one in a linear forwarding table
 * @n: how many, at least 1
 *
 * Return: as fab_route_set(); also -EINVAL when there is no such path.
 */
int fab_route_set_path(struct fab_route_table *t, u32 dst, u32 path,
		       const u16 *ports, u32 n)
{
	if (dst >= t->dsts || path >> t->lmc)
		return -EINVAL;
	return route_assign(t, dst << t->lmc | path, 1, ports, n);
}

/**
 * fab_route_del() - remove all routes to a destination
 * @t: the table
 * @dst: the destination
 *
 * Return: 0, or -ENOENT when it has no route.
 */
int fab_route_del(struct fab_route_table *t, u32 dst)
{
	if (dst >= t->dsts || !route_clear(t, dst << t->lmc, BIT(t->lmc)))
		return -ENOENT;
	return 0;
}

/**
 * fab_route_get_path() - get the ports of one path to a destination
 * @t: the table
 * @dst: the destination
 * @path: the path bits
 *
 * Return: their group, NULL without a route.
 */
const struct fab_group *fab_route_get_path(const struct fab_route_table *t,
					   u32 dst, u32 path)
{
	if (dst >= t->dsts || path >> t->lmc)
		return NULL;
	return route_group(t, dst << t->lmc | path);
}

/**
 * fab_route_get() - get the ports to a destination
 * @t: the table
 * @dst: the destination
 *
 * Return: the group of its first path, NULL without a route.
 */
const struct fab_group *fab_route_get(const struct fab_route_table *t, u32 dst)
{
	return fab_route_get_path(t, dst, 0);
}

/**
 * fab_route_flood_set() - set the flood ports of multicast packets
 * @t: the table
 * @ports: ports; a packet is not copied to its ingress port
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
 * fab_route_mcast_set() - set the ports of a multicast group
 * @t: the table
 * @group: the group
 * @ports: bitmap of the ports of the switch, of the host, which may change its bits;
 *	in use until it is replaced. NULL: the group has no ports
 *
 * A packet is not copied to its ingress port. The ports of all switches must form a
 * tree, as with fab_route_flood_set().
 *
 * Return: 0, or -EINVAL when the table has no such group.
 */
int fab_route_mcast_set(struct fab_route_table *t, u32 group,
			const unsigned long *ports)
{
	if (group >= t->mcasts)
		return -EINVAL;
	t->mcast[group] = ports;
	return 0;
}

/**
 * fab_route_mcast() - get the ports of a multicast packet
 * @t: the table
 * @pkt: the packet
 *
 * Return: bitmap, NULL where there is none for its group.
 */
const unsigned long *fab_route_mcast(const struct fab_route_table *t,
				     const struct fab_pkt *pkt)
{
	if (!t->mcasts || pkt->dst == FAB_NO_DST)
		return t->flood;
	return pkt->dst < t->mcasts ? t->mcast[pkt->dst] : NULL;
}

/*
 * Cost of a port for a packet at the moment; the highest bit that differs decides.
 * The queue is that of the packet's class, without the packet on the wire; an empty
 * queue with a busy wire is worse than an idle port. Whether the discipline held back
 * a class that is empty now is ignored.
 */
static u64 route_cost(const struct fab_route_table *t,
		      const struct fab_port *port, const struct fab_pkt *pkt,
		      fab_time now)
{
	const u64 most = U32_MAX;
	u64 steps, held, told;

	if (!fab_port_can_send(port))
		return U64_MAX;
	held = (port->blocked & port->ready) >> pkt->cls & 1;
	steps = min(div64_u64(port->cls[pkt->cls].bytes, t->quantum), most);
	told = t->arn && fab_arn_known(t->arn, port->index, pkt->dst, now);
	return told << 34 | held << 33 | steps << 1 | (port->busy_until > now);
}

static u16 route_after(const struct fab_group *g, u16 i)
{
	return i + 1 == g->n ? 0 : i + 1;
}

/* The best member; among equals the first one from the group's next member on. */
static u16 route_best(const struct fab_route_table *t, struct fab_group *g,
		      const struct fab_port *ports, const struct fab_pkt *pkt,
		      fab_time now)
{
	u16 best = g->next, i = g->next;
	u64 least = U64_MAX, cost;

	do {
		cost = route_cost(t, &ports[g->member[i]], pkt, now);
		if (cost < least) {
			least = cost;
			best = i;
		}
		i = route_after(g, i);
	} while (least && i != g->next);
	g->next = route_after(g, best);
	return g->member[best];
}

/* The port of a new flowlet; @f has that of the last one. */
static u16 flowlet_begin(const struct fab_route_table *t, struct fab_group *g,
			 const struct fab_port *ports,
			 const struct fab_pkt *pkt, fab_time now,
			 const struct fab_flowlet *f)
{
	u16 best = route_best(t, g, ports, pkt, now);

	if (!f->until || !fab_bitset_has(g->ports, f->port))
		return best;
	return route_cost(t, &ports[f->port], pkt, now) <=
	       route_cost(t, &ports[best], pkt, now) ? f->port : best;
}

static u16 route_flowlet(const struct fab_route_table *t, struct fab_group *g,
			 const struct fab_port *ports,
			 const struct fab_pkt *pkt, fab_time now)
{
	u64 flow = (u64)pkt->dst << 32 | pkt->flow_hash;
	struct fab_flowlet *f;

	f = &t->flowlet[fab_mix(t->salt ^ flow) & t->flowlet_mask];
	if (now >= f->until || !fab_bitset_has(g->ports, f->port) ||
	    !fab_port_can_send(&ports[f->port]))
		f->port = flowlet_begin(t, g, ports, pkt, now, f);
	f->until = now + t->flowlet_gap;
	return f->port;
}

/* The group of a packet's destination and path. */
static struct fab_group *route_lookup(const struct fab_route_table *t,
				      const struct fab_pkt *pkt)
{
	u32 entry = pkt->dst;

	if (pkt->dst >= t->dsts)
		return NULL;
	if (t->lmc)
		entry = entry << t->lmc | fab_route_path(pkt->flow_hash, t->lmc);
	return route_group(t, entry);
}

/* One of the several ports of a group, by a policy other than ECMP. */
static noinline int route_choose(struct fab_route_table *t, struct fab_group *g,
				 const struct fab_port *ports, const struct fab_pkt *pkt,
				 fab_time now)
{
	u16 i;

	if (t->select == FAB_SELECT_ADAPTIVE)
		return route_best(t, g, ports, pkt, now);
	if (t->select == FAB_SELECT_FLOWLET)
		return route_flowlet(t, g, ports, pkt, now);
	if (t->select == FAB_SELECT_RANDOM)
		return g->member[route_scale(fab_rng_next(&t->rng), g->n)];
	i = g->next;
	g->next = route_after(g, i);
	return g->member[i];
}

/**
 * fab_route_select() - choose the port that a packet leaves through
 * @t: the table
 * @ports: the ports of the switch; adaptive and flowlet look at their state
 * @pkt: the packet
 * @now: the time
 *
 * Return: number of the port, -1 without a route.
 */
int fab_route_select(struct fab_route_table *t, const struct fab_port *ports,
		     const struct fab_pkt *pkt, fab_time now)
{
	struct fab_group *g = route_lookup(t, pkt);

	if (!g)
		return -1;
	if (g->n == 1)
		return g->first;
	if (t->select == FAB_SELECT_ECMP)
		return g->member[route_scale(fab_mix(t->salt ^ pkt->flow_hash),
					     g->n)];
	return route_choose(t, g, ports, pkt, now);
}
