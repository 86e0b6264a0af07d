// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast: which queue pairs of a device are in which group.
 *
 * Switches replicate to all their flood ports; each NIC keeps what its groups
 * want. There is no subnet manager and no snooping that would prune. The NIC that
 * sends gets nothing back from a switch, and gives a copy to those of its own
 * queue pairs that are members, the one that sent among them: as IPoIB knows it,
 * which drops what it sent itself.
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

/* Take over what of the two is needed, and set that to NULL. */
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
 * Return: 0; -ENOMEM, also beyond the numbers that the device tells of.
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
		group_leave(qp->dev, g, m);
	weft_rdma_unlock(qp->dev);
	return m ? 0 : -EINVAL;
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
		if (weft_qp_may_receive(m->qp, p))
			weft_ud_receive(m->qp, p);
}
