// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control of a queue pair: marks, notifications, pace.
 *
 * DOC: theory of operation
 *
 * A flow is a queue pair. A packet that comes marked makes its receiver notify
 * the sender, and the sender's queue pair takes its time between packets: by
 * DCQCN over RoCE, by Annex A10's table over InfiniBand (core/cc/dcqcn.c and
 * core/cc/ibcc.c have the rules), each where the parameters of its own NIC say so.
 * Without, marks are counted and that is all.
 *
 * RoCE: a CNP (InfiniBand Architecture Specification, Annex A17) goes back the
 * way that the packet came, to the queue pair that sent it, with BECN and the
 * service level cnp_sl. Its DSCP is eight times that, as NVIDIA's 6 and 48 are.
 *
 * InfiniBand: FECN in a request of a reliable connection that asks for an
 * acknowledgement comes back as BECN in that; any other makes a notification
 * packet of its own, with the service level of the packet, as hfi1 sends it. There
 * is no least time between two: the switch's marking rate is the measure.
 *
 * Acknowledgements and notifications that come marked notify nobody, as nothing
 * slows them down; neither do multicasts, which have many receivers.
 *
 * Pace: after a packet of n bytes on the wire the next one may be taken when n
 * bytes have passed at the static rate of the path and at DCQCN's; with Annex A10
 * when the packet's own time and the delay are over. Where nothing holds it back it
 * may be taken at once. Time in which the queue pair had nothing to send, or no
 * turn, is lost.
 */
#include "rdma/cc.h"

#include "rdma/dev.h"
#include "rdma/qp.h"

#define CC_OPCODE_CN	IB_OPCODE_CNP	/* of InfiniBand */

/* What holds at this end: each kind of link has its own. */
static enum weft_cc cc_kind(const struct weft_rdma_dev *dev)
{
	enum weft_cc cc = weft_rdma_params(dev)->cc;

	return cc == (dev->is_ib ? WEFT_CC_IBCC : WEFT_CC_DCQCN) ? cc :
								   WEFT_CC_NONE;
}

static fab_time cc_now(const struct weft_qp *qp)
{
	return weft_rdma_fab(qp->dev)->now;
}

/**
 * weft_cc_init() - a queue pair that knows of no congestion
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 */
void weft_cc_init(struct weft_qp *qp)
{
	memset(&qp->cc, 0, sizeof(qp->cc));
	qp->cc.ibcc.fall_at = FAB_NEVER;
}

/* The reaction point, which begins anew when the port has another rate. */
static struct fab_dcqcn *cc_dcqcn(struct weft_qp *qp)
{
	u64 line = weft_port_rate(qp->dev);

	if (qp->cc.dcqcn.line_bps != line)
		fab_dcqcn_init(&qp->cc.dcqcn, line);
	return &qp->cc.dcqcn;
}

/* Some cuts are due later than what asked for them, so they are counted so. */
static void cc_count_cuts(struct weft_qp *qp, u64 before)
{
	weft_rdma_count(qp->dev, rate_cuts, qp->cc.dcqcn.cuts - before);
}

static fab_time cc_pace_dcqcn(struct weft_qp *qp, u32 bytes)
{
	const struct fab_dcqcn_params *p = &weft_rdma_params(qp->dev)->dcqcn;
	struct fab_dcqcn *d = cc_dcqcn(qp);
	u64 cuts = d->cuts;

	fab_dcqcn_on_sent(d, p, cc_now(qp), bytes);
	cc_count_cuts(qp, cuts);
	return d->active ? fab_dcqcn_pass(d, p, cc_now(qp), bytes) : 0;
}

static fab_time cc_pace_ibcc(struct weft_qp *qp, u32 bytes)
{
	const struct fab_ibcc_params *p = &weft_rdma_params(qp->dev)->ibcc;
	fab_time time = fab_serialise(bytes, weft_port_rate(qp->dev));
	fab_time delay;

	delay = fab_ibcc_delay(&qp->cc.ibcc, p, cc_now(qp), time);
	return delay ? cc_now(qp) + time + delay : 0;
}

/**
 * weft_cc_pace() - when may the next packet be taken?
 * @qp: queue pair that a packet was just taken from
 * @p: the packet, addressed
 * @bytes: what it is on the wire
 *
 * Context: any; the fabric's lock is held, the NIC is there.
 * Return: fabric time, not before the present.
 */
fab_time weft_cc_pace(struct weft_qp *qp, const struct weft_rpkt *p, u32 bytes)
{
	enum weft_cc kind = cc_kind(qp->dev);
	fab_time next = cc_now(qp);
	u64 rate = p->path.rate_bps;

	if (rate && rate < weft_port_rate(qp->dev))
		next += fab_serialise(bytes, rate);
	if (kind == WEFT_CC_DCQCN)
		next = max(next, cc_pace_dcqcn(qp, bytes));
	if (kind == WEFT_CC_IBCC)
		next = max(next, cc_pace_ibcc(qp, bytes));
	return next;
}

/* The way back to where a packet came from. */
static struct weft_path cc_reverse_path(const struct weft_path *way)
{
	struct weft_path back = *way;

	back.sgid = way->dgid;
	back.dgid = way->sgid;
	memcpy(back.smac, way->dmac, sizeof(back.smac));
	memcpy(back.dmac, way->smac, sizeof(back.dmac));
	back.slid = way->dlid;
	back.dlid = way->slid;
	back.rate_bps = 0;
	return back;
}

/* Return: whether there was memory for it, and room in the port. */
static bool cc_send(struct weft_qp *qp, const struct weft_rpkt *marked,
		    u8 opcode, const struct weft_path *path)
{
	struct weft_rpkt *p = weft_rpkt_alloc(opcode);

	if (!p)
		return false;
	p->flags |= WEFT_RPKT_BECN;
	p->pkey = marked->pkey;
	weft_rpkt_address(qp->dev, p, path, qp->ib.qp_num, marked->sqpn);
	if (weft_port_urgent_full(qp->dev, p->hw.pkt.cls)) {
		weft_rpkt_free(p);
		return false;
	}
	weft_port_urgent(qp->dev, p);
	return true;
}

static void cc_notify_roce(struct weft_qp *qp, const struct weft_rpkt *marked)
{
	const struct weft_verbs_params *v = weft_rdma_params(qp->dev);
	struct weft_path path = cc_reverse_path(&marked->path);

	if (!fab_dcqcn_notify(&qp->cc.cnp_at, &v->dcqcn, cc_now(qp)))
		return;
	weft_path_hash(qp->dev, &path);
	path.sl = v->cnp_sl;
	path.tclass = (v->cnp_sl & 7) << 5;
	if (cc_send(qp, marked, WEFT_OPCODE_CNP, &path))
		weft_rdma_count(qp->dev, cnp_sent, 1);
}

static void cc_notify_ib(struct weft_qp *qp, const struct weft_rpkt *marked)
{
	struct weft_path path = cc_reverse_path(&marked->path);

	if (qp->ib.qp_type == IB_QPT_RC && marked->flags & WEFT_RPKT_ACK_REQ)
		qp->cc.becn = true;
	else if (cc_send(qp, marked, CC_OPCODE_CN, &path))
		weft_rdma_count(qp->dev, becn_sent, 1);
}

/* Can the sender do something about it? */
static bool cc_may_notify(const struct weft_rpkt *p)
{
	return p->opcode != IB_OPCODE_RC_ACKNOWLEDGE &&
	       weft_opcode_transport(p->opcode) != IB_OPCODE_CNP &&
	       !(p->hw.pkt.flags & FAB_PKT_MULTICAST);
}

/**
 * weft_cc_marked() - a packet came marked
 * @qp: the queue pair that it is for
 * @p: the packet
 *
 * Context: any; the fabric's lock is held, the NIC is there.
 */
void weft_cc_marked(struct weft_qp *qp, const struct weft_rpkt *p)
{
	weft_rdma_count(qp->dev, ecn_marked, 1);
	if (!cc_may_notify(p))
		return;
	switch (cc_kind(qp->dev)) {
	case WEFT_CC_DCQCN:
		cc_notify_roce(qp, p);
		break;
	case WEFT_CC_IBCC:
		cc_notify_ib(qp, p);
		break;
	case WEFT_CC_NONE:
		break;
	}
}

/**
 * weft_cc_add_becn() - let an acknowledgement carry what is to be notified
 * @qp: queue pair that acknowledges
 * @ack: the acknowledgement, not sent yet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_cc_add_becn(struct weft_qp *qp, struct weft_rpkt *ack)
{
	if (!qp->cc.becn)
		return;
	qp->cc.becn = false;
	ack->flags |= WEFT_RPKT_BECN;
	weft_rdma_count(qp->dev, becn_sent, 1);
}

static void cc_cut_dcqcn(struct weft_qp *qp)
{
	struct fab_dcqcn *d = cc_dcqcn(qp);
	u64 cuts = d->cuts;

	fab_dcqcn_on_cnp(d, &weft_rdma_params(qp->dev)->dcqcn, cc_now(qp));
	cc_count_cuts(qp, cuts);
}

static void cc_cut_ibcc(struct weft_qp *qp)
{
	const struct fab_ibcc_params *p = &weft_rdma_params(qp->dev)->ibcc;

	if (fab_ibcc_on_becn(&qp->cc.ibcc, p, cc_now(qp)))
		weft_rdma_count(qp->dev, rate_cuts, 1);
}

/**
 * weft_cc_notified() - a notification came, or a packet with BECN
 * @qp: the queue pair that is to slow down
 *
 * Context: any; the fabric's lock is held, the NIC is there.
 */
void weft_cc_notified(struct weft_qp *qp)
{
	if (qp->dev->is_ib)
		weft_rdma_count(qp->dev, becn_handled, 1);
	else
		weft_rdma_count(qp->dev, cnp_handled, 1);
	switch (cc_kind(qp->dev)) {
	case WEFT_CC_DCQCN:
		cc_cut_dcqcn(qp);
		break;
	case WEFT_CC_IBCC:
		cc_cut_ibcc(qp);
		break;
	case WEFT_CC_NONE:
		break;
	}
}
