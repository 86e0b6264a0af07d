// SPDX-License-Identifier: GPL-2.0
/*
 * Agents of switches: what weft_rdma does for the management of InfiniBand.
 */
#include "fabric/agent.h"

#include <linux/export.h>
#include <linux/rcupdate.h>

#include "core/node/gate.h"
#include "fabric/endpoint.h"
#include "fabric/fabric.h"
#include "fabric/host.h"
#include "fabric/hwpkt.h"
#include "fabric/switch.h"

static const struct weft_agent_ops __rcu *agent_ops;

/**
 * weft_agent_register() - set who is told
 * @ops: the operations, or NULL; the old ones are in no use any more
 *
 * Context: process, may sleep; one caller only.
 */
void weft_agent_register(const struct weft_agent_ops *ops)
{
	rcu_assign_pointer(agent_ops, ops);
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(weft_agent_register);

/**
 * weft_agent_mem() - memory of the agents of a switch
 * @p: its parameters
 *
 * Context: any.
 * Return: bytes; 0 for a switch without agents.
 */
size_t weft_agent_mem(const struct fab_switch_params *p)
{
	if (p->port.disc->family != FAB_INFINIBAND)
		return 0;
	return WEFT_AGENT_MEM + (p->ports + 1) * WEFT_AGENT_PORT_MEM;
}

static void agent_tell_nic(struct fab_endpoint *ep)
{
	struct weft_client *c = container_of(ep, struct weft_endpoint, ep)->client;

	if (c)
		c->ops->link(c);
}

static void agent_tell(struct fab_port *port)
{
	const struct weft_agent_ops *ops;
	struct weft_switch *sw;
	bool up;

	if (port->ep)
		agent_tell_nic(port->ep);
	if (!port->sw)
		return;
	sw = container_of(port->sw, struct weft_switch, sw);
	if (!sw->agent)
		return;
	up = port->peer && port->wire.up && port->peer->wire.up;
	/* Its state is not ACTIVE any more, even if nobody keeps account of that. */
	if (!up && sw->fabric->p.managed)
		fab_port_data(&sw->fabric->fab, port, false);
	rcu_read_lock();
	ops = rcu_dereference(agent_ops);
	if (ops)
		ops->link(sw, port->index);
	else if (!up && sw->fabric->p.managed)
		__set_bit(port->index, sw->went_down);
	rcu_read_unlock();
}

/**
 * weft_agent_link() - the state of a link may have changed
 * @port: the port at one end
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_link(struct fab_port *port)
{
	weft_host_fabric(port)->link_epoch++;
	agent_tell(port);
	if (port->peer)
		agent_tell(port->peer);
}

static void agent_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct weft_switch *sw = container_of(ev, struct weft_switch,
					      agent_timer);
	const struct weft_agent_ops *ops;

	rcu_read_lock();
	ops = rcu_dereference(agent_ops);
	if (ops)
		ops->timer(sw);
	rcu_read_unlock();
}

/**
 * weft_agent_enter() - prepare the agents of a switch
 * @sw: the switch, which is about to enter the fabric
 *
 * The timer is an event of weft.ko, so it may be pending when weft_rdma is unloaded.
 * With a subnet manager no port passes data before it is ACTIVE.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_enter(struct weft_switch *sw)
{
	u32 i;

	if (!sw->agent)
		return;
	for (i = 0; sw->fabric->p.managed && i < sw->sw.p.ports; i++)
		fab_port_data(&sw->fabric->fab, &sw->sw.port[i], false);
	fab_event_init(&sw->agent_timer, agent_on_timer);
	sw->fabric->fab.guests++;
}

/**
 * weft_agent_timer_set() - let the timer expire
 * @sw: the switch
 * @at: fabric time, not in the past
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_timer_set(struct weft_switch *sw, fab_time at)
{
	fab_event_move(&sw->fabric->fab.events, &sw->agent_timer, at);
}
EXPORT_SYMBOL_GPL(weft_agent_timer_set);

/**
 * weft_agent_leave() - end what the agents of a switch have begun
 * @sw: the switch
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_leave(struct weft_switch *sw)
{
	if (!sw->agent)
		return;
	fab_event_cancel(&sw->fabric->fab.events, &sw->agent_timer);
	sw->fabric->fab.guests--;
}
