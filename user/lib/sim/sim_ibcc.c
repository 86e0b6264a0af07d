// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * InfiniBand's congestion control (Annex A10), by the rules of kernel/core/cc/ibcc.c.
 *
 * Both halves are where kernel/rdma/cc.c has them. BECN comes back in the acknowledgement
 * that the marked packet asks for, else in a packet of its own with the service level of
 * the marked one. The sender's queue pair waits after each packet as the table says.
 */
#include "sim/sim_run.h"

#include <linux/weft.h>

#include "sim/sim_port.h"

/* The last entry of a short table holds for all higher indexes. */
static void ibcc_init(struct weft_sim_nic *nic)
{
	const struct weft_ibcc *from = &nic->plan->nic.verbs.ibcc;
	struct fab_ibcc_params *p = &nic->ibcc;
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

static void ibcc_begin(struct weft_sim_qp *qp)
{
	qp->ibcc.fall_at = FAB_NEVER;
}

static fab_time ibcc_pace(struct weft_sim *sim, struct weft_sim_qp *qp, u32 bytes)
{
	fab_time time = fab_serialise(bytes, qp->from->ep.port.wire.bps), delay;
	fab_time now = sim->fab.now;

	qp->ibcc.sl = (u8)sim->o->sl;
	delay = fab_ibcc_delay(&qp->ibcc, &qp->from->ibcc, now, time);
	return delay ? now + time + delay : now;
}

static void ibcc_marked(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	struct weft_sim_qp *qp = pkt->qp;

	if (pkt->ack_req)
		qp->becn = true;
	else
		weft_sim_notify(sim, qp, qp->to->cls, pkt->p.sl, qp->to->ect);
}

static void ibcc_notified(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	fab_ibcc_on_becn(&qp->ibcc, &qp->from->ibcc, sim->fab.now);
}

const struct weft_sim_cc weft_sim_ibcc = {
	.name = "ibcc",
	.links = WEFT_SIM_CC_IB,
	.init = ibcc_init,
	.begin = ibcc_begin,
	.pace = ibcc_pace,
	.marked = ibcc_marked,
	.notified = ibcc_notified,
};
