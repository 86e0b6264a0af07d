// SPDX-License-Identifier: GPL-2.0
/*
 * The engine: lock, clock and timer around the model of a fabric.
 *
 * DOC: theory of operation
 *
 * The model executes each event at the event's own time, whenever it is called.
 * Code that accesses the model takes the lock, which first runs the model up to the
 * present (weft_engine_lock()). When it releases the lock, that runs the events
 * that have become due and arms the timer for the next event
 * (weft_engine_unlock()). The timer does the same and nothing else.
 *
 * Fabric time is the monotonic clock since the fabric was created, in ps, divided
 * by the dilation. It ends after 200 days of fabric time (FAB_TIME_END).
 *
 * An event that is due within a microsecond is not worth a timer: the release of
 * the lock waits for it, unless somebody else wants the lock.
 *
 * The timer is never moved to a later time. An expiry without work costs less than
 * to move the timer for each packet.
 *
 * In the virtual machine the idle task goes to the next event by itself, if nothing else
 * happens before, and calls the engine as the timer would: a leap (leap.h).
 *
 * A fabric may produce events faster than this machine executes them (a flood loop,
 * a dilation that is too small). It must not keep the CPU for ever. So one turn ends
 * after a bounded time, and, because time may stand still, after a bounded number
 * of events. The timer does the rest: after each turn it rests for as long as the
 * turn took, so others get half of the CPU. Until it has caught up, those who take
 * and release the lock get only short turns. The remaining events are late, and
 * are counted as late. On a virtual clock a turn takes no time, and neither does
 * the rest after it.
 *
 * If a fabric of unprivileged users (limit.h) has more work than a slice, it goes to
 * a work queue, where all such fabrics take turns. Together they get half of one
 * CPU, as an ordinary thread, however many they are. Until the fabric has caught up,
 * nobody else executes its events: NAPI may answer a whole budget of packets within
 * one softirq, and each answer takes the lock.
 *
 * A fabric may have a thread of its own in place of the timer, on a CPU of the user's
 * choice (weft_engine_pin()). The thread polls for the next event if that is near,
 * and sleeps if it is not. So its work, and that of NAPI after it, does not run on
 * the CPUs of senders. Senders run one slice before they send, so that their packets
 * come after the events that are due, and leave the resulting events to the thread.
 * In a storm it is an ordinary thread, and needs no rest.
 */
#include "fabric/engine.h"

#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/timekeeping.h>

#include "fabric/limit.h"

#define ENGINE_SLICE	64		/* events and copies between reads of the clock */
#define ENGINE_BUDGET	8192		/* events in one turn */
#define ENGINE_TURN_NS	(500 * NSEC_PER_USEC)	/* one turn */
#define ENGINE_HELP_NS	(50 * NSEC_PER_USEC)	/* one turn of lock holders in a storm */
#define ENGINE_ROUNDS	8		/* turns in one release of the lock */
#define ENGINE_WAIT_NS	1000		/* wait for each of them: the cost of a timer */
#define ENGINE_POLL_NS	50000		/* poll of a thread: the cost of sleep and wake-up */
#define ENGINE_EXACT_NS	BIT_ULL(54)	/* below this, ns * 1000 fits 64 bits */

static struct workqueue_struct *engine_wq;	/* fabrics that are behind */

/**
 * weft_time_from_ns() - nanoseconds of the clock as fabric time
 * @ns: nanoseconds since the fabric was created
 * @dilation: how many times slower fabric time runs
 *
 * Context: any.
 * Return: picoseconds, rounded down; the last time before FAB_NEVER where they
 * do not fit.
 */
fab_time weft_time_from_ns(u64 ns, u32 dilation)
{
	if (likely(ns < ENGINE_EXACT_NS))
		return dilation == 1 ? ns * FAB_PS_PER_NS :
				       div_u64(ns * FAB_PS_PER_NS, dilation);
	if (div_u64(ns, dilation) >= div_u64(FAB_NEVER, FAB_PS_PER_NS))
		return FAB_NEVER - 1;
	return mul_u64_u32_div(ns, FAB_PS_PER_NS, dilation);
}
EXPORT_SYMBOL_IF_KUNIT(weft_time_from_ns);

/**
 * weft_time_to_ns() - fabric time as nanoseconds of the clock
 * @t: fabric time
 * @dilation: how many times slower fabric time runs
 *
 * Context: any.
 * Return: the first nanosecond n with weft_time_from_ns(n) >= t; KTIME_MAX
 * where the clock cannot count so far.
 */
u64 weft_time_to_ns(fab_time t, u32 dilation)
{
	u64 ns;

	if (div_u64(t, FAB_PS_PER_NS) >= div_u64(KTIME_MAX, dilation))
		return KTIME_MAX;
	ns = mul_u64_u32_div(t, dilation, FAB_PS_PER_NS);
	return weft_time_from_ns(ns, dilation) < t ? ns + 1 : ns;
}
EXPORT_SYMBOL_IF_KUNIT(weft_time_to_ns);

/* More events are due at @now than a slice. Returns as weft_engine_run(). */
static noinline fab_time engine_run_on(struct weft_fabric *f, fab_time now, u64 ns)
{
	u64 last = f->fab.c.events + ENGINE_BUDGET - ENGINE_SLICE;
	u64 end = ktime_get_ns() + ns;
	fab_time next = now;

	while (f->fab.c.events < last && ktime_get_ns() < end) {
		next = fab_run(&f->fab, now, ENGINE_SLICE);
		if (next > now)
			break;
	}
	return next;
}

static __always_inline fab_time engine_run(struct weft_fabric *f, fab_time now, u64 ns)
{
	fab_time next;

	lockdep_assert_held(&f->lock);
	next = fab_run(&f->fab, now, ENGINE_SLICE);
	return likely(next > now) ? next : engine_run_on(f, now, ns);
}

/**
 * weft_engine_run() - run the model up to the present, within a bound
 * @f: the fabric
 * @now: the present
 * @ns: bound of its duration, exceeded by at most a slice: 64 events, or one flood
 *
 * Context: any; the caller holds the fabric's lock.
 * Return: when the next event is due; at most @now if the bound was hit.
 */
fab_time weft_engine_run(struct weft_fabric *f, fab_time now, u64 ns)
{
	return engine_run(f, now, ns);
}
EXPORT_SYMBOL_IF_KUNIT(weft_engine_run);

static fab_time engine_time(const struct weft_fabric *f, u64 clock_ns)
{
	return weft_time_from_ns(clock_ns - f->base_ns, f->p.dilation);
}

/* The monotonic clock at fabric time @at. */
static u64 engine_clock(const struct weft_fabric *f, fab_time at)
{
	u64 ns = weft_time_to_ns(at, f->p.dilation);

	return f->base_ns + min_t(u64, ns, KTIME_MAX - f->base_ns);
}

/* When the next turn begins, for which the engine is armed. */
static u64 engine_due(const struct weft_fabric *f)
{
	return max(engine_clock(f, f->armed), f->rest_ns);
}

static void engine_set_timer(struct weft_fabric *f)
{
	hrtimer_start(&f->timer, ns_to_ktime(engine_due(f)), HRTIMER_MODE_ABS_SOFT);
}

/*
 * Arm the timer or the thread for @at, or leave an earlier time. A leap replaces the timer
 * where the virtual clock grants one.
 */
static void engine_arm(struct weft_fabric *f, fab_time at)
{
	if (at >= f->armed || f->stopped || f->behind)
		return;
	f->armed = at;
	if (f->thread) {
		if (f->asleep)
			wake_up_process(f->thread);
		return;
	}
	if (!weft_leap(&f->leap, engine_due(f)))
		engine_set_timer(f);
	else if (hrtimer_is_queued(&f->timer))
		hrtimer_try_to_cancel(&f->timer);
}

static void engine_check(const struct weft_fabric *f)
{
#ifdef WEFT_DEBUG
	const char *wrong = fab_check(&f->fab);

	WARN_ONCE(wrong, "weft: fabric %u: %s\n", f->id, wrong);
#endif
}

/* Due events remain: in a limited fabric the work queue executes them. */
static void engine_late(struct weft_fabric *f)
{
	f->behind = f->limited && !f->stopped;
	if (f->behind)
		queue_work(engine_wq, &f->catch_up);
}

/* Run the model for @ns at most; the timer or the work queue does the rest. */
static __always_inline fab_time engine_turn(struct weft_fabric *f, fab_time now, u64 ns)
{
	fab_time next = engine_run(f, now, f->limited ? 0 : ns);

	f->stormy = next <= now;
	if (unlikely(f->stormy))
		engine_late(f);
	return next;
}

/* Events are due: a turn of a lock holder, not of timer or work queue. */
static __always_inline fab_time engine_help(struct weft_fabric *f, fab_time now)
{
	u64 ns = f->stormy ? ENGINE_HELP_NS : ENGINE_TURN_NS;

	return engine_turn(f, now, f->thread ? 0 : ns);
}

/* The same where it is not usual. */
static noinline void engine_help_first(struct weft_fabric *f, fab_time now)
{
	engine_help(f, now);
}

/* A turn when the next event is due. */
static void engine_fire(struct weft_fabric *f)
{
	u64 begin, end;
	fab_time next;

	spin_lock(&f->lock);
	f->armed = FAB_NEVER;
	begin = ktime_get_ns();
	next = engine_turn(f, engine_time(f, begin), ENGINE_TURN_NS);
	if (f->stormy) {
		end = ktime_get_ns();
		f->rest_ns = end + (end - begin);
	}
	engine_check(f);
	engine_arm(f, next);
	spin_unlock(&f->lock);
}

static enum hrtimer_restart engine_on_timer(struct hrtimer *timer)
{
	engine_fire(container_of(timer, struct weft_fabric, timer));
	return HRTIMER_NORESTART;
}

static void engine_on_leap(struct vclock_leap *leap)
{
	engine_fire(container_of(leap, struct weft_fabric, leap));
}

/* No leap: others have something to do before, or at the same time. */
static void engine_no_leap(struct vclock_leap *leap)
{
	struct weft_fabric *f = container_of(leap, struct weft_fabric, leap);

	spin_lock(&f->lock);
	if (!f->stopped && f->armed != FAB_NEVER)
		engine_set_timer(f);
	spin_unlock(&f->lock);
}

/* A turn of a fabric that is behind, and a rest of the same duration. */
static void engine_catch_up(struct work_struct *work)
{
	struct weft_fabric *f = container_of(work, struct weft_fabric, catch_up);
	u64 begin, ns;
	fab_time next;
	bool behind;

	spin_lock_bh(&f->lock);
	begin = ktime_get_ns();
	next = weft_engine_run(f, engine_time(f, begin), ENGINE_TURN_NS);
	behind = next <= engine_time(f, begin) && !f->stopped;
	f->behind = behind;
	engine_check(f);
	engine_arm(f, next);
	ns = ktime_get_ns() - begin;
	spin_unlock_bh(&f->lock);
	if (!behind)
		return;
	weft_limit_sleep(ns);
	queue_work(engine_wq, &f->catch_up);
}

/*
 * A turn of the thread. It sleeps before the next one if that is far away, or if the
 * clock stands still, as a virtual clock does while the kernel runs.
 */
static fab_time engine_thread_turn(struct weft_fabric *f)
{
	u64 begin, end;
	fab_time next, now;

	spin_lock_bh(&f->lock);
	begin = ktime_get_ns();
	next = engine_turn(f, engine_time(f, begin), ENGINE_TURN_NS);
	engine_check(f);
	end = ktime_get_ns();
	now = engine_time(f, end);
	f->armed = next;
	f->asleep = next > now &&
		    (end == begin || engine_clock(f, next) > end + ENGINE_POLL_NS);
	if (f->asleep)
		set_current_state(TASK_IDLE);
	spin_unlock_bh(&f->lock);
	return next;
}

static void engine_thread_sleep(const struct weft_fabric *f, fab_time next)
{
	ktime_t at = ns_to_ktime(engine_clock(f, next));

	if (!kthread_should_stop())
		schedule_hrtimeout(&at, HRTIMER_MODE_ABS);
	__set_current_state(TASK_RUNNING);
}

/* Others set @armed to an earlier time. */
static void engine_thread_poll(const struct weft_fabric *f)
{
	while (engine_time(f, ktime_get_ns()) < READ_ONCE(f->armed) &&
	       !need_resched() && !kthread_should_stop())
		cpu_relax();
	cond_resched();
}

static int engine_thread(void *data)
{
	struct weft_fabric *f = data;
	fab_time next;

	while (!kthread_should_stop()) {
		next = engine_thread_turn(f);
		if (f->asleep)
			engine_thread_sleep(f, next);
		else
			engine_thread_poll(f);
	}
	return 0;
}

/* Stop the thread. The timer takes over when it is armed next. */
static void engine_unpin(struct weft_fabric *f)
{
	struct task_struct *thread;

	spin_lock_bh(&f->lock);
	thread = f->thread;
	f->thread = NULL;
	spin_unlock_bh(&f->lock);
	if (!thread)
		return;
	kthread_stop(thread);
	spin_lock_bh(&f->lock);
	f->armed = FAB_NEVER;
	spin_unlock_bh(&f->lock);
}

static void engine_start(struct weft_fabric *f, struct task_struct *thread)
{
	spin_lock_bh(&f->lock);
	f->thread = thread;
	spin_unlock_bh(&f->lock);
	hrtimer_cancel(&f->timer);
	wake_up_process(thread);
}

/**
 * weft_engine_pin() - run a fabric by a thread of its own, or by the timer
 * @f: the fabric
 * @cpu: CPU of the thread, or WEFT_CPU_NONE: no thread
 * @extack: for the reason of a refusal
 *
 * If the CPU goes offline, the kernel moves the thread to another one.
 *
 * Context: process, RTNL held, may sleep.
 * Return: 0, -EPERM for a fabric that is limited, -EINVAL where the CPU is not
 * online, or what kthread_create() returns.
 */
int weft_engine_pin(struct weft_fabric *f, u32 cpu,
		    struct netlink_ext_ack *extack)
{
	struct task_struct *thread;
	int err;

	ASSERT_RTNL();
	if (cpu == WEFT_CPU_NONE) {
		engine_unpin(f);
		weft_engine_lock(f);
		weft_engine_unlock(f);
		return 0;
	}
	if (f->limited) {
		NL_SET_ERR_MSG(extack, "a user's fabric cannot have a CPU of its own");
		return -EPERM;
	}
	if (cpu >= nr_cpu_ids || !cpu_online(cpu)) {
		NL_SET_ERR_MSG_FMT(extack, "CPU %u is not online", cpu);
		return -EINVAL;
	}
	if (f->thread) {
		err = set_cpus_allowed_ptr(f->thread, cpumask_of(cpu));
		if (!err)
			f->cpu = cpu;
		return err;
	}
	thread = kthread_create_on_node(engine_thread, f, cpu_to_node(cpu),
					"weft/%u", f->id);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	set_cpus_allowed_ptr(thread, cpumask_of(cpu));
	f->cpu = cpu;
	engine_start(f, thread);
	return 0;
}

/**
 * weft_engine_setup() - create the work queue of fabrics that are behind
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int __init weft_engine_setup(void)
{
	engine_wq = alloc_ordered_workqueue("weft_users", 0);
	return engine_wq ? 0 : -ENOMEM;
}

/**
 * weft_engine_end() - destroy the work queue, when no fabric is left
 *
 * Context: process, may sleep.
 */
void weft_engine_end(void)
{
	destroy_workqueue(engine_wq);
}

/**
 * weft_engine_init() - prepare lock, clock and timer of a fabric
 * @f: the fabric; its parameters are set
 *
 * Context: process.
 */
void weft_engine_init(struct weft_fabric *f)
{
	spin_lock_init(&f->lock);
	f->armed = FAB_NEVER;
	f->base_ns = ktime_get_ns();
	f->patience = f->limited ? 0 : weft_time_from_ns(ENGINE_WAIT_NS, f->p.dilation);
	INIT_WORK(&f->catch_up, engine_catch_up);
	f->leap.fn = engine_on_leap;
	f->leap.set_timer = engine_no_leap;
	hrtimer_setup(&f->timer, engine_on_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}
EXPORT_SYMBOL_IF_KUNIT(weft_engine_init);

/**
 * weft_engine_stop() - stop the timer, the thread and the work of a fabric for good
 * @f: the fabric, in which no object is left
 *
 * A transmit that found the fabric before its NIC was detached may still take the
 * lock. The flag prevents that this arms the timer again. Leaps are the idle task's: none
 * is left while another one runs.
 *
 * Context: process, may sleep; not under the fabric's lock, which the timer
 * takes.
 */
void weft_engine_stop(struct weft_fabric *f)
{
	engine_unpin(f);
	spin_lock_bh(&f->lock);
	f->stopped = true;
	spin_unlock_bh(&f->lock);
	hrtimer_cancel(&f->timer);
	cancel_work_sync(&f->catch_up);
}
EXPORT_SYMBOL_IF_KUNIT(weft_engine_stop);

/**
 * weft_engine_lock() - take the lock of a fabric and run it up to the present
 * @f: the fabric
 *
 * Context: process or softirq; disables softirqs.
 */
void weft_engine_lock(struct weft_fabric *f) __acquires(&f->lock)
{
	fab_time now;

	spin_lock_bh(&f->lock);
	now = engine_time(f, ktime_get_ns());
	if (unlikely(f->behind))
		return;
	/* Often nothing is due: then only the present changes. */
	if (unlikely(fab_skip(&f->fab, now) <= now))
		engine_help_first(f, now);
	else
		f->stormy = false;
}
EXPORT_SYMBOL_GPL(weft_engine_lock);

/*
 * Wait for an event that is due soon: a timer would cost more, and expire later. Do not
 * wait if another CPU wants the lock, which will do the same, or if the clock stands
 * still, as a virtual clock does while the kernel runs.
 *
 * Return: the present, which is @due or later after a wait.
 */
static fab_time engine_await(struct weft_fabric *f, fab_time due)
{
	fab_time before = f->fab.now, now = engine_time(f, ktime_get_ns());

	while (now < due && due - now <= f->patience && now > before &&
	       !spin_is_contended(&f->lock)) {
		cpu_relax();
		before = now;
		now = engine_time(f, ktime_get_ns());
	}
	return now;
}

/**
 * weft_engine_unlock() - execute what is due now, and release the lock
 * @f: the fabric
 *
 * On a clock that runs, events may have become due meanwhile, or be due soon. To
 * execute them here costs less than a timer and its interrupt. Because they may
 * cause further events for ever, the timer takes over after some rounds, or after a
 * round that hit its bound.
 *
 * Context: as weft_engine_lock().
 */
void weft_engine_unlock(struct weft_fabric *f) __releases(&f->lock)
{
	fab_time now = f->fab.now, next;
	u32 round;

	if (unlikely(f->thread)) {
		engine_arm(f, fab_run(&f->fab, now, 0));
		spin_unlock_bh(&f->lock);
		return;
	}
	/*
	 * The clock is read first: what is due now, and what follows from it until the
	 * present, takes one turn.
	 */
	next = fab_skip(&f->fab, now);
	for (round = 0; round < ENGINE_ROUNDS && next != FAB_NEVER; round++) {
		/* After a turn @now is recent enough to see that nothing is due soon. */
		if (round && f->patience && next - now > 2 * f->patience)
			break;
		now = engine_await(f, next);
		if (next > now)
			break;
		next = f->behind ? now : engine_help(f, now);
		if (next <= now)
			break;
	}
	engine_arm(f, next);
	spin_unlock_bh(&f->lock);
}
EXPORT_SYMBOL_GPL(weft_engine_unlock);
