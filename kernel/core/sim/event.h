/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ordered event queue: events embedded in the objects they belong to.
 */
#ifndef FAB_EVENT_H
#define FAB_EVENT_H

#include "core/sim/rng.h"
#include "core/types.h"

struct fab_event;

typedef void (*fab_event_fn)(struct fab *fab, struct fab_event *ev);

/* 11 digits of 6 bits of the time; at level 0, the first 10 bits of the tie. */
#define FAB_EVENT_BITS		6
#define FAB_EVENT_SLOTS		64
#define FAB_EVENT_LEVELS	12
#define FAB_EVENT_HEAP_BITS	10
#define FAB_EVENT_HEAPS		(1 << FAB_EVENT_HEAP_BITS)
#define FAB_EVENT_WORDS		(FAB_EVENT_HEAPS / 64)

/**
 * struct fab_event - one pending call
 */
struct fab_event {
	/** @at: when it is due */
	fab_time at;
	/** @fn: what to call */
	fab_event_fn fn;
	union {
		/** @tie: order among events of the same instant, random */
		u64 tie;
		/** @ahead: in a list: event that may be two places behind, to be prefetched */
		struct fab_event *ahead;
	};
	union {
		/** @child: first child in a heap of events of one instant */
		struct fab_event *child;
		/** @use: in a list: what the call will read first, to be prefetched; or NULL */
		const void *use;
	};
	/** @next: next in a list, or next sibling in a heap */
	struct fab_event *next;
	/** @prev: previous sibling or parent; itself if first in a list or a root */
	struct fab_event *prev;
	/** @name: what its order in an instant follows from; 0: a draw (fab_event_name()) */
	u64 name;
};

/**
 * struct fab_event_queue - pending events of one fabric
 *
 * Order is by time; events of one instant come in random order (seeded by the
 * fabric), which favours no object, and repeats. The order of events with names depends
 * on nothing else, so it is the same if others are in another queue.
 */
struct fab_event_queue {
	/** @last: the queue's time: no event is or will ever be earlier */
	fab_time last;
	/** @tie_state: generator of ties */
	u64 tie_state;
	/** @levels: bit per level that holds an event */
	u32 levels;
	/** @only: at level 0: the event, if there is one and the heaps are empty */
	struct fab_event *only;
	/** @used: bit per slot that holds an event, by level; at level 0 per word of @heaps */
	u64 used[FAB_EVENT_LEVELS];
	/** @heaps: at level 0: bit per heap that is not empty */
	u64 heaps[FAB_EVENT_WORDS];
	/** @slot: above level 0: lists */
	struct fab_event *slot[FAB_EVENT_LEVELS][FAB_EVENT_SLOTS];
	/** @bound: above level 0: lower bound of the times in a slot that is used */
	fab_time bound[FAB_EVENT_LEVELS][FAB_EVENT_SLOTS];
	/** @heap: at level 0: heaps of events of this instant */
	struct fab_event *heap[FAB_EVENT_HEAPS];
};

void fab_event_queue_init(struct fab_event_queue *q, u64 seed);
void fab_event_init(struct fab_event *ev, fab_event_fn fn);
void fab_event_schedule(struct fab_event_queue *q, struct fab_event *ev,
			fab_time at);
void fab_event_schedule_use(struct fab_event_queue *q, struct fab_event *ev,
			    fab_time at, const void *use);
void fab_event_cancel(struct fab_event_queue *q, struct fab_event *ev);
void fab_event_move(struct fab_event_queue *q, struct fab_event *ev,
		    fab_time at);
void fab_event_change(struct fab_event_queue *from, struct fab_event_queue *to,
		      struct fab_event *ev);
struct fab_event *fab_event_pop(struct fab_event_queue *q, fab_time until);
const char *fab_event_queue_check(const struct fab_event_queue *q, u64 *count);

/**
 * fab_event_pending() - is @ev in the queue?
 * @ev: an initialised event
 *
 * Return: whether it is.
 */
static inline bool fab_event_pending(const struct fab_event *ev)
{
	return ev->prev;
}

/**
 * fab_event_name() - let the order of an event follow from a name
 * @ev: the event, not pending
 * @name: unique in the fabric and random, not 0
 */
static inline void fab_event_name(struct fab_event *ev, u64 name)
{
	ev->name = name;
}

/**
 * fab_event_tie() - place of an event with a name in an instant
 * @ev: the event
 * @at: the instant
 *
 * Return: the smaller comes first.
 */
static inline u64 fab_event_tie(const struct fab_event *ev, fab_time at)
{
	return fab_mix(ev->name ^ at);
}

/**
 * fab_event_next() - time until which nothing is due
 * @q: the queue
 *
 * Return: when the earliest event is due, or was due before it was cancelled;
 * FAB_NEVER if nothing is pending.
 */
static inline fab_time fab_event_next(const struct fab_event_queue *q)
{
	u32 level;

	if (!q->levels)
		return FAB_NEVER;
	level = __ffs(q->levels);
	return level ? q->bound[level][__ffs64(q->used[level])] : q->last;
}

#endif
