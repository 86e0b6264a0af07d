// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and atomics that are answered again, where packets may come in any order.
 *
 * A requester repeats a read for the responses that are missing, so such a request
 * names a part of the first one. It is checked as a new one is, and reads memory
 * once more. An atomic returns what it found the first time. Both are answered
 * before requests that were not answered yet.
 */
#include <linux/log2.h>

#include "rdma/qp.h"
#include "rdma/order/window.h"

/* The atomic that @p repeats, NULL if it is not known any more. */
static const struct weft_resp_resource *
replay_atomic(const struct weft_responder *resp, const struct weft_rpkt *p)
{
	const struct weft_resp_resource *r;

	for (r = resp->res; r < resp->res + WEFT_RESP_RESOURCES; r++)
		if (r->packets && r->opcode == p->opcode &&
		    r->first_psn == p->psn)
			return r;
	return NULL;
}

/* May the memory still be read? */
static bool replay_may_read(const struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct ib_sge sge = { p->va, p->dma_len, p->rkey };
	struct weft_mem from = {
		.dev = qp->dev,
		.pd = qp->ib.pd,
		.sge = &sge,
		.num_sge = 1,
		.access = IB_ACCESS_REMOTE_READ,
	};

	return (qp->attr.qp_access_flags & IB_ACCESS_REMOTE_READ) &&
	       p->dma_len <= WEFT_RDMA_MSG_MAX &&
	       (!p->dma_len || !weft_mem_check(&from, p->dma_len));
}

static bool replay_fill(const struct weft_qp *qp, const struct weft_rpkt *p,
			struct weft_resp_resource *to)
{
	const struct weft_resp_resource *known;

	if (p->opcode != IB_OPCODE_RC_RDMA_READ_REQUEST) {
		known = replay_atomic(&qp->resp, p);
		if (known)
			*to = *known;
		to->next_pkt = 0;
		return known;
	}
	*to = (struct weft_resp_resource) {
		.first_psn = p->psn,
		.packets = max(1u, (p->dma_len + qp->mtu - 1) >>
				   ilog2(qp->mtu)),
		.opcode = p->opcode,
		.va = p->va,
		.rkey = p->rkey,
		.dma_len = p->dma_len,
		.msn = qp->resp.msn,
	};
	return replay_may_read(qp, p);
}

/**
 * weft_replay_add() - answer a read or an atomic again
 * @qp: the queue pair
 * @p: the request; dropped if it is refused, unknown, or one too many
 *
 * Context: fabric's lock held.
 */
void weft_replay_add(struct weft_qp *qp, const struct weft_rpkt *p)
{
	struct weft_rx_window *rx = &qp->window->rx;
	struct weft_resp_resource *r;

	if (rx->replay_head - rx->replay_next == WEFT_RESP_RESOURCES)
		return;
	r = &rx->replay[rx->replay_head % WEFT_RESP_RESOURCES];
	if (!replay_fill(qp, p, r))
		return;
	rx->replay_head++;
	weft_port_schedule(qp, 0);
}

/**
 * weft_replay_next() - the request that is answered again next
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 * Return: the request, or NULL.
 */
struct weft_resp_resource *weft_replay_next(const struct weft_qp *qp)
{
	struct weft_rx_window *rx = &qp->window->rx;

	return rx->replay_next == rx->replay_head ? NULL :
	       &rx->replay[rx->replay_next % WEFT_RESP_RESOURCES];
}

/**
 * weft_replay_done() - the last packet of that response was made
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 */
void weft_replay_done(struct weft_qp *qp)
{
	qp->window->rx.replay_next++;
}
