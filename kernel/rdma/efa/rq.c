// SPDX-License-Identifier: GPL-2.0
/*
 * Receive queues of an EFA device.
 *
 * A receive is one descriptor, or two with the first and the last flagged. It is read from
 * the ring when a message needs it, so nobody has to look at the doorbell before.
 */
#include "rdma/efa/efa.h"
#include "rdma/mem.h"

#define RQ_GRH		40	/* bytes in front of a datagram of UD */

/**
 * struct recv - a receive that was posted
 */
struct recv {
	/** @sge: its memory */
	struct ib_sge sge[EFA_RECV_SGES];
	/** @num_sge: entries of it */
	u32 num_sge;
	/** @len: bytes of all of them */
	u32 len;
	/** @req_id: the program's number */
	u16 req_id;
};

static u16 rq_doorbell(const struct weft_efa_qp *qp)
{
	return READ_ONCE(*(u32 *)(qp->doorbells.at + EFA_RQ_DOORBELL));
}

/**
 * weft_efa_rq_rung() - has a program posted receives in error, which nobody takes?
 * @qp: the queue pair
 *
 * Context: any.
 * Return: true if it may have.
 */
bool weft_efa_rq_rung(const struct weft_efa_qp *qp)
{
	return READ_ONCE(qp->state) == IB_QPS_ERR && rq_doorbell(qp) != READ_ONCE(qp->rq_next);
}

static void rq_add_sge(struct weft_efa_qp *qp, struct recv *r, const struct efa_rx *d)
{
	r->sge[r->num_sge] = (struct ib_sge) {
		.addr = efa_addr(d->addr),
		.length = le16_to_cpu(d->len),
		.lkey = weft_efa_lkey(qp->dev, le32_to_cpu(d->lkey)),
	};
	r->len += r->sge[r->num_sge++].length;
}

/*
 * Take the oldest receive. Return: false if there is none. If the program has broken the rules,
 * the queue pair is in error then.
 */
static bool rq_pop(struct weft_efa_qp *qp, struct recv *r)
{
	u16 n = rq_doorbell(qp) - qp->rq_next;
	const struct efa_rx *from = qp->rq.at;
	struct efa_rx d;

	if (!n)
		return false;
	smp_rmb();	/* what is written before the doorbell is read after it */
	memset(r, 0, sizeof(*r));
	if (n > qp->rq_size)
		goto bad;
	do {
		if (!n-- || r->num_sge == EFA_RECV_SGES)
			goto bad;
		memcpy(&d, from + (qp->rq_next & (qp->rq_size - 1)), sizeof(d));
		barrier();	/* the copy alone is used from here on */
		if (!(le32_to_cpu(d.lkey) & EFA_RX_FIRST) != !!r->num_sge)
			goto bad;
		if (!r->num_sge)
			r->req_id = le16_to_cpu(d.req_id);
		qp->rq_next++;
		rq_add_sge(qp, r, &d);
	} while (!(le32_to_cpu(d.lkey) & EFA_RX_LAST));
	return true;

bad:
	weft_efa_qp_error(qp, IB_EVENT_QP_FATAL);
	return false;
}

static void rq_complete(struct weft_efa_qp *qp, const struct recv *r,
			enum efa_status status, const struct weft_rpkt *p, u32 len)
{
	struct efa_cqe e = {
		.req_id = cpu_to_le16(r->req_id),
		.status = status,
		.flags = EFA_CQE_RECV,
		.qpn = cpu_to_le16(qp->ib.qp_num),
		.len = cpu_to_le16(len),
		.ah = cpu_to_le16(EFA_AH_UNKNOWN),
	};

	if (p) {
		e.ah = cpu_to_le16(weft_efa_ah_number(qp->dev, qp->ib.pd, &p->path.sgid));
		e.sqpn = cpu_to_le16(p->sqpn);
		e.imm = (__force __le32)cpu_to_le32(be32_to_cpu(p->imm));
		if (p->opcode & 1)
			e.flags |= EFA_CQE_IMM;
	}
	weft_efa_cq_push(qp->rcq, &e, p ? &p->path.sgid : NULL);
}

/**
 * weft_efa_rq_flush() - complete all receives as flushed
 * @qp: the queue pair, in state ERR
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_rq_flush(struct weft_efa_qp *qp)
{
	u16 n = rq_doorbell(qp) - qp->rq_next;
	const struct efa_rx *from = qp->rq.at;
	struct recv r = {};

	if (n > qp->rq_size) {
		qp->rq_next += n;
		return;
	}
	for (; n; n--) {
		const struct efa_rx *d = from + (qp->rq_next++ & (qp->rq_size - 1));

		if (!(le32_to_cpu(READ_ONCE(d->lkey)) & EFA_RX_FIRST))
			continue;
		r.req_id = le16_to_cpu(READ_ONCE(d->req_id));
		rq_complete(qp, &r, EFA_FLUSHED, NULL, 0);
	}
}

/* Copy the message; on UD behind 40 bytes with the IP header. */
static int rq_copy(struct weft_efa_qp *qp, const struct recv *r,
		   const struct weft_rpkt *p)
{
	const struct weft_mem to = {
		.dev = qp->dev,
		.pd = qp->ib.pd,
		.sge = r->sge,
		.num_sge = r->num_sge,
		.access = IB_ACCESS_LOCAL_WRITE,
	};
	const struct weft_mem body = { .kbuf = p->data };
	u32 at = qp->srd ? 0 : RQ_GRH;
	struct ib_grh grh;
	const struct weft_mem head = { .kbuf = &grh };
	int err = 0;

	if (!qp->srd) {
		weft_rpkt_grh(p, &grh);
		err = weft_mem_copy(&to, 0, &head, 0, RQ_GRH);
	}
	return err || !p->len ? err : weft_mem_copy(&to, at, &body, 0, p->len);
}

/**
 * weft_efa_deliver() - give a message to a queue pair
 * @qp: the queue pair
 * @p: the packet, all of the message
 *
 * Context: any; the fabric's lock is held.
 * Return: what its sender is to know: EFA_OK; EFA_RNR: there is no receive; EFA_SHORT: it is
 * too short.
 */
enum efa_status weft_efa_deliver(struct weft_efa_qp *qp, const struct weft_rpkt *p)
{
	u32 len = p->len + (qp->srd ? 0 : RQ_GRH);
	struct recv r;

	if (!rq_pop(qp, &r))
		return EFA_RNR;
	if (r.len < len) {
		rq_complete(qp, &r, EFA_TOO_LONG, p, 0);
		return EFA_SHORT;
	}
	if (rq_copy(qp, &r, p)) {
		rq_complete(qp, &r, EFA_BAD_LKEY, p, 0);
		return EFA_BAD_STATUS;
	}
	rq_complete(qp, &r, EFA_OK, p, len);
	weft_rdma_count(qp->dev, rx_messages, 1);
	return EFA_OK;
}
