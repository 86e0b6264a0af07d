// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of receive WQEs: of one queue pair, or shared by several.
 */
#include "rdma/rq.h"

#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

static struct weft_rwqe *rq_at(const struct weft_rq *rq, u32 i)
{
	return rq->ring + (size_t)((rq->head + i) % rq->size) * rq->stride;
}

static void *rq_ring(u32 size, u32 stride)
{
	return kvcalloc(size, stride, GFP_KERNEL_ACCOUNT);
}

/**
 * weft_rq_init() - initialise an empty queue
 * @rq: queue
 * @size: number of WQEs that fit; 0: none can be posted
 * @max_sge: SGEs of a WQE at most
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_rq_init(struct weft_rq *rq, u32 size, u32 max_sge)
{
	spin_lock_init(&rq->lock);
	rq->size = size;
	rq->max_sge = max_sge;
	rq->stride = sizeof(struct weft_rwqe) + max_sge * sizeof(struct ib_sge);
	rq->head = 0;
	rq->count = 0;
	rq->limit = 0;
	rq->ring = NULL;
	if (!size)
		return 0;
	rq->ring = rq_ring(size, rq->stride);
	return rq->ring ? 0 : -ENOMEM;
}

/**
 * weft_rq_free() - free a queue
 * @rq: queue; its WQEs are discarded
 *
 * Context: process, may sleep.
 */
void weft_rq_free(struct weft_rq *rq)
{
	kvfree(rq->ring);
	rq->ring = NULL;
}

/**
 * weft_rq_resize() - resize a queue
 * @rq: queue
 * @size: new number of WQEs that fit, at least 1
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if it has more WQEs, or its limit is higher; -ENOMEM.
 */
int weft_rq_resize(struct weft_rq *rq, u32 size)
{
	void *ring = rq_ring(size, rq->stride);
	unsigned long flags;
	int err = -EINVAL;
	u32 i;

	if (!ring)
		return -ENOMEM;
	spin_lock_irqsave(&rq->lock, flags);
	if (rq->count <= size && rq->limit <= size) {
		for (i = 0; i < rq->count; i++)
			memcpy(ring + (size_t)i * rq->stride, rq_at(rq, i),
			       rq->stride);
		swap(rq->ring, ring);
		rq->size = size;
		rq->head = 0;
		err = 0;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	kvfree(ring);
	return err;
}

/* Bytes of all SGEs, at most U32_MAX: no message is that long. */
static u32 rq_len(const struct ib_recv_wr *wr)
{
	u32 len = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		if (check_add_overflow(len, wr->sg_list[i].length, &len))
			return U32_MAX;
	}
	return len;
}

/**
 * weft_rq_post() - post one receive request
 * @rq: queue
 * @wr: the request; wr->next is not used
 *
 * Context: any.
 * Return: 0; -EINVAL for more SGEs than the queue allows; -ENOMEM when it is
 * full.
 */
int weft_rq_post(struct weft_rq *rq, const struct ib_recv_wr *wr)
{
	struct weft_rwqe *w;
	unsigned long flags;
	int err = -ENOMEM;

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;
	spin_lock_irqsave(&rq->lock, flags);
	if (rq->count < rq->size) {
		w = rq_at(rq, rq->count++);
		w->wr_id = wr->wr_id;
		w->num_sge = wr->num_sge;
		w->len = rq_len(wr);
		memcpy(w->sge, wr->sg_list, w->num_sge * sizeof(*w->sge));
		err = 0;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}

/**
 * weft_rq_pop() - take the oldest WQE
 * @rq: queue
 * @to: set to the WQE; it has room for as many SGEs as the queue allows
 * @limit_reached: set to whether fewer than the limit are left; true only once
 *	for each limit that is set
 *
 * Context: any.
 * Return: true; false when there is none.
 */
bool weft_rq_pop(struct weft_rq *rq, struct weft_rwqe *to, bool *limit_reached)
{
	const struct weft_rwqe *w;
	unsigned long flags;
	bool some;

	*limit_reached = false;
	spin_lock_irqsave(&rq->lock, flags);
	some = rq->count;
	if (some) {
		w = rq_at(rq, 0);
		memcpy(to, w, sizeof(*w) + w->num_sge * sizeof(*w->sge));
		rq->head = (rq->head + 1) % rq->size;
		rq->count--;
		*limit_reached = rq->count < rq->limit;
		if (*limit_reached)
			rq->limit = 0;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return some;
}
