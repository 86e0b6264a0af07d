// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts of processes, and protection domains.
 *
 * DOC: polls of empty queues
 *
 * A program that waits for a completion polls without end. Here each poll is a
 * system call, and one that finds nothing may as well let others have the CPU,
 * on which the far end of the message may want to run. So it sleeps for a while,
 * or until an event: a completion in any queue of its host, or a message written
 * into memory there. A poll that finds a completion never waits.
 *
 * A program may poll several queues in turn, of several devices, and expects that
 * none of them waits. So a poll waits only if, since its queue was last found
 * empty, no event came and no poll of another queue waited
 * (weft_poller_progress()): one wait per round. Threads that poll at the same
 * time wait independently; a thread that sees another's wait end looks once more
 * without a wait.
 *
 * On the virtual clock a poll that does not sleep takes no time, so it must sleep
 * for time to pass at all. An event ends the wait at the same instant. Anything
 * else that the program waits for, a clock or memory that it shares with a
 * neighbour, is seen when the wait is over. So the first wait takes 1 us, and each
 * further one half a microsecond more, like the virtual clock's own waits for
 * programs that poll anything else (rule 5 of Documentation/vm.rst). Events are
 * those of the whole host, a network namespace, because the program may wait for a
 * neighbour that an event woke.
 *
 * A library may take many completions at once, queue them, and poll once for each of
 * those that the program takes from it. It does not wait then. So for each completion
 * that a process was given, one of its empty polls sleeps only as long as an empty
 * poll of an adapter takes.
 *
 * On other clocks the processes may have CPUs of their own, and parameters of the
 * module set the waits. Events are those of the process alone: with hundreds of
 * ranks on a machine each completion would wake all of them. What a neighbour does
 * is seen some microseconds later.
 *
 * Hosts, or processes, may share an entry of the table. Then an event of one wakes
 * the other for nothing.
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
#define WAIT_SHORT_NS	20		/* an empty poll of an adapter */
#define SHORT_WAITS_MAX	4096

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

/* The polls that share events with a process that opens a device. */
static struct weft_polls *polls_of(const struct weft_rdma_dev *dev)
{
	u32 who = weft_clock_virtual() ? dev_net(dev->netdev)->ns.inum :
					 task_tgid_nr(current);

	return &polls[hash_32(who, POLLS_BITS)];
}

/**
 * weft_poller_init() - prepare one who polls
 * @p: zeroed
 * @dev: device of the queues
 *
 * Context: process.
 */
void weft_poller_init(struct weft_poller *p, const struct weft_rdma_dev *dev)
{
	p->polls = polls_of(dev);
}

/**
 * weft_poller_event() - a completion came, or a message was written
 * @p: whose queue or memory it is
 *
 * It ends the waits of polls.
 *
 * Context: any.
 */
void weft_poller_event(struct weft_poller *p)
{
	atomic_inc(&p->polls->events);
	/* has a barrier: either the waiter sees the event, or this the waiter */
	if (wq_has_sleeper(&p->polls->wait))
		wake_up_interruptible_all(&p->polls->wait);
}

/* How long an empty poll waits; 0: not at all. */
static u64 wait_ns(struct weft_poller *p)
{
	bool virtual = weft_clock_virtual();
	u32 empty_polls;

	if (virtual && atomic_add_unless(&p->short_waits, -1, 0))
		return WAIT_SHORT_NS;
	empty_polls = atomic_inc_return(&p->empty_polls) - 1;
	if (virtual)
		return min(WAIT_MIN_NS + (u64)empty_polls * WAIT_MORE_NS,
			   WAIT_MAX_NS);
	if (empty_polls < READ_ONCE(poll_wait_after))
		return 0;
	return (u64)READ_ONCE(poll_wait_us) * NSEC_PER_USEC;
}

/**
 * weft_poller_wait() - a queue is empty: wait
 * @poller: who has found it so
 * @events: weft_polls.events before the queue was looked at
 *
 * Returns at an event, at a signal, or after a while.
 *
 * Context: process, may sleep.
 */
void weft_poller_wait(struct weft_poller *poller, int events)
{
	struct weft_polls *p = poller->polls;
	u64 ns = wait_ns(poller);
	ktime_t timeout = ns_to_ktime(ns);
	DEFINE_WAIT(wait);

	if (!ns)
		return;
	prepare_to_wait(&p->wait, &wait, TASK_INTERRUPTIBLE);
	if (atomic_read(&p->events) == events && !signal_pending(current))
		schedule_hrtimeout_range(&timeout, 0, HRTIMER_MODE_REL);
	finish_wait(&p->wait, &wait);
	if (atomic_read(&p->events) == events)
		atomic_inc(&p->idle_waits);
	else
		weft_poller_found(poller, 0);
}

/**
 * weft_poller_found() - a poll found something: the next wait is short
 * @p: who has polled
 * @n: number of completions that it found
 *
 * Context: any.
 */
void weft_poller_found(struct weft_poller *p, int n)
{
	/* if threads go beyond the limit together, it does not matter */
	if (n && atomic_read(&p->short_waits) < SHORT_WAITS_MAX)
		atomic_add(n, &p->short_waits);
	/* most polls find something, and threads share the poller */
	if (atomic_read(&p->empty_polls))
		atomic_set(&p->empty_polls, 0);
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
	weft_poller_init(&weft_ucontext_of(ibc)->poller, weft_rdma_dev_of(ibc->device));
	return 0;
}

/**
 * weft_dealloc_ucontext() - a process closes the device; its objects are gone
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
 * The rings that EFA maps into the process need nothing of the device. The operation only
 * tells ib_core that the device may go.
 *
 * Context: process, may sleep.
 */
void weft_disassociate_ucontext(struct ib_ucontext *ibc)
{
}

/**
 * weft_alloc_pd() - create a protection domain
 * @pd: domain
 * @udata: unused
 *
 * Regions and queue pairs refer to it; it has no state.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return weft_rdma_get_object(weft_rdma_dev_of(pd->device), WEFT_RDMA_PDS);
}

/**
 * weft_dealloc_pd() - destroy a protection domain that nothing refers to
 * @pd: domain
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	weft_rdma_put_object(weft_rdma_dev_of(pd->device), WEFT_RDMA_PDS);
	return 0;
}
