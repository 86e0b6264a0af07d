// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues (SRQ).
 */
#include "rdma/dev.h"
#include "rdma/rq.h"

static bool srq_fits(const struct ib_srq_attr *attr)
{
	return attr->max_wr && attr->max_wr <= WEFT_RDMA_WR_MAX &&
	       attr->max_sge <= WEFT_RDMA_SGE_MAX &&
	       attr->srq_limit <= attr->max_wr;
}

/**
 * weft_create_srq() - create a shared receive queue
 * @ibsrq: queue
 * @init: its attributes
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0; -EOPNOTSUPP for any type but the basic one; -EINVAL for attributes
 * out of range; -ENOMEM.
 */
int weft_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		    struct ib_udata *udata)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ibsrq->device);
	struct weft_srq *srq = weft_srq_of(ibsrq);
	int err;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!srq_fits(&init->attr))
		return -EINVAL;
	err = weft_rdma_get_object(dev, WEFT_RDMA_SRQS);
	if (err)
		return err;
	err = weft_rq_init(&srq->rq, init->attr.max_wr, init->attr.max_sge);
	if (err)
		weft_rdma_put_object(dev, WEFT_RDMA_SRQS);
	srq->rq.limit = init->attr.srq_limit;
	return err;
}

static int srq_set_limit(struct weft_rq *rq, u32 limit)
{
	unsigned long flags;
	int err = -EINVAL;

	spin_lock_irqsave(&rq->lock, flags);
	if (limit <= rq->size) {
		rq->limit = limit;
		err = 0;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}

/**
 * weft_modify_srq() - set the size of a queue, or its limit
 * @ibsrq: queue
 * @attr: attributes
 * @mask: IB_SRQ_*: which of them are set
 * @udata: unused
 *
 * A limit above the number of WQEs takes effect when the next WQE is taken.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL for values out of range; -ENOMEM.
 */
int weft_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct weft_rq *rq = &weft_srq_of(ibsrq)->rq;
	int err;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR) {
		if (!attr->max_wr || attr->max_wr > WEFT_RDMA_WR_MAX ||
		    ((mask & IB_SRQ_LIMIT) && attr->srq_limit > attr->max_wr))
			return -EINVAL;
		err = weft_rq_resize(rq, attr->max_wr);
		if (err)
			return err;
	}
	return mask & IB_SRQ_LIMIT ? srq_set_limit(rq, attr->srq_limit) : 0;
}

/**
 * weft_query_srq() - get the attributes of a queue
 * @ibsrq: queue
 * @attr: set to them
 *
 * Context: any.
 * Return: 0.
 */
int weft_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct weft_rq *rq = &weft_srq_of(ibsrq)->rq;
	unsigned long flags;

	spin_lock_irqsave(&rq->lock, flags);
	attr->max_wr = rq->size;
	attr->max_sge = rq->max_sge;
	attr->srq_limit = rq->limit;
	spin_unlock_irqrestore(&rq->lock, flags);
	return 0;
}

/**
 * weft_destroy_srq() - destroy a queue that no queue pair uses
 * @ibsrq: queue
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	weft_rq_free(&weft_srq_of(ibsrq)->rq);
	weft_rdma_put_object(weft_rdma_dev_of(ibsrq->device), WEFT_RDMA_SRQS);
	return 0;
}

/**
 * weft_post_srq_recv() - post receive requests
 * @ibsrq: queue
 * @wr: the first of them
 * @bad: set to the one that failed
 *
 * Context: any.
 * Return: 0; -EINVAL for too many SGEs; -ENOMEM when the queue is full.
 */
int weft_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad)
{
	struct weft_rq *rq = &weft_srq_of(ibsrq)->rq;
	int err;

	for (; wr; wr = wr->next) {
		err = weft_rq_post(rq, wr);
		if (err) {
			*bad = wr;
			return err;
		}
	}
	return 0;
}

/**
 * weft_srq_limit_event() - raise IB_EVENT_SRQ_LIMIT_REACHED
 * @srq: queue
 *
 * Context: any.
 */
void weft_srq_limit_event(struct weft_srq *srq)
{
	struct ib_event ev = {
		.device = srq->ib.device,
		.element.srq = &srq->ib,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (srq->ib.event_handler)
		srq->ib.event_handler(&ev, srq->ib.srq_context);
}
