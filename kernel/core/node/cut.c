// SPDX-License-Identifier: GPL-2.0
/*
 * Cut links: a fabric in parts, each with a clock and events of its own.
 *
 * DOC: theory of operation
 *
 * A simulator can divide a fabric, so that several CPUs work on it, or so that a CPU works
 * for some time on what its cache can hold. Each part is a struct fab with its switches
 * and endpoints. A link between two parts is cut: what is sent on it goes to the host,
 * which hands it to the other part before it is due there.
 * The least propagation of all cut wires is the time by which a part may be ahead.
 *
 * The parts must do the same as the whole. Nothing of a part depends on the events of
 * another one in the same instant, so it is enough that events of one part keep their
 * order. They have names for this (event.c).
 *
 * What is on a cut wire belongs to the receiver's part. The sender must know two things
 * all the same. How many control frames are on the wire: its ring has them, too, and
 * fab_control_on_arrival() takes them out. Whether the far end lacks an update of
 * credits: it is computed from the times of arrival, as nothing is lost.
 *
 * Not cut are links with retry (NVLink, PCIe, Ultra Ethernet) or CBFC, with which both
 * ends read each other's state, and wires with bit errors or without propagation. A cut
 * link keeps its parameters and has no faults.
 *
 * Invariants: both wires of a link are cut, or neither; the name of an event is unique.
 */
#include "core/node/cut.h"
#include "core/fabric.h"
#include "core/sim/chain.h"
#include "core/sim/mem.h"

#define CUT_PORTS	BIT(16)	/* numbers of ports in a switch */

/* Numbers of an endpoint's own events, behind those of its port. */
#define CUT_DRAIN	16
#define CUT_DELIVER	17
#define CUT_MODERATION	18
#define CUT_AGENT	16

/* Call @what for each event of a port, with its number. */
#define CUT_PORT_EVENTS(port, what) do {			\
	what(&(port)->kick, 0);					\
	what(&(port)->wire.arrival, 1);				\
	what(&(port)->control.arrival, 2);			\
	what(&(port)->flow_timer, 3);				\
	what(&(port)->retry_timer, 4);				\
	if ((port)->age)					\
		what(&(port)->age->due, 5);			\
} while (0)

static void cut_name_port(u64 seed, u32 kind, u64 object, struct fab_port *port)
{
#define NAME(ev, n) fab_event_name(ev, fab_name(seed, kind, object, n))
	CUT_PORT_EVENTS(port, NAME);
#undef NAME
}

/**
 * fab_switch_name() - name the events of a switch
 * @fab: the fabric
 * @sw: the switch, with none of them pending
 */
void fab_switch_name(const struct fab *fab, struct fab_switch *sw)
{
	u64 object = (u64)sw->id * CUT_PORTS;
	u32 i;

	for (i = 0; i < sw->p.ports; i++)
		cut_name_port(fab->seed, FAB_NAME_SWITCH, object + i, &sw->port[i]);
	fab_event_name(&sw->agent.done,
		       fab_name(fab->seed, FAB_NAME_SWITCH, object, CUT_AGENT));
}

/**
 * fab_endpoint_name() - name the events of an endpoint
 * @fab: the fabric
 * @ep: the endpoint, with none of them pending
 */
void fab_endpoint_name(const struct fab *fab, struct fab_endpoint *ep)
{
#define NAME(ev, n) fab_event_name(ev, fab_name(fab->seed, FAB_NAME_ENDPOINT, ep->id, n))
	cut_name_port(fab->seed, FAB_NAME_ENDPOINT, ep->id, &ep->port);
	NAME(&ep->rx.drain, CUT_DRAIN);
	NAME(&ep->rx.deliver, CUT_DELIVER);
	NAME(&ep->moderation.due, CUT_MODERATION);
#undef NAME
}

static void cut_change_faults(struct fab *from, struct fab *to, struct fab_fault *f)
{
	for (; f; f = f->next)
		fab_event_change(&from->events, &to->events, &f->timer);
}

static void cut_change_port(struct fab *from, struct fab *to,
			    struct fab_port *port)
{
#define CHANGE(ev, n) fab_event_change(&from->events, &to->events, ev)
	CUT_PORT_EVENTS(port, CHANGE);
#undef CHANGE
	cut_change_faults(from, to, port->faults.first);
}

/**
 * fab_switch_change() - give a switch to another part
 * @from: its part
 * @to: the other part
 * @sw: the switch, without packets
 */
void fab_switch_change(struct fab *from, struct fab *to, struct fab_switch *sw)
{
	u32 i;

	fab_chain_del(sw, next, at);
	fab_chain_push(to->switches, sw, next, at);
	for (i = 0; i < sw->p.ports; i++)
		cut_change_port(from, to, &sw->port[i]);
	cut_change_faults(from, to, sw->faults.first);
}

/**
 * fab_endpoint_change() - give an endpoint to another part
 * @from: its part
 * @to: the other part
 * @ep: the endpoint, without packets, generators and triggers
 */
void fab_endpoint_change(struct fab *from, struct fab *to,
			 struct fab_endpoint *ep)
{
	fab_chain_del(ep, next, at);
	fab_chain_push(to->endpoints, ep, next, at);
	cut_change_port(from, to, &ep->port);
}

/* Will a fault bring all wires of a switch down at once? */
static bool cut_reboots(const struct fab_switch *sw)
{
	const struct fab_fault *f;

	for (f = sw->faults.first; f; f = f->next)
		if (f->p.kind == FAB_FAULT_REBOOT)
			return true;
	return false;
}

/**
 * fab_cut_possible() - can the wire that a port sends on be cut?
 * @port: the port, which has a link
 *
 * Return: true if it can.
 */
bool fab_cut_possible(const struct fab_port *port)
{
	if (port->sw && cut_reboots(port->sw))
		return false;
	return !(port->special & (FAB_SPECIAL_RETRY | FAB_SPECIAL_FAULT)) &&
	       port->flow->kind != FAB_FLOW_CBFC &&
	       port->wire.p.propagation && !port->wire.p.bits_per_error;
}

/* Only credits ask what the far end knows. */
static u32 cut_lanes(const struct fab_port *port)
{
	return port->flow->kind == FAB_FLOW_CREDIT ? fls(fab_port_classes(port)) : 0;
}

/*
 * Control frames that may wait at the far end. If the host hands them over at once, the
 * sender's part may have run to the end of a window, and the receiver's not yet. Then
 * there are those that were on the wire at the beginning, and those that are at the end.
 */
static u32 cut_slots(const struct fab_port *port)
{
	return 2 * port->control.slots;
}

/**
 * fab_cut_mem() - memory that a cut needs in addition to its struct and its ring
 * @port: the port that sends on the wire
 *
 * Return: bytes.
 */
size_t fab_cut_mem(const struct fab_port *port)
{
	return fab_mem_size(cut_lanes(port), sizeof(struct fab_cut_lane));
}

/**
 * fab_cut_ring_mem() - memory that a cut needs for control frames, of which few ever wait
 * @port: the port that sends on the wire
 *
 * Return: bytes. If rings are in one place hardly any of it is touched.
 */
size_t fab_cut_ring_mem(const struct fab_port *port)
{
	return fab_mem_size(cut_slots(port), sizeof(struct fab_control));
}

static void cut_on_effect(struct fab *fab, struct fab_event *ev)
{
	struct fab_control_wire *w = container_of(ev, struct fab_control_wire,
						  arrival);
	struct fab_cut *cut = container_of(w, struct fab_cut, far);
	struct fab_control c = w->slot[w->head];

	w->head = (w->head + 1) % w->slots;
	if (--w->n)
		fab_event_schedule(&fab->events, ev, w->slot[w->head].at);
	fab_control_act(fab, cut->from, &c);
}

/**
 * fab_cut_init() - cut a wire
 * @cut: the cut
 * @id: number of the wire, the host's
 * @port: the port that sends on it; nothing is on the wire
 * @mem: zeroed memory, fab_cut_mem() bytes
 * @ring: zeroed memory, fab_cut_ring_mem() bytes
 */
void fab_cut_init(struct fab_cut *cut, u32 id, struct fab_port *port, void *mem, void *ring)
{
	u32 cls;

	memset(cut, 0, sizeof(*cut));
	cut->id = id;
	cut->from = port;
	if (cut_lanes(port))
		cut->lane = fab_mem_cut(&mem, cut_lanes(port), sizeof(struct fab_cut_lane));
	for (cls = 0; cls < cut_lanes(port); cls++)
		cut->lane[cls].since = FAB_NEVER;
	cut->far.slots = cut_slots(port);
	cut->far.slot = ring;
	fab_event_init(&cut->far.arrival, cut_on_effect);
	fab_event_name(&cut->far.arrival, port->control.arrival.name);
	port->cut = cut;
	port->special |= FAB_SPECIAL_CUT;
}

/**
 * fab_cut_carry() - send a packet on a cut wire
 * @fab: the part
 * @port: the port that sends it
 * @pkt: the packet, whose arrival is known
 */
void fab_cut_carry(struct fab *fab, struct fab_port *port, struct fab_pkt *pkt)
{
	struct fab_cut *cut = port->cut;

	if (cut->lane)
		cut->lane[pkt->cls].packet = pkt->at;
	fab->left++;
	fab->host->leave(fab, cut, pkt);
}

/**
 * fab_cut_tell() - send a control frame on a cut wire
 * @fab: the part
 * @port: the port that sends it
 * @c: the frame, whose time of effect is known
 */
void fab_cut_tell(struct fab *fab, struct fab_port *port,
		  const struct fab_control *c)
{
	struct fab_cut_lane *lane;

	if (c->type == FAB_CONTROL_CREDIT && !c->credit.op) {
		lane = &port->cut->lane[c->credit.vl];
		if (lane->since == FAB_NEVER || lane->fccl != c->credit.fccl)
			lane->since = c->at;
		lane->fccl = c->credit.fccl;
	}
	fab->host->tell(fab, port->cut, c);
}

/**
 * fab_cut_arrive() - a packet comes from another part
 * @fab: the part
 * @cut: its wire
 * @pkt: the packet, as fab_cut_carry() had it; not due before the present
 */
void fab_cut_arrive(struct fab *fab, struct fab_cut *cut, struct fab_pkt *pkt)
{
	struct fab_wire *w = &cut->from->wire;
	bool first = !w->in_flight.head;

	fab->entered++;
	fab_fifo_push(&w->in_flight, pkt);
	if (first)
		fab_event_schedule(&fab->events, &w->arrival, pkt->at);
}

/**
 * fab_cut_hear() - a control frame comes from another part
 * @fab: the part
 * @cut: its wire
 * @c: the frame, as fab_cut_tell() had it; not due before the present
 */
void fab_cut_hear(struct fab *fab, struct fab_cut *cut,
		  const struct fab_control *c)
{
	struct fab_control_wire *w = &cut->far;

	w->slot[(w->head + w->n) % w->slots] = *c;
	if (!w->n++)
		fab_event_schedule(&fab->events, &w->arrival, c->at);
}

/* Has an event of the wire happened, seen from the port's timer? */
static bool cut_past(const struct fab *fab, const struct fab_port *port,
		     const struct fab_event *ev, fab_time at)
{
	if (at != fab->now)
		return at < fab->now;
	return fab_event_tie(ev, at) < fab_event_tie(&port->flow_timer, at);
}

/**
 * fab_cut_lacks() - does the far end lack an update of credits?
 * @fab: the part
 * @port: the port that sends it, in its flow_timer
 * @cls: the class
 * @fccl: limit that the far end should know
 *
 * Return: true if it does, or if a packet that was counted has not come there.
 */
bool fab_cut_lacks(const struct fab *fab, const struct fab_port *port, u32 cls,
		   u16 fccl)
{
	const struct fab_cut_lane *lane = &port->cut->lane[cls];

	if (lane->since == FAB_NEVER || lane->fccl != fccl)
		return true;
	return !cut_past(fab, port, &port->control.arrival, lane->since) ||
	       (lane->packet && !cut_past(fab, port, &port->wire.arrival,
					  lane->packet));
}
