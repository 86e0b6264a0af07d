// SPDX-License-Identifier: GPL-2.0
/*
 * The ordered event queue: a radix heap of events embedded in their objects.
 *
 * DOC: theory of operation
 *
 * Time never runs backwards, so a monotone queue is enough: the radix heap of Ahuja,
 * Mehlhorn, Orlin and Tarjan (Faster Algorithms for the Shortest Path Problem, JACM
 * 1990). With digits of 6 bits it is the timing wheel of Varghese and Lauck (Hashed
 * and Hierarchical Timing Wheels, 1987). The level of an event is the highest digit
 * in which its time differs from the queue's time (digit n is level n + 1), and its
 * slot is the value of this digit. So all events of a lower level come before all of
 * a higher one, and a smaller slot comes before a larger one. If the lowest used
 * level is not 0, the queue's time becomes that of the earliest event in its first
 * slot, and the events of this slot are distributed again, to lower levels. So an
 * event moves at most 11 times, in practice once or twice, whatever the number of
 * events. A slot with a single event is served directly.
 *
 * A slot stores its earliest time. When that event is cancelled, the next one is not
 * searched, which would cost as much as the slot is long. The stored time is a lower
 * bound then. When that time has come, the distribution finds the events that are
 * left, without further cost.
 *
 * Level 0 has the events of the present instant. One alone is taken as it is. Of several,
 * each draws a random number when it enters, whose first 10 bits are its place. The few
 * that share a place form a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986). So the
 * order within an instant is random, and cheap even if ten thousand ports act at once.
 * Nothing recurses, because the kernel's stack is small.
 *
 * A fabric in parts (part.c) has a queue for each, and must do the same as in one. Its
 * events have names. The number of an event is a hash of its name and of the time, and
 * does not depend on what else the queue has seen.
 *
 * Level and slot of an event follow from its time and the queue's time, so events do
 * not store them.
 */
#include "core/sim/event.h"
#include "core/sim/rng.h"

#define EVENT_SOON	3	/* slots of this level last 4 ns */
#define EVENT_LINE	64	/* of a cache, bytes */

/**
 * fab_event_queue_init() - initialise an empty queue at time 0
 * @q: the queue
 * @seed: seed of the order among events of the same instant
 */
void fab_event_queue_init(struct fab_event_queue *q, u64 seed)
{
	memset(q, 0, sizeof(*q));
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

/* Join two heaps; next and prev of the roots need no values. */
static struct fab_event *heap_meld(struct fab_event *a, struct fab_event *b)
{
	struct fab_event *first = b->tie < a->tie ? b : a;
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
static struct fab_event *heap_meld_pairs(struct fab_event *ev)
{
	struct fab_event *pairs = NULL, *pair, *rest;

	while (ev && ev->next) {
		rest = ev->next->next;
		pair = heap_meld(ev, ev->next);
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
static struct fab_event *heap_meld_all(struct fab_event *ev)
{
	struct fab_event *all = heap_meld_pairs(ev), *rest, *next;

	if (!all)
		return NULL;
	for (rest = all->next; rest; rest = next) {
		next = rest->next;
		all = heap_meld(all, rest);
	}
	all->prev = all;
	all->next = NULL;
	return all;
}

static u32 event_level(const struct fab_event_queue *q,
		       const struct fab_event *ev)
{
	/* 0 for no difference, as fls64(0) is 0. */
	return (fls64(ev->at ^ q->last) + FAB_EVENT_BITS - 1) / FAB_EVENT_BITS;
}

/* The heap of an event of level 0. */
static u32 event_heap(const struct fab_event *ev)
{
	return ev->tie >> (64 - FAB_EVENT_HEAP_BITS);
}

/* Store what is left of a heap, or NULL. */
static inline void heap_keep(struct fab_event_queue *q, u32 heap,
			     struct fab_event *rest)
{
	u32 word = heap >> FAB_EVENT_BITS;

	q->heap[heap] = rest;
	if (rest)
		return;
	q->heaps[word] &= ~BIT_ULL(heap & (FAB_EVENT_SLOTS - 1));
	if (q->heaps[word])
		return;
	q->used[0] &= ~BIT_ULL(word);
	if (!q->used[0])
		q->levels &= ~BIT(0);
}

/* The slot of an event above level 0. */
static u32 event_slot(const struct fab_event *ev, u32 level)
{
	return (ev->at >> ((level - 1) * FAB_EVENT_BITS)) &
	       (FAB_EVENT_SLOTS - 1);
}

/* Nothing is left in a slot. */
static inline void slot_clear(struct fab_event_queue *q, u32 level, u32 slot)
{
	q->slot[level][slot] = NULL;
	q->used[level] &= ~BIT_ULL(slot);
	if (!q->used[level])
		q->levels &= ~BIT(level);
}

/* Store the rest of a slot, or NULL. */
static inline void slot_keep(struct fab_event_queue *q, u32 level, u32 slot,
			     struct fab_event *rest)
{
	if (rest)
		q->slot[level][slot] = rest;
	else
		slot_clear(q, level, slot);
}

/* Add @ev to a slot above level 0: behind its first event, or before it if earlier. */
static noinline void slot_add(struct fab_event_queue *q, u32 level, u32 slot,
			      struct fab_event *ev)
{
	struct fab_event *first = q->slot[level][slot];

	if (q->bound[level][slot] <= ev->at) {
		ev->next = first->next;
		ev->ahead = ev->next ? ev->next->next : NULL;
		if (ev->next)
			ev->next->prev = ev;
		first->next = ev;
		ev->prev = first;
		return;
	}
	q->bound[level][slot] = ev->at;
	q->slot[level][slot] = ev;
	ev->next = first;
	ev->ahead = first->next;
	first->prev = ev;
}

/* Add @ev to the present instant. */
static void heap_add(struct fab_event_queue *q, struct fab_event *ev)
{
	struct fab_event *first;
	u32 heap;

	ev->tie = ev->name ? fab_event_tie(ev, ev->at) : fab_rng_next(&q->tie_state);
	ev->child = NULL;
	heap = event_heap(ev);
	first = q->heap[heap];
	if (first) {
		ev = heap_meld(first, ev);
	} else {
		q->heaps[heap >> FAB_EVENT_BITS] |= BIT_ULL(heap & (FAB_EVENT_SLOTS - 1));
		q->used[0] |= BIT_ULL(heap >> FAB_EVENT_BITS);
		q->levels |= BIT(0);
	}
	ev->prev = ev;
	ev->next = NULL;
	q->heap[heap] = ev;
}

/* Add another event to the present instant. */
static noinline void now_add(struct fab_event_queue *q, struct fab_event *ev)
{
	struct fab_event *only = q->only;

	q->only = NULL;
	if (only)
		heap_add(q, only);
	heap_add(q, ev);
}

/* Take the only event out of the present instant. */
static inline void only_clear(struct fab_event_queue *q)
{
	q->only = NULL;
	q->levels &= ~BIT(0);
}

/* Add @ev, which is not pending, to its heap or slot. */
static inline void event_place(struct fab_event_queue *q, struct fab_event *ev)
{
	u32 level = event_level(q, ev), slot;

	if (!level && q->levels & BIT(0)) {
		now_add(q, ev);
		return;
	}
	ev->next = NULL;
	ev->prev = ev;
	if (!level) {
		q->only = ev;
		q->levels |= BIT(0);
		return;
	}
	ev->ahead = NULL;
	slot = event_slot(ev, level);
	if (q->slot[level][slot]) {
		slot_add(q, level, slot, ev);
		return;
	}
	q->slot[level][slot] = ev;
	q->bound[level][slot] = ev->at;
	q->used[level] |= BIT_ULL(slot);
	q->levels |= BIT(level);
}

/**
 * fab_event_schedule() - add an event to the queue
 * @q: the queue
 * @ev: an event that is not pending
 * @at: when it is due; at least the queue's time is used
 */
void fab_event_schedule(struct fab_event_queue *q, struct fab_event *ev,
			fab_time at)
{
	fab_event_schedule_use(q, ev, at, NULL);
}

/**
 * fab_event_schedule_use() - add an event, and say what its call will read
 * @q: the queue
 * @ev: an event that is not pending
 * @at: when it is due; at least the queue's time is used
 * @use: memory that the call reads first, which is prefetched shortly before
 */
void fab_event_schedule_use(struct fab_event_queue *q, struct fab_event *ev,
			    fab_time at, const void *use)
{
	ev->at = max(at, q->last);
	ev->use = use;
	event_place(q, ev);
}

/* The lines around an event are of the object that it is in, and what its call uses. */
static inline void event_prefetch(const struct fab_event *ev)
{
	const char *line = (const char *)ev;

	prefetch(ev->use);
	prefetch(line - EVENT_LINE - EVENT_LINE);
	prefetch(line - EVENT_LINE);
	prefetch(line + EVENT_LINE);
}

/*
 * Distribute a list of a level again, when q->last is the bound of its times. Events of
 * a low level are due soon. What is prefetched may be stale, which does no harm.
 *
 * Returns the first event of the list if nothing else is due at q->last, else NULL. It is
 * not placed then. In most lists that is so.
 */
static noinline struct fab_event *event_deal(struct fab_event_queue *q,
					     struct fab_event *ev, u32 level)
{
	struct fab_event *first = ev->at == q->last ? ev : NULL, *next;
	bool soon = level <= EVENT_SOON;

	for (ev = first ? first->next : ev; ev; ev = next) {
		next = ev->next;
		prefetch(ev->ahead);
		if (soon)
			event_prefetch(ev);
		event_place(q, ev);
	}
	if (!first || !(q->levels & BIT(0)))
		return first;
	now_add(q, first);
	return NULL;
}

/* Take an event of the present instant. */
static noinline struct fab_event *event_pop_now(struct fab_event_queue *q)
{
	struct fab_event *ev = q->only;
	u32 word, heap;

	if (ev) {
		only_clear(q);
		ev->prev = NULL;
		return ev;
	}
	word = __ffs64(q->used[0]);
	heap = word << FAB_EVENT_BITS | __ffs64(q->heaps[word]);
	ev = q->heap[heap];
	heap_keep(q, heap, ev->child ? heap_meld_all(ev->child) : NULL);
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
struct fab_event *fab_event_pop(struct fab_event_queue *q, fab_time until)
{
	struct fab_event *ev;
	u32 level, slot;

	while (q->levels) {
		level = __ffs(q->levels);
		if (!level)
			return event_pop_now(q);
		slot = __ffs64(q->used[level]);
		if (q->bound[level][slot] > until)
			return NULL;
		ev = q->slot[level][slot];
		if (!ev->next) {
			q->bound[level][slot] = ev->at;
			if (ev->at > until)
				return NULL;
			q->last = ev->at;
			slot_clear(q, level, slot);
			ev->prev = NULL;
			return ev;
		}
		q->last = q->bound[level][slot];
		slot_clear(q, level, slot);
		ev = event_deal(q, ev, level);
		if (ev) {
			ev->prev = NULL;
			return ev;
		}
	}
	return NULL;
}

static void heap_unlink(struct fab_event *ev)
{
	if (ev->prev->child == ev)
		ev->prev->child = ev->next;
	else
		ev->prev->next = ev->next;
	if (ev->next)
		ev->next->prev = ev->prev;
}

static void list_unlink(struct fab_event *ev)
{
	ev->prev->next = ev->next;
	if (ev->next)
		ev->next->prev = ev->prev;
}

/* The heap @root without @ev. */
static struct fab_event *heap_del(struct fab_event *root, struct fab_event *ev)
{
	struct fab_event *orphans = heap_meld_all(ev->child);

	if (root == ev)
		return orphans;
	heap_unlink(ev);
	if (!orphans)
		return root;
	root = heap_meld(root, orphans);
	root->prev = root;
	root->next = NULL;
	return root;
}

/* The list @first without @ev. */
static struct fab_event *slot_del(struct fab_event *first, struct fab_event *ev)
{
	if (first != ev) {
		list_unlink(ev);
		return first;
	}
	first = ev->next;
	if (first)
		first->prev = first;
	return first;
}

/**
 * fab_event_cancel() - cancel an event
 * @q: the queue
 * @ev: an event, pending or not
 */
void fab_event_cancel(struct fab_event_queue *q, struct fab_event *ev)
{
	u32 level, slot;

	if (!fab_event_pending(ev))
		return;
	level = event_level(q, ev);
	if (level) {
		slot = event_slot(ev, level);
		slot_keep(q, level, slot, slot_del(q->slot[level][slot], ev));
	} else if (q->only) {
		only_clear(q);
	} else {
		slot = event_heap(ev);
		heap_keep(q, slot, heap_del(q->heap[slot], ev));
	}
	ev->prev = NULL;
}

/**
 * fab_event_move() - schedule an event for another time
 * @q: the queue
 * @ev: an event, pending or not
 * @at: when it is due, as for fab_event_schedule(); FAB_NEVER: cancel it
 */
void fab_event_move(struct fab_event_queue *q, struct fab_event *ev,
		    fab_time at)
{
	if (fab_event_pending(ev)) {
		if (ev->at == at)
			return;
		fab_event_cancel(q, ev);
	}
	if (at != FAB_NEVER)
		fab_event_schedule(q, ev, at);
}

/**
 * fab_event_change() - move an event to another queue, at its time
 * @from: its queue
 * @to: the other queue, whose time is not later than the event's
 * @ev: the event, pending or not
 */
void fab_event_change(struct fab_event_queue *from, struct fab_event_queue *to,
		      struct fab_event *ev)
{
	fab_time at = ev->at;

	if (!fab_event_pending(ev))
		return;
	fab_event_cancel(from, ev);
	fab_event_schedule(to, ev, at);
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
		if (child->tie < ev->tie)
			return false;
	return !ev->child || ev->child->prev == ev;
}

static const char *event_check_slot(const struct fab_event_queue *q,
				    u32 level, u32 slot, u64 *count)
{
	const struct fab_event *first = q->slot[level][slot], *ev;

	if (!first != !(q->used[level] >> slot & 1))
		return "events: bit and slot disagree";
	if (first && first->prev != first)
		return "events: the first of a slot has one before it";
	for (ev = first; ev; ev = ev->next) {
		if (ev->at < q->last || event_level(q, ev) != level ||
		    event_slot(ev, level) != slot)
			return "events: one lies in the wrong slot";
		if (ev->at < q->bound[level][slot])
			return "events: one is before the bound of its slot";
		++*count;
	}
	return NULL;
}

static const char *event_check_heap(const struct fab_event_queue *q, u32 heap,
				    u64 *count)
{
	const struct fab_event *first = q->heap[heap], *ev;

	if (!first)
		return "events: bit and slot disagree";
	if (first->prev != first)
		return "events: the first of a slot has one before it";
	for (ev = first; ev; ev = event_walk(ev)) {
		if (ev->at != q->last || event_heap(ev) != heap)
			return "events: one lies in the wrong slot";
		if (!event_in_order(ev))
			return "events: heap of one instant out of order";
		++*count;
	}
	return NULL;
}

/* Only heaps with a bit are looked at: who counts all events misses one in another. */
static const char *event_check_word(const struct fab_event_queue *q, u32 word,
				    u64 *count)
{
	u64 left = q->heaps[word];
	const char *wrong = NULL;

	if (!left != !(q->used[0] >> word & 1))
		return "events: bit and slot disagree";
	for (; left && !wrong; left &= left - 1)
		wrong = event_check_heap(q, word << FAB_EVENT_BITS | __ffs64(left), count);
	return wrong;
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
	const char *wrong = NULL;
	u32 level, slot, word;

	if (q->only && (q->used[0] || q->only->at != q->last))
		return "events: the only one of an instant is not";
	*count = !!q->only;
	for (word = 0; word < FAB_EVENT_WORDS && !wrong; word++)
		wrong = event_check_word(q, word, count);
	if (!(q->levels & BIT(0)) != !(q->used[0] || q->only))
		return "events: bit and level disagree";
	for (level = 1; level < FAB_EVENT_LEVELS && !wrong; level++) {
		if (!(q->levels & BIT(level)) != !q->used[level])
			return "events: bit and level disagree";
		for (slot = 0; slot < FAB_EVENT_SLOTS && !wrong; slot++)
			wrong = event_check_slot(q, level, slot, count);
	}
	return wrong;
}
