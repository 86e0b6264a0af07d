// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts of processes, and protection domains.
 *
 * DOC: polls of empty queues
 *
 * A program that waits for a completion polls without end. Here each poll is a
 * system call, and one that finds nothing may as well let others have the CPU,
 * on which the far end of the message may want to run. So it sleeps for a while,
 * or until there is news: a completion in any queue of its host, or a message
 * written into memory there. A poll that finds a completion never waits.
 *
 * A program may poll several queues in turn, of several devices, all of which
 * count on one another's not waiting. A queue therefore waits only if neither
 * news came nor any other queue waited since it was last found empty
 * (weft_ucontext_mark()): once per round. Threads that poll at the same time wait
 * each for themselves; one that sees the other's wait end looks once more, without
 * waiting itself.
 *
 * On the virtual clock a poll that does not sleep takes no time, so it must sleep
 * for time to move at all. News ends the wait at its very instant; what else the
 * program waits for, a clock or memory that it shares with a neighbour, is seen
 * when the wait is over. So it takes 1 us, then half a microsecond more from poll
 * to poll, as the virtual clock itself has it for those who poll anything else
 * (rule 5 of Documentation/vm.rst). News is that of the whole host, a network
 * namespace: a neighbour that it woke may be what the program waits for.
 *
 * On other clocks the processes may have CPUs of their own, and waiting is left to
 * parameters of the module. News is that of the process alone: what a neighbour
 * does is seen some microseconds later, and with hundreds of ranks on a machine
 * each completion would wake them all.
 *
 * The place of a host, or a process, in the table is that of others, too: who
 * shares it is woken for nothing, no more.
 */
#include "rdma/pd.h"

#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>

#include "rdma/dev.h"

#define WAIT_MIN_NS	1000
#define WAIT_MORE_NS	500		/* from wait to wait */
#define WAIT_MAX_NS	((u64)NSEC_PER_MSEC)

#define POLLS_BITS	9

static struct weft_polls polls[BIT(POLLS_BITS)];

static uint poll_wait_after = 16;
module_param(poll_wait_after, uint, 0644);
MODULE_PARM_DESC(poll_wait_after,
		 "polls in a row that find nothing before one waits (real clock)");

static uint poll_wait_us = 50;
module_param(poll_wait_us, uint, 0644);
MODULE_PARM_DESC(poll_wait_us,
		 "how long it waits in microseconds, 0 = not at all (real clock)");

/**
 * weft_polls_init() - prepare the table of hosts or processes
 *
 * Context: process.
 */
void __init weft_polls_init(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(polls); i++)
		init_waitqueue_head(&polls[i].wait);
}

/* Those who share news with a process that opens a device. */
static struct weft_polls *polls_of(const struct weft_rdma_dev *dev)
{
	u32 who = weft_clock_virtual() ? dev_net(dev->netdev)->ns.inum :
					 task_tgid_nr(current);

	return &polls[hash_32(who, POLLS_BITS)];
}

/**
 * weft_ucontext_news() - a completion came, or a message was written
 * @c: context of the process whose queue or memory it is
 *
 * A poll that waits looks again.
 *
 * Context: any.
 */
void weft_ucontext_news(struct weft_ucontext *c)
{
	atomic_inc(&c->polls->news);
	/* has a barrier: either the waiter sees the news, or this the waiter */
	if (wq_has_sleeper(&c->polls->wait))
		wake_up_interruptible_all(&c->polls->wait);
}

/* How long poll number @vain in a row that is in vain waits; 0: not at all. */
static u64 wait_ns(u32 vain)
{
	if (weft_clock_virtual())
		return min(WAIT_MIN_NS + (u64)vain * WAIT_MORE_NS,
			   WAIT_MAX_NS);
	if (vain < READ_ONCE(poll_wait_after))
		return 0;
	return (u64)READ_ONCE(poll_wait_us) * NSEC_PER_USEC;
}

/**
 * weft_ucontext_wait() - a queue is empty: let time pass
 * @c: context of the process
 * @news: counter of news before the queue was looked at
 *
 * Returns at news, a signal, or after a while.
 *
 * Context: process, may sleep.
 */
void weft_ucontext_wait(struct weft_ucontext *c, int news)
{
	u64 ns = wait_ns(atomic_inc_return(&c->vain) - 1);
	struct weft_polls *p = c->polls;
	ktime_t timeout = ns_to_ktime(ns);
	DEFINE_WAIT(wait);

	if (!ns)
		return;
	prepare_to_wait(&p->wait, &wait, TASK_INTERRUPTIBLE);
	if (atomic_read(&p->news) == news && !signal_pending(current))
		schedule_hrtimeout_range(&timeout, 0, HRTIMER_MODE_REL);
	finish_wait(&p->wait, &wait);
	if (atomic_read(&p->news) == news)
		atomic_inc(&p->rounds);
	else
		weft_ucontext_found(c);
}

/**
 * weft_ucontext_found() - a poll found something: the next waits are short again
 * @c: context of the process
 *
 * Context: any.
 */
void weft_ucontext_found(struct weft_ucontext *c)
{
	/* most polls find something, and threads share the context */
	if (atomic_read(&c->vain))
		atomic_set(&c->vain, 0);
}

/**
 * weft_alloc_ucontext() - a process opens the device
 * @ibc: context, zeroed
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_alloc_ucontext(struct ib_ucontext *ibc, struct ib_udata *udata)
{
	weft_ucontext_of(ibc)->polls = polls_of(weft_rdma_dev_of(ibc->device));
	return 0;
}

/**
 * weft_dealloc_ucontext() - a process closes the device, all it made is gone
 * @ibc: context
 *
 * Context: process, may sleep.
 */
void weft_dealloc_ucontext(struct ib_ucontext *ibc)
{
}

/**
 * weft_disassociate_ucontext() - the device goes before the process does
 * @ibc: context
 *
 * There is nothing of the device in the process's address space. That the
 * operation exists tells ib_core that the device may go.
 *
 * Context: process, may sleep.
 */
void weft_disassociate_ucontext(struct ib_ucontext *ibc)
{
}

/**
 * weft_alloc_pd() - make a protection domain
 * @pd: domain
 * @udata: unused
 *
 * Regions and queue pairs refer to it; it has no state of its own.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return weft_rdma_take(weft_rdma_dev_of(pd->device), WEFT_RDMA_PDS);
}

/**
 * weft_dealloc_pd() - end of a protection domain that nothing refers to
 * @pd: domain
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	weft_rdma_give(weft_rdma_dev_of(pd->device), WEFT_RDMA_PDS);
	return 0;
}
