// SPDX-License-Identifier: GPL-2.0
/*
 * The ordered event queue: a radix heap of events embedded in their objects.
 *
 * DOC: theory of operation
 *
 * Time never runs backwards, so a monotone queue is enough: the radix heap of Ahuja,
 * Mehlhorn, Orlin and Tarjan (Faster Algorithms for the Shortest Path Problem, JACM
 * 1990), which is also the timing wheel of Varghese and Lauck (Hashed and Hierarchical
 * Timing Wheels, 1987). The level of an event is the highest digit in which its time
 * differs from the queue's time, and its list is that of the value of this digit. So all
 * events of a lower level come before all of a higher one, and a smaller value comes
 * before a larger one. When nothing is left below it, the first list of the lowest level
 * is distributed again, to lower levels.
 *
 * The lowest digit has 8 bits: level 0 is the present 256 ps. The next has 11: level 1 has
 * a list (a tick) for each 256 ps of the present 524 ns. As most events are due within
 * that time, they are put where they stay. The others have 6 bits. So an event moves at
 * most 9 times, in practice hardly once, whatever the number of events.
 *
 * When the time of a tick has come, its only event is served directly, and of two the
 * earlier. Several are sorted:
 * by time, and within an instant by random numbers. The few that are added to a tick that
 * is sorted already form a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986) beside
 * it. So the order within an instant is random, and cheap even if ten thousand ports act at
 * once. Nothing recurses, because the kernel's stack is small.
 *
 * The first event of a tick is the earliest. A slot of a higher level stores its earliest
 * time instead. When that event is cancelled, the next one is not searched, which would
 * cost as much as the slot is long. The stored time is a lower bound then. When that time
 * has come, the distribution finds the events that are left, without further cost.
 *
 * A fabric in parts (part.c) has a queue for each, and must do the same as in one. Its
 * events have names. The number of an event is a hash of its name and of the time, and
 * does not depend on what else the queue has seen.
 *
 * Level and list of an event follow from its time and the queue's time, so events do
 * not store them.
 */
#include "core/sim/event_place.h"
#include "core/sim/rng.h"

#define EVENT_FEW	8		/* events that are sorted one by one */
#define EVENT_PARTS	32		/* of a list that is sorted; each is twice the one before */

/**
 * fab_event_queue_init() - initialise an empty queue at time 0
 * @q: the queue, zeroed
 * @seed: seed of the order among events of the same instant
 */
void fab_event_queue_init(struct fab_event_queue *q, u64 seed)
{
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

/* Make @ev a list of its own, or the root of a heap. Returns it. */
static inline struct fab_event *event_alone(struct fab_event *ev)
{
	ev->next = NULL;
	ev->prev = ev;
	return ev;
}

/* Join two heaps; next and prev of the roots need no values. */
static struct fab_event *heap_meld(struct fab_event *a, struct fab_event *b)
{
	struct fab_event *first = b->key < a->key ? b : a;
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
	return event_alone(all);
}

/* Nothing is left in a tick. */
static inline void tick_clear(struct fab_event_queue *q, u32 tick)
{
	u32 word = tick / 64;

	q->tick[tick] = NULL;
	q->ticks[word] &= ~BIT_ULL(tick % 64);
	q->words &= ~((u64)!q->ticks[word] << word);
}

/* Nothing is left in a slot. */
static inline void slot_clear(struct fab_event_queue *q, u32 level, u32 slot)
{
	q->slot[level][slot] = NULL;
	q->used[level] &= ~BIT_ULL(slot);
	if (!q->used[level])
		q->levels &= ~BIT(level);
}

/* Add @ev behind @first, the first of a list. */
static inline void events_add(struct fab_event *first, struct fab_event *ev)
{
	struct fab_event *second = first->next;

	ev->next = second;
	ev->prev = first;
	if (second)
		second->prev = ev;
	first->next = ev;
}

/* Add @ev before @first. Returns the first of the list. */
static inline struct fab_event *events_push(struct fab_event *first, struct fab_event *ev)
{
	ev->next = first;
	ev->prev = ev;
	first->prev = ev;
	return ev;
}

/* Add @ev to its tick. */
static __always_inline void tick_add(struct fab_event_queue *q, struct fab_event *ev)
{
	u32 tick = event_tick(ev);
	u64 bit = BIT_ULL(tick % 64);
	struct fab_event *first;

	/* The bits are in few lines of the cache, the lists in many. */
	if (!(q->ticks[tick / 64] & bit)) {
		q->tick[tick] = event_alone(ev);
		q->ticks[tick / 64] |= bit;
		q->words |= BIT_ULL(tick / 64);
		return;
	}
	first = q->tick[tick];
	if (first->at <= ev->at)
		events_add(first, ev);
	else
		q->tick[tick] = events_push(first, ev);
}

/* Add @ev to a slot above level 1. */
static noinline void slot_add(struct fab_event_queue *q, struct fab_event *ev, u32 level)
{
	u32 slot = event_slot(ev, level);
	struct fab_event *first = q->slot[level][slot];

	if (!first) {
		q->slot[level][slot] = event_alone(ev);
		q->bound[level][slot] = ev->at;
		q->used[level] |= BIT_ULL(slot);
		q->levels |= BIT(level);
	} else if (q->bound[level][slot] <= ev->at) {
		events_add(first, ev);
	} else {
		q->slot[level][slot] = events_push(first, ev);
		q->bound[level][slot] = ev->at;
	}
}

/* Draw the place of @ev among those of level 0, if it is not in the heap. */
static inline u64 event_key(struct fab_event_queue *q, const struct fab_event *ev)
{
	u64 tie = ev->name ? fab_event_tie(ev, ev->at) : fab_rng_next(&q->tie_state);

	return (ev->at << (64 - FAB_EVENT_FINE) | tie >> FAB_EVENT_FINE) & ~EVENT_LATE;
}

/* Add @ev to the heap. */
static noinline void late_add(struct fab_event_queue *q, struct fab_event *ev)
{
	ev->key |= EVENT_LATE;
	ev->child = NULL;
	if (q->late)
		ev = heap_meld(q->late, ev);
	q->late = event_alone(ev);
}

/* Add @ev to level 0: to the list if nothing else is there, else to the heap. */
static inline void now_add(struct fab_event_queue *q, struct fab_event *ev)
{
	ev->key = event_key(q, ev);
	if (q->now || q->late) {
		late_add(q, ev);
		return;
	}
	q->now = event_alone(ev);
}

/* Add @ev, which is not pending, to the heap, its tick or its slot. */
static __always_inline void event_place(struct fab_event_queue *q, struct fab_event *ev)
{
	u32 level = event_level(q, ev);

	if (likely(level == 1))
		tick_add(q, ev);
	else if (level)
		slot_add(q, ev, level);
	else
		now_add(q, ev);
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
	fab_event_schedule_use(q, ev, at, NULL, NULL);
}

/**
 * fab_event_schedule_use() - add an event, and say what its call will read
 * @q: the queue
 * @ev: an event that is not pending
 * @at: when it is due; at least the queue's time is used
 * @use: memory that the call reads first, which is prefetched shortly before
 * @also: what it reads then
 */
void fab_event_schedule_use(struct fab_event_queue *q, struct fab_event *ev,
			    fab_time at, const void *use, const void *also)
{
	ev->at = max(at, q->last);
	ev->use = use;
	ev->also = also;
	event_place(q, ev);
}

/* Distribute a list of a slot again, when q->last is its bound. */
static void slot_deal(struct fab_event_queue *q, struct fab_event *ev)
{
	struct fab_event *next;

	for (; ev; ev = next) {
		next = ev->next;
		event_place(q, ev);
	}
}

/* What the call of @ev will use. It may be stale, which does no harm. */
static inline void event_prefetch(const struct fab_event *ev)
{
	prefetch(ev->use);
	prefetch(ev->also);
}

/**
 * fab_event_jump() - fab_event_pass() to a time that is far from the queue's
 * @q: the queue
 * @now: the present
 *
 * Events of the slot that the present is in would have to be distributed. So the queue's
 * time stays as it is if there are any.
 */
void fab_event_jump(struct fab_event_queue *q, fab_time now)
{
	u32 level = time_level(q, now);

	if (!(q->used[level] >> time_slot(now, level) & 1))
		q->last = now;
}

/* Join two sorted lists that are not empty. */
static struct fab_event *events_merge(struct fab_event *a, struct fab_event *b)
{
	struct fab_event *first, **end = &first;

	for (;;) {
		if (a->key < b->key) {
			*end = a;
			end = &a->next;
			a = *end;
			if (!a) {
				*end = b;
				return first;
			}
		} else {
			*end = b;
			end = &b->next;
			b = *end;
			if (!b) {
				*end = a;
				return first;
			}
		}
	}
}

/* Sort the first events of a list. @rest: set to those that follow. Returns the sorted ones. */
static inline struct fab_event *events_sort_few(struct fab_event_queue *q, struct fab_event *ev,
						struct fab_event **rest)
{
	struct fab_event *first = NULL, *next, **place;
	u32 n;

	for (n = 0; ev && n < EVENT_FEW; n++, ev = next) {
		next = ev->next;
		event_prefetch(ev);
		ev->key = event_key(q, ev);
		for (place = &first; *place && (*place)->key < ev->key;)
			place = &(*place)->next;
		ev->next = *place;
		*place = ev;
	}
	*rest = ev;
	return first;
}

/*
 * Sort the events of a tick. Parts of 1, 2, 4, ... times a few events wait to be joined with
 * another of their length, so that bit n of the count says whether part n is there.
 */
static struct fab_event *events_sort(struct fab_event_queue *q, struct fab_event *ev)
{
	struct fab_event *part[EVENT_PARTS], *all = events_sort_few(q, ev, &ev);
	u32 count, left, n;

	if (unlikely(ev)) {
		part[0] = all;
		for (count = 1; ev; count++) {
			all = events_sort_few(q, ev, &ev);
			for (n = 0, left = count; left & 1; left >>= 1)
				all = events_merge(part[n++], all);
			part[n] = all;
		}
		for (n = __ffs(count), all = part[n++]; count >> n; n++)
			if (count >> n & 1)
				all = events_merge(part[n], all);
	}
	for (ev = all; ev->next; ev = ev->next)
		ev->next->prev = ev;
	return all;
}

/* Take the earliest event of level 0, which is not empty, if it is due. */
static noinline struct fab_event *now_pop(struct fab_event_queue *q, fab_time until)
{
	struct fab_event *ev = q->late;
	bool listed = !ev || (q->now && q->now->key < ev->key);

	if (listed)
		ev = q->now;
	if (ev->at > until)
		return NULL;
	if (listed)
		q->now = ev->next;
	else
		q->late = ev->child ? heap_meld_all(ev->child) : NULL;
	return fab_event_take(q, ev);
}

/* Take the earlier of a tick of two events. */
static inline struct fab_event *tick_open_two(struct fab_event_queue *q, struct fab_event *a,
					      struct fab_event *b)
{
	event_prefetch(a);
	event_prefetch(b);
	a->key = event_key(q, a);
	b->key = event_key(q, b);
	if (a->key > b->key) {
		q->now = event_alone(a);
		return fab_event_take(q, b);
	}
	q->now = event_alone(b);
	return fab_event_take(q, a);
}

/* Sort a tick of several events, and take the earliest. */
static noinline struct fab_event *tick_open(struct fab_event_queue *q, struct fab_event *ev)
{
	if (!ev->next->next)
		return tick_open_two(q, ev, ev->next);
	ev = events_sort(q, ev);
	q->now = ev->next;
	return fab_event_take(q, ev);
}

/*
 * Take the only event of the first slot above level 1, if it is due, or distribute several,
 * of which one may be due. Returns NULL if none was taken.
 */
static noinline struct fab_event *slot_open(struct fab_event_queue *q, fab_time until)
{
	u32 level = __ffs(q->levels), slot = __ffs64(q->used[level]);
	struct fab_event *ev = q->slot[level][slot];

	if (!ev->next) {
		q->bound[level][slot] = ev->at;
		if (ev->at > until)
			return NULL;
		slot_clear(q, level, slot);
		return fab_event_take(q, ev);
	}
	q->last = q->bound[level][slot];
	slot_clear(q, level, slot);
	slot_deal(q, ev);
	return NULL;
}

/* Take the earliest event of the first tick, if it is due. Nothing is at level 0. */
static inline struct fab_event *tick_pop(struct fab_event_queue *q, fab_time until)
{
	u32 tick = fab_event_tick(q);
	struct fab_event *ev = q->tick[tick];

	if (ev->at > until)
		return NULL;
	tick_clear(q, tick);
	if (q->words)
		event_prefetch(q->tick[fab_event_tick(q)]);
	if (ev->next)
		return tick_open(q, ev);
	return fab_event_take(q, ev);
}

/* Take the earliest event, if it is due, when it need not be in a tick. */
static noinline struct fab_event *pop_any(struct fab_event_queue *q, fab_time until)
{
	struct fab_event *ev;

	while (!q->words && !q->now && !q->late) {
		if (fab_event_next(q) > until)
			return NULL;
		ev = slot_open(q, until);
		if (ev)
			return ev;
	}
	return q->now || q->late ? now_pop(q, until) : tick_pop(q, until);
}

/**
 * fab_event_pop_next() - as fab_event_pop(), if the events of level 0 are not just in order
 * @q: the queue
 * @until: see there
 *
 * Return: see there.
 */
struct fab_event *fab_event_pop_next(struct fab_event_queue *q, fab_time until)
{
	if (unlikely(!q->words || q->now || q->late))
		return pop_any(q, until);
	return tick_pop(q, until);
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

static void events_unlink(struct fab_event *ev)
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
	return event_alone(heap_meld(root, orphans));
}

/* The list @first without @ev. */
static struct fab_event *events_del(struct fab_event *first, struct fab_event *ev)
{
	if (first != ev) {
		events_unlink(ev);
		return first;
	}
	first = ev->next;
	if (first)
		first->prev = first;
	return first;
}

/* The list @first, whose earliest was of @at, with its earliest first. */
static struct fab_event *events_order(struct fab_event *first, fab_time at)
{
	struct fab_event *best = first, *ev;

	for (ev = first; ev && best->at != at; ev = ev->next)
		if (ev->at < best->at)
			best = ev;
	return best == first ? first : events_push(events_del(first, best), best);
}

/* Take @ev out of its tick. */
static void tick_del(struct fab_event_queue *q, struct fab_event *ev)
{
	u32 tick = event_tick(ev);
	struct fab_event *first = q->tick[tick], *rest = events_del(first, ev);

	if (!rest)
		tick_clear(q, tick);
	else
		q->tick[tick] = rest == first ? rest : events_order(rest, ev->at);
}

/* Take @ev out of a slot above level 1. */
static void slot_del(struct fab_event_queue *q, struct fab_event *ev, u32 level)
{
	u32 slot = event_slot(ev, level);
	struct fab_event *rest = events_del(q->slot[level][slot], ev);

	if (rest)
		q->slot[level][slot] = rest;
	else
		slot_clear(q, level, slot);
}

/* Take @ev out of the list of level 0. The first of that has any prev. */
static void now_del(struct fab_event_queue *q, struct fab_event *ev)
{
	if (ev == q->now)
		q->now = ev->next;
	else
		events_unlink(ev);
}

/**
 * fab_event_del() - cancel an event that is pending
 * @q: the queue
 * @ev: the event
 */
void fab_event_del(struct fab_event_queue *q, struct fab_event *ev)
{
	u32 level = event_level(q, ev);

	if (level == 1)
		tick_del(q, ev);
	else if (level)
		slot_del(q, ev, level);
	else if (ev->key & EVENT_LATE)
		q->late = heap_del(q->late, ev);
	else
		now_del(q, ev);
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
		fab_event_del(q, ev);
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
	fab_event_del(from, ev);
	fab_event_schedule(to, ev, at);
}
