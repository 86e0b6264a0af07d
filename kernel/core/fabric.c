// SPDX-License-Identifier: GPL-2.0
/*
 * The fabric: it executes due events.
 */
#include "core/fabric.h"
#include "core/sim/rng.h"

/**
 * fab_init() - initialise an empty fabric at time 0
 * @fab: the fabric, zeroed. It is large, and most of it is never used, so nothing is cleared
 * @host: callbacks, which must outlive the fabric
 * @seed: source of all its randomness
 */
void fab_init(struct fab *fab, const struct fab_host_ops *host, u64 seed)
{
	fab->host = host;
	fab->seed = seed;
	fab_event_queue_init(&fab->events, fab_mix(seed));
	fab_hist_init(&fab->late);
}

/* @n events were so late. Those that were in time are not counted one by one. */
static void fabric_late(struct fab *fab, fab_time late, u64 n)
{
	if (!late)
		return;
	fab_hist_add_many(&fab->late, late, n);
	if (late > fab->late_bound)
		fab->late_events += n;
}

/* Events and copies of packets, which the budget of fab_run() counts. */
static u64 fabric_work(const struct fab *fab)
{
	return fab->c.events + fab->c.packets_cloned;
}

/**
 * fab_run() - execute the events that are due
 * @fab: the fabric
 * @now: the present; at least fab->now and at most FAB_TIME_END are used
 * @budget: number of events and copies of packets after which it stops, or
 *	FAB_NO_BUDGET; one event that floods makes a thousand copies
 *
 * Each event is executed at its own time. A late call delays when the host sees a
 * result, but does not change the result. If the budget ends before the events do,
 * fab->now stays at the time of the last one: what the host does next comes before
 * all remaining events.
 *
 * Return: the time until which nothing is due (fab_event_next()), FAB_NEVER if no
 * event is left; at most @now if the budget was hit.
 */
fab_time fab_run(struct fab *fab, fab_time now, u64 budget)
{
	u64 end = fabric_work(fab) + min(budget, FAB_NO_BUDGET / 2);
	fab_time late = 0, next;
	struct fab_event *ev;
	u64 n = 0;	/* events of the present instant, equally late */

	now = min(max(now, fab->now), FAB_TIME_END);
	while (likely(fabric_work(fab) < end)) {
		ev = fab_event_pop(&fab->events, now);
		if (!ev)
			break;
		fab->now = ev->at;
		fab->c.events++;
		if (now - ev->at != late) {
			fabric_late(fab, late, n);
			late = now - ev->at;
			n = 0;
		}
		n++;
		ev->fn(fab, ev);
	}
	fabric_late(fab, late, n);
	next = fab_event_next(&fab->events);
	if (unlikely(next <= now))
		return next;
	fab->now = now;
	return next > FAB_TIME_END ? FAB_NEVER : next;
}

/**
 * fab_run_to() - execute events of a fabric whose host has no clock
 * @fab: the fabric
 * @end: time until which events are due, at most FAB_TIME_END; what the host does
 *	meanwhile may make it earlier. Events of the instant that it names are executed
 *
 * It does what fab_run() does with the time of each event in turn: none is late. Then
 * fab->now is the time of the last event.
 *
 * Return: the time until which nothing is due (fab_event_next()).
 */
fab_time fab_run_to(struct fab *fab, const fab_time *end)
{
	struct fab_event *ev;

	while ((ev = fab_event_pop(&fab->events, *end))) {
		fab->now = ev->at;
		fab->c.events++;
		ev->fn(fab, ev);
	}
	return fab_event_next(&fab->events);
}

/**
 * fab_lateness() - how late events were executed
 * @fab: the fabric
 *
 * fab_run() adds only late events, which keeps it fast. All others were in time, and
 * are added here.
 *
 * Return: a histogram with one sample per event executed.
 */
const struct fab_hist *fab_lateness(struct fab *fab)
{
	fab_hist_add_many(&fab->late, 0, fab->c.events - fab->late.count);
	return &fab->late;
}
