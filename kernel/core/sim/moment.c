// SPDX-License-Identifier: GPL-2.0
/*
 * Moments: times that are not known beforehand, and who waits for them.
 *
 * A moment may be found later than it was. Who is due before it was found is due
 * at once, and keeps by how much that is too late.
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
 * fab_moment_came() - a moment came
 * @fab: the fabric
 * @m: the moment, which has not come before
 * @at: when it was, at most now
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
 * fab_moment_wait() - have something be due some time after a moment
 * @fab: the fabric
 * @m: the moment; if it came already, @fn is called at once
 * @w: who waits, until it is told or leaves
 * @after: how long after the moment it is due, ps
 * @fn: what to call once it is known when that is
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
 * fab_moment_leave() - wait no more
 * @w: who waits, or does not
 */
void fab_moment_leave(struct fab_waiter *w)
{
	if (!w->prev)
		return;
	fab_chain_del(w, next, prev);
	w->prev = NULL;
}
