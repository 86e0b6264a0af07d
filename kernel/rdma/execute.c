// SPDX-License-Identifier: GPL-2.0
/*
 * The responder of a queue pair: packets of sends and writes are executed.
 *
 * What can be refused is found before anything is changed: a write is checked
 * for all of its length at its first packet, and nothing of it is written if it
 * is wrong. The payload is copied once, from where the sender's request says
 * (sq.c, payload). If that request is over the packet repeats one that came before,
 * or there was no memory to give it a copy in time: it counts as lost.
 *
 * A receive request that was taken for a message stays in use if the message
 * comes to nothing, and serves the next one.
 *
 * Source: InfiniBand Architecture Specification, volume 1, 9.6, 9.7.4, 9.8.
 */
#include "rdma/responder.h"

#include "rdma/qp.h"

#define FORM_SEND	BIT(0)
#define FORM_WRITE	BIT(1)
#define FORM_FIRST	BIT(2)	/* of its message */
#define FORM_LAST	BIT(3)
#define FORM_IMM	BIT(4)	/* with immediate data */
#define FORM_INV	BIT(5)	/* invalidates a key */
#define FORM_KIND	(FORM_SEND | FORM_WRITE)
#define FORM_ONLY	(FORM_FIRST | FORM_LAST)

static const u8 execute_forms[] = {
	[IB_OPCODE_SEND_FIRST] = FORM_SEND | FORM_FIRST,
	[IB_OPCODE_SEND_MIDDLE] = FORM_SEND,
	[IB_OPCODE_SEND_LAST] = FORM_SEND | FORM_LAST,
	[IB_OPCODE_SEND_LAST_WITH_IMMEDIATE] = FORM_SEND | FORM_LAST | FORM_IMM,
	[IB_OPCODE_SEND_LAST_WITH_INVALIDATE] = FORM_SEND | FORM_LAST | FORM_INV,
	[IB_OPCODE_SEND_ONLY] = FORM_SEND | FORM_ONLY,
	[IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE] = FORM_SEND | FORM_ONLY | FORM_IMM,
	[IB_OPCODE_SEND_ONLY_WITH_INVALIDATE] = FORM_SEND | FORM_ONLY | FORM_INV,
	[IB_OPCODE_RDMA_WRITE_FIRST] = FORM_WRITE | FORM_FIRST,
	[IB_OPCODE_RDMA_WRITE_MIDDLE] = FORM_WRITE,
	[IB_OPCODE_RDMA_WRITE_LAST] = FORM_WRITE | FORM_LAST,
	[IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE] = FORM_WRITE | FORM_LAST |
						     FORM_IMM,
	[IB_OPCODE_RDMA_WRITE_ONLY] = FORM_WRITE | FORM_ONLY,
	[IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE] = FORM_WRITE | FORM_ONLY |
						     FORM_IMM,
};

/* What is it? 0 for what is neither a send nor a write. */
static u8 execute_form(u8 opcode)
{
	opcode &= 0x1f;		/* without the transport */
	return opcode < ARRAY_SIZE(execute_forms) ? execute_forms[opcode] : 0;
}

/**
 * weft_responder_begins() - does a packet begin a message?
 * @opcode: of the packet
 *
 * Context: any.
 * Return: whether it is the first of a send or a write.
 */
bool weft_responder_begins(u8 opcode)
{
	return execute_form(opcode) & FORM_FIRST;
}

/* Is it a packet that may come now, and as long as it has to be? */
static bool execute_fits(const struct weft_qp *qp, const struct weft_rpkt *p,
			 u8 form)
{
	const struct weft_responder *resp = &qp->resp;

	if (!form || resp->open == !!(form & FORM_FIRST))
		return false;
	if (resp->open && ((form ^ resp->form) & FORM_KIND))
		return false;
	if (!(form & FORM_LAST))
		return p->len == qp->mtu;
	return p->len <= qp->mtu && (p->len || (form & FORM_FIRST));
}

/*
 * Copy the payload to @to, behind what came of the message before. Return:
 * WEFT_ACCESS if @to is not what it says.
 */
static enum weft_verdict execute_copy(struct weft_qp *qp,
				      const struct weft_rpkt *p,
				      const struct weft_mem *to)
{
	struct weft_mem from = { .kbuf = p->data };
	u32 done = qp->resp.done;

	if (!p->len)
		return WEFT_DONE;
	if (!p->data && (!p->sq || !weft_sq_payload(p->sq, p->wqe_idx, &from)))
		return WEFT_LOST;
	if (!weft_mem_copy(to, done, &from, p->data ? 0 : p->offset, p->len))
		return WEFT_DONE;
	return weft_mem_check(to, done + p->len) ? WEFT_ACCESS : WEFT_LOST;
}

/* Have a receive request in use. */
static bool execute_claim(struct weft_qp *qp)
{
	struct weft_responder *resp = &qp->resp;
	bool below = false;

	if (resp->have_recv)
		return true;
	if (!weft_rq_pop(weft_qp_recv(qp), &resp->recv.w, &below))
		return false;
	resp->have_recv = true;
	if (qp->srq && below)
		weft_srq_limit(qp->srq);
	return true;
}

static void execute_extra(struct ib_wc *wc, const struct weft_rpkt *p, u8 form)
{
	if (form & FORM_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = p->imm;
	} else if (form & FORM_INV) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = p->rkey;
	}
}

/* The receive request in use is complete. */
static void execute_complete(struct weft_qp *qp, const struct weft_rpkt *p,
			     u8 form, enum ib_wc_status status)
{
	struct weft_responder *resp = &qp->resp;
	struct ib_wc wc = {
		.wr_id = resp->recv.w.wr_id,
		.status = status,
		.opcode = form & FORM_WRITE ? IB_WC_RECV_RDMA_WITH_IMM :
					      IB_WC_RECV,
		.qp = &qp->ib,
		.byte_len = resp->done + p->len,
		.src_qp = qp->attr.dest_qp_num,
		.slid = p->path.slid,
		.sl = p->path.sl,
		.port_num = 1,
		.pkey_index = qp->attr.pkey_index,
	};

	if (status == IB_WC_SUCCESS)
		execute_extra(&wc, p, form);
	resp->have_recv = false;
	if (!weft_cq_push(qp->rcq, &wc,
			  status || (p->flags & WEFT_RPKT_SOLICITED)))
		weft_qp_lost(qp);
}

static enum weft_verdict execute_send(struct weft_qp *qp,
				      const struct weft_rpkt *p, u8 form)
{
	struct weft_responder *resp = &qp->resp;
	struct weft_rwqe *recv = &resp->recv.w;
	struct weft_mem to = {
		.dev = qp->dev,
		.pd = qp->srq ? qp->srq->ib.pd : qp->ib.pd,
		.sge = recv->sge,
		.access = IB_ACCESS_LOCAL_WRITE,
	};
	enum weft_verdict verdict;

	if (!execute_claim(qp))
		return WEFT_NOT_READY;
	if (p->len > recv->len - resp->done) {
		execute_complete(qp, p, form, IB_WC_LOC_LEN_ERR);
		return WEFT_FAULT;
	}
	to.num_sge = recv->num_sge;
	verdict = execute_copy(qp, p, &to);
	if (verdict == WEFT_ACCESS) {
		execute_complete(qp, p, form, IB_WC_LOC_PROT_ERR);
		return WEFT_OPERATION;
	}
	if (verdict || !(form & FORM_LAST))
		return verdict;
	if ((form & FORM_INV) &&
	    weft_rkey_invalidate(qp->dev, qp->ib.pd, p->rkey))
		return WEFT_ACCESS;
	execute_complete(qp, p, form, IB_WC_SUCCESS);
	return WEFT_DONE;
}

/* Does a packet of a write come to the length that was announced? */
static bool execute_adds_up(const struct weft_responder *resp, u32 len, u8 form)
{
	u32 left = resp->len - resp->done;

	return form & FORM_LAST ? len == left : len < left;
}

static enum weft_verdict execute_announce(struct weft_qp *qp,
					  const struct weft_rpkt *p)
{
	struct weft_responder *resp = &qp->resp;

	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_WRITE))
		return WEFT_ACCESS;
	if (p->dma_len > WEFT_RDMA_MSG_MAX)
		return WEFT_INVALID;
	resp->va = p->va;
	resp->rkey = p->rkey;
	resp->len = p->dma_len;
	return WEFT_DONE;
}

static enum weft_verdict execute_write(struct weft_qp *qp,
				       const struct weft_rpkt *p, u8 form)
{
	struct weft_responder *resp = &qp->resp;
	enum weft_verdict verdict = WEFT_DONE;
	struct ib_sge sge;
	struct weft_mem to = {
		.dev = qp->dev,
		.pd = qp->ib.pd,
		.sge = &sge,
		.num_sge = 1,
		.access = IB_ACCESS_REMOTE_WRITE,
	};

	if (form & FORM_FIRST)
		verdict = execute_announce(qp, p);
	if (verdict)
		return verdict;
	if (!execute_adds_up(resp, p->len, form))
		return WEFT_INVALID;
	sge.addr = resp->va;
	sge.length = resp->len;
	sge.lkey = resp->rkey;
	if ((form & FORM_FIRST) && resp->len && weft_mem_check(&to, resp->len))
		return WEFT_ACCESS;
	if ((form & FORM_IMM) && !execute_claim(qp))
		return WEFT_NOT_READY;
	verdict = execute_copy(qp, p, &to);
	if (verdict || !(form & FORM_LAST))
		return verdict;
	if (form & FORM_IMM)
		execute_complete(qp, p, form, IB_WC_SUCCESS);
	else if (qp->user)
		weft_ucontext_news(qp->user);
	return WEFT_DONE;
}

/**
 * weft_responder_execute() - execute a packet of a send or a write
 * @qp: the queue pair, RC or UC
 * @p: the packet, with the sequence number that was expected
 *
 * Context: fabric's lock held.
 * Return: what became of it; anything but WEFT_DONE leaves the message as it was.
 */
enum weft_verdict weft_responder_execute(struct weft_qp *qp,
					 const struct weft_rpkt *p)
{
	struct weft_responder *resp = &qp->resp;
	u8 form = execute_form(p->opcode);
	enum weft_verdict verdict;

	if (!execute_fits(qp, p, form))
		return WEFT_INVALID;
	if (form & FORM_FIRST)
		resp->done = 0;
	verdict = form & FORM_SEND ? execute_send(qp, p, form) :
				     execute_write(qp, p, form);
	if (verdict)
		return verdict;
	resp->done += p->len;
	resp->form = form;
	resp->open = !(form & FORM_LAST);
	if (form & FORM_LAST) {
		resp->msn = (resp->msn + 1) & WEFT_PSN_MASK;
		weft_rdma_count(qp->dev, rx_messages, 1);
		weft_rdma_count(qp->dev, rx_writes, !!(form & FORM_WRITE));
	}
	return WEFT_DONE;
}
