// SPDX-License-Identifier: GPL-2.0
/*
 * A completion queue.
 *
 * DOC: theory of operation
 *
 * Programs create queues of hundreds of thousands of entries and use a few. So a
 * queue is a list of pages, oldest completion first: completions are added to the
 * last page and taken from the first. One page is always there, and a second one is
 * kept after it was needed once. A page is allocated when a completion is added, in
 * any context, and charged to the creator of the queue. Without memory the queue
 * goes into error, as if it was too short.
 *
 * When a queue pair goes, its completions are removed page by page. The lock is
 * released between two pages; the present page stays in the list meanwhile.
 *
 * The kernel's own users add, poll and arm it in any context. A process polls by
 * a system call, which may sleep if the queue is empty (pd.c).
 *
 * uverbs reads the number of the queue pair from wc->qp after a poll, when another
 * thread may have destroyed that queue pair. So a process does not get a pointer to
 * the queue pair, but a pointer into the completion itself, from which uverbs reads
 * the right number (cq_set_fake_qp()).
 */
#include "rdma/cq.h"

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "rdma/dev.h"
#include "rdma/pd.h"

/**
 * struct cq_page - a page of completions
 */
struct cq_page {
	/** @node: in weft_cq.pages */
	struct list_head node;
	/** @first: index of the completion that is taken next */
	u32 first;
	/** @end: index behind the last completion */
	u32 end;
	/** @wc: the completions */
	struct ib_wc wc[];
};

#define CQ_PAGE	((PAGE_SIZE - sizeof(struct cq_page)) / sizeof(struct ib_wc))

static struct cq_page *cq_page_alloc(const struct weft_cq *cq, gfp_t gfp)
{
	struct mem_cgroup *former;
	struct cq_page *page;

	if (!cq->user)
		return kmalloc(PAGE_SIZE, gfp);
	former = set_active_memcg(cq->memcg);
	page = kmalloc(PAGE_SIZE, gfp | __GFP_ACCOUNT);
	set_active_memcg(former);
	return page;
}

/* Add an empty page behind the last; NULL without memory. */
static struct cq_page *cq_append(struct weft_cq *cq, gfp_t gfp)
{
	struct cq_page *page = cq->spare_page ?: cq_page_alloc(cq, gfp);

	if (!page)
		return NULL;
	cq->spare_page = NULL;
	page->first = 0;
	page->end = 0;
	list_add_tail(&page->node, &cq->pages);
	return page;
}

static struct cq_page *cq_last(const struct weft_cq *cq)
{
	return list_last_entry(&cq->pages, struct cq_page, node);
}

/* If a page is empty: reuse it if it is the only one, else remove it. */
static void cq_page_done(struct weft_cq *cq, struct cq_page *page)
{
	if (page->first != page->end || page == cq->purge_page)
		return;
	if (list_is_singular(&cq->pages)) {
		page->first = 0;
		page->end = 0;
		return;
	}
	list_del(&page->node);
	if (cq->spare_page)
		kfree(page);
	else
		cq->spare_page = page;
}

/* The slot behind the last completion; NULL if there is none. */
static struct ib_wc *cq_next_slot(struct weft_cq *cq)
{
	struct cq_page *page = cq_last(cq);
	gfp_t gfp = cq->user ? GFP_NOWAIT : GFP_ATOMIC;

	if (cq->overrun || cq->count >= cq->ib.cqe)
		return NULL;
	if (page->end == CQ_PAGE)
		page = cq_append(cq, gfp | __GFP_NOWARN);
	return page ? &page->wc[page->end++] : NULL;
}

/* The QP number is kept in bytes of the completion that uverbs does not read. */
static u32 *cq_qpn(struct ib_wc *wc)
{
	BUILD_BUG_ON(sizeof(wc->smac) < sizeof(u32));
	BUILD_BUG_ON(offsetof(struct ib_wc, smac) % sizeof(u32));
	return (u32 *)wc->smac;
}

/* Make wc->qp->qp_num that number. Nothing else may be read through wc->qp. */
static void cq_set_fake_qp(struct ib_wc *wc)
{
	wc->qp = container_of(cq_qpn(wc), struct ib_qp, qp_num);
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

static bool cq_should_notify(const struct weft_cq *cq, const struct ib_wc *wc,
			     bool solicited)
{
	return cq->armed == IB_CQ_NEXT_COMP ||
	       (cq->armed == IB_CQ_SOLICITED &&
		(solicited || wc->status != IB_WC_SUCCESS));
}

/**
 * weft_cq_push() - add a completion
 * @cq: queue
 * @wc: the completion
 * @solicited: it is solicited
 *
 * An overrun puts the queue into error for good (IBA vol 1, 11.2.8):
 * IB_EVENT_CQ_ERR is raised once, and no completion is added any more.
 *
 * Context: any; not under the lock of the queue. Calls its completion handler,
 * or its event handler.
 * Return: true; false if the completion is lost. Then the queue pair has to go
 * into the error state.
 */
bool weft_cq_push(struct weft_cq *cq, const struct ib_wc *wc, bool solicited)
{
	bool fire, first;
	struct ib_wc *to;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	to = cq_next_slot(cq);
	first = !to && !cq->overrun;
	fire = to && cq_should_notify(cq, wc, solicited);
	if (to) {
		*to = *wc;
		if (cq->user)
			*cq_qpn(to) = wc->qp->qp_num;
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
		weft_ucontext_event(cq->user);
	return to;
}

static void cq_page_purge(struct weft_cq *cq, struct cq_page *page,
			  const struct ib_qp *qp)
{
	u32 i, end = page->first;

	for (i = page->first; i < page->end; i++) {
		if (page->wc[i].qp == qp)
			continue;
		if (i != end)
			page->wc[end] = page->wc[i];
		end++;
	}
	cq->count -= page->end - end;
	page->end = end;
}

/* Release the lock for a moment. @page stays in the list meanwhile. */
static void cq_purge_resched(struct weft_cq *cq, struct cq_page *page)
{
	cq->purge_page = page;
	spin_unlock_irq(&cq->lock);
	cond_resched();
	spin_lock_irq(&cq->lock);
	cq->purge_page = NULL;
}

/**
 * weft_cq_purge() - discard the completions of a queue pair that was reset
 * @cq: queue
 * @qp: queue pair; none of its completions is added meanwhile
 *
 * The lock is held for one page at a time. Completions that are added meanwhile
 * are not searched: the search ends after as many as there were at the start.
 *
 * Context: process, may sleep.
 */
void weft_cq_purge(struct weft_cq *cq, const struct ib_qp *qp)
{
	struct cq_page *page, *next;
	u32 left;

	mutex_lock(&cq->purge_mutex);
	spin_lock_irq(&cq->lock);
	left = cq->count;
	page = list_first_entry(&cq->pages, struct cq_page, node);
	while (left && !list_entry_is_head(page, &cq->pages, node)) {
		left -= min(left, page->end - page->first);
		cq_page_purge(cq, page, qp);
		cq_purge_resched(cq, page);
		next = list_next_entry(page, node);
		cq_page_done(cq, page);
		page = next;
	}
	spin_unlock_irq(&cq->lock);
	mutex_unlock(&cq->purge_mutex);
}

/* Take the oldest completion; there is one. */
static void cq_pop(struct weft_cq *cq, struct ib_wc *wc)
{
	struct cq_page *page;

	list_for_each_entry(page, &cq->pages, node)
		if (page->first != page->end)
			break;
	*wc = page->wc[page->first++];
	cq->count--;
	cq_page_done(cq, page);
	if (cq->user)
		cq_set_fake_qp(wc);
}

static int cq_take(struct weft_cq *cq, int num, struct ib_wc *wc)
{
	unsigned long flags;
	int n;

	spin_lock_irqsave(&cq->lock, flags);
	for (n = 0; n < num && cq->count; n++)
		cq_pop(cq, &wc[n]);
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/*
 * uverbs polls once more after the last completion, and that poll must not wait.
 * It does not: the completions that were found came after the queue was last found
 * empty, and each was an event.
 */
static int cq_poll_user(struct weft_cq *cq, int num, struct ib_wc *wc)
{
	struct weft_poller *p = &cq->user->poller;
	int events = atomic_read(&p->polls->events);
	int progress = weft_poller_progress(p);
	int n;

	n = cq_take(cq, num, wc);
	if (!n && xchg(&cq->progress, progress) == progress) {
		weft_poller_wait(p, events);
		progress = weft_poller_progress(p);
		n = cq_take(cq, num, wc);
		if (!n)
			xchg(&cq->progress, progress);
	}
	if (n)
		weft_poller_found(p, n);
	return n;
}

/**
 * weft_poll_cq() - take completions
 * @ibcq: queue
 * @num: how many at most
 * @wc: set to them
 *
 * Context: any for queues of the kernel; process, may sleep, for others.
 * Return: how many were taken.
 */
int weft_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct weft_cq *cq = weft_cq_of(ibcq);

	return cq->user ? cq_poll_user(cq, num, wc) : cq_take(cq, num, wc);
}

/**
 * weft_req_notify_cq() - arm a queue: call its handler at the next completion
 * @ibcq: queue
 * @flags: IB_CQ_*
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
	/* both is any; a queue that is armed for any completion stays so */
	if (flags & IB_CQ_NEXT_COMP)
		cq->armed = IB_CQ_NEXT_COMP;
	else if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = flags & IB_CQ_SOLICITED;
	missed = (flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->count;
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}

/**
 * weft_resize_cq() - resize a queue
 * @ibcq: queue
 * @cqe: new number of completions that fit
 * @udata: unused
 *
 * Context: process.
 * Return: 0; -EINVAL if @cqe is out of range, or the queue has more completions.
 */
int weft_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct weft_cq *cq = weft_cq_of(ibcq);
	int err = -EINVAL;

	if (cqe < 1 || cqe > WEFT_RDMA_CQE_MAX)
		return -EINVAL;
	spin_lock_irq(&cq->lock);
	if (cq->count <= cqe) {
		ibcq->cqe = cqe;
		err = 0;
	}
	spin_unlock_irq(&cq->lock);
	return err;
}

static void cq_free(struct weft_cq *cq)
{
	struct cq_page *page, *next;

	list_for_each_entry_safe(page, next, &cq->pages, node)
		kfree(page);
	kfree(cq->spare_page);
	mem_cgroup_put(cq->memcg);
	weft_rdma_put_object(weft_rdma_dev_of(cq->ib.device), WEFT_RDMA_CQS);
}

static int cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	struct weft_cq *cq = weft_cq_of(ibcq);

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > WEFT_RDMA_CQE_MAX)
		return -EINVAL;
	if (weft_rdma_get_object(weft_rdma_dev_of(ibcq->device), WEFT_RDMA_CQS))
		return -ENOMEM;
	spin_lock_init(&cq->lock);
	mutex_init(&cq->purge_mutex);
	INIT_LIST_HEAD(&cq->pages);
	cq->user = rdma_udata_to_drv_context(udata, struct weft_ucontext, ib);
	if (cq->user)
		cq->memcg = get_mem_cgroup_from_mm(current->mm);
	ibcq->cqe = attr->cqe;
	if (cq_append(cq, GFP_KERNEL))
		return 0;
	cq_free(cq);
	return -ENOMEM;
}

static int cq_create_bundle(struct ib_cq *ibcq,
			    const struct ib_cq_init_attr *attr,
			    struct uverbs_attr_bundle *bundle)
{
	return cq_create(ibcq, attr, bundle ? &bundle->driver_udata : NULL);
}

/**
 * weft_cq_set_ops() - set the operation that creates a queue
 * @ops: operations of the device
 *
 * Its last argument is the driver's udata, or, from 6.11 on, the attributes of the
 * whole command.
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
 * weft_destroy_cq() - destroy a queue that no queue pair uses
 * @ibcq: queue
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	cq_free(weft_cq_of(ibcq));
	return 0;
}
