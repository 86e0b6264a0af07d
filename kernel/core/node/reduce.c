// SPDX-License-Identifier: GPL-2.0
/*
 * Reductions in switches: aggregation nodes add up what their children send.
 *
 * DOC: theory of operation
 *
 * A group of endpoints has a tree of switches, each with an aggregation node. What is
 * reduced is cut into chunks, a packet each. An endpoint sends its packet of a chunk to
 * FAB_DST_REDUCE + group. When a node has the packet of each child, whole, it makes one of
 * them, and sends it to its parent. At the root the result goes to FAB_DST_RESULT + group:
 * down to all children. Or it goes to one of them, its owner, as FAB_DST_OWNER + group;
 * the owner sends the same on to all. fab_pkt.flow_hash is the number of the chunk.
 *
 * With head arrival h, ingress time t_i and pipeline latency d a packet is in the node at
 * h + t_i. The result of a chunk is ready at the latest of these, plus d, plus the latency
 * a of the node. From d later on it may leave. What comes down passes a switch like any
 * other packet.
 *
 * The node takes packets into memory of its own, and has results there until they are sent. So
 * a chunk that waits for a child holds no buffer of a port, no other group waits for it, and
 * what goes up never waits for what comes down. The memory is for so many
 * chunks, and who sends is responsible for no more: a packet that meets another
 * chunk in its place, or the same once more, is dropped. So is one that differs in length from
 * another one of its chunk, or that the host refuses. Nothing is repeated here.
 *
 * The host computes. It gets the packets of a chunk in the order of the children, so that
 * a result depends neither on the order of arrival nor on the seed.
 *
 * Sources: the sum of what is published of SHARP (Graham et al., Scalable Hierarchical
 * Aggregation Protocol, COMHPC 2016; Graham et al., SHARP Streaming-Aggregation, ISC
 * 2020) and of NVLS, reduce on read and multicast on write: trees, groups, outstanding
 * operations, a result for each packet at the rate of the wire. Formats are not public.
 *
 * Not modelled: several trees of a group, retry between nodes.
 *
 * Invariants: a slot is due exactly when all packets of its chunk have come; busy is the
 * number of slots with a packet.
 */
#include "core/node/reduce.h"
#include "core/fabric.h"
#include "core/node/room.h"
#include "core/sim/mem.h"

/**
 * fab_reduce_find() - find the aggregation node of a group
 * @sw: the switch
 * @group: number of the group
 *
 * Return: the node, NULL if the switch has none.
 */
struct fab_reduce *fab_reduce_find(const struct fab_switch *sw, u32 group)
{
	struct fab_reduce *r;

	for (r = sw->reduce; r; r = r->next)
		if (r->p.group == group)
			return r;
	return NULL;
}

/**
 * fab_reduce_params_check() - check the parameters of an aggregation node
 * @sw: its switch
 * @p: the parameters
 *
 * Return: 0; -EINVAL for values out of range and for ports that do not exist or occur
 * twice; -EEXIST if the switch has a node of the group.
 */
int fab_reduce_params_check(const struct fab_switch *sw,
			    const struct fab_reduce_params *p)
{
	u32 i, k;

	if (p->group >= FAB_REDUCE_GROUPS || !p->children || p->children > sw->p.ports)
		return -EINVAL;
	if (!p->slots || p->slots > FAB_REDUCE_SLOTS_MAX || p->latency > FAB_DELAY_MAX)
		return -EINVAL;
	if (p->parent != FAB_REDUCE_ROOT && p->parent >= sw->p.ports)
		return -EINVAL;
	for (i = 0; i < p->children; i++) {
		if (p->child[i] >= sw->p.ports || p->child[i] == p->parent)
			return -EINVAL;
		for (k = 0; k < i; k++)
			if (p->child[k] == p->child[i])
				return -EINVAL;
	}
	return fab_reduce_find(sw, p->group) ? -EEXIST : 0;
}

/**
 * fab_reduce_mem() - memory that an aggregation node needs in addition to its struct
 * @p: its parameters
 *
 * Return: bytes.
 */
size_t fab_reduce_mem(const struct fab_reduce_params *p)
{
	return fab_mem_size(p->children, sizeof(*p->child)) +
	       fab_mem_size(p->slots, sizeof(struct fab_reduce_slot)) +
	       fab_mem_size((size_t)p->slots * p->children, sizeof(struct fab_pkt *));
}

static bool reduce_is_root(const struct fab_reduce *r)
{
	return r->p.parent == FAB_REDUCE_ROOT;
}

/* Send the result down: to all children, or to the chunk's owner. */
static void reduce_answer(struct fab *fab, struct fab_reduce *r, struct fab_pkt *pkt)
{
	struct fab_pkt *copy;
	u32 i, last = r->p.children - 1;

	pkt->dst = FAB_DST_RESULT | r->p.group;
	if (r->p.to == FAB_REDUCE_OWNER) {
		pkt->dst = FAB_DST_OWNER | r->p.group;
		fab_switch_inject(fab, r->sw, r->p.child[pkt->flow_hash % r->p.children],
				  pkt);
		return;
	}
	for (i = 0; i < last; i++) {
		copy = fab->host->clone(fab, pkt);
		if (copy)
			fab_switch_inject(fab, r->sw, r->p.child[i], copy);
		else
			r->sw->port[r->p.child[i]].c.drops[FAB_DROP_NO_MEMORY] += pkt->segs;
	}
	fab_switch_inject(fab, r->sw, r->p.child[last], pkt);
}

/* Empty a slot. Returns its packets, linked in the order of the children. */
static struct fab_pkt *reduce_empty(struct fab_reduce *r, struct fab_reduce_slot *s)
{
	struct fab_fifo all = { .head = NULL };
	u32 i;

	for (i = 0; s->came && i < r->p.children; i++) {
		if (s->pkt[i])
			fab_fifo_push(&all, s->pkt[i]);
		s->pkt[i] = NULL;
	}
	r->busy -= !!s->came;
	s->came = 0;
	s->whole = 0;
	return all.head;
}

static void reduce_on_due(struct fab *fab, struct fab_event *ev)
{
	struct fab_reduce_slot *s = container_of(ev, struct fab_reduce_slot, due);
	struct fab_reduce *r = s->node;
	struct fab_pkt *pkt;

	fab->c.packets_delivered += r->p.children;
	r->results++;
	r->sw->reduced++;
	pkt = fab->host->reduce(fab, r, reduce_empty(r, s));
	if (!pkt)
		return;
	if (reduce_is_root(r))
		reduce_answer(fab, r, pkt);
	else
		fab_switch_inject(fab, r->sw, r->p.parent, pkt);
}

/**
 * fab_reduce_init() - add an aggregation node to a switch
 * @fab: the fabric, whose host has reduce()
 * @sw: the switch
 * @r: the node
 * @p: its parameters, which fab_reduce_params_check() accepts
 * @mem: zeroed memory, fab_reduce_mem() bytes
 */
void fab_reduce_init(struct fab *fab, struct fab_switch *sw, struct fab_reduce *r,
		     const struct fab_reduce_params *p, void *mem)
{
	struct fab_pkt **pkt;
	u16 *child;
	u32 i;

	memset(r, 0, sizeof(*r));
	r->p = *p;
	r->sw = sw;
	child = fab_mem_cut(&mem, p->children, sizeof(*p->child));
	memcpy(child, p->child, p->children * sizeof(*child));
	r->p.child = child;
	r->slot = fab_mem_cut(&mem, p->slots, sizeof(*r->slot));
	pkt = fab_mem_cut(&mem, (size_t)p->slots * p->children, sizeof(*pkt));
	for (i = 0; i < p->slots; i++) {
		r->slot[i].node = r;
		r->slot[i].pkt = pkt + (size_t)i * p->children;
		fab_event_init(&r->slot[i].due, reduce_on_due);
	}
	r->next = sw->reduce;
	sw->reduce = r;
}

static void reduce_drop(struct fab *fab, struct fab_reduce *r, struct fab_reduce_slot *s,
			enum fab_drop why)
{
	struct fab_pkt *pkt = reduce_empty(r, s), *next;

	fab_event_cancel(&fab->events, &s->due);
	for (; pkt; pkt = next) {
		next = pkt->next;
		fab_port_drop(fab, &r->sw->port[pkt->ingress], pkt, why);
	}
}

static void reduce_drop_all(struct fab *fab, struct fab_reduce *r, enum fab_drop why)
{
	u32 i;

	for (i = 0; r->busy && i < r->p.slots; i++)
		reduce_drop(fab, r, &r->slot[i], why);
}

/**
 * fab_reduce_count() - how many aggregation nodes does a switch have?
 * @sw: the switch
 *
 * Return: how many: one per group.
 */
u32 fab_reduce_count(const struct fab_switch *sw)
{
	const struct fab_reduce *r;
	u32 n = 0;

	for (r = sw->reduce; r; r = r->next)
		n++;
	return n;
}

/**
 * fab_reduce_empty() - drop what an aggregation node holds
 * @fab: the fabric
 * @r: the node
 *
 * The packets go back to the host with FAB_DROP_TEARDOWN.
 */
void fab_reduce_empty(struct fab *fab, struct fab_reduce *r)
{
	reduce_drop_all(fab, r, FAB_DROP_TEARDOWN);
}

/**
 * fab_reduce_lose() - drop what the aggregation nodes of a switch hold, by a fault
 * @fab: the fabric
 * @sw: the switch
 */
void fab_reduce_lose(struct fab *fab, struct fab_switch *sw)
{
	struct fab_reduce *r;

	for (r = sw->reduce; r; r = r->next)
		reduce_drop_all(fab, r, FAB_DROP_FAULT);
}

/**
 * fab_reduce_remove() - remove an aggregation node
 * @fab: the fabric
 * @r: the node
 *
 * What it holds goes back to the host with FAB_DROP_TEARDOWN.
 */
void fab_reduce_remove(struct fab *fab, struct fab_reduce *r)
{
	struct fab_reduce **at = &r->sw->reduce;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	fab_reduce_empty(fab, r);
}

/**
 * fab_reduce_remove_all() - remove all aggregation nodes of a switch
 * @fab: the fabric
 * @sw: the switch
 */
void fab_reduce_remove_all(struct fab *fab, struct fab_switch *sw)
{
	while (sw->reduce)
		fab_reduce_remove(fab, sw->reduce);
}

/* Number of the child at a port, or -1. */
static int reduce_child(const struct fab_reduce *r, u32 port)
{
	u32 i;

	for (i = 0; i < r->p.children; i++)
		if (r->p.child[i] == port)
			return i;
	return -1;
}

/* The first packet of a chunk in the order of the children, or NULL. */
static const struct fab_pkt *reduce_other(const struct fab_reduce *r,
					  const struct fab_reduce_slot *s)
{
	u32 i;

	for (i = 0; s->came && i < r->p.children; i++)
		if (s->pkt[i])
			return s->pkt[i];
	return NULL;
}

static bool reduce_fits(const struct fab *fab, const struct fab_reduce *r,
			const struct fab_reduce_slot *s, const struct fab_pkt *pkt)
{
	const struct fab_pkt *other = reduce_other(r, s);

	if (other && other->len != pkt->len)
		return false;
	return !fab->host->reducible || fab->host->reducible(fab, r, pkt, other);
}

/*
 * All packets of a chunk have come. Where a fault that made the node slow has just ended, a
 * result waits for the one before it.
 */
static void reduce_schedule(struct fab *fab, struct fab_reduce *r, struct fab_reduce_slot *s)
{
	fab_time at = s->whole + r->sw->p.latency + r->p.latency + r->sw->faults.sharp_delay;

	r->due = max(at, r->due + 1);
	fab_event_schedule(&fab->events, &s->due, r->due);
}

/* Put the packet of a child into its chunk. Returns why not, or FAB_DROP_COUNT. */
static enum fab_drop reduce_put(struct fab *fab, struct fab_reduce *r, u32 child,
				fab_time whole, struct fab_pkt *pkt)
{
	struct fab_reduce_slot *s = &r->slot[pkt->flow_hash % r->p.slots];

	if (s->came && (s->chunk != pkt->flow_hash || s->pkt[child])) {
		r->late++;
		return FAB_DROP_PORT_LIMIT;
	}
	if (!reduce_fits(fab, r, s, pkt)) {
		r->refused++;
		return FAB_DROP_NO_ROUTE;
	}
	if (!s->came)
		r->busy++;
	r->peak = max(r->peak, r->busy);
	s->chunk = pkt->flow_hash;
	s->pkt[child] = pkt;
	s->whole = max(s->whole, whole);
	if (++s->came == r->p.children)
		reduce_schedule(fab, r, s);
	return FAB_DROP_COUNT;
}

/* A packet of a child. */
static void reduce_up(struct fab *fab, struct fab_reduce *r, struct fab_port *in,
		      struct fab_pkt *pkt)
{
	int child = reduce_child(r, in->index);
	fab_time whole = fab->now;
	enum fab_drop why;

	if (child < 0) {
		fab_switch_lose(fab, r->sw, pkt, FAB_DROP_NO_ROUTE);
		return;
	}
	if (r->sw->p.forward == FAB_CUT_THROUGH)
		whole += fab_wire_time(&in->peer->wire, pkt);
	/* The node has memory of its own. */
	fab_switch_release(fab, r->sw, pkt);
	why = reduce_put(fab, r, child, whole, pkt);
	if (why != FAB_DROP_COUNT)
		fab_port_drop(fab, in, pkt, why);
}

/**
 * fab_reduce_take() - process a packet of a group
 * @fab: the fabric
 * @in: its ingress port
 * @pkt: the packet, which holds room there, and whose destination is
 *	of these kinds
 *
 * The owner of a result is a NIC: behind another switch it gets none.
 */
void fab_reduce_take(struct fab *fab, struct fab_port *in, struct fab_pkt *pkt)
{
	struct fab_switch *sw = in->sw;
	struct fab_reduce *r = fab_reduce_find(sw, pkt->dst & ~FAB_DST_KIND);

	if (!r || fab_dst_is_owner(pkt->dst))
		fab_switch_lose(fab, sw, pkt, FAB_DROP_NO_ROUTE);
	else if (pkt->flags & FAB_PKT_CORRUPT)
		fab_switch_lose(fab, sw, pkt, FAB_DROP_BIT_ERROR);
	else if (!fab_fault_aggregates(sw, pkt))
		fab_switch_lose(fab, sw, pkt, FAB_DROP_FAULT);
	else if ((pkt->dst & FAB_DST_KIND) == FAB_DST_REDUCE)
		reduce_up(fab, r, in, pkt);
	else
		fab_switch_spread(fab, in, r->p.child, r->p.children, pkt);
}

static const char *reduce_check_slot(const struct fab_reduce *r,
				     const struct fab_reduce_slot *s, u64 *packets)
{
	u32 i, came = 0;
	bool all;

	for (i = 0; i < r->p.children; i++)
		came += !!s->pkt[i];
	*packets += came;
	all = came == r->p.children;
	if (came != s->came)
		return "reduce: packets of a chunk were lost";
	if (fab_event_pending(&s->due) != all)
		return "reduce: a result without its packets, or none with them";
	return NULL;
}

/**
 * fab_reduce_check() - check the aggregation nodes of a switch
 * @sw: the switch
 * @packets: raised by the packets that they hold
 * @events: raised by their pending events
 *
 * Return: NULL, or the violated invariant as text.
 */
const char *fab_reduce_check(const struct fab_switch *sw, u64 *packets, u64 *events)
{
	const struct fab_reduce *r;
	const char *wrong = NULL;
	u32 i, busy;

	for (r = sw->reduce; r && !wrong; r = r->next) {
		for (i = 0, busy = 0; i < r->p.slots && !wrong; i++) {
			wrong = reduce_check_slot(r, &r->slot[i], packets);
			*events += fab_event_pending(&r->slot[i].due);
			busy += !!r->slot[i].came;
		}
		if (!wrong && busy != r->busy)
			wrong = "reduce: chunks are not counted";
	}
	return wrong;
}
