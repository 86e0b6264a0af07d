// SPDX-License-Identifier: GPL-2.0
/*
 * Who looks at doorbells.
 *
 * DOC: theory of operation
 *
 * On the virtual clock code takes no time, so whatever a program writes at an instant is
 * there when the machine has nothing else to do. Then, before time moves, the idle task calls
 * look_on_idle() (tools/vm/patches/0030-looks.patch). Devices are looked at in the order of
 * their creation, and so are the queue pairs of each.
 *
 * On other clocks a thread looks. It goes on without a rest as long as it finds something,
 * and for look_busy_us after that. Then it rests look_rest_us between two looks. So the first
 * request after a pause is found that much later at most, in real time; a look that finds
 * nothing costs two reads of memory for each queue pair. Without queue pairs it sleeps.
 *
 * Whether a doorbell has changed is read without the fabric's lock: look_lock keeps the queue
 * pairs.
 */
#include <linux/kthread.h>
#include <linux/moduleparam.h>

#include "rdma/efa/efa.h"

#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
#include <asm/vclock.h>
#endif

static uint look_busy_us = 200;
module_param(look_busy_us, uint, 0644);
MODULE_PARM_DESC(look_busy_us,
		 "how long to look at mapped doorbells without a rest after one was rung (real clock)");

static uint look_rest_us = 50;
module_param(look_rest_us, uint, 0644);
MODULE_PARM_DESC(look_rest_us, "rest between two looks after that (real clock)");

static DEFINE_SPINLOCK(look_lock);	/* protects look_devs; above the fabric's lock */
static LIST_HEAD(look_devs);		/* struct weft_efa, oldest first */
static DEFINE_MUTEX(look_mutex);	/* protects look_thread, and the number of devices */
static struct task_struct *look_thread;

/* Has a program written to a doorbell of the device? */
static bool dev_is_rung(struct weft_efa *efa)
{
	const struct weft_efa_qp *qp;
	const struct weft_efa_cq *cq;
	bool rung = false;

	spin_lock(&efa->look_lock);
	list_for_each_entry(qp, &efa->qps_seen, node) {
		rung = weft_efa_sq_rung(qp) || weft_efa_rq_rung(qp);
		if (rung)
			break;
	}
	list_for_each_entry(cq, &efa->cqs, node) {
		if (rung)
			break;
		rung = weft_efa_cq_rung(cq);
	}
	spin_unlock(&efa->look_lock);
	return rung;
}

static void dev_look(struct weft_efa *efa)
{
	struct weft_efa_qp *qp;
	struct weft_efa_cq *cq;

	weft_rdma_lock(efa->dev);
	list_for_each_entry(qp, &efa->qps_seen, node) {
		weft_efa_sq_look(qp);
		if (weft_efa_rq_rung(qp))
			weft_efa_rq_flush(qp);
	}
	list_for_each_entry(cq, &efa->cqs, node)
		weft_efa_cq_look(cq);
	weft_rdma_unlock(efa->dev);
}

/* Return: true if anything was found. */
static bool look_all(void)
{
	struct weft_efa *efa;
	bool found = false;

	spin_lock_bh(&look_lock);
	list_for_each_entry(efa, &look_devs, look_node) {
		if (!dev_is_rung(efa))
			continue;
		dev_look(efa);
		found = true;
	}
	spin_unlock_bh(&look_lock);
	return found;
}

static bool look_has_qps(void)
{
	const struct weft_efa *efa;
	bool any = false;

	spin_lock_bh(&look_lock);
	list_for_each_entry(efa, &look_devs, look_node)
		any |= !list_empty(&efa->qps_seen) || !list_empty(&efa->cqs);
	spin_unlock_bh(&look_lock);
	return any;
}

/* Until the next look, or, without queue pairs, until there is one. */
static void look_rest(void)
{
	u64 us = clamp(READ_ONCE(look_rest_us), 1U, 1000000U);
	ktime_t rest = ns_to_ktime(us * NSEC_PER_USEC);

	set_current_state(TASK_IDLE);
	if (kthread_should_stop())
		__set_current_state(TASK_RUNNING);
	else if (look_has_qps())
		schedule_hrtimeout_range(&rest, rest / 4, HRTIMER_MODE_REL);
	else
		schedule();
}

static int look_run(void *unused)
{
	u64 last = ktime_get_ns();

	while (!kthread_should_stop()) {
		if (look_all())
			last = ktime_get_ns();
		if (ktime_get_ns() - last < (u64)READ_ONCE(look_busy_us) * NSEC_PER_USEC) {
			cond_resched();
			cpu_relax();
			continue;
		}
		look_rest();
	}
	return 0;
}

/**
 * weft_look_wake() - there is a new queue pair: look at it
 *
 * Context: any.
 */
void weft_look_wake(void)
{
	struct task_struct *thread = READ_ONCE(look_thread);

	if (thread)
		wake_up_process(thread);
}

#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
static void look_on_idle(struct vclock_look *look)
{
	look_all();
}

static struct vclock_look look_idle = { .fn = look_on_idle };

static bool look_begin_idle(void)
{
	if (!weft_clock_virtual())
		return false;
	vclock_look_add(&look_idle);
	return true;
}

static bool look_end_idle(void)
{
	if (!weft_clock_virtual())
		return false;
	vclock_look_del(&look_idle);
	return true;
}
#else
static bool look_begin_idle(void)
{
	return false;
}

static bool look_end_idle(void)
{
	return false;
}
#endif

/* The first device comes; look_mutex is held. */
static int look_begin(void)
{
	struct task_struct *thread;

	if (look_begin_idle())
		return 0;
	thread = kthread_run(look_run, NULL, "weft_efa");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	WRITE_ONCE(look_thread, thread);
	return 0;
}

/* The last one has gone. */
static void look_end(void)
{
	struct task_struct *thread;

	if (look_end_idle())
		return;
	thread = look_thread;
	WRITE_ONCE(look_thread, NULL);
	kthread_stop(thread);
}

/**
 * weft_look_start() - look at the doorbells of a device
 * @efa: the device
 *
 * Context: process, may sleep.
 * Return: 0, or why there is no thread for it.
 */
int weft_look_start(struct weft_efa *efa)
{
	int err = 0;

	mutex_lock(&look_mutex);
	if (list_empty(&look_devs))
		err = look_begin();
	if (!err) {
		spin_lock_bh(&look_lock);
		list_add_tail(&efa->look_node, &look_devs);
		spin_unlock_bh(&look_lock);
	}
	mutex_unlock(&look_mutex);
	return err;
}

/**
 * weft_look_stop() - look at them no more
 * @efa: the device; nothing happens if it is not looked at
 *
 * Context: process, may sleep.
 */
void weft_look_stop(struct weft_efa *efa)
{
	bool last;

	mutex_lock(&look_mutex);
	if (!list_empty(&efa->look_node)) {
		spin_lock_bh(&look_lock);
		list_del_init(&efa->look_node);
		last = list_empty(&look_devs);
		spin_unlock_bh(&look_lock);
		if (last)
			look_end();
	}
	mutex_unlock(&look_mutex);
}
