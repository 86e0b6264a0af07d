// SPDX-License-Identifier: GPL-2.0
/*
 * The requester of a queue pair: timeouts and retries.
 *
 * One timer covers the oldest unacknowledged packet. To move it at each
 * acknowledgement, or to cancel it when nothing is outstanding, would cost more than
 * everything else. So only the deadline moves, and the timer looks at it when it expires.
 *
 * Source: InfiniBand Architecture Specification, volume 1, 9.7.6 and 9.9.2. The
 * timeout is exact, 4.096 us times 2 to the power of the attribute, where the
 * specification allows up to four times that.
 */
#include "rdma/requester.h"

#include "rdma/qp.h"

#define RETRY_RNR_FOREVER	7	/* rnr_retry: no limit */

/* Wait by the timer code of an RNR NAK, in units of 10 us. */
static const u16 retry_rnr_time[] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384,
	512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576,
	32768, 49152,
};

static fab_time retry_rnr(u8 code)
{
	u32 units = code ? retry_rnr_time[code] : 65536;

	return units * 10000 * FAB_PS_PER_NS;
}

/**
 * weft_requester_arm_timer() - the acknowledgement timeout begins now
 * @qp: a queue pair with something outstanding
 *
 * Context: fabric's lock held.
 */
void weft_requester_arm_timer(struct weft_qp *qp)
{
	struct fab *fab = weft_rdma_fab(qp->dev);
	struct weft_requester *req = &qp->req;

	if (req->rnr_wait || !qp->attr.timeout)
		return;
	req->deadline = fab->now +
			((4096 * FAB_PS_PER_NS) << qp->attr.timeout);
	if (!fab_event_pending(&req->timer) || req->timer.at > req->deadline)
		fab_event_move(&fab->events, &req->timer, req->deadline);
}

/**
 * weft_requester_rewind() - go back to the oldest unacknowledged packet
 * @qp: the queue pair; nothing happens if it has a window, see repeat.c
 *
 * Context: fabric's lock held.
 */
void weft_requester_rewind(struct weft_qp *qp)
{
	struct weft_requester *req = &qp->req;
	struct weft_sq *sq = qp->sq;

	if (qp->window)
		return;
	req->psn = req->una;
	req->wqe_idx = sq->tail;
	req->pkt_idx = 0;
	if (!weft_requester_idle(qp))
		req->pkt_idx = (req->una - weft_sq_wqe(sq, sq->tail)->first_psn) &
			       WEFT_PSN_MASK;
	req->since_ack_req = 0;
	req->mem_checked = false;
	req->local_error = IB_WC_SUCCESS;
}

/**
 * weft_requester_retry() - retransmit from the oldest packet, or fail
 * @qp: a queue pair with something outstanding
 *
 * Context: fabric's lock held.
 */
void weft_requester_retry(struct weft_qp *qp)
{
	struct weft_requester *req = &qp->req;

	if (!req->retries_left) {
		weft_requester_fail(qp, IB_WC_RETRY_EXC_ERR);
		return;
	}
	req->retries_left--;
	weft_cc_lost(qp);
	weft_requester_rewind(qp);
	if (qp->window) {
		weft_repeat_all(qp);
		weft_requester_arm_timer(qp);
	}
	weft_port_schedule(qp, 0);
}

/**
 * weft_requester_rnr_nak() - the responder has no receive for the oldest packet
 * @qp: the queue pair
 * @code: timer code: how long to wait before a retry
 *
 * Context: fabric's lock held.
 */
void weft_requester_rnr_nak(struct weft_qp *qp, u8 code)
{
	struct fab *fab = weft_rdma_fab(qp->dev);
	struct weft_requester *req = &qp->req;

	if (!req->rnr_retries_left) {
		weft_requester_fail(qp, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->attr.rnr_retry != RETRY_RNR_FOREVER)
		req->rnr_retries_left--;
	req->rnr_wait = true;
	req->deadline = FAB_NEVER;
	weft_requester_rewind(qp);
	fab_event_move(&fab->events, &req->timer, fab->now + retry_rnr(code));
}

static void retry_timeout(struct weft_qp *qp)
{
	weft_rdma_count(qp->dev, timeouts, 1);
	qp->req.implied_nak = false;
	weft_requester_retry(qp);
}

/**
 * weft_requester_on_timer() - the timer of a requester expired
 * @fab: the fabric
 * @ev: the timer
 *
 * Context: fabric's lock held.
 */
void weft_requester_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct weft_qp *qp = container_of(ev, struct weft_qp, req.timer);
	struct weft_requester *req = &qp->req;

	if (req->rnr_wait) {
		req->rnr_wait = false;
		weft_requester_rewind(qp);
		if (qp->window)
			weft_repeat_rnr_over(qp);
		weft_port_schedule(qp, 0);
	} else if (req->deadline > fab->now) {
		fab_event_move(&fab->events, ev, req->deadline);
	} else {
		req->deadline = FAB_NEVER;
		if (req->una != req->high_psn)
			retry_timeout(qp);
	}
}
