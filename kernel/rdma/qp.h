/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue pair. All of it but the receive queue is under the fabric's lock.
 */
#ifndef WEFT_RDMA_QP_H
#define WEFT_RDMA_QP_H

#include <linux/mutex.h>

#include "rdma/cc.h"
#include "rdma/cq.h"
#include "rdma/dev.h"
#include "rdma/pd.h"
#include "rdma/requester.h"
#include "rdma/responder.h"
#include "rdma/rq.h"
#include "rdma/sq.h"

/**
 * struct weft_tx - arbitration state of a queue pair
 */
struct weft_tx {
	/** @node: in weft_rdma_txq.qps while it has something to send */
	struct list_head node;
	/** @lru: in weft_rdma_port.qpc_lru while the NIC caches its state */
	struct list_head lru;
	/** @timer: event: the queue pair may send again (doorbell, pace) */
	struct fab_event timer;
	/** @not_before: pace: no packet is taken before */
	fab_time not_before;
	/** @cls: class on the first wire */
	u8 cls;
};

/**
 * struct weft_qp - a queue pair
 */
struct weft_qp {
	/** @ib: the kernel's queue pair; its number is ib.qp_num */
	struct ib_qp ib;
	/** @dev: its device; constant */
	struct weft_rdma_dev *dev;
	/** @state: state */
	enum ib_qp_state state;
	/** @attr: attributes as set, path and state excluded */
	struct ib_qp_attr attr;
	/** @cap: capacities as granted; constant */
	struct ib_qp_cap cap;
	/** @path: RC, UC: to the far end */
	struct weft_path path;
	/** @mtu: RC, UC: bytes of payload of a packet; UD: the most */
	u32 mtu;
	/** @pkey: partition key */
	u16 pkey;
	/** @user: the process's context, NULL for the kernel's own; constant */
	struct weft_ucontext *user;
	/** @sig_all: each request is signalled; constant */
	bool sig_all;
	/** @draining: in SQD, and requests that were begun are not complete */
	bool draining;
	/** @cq_overrun: a completion was lost, which is an error */
	struct fab_event cq_overrun;
	/** @established: in RTR, and the user knows that a packet came */
	bool established;
	/** @scq: completions of sends; constant */
	struct weft_cq *scq;
	/** @rcq: completions of receives; constant */
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
	/** @tx: arbitration by the port */
	struct weft_tx tx;
	/** @cc: reaction to congestion */
	struct weft_qp_cc cc;
	/** @post_mutex: a process that posts; protects slots of the ring that are free */
	struct mutex post_mutex;
	/** @modify_mutex: one change of state at a time; above the fabric's lock */
	struct mutex modify_mutex;
	/** @posts: kernel's: requests posted with interrupts off (posters_lock) */
	struct list_head posts;
	/** @nposts: how many (posters_lock) */
	u32 nposts;
	/** @posts_node: in the device's list of those with posts (posters_lock) */
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

/* May requests be posted? In some of these states they are flushed at once. */
static inline bool weft_qp_may_post(const struct weft_qp *qp)
{
	return READ_ONCE(qp->state) >= IB_QPS_RTS;
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

struct weft_qp *weft_qp_find(struct weft_rdma_dev *dev, u32 qpn);
/*
 * Into the error state: timers stop, requests of both queues are flushed. With
 * @event the user is told (IB_EVENT_QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR), 0: not.
 */
void weft_qp_error(struct weft_qp *qp, int event);
/* A request failed, and is complete: the error that means for its queue pair. */
void weft_qp_send_error(struct weft_qp *qp);
/* Back to the beginning: both queues are forgotten; and what they had completed. */
void weft_qp_reset(struct weft_qp *qp);
void weft_qp_purge(struct weft_qp *qp);
/* All queue pairs of a device, when its NIC goes; the fabric's lock is held. */
void weft_qps_error(struct weft_rdma_dev *dev);
/* All posted receives are over with IB_WC_WR_FLUSH_ERR. Any context. */
void weft_qp_flush_recv(struct weft_qp *qp);
/* Tell the user of something (asynchronous event). */
void weft_qp_event(struct weft_qp *qp, enum ib_event_type event);
/* A completion was lost (weft_cq_push()): error, but not before the caller ends. */
void weft_qp_cq_overrun(struct weft_qp *qp);
/* A packet came for it. */
void weft_qp_established(struct weft_qp *qp);
/* The requester has nothing left that was begun (SQD). */
void weft_qp_drained(struct weft_qp *qp);

#endif
