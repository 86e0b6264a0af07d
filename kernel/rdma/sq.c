// SPDX-License-Identifier: GPL-2.0
/*
 * A send queue.
 *
 * Requests are complete in the order in which they were posted. The sequence
 * numbers go on over resets, so that a packet of a former life of the queue pair
 * does not find a request of the present one.
 */
#include "sq.h"

#include <linux/log2.h>
#include <linux/slab.h>

#include "qp.h"

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
 * @seq: number of the request
 * @mem: where the message lies, as far as it returns true
 *
 * Context: any; the fabric's lock is held, and @mem is good as long as that is.
 * Return: whether the request is still there.
 */
bool weft_sq_payload(struct weft_sq *sq, u32 seq, struct weft_mem *mem)
{
	struct weft_wqe *w = weft_sq_wqe(sq, seq);

	if (!weft_sq_live(sq, seq))
		return false;
	*mem = (struct weft_mem){
		.dev = sq->dev,
		.pd = sq->qp->ib.pd,
	};
	if (w->inlined) {
		mem->plain = weft_wqe_inline(sq, w);
	} else {
		mem->sge = w->sge;
		mem->num = w->num;
	}
	return true;
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
	bool told = qp->sig_all || (w->flags & IB_SEND_SIGNALED) ||
		    status != IB_WC_SUCCESS;

	WRITE_ONCE(sq->tail, sq->tail + 1);
	if (told && !weft_cq_push(qp->scq, &wc, status != IB_WC_SUCCESS))
		weft_qp_lost(qp);
}

/* The requester never looks at requests that are over. */
static void sq_forget(struct weft_qp *qp)
{
	qp->req.seq = qp->sq->head;
	qp->req.packet = 0;
}

/**
 * weft_sq_flush() - end all requests with IB_WC_WR_FLUSH_ERR
 * @qp: the queue pair
 *
 * Context: as weft_sq_complete().
 */
void weft_sq_flush(struct weft_qp *qp)
{
	sq_forget(qp);
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
	sq_forget(qp);
	WRITE_ONCE(qp->sq->tail, qp->sq->head);
}
