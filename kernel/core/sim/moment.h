/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moments: times that are not known in advance, and their waiters.
 */
#ifndef FAB_MOMENT_H
#define FAB_MOMENT_H

#include "core/types.h"

struct fab_waiter;

/*
 * Called with the time @at at which the waiter is due. It may only schedule events, as
 * the moment may be detected anywhere in the model.
 */
typedef void (*fab_waiter_fn)(struct fab *fab, struct fab_waiter *w, fab_time at);

/**
 * struct fab_waiter - a waiter for a moment
 */
struct fab_waiter {
	/** @next: next waiter of the same moment */
	struct fab_waiter *next;
	/** @prev: pointer that points to it; NULL: it does not wait */
	struct fab_waiter **prev;
	/** @fn: callback */
	fab_waiter_fn fn;
	/** @after: time from the moment until it is due, ps */
	fab_time after;
	/** @late: delay of the callback after the due time, ps */
	fab_time late;
};

/**
 * struct fab_moment - a moment
 */
struct fab_moment {
	/** @known: it has come */
	bool known;
	/** @at: its fabric time */
	fab_time at;
	/** @found: fabric time at which it was detected */
	fab_time found;
	/** @waiters: its waiters */
	struct fab_waiter *waiters;
};

void fab_moment_came(struct fab *fab, struct fab_moment *m, fab_time at);
void fab_moment_wait(struct fab *fab, struct fab_moment *m,
		     struct fab_waiter *w, fab_time after, fab_waiter_fn fn);
void fab_moment_leave(struct fab_waiter *w);

/**
 * fab_moment_awaited() - does a waiter wait for a moment that has not come?
 * @w: the waiter
 *
 * Return: true if it does.
 */
static inline bool fab_moment_awaited(const struct fab_waiter *w)
{
	return w->prev;
}

#endif
