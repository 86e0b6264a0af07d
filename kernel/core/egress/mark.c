// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion marks at an egress queue: RED with ECN, and InfiniBand's FECN.
 *
 * DOC: theory of operation
 *
 * A switch decides once for each packet, when it joins its class queue or when it
 * leaves it. It compares the length of the queue without the packet, over all
 * ingress ports. At the end of the queue DCTCP compares the same (Alizadeh et al.,
 * SIGCOMM 2010, 3.1), and at its head the ns-3 model of HPCC, which takes the packet
 * off first.
 *
 * RED (Floyd and Jacobson 1993) as in today's switches: the instantaneous length
 * without an average, a linear probability from kmin to kmax, and probability 1
 * above. A chosen packet is marked if its transport understands marks (ECT, RFC
 * 3168); otherwise nothing happens, because the model drops nothing early.
 *
 * FECN (InfiniBand Architecture Specification, Annex A10): a VL of an output port is
 * congested if the queued bytes reach the threshold. With credit its own load is the
 * cause: it is the root of the congestion and marks. Without credit it is a victim of
 * another port downstream, and marks only if the parameters say so. InfiniBand has no
 * ECT: any packet can be marked.
 *
 * The marking rate is a mean: each packet is chosen at random. A counter would have
 * the same mean, but if n flows take turns and the distance is a multiple of n, it
 * would always choose the same flow.
 *
 * A train of frames is one decision and is marked as a whole.
 *
 * Not modelled: averages, early drops, the gentle slope above kmax; FECN's
 * hysteresis, which Annex A10 leaves to the switch, and credit starvation
 * (Credit_Mask, CS_Threshold) as a second sign of congestion.
 */
#include "core/egress/mark.h"
#include "core/fabric.h"
#include "core/sim/rng.h"

#define MARK_BLOCK	64U	/* bytes */

static bool red_used(const struct fab_red *red)
{
	return red->kmax;
}

/**
 * fab_mark_params_check() - can the model carry these parameters?
 * @p: the parameters
 *
 * Return: 0; -EINVAL for thresholds in the wrong order or a probability above 1.
 */
int fab_mark_params_check(const struct fab_mark_params *p)
{
	const struct fab_red *red;
	u32 i;

	for (i = 0; i < FAB_CLASSES_MAX; i++) {
		red = &p->red[i];
		if (red->kmin > red->kmax || red->pmax > FAB_MARK_ONE)
			return -EINVAL;
	}
	return 0;
}

/**
 * fab_mark_used() - does a port ever mark a packet?
 * @port: a port of a switch; its faults excepted
 *
 * Return: whether a class has thresholds, or FECN has one.
 */
bool fab_mark_used(const struct fab_port *port)
{
	u32 i;

	for (i = 0; i < FAB_CLASSES_MAX; i++)
		if (red_used(&port->p->mark.red[i]))
			return true;
	return port->mark.fecn.threshold;
}

/**
 * fab_mark_init() - initialise the marks of a port
 * @fab: the fabric
 * @port: a port of a switch
 */
void fab_mark_init(struct fab *fab, struct fab_port *port)
{
	u64 id = (u64)port->sw->id << 32 | port->index;

	port->mark.rng = fab_mix(fab->seed + fab_mix(~id));
	port->mark.fecn = port->p->mark.fecn;
}

/**
 * fab_mark_fecn_set() - change FECN of one port
 * @port: a port of a switch
 * @fecn: the parameters
 */
void fab_mark_fecn_set(struct fab_port *port, const struct fab_fecn *fecn)
{
	port->mark.fecn = *fecn;
	if (port->faults.marks || fab_mark_used(port))
		port->special |= FAB_SPECIAL_MARK;
	else
		port->special &= ~FAB_SPECIAL_MARK;
}

static u64 mark_scale(u64 *rng, u32 n)
{
	return (fab_rng_next(rng) >> 32) * n >> 32;
}

/* Probability for @q bytes in ppm, rounded down. */
static u32 red_probability(const struct fab_red *red, u64 q)
{
	if (q <= red->kmin)
		return 0;
	if (q > red->kmax)
		return FAB_MARK_ONE;
	return div64_u64(red->pmax * (q - red->kmin),
			 red->kmax - red->kmin);
}

static bool red_hits(const struct fab_red *red, u64 *rng, u64 q)
{
	u32 ppm = red_used(red) ? red_probability(red, q) : 0;

	return ppm && mark_scale(rng, FAB_MARK_ONE) < ppm;
}

static bool red_marks(struct fab_port *port, const struct fab_pkt *pkt)
{
	u64 q = port->cls[pkt->cls].bytes;
	struct fab_fault *f;
	bool own;

	if (!(pkt->flags & FAB_PKT_ECT))
		return false;
	own = red_hits(&port->p->mark.red[pkt->cls], &port->mark.rng, q);
	f = fab_fault_marks(port, pkt->cls);
	if (likely(!f))
		return own;
	if (!red_hits(&f->p.red, &f->rng, q))
		return false;
	f->c.packets += pkt->segs;
	return true;
}

static bool fecn_marks(struct fab_port *port, const struct fab_pkt *pkt)
{
	const struct fab_fecn *fecn = &port->mark.fecn;

	if (!fecn->threshold || port->cls[pkt->cls].bytes < fecn->threshold)
		return false;
	if (DIV_ROUND_UP(pkt->len / pkt->segs, MARK_BLOCK) < fecn->packet_size)
		return false;
	if (!fecn->victim && !fab_port_may_send(port, pkt))
		return false;
	return !mark_scale(&port->mark.rng, fecn->marking_rate + 1U);
}

/**
 * fab_mark_look() - mark a packet, or not
 * @fab: the fabric
 * @port: egress port, whose special has FAB_SPECIAL_MARK
 * @pkt: the packet, not in the queue yet or not any more
 *
 * At the head of the queue the packet's own credit is taken already: there a VL
 * has credit if another packet like it could follow.
 */
void fab_mark_look(struct fab *fab, struct fab_port *port, struct fab_pkt *pkt)
{
	if (pkt->flags & FAB_PKT_CE)
		return;
	/* Nobody slows down management. */
	if (pkt->cls == FAB_VL_MGMT && fab_port_manages(port))
		return;
	if (!red_marks(port, pkt) && !fecn_marks(port, pkt))
		return;
	pkt->flags |= FAB_PKT_CE;
	port->cls[pkt->cls].c.marked += pkt->segs;
	fab_trace_pkt(fab, port, pkt, FAB_TRACE_MARK);
}
