/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEFT_COMPAT_LINUX_HRTIMER_H
#define WEFT_COMPAT_LINUX_HRTIMER_H

#include_next <linux/hrtimer.h>
#include <linux/version.h>

#if KERNEL_VERSION(6, 13, 0) > LINUX_VERSION_CODE

static inline void
weft_hrtimer_setup(struct hrtimer *timer,
		   enum hrtimer_restart (*function)(struct hrtimer *),
		   clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}

#define hrtimer_setup weft_hrtimer_setup

#endif

#endif
