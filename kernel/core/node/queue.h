/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the queues of a port (port.c) and its transmissions (transmit.c) share. Inline, as
 * each packet comes through all of it.
 */
#ifndef FAB_QUEUE_H
#define FAB_QUEUE_H

#include "core/fabric.h"
#include "core/node/room.h"
#include "core/sim/bitset.h"

/**
 * fab_kick() - as fab_port_kick(), inline
 * @fab: the fabric
 * @port: the port
 * @at: time; the end of the present transmission if that is later
 */
static inline void fab_kick(struct fab *fab, struct fab_port *port, fab_time at)
{
	if (!port->ready && !port->urgent)
		return;
	at = max(at, port->busy_until);
	at = max(at, fab->now);
	if (fab_event_pending(&port->kick)) {
		if (port->kick.at <= at)
			return;
		fab_event_cancel(&fab->events, &port->kick);
	}
	fab_event_schedule_use(&fab->events, &port->kick, at, port->cls,
			       port->cls->one.head);
}

/**
 * fab_queue_push() - put a packet into its class
 * @port: the port
 * @pkt: the packet
 * @fifo: queue within its class
 */
static inline void fab_queue_push(struct fab_port *port, struct fab_pkt *pkt, u32 fifo)
{
	struct fab_class *c = &port->cls[pkt->cls];

	if (likely(port->fifos == 1)) {
		fab_fifo_push(&c->one, pkt);
		c->one_active = 1;
	} else {
		fab_fifo_push(&c->fifo[fifo], pkt);
		fab_bitset_add(c->active, fifo);
	}
	c->packets++;
	c->bytes += pkt->len;
	port->ready |= BIT(pkt->cls);
	port->queued += pkt->len;
	if (port->queued > port->c.queue_peak)
		port->c.queue_peak = port->queued;
}

/**
 * fab_queue_joined() - a packet was put into its class: the port may have to be served earlier
 * @fab: the fabric
 * @port: the port
 * @pkt: the packet
 */
static inline void fab_queue_joined(struct fab *fab, struct fab_port *port,
				    const struct fab_pkt *pkt)
{
	fab_trace_pkt(fab, port, pkt, FAB_TRACE_ENQUEUE);
	if (!fab_event_pending(&port->kick) || port->kick.at > pkt->at)
		fab_kick(fab, port, pkt->at);
}

/* @pkt of class @cls has left its queue. */
static inline void fab_queue_popped(struct fab_port *port, struct fab_class *c, u32 cls,
				    const struct fab_pkt *pkt)
{
	c->bytes -= pkt->len;
	port->queued -= pkt->len;
	if (!--c->packets) {
		port->ready &= ~BIT(cls);
		if (!(port->alone & BIT(cls)))
			fab_sched_idle(port->sched, cls);
	}
}

/**
 * fab_queue_pop() - take the oldest packet of a queue
 * @port: the port
 * @cls: its class
 * @fifo: queue within the class, not empty
 *
 * Return: the packet.
 */
static inline struct fab_pkt *fab_queue_pop(struct fab_port *port, u32 cls, u32 fifo)
{
	struct fab_class *c = &port->cls[cls];
	struct fab_fifo *q = &c->fifo[fifo];
	struct fab_pkt *pkt = q->head;

	q->head = pkt->next;
	prefetch(pkt->next);
	if (!pkt->next)
		fab_bitset_del(c->active, fifo);
	c->turn = fifo + 1 == port->fifos ? 0 : fifo + 1;
	fab_queue_popped(port, c, cls, pkt);
	return pkt;
}

/**
 * fab_queue_pop_one() - as fab_queue_pop(), if a class has a single queue
 * @port: the port
 * @cls: its class
 *
 * Return: the packet.
 */
static inline struct fab_pkt *fab_queue_pop_one(struct fab_port *port, u32 cls)
{
	struct fab_class *c = &port->cls[cls];
	struct fab_pkt *pkt = c->one.head;

	c->one.head = pkt->next;
	prefetch(pkt->next);
	if (!pkt->next)
		c->one_active = 0;
	fab_queue_popped(port, c, cls, pkt);
	return pkt;
}

/**
 * fab_queue_release() - a packet leaves a port: release its room in the switch
 * @fab: the fabric
 * @port: the port; nothing happens at an endpoint
 * @pkt: the packet
 */
static inline void fab_queue_release(struct fab *fab, struct fab_port *port,
				     struct fab_pkt *pkt)
{
	if (port->sw)
		fab_switch_release(fab, port->sw, pkt);
}

#endif
