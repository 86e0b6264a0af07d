// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The receiver of a connection whose packets may come in any order.
 *
 * The rules are those of kernel/rdma/order/hold.c. The expected packet is taken, and then
 * those that were held behind it, up to the next gap. One ahead of it is held, and
 * acknowledged at once. An acknowledgement has the expected number, and bits for 64
 * packets that are held. Of a packet that a switch has trimmed the sender is told at once.
 *
 * Until the first packet comes out of order nothing is remembered.
 */
#include "sim/sim_bits.h"

#include <stdlib.h>

/**
 * struct weft_sim_hold - packets that are ahead
 * @held: bit per packet, at its number modulo the window
 * @message: number of its message
 * @n: how many are held
 * @latest: number of the one that came last
 * @told: highest number of a packet that was trimmed, plus 1; or the expected
 */
struct weft_sim_hold {
	unsigned long held[BITS_TO_LONGS(WEFT_SIM_WINDOW)];
	u32 message[WEFT_SIM_WINDOW];
	u32 n;
	u32 latest;
	u32 told;
};

static bool hold_has(const struct weft_sim_qp *qp, u32 psn)
{
	return qp->hold && weft_sim_bit(qp->hold->held, psn);
}

/* Remember packets from now on. Return: NULL without memory: the simulation has failed. */
static struct weft_sim_hold *hold_of(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	if (qp->hold)
		return qp->hold;
	qp->hold = weft_sim_alloc_part(sim, sizeof(*qp->hold));
	if (!qp->hold) {
		weft_sim_fail(sim, "out of memory for packets out of order");
		return NULL;
	}
	qp->hold->latest = qp->epsn;
	qp->hold->told = qp->epsn;
	return qp->hold;
}

/**
 * weft_sim_hold_tell() - say in an acknowledgement which packets are held
 * @qp: the queue pair
 * @ack: the acknowledgement
 *
 * An ACK tells of the latest packet that is held and those before it; a NAK of the packet
 * that is missing, its number in @ack->first, and those behind it.
 */
void weft_sim_hold_tell(const struct weft_sim_qp *qp, struct weft_sim_pkt *ack)
{
	u32 first = qp->hold ? qp->hold->latest - 63 : qp->epsn;

	if (!ack->nak)
		ack->first = (s32)(first - qp->epsn) > 0 ? first : qp->epsn;
	ack->held = 0;
	if (!qp->hold || !qp->hold->n)
		return;
	for (u32 i = 0; i < 64 && ack->first - qp->epsn + i < WEFT_SIM_WINDOW; i++)
		ack->held |= (u64)weft_sim_bit(qp->hold->held, ack->first + i) << i;
}

static void hold_ack(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	weft_sim_rc_ack(sim, qp, qp->epsn - 1);
}

/* What congestion controls want to know of a packet that is new. */
static void hold_note(struct weft_sim_qp *qp, const struct weft_sim_pkt *pkt)
{
	qp->ce += !!(pkt->p.flags & FAB_PKT_CE);
	qp->stamp = pkt->stamp;
}

static void hold_keep(struct weft_sim *sim, struct weft_sim_qp *qp, struct weft_sim_pkt *pkt)
{
	struct weft_sim_hold *h = hold_of(sim, qp);

	if (!h)
		return;
	weft_sim_bit_set(h->held, pkt->psn);
	h->message[pkt->psn % WEFT_SIM_WINDOW] = (u32)(pkt->message - sim->message);
	h->n++;
	h->latest = pkt->psn;
	hold_note(qp, pkt);
	hold_ack(sim, qp);
}

static void hold_ahead(struct weft_sim *sim, struct weft_sim_qp *qp, struct weft_sim_pkt *pkt)
{
	if (pkt->psn - qp->epsn >= WEFT_SIM_WINDOW)
		sim->part->state.lost++;
	else if (hold_has(qp, pkt->psn))
		hold_ack(sim, qp);
	else
		hold_keep(sim, qp, pkt);
}

/* Take the packets that nothing is missing before any more. */
static void hold_drain(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	struct weft_sim_hold *h = qp->hold;

	if (!hold_has(qp, qp->epsn))
		return;
	for (; hold_has(qp, qp->epsn); qp->epsn++) {
		weft_sim_bit_clear(h->held, qp->epsn);
		h->n--;
		weft_sim_accept(sim, &sim->message[h->message[qp->epsn % WEFT_SIM_WINDOW]]);
	}
	hold_ack(sim, qp);
}

static void hold_expected(struct weft_sim *sim, struct weft_sim_qp *qp,
			  struct weft_sim_pkt *pkt)
{
	hold_note(qp, pkt);
	qp->epsn++;
	weft_sim_accept(sim, pkt->message);
	if (pkt->ack_req)
		hold_ack(sim, qp);
	hold_drain(sim, qp);
	if (!qp->hold)
		return;
	/* The sender of a packet that was trimmed waits, with few on their way. */
	if ((s32)(qp->hold->told - qp->epsn) > 0)
		hold_ack(sim, qp);
	else
		qp->hold->told = qp->epsn;
}

/**
 * weft_sim_hold_receive() - a packet of a message is executed
 * @sim: the cell
 * @qp: the queue pair
 * @pkt: the packet; it stays the caller's
 */
void weft_sim_hold_receive(struct weft_sim *sim, struct weft_sim_qp *qp,
			   struct weft_sim_pkt *pkt)
{
	s32 ahead = (s32)(pkt->psn - qp->epsn);

	if (ahead > 0)
		hold_ahead(sim, qp, pkt);
	else if (ahead < 0)
		hold_ack(sim, qp);
	else
		hold_expected(sim, qp, pkt);
}

/**
 * weft_sim_hold_trimmed() - the header of a packet that a switch has trimmed is executed
 * @sim: the cell
 * @qp: the queue pair
 * @pkt: the packet
 */
void weft_sim_hold_trimmed(struct weft_sim *sim, struct weft_sim_qp *qp,
			   const struct weft_sim_pkt *pkt)
{
	u32 psn = pkt->psn;

	if (psn - qp->epsn >= WEFT_SIM_WINDOW || hold_has(qp, psn) || !hold_of(sim, qp))
		return;
	if ((s32)(psn - qp->hold->told) >= 0)
		qp->hold->told = psn + 1;
	weft_sim_rc_nak(sim, qp, psn);
}
