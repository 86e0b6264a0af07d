// SPDX-License-Identifier: GPL-2.0
/*
 * The fabric: executes what is due.
 */
#include "fabric.h"
#include "rng.h"

/**
 * fab_init() - make an empty fabric at time 0
 * @fab: the fabric
 * @host: callbacks, in use as long as the fabric is
 * @seed: source of all its randomness
 */
void fab_init(struct fab *fab, const struct fab_host_ops *host, u64 seed)
{
	memset(fab, 0, sizeof(*fab));
	fab->host = host;
	fab->seed = seed;
	fab_event_queue_init(&fab->events, fab_mix(seed));
	fab_hist_init(&fab->late);
}

/**
 * fab_run() - execute all events that are due
 * @fab: the fabric
 * @now: the present, not FAB_NEVER; a time before the last call's counts as it
 *
 * Each event is executed at its own time, so that calling late shifts when the
 * host learns of a result, but never the result.
 *
 * Return: when the next event is due, FAB_NEVER when none is pending.
 */
fab_time fab_run(struct fab *fab, fab_time now)
{
	struct fab_event *ev;

	while (fab_event_next(&fab->events) <= now) {
		ev = fab_event_pop(&fab->events);
		fab->now = ev->at;
		fab_hist_add(&fab->late, now - ev->at);
		fab->c.events++;
		ev->fn(fab, ev);
	}
	if (now > fab->now)
		fab->now = now;
	return fab_event_next(&fab->events);
}
