// SPDX-License-Identifier: GPL-2.0
/*
 * The responder of a queue pair: it takes requests in the order of PSNs.
 *
 * DOC: theory of operation
 *
 * RC: a request with the expected PSN is executed. A duplicate is answered again,
 * but not executed again. A request behind a gap is dropped, and one NAK reports
 * the gap until the missing packet comes. A request that can never be executed
 * fails the queue pair: the NAK is sent behind the responses to earlier requests,
 * then the state changes.
 *
 * RC where packets may come in any order: hold.c.
 *
 * UC: a gap silently ends the message that it is in. The next first packet starts
 * a message, whatever its PSN is.
 *
 * Source: InfiniBand Architecture Specification, volume 1, 9.7.4, 9.7.5, 9.8.
 */
#include "rdma/responder.h"

#include "rdma/qp.h"

/**
 * weft_responder_init() - initialise the responder of a new queue pair
 * @qp: the queue pair
 *
 * Context: any.
 */
void weft_responder_init(struct weft_qp *qp)
{
	fab_event_init(&qp->resp.deferred, weft_responder_on_deferred);
}

/**
 * weft_responder_reset() - reset the responder to the attributes
 * @qp: the queue pair, on its way to RTR
 *
 * Context: fabric's lock held.
 */
void weft_responder_reset(struct weft_qp *qp)
{
	struct weft_responder *resp = &qp->resp;

	weft_responder_stop(qp);
	resp->epsn = qp->attr.rq_psn & WEFT_PSN_MASK;
	resp->msn = 0;
	resp->nak_sent = false;
	resp->in_message = false;
	resp->failed = false;
	if (qp->window)
		weft_hold_reset(qp);
	memset(resp->res, 0, sizeof(resp->res));
}

/**
 * weft_responder_stop() - cancel events and responses
 * @qp: the queue pair
 *
 * The receive WQE in use is flushed.
 *
 * Context: fabric's lock held.
 */
void weft_responder_stop(struct weft_qp *qp)
{
	struct weft_responder *resp = &qp->resp;
	struct ib_wc wc = {
		.wr_id = resp->recv.w.wr_id,
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qp = &qp->ib,
		.port_num = 1,
	};

	fab_event_cancel(&weft_rdma_fab(qp->dev)->events, &resp->deferred);
	resp->res_next = resp->res_head;
	resp->ack_deferred = false;
	if (qp->window)
		weft_hold_stop(qp);
	if (resp->queued_ack)
		weft_rpkt_clear_slot(resp->queued_ack);
	if (!resp->recv_valid)
		return;
	resp->recv_valid = false;
	weft_cq_push(qp->rcq, &wc, true);
}

static __always_inline enum weft_resp_result
responder_execute(struct weft_qp *qp, const struct weft_rpkt *p)
{
	enum weft_resp_result result;

	switch (p->opcode) {
	case IB_OPCODE_RC_RDMA_READ_REQUEST:
		return weft_responder_read(qp, p);
	case IB_OPCODE_RC_COMPARE_SWAP:
	case IB_OPCODE_RC_FETCH_ADD:
		return weft_responder_atomic(qp, p);
	}
	result = weft_responder_execute(qp, p);
	if (result)
		return result;
	qp->resp.epsn = (p->psn + 1) & WEFT_PSN_MASK;
	if (p->flags & WEFT_RPKT_ACK_REQ)
		weft_responder_send_ack(qp, WEFT_AETH_ACK, p->psn);
	return WEFT_RESP_OK;
}

static void responder_rnr_nak(struct weft_qp *qp, u32 psn)
{
	weft_rdma_count(qp->dev, rnr_sent, 1);
	qp->resp.nak_sent = true;
	weft_responder_send_ack(qp, WEFT_AETH_RNR | qp->attr.min_rnr_timer, psn);
}

/* A packet was not executed. */
static noinline void responder_refuse(struct weft_qp *qp, const struct weft_rpkt *p,
				      enum weft_resp_result result)
{
	switch (result) {
	case WEFT_RESP_OK:
		break;
	case WEFT_RESP_LOST:
		weft_rdma_count(qp->dev, no_reference, 1);
		break;
	case WEFT_RESP_RNR:
		responder_rnr_nak(qp, p->psn);
		break;
	case WEFT_RESP_INVALID_REQ:
		weft_responder_fail(qp, WEFT_NAK_INVALID,
				    IB_EVENT_QP_REQ_ERR, p->psn);
		break;
	case WEFT_RESP_LENGTH_ERR:
		weft_responder_fail(qp, WEFT_NAK_INVALID, 0, p->psn);
		break;
	case WEFT_RESP_ACCESS_ERR:
		weft_responder_fail(qp, WEFT_NAK_ACCESS,
				    IB_EVENT_QP_ACCESS_ERR, p->psn);
		break;
	case WEFT_RESP_OP_ERR:
		weft_responder_fail(qp, WEFT_NAK_OPERATION, 0, p->psn);
		break;
	}
}

static __always_inline void responder_take(struct weft_qp *qp, const struct weft_rpkt *p)
{
	enum weft_resp_result result;

	qp->resp.nak_sent = false;
	result = responder_execute(qp, p);
	if (unlikely(result))
		responder_refuse(qp, p, result);
}

/**
 * weft_responder_take() - execute a packet, and answer it
 * @qp: the queue pair, RC
 * @p: the packet, with the expected PSN
 *
 * Context: fabric's lock held.
 */
void weft_responder_take(struct weft_qp *qp, const struct weft_rpkt *p)
{
	responder_take(qp, p);
}

static void responder_out_of_sequence(struct weft_qp *qp)
{
	struct weft_responder *resp = &qp->resp;

	weft_rdma_count(qp->dev, out_of_sequence, 1);
	if (resp->nak_sent)
		return;
	resp->nak_sent = true;
	weft_responder_send_ack(qp, WEFT_AETH_NAK | WEFT_NAK_SEQUENCE, resp->epsn);
}

/* A UC message is dropped before its end. */
static void responder_drop_message(struct weft_qp *qp,
				   enum weft_resp_result result)
{
	qp->resp.in_message = false;
	switch (result) {
	case WEFT_RESP_LOST:
		weft_rdma_count(qp->dev, no_reference, 1);
		break;
	case WEFT_RESP_RNR:
		weft_rdma_count(qp->dev, no_receive, 1);
		break;
	case WEFT_RESP_ACCESS_ERR:
		weft_rdma_count(qp->dev, access_errors, 1);
		break;
	case WEFT_RESP_INVALID_REQ:
		weft_rdma_count(qp->dev, request_errors, 1);
		break;
	default:
		weft_responder_fail(qp, WEFT_NAK_INVALID, 0, 0);
	}
}

static void responder_receive_uc(struct weft_qp *qp, const struct weft_rpkt *p)
{
	bool begins = weft_opcode_is_first(p->opcode);
	struct weft_responder *resp = &qp->resp;
	enum weft_resp_result result;

	if (p->psn != resp->epsn) {
		weft_rdma_count(qp->dev, out_of_sequence, 1);
		resp->in_message = false;
	}
	resp->epsn = (p->psn + 1) & WEFT_PSN_MASK;
	if (begins)
		resp->in_message = false;
	else if (!resp->in_message)
		return;		/* the rest of a message with a gap */
	result = weft_responder_execute(qp, p);
	if (result)
		responder_drop_message(qp, result);
}

static void responder_receive_strict(struct weft_qp *qp,
				     const struct weft_rpkt *p)
{
	s32 ahead = weft_psn_diff(p->psn, qp->resp.epsn);

	if (ahead > 0) {
		responder_out_of_sequence(qp);
	} else if (ahead < 0) {
		weft_responder_duplicate(qp, p);
	} else {
		weft_cc_note(&qp->cc, p);
		responder_take(qp, p);
	}
}

/**
 * weft_responder_receive() - handle a packet of a request
 * @qp: the queue pair, RC or UC, from RTR on
 * @p: the packet
 *
 * Context: fabric's lock held.
 * Return: true if the packet is the queue pair's now, false if it stays the
 * caller's.
 */
bool weft_responder_receive(struct weft_qp *qp, struct weft_rpkt *p)
{
	if (qp->resp.failed)
		return false;
	if (qp->ib.qp_type == IB_QPT_UC) {
		responder_receive_uc(qp, p);
		return false;
	}
	if (!(p->flags & WEFT_RPKT_ANY) != !qp->window) {
		weft_responder_fail(qp, WEFT_NAK_INVALID, IB_EVENT_QP_REQ_ERR,
				    p->psn);
		return false;
	}
	if (qp->window)
		return weft_hold_receive(qp, p);
	responder_receive_strict(qp, p);
	return false;
}
