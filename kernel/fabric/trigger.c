// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers of a fabric.
 *
 * Faults and generators that begin at a trigger hold a reference to it. The last of
 * them destroys it. A trigger that never had a user stays until its creator, who waits
 * for its notification, removes it.
 */
#include "fabric/trigger.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/limit.h"
#include "netlink/nl.h"

/**
 * weft_trigger_prepare() - prepare a fabric for triggers
 * @f: the fabric, being created
 *
 * Context: process.
 */
void weft_trigger_prepare(struct weft_fabric *f)
{
	xa_init_flags(&f->triggers, XA_FLAGS_ALLOC);
}

/* Refuse a phase that has already begun, or never will. The fabric's lock is held. */
static int trigger_check_phase(const struct fab_phases *s,
			       const struct fab_trigger_params *p,
			       struct netlink_ext_ack *extack)
{
	if (p->kind != FAB_TRIGGER_PHASE)
		return 0;
	if (!s->p.rate_bps) {
		NL_SET_ERR_MSG(extack, "the fabric does not look for phases by traffic");
		return -EINVAL;
	}
	if (p->phase > s->found)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "it began already: %llu phases by traffic were found",
			   s->found);
	return -ERANGE;
}

/* Each packet of the NIC passes all that wait there. Lock of the fabric. */
static int trigger_check_nic(const struct weft_endpoint *wep,
			     struct netlink_ext_ack *extack)
{
	const struct fab_trigger *t;
	u32 n = 0;

	if (!wep)
		return 0;
	for (t = wep->ep.triggers; t; t = t->next)
		n++;
	if (n < WEFT_TRIGGERS_NIC_MAX)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "%u triggers wait at this NIC already, more may not",
			   n);
	return -EBUSY;
}

static int trigger_add(struct weft_trigger *tg, struct netlink_ext_ack *extack)
{
	const struct weft_trigger_params *p = &tg->p;
	struct weft_fabric *f = tg->fabric;
	int err;

	weft_engine_lock(f);
	err = trigger_check_phase(&f->fab.phases, &p->p, extack) ?:
	      trigger_check_nic(p->wep, extack);
	if (!err)
		fab_trigger_add(&f->fab, p->wep ? &p->wep->ep : NULL, &tg->t,
				&p->p);
	weft_engine_unlock(f);
	return err;
}

/**
 * weft_trigger_create() - create a trigger
 * @f: the fabric
 * @p: parameters, checked
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: the trigger or an ERR_PTR.
 */
struct weft_trigger *weft_trigger_create(struct weft_fabric *f,
					 const struct weft_trigger_params *p,
					 struct netlink_ext_ack *extack)
{
	struct weft_trigger *tg;
	int err;

	ASSERT_RTNL();
	err = weft_limit_take(f->limited, 1, sizeof(*tg), extack);
	if (err)
		return ERR_PTR(err);
	tg = kzalloc(sizeof(*tg), GFP_KERNEL_ACCOUNT);
	if (!tg) {
		err = -ENOMEM;
		goto err_give;
	}
	tg->fabric = f;
	tg->p = *p;
	err = xa_alloc(&f->triggers, &tg->id, tg,
		       XA_LIMIT(0, WEFT_TRIGGERS_MAX - 1), GFP_KERNEL_ACCOUNT);
	if (err == -EBUSY)
		NL_SET_ERR_MSG_FMT(extack, "fabric has %u triggers already",
				   WEFT_TRIGGERS_MAX);
	if (err)
		goto err_free_trigger;
	err = trigger_add(tg, extack);
	if (err)
		goto err_erase;
	tg->p.wep = NULL;
	f->generation++;
	return tg;

err_erase:
	xa_erase(&f->triggers, tg->id);
err_free_trigger:
	kfree(tg);
err_give:
	weft_limit_give(f->limited, 1, sizeof(*tg));
	return ERR_PTR(err);
}

/**
 * weft_trigger_destroy() - destroy a trigger
 * @tg: the trigger, which has no users
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_trigger_destroy(struct weft_trigger *tg)
{
	struct weft_fabric *f = tg->fabric;

	ASSERT_RTNL();
	weft_nl_trigger_gone(tg);
	weft_engine_lock(f);
	fab_trigger_remove(&tg->t);
	weft_engine_unlock(f);
	xa_erase(&f->triggers, tg->id);
	f->generation++;
	weft_limit_give(f->limited, 1, sizeof(*tg));
	kfree(tg);
}

/**
 * weft_trigger_met() - queue the notification of a trigger whose moment came
 * @fab: the model
 * @t: the trigger
 *
 * Context: any; the caller holds the fabric's lock.
 */
void weft_trigger_met(struct fab *fab, struct fab_trigger *t)
{
	struct weft_fabric *f = container_of(fab, struct weft_fabric, fab);

	if (!weft_nl_listened(f))
		return;
	WRITE_ONCE(container_of(t, struct weft_trigger, t)->untold, true);
	weft_fabric_queue(f, &f->news);
}

static void trigger_tell(struct weft_trigger *tg)
{
	bool tell;

	weft_engine_lock(tg->fabric);
	tell = tg->untold;
	WRITE_ONCE(tg->untold, false);
	weft_engine_unlock(tg->fabric);
	if (tell)
		weft_nl_trigger_met(tg);
}

/**
 * weft_trigger_tell() - tell listeners of the triggers whose moment came
 * @f: the fabric
 *
 * Most triggers are passed over without the lock. If the moment of one is missed
 * here, the next run of the fabric's work tells it, as weft_trigger_met() queues
 * that after it has written @untold.
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_trigger_tell(struct weft_fabric *f)
{
	struct weft_trigger *tg;
	unsigned long id;

	ASSERT_RTNL();
	xa_for_each(&f->triggers, id, tg)
		if (READ_ONCE(tg->untold))
			trigger_tell(tg);
}

/**
 * weft_trigger_get() - take a reference to a trigger
 * @tg: the trigger, or NULL
 *
 * Context: process, RTNL held.
 */
void weft_trigger_get(struct weft_trigger *tg)
{
	ASSERT_RTNL();
	if (tg)
		tg->users++;
}

/**
 * weft_trigger_unget() - as if weft_trigger_get() had not been
 * @tg: the trigger, which stays; NULL: by none
 *
 * Context: process, RTNL held.
 */
void weft_trigger_unget(struct weft_trigger *tg)
{
	ASSERT_RTNL();
	if (tg)
		tg->users--;
}

/**
 * weft_trigger_put() - what began by a trigger is gone
 * @tg: the trigger, which goes with the last one; NULL: by none
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_trigger_put(struct weft_trigger *tg)
{
	ASSERT_RTNL();
	if (tg && !--tg->users)
		weft_trigger_destroy(tg);
}

/**
 * weft_trigger_end() - destroy the triggers of a fabric
 * @f: the fabric, whose triggers have no users
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_trigger_end(struct weft_fabric *f)
{
	struct weft_trigger *tg;
	unsigned long id;

	xa_for_each(&f->triggers, id, tg) {
		weft_trigger_destroy(tg);
		cond_resched();
	}
	xa_destroy(&f->triggers);
}
