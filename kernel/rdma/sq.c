// SPDX-License-Identifier: GPL-2.0
/*
 * A send queue.
 *
 * Requests are complete in the order in which they were posted. The sequence
 * numbers go on over resets, so that a packet of a former life of the queue pair
 * does not find a request of the present one.
 *
 * DOC: payload
 *
 * A packet of a reliable connection borrows its payload from the memory that its
 * request names, and the receiver copies it once, from there: until the request is
 * complete the program must leave that memory alone. Where the request, or the
 * memory, comes to an end before that, the packets that have left get a copy first
 * (sq_recall()), as they would not come back on a wire either.
 */
#include "rdma/sq.h"

#include <linux/log2.h>
#include <linux/slab.h>

#include "rdma/qp.h"

/**
 * weft_sq_alloc() - make the send queue of a queue pair
 * @qp: the queue pair
 * @cap: what the user wants, within the limits; what it gets
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
	INIT_LIST_HEAD(&sq->lent);
	INIT_LIST_HEAD(&sq->lender);
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

/**
 * weft_sq_get() - refer to a send queue
 * @sq: the queue
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sq_get(struct weft_sq *sq)
{
	sq->refs++;
}

/**
 * weft_sq_put() - refer to it no more
 * @sq: the queue
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sq_put(struct weft_sq *sq)
{
	if (!--sq->refs)
		kvfree_rcu(sq, rcu);
}

/**
 * weft_sq_payload() - find the message of a request
 * @sq: the queue
 * @wqe_idx: number of the request
 * @mem: where the message lies, as far as it returns true
 *
 * Context: any; the fabric's lock is held, and @mem is good as long as that is.
 * Return: whether the request is still there.
 */
bool weft_sq_payload(struct weft_sq *sq, u32 wqe_idx, struct weft_mem *mem)
{
	struct weft_wqe *w = weft_sq_wqe(sq, wqe_idx);

	if (!weft_sq_live(sq, wqe_idx))
		return false;
	*mem = (struct weft_mem){
		.dev = sq->dev,
		.pd = sq->qp->ib.pd,
	};
	if (w->inlined) {
		mem->kbuf = weft_wqe_inline(sq, w);
	} else {
		mem->sge = w->sge;
		mem->num_sge = w->num_sge;
	}
	return true;
}

/**
 * weft_sq_lend() - a packet borrows the payload of a request
 * @sq: the queue
 * @borrow: weft_rpkt.borrow
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sq_lend(struct weft_sq *sq, struct list_head *borrow)
{
	list_add_tail(borrow, &sq->lent);
	if (sq->dev && list_empty(&sq->lender))
		list_add(&sq->lender, &sq->dev->lenders);
}

/* The payload becomes the packet's own. Without memory it is lost. */
static void sq_recall_packet(struct weft_sq *sq, struct weft_rpkt *p)
{
	struct weft_mem from, to = { };
	u32 len = p->len;

	list_del_init(&p->borrow);
	if (!weft_sq_payload(sq, p->wqe_idx, &from) || weft_rpkt_own(p, len))
		return;
	to.kbuf = p->data;
	if (!weft_mem_copy(&to, 0, &from, p->offset, len))
		return;
	kfree(p->data);
	p->data = NULL;
}

/* All that was lent, as far as the requests are still there. */
static void sq_recall(struct weft_sq *sq)
{
	struct weft_rpkt *p, *next;

	list_for_each_entry_safe(p, next, &sq->lent, borrow)
		sq_recall_packet(sq, p);
	list_del_init(&sq->lender);
}

static bool wqe_uses(const struct weft_wqe *w, const struct weft_mr *mr)
{
	u32 i;

	for (i = 0; i < w->num_sge; i++)
		if (w->sge[i].lkey == mr->ib.lkey)
			return true;
	return false;
}

/**
 * weft_sq_recall_mr() - memory of a device goes
 * @dev: the device
 * @mr: the memory, which can still be read
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sq_recall_mr(struct weft_rdma_dev *dev, const struct weft_mr *mr)
{
	struct weft_sq *sq, *next_sq;
	struct weft_rpkt *p, *next;

	list_for_each_entry_safe(sq, next_sq, &dev->lenders, lender) {
		list_for_each_entry_safe(p, next, &sq->lent, borrow)
			if (wqe_uses(weft_sq_wqe(sq, p->wqe_idx), mr))
				sq_recall_packet(sq, p);
		if (list_empty(&sq->lent))
			list_del_init(&sq->lender);
	}
}

/* Packets of the message on the wire, or of what a read brings. */
static u32 sq_packets(const struct weft_qp *qp, const struct weft_wqe *w)
{
	return max(DIV_ROUND_UP(w->len, qp->mtu), 1U);
}

/**
 * weft_sq_commit() - post requests
 * @qp: the queue pair
 * @n: that many, which lie complete in the slots behind the head
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
	default:
		return IB_WC_SEND;
	}
}

/**
 * weft_sq_complete() - the oldest request is over
 * @qp: the queue pair, whose send queue is not empty
 * @status: how it ended; other than IB_WC_SUCCESS, it is always told
 *
 * The slot is free before the completion is seen: who sees it may post.
 *
 * Context: any; the fabric's lock is held. The handler of the completion queue
 * may run.
 */
void weft_sq_complete(struct weft_qp *qp, enum ib_wc_status status)
{
	struct weft_sq *sq = qp->sq;
	struct weft_wqe *w = weft_sq_wqe(sq, sq->tail);
	struct ib_wc wc = {
		.wr_id = w->wr_id,
		.status = status,
		.opcode = sq_opcode(w->opcode),
		.byte_len = w->len,
		.qp = &qp->ib,
		.port_num = 1,
	};
	bool told = qp->sig_all || (w->send_flags & IB_SEND_SIGNALED) ||
		    status != IB_WC_SUCCESS;

	WRITE_ONCE(sq->tail, sq->tail + 1);
	if (told && !weft_cq_push(qp->scq, &wc, status != IB_WC_SUCCESS))
		weft_qp_lost(qp);
}

/* The requester never looks at requests that are over. */
static void sq_skip_all(struct weft_qp *qp)
{
	qp->req.wqe_idx = qp->sq->head;
	qp->req.pkt_idx = 0;
}

/**
 * weft_sq_flush() - end all requests with IB_WC_WR_FLUSH_ERR
 * @qp: the queue pair
 *
 * Context: as weft_sq_complete().
 */
void weft_sq_flush(struct weft_qp *qp)
{
	sq_recall(qp->sq);
	sq_skip_all(qp);
	while (qp->sq->tail != qp->sq->head)
		weft_sq_complete(qp, IB_WC_WR_FLUSH_ERR);
}

/**
 * weft_sq_reset() - forget all requests without a word
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sq_reset(struct weft_qp *qp)
{
	sq_recall(qp->sq);
	sq_skip_all(qp);
	WRITE_ONCE(qp->sq->tail, qp->sq->head);
}
