// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of links and switches.
 *
 * The model begins and ends them, in the timer of the fabric. Carriers of NICs and
 * events of the family need RTNL, so a work item updates them after a wire went down
 * or came up. It holds a reference on the fabric, and does nothing for a fabric that
 * was destroyed meanwhile.
 */
#include "fabric/fault.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "core/sim/rng.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/limit.h"
#include "fabric/link.h"
#include "fabric/switch.h"
#include "fabric/trigger.h"
#include "netlink/nl.h"

static void fault_follow(struct work_struct *work)
{
	struct weft_fabric *f = container_of(work, struct weft_fabric, carrier);
	struct weft_link *link;
	unsigned long id;

	rtnl_lock();
	if (!f->quiet)
		xa_for_each(&f->links, id, link)
			weft_link_follow(link);
	rtnl_unlock();
	weft_fabric_put(f);
}

/**
 * weft_fault_carrier() - queue an update of carriers after a fault changed a wire
 * @f: its fabric
 *
 * Context: any; the caller holds the fabric's lock.
 */
void weft_fault_carrier(struct weft_fabric *f)
{
	weft_fabric_queue(f, &f->carrier);
}

/**
 * weft_fault_prepare() - prepare a fabric for faults
 * @f: the fabric, being created
 *
 * Context: process.
 */
void weft_fault_prepare(struct weft_fabric *f)
{
	xa_init_flags(&f->faults, XA_FLAGS_ALLOC);
	INIT_WORK(&f->carrier, fault_follow);
}

/* The two wires have different seeds. The fabric's lock is held. */
static void fault_add(struct weft_fault *fault)
{
	struct fab_fault_params p = fault->p.p;
	struct fab *fab = &fault->fabric->fab;
	u32 i;

	if (fault->p.trigger)
		p.moment = &fault->p.trigger->t.moment;
	if (fault->p.sw) {
		fab_fault_add_switch(fab, &fault->p.sw->sw, &fault->wire[0],
				     &p);
		return;
	}
	for (i = 0; i < 2; i++) {
		if (!(fault->p.wires & BIT(i)))
			continue;
		p.seed = fab_mix(fault->p.p.seed + i);
		fab_fault_add(fab, weft_link_port(&fault->p.link->end[i]),
			      &fault->wire[i], &p);
	}
}

static void fault_remove(struct weft_fault *fault)
{
	u32 i;

	for (i = 0; i < 2; i++)
		if (fab_fault_there(&fault->wire[i]))
			fab_fault_remove(&fault->fabric->fab, &fault->wire[i]);
}

static void fault_default_seed(struct weft_fault *fault)
{
	if (!fault->p.seeded)
		fault->p.p.seed = fab_mix(fault->fabric->p.seed ^
					  fab_mix(fault->id + 1));
}

/**
 * weft_fault_create() - create a fault of a link or a switch
 * @f: the fabric
 * @p: parameters, checked
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: the fault or an ERR_PTR.
 */
struct weft_fault *weft_fault_create(struct weft_fabric *f,
				     const struct weft_fault_params *p,
				     struct netlink_ext_ack *extack)
{
	struct weft_fault *fault;
	int err;

	ASSERT_RTNL();
	err = weft_limit_take(f->limited, 1, sizeof(*fault), extack);
	if (err)
		return ERR_PTR(err);
	fault = kzalloc(sizeof(*fault), GFP_KERNEL_ACCOUNT);
	if (!fault) {
		err = -ENOMEM;
		goto err_give;
	}
	fault->fabric = f;
	fault->p = *p;
	err = xa_alloc(&f->faults, &fault->id, fault,
		       XA_LIMIT(0, WEFT_FAULTS_MAX - 1), GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_free_fault;
	fault_default_seed(fault);
	weft_engine_lock(f);
	if (p->relative)
		fault->p.p.start = min(fault->p.p.start, FAB_NEVER - f->fab.now) +
				   f->fab.now;
	fault_add(fault);
	weft_engine_unlock(f);
	weft_trigger_get(p->trigger);
	list_add_tail(&fault->node, p->sw ? &p->sw->faults : &p->link->faults);
	f->generation++;
	return fault;

err_free_fault:
	if (err == -EBUSY)
		NL_SET_ERR_MSG_FMT(extack, "fabric has %u faults already",
				   WEFT_FAULTS_MAX);
	kfree(fault);
err_give:
	weft_limit_give(f->limited, 1, sizeof(*fault));
	return ERR_PTR(err);
}

/**
 * weft_fault_destroy() - remove a fault
 * @fault: the fault
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_fault_destroy(struct weft_fault *fault)
{
	struct weft_fabric *f = fault->fabric;

	ASSERT_RTNL();
	weft_nl_fault_gone(fault);
	weft_engine_lock(f);
	fault_remove(fault);
	weft_engine_unlock(f);
	weft_trigger_put(fault->p.trigger);
	list_del(&fault->node);
	xa_erase(&f->faults, fault->id);
	f->generation++;
	weft_limit_give(f->limited, 1, sizeof(*fault));
	kfree(fault);
}

static void faults_gone(const struct list_head *faults)
{
	struct weft_fault *fault, *next;

	ASSERT_RTNL();
	list_for_each_entry_safe(fault, next, faults, node) {
		weft_fault_destroy(fault);
		cond_resched();
	}
}

/**
 * weft_fault_link_gone() - remove the faults of a link
 * @link: the link, about to go
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_fault_link_gone(const struct weft_link *link)
{
	faults_gone(&link->faults);
}

/**
 * weft_fault_switch_gone() - remove the faults of a switch
 * @sw: the switch, about to go
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_fault_switch_gone(const struct weft_switch *sw)
{
	faults_gone(&sw->faults);
}
