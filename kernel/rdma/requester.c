// SPDX-License-Identifier: GPL-2.0
/*
 * The requester of a queue pair: it makes packets of requests.
 *
 * DOC: theory of operation
 *
 * Three cursors move over the send queue. The tail, in sq.h, is the oldest
 * request that is not complete. @new_idx is the first request that was never
 * started. It has no PSNs yet. Fences, outstanding reads and the state of the
 * queue pair decide whether it may start. @wqe_idx and @pkt_idx are the packet
 * that is sent next. For a retransmission they go back to @una, and then forward
 * again over requests that have their PSNs.
 *
 * Requests complete in order, so @una, the oldest unacknowledged packet, is always
 * in the request at the tail. A read has a PSN for each packet of its response, so
 * @una also says how much of the response came. A retry of a read requests only
 * the rest.
 *
 * A request that sends nothing, a fast registration or a local invalidation, takes
 * no PSN. It is executed once, when the cursor reaches it the first time, in no time.
 * It is complete when those before it are.
 *
 * A request with bad memory fails when it is the oldest, after those before it are
 * complete. An event does this, and also waits when there is no memory for a
 * packet, because the port's arbiter, which asks for packets, must not see the
 * queue pair change meanwhile.
 *
 * Source: InfiniBand Architecture Specification, volume 1, 9.7 and 9.8. Not
 * modelled: end-to-end credits, automatic path migration.
 */
#include "rdma/requester.h"

#include <linux/log2.h>

#include "rdma/qp.h"

/* Outstanding packets: with half of the PSNs, new ones would compare as old. */
#define REQUESTER_WINDOW	BIT(22)
/* Wait when there is no memory for a packet, or none to read from, ps. */
#define REQUESTER_MEMORY_WAIT	(10000 * FAB_PS_PER_NS)

static u32 requester_outstanding(const struct weft_requester *req)
{
	return (req->psn - req->una) & WEFT_PSN_MASK;
}

/* PSNs that the next packet takes; a read takes those of its response. */
static u32 requester_psn_count(const struct weft_requester *req,
			       const struct weft_wqe *w)
{
	return w->rd_atomic ? w->packets - req->pkt_idx : 1;
}

static bool requester_is_new(const struct weft_requester *req)
{
	return (s32)(req->wqe_idx - req->new_idx) >= 0;
}

/* A request with a local error fails when it is the oldest. */
static void requester_fail_if_oldest(struct weft_qp *qp)
{
	struct weft_requester *req = &qp->req;

	if (req->local_error && req->error_idx == qp->sq->tail)
		fab_event_move(&weft_rdma_fab(qp->dev)->events, &req->deferred,
			       weft_rdma_fab(qp->dev)->now);
}

static void requester_on_deferred(struct fab *fab, struct fab_event *ev)
{
	struct weft_qp *qp = container_of(ev, struct weft_qp, req.deferred);

	if (!qp->req.local_error)
		weft_port_schedule(qp, 0);
	else if (qp->req.error_idx == qp->sq->tail)
		weft_requester_fail(qp, qp->req.local_error);
}

/**
 * weft_requester_init() - initialise the requester of a new queue pair
 * @qp: the queue pair
 *
 * Context: any.
 */
void weft_requester_init(struct weft_qp *qp)
{
	qp->req.deadline = FAB_NEVER;
	fab_event_init(&qp->req.timer, weft_requester_on_timer);
	fab_event_init(&qp->req.deferred, requester_on_deferred);
}

/**
 * weft_requester_reset() - reset the requester to the attributes
 * @qp: the queue pair, with an empty send queue, on its way to RTS
 *
 * Context: fabric's lock held.
 */
void weft_requester_reset(struct weft_qp *qp)
{
	struct weft_requester *req = &qp->req;

	weft_requester_stop(qp);
	req->psn = qp->attr.sq_psn & WEFT_PSN_MASK;
	req->high_psn = req->psn;
	req->una = req->psn;
	req->wqe_idx = qp->sq->head;
	req->new_idx = req->wqe_idx;
	req->pkt_idx = 0;
	req->since_ack_req = 0;
	req->rd_atomic_outstanding = 0;
	req->retries_left = qp->attr.retry_cnt;
	req->rnr_retries_left = qp->attr.rnr_retry;
	req->implied_nak = false;
	req->mem_checked = false;
	if (qp->window)
		weft_repeat_reset(qp);
}

/**
 * weft_requester_stop() - cancel events
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 */
void weft_requester_stop(struct weft_qp *qp)
{
	struct fab *fab = weft_rdma_fab(qp->dev);

	qp->req.deadline = FAB_NEVER;
	fab_event_cancel(&fab->events, &qp->req.timer);
	fab_event_cancel(&fab->events, &qp->req.deferred);
	qp->req.rnr_wait = false;
	qp->req.local_error = IB_WC_SUCCESS;
	if (qp->window)
		weft_repeat_stop(qp);
}

static bool requester_may_start(const struct weft_qp *qp,
				const struct weft_wqe *w)
{
	const struct weft_requester *req = &qp->req;

	if (qp->state != IB_QPS_RTS)
		return false;
	if (!req->rd_atomic_outstanding)
		return true;
	if (w->send_flags & IB_SEND_FENCE)
		return false;
	return !w->rd_atomic ||
	       req->rd_atomic_outstanding < qp->attr.max_rd_atomic;
}

/* With a window: is there a packet to be repeated? Set @psn and the index of its WQE. */
static bool requester_repeats(const struct weft_qp *qp, u32 *psn, u32 *wqe_idx)
{
	const struct weft_requester *req = &qp->req;

	if (req->rnr_wait || !weft_requester_active(qp))
		return false;
	*psn = weft_repeat_first(qp, wqe_idx);
	return *psn <= WEFT_PSN_MASK &&
	       !(req->local_error && req->error_idx == *wqe_idx);
}

static noinline bool requester_has_repeat(const struct weft_qp *qp)
{
	u32 psn, wqe_idx;

	return requester_repeats(qp, &psn, &wqe_idx);
}

/* May the request at the cursor send its next packet, or be executed? */
static __always_inline bool requester_has_new(const struct weft_qp *qp)
{
	const struct weft_requester *req = &qp->req;
	const struct weft_wqe *w;

	if (req->rnr_wait || req->local_error || req->wqe_idx == qp->sq->head ||
	    !weft_requester_active(qp))
		return false;
	w = weft_sq_wqe(qp->sq, req->wqe_idx);
	if (requester_is_new(req) && !requester_may_start(qp, w))
		return false;
	if (qp->window && !weft_wqe_is_local(w) && !weft_repeat_has_room(qp))
		return false;
	return (!weft_cc_has_window(qp) || weft_cc_fits(qp)) &&
	       requester_outstanding(req) + requester_psn_count(req, w) <=
	       REQUESTER_WINDOW;
}

/**
 * weft_requester_ready() - is there a packet to send, or a request to execute?
 * @qp: a queue pair, RC or UC
 *
 * Context: fabric's lock held.
 * Return: true if there is.
 */
bool weft_requester_ready(const struct weft_qp *qp)
{
	return requester_has_new(qp) || (qp->window && requester_has_repeat(qp));
}

static void requester_start_wqe(struct weft_qp *qp, struct weft_wqe *w)
{
	struct weft_requester *req = &qp->req;

	w->first_psn = req->psn;
	req->new_idx = req->wqe_idx + 1;
	req->pkt_idx = 0;
	req->mem_checked = false;
	if (w->rd_atomic)
		req->rd_atomic_outstanding++;
	weft_rdma_count(qp->dev, tx_messages, 1);
}

/*
 * Execute the requests that send nothing, up to the first that does. Return: true if
 * there is such a one, and it may go on.
 */
static __always_inline bool requester_execute_local(struct weft_qp *qp)
{
	struct weft_requester *req = &qp->req;
	struct weft_wqe *w;

	while (requester_has_new(qp)) {
		w = weft_sq_wqe(qp->sq, req->wqe_idx);
		if (!weft_wqe_is_local(w))
			return true;
		if (requester_is_new(req)) {
			req->local_error = weft_fast_reg_execute(qp, w);
			if (req->local_error) {
				req->error_idx = req->wqe_idx;
				requester_fail_if_oldest(qp);
				return false;
			}
			w->first_psn = req->psn;
			req->new_idx = req->wqe_idx + 1;
		}
		req->wqe_idx++;
		weft_requester_complete_local(qp);
	}
	return false;
}

/* Check the memory of the request, once for all of its packets. */
static enum ib_wc_status requester_check_memory(struct weft_qp *qp,
						const struct weft_wqe *w)
{
	struct weft_requester *req = &qp->req;

	if (req->mem_checked)
		return IB_WC_SUCCESS;
	if (w->rd_atomic && !qp->attr.max_rd_atomic)
		return IB_WC_LOC_QP_OP_ERR;
	if (weft_mem_check(&w->mem, w->len))
		return IB_WC_LOC_PROT_ERR;
	req->mem_checked = true;
	return IB_WC_SUCCESS;
}

static bool wqe_has_imm(const struct weft_wqe *w)
{
	return w->opcode == IB_WR_SEND_WITH_IMM ||
	       w->opcode == IB_WR_RDMA_WRITE_WITH_IMM;
}

static bool wqe_is_write(const struct weft_wqe *w)
{
	return w->opcode == IB_WR_RDMA_WRITE ||
	       w->opcode == IB_WR_RDMA_WRITE_WITH_IMM;
}

/*
 * Opcodes of an operation are consecutive: first, middle, last, last with
 * immediate, only, only with immediate.
 */
static u8 requester_opcode(const struct weft_wqe *w, bool first, bool last)
{
	u8 op = wqe_is_write(w) ? IB_OPCODE_RDMA_WRITE_FIRST :
				  IB_OPCODE_SEND_FIRST;

	if (!last)
		return first ? op : op + 1;
	if (w->opcode == IB_WR_SEND_WITH_INV)
		return first ? IB_OPCODE_SEND_ONLY_WITH_INVALIDATE :
			       IB_OPCODE_SEND_LAST_WITH_INVALIDATE;
	return op + (first ? 4 : 2) + wqe_has_imm(w);
}

/* Payload of a packet of a send or a write. */
static int requester_add_payload(struct weft_qp *qp, struct weft_rpkt *p,
				 u32 offset, u32 len)
{
	p->wqe_idx = qp->req.wqe_idx;
	p->offset = offset;
	p->len = len;
	if (!len)
		return 0;
	if (qp->ib.qp_type == IB_QPT_RC) {
		weft_rpkt_set_wqe(p, qp->sq, p->wqe_idx);
		return 0;
	}
	return weft_rpkt_copy_data(p, &weft_sq_wqe(qp->sq, p->wqe_idx)->mem, offset, len);
}

static int requester_fill_data(struct weft_qp *qp, const struct weft_wqe *w,
			       struct weft_rpkt *p)
{
	u32 offset = qp->req.pkt_idx << ilog2(qp->mtu);
	u32 len = min(w->len - offset, qp->mtu);
	bool last = qp->req.pkt_idx + 1 == w->packets;

	p->opcode |= requester_opcode(w, !qp->req.pkt_idx, last);
	if (wqe_is_write(w) && (qp->window || !qp->req.pkt_idx)) {
		p->va = w->remote_addr + offset;
		p->rkey = w->rkey;
		p->dma_len = w->len - offset;
	}
	if (last) {
		p->imm = w->imm;
		if (w->opcode == IB_WR_SEND_WITH_INV)
			p->rkey = w->rkey;
		if (w->send_flags & IB_SEND_SOLICITED)
			p->flags |= WEFT_RPKT_SOLICITED;
	}
	return requester_add_payload(qp, p, offset, len);
}

static void requester_fill_read(struct weft_qp *qp, const struct weft_wqe *w,
				struct weft_rpkt *p)
{
	u32 offset = qp->req.pkt_idx << ilog2(qp->mtu);

	p->va = w->remote_addr + offset;
	p->rkey = w->rkey;
	p->dma_len = w->len - offset;
	p->opcode |= IB_OPCODE_RDMA_READ_REQUEST;
}

static void requester_fill_atomic(const struct weft_wqe *w, struct weft_rpkt *p)
{
	p->va = w->remote_addr;
	p->rkey = w->rkey;
	p->compare = w->compare;
	p->swap = w->swap;
	p->opcode |= w->opcode == IB_WR_ATOMIC_CMP_AND_SWP ?
		     IB_OPCODE_COMPARE_SWAP : IB_OPCODE_FETCH_ADD;
}

/* Set AckReq in the last packet of a request, and in each ack_every-th packet. */
static void requester_set_ack_req(struct weft_qp *qp, struct weft_rpkt *p,
				  bool last)
{
	u32 every = weft_rdma_params(qp->dev)->ack_every;
	struct weft_requester *req = &qp->req;

	req->since_ack_req++;
	if (!last && (!every || req->since_ack_req < every) &&
	    !weft_cc_has_window(qp) && !(qp->window && weft_repeat_wants_ack(qp)))
		return;
	req->since_ack_req = 0;
	p->flags |= WEFT_RPKT_ACK_REQ;
}

static struct weft_rpkt *requester_build(struct weft_qp *qp,
					 const struct weft_wqe *w)
{
	bool rc = qp->ib.qp_type == IB_QPT_RC;
	struct weft_requester *req = &qp->req;
	struct weft_rpkt *p;
	int err = 0;

	p = weft_rpkt_alloc(rc ? IB_OPCODE_RC : IB_OPCODE_UC);
	if (!p)
		return NULL;
	p->psn = req->psn;
	p->pkey = qp->pkey;
	if (qp->window)
		p->flags |= WEFT_RPKT_ANY;
	if (!w->rd_atomic)
		err = requester_fill_data(qp, w, p);
	else if (w->opcode == IB_WR_RDMA_READ)
		requester_fill_read(qp, w, p);
	else
		requester_fill_atomic(w, p);
	if (err) {
		weft_rpkt_free(p);
		return NULL;
	}
	if (rc)
		requester_set_ack_req(qp, p, w->rd_atomic ||
				      req->pkt_idx + 1 == w->packets);
	if (weft_psn_diff(p->psn, req->high_psn) < 0)
		p->flags |= WEFT_RPKT_RESENT;
	weft_rpkt_address(qp->dev, p, &qp->path, qp->ib.qp_num,
			  qp->attr.dest_qp_num);
	return p;
}

/* Go on behind a packet that is on its way. */
static __always_inline void requester_advance(struct weft_qp *qp, const struct weft_wqe *w,
					      const struct weft_rpkt *p)
{
	struct weft_requester *req = &qp->req;
	u32 packets = requester_psn_count(req, w);

	req->psn = (req->psn + packets) & WEFT_PSN_MASK;
	req->pkt_idx += packets;
	if (req->pkt_idx == w->packets) {
		req->wqe_idx++;
		req->pkt_idx = 0;
		req->mem_checked = false;
	}
	if (weft_psn_diff(req->psn, req->high_psn) > 0)
		req->high_psn = req->psn;
	if (qp->ib.qp_type == IB_QPT_UC)
		req->una = req->psn;
	if (qp->window)
		weft_repeat_taken(qp, p);
	if (p->flags & WEFT_RPKT_RESENT)
		weft_rdma_count(qp->dev, retransmitted, 1);
}

/* The packet at the cursor; NULL: not now. */
static struct weft_rpkt *requester_make(struct weft_qp *qp,
					const struct weft_wqe *w)
{
	struct fab *fab = weft_rdma_fab(qp->dev);
	struct weft_requester *req = &qp->req;
	enum ib_wc_status error;
	struct weft_rpkt *p;

	error = requester_check_memory(qp, w);
	if (error) {
		req->local_error = error;
		req->error_idx = req->wqe_idx;
		requester_fail_if_oldest(qp);
		return NULL;
	}
	p = requester_build(qp, w);
	if (!p) {
		req->mem_checked = false;	/* perhaps its memory is bad now */
		fab_event_move(&fab->events, &req->deferred,
			       fab->now + REQUESTER_MEMORY_WAIT);
	}
	return p;
}

static __always_inline struct weft_rpkt *requester_next_new(struct weft_qp *qp)
{
	struct weft_requester *req = &qp->req;
	struct weft_rpkt *p;
	struct weft_wqe *w;

	if (!requester_execute_local(qp))
		return NULL;
	w = weft_sq_wqe(qp->sq, req->wqe_idx);
	if (requester_is_new(req))
		requester_start_wqe(qp, w);
	p = requester_make(qp, w);
	if (p)
		requester_advance(qp, w, p);
	return p;
}

/* Where packets may come in any order: one more time; the cursor stays. */
static struct weft_rpkt *requester_next_again(struct weft_qp *qp, u32 psn,
					      u32 wqe_idx)
{
	const struct weft_wqe *w = weft_sq_wqe(qp->sq, wqe_idx);
	struct weft_requester *req = &qp->req;
	u32 new_psn = req->psn, new_wqe = req->wqe_idx, new_pkt = req->pkt_idx;
	bool checked = req->mem_checked;
	struct weft_rpkt *p;
	u32 packets;

	req->psn = psn;
	req->wqe_idx = wqe_idx;
	req->pkt_idx = (psn - w->first_psn) & WEFT_PSN_MASK;
	req->mem_checked = false;
	p = requester_make(qp, w);
	req->psn = new_psn;
	req->wqe_idx = new_wqe;
	req->pkt_idx = new_pkt;
	req->mem_checked = checked;
	if (!p)
		return NULL;
	packets = weft_repeat_again(qp, w, psn);
	if (w->opcode == IB_WR_RDMA_READ)
		p->dma_len = min_t(u64, p->dma_len, (u64)packets * qp->mtu);
	weft_rdma_count(qp->dev, retransmitted, 1);
	return p;
}

/* Where packets may come in any order: one more time, or the next new one. */
static noinline struct weft_rpkt *requester_next_any(struct weft_qp *qp)
{
	u32 psn, wqe_idx;

	return requester_repeats(qp, &psn, &wqe_idx) ?
	       requester_next_again(qp, psn, wqe_idx) : requester_next_new(qp);
}

/**
 * weft_requester_next_packet() - make the packet that is sent next
 * @qp: a queue pair, RC or UC
 *
 * Context: fabric's lock held, the NIC is there.
 * Return: a packet, the caller's; NULL if there is none for now.
 */
struct weft_rpkt *weft_requester_next_packet(struct weft_qp *qp)
{
	struct weft_rpkt *p;

	p = qp->window ? requester_next_any(qp) : requester_next_new(qp);
	if (p && qp->ib.qp_type == IB_QPT_RC && qp->req.deadline == FAB_NEVER)
		weft_requester_arm_timer(qp);
	return p;
}

static bool opcode_is_last(u8 opcode)
{
	switch (opcode & ~IB_OPCODE_UC) {
	case IB_OPCODE_SEND_FIRST:
	case IB_OPCODE_SEND_MIDDLE:
	case IB_OPCODE_RDMA_WRITE_FIRST:
	case IB_OPCODE_RDMA_WRITE_MIDDLE:
		return false;
	default:
		return true;
	}
}

/**
 * weft_requester_sent() - a packet starts on the wire
 * @qp: the queue pair that sent it, RC or UC
 * @p: the packet
 *
 * RC: the acknowledgement timeout starts. UC: a request is complete when its last
 * packet, or one of a later request, is sent.
 *
 * Context: fabric's lock held, within a callback of the model.
 */
void weft_requester_sent(struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct weft_requester *req = &qp->req;

	if (!weft_requester_active(qp))
		return;
	if (qp->window)
		weft_repeat_sent(qp, p);
	if (qp->ib.qp_type == IB_QPT_RC) {
		if (p->psn == req->una && req->una != req->high_psn)
			weft_requester_arm_timer(qp);
		return;
	}
	if (!opcode_is_last(p->opcode))
		return;
	while ((s32)(p->wqe_idx - qp->sq->tail) >= 0 && !weft_requester_idle(qp))
		weft_requester_complete(qp);
	weft_requester_complete_local(qp);
	requester_fail_if_oldest(qp);
}
