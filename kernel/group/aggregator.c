// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregation nodes: reductions in switches.
 *
 * Each belongs to a group at a switch. Who builds a tree of them adds one after another. Only
 * hardware packets are reduced, whose client knows the operation (hwpkt.h).
 *
 * A chunk that lacks a child waits without an end. So that no packet keeps the module of its
 * client, a group in which a client takes part is emptied when it leaves, and takes no more.
 */
#include "group/aggregator.h"

#include <linux/hashtable.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <uapi/linux/weft.h>

#include "core/sim/combine.h"
#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/hwpkt.h"
#include "fabric/limit.h"
#include "fabric/switch.h"
#include "netlink/nl.h"

/**
 * weft_aggregator_prepare() - prepare a fabric for aggregation nodes
 * @f: the fabric, being created
 *
 * Context: process.
 */
void weft_aggregator_prepare(struct weft_fabric *f)
{
	BUILD_BUG_ON(BIT(WEFT_REDUCE_TYPE_SHIFT) != FAB_REDUCE_GROUPS);
	BUILD_BUG_ON((int)FAB_COMBINE_BXOR != WEFT_REDUCE_OP_BXOR);
	BUILD_BUG_ON((int)FAB_COMBINE_FP64 != WEFT_REDUCE_TYPE_FP64);
	xa_init_flags(&f->aggregators, XA_FLAGS_ALLOC);
	hash_init(f->aggregator_groups);
}

static struct weft_aggregator_group *group_find(struct weft_fabric *f, u32 number)
{
	struct weft_aggregator_group *g;

	hash_for_each_possible(f->aggregator_groups, g, node, number)
		if (g->number == number)
			return g;
	return NULL;
}

/* The group of a new aggregation node, or an ERR_PTR. */
static struct weft_aggregator_group *group_join(struct weft_fabric *f, u32 number, u32 qkey,
						struct netlink_ext_ack *extack)
{
	struct weft_aggregator_group *g = group_find(f, number);

	if (g && g->qkey != qkey) {
		NL_SET_ERR_MSG(extack, "the group has another Q_Key at another switch");
		return ERR_PTR(-EINVAL);
	}
	if (!g) {
		g = kzalloc(sizeof(*g), GFP_KERNEL_ACCOUNT);
		if (!g)
			return ERR_PTR(-ENOMEM);
		g->number = number;
		g->qkey = qkey;
		weft_engine_lock(f);
		hash_add(f->aggregator_groups, &g->node, number);
		weft_engine_unlock(f);
	}
	g->members++;
	return g;
}

static void group_leave(struct weft_fabric *f, struct weft_aggregator_group *g)
{
	if (--g->members)
		return;
	weft_engine_lock(f);
	hash_del(&g->node);
	weft_engine_unlock(f);
	kfree(g);
}

/* With its group, which others may share. */
static size_t aggregator_mem(const struct fab_reduce_params *p)
{
	return sizeof(struct weft_aggregator) + sizeof(struct weft_aggregator_group) +
	       fab_reduce_mem(p);
}

/* Whether who goes up from @p at a switch, from node to node of the group, comes back there. */
static bool leads_back(struct weft_switch *sw, const struct fab_reduce_params *p)
{
	const struct fab_switch *at = &sw->sw;
	const struct fab_reduce *r;
	u32 up = p->parent, steps;

	for (steps = 0; up != FAB_REDUCE_ROOT && steps < WEFT_AGGREGATORS_MAX; steps++) {
		at = at->port[up].peer ? at->port[up].peer->sw : NULL;
		if (!at || at == &sw->sw)
			return at;
		r = fab_reduce_find(at, p->group);
		up = r ? r->p.parent : FAB_REDUCE_ROOT;
	}
	return false;
}

static int aggregator_check(struct weft_switch *sw, const struct fab_reduce_params *p,
			    struct netlink_ext_ack *extack)
{
	u32 n = fab_reduce_count(&sw->sw);
	int err;

	err = fab_reduce_params_check(&sw->sw, p);
	if (err == -EEXIST)
		NL_SET_ERR_MSG(extack, "the switch has an aggregation node of this group");
	else if (err)
		NL_SET_ERR_MSG(extack,
			       "latency out of range, or ports that the switch has not, or twice");
	if (err)
		return err;
	if (leads_back(sw, p)) {
		NL_SET_ERR_MSG(extack, "the parents of the group lead back to this switch");
		return -ELOOP;
	}
	if (aggregator_mem(p) > WEFT_AGGREGATOR_MEM_MAX) {
		NL_SET_ERR_MSG_FMT(extack, "it needs %zu MiB of memory, allowed are %u",
				   aggregator_mem(p) >> 20, WEFT_AGGREGATOR_MEM_MAX >> 20);
		return -E2BIG;
	}
	if (n < WEFT_AGGREGATORS_SWITCH)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "the switch has %u aggregation nodes already", n);
	return -EBUSY;
}

/**
 * weft_aggregator_create() - add an aggregation node to a switch
 * @sw: the switch
 * @p: the model's parameters
 * @qkey: Q_Key of what it reduces
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: the aggregation node or an ERR_PTR.
 */
struct weft_aggregator *weft_aggregator_create(struct weft_switch *sw,
					       const struct fab_reduce_params *p, u32 qkey,
					       struct netlink_ext_ack *extack)
{
	struct weft_fabric *f = sw->fabric;
	struct weft_aggregator *ag;
	int err;

	ASSERT_RTNL();
	err = aggregator_check(sw, p, extack);
	if (err)
		return ERR_PTR(err);
	err = weft_limit_take(f->limited, 1, aggregator_mem(p), extack);
	if (err)
		return ERR_PTR(err);
	ag = kvzalloc(aggregator_mem(p), GFP_KERNEL_ACCOUNT);
	if (!ag) {
		err = -ENOMEM;
		goto err_give;
	}
	ag->fabric = f;
	ag->sw = sw;
	ag->group = group_join(f, p->group, qkey, extack);
	if (IS_ERR(ag->group)) {
		err = PTR_ERR(ag->group);
		goto err_free;
	}
	err = xa_alloc(&f->aggregators, &ag->id, ag,
		       XA_LIMIT(0, WEFT_AGGREGATORS_MAX - 1), GFP_KERNEL_ACCOUNT);
	if (err == -EBUSY)
		NL_SET_ERR_MSG_FMT(extack, "fabric has %u aggregation nodes already",
				   WEFT_AGGREGATORS_MAX);
	if (err)
		goto err_leave;
	weft_engine_lock(f);
	fab_reduce_init(&f->fab, &sw->sw, &ag->r, p, ag->mem);
	weft_engine_unlock(f);
	f->generation++;
	return ag;

err_leave:
	group_leave(f, ag->group);
err_free:
	kvfree(ag);
err_give:
	weft_limit_give(f->limited, 1, aggregator_mem(p));
	return ERR_PTR(err);
}

/**
 * weft_aggregator_destroy() - remove an aggregation node
 * @ag: the aggregation node; what it holds is dropped
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_aggregator_destroy(struct weft_aggregator *ag)
{
	struct weft_fabric *f = ag->fabric;

	ASSERT_RTNL();
	weft_nl_aggregator_gone(ag);
	weft_engine_lock(f);
	fab_reduce_remove(&f->fab, &ag->r);
	weft_engine_unlock(f);
	xa_erase(&f->aggregators, ag->id);
	group_leave(f, ag->group);
	f->generation++;
	weft_limit_give(f->limited, 1, aggregator_mem(&ag->r.p));
	kvfree(ag);
}

/**
 * weft_aggregator_switch_gone() - remove the aggregation nodes of a switch
 * @sw: the switch
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_aggregator_switch_gone(struct weft_switch *sw)
{
	while (sw->sw.reduce)
		weft_aggregator_destroy(container_of(sw->sw.reduce, struct weft_aggregator, r));
}

/**
 * weft_aggregator_fault() - a fault took aggregation nodes down, or up again
 * @sw: their switch
 *
 * Context: any; the fabric's lock is held.
 */
void weft_aggregator_fault(struct fab_switch *sw)
{
	struct weft_fabric *f = container_of(sw, struct weft_switch, sw)->fabric;

	if (sw->reduce && weft_nl_listened(f))
		weft_fabric_queue(f, &f->news);
}

/**
 * weft_aggregator_lost() - a packet that goes up or down a tree is lost
 * @f: the fabric
 * @pkt: the packet
 *
 * Nobody repeats it, so who waits for its chunk has to hear of it. What has not the Q_Key of its
 * group is none of it.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_aggregator_lost(struct weft_fabric *f, const struct fab_pkt *pkt)
{
	const struct weft_hwpkt *c = weft_hwpkt_of(pkt);
	struct weft_aggregator_group *g;

	lockdep_assert_held(&f->lock);
	if (!(pkt->flags & FAB_PKT_HW) || !c->ops->reducible)
		return;
	g = group_find(f, pkt->dst & ~FAB_DST_KIND);
	if (!g || g->dead || !c->ops->reducible(c, g->qkey, NULL))
		return;
	if (!g->lost++ && weft_nl_listened(f))
		weft_fabric_queue(f, &f->news);
}

/**
 * weft_aggregator_tell() - tell listeners of aggregation nodes that are down, or have lost packets
 * @f: the fabric
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_aggregator_tell(struct weft_fabric *f)
{
	struct weft_aggregator *ag;
	unsigned long id;
	bool down, lost;

	ASSERT_RTNL();
	xa_for_each(&f->aggregators, id, ag) {
		weft_engine_lock(f);
		down = ag->sw->sw.faults.sharp_down;
		lost = ag->group->lost;
		weft_engine_unlock(f);
		if (down == ag->told && lost == ag->told_lost)
			continue;
		ag->told = down;
		ag->told_lost = lost;
		weft_nl_aggregator_changed(ag);
	}
}

static bool reduces_from(const struct fab_reduce *r, const struct fab_port *port)
{
	u32 i;

	for (i = 0; i < r->p.children; i++)
		if (r->p.child[i] == port->index)
			return true;
	return false;
}

static void group_end(struct weft_fabric *f, struct weft_aggregator_group *g)
{
	struct weft_aggregator *ag;
	unsigned long id;

	weft_engine_lock(f);
	g->dead = true;
	weft_engine_unlock(f);
	xa_for_each(&f->aggregators, id, ag) {
		if (ag->group != g)
			continue;
		weft_engine_lock(f);
		fab_reduce_empty(&f->fab, &ag->r);
		weft_engine_unlock(f);
	}
}

/**
 * weft_aggregator_client_gone() - end the groups in which a NIC takes part
 * @wep: the NIC's endpoint, whose client leaves
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_aggregator_client_gone(struct weft_endpoint *wep)
{
	const struct fab_port *port = wep->ep.port.peer;
	const struct fab_reduce *r;

	ASSERT_RTNL();
	for (r = port && port->sw ? port->sw->reduce : NULL; r; r = r->next)
		if (reduces_from(r, port))
			group_end(wep->fabric, container_of(r, struct weft_aggregator, r)->group);
}

/**
 * weft_aggregator_takes() - may a packet be reduced? (struct fab_host_ops)
 * @fab: the fabric
 * @r: the aggregation node
 * @pkt: the packet
 * @other: one of its chunk, or NULL
 *
 * Context: any; the fabric's lock is held.
 * Return: true if it may.
 */
bool weft_aggregator_takes(const struct fab *fab, const struct fab_reduce *r,
			   const struct fab_pkt *pkt, const struct fab_pkt *other)
{
	const struct weft_aggregator *ag = container_of(r, struct weft_aggregator, r);
	const struct weft_hwpkt *c;

	if (ag->group->dead || !(pkt->flags & FAB_PKT_HW) || pkt->flags & FAB_PKT_TRIMMED)
		return false;
	c = weft_hwpkt_of(pkt);
	return c->ops->reducible &&
	       c->ops->reducible(c, ag->group->qkey, other ? weft_hwpkt_of(other) : NULL);
}

/**
 * weft_aggregator_reduce() - make one packet of those of a chunk (struct fab_host_ops)
 * @fab: the fabric
 * @r: the aggregation node
 * @first: the packets, which weft_aggregator_takes() took, linked
 *
 * Context: any; the fabric's lock is held.
 * Return: the first of them, with the result.
 */
struct fab_pkt *weft_aggregator_reduce(struct fab *fab, struct fab_reduce *r,
				       struct fab_pkt *first)
{
	struct weft_fabric *f = container_of(fab, struct weft_fabric, fab);
	struct weft_hwpkt *to = weft_hwpkt_of(first), *from;
	struct fab_pkt *pkt = first->next, *next;

	for (; pkt; pkt = next) {
		next = pkt->next;
		from = weft_hwpkt_of(pkt);
		weft_limit_give(f->limited, 0, from->mem);
		to->ops->absorb(to, from);
	}
	return first;
}
