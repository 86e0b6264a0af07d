// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When messages start: a heap by time, then by their order in the workload.
 *
 * Messages of one instant start in that order, as a program would post them. Events of
 * the model have a random order within an instant, so one event stands for all.
 */
#include "sim/sim_run.h"

#include <stdlib.h>

static bool start_before(const struct weft_sim *sim, u32 a, u32 b)
{
	fab_time x = sim->message[a].due, y = sim->message[b].due;

	return x != y ? x < y : a < b;
}

static void start_rise(struct weft_sim *sim, u32 at)
{
	u32 *heap = sim->starts.heap, m = heap[at];

	for (; at && start_before(sim, m, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = m;
}

static u32 start_pop(struct weft_sim *sim)
{
	u32 *heap = sim->starts.heap, n = --sim->starts.n;
	u32 first = heap[0], m = heap[n], at = 0, child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n && start_before(sim, heap[child + 1], heap[child]))
			child++;
		if (!start_before(sim, heap[child], m))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = m;
	return first;
}

static void start_on_due(struct fab *fab, struct fab_event *ev)
{
	struct weft_sim *sim = weft_sim_of(fab);
	struct weft_sim_starts *s = &sim->starts;

	while (s->n && sim->message[s->heap[0]].due <= fab->now)
		weft_sim_start(sim, &sim->message[start_pop(sim)]);
	if (s->n)
		fab_event_move(&fab->events, ev, sim->message[s->heap[0]].due);
}

/**
 * weft_sim_starts_init() - prepare for the starts of all messages
 * @sim: the simulation
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_starts_init(struct weft_sim *sim, struct weft_err *err)
{
	fab_event_init(&sim->starts.due, start_on_due);
	fab_event_name(&sim->starts.due, fab_name(sim->o->seed, WEFT_SIM_NAME_START, 0, 0));
	sim->starts.heap = weft_sim_alloc(sim, sim->work->messages,
					  sizeof(*sim->starts.heap));
	return sim->starts.heap ? 0 : weft_err_nomem(err);
}

/* The first freeze of a node that ends after a time, or a later entry, or the end of all. */
static u32 freeze_after(const struct weft_sim_options *o, u32 node, fab_time at)
{
	u32 first = 0, n = o->freezes;

	while (n) {
		const struct weft_sim_freeze *f = &o->freeze[first + n / 2];

		if (f->node < node || (f->node == node && f->end <= at)) {
			first += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return first;
}

/**
 * weft_sim_computed() - when is a message computed, all that it waits for having ended?
 * @sim: the cell in which the last of these ended now
 * @w: the message, in the workload
 *
 * A frozen node does not compute. What it has computed when it is frozen starts afterwards.
 *
 * Return: its start, ps.
 */
fab_time weft_sim_computed(const struct weft_sim *sim, const struct weft_message *w)
{
	fab_time at = max(sim->fab.now, (fab_time)w->at), left = w->delay;
	const struct weft_sim_options *o = sim->o;

	for (u32 i = freeze_after(o, w->from, at); i < o->freezes; i++) {
		const struct weft_sim_freeze *f = &o->freeze[i];

		if (f->node != w->from || at + left < f->begin)
			break;
		if (at < f->begin)
			left -= f->begin - at;
		at = f->end;
	}
	return at + left;
}

/**
 * weft_sim_start_at() - start a message later, or in this instant
 * @sim: the simulation
 * @m: the message
 * @at: when, ps, at least now
 */
void weft_sim_start_at(struct weft_sim *sim, struct weft_sim_message *m, fab_time at)
{
	struct weft_sim_starts *s = &sim->starts;

	m->due = at;
	s->heap[s->n] = (u32)(m - sim->message);
	start_rise(sim, s->n++);
	if (!fab_event_pending(&s->due) || s->due.at > at)
		fab_event_move(&sim->fab.events, &s->due, at);
}
