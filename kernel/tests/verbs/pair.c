// SPDX-License-Identifier: GPL-2.0
/*
 * Two connected queue pairs of the kernel, and what is done with them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "tests/verbs/pair.h"

#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#define VT_QUEUE	32
#define VT_WAIT_LOOKS	200000	/* of 50 us: 10 s */

/* The GID of an IPv4 address; with InfiniBand the only one. */
static const struct ib_gid_attr *vt_gid(struct ib_device *dev)
{
	const struct ib_gid_attr *gid;
	int i;

	for (i = 0; i < dev->port_data[1].immutable.gid_tbl_len; i++) {
		gid = rdma_get_gid_attr(dev, 1, i);
		if (IS_ERR(gid))
			continue;
		if (gid->gid_type == IB_GID_TYPE_IB ||
		    (gid->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		     ipv6_addr_v4mapped((struct in6_addr *)gid->gid.raw)))
			return gid;
		rdma_put_gid_attr(gid);
	}
	return ERR_PTR(-ENOENT);
}

static void vt_path_roce(struct rdma_ah_attr *ah, const struct ib_gid_attr *to)
{
	struct net_device *netdev;

	rcu_read_lock();
	netdev = rcu_dereference(to->ndev);
	if (netdev)
		ether_addr_copy(ah->roce.dmac, netdev->dev_addr);
	rcu_read_unlock();
}

static int vt_path(struct vt_end *from, struct vt_end *to,
		   struct rdma_ah_attr *ah)
{
	const struct ib_gid_attr *sgid = vt_gid(from->dev);
	const struct ib_gid_attr *dgid = vt_gid(to->dev);
	struct ib_port_attr port;
	int err = -ENOENT;

	if (IS_ERR(sgid) || IS_ERR(dgid))
		goto out;
	err = ib_query_port(to->dev, 1, &port);
	if (err)
		goto out;
	ah->type = rdma_ah_find_type(from->dev, 1);
	rdma_ah_set_port_num(ah, 1);
	if (ah->type == RDMA_AH_ATTR_TYPE_IB) {
		rdma_ah_set_dlid(ah, port.lid);
	} else {
		vt_path_roce(ah, dgid);
		rdma_ah_set_grh(ah, (union ib_gid *)dgid->gid.raw, 0,
				sgid->index, 64, 0);
	}
out:
	if (!IS_ERR(sgid))
		rdma_put_gid_attr(sgid);
	if (!IS_ERR(dgid))
		rdma_put_gid_attr(dgid);
	return err;
}

static int vt_init(struct vt_end *end)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = VT_ACCESS,
	};

	if (end->qp->qp_type == IB_QPT_UC)
		attr.qp_access_flags = IB_ACCESS_REMOTE_WRITE;
	return ib_modify_qp(end->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			    IB_QP_PORT | IB_QP_ACCESS_FLAGS);
}

static int vt_rtr(struct vt_end *end, struct vt_end *peer)
{
	int mask = IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
		   IB_QP_RQ_PSN;
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
	};
	int err;

	err = vt_path(end, peer, &attr.ah_attr);
	if (err)
		return err;
	if (end->qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return ib_modify_qp(end->qp, &attr, mask);
}

static int vt_rts(struct vt_end *end)
{
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		/* 1 ms of the fabric's clock, which may be much slower than this one. */
		.timeout = 8,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};

	if (end->qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(end->qp, &attr, mask);
}

static int vt_open(struct vt_end *end, enum ib_qp_type type)
{
	struct ib_qp_init_attr init = {
		.cap = {
			.max_send_wr = VT_QUEUE,
			.max_recv_wr = VT_QUEUE,
			.max_send_sge = 2,
			.max_recv_sge = 2,
		},
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = type,
	};

	end->pd = ib_alloc_pd(end->dev, 0);
	end->other_pd = ib_alloc_pd(end->dev, 0);
	/* its entries are counted: 2 queues */
	end->cq = ib_alloc_cq(end->dev, NULL, 2 * VT_QUEUE, 0, IB_POLL_DIRECT);
	if (IS_ERR(end->pd) || IS_ERR(end->other_pd) || IS_ERR(end->cq))
		return -ENOMEM;
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ib_create_qp(end->pd, &init);
	return PTR_ERR_OR_ZERO(end->qp);
}

static void vt_stop(struct vt_end *end)
{
	if (!IS_ERR_OR_NULL(end->qp))
		ib_destroy_qp(end->qp);
	end->qp = NULL;
}

static void vt_close(struct vt_end *end)
{
	if (!IS_ERR_OR_NULL(end->cq))
		ib_free_cq(end->cq);
	if (!IS_ERR_OR_NULL(end->other_pd))
		ib_dealloc_pd(end->other_pd);
	if (!IS_ERR_OR_NULL(end->pd))
		ib_dealloc_pd(end->pd);
}

/**
 * vt_pair_open() - make two queue pairs and connect them
 * @a: one end, with its device and no more
 * @b: the other
 * @type: IB_QPT_RC or IB_QPT_UC
 *
 * Context: process, may sleep.
 * Return: 0 or an error; vt_pair_close() is needed in any case.
 */
int vt_pair_open(struct vt_end *a, struct vt_end *b, enum ib_qp_type type)
{
	int err;

	err = vt_open(a, type) ?: vt_open(b, type) ?:
	      vt_init(a) ?: vt_init(b) ?: vt_rtr(a, b) ?: vt_rtr(b, a) ?:
	      vt_rts(a) ?: vt_rts(b);
	if (err)
		pr_err("no connection: %d\n", err);
	return err;
}

/**
 * vt_pair_stop() - destroy the queue pairs: no packet reaches memory any more
 * @a: one end
 * @b: the other
 *
 * Context: process, may sleep.
 */
void vt_pair_stop(struct vt_end *a, struct vt_end *b)
{
	vt_stop(a);
	vt_stop(b);
}

/**
 * vt_pair_close() - destroy what else vt_pair_open() made
 * @a: one end
 * @b: the other
 *
 * Context: process, may sleep.
 */
void vt_pair_close(struct vt_end *a, struct vt_end *b)
{
	vt_close(a);
	vt_close(b);
}

/**
 * vt_buffer_alloc() - allocate memory, and a region for it
 * @buf: the buffer
 * @end: whose it is
 * @type: IB_MR_TYPE_MEM_REG: whole pages; IB_MR_TYPE_SG_GAPS: an odd part of each
 * @nents: elements, as many as the list of the region takes
 * @order: log2 of the pages of an element
 *
 * Elements are not contiguous: each page that follows one is left out.
 *
 * Context: process, may sleep.
 * Return: 0 or an error.
 */
int vt_buffer_alloc(struct vt_buffer *buf, struct vt_end *end,
		    enum ib_mr_type type, int nents, int order)
{
	bool gaps = type == IB_MR_TYPE_SG_GAPS;
	struct page *page;
	int i;

	memset(buf, 0, sizeof(*buf));
	buf->end = end;
	buf->order = order;
	sg_init_table(buf->sg, nents);
	buf->mr = ib_alloc_mr(end->pd, type, nents << order);
	if (IS_ERR(buf->mr))
		return PTR_ERR(buf->mr);
	for (i = 0; i < nents; i++) {
		page = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_COMP,
				   order + 1);
		if (!page)
			return -ENOMEM;
		sg_set_page(&buf->sg[i], page,
			    gaps ? 100 + 77 * i : PAGE_SIZE << order,
			    gaps ? 5 + 16 * i : 0);
		buf->nents++;
	}
	return ib_dma_map_sg(end->dev, buf->sg, nents, DMA_BIDIRECTIONAL) ?
	       0 : -ENOMEM;
}

/**
 * vt_buffer_free() - free what vt_buffer_alloc() allocated, also when that failed
 * @buf: the buffer
 *
 * Context: process, may sleep.
 */
void vt_buffer_free(struct vt_buffer *buf)
{
	int i;

	if (!IS_ERR_OR_NULL(buf->mr))
		ib_dereg_mr(buf->mr);
	for (i = 0; i < buf->nents; i++)
		__free_pages(sg_page(&buf->sg[i]), buf->order + 1);
}

/**
 * vt_buffer_fill() - write a pattern
 * @buf: the buffer
 * @seed: of the pattern
 *
 * Context: any.
 */
void vt_buffer_fill(struct vt_buffer *buf, u8 seed)
{
	struct scatterlist *sg;
	u32 n = 0, j;
	int i;

	for_each_sg(buf->sg, sg, buf->nents, i)
		for (j = 0; j < sg->length; j++, n++)
			((u8 *)sg_virt(sg))[j] = seed + n + (n >> 8);
}

/**
 * vt_buffer_is() - is the pattern there?
 * @buf: the buffer
 * @seed: of the pattern
 *
 * Context: any.
 * Return: true if each byte is that of the pattern.
 */
bool vt_buffer_is(struct vt_buffer *buf, u8 seed)
{
	struct scatterlist *sg;
	u32 n = 0, j;
	int i;

	for_each_sg(buf->sg, sg, buf->nents, i)
		for (j = 0; j < sg->length; j++, n++)
			if (((u8 *)sg_virt(sg))[j] != (u8)(seed + n + (n >> 8)))
				return false;
	return true;
}

/**
 * vt_buffer_map() - give the memory of a buffer to its region
 * @buf: the buffer
 *
 * Context: any.
 * Return: 0, or -EINVAL if not all of it was taken.
 */
int vt_buffer_map(struct vt_buffer *buf)
{
	int n = ib_map_mr_sg(buf->mr, buf->sg, buf->nents, NULL, PAGE_SIZE);

	return n == buf->nents ? 0 : -EINVAL;
}

/* What is not refused leaves the pointer to the refused one alone; RDS relies on it. */
static int post_send(struct vt_end *end, const struct ib_send_wr *wr)
{
	const struct ib_send_wr *bad = wr;
	int err = ib_post_send(end->qp, wr, &bad);

	return bad == wr ? err : -EPROTO;
}

static int post_recv(struct vt_end *end, const struct ib_recv_wr *wr)
{
	const struct ib_recv_wr *bad = wr;
	int err = ib_post_recv(end->qp, wr, &bad);

	return bad == wr ? err : -EPROTO;
}

/**
 * vt_register() - post a fast registration
 * @end: whose queue pair
 * @buf: buffer, mapped
 * @key: new key
 * @access: IB_ACCESS_*
 *
 * Context: any.
 * Return: 0 or an error of ib_post_send().
 */
int vt_register(struct vt_end *end, struct vt_buffer *buf, u32 key, int access)
{
	struct ib_reg_wr wr = {
		.wr = { .opcode = IB_WR_REG_MR },
		.mr = buf->mr,
		.key = key,
		.access = access,
	};

	return post_send(end, &wr.wr);
}

/**
 * vt_invalidate() - post a local invalidation
 * @end: whose queue pair
 * @key: key
 * @flags: IB_SEND_*
 *
 * Context: any.
 * Return: 0 or an error of ib_post_send().
 */
int vt_invalidate(struct vt_end *end, u32 key, int flags)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = flags,
		.ex.invalidate_rkey = key,
	};

	return post_send(end, &wr);
}

/**
 * vt_rdma() - post a write or a read
 * @end: whose queue pair
 * @opcode: IB_WR_RDMA_WRITE or IB_WR_RDMA_READ
 * @sge: local memory
 * @addr: remote address
 * @key: R_Key
 *
 * Context: any.
 * Return: 0 or an error of ib_post_send().
 */
int vt_rdma(struct vt_end *end, enum ib_wr_opcode opcode, struct ib_sge *sge,
	    u64 addr, u32 key)
{
	struct ib_rdma_wr wr = {
		.wr = { .opcode = opcode, .sg_list = sge, .num_sge = 1 },
		.remote_addr = addr,
		.rkey = key,
	};

	return post_send(end, &wr.wr);
}

/**
 * vt_send() - post a send
 * @end: whose queue pair
 * @opcode: IB_WR_SEND or IB_WR_SEND_WITH_INV
 * @sge: local memory, or NULL
 * @key: R_Key to be invalidated
 *
 * Context: any.
 * Return: 0 or an error of ib_post_send().
 */
int vt_send(struct vt_end *end, enum ib_wr_opcode opcode, struct ib_sge *sge,
	    u32 key)
{
	struct ib_send_wr wr = {
		.opcode = opcode,
		.sg_list = sge,
		.num_sge = !!sge,
		.ex.invalidate_rkey = key,
	};

	return post_send(end, &wr);
}

/**
 * vt_fetch_add() - post a fetch-and-add of one
 * @end: whose queue pair
 * @sge: local memory
 * @addr: remote address
 * @key: R_Key
 *
 * Context: any.
 * Return: 0 or an error of ib_post_send().
 */
int vt_fetch_add(struct vt_end *end, struct ib_sge *sge, u64 addr, u32 key)
{
	struct ib_atomic_wr wr = {
		.wr = {
			.opcode = IB_WR_ATOMIC_FETCH_AND_ADD,
			.sg_list = sge,
			.num_sge = 1,
		},
		.remote_addr = addr,
		.compare_add = 1,
		.rkey = key,
	};

	return post_send(end, &wr.wr);
}

/**
 * vt_receive() - post a receive
 * @end: whose queue pair
 * @sge: local memory, or NULL
 *
 * Context: any.
 * Return: 0 or an error of ib_post_recv().
 */
int vt_receive(struct vt_end *end, struct ib_sge *sge)
{
	struct ib_recv_wr wr = { .sg_list = sge, .num_sge = !!sge };

	return post_recv(end, &wr);
}

/**
 * vt_wait() - wait for the next completion
 * @end: whose
 * @wc: set to it
 *
 * Context: process, sleeps.
 * Return: 0; -ETIMEDOUT after 10 s.
 */
int vt_wait(struct vt_end *end, struct ib_wc *wc)
{
	int i;

	for (i = 0; i < VT_WAIT_LOOKS; i++) {
		if (ib_poll_cq(end->cq, 1, wc) == 1)
			return 0;
		usleep_range(50, 60);
	}
	return -ETIMEDOUT;
}
