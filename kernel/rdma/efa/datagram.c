// SPDX-License-Identifier: GPL-2.0
/*
 * UD of an EFA device. A datagram is sent once, on one path, and is complete when its first
 * bit is on the wire.
 */
#include "rdma/efa/efa.h"
#include "rdma/mem.h"
#include "rdma/srd/peer.h"

static struct weft_efa_qp *qp_of(const struct weft_tx *tx)
{
	return container_of((void *)tx, struct weft_efa_qp, tx);
}

static struct weft_efa_op *datagram_first(const struct weft_efa_qp *qp)
{
	return list_first_entry_or_null((struct list_head *)&qp->datagrams, struct weft_efa_op,
					job.node);
}

static u8 datagram_class(const struct weft_tx *tx)
{
	const struct weft_efa_op *op = datagram_first(qp_of(tx));

	return op ? weft_path_class(tx->dev, &op->path, op->qp->ib.qp_num) : 0;
}

/* Return: the packet; -EFAULT if its memory is gone, -ENOMEM without any for it. */
static struct weft_rpkt *datagram_build(struct weft_efa_op *op)
{
	struct weft_mem from;
	struct weft_rpkt *p;
	int err;

	p = weft_rpkt_alloc(op->has_imm ? IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE :
					  IB_OPCODE_UD_SEND_ONLY);
	if (!p)
		return ERR_PTR(-ENOMEM);
	weft_efa_op_payload(op, &from);
	err = weft_rpkt_copy_data(p, &from, 0, op->job.len);
	if (err) {
		weft_rpkt_free(p);
		return ERR_PTR(err);
	}
	p->imm = cpu_to_be32(op->imm);
	p->qkey = op->qkey;
	weft_rpkt_address(op->qp->dev, p, &op->path, op->qp->ib.qp_num, op->dqpn);
	return p;
}

static bool datagram_again(struct weft_tx *tx)
{
	return datagram_first(qp_of(tx));
}

static void datagram_schedule(struct weft_tx *tx)
{
	if (datagram_again(tx))
		weft_tx_schedule(tx, weft_rdma_fab(tx->dev)->now);
}

/* Without memory it is lost, as on a wire. */
static struct weft_rpkt *datagram_next(struct weft_tx *tx)
{
	struct weft_efa_op *op = datagram_first(qp_of(tx));
	struct weft_rpkt *p;

	if (!op)
		return NULL;
	list_del_init(&op->job.node);
	p = datagram_build(op);
	if (IS_ERR(p)) {
		weft_efa_op_complete(op, p == ERR_PTR(-EFAULT) ? EFA_BAD_LKEY : EFA_OK);
		datagram_schedule(tx);
		return NULL;
	}
	p->wqe_idx = op - op->qp->ops;
	p->msn = op->generation;
	return p;
}

const struct weft_tx_ops weft_efa_datagram_ops = {
	.class_of = datagram_class,
	.next = datagram_next,
	.again = datagram_again,
};

static void datagram_sent(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	struct weft_efa_qp *qp = weft_efa_qp_find(dev, p->sqpn);
	struct weft_efa_op *op;

	if (!qp || qp->srd || p->wqe_idx >= qp->sq_size)
		return;
	op = &qp->ops[p->wqe_idx];
	if (op->busy && op->generation == (u16)p->msn)
		weft_efa_op_complete(op, EFA_OK);
	datagram_schedule(&qp->tx);
}

static void datagram_receive(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	struct weft_efa_qp *qp = weft_efa_receiver(dev, p->dqpn, false);

	if (!qp)
		weft_rdma_count(dev, no_qp, 1);
	else if (p->qkey != qp->qkey)
		weft_rdma_count(dev, access_errors, 1);
	else if (weft_efa_deliver(qp, p) == EFA_RNR)
		weft_rdma_count(dev, no_receive, 1);
}

/**
 * weft_efa_sent() - a packet is on the wire, or lost before
 * @dev: the device
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_sent(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	if (weft_is_srd(p))
		weft_srd_sent(dev, p);
	else
		datagram_sent(dev, p);
}

/**
 * weft_efa_receive() - a packet has arrived
 * @dev: the device
 * @p: the packet, which stays the caller's; of SRD, of UD, or of another kind of NIC
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_receive(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	if (weft_is_srd(p))
		weft_srd_receive(dev, p);
	else if (weft_opcode_transport(p->opcode) == IB_OPCODE_UD &&
		 p->dqpn != WEFT_QPN_MULTICAST)
		datagram_receive(dev, p);
	else
		weft_rdma_count(dev, no_qp, 1);
}
