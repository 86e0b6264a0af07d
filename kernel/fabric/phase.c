// SPDX-License-Identifier: GPL-2.0
/*
 * Phases of a fabric: their memory, and the NICs whose traffic makes phases.
 *
 * The memory is allocated by the first request for phases or the first mark, and is
 * freed with the fabric.
 *
 * The model detects a phase, its end or the moment of a trigger while it handles a
 * packet. A work item sends the notifications. Without listeners no work is queued, so
 * a run that nobody watches does not change.
 */
#include "fabric/phase.h"

#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/fault.h"
#include "fabric/limit.h"
#include "fabric/trigger.h"
#include "group/aggregator.h"
#include "netlink/nl.h"

static size_t phase_mem(void)
{
	return WEFT_PHASES_MAX * sizeof(struct fab_phase);
}

static int phase_start(struct weft_fabric *f, struct netlink_ext_ack *extack)
{
	struct fab_phase *list;
	int err;

	ASSERT_RTNL();
	if (f->fab.phased)
		return 0;
	err = weft_limit_take(f->limited, 1, phase_mem(), extack);
	if (err)
		return err;
	list = kvzalloc(phase_mem(), GFP_KERNEL_ACCOUNT);
	if (!list) {
		weft_limit_give(f->limited, 1, phase_mem());
		return -ENOMEM;
	}
	weft_engine_lock(f);
	fab_phase_start(&f->fab, list, WEFT_PHASES_MAX);
	weft_engine_unlock(f);
	return 0;
}

/*
 * News that come meanwhile have this done once more: what is untold is written before
 * the work is queued, and a work that runs already is queued again.
 */
static void phase_tell(struct weft_fabric *f)
{
	DECLARE_BITMAP(untold, WEFT_PHASES_MAX);
	unsigned long id;

	weft_engine_lock(f);
	bitmap_copy(untold, f->untold, WEFT_PHASES_MAX);
	bitmap_zero(f->untold, WEFT_PHASES_MAX);
	weft_engine_unlock(f);
	for_each_set_bit(id, untold, WEFT_PHASES_MAX)
		weft_nl_phase_changed(f, id);
	weft_trigger_tell(f);
	weft_aggregator_tell(f);
}

static void phase_news(struct work_struct *work)
{
	struct weft_fabric *f = container_of(work, struct weft_fabric, news);

	rtnl_lock();
	if (!f->quiet)
		phase_tell(f);
	rtnl_unlock();
	weft_fabric_put(f);
}

/**
 * weft_phase_prepare() - prepare a fabric for notifications of phases
 * @f: the fabric, being created
 *
 * Context: process.
 */
void weft_phase_prepare(struct weft_fabric *f)
{
	INIT_WORK(&f->news, phase_news);
}

/**
 * weft_phase_found() - queue the notification of a phase that began or ended
 * @fab: the model
 * @ph: the phase
 *
 * Context: any; the caller holds the fabric's lock.
 */
void weft_phase_found(struct fab *fab, const struct fab_phase *ph)
{
	struct weft_fabric *f = container_of(fab, struct weft_fabric, fab);

	if (!weft_nl_listened(f))
		return;
	__set_bit(ph - fab->phases.list, f->untold);
	weft_fabric_queue(f, &f->news);
}

/* Triggers that wait for a phase by traffic would do so in vain. Lock of the fabric. */
static int phase_check_awaited(const struct fab *fab, const struct fab_phase_params *p,
			       struct netlink_ext_ack *extack)
{
	const struct fab_trigger *t;
	u32 n = 0;

	if (p->rate_bps)
		return 0;
	for (t = fab->triggers; t; t = t->next)
		n += t->p.kind == FAB_TRIGGER_PHASE;
	if (!n)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "%u triggers wait for a phase by traffic", n);
	return -EBUSY;
}

/**
 * weft_phase_watch() - set the conditions of phases by traffic
 * @f: the fabric
 * @p: parameters, which fab_phase_params_check() accepts
 * @nics: bitmap by endpoint id (the fabric's max_nics bits) of the NICs whose traffic
 *	makes phases; NULL: all. NICs that are attached later are included
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: 0; -ENOMEM; -EDQUOT beyond the limits of users; -EBUSY for no traffic while
 * triggers wait for it.
 */
int weft_phase_watch(struct weft_fabric *f, const struct fab_phase_params *p,
		     const unsigned long *nics, struct netlink_ext_ack *extack)
{
	struct weft_endpoint *wep;
	unsigned long id;
	int err;

	err = phase_start(f, extack);
	if (err)
		return err;
	weft_engine_lock(f);
	err = phase_check_awaited(&f->fab, p, extack);
	if (err)
		goto unlock;
	fab_phase_watch(&f->fab, p);
	xa_for_each(&f->nics, id, wep)
		wep->ep.phase.ignored = nics && !test_bit(id, nics);
unlock:
	weft_engine_unlock(f);
	return err;
}

/**
 * weft_phase_mark() - begin the phase of a program's mark
 * @f: the fabric of the program's node
 * @name: as for fab_phase_mark()
 *
 * Context: process, RTNL held, may sleep.
 * Return: as weft_phase_watch().
 */
int weft_phase_mark(struct weft_fabric *f, const char *name)
{
	int err = phase_start(f, NULL);

	if (err)
		return err;
	weft_engine_lock(f);
	fab_phase_mark(&f->fab, name);
	weft_engine_unlock(f);
	return 0;
}

/**
 * weft_phase_end() - free the phases of a fabric
 * @f: the fabric, which has no objects
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_phase_end(struct weft_fabric *f)
{
	if (!f->fab.phased)
		return;
	spin_lock_bh(&f->lock);
	f->fab.phased = false;
	spin_unlock_bh(&f->lock);
	kvfree(f->fab.phases.list);
	weft_limit_give(f->limited, 1, phase_mem());
}
