// SPDX-License-Identifier: GPL-2.0
/*
 * A link between two ports of a fabric.
 */
#include "fabric/link.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "fabric/agent.h"
#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fault.h"
#include "fabric/limit.h"
#include "fabric/phase.h"
#include "fabric/switch.h"
#include "group/aggregator.h"
#include "netlink/nl.h"
#include "observe/capture.h"

/**
 * weft_link_port() - the model's port at one end of a link
 * @end: the end
 *
 * Context: any.
 * Return: the port.
 */
struct fab_port *weft_link_port(const struct weft_link_end *end)
{
	return end->sw ? &end->sw->sw.port[end->port] : &end->wep->ep.port;
}

static struct weft_link **link_slot(const struct weft_link_end *end)
{
	return end->sw ? &end->sw->link[end->port] : &end->wep->link;
}

/**
 * weft_link_end_taken() - does a port have a link?
 * @end: the port
 *
 * Context: process, RTNL held.
 * Return: true if it has.
 */
bool weft_link_end_taken(const struct weft_link_end *end)
{
	ASSERT_RTNL();
	return *link_slot(end);
}

static void link_carrier(const struct weft_link_end end[2])
{
	int i;

	for (i = 0; i < 2; i++)
		if (end[i].wep)
			weft_endpoint_carrier(end[i].wep);
}

/* Note the state of the wires; false if it has not changed. */
static bool link_tell(struct weft_link *link)
{
	bool news = false, up;
	int i;

	for (i = 0; i < 2; i++) {
		up = weft_link_port(&link->end[i])->wire.up;
		news |= up != link->up[i];
		link->up[i] = up;
	}
	return news;
}

/* The fabric's lock is held. */
static int link_join(struct weft_link *link, const struct weft_link_params *p)
{
	struct fab_port *a = weft_link_port(&link->end[0]);
	struct fab_port *b = weft_link_port(&link->end[1]);
	struct fab *fab = &link->fabric->fab;
	int err;

	err = fab_link_join(fab, a, b, &p->wire[0].p, &p->wire[1].p);
	if (err)
		return err;
	fab_phase_plugged(fab, a, weft_phase_label(link->id, WEFT_DIRECTION_A_TO_B));
	fab_phase_plugged(fab, b, weft_phase_label(link->id, WEFT_DIRECTION_B_TO_A));
	fab_link_up(fab, a, p->wire[0].up);
	fab_link_up(fab, b, p->wire[1].up);
	weft_agent_link(a);
	return 0;
}

static struct weft_link *link_alloc(struct weft_fabric *f,
				    const struct weft_link_params *p)
{
	struct weft_link *link;

	link = kzalloc(sizeof(*link), GFP_KERNEL_ACCOUNT);
	if (!link)
		return NULL;
	link->fabric = f;
	INIT_LIST_HEAD(&link->faults);
	memcpy(link->end, p->end, sizeof(link->end));
	strscpy(link->name, p->name, sizeof(link->name));
	return link;
}

/**
 * weft_link_create() - create a link between two ports
 * @f: the fabric
 * @p: parameters; the ends exist and are in @f
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: the link or an ERR_PTR.
 */
struct weft_link *weft_link_create(struct weft_fabric *f,
				   const struct weft_link_params *p,
				   struct netlink_ext_ack *extack)
{
	struct weft_link *link;
	int err;

	ASSERT_RTNL();
	err = weft_limit_take(f->limited, 1, sizeof(*link), extack);
	if (err)
		return ERR_PTR(err);
	link = link_alloc(f, p);
	if (!link) {
		err = -ENOMEM;
		goto err_give;
	}
	err = xa_alloc(&f->links, &link->id, link, xa_limit_31b,
		       GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_free_link;
	weft_engine_lock(f);
	err = link_join(link, p);
	weft_engine_unlock(f);
	if (err) {
		NL_SET_ERR_MSG(extack, "ports cannot be joined");
		goto err_erase_link;
	}
	*link_slot(&link->end[0]) = link;
	*link_slot(&link->end[1]) = link;
	f->generation++;
	link_tell(link);
	link_carrier(link->end);
	return link;

err_erase_link:
	xa_erase(&f->links, link->id);
err_free_link:
	kfree(link);
err_give:
	weft_limit_give(f->limited, 1, sizeof(*link));
	return ERR_PTR(err);
}

/**
 * weft_link_takes() - can a link carry a frame in both directions and all classes?
 * @link: the link
 * @len: length of the frame, FCS excluded
 *
 * Context: process, RTNL held.
 * Return: true if it can.
 */
bool weft_link_takes(const struct weft_link *link, u32 len)
{
	struct fab_pkt pkt = { .len = len, .segs = 1 };
	const struct fab_port *port;
	int i;

	ASSERT_RTNL();
	for (i = 0; i < 2; i++) {
		port = weft_link_port(&link->end[i]);
		if (!port->flow->fits)
			continue;
		for (pkt.cls = 0; pkt.cls < port->p->classes; pkt.cls++)
			if (!port->flow->fits(port, &pkt))
				return false;
	}
	return true;
}

/**
 * weft_link_destroy() - remove a link; packets on its wires are lost
 * @link: the link
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_link_destroy(struct weft_link *link)
{
	struct weft_fabric *f = link->fabric;
	int i;

	ASSERT_RTNL();
	weft_capture_link_gone(link);
	weft_fault_link_gone(link);
	for (i = 0; i < 2; i++)
		if (link->end[i].wep && link->end[i].wep->client)
			weft_aggregator_client_gone(link->end[i].wep);
	weft_nl_link_gone(link);
	weft_engine_lock(f);
	fab_link_part(&f->fab, weft_link_port(&link->end[0]),
		      FAB_DROP_TEARDOWN);
	for (i = 0; i < 2; i++)
		weft_agent_link(weft_link_port(&link->end[i]));
	/* Another link may get its id soon. */
	for (i = 0; i < 2; i++)
		fab_phase_plugged(&f->fab, weft_link_port(&link->end[i]),
				  FAB_NO_LABEL);
	weft_engine_unlock(f);
	*link_slot(&link->end[0]) = NULL;
	*link_slot(&link->end[1]) = NULL;
	link_carrier(link->end);
	xa_erase(&f->links, link->id);
	f->generation++;
	weft_limit_give(f->limited, 1, sizeof(*link));
	kfree(link);
}

/**
 * weft_link_wires() - get the settings of the wires of a link
 * @link: the link
 * @wire: set to the wires from a to b and from b to a
 *
 * Context: process, RTNL held.
 */
void weft_link_wires(const struct weft_link *link,
		     struct weft_link_wire wire[2])
{
	const struct fab_wire *w;
	int i;

	ASSERT_RTNL();
	for (i = 0; i < 2; i++) {
		w = &weft_link_port(&link->end[i])->wire;
		wire[i].p = w->p;
		wire[i].up = w->enabled;
	}
}

/**
 * weft_link_set() - change the wires of a link
 * @link: the link
 * @wire: the wires from a to b and from b to a
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_link_set(struct weft_link *link,
		   const struct weft_link_wire wire[2])
{
	struct weft_fabric *f = link->fabric;
	struct fab_port *port;
	int i;

	ASSERT_RTNL();
	weft_engine_lock(f);
	for (i = 0; i < 2; i++) {
		port = weft_link_port(&link->end[i]);
		fab_link_set(&f->fab, port, &wire[i].p);
		fab_link_up(&f->fab, port, wire[i].up);
	}
	weft_agent_link(port);
	weft_engine_unlock(f);
	f->generation++;
	link_tell(link);
	link_carrier(link->end);
}

/**
 * weft_link_follow() - update carriers of NICs, and raise an event, for a link
 * @link: the link, whose wires may have gone down or come up
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_link_follow(struct weft_link *link)
{
	ASSERT_RTNL();
	if (!link_tell(link))
		return;
	link_carrier(link->end);
	weft_nl_link_changed(link);
}
