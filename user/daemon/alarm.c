// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Alarms in the loop at a time of a fabric's clock.
 *
 * A fabric's clock differs from the kernel's monotonic clock by the dilation
 * only. Timers of libevent have a resolution of 1 us. An alarm uses a timerfd,
 * which has 1 ns: a virtual clock needs that.
 */
#include "alarm.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define PS_PER_NS	1000ULL
#define NS_PER_S	1000000000ULL
/* Longest wait: a clock that runs ahead is read again after that. */
#define WAIT_MAX_NS	(3600 * NS_PER_S)

/**
 * alarm_open() - create an alarm that is not set
 * @a: result
 * @base: the loop
 * @call: called when the alarm goes off; it may call alarm_set()
 * @ctx: for @call
 * @err: error
 *
 * Return: 0 or negative errno; alarm_close() must be called in both cases.
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
 * alarm_set() - set the time at which an alarm goes off once
 * @a: the alarm
 * @now: the fabric, just read
 * @at: fabric time, ps; the alarm goes off at once if it is past
 *
 * If the time is more than an hour away, the alarm goes off earlier.
 */
void alarm_set(struct alarm *a, const struct weft_fabric *now, uint64_t at)
{
	uint64_t ps = at > now->now ? at - now->now : 0;
	uint64_t ns = (ps + PS_PER_NS - 1) / PS_PER_NS;
	uint64_t most = WAIT_MAX_NS / now->dilation;
	struct itimerspec t = { 0 };

	ns = (ns < most ? ns : most) * now->dilation;
	t.it_value.tv_sec = (time_t)(ns / NS_PER_S);
	/* A value of 0 would disarm the timer. */
	t.it_value.tv_nsec = (long)(ns % NS_PER_S) + !ns;
	timerfd_settime(a->fd, 0, &t, NULL);
}

/**
 * alarm_close() - destroy an alarm
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
