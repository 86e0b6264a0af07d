// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues of an EFA device: memory that a program reads.
 *
 * DOC: theory of operation
 *
 * Each completion has a phase, which is 1 in the first round through the ring, 0 in the
 * second, and so on: by it the program finds new ones. A program that has more requests
 * posted than completions fit loses the oldest, as on the device.
 *
 * Events. The program writes to the doorbell how many completions and how many events it has
 * taken, and whether it wants another event. It writes that at each poll that found
 * something, too, and then it wants none. So what was wanted may be overwritten before
 * anybody looks. An event is raised whenever there is a completion that was not taken, and
 * all events before were. There may be one too many; programs have to expect that, as an
 * event may always be older than the poll that took its completion.
 */
#include <linux/log2.h>
#include <rdma/efa-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "rdma/efa/efa.h"

/* What a program has written to the doorbell: EFA_DB_*. */
static u32 cq_doorbell(const struct weft_efa_cq *cq)
{
	return READ_ONCE(*(u32 *)cq->doorbell.at);
}

static void cq_notify(struct weft_efa_cq *cq)
{
	if (FIELD_GET(EFA_DB_SN, cq->seen) != (cq->notified & 3))
		return;
	cq->notified++;
	cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

/**
 * weft_efa_cq_rung() - has a program written to the doorbell?
 * @cq: the queue, with a channel
 *
 * Context: any.
 * Return: true if it may have.
 */
bool weft_efa_cq_rung(const struct weft_efa_cq *cq)
{
	return cq_doorbell(cq) != READ_ONCE(cq->seen);
}

/**
 * weft_efa_cq_look() - look at the doorbell of a queue with a channel
 * @cq: the queue
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_cq_look(struct weft_efa_cq *cq)
{
	u32 db = cq_doorbell(cq);

	if (db == cq->seen)
		return;
	cq->seen = db;
	if (FIELD_GET(EFA_DB_INDEX, db) != (u16)cq->head)
		cq_notify(cq);
}

/**
 * weft_efa_cq_push() - add a completion
 * @cq: the queue
 * @e: the completion, without phase
 * @source: receive: GID of the source
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_cq_push(struct weft_efa_cq *cq, struct efa_cqe *e, const union ib_gid *source)
{
	void *at = cq->ring.at + (size_t)(cq->head & (cq->size - 1)) * cq->cqe_size;
	struct efa_cqe *to = at;

	e->flags |= cq->head & cq->size ? 0 : EFA_CQE_PHASE;
	to->ah = e->ah;
	to->sqpn = e->sqpn;
	to->imm = e->imm;
	if (source && cq->cqe_size == EFA_CQE_GID)
		memcpy(at + EFA_CQE_SIZE, source, sizeof(*source));
	/* whoever sees the phase sees the rest */
	smp_store_release(&to->word, e->word);
	cq->head++;
	weft_watch_event(cq->watch);
	if (!cq->notifies)
		return;
	cq->seen = cq_doorbell(cq);
	cq_notify(cq);
}

static int cq_respond(struct weft_efa_cq *cq, struct ib_udata *udata)
{
	struct efa_ibv_create_cq_resp resp = {
		.comp_mask = EFA_CREATE_CQ_RESP_DB_OFF,
		.q_mmap_key = weft_ring_key(&cq->ring),
		.q_mmap_size = cq->ring.len,
		.db_mmap_key = weft_ring_key(&cq->doorbell),
	};

	return ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
}

/* Only what this knows of may be asked for. */
static int cq_command(struct weft_efa_cq *cq, struct ib_udata *udata)
{
	struct efa_ibv_create_cq cmd = {};
	int err;

	err = weft_efa_command(udata, &cmd, sizeof(cmd),
			       offsetofend(struct efa_ibv_create_cq, num_sub_cqs));
	if (err)
		return err;
	if (cmd.comp_mask || cmd.num_sub_cqs != 1 ||
	    cmd.flags & ~(EFA_CREATE_CQ_WITH_COMPLETION_CHANNEL | EFA_CREATE_CQ_WITH_SGID) ||
	    cmd.cq_entry_size != (cmd.flags & EFA_CREATE_CQ_WITH_SGID ? EFA_CQE_GID :
								       EFA_CQE_SIZE))
		return -EINVAL;
	cq->cqe_size = cmd.cq_entry_size;
	cq->notifies = cmd.flags & EFA_CREATE_CQ_WITH_COMPLETION_CHANNEL;
	return 0;
}

static int cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ibcq->device);
	struct weft_efa_cq *cq = weft_efa_cq_of(ibcq);
	struct weft_ucontext *c = rdma_udata_to_drv_context(udata, struct weft_ucontext, ib);
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > WEFT_EFA_CQE)
		return -EINVAL;
	err = cq_command(cq, udata);
	if (err)
		return err;
	err = weft_rdma_get_object(dev, WEFT_RDMA_CQS);
	if (err)
		return err;
	cq->size = roundup_pow_of_two(attr->cqe);
	ibcq->cqe = cq->size;
	err = weft_ring_alloc(&cq->ring, &c->ib, cq->size * cq->cqe_size, false) ?:
	      weft_ring_alloc(&cq->doorbell, &c->ib, PAGE_SIZE, true) ?:
	      weft_watch_start(cq) ?:
	      cq_respond(cq, udata);
	if (err) {
		weft_watch_stop(cq);
		weft_ring_free(&cq->doorbell);
		weft_ring_free(&cq->ring);
		weft_rdma_put_object(dev, WEFT_RDMA_CQS);
		return err;
	}
	weft_rdma_lock(dev);
	INIT_LIST_HEAD(&cq->node);
	spin_lock(&dev->efa->look_lock);
	if (cq->notifies)
		list_add_tail(&cq->node, &dev->efa->cqs);
	spin_unlock(&dev->efa->look_lock);
	weft_rdma_unlock(dev);
	return 0;
}

static int cq_create_bundle(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			    struct uverbs_attr_bundle *bundle)
{
	return cq_create(ibcq, attr, &bundle->driver_udata);
}

/**
 * weft_efa_cq_set_ops() - set the operation that creates a queue, as weft_cq_set_ops() does
 * @ops: operations of the device
 *
 * Context: any.
 */
void weft_efa_cq_set_ops(struct ib_device_ops *ops)
{
	ops->create_cq = _Generic(ops->create_cq,
				  typeof(&cq_create) : cq_create,
				  typeof(&cq_create_bundle) : cq_create_bundle);
}

/**
 * weft_efa_destroy_cq() - destroy a queue that no queue pair uses
 * @ibcq: the queue
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_efa_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ibcq->device);
	struct weft_efa_cq *cq = weft_efa_cq_of(ibcq);

	weft_rdma_lock(dev);
	spin_lock(&dev->efa->look_lock);
	list_del(&cq->node);
	spin_unlock(&dev->efa->look_lock);
	weft_rdma_unlock(dev);
	weft_watch_stop(cq);
	weft_ring_free(&cq->doorbell);
	weft_ring_free(&cq->ring);
	weft_rdma_put_object(dev, WEFT_RDMA_CQS);
	return 0;
}
