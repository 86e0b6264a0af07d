// SPDX-License-Identifier: GPL-2.0
/*
 * Moments: times that are not known in advance, and their waiters.
 *
 * A moment may be detected after its time. A waiter that was due before the detection
 * is due at once, and records the delay.
 */
#include "core/sim/moment.h"
#include "core/fabric.h"
#include "core/sim/chain.h"

static void moment_tell(struct fab *fab, const struct fab_moment *m,
			struct fab_waiter *w)
{
	fab_time at = m->at + min(w->after, FAB_TIME_END - m->at);

	w->late = fab->now > at ? fab->now - at : 0;
	w->fn(fab, w, at + w->late);
}

/**
 * fab_moment_came() - set the time of a moment and call its waiters
 * @fab: the fabric
 * @m: the moment, which has not come before
 * @at: its fabric time, not in the future
 */
void fab_moment_came(struct fab *fab, struct fab_moment *m, fab_time at)
{
	struct fab_waiter *w;

	m->known = true;
	m->at = at;
	m->found = fab->now;
	while ((w = m->waiters)) {
		fab_moment_leave(w);
		moment_tell(fab, m, w);
	}
}

/**
 * fab_moment_wait() - wait for a moment
 * @fab: the fabric
 * @m: the moment; if it has come, @fn is called at once
 * @w: the waiter, in use until @fn is called or fab_moment_leave()
 * @after: time from the moment until the waiter is due, ps
 * @fn: callback with the due time, called when the moment is detected
 */
void fab_moment_wait(struct fab *fab, struct fab_moment *m,
		     struct fab_waiter *w, fab_time after, fab_waiter_fn fn)
{
	w->after = after;
	w->fn = fn;
	w->late = 0;
	w->prev = NULL;
	if (m->known)
		moment_tell(fab, m, w);
	else
		fab_chain_push(m->waiters, w, next, prev);
}

/**
 * fab_moment_leave() - stop waiting for a moment
 * @w: the waiter, which may be idle
 */
void fab_moment_leave(struct fab_waiter *w)
{
	if (!w->prev)
		return;
	fab_chain_del(w, next, prev);
	w->prev = NULL;
}
