// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver of SRD: packets are executed as they come.
 */
#include <linux/etherdevice.h>

#include "rdma/mem.h"
#include "rdma/srd/peer.h"

#define RECEIVE_LATER	U8_MAX	/* no memory: as if it had not come */

/* Path to the source of a packet. */
static struct weft_path reverse_path(const struct weft_path *way)
{
	struct weft_path back = *way;

	back.sgid = way->dgid;
	back.dgid = way->sgid;
	ether_addr_copy(back.smac, way->dmac);
	ether_addr_copy(back.dmac, way->smac);
	return back;
}

static u8 receive_send(struct weft_efa_qp *qp, const struct weft_rpkt *p)
{
	u8 status = weft_efa_deliver(qp, p);

	if (status == EFA_RNR)
		weft_rdma_count(qp->dev, rnr_sent, 1);
	return status;
}

static struct weft_mem remote_mem(const struct weft_efa_qp *qp, const struct ib_sge *sge,
				  int access)
{
	return (struct weft_mem) {
		.dev = qp->dev,
		.pd = qp->ib.pd,
		.sge = sge,
		.num_sge = 1,
		.access = access,
	};
}

static u8 receive_write(struct weft_efa_qp *qp, const struct weft_rpkt *p)
{
	const struct ib_sge sge = { .addr = p->va, .length = p->len, .lkey = p->rkey };
	const struct weft_mem to = remote_mem(qp, &sge, IB_ACCESS_REMOTE_WRITE);
	const struct weft_mem from = { .kbuf = p->data };

	if (p->len && (weft_mem_check(&to, p->len) || weft_mem_copy(&to, 0, &from, 0, p->len))) {
		weft_rdma_count(qp->dev, access_errors, 1);
		return EFA_BAD_STATUS;
	}
	weft_rdma_count(qp->dev, rx_writes, p->opcode == (WEFT_OPCODE_SRD |
							  IB_OPCODE_RDMA_WRITE_FIRST));
	return EFA_OK;
}

static u8 receive_read(struct weft_srd_peer *peer, struct weft_efa_qp *qp,
		       const struct weft_rpkt *p)
{
	const struct ib_sge sge = { .addr = p->va, .length = p->dma_len, .lkey = p->rkey };
	const struct weft_mem from = remote_mem(qp, &sge, IB_ACCESS_REMOTE_READ);
	struct weft_srd_read *r;

	if (weft_mem_check(&from, p->dma_len)) {
		weft_rdma_count(qp->dev, access_errors, 1);
		return EFA_BAD_STATUS;
	}
	r = kzalloc(sizeof(*r), GFP_ATOMIC | __GFP_NOWARN);
	if (!r)
		return RECEIVE_LATER;
	r->job.kind = WEFT_JOB_RESPONSE;
	r->job.len = p->dma_len;
	r->peer = peer;
	r->va = p->va;
	r->rkey = p->rkey;
	r->token = be32_to_cpu(p->imm);
	r->qpn = p->dqpn;
	r->dqpn = p->sqpn;
	r->epoch = p->epoch;
	weft_rdma_count(qp->dev, rx_reads, 1);
	weft_srd_submit(peer, &r->job);
	return EFA_OK;
}

/* The read that a response is for; NULL if it ended, or was never. */
static struct weft_efa_op *response_op(struct weft_efa_qp *qp, const struct weft_rpkt *p)
{
	u32 index = p->rkey & U16_MAX;
	struct weft_efa_op *op;

	if (index >= qp->sq_size)
		return NULL;
	op = &qp->ops[index];
	return op->busy && op->job.kind == WEFT_JOB_READ && op->generation == p->rkey >> 16 ?
	       op : NULL;
}

/* Return: EFA_OK, or EFA_ABORT: no more of it is to be sent. */
static u8 receive_response(struct weft_efa_qp *qp, const struct weft_rpkt *p)
{
	struct weft_efa_op *op = response_op(qp, p);
	const struct weft_mem from = { .kbuf = p->data };
	struct weft_mem to;

	if (!op)
		return EFA_ABORT;
	op->alive = weft_rdma_fab(qp->dev)->now;
	if (p->opcode == (WEFT_OPCODE_SRD | IB_OPCODE_RDMA_READ_RESPONSE_LAST)) {
		weft_srd_read_done(op, p->syndrome);
		return EFA_OK;
	}
	weft_efa_op_payload(op, &to);
	if (p->va > op->job.len || p->len > op->job.len - p->va || p->len > op->missing ||
	    (p->len && weft_mem_copy(&to, p->va, &from, 0, p->len))) {
		weft_srd_read_done(op, EFA_BAD_LKEY);
		return EFA_ABORT;
	}
	op->missing -= p->len;
	if (!op->missing)
		weft_srd_read_done(op, EFA_OK);
	return EFA_OK;
}

/* Return: EFA_OK, why it is refused, or RECEIVE_LATER. */
static u8 receive_execute(struct weft_srd_peer *peer, const struct weft_rpkt *p)
{
	struct weft_efa_qp *qp = weft_efa_receiver(peer->dev, p->dqpn, true);
	u8 kind = p->opcode & ~WEFT_OPCODE_SRD;

	if (!qp) {
		weft_rdma_count(peer->dev, no_qp, 1);
		return EFA_NO_QP;
	}
	if (kind == IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE ||
	    kind == IB_OPCODE_RDMA_READ_RESPONSE_LAST)
		return p->qkey == peer->dev->efa->epoch ? receive_response(qp, p) : EFA_ABORT;
	/* a queue pair that was made anew has another Q_Key */
	if (p->qkey != qp->qkey)
		return EFA_NO_QP;
	switch (kind) {
	case IB_OPCODE_SEND_ONLY:
	case IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE:
		return receive_send(qp, p);
	case IB_OPCODE_RDMA_WRITE_FIRST:
	case IB_OPCODE_RDMA_WRITE_MIDDLE:
		return receive_write(qp, p);
	case IB_OPCODE_RDMA_READ_REQUEST:
		return receive_read(peer, qp, p);
	default:
		return EFA_BAD_STATUS;
	}
}

static void receive_ack(struct weft_srd_peer *peer, const struct weft_rpkt *p, u8 status)
{
	struct weft_rpkt *ack;

	ack = weft_srd_control(peer, WEFT_OPCODE_SRD | IB_OPCODE_ACKNOWLEDGE, p->srd_path);
	if (!ack)
		return;
	ack->psn = p->psn;
	ack->syndrome = status;
	ack->epoch = p->epoch;
	ack->msn = peer->rx.epsn;
	ack->va = fab_srd_rx_bits(&peer->rx, p->psn, &ack->dma_len);
	ack->stamp = p->stamp;
	weft_port_urgent(peer->dev, ack);
}

/* A device that was made anew begins anew. Return: false for packets of the old one. */
static bool receive_epoch(struct weft_srd_peer *peer, const struct weft_rpkt *p)
{
	if (peer->heard && p->epoch == peer->epoch)
		return true;
	if (peer->heard && (s32)(p->epoch - peer->epoch) < 0)
		return false;
	peer->heard = true;
	peer->epoch = p->epoch;
	fab_srd_rx_init(&peer->rx, p->msn);
	return true;
}

static void receive_data(struct weft_srd_peer *peer, const struct weft_rpkt *p)
{
	u8 status = EFA_OK;

	switch (fab_srd_rx_look(&peer->rx, p->psn, p->msn, &status)) {
	case FAB_SRD_NEW:
		if (p->psn != peer->rx.epsn)
			weft_rdma_count(peer->dev, out_of_sequence, 1);
		status = receive_execute(peer, p);
		if (status == RECEIVE_LATER)
			return;
		fab_srd_rx_set(&peer->rx, p->psn, status == EFA_OK ? FAB_SRD_TAKEN : status);
		break;
	case FAB_SRD_SEEN:
		status = EFA_OK;
		fallthrough;
	case FAB_SRD_REFUSED:
		weft_rdma_count(peer->dev, duplicates, 1);
		break;
	case FAB_SRD_BEYOND:
		weft_rdma_count(peer->dev, beyond_window, 1);
		return;
	}
	receive_ack(peer, p, status);
}

static void receive_probe(struct weft_srd_peer *peer, const struct weft_rpkt *p)
{
	struct weft_rpkt *answer = weft_srd_control(peer, WEFT_SRD_PROBED, p->srd_path);

	if (!answer)
		return;
	answer->epoch = p->epoch;
	weft_port_urgent(peer->dev, answer);
}

/**
 * weft_srd_receive() - a packet of SRD has arrived
 * @dev: the device
 * @p: the packet, which stays the caller's
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_receive(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	struct weft_path back = reverse_path(&p->path);
	struct weft_srd_peer *peer;

	if (p->opcode == (WEFT_OPCODE_SRD | IB_OPCODE_ACKNOWLEDGE) ||
	    p->opcode == WEFT_SRD_PROBED) {
		weft_srd_acked(dev, p);
		return;
	}
	peer = weft_srd_peer(dev, &back);
	if (!peer || !receive_epoch(peer, p))
		return;
	if (p->opcode == WEFT_SRD_PROBE)
		receive_probe(peer, p);
	else
		receive_data(peer, p);
}
