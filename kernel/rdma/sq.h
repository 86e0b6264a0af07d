/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A send queue.
 *
 * It outlives its queue pair as long as packets refer to it. The fabric's lock
 * protects all of it. A WQE has an index that is not used again while a packet
 * can refer to it.
 */
#ifndef WEFT_RDMA_SQ_H
#define WEFT_RDMA_SQ_H

#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>

#include "rdma/mem.h"
#include "rdma/pkt.h"

struct weft_qp;

/**
 * struct weft_wqe - a send WQE
 *
 * What a kind of request does not need has no value.
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
	/**
	 * @packets: packets of the message, at least 1; read: of the response; 0: it
	 * sends nothing
	 */
	u32 packets;
	/** @first_psn: PSN of the first packet, set when the request starts */
	u32 first_psn;
	/** @posted: fabric time of the post */
	fab_time posted;
	/** @imm: immediate data */
	__be32 imm;
	/** @rkey: R_Key to be used; key to be registered or invalidated */
	u32 rkey;
	/** @remote_addr: remote address; fast registration: first address */
	u64 remote_addr;
	/** @compare: atomic: compare data */
	u64 compare;
	/** @swap: atomic: swap or add data */
	u64 swap;
	/** @rd_atomic: a read or an atomic: it gets a response with data */
	bool rd_atomic;
	/** @access: fast registration: IB_ACCESS_* */
	int access;
	/** @mem: memory of the message: @sge, or inline data behind that */
	struct weft_mem mem;
	/** @path: UD: path */
	struct weft_path path;
	/** @remote_qpn: UD: destination QP number */
	u32 remote_qpn;
	/** @remote_qkey: UD: Q_Key */
	u32 remote_qkey;
	/** @pkey_index: QP1: index of the P_Key */
	u16 pkey_index;
	/** @sge: room for as many SGEs as the queue allows, then for inline data */
	struct ib_sge sge[];
};

/**
 * struct weft_sq - a send queue
 */
struct weft_sq {
	/** @rcu: it is freed by RCU, because the fabric's lock is held then */
	struct rcu_head rcu;
	/** @refs: references of the queue pair and of packets */
	u32 refs;
	/** @qp: the queue pair, NULL when it is destroyed */
	struct weft_qp *qp;
	/** @dev: the device, which lists queues with zero-copy packets; NULL with @qp */
	struct weft_rdma_dev *dev;
	/** @size: number of WQEs that fit, a power of two */
	u32 size;
	/** @stride: bytes from a WQE to the next */
	u32 stride;
	/** @max_sge: SGEs of a WQE at most */
	u32 max_sge;
	/** @max_inline: bytes of inline data at most */
	u32 max_inline;
	/** @tail: index of the oldest request that is not complete; free-running */
	u32 tail;
	/** @head: index that the next post gets; free-running */
	u32 head;
	/** @zerocopy: zero-copy packets on their way, weft_rpkt.zerocopy_node */
	struct hlist_head zerocopy;
	/** @zerocopy_node: in weft_rdma_dev.zerocopy_sqs while it has such packets */
	struct list_head zerocopy_node;
	/** @ring: the WQEs, behind this structure */
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

/* Is the WQE that a packet refers to still there? */
static inline bool weft_sq_live(const struct weft_sq *sq, u32 wqe_idx)
{
	return sq->qp && wqe_idx - sq->tail < sq->head - sq->tail;
}

/* Memory of the message of a WQE, as long as the fabric's lock is held; NULL if it is gone. */
static inline const struct weft_mem *weft_sq_payload(const struct weft_sq *sq, u32 wqe_idx)
{
	return weft_sq_live(sq, wqe_idx) ? &weft_sq_wqe(sq, wqe_idx)->mem : NULL;
}

/* The same for the WQE of a packet, if it has one. */
static inline const struct weft_mem *weft_rpkt_payload(const struct weft_rpkt *p)
{
	return p->sq ? weft_sq_payload(p->sq, p->wqe_idx) : NULL;
}

/* Take a reference; the fabric's lock is held. */
static inline void weft_sq_get(struct weft_sq *sq)
{
	sq->refs++;
}

/* Drop a reference; the fabric's lock is held. */
static inline void weft_sq_put(struct weft_sq *sq)
{
	if (!--sq->refs)
		kvfree_rcu(sq, rcu);
}

struct weft_sq *weft_sq_alloc(struct weft_qp *qp, struct ib_qp_cap *cap);
/* A memory region goes: zero-copy packets from it get a copy of their payload. */
void weft_sq_orphan_mr(struct weft_rdma_dev *dev, struct weft_mr *mr);
/* Complete the oldest request. */
void weft_sq_complete(struct weft_qp *qp, enum ib_wc_status status);
/* Complete all requests with IB_WC_WR_FLUSH_ERR. */
void weft_sq_flush(struct weft_qp *qp);
/* Discard all requests without completions (RESET). */
void weft_sq_reset(struct weft_qp *qp);
/* Post the @n WQEs that are complete behind the head. */
void weft_sq_commit(struct weft_qp *qp, u32 n);

/* post.c */
int weft_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad);
int weft_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad);
/* Work function of weft_rdma_dev.post. */
void weft_sq_post_work(struct work_struct *work);
/* Discard requests of the kernel that are not in the ring yet; fabric's lock. */
void weft_sq_unpost(struct weft_qp *qp);

#endif
