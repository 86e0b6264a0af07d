// SPDX-License-Identifier: GPL-2.0
/*
 * Posting of requests.
 *
 * DOC: posting
 *
 * A process fills free slots of its send queue without the fabric's lock, because
 * inline data is copied from its memory, which may fault. The mutex of the queue
 * pair keeps other threads off the slots. The requests are posted when the head
 * moves, under the fabric's lock.
 *
 * The kernel's own users post in any context, also with interrupts off, where the
 * fabric's lock cannot be taken. Their requests are allocated and wait in a list
 * until a work item moves them to the ring. Requests in the list count as used
 * slots, so there is always a slot for each.
 *
 * If a request is refused, the requests before it are posted, and those behind it
 * are not.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "rdma/qp.h"

/* A request of the kernel; its WQE is behind this structure. */
struct weft_post {
	/* in weft_qp.posts */
	struct list_head node;
};

static struct weft_wqe *post_wqe(struct weft_post *post)
{
	return (struct weft_wqe *)(post + 1);
}

static bool post_allowed(const struct weft_qp *qp, enum ib_wr_opcode opcode)
{
	enum ib_qp_type type = qp->ib.qp_type;

	switch (opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		return true;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return type == IB_QPT_RC || type == IB_QPT_UC;
	case IB_WR_REG_MR:
	case IB_WR_LOCAL_INV:
		return !qp->user && (type == IB_QPT_RC || type == IB_QPT_UC);
	case IB_WR_SEND_WITH_INV:
	case IB_WR_RDMA_READ:
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return type == IB_QPT_RC;
	default:
		return false;
	}
}

static bool post_is_atomic(enum ib_wr_opcode opcode)
{
	return opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

/* Does it get data back? Such a request cannot have inline data. */
static bool post_is_rd_atomic(enum ib_wr_opcode opcode)
{
	return opcode == IB_WR_RDMA_READ || post_is_atomic(opcode);
}

/* Bytes of the message of a request, or an error. */
static int post_length(const struct weft_qp *qp, const struct ib_send_wr *wr)
{
	u64 len = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		len += wr->sg_list[i].length;
	if (post_is_atomic(wr->opcode))
		return len < sizeof(u64) ? -EINVAL : sizeof(u64);
	if (len > (weft_qp_is_ud(qp) ? qp->mtu : WEFT_RDMA_MSG_MAX))
		return -EINVAL;
	if ((wr->send_flags & IB_SEND_INLINE) && len > qp->sq->max_inline)
		return -EINVAL;
	return len;
}

static int post_copy(const struct weft_qp *qp, void *to,
		     const struct ib_sge *sge)
{
	if (!qp->user)
		memcpy(to, (void *)(uintptr_t)sge->addr, sge->length);
	else if (copy_from_user(to, u64_to_user_ptr(sge->addr), sge->length))
		return -EFAULT;
	return 0;
}

static int post_inline(const struct weft_qp *qp, void *to, const struct ib_send_wr *wr)
{
	int i, err;

	for (i = 0; i < wr->num_sge; i++) {
		err = post_copy(qp, to, &wr->sg_list[i]);
		if (err)
			return err;
		to += wr->sg_list[i].length;
	}
	return 0;
}

/* Inline data, or SGEs. */
static int post_message(const struct weft_qp *qp, struct weft_wqe *w,
			const struct ib_send_wr *wr)
{
	if (wr->send_flags & IB_SEND_INLINE) {
		w->mem = (struct weft_mem) { .kbuf = weft_wqe_inline(qp->sq, w) };
		return post_inline(qp, w->mem.kbuf, wr);
	}
	w->mem = (struct weft_mem) {
		.dev = qp->dev,
		.pd = qp->ib.pd,
		.sge = w->sge,
		.num_sge = wr->num_sge,
		.access = w->rd_atomic ? IB_ACCESS_LOCAL_WRITE : 0,
	};
	if (likely(wr->num_sge == 1))
		*w->sge = *wr->sg_list;
	else
		memcpy(w->sge, wr->sg_list, wr->num_sge * sizeof(*w->sge));
	return 0;
}

/* A Q_Key with the top bit set means that of the queue pair. */
static int post_datagram(const struct weft_qp *qp, struct weft_wqe *w,
			 const struct ib_ud_wr *wr)
{
	if (!wr->ah || wr->ah->pd != qp->ib.pd ||
	    wr->remote_qpn > WEFT_QPN_MULTICAST)
		return -EINVAL;
	w->path = weft_ah_of(wr->ah)->path;
	w->remote_qpn = wr->remote_qpn;
	w->remote_qkey = wr->remote_qkey & BIT(31) ? READ_ONCE(qp->attr.qkey) :
						     wr->remote_qkey;
	w->pkey_index = wr->pkey_index;
	return 0;
}

static void post_atomic(struct weft_wqe *w, const struct ib_atomic_wr *wr)
{
	w->remote_addr = wr->remote_addr;
	w->rkey = wr->rkey;
}

/* As in an AtomicETH, the add data of a fetch-add is in the field of the swap data. */
static void post_remote(struct weft_wqe *w, const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		w->remote_addr = rdma_wr(wr)->remote_addr;
		w->rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
		post_atomic(w, atomic_wr(wr));
		w->compare = atomic_wr(wr)->compare_add;
		w->swap = atomic_wr(wr)->swap;
		break;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		post_atomic(w, atomic_wr(wr));
		w->swap = atomic_wr(wr)->compare_add;
		break;
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		w->rkey = wr->ex.invalidate_rkey;
		break;
	case IB_WR_REG_MR:
		w->rkey = reg_wr(wr)->key;
		w->remote_addr = reg_wr(wr)->mr->iova;
		w->access = reg_wr(wr)->access;
		break;
	default:
		break;
	}
	if (wr->opcode == IB_WR_SEND_WITH_IMM ||
	    wr->opcode == IB_WR_RDMA_WRITE_WITH_IMM)
		w->imm = wr->ex.imm_data;
}

/* Can the queue pair execute it at all? */
static int post_check(const struct weft_qp *qp, const struct ib_send_wr *wr)
{
	if (!post_allowed(qp, wr->opcode))
		return -EINVAL;
	if (wr->num_sge < 0 || wr->num_sge > qp->sq->max_sge)
		return -EINVAL;
	if (wr->opcode == IB_WR_REG_MR &&
	    weft_mr_of(reg_wr(wr)->mr)->index !=
	    reg_wr(wr)->key >> WEFT_MR_KEY_BITS)
		return -EINVAL;
	if (wr->opcode == IB_WR_REG_MR || wr->opcode == IB_WR_LOCAL_INV)
		return wr->num_sge ? -EINVAL : 0;
	if (!post_is_rd_atomic(wr->opcode))
		return 0;
	if (wr->send_flags & IB_SEND_INLINE)
		return -EINVAL;
	return READ_ONCE(qp->attr.max_rd_atomic) ? 0 : -EINVAL;
}

/* Fields that the request does not use keep whatever value they have. */
static int post_fill(const struct weft_qp *qp, struct weft_wqe *w,
		     const struct ib_send_wr *wr)
{
	int err, len;

	err = post_check(qp, wr);
	if (err)
		return err;
	len = post_length(qp, wr);
	if (len < 0)
		return len;
	w->wr_id = wr->wr_id;
	w->opcode = wr->opcode;
	w->send_flags = wr->send_flags;
	w->len = len;
	w->rd_atomic = post_is_rd_atomic(wr->opcode);
	if (weft_qp_is_ud(qp)) {
		err = post_datagram(qp, w, ud_wr(wr));
		if (err)
			return err;
	}
	post_remote(w, wr);
	return post_message(qp, w, wr);
}

/*
 * Start posted requests, or flush them; the fabric's lock is held. @last: nothing is posted
 * to other queue pairs before it is released.
 */
static __always_inline void post_kick(struct weft_qp *qp, bool last)
{
	if (qp->state != IB_QPS_RTS) {
		if (qp->state != IB_QPS_SQD)
			weft_sq_flush(qp);
		return;
	}
	if (last)
		weft_port_ring(qp, weft_rdma_params(qp->dev)->doorbell);
	else
		weft_port_schedule(qp, weft_rdma_params(qp->dev)->doorbell);
}

/* Fill free slots; set @wr to the first request that is refused, or NULL. */
static int post_stage(struct weft_qp *qp, const struct ib_send_wr **wr, u32 *n)
{
	struct weft_sq *sq = qp->sq;
	u32 wqe_idx = sq->head;
	int err = 0;

	for (; *wr; wqe_idx++) {
		if (wqe_idx - READ_ONCE(sq->tail) >= sq->size)
			err = -ENOMEM;
		else
			err = post_fill(qp, weft_sq_wqe(sq, wqe_idx), *wr);
		if (err)
			break;
		*wr = (*wr)->next;
	}
	*n = wqe_idx - sq->head;
	return err;
}

static int post_commit(struct weft_qp *qp, u32 n)
{
	int err = 0;

	weft_rdma_lock(qp->dev);
	if (weft_qp_may_post(qp)) {
		weft_sq_commit(qp, n);
		post_kick(qp, true);
	} else {
		err = -EINVAL;
	}
	weft_rdma_unlock(qp->dev);
	return err;
}

static int post_user(struct weft_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad)
{
	const struct ib_send_wr *first = wr;
	int err, late = 0;
	u32 n;

	if (!weft_qp_may_post(qp)) {
		*bad = wr;
		return -EINVAL;
	}
	mutex_lock(&qp->post_mutex);
	err = post_stage(qp, &wr, &n);
	if (n)
		late = post_commit(qp, n);
	mutex_unlock(&qp->post_mutex);
	if (late)
		*bad = first;
	else if (err)
		*bad = wr;
	return late ? : err;
}

static struct weft_post *post_alloc(struct weft_qp *qp,
				    const struct ib_send_wr *wr, int *err)
{
	struct weft_post *post;

	post = kmalloc(sizeof(*post) + qp->sq->stride, GFP_ATOMIC);
	*err = post ? post_fill(qp, post_wqe(post), wr) : -ENOMEM;
	if (!*err)
		return post;
	kfree(post);
	return NULL;
}

/* Add it to the list, if there is a slot for it; posters_lock is held. */
static int post_enqueue(struct weft_qp *qp, struct weft_post *post)
{
	struct weft_sq *sq = qp->sq;
	u32 used = sq->head - READ_ONCE(sq->tail);

	if (used + qp->nposts >= sq->size)
		return -ENOMEM;
	list_add_tail(&post->node, &qp->posts);
	qp->nposts++;
	if (list_empty(&qp->posts_node))
		list_add_tail(&qp->posts_node, &qp->dev->posters);
	return 0;
}

static int post_kernel_one(struct weft_qp *qp, const struct ib_send_wr *wr)
{
	struct weft_post *post;
	unsigned long flags;
	int err;

	if (!weft_qp_may_post(qp))
		return -EINVAL;
	post = post_alloc(qp, wr, &err);
	if (!post)
		return err;
	spin_lock_irqsave(&qp->dev->posters_lock, flags);
	err = post_enqueue(qp, post);
	spin_unlock_irqrestore(&qp->dev->posters_lock, flags);
	if (err)
		kfree(post);
	return err;
}

static int post_kernel(struct weft_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad)
{
	int err = 0;

	for (; wr; wr = wr->next) {
		err = post_kernel_one(qp, wr);
		if (err)
			break;
	}
	if (err)
		*bad = wr;
	schedule_work(&qp->dev->post);
	return err;
}

/**
 * weft_post_send() - post requests to a send queue
 * @ib: the queue pair
 * @wr: the requests
 * @bad: set to the first one that is refused, if there is one
 *
 * Context: process for queue pairs of processes, any for the kernel's own.
 * Return: 0; -EINVAL for a request that the queue pair cannot execute, or a state
 * in which nothing can be posted; -ENOMEM for a full queue, or without memory;
 * -EFAULT for inline data that cannot be read.
 */
int weft_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad)
{
	struct weft_qp *qp = weft_qp_of(ib);

	return qp->user ? post_user(qp, wr, bad) : post_kernel(qp, wr, bad);
}

/* To the slot behind the head, with what points into the WQE. */
static void post_to_ring(struct weft_sq *sq, const struct weft_wqe *from)
{
	struct weft_wqe *w = weft_sq_wqe(sq, sq->head);

	memcpy(w, from, sq->stride);
	if (w->mem.kbuf)
		w->mem.kbuf = weft_wqe_inline(sq, w);
	else
		w->mem.sge = w->sge;
}

/* Move them to the ring; posters_lock is held, so they are always in one of both. */
static void post_move(struct weft_qp *qp)
{
	struct weft_sq *sq = qp->sq;
	struct weft_post *post, *next;

	list_for_each_entry_safe(post, next, &qp->posts, node) {
		post_to_ring(sq, post_wqe(post));
		weft_sq_commit(qp, 1);
		kfree(post);
	}
	INIT_LIST_HEAD(&qp->posts);
	qp->nposts = 0;
	list_del_init(&qp->posts_node);
}

static struct weft_qp *post_next(struct weft_rdma_dev *dev)
{
	struct weft_qp *qp;
	unsigned long flags;

	spin_lock_irqsave(&dev->posters_lock, flags);
	qp = list_first_entry_or_null(&dev->posters, struct weft_qp,
				      posts_node);
	if (qp)
		post_move(qp);
	spin_unlock_irqrestore(&dev->posters_lock, flags);
	return qp;
}

/**
 * weft_sq_post_work() - move the kernel's requests to their rings
 * @work: weft_rdma_dev.post
 *
 * Context: process. No queue pair goes meanwhile, because that takes the lock.
 */
void weft_sq_post_work(struct work_struct *work)
{
	struct weft_rdma_dev *dev =
		container_of(work, struct weft_rdma_dev, post);
	struct weft_qp *qp;

	weft_rdma_lock(dev);
	while ((qp = post_next(dev))) {
		if (weft_qp_may_post(qp))
			post_kick(qp, false);
		else
			weft_sq_reset(qp);
	}
	weft_rdma_unlock(dev);
}

/**
 * weft_sq_unpost() - discard posted requests that are not in the ring yet
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sq_unpost(struct weft_qp *qp)
{
	struct weft_post *post, *next;
	unsigned long flags;

	spin_lock_irqsave(&qp->dev->posters_lock, flags);
	list_for_each_entry_safe(post, next, &qp->posts, node)
		kfree(post);
	INIT_LIST_HEAD(&qp->posts);
	qp->nposts = 0;
	list_del_init(&qp->posts_node);
	spin_unlock_irqrestore(&qp->dev->posters_lock, flags);
}

/**
 * weft_post_recv() - post receive requests
 * @ib: the queue pair
 * @wr: the requests
 * @bad: set to the first one that is refused, if there is one
 *
 * If the queue pair goes into error meanwhile, either the error flushes the
 * requests, or this function sees the error and flushes them.
 *
 * Context: any.
 * Return: 0; -EINVAL if there is no receive queue, in state RESET, and for too
 * many SGEs; -ENOMEM for a full queue.
 */
int weft_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad)
{
	struct weft_qp *qp = weft_qp_of(ib);
	int err = 0;

	if (qp->srq || READ_ONCE(qp->state) == IB_QPS_RESET)
		err = -EINVAL;
	for (; wr && !err; wr = wr->next) {
		err = weft_rq_post(&qp->rq, wr);
		if (err)
			break;
	}
	if (err)
		*bad = wr;
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		weft_qp_flush_recv(qp);
	return err;
}
