// SPDX-License-Identifier: GPL-2.0
/*
 * The requester of a connection whose packets may come in any order: responses.
 *
 * The PSN of a response says which part of which read it is, so it is copied to its
 * place when it comes. The responder sends responses in order, so one is missing
 * when a later one is here. It is lost if it is still missing after the reorder
 * time, and it is requested again then, as are others next to it by the same
 * request. Of those that come after the first to be missing, more may be missing:
 * they are looked at when the reorder time has passed once more.
 *
 * A response that was requested again and does not come waits for the timeout.
 */
#include "rdma/qp.h"
#include "rdma/order/window.h"

/* A response came that is not the oldest one missing: look at those before it. */
static void response_gap(struct weft_qp *qp, u32 psn)
{
	struct weft_tx_window *tx = &qp->window->tx;

	if (psn == qp->req.una || tx->gap_at != FAB_NEVER)
		return;
	tx->gap_end = tx->last_response;
	tx->gap_at = weft_rdma_fab(qp->dev)->now +
		     weft_rdma_params(qp->dev)->reorder;
}

/**
 * weft_response_receive() - handle a response with data
 * @qp: the queue pair
 * @p: the packet
 *
 * Context: fabric's lock held.
 * Return: the PSN that all requests before were executed of.
 */
u32 weft_response_receive(struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct weft_tx_window *tx = &qp->window->tx;
	const struct weft_wqe *w;
	enum ib_wc_status status;
	u32 idx;

	if (!weft_repeat_find(qp, p->psn, &idx))
		return tx->executed;
	if (!weft_repeat_in_window(qp, p->psn)) {
		if (weft_psn_diff(p->psn, qp->req.una) > 0)
			weft_rdma_count(qp->dev, beyond_window, 1);
		return tx->executed;
	}
	w = weft_sq_wqe(qp->sq, idx);
	if (test_bit(weft_window_at(p->psn), tx->done))
		return tx->executed;
	status = weft_requester_place(qp, idx, p);
	if (status) {
		if (idx == qp->sq->tail)
			weft_requester_fail(qp, status);
		return tx->executed;
	}
	__set_bit(weft_window_at(p->psn), tx->done);
	weft_repeat_arrived(qp, p->psn);
	if (weft_psn_diff(p->psn + 1, tx->last_response) > 0)
		tx->last_response = (p->psn + 1) & WEFT_PSN_MASK;
	response_gap(qp, p->psn);
	return (w->first_psn + w->packets) & WEFT_PSN_MASK;
}

/**
 * weft_response_trimmed() - a switch trimmed a response
 * @qp: the queue pair
 * @psn: its PSN
 *
 * Context: fabric's lock held.
 */
void weft_response_trimmed(struct weft_qp *qp, u32 psn)
{
	u32 idx;

	if (!weft_requester_active(qp) || !weft_repeat_in_window(qp, psn) ||
	    !weft_repeat_find(qp, psn, &idx) ||
	    !weft_sq_wqe(qp->sq, idx)->rd_atomic ||
	    test_bit(weft_window_at(psn), qp->window->tx.done))
		return;
	weft_repeat_mark(qp, psn);
	weft_port_schedule(qp, 0);
}

/* Responses to @w that are missing before gap_end are lost. */
static void response_check_wqe(struct weft_qp *qp, const struct weft_wqe *w)
{
	struct weft_tx_window *tx = &qp->window->tx;
	u32 end = (w->first_psn + w->packets) & WEFT_PSN_MASK;
	u32 psn = w->first_psn, at;

	if (weft_psn_diff(qp->req.una, psn) > 0)
		psn = qp->req.una;
	for (; psn != end && weft_psn_diff(psn, tx->gap_end) < 0 &&
	     weft_repeat_in_window(qp, psn); psn = (psn + 1) & WEFT_PSN_MASK) {
		at = weft_window_at(psn);
		if (!test_bit(at, tx->done) && !test_bit(at, tx->asked))
			weft_repeat_mark(qp, psn);
	}
}

/**
 * weft_response_check() - request what is missing for too long
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 */
void weft_response_check(struct weft_qp *qp)
{
	struct weft_tx_window *tx = &qp->window->tx;
	fab_time now = weft_rdma_fab(qp->dev)->now;
	const struct weft_wqe *w;
	u32 idx;

	if (now < tx->gap_at)
		return;
	for (idx = qp->sq->tail; idx != qp->req.new_idx; idx++) {
		w = weft_sq_wqe(qp->sq, idx);
		if (w->rd_atomic)
			response_check_wqe(qp, w);
	}
	tx->gap_at = FAB_NEVER;
	if (weft_psn_diff(tx->last_response, tx->gap_end) <= 0)
		return;
	tx->gap_end = tx->last_response;
	tx->gap_at = now + weft_rdma_params(qp->dev)->reorder;
}
