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
