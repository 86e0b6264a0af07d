// SPDX-License-Identifier: GPL-2.0
/*
 * A send queue.
 *
 * Requests complete in the order in which they were posted. WQE indexes go on
 * after a reset, so a packet from before a reset never finds a WQE from after it.
 *
 * DOC: payload
 *
 * The payload of an RC packet is not copied when it is sent. The receiver copies
 * it once, from the memory that the WQE names. Until the request is complete the
 * program must not change that memory. If the request or the memory region goes
 * earlier, the zero-copy packets that are on their way get a copy first
 * (sq_orphan_all()), because packets on a wire are not lost then either.
 */
#include "rdma/sq.h"

#include <linux/log2.h>
#include <linux/slab.h>

#include "rdma/qp.h"

/**
 * weft_sq_alloc() - allocate the send queue of a queue pair
 * @qp: the queue pair
 * @cap: capabilities, within the limits; set to the granted ones
 *
 * Context: process, may sleep.
 * Return: the queue, with one reference, or NULL without memory.
 */
struct weft_sq *weft_sq_alloc(struct weft_qp *qp, struct ib_qp_cap *cap)
{
	u32 size = roundup_pow_of_two(max(cap->max_send_wr, 1U));
	struct weft_sq *sq;
	u32 stride;

	stride = ALIGN(sizeof(struct weft_wqe) + cap->max_inline_data +
		       cap->max_send_sge * sizeof(struct ib_sge), sizeof(u64));
	sq = kvzalloc(sizeof(*sq) + (size_t)size * stride, GFP_KERNEL_ACCOUNT);
	if (!sq)
		return NULL;
	sq->refs = 1;
	INIT_LIST_HEAD(&sq->zerocopy_node);
	sq->qp = qp;
	sq->dev = qp->dev;
	sq->size = size;
	sq->stride = stride;
	sq->max_sge = cap->max_send_sge;
	sq->max_inline = cap->max_inline_data;
	sq->ring = sq + 1;
	cap->max_send_wr = size;
	return sq;
}

/* Copy the payload into the packet. Without memory the payload is lost. */
static void sq_orphan_packet(struct weft_sq *sq, struct weft_rpkt *p)
{
	const struct weft_mem *from = weft_sq_payload(sq, p->wqe_idx);

	hlist_del_init(&p->zerocopy_node);
	if (from)
		weft_rpkt_copy_data(p, from, p->offset, p->len);
}

/* Copy the payloads of all zero-copy packets whose WQEs are still there. */
static void sq_orphan_all(struct weft_sq *sq)
{
	struct hlist_node *next;
	struct weft_rpkt *p;

	hlist_for_each_entry_safe(p, next, &sq->zerocopy, zerocopy_node)
		sq_orphan_packet(sq, p);
	list_del_init(&sq->zerocopy_node);
}

static bool wqe_uses(const struct weft_wqe *w, const struct weft_mr *mr)
{
	u32 i;

	for (i = 0; i < w->mem.num_sge; i++)
		if (w->sge[i].lkey == mr->key)
			return true;
	return false;
}

/**
 * weft_sq_orphan_mr() - copy payloads out of a memory region that goes
 * @dev: the device
 * @mr: the region, which can still be read
 *
 * There are none if no request has read it by its key.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sq_orphan_mr(struct weft_rdma_dev *dev, struct weft_mr *mr)
{
	struct weft_sq *sq, *next_sq;
	struct hlist_node *next;
	struct weft_rpkt *p;

	if (!mr->gathered)
		return;
	mr->gathered = false;
	list_for_each_entry_safe(sq, next_sq, &dev->zerocopy_sqs, zerocopy_node) {
		hlist_for_each_entry_safe(p, next, &sq->zerocopy, zerocopy_node)
			if (wqe_uses(weft_sq_wqe(sq, p->wqe_idx), mr))
				sq_orphan_packet(sq, p);
		if (hlist_empty(&sq->zerocopy))
			list_del_init(&sq->zerocopy_node);
	}
}

/* Packets of the message, or of the response to a read. */
static u32 sq_packets(const struct weft_qp *qp, const struct weft_wqe *w)
{
	if (w->opcode == IB_WR_REG_MR || w->opcode == IB_WR_LOCAL_INV)
		return 0;
	return max(DIV_ROUND_UP(w->len, qp->mtu), 1U);
}

/**
 * weft_sq_commit() - post the WQEs behind the head
 * @qp: the queue pair
 * @n: how many; they are complete
 *
 * Context: process; the fabric's lock is held.
 */
void weft_sq_commit(struct weft_qp *qp, u32 n)
{
	struct weft_sq *sq = qp->sq;
	struct weft_wqe *w;

	for (; n; n--) {
		w = weft_sq_wqe(sq, sq->head);
		w->posted = weft_rdma_fab(qp->dev)->now;
		w->packets = sq_packets(qp, w);
		WRITE_ONCE(sq->head, sq->head + 1);
	}
}

static enum ib_wc_opcode sq_opcode(enum ib_wr_opcode opcode)
{
	switch (opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return IB_WC_RDMA_WRITE;
	case IB_WR_RDMA_READ:
		return IB_WC_RDMA_READ;
	case IB_WR_ATOMIC_CMP_AND_SWP:
		return IB_WC_COMP_SWAP;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return IB_WC_FETCH_ADD;
	case IB_WR_REG_MR:
		return IB_WC_REG_MR;
	case IB_WR_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	default:
		return IB_WC_SEND;
	}
}

/* Complete a request with a completion. The slot is free before that is visible. */
static noinline void sq_tell(struct weft_qp *qp, const struct weft_wqe *w,
			     enum ib_wc_status status)
{
	struct weft_sq *sq = qp->sq;
	struct ib_wc wc = {
		.wr_id = w->wr_id,
		.status = status,
		.opcode = sq_opcode(w->opcode),
		.byte_len = w->len,
		.qp = &qp->ib,
		.port_num = 1,
	};

	WRITE_ONCE(sq->tail, sq->tail + 1);
	if (!weft_cq_push(qp->scq, &wc, status != IB_WC_SUCCESS))
		weft_qp_cq_overrun(qp);
}

/**
 * weft_sq_complete() - complete the oldest request
 * @qp: the queue pair, whose send queue is not empty
 * @status: its status; an error is signalled always
 *
 * The slot is free before the completion is visible: who sees it may post.
 *
 * Context: any; the fabric's lock is held. The handler of the completion queue
 * may run.
 */
void weft_sq_complete(struct weft_qp *qp, enum ib_wc_status status)
{
	struct weft_sq *sq = qp->sq;
	const struct weft_wqe *w = weft_sq_wqe(sq, sq->tail);

	if (qp->sig_all || (w->send_flags & IB_SEND_SIGNALED) || status != IB_WC_SUCCESS)
		sq_tell(qp, w, status);
	else
		WRITE_ONCE(sq->tail, sq->tail + 1);
}

/* The requester goes on behind the last WQE. */
static void sq_skip_all(struct weft_qp *qp)
{
	qp->req.wqe_idx = qp->sq->head;
	qp->req.pkt_idx = 0;
}

/**
 * weft_sq_flush() - complete all requests with IB_WC_WR_FLUSH_ERR
 * @qp: the queue pair
 *
 * Context: as weft_sq_complete().
 */
void weft_sq_flush(struct weft_qp *qp)
{
	sq_orphan_all(qp->sq);
	sq_skip_all(qp);
	while (qp->sq->tail != qp->sq->head)
		weft_sq_complete(qp, IB_WC_WR_FLUSH_ERR);
}

/**
 * weft_sq_reset() - discard all requests without completions (RESET)
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sq_reset(struct weft_qp *qp)
{
	sq_orphan_all(qp->sq);
	sq_skip_all(qp);
	WRITE_ONCE(qp->sq->tail, qp->sq->head);
}
