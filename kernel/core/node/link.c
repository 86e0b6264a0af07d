// SPDX-License-Identifier: GPL-2.0
/*
 * A link: two ports and the two wires between them.
 *
 * DOC: theory of operation
 *
 * Packets on a wire stay in order, so only the oldest has its arrival
 * scheduled. What "arrival" means depends on the far end: a switch that cuts
 * through acts on the first bit, a switch that stores and forwards on the last,
 * an endpoint on the last and rx_latency later. A fault may let some be overtaken
 * (fault.c); the oldest is then the one that arrives first.
 *
 * Invariants: peers know each other; arrival is pending exactly when something
 * is in flight; nothing is in flight on a wire that is down or leads nowhere.
 */
#include "core/fabric.h"
#include "core/flow/retry.h"
#include "core/node/port.h"
#include "core/node/traffic.h"
#include "core/sim/rng.h"

/**
 * fab_link_reach() - settle when the far end of a wire acts on a packet
 * @from: the port that sends on the wire, which has a link
 */
void fab_link_reach(struct fab_port *from)
{
	const struct fab_port *to = from->peer;

	from->wire.tail = to->ep || to->sw->p.forward == FAB_STORE_FORWARD;
	from->wire.rx_latency = to->ep && !to->ep->staged ?
				to->ep->p.rx_latency : 0;
}

static void link_wire(struct fab *fab, struct fab_port *from,
		      struct fab_port *to, const struct fab_wire_params *p)
{
	from->peer = to;
	fab_wire_init(&from->wire, p, fab_mix(fab->seed ^ fab_mix(++fab->wires)));
	fab_link_reach(from);
}

static void link_reset(struct fab *fab, struct fab_port *port)
{
	if (port->special & FAB_SPECIAL_RETRY)
		fab_retry_reset(fab, port);
	if (port->flow->reset)
		port->flow->reset(fab, port);
}

/* It may have come up: what waits for that goes on. */
static void link_kick(struct fab *fab, struct fab_port *port)
{
	if (port->ep && port->ep->traffic)
		fab_traffic_kick(fab, port->ep);
}

static bool link_agrees(const struct fab_port_params *a,
			const struct fab_port_params *b)
{
	if (a->disc != b->disc)
		return false;
	return !a->disc->flow->agree || a->disc->flow->agree(a, b);
}

/**
 * fab_link_join() - plug a link into two ports
 * @fab: the fabric
 * @a: one port
 * @b: the other
 * @ab: the wire from @a to @b
 * @ba: the wire from @b to @a
 *
 * Return: 0; -EINVAL when both are the same port; -EBUSY when one of them has a
 * link already; -EPROTO when their disciplines differ or disagree; -ERANGE when the
 * parameters of a wire are out of range.
 */
int fab_link_join(struct fab *fab, struct fab_port *a, struct fab_port *b,
		  const struct fab_wire_params *ab,
		  const struct fab_wire_params *ba)
{
	if (a == b)
		return -EINVAL;
	if (a->peer || b->peer)
		return -EBUSY;
	if (!link_agrees(a->p, b->p))
		return -EPROTO;
	if (fab_wire_params_check(ab) || fab_wire_params_check(ba))
		return -ERANGE;
	link_wire(fab, a, b, ab);
	link_wire(fab, b, a, ba);
	/* A switch that reboots may be at its end. */
	a->wire.up = !fab_fault_cuts(a);
	b->wire.up = !fab_fault_cuts(b);
	link_reset(fab, a);
	link_reset(fab, b);
	link_kick(fab, a);
	link_kick(fab, b);
	return 0;
}

/**
 * fab_link_set() - change the wire that a port sends on
 * @fab: the fabric
 * @from: the port, which has a link
 * @p: parameters, which fab_wire_params_check() accepts
 *
 * What is in flight arrives as it was sent, and the present transmission ends
 * as it began; a packet that a cut-through switch has only the head of is taken
 * to come in at the new rate.
 */
void fab_link_set(struct fab *fab, struct fab_port *from,
		  const struct fab_wire_params *p)
{
	fab_wire_set(&from->wire, p);
}

/* The transmission is cut off: the port is idle from now on. */
static void link_cut(struct fab *fab, struct fab_port *from)
{
	if (from->busy_until <= fab->now)
		return;
	from->c.tx_busy_ps -= from->busy_until - fab->now;
	from->busy_until = fab->now;
}

static void link_lose(struct fab *fab, struct fab_port *from,
		      struct fab_fifo *q, enum fab_drop why)
{
	struct fab_fifo lost = *q;
	struct fab_pkt *pkt;

	/* First, so that callbacks find it empty. */
	q->head = NULL;
	while ((pkt = fab_fifo_pop(&lost)))
		fab_port_drop(fab, from, pkt, why);
}

/**
 * fab_link_lose() - lose all that is on a wire, or is to be sent once more
 * @fab: the fabric
 * @from: port that sent it
 * @why: reason that the host is told
 */
void fab_link_lose(struct fab *fab, struct fab_port *from, enum fab_drop why)
{
	fab_event_cancel(&fab->events, &from->wire.arrival);
	fab_fault_cleared(from);
	from->urgent &= ~FAB_URGENT_REPLAY;
	link_lose(fab, from, &from->unacked, why);
	link_lose(fab, from, &from->replay, why);
	link_lose(fab, from, &from->wire.in_flight, why);
}

/* Lose all that @from sent or was going to send. */
static void link_clear(struct fab *fab, struct fab_port *from,
		       enum fab_drop why)
{
	link_cut(fab, from);
	fab_control_clear(fab, from);
	from->urgent = 0;
	fab_link_lose(fab, from, why);
	fab_port_flush(fab, from, why);
}

/**
 * fab_link_up() - set a wire up or down
 * @fab: the fabric
 * @from: the port that sends on it
 * @up: which of both
 *
 * A wire that goes down loses what is in flight and what is queued for it. It
 * does not come up while a fault keeps it down.
 */
void fab_link_up(struct fab *fab, struct fab_port *from, bool up)
{
	from->wire.enabled = up;
	fab_link_settle(fab, from);
}

/**
 * fab_link_settle() - a wire comes up or goes down, where it has to
 * @fab: the fabric
 * @from: the port that sends on it
 */
void fab_link_settle(struct fab *fab, struct fab_port *from)
{
	bool up = from->wire.enabled && !fab_fault_cuts(from);

	if (from->wire.up == up)
		return;
	from->wire.up = up;
	if (!up)
		link_clear(fab, from, FAB_DROP_LINK_DOWN);
	/*
	 * A link trains as a whole: both ends see at once that a wire of it came
	 * up or went down. How long a port takes to notice is not modelled.
	 */
	link_reset(fab, from);
	if (from->peer)
		link_reset(fab, from->peer);
	link_kick(fab, from);
}

static void link_mend(struct fab *fab, struct fab_port *from)
{
	while (from->faults.first)
		fab_fault_remove(fab, from->faults.first);
}

/**
 * fab_link_part() - unplug a link
 * @fab: the fabric
 * @a: one of its ports, or a port without a link
 * @why: reason for the loss of what is queued and in flight, both ways
 *
 * Faults of its wires are removed.
 */
void fab_link_part(struct fab *fab, struct fab_port *a, enum fab_drop why)
{
	struct fab_port *b = a->peer;

	if (!b)
		return;
	link_mend(fab, a);
	link_mend(fab, b);
	/* First, so that a callback that sends finds no link. */
	a->peer = NULL;
	b->peer = NULL;
	link_clear(fab, a, why);
	link_clear(fab, b, why);
	link_reset(fab, a);
	link_reset(fab, b);
}

/**
 * fab_link_carry() - a packet goes onto the wire
 * @fab: the fabric
 * @from: the port that sends it
 * @pkt: the packet
 * @time: from its first bit to its last
 */
void fab_link_carry(struct fab *fab, struct fab_port *from,
		    struct fab_pkt *pkt, fab_time time)
{
	struct fab_wire *w = &from->wire;
	bool first = !w->in_flight.head;

	pkt->at = fab->now + w->p.propagation + w->rx_latency;
	if (w->tail)
		pkt->at += time;
	if (unlikely(from->special & FAB_SPECIAL_FAULT)) {
		fab_fault_carry(fab, from, pkt, time);
		return;
	}
	/* A change of the wire does not let packets overtake. */
	if (!first && pkt->at < w->in_flight.tail->at)
		pkt->at = w->in_flight.tail->at;
	fab_fifo_push(&w->in_flight, pkt);
	if (first)
		fab_event_schedule(&fab->events, &w->arrival, pkt->at);
}

/**
 * fab_link_recall() - take back what is on a wire
 * @fab: the fabric
 * @from: the port that sent it
 * @q: queue that it is put behind
 *
 * For a sender who knows that the far end refuses all of it. The present
 * transmission goes on, for nothing.
 */
void fab_link_recall(struct fab *fab, struct fab_port *from, struct fab_fifo *q)
{
	fab_event_cancel(&fab->events, &from->wire.arrival);
	fab_fifo_join(q, &from->wire.in_flight);
}

/**
 * fab_link_on_arrival() - the oldest packet on a wire is due at the far end
 * @fab: the fabric
 * @ev: the wire's arrival
 */
void fab_link_on_arrival(struct fab *fab, struct fab_event *ev)
{
	struct fab_wire *w = container_of(ev, struct fab_wire, arrival);
	struct fab_port *from = container_of(w, struct fab_port, wire);
	struct fab_pkt *pkt = fab_fifo_pop(&w->in_flight);
	struct fab_port *to = from->peer;

	if (w->in_flight.head)
		fab_event_schedule(&fab->events, ev, w->in_flight.head->at);
	if (unlikely(from->special & FAB_SPECIAL_FAULT))
		fab_fault_arrived(from, pkt);
	if (unlikely(from->special & FAB_SPECIAL_RETRY) &&
	    fab_retry_on_arrive(fab, from, pkt))
		return;
	if (to->sw)
		fab_switch_receive(fab, to, pkt);
	else
		fab_endpoint_receive(fab, to->ep, pkt);
}
