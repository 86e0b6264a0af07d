// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast: the groups of a device and their members.
 *
 * Switches replicate to all their flood ports, and each NIC keeps the packets of
 * its groups. There is no subnet manager and no snooping that would prune the
 * tree. A switch sends nothing back to the sender. The sender's NIC gives a copy to
 * its own queue pairs that are members, the sender among them. IPoIB expects that
 * and drops its own packets.
 */
#include <linux/jhash.h>
#include <linux/slab.h>

#include "rdma/dev.h"
#include "rdma/qp.h"
#include "rdma/ud.h"

static u32 group_hash(const union ib_gid *gid)
{
	return jhash(gid, sizeof(*gid), 0);
}

static struct weft_group *group_find(const struct weft_rdma_dev *dev,
				     const union ib_gid *gid)
{
	struct weft_group *g;

	hash_for_each_possible(dev->groups, g, node, group_hash(gid))
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

static void group_leave(struct weft_rdma_dev *dev, struct weft_group *g,
			struct weft_member *m)
{
	if (--m->join_count)
		return;
	list_del(&m->node);
	kfree(m);
	if (--g->num)
		return;
	hash_del(&g->node);
	dev->ngroups--;
	kfree(g);
}

static int group_add(struct weft_group *g, struct weft_member *m)
{
	if (g->num == WEFT_RDMA_MEMBERS)
		return -ENOMEM;
	list_add_tail(&m->node, &g->members);
	g->num++;
	return 0;
}

static int group_new(struct weft_rdma_dev *dev, struct weft_group *g,
		     struct weft_member *m)
{
	if (dev->ngroups == WEFT_RDMA_GROUPS)
		return -ENOMEM;
	hash_add(dev->groups, &g->node, group_hash(&g->gid));
	dev->ngroups++;
	return group_add(g, m);
}

/* Set the one of the two to NULL that is in use then. */
static int group_join(struct weft_rdma_dev *dev, struct weft_group **g,
		      struct weft_member **m)
{
	struct weft_group *old = group_find(dev, &(*g)->gid);
	struct weft_member *is = old ? group_member(old, (*m)->qp) : NULL;
	int err;

	if (is) {
		is->join_count++;
		return 0;
	}
	err = old ? group_add(old, *m) : group_new(dev, *g, *m);
	if (err)
		return err;
	*m = NULL;
	if (!old)
		*g = NULL;
	return 0;
}

/**
 * weft_attach_mcast() - add a queue pair to a multicast group
 * @ibqp: the queue pair, UD
 * @gid: MGID of the group
 * @lid: its LID; only the MGID counts
 *
 * ib_core counts the calls, and allows a queue pair to be destroyed when it left as
 * often as it joined. So a member may join again, for example with another LID and
 * the same MGID; it gets each datagram once.
 *
 * Context: process, may sleep.
 * Return: 0; -ENOMEM, also beyond the limits in the device's attributes.
 */
int weft_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct weft_qp *qp = weft_qp_of(ibqp);
	struct weft_member *m;
	struct weft_group *g;
	int err = -ENOMEM;

	g = kzalloc(sizeof(*g), GFP_KERNEL_ACCOUNT);
	m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (g && m) {
		g->gid = *gid;
		INIT_LIST_HEAD(&g->members);
		m->qp = qp;
		m->join_count = 1;
		weft_rdma_lock(qp->dev);
		err = group_join(qp->dev, &g, &m);
		weft_rdma_unlock(qp->dev);
	}
	kfree(g);
	kfree(m);
	return err;
}

/**
 * weft_detach_mcast() - remove a queue pair from a multicast group
 * @ibqp: the queue pair
 * @gid: MGID of the group
 * @lid: its LID
 *
 * Context: process, may sleep.
 * Return: 0, or -EINVAL if it is no member.
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
		group_leave(qp->dev, g, m);
	weft_rdma_unlock(qp->dev);
	return m ? 0 : -EINVAL;
}

/**
 * weft_mcast_receive() - deliver a multicast packet to the members of its group
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
		if (weft_qp_may_receive(m->qp, p))
			weft_ud_receive(m->qp, p);
}
