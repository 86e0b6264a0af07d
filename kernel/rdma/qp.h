/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue pair. The fabric's lock protects it, except its receive queue.
 */
#ifndef WEFT_RDMA_QP_H
#define WEFT_RDMA_QP_H

#include <linux/mutex.h>

#include "rdma/cc.h"
#include "rdma/cq.h"
#include "rdma/dev.h"
#include "rdma/order/window.h"
#include "rdma/pd.h"
#include "rdma/requester.h"
#include "rdma/responder.h"
#include "rdma/rq.h"
#include "rdma/sq.h"

/**
 * struct weft_qp - a queue pair
 */
struct weft_qp {
	/** @ib: the kernel's queue pair; its number is ib.qp_num */
	struct ib_qp ib;
	/** @dev: its device; constant */
	struct weft_rdma_dev *dev;
	/** @state: its state */
	enum ib_qp_state state;
	/** @attr: attributes as set, without path and state */
	struct ib_qp_attr attr;
	/** @cap: capabilities as granted; constant */
	struct ib_qp_cap cap;
	/** @path: RC, UC: path to the peer */
	struct weft_path path;
	/** @mtu: path MTU in bytes; UD: MTU of the port */
	u32 mtu;
	/** @pkey: P_Key */
	u16 pkey;
	/** @user: context of the process, NULL for the kernel's own; constant */
	struct weft_ucontext *user;
	/** @sig_all: all requests are signalled; constant */
	bool sig_all;
	/** @transport: of the opcodes of its packets: IB_OPCODE_RC, _UC or _UD; constant */
	u8 transport;
	/** @draining: in SQD, and started requests are not complete */
	bool draining;
	/** @cq_overrun: event: a completion was lost */
	struct fab_event cq_overrun;
	/** @established: IB_EVENT_COMM_EST was raised */
	bool established;
	/** @scq: completion queue of the send queue; constant */
	struct weft_cq *scq;
	/** @rcq: completion queue of the receive queue; constant */
	struct weft_cq *rcq;
	/** @srq: shared receive queue or NULL; constant */
	struct weft_srq *srq;
	/** @rq: its own receive queue, unused with @srq */
	struct weft_rq rq;
	/** @sq: its send queue */
	struct weft_sq *sq;
	/** @req: requester (RC, UC, UD) */
	struct weft_requester req;
	/** @resp: responder (RC, UC) */
	struct weft_responder resp;
	/** @window: packets may come in any order (RC); NULL: they may not */
	struct weft_window *window;
	/** @tx: arbitration by the port */
	struct weft_tx tx;
	/** @cc: congestion control */
	struct weft_qp_cc cc;
	/** @post_mutex: one process posts at a time; protects free slots of the ring */
	struct mutex post_mutex;
	/** @modify_mutex: one change of state at a time; above the fabric's lock */
	struct mutex modify_mutex;
	/** @posts: requests of the kernel that are not in the ring (posters_lock) */
	struct list_head posts;
	/** @nposts: number of @posts (posters_lock) */
	u32 nposts;
	/** @posts_node: in weft_rdma_dev.posters while it has posts (posters_lock) */
	struct list_head posts_node;
};

static inline struct weft_qp *weft_qp_of(struct ib_qp *qp)
{
	return container_of(qp, struct weft_qp, ib);
}

static inline struct weft_rq *weft_qp_rq(struct weft_qp *qp)
{
	return qp->srq ? &qp->srq->rq : &qp->rq;
}

/* UD, QP0 or QP1? */
static inline bool weft_qp_is_ud(const struct weft_qp *qp)
{
	return qp->ib.qp_type != IB_QPT_RC && qp->ib.qp_type != IB_QPT_UC;
}

/* May requests be posted? In states SQE and ERR they are flushed at once. */
static inline bool weft_qp_may_post(const struct weft_qp *qp)
{
	return READ_ONCE(qp->state) >= IB_QPS_RTS;
}

/**
 * weft_requester_active() - may requests that were started go on?
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 * Return: true in the states RTS and SQD.
 */
static inline bool weft_requester_active(const struct weft_qp *qp)
{
	return qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD;
}

/**
 * weft_requester_idle() - are all started requests complete?
 * @qp: the queue pair, of any type
 *
 * Context: fabric's lock held.
 * Return: true if they are.
 */
static inline bool weft_requester_idle(const struct weft_qp *qp)
{
	u32 new_idx = weft_qp_is_ud(qp) ? qp->req.wqe_idx : qp->req.new_idx;

	return (s32)(qp->sq->tail - new_idx) >= 0;
}

/**
 * weft_responder_ready() - is there a response to send?
 * @qp: the queue pair
 *
 * Context: fabric's lock held.
 * Return: true if there is.
 */
static inline bool weft_responder_ready(const struct weft_qp *qp)
{
	const struct weft_responder *resp = &qp->resp;

	return resp->ack_deferred || resp->res_next != resp->res_head ||
	       (qp->window && weft_replay_next(qp));
}

/**
 * weft_cc_has_window() - does a window limit the packets of a queue pair (Swift)?
 * @qp: the queue pair
 *
 * Each of its packets asks for an acknowledgement.
 *
 * Context: fabric's lock held.
 * Return: true if it does.
 */
static inline bool weft_cc_has_window(const struct weft_qp *qp)
{
	return qp->ib.qp_type == IB_QPT_RC && qp->dev->client.wep &&
	       weft_rdma_params(qp->dev)->cc == WEFT_CC_SWIFT;
}

/* receive.c */
bool weft_qp_may_receive(const struct weft_qp *qp, const struct weft_rpkt *p);

/* qp_modify.c */
int weft_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata);
int weft_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init);

/* qp.c */
int weft_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
		   struct ib_udata *udata);
int weft_destroy_qp(struct ib_qp *qp, struct ib_udata *udata);

struct weft_qp *weft_qp_search(struct weft_rdma_dev *dev, u32 qpn);
/*
 * Go into the error state: timers stop, both queues are flushed. @event is raised
 * (IB_EVENT_QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR) unless it is 0.
 */
void weft_qp_error(struct weft_qp *qp, int event);
/* A request failed and is complete: the queue pair goes into ERR, or into SQE. */
void weft_qp_send_error(struct weft_qp *qp);
/* Reset the queue pair and discard both queues; then discard their completions. */
void weft_qp_reset(struct weft_qp *qp);
void weft_qp_purge(struct weft_qp *qp);
/* The NIC goes: all queue pairs of the device into error; fabric's lock held. */
void weft_qps_error(struct weft_rdma_dev *dev);
/* Complete all posted receives with IB_WC_WR_FLUSH_ERR. Any context. */
void weft_qp_flush_recv(struct weft_qp *qp);
/* Raise an asynchronous event. */
void weft_qp_event(struct ib_qp *qp, enum ib_event_type event);
/* A completion was lost (weft_cq_push()): error, but after the caller has ended. */
void weft_qp_cq_overrun(struct weft_qp *qp);
/* A packet arrived for the queue pair, which is in RTR. */
void weft_qp_established(struct weft_qp *qp);
/* All started requests are complete (SQD). */
void weft_qp_drained(struct weft_qp *qp);

/**
 * weft_qp_find() - look a queue pair up
 * @dev: the device
 * @qpn: its number
 *
 * Context: any; the fabric's lock is held.
 * Return: the queue pair or NULL.
 */
static inline struct weft_qp *weft_qp_find(struct weft_rdma_dev *dev, u32 qpn)
{
	struct weft_qp *qp = dev->recent_qp[qpn % WEFT_RDMA_RECENT];

	lockdep_assert_held(&dev->client.fabric->lock);
	return likely(qp && qp->ib.qp_num == qpn) ? qp : weft_qp_search(dev, qpn);
}

#endif
