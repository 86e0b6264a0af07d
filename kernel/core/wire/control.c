// SPDX-License-Identifier: GPL-2.0
/*
 * Control frames: pauses, credits and acknowledgements on the wire.
 *
 * DOC: theory of operation
 *
 * A discipline that has something to tell the far end says so with
 * fab_control_want(). The port asks the control() hook of its flow control for the
 * frame when the wire is free: a frame is never sent inside a packet, goes before packets, and
 * says what is true when it is sent, not when it was wanted. Frames that are
 * welcome but not urgent are sent when the wire would otherwise be idle.
 *
 * A control frame takes time on the wire and is lost to bit errors like packets. It
 * takes effect at the reaction time of the receiving port (fab_port_params.react)
 * after its last bit. It never passes through a switch.
 *
 * The frames on a wire are in a ring. While it is full no frame is sent: on a wire
 * much longer than the interval of frames, they are sent less often.
 *
 * Invariants: arrival is pending exactly when the ring holds a frame; frames take
 * effect in the order in which they were sent.
 */
#include "core/fabric.h"
#include "core/flow/retry.h"

/* The @i-th oldest frame, or the free slot behind the last. */
static struct fab_control *control_slot(struct fab_port *port, u32 i)
{
	return &port->control.slot[(port->control.head + i) %
				   port->control.slots];
}

/**
 * fab_control_want() - request control frames from the discipline
 * @fab: the fabric
 * @port: port that is to send them
 *
 * The control() hook is called until it has no frame to send, even on an idle wire.
 */
void fab_control_want(struct fab *fab, struct fab_port *port)
{
	if (!fab_port_can_send(port))
		return;
	port->urgent |= FAB_URGENT_CONTROL;
	fab_port_kick(fab, port, fab->now);
}

/**
 * fab_control_carry() - put a control frame onto the wire
 * @fab: the fabric
 * @port: port that sends it; the ring of its wire is not full
 * @c: the frame
 * @time: from now to its last bit
 *
 * For a frame of its own, and for an update that rides on a packet.
 */
void fab_control_carry(struct fab *fab, struct fab_port *port,
		       const struct fab_control *c, fab_time time)
{
	struct fab_control_wire *w = &port->control;
	struct fab_control *slot = control_slot(port, w->n);

	*slot = *c;
	slot->at = fab->now + time + port->wire.p.propagation +
		   port->peer->p->react;
	if (unlikely(port->special & FAB_SPECIAL_FAULT))
		slot->at += fab_fault_delay_control(port);
	/*
	 * A change of the wire lets no frame overtake packets or other frames. A cut
	 * wire does not change.
	 */
	if (!(port->special & FAB_SPECIAL_CUT) && port->wire.in_flight.head)
		slot->at = max(slot->at, fab_port_last(port) -
					 port->wire.rx_latency + 1);
	if (w->n)
		slot->at = max(slot->at, control_slot(port, w->n - 1)->at);
	if (!w->n++)
		fab_event_schedule(&fab->events, &w->arrival, slot->at);
	if (unlikely(port->special & FAB_SPECIAL_CUT))
		fab_cut_tell(fab, port, slot);
	if (fab->host->control)
		fab->host->control(port, slot);
}

static bool control_hit(struct fab_port *port, u32 bytes)
{
	bool hit = fab_wire_hit(&port->wire, bytes);

	if (unlikely(port->special & FAB_SPECIAL_FAULT) &&
	    fab_fault_expose_control(port, bytes))
		return true;
	return hit;
}

/* Fill @c with the next frame of a port. Returns its bytes on the wire, 0 for none. */
static u32 control_next(struct fab *fab, struct fab_port *port, bool idle,
			struct fab_control *c)
{
	enum fab_say say = idle ? FAB_SAY_NEWS : FAB_SAY_URGENT;

	if (port->special & FAB_SPECIAL_RETRY)
		return fab_retry_control(fab, port, say, c);
	return port->flow->control(fab, port, say, c);
}

/**
 * fab_control_transmit() - send a control frame, if the discipline has one
 * @fab: the fabric
 * @port: the port, whose wire is free
 * @idle: the wire would be idle otherwise
 *
 * Return: true if one was sent.
 */
bool fab_control_transmit(struct fab *fab, struct fab_port *port, bool idle)
{
	struct fab_control c = {};
	fab_time time;
	u32 bytes;

	if (port->control.n == port->control.slots)
		return false;
	bytes = control_next(fab, port, idle, &c);
	if (!bytes) {
		if (idle)
			port->urgent &= ~FAB_URGENT_CONTROL;
		return false;
	}
	time = fab_wire_time_of(&port->wire, bytes);
	port->busy_until = fab->now + time;
	port->c.tx_control++;
	port->c.tx_wire_bytes += bytes;
	fab_port_busy(fab, port, time);
	if (control_hit(port, bytes))
		port->c.lost_control++;
	else
		fab_control_carry(fab, port, &c, time);
	return true;
}

/**
 * fab_control_act() - let a control frame take effect at the far end
 * @fab: the fabric, or the part of the far end
 * @port: port that sent it
 * @c: the frame
 */
void fab_control_act(struct fab *fab, struct fab_port *port,
		     const struct fab_control *c)
{
	port->peer->c.rx_control++;
	if (c->type != FAB_CONTROL_RETRY)
		port->peer->flow->on_control(fab, port->peer, c);
	if (port->special & FAB_SPECIAL_RETRY)
		fab_retry_on_control(fab, port->peer, c);
}

/**
 * fab_control_on_arrival() - process the oldest control frame on a wire
 * @fab: the fabric
 * @ev: the ring's arrival
 *
 * If the wire is cut, the other part lets the frame take effect.
 */
void fab_control_on_arrival(struct fab *fab, struct fab_event *ev)
{
	struct fab_control_wire *w = container_of(ev, struct fab_control_wire,
						  arrival);
	struct fab_port *port = container_of(w, struct fab_port, control);
	struct fab_control c = *control_slot(port, 0);

	w->head = (w->head + 1) % w->slots;
	if (--w->n)
		fab_event_schedule(&fab->events, ev, control_slot(port, 0)->at);
	if (port->urgent & FAB_URGENT_CONTROL)
		fab_port_kick(fab, port, fab->now);
	if (likely(!(port->special & FAB_SPECIAL_CUT)))
		fab_control_act(fab, port, &c);
}

/**
 * fab_control_clear() - discard the control frames on a wire
 * @fab: the fabric
 * @port: port that sent them
 *
 * A port that waited for room on a full wire tries again, as after an arrival.
 */
void fab_control_clear(struct fab *fab, struct fab_port *port)
{
	port->control.n = 0;
	fab_event_cancel(&fab->events, &port->control.arrival);
	if (port->urgent & FAB_URGENT_CONTROL)
		fab_port_kick(fab, port, fab->now);
}
