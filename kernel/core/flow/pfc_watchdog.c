// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog of pauses: what a switch does with a class that is paused for ever.
 *
 * DOC: theory of operation
 *
 * From the first pause of a class on, the port of a switch looks at intervals of poll. A
 * class is stuck if it has packets, has sent none since the last poll, and was paused for
 * more than 99 % of the time since then. When it has been stuck for detect, its pauses are
 * ignored: its packets are dropped, or sent. That ends when no pause frame for the class
 * has come for restore. While nothing is paused, nobody looks. pfc.c has the timer.
 *
 * Source: SONiC (pfc_detect_mellanox.lua, pfc_restore.lua), except for the phase of its
 * polls, which never stop there. Documentation/model/pfc.rst has the details.
 */
#include "core/fabric.h"
#include "core/flow/pfc_state.h"

/* Frames of a class that were sent. */
static u64 pfc_sent(const struct fab_port *port, u32 cls)
{
	return port->by_class ? port->cls[cls].c.tx_packets : port->c.tx_packets;
}

/* Start the watchdog's interval of a class. */
static void pfc_watch(struct fab *fab, struct fab_port *port, u32 cls)
{
	struct pfc_class *c = &pfc_of(port)->cls[cls];

	c->since = fab->now;
	c->paused = 0;
	c->sent = pfc_sent(port, cls);
}

static bool pfc_watches(const struct fab_port *port)
{
	return port->sw && port->p->flow.pfc.action != FAB_WATCHDOG_OFF;
}

/**
 * fab_pfc_watch() - a class was paused: poll all of them, if nobody does
 * @fab: the fabric
 * @port: the port
 */
void fab_pfc_watch(struct fab *fab, struct fab_port *port)
{
	struct pfc *pfc = pfc_of(port);
	u32 cls;

	if (!pfc_watches(port) || pfc->poll != FAB_NEVER)
		return;
	for (cls = 0; cls < port->p->classes; cls++)
		pfc_watch(fab, port, cls);
	pfc->poll = fab->now + port->p->flow.pfc.poll;
}

/* Was a class stuck since the last poll? */
static bool pfc_stuck(struct fab *fab, const struct fab_port *port, u32 cls)
{
	const struct pfc *pfc = pfc_of(port);
	const struct pfc_class *c = &pfc->cls[cls];
	fab_time paused = c->paused;

	if (pfc->paused & BIT(cls))
		paused += fab->now - c->since;
	return port->ready & BIT(cls) &&
	       pfc_sent(port, cls) == c->sent &&
	       100 * paused > 99 * port->p->flow.pfc.poll;
}

static void pfc_storm(struct fab *fab, struct fab_port *port, u32 cls)
{
	struct pfc *pfc = pfc_of(port);

	pfc->storm |= BIT(cls);
	fab_pfc_halt(port);
	pfc->cls[cls].stuck = 0;
	pfc->cls[cls].heard = fab->now;
	if (!port->cls[cls].c.watchdogs++)
		port->cls[cls].c.first_watchdog_ps = fab->now;
	fab_notice(fab, port, cls, FAB_NOTICE_WATCHDOG);
	if (port->p->flow.pfc.action == FAB_WATCHDOG_FORWARD) {
		fab_port_kick(fab, port, fab->now);
		return;
	}
	port->dropping |= BIT(cls);
	port->dropping_why = FAB_DROP_WATCHDOG;
	fab_port_flush_class(fab, port, cls, FAB_DROP_WATCHDOG);
}

/**
 * fab_pfc_restore() - no pause has come for long enough: obey them again
 * @fab: the fabric
 * @port: the port
 * @cls: a class in a storm
 */
void fab_pfc_restore(struct fab *fab, struct fab_port *port, u32 cls)
{
	struct pfc *pfc = pfc_of(port);

	pfc->storm &= ~BIT(cls);
	fab_pfc_halt(port);
	port->dropping &= ~BIT(cls);
	pfc_watch(fab, port, cls);
	fab_notice(fab, port, cls, FAB_NOTICE_RESTORED);
	if (pfc->paused)
		fab_pfc_watch(fab, port);
}

/* Poll a class. Returns true if the watchdog has to poll it again. */
static bool pfc_poll_class(struct fab *fab, struct fab_port *port, u32 cls)
{
	struct pfc *pfc = pfc_of(port);
	struct pfc_class *c = &pfc->cls[cls];

	if (pfc->storm & BIT(cls))
		return false;
	if (pfc_stuck(fab, port, cls))
		c->stuck += port->p->flow.pfc.poll;
	else
		c->stuck = 0;
	pfc_watch(fab, port, cls);
	if (c->stuck >= port->p->flow.pfc.detect) {
		pfc_storm(fab, port, cls);
		return false;
	}
	return c->stuck || pfc->paused & BIT(cls);
}

/**
 * fab_pfc_poll() - look whether classes are stuck
 * @fab: the fabric
 * @port: the port, whose poll is due
 */
void fab_pfc_poll(struct fab *fab, struct fab_port *port)
{
	struct pfc *pfc = pfc_of(port);
	bool again = false;
	u32 cls;

	for (cls = 0; cls < port->p->classes; cls++)
		again |= pfc_poll_class(fab, port, cls);
	pfc->poll = again ? fab->now + port->p->flow.pfc.poll : FAB_NEVER;
}

/**
 * fab_pfc_watchdog_ok() - check the parameters of the watchdog
 * @p: the parameters
 *
 * Return: true if they are valid.
 */
bool fab_pfc_watchdog_ok(const struct fab_pfc_params *p)
{
	if (p->action == FAB_WATCHDOG_OFF)
		return true;
	return p->action < __FAB_WATCHDOG_MAX &&
	       p->poll && p->poll <= FAB_DELAY_MAX &&
	       p->detect && p->detect <= FAB_DELAY_MAX &&
	       p->restore && p->restore <= FAB_DELAY_MAX;
}

/**
 * fab_pfc_end_storms() - end what the watchdog does
 * @fab: the fabric
 * @port: the port
 */
void fab_pfc_end_storms(struct fab *fab, struct fab_port *port)
{
	u16 storm = pfc_of(port)->storm;

	for (; storm; storm &= storm - 1)
		fab_pfc_restore(fab, port, __ffs(storm));
}
