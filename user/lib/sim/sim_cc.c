// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reaction of a NIC to marks: DCQCN, by the rules of kernel/core/cc/dcqcn.c.
 *
 * Both halves are where kernel/rdma/cc.c has them: the receiver of a marked packet of a
 * message sends a CNP to its sender, in the class of cnp_sl and not to be marked, and the
 * sender's queue pair paces its packets. The parameters of the NIC at either end turn its
 * half on.
 */
#include "sim/sim_run.h"

#include <linux/weft.h>

#include "sim/sim_port.h"

#define CNP_RESERVED	16	/* bytes behind the BTH */

/**
 * weft_sim_cc_init() - take a NIC's parameters
 * @nic: the NIC, with its plan
 */
void weft_sim_cc_init(struct weft_sim_nic *nic)
{
	const struct weft_dcqcn *from = &nic->plan->nic.verbs.dcqcn;
	struct fab_dcqcn_params *p = &nic->dcqcn;

	/* the lowest class is served first, with 0 behind the others, as in a lab */
	nic->turn = (u8)(nic->cls - 1) < (u8)(nic->cnp_cls - 1);
	nic->reacts = nic->sim->transport->verbs &&
		      nic->plan->nic.verbs.congestion == WEFT_CONGESTION_DCQCN;
	fab_dcqcn_defaults(p);
	p->g = OR(from->has, DCQCN_G, from->g, p->g);
	p->initial_alpha = OR(from->has, DCQCN_INITIAL_ALPHA, from->initial_alpha,
			      p->initial_alpha);
	p->alpha_timer = OR(from->has, DCQCN_ALPHA_TIMER, from->alpha_timer, p->alpha_timer);
	p->reduce_period = OR(from->has, DCQCN_REDUCE_PERIOD, from->reduce_period,
			      p->reduce_period);
	p->increase_timer = OR(from->has, DCQCN_INCREASE_TIMER, from->increase_timer,
			       p->increase_timer);
	p->byte_reset = OR(from->has, DCQCN_BYTE_RESET, from->byte_reset, p->byte_reset);
	p->threshold = OR(from->has, DCQCN_THRESHOLD, from->threshold, p->threshold);
	p->ai_bps = OR(from->has, DCQCN_AI_RATE, from->ai_rate, p->ai_bps);
	p->hai_bps = OR(from->has, DCQCN_HAI_RATE, from->hai_rate, p->hai_bps);
	p->min_bps = OR(from->has, DCQCN_MIN_RATE, from->min_rate, p->min_bps);
	p->clamp_target = OR(from->has, DCQCN_CLAMP_TARGET, from->clamp_target, p->clamp_target);
	p->cnp_interval = OR(from->has, DCQCN_CNP_INTERVAL, from->cnp_interval, p->cnp_interval);
}

/* The reaction point; it is reset when the rate of the port changes. */
static struct fab_dcqcn *reaction(struct weft_sim_qp *qp)
{
	u64 line = qp->from->ep.port.wire.bps;

	if (qp->dcqcn.line_bps != line)
		fab_dcqcn_init(&qp->dcqcn, line);
	return &qp->dcqcn;
}

/**
 * weft_sim_pace() - when may the next packet of a queue pair be taken?
 * @sim: the simulation
 * @qp: the queue pair
 * @len: length of the packet that is taken now, as the model counts it
 *
 * Return: fabric time, at least now.
 */
fab_time weft_sim_pace(struct weft_sim *sim, struct weft_sim_qp *qp, u32 len)
{
	const struct fab_wire_params *w = &qp->from->ep.port.wire.p;
	const struct fab_dcqcn_params *p = &qp->from->dcqcn;
	u32 bytes = max(len, w->min_frame) + w->overhead;
	fab_time now = sim->fab.now;
	struct fab_dcqcn *d;

	if (!qp->from->reacts)
		return now;
	d = reaction(qp);
	fab_dcqcn_on_sent(d, p, now, bytes);
	return d->active ? fab_dcqcn_pass(d, p, now, bytes) : now;
}

/* Annex A10's reaction is not simulated. */
static bool has_ibcc(const struct weft_sim_nic *nic)
{
	return nic->sim->transport->verbs &&
	       nic->plan->nic.verbs.congestion == WEFT_CONGESTION_IBCC;
}

/**
 * weft_sim_marked() - a marked packet is executed
 * @sim: the simulation
 * @pkt: the packet
 *
 * What goes back causes no notification, because nothing paces it.
 */
void weft_sim_marked(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	struct weft_sim_qp *qp = pkt->qp;
	struct weft_sim_nic *nic = qp->to;
	struct weft_sim_pkt *cnp;

	if (has_ibcc(qp->from) || has_ibcc(qp->to))
		weft_sim_fail(sim, "a packet from %s to %s was marked: verbs.congestion: ibcc is not simulated yet; say congestion: none in the group verbs",
			      weft_sim_node(sim, qp->from), weft_sim_node(sim, qp->to));
	sim->state.marked++;
	if (pkt->back || !nic->reacts ||
	    !fab_dcqcn_notify(&qp->cnp_at, &nic->dcqcn, sim->fab.now))
		return;
	cnp = weft_sim_pkt_back(sim, qp);
	if (!cnp)
		return;
	cnp->cnp = true;
	cnp->p.len = nic->header + CNP_RESERVED;
	cnp->p.cls = nic->cnp_cls;
	cnp->p.sl = (u8)nic->plan->nic.verbs.cnp_sl;
	weft_sim_urgent(sim, nic, cnp);
}

/**
 * weft_sim_notified() - a CNP is executed
 * @sim: the simulation
 * @qp: the queue pair that has to slow down
 */
void weft_sim_notified(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	if (qp->from->reacts)
		fab_dcqcn_on_cnp(reaction(qp), &qp->from->dcqcn, sim->fab.now);
}
