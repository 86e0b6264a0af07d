// SPDX-License-Identifier: GPL-2.0
/*
 * Phases of a fabric: their memory, and the NICs whose traffic counts.
 *
 * The memory is allocated by the first request for phases or the first mark, and is
 * freed with the fabric.
 */
#include "fabric/phase.h"

#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/limit.h"

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

/**
 * weft_phase_watch() - set the traffic that makes a phase
 * @f: the fabric
 * @p: parameters, which fab_phase_params_check() accepts
 * @nics: bit per endpoint id, fabric's max_nics of them, whose traffic counts, or
 *	NULL for all; NICs that are attached later count
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: 0, -ENOMEM, or -EDQUOT beyond the limits of users.
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
	fab_phase_watch(&f->fab, p);
	xa_for_each(&f->nics, id, wep)
		wep->ep.phase.ignored = nics && !test_bit(id, nics);
	weft_engine_unlock(f);
	return 0;
}

/**
 * weft_phase_mark() - a program marks a phase
 * @f: the fabric that its node is in
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
 * @f: the fabric, in which no object is left
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
