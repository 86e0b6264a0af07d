/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ordered event queue: events embedded in the objects they belong to.
 */
#ifndef FAB_EVENT_H
#define FAB_EVENT_H

#include "types.h"

struct fab_event;

typedef void (*fab_event_fn)(struct fab *fab, struct fab_event *ev);

/**
 * struct fab_event - one pending call, a node of a pairing heap
 */
struct fab_event {
	/** @at: when it is due */
	fab_time at;
	/** @tie: order among events of the same instant, drawn when scheduled */
	u64 tie;
	/** @fn: what to call */
	fab_event_fn fn;
	/** @child: first child in the heap */
	struct fab_event *child;
	/** @next: next sibling in the heap */
	struct fab_event *next;
	/** @prev: previous sibling, or the parent of a first child; itself when at the root */
	struct fab_event *prev;
};

/**
 * struct fab_event_queue - pending events of one fabric
 *
 * Order is (at, tie). The tie is random (seeded by the fabric), so events of
 * one instant are served in an order that favours no object, and that repeats.
 */
struct fab_event_queue {
	/** @root: earliest event, NULL when nothing is pending */
	struct fab_event *root;
	/** @tie_state: generator of ties */
	u64 tie_state;
};

void fab_event_queue_init(struct fab_event_queue *q, u64 seed);
void fab_event_init(struct fab_event *ev, fab_event_fn fn);
void fab_event_schedule(struct fab_event_queue *q, struct fab_event *ev,
			fab_time at);
void fab_event_cancel(struct fab_event_queue *q, struct fab_event *ev);
struct fab_event *fab_event_pop(struct fab_event_queue *q);
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
 * fab_event_next() - when the earliest event is due
 * @q: the queue
 *
 * Return: its time, FAB_NEVER when nothing is pending.
 */
static inline fab_time fab_event_next(const struct fab_event_queue *q)
{
	return q->root ? q->root->at : FAB_NEVER;
}

#endif
