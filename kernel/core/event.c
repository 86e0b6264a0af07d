// SPDX-License-Identifier: GPL-2.0
/*
 * The ordered event queue: a pairing heap of events embedded in their objects.
 *
 * DOC: theory of operation
 *
 * Fredman, Sedgewick, Sleator, Tarjan: The Pairing Heap (Algorithmica 1986),
 * the two-pass variant. Insert and "what is next" are O(1), pop and cancel
 * O(log n) amortised. Nothing recurses, because the kernel's stack is small.
 *
 * Invariants: no event is earlier than its parent; the root's prev is the root
 * itself, its next is NULL; an event outside the heap has prev NULL.
 */
#include "event.h"
#include "rng.h"

/**
 * fab_event_queue_init() - make an empty queue
 * @q: the queue
 * @seed: seed of the order among events of the same instant
 */
void fab_event_queue_init(struct fab_event_queue *q, u64 seed)
{
	q->root = NULL;
	q->tie_state = seed;
}

/**
 * fab_event_init() - prepare an event
 * @ev: the event, not pending
 * @fn: what to call when it is due
 */
void fab_event_init(struct fab_event *ev, fab_event_fn fn)
{
	memset(ev, 0, sizeof(*ev));
	ev->fn = fn;
}

static bool event_before(const struct fab_event *a, const struct fab_event *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	return a->tie < b->tie;
}

/* Join two heaps; what was in next and prev of the roots is of no interest. */
static struct fab_event *event_meld(struct fab_event *a, struct fab_event *b)
{
	struct fab_event *first = event_before(b, a) ? b : a;
	struct fab_event *second = first == a ? b : a;
	struct fab_event *child = first->child;

	second->prev = first;
	second->next = child;
	if (child)
		child->prev = second;
	first->child = second;
	return first;
}

/* Join siblings in pairs from the left; the pairs come out last first. */
static struct fab_event *event_meld_pairs(struct fab_event *ev)
{
	struct fab_event *pairs = NULL, *pair, *rest;

	while (ev && ev->next) {
		rest = ev->next->next;
		pair = event_meld(ev, ev->next);
		pair->next = pairs;
		pairs = pair;
		ev = rest;
	}
	if (ev) {
		ev->next = pairs;
		pairs = ev;
	}
	return pairs;
}

/* Join the siblings that begin with @ev into one heap, NULL for none. */
static struct fab_event *event_meld_all(struct fab_event *ev)
{
	struct fab_event *all = event_meld_pairs(ev), *rest, *next;

	if (!all)
		return NULL;
	for (rest = all->next; rest; rest = next) {
		next = rest->next;
		all = event_meld(all, rest);
	}
	return all;
}

static void event_set_root(struct fab_event_queue *q, struct fab_event *root)
{
	q->root = root;
	if (root) {
		root->prev = root;
		root->next = NULL;
	}
}

/**
 * fab_event_schedule() - put an event into the queue
 * @q: the queue
 * @ev: an event that is not pending
 * @at: when it is due
 */
void fab_event_schedule(struct fab_event_queue *q, struct fab_event *ev,
			fab_time at)
{
	ev->at = at;
	ev->tie = fab_rng_next(&q->tie_state);
	ev->child = NULL;
	event_set_root(q, q->root ? event_meld(q->root, ev) : ev);
}

/**
 * fab_event_pop() - take the earliest event out
 * @q: the queue
 *
 * Return: the event, NULL when none is pending.
 */
struct fab_event *fab_event_pop(struct fab_event_queue *q)
{
	struct fab_event *ev = q->root;

	if (!ev)
		return NULL;
	event_set_root(q, event_meld_all(ev->child));
	ev->prev = NULL;
	return ev;
}

static void event_unlink(struct fab_event *ev)
{
	if (ev->prev->child == ev)
		ev->prev->child = ev->next;
	else
		ev->prev->next = ev->next;
	if (ev->next)
		ev->next->prev = ev->prev;
}

/**
 * fab_event_cancel() - take an event out before it is due
 * @q: the queue
 * @ev: an event, pending or not
 */
void fab_event_cancel(struct fab_event_queue *q, struct fab_event *ev)
{
	struct fab_event *orphans;

	if (!fab_event_pending(ev))
		return;
	if (ev == q->root) {
		fab_event_pop(q);
		return;
	}
	event_unlink(ev);
	ev->prev = NULL;
	orphans = event_meld_all(ev->child);
	if (orphans)
		event_set_root(q, event_meld(q->root, orphans));
}

/* The event after @ev in an order that visits parents before their children. */
static const struct fab_event *event_walk(const struct fab_event *ev)
{
	const struct fab_event *up;

	if (ev->child)
		return ev->child;
	while (!ev->next) {
		/* Back to the first sibling, whose prev is the parent. */
		while (ev->prev != ev && ev->prev->child != ev)
			ev = ev->prev;
		up = ev->prev;
		if (up == ev)
			return NULL;
		ev = up;
	}
	return ev->next;
}

static bool event_in_order(const struct fab_event *ev)
{
	const struct fab_event *child;

	for (child = ev->child; child; child = child->next)
		if (event_before(child, ev))
			return false;
	return true;
}

/**
 * fab_event_queue_check() - invariants of the heap
 * @q: the queue
 * @count: set to the number of pending events
 *
 * Return: NULL, or what is wrong.
 */
const char *fab_event_queue_check(const struct fab_event_queue *q, u64 *count)
{
	const struct fab_event *ev = q->root;

	*count = 0;
	if (ev && (ev->prev != ev || ev->next))
		return "event queue: root is linked as a child";
	for (; ev; ev = event_walk(ev)) {
		if (!event_in_order(ev))
			return "event queue: child before its parent";
		if (ev->child && ev->child->prev != ev)
			return "event queue: child does not know its parent";
		++*count;
	}
	return NULL;
}
