// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sender of a connection whose packets may come in any order: what it repeats, and
 * when.
 *
 * The rules are those of kernel/rdma/order/repeat.c, and
 * Documentation/model/rdma-order.rst states them. A packet is in flight from when it is
 * taken until something is known of it. It is lost when a switch has trimmed it; when one
 * that was sent no earlier has arrived, and since its own start as much time has passed as
 * that one took, and the NIC's reorder time; and after the timeout.
 */
#include "sim/sim_bits.h"

#include <stdlib.h>

#define WORDS	BITS_TO_LONGS(WEFT_SIM_WINDOW)

/**
 * struct weft_sim_repeat - packets that are not done
 *
 * What is known of a packet is at its number modulo the window.
 *
 * @flight: bit per packet in flight
 * @lost: bit per packet to be sent again
 * @again: bit per packet that was sent more than once
 * @sent: when it was put onto the wire last
 * @nflight: packets in flight
 * @nagain: of these, how many were sent more than once
 * @nlost: packets to be sent again
 * @limit: packets in flight at most, fewer after congestion
 * @arrived: arrivals since @limit has changed
 * @front: latest time at which a packet was sent that has arrived
 * @rtt: time from that to its acknowledgement
 * @timer: event: packets may count as lost
 * @qp: its queue pair
 */
struct weft_sim_repeat {
	unsigned long flight[WORDS];
	unsigned long lost[WORDS];
	unsigned long again[WORDS];
	fab_time sent[WEFT_SIM_WINDOW];
	u32 nflight;
	u32 nagain;
	u32 nlost;
	u32 limit;
	u32 arrived;
	fab_time front;
	fab_time rtt;
	struct fab_event timer;
	struct weft_sim_qp *qp;
};

static fab_time *repeat_sent_at(struct weft_sim_repeat *r, u32 psn)
{
	return &r->sent[psn % WEFT_SIM_WINDOW];
}

/* Was a packet taken from its message, and is it not done? */
static bool repeat_knows(const struct weft_sim_qp *qp, u32 psn)
{
	return psn - qp->una < min(qp->psn - qp->una, (u32)WEFT_SIM_WINDOW);
}

static void repeat_fly(struct weft_sim *sim, struct weft_sim_repeat *r, u32 psn)
{
	if (!weft_sim_bit(r->flight, psn)) {
		weft_sim_bit_set(r->flight, psn);
		r->nflight++;
		r->nagain += weft_sim_bit(r->again, psn);
	}
	*repeat_sent_at(r, psn) = sim->fab.now;
}

static bool repeat_land(struct weft_sim_repeat *r, u32 psn)
{
	if (!weft_sim_bit(r->flight, psn))
		return false;
	weft_sim_bit_clear(r->flight, psn);
	r->nflight--;
	r->nagain -= weft_sim_bit(r->again, psn);
	return true;
}

static void repeat_mark(struct weft_sim_repeat *r, u32 psn)
{
	repeat_land(r, psn);
	r->nlost += !weft_sim_bit(r->lost, psn);
	weft_sim_bit_set(r->lost, psn);
}

static void repeat_unmark(struct weft_sim_repeat *r, u32 psn)
{
	r->nlost -= weft_sim_bit(r->lost, psn);
	weft_sim_bit_clear(r->lost, psn);
}

static bool repeat_may_fly(const struct weft_sim_qp *qp)
{
	return !qp->repeat || qp->repeat->nflight < qp->repeat->limit;
}

static bool repeat_has_lost(const struct weft_sim_qp *qp)
{
	return qp->repeat && qp->repeat->nlost && repeat_may_fly(qp) &&
	       (!qp->from->cc->fits || qp->from->cc->fits(qp));
}

/**
 * weft_sim_repeat_ready() - may a queue pair send a packet, again or for the first time?
 * @qp: the queue pair
 *
 * Return: true if it may.
 */
bool weft_sim_repeat_ready(const struct weft_sim_qp *qp)
{
	if (repeat_has_lost(qp))
		return true;
	return qp->tx && repeat_may_fly(qp) && qp->psn - qp->una < WEFT_SIM_WINDOW &&
	       (!qp->from->cc->window || weft_sim_fits(qp));
}

/**
 * weft_sim_repeat_first() - the packet that is sent again next
 * @qp: the queue pair
 * @psn: set to its number
 *
 * Return: its message; NULL if there is none.
 */
struct weft_sim_message *weft_sim_repeat_first(const struct weft_sim_qp *qp, u32 *psn)
{
	struct weft_sim_message *m = qp->oldest;
	u32 p = qp->una;

	if (!repeat_has_lost(qp))
		return NULL;
	while (!weft_sim_bit(qp->repeat->lost, p))
		p++;
	while (p - m->psn >= m->packets)
		m = m->next;
	*psn = p;
	return m;
}

/**
 * weft_sim_repeat_wants_ack() - does the sender wait for what it sends now?
 * @qp: the queue pair
 *
 * Return: true if the number of packets in flight is limited, or if half of the window
 * was sent without a request for an acknowledgement.
 */
bool weft_sim_repeat_wants_ack(const struct weft_sim_qp *qp)
{
	return (qp->repeat && qp->repeat->limit < WEFT_SIM_WINDOW) ||
	       qp->since_ack_req >= WEFT_SIM_WINDOW / 2;
}

/* When is the next packet in flight lost? Those that are now are marked. */
static fab_time repeat_check(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	fab_time next = FAB_NEVER, at;
	struct weft_sim_repeat *r = qp->repeat;
	u32 left = r->nflight, marked = 0;

	for (u32 psn = qp->una; left; psn++) {
		if (!weft_sim_bit(r->flight, psn))
			continue;
		left--;
		at = *repeat_sent_at(r, psn);
		/* Those behind it were sent later, but for what was sent again. */
		if (at > r->front && !r->nagain)
			break;
		if (at > r->front)
			continue;
		at += r->rtt + qp->from->reorder;
		if (at > sim->fab.now) {
			next = min(next, at);
			continue;
		}
		repeat_mark(r, psn);
		marked++;
	}
	if (marked && qp->from->cc->lost)
		qp->from->cc->lost(sim, qp, false);
	return next;
}

static void repeat_arm(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	fab_time at = repeat_check(sim, qp);
	struct fab_event *timer = &qp->repeat->timer;

	if (at != FAB_NEVER && (!fab_event_pending(timer) || timer->at > at))
		fab_event_move(&sim->fab.events, timer, at);
}

static void repeat_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct weft_sim_repeat *r = container_of(ev, struct weft_sim_repeat, timer);
	struct weft_sim *sim = weft_sim_of(fab);

	repeat_arm(sim, r->qp);
	if (r->nlost)
		weft_sim_schedule(sim, r->qp, 0);
}

/* Return: NULL without memory: the simulation has failed. */
static struct weft_sim_repeat *repeat_of(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	struct weft_sim_repeat *r = qp->repeat;

	if (r)
		return r;
	r = weft_sim_alloc_part(sim, sizeof(*r));
	if (!r) {
		weft_sim_fail(sim, "out of memory for packets on their way");
		return NULL;
	}
	r->qp = qp;
	r->limit = WEFT_SIM_WINDOW;
	fab_event_init(&r->timer, repeat_on_timer);
	fab_event_name(&r->timer, fab_name(sim->o->seed, WEFT_SIM_NAME_QP,
					   (u64)(qp - sim->qp), 2));
	qp->repeat = r;
	return r;
}

/**
 * weft_sim_repeat_taken() - a packet was taken from its message
 * @sim: the cell
 * @qp: the queue pair
 * @psn: its number
 * @again: not for the first time
 */
void weft_sim_repeat_taken(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn, bool again)
{
	struct weft_sim_repeat *r = repeat_of(sim, qp);

	if (!r)
		return;
	if (again) {
		repeat_unmark(r, psn);
		weft_sim_bit_set(r->again, psn);
	}
	repeat_fly(sim, r, psn);
}

/**
 * weft_sim_repeat_sent() - a packet begins on the wire
 * @sim: the cell
 * @qp: the queue pair
 * @psn: its number
 */
void weft_sim_repeat_sent(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn)
{
	if (repeat_knows(qp, psn) && weft_sim_bit(qp->repeat->flight, psn))
		*repeat_sent_at(qp->repeat, psn) = sim->fab.now;
}

/**
 * weft_sim_repeat_all() - the timeout has passed: all that is in flight is lost
 * @qp: the queue pair, with a packet that is not acknowledged
 */
void weft_sim_repeat_all(struct weft_sim_qp *qp)
{
	struct weft_sim_repeat *r = qp->repeat;

	r->limit = 1;
	r->arrived = 0;
	for (u32 psn = qp->una; repeat_knows(qp, psn); psn++)
		if (weft_sim_bit(r->flight, psn) || psn == qp->una)
			repeat_mark(r, psn);
}

/* A packet is at the receiver. */
static void repeat_arrived(struct weft_sim *sim, struct weft_sim_repeat *r, u32 psn)
{
	fab_time sent = *repeat_sent_at(r, psn);

	repeat_unmark(r, psn);
	if (!repeat_land(r, psn))
		return;
	if (r->limit < WEFT_SIM_WINDOW && ++r->arrived >= r->limit) {
		r->limit++;
		r->arrived = 0;
	}
	if (weft_sim_bit(r->again, psn) || sent < r->front)
		return;
	r->front = sent;
	r->rtt = sim->fab.now - sent;
}

/* A switch has trimmed packet @psn. */
static void repeat_trimmed(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn)
{
	struct weft_sim_repeat *r = qp->repeat;

	if (!repeat_knows(qp, psn) || !weft_sim_bit(r->flight, psn))
		return;
	repeat_mark(r, psn);
	if (qp->from->cc->lost)
		qp->from->cc->lost(sim, qp, false);
	/* The receiver asks for it in time. */
	if (qp->from->cc->pulled)
		return;
	r->limit = max(r->nflight, 1U);
	r->arrived = 0;
	if (!r->nflight)
		qp->not_before = max(qp->not_before, sim->fab.now + qp->from->reorder);
}

/**
 * weft_sim_repeat_acknowledged() - an acknowledgement is executed
 * @sim: the cell
 * @qp: the queue pair
 * @ack: the acknowledgement; others that were sent later may have come before
 *
 * Return: how many packets more than before are done.
 */
u32 weft_sim_repeat_acknowledged(struct weft_sim *sim, struct weft_sim_qp *qp,
				 const struct weft_sim_pkt *ack)
{
	u32 psn = ack->psn + !ack->nak, packets = 0;
	struct weft_sim_repeat *r = qp->repeat;

	if (!r || (s32)(psn - qp->psn) > 0)
		return 0;
	if ((s32)(psn - qp->una) > 0)
		packets = psn - qp->una;
	for (u32 i = 0; i < packets; i++) {
		repeat_arrived(sim, r, qp->una + i);
		weft_sim_bit_clear(r->again, qp->una + i);
	}
	for (u64 left = ack->held; left; left &= left - 1)
		if (repeat_knows(qp, ack->first + __ffs64(left)))
			repeat_arrived(sim, r, ack->first + __ffs64(left));
	if (packets)
		weft_sim_rc_progress(sim, qp, psn);
	if (ack->nak)
		repeat_trimmed(sim, qp, ack->first);
	repeat_arm(sim, qp);
	return packets;
}
