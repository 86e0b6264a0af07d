// SPDX-License-Identifier: GPL-2.0
/*
 * The responder of a queue pair: it executes packets of sends and writes.
 *
 * All checks come before any change. The first packet of a write checks the whole
 * length, and nothing is written if that is wrong. The payload is copied once,
 * from the memory of the sender's WQE (sq.c, payload). If that WQE is gone, the
 * packet repeats an earlier one, or there was no memory to copy the payload in
 * time; then the packet counts as lost.
 *
 * A receive WQE stays in use when its message is dropped, and serves the next one.
 *
 * Source: InfiniBand Architecture Specification, volume 1, 9.6, 9.7.4, 9.8.
 */
#include "rdma/responder.h"

#include "rdma/qp.h"

#define OP_SEND	BIT(0)
#define OP_WRITE	BIT(1)
#define OP_FIRST	BIT(2)	/* first packet of a message */
#define OP_LAST	BIT(3)
#define OP_IMM	BIT(4)	/* with immediate data */
#define OP_INV	BIT(5)	/* with invalidate */
#define OP_KIND	(OP_SEND | OP_WRITE)
#define OP_ONLY	(OP_FIRST | OP_LAST)

static const u8 op_table[] = {
	[IB_OPCODE_SEND_FIRST] = OP_SEND | OP_FIRST,
	[IB_OPCODE_SEND_MIDDLE] = OP_SEND,
	[IB_OPCODE_SEND_LAST] = OP_SEND | OP_LAST,
	[IB_OPCODE_SEND_LAST_WITH_IMMEDIATE] = OP_SEND | OP_LAST | OP_IMM,
	[IB_OPCODE_SEND_LAST_WITH_INVALIDATE] = OP_SEND | OP_LAST | OP_INV,
	[IB_OPCODE_SEND_ONLY] = OP_SEND | OP_ONLY,
	[IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE] = OP_SEND | OP_ONLY | OP_IMM,
	[IB_OPCODE_SEND_ONLY_WITH_INVALIDATE] = OP_SEND | OP_ONLY | OP_INV,
	[IB_OPCODE_RDMA_WRITE_FIRST] = OP_WRITE | OP_FIRST,
	[IB_OPCODE_RDMA_WRITE_MIDDLE] = OP_WRITE,
	[IB_OPCODE_RDMA_WRITE_LAST] = OP_WRITE | OP_LAST,
	[IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE] = OP_WRITE | OP_LAST |
						     OP_IMM,
	[IB_OPCODE_RDMA_WRITE_ONLY] = OP_WRITE | OP_ONLY,
	[IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE] = OP_WRITE | OP_ONLY |
						     OP_IMM,
};

/* OP_* flags of an opcode; 0 for neither a send nor a write. */
static u8 op_of(u8 opcode)
{
	opcode &= 0x1f;		/* without the transport */
	return opcode < ARRAY_SIZE(op_table) ? op_table[opcode] : 0;
}

/**
 * weft_opcode_is_first() - does a packet start a message?
 * @opcode: its opcode
 *
 * Context: any.
 * Return: true for the first packet of a send or a write.
 */
bool weft_opcode_is_first(u8 opcode)
{
	return op_of(opcode) & OP_FIRST;
}

/* Check opcode sequence and length of a packet. */
static bool execute_check_sequence(const struct weft_qp *qp,
				   const struct weft_rpkt *p, u8 op)
{
	const struct weft_responder *resp = &qp->resp;

	if (!op || resp->in_message == !!(op & OP_FIRST))
		return false;
	if (resp->in_message && ((op ^ resp->last_op) & OP_KIND))
		return false;
	if (!(op & OP_LAST))
		return p->len == qp->mtu;
	return p->len <= qp->mtu && (p->len || (op & OP_FIRST));
}

/* Copy a payload that the packet owns. */
static noinline int execute_copy_data(const struct weft_rpkt *p, const struct weft_mem *to,
				      u32 at)
{
	const struct weft_mem from = { .kbuf = p->data };

	return weft_mem_copy(to, at, &from, 0, p->len);
}

/*
 * Copy the payload to byte @at of @to, if that was not done when it came. Return:
 * WEFT_RESP_ACCESS_ERR if @to is bad memory.
 */
static enum weft_resp_result execute_copy(const struct weft_rpkt *p,
					  const struct weft_mem *to, u32 at)
{
	const struct weft_mem *from = NULL;

	if (!p->len || p->flags & WEFT_RPKT_PLACED)
		return WEFT_RESP_OK;
	if (!p->data) {
		from = weft_rpkt_payload(p);
		if (!from)
			return WEFT_RESP_LOST;
	}
	if (!(from ? weft_mem_copy(to, at, from, p->offset, p->len) :
		     execute_copy_data(p, to, at)))
		return WEFT_RESP_OK;
	return weft_mem_check(to, at + p->len) ? WEFT_RESP_ACCESS_ERR :
						       WEFT_RESP_LOST;
}

/* Take a receive WQE, if none is in use. */
static bool execute_get_recv(struct weft_qp *qp)
{
	struct weft_responder *resp = &qp->resp;
	bool limit_reached = false;

	if (resp->recv_valid)
		return true;
	if (!weft_rq_pop(weft_qp_rq(qp), &resp->recv.w, &limit_reached))
		return false;
	resp->recv_valid = true;
	if (qp->srq && limit_reached)
		weft_srq_limit_event(qp->srq);
	return true;
}

static void execute_wc_extra(struct ib_wc *wc, const struct weft_rpkt *p, u8 op)
{
	if (op & OP_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = p->imm;
	} else if (op & OP_INV) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = p->rkey;
	}
}

/* Complete the receive WQE in use. */
static void execute_complete(struct weft_qp *qp, const struct weft_rpkt *p,
			     u8 op, enum ib_wc_status status)
{
	struct weft_responder *resp = &qp->resp;
	struct ib_wc wc = {
		.wr_id = resp->recv.w.wr_id,
		.status = status,
		.opcode = op & OP_WRITE ? IB_WC_RECV_RDMA_WITH_IMM :
					  IB_WC_RECV,
		.qp = &qp->ib,
		.byte_len = resp->received + p->len,
		.src_qp = qp->attr.dest_qp_num,
		.slid = p->path.slid,
		.sl = p->path.sl,
		.port_num = 1,
		.pkey_index = qp->attr.pkey_index,
	};

	if (status == IB_WC_SUCCESS)
		execute_wc_extra(&wc, p, op);
	resp->recv_valid = false;
	if (!weft_cq_push(qp->rcq, &wc,
			  status || (p->flags & WEFT_RPKT_SOLICITED)))
		weft_qp_cq_overrun(qp);
}

static enum weft_resp_result execute_send(struct weft_qp *qp,
					  const struct weft_rpkt *p, u8 op)
{
	struct weft_responder *resp = &qp->resp;
	struct weft_rwqe *recv = &resp->recv.w;
	struct weft_mem to = {
		.dev = qp->dev,
		.pd = qp->srq ? qp->srq->ib.pd : qp->ib.pd,
		.sge = recv->sge,
		.access = IB_ACCESS_LOCAL_WRITE,
	};
	enum weft_resp_result result;

	if (!execute_get_recv(qp))
		return WEFT_RESP_RNR;
	if (p->len > recv->len - resp->received) {
		execute_complete(qp, p, op, IB_WC_LOC_LEN_ERR);
		return WEFT_RESP_LENGTH_ERR;
	}
	to.num_sge = recv->num_sge;
	result = execute_copy(p, &to, resp->received);
	if (result == WEFT_RESP_ACCESS_ERR) {
		execute_complete(qp, p, op, IB_WC_LOC_PROT_ERR);
		return WEFT_RESP_OP_ERR;
	}
	if (result || !(op & OP_LAST))
		return result;
	if ((op & OP_INV) &&
	    weft_rkey_invalidate(qp->dev, qp->ib.pd, p->rkey))
		return WEFT_RESP_ACCESS_ERR;
	execute_complete(qp, p, op, IB_WC_SUCCESS);
	return WEFT_RESP_OK;
}

/* Does the length of a packet match the RETH's DMA length? */
static bool execute_check_length(const struct weft_responder *resp, u32 len,
				 u8 op)
{
	u32 left = resp->dma_len - resp->received;

	return op & OP_LAST ? len == left : len < left;
}

static enum weft_resp_result execute_reth(struct weft_qp *qp,
					  const struct weft_rpkt *p)
{
	struct weft_responder *resp = &qp->resp;

	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_WRITE))
		return WEFT_RESP_ACCESS_ERR;
	if (p->dma_len > WEFT_RDMA_MSG_MAX)
		return WEFT_RESP_INVALID_REQ;
	resp->va = p->va;
	resp->rkey = p->rkey;
	resp->dma_len = p->dma_len;
	return WEFT_RESP_OK;
}

/* Each packet says where it belongs: is that behind the one before? */
static bool execute_check_place(const struct weft_responder *resp,
				const struct weft_rpkt *p, u8 op)
{
	return !(p->flags & WEFT_RPKT_ANY) || (op & OP_FIRST) ||
	       (p->rkey == resp->rkey && p->va == resp->va + resp->received);
}

static enum weft_resp_result execute_write(struct weft_qp *qp,
					   const struct weft_rpkt *p, u8 op)
{
	struct weft_responder *resp = &qp->resp;
	enum weft_resp_result result = WEFT_RESP_OK;
	struct ib_sge sge;
	struct weft_mem to = {
		.dev = qp->dev,
		.pd = qp->ib.pd,
		.sge = &sge,
		.num_sge = 1,
		.access = IB_ACCESS_REMOTE_WRITE,
	};

	if (op & OP_FIRST)
		result = execute_reth(qp, p);
	if (result)
		return result;
	if (!execute_check_length(resp, p->len, op) ||
	    !execute_check_place(resp, p, op))
		return WEFT_RESP_INVALID_REQ;
	sge.addr = resp->va;
	sge.length = resp->dma_len;
	sge.lkey = resp->rkey;
	if ((op & OP_FIRST) && resp->dma_len &&
	    weft_mem_grant(&to, resp->dma_len))
		return WEFT_RESP_ACCESS_ERR;
	if ((op & OP_IMM) && !execute_get_recv(qp))
		return WEFT_RESP_RNR;
	result = execute_copy(p, &to, resp->received);
	if (result || !(op & OP_LAST))
		return result;
	if (op & OP_IMM)
		execute_complete(qp, p, op, IB_WC_SUCCESS);
	else if (qp->user)
		weft_ucontext_event(qp->user);
	return WEFT_RESP_OK;
}

/**
 * weft_responder_place() - copy the payload of a write that is ahead
 * @qp: the queue pair, with a window
 * @p: the packet; WEFT_RPKT_PLACED is set if its payload is at its place
 *
 * Nothing is written without the right to do so; why not shows when the packet is
 * executed.
 *
 * Context: fabric's lock held.
 */
void weft_responder_place(struct weft_qp *qp, struct weft_rpkt *p)
{
	struct ib_sge sge = { p->va, p->len, p->rkey };
	struct weft_mem to = {
		.dev = qp->dev,
		.pd = qp->ib.pd,
		.sge = &sge,
		.num_sge = 1,
		.access = IB_ACCESS_REMOTE_WRITE,
	};

	if (!(op_of(p->opcode) & OP_WRITE) || !p->len ||
	    !(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_WRITE) ||
	    weft_mem_check(&to, p->len))
		return;
	if (execute_copy(p, &to, 0) == WEFT_RESP_OK)
		p->flags |= WEFT_RPKT_PLACED;
}

/**
 * weft_responder_execute() - execute a packet of a send or a write
 * @qp: the queue pair, RC or UC
 * @p: the packet, with the expected PSN
 *
 * Context: fabric's lock held.
 * Return: its result; anything but WEFT_RESP_OK leaves the message as it was.
 */
enum weft_resp_result weft_responder_execute(struct weft_qp *qp,
					     const struct weft_rpkt *p)
{
	struct weft_responder *resp = &qp->resp;
	u8 op = op_of(p->opcode);
	enum weft_resp_result result;

	if (!execute_check_sequence(qp, p, op))
		return WEFT_RESP_INVALID_REQ;
	if (op & OP_FIRST)
		resp->received = 0;
	result = op & OP_SEND ? execute_send(qp, p, op) :
				execute_write(qp, p, op);
	if (result)
		return result;
	resp->received += p->len;
	resp->last_op = op;
	resp->in_message = !(op & OP_LAST);
	if (op & OP_LAST) {
		resp->msn = (resp->msn + 1) & WEFT_PSN_MASK;
		weft_rdma_count(qp->dev, rx_messages, 1);
		weft_rdma_count(qp->dev, rx_writes, !!(op & OP_WRITE));
	}
	return WEFT_RESP_OK;
}
