// SPDX-License-Identifier: GPL-2.0
/*
 * The responder of a queue pair: requests are taken in order.
 *
 * DOC: theory of operation
 *
 * RC: a request with the number that is expected is executed; one that came
 * before is answered again, and not executed again; one ahead of a gap is dropped
 * and a NAK asks for the missing one, once until that comes. What cannot be
 * executed for good ends the queue pair: first the NAK goes out, behind the
 * responses to what was asked before it, then the state changes.
 *
 * UC: a gap ends the message that it is in, without a word, and the next first
 * packet begins anew with whatever number it has.
 *
 * Source: InfiniBand Architecture Specification, volume 1, 9.7.4, 9.7.5, 9.8.
 */
#include "rdma/responder.h"

#include "rdma/qp.h"

/**
 * weft_responder_init() - make the responder of a new queue pair
 * @qp: the queue pair
 *
 * Context: any.
 */
void weft_responder_init(struct weft_qp *qp)
{
	fab_event_init(&qp->resp.deferred, weft_responder_late);
}

/**
 * weft_responder_reset() - begin anew, from the attributes
 * @qp: the queue pair, on its way to RTR
 *
 * Context: fabric's lock held.
 */
void weft_responder_reset(struct weft_qp *qp)
{
	struct weft_responder *resp = &qp->resp;

	weft_responder_stop(qp);
	resp->psn = qp->attr.rq_psn & WEFT_PSN_MASK;
	resp->msn = 0;
	resp->nak = false;
	resp->open = false;
	resp->dead = false;
	memset(resp->res, 0, sizeof(resp->res));
}

/**
 * weft_responder_stop() - no more events and responses
 * @qp: the queue pair
 *
 * The receive request in use, if there is one, is flushed.
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
	resp->held = false;
	if (resp->waiting)
		weft_rpkt_leaves(resp->waiting);
	if (!resp->have_recv)
		return;
	resp->have_recv = false;
	weft_cq_push(qp->rcq, &wc, true);
}

static enum weft_verdict responder_perform(struct weft_qp *qp,
					   const struct weft_rpkt *p)
{
	enum weft_verdict verdict;

	switch (p->opcode) {
	case IB_OPCODE_RC_RDMA_READ_REQUEST:
		return weft_responder_read(qp, p);
	case IB_OPCODE_RC_COMPARE_SWAP:
	case IB_OPCODE_RC_FETCH_ADD:
		return weft_responder_atomic(qp, p);
	}
	verdict = weft_responder_execute(qp, p);
	if (verdict)
		return verdict;
	qp->resp.psn = (p->psn + 1) & WEFT_PSN_MASK;
	if (p->flags & WEFT_RPKT_ACK_REQ)
		weft_responder_say(qp, WEFT_AETH_ACK, p->psn);
	return WEFT_DONE;
}

static void responder_not_ready(struct weft_qp *qp, u32 psn)
{
	weft_rdma_count(qp->dev, rnr_sent, 1);
	qp->resp.nak = true;
	weft_responder_say(qp, WEFT_AETH_RNR | qp->attr.min_rnr_timer, psn);
}

static void responder_expected(struct weft_qp *qp, const struct weft_rpkt *p)
{
	qp->resp.nak = false;
	switch (responder_perform(qp, p)) {
	case WEFT_DONE:
		break;
	case WEFT_LOST:
		weft_rdma_count(qp->dev, no_reference, 1);
		break;
	case WEFT_NOT_READY:
		responder_not_ready(qp, p->psn);
		break;
	case WEFT_INVALID:
		weft_responder_refuse(qp, WEFT_NAK_INVALID,
				      IB_EVENT_QP_REQ_ERR, p->psn);
		break;
	case WEFT_FAULT:
		weft_responder_refuse(qp, WEFT_NAK_INVALID, 0, p->psn);
		break;
	case WEFT_ACCESS:
		weft_responder_refuse(qp, WEFT_NAK_ACCESS,
				      IB_EVENT_QP_ACCESS_ERR, p->psn);
		break;
	case WEFT_OPERATION:
		weft_responder_refuse(qp, WEFT_NAK_OPERATION, 0, p->psn);
		break;
	}
}

static void responder_ahead(struct weft_qp *qp)
{
	struct weft_responder *resp = &qp->resp;

	weft_rdma_count(qp->dev, out_of_sequence, 1);
	if (resp->nak)
		return;
	resp->nak = true;
	weft_responder_say(qp, WEFT_AETH_NAK | WEFT_NAK_SEQUENCE, resp->psn);
}

/* A message of UC is over before its end. */
static void responder_drop(struct weft_qp *qp, enum weft_verdict verdict)
{
	qp->resp.open = false;
	switch (verdict) {
	case WEFT_LOST:
		weft_rdma_count(qp->dev, no_reference, 1);
		break;
	case WEFT_NOT_READY:
		weft_rdma_count(qp->dev, no_receive, 1);
		break;
	case WEFT_ACCESS:
		weft_rdma_count(qp->dev, access_errors, 1);
		break;
	case WEFT_INVALID:
		weft_rdma_count(qp->dev, request_errors, 1);
		break;
	default:
		weft_responder_refuse(qp, WEFT_NAK_INVALID, 0, 0);
	}
}

static void responder_unreliable(struct weft_qp *qp, const struct weft_rpkt *p)
{
	bool begins = weft_responder_begins(p->opcode);
	struct weft_responder *resp = &qp->resp;
	enum weft_verdict verdict;

	if (p->psn != resp->psn) {
		weft_rdma_count(qp->dev, out_of_sequence, 1);
		resp->open = false;
	}
	resp->psn = (p->psn + 1) & WEFT_PSN_MASK;
	if (begins)
		resp->open = false;
	else if (!resp->open)
		return;		/* the rest of a message with a gap */
	verdict = weft_responder_execute(qp, p);
	if (verdict)
		responder_drop(qp, verdict);
}

/**
 * weft_responder_receive() - a request came, or a packet of one
 * @qp: the queue pair, RC or UC, from RTR on
 * @p: the packet, which stays the caller's
 *
 * Context: fabric's lock held.
 */
void weft_responder_receive(struct weft_qp *qp, struct weft_rpkt *p)
{
	s32 ahead = weft_psn_diff(p->psn, qp->resp.psn);

	if (qp->resp.dead)
		return;
	if (qp->ib.qp_type == IB_QPT_UC)
		responder_unreliable(qp, p);
	else if (ahead > 0)
		responder_ahead(qp);
	else if (ahead < 0)
		weft_responder_duplicate(qp, p);
	else
		responder_expected(qp, p);
}
