// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NDP: the receiver asks for packets, at the rate of its wire.
 *
 * Source: Handley et al., Re-architecting datacenter networks and stacks for low latency
 * and high performance, SIGCOMM 2017. A sender begins with what the wire takes in a
 * round trip. All else it sends when the receiver asks for it: new packets, and those
 * that a switch has trimmed or that are lost. The receiver wants one more for each packet
 * and for each header of a trimmed packet that comes. It asks its senders in turn, once in
 * the time that a packet takes on its wire. So the wire is full, and the queue in front of
 * it short, whatever the number of senders. A request has the number of all so far, so that the
 * next one makes up for one that is lost.
 *
 * Packets come in any order, as they may be sprayed. A packet with nothing behind it says
 * so, and when all are there the receiver asks no more. A sender that has new messages
 * then begins again.
 */
#include "sim/sim_run.h"

/* As at the begin: so many packets may be sent that nobody asked for. */
static void ndp_open(struct weft_sim_qp *qp)
{
	qp->ndp.allowed = qp->ndp.sent + (u32)(qp->alone / weft_sim_packet_time(qp->from)) + 1;
}

static bool ndp_fits(const struct weft_sim_qp *qp)
{
	return (s32)(qp->ndp.allowed - qp->ndp.sent) > 0;
}

static void ndp_taken(struct weft_sim_qp *qp, struct weft_sim_pkt *pkt, bool last)
{
	qp->ndp.sent++;
	pkt->ends = last && !pkt->message->next;
}

static void ndp_acked(struct weft_sim *sim, struct weft_sim_qp *qp,
		      const struct weft_sim_pkt *ack, u32 packets)
{
	if (qp->una == qp->high)
		ndp_open(qp);
}

/* What was sent is not known to have come: do not wait to be asked. */
static void ndp_lost(struct weft_sim *sim, struct weft_sim_qp *qp, bool timeout)
{
	if (timeout && !ndp_fits(qp))
		qp->ndp.allowed = qp->ndp.sent + 1;
}

static void ndp_pulled(struct weft_sim *sim, struct weft_sim_qp *qp,
		       const struct weft_sim_pkt *pull)
{
	u32 more = pull->psn - qp->ndp.pulled;

	/* One that was overtaken by another one. */
	if ((s32)more <= 0)
		return;
	qp->ndp.pulled = pull->psn;
	qp->ndp.allowed += more;
	if (weft_sim_ready(qp))
		weft_sim_schedule(sim, qp, 0);
}

static void ndp_list(struct weft_sim_nic *nic, struct weft_sim_qp *qp)
{
	qp->ndp.next = NULL;
	if (nic->pull_first)
		nic->pull_last->ndp.next = qp;
	else
		nic->pull_first = qp;
	nic->pull_last = qp;
	qp->ndp.listed = true;
}

static struct weft_sim_qp *ndp_unlist(struct weft_sim_nic *nic)
{
	struct weft_sim_qp *qp = nic->pull_first;

	nic->pull_first = qp->ndp.next;
	qp->ndp.listed = false;
	return qp;
}

/* Ask for one packet. */
static void ndp_pull(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	struct weft_sim_pkt *pull = weft_sim_pkt_back(sim, qp);

	if (!pull)
		return;
	qp->ndp.wanted--;
	pull->pull = true;
	pull->psn = ++qp->ndp.pulls;
	pull->p.len = qp->to->ack_len;
	pull->p.cls = qp->to->cls;
	pull->p.sl = (u8)sim->o->sl;
	weft_sim_urgent(sim, qp->to, pull);
}

static void ndp_on_pull(struct fab *fab, struct fab_event *ev)
{
	struct weft_sim_nic *nic = container_of(ev, struct weft_sim_nic, pull);
	struct weft_sim *sim = weft_sim_of(fab);

	while (nic->pull_first) {
		struct weft_sim_qp *qp = ndp_unlist(nic);

		if (!qp->ndp.wanted)
			continue;
		ndp_pull(sim, qp);
		if (qp->ndp.wanted)
			ndp_list(nic, qp);
		nic->pull_at = fab->now + weft_sim_packet_time(nic);
		fab_event_schedule(&fab->events, ev, nic->pull_at);
		return;
	}
}

static void ndp_came(struct weft_sim *sim, struct weft_sim_qp *qp,
		     const struct weft_sim_pkt *pkt)
{
	struct weft_sim_nic *nic = qp->to;

	if (pkt->ends) {
		qp->ndp.ends = true;
		qp->ndp.end = pkt->psn + 1;
	}
	qp->ndp.wanted++;
	if (qp->ndp.ends && qp->epsn == qp->ndp.end)
		qp->ndp.wanted = 0;
	else if (!qp->ndp.listed)
		ndp_list(nic, qp);
	if (nic->pull_first && !fab_event_pending(&nic->pull))
		fab_event_schedule(&sim->fab.events, &nic->pull,
				   max(nic->pull_at, sim->fab.now));
}

static void ndp_init(struct weft_sim_nic *nic)
{
	fab_event_init(&nic->pull, ndp_on_pull);
	fab_event_name(&nic->pull, fab_name(nic->sim->o->seed, WEFT_SIM_NAME_NIC,
					    nic->ep.id, 2));
}

const struct weft_sim_cc weft_sim_ndp = {
	.name = "ndp",
	.window = true,
	.any = true,
	.init = ndp_init,
	.begin = ndp_open,
	.fits = ndp_fits,
	.taken = ndp_taken,
	.acked = ndp_acked,
	.lost = ndp_lost,
	.came = ndp_came,
	.pulled = ndp_pulled,
};
