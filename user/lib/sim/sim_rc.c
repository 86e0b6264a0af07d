// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Transport rc: sends of a reliable connection, as verbs make them.
 *
 * Packets have the sizes of kernel/rdma/hdr.c. A send has no extended header, an
 * acknowledgement has an AETH. The last packet of a message asks for an
 * acknowledgement, and so does each ack-every-th (kernel/rdma/requester.c). An
 * acknowledgement that still waits in the NIC is brought up to date instead of
 * followed by another one (respond.c).
 *
 * What is lost is sent again, with all that follows it (go back N). The receiver takes
 * packets in their order only. It tells the sender once that one is missing, and the
 * sender goes back to it (responder.c, acknowledge.c). If nothing is acknowledged for the
 * timeout, it goes back as well (kernel/rdma/retry.c, where the rules are the same). A
 * packet that comes again is acknowledged again.
 *
 * NICs with ordering any take packets as they come, and repeat what is lost and nothing
 * else: sim_hold.c, sim_repeat.c.
 */
#include "sim/sim_run.h"

#include <linux/weft.h>

#include "netlink/discipline.h"

#define RC_WINDOW	(1U << 22)	/* packets that are not acknowledged */
#define RC_TIMEOUT	(4096 * FAB_PS_PER_NS)	/* times 2 to the power of the option */
#define RC_MTU_MAX	4096
#define RC_MTU_MIN	256
#define RC_MTU_HEADERS	80		/* IPv6 40, UDP 8, BTH 12, RETH 16, ICRC 4 */
#define RC_AETH		4
#define RC_SACK		12		/* with ordering any: which packets are held */
#define RC_PAD		4
/* Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4 */
#define RC_ROCE_HEADER	58
/* LRH 8, BTH 12, ICRC 4, VCRC 2, less 24 that are the wire's overhead */
#define RC_IB_HEADER	2

static const char *rc_refuse(const struct weft_plan_nic *nic)
{
	if (nic->nic.verbs.kind == WEFT_VERBS_KIND_EFA)
		return "it is of the EFA kind, which has no connections";
	return *nic->device ? NULL : "it has no RDMA device";
}

static u32 rc_mtu(const struct weft_plan_nic *nic, bool ib)
{
	u32 mtu = RC_MTU_MAX;

	while (!ib && mtu > RC_MTU_MIN && mtu + RC_MTU_HEADERS > nic->mtu)
		mtu /= 2;
	return mtu;
}

static void rc_nic(struct weft_sim_nic *nic)
{
	bool ib = nic->ep.p->port.disc->family == FAB_INFINIBAND;
	const struct weft_verbs *v = &nic->plan->nic.verbs;

	nic->mtu = rc_mtu(nic->plan, ib);
	nic->header = ib ? RC_IB_HEADER : RC_ROCE_HEADER;
	nic->any = v->ordering == WEFT_ORDERING_ANY;
	nic->reorder = v->has & WEFT_HAS(WEFT_A_VERBS_REORDER_TIME) ? v->reorder_time :
								      WEFT_REORDER_TIME;
	nic->ack_len = nic->header + RC_AETH + (nic->any ? RC_SACK : 0);
	nic->pad = RC_PAD;
	/* Any packet of InfiniBand can be marked. On Ethernet the congestion control says so. */
	if (ib)
		nic->ect = FAB_PKT_ECT;
}

static bool rc_ready(const struct weft_sim_qp *qp)
{
	if (qp->from->any)
		return weft_sim_repeat_ready(qp);
	return qp->tx && qp->psn - qp->una < RC_WINDOW &&
	       (!qp->from->cc->window || weft_sim_fits(qp));
}

/* The timeout begins now. Mostly only the deadline moves, and the event looks at it. */
static void rc_arm(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	if (!sim->o->ack_timeout)
		return;
	qp->deadline = sim->fab.now + (RC_TIMEOUT << sim->o->ack_timeout);
	if (!fab_event_pending(&qp->timeout) || qp->timeout.at > qp->deadline)
		fab_event_move(&sim->fab.events, &qp->timeout, qp->deadline);
}

/* Go back to the oldest packet that is not acknowledged; not with ordering any. */
static void rc_rewind(struct weft_sim_qp *qp)
{
	if (qp->from->any)
		return;
	qp->psn = qp->una;
	qp->tx = qp->oldest;
	qp->tx_pkt = qp->tx && qp->tx->numbered ? qp->una - qp->tx->psn : 0;
	qp->since_ack_req = 0;
}

static void rc_retry(struct weft_sim *sim, struct weft_sim_qp *qp, bool timeout)
{
	if (!qp->retries) {
		weft_sim_fail(sim, "a packet from %s to %s was not acknowledged after %u retries",
			      weft_sim_node(sim, qp->from), weft_sim_node(sim, qp->to),
			      sim->o->retries);
		return;
	}
	qp->retries--;
	if (qp->from->cc->lost)
		qp->from->cc->lost(sim, qp, timeout);
	rc_rewind(qp);
	if (qp->from->any) {
		weft_sim_repeat_all(qp);
		rc_arm(sim, qp);
	}
	weft_sim_schedule(sim, qp, 0);
}

static void rc_on_timeout(struct fab *fab, struct fab_event *ev)
{
	struct weft_sim_qp *qp = container_of(ev, struct weft_sim_qp, timeout);

	if (qp->una == qp->high)
		return;
	if (fab->now < qp->deadline)
		fab_event_schedule(&fab->events, ev, qp->deadline);
	else
		rc_retry(weft_sim_of(fab), qp, true);
}

static void rc_connect(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	fab_event_init(&qp->timeout, rc_on_timeout);
	fab_event_name(&qp->timeout, fab_name(sim->o->seed, WEFT_SIM_NAME_QP, sim->qps, 1));
	qp->retries = sim->o->retries;
	if (qp->from->cc->begin)
		qp->from->cc->begin(qp);
}

static void rc_build(struct weft_sim_qp *qp, struct weft_sim_pkt *pkt, bool last)
{
	u32 every = qp->from->plan->nic.verbs.ack_every;
	struct weft_sim *sim = qp->from->sim;

	qp->since_ack_req++;
	pkt->ack_req = last || qp->from->cc->window ||
		       (every && qp->since_ack_req >= every) ||
		       (qp->from->any && weft_sim_repeat_wants_ack(qp));
	if (pkt->ack_req)
		qp->since_ack_req = 0;
	if (qp->from->any)
		weft_sim_repeat_taken(sim, qp, pkt->psn, pkt->psn != qp->high);
	if (qp->from->cc->taken)
		qp->from->cc->taken(qp, pkt, last);
	if (pkt->psn == qp->high)
		qp->high++;
	else
		sim->part->state.repeated++;
	if (!fab_event_pending(&qp->timeout))
		rc_arm(sim, qp);
}

static void rc_sent(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	struct weft_sim_qp *qp = pkt->qp;

	pkt->stamp = sim->fab.now;
	if (qp->from->any)
		weft_sim_repeat_sent(sim, qp, pkt->psn);
	if (pkt->psn == qp->una && qp->una != qp->high)
		rc_arm(sim, qp);
}

/* What an acknowledgement says besides its number. */
static void rc_update(struct weft_sim_qp *qp, struct weft_sim_pkt *ack)
{
	weft_sim_add_news(qp, ack);
	if (qp->to->any)
		weft_sim_hold_tell(qp, ack);
}

static struct weft_sim_pkt *rc_ack(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn)
{
	struct weft_sim_pkt *ack = weft_sim_pkt_back(sim, qp);

	if (!ack)
		return NULL;
	ack->psn = psn;
	ack->p.len = qp->to->ack_len;
	ack->p.cls = qp->to->cls;
	ack->p.sl = (u8)sim->o->sl;
	ack->p.flags |= qp->to->ect;
	rc_update(qp, ack);
	return ack;
}

/**
 * weft_sim_rc_ack() - acknowledge a packet and all before it
 * @sim: the cell
 * @qp: the queue pair
 * @psn: number of the packet
 */
void weft_sim_rc_ack(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn)
{
	struct weft_sim_pkt *ack = qp->queued_ack;

	if (ack) {
		ack->psn = psn;
		rc_update(qp, ack);
		return;
	}
	ack = rc_ack(sim, qp, psn);
	if (!ack)
		return;
	qp->queued_ack = ack;
	weft_sim_urgent(sim, qp->to, ack);
}

/**
 * weft_sim_rc_nak() - say that a packet was trimmed, with ordering any
 * @sim: the cell
 * @qp: the queue pair
 * @psn: number of the packet
 */
void weft_sim_rc_nak(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn)
{
	struct weft_sim_pkt *nak = rc_ack(sim, qp, qp->epsn);

	if (!nak)
		return;
	nak->nak = true;
	nak->first = psn;
	weft_sim_hold_tell(qp, nak);
	weft_sim_urgent(sim, qp->to, nak);
}

/* Tell once that packet @psn is missing. What is acknowledged later goes behind this. */
static void rc_send_nak(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn)
{
	struct weft_sim_pkt *nak;

	if (qp->nak_sent)
		return;
	qp->nak_sent = true;
	qp->queued_ack = NULL;
	nak = rc_ack(sim, qp, psn);
	if (!nak)
		return;
	nak->nak = true;
	weft_sim_urgent(sim, qp->to, nak);
}

/**
 * weft_sim_rc_progress() - all packets before one are acknowledged
 * @sim: the cell
 * @qp: the queue pair
 * @psn: number of the packet, more than before
 */
void weft_sim_rc_progress(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn)
{
	const struct weft_sim_message *m;

	qp->una = psn;
	for (m = qp->oldest; m && m->numbered && psn - m->psn >= m->packets; m = qp->oldest)
		qp->oldest = m->next;
	qp->retries = sim->o->retries;
	/* It was thought to be lost, and is not. */
	if ((s32)(psn - qp->psn) > 0)
		rc_rewind(qp);
	if (psn == qp->high)
		fab_event_cancel(&sim->fab.events, &qp->timeout);
	else
		rc_arm(sim, qp);
}

static void rc_acknowledged_any(struct weft_sim *sim, struct weft_sim_qp *qp,
				const struct weft_sim_pkt *ack)
{
	u32 packets = weft_sim_repeat_acknowledged(sim, qp, ack);

	if (packets && qp->from->cc->acked)
		qp->from->cc->acked(sim, qp, ack, packets);
	if (weft_sim_ready(qp))
		weft_sim_schedule(sim, qp, 0);
}

static void rc_acknowledged(struct weft_sim *sim, struct weft_sim_qp *qp,
			    const struct weft_sim_pkt *ack)
{
	u32 psn = ack->psn + !ack->nak, packets = psn - qp->una;

	/* One that was overtaken by another one. */
	if ((s32)(ack->psn - qp->una) < 0 || (s32)(ack->psn - qp->high) >= 0)
		return;
	if (packets) {
		weft_sim_rc_progress(sim, qp, psn);
		if (qp->from->cc->acked)
			qp->from->cc->acked(sim, qp, ack, packets);
	}
	if (ack->nak)
		rc_retry(sim, qp, false);
	if (weft_sim_ready(qp))
		weft_sim_schedule(sim, qp, 0);
}

static void rc_receive_strict(struct weft_sim *sim, struct weft_sim_qp *qp,
			      struct weft_sim_pkt *pkt)
{
	s32 ahead = (s32)(pkt->psn - qp->epsn);

	if (ahead > 0) {
		rc_send_nak(sim, qp, qp->epsn);
		return;
	}
	if (!ahead) {
		qp->nak_sent = false;
		qp->epsn++;
		qp->ce += !!(pkt->p.flags & FAB_PKT_CE);
		qp->stamp = pkt->stamp;
		weft_sim_accept(sim, pkt->message);
	}
	if (pkt->ack_req)
		weft_sim_rc_ack(sim, qp, qp->epsn - 1);
}

static void rc_receive(struct weft_sim *sim, struct weft_sim_nic *nic,
		       struct weft_sim_pkt *pkt)
{
	if (pkt->back && nic->any)
		rc_acknowledged_any(sim, pkt->qp, pkt);
	else if (pkt->back)
		rc_acknowledged(sim, pkt->qp, pkt);
	else if (nic->any)
		weft_sim_hold_receive(sim, pkt->qp, pkt);
	else
		rc_receive_strict(sim, pkt->qp, pkt);
}

/* With ordering any. What an acknowledgement said is lost. */
static void rc_trimmed(struct weft_sim *sim, const struct weft_sim_pkt *pkt)
{
	sim->part->state.lost++;
	if (!pkt->back)
		weft_sim_hold_trimmed(sim, pkt->qp, pkt);
}

const struct weft_sim_transport weft_sim_rc = {
	.name = "rc",
	.refuse = rc_refuse,
	.nic = rc_nic,
	.verbs = true,
	.repeats = true,
	.connect = rc_connect,
	.ready = rc_ready,
	.lost = weft_sim_repeat_first,
	.build = rc_build,
	.sent = rc_sent,
	.receive = rc_receive,
	.trimmed = rc_trimmed,
};
