// SPDX-License-Identifier: GPL-2.0
/*
 * A completion queue.
 *
 * DOC: theory of operation
 *
 * Programs ask for queues that are hundreds of thousands long and use a few
 * entries, so the ring is a table of pages that come when they are needed
 * first. As long as the queue is emptied now and then it begins at its first
 * page again and needs no other. A page is allocated at a push, in any context;
 * without memory the queue is in error as if it had been too short.
 *
 * The kernel's own users push, poll and arm it in any context. A process polls by
 * a system call that may sleep, and does so if there is no news (pd.c).
 */
#include "cq.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "dev.h"
#include "pd.h"

#define CQ_PAGE		(PAGE_SIZE / sizeof(struct ib_wc))	/* completions */

static struct ib_wc **cq_pages_alloc(u32 cqe)
{
	struct ib_wc **pages;

	pages = kvcalloc(DIV_ROUND_UP(cqe, CQ_PAGE), sizeof(*pages),
			 GFP_KERNEL_ACCOUNT);
	if (!pages)
		return NULL;
	pages[0] = kmalloc(PAGE_SIZE, GFP_KERNEL);
	if (pages[0])
		return pages;
	kvfree(pages);
	return NULL;
}

static void cq_pages_free(struct ib_wc **pages, u32 cqe)
{
	u32 i;

	for (i = 0; i < DIV_ROUND_UP(cqe, CQ_PAGE); i++)
		kfree(pages[i]);
	kvfree(pages);
}

/* The place of completion number @i; its page is there. */
static struct ib_wc *cq_at(const struct weft_cq *cq, u32 i)
{
	u32 place = (cq->head + i) % cq->ib.cqe;

	return &cq->pages[place / CQ_PAGE][place % CQ_PAGE];
}

/* The place behind the last completion; NULL when there is none. */
static struct ib_wc *cq_room(struct weft_cq *cq)
{
	struct ib_wc **page;

	if (cq->overrun || cq->count == cq->ib.cqe)
		return NULL;
	page = &cq->pages[(cq->head + cq->count) % cq->ib.cqe / CQ_PAGE];
	if (!*page)
		*page = kmalloc(PAGE_SIZE, GFP_ATOMIC | __GFP_NOWARN);
	return *page ? cq_at(cq, cq->count) : NULL;
}

static void cq_error(struct weft_cq *cq)
{
	struct ib_event ev = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};

	if (cq->ib.event_handler)
		cq->ib.event_handler(&ev, cq->ib.cq_context);
}

static bool cq_wants(const struct weft_cq *cq, const struct ib_wc *wc,
		     bool solicited)
{
	return cq->armed == IB_CQ_NEXT_COMP ||
	       (cq->armed == IB_CQ_SOLICITED &&
		(solicited || wc->status != IB_WC_SUCCESS));
}

/**
 * weft_cq_push() - a request is complete
 * @cq: queue
 * @wc: its completion
 * @solicited: the sender asked for the receiver's attention
 *
 * An overrun puts the queue into error for good, as IBA vol 1, 11.2.8 has it:
 * the user is told once, and no completion enters it any more.
 *
 * Context: any; not under the lock of the queue. Calls its completion handler,
 * or the one of its events.
 * Return: true; false when the completion is lost, after which the queue pair
 * has to go into the error state.
 */
bool weft_cq_push(struct weft_cq *cq, const struct ib_wc *wc, bool solicited)
{
	bool fire, first;
	struct ib_wc *to;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	to = cq_room(cq);
	first = !to && !cq->overrun;
	fire = to && cq_wants(cq, wc, solicited);
	if (to) {
		*to = *wc;
		cq->count++;
	} else {
		cq->overrun = true;
	}
	if (fire)
		cq->armed = 0;
	spin_unlock_irqrestore(&cq->lock, flags);

	if (first)
		cq_error(cq);
	if (fire)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	if (cq->user)
		weft_ucontext_news(cq->user);
	return to;
}

/**
 * weft_cq_purge() - forget the completions of a queue pair that goes
 * @cq: queue
 * @qp: queue pair
 *
 * uverbs would look into the queue pair at the next poll.
 *
 * Context: any.
 */
void weft_cq_purge(struct weft_cq *cq, const struct ib_qp *qp)
{
	u32 i, kept = 0;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	for (i = 0; i < cq->count; i++) {
		if (cq_at(cq, i)->qp == qp)
			continue;
		if (i != kept)
			*cq_at(cq, kept) = *cq_at(cq, i);
		kept++;
	}
	cq->count = kept;
	spin_unlock_irqrestore(&cq->lock, flags);
}

static int cq_take(struct weft_cq *cq, int num, struct ib_wc *wc)
{
	unsigned long flags;
	int n;

	spin_lock_irqsave(&cq->lock, flags);
	for (n = 0; n < num && cq->count; n++) {
		wc[n] = *cq_at(cq, 0);
		cq->head = (cq->head + 1) % cq->ib.cqe;
		cq->count--;
	}
	if (!cq->count)
		cq->head = 0;
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/*
 * uverbs polls once more after the last completion, and that must not wait. It
 * does not: what was found came after the queue was last found empty, and was
 * news.
 */
static int cq_poll_user(struct weft_cq *cq, int num, struct ib_wc *wc)
{
	struct weft_ucontext *c = cq->user;
	int news = atomic_read(&c->polls->news);
	int mark = weft_ucontext_mark(c);
	int n;

	n = cq_take(cq, num, wc);
	if (!n && xchg(&cq->mark, mark) == mark) {
		weft_ucontext_wait(c, news);
		mark = weft_ucontext_mark(c);
		n = cq_take(cq, num, wc);
		if (!n)
			xchg(&cq->mark, mark);
	}
	if (n)
		weft_ucontext_found(c);
	return n;
}

/**
 * weft_poll_cq() - take completions
 * @ibcq: queue
 * @num: how many at most
 * @wc: where to
 *
 * Context: any; that of a process may sleep if the queue is its own.
 * Return: how many there were.
 */
int weft_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct weft_cq *cq = weft_cq_of(ibcq);

	return cq->user ? cq_poll_user(cq, num, wc) : cq_take(cq, num, wc);
}

/**
 * weft_req_notify_cq() - call the handler at the next completion
 * @ibcq: queue
 * @flags: at which, and whether what is there already counts
 *
 * Context: any.
 * Return: 1 if IB_CQ_REPORT_MISSED_EVENTS is set and there are completions, else
 * 0.
 */
int weft_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct weft_cq *cq = weft_cq_of(ibcq);
	unsigned long irq;
	int missed;

	spin_lock_irqsave(&cq->lock, irq);
	/* once armed for any completion it is not narrowed */
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = flags & IB_CQ_SOLICITED_MASK;
	missed = (flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->count;
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}

/* Move what is in the ring into @pages; false without memory, nothing changed. */
static bool cq_move(struct weft_cq *cq, struct ib_wc **pages)
{
	struct ib_wc **page;
	u32 i;

	for (i = 0; i < cq->count; i++) {
		page = &pages[i / CQ_PAGE];
		if (!*page)
			*page = kmalloc(PAGE_SIZE, GFP_ATOMIC);
		if (!*page)
			return false;
		(*page)[i % CQ_PAGE] = *cq_at(cq, i);
	}
	cq->head = 0;
	return true;
}

/**
 * weft_resize_cq() - make a queue longer or shorter
 * @ibcq: queue
 * @cqe: completions that shall fit
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if @cqe is out of bounds, or less than there are; -ENOMEM.
 */
int weft_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct weft_cq *cq = weft_cq_of(ibcq);
	struct ib_wc **pages;
	unsigned long flags;
	int unused = cqe;
	int err = 0;

	if (cqe < 1 || cqe > WEFT_RDMA_CQE_MAX)
		return -EINVAL;
	pages = cq_pages_alloc(cqe);
	if (!pages)
		return -ENOMEM;
	spin_lock_irqsave(&cq->lock, flags);
	if (cq->count > cqe)
		err = -EINVAL;
	else if (!cq_move(cq, pages))
		err = -ENOMEM;
	if (!err) {
		swap(cq->pages, pages);
		unused = ibcq->cqe;
		ibcq->cqe = cqe;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	cq_pages_free(pages, unused);
	return err;
}

static int cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	struct weft_cq *cq = weft_cq_of(ibcq);

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > WEFT_RDMA_CQE_MAX)
		return -EINVAL;
	cq->pages = cq_pages_alloc(attr->cqe);
	if (!cq->pages)
		return -ENOMEM;
	spin_lock_init(&cq->lock);
	cq->user = rdma_udata_to_drv_context(udata, struct weft_ucontext, ib);
	ibcq->cqe = attr->cqe;
	return 0;
}

static int cq_create_bundle(struct ib_cq *ibcq,
			    const struct ib_cq_init_attr *attr,
			    struct uverbs_attr_bundle *bundle)
{
	return cq_create(ibcq, attr, bundle ? &bundle->driver_udata : NULL);
}

/**
 * weft_cq_set_ops() - fill in the operation that makes a queue
 * @ops: operations of the device
 *
 * Its last argument is what the driver's own command brings, or, from 6.11 on,
 * all that the command brings.
 *
 * Context: any.
 */
void weft_cq_set_ops(struct ib_device_ops *ops)
{
	ops->create_cq = _Generic(ops->create_cq,
				  typeof(&cq_create) : cq_create,
				  typeof(&cq_create_bundle) : cq_create_bundle);
}

/**
 * weft_destroy_cq() - end of a queue that no queue pair uses
 * @ibcq: queue
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	cq_pages_free(weft_cq_of(ibcq)->pages, ibcq->cqe);
	return 0;
}
