// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Transport rc: sends of a reliable connection, as verbs make them, without loss.
 *
 * Packets have the sizes of kernel/rdma/hdr.c. A send has no extended header, an
 * acknowledgement has an AETH. The last packet of a message asks for an
 * acknowledgement, and so does each ack-every-th (kernel/rdma/requester.c). An
 * acknowledgement that still waits in the NIC is brought up to date instead of
 * followed by another one (respond.c).
 */
#include "sim/sim_run.h"

#include <linux/weft.h>

#include "netlink/discipline.h"

#define RC_WINDOW	(1U << 22)	/* packets that are not acknowledged */
#define RC_MTU_MAX	4096
#define RC_MTU_MIN	256
#define RC_MTU_HEADERS	80		/* IPv6 40, UDP 8, BTH 12, RETH 16, ICRC 4 */
#define RC_AETH		4
#define RC_PAD		4
/* Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4 */
#define RC_ROCE_HEADER	58
/* LRH 8, BTH 12, ICRC 4, VCRC 2, less 24 that are the wire's overhead */
#define RC_IB_HEADER	2

static const char *rc_refuse(const struct weft_plan_nic *nic)
{
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
	const struct weft_verbs *v = &nic->plan->nic.verbs;
	bool ib = nic->ep.p.port.disc->family == FAB_INFINIBAND;

	nic->mtu = rc_mtu(nic->plan, ib);
	nic->header = ib ? RC_IB_HEADER : RC_ROCE_HEADER;
	nic->ack_len = nic->header + RC_AETH;
	nic->pad = RC_PAD;
	if (ib || v->congestion == WEFT_CONGESTION_DCQCN)
		nic->ect = FAB_PKT_ECT;
}

static bool rc_ready(const struct weft_sim_qp *qp)
{
	return qp->psn - qp->una < RC_WINDOW;
}

static void rc_build(struct weft_sim_qp *qp, struct weft_sim_pkt *pkt, bool last)
{
	u32 every = qp->from->plan->nic.verbs.ack_every;

	qp->since_ack_req++;
	pkt->ack_req = last || (every && qp->since_ack_req >= every);
	if (pkt->ack_req)
		qp->since_ack_req = 0;
}

static void rc_send_ack(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn)
{
	struct weft_sim_pkt *ack = qp->queued_ack;

	if (ack) {
		ack->psn = psn;
		return;
	}
	ack = weft_sim_pkt_back(sim, qp);
	if (!ack)
		return;
	ack->psn = psn;
	ack->p.len = qp->to->ack_len;
	ack->p.cls = qp->to->cls;
	ack->p.sl = (u8)sim->o->sl;
	ack->p.flags |= qp->to->ect;
	qp->queued_ack = ack;
	weft_sim_urgent(sim, qp->to, ack);
}

static void rc_acknowledged(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn)
{
	if ((s32)(psn + 1 - qp->una) > 0)
		qp->una = psn + 1;
	if (weft_sim_ready(qp))
		weft_sim_schedule(sim, qp, 0);
}

static void rc_receive(struct weft_sim *sim, struct weft_sim_nic *nic,
		       struct weft_sim_pkt *pkt)
{
	struct weft_sim_qp *qp = pkt->qp;

	if (pkt->back) {
		rc_acknowledged(sim, qp, pkt->psn);
		return;
	}
	if (pkt->psn != qp->epsn) {
		weft_sim_fail(sim, "packets from %s to %s came out of order: transport rc repeats no packet; expected select: ecmp or flowlet at the switches",
			      weft_sim_node(sim, qp->from), weft_sim_node(sim, qp->to));
		return;
	}
	qp->epsn++;
	weft_sim_accept(sim, pkt->message);
	if (pkt->ack_req)
		rc_send_ack(sim, qp, pkt->psn);
}

const struct weft_sim_transport weft_sim_rc = {
	.name = "rc",
	.refuse = rc_refuse,
	.nic = rc_nic,
	.verbs = true,
	.ready = rc_ready,
	.build = rc_build,
	.receive = rc_receive,
};
