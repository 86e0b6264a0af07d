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

/* A time has 8 bits for level 0, a digit of 11 bits for level 1, and 8 of 6 bits. */
#define FAB_EVENT_FINE		8
#define FAB_EVENT_TICKS		2048
#define FAB_EVENT_WORDS		(FAB_EVENT_TICKS / 64)
#define FAB_EVENT_COARSE	(FAB_EVENT_FINE + 11)
#define FAB_EVENT_BITS		6
#define FAB_EVENT_SLOTS		64
#define FAB_EVENT_LEVELS	10

/**
 * struct fab_event - one pending call
 */
struct fab_event {
	/** @at: when it is due */
	fab_time at;
	/** @fn: what to call */
	fab_event_fn fn;
	union {
		/** @key: order at level 0: the end of the time, then a random number (event.c) */
		u64 key;
		/** @also: in a list: what it will read then; or NULL */
		const void *also;
	};
	union {
		/** @child: first child in the heap */
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
	/** @now: level 0: events of the present 256 ps, sorted */
	struct fab_event *now;
	/** @late: level 0: heap of those that were added since @now was sorted */
	struct fab_event *late;
	/** @words: level 1: bit per word of @ticks that is not 0 */
	u64 words;
	/** @levels: bit per level above 1 that holds an event */
	u32 levels;
	/** @used: bit per slot that holds an event, by level */
	u64 used[FAB_EVENT_LEVELS];
	/** @ticks: level 1: bit per @tick that is not empty */
	u64 ticks[FAB_EVENT_WORDS];
	/** @tick: level 1: lists of the events of 256 ps, the earliest first */
	struct fab_event *tick[FAB_EVENT_TICKS];
	/** @slot: above level 1: lists */
	struct fab_event *slot[FAB_EVENT_LEVELS][FAB_EVENT_SLOTS];
	/** @bound: above level 1: lower bound of the times in a slot that is used */
	fab_time bound[FAB_EVENT_LEVELS][FAB_EVENT_SLOTS];
};

void fab_event_queue_init(struct fab_event_queue *q, u64 seed);
void fab_event_init(struct fab_event *ev, fab_event_fn fn);
void fab_event_schedule(struct fab_event_queue *q, struct fab_event *ev,
			fab_time at);
void fab_event_schedule_use(struct fab_event_queue *q, struct fab_event *ev,
			    fab_time at, const void *use, const void *also);
void fab_event_del(struct fab_event_queue *q, struct fab_event *ev);
void fab_event_move(struct fab_event_queue *q, struct fab_event *ev,
		    fab_time at);
void fab_event_change(struct fab_event_queue *from, struct fab_event_queue *to,
		      struct fab_event *ev);
void fab_event_jump(struct fab_event_queue *q, fab_time now);
struct fab_event *fab_event_pop_next(struct fab_event_queue *q, fab_time until);
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
 * fab_event_cancel() - cancel an event
 * @q: the queue
 * @ev: an event, pending or not
 */
static inline void fab_event_cancel(struct fab_event_queue *q, struct fab_event *ev)
{
	if (fab_event_pending(ev))
		fab_event_del(q, ev);
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

/* The tick that comes first, if there is one. */
static inline u32 fab_event_tick(const struct fab_event_queue *q)
{
	u32 word = __ffs64(q->words);

	return word * 64 + __ffs64(q->ticks[word]);
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
	fab_time now = q->now ? q->now->at : FAB_NEVER;
	u32 level;

	if (q->late)
		return min(q->late->at, now);
	if (q->now)
		return now;
	if (q->words)
		return q->tick[fab_event_tick(q)]->at;
	if (!q->levels)
		return FAB_NEVER;
	level = __ffs(q->levels);
	return q->bound[level][__ffs64(q->used[level])];
}

/**
 * fab_event_omit() - leave out an event that would be due at once, and come next
 * @q: the queue
 * @ev: an event that is not pending
 * @now: the present
 *
 * In an event its place in the instant is drawn all the same, as the queue would draw it: the
 * order of all others does not tell whether it was left out. Between events nothing is drawn.
 *
 * Return: true if it would come next: the caller does now what @ev is for, as its last act.
 */
static inline bool fab_event_omit(struct fab_event_queue *q, const struct fab_event *ev,
				  fab_time now)
{
	if (unlikely((now ^ q->last) >> FAB_EVENT_FINE))
		return fab_event_next(q) >> FAB_EVENT_FINE > now >> FAB_EVENT_FINE;
	if (q->now || q->late)
		return false;
	if (!ev->name)
		fab_rng_next(&q->tie_state);
	return true;
}

/**
 * fab_event_pass() - nothing is due up to the present, and no event will be earlier
 * @q: the queue
 * @now: the present
 *
 * What is scheduled next is near to it then, and is placed directly.
 */
static inline void fab_event_pass(struct fab_event_queue *q, fab_time now)
{
	if (!((now ^ q->last) >> FAB_EVENT_COARSE))
		return;
	/* So nothing is at levels 0 and 1: it would be due. */
	if (likely(!q->levels))
		q->last = now;
	else
		fab_event_jump(q, now);
}

/* Take @ev, which has left its list or heap. */
static inline struct fab_event *fab_event_take(struct fab_event_queue *q, struct fab_event *ev)
{
	q->last = ev->at;
	ev->prev = NULL;
	return ev;
}

/**
 * fab_event_pop() - take the earliest event, if it is due
 * @q: the queue
 * @until: the present: no event will be scheduled before it, or, if an event was
 * returned, before the time of that event
 *
 * Return: the event, NULL when none is due by @until.
 */
static inline struct fab_event *fab_event_pop(struct fab_event_queue *q, fab_time until)
{
	struct fab_event *ev = q->now;

	if (!ev || q->late)
		return fab_event_pop_next(q, until);
	if (ev->at > until)
		return NULL;
	q->now = ev->next;
	return fab_event_take(q, ev);
}

#endif
