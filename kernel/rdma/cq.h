/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A completion queue.
 */
#ifndef WEFT_RDMA_CQ_H
#define WEFT_RDMA_CQ_H

#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

struct cq_page;
struct weft_ucontext;

/**
 * struct weft_cq - a completion queue
 */
struct weft_cq {
	/** @ib: the kernel's queue; ib.cqe completions fit (@lock) */
	struct ib_cq ib;
	/** @lock: protects the members up to @overrun; irqsave, below all others */
	spinlock_t lock;
	/** @pages: completions, struct cq_page; at least one page */
	struct list_head pages;
	/** @spare_page: an empty page that is not in @pages, or NULL */
	struct cq_page *spare_page;
	/** @purge_page: page at which weft_cq_purge() released the lock, or NULL */
	struct cq_page *purge_page;
	/** @count: number of completions in all pages */
	u32 count;
	/** @armed: 0, IB_CQ_SOLICITED or IB_CQ_NEXT_COMP */
	u8 armed;
	/** @overrun: a completion was lost: the queue is in error */
	bool overrun;
	/** @user: context of the process, NULL for the kernel's own; constant */
	struct weft_ucontext *user;
	/** @purge_mutex: one weft_cq_purge() at a time; above @lock */
	struct mutex purge_mutex;
	/** @memcg: with @user: charged for the pages; constant */
	struct mem_cgroup *memcg;
	/** @progress: weft_poller_progress() when the queue was last found empty */
	int progress;
};

static inline struct weft_cq *weft_cq_of(struct ib_cq *cq)
{
	return container_of(cq, struct weft_cq, ib);
}

bool weft_cq_push(struct weft_cq *cq, const struct ib_wc *wc, bool solicited);
void weft_cq_purge(struct weft_cq *cq, const struct ib_qp *qp);

/* The arguments of create_cq differ between kernels, see weft_cq_set_ops(). */
int weft_destroy_cq(struct ib_cq *cq, struct ib_udata *udata);
int weft_poll_cq(struct ib_cq *cq, int num, struct ib_wc *wc);
int weft_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags);
int weft_resize_cq(struct ib_cq *cq, int cqe, struct ib_udata *udata);
void weft_cq_set_ops(struct ib_device_ops *ops);	/* create_cq */

#endif
