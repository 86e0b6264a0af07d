// SPDX-License-Identifier: GPL-2.0
/*
 * Routes to switches, for datagrams of management without a subnet manager.
 *
 * Who creates a fabric sets routes to NICs only. perfquery and the like ask switches
 * by their LIDs. So the first datagram to a switch sets the routes to it, in all
 * switches, by a breadth-first search from the switch: shortest paths over the links
 * that are up, the port with the lower number first. They hold until a link changes.
 */
#include "fabric/reach.h"

#include <linux/lockdep.h>

#include "fabric/fabric.h"
#include "fabric/switch.h"

static struct weft_switch *reach_find(const struct weft_fabric *f, u32 dst)
{
	struct fab_switch *s;

	for (s = f->fab.switches; s; s = s->next)
		if (s->p.dst == dst)
			return container_of(s, struct weft_switch, sw);
	return NULL;
}

static void reach_forget(struct weft_fabric *f, u32 dst)
{
	struct fab_switch *s;

	for (s = f->fab.switches; s; s = s->next) {
		container_of(s, struct weft_switch, sw)->reached = false;
		fab_route_del(&s->route, dst);
	}
}

/* The switch behind a port that was not reached yet. */
static struct fab_port *reach_next(const struct fab_port *port)
{
	struct fab_port *peer = port->peer;

	if (!peer || !peer->sw || !port->wire.up || !peer->wire.up)
		return NULL;
	return container_of(peer->sw, struct weft_switch, sw)->reached ? NULL :
									 peer;
}

static void reach_search(struct weft_switch *to)
{
	struct weft_switch *sw = to, *last = to, *next;
	struct fab_port *peer;
	u16 port, out;

	to->reached = true;
	for (; sw; sw = sw->reach_next) {
		for (port = 0; port < sw->sw.p.ports; port++) {
			peer = reach_next(&sw->sw.port[port]);
			if (!peer)
				continue;
			next = container_of(peer->sw, struct weft_switch, sw);
			out = peer->index;
			/* Without a free group the switch has no route. */
			fab_route_set(&next->sw.route, to->sw.p.dst, &out, 1);
			next->reached = true;
			next->reach_next = NULL;
			last->reach_next = next;
			last = next;
		}
	}
}

/**
 * weft_reach() - set the routes to a switch, if links have changed since
 * @f: the fabric, without a subnet manager
 * @dst: number of the switch
 *
 * Context: any; the fabric's lock is held.
 * Return: false if there is no such switch.
 */
bool weft_reach(struct weft_fabric *f, u32 dst)
{
	struct weft_switch *to = reach_find(f, dst);

	lockdep_assert_held(&f->lock);
	if (!to)
		return false;
	if (to->reach_epoch == f->link_epoch)
		return true;
	to->reach_epoch = f->link_epoch;
	to->reach_next = NULL;
	reach_forget(f, dst);
	reach_search(to);
	return true;
}
