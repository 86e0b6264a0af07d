// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Journeys: paths of single packets through a fabric, assembled from their steps.
 *
 * A packet is followed from the queue of its NIC until it is delivered or lost.
 * After that the kernel may use its id for another packet. Packets that were in
 * the fabric before the first step are left out. A copy begins with the hops of
 * its original up to the place where it was copied.
 *
 * A packet is held back while it waits and its class has a packet but may not
 * send it (a stall). The port notices a stall when it looks for a packet to
 * send, so a stall begins within the wait of a packet.
 */
#include "packet/journey.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packet/capture.h"

#define STALLS	256	/* recorded for each class */

/**
 * struct span - a span of time
 * @since: its beginning, ps
 * @until: its end, UINT64_MAX if it has not ended
 */
struct span {
	uint64_t since;
	uint64_t until;
};

/**
 * struct stall - the times when a class of a port was held back
 * @place: the port
 * @cls: the class
 * @n: number of stalls so far
 * @span: the last STALLS of them, a ring
 */
struct stall {
	struct weft_place place;
	uint32_t cls;
	size_t n;
	struct span span[STALLS];
};

static int compare_journeys(const void *a, const void *b)
{
	const struct weft_journey *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_stalls(const void *a, const void *b)
{
	const struct stall *x = a, *y = b;

	return compare_u32(x->place.is_nic, y->place.is_nic) ?:
	       compare_u32(x->place.sw, y->place.sw) ?:
	       compare_u32(x->place.port, y->place.port) ?:
	       compare_u32(x->cls, y->cls);
}

/**
 * weft_place_equal() - are two ports the same?
 * @a: one
 * @b: the other
 *
 * Return: whether both are known and the same.
 */
bool weft_place_equal(const struct weft_place *a, const struct weft_place *b)
{
	return a->known && b->known && a->is_nic == b->is_nic &&
	       (a->is_nic || a->sw == b->sw) && a->port == b->port;
}

static struct weft_journey *find(const struct weft_journeys *js, uint64_t id)
{
	const struct weft_journey key = { .id = id };
	struct weft_journey **node = tfind(&key, &js->under_way,
					   compare_journeys);

	return node ? *node : NULL;
}

static void free_journey(void *node)
{
	struct weft_journey *j = node;

	free(j->hop);
	free(j);
}

static void forget(struct weft_journeys *js, struct weft_journey *j)
{
	tdelete(j, &js->under_way, compare_journeys);
	free_journey(j);
}

static int keep(struct weft_journeys *js, struct weft_journey *j,
		struct weft_err *err)
{
	if (!tsearch(j, &js->under_way, compare_journeys)) {
		free_journey(j);
		weft_err_nomem(err);
		return -ENOMEM;
	}
	return 0;
}

static struct weft_journey *new_journey(void)
{
	struct weft_journey *j = calloc(1, sizeof(*j));

	if (j)
		j->hop = calloc(WEFT_JOURNEY_HOPS, sizeof(*j->hop));
	if (j && j->hop)
		return j;
	free(j);
	return NULL;
}

static struct weft_hop *last_hop(const struct weft_journey *j)
{
	return j->hops ? &j->hop[j->hops - 1] : NULL;
}

static void describe(struct weft_journey *j, const struct weft_step *s)
{
	j->id = s->id;
	j->born = s->time;
	j->source = s->place;
	j->length = s->length;
	j->segments = s->segments;
	j->sl = s->sl;
	j->dst = s->dst;
	j->flags = s->flags;
	j->len = s->len < sizeof(j->data) ? s->len : sizeof(j->data);
	if (j->len)
		memcpy(j->data, s->data, j->len);
}

/* Begin the journey of a packet; *@j is NULL if it is not wanted. */
static int set_out(struct weft_journeys *js, const struct weft_step *s,
		   struct weft_journey **j, struct weft_err *err)
{
	struct weft_journey *old = find(js, s->id);
	int ret;

	/* The step that ended the old packet was lost. */
	if (old)
		forget(js, old);
	*j = new_journey();
	if (!*j)
		return weft_err_nomem(err);
	describe(*j, s);
	if (js->wanted && !js->wanted(*j, js->ctx)) {
		free_journey(*j);
		*j = NULL;
		return 0;
	}
	(*j)->number = ++js->born;
	ret = keep(js, *j, err);
	if (ret)
		*j = NULL;
	return ret;
}

static void arrive(struct weft_journey *j, uint64_t time)
{
	struct weft_hop *hop = last_hop(j);

	if (!hop || !hop->is_sent || hop->has_arrived)
		return;
	hop->has_arrived = true;
	hop->arrived = time;
}

static int on_enqueue(struct weft_journeys *js, const struct weft_step *s,
		      struct weft_err *err)
{
	struct weft_journey *j = find(js, s->id);
	struct weft_hop *hop;

	if (s->place.is_nic && set_out(js, s, &j, err))
		return err->code;
	if (!j)
		return 0;
	arrive(j, s->time);
	if (j->hops == WEFT_JOURNEY_HOPS)
		return 0;
	hop = &j->hop[j->hops++];
	*hop = (struct weft_hop) {
		.place = s->place, .joined = s->time, .ready = s->ready,
		.queued = s->queued, .cls = s->cls,
		.marked = j->marks, .trimmed = j->trims,
	};
	j->marks = j->trims = j->is_new = false;
	return 0;
}

static struct stall *find_stall(const struct weft_journeys *js,
				const struct weft_place *place, uint32_t cls)
{
	const struct stall key = { .place = *place, .cls = cls };
	struct stall **node = tfind(&key, &js->stalls, compare_stalls);

	return node ? *node : NULL;
}

/* Time that the class was held back between ready and sent, ps. */
static uint64_t held(const struct weft_journeys *js, const struct weft_hop *hop)
{
	const struct stall *st = find_stall(js, &hop->place, hop->cls);
	uint64_t from, to, sum = 0;

	for (size_t i = 0; st && i < st->n && i < STALLS; i++) {
		const struct span *sp = &st->span[i];

		from = sp->since > hop->ready ? sp->since : hop->ready;
		to = sp->until < hop->sent ? sp->until : hop->sent;
		sum += to > from ? to - from : 0;
	}
	return sum;
}

static void on_transmit(const struct weft_journeys *js,
			const struct weft_step *s, struct weft_journey *j)
{
	struct weft_hop *hop = last_hop(j);

	if (!hop || !weft_place_equal(&hop->place, &s->place))
		return;
	hop->is_sent = true;
	hop->sent = s->time;
	hop->until = s->until;
	hop->held = held(js, hop);
	hop->marked |= j->marks;
	j->marks = false;
}

/* The first replay of a copy that a fault made is its transmission. */
static void on_replay(const struct weft_step *s, struct weft_journey *j)
{
	struct weft_hop *hop = last_hop(j);

	if (hop && weft_place_equal(&hop->place, &s->place) && !j->is_new)
		hop->replays++;
	j->is_new = false;
}

static int on_end(struct weft_journeys *js, const struct weft_step *s,
		  struct weft_journey *j, enum weft_fate fate,
		  struct weft_err *err)
{
	struct weft_hop *hop = last_hop(j);
	int ret;

	/* A packet that is lost at the port of its last hop did not arrive. */
	if (!hop || !weft_place_equal(&hop->place, &s->place))
		arrive(j, s->time);
	j->fate = fate;
	j->end = s->time;
	j->where = s->place;
	snprintf(j->reason, sizeof(j->reason), "%s", s->reason ? s->reason : "");
	ret = js->done(j, js->ctx, err);
	forget(js, j);
	return ret;
}

/* If the link of a NIC is down, its packets are lost before they are queued. */
static bool is_lost_at_home(const struct weft_step *s)
{
	return s->what == WEFT_TRAIL_WHAT_DROP && s->place.known &&
	       s->place.is_nic &&
	       (s->flags & WEFT_FRAME_MULTICAST || s->dst != s->place.port);
}

static int on_copy(struct weft_journeys *js, const struct weft_step *s,
		   struct weft_err *err)
{
	struct weft_journey *parent = find(js, s->parent), *j = find(js, s->id);
	struct weft_hop *hop;

	if (j && j != parent)
		forget(js, j);
	if (!parent)
		return 0;
	j = new_journey();
	if (!j)
		return weft_err_nomem(err);
	hop = j->hop;
	*j = *parent;
	j->hop = hop;
	memcpy(hop, parent->hop, parent->hops * sizeof(*hop));
	j->id = s->id;
	j->is_new = true;
	j->number = ++js->born;
	j->copy_of = parent->copy_of ? parent->copy_of : parent->number;
	return keep(js, j, err);
}

static int on_stall(struct weft_journeys *js, const struct weft_step *s,
		    struct weft_err *err)
{
	struct stall *st = find_stall(js, &s->place, s->cls);

	if (!st) {
		st = calloc(1, sizeof(*st));
		if (st)
			*st = (struct stall) { .place = s->place, .cls = s->cls };
		if (!st || !tsearch(st, &js->stalls, compare_stalls)) {
			free(st);
			return weft_err_nomem(err);
		}
	}
	st->span[st->n++ % STALLS] = (struct span) {
		.since = s->time, .until = UINT64_MAX,
	};
	return 0;
}

static void on_unstall(const struct weft_journeys *js,
		       const struct weft_step *s)
{
	struct stall *st = find_stall(js, &s->place, s->cls);

	if (st)
		st->span[(st->n - 1) % STALLS].until = s->time;
}

/* Handle a step of a packet in the fabric. */
static int on_packet(struct weft_journeys *js, const struct weft_step *s,
		     struct weft_err *err)
{
	struct weft_journey *j = find(js, s->id);

	if (!j && is_lost_at_home(s) && set_out(js, s, &j, err))
		return err->code;
	if (!j)
		return 0;
	j->flags = s->flags;
	switch (s->what) {
	case WEFT_TRAIL_WHAT_TRANSMIT:
		on_transmit(js, s, j);
		break;
	case WEFT_TRAIL_WHAT_MARK:
		j->marks = true;
		break;
	case WEFT_TRAIL_WHAT_TRIM:
		j->trims = true;
		break;
	case WEFT_TRAIL_WHAT_REPLAY:
		on_replay(s, j);
		break;
	case WEFT_TRAIL_WHAT_DELIVER:
		return on_end(js, s, j, WEFT_FATE_DELIVERED, err);
	case WEFT_TRAIL_WHAT_DROP:
		return on_end(js, s, j, WEFT_FATE_LOST, err);
	}
	return 0;
}

/**
 * weft_journeys_init() - initialise journeys
 * @js: wanted, done and ctx are set; the other members are initialised
 */
void weft_journeys_init(struct weft_journeys *js)
{
	js->born = 0;
	js->under_way = NULL;
	js->stalls = NULL;
}

/**
 * weft_journeys_step() - handle a step of a packet
 * @js: the packets
 * @s: the step
 * @err: error
 *
 * Return: 0 or negative errno, or that of @js->done.
 */
int weft_journeys_step(struct weft_journeys *js, const struct weft_step *s,
		       struct weft_err *err)
{
	switch (s->what) {
	case WEFT_TRAIL_WHAT_ENQUEUE:
		return on_enqueue(js, s, err);
	case WEFT_TRAIL_WHAT_COPY:
		return on_copy(js, s, err);
	case WEFT_TRAIL_WHAT_STALL:
		return on_stall(js, s, err);
	case WEFT_TRAIL_WHAT_UNSTALL:
		on_unstall(js, s);
		return 0;
	default:
		return on_packet(js, s, err);
	}
}

/**
 * struct list - journeys, to be sorted
 * @n: entries of @j
 * @j: the journeys
 */
struct list {
	size_t n;
	const struct weft_journey **j;
};

static void count(const void *node, VISIT which, void *ctx)
{
	struct list *list = ctx;

	(void)node;
	list->n += which == postorder || which == leaf;
}

static void collect(const void *node, VISIT which, void *ctx)
{
	const struct weft_journey *const *j = node;
	struct list *list = ctx;

	if (which == postorder || which == leaf)
		list->j[list->n++] = *j;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct weft_journey *const *x = a, *const *y = b;

	return (*x)->number < (*y)->number ? -1 : (*x)->number > (*y)->number;
}

/**
 * weft_journeys_rest() - pass packets that are still in the fabric to the callback
 * @js: the packets, in the order of their numbers; none is removed
 * @err: error
 *
 * Return: 0 or negative errno, or that of @js->done.
 */
int weft_journeys_rest(struct weft_journeys *js, struct weft_err *err)
{
	struct list list = { 0 };
	int ret = 0;

	twalk_r(js->under_way, count, &list);
	list.j = calloc(list.n + 1, sizeof(*list.j));
	if (!list.j)
		return weft_err_nomem(err);
	list.n = 0;
	twalk_r(js->under_way, collect, &list);
	qsort(list.j, list.n, sizeof(*list.j), compare_numbers);
	for (size_t i = 0; !ret && i < list.n; i++)
		ret = js->done(list.j[i], js->ctx, err);
	free(list.j);
	return ret;
}

/**
 * weft_journeys_free() - forget all packets
 * @js: the packets
 */
void weft_journeys_free(struct weft_journeys *js)
{
	tdestroy(js->under_way, free_journey);
	tdestroy(js->stalls, free);
	weft_journeys_init(js);
}
