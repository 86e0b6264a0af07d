/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where an event is in its queue: the queue (event.c) and its invariants (event_check.c)
 * agree on it.
 */
#ifndef FAB_EVENT_PLACE_H
#define FAB_EVENT_PLACE_H

#include "core/sim/event.h"

#define EVENT_LATE	BIT_ULL(0)	/* in a key: the event is in the heap */

/* The level of a time: the highest digit in which it is not the queue's. */
static inline u32 time_level(const struct fab_event_queue *q, fab_time at)
{
	u64 differ = at ^ q->last;

	if (likely(!(differ >> FAB_EVENT_COARSE)))
		return !!(differ >> FAB_EVENT_FINE);
	return (fls64(differ) - FAB_EVENT_COARSE + FAB_EVENT_BITS - 1) / FAB_EVENT_BITS + 1;
}

static inline u32 event_level(const struct fab_event_queue *q,
			      const struct fab_event *ev)
{
	return time_level(q, ev->at);
}

/* The tick of an event of level 1. */
static inline u32 event_tick(const struct fab_event *ev)
{
	return ev->at >> FAB_EVENT_FINE & (FAB_EVENT_TICKS - 1);
}

/* The slot of a time above level 1. */
static inline u32 time_slot(fab_time at, u32 level)
{
	return at >> (FAB_EVENT_COARSE + (level - 2) * FAB_EVENT_BITS) &
	       (FAB_EVENT_SLOTS - 1);
}

static inline u32 event_slot(const struct fab_event *ev, u32 level)
{
	return time_slot(ev->at, level);
}

#endif
