// SPDX-License-Identifier: GPL-2.0
/*
 * Unreliable datagrams, QP0 and QP1 among them.
 *
 * DOC: theory of operation
 *
 * A request is one packet, which owns its payload. It is sent when its first bit
 * is on the wire, or when it is lost before. Requests complete in the order of the
 * posts, but packets of a queue pair may use different classes. So a packet that
 * overtakes others completes with the last of those. weft_wqe.packets is 1 until a
 * packet is sent, and then 0.
 *
 * A request with bad memory fails when all before it are complete. The queue pair
 * goes into SQE then, and the rest is flushed.
 *
 * A receiver gets 40 bytes in front of the message: the GRH, or the IP header of
 * RoCE, or zeros. A datagram with a wrong Q_Key, or without a posted receive, is
 * dropped. A datagram that is too long for its receive fails the receive and the
 * queue pair (IBTA 11.6.2).
 *
 * QP0 and QP1 receive only management datagrams, which are 256 bytes long; QP0
 * only those of VL 15, which are those of another QP0. Others are dropped (IBTA
 * 13.5.3.1; qib_ud_rcv() does the same).
 */
#include "rdma/ud.h"

#include <rdma/ib_mad.h>

#include "rdma/dev.h"
#include "rdma/qp.h"
#include "rdma/reduce.h"

#define UD_GRH_BYTES	40

/*
 * UCX reads the kind of the IP header of a RoCE datagram from its service level,
 * in the encoding of NVIDIA's NICs.
 */
#define UD_SL_UCX_IPV4	(8 | 2)
#define UD_SL_UCX_IPV6	(8 | 1)

/* Index of the WQE that is sent next; those before it may have been flushed. */
static u32 ud_wqe_idx(const struct weft_qp *qp)
{
	const struct weft_sq *sq = qp->sq;

	return qp->req.wqe_idx - sq->tail <= sq->head - sq->tail ? qp->req.wqe_idx :
								   sq->tail;
}

/**
 * weft_ud_ready() - is there a datagram to send?
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 * Return: true if there is.
 */
bool weft_ud_ready(const struct weft_qp *qp)
{
	return qp->state == IB_QPS_RTS && ud_wqe_idx(qp) != qp->sq->head;
}

/**
 * weft_ud_class() - class of the next datagram
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 * Return: the class on the first wire; 0 if there is nothing to send.
 */
u8 weft_ud_class(const struct weft_qp *qp)
{
	if (!weft_ud_ready(qp))
		return 0;
	return weft_path_class(qp->dev,
			       &weft_sq_wqe(qp->sq, ud_wqe_idx(qp))->path,
			       qp->ib.qp_num);
}

static struct weft_rpkt *ud_build(const struct weft_wqe *w)
{
	bool imm = w->opcode == IB_WR_SEND_WITH_IMM;
	struct weft_rpkt *p;

	p = weft_rpkt_alloc(imm ? IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE :
				  IB_OPCODE_UD_SEND_ONLY);
	if (!p)
		return NULL;
	if (weft_rpkt_copy_data(p, &w->mem, 0, w->len)) {
		weft_rpkt_free(p);
		return NULL;
	}
	p->imm = w->imm;
	p->qkey = w->remote_qkey;
	if (w->send_flags & IB_SEND_SOLICITED)
		p->flags |= WEFT_RPKT_SOLICITED;
	return p;
}

/* Fail the oldest request and flush the rest. */
static void ud_fail(struct weft_qp *qp)
{
	weft_sq_complete(qp, IB_WC_LOC_PROT_ERR);
	weft_qp_send_error(qp);
}

/* Complete the requests that are sent, in the order of the posts. */
static void ud_complete(struct weft_qp *qp)
{
	struct weft_sq *sq = qp->sq;

	while (sq->tail != sq->head && !weft_sq_wqe(sq, sq->tail)->packets)
		weft_sq_complete(qp, IB_WC_SUCCESS);
	if (qp->state == IB_QPS_SQD && weft_requester_idle(qp))
		weft_qp_drained(qp);
}

/* QP1 has the P_Key that its request names. */
static u16 ud_pkey(const struct weft_qp *qp, const struct weft_wqe *w)
{
	if (qp->ib.qp_num > 1)
		return qp->pkey;
	if (qp->ib.qp_num && qp->dev->sma.managed)
		return weft_rdma_pkey(qp->dev, w->pkey_index);
	return IB_DEFAULT_PKEY_FULL;
}

static void ud_address(struct weft_qp *qp, struct weft_rpkt *p,
		       const struct weft_wqe *w, u32 wqe_idx)
{
	weft_rpkt_address(qp->dev, p, &w->path, qp->ib.qp_num, w->remote_qpn);
	p->pkey = ud_pkey(qp, w);
	weft_reduce_address(qp->dev, p);
	p->psn = qp->req.psn++ & WEFT_PSN_MASK;
	weft_rpkt_set_wqe(p, qp->sq, wqe_idx);
	weft_rdma_count(qp->dev, tx_messages, 1);
}

/**
 * weft_ud_next_packet() - make the datagram that is sent next
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 * Return: the packet, addressed, or NULL if there is none for now.
 */
struct weft_rpkt *weft_ud_next_packet(struct weft_qp *qp)
{
	u32 wqe_idx = ud_wqe_idx(qp);
	struct weft_rpkt *p;
	struct weft_wqe *w;

	if (!weft_ud_ready(qp))
		return NULL;
	w = weft_sq_wqe(qp->sq, wqe_idx);
	if (weft_mem_check(&w->mem, w->len)) {
		if (wqe_idx == qp->sq->tail)
			ud_fail(qp);
		return NULL;
	}
	qp->req.wqe_idx = wqe_idx + 1;
	p = ud_build(w);
	if (p) {
		ud_address(qp, p, w, wqe_idx);
		return p;
	}
	/* Without memory the datagram is lost, as on a wire. */
	w->packets = 0;
	ud_complete(qp);
	weft_port_schedule(qp, 0);
	return NULL;
}

/**
 * weft_ud_sent() - a datagram is on the wire, or lost
 * @qp: queue pair that sent it
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_ud_sent(struct weft_qp *qp, const struct weft_rpkt *p)
{
	if (!p->sq || !weft_sq_live(p->sq, p->wqe_idx))
		return;
	weft_sq_wqe(p->sq, p->wqe_idx)->packets = 0;
	ud_complete(qp);
	if (weft_ud_ready(qp))
		weft_port_schedule(qp, 0);
}

/* Which of its own LIDs a datagram came to; multicast and permissive ones: none. */
static u8 ud_path_bits(const struct weft_rdma_dev *dev, u16 dlid)
{
	return weft_sma_has_lid(dev, dlid) ? dlid & (BIT(dev->sma.port.lmc) - 1) : 0;
}

static void ud_wc_address(const struct weft_qp *qp, const struct weft_rpkt *p,
			  struct ib_wc *wc)
{
	wc->src_qp = p->sqpn;
	wc->port_num = 1;
	wc->sl = p->path.sl;
	if (qp->dev->is_ib) {
		wc->slid = p->path.slid;
		wc->dlid_path_bits = ud_path_bits(qp->dev, p->path.dlid);
		if (qp->ib.qp_num == 1 && qp->dev->sma.managed)
			wc->pkey_index = weft_sma_pkey_find(&qp->dev->sma.port,
							    p->pkey);
		wc->network_hdr_type = RDMA_NETWORK_IB;
		wc->wc_flags |= p->path.has_grh ? IB_WC_GRH : 0;
		return;
	}
	wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
	wc->network_hdr_type = p->path.is_ipv4 ? RDMA_NETWORK_IPV4 :
						 RDMA_NETWORK_IPV6;
	if (p->path.vlan) {
		wc->wc_flags |= IB_WC_WITH_VLAN;
		wc->vlan_id = p->path.vlan;
	}
	if (qp->user)
		wc->sl = p->path.is_ipv4 ? UD_SL_UCX_IPV4 : UD_SL_UCX_IPV6;
}

/* Memory of a receive WQE; its keys are of the protection domain of its queue. */
static struct weft_mem ud_recv_mem(const struct weft_qp *qp,
				   const struct weft_rwqe *w)
{
	return (struct weft_mem) {
		.dev = qp->dev,
		.pd = qp->srq ? qp->srq->ib.pd : qp->ib.pd,
		.sge = w->sge,
		.num_sge = w->num_sge,
		.access = IB_ACCESS_LOCAL_WRITE,
	};
}

static enum ib_wc_status ud_copy(const struct weft_qp *qp,
				 const struct weft_rpkt *p,
				 const struct weft_rwqe *w)
{
	const struct weft_mem to = ud_recv_mem(qp, w);
	struct ib_grh grh;
	const struct weft_mem head = { .kbuf = &grh };
	const struct weft_mem body = { .kbuf = p->data };

	if (w->len < UD_GRH_BYTES + p->len)
		return IB_WC_LOC_LEN_ERR;
	BUILD_BUG_ON(sizeof(grh) != UD_GRH_BYTES);
	weft_rpkt_grh(p, &grh);
	if (weft_mem_copy(&to, 0, &head, 0, UD_GRH_BYTES) ||
	    (p->len && weft_mem_copy(&to, UD_GRH_BYTES, &body, 0, p->len)))
		return IB_WC_LOC_PROT_ERR;
	return IB_WC_SUCCESS;
}

static void ud_complete_recv(struct weft_qp *qp, const struct weft_rpkt *p,
			     const struct weft_rwqe *w)
{
	struct ib_wc wc = {
		.wr_id = w->wr_id,
		.status = ud_copy(qp, p, w),
		.opcode = IB_WC_RECV,
		.byte_len = UD_GRH_BYTES + p->len,
		.qp = &qp->ib,
	};

	if (p->opcode == IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE) {
		wc.wc_flags |= IB_WC_WITH_IMM;
		wc.ex.imm_data = p->imm;
	}
	ud_wc_address(qp, p, &wc);
	if (!weft_cq_push(qp->rcq, &wc, p->flags & WEFT_RPKT_SOLICITED))
		weft_qp_cq_overrun(qp);
	if (wc.status == IB_WC_SUCCESS)
		weft_rdma_count(qp->dev, rx_messages, 1);
	else
		weft_qp_error(qp, 0);
}

/* Subnet management has no Q_Key. */
static bool ud_qkey_matches(const struct weft_qp *qp, const struct weft_rpkt *p)
{
	return !qp->ib.qp_num || p->qkey == qp->attr.qkey;
}

/* QP0 receives only from QP0, and both special QPs only management datagrams. */
static bool ud_is_allowed(const struct weft_qp *qp, const struct weft_rpkt *p)
{
	if (!qp->ib.qp_num != !p->sqpn)
		return false;
	return qp->ib.qp_num > 1 || p->len == IB_MGMT_MAD_SIZE;
}

/**
 * weft_ud_receive() - deliver a datagram
 * @qp: its queue pair, ready to receive
 * @p: the packet, which stays the caller's
 *
 * Context: any; the fabric's lock is held.
 */
void weft_ud_receive(struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct weft_rwqe_max w;
	bool limit_reached = false;

	if (!ud_is_allowed(qp, p)) {
		weft_rdma_count(qp->dev, request_errors, 1);
		return;
	}
	if (!ud_qkey_matches(qp, p)) {
		weft_rdma_count(qp->dev, access_errors, 1);
		weft_sma_bad_qkey(qp->dev, p);
		return;
	}
	if (!weft_rq_pop(weft_qp_rq(qp), &w.w, &limit_reached)) {
		weft_rdma_count(qp->dev, no_receive, 1);
		return;
	}
	ud_complete_recv(qp, p, &w.w);
	if (limit_reached)
		weft_srq_limit_event(qp->srq);
}
