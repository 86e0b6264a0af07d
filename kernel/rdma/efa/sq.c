// SPDX-License-Identifier: GPL-2.0
/*
 * Send queues of an EFA device: what programs have posted.
 *
 * DOC: theory of operation
 *
 * The doorbell counts descriptors, modulo 2^16. Those that are new are copied to a struct
 * weft_efa_op each, so the program may use their place again as soon as it may post again.
 * A count that is more than the ring ahead, or more requests than fit, is an error of the
 * queue pair: no program that keeps to the rules can cause it.
 *
 * A bad descriptor completes with an error, and the queue pair goes on, as on the device.
 */
#include "rdma/efa/efa.h"
#include "rdma/mem.h"
#include "rdma/srd/peer.h"

static u16 sq_doorbell(const struct weft_efa_qp *qp)
{
	return READ_ONCE(*(u32 *)qp->doorbells.at);
}

/**
 * weft_efa_sq_rung() - has a program posted?
 * @qp: the queue pair
 *
 * Context: any.
 * Return: true if it may have, and is to be heard.
 */
bool weft_efa_sq_rung(const struct weft_efa_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	return (state == IB_QPS_RTS || state == IB_QPS_ERR) &&
	       sq_doorbell(qp) != READ_ONCE(qp->sq_next);
}

/**
 * weft_efa_lkey() - the key of a region that a descriptor names
 * @dev: the device
 * @lkey: 24 bits of the descriptor
 *
 * Descriptors have room for the index of a region only.
 *
 * Context: any; the fabric's lock is held.
 * Return: the whole key; one that nobody has for an unknown region.
 */
u32 weft_efa_lkey(struct weft_rdma_dev *dev, u32 lkey)
{
	const struct weft_mr *mr;

	mr = weft_mr_of_index(dev, (lkey & EFA_LKEY) << WEFT_MR_KEY_BITS);
	return mr ? mr->key : U32_MAX;
}

static void op_add_sge(struct weft_efa_op *op, const struct efa_buf *b)
{
	op->sge[op->num_sge++] = (struct ib_sge) {
		.addr = efa_addr(b->addr),
		.length = le32_to_cpu(b->len),
		.lkey = weft_efa_lkey(op->qp->dev, le32_to_cpu(b->lkey)),
	};
}

/* The message is inline data, or in up to two buffers. */
static enum efa_status op_parse_send(struct weft_efa_op *op, const struct efa_tx *d)
{
	u32 n = le16_to_cpu(d->length), i;
	u64 len = 0;

	op->job.kind = WEFT_JOB_SEND;
	op->inlined = d->flags & EFA_TX_INLINE;
	if (op->inlined) {
		if (n > op->qp->cap.max_inline_data)
			return EFA_TOO_LONG;
		memcpy(op->data, d->data, n);
		op->job.len = n;
		return EFA_OK;
	}
	if (n > EFA_SEND_SGES)
		return EFA_BAD_OP;
	for (i = 0; i < n; i++) {
		op_add_sge(op, &d->buf[i]);
		len += op->sge[i].length;
	}
	op->job.len = min_t(u64, len, U32_MAX);
	return len > weft_efa_mtu(op->qp->dev) ? EFA_TOO_LONG : EFA_OK;
}

static enum efa_status op_parse_rdma(struct weft_efa_op *op, const struct efa_tx *d)
{
	if (!op->qp->srd || d->flags & EFA_TX_INLINE || le16_to_cpu(d->length) > 1)
		return EFA_BAD_OP;
	op->job.kind = d->flags & EFA_TX_OP & EFA_OP_WRITE ? WEFT_JOB_WRITE : WEFT_JOB_READ;
	op->job.len = le32_to_cpu(d->buf[0].len);
	op->rkey = le32_to_cpu(d->buf[0].lkey);
	op->remote = efa_addr(d->buf[0].addr);
	op->missing = op->job.kind == WEFT_JOB_READ ? op->job.len : 0;
	if (le16_to_cpu(d->length))
		op_add_sge(op, &d->buf[1]);
	return op->job.len > WEFT_EFA_RDMA_MAX ||
	       op->job.len > (op->num_sge ? op->sge[0].length : 0) ? EFA_TOO_LONG : EFA_OK;
}

/* Keys and bounds; the message itself is read when it is sent. */
static enum efa_status op_check_memory(const struct weft_efa_op *op)
{
	struct weft_mem mem;

	if (op->inlined)
		return EFA_OK;
	weft_efa_op_payload(op, &mem);
	return weft_mem_check(&mem, op->job.len) ? EFA_BAD_LKEY : EFA_OK;
}

static enum efa_status op_parse_ah(struct weft_efa_op *op, u16 number)
{
	const struct weft_ah *ah = xa_load(&op->qp->dev->efa->ahs, number);

	if (!ah || ah->ib.pd != op->qp->ib.pd)
		return EFA_BAD_AH;
	op->path = ah->path;
	if (!op->qp->srd)
		return EFA_OK;
	op->peer = weft_srd_peer(op->qp->dev, &ah->path);
	if (op->peer)
		return EFA_OK;
	return weft_srd_known(op->qp->dev, ah->path.dmac) ? EFA_QP_ERROR : EFA_NO_HOST;
}

static enum efa_status op_parse(struct weft_efa_op *op, const struct efa_tx *d)
{
	enum efa_status status;
	u8 kind = d->flags & EFA_TX_OP;

	op->req_id = le16_to_cpu(d->req_id);
	op->dqpn = le16_to_cpu(d->dqpn);
	op->qkey = le32_to_cpu(d->qkey);
	op->imm = le32_to_cpu(d->imm);
	op->has_imm = d->flags & EFA_TX_IMM;
	if (!(d->flags & EFA_TX_META) || !(d->more & EFA_TX_FIRST) || !(d->more & EFA_TX_LAST) ||
	    kind > EFA_OP_WRITE)
		return EFA_BAD_OP;
	status = kind == EFA_OP_SEND ? op_parse_send(op, d) : op_parse_rdma(op, d);
	if (status == EFA_OK)
		status = op_check_memory(op);
	return status == EFA_OK ? op_parse_ah(op, le16_to_cpu(d->ah)) : status;
}

/* An unused request, with nothing in it but what is constant; NULL if all are posted. */
static struct weft_efa_op *op_take(struct weft_efa_qp *qp)
{
	struct weft_efa_op *op;
	u16 generation;

	op = list_first_entry_or_null(&qp->unused, struct weft_efa_op, job.node);
	if (!op)
		return NULL;
	list_del(&op->job.node);
	generation = op->generation + 1;
	memset(op, 0, sizeof(*op));
	INIT_LIST_HEAD(&op->job.node);
	INIT_LIST_HEAD(&op->reading);
	op->qp = qp;
	op->generation = generation;
	op->busy = true;
	op->posted = weft_rdma_fab(qp->dev)->now;
	return op;
}

/**
 * weft_efa_op_payload() - memory of a request, or its inline data
 * @op: the request
 * @mem: set to it, for what its kind does there
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_op_payload(const struct weft_efa_op *op, struct weft_mem *mem)
{
	if (op->inlined) {
		*mem = (struct weft_mem) { .kbuf = (void *)op->data };
		return;
	}
	*mem = (struct weft_mem) {
		.dev = op->qp->dev,
		.pd = op->qp->ib.pd,
		.sge = op->sge,
		.num_sge = op->num_sge,
		.access = op->job.kind == WEFT_JOB_READ ? IB_ACCESS_LOCAL_WRITE : 0,
	};
}

/**
 * weft_efa_op_complete() - a request is complete
 * @op: the request, which nobody sends anything of any more
 * @status: how it ended
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_op_complete(struct weft_efa_op *op, enum efa_status status)
{
	struct efa_cqe e = {
		.req_id = cpu_to_le16(op->req_id),
		.status = status,
		.flags = EFA_CQE_SEND,
		.qpn = cpu_to_le16(op->qp->ib.qp_num),
	};

	op->busy = false;
	list_move_tail(&op->job.node, &op->qp->unused);
	weft_efa_cq_push(op->qp->scq, &e, NULL);
	weft_rdma_memory_written(op->qp->dev);
}

/* The NIC knows of a request: it is for the sender to its destination, or for its own. */
static void op_arrived(struct weft_efa_op *op)
{
	if (op->status != EFA_OK) {
		weft_efa_op_complete(op, op->status);
		return;
	}
	weft_rdma_count(op->qp->dev, tx_messages, 1);
	if (op->qp->srd) {
		weft_srd_submit(op->peer, &op->job);
		return;
	}
	list_add_tail(&op->job.node, &op->qp->datagrams);
	weft_tx_schedule(&op->qp->tx, weft_rdma_fab(op->qp->dev)->now);
}

static void sq_arm(struct weft_efa_qp *qp)
{
	const struct weft_efa_op *op;

	op = list_first_entry_or_null(&qp->posted, struct weft_efa_op, job.node);
	if (op && !fab_event_pending(&qp->doorbell))
		fab_event_schedule(&weft_rdma_fab(qp->dev)->events, &qp->doorbell,
				   op->posted + weft_rdma_params(qp->dev)->doorbell);
}

static void sq_on_doorbell(struct fab *fab, struct fab_event *ev)
{
	struct weft_efa_qp *qp = container_of(ev, struct weft_efa_qp, doorbell);
	struct weft_efa_op *op, *next;
	fab_time delay;

	if (!qp->dev->client.wep)
		return;
	delay = weft_rdma_params(qp->dev)->doorbell;
	list_for_each_entry_safe(op, next, &qp->posted, job.node) {
		if (op->posted + delay > fab->now)
			break;
		list_del_init(&op->job.node);
		op_arrived(op);
	}
	sq_arm(qp);
}

/* Read the descriptor that is next. Return: false if the program has broken the rules. */
static bool sq_read(struct weft_efa_qp *qp)
{
	const struct efa_tx *from = qp->sq.at;
	struct weft_efa_op *op = op_take(qp);
	struct efa_tx d;

	if (!op)
		return false;
	memcpy(&d, from + (qp->sq_next & (qp->sq_size - 1)), sizeof(d));
	barrier();	/* the copy alone is used from here on */
	WRITE_ONCE(qp->sq_next, qp->sq_next + 1);
	op->status = op_parse(op, &d);
	list_add_tail(&op->job.node, &qp->posted);
	return true;
}

/* In error: descriptors that were not read complete as flushed. */
static void sq_flush_unread(struct weft_efa_qp *qp)
{
	const struct efa_tx *from = qp->sq.at;
	u16 n = sq_doorbell(qp) - qp->sq_next;
	struct efa_cqe e;

	if (n > qp->sq_size) {
		WRITE_ONCE(qp->sq_next, qp->sq_next + n);
		return;
	}
	for (; n; n--) {
		e = (struct efa_cqe) {
			.req_id = READ_ONCE(from[qp->sq_next & (qp->sq_size - 1)].req_id),
			.status = EFA_FLUSHED,
			.flags = EFA_CQE_SEND,
			.qpn = cpu_to_le16(qp->ib.qp_num),
		};
		WRITE_ONCE(qp->sq_next, qp->sq_next + 1);
		weft_efa_cq_push(qp->scq, &e, NULL);
	}
	weft_rdma_memory_written(qp->dev);
}

/**
 * weft_efa_sq_look() - read what a program has posted
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_sq_look(struct weft_efa_qp *qp)
{
	u16 n = sq_doorbell(qp) - qp->sq_next;

	if (n && qp->state == IB_QPS_ERR)
		sq_flush_unread(qp);
	if (!n || !qp->dev->client.wep || qp->state != IB_QPS_RTS)
		return;
	/* what is written before the doorbell is read after it */
	smp_rmb();
	if (n > qp->sq_size) {
		weft_efa_qp_error(qp, IB_EVENT_QP_FATAL);
		return;
	}
	for (; n; n--) {
		if (sq_read(qp))
			continue;
		weft_efa_qp_error(qp, IB_EVENT_QP_FATAL);
		return;
	}
	sq_arm(qp);
}

/**
 * weft_efa_sq_init() - prepare a send queue
 * @qp: the queue pair, whose rings are allocated
 *
 * Context: process.
 */
void weft_efa_sq_init(struct weft_efa_qp *qp)
{
	u32 i;

	INIT_LIST_HEAD(&qp->unused);
	INIT_LIST_HEAD(&qp->posted);
	INIT_LIST_HEAD(&qp->datagrams);
	fab_event_init(&qp->doorbell, sq_on_doorbell);
	for (i = 0; i < qp->sq_size; i++) {
		INIT_LIST_HEAD(&qp->ops[i].reading);
		list_add_tail(&qp->ops[i].job.node, &qp->unused);
	}
}

/**
 * weft_efa_sq_flush() - end all requests
 * @qp: the queue pair, in its new state
 * @complete: with completions; else they are forgotten
 *
 * Descriptors that were not read are flushed, too.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_sq_flush(struct weft_efa_qp *qp, bool complete)
{
	u32 i;

	fab_event_cancel(&weft_rdma_fab(qp->dev)->events, &qp->doorbell);
	weft_srd_forget(qp);
	for (i = 0; i < qp->sq_size; i++) {
		struct weft_efa_op *op = &qp->ops[i];

		if (!op->busy)
			continue;
		if (complete) {
			weft_efa_op_complete(op, EFA_FLUSHED);
			continue;
		}
		op->busy = false;
		list_move_tail(&op->job.node, &qp->unused);
	}
	if (complete)
		sq_flush_unread(qp);
}
