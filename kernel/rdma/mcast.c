// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast: which queue pairs of a device are in which group.
 *
 * Switches replicate to all their flood ports; each NIC keeps what its groups
 * want. There is no subnet manager and no snooping that would prune. The NIC that
 * sends gets nothing back from a switch, and gives a copy to those of its own
 * queue pairs that are members, but not to the one that sent.
 */
#include <linux/slab.h>

#include "dev.h"
#include "qp.h"
#include "ud.h"

static struct weft_group *group_find(const struct weft_rdma_dev *dev,
				     const union ib_gid *gid)
{
	struct weft_group *g;

	list_for_each_entry(g, &dev->groups, node)
		if (!memcmp(&g->gid, gid, sizeof(*gid)))
			return g;
	return NULL;
}

static struct weft_member *group_member(const struct weft_group *g,
					const struct weft_qp *qp)
{
	struct weft_member *m;

	list_for_each_entry(m, &g->members, node)
		if (m->qp == qp)
			return m;
	return NULL;
}

/* Once, or for good. */
static void group_leave(struct weft_group *g, struct weft_member *m, bool all)
{
	if (--m->joined && !all)
		return;
	list_del(&m->node);
	kfree(m);
	if (!list_empty(&g->members))
		return;
	list_del(&g->node);
	kfree(g);
}

/* Put @m, and @g where the group is new, into the device's list. */
static bool group_join(struct weft_rdma_dev *dev, struct weft_group *g,
		       struct weft_member *m)
{
	struct weft_group *old = group_find(dev, &g->gid);
	struct weft_member *is = old ? group_member(old, m->qp) : NULL;

	if (is) {
		is->joined++;
		kfree(m);
	} else if (old) {
		list_add_tail(&m->node, &old->members);
	} else {
		list_add_tail(&m->node, &g->members);
		list_add_tail(&g->node, &dev->groups);
	}
	return !old;
}

/**
 * weft_attach_mcast() - let a queue pair receive what is sent to a group
 * @ibqp: the queue pair, of datagrams
 * @gid: address of the group
 * @lid: its LID; what counts is the address
 *
 * ib_core counts these, and lets a queue pair go when it left as often as it
 * joined. So a member may join again, as a process does that names two LIDs with
 * one address; it gets each datagram once.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct weft_qp *qp = weft_qp_of(ibqp);
	struct weft_member *m;
	struct weft_group *g;
	bool used;

	g = kzalloc(sizeof(*g), GFP_KERNEL_ACCOUNT);
	m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (!g || !m) {
		kfree(g);
		kfree(m);
		return -ENOMEM;
	}
	g->gid = *gid;
	INIT_LIST_HEAD(&g->members);
	m->qp = qp;
	m->joined = 1;
	weft_rdma_lock(qp->dev);
	used = group_join(qp->dev, g, m);
	weft_rdma_unlock(qp->dev);
	if (!used)
		kfree(g);
	return 0;
}

/**
 * weft_detach_mcast() - take a queue pair out of a group
 * @ibqp: the queue pair
 * @gid: address of the group
 * @lid: its LID
 *
 * Context: process, may sleep.
 * Return: 0, or -EINVAL where it is no member.
 */
int weft_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct weft_qp *qp = weft_qp_of(ibqp);
	struct weft_member *m = NULL;
	struct weft_group *g;

	weft_rdma_lock(qp->dev);
	g = group_find(qp->dev, gid);
	if (g)
		m = group_member(g, qp);
	if (m)
		group_leave(g, m, false);
	weft_rdma_unlock(qp->dev);
	return m ? 0 : -EINVAL;
}

/**
 * weft_mcast_leave() - take a queue pair out of all groups
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 */
void weft_mcast_leave(struct weft_qp *qp)
{
	struct weft_group *g, *next;
	struct weft_member *m;

	list_for_each_entry_safe(g, next, &qp->dev->groups, node) {
		m = group_member(g, qp);
		if (m)
			group_leave(g, m, true);
	}
}

static bool member_wants(const struct weft_qp *qp, const struct weft_rpkt *p)
{
	if (qp->state < IB_QPS_RTR || qp->state == IB_QPS_ERR)
		return false;
	return !(p->flags & WEFT_RPKT_LOOPED) || qp->ib.qp_num != p->sqpn;
}

/**
 * weft_mcast_receive() - a datagram for a group arrived
 * @dev: the device
 * @p: the packet, which stays the caller's
 *
 * Context: any; the fabric's lock is held.
 */
void weft_mcast_receive(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	struct weft_group *g = group_find(dev, &p->path.dgid);
	struct weft_member *m;

	if (!g || weft_opcode_transport(p->opcode) != IB_OPCODE_UD)
		return;
	weft_rdma_count(dev, rx_mcast, 1);
	list_for_each_entry(m, &g->members, node)
		if (member_wants(m->qp, p))
			weft_ud_receive(m->qp, p);
}
