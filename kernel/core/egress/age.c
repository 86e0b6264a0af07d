// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes: how long a packet may wait in a switch (IBTA 18.2.5.4).
 *
 * DOC: theory of operation
 *
 * Head-of-queue life: a head that has been eligible for hoq without leaving is
 * dropped. Its time starts when the packet before it left the queue, or when it
 * became eligible, whichever is later. With virtual output queues each queue has a
 * head and a time of its own. With one time for all queues of a class, the drops
 * could hit one queue while another one blocks the network.
 *
 * Switch lifetime: a head that arrived in the switch life ago is dropped. Its arrival
 * is fab_pkt.at less the latency of the switch; for cut-through onto a faster link
 * this is when it could have left without the latency. Packets behind the head are
 * checked when they are heads: in a queue of several ingress ports one of them may be
 * older than the head.
 *
 * Stall: after stall_count drops for hoq in a row, without a packet sent between,
 * all queued packets of the class are dropped, and all that arrive for it within
 * 8 hoq.
 *
 * A port has one event, scheduled for the earliest of these times. A head that leaves
 * does not move the event: the event then finds nothing to do and is scheduled again.
 * So a class that makes progress costs one event per lifetime, not one per packet.
 *
 * Invariant: the event is pending exactly while a packet waits or a stall lasts, and
 * not later than the earliest of these times.
 */
#include "core/egress/age.h"
#include "core/fabric.h"
#include "core/sim/bitset.h"
#include "core/sim/mem.h"

/**
 * fab_age_params_check() - can the model carry these parameters?
 * @p: the parameters
 *
 * Return: 0; -ERANGE for a time, -EINVAL for stalls without a life of the head.
 */
int fab_age_params_check(const struct fab_age_params *p)
{
	if (p->hoq > FAB_DELAY_MAX || p->life > FAB_DELAY_MAX)
		return -ERANGE;
	return p->stall_count && !p->hoq ? -EINVAL : 0;
}

static fab_time age_later(fab_time since, fab_time life)
{
	return life ? since + life : FAB_NEVER;
}

/* End of the switch lifetime of a head that is eligible at @at. */
static fab_time age_life_over(const struct fab_port *port, fab_time at)
{
	return age_later(at - port->sw->p.latency, port->p->age.life);
}

/* When the present head of a queue last changed. */
static fab_time *age_moved(const struct fab_port *port, u32 cls, u32 fifo)
{
	return &port->age->moved[cls * port->fifos + fifo];
}

/* End of the head-of-queue life of a head that is eligible at @at. */
static fab_time age_head_over(const struct fab_port *port, u32 cls, u32 fifo,
			      fab_time at)
{
	return age_later(max(*age_moved(port, cls, fifo), at), port->p->age.hoq);
}

static fab_time age_over(const struct fab_port *port, u32 cls, u32 fifo,
			 fab_time at)
{
	return min(age_life_over(port, at),
		   age_head_over(port, cls, fifo, at));
}

/* Management waits for no credit, so its packets need no lifetime. */
static bool age_exempts(const struct fab_port *port, u32 cls)
{
	return cls == FAB_VL_MGMT && fab_port_manages(port);
}

/* The classes with packets that have a lifetime. */
static u32 age_ready(const struct fab_port *port)
{
	return age_exempts(port, FAB_VL_MGMT) ?
	       port->ready & ~BIT(FAB_VL_MGMT) : port->ready;
}

static fab_time age_class_over(const struct fab_port *port, u32 cls)
{
	const struct fab_class *c = &port->cls[cls];
	fab_time at = FAB_NEVER;
	u32 i;

	fab_bitset_for_each(i, c->active, port->fifos)
		at = min(at, age_over(port, cls, i, c->fifo[i].head->at));
	return at;
}

/* The earliest time at which something is to be done. */
static fab_time age_next(const struct fab_port *port)
{
	const struct fab_age *age = port->age;
	fab_time at = FAB_NEVER;
	u32 left;

	for (left = age_ready(port); left; left &= left - 1)
		at = min(at, age_class_over(port, __ffs(left)));
	for (left = age->stalled; left; left &= left - 1)
		at = min(at, age->cls[__ffs(left)].stalled_until);
	return at;
}

static void age_arm(struct fab *fab, struct fab_port *port, fab_time at)
{
	struct fab_event *due = &port->age->due;

	at = max(at, fab->now);
	if (!fab_event_pending(due) || at < due->at)
		fab_event_move(&fab->events, due, at);
}

static void age_stall(struct fab *fab, struct fab_port *port, u32 cls)
{
	struct fab_age_class *c = &port->age->cls[cls];

	c->stalled_until = fab->now + FAB_AGE_STALL * port->p->age.hoq;
	port->age->stalled |= BIT(cls);
	port->dropping |= BIT(cls);
	port->dropping_why = FAB_DROP_VL_STALL;
	fab_port_flush_class(fab, port, cls, FAB_DROP_VL_STALL);
}

static void age_expire(struct fab *fab, struct fab_port *port, u32 cls,
		       u32 fifo, enum fab_drop why)
{
	*age_moved(port, cls, fifo) = fab->now;
	fab_port_expire(fab, port, cls, fifo, why);
}

/* Drop the heads of a queue whose life is over. */
static void age_queue(struct fab *fab, struct fab_port *port, u32 cls, u32 fifo)
{
	const struct fab_fifo *q = &port->cls[cls].fifo[fifo];
	struct fab_age_class *c = &port->age->cls[cls];

	while (q->head && age_life_over(port, q->head->at) <= fab->now)
		age_expire(fab, port, cls, fifo, FAB_DROP_SWITCH_LIFE);
	if (!q->head || age_head_over(port, cls, fifo, q->head->at) > fab->now)
		return;
	age_expire(fab, port, cls, fifo, FAB_DROP_HOQ_LIFE);
	if (++c->drops == port->p->age.stall_count)
		age_stall(fab, port, cls);
}

static void age_class(struct fab *fab, struct fab_port *port, u32 cls)
{
	u32 i;

	fab_bitset_for_each(i, port->cls[cls].active, port->fifos)
		age_queue(fab, port, cls, i);
}

static void age_unstall(struct fab *fab, struct fab_port *port)
{
	struct fab_age *age = port->age;
	u32 left, cls;

	for (left = age->stalled; left; left &= left - 1) {
		cls = __ffs(left);
		if (age->cls[cls].stalled_until > fab->now)
			continue;
		age->stalled &= ~BIT(cls);
		age->cls[cls].drops = 0;
		port->dropping &= ~BIT(cls) | port->shut;
	}
}

static void age_on_due(struct fab *fab, struct fab_event *ev)
{
	struct fab_age *age = container_of(ev, struct fab_age, due);
	struct fab_port *port = age->port;
	u32 left;

	age_unstall(fab, port);
	for (left = age_ready(port); left; left &= left - 1)
		age_class(fab, port, __ffs(left));
	age_arm(fab, port, age_next(port));
}

static bool age_used(const struct fab_age_params *p)
{
	return p->hoq || p->life;
}

/**
 * fab_age_mem() - memory that lifetimes take at a port
 * @p: parameters of the port
 * @fifos: queues per class
 *
 * Return: bytes.
 */
size_t fab_age_mem(const struct fab_port_params *p, u32 fifos)
{
	if (!age_used(&p->age))
		return 0;
	return fab_mem_size(1, sizeof(struct fab_age)) +
	       fab_mem_size((size_t)p->classes * fifos,
			    sizeof(fab_time));
}

/**
 * fab_age_init() - prepare the lifetimes at a port, if there are any
 * @port: the port; one that is not of a switch goes without
 * @mem: zeroed memory, fab_age_mem() bytes; moved behind what was used
 */
void fab_age_init(struct fab_port *port, void **mem)
{
	if (!age_used(&port->p->age) || !port->sw)
		return;
	port->age = fab_mem_cut(mem, 1, sizeof(struct fab_age));
	port->age->moved = fab_mem_cut(mem,
				       (size_t)port->p->classes * port->fifos,
				       sizeof(fab_time));
	port->age->port = port;
	fab_event_init(&port->age->due, age_on_due);
	port->special |= FAB_SPECIAL_AGE;
}

static u32 age_fifo(const struct fab_port *port, const struct fab_pkt *pkt)
{
	return port->fifos > 1 ? pkt->ingress : 0;
}

/**
 * fab_age_joined() - a packet was queued
 * @fab: the fabric
 * @port: port of a switch, with lifetimes
 * @pkt: the packet
 */
void fab_age_joined(struct fab *fab, struct fab_port *port,
		    const struct fab_pkt *pkt)
{
	if (unlikely(age_exempts(port, pkt->cls)))
		return;
	age_arm(fab, port, age_over(port, pkt->cls, age_fifo(port, pkt),
				    pkt->at));
}

/**
 * fab_age_sent() - the head of a queue starts on the wire
 * @fab: the fabric
 * @port: port of a switch, with lifetimes
 * @pkt: the packet
 */
void fab_age_sent(struct fab *fab, struct fab_port *port,
		  const struct fab_pkt *pkt)
{
	u32 fifo = age_fifo(port, pkt);
	const struct fab_pkt *head = port->cls[pkt->cls].fifo[fifo].head;

	if (unlikely(age_exempts(port, pkt->cls)))
		return;
	*age_moved(port, pkt->cls, fifo) = fab->now;
	port->age->cls[pkt->cls].drops = 0;
	/* One that was eligible before its predecessor may be older. */
	if (head)
		age_arm(fab, port, age_over(port, pkt->cls, fifo, head->at));
	else
		fab_age_rest(fab, port);
}

/**
 * fab_age_rest() - packets left a port: cancel the event if none waits
 * @fab: the fabric
 * @port: the port, with lifetimes
 */
void fab_age_rest(struct fab *fab, struct fab_port *port)
{
	if (!age_ready(port) && !port->age->stalled)
		fab_event_cancel(&fab->events, &port->age->due);
}

/**
 * fab_age_stop() - a port goes
 * @fab: the fabric
 * @port: the port
 */
void fab_age_stop(struct fab *fab, struct fab_port *port)
{
	if (port->age)
		fab_event_cancel(&fab->events, &port->age->due);
}

/**
 * fab_age_check() - prove the invariants
 * @fab: the fabric
 * @port: port of a switch, with lifetimes
 *
 * Return: NULL, or what is wrong.
 */
const char *fab_age_check(const struct fab *fab, const struct fab_port *port)
{
	const struct fab_age *age = port->age;

	if (fab_event_pending(&age->due) !=
	    (age_ready(port) || age->stalled))
		return "age: event without a packet, or without an event";
	if (fab_event_pending(&age->due) &&
	    age->due.at > max(age_next(port), fab->now))
		return "age: something waits for too long";
	if (age->stalled & ~port->dropping || age->stalled & port->ready)
		return "age: a stalled class does not drop";
	return NULL;
}
