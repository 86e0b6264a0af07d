// SPDX-License-Identifier: GPL-2.0
/*
 * The responder of a queue pair: it sends acknowledgements and responses.
 *
 * Responses leave in the order of their requests. Reads and atomics keep responder
 * resources in a ring, because they may be repeated. They are answered one after
 * the other when the port has room. An acknowledgement behind them is deferred
 * until they are sent. Only the newest is kept, because it covers those before it.
 *
 * An atomic is executed when its request arrives, and its original data is kept. A
 * read reads memory when a packet of its response is made, so the data may be
 * newer than the request, as the specification allows.
 *
 * Source: InfiniBand Architecture Specification, volume 1, 9.4.4, 9.4.5, 9.7.5.
 */
#include "rdma/responder.h"

#include <linux/log2.h>

#include "rdma/qp.h"

/* Wait when there is no memory for a packet, ps. */
#define RESPOND_MEMORY_WAIT	(10000 * FAB_PS_PER_NS)

static struct weft_resp_resource *respond_resource(struct weft_responder *resp,
						   u32 n)
{
	return &resp->res[n % WEFT_RESP_RESOURCES];
}

/**
 * weft_responder_on_deferred() - deferred work of a responder
 * @fab: the fabric
 * @ev: the event
 *
 * Either a NAK is sent and the queue pair goes into error, or there may be memory
 * again.
 *
 * Context: fabric's lock held.
 */
void weft_responder_on_deferred(struct fab *fab, struct fab_event *ev)
{
	struct weft_qp *qp = container_of(ev, struct weft_qp, resp.deferred);

	if (qp->resp.failed && !weft_responder_ready(qp))
		weft_qp_error(qp, qp->resp.async_event);
	else
		weft_port_schedule(qp, 0);
}

static void respond_schedule(struct weft_qp *qp, fab_time delay)
{
	struct fab *fab = weft_rdma_fab(qp->dev);

	fab_event_move(&fab->events, &qp->resp.deferred, fab->now + delay);
}

/* A response to @psn. */
static struct weft_rpkt *respond_alloc(struct weft_qp *qp, u8 opcode, u32 psn,
				       u32 msn)
{
	struct weft_rpkt *p = weft_rpkt_alloc(opcode);

	if (!p)
		return NULL;
	p->psn = psn;
	p->pkey = qp->pkey;
	p->syndrome = WEFT_AETH_ACK;
	p->msn = msn;
	if (qp->window)
		p->flags |= WEFT_RPKT_ANY;
	return p;
}

static void respond_address(struct weft_qp *qp, struct weft_rpkt *p)
{
	weft_cc_add_news(qp, p);
	weft_rpkt_address(qp->dev, p, &qp->path, qp->ib.qp_num,
			  qp->attr.dest_qp_num);
}

static struct weft_rpkt *respond_ack(struct weft_qp *qp, u8 syndrome, u32 psn)
{
	struct weft_rpkt *p = respond_alloc(qp, IB_OPCODE_RC_ACKNOWLEDGE, psn,
					    qp->resp.msn);

	if (!p)
		return NULL;
	p->syndrome = syndrome;
	if (qp->window)
		weft_hold_tell(qp, p, weft_hold_first(qp));
	respond_address(qp, p);
	return p;
}

static bool respond_is_ack(u8 syndrome)
{
	return !(syndrome & WEFT_AETH_KIND);
}

/* Defer an ACK or a NAK. The latest replaces one that is deferred already. */
static void respond_defer_ack(struct weft_responder *resp, u8 syndrome, u32 psn)
{
	if (resp->ack_deferred && !respond_is_ack(resp->deferred_syndrome) &&
	    resp->nak_sent && respond_is_ack(syndrome))
		return;		/* a duplicate: the NAK still holds */
	resp->ack_deferred = true;
	resp->deferred_syndrome = syndrome;
	resp->deferred_psn = psn;
}

static bool respond_urgent_full(const struct weft_qp *qp)
{
	/* Mostly nothing waits in the port. */
	return qp->dev->port.txq_mask &&
	       weft_port_urgent_full(qp->dev, weft_path_class(qp->dev, &qp->path,
							      qp->ib.qp_num));
}

/*
 * Must an ACK or a NAK wait for responses? Where packets may come in any order, an
 * ACK says nothing of responses.
 */
static bool respond_must_wait(const struct weft_qp *qp, u8 syndrome)
{
	return qp->resp.res_next != qp->resp.res_head &&
	       !(qp->window && respond_is_ack(syndrome));
}

/* Bring an ACK that waits in the port up to date. */
static void respond_update(struct weft_qp *qp, struct weft_rpkt *p, u32 psn)
{
	p->psn = psn;
	p->msn = qp->resp.msn;
	if (qp->window)
		weft_hold_tell(qp, p, weft_hold_first(qp));
	weft_cc_add_news(qp, p);
}

/**
 * weft_responder_send_ack() - send an ACK or a NAK
 * @qp: the queue pair, RC
 * @syndrome: WEFT_AETH_*, with its code
 * @psn: PSN that it acknowledges or refuses
 *
 * If the latest response that waits in the port is an ACK, an ACK updates it
 * instead. Without memory nothing is sent, as if it was lost.
 *
 * Context: fabric's lock held; for an ACK without a window this is the last act of an
 * event, or of one of its arrivals.
 */
void weft_responder_send_ack(struct weft_qp *qp, u8 syndrome, u32 psn)
{
	struct weft_responder *resp = &qp->resp;
	struct weft_rpkt *p = resp->queued_ack;

	if (respond_must_wait(qp, syndrome)) {
		respond_defer_ack(resp, syndrome, psn);
		return;
	}
	if (p && respond_is_ack(syndrome)) {
		respond_update(qp, p, psn);
		return;
	}
	if (respond_urgent_full(qp)) {
		respond_defer_ack(resp, syndrome, psn);
		weft_port_schedule(qp, 0);
		return;
	}
	if (p)
		weft_rpkt_clear_slot(p);
	p = respond_ack(qp, syndrome, psn);
	if (!p)
		return;
	if (respond_is_ack(syndrome))
		weft_rpkt_set_slot(p, &resp->queued_ack);
	/* With a window an event may execute several arrivals. A NAK has consequences. */
	if (respond_is_ack(syndrome) && !qp->window)
		weft_port_answer(qp->dev, p);
	else
		weft_port_urgent(qp->dev, p);
}

/**
 * weft_responder_nack() - say that a packet is lost
 * @qp: the queue pair, with a window
 * @psn: PSN of the packet, which is missing
 *
 * Without memory, or room in the port, nothing is sent, as if it was lost.
 *
 * Context: fabric's lock held.
 */
void weft_responder_nack(struct weft_qp *qp, u32 psn)
{
	struct weft_rpkt *p;

	if (respond_urgent_full(qp))
		return;
	p = respond_ack(qp, WEFT_AETH_NAK | WEFT_NAK_SEQUENCE, qp->resp.epsn);
	if (!p)
		return;
	weft_hold_tell(qp, p, psn);
	weft_port_urgent(qp->dev, p);
}

/**
 * weft_responder_fail() - refuse a request and fail the queue pair
 * @qp: the queue pair
 * @nak: WEFT_NAK_*, which RC sends
 * @event: IB_EVENT_* to be raised, 0 if a completion has the error
 * @psn: PSN of the request
 *
 * The queue pair goes into the error state when the NAK is sent.
 *
 * Context: fabric's lock held.
 */
void weft_responder_fail(struct weft_qp *qp, u8 nak, int event, u32 psn)
{
	struct weft_responder *resp = &qp->resp;

	if (nak == WEFT_NAK_ACCESS)
		weft_rdma_count(qp->dev, access_errors, 1);
	else
		weft_rdma_count(qp->dev, request_errors, 1);
	resp->failed = true;
	resp->async_event = event;
	if (qp->window)
		weft_hold_reset(qp);	/* nothing is answered again */
	if (qp->ib.qp_type == IB_QPT_RC)
		weft_responder_send_ack(qp, WEFT_AETH_NAK | nak, psn);
	if (!resp->ack_deferred)
		respond_schedule(qp, 0);
}

/* Go on to the next request whose response is pending. */
static void respond_next_pending(struct weft_responder *resp)
{
	while (resp->res_next != resp->res_head &&
	       !respond_resource(resp, resp->res_next)->pending)
		resp->res_next++;
}

/* Are there resources for another read or atomic? */
static bool respond_has_resource(const struct weft_qp *qp)
{
	const struct weft_responder *resp = &qp->resp;

	return resp->res_head - resp->res_next <
	       min_t(u32, qp->attr.max_dest_rd_atomic, WEFT_RESP_RESOURCES);
}

static struct weft_resp_resource *respond_add_resource(struct weft_qp *qp,
						       const struct weft_rpkt *p,
						       u32 packets)
{
	struct weft_responder *resp = &qp->resp;
	struct weft_resp_resource *r = respond_resource(resp, resp->res_head++);

	resp->msn = (resp->msn + 1) & WEFT_PSN_MASK;
	resp->epsn = (p->psn + packets) & WEFT_PSN_MASK;
	*r = (struct weft_resp_resource) {
		.first_psn = p->psn,
		.packets = packets,
		.opcode = p->opcode,
		.pending = true,
		.va = p->va,
		.rkey = p->rkey,
		.dma_len = p->dma_len,
		.msn = resp->msn,
	};
	weft_rdma_count(qp->dev, rx_messages, 1);
	weft_port_schedule(qp, 0);
	return r;
}

static void respond_mem(struct weft_qp *qp, struct weft_mem *mem,
			struct ib_sge *sge, int access)
{
	*mem = (struct weft_mem) {
		.dev = qp->dev,
		.pd = qp->ib.pd,
		.sge = sge,
		.num_sge = 1,
		.access = access,
	};
}

/**
 * weft_responder_read() - accept a read request
 * @qp: the queue pair
 * @p: the packet, with the expected PSN
 *
 * Context: fabric's lock held.
 * Return: its result.
 */
enum weft_resp_result weft_responder_read(struct weft_qp *qp,
					  const struct weft_rpkt *p)
{
	struct ib_sge sge = { p->va, p->dma_len, p->rkey };
	struct weft_mem from;
	u32 packets;

	if (qp->resp.in_message || p->dma_len > WEFT_RDMA_MSG_MAX ||
	    !respond_has_resource(qp))
		return WEFT_RESP_INVALID_REQ;
	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_READ))
		return WEFT_RESP_ACCESS_ERR;
	respond_mem(qp, &from, &sge, IB_ACCESS_REMOTE_READ);
	if (p->dma_len && weft_mem_check(&from, p->dma_len))
		return WEFT_RESP_ACCESS_ERR;
	packets = max(1u, (p->dma_len + qp->mtu - 1) >> ilog2(qp->mtu));
	respond_add_resource(qp, p, packets);
	weft_rdma_count(qp->dev, rx_reads, 1);
	return WEFT_RESP_OK;
}

/**
 * weft_responder_atomic() - execute an atomic
 * @qp: the queue pair
 * @p: the packet, with the expected PSN
 *
 * Context: fabric's lock held.
 * Return: its result.
 */
enum weft_resp_result weft_responder_atomic(struct weft_qp *qp,
					    const struct weft_rpkt *p)
{
	struct ib_sge sge = { p->va, sizeof(u64), p->rkey };
	struct weft_mem at;
	u64 old;

	if (qp->resp.in_message || p->va % sizeof(u64) ||
	    !respond_has_resource(qp))
		return WEFT_RESP_INVALID_REQ;
	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_ATOMIC))
		return WEFT_RESP_ACCESS_ERR;
	respond_mem(qp, &at, &sge, IB_ACCESS_REMOTE_ATOMIC);
	if (weft_mem_atomic(&at, &old, p->compare, p->swap,
			    p->opcode == IB_OPCODE_RC_FETCH_ADD))
		return WEFT_RESP_ACCESS_ERR;
	respond_add_resource(qp, p, 1)->orig_data = old;
	weft_rdma_count(qp->dev, rx_atomics, 1);
	if (qp->user)
		weft_ucontext_event(qp->user);
	return WEFT_RESP_OK;
}

/* Find the read or atomic that @p repeats; false if there is none. */
static bool respond_find(struct weft_responder *resp, const struct weft_rpkt *p,
			 u32 *number)
{
	struct weft_resp_resource *r;
	u32 n;

	for (n = resp->res_head - WEFT_RESP_RESOURCES; n != resp->res_head; n++) {
		r = respond_resource(resp, n);
		if (r->opcode == p->opcode &&
		    ((p->psn - r->first_psn) & WEFT_PSN_MASK) < r->packets) {
			*number = n;
			return true;
		}
	}
	return false;
}

/* Is @p the rest of the same read, from @packet on? */
static bool respond_is_same(const struct weft_qp *qp,
			    const struct weft_resp_resource *r,
			    const struct weft_rpkt *p, u32 packet)
{
	u32 offset = packet << ilog2(qp->mtu);

	return r->opcode != IB_OPCODE_RC_RDMA_READ_REQUEST ||
	       (p->rkey == r->rkey && p->va == r->va + offset &&
		p->dma_len == r->dma_len - offset);
}

/*
 * Answer a repeated request, from the packet that it names. The requester will
 * also repeat the requests behind it, so their responses are not sent before.
 */
static void respond_replay(struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct weft_responder *resp = &qp->resp;
	struct weft_resp_resource *r;
	u32 number, packet, n;

	if (!respond_find(resp, p, &number))
		return;
	r = respond_resource(resp, number);
	packet = (p->psn - r->first_psn) & WEFT_PSN_MASK;
	if (!respond_is_same(qp, r, p, packet))
		return;
	for (n = number + 1; n != resp->res_head; n++)
		respond_resource(resp, n)->pending = false;
	r->pending = true;
	r->first_pkt = packet;
	r->next_pkt = packet;
	if ((s32)(number - resp->res_next) < 0)
		resp->res_next = number;
	resp->ack_deferred = false;
	resp->nak_sent = false;
	weft_port_schedule(qp, 0);
}

/**
 * weft_responder_duplicate() - handle a request that was executed before
 * @qp: the queue pair
 * @p: the packet
 *
 * Context: fabric's lock held.
 */
void weft_responder_duplicate(struct weft_qp *qp, const struct weft_rpkt *p)
{
	weft_rdma_count(qp->dev, duplicates, 1);
	switch (p->opcode) {
	case IB_OPCODE_RC_RDMA_READ_REQUEST:
	case IB_OPCODE_RC_COMPARE_SWAP:
	case IB_OPCODE_RC_FETCH_ADD:
		respond_replay(qp, p);
		break;
	default:
		if (p->flags & WEFT_RPKT_ACK_REQ)
			weft_responder_send_ack(qp, WEFT_AETH_ACK,
						(qp->resp.epsn - 1) & WEFT_PSN_MASK);
	}
}

static u8 respond_opcode(const struct weft_resp_resource *r)
{
	bool first = r->next_pkt == r->first_pkt;

	if (r->next_pkt + 1 == r->packets)
		return first ? IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY :
			       IB_OPCODE_RC_RDMA_READ_RESPONSE_LAST;
	return first ? IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST :
		       IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE;
}

/* Read memory into a packet. -EFAULT: the memory is gone. */
static int respond_read_memory(struct weft_qp *qp,
			       const struct weft_resp_resource *r,
			       struct weft_rpkt *p)
{
	u32 offset = r->next_pkt << ilog2(qp->mtu);
	u32 len = min(r->dma_len - offset, qp->mtu);
	struct ib_sge sge = { r->va, r->dma_len, r->rkey };
	struct weft_mem from;

	respond_mem(qp, &from, &sge, IB_ACCESS_REMOTE_READ);
	return weft_rpkt_copy_data(p, &from, offset, len);
}

/* Memory is gone while it is read: send a NAK and no more responses. */
static void respond_memory_gone(struct weft_qp *qp,
				const struct weft_resp_resource *r)
{
	struct weft_responder *resp = &qp->resp;
	u32 psn = (r->first_psn + r->next_pkt) & WEFT_PSN_MASK;

	respond_defer_ack(resp, WEFT_AETH_NAK | WEFT_NAK_ACCESS, psn);
	resp->res_next = resp->res_head;
	if (qp->window)
		weft_hold_reset(qp);
	resp->failed = true;
	resp->async_event = IB_EVENT_QP_ACCESS_ERR;
	weft_rdma_count(qp->dev, access_errors, 1);
}

/* The next packet of a response. Errors as respond_read_memory(). */
static int respond_data(struct weft_qp *qp, struct weft_resp_resource *r,
			struct weft_rpkt **packet)
{
	bool read = r->opcode == IB_OPCODE_RC_RDMA_READ_REQUEST;
	struct weft_rpkt *p;
	int err;

	p = respond_alloc(qp, read ? respond_opcode(r) :
				     IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE,
			  (r->first_psn + r->next_pkt) & WEFT_PSN_MASK, r->msn);
	if (!p)
		return -ENOMEM;
	p->compare = r->orig_data;
	err = read ? respond_read_memory(qp, r, p) : 0;
	if (err) {
		weft_rpkt_free(p);
		return err;
	}
	respond_address(qp, p);
	*packet = p;
	return 0;
}

/* The deferred ACK or NAK, when all responses before it are sent. */
static struct weft_rpkt *respond_deferred_ack(struct weft_qp *qp)
{
	struct weft_responder *resp = &qp->resp;

	if (!resp->ack_deferred)
		return NULL;
	resp->ack_deferred = false;
	if (resp->failed)
		respond_schedule(qp, 0);
	return respond_ack(qp, resp->deferred_syndrome, resp->deferred_psn);
}

/* The request whose response goes on; one that is answered again is first. */
static struct weft_resp_resource *respond_current(struct weft_qp *qp,
						  bool *again)
{
	struct weft_responder *resp = &qp->resp;
	struct weft_resp_resource *r;

	r = qp->window ? weft_replay_next(qp) : NULL;
	*again = r;
	if (!r && resp->res_next != resp->res_head)
		r = respond_resource(resp, resp->res_next);
	return r;
}

/**
 * weft_responder_next_packet() - make the response that is sent next
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 * Return: a packet, the caller's; NULL if there is none for now.
 */
struct weft_rpkt *weft_responder_next_packet(struct weft_qp *qp)
{
	struct weft_resp_resource *r;
	struct weft_rpkt *p;
	bool again;
	int err;

	r = respond_current(qp, &again);
	if (!r)
		return respond_deferred_ack(qp);
	err = respond_data(qp, r, &p);
	if (err == -ENOMEM) {
		respond_schedule(qp, RESPOND_MEMORY_WAIT);
		return NULL;
	}
	if (err) {
		respond_memory_gone(qp, r);
		return respond_deferred_ack(qp);
	}
	if (++r->next_pkt != r->packets)
		return p;
	r->pending = false;
	if (again)
		weft_replay_done(qp);
	else
		respond_next_pending(&qp->resp);
	return p;
}
