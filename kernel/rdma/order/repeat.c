// SPDX-License-Identifier: GPL-2.0
/*
 * The requester of a connection whose packets may come in any order: what it
 * repeats, and when.
 *
 * DOC: theory of operation
 *
 * A request packet is in flight from when it is taken until an acknowledgement
 * tells of it or it counts as lost. It is lost
 *
 * - when a switch has trimmed it, and the responder has said so;
 * - when one that was put onto the wire no earlier has arrived, and since its own
 *   start so much time has passed as that one took, there and back, and the NIC's
 *   reorder time. So a packet that is late by no more than that is never repeated;
 * - when nothing was executed for the timeout of the queue pair.
 *
 * Packets that were sent again say nothing of the time, as nobody knows which of
 * them has arrived.
 *
 * A request is complete when it and all before it were executed, or when its
 * response is here. A packet that is held by the responder is not in flight, but it
 * may come to be sent again: when there is no receive for it, the responder drops
 * it.
 *
 * After a trimmed packet so many packets may be in flight as are still in flight,
 * at least one. For each as many that arrive, one more. If none is in flight any
 * more, the next one waits for the reorder time. So what arrives makes room for what
 * is sent, and the switch has room for it. After a timeout one may be in flight.
 *
 * Source: RFC 8985 (RACK) for the second rule, without its probes; "Revisiting
 * Network Support for RDMA" (IRN, SIGCOMM 2018) for selective repeat over RDMA.
 */
#include "rdma/qp.h"
#include "rdma/order/window.h"

static struct weft_tx_window *repeat_window(const struct weft_qp *qp)
{
	return &qp->window->tx;
}

static void repeat_on_timer(struct fab *fab, struct fab_event *ev);

/**
 * weft_repeat_init() - initialise the window of a requester
 * @w: the windows, zeroed
 *
 * Context: any.
 */
void weft_repeat_init(struct weft_window *w)
{
	fab_event_init(&w->tx.timer, repeat_on_timer);
}

/**
 * weft_repeat_reset() - nothing was sent yet
 * @qp: the queue pair, on its way to RTS
 *
 * Context: fabric's lock held.
 */
void weft_repeat_reset(struct weft_qp *qp)
{
	struct weft_tx_window *tx = repeat_window(qp);

	weft_repeat_stop(qp);
	bitmap_zero(tx->flight, WEFT_WINDOW);
	bitmap_zero(tx->lost, WEFT_WINDOW);
	bitmap_zero(tx->resent, WEFT_WINDOW);
	bitmap_zero(tx->done, WEFT_WINDOW);
	bitmap_zero(tx->asked, WEFT_WINDOW);
	tx->nflight = 0;
	tx->nlost = 0;
	tx->limit = WEFT_WINDOW;
	tx->arrived = 0;
	tx->executed = qp->req.psn;
	tx->last_response = qp->req.psn;
	tx->front = 0;
	tx->rtt = 0;
	tx->gap_at = FAB_NEVER;
	tx->refused = false;
}

/**
 * weft_repeat_stop() - cancel the event
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 */
void weft_repeat_stop(struct weft_qp *qp)
{
	fab_event_cancel(&weft_rdma_fab(qp->dev)->events,
			 &repeat_window(qp)->timer);
}

/**
 * weft_repeat_in_window() - was a PSN taken, and is it not done?
 * @qp: the queue pair
 * @psn: the PSN
 *
 * Context: fabric's lock held.
 * Return: true if so, and the window knows of it.
 */
bool weft_repeat_in_window(const struct weft_qp *qp, u32 psn)
{
	u32 una = qp->req.una;

	return ((psn - una) & WEFT_PSN_MASK) <
	       min_t(u32, (qp->req.psn - una) & WEFT_PSN_MASK, WEFT_WINDOW);
}

/**
 * weft_repeat_find() - find the request that has a PSN
 * @qp: the queue pair
 * @psn: the PSN
 * @wqe_idx: set to the index of its WQE
 *
 * Context: fabric's lock held.
 * Return: true if there is such a request.
 */
bool weft_repeat_find(const struct weft_qp *qp, u32 psn, u32 *wqe_idx)
{
	const struct weft_wqe *w;
	u32 idx;

	for (idx = qp->sq->tail; idx != qp->req.new_idx; idx++) {
		w = weft_sq_wqe(qp->sq, idx);
		if (((psn - w->first_psn) & WEFT_PSN_MASK) < w->packets) {
			*wqe_idx = idx;
			return true;
		}
	}
	return false;
}

/**
 * weft_repeat_has_room() - may a packet be in flight, or a PSN be taken?
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 * Return: true if both may.
 */
bool weft_repeat_has_room(const struct weft_qp *qp)
{
	const struct weft_tx_window *tx = repeat_window(qp);

	return tx->nflight < tx->limit &&
	       ((qp->req.psn - qp->req.una) & WEFT_PSN_MASK) < WEFT_WINDOW;
}

/**
 * weft_repeat_wants_ack() - does the requester wait for the packet it sends now?
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 * Return: true if half of the window was sent without AckReq, or if the number of
 * packets in flight is limited.
 */
bool weft_repeat_wants_ack(const struct weft_qp *qp)
{
	return repeat_window(qp)->limit < WEFT_WINDOW ||
	       qp->req.since_ack_req >= WEFT_WINDOW / 2;
}

static void repeat_fly(struct weft_qp *qp, u32 psn)
{
	struct weft_tx_window *tx = repeat_window(qp);

	if (!__test_and_set_bit(weft_window_at(psn), tx->flight))
		tx->nflight++;
	tx->sent[weft_window_at(psn)] = weft_rdma_fab(qp->dev)->now;
}

static bool repeat_land(struct weft_tx_window *tx, u32 psn)
{
	bool flew = __test_and_clear_bit(weft_window_at(psn), tx->flight);

	tx->nflight -= flew;
	return flew;
}

/**
 * weft_repeat_mark() - a packet, or the response to a read, is to be sent again
 * @qp: the queue pair
 * @psn: its PSN, in the window
 *
 * Context: fabric's lock held.
 */
void weft_repeat_mark(struct weft_qp *qp, u32 psn)
{
	struct weft_tx_window *tx = repeat_window(qp);

	repeat_land(tx, psn);
	__clear_bit(weft_window_at(psn), tx->asked);
	if (!__test_and_set_bit(weft_window_at(psn), tx->lost))
		tx->nlost++;
}

static bool repeat_unmark(struct weft_tx_window *tx, u32 psn)
{
	bool lost = __test_and_clear_bit(weft_window_at(psn), tx->lost);

	tx->nlost -= lost;
	return lost;
}

/**
 * weft_repeat_taken() - a packet was taken the first time
 * @qp: the queue pair
 * @p: the packet
 *
 * Context: fabric's lock held.
 */
void weft_repeat_taken(struct weft_qp *qp, const struct weft_rpkt *p)
{
	repeat_fly(qp, p->psn);
}

/**
 * weft_repeat_sent() - a packet starts on the wire
 * @qp: the queue pair
 * @p: the packet
 *
 * Context: fabric's lock held.
 */
void weft_repeat_sent(struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct weft_tx_window *tx = repeat_window(qp);

	if (weft_repeat_in_window(qp, p->psn) &&
	    test_bit(weft_window_at(p->psn), tx->flight))
		tx->sent[weft_window_at(p->psn)] = weft_rdma_fab(qp->dev)->now;
}

/**
 * weft_repeat_first() - the packet that is sent again next
 * @qp: the queue pair
 * @wqe_idx: set to the index of its WQE
 *
 * Context: fabric's lock held.
 * Return: its PSN; WEFT_PSN_MASK + 1 if there is none.
 */
u32 weft_repeat_first(const struct weft_qp *qp, u32 *wqe_idx)
{
	const struct weft_tx_window *tx = repeat_window(qp);
	u32 una = qp->req.una, at = weft_window_at(una), found, psn;

	if (!tx->nlost || tx->nflight >= tx->limit)
		return WEFT_PSN_MASK + 1;
	found = find_next_bit(tx->lost, WEFT_WINDOW, at);
	if (found == WEFT_WINDOW)
		found = find_first_bit(tx->lost, WEFT_WINDOW);
	psn = (una + weft_window_at(found - at)) & WEFT_PSN_MASK;
	return weft_repeat_find(qp, psn, wqe_idx) ? psn : WEFT_PSN_MASK + 1;
}

/* How many PSNs of @w from @psn on are lost, one behind the other? */
static u32 repeat_run(const struct weft_qp *qp, const struct weft_wqe *w, u32 psn)
{
	u32 left = w->packets - ((psn - w->first_psn) & WEFT_PSN_MASK);
	u32 room = WEFT_WINDOW - ((psn - qp->req.una) & WEFT_PSN_MASK), n;

	for (n = 1; n < min(left, room); n++)
		if (!test_bit(weft_window_at(psn + n), repeat_window(qp)->lost))
			break;
	return n;
}

/* Is no response to the read here? Then its request may be lost as well. */
static bool repeat_is_whole(const struct weft_qp *qp, const struct weft_wqe *w,
			    u32 psn)
{
	u32 n = min_t(u32, w->packets, WEFT_WINDOW), i;

	if (psn != w->first_psn)
		return false;
	for (i = 1; i < n && weft_repeat_in_window(qp, psn + i); i++)
		if (test_bit(weft_window_at(psn + i), repeat_window(qp)->done))
			return false;
	return true;
}

/**
 * weft_repeat_again() - a packet was taken again
 * @qp: the queue pair
 * @w: its request
 * @psn: its PSN, which is lost
 *
 * Context: fabric's lock held.
 * Return: how many PSNs it stands for, more than 1 for a read.
 */
u32 weft_repeat_again(struct weft_qp *qp, const struct weft_wqe *w, u32 psn)
{
	struct weft_tx_window *tx = repeat_window(qp);
	u32 run = 1, i;

	if (w->rd_atomic)
		run = repeat_run(qp, w, psn);
	for (i = 0; i < run; i++) {
		repeat_unmark(tx, psn + i);
		if (w->rd_atomic)
			__set_bit(weft_window_at(psn + i), tx->asked);
	}
	__set_bit(weft_window_at(psn), tx->resent);
	repeat_fly(qp, psn);
	return w->rd_atomic && repeat_is_whole(qp, w, psn) ?
	       w->packets : run;
}

/* Requests of one WQE that nothing is known of are lost; so is the oldest. */
static void repeat_all_of(struct weft_qp *qp, const struct weft_wqe *w)
{
	struct weft_tx_window *tx = repeat_window(qp);
	bool data = w->rd_atomic;
	u32 end = (w->first_psn + w->packets) & WEFT_PSN_MASK;
	u32 psn = w->first_psn;

	if (weft_psn_diff(qp->req.una, psn) > 0)
		psn = qp->req.una;
	for (; psn != end && weft_repeat_in_window(qp, psn);
	     psn = (psn + 1) & WEFT_PSN_MASK)
		if (data ? !test_bit(weft_window_at(psn), tx->done) :
			   test_bit(weft_window_at(psn), tx->flight) ||
			   psn == qp->req.una)
			weft_repeat_mark(qp, psn);
}

/**
 * weft_repeat_all() - the timeout has passed: all that is in flight is lost
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 */
void weft_repeat_all(struct weft_qp *qp)
{
	struct weft_tx_window *tx = repeat_window(qp);
	const struct weft_wqe *w;
	u32 idx;

	tx->limit = 1;
	tx->arrived = 0;
	for (idx = qp->sq->tail; idx != qp->req.new_idx; idx++) {
		w = weft_sq_wqe(qp->sq, idx);
		if (weft_wqe_is_local(w))
			continue;
		if (weft_psn_diff(w->first_psn, qp->req.una) > 0 &&
		    !weft_repeat_in_window(qp, w->first_psn))
			break;
		repeat_all_of(qp, w);
	}
}

/**
 * weft_repeat_rnr_over() - the receiver may be ready now
 * @qp: the queue pair
 *
 * The packet is marked now and not before: an older acknowledgement may have told
 * meanwhile that it was held.
 *
 * Context: fabric's lock held.
 */
void weft_repeat_rnr_over(struct weft_qp *qp)
{
	struct weft_tx_window *tx = repeat_window(qp);

	if (weft_psn_diff(tx->rnr_psn, tx->executed) >= 0 &&
	    weft_repeat_in_window(qp, tx->rnr_psn))
		weft_repeat_mark(qp, tx->rnr_psn);
	weft_requester_arm_timer(qp);
}

/**
 * weft_repeat_arrived() - a packet of a request is at the responder
 * @qp: the queue pair
 * @psn: its PSN, in the window
 *
 * Context: fabric's lock held.
 */
void weft_repeat_arrived(struct weft_qp *qp, u32 psn)
{
	struct weft_tx_window *tx = repeat_window(qp);
	u32 at = weft_window_at(psn);

	repeat_unmark(tx, psn);
	if (!repeat_land(tx, psn))
		return;
	if (tx->limit < WEFT_WINDOW && ++tx->arrived >= tx->limit) {
		tx->limit++;
		tx->arrived = 0;
	}
	if (test_bit(at, tx->resent) || tx->sent[at] < tx->front)
		return;
	tx->front = tx->sent[at];
	tx->rtt = weft_rdma_fab(qp->dev)->now - tx->front;
}

/* All requests before @psn were executed. */
static void repeat_executed(struct weft_qp *qp, u32 psn)
{
	struct weft_tx_window *tx = repeat_window(qp);
	u32 from = tx->executed;

	if (weft_psn_diff(psn, tx->executed) <= 0)
		return;
	if (weft_psn_diff(qp->req.una, from) > 0)
		from = qp->req.una;
	tx->executed = psn;
	for (; from != psn && weft_repeat_in_window(qp, from);
	     from = (from + 1) & WEFT_PSN_MASK)
		weft_repeat_arrived(qp, from);
}

/* The window does not know of @psn any more. */
static void repeat_forget(struct weft_tx_window *tx, u32 psn)
{
	u32 at = weft_window_at(psn);

	repeat_land(tx, psn);
	repeat_unmark(tx, psn);
	__clear_bit(at, tx->resent);
	__clear_bit(at, tx->done);
	__clear_bit(at, tx->asked);
}

/* Is the oldest PSN, one of @w, done? */
static bool repeat_is_done(const struct weft_qp *qp, const struct weft_wqe *w)
{
	const struct weft_tx_window *tx = repeat_window(qp);

	if (w->rd_atomic)
		return test_bit(weft_window_at(qp->req.una), tx->done);
	return weft_psn_diff(tx->executed, qp->req.una) > 0;
}

/* Advance within the oldest request. Return: true if it is complete. */
static bool repeat_advance_one(struct weft_qp *qp, const struct weft_wqe *w)
{
	struct weft_requester *req = &qp->req;
	u32 end = (w->first_psn + w->packets) & WEFT_PSN_MASK;

	while (req->una != end && repeat_is_done(qp, w)) {
		repeat_forget(repeat_window(qp), req->una);
		req->una = (req->una + 1) & WEFT_PSN_MASK;
	}
	return req->una == end;
}

/**
 * weft_repeat_advance() - complete the requests that are done
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 */
void weft_repeat_advance(struct weft_qp *qp)
{
	struct weft_tx_window *tx = repeat_window(qp);
	u32 una = qp->req.una;

	while (!weft_requester_idle(qp) &&
	       repeat_advance_one(qp, weft_sq_wqe(qp->sq, qp->sq->tail)))
		weft_requester_complete(qp);
	if (qp->req.una != una)
		weft_requester_progress(qp);
	if (tx->refused && weft_requester_active(qp) &&
	    qp->req.una == tx->refused_psn)
		weft_requester_fail(qp, weft_requester_nak_status(qp,
								  tx->refused_code));
}

/* When is the next packet in flight lost? Those that are now are marked. */
static fab_time repeat_check(struct weft_qp *qp)
{
	fab_time reorder = weft_rdma_params(qp->dev)->reorder;
	fab_time now = weft_rdma_fab(qp->dev)->now, next = FAB_NEVER, at;
	struct weft_tx_window *tx = repeat_window(qp);
	u32 lost = tx->nlost, i;

	if (!tx->nflight)
		return next;
	for_each_set_bit(i, tx->flight, WEFT_WINDOW) {
		if (tx->sent[i] > tx->front)
			continue;
		at = tx->sent[i] + tx->rtt + reorder;
		if (at > now)
			next = min(next, at);
		else
			weft_repeat_mark(qp, i);
	}
	if (tx->nlost != lost)
		weft_cc_lost(qp);
	return next;
}

/**
 * weft_repeat_arm() - look for lost packets at some time
 * @qp: the queue pair
 * @at: the time; FAB_NEVER for none
 *
 * Context: fabric's lock held.
 */
void weft_repeat_arm(struct weft_qp *qp, fab_time at)
{
	struct fab_event_queue *events = &weft_rdma_fab(qp->dev)->events;
	struct fab_event *timer = &repeat_window(qp)->timer;

	if (at == FAB_NEVER || (fab_event_pending(timer) && timer->at <= at))
		return;
	fab_event_move(events, timer, at);
}

static void repeat_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct weft_window *w = container_of(ev, struct weft_window, tx.timer);
	struct weft_qp *qp = w->qp;

	if (!weft_requester_active(qp) || !qp->dev->client.wep)
		return;
	weft_response_check(qp);
	weft_repeat_arm(qp, repeat_check(qp));
	weft_repeat_arm(qp, w->tx.gap_at);
	if (w->tx.nlost)
		weft_port_schedule(qp, 0);
}

/* A switch trimmed the packet @psn. */
static void repeat_trimmed(struct weft_qp *qp, u32 psn)
{
	struct weft_tx_window *tx = repeat_window(qp);
	fab_time now = weft_rdma_fab(qp->dev)->now;

	if (!weft_repeat_in_window(qp, psn) ||
	    !test_bit(weft_window_at(psn), tx->flight))
		return;
	weft_rdma_count(qp->dev, nak_sequence, 1);
	weft_repeat_mark(qp, psn);
	weft_cc_lost(qp);
	tx->limit = max(tx->nflight, 1U);
	tx->arrived = 0;
	if (!tx->nflight)
		qp->tx.not_before = max(qp->tx.not_before, now +
					weft_rdma_params(qp->dev)->reorder);
}

/* What the acknowledgement says of packets that the responder holds. */
static void repeat_told(struct weft_qp *qp, const struct weft_rpkt *p)
{
	u64 bits = p->va;
	u32 psn;

	for (; bits; bits &= bits - 1) {
		psn = (p->dma_len + __ffs64(bits)) & WEFT_PSN_MASK;
		if (weft_repeat_in_window(qp, psn))
			weft_repeat_arrived(qp, psn);
	}
}

static void repeat_nak(struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct weft_tx_window *tx = repeat_window(qp);
	u8 code = p->syndrome & WEFT_AETH_CODE;

	if ((p->syndrome & WEFT_AETH_KIND) == WEFT_AETH_RNR) {
		weft_rdma_count(qp->dev, rnr_nak, 1);
		tx->rnr_psn = p->psn;
		weft_requester_rnr_nak(qp, code);
	} else if (code == WEFT_NAK_SEQUENCE) {
		repeat_trimmed(qp, p->dma_len & WEFT_PSN_MASK);
	} else {
		tx->refused = true;
		tx->refused_code = code;
		tx->refused_psn = p->psn;
	}
}

/* An acknowledgement. It may be older than others that came before. */
static void repeat_acknowledged(struct weft_qp *qp, const struct weft_rpkt *p)
{
	bool ack = !(p->syndrome & WEFT_AETH_KIND);
	u32 psn = (p->psn + ack) & WEFT_PSN_MASK;

	if (weft_psn_diff(psn, qp->req.psn) > 0)
		return;
	repeat_executed(qp, psn);
	if (p->flags & WEFT_RPKT_ANY)
		repeat_told(qp, p);
	weft_repeat_advance(qp);
	if (!ack && weft_requester_active(qp)) {
		repeat_nak(qp, p);
		weft_repeat_advance(qp);
	}
}

/**
 * weft_repeat_receive() - handle a response or an acknowledgement
 * @qp: the queue pair
 * @p: the packet
 *
 * Context: fabric's lock held.
 */
void weft_repeat_receive(struct weft_qp *qp, struct weft_rpkt *p)
{
	u32 una = qp->req.una;

	if (!weft_requester_active(qp))
		return;
	if (p->opcode == IB_OPCODE_RC_ACKNOWLEDGE) {
		repeat_acknowledged(qp, p);
	} else {
		repeat_executed(qp, weft_response_receive(qp, p));
		weft_repeat_advance(qp);
	}
	if (!weft_requester_active(qp))
		return;
	weft_repeat_arm(qp, repeat_check(qp));
	weft_repeat_arm(qp, repeat_window(qp)->gap_at);
	if (p->opcode == IB_OPCODE_RC_ACKNOWLEDGE)
		weft_cc_acked(qp, p, (qp->req.una - una) & WEFT_PSN_MASK);
	if (weft_requester_ready(qp))
		weft_port_schedule(qp, 0);
}
