// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Deadlocks: cycles of buffers of lossless classes that wait for each other.
 *
 * Routes that do not depend on the load are free of deadlock if and only if the
 * channel dependency graph has no cycle (Dally and Seitz 1987). A plan with a
 * cycle is refused, with the shortest cycle through one of its channels, unless
 * the topology accepts that.
 */
#include "plan/plan_cycles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_room.h"
#include "plan/plan_waits.h"

#define SHOWN_MAX	8

/**
 * struct visit - a depth-first search through the channels
 * @state: state of each channel: not seen, on the current path, or done
 * @path: the current path
 * @bit: position in weft_waits_next() of each channel on @path
 */
struct visit {
	enum { NEW, OPEN, DONE } *state;
	uint32_t *path;
	unsigned int *bit;
};

/* Search from @start; return a channel that is on a cycle, or WEFT_FAR. */
static uint32_t walk(const struct weft_waits *w, struct visit *v,
		     uint32_t start)
{
	unsigned int depth = 1;
	uint32_t next;

	v->path[0] = start;
	v->bit[0] = 0;
	v->state[start] = OPEN;
	while (depth) {
		next = weft_waits_next(w, v->path[depth - 1],
				       &v->bit[depth - 1]);
		if (next == WEFT_FAR) {
			v->state[v->path[--depth]] = DONE;
		} else if (v->state[next] == OPEN) {
			return next;
		} else if (v->state[next] == NEW) {
			v->state[next] = OPEN;
			v->path[depth] = next;
			v->bit[depth++] = 0;
		}
	}
	return WEFT_FAR;
}

static uint32_t walk_all(const struct weft_waits *w, struct visit *v)
{
	uint32_t knot = WEFT_FAR;

	for (uint32_t i = 0; knot == WEFT_FAR && i < w->channels; i++)
		if (w->set[i] && v->state[i] == NEW)
			knot = walk(w, v, i);
	return knot;
}

static int find_knot(const struct weft_waits *w, uint32_t *knot,
		     struct weft_err *err)
{
	struct visit v;
	int ret = 0;

	v.state = calloc(w->channels + 1, sizeof(*v.state));
	v.path = calloc(w->channels + 1, sizeof(*v.path));
	v.bit = calloc(w->channels + 1, sizeof(*v.bit));
	if (v.state && v.path && v.bit)
		*knot = walk_all(w, &v);
	else
		ret = weft_err_nomem(err);
	free(v.state);
	free(v.path);
	free(v.bit);
	return ret;
}

/* Breadth-first search from @knot to itself; @from is the predecessor of each. */
static void search(const struct weft_waits *w, uint32_t knot, uint32_t *from,
		   uint32_t *queue)
{
	unsigned int head = 0, tail = 0, bit;
	uint32_t next;

	for (unsigned int i = 0; i < w->channels; i++)
		from[i] = WEFT_FAR;
	queue[tail++] = knot;
	while (from[knot] == WEFT_FAR && head < tail) {
		uint32_t channel = queue[head++];

		bit = 0;
		while ((next = weft_waits_next(w, channel, &bit)) != WEFT_FAR) {
			if (from[next] != WEFT_FAR)
				continue;
			from[next] = channel;
			queue[tail++] = next;
		}
	}
}

/* Write the cycle to @way in forward order; return its length. */
static unsigned int unwind(uint32_t knot, const uint32_t *from, uint32_t *way)
{
	unsigned int n = 0;
	uint32_t at = knot;

	do {
		at = from[at];
		way[n++] = at;
	} while (at != knot);
	for (unsigned int i = 0; i < n / 2; i++) {
		uint32_t other = way[i];

		way[i] = way[n - 1 - i];
		way[n - 1 - i] = other;
	}
	return n;
}

/* The switch at the start of a channel. */
static uint32_t switch_of(const struct weft_waits *w, uint32_t channel)
{
	unsigned int edge = channel / WEFT_CLASSES_MAX, lo = 0;
	unsigned int hi = w->g->switches;

	while (hi - lo > 1) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (w->g->first[mid] <= edge)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Such as "class 0: s0:1 > s1:1 > s0:1"; the class is written where it changes. */
static void write_way(const struct weft_waits *w, const uint32_t *way,
		      unsigned int n, char *text, size_t size)
{
	unsigned int cls = WEFT_CLASSES_MAX;
	size_t len = 0;

	for (unsigned int i = 0; i <= n && len < size; i++) {
		uint32_t at = way[i % n];
		uint32_t sw = switch_of(w, at);

		if (i == SHOWN_MAX && n > SHOWN_MAX) {
			snprintf(text + len, size - len, " > ... (%u ports)",
				 n);
			return;
		}
		if (at % WEFT_CLASSES_MAX != cls) {
			cls = at % WEFT_CLASSES_MAX;
			len += (size_t)snprintf(text + len, size - len,
						"%sclass %u:", i ? " > " : "",
						cls);
		} else {
			len += (size_t)snprintf(text + len, size - len, " >");
		}
		if (len < size)
			len += (size_t)snprintf(text + len, size - len,
						" %s:%u", w->plan->sw[sw].name,
						w->g->edge[at / WEFT_CLASSES_MAX].port);
	}
}

static int tell(struct weft_plan *plan, const struct weft_ways *ways,
		const char *way, struct weft_err *err)
{
	plan->cyclic = true;
	if (ways->topo->routing.allow_cycles)
		return weft_plan_note(plan, err,
				      "lossless classes may deadlock: ports can wait for each other, %s",
				      way);
	return weft_err_set(err, WEFT_ERR_USAGE, -EDEADLK,
			    "lossless classes may deadlock: ports can wait for each other, %s; to accept that, say \"routing: {allow-cycles: on}\"",
			    way);
}

static int report(struct weft_plan *plan, const struct weft_ways *ways,
		  const struct weft_waits *w, uint32_t knot,
		  struct weft_err *err)
{
	uint32_t *from = calloc(w->channels, sizeof(*from));
	uint32_t *queue = calloc(w->channels + 1, sizeof(*queue));
	char way[WEFT_NOTE_MAX - 80];
	int ret;

	if (from && queue) {
		search(w, knot, from, queue);
		write_way(w, queue, unwind(knot, from, queue), way,
			  sizeof(way));
		ret = tell(plan, ways, way, err);
	} else {
		ret = weft_err_nomem(err);
	}
	free(from);
	free(queue);
	return ret;
}

/**
 * weft_plan_cycles() - check whether lossless classes can deadlock
 * @plan: the plan, with routes and date lines
 * @ways: paths by the policy
 * @err: error, with the ports of a cycle
 *
 * Return: 0 or negative errno.
 */
int weft_plan_cycles(struct weft_plan *plan, const struct weft_ways *ways,
		     struct weft_err *err)
{
	struct weft_waits w = { 0 };
	uint32_t knot = WEFT_FAR;
	int ret = 0;

	if (plan->lossless || ways->topo->lossy) {
		ret = weft_waits_make(&w, plan, ways, err);
		if (!ret)
			ret = find_knot(&w, &knot, err);
		if (!ret && knot != WEFT_FAR)
			ret = report(plan, ways, &w, knot, err);
	}
	weft_waits_free(&w);
	return ret;
}
