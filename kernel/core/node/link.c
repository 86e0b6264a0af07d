// SPDX-License-Identifier: GPL-2.0
/*
 * A link: two ports and the two wires between them.
 *
 * DOC: theory of operation
 *
 * Packets on a wire stay in order, so only the arrival of the oldest is scheduled.
 * The time of arrival depends on the far end. It is the first bit at a cut-through
 * switch, and the last bit at a store-and-forward switch. At an endpoint it is
 * rx_latency after the last bit. A fault may reorder packets (fault.c); the oldest is
 * then the one that arrives first.
 *
 * Invariants: peers refer to each other; arrival is pending exactly when a packet is
 * in flight; no packet is in flight on a wire that is down or not connected.
 */
#include "core/fabric.h"
#include "core/flow/retry.h"
#include "core/node/port.h"
#include "core/node/traffic.h"
#include "core/sim/rng.h"

/**
 * fab_link_reach() - set the time at which the far end of a wire acts on a packet
 * @from: the port that sends on the wire, which has a link
 */
void fab_link_reach(struct fab_port *from)
{
	const struct fab_port *to = from->peer;

	from->wire.tail = to->ep || to->sw->p.forward == FAB_STORE_FORWARD;
	from->wire.rx_latency = to->ep && !to->ep->staged ?
				to->ep->p->rx_latency : 0;
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

/* The wire may have come up: generators that wait for it continue. */
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
 * Return: 0; -EINVAL if both are the same port; -EBUSY if one of them already has a
 * link; -EPROTO if their disciplines differ or disagree; -ERANGE if the parameters of
 * a wire are out of range.
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
	/* A port may belong to a switch that reboots. */
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
 * Packets in flight arrive as they were sent, and the present transmission ends at
 * the old rate. If a cut-through switch has only the head of a packet, the rest is
 * assumed to arrive at the new rate.
 */
void fab_link_set(struct fab *fab, struct fab_port *from,
		  const struct fab_wire_params *p)
{
	fab_wire_set(&from->wire, p);
}

/* Cut off the present transmission: the port is idle from now on. */
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

	/* Empty the queue before the callbacks, which may look at it. */
	q->head = NULL;
	while ((pkt = fab_fifo_pop(&lost)))
		fab_port_drop(fab, from, pkt, why);
}

/**
 * fab_link_lose() - drop all packets on a wire and those to be retransmitted
 * @fab: the fabric
 * @from: port that sent them
 * @why: reason, reported to the host
 */
void fab_link_lose(struct fab *fab, struct fab_port *from, enum fab_drop why)
{
	fab_event_cancel(&fab->events, &from->wire.arrival);
	fab_fault_cleared(from);
	from->urgent &= ~FAB_URGENT_REPLAY;
	if (!from->ready && !from->urgent)
		fab_event_cancel(&fab->events, &from->kick);
	link_lose(fab, from, &from->unacked, why);
	link_lose(fab, from, &from->replay, why);
	link_lose(fab, from, &from->wire.in_flight, why);
}

/* Drop all packets that @from sent or has queued. */
static void link_clear(struct fab *fab, struct fab_port *from,
		       enum fab_drop why)
{
	link_cut(fab, from);
	from->urgent = 0;
	fab_control_clear(fab, from);
	fab_link_lose(fab, from, why);
	fab_port_flush(fab, from, why);
}

/**
 * fab_link_up() - set a wire up or down
 * @fab: the fabric
 * @from: the port that sends on it
 * @up: true: up
 *
 * A wire that goes down loses the packets in flight and those queued for it. It does
 * not come up while a fault keeps it down.
 */
void fab_link_up(struct fab *fab, struct fab_port *from, bool up)
{
	from->wire.enabled = up;
	fab_link_settle(fab, from);
}

/**
 * fab_link_settle() - bring a wire up or down, as its setting and its faults require
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
	 * A link trains as a whole: when one of its wires comes up or goes down, both
	 * ends notice at once. The time to notice is not modelled.
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
 * @why: reason for the loss of packets queued and in flight, in both directions
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
	/* Before the callbacks, so that one that sends finds no link. */
	a->peer = NULL;
	b->peer = NULL;
	link_clear(fab, a, why);
	link_clear(fab, b, why);
	link_reset(fab, a);
	link_reset(fab, b);
}

/**
 * fab_link_recall() - take back the packets on a wire
 * @fab: the fabric
 * @from: the port that sent them
 * @q: queue to which they are appended
 *
 * For a sender that knows that the far end refuses all of them. The present
 * transmission continues, without effect.
 */
void fab_link_recall(struct fab *fab, struct fab_port *from, struct fab_fifo *q)
{
	fab_event_cancel(&fab->events, &from->wire.arrival);
	fab_fifo_join(q, &from->wire.in_flight);
}

/* A packet arrived at an endpoint, where the CRC is checked. */
static inline void link_receive(struct fab *fab, struct fab_endpoint *ep,
				struct fab_pkt *pkt)
{
	if (unlikely(pkt->flags & FAB_PKT_CORRUPT)) {
		fab_port_drop(fab, &ep->port, pkt, FAB_DROP_BIT_ERROR);
		return;
	}
	fab_port_count_rx(&ep->port, pkt);
	if (unlikely(ep->staged))
		fab_receive_pkt(fab, ep, pkt);
	else
		fab_endpoint_deliver(fab, ep, pkt);
}

/**
 * fab_link_on_arrival() - pass the oldest packet on a wire to the far end
 * @fab: the fabric
 * @ev: the wire's arrival
 */
void fab_link_on_arrival(struct fab *fab, struct fab_event *ev)
{
	struct fab_wire *w = container_of(ev, struct fab_wire, arrival);
	struct fab_port *from = container_of(w, struct fab_port, wire);
	struct fab_pkt *pkt = fab_fifo_pop(&w->in_flight);
	struct fab_port *to = from->peer;
	struct fab_pkt *next = w->in_flight.head;

	if (next) {
		/* Its time is wanted when @next arrives. */
		prefetch(next->next);
		fab_event_schedule_use(&fab->events, ev, next->at, next, to);
	}
	if (unlikely(from->special & FAB_SPECIAL_FAULT))
		fab_fault_arrived(from, pkt);
	if (unlikely(from->special & FAB_SPECIAL_RETRY) &&
	    fab_retry_on_arrive(fab, from, pkt))
		return;
	if (to->sw)
		fab_switch_receive(fab, to, pkt);
	else
		link_receive(fab, to->ep, pkt);
}
