// SPDX-License-Identifier: GPL-2.0
/*
 * The requester of a queue pair: it handles responses.
 *
 * A response acknowledges all requests before it, but not a read or an atomic
 * whose own response is missing. That response was lost (implied NAK), and the
 * request is retried. Responses with a PSN that is acknowledged already, or was
 * never sent, are ghosts: they are left over from a retransmission or from an
 * earlier connection, and are dropped.
 *
 * Source: InfiniBand Architecture Specification, volume 1, 9.7.5 and 9.9.2.
 */
#include "rdma/requester.h"

#include <linux/log2.h>

#include "rdma/qp.h"

/**
 * weft_requester_complete() - complete the oldest request
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 */
void weft_requester_complete(struct weft_qp *qp)
{
	if (weft_sq_wqe(qp->sq, qp->sq->tail)->rd_atomic)
		qp->req.rd_atomic_outstanding--;
	weft_sq_complete(qp, IB_WC_SUCCESS);
	if (qp->state == IB_QPS_SQD && weft_requester_idle(qp))
		weft_qp_drained(qp);
}

/**
 * weft_requester_complete_local() - complete the oldest requests without packets
 * @qp: the queue pair
 *
 * Nothing acknowledges them: they are complete when they are executed and all before
 * them are complete.
 *
 * Context: fabric's lock held.
 */
void weft_requester_complete_local(struct weft_qp *qp)
{
	const struct weft_sq *sq = qp->sq;

	while (!weft_requester_idle(qp) &&
	       weft_wqe_is_local(weft_sq_wqe(sq, sq->tail)))
		weft_requester_complete(qp);
}

/**
 * weft_requester_fail() - fail the oldest request and the queue pair
 * @qp: the queue pair
 * @status: status of the completion
 *
 * Context: fabric's lock held; not from within the port's arbiter.
 */
void weft_requester_fail(struct weft_qp *qp, enum ib_wc_status status)
{
	weft_requester_stop(qp);
	weft_sq_complete(qp, status);
	weft_qp_send_error(qp);
}

/**
 * weft_requester_progress() - something was acknowledged
 * @qp: the queue pair
 *
 * Context: fabric's lock held; not from within the port's arbiter.
 */
void weft_requester_progress(struct weft_qp *qp)
{
	struct weft_requester *req = &qp->req;

	if (!weft_requester_active(qp))
		return;
	weft_requester_complete_local(qp);
	req->retries_left = qp->attr.retry_cnt;
	req->rnr_retries_left = qp->attr.rnr_retry;
	req->implied_nak = false;
	if (weft_psn_diff(req->una, req->psn) > 0)
		weft_requester_rewind(qp);
	if (req->una == req->high_psn)
		req->deadline = FAB_NEVER;
	else
		weft_requester_arm_timer(qp);
	if (req->local_error && req->error_idx == qp->sq->tail)
		weft_requester_fail(qp, req->local_error);
}

/*
 * Acknowledge all before @psn, which is not below @una. Return: false if the
 * response to a read or an atomic before @psn is missing.
 */
static bool requester_acknowledge(struct weft_qp *qp, u32 psn)
{
	struct weft_requester *req = &qp->req;
	u32 una = req->una;
	struct weft_wqe *w;
	u32 end;

	while (req->una != psn && !weft_requester_idle(qp)) {
		w = weft_sq_wqe(qp->sq, qp->sq->tail);
		if (w->rd_atomic)
			break;
		end = (w->first_psn + w->packets) & WEFT_PSN_MASK;
		if (weft_psn_diff(psn, end) < 0) {
			req->una = psn;
			break;
		}
		req->una = end;
		weft_requester_complete(qp);
	}
	if (req->una != una)
		weft_requester_progress(qp);
	return req->una == psn;
}

/* A response is missing: retry its request, once. */
static void requester_on_implied_nak(struct weft_qp *qp)
{
	if (qp->req.implied_nak || !weft_requester_active(qp))
		return;
	qp->req.implied_nak = true;
	weft_requester_retry(qp);
}

/**
 * weft_requester_nak_status() - why a request was refused
 * @qp: the queue pair
 * @code: WEFT_NAK_*, but not a sequence error
 *
 * Context: fabric's lock held.
 * Return: the status of its completion.
 */
enum ib_wc_status weft_requester_nak_status(struct weft_qp *qp, u8 code)
{
	switch (code) {
	case WEFT_NAK_INVALID:
		weft_rdma_count(qp->dev, nak_invalid, 1);
		return IB_WC_REM_INV_REQ_ERR;
	case WEFT_NAK_ACCESS:
		weft_rdma_count(qp->dev, nak_access, 1);
		return IB_WC_REM_ACCESS_ERR;
	default:
		return IB_WC_REM_OP_ERR;
	}
}

/* The request at @una was refused, or the responder is not ready for it. */
static void requester_nak(struct weft_qp *qp, const struct weft_rpkt *p)
{
	u8 code = p->syndrome & WEFT_AETH_CODE;

	if ((p->syndrome & WEFT_AETH_KIND) == WEFT_AETH_RNR) {
		weft_rdma_count(qp->dev, rnr_nak, 1);
		weft_requester_rnr_nak(qp, code);
	} else if (code == WEFT_NAK_SEQUENCE) {
		weft_rdma_count(qp->dev, nak_sequence, 1);
		weft_requester_retry(qp);
	} else {
		weft_requester_fail(qp, weft_requester_nak_status(qp, code));
	}
}

static void requester_aeth(struct weft_qp *qp, const struct weft_rpkt *p)
{
	bool ack = !(p->syndrome & WEFT_AETH_KIND), all;
	u32 una = qp->req.una;

	all = requester_acknowledge(qp, (p->psn + ack) & WEFT_PSN_MASK);
	weft_cc_acked(qp, p, (qp->req.una - una) & WEFT_PSN_MASK);
	if (!all)
		requester_on_implied_nak(qp);
	else if (!ack && weft_requester_active(qp))
		requester_nak(qp, p);
}

/* Copy data of a response to the memory of its request. */
static enum ib_wc_status requester_copy_response(struct weft_qp *qp,
						 u32 wqe_idx, u32 offset,
						 void *data, u32 len)
{
	const struct weft_mem *to, from = { .kbuf = data };

	if (!len)
		return IB_WC_SUCCESS;
	to = weft_sq_payload(qp->sq, wqe_idx);
	if (!to || weft_mem_copy(to, offset, &from, 0, len))
		return IB_WC_LOC_PROT_ERR;
	return IB_WC_SUCCESS;
}

static enum ib_wc_status requester_read_response(struct weft_qp *qp, u32 wqe_idx,
						 const struct weft_rpkt *p)
{
	const struct weft_wqe *w = weft_sq_wqe(qp->sq, wqe_idx);
	u32 packet = (p->psn - w->first_psn) & WEFT_PSN_MASK;
	u32 offset = packet << ilog2(qp->mtu);

	if (w->opcode != IB_WR_RDMA_READ || packet >= w->packets ||
	    p->len != min(w->len - offset, qp->mtu))
		return IB_WC_BAD_RESP_ERR;
	return requester_copy_response(qp, wqe_idx, offset, p->data, p->len);
}

static enum ib_wc_status requester_atomic_response(struct weft_qp *qp,
						   u32 wqe_idx,
						   const struct weft_rpkt *p)
{
	const struct weft_wqe *w = weft_sq_wqe(qp->sq, wqe_idx);
	u64 old = p->compare;

	if (w->opcode != IB_WR_ATOMIC_CMP_AND_SWP &&
	    w->opcode != IB_WR_ATOMIC_FETCH_AND_ADD)
		return IB_WC_BAD_RESP_ERR;
	return requester_copy_response(qp, wqe_idx, 0, &old, sizeof(old));
}

/**
 * weft_requester_place() - copy the data of a response to its place
 * @qp: the queue pair
 * @wqe_idx: index of the WQE that it belongs to
 * @p: the response
 *
 * Context: fabric's lock held.
 * Return: IB_WC_SUCCESS, or the status that the request fails with.
 */
enum ib_wc_status weft_requester_place(struct weft_qp *qp, u32 wqe_idx,
				       const struct weft_rpkt *p)
{
	return p->opcode == IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE ?
	       requester_atomic_response(qp, wqe_idx, p) :
	       requester_read_response(qp, wqe_idx, p);
}

/* A response with data, to a read or an atomic. */
static void requester_response(struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct weft_requester *req = &qp->req;
	enum ib_wc_status status;
	struct weft_wqe *w;

	if (!requester_acknowledge(qp, p->psn)) {
		requester_on_implied_nak(qp);
		return;
	}
	if (!weft_requester_active(qp) || weft_requester_idle(qp))
		return;
	w = weft_sq_wqe(qp->sq, qp->sq->tail);
	status = weft_requester_place(qp, qp->sq->tail, p);
	if (status) {
		weft_requester_fail(qp, status);
		return;
	}
	req->una = (p->psn + 1) & WEFT_PSN_MASK;
	if (req->una == ((w->first_psn + w->packets) & WEFT_PSN_MASK))
		weft_requester_complete(qp);
	weft_requester_progress(qp);
}

static void requester_receive_strict(struct weft_qp *qp,
				     const struct weft_rpkt *p)
{
	const struct weft_requester *req = &qp->req;

	if (!weft_requester_active(qp) ||
	    weft_psn_diff(p->psn, req->una) < 0 ||
	    weft_psn_diff(p->psn, req->high_psn) >= 0)
		return;
	if (p->opcode == IB_OPCODE_RC_ACKNOWLEDGE)
		requester_aeth(qp, p);
	else
		requester_response(qp, p);
	if (weft_requester_ready(qp))
		weft_port_schedule(qp, 0);
}

/**
 * weft_requester_receive() - handle a response or an acknowledgement
 * @qp: the queue pair
 * @p: the packet, which stays the caller's
 *
 * Context: fabric's lock held.
 */
void weft_requester_receive(struct weft_qp *qp, struct weft_rpkt *p)
{
	if (qp->window)
		weft_repeat_receive(qp, p);
	else
		requester_receive_strict(qp, p);
}
