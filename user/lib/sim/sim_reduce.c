// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reductions in switches: the trees of a workload, and what its nodes send.
 *
 * A group is one of all nodes that reduce together. It has a tree: of all switches, the
 * root is one from which its farthest NIC is nearest, the first if there are several. Each
 * other switch has as its parent the neighbour by which a search from the root came
 * first. Each switch of the tree has an aggregation node (kernel/core/node/reduce.c).
 *
 * A node sends its chunks in order, as many ahead of the results as an aggregation node has
 * slots. Operations of a group follow one another. With the root's results for owners
 * (NVLS) a node stores those that it owns to all.
 */
#include "sim/sim_reduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "netlink/discipline.h"

#define REDUCE_SLOTS	256			/* a choice: 1 MiB of each child */
#define REDUCE_OWNED	320			/* a choice; more, and the last wait longer */
#define REDUCE_LATENCY	(100 * FAB_PS_PER_NS)	/* a choice, not published */
#define REDUCE_PAYLOAD	4096U
#define NONE		UINT32_MAX

/**
 * struct weft_sim_leaf - a node in a group
 * @group: the group
 * @nic: its NIC
 * @next: the leaf of the same NIC in another group
 * @op: the operation that it is in; NULL: in none
 * @last: the operation that it will be in last
 * @chunks: chunks of @op
 * @first: number of its first chunk
 * @sent: chunks that were sent
 * @got: chunks of which it has the result
 */
struct weft_sim_leaf {
	struct weft_sim_group *group;
	struct weft_sim_nic *nic;
	struct weft_sim_leaf *next;
	struct weft_sim_message *op;
	struct weft_sim_message *last;
	u32 chunks;
	u32 first;
	u32 sent;
	u32 got;
};

/**
 * struct weft_sim_group - a group
 * @id: its number
 * @store: its results go to owners, which store them to all
 * @members: nodes in it
 * @leaf: the members, by node of the plan; with group NULL: not in it
 * @slots: chunks that may be under way
 */
struct weft_sim_group {
	u32 id;
	bool store;
	u32 members;
	struct weft_sim_leaf *leaf;
	u32 slots;
};

/**
 * struct weft_sim_reduce - all groups of a simulation
 * @groups: entries of @group
 * @group: the groups, by their number less 1
 * @nodes: aggregation nodes in use
 * @node: the aggregation nodes
 * @mem: memory of each
 */
struct weft_sim_reduce {
	u32 groups;
	struct weft_sim_group *group;
	u32 nodes;
	struct fab_reduce *node;
	void **mem;
};

/**
 * struct tree - a tree of a group in progress
 * @sim: the simulation
 * @g: the group
 * @depth: by switch: links from the root; NONE: not reached
 * @parent: by switch: its port to the parent
 * @queue: switches that were reached, in order
 * @used: by switch: children in the tree
 * @child: the ports of all of them; those of switch s begin at its first port
 * @first: by switch: its first port among all
 */
struct tree {
	struct weft_sim *sim;
	struct weft_sim_group *g;
	u32 *depth;
	u32 *parent;
	u32 *queue;
	u32 *used;
	u16 *child;
	u32 *first;
};

static u32 reduce_payload(const struct weft_sim_group *g, const struct weft_sim_nic *nic)
{
	return g->store ? REDUCE_PAYLOAD : min(REDUCE_PAYLOAD, nic->mtu);
}

static u32 chunks_of(const struct weft_sim_group *g, const struct weft_sim_nic *nic, u64 bytes)
{
	return bytes ? (u32)DIV_ROUND_UP(bytes, reduce_payload(g, nic)) : 1;
}

/* Bytes of a chunk as the model counts them. Loads and stores of NVLink have no headers. */
static u32 chunk_len(const struct weft_sim_group *g, const struct weft_sim_nic *nic,
		     u64 bytes, u32 chunk)
{
	u32 payload = reduce_payload(g, nic);
	u64 left = bytes - min(bytes, (u64)chunk * payload);
	u32 len = left < payload ? (u32)left : payload;

	return max(len + (g->store ? 0 : nic->header), 1U);
}

static struct weft_sim_pkt *chunk_new(struct weft_sim *sim, const struct weft_sim_leaf *leaf,
				      u32 kind, u32 number, u32 len)
{
	struct weft_sim_nic *nic = leaf->nic;
	struct weft_sim_pkt *pkt = weft_sim_pkt_new(sim);

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
		weft_sim_urgent(sim, leaf->nic, pkt);
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

	if (!leaf->group->store || pkt->stored)
		return false;
	store = chunk_new(sim, leaf, FAB_DST_RESULT, pkt->p.flow_hash, pkt->p.len);
	if (!store)
		return true;
	store->stored = true;
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

/* Search from a switch. Returns the depth of the farthest NIC; NONE: not all are reached. */
static u32 tree_search(struct tree *t, u32 root)
{
	const struct weft_plan *p = t->sim->plan;
	u32 n = 0, deepest = 0;

	memset(t->depth, 0xff, p->switches * sizeof(*t->depth));
	t->depth[root] = 0;
	t->parent[root] = FAB_REDUCE_ROOT;
	t->queue[n++] = root;
	for (u32 i = 0; i < n; i++) {
		struct fab_switch *sw = &t->sim->sw[t->queue[i]];

		for (u32 k = 0; k < sw->p.ports; k++) {
			struct fab_port *far = sw->port[k].peer;

			if (!far || !far->sw || !sw->port[k].wire.up ||
			    t->depth[far->sw->id] != NONE)
				continue;
			t->depth[far->sw->id] = t->depth[sw->id] + 1;
			t->parent[far->sw->id] = far->index;
			t->queue[n++] = far->sw->id;
		}
	}
	for (u32 i = 0; i < p->nodes; i++) {
		u32 depth;

		if (!t->g->leaf[i].group)
			continue;
		depth = t->depth[t->g->leaf[i].nic->ep.port.peer->sw->id];
		if (depth == NONE)
			return NONE;
		deepest = max(deepest, depth);
	}
	return deepest;
}

static int find_root(struct tree *t, struct weft_err *err)
{
	u32 best = NONE, root = 0, depth;

	for (u32 i = 0; i < t->sim->plan->switches; i++) {
		depth = tree_search(t, i);
		if (depth >= best)
			continue;
		best = depth;
		root = i;
	}
	if (best == NONE)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "no switch reaches all nodes that reduce together");
	if (best && t->g->store)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "nvls: expected all nodes at one switch of NVLink");
	tree_search(t, root);
	return 0;
}

/* A port leads to a child; it is the first time for @sw if it had none. */
static bool tree_child(struct tree *t, const struct fab_port *port)
{
	u16 *child = &t->child[t->first[port->sw->id]];
	u32 *n = &t->used[port->sw->id];

	for (u32 i = 0; i < *n; i++)
		if (child[i] == port->index)
			return false;
	child[(*n)++] = (u16)port->index;
	return *n == 1;
}

/* The way of a NIC up to the root, or to where another one has been. */
static void tree_climb(struct tree *t, const struct fab_port *nic)
{
	const struct fab_port *port = nic->peer;

	while (tree_child(t, port)) {
		u32 up = t->parent[port->sw->id];

		if (up == FAB_REDUCE_ROOT)
			return;
		port = port->sw->port[up].peer;
	}
}

static int by_number(const void *a, const void *b)
{
	return (int)*(const u16 *)a - (int)*(const u16 *)b;
}

static int add_node(struct tree *t, u32 sw, struct weft_err *err)
{
	struct weft_sim_reduce *all = t->sim->reduce;
	struct fab_reduce_params p = {
		.group = t->g->id, .children = t->used[sw], .child = &t->child[t->first[sw]],
		.parent = (u16)t->parent[sw], .slots = t->g->slots, .latency = REDUCE_LATENCY,
		.to = t->g->store ? FAB_REDUCE_OWNER : FAB_REDUCE_ALL,
	};
	void *mem = calloc(1, fab_reduce_mem(&p));

	if (!mem)
		return weft_err_nomem(err);
	qsort(&t->child[t->first[sw]], p.children, sizeof(*t->child), by_number);
	all->mem[all->nodes] = mem;
	fab_reduce_init(&t->sim->fab, &t->sim->sw[sw], &all->node[all->nodes++], &p, mem);
	return 0;
}

static int build_tree(struct tree *t, struct weft_err *err)
{
	const struct weft_plan *p = t->sim->plan;

	if (find_root(t, err))
		return err->code;
	memset(t->used, 0, p->switches * sizeof(*t->used));
	for (u32 i = 0; i < p->nodes; i++)
		if (t->g->leaf[i].group)
			tree_climb(t, &t->g->leaf[i].nic->ep.port);
	for (u32 i = 0; i < p->switches; i++)
		if (t->used[i] && add_node(t, i, err))
			return err->code;
	return 0;
}

static int build_group(struct weft_sim *sim, struct weft_sim_group *g, struct weft_err *err)
{
	const u32 n = sim->plan->switches;
	struct tree t = {
		.sim = sim, .g = g, .depth = calloc(n + 1, sizeof(*t.depth)),
		.parent = calloc(n + 1, sizeof(*t.parent)),
		.queue = calloc(n + 1, sizeof(*t.queue)),
		.used = calloc(n + 1, sizeof(*t.used)),
		.first = calloc(n + 1, sizeof(*t.first)),
	};
	int ret = weft_err_nomem(err);

	if (t.depth && t.parent && t.queue && t.used && t.first) {
		for (u32 i = 0; i < n; i++)
			t.first[i + 1] = t.first[i] + sim->plan->sw[i].ports;
		t.child = calloc(t.first[n] + 1, sizeof(*t.child));
		if (t.child)
			ret = build_tree(&t, err);
	}
	free(t.depth);
	free(t.parent);
	free(t.queue);
	free(t.used);
	free(t.first);
	free(t.child);
	return ret;
}

/* The aggregation node of a group, which is there. */
static const struct fab_reduce *node_at(const struct fab_switch *sw, u32 group)
{
	const struct fab_reduce *r = sw->reduce;

	while (r->p.group != group)
		r = r->next;
	return r;
}

/* From a chunk's first bit at a NIC to the result at its root, or from there down. */
static void way_of(const struct weft_sim_group *g, const struct weft_sim_nic *nic,
		   const struct fab_pkt *pkt, fab_time *up, fab_time *down)
{
	const struct fab_port *port = &nic->ep.port, *far = port->peer;
	const struct fab_reduce *r = node_at(far->sw, g->id);

	*up = 0;
	*down = fab_wire_time(&far->wire, pkt) + nic->ep.p.rx_latency;
	for (;;) {
		*up += port->wire.p.propagation + fab_wire_time(&port->wire, pkt) +
		       2 * far->sw->p.latency + r->p.latency;
		*down += far->wire.p.propagation;
		if (r->p.parent == FAB_REDUCE_ROOT)
			return;
		*down += far->sw->p.latency;
		port = &far->sw->port[r->p.parent];
		far = port->peer;
		r = node_at(far->sw, g->id);
	}
}

/* The time that an operation would take alone: the last chunk, behind the others. */
static u64 ideal_of(struct weft_sim *sim, const struct weft_sim_group *g,
		    const struct weft_message *m)
{
	const struct weft_sim_leaf *leaf = &g->leaf[m->from];
	u32 chunks = chunks_of(g, leaf->nic, m->bytes);
	struct fab_pkt whole = { .segs = 1, .len = chunk_len(g, leaf->nic, m->bytes, 0) };
	struct fab_pkt last = {
		.segs = 1, .len = chunk_len(g, leaf->nic, m->bytes, chunks - 1),
	};
	fab_time most = 0, each = 0, up, down;

	for (u32 i = 0; i < sim->plan->nodes; i++) {
		if (!g->leaf[i].group)
			continue;
		way_of(g, g->leaf[i].nic, &last, &up, &down);
		most = max(most, up + g->leaf[i].nic->ep.p.tx_latency);
		each = max(each, fab_wire_time(&g->leaf[i].nic->ep.port.wire, &whole));
	}
	if (g->store)
		return most + each * (chunks - 1) * (g->members + 1) / g->members;
	way_of(g, leaf->nic, &last, &up, &down);
	return most + down + each * (chunks - 1);
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

		g->slots = g->store ? REDUCE_OWNED : REDUCE_SLOTS;
		if (build_group(sim, g, err))
			return err->code;
	}
	for (u32 i = 0; i < sim->work->messages; i++) {
		struct weft_message *m = &sim->work->message[i];

		if (m->group)
			m->ideal = ideal_of(sim, &all->group[m->group - 1], m);
	}
	return 0;
}

/**
 * weft_sim_reduce_build() - make the trees of a workload
 * @sim: the simulation, with its model
 * @err: error
 *
 * Return: 0 or negative errno; in any case weft_sim_reduce_free() frees them.
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
	all = calloc(1, sizeof(*all));
	sim->reduce = all;
	if (!all)
		return weft_err_nomem(err);
	all->group = calloc(groups, sizeof(*all->group));
	all->node = calloc(nodes + 1, sizeof(*all->node));
	all->mem = calloc(nodes + 1, sizeof(*all->mem));
	if (!all->group || !all->node || !all->mem)
		return weft_err_nomem(err);
	for (; all->groups < groups; all->groups++) {
		struct weft_sim_group *g = &all->group[all->groups];

		g->id = all->groups;
		g->leaf = calloc(sim->plan->nodes + 1, sizeof(*g->leaf));
		if (!g->leaf)
			return weft_err_nomem(err);
	}
	return add_members(sim, err) || build_groups(sim, err) ? err->code : 0;
}

/**
 * weft_sim_reduce_free() - free the trees
 * @sim: the simulation, whose model does not run any more
 */
void weft_sim_reduce_free(struct weft_sim *sim)
{
	struct weft_sim_reduce *all = sim->reduce;

	if (!all)
		return;
	for (u32 i = 0; i < all->nodes; i++)
		free(all->mem[i]);
	for (u32 i = 0; i < all->groups; i++)
		free(all->group[i].leaf);
	free(all->group);
	free(all->node);
	free(all->mem);
	free(all);
	sim->reduce = NULL;
}
