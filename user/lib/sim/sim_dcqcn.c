// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DCQCN (RoCE), by the rules of kernel/core/cc/dcqcn.c.
 *
 * Both halves are where kernel/rdma/cc.c has them. The receiver of a marked packet sends
 * a CNP, in the class of cnp_sl and not to be marked. The sender's queue pair paces its
 * packets.
 */
#include "sim/sim_run.h"

#include <linux/weft.h>

#include "sim/sim_port.h"

static void dcqcn_init(struct weft_sim_nic *nic)
{
	const struct weft_dcqcn *from = &nic->plan->nic.verbs.dcqcn;
	struct fab_dcqcn_params *p = &nic->dcqcn;

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
static struct fab_dcqcn *dcqcn_of(struct weft_sim_qp *qp)
{
	u64 line = qp->from->ep.port.wire.bps;

	if (qp->dcqcn.line_bps != line)
		fab_dcqcn_init(&qp->dcqcn, line);
	return &qp->dcqcn;
}

static fab_time dcqcn_pace(struct weft_sim *sim, struct weft_sim_qp *qp, u32 bytes)
{
	const struct fab_dcqcn_params *p = &qp->from->dcqcn;
	struct fab_dcqcn *d = dcqcn_of(qp);
	fab_time now = sim->fab.now;

	fab_dcqcn_on_sent(d, p, now, bytes);
	return d->active ? fab_dcqcn_pass(d, p, now, bytes) : now;
}

static void dcqcn_marked(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	struct weft_sim_qp *qp = pkt->qp;
	struct weft_sim_nic *nic = qp->to;

	if (fab_dcqcn_notify(&qp->cnp_at, &nic->dcqcn, sim->fab.now))
		weft_sim_notify(sim, qp, nic->cnp_cls, (u8)nic->plan->nic.verbs.cnp_sl, 0);
}

static void dcqcn_notified(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	fab_dcqcn_on_cnp(dcqcn_of(qp), &qp->from->dcqcn, sim->fab.now);
}

const struct weft_sim_cc weft_sim_dcqcn = {
	.name = "dcqcn",
	.links = WEFT_SIM_CC_ETHERNET,
	.ect = true,
	.init = dcqcn_init,
	.pace = dcqcn_pace,
	.marked = dcqcn_marked,
	.notified = dcqcn_notified,
};
