// SPDX-License-Identifier: GPL-2.0
/*
 * Transmissions of a port: what it sends next, and when.
 *
 * DOC: theory of operation
 *
 * A port has no event for the end of a transmission: busy_until is when the wire is
 * free. One event, kick, fires when the next transmission may start: the wire is free and
 * a packet is eligible.
 *
 * Urgent work goes before the queues: control frames, the idle time of a static
 * rate, packets to be replayed. It is checked only while a bit of urgent is set.
 *
 * If a single class has packets, there is nothing to arbitrate. This is the usual case, and
 * has a shorter way. It is shorter still where the port is plain (port.h): the compiler
 * makes a copy of port_transmit() without the rules that such a port does not have.
 */
#include "core/egress/shaper.h"
#include "core/flow/retry.h"
#include "core/node/queue.h"

/**
 * struct port_offer - the packets that a port could send at one instant
 * @classes: bit per class whose head may be sent now
 * @blocked: bit per class whose head flow control blocks
 * @later: earliest time at which another head becomes eligible
 * @fifo: per class of @classes: fifo that is served next
 * @bytes: per class of @classes: length of the head on the wire
 */
struct port_offer {
	u16 classes;
	u16 blocked;
	fab_time later;
	u16 fifo[FAB_CLASSES_MAX];
	u32 bytes[FAB_CLASSES_MAX];
};

/* The first fifo in [@from, @to) with an eligible head, or -1. */
static int class_scan(const struct fab_class *c, u32 from, u32 to, fab_time now,
		      fab_time *later)
{
	fab_time at;
	u32 i;

	for (i = fab_bitset_next(c->active, to, from); i < to;
	     i = fab_bitset_next(c->active, to, i + 1)) {
		at = c->fifo[i].head->at;
		if (at <= now)
			return i;
		*later = min(*later, at);
	}
	return -1;
}

/* The next of several fifos of @c with an eligible head, round robin, or -1. */
static noinline int class_turn(const struct fab_class *c, u32 fifos, fab_time now,
			       fab_time *later)
{
	int fifo = class_scan(c, c->turn, fifos, now, later);

	if (fifo < 0 && c->turn)
		fifo = class_scan(c, 0, c->turn, now, later);
	return fifo;
}

/* The next fifo of @c with an eligible head, or -1. Mostly only one has packets. */
static __always_inline int class_head(const struct fab_class *c, u32 fifos, fab_time now,
				      fab_time *later)
{
	unsigned long first = *c->active;
	const struct fab_pkt *head;
	int fifo;

	if (fifos > BITS_PER_LONG || first & (first - 1))
		return class_turn(c, fifos, now, later);
	fifo = __ffs(first);
	head = c->fifo[fifo].head;
	if (head->at <= now)
		return fifo;
	*later = min(*later, head->at);
	return -1;
}

static void port_offer(struct fab_port *port, fab_time now,
		       struct port_offer *o)
{
	const struct fab_pkt *head;
	u32 ready, cls;
	int fifo;

	o->classes = 0;
	o->blocked = 0;
	o->later = FAB_NEVER;
	ready = fab_port_hangs(port) ? 0 : port->ready;
	for (; ready; ready &= ready - 1) {
		cls = __ffs(ready);
		fifo = class_head(&port->cls[cls], port->fifos, now,
				  &o->later);
		if (fifo < 0 || (unlikely(port->special & FAB_SPECIAL_RATE) &&
				 fab_shaper_waits(port, cls, now, &o->later)))
			continue;
		head = port->cls[cls].fifo[fifo].head;
		if (!fab_port_may_send(port, head)) {
			o->blocked |= BIT(cls);
			continue;
		}
		o->classes |= BIT(cls);
		o->fifo[cls] = fifo;
		o->bytes[cls] = fab_wire_bytes(&port->wire, head);
	}
}

/* Choose the class in @o whose head is sent next, or -1 if there is none. */
static int port_pick(struct fab_port *port, const struct port_offer *o)
{
	if (!o->classes)
		return -1;
	if (unlikely(o->classes & BIT(FAB_VL_MGMT)) && fab_port_manages(port))
		return FAB_VL_MGMT;
	if (port->p->classes == 1)
		return 0;
	return fab_sched_pick(port->sched, o->classes, o->bytes);
}

static void port_count_tx(struct fab_port *port, const struct fab_pkt *pkt,
			  u32 wire_bytes)
{
	port->c.tx_packets += pkt->segs;
	port->c.tx_bytes += pkt->len;
	port->c.tx_wire_bytes += wire_bytes;
}

static void port_count_class(struct fab_port *port, const struct fab_pkt *pkt)
{
	struct fab_class_counters *c = &port->cls[pkt->cls].c;

	c->tx_packets += pkt->segs;
	c->tx_bytes += pkt->len;
}

/* Features of some ports at the start of a transmission. */
static noinline void port_transmit_special(struct fab *fab, struct fab_port *port,
					   const struct fab_pkt *pkt, fab_time time)
{
	if (port->special & FAB_SPECIAL_AGE)
		fab_age_sent(fab, port, pkt);
	if (port->special & FAB_SPECIAL_RATE)
		fab_shaper_sent(fab, port, pkt);
	if (port->special & FAB_SPECIAL_IPD) {
		port->hold_until = port->busy_until + port->p->ipd * time;
		port->urgent |= FAB_URGENT_HOLD;
	}
}

/*
 * This comes before flow control sees the packet. Flow control may kick the port, so
 * busy_until must be set. An update that rides on the packet is lost with it, so the
 * error must be known.
 */
static __always_inline void port_expose(struct fab *fab, struct fab_port *port,
					struct fab_pkt *pkt, u32 bytes, bool plain)
{
	if (plain) {
		port->busy_until = fab->now + (u64)bytes * port->wire.ps_per_byte;
		return;
	}
	port->busy_until = fab->now + fab_wire_time_of(&port->wire, bytes);
	if (fab_wire_hit(&port->wire, bytes))
		pkt->flags |= FAB_PKT_CORRUPT;
	if (unlikely(port->special & FAB_SPECIAL_FAULT))
		fab_fault_expose(fab, port, pkt, bytes);
}

/* The rest of port_carry() for a wire on which packets are not just in order. */
static noinline void port_carry_special(struct fab *fab, struct fab_port *port,
					struct fab_pkt *pkt, fab_time time)
{
	if (port->special & FAB_SPECIAL_CUT)
		fab_cut_carry(fab, port, pkt);
	else
		fab_fault_carry(fab, port, pkt, time);
}

/* Put a packet onto the wire, for the first time or as a replay. */
static __always_inline void port_carry(struct fab *fab, struct fab_port *port,
				       struct fab_pkt *pkt, u32 bytes, bool plain)
{
	fab_time time = port->busy_until - fab->now;
	struct fab_wire *w = &port->wire;

	port_count_tx(port, pkt, bytes);
	fab_port_busy(fab, port, time);
	if (!plain &&
	    unlikely(port->special & (FAB_SPECIAL_AGE | FAB_SPECIAL_RATE | FAB_SPECIAL_IPD)))
		port_transmit_special(fab, port, pkt, time);
	/* Without a branch, as one could not be foreseen. */
	pkt->at = fab->now + w->p.propagation + w->rx_latency + (time & -(fab_time)w->tail);
	if (unlikely(port->special & (FAB_SPECIAL_FAULT | FAB_SPECIAL_CUT))) {
		port_carry_special(fab, port, pkt, time);
		return;
	}
	pkt->next = NULL;
	if (!w->in_flight.head) {
		w->in_flight.head = pkt;
		w->in_flight.tail = pkt;
		fab_event_schedule_use(&fab->events, &w->arrival, pkt->at, pkt, port->peer);
		return;
	}
	/* A change of the wire does not reorder packets. */
	pkt->at = max(pkt->at, w->in_flight.tail->at);
	w->in_flight.tail->next = pkt;
	w->in_flight.tail = pkt;
}

/* Are packets marked when they leave their queues? */
static bool port_marks_last(const struct fab_port *port)
{
	return unlikely(port->special & FAB_SPECIAL_MARK) && port->p->mark.dequeue;
}

/*
 * Start the transmission of a packet. @alone: its class has no state in the scheduler.
 * @plain: the port certainly is plain.
 */
static __always_inline void port_transmit(struct fab *fab, struct fab_port *port,
					  struct fab_pkt *pkt, u32 bytes, bool alone,
					  bool plain)
{
	fab->c.hops++;
	fab->moved = fab->now;
	if (port->by_class)
		port_count_class(port, pkt);
	if (!alone)
		fab_sched_sent(port->sched, pkt->cls, bytes);
	port_expose(fab, port, pkt, bytes, plain);
	if (!plain && port->flow->on_send)
		port->flow->on_send(fab, port, pkt);
	if (!plain && unlikely(port->special & FAB_SPECIAL_RETRY))
		fab_retry_on_send(fab, port, pkt);
	if (port_marks_last(port))
		fab_mark_look(fab, port, pkt);
	fab_queue_release(fab, port, pkt);
	fab_trace_pkt(fab, port, pkt, FAB_TRACE_TRANSMIT);
	port_carry(fab, port, pkt, bytes, plain);
}

static noinline void port_replay(struct fab *fab, struct fab_port *port)
{
	struct fab_pkt *pkt = fab_fifo_pop(&port->replay);
	u32 bytes = fab_wire_bytes(&port->wire, pkt);

	if (!port->replay.head)
		port->urgent &= ~FAB_URGENT_REPLAY;
	pkt->flags &= ~FAB_PKT_CORRUPT;
	port->c.tx_replays += pkt->segs;
	fab_trace_pkt(fab, port, pkt, FAB_TRACE_REPLAY);
	port_expose(fab, port, pkt, bytes, false);
	port_carry(fab, port, pkt, bytes, false);
}

/* The wire is held idle: only a control frame may be sent. */
static void port_hold(struct fab *fab, struct fab_port *port)
{
	if (port->urgent & FAB_URGENT_CONTROL &&
	    fab_control_transmit(fab, port, true))
		fab_kick(fab, port, fab->now);
	else
		fab_kick(fab, port, port->hold_until);
}

/* Do the urgent work. Returns false if the queues may be served. */
static noinline bool port_urgent(struct fab *fab, struct fab_port *port)
{
	/* Nothing else is to be sent: updates that need an idle wire may be sent too. */
	bool idle = !port->ready && port->urgent == FAB_URGENT_CONTROL;

	if (port->urgent & FAB_URGENT_CONTROL &&
	    fab_control_transmit(fab, port, idle)) {
		fab_kick(fab, port, fab->now);
		return true;
	}
	if (port->urgent & FAB_URGENT_HOLD) {
		if (fab->now < port->hold_until) {
			port_hold(fab, port);
			return true;
		}
		port->urgent &= ~FAB_URGENT_HOLD;
	}
	if (!(port->urgent & FAB_URGENT_REPLAY))
		return false;
	port_replay(fab, port);
	fab_kick(fab, port, fab->now);
	return true;
}

/* After a packet of @cls: earliest time of the next kick, if that is plain to see; else 0. */
static fab_time port_next(const struct fab_port *port, u32 cls)
{
	if (port->ready != BIT(cls) || port->fifos > 1)
		return 0;
	/* An update may use the wire while it is idle. */
	if (port->urgent && port->p->classes > 1)
		return 0;
	return port->cls[cls].one.head->at;
}

/* No packet can be sent now; one may be from @later on. */
static void port_idle(struct fab *fab, struct fab_port *port, fab_time later)
{
	if (unlikely(port->urgent & FAB_URGENT_CONTROL) &&
	    fab_control_transmit(fab, port, true))
		fab_kick(fab, port, fab->now);
	else if (later != FAB_NEVER)
		fab_kick(fab, port, later);
}

/* Choose the only class that is ready. Returns false if it is never served. */
static bool port_pick_only(struct fab_port *port, u32 cls, u32 bytes)
{
	return (cls == FAB_VL_MGMT && fab_port_manages(port)) ||
	       fab_sched_only(port->sched, cls, bytes);
}

/*
 * Serve a port of which a single class has packets. Returns false, with nothing changed,
 * if flow control blocks it.
 */
static noinline bool port_serve_only(struct fab *fab, struct fab_port *port)
{
	u32 cls = __ffs(port->ready), bytes;
	struct fab_class *c = &port->cls[cls];
	bool alone = port->alone & BIT(cls);
	fab_time later = FAB_NEVER;
	struct fab_pkt *pkt;
	int fifo;

	fifo = class_head(c, port->fifos, fab->now, &later);
	if (fifo < 0) {
		port_idle(fab, port, later);
		return true;
	}
	pkt = c->fifo[fifo].head;
	if (!fab_port_may_send(port, pkt))
		return false;
	bytes = fab_wire_bytes(&port->wire, pkt);
	if (!alone && !port_pick_only(port, cls, bytes)) {
		port_idle(fab, port, later);
		return true;
	}
	port_transmit(fab, port, fab_queue_pop(port, cls, fifo), bytes, alone, false);
	fab_kick(fab, port, port_next(port, cls));
	if (port->ep && unlikely(port->ep->stopped))
		fab_endpoint_drained(fab, port->ep, cls);
	return true;
}

/* As port_serve_only(), for a plain port. */
static __always_inline bool port_serve_plain(struct fab *fab, struct fab_port *port)
{
	u32 cls = __ffs(port->ready), bytes;
	bool alone = port->alone & BIT(cls);
	struct fab_class *c = &port->cls[cls];
	struct fab_pkt *pkt = c->one.head;

	if (unlikely(port->halted & BIT(cls) || pkt->at > fab->now))
		return false;
	bytes = fab_wire_bytes_whole(&port->wire, pkt);
	if (!alone && c->packets == 1)
		alone = fab_sched_last(port->sched, cls);
	if (!alone && !port_pick_only(port, cls, bytes)) {
		port_idle(fab, port, FAB_NEVER);
		return true;
	}
	port_transmit(fab, port, fab_queue_pop_one(port, cls), bytes, alone, true);
	if (likely(port->ready == BIT(cls) && !port->urgent && !fab_event_pending(&port->kick)))
		fab_event_schedule_use(&fab->events, &port->kick,
				       max(port->busy_until, c->one.head->at), port->cls,
				       port->cls->one.head);
	else
		fab_kick(fab, port, port_next(port, cls));
	if (port->ep && unlikely(port->ep->stopped))
		fab_endpoint_drained(fab, port->ep, cls);
	return true;
}

/* Has a single class packets, and was none blocked? */
static bool port_has_only(const struct fab_port *port)
{
	u32 ready = port->ready;

	return ready && !(ready & (ready - 1)) && !port->blocked &&
	       !(port->special & (FAB_SPECIAL_RATE | FAB_SPECIAL_FAULT));
}

/* Serve a port that may have to choose. */
static noinline void port_serve(struct fab *fab, struct fab_port *port)
{
	struct port_offer offer;
	int cls;

	port_offer(port, fab->now, &offer);
	cls = port_pick(port, &offer);
	if (unlikely(offer.blocked | port->blocked))
		fab_port_waits(fab, port, offer.blocked, cls < 0);
	if (cls >= 0)
		port_transmit(fab, port,
			      fab_queue_pop(port, cls, offer.fifo[cls]),
			      offer.bytes[cls], port->p->classes == 1, false);
	/*
	 * After a transmission the next kick is at its end. Without one, only a
	 * packet that becomes eligible can change anything. For packets that it
	 * blocks, flow control kicks the port itself.
	 */
	if (cls >= 0)
		fab_kick(fab, port, port_next(port, cls));
	else
		port_idle(fab, port, offer.later);
	if (cls >= 0 && port->ep)
		fab_endpoint_drained(fab, port->ep, cls);
}

/**
 * fab_port_on_kick() - send what a port may send
 * @fab: the fabric
 * @ev: the port's kick
 */
void fab_port_on_kick(struct fab *fab, struct fab_event *ev)
{
	struct fab_port *port = container_of(ev, struct fab_port, kick);

	if (unlikely(port->urgent) && port_urgent(fab, port))
		return;
	if (!port_has_only(port) ||
	    !(likely(fab_port_is_plain(port)) ? port_serve_plain(fab, port) :
						port_serve_only(fab, port)))
		port_serve(fab, port);
}
