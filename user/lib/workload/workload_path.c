// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The critical path of a workload that was sent: what its end has waited for.
 *
 * It is found from the end. The message that ended last waited for the one that was the
 * last to end of those before it, and so on back to one that waits for nothing. In a
 * reduction all wait for the node that brings its part last, so the path goes on there.
 *
 * With r when the one before has ended (0 for the first), and start s, end e, computing c
 * and ideal i of a message, its time e - r is
 *
 *	c			computing
 *	s - r - c		held: until its time has come, or while its node is frozen
 *	min(i, e - s)		as alone
 *	e - s - min(i, e - s)	longer than alone
 *
 * so these add up to the end of the last message.
 */
#include "workload/workload_path.h"

#include <stdlib.h>

#include "base/array.h"

#define NONE	UINT32_MAX

/**
 * struct part - what a node brings to a reduction
 * @group: number of the group
 * @key: the node; then the number of the reduction, of that node in the group
 * @start: when it is brought, ps
 * @message: number of the message
 */
struct part {
	uint32_t group;
	uint32_t key;
	uint64_t start;
	uint32_t message;
};

#define ORDER(a, b)	((a) < (b) ? -1 : 1)

static int by_key(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->group != y->group)
		return ORDER(x->group, y->group);
	if (x->key != y->key)
		return ORDER(x->key, y->key);
	if (x->start != y->start)
		return ORDER(x->start, y->start);
	return ORDER(x->message, y->message);
}

static uint32_t collect(const struct weft_work *w, struct part *part)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->messages; i++) {
		const struct weft_message *m = &w->message[i];

		if (m->group && m->start != WEFT_NOT_YET)
			part[n++] = (struct part) {
				.group = m->group, .key = m->from, .start = m->start,
				.message = i,
			};
	}
	return n;
}

/* The reductions of a group follow one another: each node's first ones are one, and so on. */
static void number_rounds(struct part *part, uint32_t n)
{
	uint32_t round = 0, node = NONE;

	qsort(part, n, sizeof(*part), by_key);
	for (uint32_t i = 0; i < n; i++) {
		bool same = i && part[i].group == part[i - 1].group && part[i].key == node;

		round = same ? round + 1 : 0;
		node = part[i].key;
		part[i].key = round;
	}
	qsort(part, n, sizeof(*part), by_key);
}

/*
 * For each message, the one that was brought last to its reduction, or itself. *@last is
 * NULL if there are no reductions.
 */
static int find_last(const struct weft_work *w, uint32_t **last, struct weft_err *err)
{
	struct part *part;
	uint32_t n = 0;

	*last = NULL;
	for (uint32_t i = 0; i < w->messages; i++)
		n += w->message[i].group != 0;
	if (!n)
		return 0;
	part = calloc(n, sizeof(*part));
	*last = calloc(w->messages, sizeof(**last));
	if (!part || !*last) {
		free(part);
		return weft_err_nomem(err);
	}
	for (uint32_t i = 0; i < w->messages; i++)
		(*last)[i] = i;
	n = collect(w, part);
	number_rounds(part, n);
	for (uint32_t i = 0, end = 0; i < n; i++) {
		while (end < n && part[end].group == part[i].group &&
		       part[end].key == part[i].key)
			end++;
		(*last)[part[i].message] = part[end - 1].message;
	}
	free(part);
	return 0;
}

/* The message of a job that ended last; NONE if none has ended. */
static uint32_t end_of(const struct weft_work *w, uint32_t job)
{
	uint32_t last = NONE;

	for (uint32_t i = 0; i < w->messages; i++) {
		const struct weft_message *m = &w->message[i];

		if ((job == WEFT_ALL_JOBS || m->job == job) && m->end != WEFT_NOT_YET &&
		    (last == NONE || m->end > w->message[last].end))
			last = i;
	}
	return last;
}

/* Of the messages that one waits for, the last to end; NONE if it waits for none. */
static uint32_t before(const struct weft_work *w, const struct weft_message *m)
{
	uint32_t last = NONE;

	for (uint32_t k = 0; k < m->afters; k++) {
		uint32_t i = w->after[m->after + k];

		if (last == NONE || w->message[i].end > w->message[last].end)
			last = i;
	}
	return last;
}

/* A part of the path: what @m brings is there for @of at its end, @ready having ended. */
static int add(struct weft_work_path *p, struct weft_work_pair **pairs,
	       const struct weft_work *w, uint32_t m, uint32_t of, uint64_t ready,
	       struct weft_err *err)
{
	struct weft_work_pair *pair = weft_array_grow(*pairs, p->n, sizeof(*pair));
	uint32_t *more = weft_array_grow(p->message, p->n, sizeof(*more));
	const struct weft_message *x = &w->message[m];
	uint64_t time = w->message[of].end - x->start, alone = 0;

	if (pair)
		*pairs = pair;
	if (more)
		p->message = more;
	if (!pair || !more)
		return weft_err_nomem(err);
	more[p->n++] = m;
	if (weft_message_moves(x)) {
		alone = x->ideal < time ? x->ideal : time;
		p->moves++;
	}
	p->computing += x->delay;
	p->held += x->start - ready - x->delay;
	p->alone += alone;
	p->longer += time - alone;
	pair[p->n - 1] = (struct weft_work_pair) { x->from, x->to, time - alone };
	return 0;
}

static int by_pair(const void *a, const void *b)
{
	const struct weft_work_pair *x = a, *y = b;

	if (x->from != y->from)
		return ORDER(x->from, y->from);
	return x->to == y->to ? 0 : ORDER(x->to, y->to);
}

static void find_worst(struct weft_work_path *p, struct weft_work_pair *pair)
{
	qsort(pair, p->n, sizeof(*pair), by_pair);
	for (uint32_t i = 0; i < p->n; i++) {
		if (i && !by_pair(&pair[i - 1], &pair[i]))
			pair[i].longer += pair[i - 1].longer;
		if (pair[i].longer > p->worst.longer)
			p->worst = pair[i];
	}
}

static void reverse(uint32_t *message, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t other = message[n - 1 - i];

		message[n - 1 - i] = message[i];
		message[i] = other;
	}
}

/**
 * weft_work_path() - find the critical path of a workload that was sent
 * @w: the workload, with times and ideals
 * @job: number of one of its jobs; WEFT_ALL_JOBS
 * @p: result, to be freed by weft_work_path_free() even after an error
 * @err: error
 *
 * Without a message that has ended it is empty.
 *
 * Return: 0 or negative errno.
 */
int weft_work_path(const struct weft_work *w, uint32_t job, struct weft_work_path *p,
		   struct weft_err *err)
{
	struct weft_work_pair *pairs = NULL;
	uint32_t *last, m, next;
	int ret;

	*p = (struct weft_work_path) { 0 };
	ret = find_last(w, &last, err);
	for (uint32_t i = end_of(w, job); !ret && i != NONE; i = next) {
		m = last ? last[i] : i;
		next = before(w, &w->message[m]);
		ret = add(p, &pairs, w, m, i, next == NONE ? 0 : w->message[next].end, err);
	}
	reverse(p->message, p->n);
	if (!ret && pairs)
		find_worst(p, pairs);
	free(pairs);
	free(last);
	return ret;
}

/**
 * weft_work_path_free() - free a path
 * @p: the path
 */
void weft_work_path_free(struct weft_work_path *p)
{
	free(p->message);
	*p = (struct weft_work_path) { 0 };
}
