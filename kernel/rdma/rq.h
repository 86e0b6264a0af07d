/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A receive queue: of one queue pair, or shared by several (SRQ).
 */
#ifndef WEFT_RDMA_RQ_H
#define WEFT_RDMA_RQ_H

#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

/**
 * struct weft_rwqe - a receive WQE
 */
struct weft_rwqe {
	/** @wr_id: as posted */
	u64 wr_id;
	/** @num_sge: number of SGEs */
	u32 num_sge;
	/** @len: bytes of all SGEs */
	u32 len;
	/** @sge: room for as many SGEs as the queue allows */
	struct ib_sge sge[];
};

/**
 * struct weft_rq - a ring of receive WQEs
 */
struct weft_rq {
	/** @lock: protects the rest; irqsave, below the fabric's */
	spinlock_t lock;
	/** @ring: the WQEs */
	void *ring;
	/** @size: number of WQEs that fit */
	u32 size;
	/** @stride: bytes from a WQE to the next */
	u32 stride;
	/** @max_sge: SGEs of a WQE at most */
	u32 max_sge;
	/** @head: index of the oldest WQE */
	u32 head;
	/** @count: number of WQEs */
	u32 count;
	/** @limit: SRQ: an event is raised below this count, 0: none */
	u32 limit;
};

int weft_rq_init(struct weft_rq *rq, u32 size, u32 max_sge);
void weft_rq_free(struct weft_rq *rq);
int weft_rq_resize(struct weft_rq *rq, u32 size);
int weft_rq_post(struct weft_rq *rq, const struct ib_recv_wr *wr);
bool weft_rq_pop(struct weft_rq *rq, struct weft_rwqe *to, bool *limit_reached);

/* a receive WQE with room for the most SGEs */
struct weft_rwqe_max {
	struct weft_rwqe w;
	struct ib_sge sge[16];
};

/**
 * struct weft_srq - a shared receive queue
 */
struct weft_srq {
	/** @ib: the kernel's queue */
	struct ib_srq ib;
	/** @rq: the WQEs */
	struct weft_rq rq;
};

static inline struct weft_srq *weft_srq_of(struct ib_srq *srq)
{
	return container_of(srq, struct weft_srq, ib);
}

int weft_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *attr,
		    struct ib_udata *udata);
int weft_modify_srq(struct ib_srq *srq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata);
int weft_query_srq(struct ib_srq *srq, struct ib_srq_attr *attr);
int weft_destroy_srq(struct ib_srq *srq, struct ib_udata *udata);
int weft_post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad);
/* Raise IB_EVENT_SRQ_LIMIT_REACHED. */
void weft_srq_limit_event(struct weft_srq *srq);

#endif
