// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Transport srd: messages between NICs of the EFA kind.
 *
 * The rules are those of kernel/core/srd, with the sizes of kernel/rdma/hdr.c. A message of
 * more bytes than a packet has stands for as many messages: SRD cuts nothing. What a lab has
 * for each other NIC is here for each queue pair, so messages of several channels between
 * two nodes do not share windows.
 */
#include "sim/sim_run.h"

#include <linux/weft.h>
#include <stdlib.h>

#include "core/srd/srd.h"

#define SRD_MTU		8928U
#define SRD_MTU_LEAST	256U
#define SRD_MTU_HEADERS	100U	/* IPv6 40, UDP 8, BTH 12, DETH 8, SRD 8, RETH 16, 4, ICRC 4 */
/* Ethernet 14, IPv6 40, UDP 8, BTH 12, SRD 8, ICRC 4 */
#define SRD_CONTROL	86
#define SRD_HEADER	(SRD_CONTROL + 8)	/* DETH */
#define SRD_ACK		(SRD_CONTROL + 16)	/* AETH, bits */
#define SRD_PAD		4

static u32 path_hash(u32 hash, u32 path)
{
	return (u32)(fab_mix((u64)hash << 8 | path) >> 32) | 1;
}

static const char *srd_refuse(const struct weft_plan_nic *nic)
{
	if (!*nic->device)
		return "it has no RDMA device";
	return nic->nic.verbs.kind == WEFT_VERBS_KIND_EFA ? NULL : "it is not of the EFA kind";
}

static void srd_nic(struct weft_sim_nic *nic)
{
	u32 room = max(nic->plan->mtu, SRD_MTU_LEAST + SRD_MTU_HEADERS) - SRD_MTU_HEADERS;

	nic->mtu = min(room, SRD_MTU) & ~3u;
	nic->header = SRD_HEADER;
	nic->ack_len = SRD_ACK;
	nic->pad = SRD_PAD;
}

static u64 value(const struct weft_verbs *v, u32 attr, u64 set, u64 otherwise)
{
	return v->has & attr ? set : otherwise;
}

static struct fab_srd_params srd_params(const struct weft_sim_nic *nic)
{
	const struct weft_verbs *v = &nic->plan->nic.verbs;

	return (struct fab_srd_params) {
		.paths = (u32)value(v, WEFT_HAS(WEFT_A_VERBS_PATHS), v->paths, WEFT_PATHS),
		.target = value(v, WEFT_HAS(WEFT_A_VERBS_TARGET_DELAY), v->target_delay,
				WEFT_TARGET_DELAY),
		.reorder = value(v, WEFT_HAS(WEFT_A_VERBS_REORDER_TIME), v->reorder_time,
				 WEFT_REORDER_TIME),
		.timeout = value(v, WEFT_HAS(WEFT_A_VERBS_RETRANSMIT_TIME), v->retransmit_time,
				 WEFT_RETRANSMIT_TIME),
	};
}

/* The sender, which is made when the first packet is; NULL without memory. */
static struct fab_srd_tx *srd_sender(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	struct weft_sim_nic *nic = qp->from;
	struct fab_srd_params p = srd_params(nic);
	struct fab_srd_tx *tx = qp->srd_tx;

	if (tx)
		return tx;
	tx = weft_sim_alloc_part(sim, sizeof(*tx));
	if (!tx) {
		weft_sim_fail(sim, "out of memory for the windows of %s", nic->plan->nic.name);
		return NULL;
	}
	fab_srd_tx_init(tx, &p, fab_serialise(nic->mtu + nic->ep.port.wire.p.overhead,
					      nic->ep.port.wire.bps));
	qp->srd_tx = tx;
	return tx;
}

static bool srd_has_packet(const struct weft_sim_qp *qp)
{
	return qp->srd_tx->lost || (qp->tx && fab_srd_has_room(qp->srd_tx));
}

static bool srd_ready(const struct weft_sim_qp *qp)
{
	fab_time when;

	if (!qp->srd_tx)
		return qp->tx;
	return srd_has_packet(qp) &&
	       fab_srd_pick(qp->srd_tx, qp->from->sim->fab.now, &when) >= 0;
}

static struct weft_sim_message *srd_lost(const struct weft_sim_qp *qp, u32 *psn)
{
	if (!qp->srd_tx || !fab_srd_lost_psn(qp->srd_tx, psn))
		return NULL;
	return fab_srd_slot(qp->srd_tx, *psn)->job;
}

/* Something has changed: a packet may be sent, now or when pace allows it. */
static void srd_wake(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	fab_time due = fab_srd_due(qp->srd_tx), when;

	if (due != FAB_NEVER && (!fab_event_pending(&qp->timeout) || qp->timeout.at > due))
		fab_event_move(&sim->fab.events, &qp->timeout, max(due, sim->fab.now));
	if (!srd_has_packet(qp))
		return;
	if (fab_srd_pick(qp->srd_tx, sim->fab.now, &when) >= 0)
		weft_sim_schedule(sim, qp, 0);
	else if (when != FAB_NEVER)
		weft_sim_schedule(sim, qp, when - sim->fab.now);
}

static void srd_build(struct weft_sim_qp *qp, struct weft_sim_pkt *pkt, bool last)
{
	struct weft_sim *sim = qp->from->sim;
	struct fab_srd_tx *tx = srd_sender(sim, qp);
	fab_time when;
	int path;

	if (!tx)
		return;
	path = max(fab_srd_pick(tx, sim->fab.now, &when), 0);
	if (pkt->psn == tx->next)
		fab_srd_add(tx, pkt->message, 0, pkt->payload);
	else
		sim->part->state.repeated++;
	fab_srd_start(tx, pkt->psn, (u32)path, sim->fab.now);
	pkt->path = (u8)path;
	pkt->first = tx->una;
	pkt->p.flow_hash = path_hash(qp->hash, (u32)path);
}

static void srd_sent(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	struct weft_sim_qp *qp = pkt->qp;

	if (pkt->probe)
		return;
	pkt->stamp = sim->fab.now;
	fab_srd_sent(qp->srd_tx, pkt->psn, sim->fab.now);
	srd_wake(sim, qp);
}

/* A probe, from the sender's end. */
static void srd_probe(struct weft_sim *sim, struct weft_sim_qp *qp, u32 path)
{
	struct weft_sim_pkt *pkt = weft_sim_pkt_back(sim, qp);

	if (!pkt)
		return;
	pkt->back = false;
	pkt->probe = true;
	pkt->path = (u8)path;
	pkt->p.len = SRD_CONTROL;
	pkt->p.cls = qp->from->cls;
	pkt->p.sl = (u8)sim->o->sl;
	pkt->p.dst = qp->to->ep.id;
	pkt->p.flow_hash = path_hash(qp->hash, path);
	weft_sim_urgent(sim, qp->from, pkt);
}

static void srd_on_timeout(struct fab *fab, struct fab_event *ev)
{
	struct weft_sim_qp *qp = container_of(ev, struct weft_sim_qp, timeout);
	struct weft_sim *sim = weft_sim_of(fab);
	struct fab_srd_tx *tx = qp->srd_tx;
	u32 psn;
	int path;

	fab_srd_check(tx, fab->now);
	if (fab_srd_gone(tx, &psn)) {
		weft_sim_fail(sim, "a packet from %s to %s was not acknowledged after %u tries",
			      weft_sim_node(sim, qp->from), weft_sim_node(sim, qp->to),
			      FAB_SRD_TRIES);
		return;
	}
	while ((path = fab_srd_probe(tx, fab->now)) >= 0)
		srd_probe(sim, qp, (u32)path);
	srd_wake(sim, qp);
}

static void srd_connect(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	fab_event_init(&qp->timeout, srd_on_timeout);
	fab_event_name(&qp->timeout, fab_name(sim->o->seed, WEFT_SIM_NAME_QP, sim->qps, 1));
}

/* To the sender's end, on the path by which @pkt came. */
static struct weft_sim_pkt *srd_answer(struct weft_sim *sim, const struct weft_sim_pkt *pkt,
				       u32 len)
{
	struct weft_sim_qp *qp = pkt->qp;
	struct weft_sim_pkt *answer = weft_sim_pkt_back(sim, qp);

	if (!answer)
		return NULL;
	answer->path = pkt->path;
	answer->p.len = len;
	answer->p.cls = qp->to->cls;
	answer->p.sl = (u8)sim->o->sl;
	answer->p.flow_hash = path_hash(qp->back, pkt->path);
	return answer;
}

static void srd_ack(struct weft_sim *sim, const struct weft_sim_pkt *pkt)
{
	const struct fab_srd_rx *rx = pkt->qp->srd_rx;
	struct weft_sim_pkt *ack = srd_answer(sim, pkt, pkt->qp->to->ack_len);

	if (!ack)
		return;
	ack->psn = pkt->psn;
	ack->stamp = pkt->stamp;
	ack->epsn = rx->epsn;
	ack->held = fab_srd_rx_bits(rx, pkt->psn, &ack->first);
	weft_sim_urgent(sim, pkt->qp->to, ack);
}

/* The receiver, which is made when the first packet comes; NULL without memory. */
static struct fab_srd_rx *srd_receiver(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	if (qp->srd_rx)
		return qp->srd_rx;
	qp->srd_rx = weft_sim_alloc_part(sim, sizeof(*qp->srd_rx));
	if (qp->srd_rx)
		fab_srd_rx_init(qp->srd_rx, 0);
	else
		weft_sim_fail(sim, "out of memory for the window of %s", qp->to->plan->nic.name);
	return qp->srd_rx;
}

static void srd_data(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	struct fab_srd_rx *rx = srd_receiver(sim, pkt->qp);
	u8 why;

	if (!rx)
		return;
	switch (fab_srd_rx_look(rx, pkt->psn, pkt->first, &why)) {
	case FAB_SRD_NEW:
		fab_srd_rx_set(rx, pkt->psn, FAB_SRD_TAKEN);
		weft_sim_accept(sim, pkt->message);
		break;
	case FAB_SRD_BEYOND:
		return;
	default:
		break;
	}
	srd_ack(sim, pkt);
}

static void srd_acked(struct weft_sim *sim, struct weft_sim_pkt *ack)
{
	struct fab_srd_tx *tx = ack->qp->srd_tx;
	u64 held = ack->held;

	fab_srd_acked(tx, ack->psn, ack->path, ack->stamp, sim->fab.now);
	while (tx->una != tx->next && (s32)(tx->una - ack->epsn) < 0)
		fab_srd_done(tx, tx->una);
	for (; held; held &= held - 1)
		fab_srd_done(tx, ack->first + (u32)__ffs64(held));
}

static void srd_receive(struct weft_sim *sim, struct weft_sim_nic *nic,
			struct weft_sim_pkt *pkt)
{
	struct weft_sim_pkt *answer;

	if (!pkt->back && pkt->probe) {
		answer = srd_answer(sim, pkt, SRD_CONTROL);
		if (!answer)
			return;
		answer->probe = true;
		weft_sim_urgent(sim, nic, answer);
		return;
	}
	if (!pkt->back) {
		srd_data(sim, pkt);
		return;
	}
	if (pkt->probe)
		fab_srd_path_alive(&pkt->qp->srd_tx->path[pkt->path]);
	else
		srd_acked(sim, pkt);
	srd_wake(sim, pkt->qp);
}

const struct weft_sim_transport weft_sim_srd = {
	.name = "srd",
	.refuse = srd_refuse,
	.nic = srd_nic,
	.verbs = true,
	.repeats = true,
	.connect = srd_connect,
	.ready = srd_ready,
	.lost = srd_lost,
	.build = srd_build,
	.sent = srd_sent,
	.receive = srd_receive,
};
