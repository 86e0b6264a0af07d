/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarms in the loop at a time of a fabric's clock.
 */
#ifndef WEFT_DAEMON_ALARM_H
#define WEFT_DAEMON_ALARM_H

#include <event2/event.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/fabric.h"

/**
 * struct alarm - an alarm at a time of a fabric
 */
struct alarm {
	/** @fd: timerfd */
	int fd;
	/** @event: event of @fd, NULL if the alarm is not open */
	struct event *event;
};

int alarm_open(struct alarm *a, struct event_base *base,
	       event_callback_fn call, void *ctx, struct weft_err *err);
void alarm_set(struct alarm *a, const struct weft_fabric *now, uint64_t at);
void alarm_close(struct alarm *a);

#endif
