// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reductions in switches: what the nodes of a group send.
 *
 * A group is one of all nodes that reduce together, by a tree of switches (sim_tree.c),
 * which have aggregation nodes (kernel/core/node/reduce.c). A node sends its chunks in
 * order, as many ahead of the results as an aggregation node has slots. Operations of a
 * group follow one another. With results for owners (NVLS) a node stores those that it
 * owns to all.
 */
#include "sim/sim_reduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "netlink/discipline.h"

#define REDUCE_PAYLOAD	4096U
#define REDUCE_HEADER	12U	/* DETH and immediate data, as in a lab (kernel/rdma/reduce.c) */
#define REDUCE_GRH	40U	/* of a multicast packet of InfiniBand */

static u32 reduce_payload(const struct weft_sim_group *g, const struct weft_sim_nic *nic)
{
	u32 most = g->small ? g->small : REDUCE_PAYLOAD;

	return g->store ? most : min(most, nic->mtu);
}

static u32 chunks_of(const struct weft_sim_group *g, const struct weft_sim_nic *nic, u64 bytes)
{
	return bytes ? (u32)DIV_ROUND_UP(bytes, reduce_payload(g, nic)) : 1;
}

/* Headers of a chunk. Loads and stores of NVLink have none. */
static u32 chunk_header(const struct weft_sim_group *g, const struct weft_sim_nic *nic)
{
	bool ib = nic->ep.p->port.disc->family == FAB_INFINIBAND;

	return g->store ? 0 : nic->header + REDUCE_HEADER + (ib ? REDUCE_GRH : 0);
}

/* Bytes of a chunk as the model counts them. */
static u32 chunk_len(const struct weft_sim_group *g, const struct weft_sim_nic *nic,
		     u64 bytes, u32 chunk)
{
	u32 payload = reduce_payload(g, nic);
	u64 left = bytes - min(bytes, (u64)chunk * payload);
	u32 len = left < payload ? (u32)left : payload;

	return max(len + chunk_header(g, nic), 1U);
}

static struct weft_sim_pkt *chunk_new(struct weft_sim *sim, const struct weft_sim_leaf *leaf,
				      u32 kind, u32 number, u32 len)
{
	struct weft_sim_nic *nic = leaf->nic;
	struct weft_sim_pkt *pkt = weft_sim_pkt_new(sim, false);

	if (!pkt)
		return NULL;
	pkt->p.len = len;
	pkt->p.segs = 1;
	pkt->p.dst = kind | leaf->group->id;
	pkt->p.flow_hash = number;
	pkt->p.cls = nic->cls;
	pkt->p.sl = (u8)sim->o->sl;
	pkt->p.flags = FAB_PKT_HW;
	return pkt;
}

static void leaf_send(struct weft_sim *sim, struct weft_sim_leaf *leaf)
{
	u64 bytes = weft_sim_work(sim, leaf->op)->bytes;
	struct weft_sim_pkt *pkt;

	while (leaf->sent < leaf->chunks && leaf->sent - leaf->got < leaf->group->slots) {
		pkt = chunk_new(sim, leaf, FAB_DST_REDUCE, leaf->first + leaf->sent,
				chunk_len(leaf->group, leaf->nic, bytes, leaf->sent));
		if (!pkt)
			return;
		leaf->sent++;
		weft_sim_operand(sim, leaf->nic, pkt);
	}
}

static void leaf_begin(struct weft_sim *sim, struct weft_sim_leaf *leaf)
{
	leaf->chunks = chunks_of(leaf->group, leaf->nic,
				 weft_sim_work(sim, leaf->op)->bytes);
	leaf->sent = 0;
	leaf->got = 0;
	leaf_send(sim, leaf);
}

/**
 * weft_sim_reduce_start() - a node begins what it brings to a reduction
 * @sim: the simulation
 * @m: the message, whose time has come
 */
void weft_sim_reduce_start(struct weft_sim *sim, struct weft_sim_message *m)
{
	const struct weft_message *w = weft_sim_work(sim, m);
	struct weft_sim_leaf *leaf = &sim->reduce->group[w->group - 1].leaf[w->from];

	m->next = NULL;
	if (leaf->op) {
		leaf->last->next = m;
		leaf->last = m;
		return;
	}
	leaf->op = m;
	leaf->last = m;
	leaf_begin(sim, leaf);
}

static struct weft_sim_leaf *leaf_of(const struct weft_sim_nic *nic, u32 group)
{
	struct weft_sim_leaf *leaf = nic->leaf;

	while (leaf && leaf->group->id != group)
		leaf = leaf->next;
	return leaf;
}

/* A result for its owner, which stores it to all; it gets it once more itself. */
static bool leaf_stores(struct weft_sim *sim, struct weft_sim_leaf *leaf,
			const struct weft_sim_pkt *pkt)
{
	struct weft_sim_pkt *store;

	if (!fab_dst_is_owner(pkt->p.dst))
		return false;
	store = chunk_new(sim, leaf, FAB_DST_RESULT, pkt->p.flow_hash, pkt->p.len);
	if (store)
		weft_sim_urgent(sim, leaf->nic, store);
	return true;
}

/**
 * weft_sim_reduce_receive() - a packet of a group is executed
 * @sim: the simulation
 * @nic: the NIC
 * @pkt: the packet; it stays the caller's
 */
void weft_sim_reduce_receive(struct weft_sim *sim, struct weft_sim_nic *nic,
			     const struct weft_sim_pkt *pkt)
{
	struct weft_sim_leaf *leaf = leaf_of(nic, pkt->p.dst & ~FAB_DST_KIND);
	struct weft_sim_message *op = leaf->op;

	if (leaf_stores(sim, leaf, pkt))
		return;
	if (++leaf->got < leaf->chunks) {
		leaf_send(sim, leaf);
		return;
	}
	leaf->first += leaf->chunks;
	leaf->op = op->next;
	weft_sim_ended(sim, op);
	if (leaf->op)
		leaf_begin(sim, leaf);
}

/**
 * weft_sim_reduce_pkts() - what remains of the packets of a chunk
 * @fab: the fabric
 * @r: the aggregation node
 * @first: the packets, linked
 *
 * Return: the first of them.
 */
struct fab_pkt *weft_sim_reduce_pkts(struct fab *fab, struct fab_reduce *r,
				     struct fab_pkt *first)
{
	struct fab_pkt *pkt = first->next, *next;

	for (; pkt; pkt = next) {
		next = pkt->next;
		weft_sim_pkt_free(weft_sim_of(fab), weft_sim_pkt_of(pkt));
	}
	return first;
}

/* Can a NIC be in a group? Of NVLink for stores, else another one. */
static bool suits(const struct weft_sim *sim, const struct weft_sim_group *g, u32 nic)
{
	const struct weft_port_params *p = &sim->plan->nic[nic].nic.port;
	const struct fab_port *far = sim->nic[nic].ep.port.peer;
	enum weft_family family = weft_port_discipline(p)->family;
	bool nvlink = family == WEFT_NVLINK;

	return far && far->sw && family != WEFT_PCIE && g->store == nvlink;
}

/* The NIC of each node in a group: the first that can. */
static void find_nics(struct weft_sim *sim, struct weft_sim_group *g)
{
	for (u32 i = 0; i < sim->plan->nics; i++) {
		struct weft_sim_leaf *leaf = &g->leaf[sim->plan->nic[i].node];

		if (!leaf->nic && suits(sim, g, i))
			leaf->nic = &sim->nic[i];
	}
}

static int add_leaf(struct weft_sim *sim, struct weft_sim_group *g, u32 node,
		    struct weft_err *err)
{
	struct weft_sim_leaf *leaf = &g->leaf[node];

	if (leaf->group)
		return 0;
	if (!leaf->nic)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "%s has no %sNIC at a switch, which could reduce",
				    sim->plan->node[node].name, g->store ? "NVLink " : "");
	leaf->group = g;
	leaf->next = leaf->nic->leaf;
	leaf->nic->leaf = leaf;
	g->members++;
	return 0;
}

/* From a chunk's first bit at a NIC to the result at its root, or from there down. */
static void way_of(const struct weft_sim_group *g, const struct weft_sim_nic *nic,
		   const struct fab_pkt *pkt, fab_time *up, fab_time *down)
{
	const struct fab_port *port = &nic->ep.port, *far = port->peer;
	const struct fab_reduce *r = fab_reduce_find(far->sw, g->id);

	*up = 0;
	*down = fab_wire_time(&far->wire, pkt) + nic->ep.p->rx_latency;
	for (;;) {
		*up += port->wire.p.propagation + fab_wire_time(&port->wire, pkt) +
		       2 * far->sw->p.latency + r->p.latency;
		*down += far->wire.p.propagation;
		if (r->p.parent == FAB_REDUCE_ROOT)
			return;
		*down += far->sw->p.latency;
		port = &far->sw->port[r->p.parent];
		far = port->peer;
		r = fab_reduce_find(far->sw, g->id);
	}
}

/**
 * struct ideal - what the operations of a group take alone
 * @bytes: of an operation of so many bytes
 * @root: until its first chunk is reduced at the root, ps
 * @each: time of a chunk on the slowest wire of a NIC, ps
 * @last: the same of the last one, which may be short
 */
struct ideal {
	u64 bytes;
	fab_time root;
	fab_time each;
	fab_time last;
};

static struct fab_pkt chunk_at(const struct weft_sim_group *g, const struct weft_sim_nic *nic,
			       u64 bytes, u32 chunk)
{
	return (struct fab_pkt) { .segs = 1, .len = chunk_len(g, nic, bytes, chunk) };
}

static struct ideal ideal_of(const struct weft_sim *sim, const struct weft_sim_group *g,
			     u64 bytes)
{
	struct ideal ideal = { .bytes = bytes };
	fab_time up, down;

	for (u32 i = 0; i < sim->plan->nodes; i++) {
		const struct weft_sim_nic *nic = g->leaf[i].nic;
		struct fab_pkt first, last;

		if (!g->leaf[i].group || !nic)
			continue;
		first = chunk_at(g, nic, bytes, 0);
		last = chunk_at(g, nic, bytes, chunks_of(g, nic, bytes) - 1);
		way_of(g, nic, &first, &up, &down);
		ideal.root = max(ideal.root, up + nic->ep.p->tx_latency);
		ideal.each = max(ideal.each, fab_wire_time(&nic->ep.port.wire, &first));
		ideal.last = max(ideal.last, fab_wire_time(&nic->ep.port.wire, &last));
	}
	return ideal;
}

/* The time that an operation takes alone at a node: the first chunk, and the others behind. */
static u64 ideal_at(const struct weft_sim_group *g, const struct weft_sim_nic *nic,
		    const struct ideal *ideal)
{
	struct fab_pkt first = chunk_at(g, nic, ideal->bytes, 0);
	u64 chunks = chunks_of(g, nic, ideal->bytes);
	fab_time up, down, behind = 0;

	if (chunks > 1)
		behind = ideal->each * (chunks - 2) + ideal->last;
	way_of(g, nic, &first, &up, &down);
	if (!g->store)
		return ideal->root + down + behind;
	/* Down to the owner, back to the switch, and down to all. */
	return ideal->root + down + nic->ep.p->tx_latency + nic->ep.port.wire.p.propagation +
	       nic->ep.port.peer->sw->p.latency + down +
	       behind * (g->members + 1) / g->members;
}

static void set_ideals(struct weft_sim *sim, const struct weft_sim_group *g)
{
	struct ideal ideal = { .bytes = UINT64_MAX };

	for (u32 i = 0; i < sim->work->messages; i++) {
		struct weft_message *m = &sim->work->message[i];
		const struct weft_sim_nic *nic = g->leaf[m->from].nic;

		if (m->group != g->id + 1 || !nic)
			continue;
		if (m->bytes != ideal.bytes)
			ideal = ideal_of(sim, g, m->bytes);
		m->ideal = ideal_at(g, nic, &ideal);
	}
}

static int add_members(struct weft_sim *sim, struct weft_err *err)
{
	const struct weft_message *m = sim->work->message;
	struct weft_sim_reduce *all = sim->reduce;

	for (u32 i = 0; i < sim->work->messages; i++)
		if (m[i].group)
			all->group[m[i].group - 1].store = m[i].store;
	for (u32 i = 0; i < all->groups; i++)
		find_nics(sim, &all->group[i]);
	for (u32 i = 0; i < sim->work->messages; i++)
		if (m[i].group && add_leaf(sim, &all->group[m[i].group - 1], m[i].from, err))
			return err->code;
	return 0;
}

static int build_groups(struct weft_sim *sim, struct weft_err *err)
{
	struct weft_sim_reduce *all = sim->reduce;

	for (u32 i = 0; i < all->groups; i++) {
		struct weft_sim_group *g = &all->group[i];

		if (weft_sim_tree(sim, g, err))
			return err->code;
		set_ideals(sim, g);
	}
	return 0;
}

/**
 * weft_sim_reduce_build() - make the trees of a workload
 * @sim: the simulation, with its model
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_reduce_build(struct weft_sim *sim, struct weft_err *err)
{
	struct weft_sim_reduce *all;
	u32 groups = 0;
	size_t nodes;

	for (u32 i = 0; i < sim->work->messages; i++)
		groups = max(groups, sim->work->message[i].group);
	if (!groups)
		return 0;
	nodes = (size_t)groups * sim->plan->switches;
	all = weft_sim_alloc(sim, 1, sizeof(*all));
	sim->reduce = all;
	if (!all)
		return weft_err_nomem(err);
	all->group = weft_sim_alloc(sim, groups, sizeof(*all->group));
	all->node = weft_sim_alloc(sim, nodes, sizeof(*all->node));
	all->streams = weft_sim_alloc(sim, sim->plan->switches, sizeof(*all->streams));
	if (!all->group || !all->node || !all->streams)
		return weft_err_nomem(err);
	for (; all->groups < groups; all->groups++) {
		struct weft_sim_group *g = &all->group[all->groups];

		g->id = all->groups;
		g->leaf = weft_sim_alloc(sim, sim->plan->nodes, sizeof(*g->leaf));
		if (!g->leaf)
			return weft_err_nomem(err);
	}
	return add_members(sim, err) || build_groups(sim, err) ? err->code : 0;
}
