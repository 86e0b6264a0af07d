// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reaction of a NIC to marks, by the rules of kernel/core/cc.
 *
 * Both halves are where kernel/rdma/cc.c has them. The receiver of a marked packet of a
 * message notifies its sender, and the sender's queue pair paces its packets. The
 * parameters of the NIC at either end turn its half on.
 *
 * DCQCN, RoCE: the notification is a CNP, in the class of cnp_sl and not to be marked.
 * Annex A10, InfiniBand: it is BECN in the acknowledgement that the marked packet asks
 * for, else a packet of its own with the service level of the marked one.
 */
#include "sim/sim_run.h"

#include <linux/weft.h>

#include "sim/sim_port.h"

#define CNP_RESERVED	16	/* bytes behind the BTH */

/* DCQCN is for RoCE, Annex A10 for InfiniBand. */
static u32 congestion_of(const struct weft_sim_nic *nic)
{
	bool ib = nic->ep.p.port.disc->family == FAB_INFINIBAND;
	u32 cc = nic->plan->nic.verbs.congestion;

	if (!nic->sim->transport->verbs)
		return WEFT_CONGESTION_NONE;
	return cc == (ib ? WEFT_CONGESTION_IBCC : WEFT_CONGESTION_DCQCN) ? cc :
									   WEFT_CONGESTION_NONE;
}

/* The last entry of a short table holds for all higher indexes. */
static void set_ibcc(struct fab_ibcc_params *p, const struct weft_ibcc *from)
{
	struct fab_ibcc_sl all;

	fab_ibcc_defaults(p);
	all = p->sl[0];
	all.increase = (u16)OR(from->has, IBCC_INCREASE, from->increase, all.increase);
	all.min = (u16)OR(from->has, IBCC_MIN, from->min, all.min);
	all.timer = OR(from->has, IBCC_TIMER, from->timer, all.timer);
	fab_ibcc_set_all(p, &all);
	p->limit = (u16)OR(from->has, IBCC_LIMIT, from->limit, p->limit);
	for (u32 i = 0; from->cct.n && i < FAB_CCT_MAX; i++)
		p->cct[i] = from->cct.v[min(i, (u32)from->cct.n - 1)];
}

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
	nic->congestion = congestion_of(nic);
	if (nic->congestion == WEFT_CONGESTION_IBCC)
		set_ibcc(&nic->ibcc, &nic->plan->nic.verbs.ibcc);
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

static fab_time pace_dcqcn(struct weft_sim_qp *qp, fab_time now, u32 bytes)
{
	const struct fab_dcqcn_params *p = &qp->from->dcqcn;
	struct fab_dcqcn *d = reaction(qp);

	fab_dcqcn_on_sent(d, p, now, bytes);
	return d->active ? fab_dcqcn_pass(d, p, now, bytes) : now;
}

static fab_time pace_ibcc(struct weft_sim_qp *qp, fab_time now, u32 bytes, u8 sl)
{
	fab_time time = fab_serialise(bytes, qp->from->ep.port.wire.bps), delay;

	qp->ibcc.sl = sl;
	delay = fab_ibcc_delay(&qp->ibcc, &qp->from->ibcc, now, time);
	return delay ? now + time + delay : now;
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
	u32 bytes = max(len, w->min_frame) + w->overhead;

	switch (qp->from->congestion) {
	case WEFT_CONGESTION_DCQCN:
		return pace_dcqcn(qp, sim->fab.now, bytes);
	case WEFT_CONGESTION_IBCC:
		return pace_ibcc(qp, sim->fab.now, bytes, (u8)sim->o->sl);
	default:
		return sim->fab.now;
	}
}

/* Send a packet that says nothing but that one was marked. */
static void notify(struct weft_sim *sim, struct weft_sim_qp *qp, u8 cls, u8 sl, u8 flags)
{
	struct weft_sim_pkt *cnp = weft_sim_pkt_back(sim, qp);

	if (!cnp)
		return;
	cnp->cnp = true;
	cnp->p.len = qp->to->header + CNP_RESERVED;
	cnp->p.cls = cls;
	cnp->p.sl = sl;
	cnp->p.flags |= flags;
	weft_sim_urgent(sim, qp->to, cnp);
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

	sim->state.marked++;
	if (pkt->back)
		return;
	if (nic->congestion == WEFT_CONGESTION_DCQCN &&
	    fab_dcqcn_notify(&qp->cnp_at, &nic->dcqcn, sim->fab.now))
		notify(sim, qp, nic->cnp_cls, (u8)nic->plan->nic.verbs.cnp_sl, 0);
	if (nic->congestion != WEFT_CONGESTION_IBCC)
		return;
	if (pkt->ack_req)
		qp->becn = true;
	else
		notify(sim, qp, nic->cls, pkt->p.sl, nic->ect);
}

/**
 * weft_sim_add_becn() - set BECN in an acknowledgement, if it is due
 * @qp: the queue pair
 * @ack: the acknowledgement, not sent yet
 */
void weft_sim_add_becn(struct weft_sim_qp *qp, struct weft_sim_pkt *ack)
{
	ack->becn |= qp->becn;
	qp->becn = false;
}

/**
 * weft_sim_notified() - a CNP, or a packet with BECN, is executed
 * @sim: the simulation
 * @qp: the queue pair that has to slow down
 */
void weft_sim_notified(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	if (qp->from->congestion == WEFT_CONGESTION_DCQCN)
		fab_dcqcn_on_cnp(reaction(qp), &qp->from->dcqcn, sim->fab.now);
	if (qp->from->congestion == WEFT_CONGESTION_IBCC)
		fab_ibcc_on_becn(&qp->ibcc, &qp->from->ibcc, sim->fab.now);
}
