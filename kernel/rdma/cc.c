// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control of a queue pair: marks, notifications, pacing.
 *
 * DOC: theory of operation
 *
 * A flow is a queue pair. The receiver of a marked packet notifies the sender, and
 * the sender's queue pair paces its packets: by DCQCN over RoCE, by the table of
 * Annex A10 over InfiniBand. core/cc/dcqcn.c and core/cc/ibcc.c have the rules.
 * The parameters of the NIC at either end turn its half on; otherwise marks are
 * only counted.
 *
 * RoCE: a CNP (InfiniBand Architecture Specification, Annex A17) takes the reverse
 * path to the queue pair that sent the packet, with BECN and the service level
 * cnp_sl. Its DSCP is eight times cnp_sl, like NVIDIA's defaults 6 and 48.
 *
 * InfiniBand: FECN in an RC request with AckReq comes back as BECN in its
 * acknowledgement. FECN in any other packet makes a notification packet, with the
 * service level of the marked packet, as on hfi1. There is no least interval
 * between notifications: the marking rate of the switch limits them.
 *
 * Marked acknowledgements and notifications cause no notification, because nothing
 * paces them. Neither do marked multicast packets, which have many receivers.
 *
 * Swift (core/cc/swift.c) is for RC of both. Each packet asks for an acknowledgement, which has
 * the time at which the newest packet that it acknowledges began on the wire. A sender could
 * keep that time itself, so it takes no bytes. What the window limits are packets of
 * requests: responses with the data of reads are not, and repeated packets neither.
 *
 * Pacing: after a packet of n bytes on the wire, the next one may be taken when n
 * bytes have passed at the static rate of the path and at DCQCN's rate; with Annex
 * A10 when the time of the packet on the wire and the delay have passed. Without
 * any of these it may be taken at once. Time in which the queue pair had nothing
 * to send, or had no turn, is not made up for.
 */
#include "rdma/cc.h"

#include "rdma/dev.h"
#include "rdma/qp.h"

#define CC_OPCODE_CN	IB_OPCODE_CNP	/* InfiniBand */

/* Congestion control of this end: DCQCN is for RoCE, Annex A10 for InfiniBand. */
static enum weft_cc cc_kind(const struct weft_rdma_dev *dev)
{
	enum weft_cc cc = weft_rdma_params(dev)->cc;

	return cc == WEFT_CC_SWIFT || cc == (dev->is_ib ? WEFT_CC_IBCC : WEFT_CC_DCQCN) ? cc :
								   WEFT_CC_NONE;
}

static fab_time cc_now(const struct weft_qp *qp)
{
	return weft_rdma_fab(qp->dev)->now;
}

/**
 * weft_cc_init() - reset the congestion control of a queue pair
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 */
void weft_cc_init(struct weft_qp *qp)
{
	memset(&qp->cc, 0, sizeof(qp->cc));
	qp->cc.ibcc.fall_at = FAB_NEVER;
}

/* The reaction point; it is reset when the rate of the port changes. */
static struct fab_dcqcn *cc_dcqcn(struct weft_qp *qp)
{
	u64 line = weft_port_rate(qp->dev);

	if (qp->cc.dcqcn.line_bps != line)
		fab_dcqcn_init(&qp->cc.dcqcn, line);
	return &qp->cc.dcqcn;
}

/* Some rate cuts happen later than the CNP that caused them: count the difference. */
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

static fab_time cc_pace_ibcc(struct weft_qp *qp, u32 bytes, u8 sl)
{
	const struct fab_ibcc_params *p = &weft_rdma_params(qp->dev)->ibcc;
	fab_time time = fab_serialise(bytes, weft_port_rate(qp->dev));
	fab_time delay;

	qp->cc.ibcc.sl = sl % FAB_IBCC_SLS;
	delay = fab_ibcc_delay(&qp->cc.ibcc, p, cc_now(qp), time);
	return delay ? cc_now(qp) + time + delay : 0;
}

/*
 * The window of Swift. It begins with the first packet, whose headers tell how long a full one
 * takes on the wire.
 */
static fab_time cc_pace_swift(struct weft_qp *qp, const struct weft_rpkt *p, u32 bytes)
{
	u32 full = bytes - round_up(p->len, 4) + qp->mtu;
	struct fab_swift *s = &qp->cc.swift;

	if (!s->cwnd)
		fab_swift_init(s, weft_rdma_params(qp->dev)->target,
			       fab_serialise(full, weft_port_rate(qp->dev)));
	return fab_swift_pace(s, cc_now(qp));
}

static noinline fab_time cc_pace(struct weft_qp *qp, const struct weft_rpkt *p, u32 bytes,
				 enum weft_cc kind)
{
	fab_time next = cc_now(qp);
	u64 rate = p->path.rate_bps;

	if (rate && rate < weft_port_rate(qp->dev))
		next += fab_serialise(bytes, rate);
	switch (kind) {
	case WEFT_CC_DCQCN:
		return max(next, cc_pace_dcqcn(qp, bytes));
	case WEFT_CC_IBCC:
		return max(next, cc_pace_ibcc(qp, bytes, p->path.sl));
	case WEFT_CC_SWIFT:
		if (!weft_cc_has_window(qp) || weft_opcode_is_response(p->opcode))
			return next;
		return max(next, cc_pace_swift(qp, p, bytes));
	case WEFT_CC_NONE:
		break;
	}
	return next;
}

/**
 * weft_cc_pace() - when may the next packet be taken?
 * @qp: queue pair that a packet was just taken from
 * @p: the packet, addressed
 * @bytes: its length on the wire
 *
 * Context: any; the fabric's lock is held, the NIC is there.
 * Return: fabric time, at least now.
 */
fab_time weft_cc_pace(struct weft_qp *qp, const struct weft_rpkt *p, u32 bytes)
{
	enum weft_cc kind = cc_kind(qp->dev);

	return kind == WEFT_CC_NONE && !p->path.rate_bps ? cc_now(qp) :
							   cc_pace(qp, p, bytes, kind);
}

/* The path to the source of a packet. */
static struct weft_path cc_reverse_path(const struct weft_path *way)
{
	struct weft_path back = *way;

	back.sgid = way->dgid;
	back.dgid = way->sgid;
	memcpy(back.smac, way->dmac, sizeof(back.smac));
	memcpy(back.dmac, way->smac, sizeof(back.dmac));
	back.slid = way->dlid;
	back.path_bits = way->dlid;
	back.dlid = way->slid;
	back.rate_bps = 0;
	return back;
}

/* Return: false without memory for it, or without room in the port. */
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

/* Can the sender slow down such packets? */
static bool cc_may_notify(const struct weft_rpkt *p)
{
	return p->opcode != IB_OPCODE_RC_ACKNOWLEDGE &&
	       weft_opcode_transport(p->opcode) != IB_OPCODE_CNP &&
	       !(p->hw.pkt.flags & FAB_PKT_MULTICAST);
}

/**
 * weft_cc_marked() - handle a marked packet
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
	case WEFT_CC_SWIFT:
	case WEFT_CC_NONE:
		break;
	}
}

/**
 * weft_cc_add_news() - set time stamp, and BECN if it is due, in an acknowledgement
 * @qp: queue pair that acknowledges
 * @ack: the acknowledgement, not sent yet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_cc_add_news(struct weft_qp *qp, struct weft_rpkt *ack)
{
	ack->stamp = qp->cc.stamp;
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

	if (!fab_ibcc_on_becn(&qp->cc.ibcc, p, cc_now(qp)))
		return;
	weft_rdma_count(qp->dev, rate_cuts, 1);
	weft_cc_agent_log(qp);
}

/**
 * weft_cc_notified() - handle a CNP, or a packet with BECN
 * @qp: the queue pair that has to slow down
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
	case WEFT_CC_SWIFT:
	case WEFT_CC_NONE:
		break;
	}
}

/**
 * weft_cc_acked() - an acknowledgement is executed
 * @qp: the queue pair that sent what it acknowledges
 * @ack: the acknowledgement
 * @packets: how many more than before are acknowledged
 *
 * Context: any; the fabric's lock is held.
 */
void weft_cc_acked(struct weft_qp *qp, const struct weft_rpkt *ack, u32 packets)
{
	fab_time now = cc_now(qp);

	if (!packets || !ack->stamp || !weft_cc_has_window(qp) || !qp->cc.swift.cwnd)
		return;
	if (fab_swift_acked(&qp->cc.swift, now, now - ack->stamp, packets))
		weft_rdma_count(qp->dev, rate_cuts, 1);
}

/**
 * weft_cc_lost() - a packet is missing, or nothing came back for long
 * @qp: the queue pair that sent it
 *
 * Context: any; the fabric's lock is held.
 */
void weft_cc_lost(struct weft_qp *qp)
{
	if (weft_cc_has_window(qp) && qp->cc.swift.cwnd &&
	    fab_swift_lost(&qp->cc.swift, cc_now(qp)))
		weft_rdma_count(qp->dev, rate_cuts, 1);
}

/**
 * weft_cc_fits() - has the window of a queue pair room for a new packet?
 * @qp: the queue pair, which has a window (weft_cc_has_window())
 *
 * Context: any; the fabric's lock is held.
 * Return: true if it has.
 */
bool weft_cc_fits(const struct weft_qp *qp)
{
	return fab_swift_fits(&qp->cc.swift, (qp->req.psn - qp->req.una) & WEFT_PSN_MASK);
}
