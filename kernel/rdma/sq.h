/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A send queue.
 *
 * It outlives its queue pair as long as packets refer to it. All of it is under
 * the fabric's lock. Requests are known by sequence numbers that never come
 * again while a packet can refer to them.
 */
#ifndef WEFT_RDMA_SQ_H
#define WEFT_RDMA_SQ_H

#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>

#include "rdma/mem.h"
#include "rdma/pkt.h"

struct weft_qp;

/**
 * struct weft_wqe - a send request
 */
struct weft_wqe {
	/** @wr_id: as posted */
	u64 wr_id;
	/** @opcode: IB_WR_* */
	enum ib_wr_opcode opcode;
	/** @send_flags: IB_SEND_* */
	int send_flags;
	/** @len: bytes of the message */
	u32 len;
	/** @packets: of the path's MTU, at least 1; of a read: of its response */
	u32 packets;
	/** @first_psn: PSN of the first packet, set when it is sent first */
	u32 first_psn;
	/** @posted: fabric time of the post */
	fab_time posted;
	/** @imm: immediate data */
	__be32 imm;
	/** @rkey: key to be used, or to be invalidated */
	u32 rkey;
	/** @remote_addr: remote address */
	u64 remote_addr;
	/** @compare: to compare with */
	u64 compare;
	/** @swap: to be swapped in, or added */
	u64 swap;
	/** @path: UD: where to */
	struct weft_path path;
	/** @remote_qpn: UD: to which */
	u32 remote_qpn;
	/** @remote_qkey: UD: its key */
	u32 remote_qkey;
	/** @pkey_index: of QP1's requests */
	u16 pkey_index;
	/** @num_sge: SGEs; 0 with @inlined */
	u32 num_sge;
	/** @inlined: the message lies behind the SGEs */
	bool inlined;
	/** @sge: SGEs, as many as the queue allows, then room for inline data */
	struct ib_sge sge[];
};

/**
 * struct weft_sq - a send queue
 */
struct weft_sq {
	/** @rcu: for freeing, as the lock under which that happens forbids more */
	struct rcu_head rcu;
	/** @refs: the queue pair, and packets */
	u32 refs;
	/** @qp: whose it is, NULL when that is gone */
	struct weft_qp *qp;
	/** @dev: for the keys; NULL with @qp */
	struct weft_rdma_dev *dev;
	/** @size: requests that fit, a power of two */
	u32 size;
	/** @stride: bytes of a request */
	u32 stride;
	/** @max_sge: SGEs of a request */
	u32 max_sge;
	/** @max_inline: bytes of inline data */
	u32 max_inline;
	/** @tail: oldest request that is not complete; only grows */
	u32 tail;
	/** @head: number that the next post gets; only grows */
	u32 head;
	/** @lent: packets on their way whose payload is that of a request here */
	struct list_head lent;
	/** @lender: in the device's list of queues with such packets */
	struct list_head lender;
	/** @ring: requests, behind this structure */
	void *ring;
};

static inline struct weft_wqe *weft_sq_wqe(const struct weft_sq *sq, u32 wqe_idx)
{
	return sq->ring + (size_t)(wqe_idx & (sq->size - 1)) * sq->stride;
}

static inline void *weft_wqe_inline(const struct weft_sq *sq,
				    struct weft_wqe *w)
{
	return w->sge + sq->max_sge;
}

/* Is a request still there, for a packet that refers to it? */
static inline bool weft_sq_live(const struct weft_sq *sq, u32 wqe_idx)
{
	return sq->qp && wqe_idx - sq->tail < sq->head - sq->tail;
}

struct weft_sq *weft_sq_alloc(struct weft_qp *qp, struct ib_qp_cap *cap);
void weft_sq_get(struct weft_sq *sq);
void weft_sq_put(struct weft_sq *sq);
/* Where the payload of a packet lies that refers to @wqe_idx; false when it is gone. */
bool weft_sq_payload(struct weft_sq *sq, u32 wqe_idx, struct weft_mem *mem);
/* A packet borrows the payload of a request. */
void weft_sq_lend(struct weft_sq *sq, struct list_head *borrow);
/* Memory of a device goes: packets on their way that borrow it get it as their own. */
void weft_sq_recall_mr(struct weft_rdma_dev *dev, const struct weft_mr *mr);
/* The oldest request is over: its completion, and on to the next. */
void weft_sq_complete(struct weft_qp *qp, enum ib_wc_status status);
/* All requests are over with IB_WC_WR_FLUSH_ERR. */
void weft_sq_flush(struct weft_qp *qp);
/* Forget all requests without a word (RESET). */
void weft_sq_reset(struct weft_qp *qp);
/* The slots behind the head are filled: @n more requests are posted. */
void weft_sq_commit(struct weft_qp *qp, u32 n);

/* post.c */
int weft_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad);
int weft_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad);
/* Work function of weft_rdma_dev.post. */
void weft_sq_post_work(struct work_struct *work);
/* Forget what the kernel posted and the work did not see yet; fabric's lock. */
void weft_sq_unpost(struct weft_qp *qp);

#endif
