// SPDX-License-Identifier: GPL-2.0
/*
 * The responder of a connection whose packets may come in any order.
 *
 * DOC: theory of operation
 *
 * The expected packet is executed, and then those that were held behind it, as
 * far as there is no gap. A packet ahead of the expected one is held, and an
 * acknowledgement tells the requester at once. The payload of a write is copied
 * when the packet comes. That of a send is copied when the packet is executed: the
 * receive WQE that it belongs to is not known before, and nobody may look into its
 * memory before it is complete.
 *
 * An error of a packet that is held shows when the packet is executed: its
 * payload is not copied early, and the checks of execute.c find the reason.
 *
 * A packet beyond the window, or one whose memory the limits of the fabric do not
 * allow, is dropped and counted (beyond_window).
 *
 * Acknowledgements carry the expected PSN, and from one PSN on a bit for each
 * packet that is held. An ACK has the latest packet held and the PSNs before it. A
 * NAK with a sequence error says that the packet of its first PSN is lost: a switch
 * has trimmed it.
 */
#include "fabric/limit.h"
#include "rdma/qp.h"
#include "rdma/order/window.h"

static struct weft_rpkt **hold_slot(const struct weft_qp *qp, u32 psn)
{
	return &qp->window->rx.held[weft_window_at(psn)];
}

/* Take a packet out of the window; NULL if it is not there. */
static struct weft_rpkt *hold_take(struct weft_qp *qp, u32 psn)
{
	struct weft_rpkt **slot = hold_slot(qp, psn), *p = *slot;

	if (!p)
		return NULL;
	*slot = NULL;
	qp->window->rx.nheld--;
	weft_limit_give(qp->dev->client.fabric->limited, 0, p->hw.mem);
	return p;
}

/**
 * weft_hold_reset() - expect nothing but the next packet
 * @qp: the queue pair, on its way to RTR, with no packet held
 *
 * Context: fabric's lock held.
 */
void weft_hold_reset(struct weft_qp *qp)
{
	struct weft_rx_window *rx = &qp->window->rx;

	rx->latest = qp->resp.epsn;
	rx->nacked = qp->resp.epsn;
	rx->replay_next = rx->replay_head;
}

/**
 * weft_hold_stop() - free the packets that are held
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 */
void weft_hold_stop(struct weft_qp *qp)
{
	struct weft_rx_window *rx = &qp->window->rx;
	struct weft_rpkt *p;
	u32 i;

	rx->replay_next = rx->replay_head;
	for (i = 0; rx->nheld && i < WEFT_WINDOW; i++) {
		p = hold_take(qp, i);
		if (p)
			weft_rpkt_free(p);
	}
}

/**
 * weft_hold_tell() - say in an acknowledgement which packets are held
 * @qp: the queue pair
 * @p: the acknowledgement
 * @first: PSN of the first bit, at least the expected one
 *
 * Context: fabric's lock held.
 */
void weft_hold_tell(const struct weft_qp *qp, struct weft_rpkt *p, u32 first)
{
	u32 ahead = (first - qp->resp.epsn) & WEFT_PSN_MASK, i;

	p->dma_len = first & WEFT_PSN_MASK;
	p->va = 0;
	if (!qp->window->rx.nheld)
		return;
	for (i = 0; i < WEFT_SACK_BITS && ahead + i < WEFT_WINDOW; i++)
		if (*hold_slot(qp, first + i))
			p->va |= BIT_ULL(i);
}

/**
 * weft_hold_first() - the first PSN that an ACK tells of
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 * Return: the PSN; the latest packet that was held is among those told of.
 */
u32 weft_hold_first(const struct weft_qp *qp)
{
	u32 epsn = qp->resp.epsn;
	u32 first = qp->window->rx.latest - (WEFT_SACK_BITS - 1);

	return weft_psn_diff(first, epsn) > 0 ? first : epsn;
}

static void hold_ack(struct weft_qp *qp)
{
	weft_responder_send_ack(qp, WEFT_AETH_ACK,
				(qp->resp.epsn - 1) & WEFT_PSN_MASK);
}

/* A read took the PSNs from @psn to the expected one: no request has them. */
static void hold_skip(struct weft_qp *qp, u32 psn)
{
	u32 n = min_t(u32, (qp->resp.epsn - psn) & WEFT_PSN_MASK, WEFT_WINDOW);
	struct weft_rpkt *p;

	for (; n && qp->window->rx.nheld; n--) {
		p = hold_take(qp, psn++);
		if (p)
			weft_rpkt_free(p);
	}
}

/* Execute the expected packet. Return: true if the one behind it may be next. */
static bool hold_execute(struct weft_qp *qp, const struct weft_rpkt *p)
{
	weft_responder_take(qp, p);
	if (qp->resp.epsn == p->psn)
		return false;
	hold_skip(qp, p->psn + 1);
	return !qp->resp.failed;
}

/* Execute the packets that nothing is missing before any more. */
static void hold_drain(struct weft_qp *qp)
{
	struct weft_rpkt *p;
	bool more = true;
	u32 n = 0;

	while (more) {
		p = hold_take(qp, qp->resp.epsn);
		if (!p)
			break;
		n++;
		more = hold_execute(qp, p);
		weft_rpkt_free(p);
	}
	if (n && more)
		hold_ack(qp);
}

/* Hold a packet that is ahead. Return: true if it is the window's now. */
static bool hold_keep(struct weft_qp *qp, struct weft_rpkt *p)
{
	if (weft_limit_take(qp->dev->client.fabric->limited, 0, p->hw.mem,
			    NULL))
		return false;
	weft_responder_place(qp, p);
	*hold_slot(qp, p->psn) = p;
	qp->window->rx.nheld++;
	qp->window->rx.latest = p->psn;
	weft_cc_note(&qp->cc, p);
	return true;
}

static bool hold_ahead(struct weft_qp *qp, struct weft_rpkt *p, u32 ahead)
{
	bool kept;

	weft_rdma_count(qp->dev, out_of_sequence, 1);
	if (ahead < WEFT_WINDOW && *hold_slot(qp, p->psn)) {
		weft_rdma_count(qp->dev, duplicates, 1);
		hold_ack(qp);
		return false;
	}
	kept = ahead < WEFT_WINDOW && hold_keep(qp, p);
	if (kept)
		hold_ack(qp);
	else
		weft_rdma_count(qp->dev, beyond_window, 1);
	return kept;
}

static void hold_duplicate(struct weft_qp *qp, const struct weft_rpkt *p)
{
	weft_rdma_count(qp->dev, duplicates, 1);
	switch (p->opcode) {
	case IB_OPCODE_RC_RDMA_READ_REQUEST:
	case IB_OPCODE_RC_COMPARE_SWAP:
	case IB_OPCODE_RC_FETCH_ADD:
		weft_replay_add(qp, p);
		break;
	default:
		hold_ack(qp);
	}
}

/*
 * The expected packet. What was sent before a packet that was trimmed may come after
 * the NAK, and the requester waits for it with few packets in flight.
 */
static void hold_expected(struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct weft_rx_window *rx = &qp->window->rx;

	weft_cc_note(&qp->cc, p);
	if (!hold_execute(qp, p))
		return;
	hold_drain(qp);
	if (weft_psn_diff(rx->nacked, qp->resp.epsn) <= 0)
		rx->nacked = qp->resp.epsn;
	else if (!qp->resp.failed)
		hold_ack(qp);
}

/**
 * weft_hold_receive() - handle a packet of a request
 * @qp: the queue pair, from RTR on
 * @p: the packet
 *
 * Context: fabric's lock held.
 * Return: true if it is the window's now, false if it stays the caller's.
 */
bool weft_hold_receive(struct weft_qp *qp, struct weft_rpkt *p)
{
	s32 ahead = weft_psn_diff(p->psn, qp->resp.epsn);

	if (ahead > 0)
		return hold_ahead(qp, p, ahead);
	if (ahead < 0)
		hold_duplicate(qp, p);
	else
		hold_expected(qp, p);
	return false;
}

/**
 * weft_hold_trimmed() - the header of a request that a switch has trimmed
 * @qp: the queue pair, from RTR on
 * @p: the packet
 *
 * Context: fabric's lock held.
 */
void weft_hold_trimmed(struct weft_qp *qp, const struct weft_rpkt *p)
{
	s32 ahead = weft_psn_diff(p->psn, qp->resp.epsn);

	if (qp->resp.failed || ahead < 0 || ahead >= WEFT_WINDOW ||
	    *hold_slot(qp, p->psn))
		return;
	if (weft_psn_diff(p->psn, qp->window->rx.nacked) >= 0)
		qp->window->rx.nacked = (p->psn + 1) & WEFT_PSN_MASK;
	weft_responder_nack(qp, p->psn);
}
