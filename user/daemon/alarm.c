// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waiting for a fabric's clock in the loop.
 *
 * It differs from the kernel's clock by the dilation only. The timers of libevent
 * count microseconds; those of the kernel count nanoseconds, which is what the
 * virtual clock makes use of.
 */
#include "alarm.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define PS_PER_NS	1000ULL
#define NS_PER_S	1000000000ULL
/* So that a clock that runs off is looked at again. */
#define WAIT_MAX_NS	(3600 * NS_PER_S)

/**
 * alarm_open() - make an alarm that is not set
 * @a: result
 * @base: the loop
 * @call: called when it goes off; alarm_set() sets it again
 * @ctx: for @call
 * @err: error
 *
 * Return: 0 or negative errno; alarm_close() is due in either case.
 */
int alarm_open(struct alarm *a, struct event_base *base,
	       event_callback_fn call, void *ctx, struct weft_err *err)
{
	a->event = NULL;
	a->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (a->fd < 0)
		return weft_err_sys(err, errno, "timerfd_create");
	a->event = event_new(base, a->fd, EV_READ | EV_PERSIST, call, ctx);
	if (!a->event || event_add(a->event, NULL))
		return weft_err_nomem(err);
	return 0;
}

/**
 * alarm_set() - say when it goes off, once
 * @a: the alarm
 * @now: the fabric, read a moment ago
 * @at: fabric time; at once, if that is over
 *
 * It may go off earlier, where the time is far away.
 */
void alarm_set(struct alarm *a, const struct weft_fabric *now, uint64_t at)
{
	uint64_t ps = at > now->now ? at - now->now : 0;
	uint64_t ns = (ps + PS_PER_NS - 1) / PS_PER_NS;
	uint64_t most = WAIT_MAX_NS / now->dilation;
	struct itimerspec t = { 0 };

	ns = (ns < most ? ns : most) * now->dilation;
	t.it_value.tv_sec = (time_t)(ns / NS_PER_S);
	/* All zero would unset it. */
	t.it_value.tv_nsec = (long)(ns % NS_PER_S) + !ns;
	timerfd_settime(a->fd, 0, &t, NULL);
}

/**
 * alarm_close() - an alarm goes off no more
 * @a: the alarm
 */
void alarm_close(struct alarm *a)
{
	if (a->event)
		event_free(a->event);
	if (a->fd >= 0)
		close(a->fd);
	*a = (struct alarm) { .fd = -1 };
}
