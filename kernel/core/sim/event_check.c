// SPDX-License-Identifier: GPL-2.0
/*
 * The invariants of the event queue (event.c).
 */
#include "core/sim/event_place.h"

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
		if (child->key < ev->key)
			return false;
	return !ev->child || ev->child->prev == ev;
}

static const char *event_check_late(const struct fab_event_queue *q, u64 *count)
{
	const struct fab_event *ev;

	if (q->late && q->late->prev != q->late)
		return "events: the first of the heap has one before it";
	for (ev = q->late; ev; ev = event_walk(ev)) {
		if (ev->at < q->last || event_level(q, ev) || !(ev->key & EVENT_LATE))
			return "events: one lies in the wrong slot";
		if (!event_in_order(ev))
			return "events: heap out of order";
		++*count;
	}
	return NULL;
}

static const char *event_check_now(const struct fab_event_queue *q, u64 *count)
{
	const struct fab_event *ev;

	for (ev = q->now; ev; ev = ev->next) {
		if (ev->at < q->last || event_level(q, ev) || ev->key & EVENT_LATE)
			return "events: one lies in the wrong slot";
		if (ev->next && (ev->next->key < ev->key || ev->next->prev != ev))
			return "events: list out of order";
		++*count;
	}
	return NULL;
}

/* @slot of a level above 0, at level 1 a tick. */
static const char *event_check_slot(const struct fab_event_queue *q, u32 level, u32 slot,
				    u64 *count)
{
	bool ticks = level == 1;
	const struct fab_event *first = ticks ? q->tick[slot] : q->slot[level][slot], *ev;
	u64 word = ticks ? q->ticks[slot / 64] : q->used[level];
	fab_time bound;

	if (!first != !(word >> slot % 64 & 1))
		return "events: bit and slot disagree";
	if (!first)
		return NULL;
	if (first->prev != first)
		return "events: the first of a slot has one before it";
	bound = ticks ? first->at : q->bound[level][slot];
	for (ev = first; ev; ev = ev->next) {
		if (ev->at < q->last || event_level(q, ev) != level ||
		    (ticks ? event_tick(ev) : event_slot(ev, level)) != slot)
			return "events: one lies in the wrong slot";
		if (ev->at < bound)
			return "events: one is before the bound of its slot";
		++*count;
	}
	return NULL;
}

/* The slots of a level above 0 whose bits are in one word, from @first on. Mostly all are
 * empty, as a few thousand are: the first, and each as the one before it.
 */
static const char *event_check_word(const struct fab_event_queue *q, u32 level, u32 first,
				    u64 *count)
{
	bool ticks = level == 1;
	struct fab_event *const *slots = ticks ? &q->tick[first] : q->slot[level];
	const char *wrong = NULL;
	u32 slot;

	if (!(ticks ? q->ticks[first / 64] : q->used[level]) && !slots[0] &&
	    !memcmp(slots, slots + 1, 63 * sizeof(*slots)))
		return NULL;
	for (slot = first; slot < first + 64 && !wrong; slot++)
		wrong = event_check_slot(q, level, slot, count);
	return wrong;
}

/* The bits that say which levels and words have events. */
static const char *event_check_bits(const struct fab_event_queue *q)
{
	u32 level, word;

	for (level = 2; level < FAB_EVENT_LEVELS; level++)
		if (!(q->levels & BIT(level)) != !q->used[level])
			return "events: bit and level disagree";
	for (word = 0; word < FAB_EVENT_WORDS; word++)
		if (!q->ticks[word] != !(q->words >> word & 1))
			return "events: bit and slot disagree";
	return NULL;
}

/**
 * fab_event_queue_check() - invariants of the queue
 * @q: the queue
 * @count: set to the number of pending events
 *
 * Return: NULL, or what is wrong.
 */
const char *fab_event_queue_check(const struct fab_event_queue *q, u64 *count)
{
	const char *wrong = event_check_bits(q);
	u32 level, slot;

	*count = 0;
	if (!wrong)
		wrong = event_check_now(q, count);
	if (!wrong)
		wrong = event_check_late(q, count);
	for (slot = 0; slot < FAB_EVENT_TICKS && !wrong; slot += 64)
		wrong = event_check_word(q, 1, slot, count);
	for (level = 2; level < FAB_EVENT_LEVELS && !wrong; level++)
		wrong = event_check_word(q, level, 0, count);
	return wrong;
}
