/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moments: times that are not known beforehand, and who waits for them.
 */
#ifndef FAB_MOMENT_H
#define FAB_MOMENT_H

#include "core/types.h"

struct fab_waiter;

/*
 * Is told when what waits is due. It may schedule events, and do nothing else: it is
 * called from wherever the moment was found.
 */
typedef void (*fab_waiter_fn)(struct fab *fab, struct fab_waiter *w, fab_time at);

/**
 * struct fab_waiter - somebody who waits for a moment
 */
struct fab_waiter {
	/** @next: the next one of the same moment */
	struct fab_waiter *next;
	/** @prev: what points to it; NULL: it does not wait */
	struct fab_waiter **prev;
	/** @fn: what to call */
	fab_waiter_fn fn;
	/** @after: it is due so long after the moment, ps */
	fab_time after;
	/** @late: by how much it was told too late, ps */
	fab_time late;
};

/**
 * struct fab_moment - a moment
 */
struct fab_moment {
	/** @known: it came */
	bool known;
	/** @at: when it was */
	fab_time at;
	/** @found: when that was found */
	fab_time found;
	/** @waiters: who waits for it */
	struct fab_waiter *waiters;
};

void fab_moment_came(struct fab *fab, struct fab_moment *m, fab_time at);
void fab_moment_wait(struct fab *fab, struct fab_moment *m,
		     struct fab_waiter *w, fab_time after, fab_waiter_fn fn);
void fab_moment_leave(struct fab_waiter *w);

/**
 * fab_moment_awaited() - does somebody wait for a moment that has not come?
 * @w: who might
 *
 * Return: whether it does.
 */
static inline bool fab_moment_awaited(const struct fab_waiter *w)
{
	return w->prev;
}

#endif
