// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of links in a fabric with a subnet manager, and what it did about them.
 */
#include "fabric/change.h"

#include <linux/export.h>
#include <linux/lockdep.h>

#include "fabric/fabric.h"
#include "fabric/lids.h"
#include "fabric/phase.h"
#include "fabric/switch.h"

/* The change that what happens now belongs to; NULL if there is none, or no room. */
static struct weft_change *change_last(struct weft_fabric *f)
{
	struct weft_changes *c = &f->lids->changes;

	return c->n && !c->missed ? &c->list[c->n - 1] : NULL;
}

static struct weft_change *change_new(struct weft_fabric *f)
{
	struct weft_changes *c = &f->lids->changes;
	struct weft_change *e;

	if (c->n == WEFT_CHANGES) {
		c->missed++;
		return NULL;
	}
	e = &c->list[c->n++];
	*e = (struct weft_change) {
		.at = f->fab.now, .trap = FAB_NEVER, .manager = FAB_NEVER,
	};
	return e;
}

static void change_name(struct weft_change *e, const struct fab_port *port)
{
	e->port = port->index;
	e->id = container_of(port->sw, struct weft_switch, sw)->id;
}

/**
 * weft_change_link() - a link of a switch went down or came up
 * @f: its fabric
 * @port: the port at one end, of a switch
 * @up: it came up
 *
 * Both ends may tell, one after the other: the link counts once.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_change_link(struct weft_fabric *f, const struct fab_port *port,
		      bool up)
{
	u32 dir, link = weft_phase_wire(port->phase.label, &dir);
	struct weft_change *e;

	lockdep_assert_held(&f->lock);
	if (!f->lids || !f->lids->changes.n)
		return;
	e = change_last(f);
	if (e && e->links && e->at == f->fab.now && e->up == up) {
		e->links += f->lids->changes.link != link;
		f->lids->changes.link = link;
		return;
	}
	e = change_new(f);
	if (!e)
		return;
	e->links = 1;
	e->up = up;
	f->lids->changes.link = link;
	change_name(e, port);
}
EXPORT_SYMBOL_GPL(weft_change_link);

/**
 * weft_change_trap() - an agent sends a trap about a link
 * @f: its fabric
 *
 * Context: any; the fabric's lock is held.
 */
void weft_change_trap(struct weft_fabric *f)
{
	struct weft_change *e = f->lids ? change_last(f) : NULL;

	if (e && e->trap == FAB_NEVER)
		e->trap = f->fab.now;
}
EXPORT_SYMBOL_GPL(weft_change_trap);

/**
 * weft_change_manager() - a port was given another manager than it had
 * @f: its fabric, which has a subnet manager
 *
 * Context: any; the fabric's lock is held.
 */
void weft_change_manager(struct weft_fabric *f)
{
	struct weft_change *e = f->lids->changes.n ? change_last(f) : NULL;

	if (e && e->manager == FAB_NEVER)
		e->manager = f->fab.now;
}
EXPORT_SYMBOL_GPL(weft_change_manager);

/**
 * weft_change_table() - a block of a forwarding table is written
 * @f: its fabric, which has a subnet manager
 *
 * Context: any; the fabric's lock is held.
 */
void weft_change_table(struct weft_fabric *f)
{
	struct weft_change *e = f->lids->changes.n ? change_last(f) :
						      change_new(f);

	if (!e)
		return;
	if (!e->blocks++)
		e->first = f->fab.now;
	e->last = f->fab.now;
}
