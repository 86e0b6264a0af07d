/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Leaps of the virtual machine's clock (tools/vm/patches/0028-leaps.patch). Other machines
 * have none.
 */
#ifndef WEFT_LEAP_H
#define WEFT_LEAP_H

#include <linux/compiler.h>
#include <linux/types.h>

#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
#include <asm/vclock.h>
#else
struct vclock_leap {
	void (*fn)(struct vclock_leap *leap);
	void (*set_timer)(struct vclock_leap *leap);
};
#endif

/**
 * weft_leap() - have the idle task call @leap->fn if nothing else happens before
 * @leap: also has whom to call before that time, if something else does
 * @ns: when, on the monotonic clock
 *
 * Context: any, softirqs off.
 * Return: false if it does not: set a timer.
 */
static inline bool weft_leap(struct vclock_leap *leap, u64 ns)
{
#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
	return vclock_leap(leap, ns);
#else
	return false;
#endif
}

#endif
