// SPDX-License-Identifier: GPL-2.0
/*
 * A port: its class queues. transmit.c has its transmissions.
 *
 * DOC: theory of operation
 *
 * A packet is eligible from pkt->at on, when it has passed the pipeline of the switch, or
 * the host's side of a NIC. Order within one fifo is strict, even if a later packet is
 * eligible earlier. When a packet joins a queue, the port is kicked for the time at which
 * it is eligible.
 *
 * Features that only some ports have are checked only while a bit of special is set.
 * So a plain port pays one comparison for them.
 *
 * Invariants: a class has its bit in ready exactly when it holds a packet; a
 * port that cannot send (link down, nothing plugged in) holds none; a port that
 * holds a packet and whose flow control never blocks has its kick pending.
 */
#include "core/node/port.h"
#include "core/flow/retry.h"
#include "core/node/queue.h"
#include "core/sim/mem.h"

/* Maximum number of control frames on the wire of a port. */
static u32 port_slots(const struct fab_port_params *p)
{
	const struct fab_flow_control *flow = p->disc->flow;
	u32 slots = flow->control_slots;

	if (flow->class_slots)
		slots = min(slots, (p->classes + 1) * flow->class_slots);
	return p->disc->framing->size ? max(slots, FAB_RETRY_SLOTS) : slots;
}

static size_t port_flow_size(const struct fab_port_params *p)
{
	const struct fab_flow_control *flow = p->disc->flow;

	return flow->state_size + p->classes * flow->class_size;
}

static size_t port_state_size(const struct fab_port_params *p)
{
	size_t size = 0;

	if (p->disc->framing->size)
		size += fab_mem_size(1, sizeof(struct fab_retry));
	if (fab_sched_needed(&p->sched, p->classes))
		size += fab_mem_size(1, sizeof(struct fab_sched));
	return size + fab_mem_size(1, port_flow_size(p));
}

/**
 * fab_port_params_check() - check the parameters of a port
 * @p: the parameters
 *
 * Return: 0, or -EINVAL.
 */
int fab_port_params_check(const struct fab_port_params *p)
{
	if (!p->classes || p->classes > FAB_CLASSES_MAX)
		return -EINVAL;
	if (!p->queue_limit || p->queue_limit > FAB_QUEUE_MAX)
		return -EINVAL;
	if (!p->disc || !fab_discipline_sensible(p->disc))
		return -EINVAL;
	if (fab_sched_params_check(&p->sched, p->classes))
		return -EINVAL;
	if (p->react > FAB_DELAY_MAX || p->ipd > FAB_IPD_MAX)
		return -EINVAL;
	if (fab_mark_params_check(&p->mark) || fab_trim_params_check(p))
		return -EINVAL;
	if (fab_age_params_check(&p->age))
		return -EINVAL;
	if (p->disc->framing->size && fab_retry_params_check(p))
		return -EINVAL;
	return p->disc->flow->params_check ? p->disc->flow->params_check(p) : 0;
}

/* Classes for which a port has memory. */
static u32 port_classes(const struct fab_port_params *p)
{
	return p->disc->flow->mgmt ? FAB_CLASSES_MAX : p->classes;
}

/**
 * fab_port_ring_mem() - memory that a port needs for the control frames on its wire
 * @p: parameters of the port
 *
 * It is apart from what fab_port_mem() says: few frames are ever on a wire at once, and
 * rings of many ports in one place are memory that is hardly touched.
 *
 * Return: bytes.
 */
size_t fab_port_ring_mem(const struct fab_port_params *p)
{
	return fab_mem_size(port_slots(p), sizeof(struct fab_control));
}

/**
 * fab_port_ring_init() - give a port the ring for the control frames on its wire
 * @port: the port, just initialised
 * @mem: zeroed memory, fab_port_ring_mem() bytes
 *
 * Return: the end of the memory used.
 */
void *fab_port_ring_init(struct fab_port *port, void *mem)
{
	port->control.slots = port_slots(port->p);
	port->control.slot = fab_mem_cut(&mem, port->control.slots,
					 sizeof(struct fab_control));
	return mem;
}

/**
 * fab_port_class_mem() - memory that the classes of a port need
 * @p: parameters of the port
 *
 * Return: bytes.
 */
size_t fab_port_class_mem(const struct fab_port_params *p)
{
	return fab_mem_size(port_classes(p), sizeof(struct fab_class));
}

/**
 * fab_port_mem() - memory that a port needs in addition to its struct, classes and ring
 * @p: parameters of the port
 * @fifos: queues per class
 *
 * Return: bytes.
 */
size_t fab_port_mem(const struct fab_port_params *p, u32 fifos)
{
	u32 n = port_classes(p);
	size_t queues = 0;

	if (fifos > 1)
		queues = fab_mem_size(fifos, sizeof(struct fab_fifo)) +
			 fab_mem_size(BITS_TO_LONGS(fifos),
				      sizeof(unsigned long));
	/* Between the last class and FAB_VL_MGMT there are no queues. */
	return min(n, p->classes + 1) * queues + port_state_size(p) + fab_age_mem(p, fifos);
}

static void port_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct fab_port *port = container_of(ev, struct fab_port, flow_timer);

	port->flow->on_timer(fab, port);
}

/* The FAB_SPECIAL_* bits of @port; only switches mark and trim. */
static u8 port_special(const struct fab_port *port)
{
	u8 special = 0;

	if (port->p->ipd)
		special |= FAB_SPECIAL_IPD;
	if (port->sw && fab_mark_used(port))
		special |= FAB_SPECIAL_MARK;
	if (port->sw && port->p->trim.len)
		special |= FAB_SPECIAL_TRIM;
	if (port->p->disc->framing->size)
		special |= FAB_SPECIAL_RETRY;
	return special;
}

/**
 * fab_port_sched_set() - set the scheduler of a port, and reset its state
 * @port: the port
 * @p: its parameters, which fab_sched_params_check() accepts
 */
void fab_port_sched_set(struct fab_port *port, const struct fab_sched_params *p)
{
	port->alone = port->p->classes == 1 ? U16_MAX : 0;
	if (!port->sched)
		return;
	fab_sched_init(port->sched, p);
	if (port->p->classes > 1)
		port->alone = fab_sched_strict(port->sched);
}

/* Set the queues of a class: its own fields if there is only one, else cut from @mem. */
static void *class_init(struct fab_class *c, u32 fifos, void *mem)
{
	if (fifos == 1) {
		c->fifo = &c->one;
		c->active = &c->one_active;
		return mem;
	}
	c->fifo = fab_mem_cut(&mem, fifos, sizeof(struct fab_fifo));
	c->active = fab_mem_cut(&mem, BITS_TO_LONGS(fifos),
				sizeof(unsigned long));
	return mem;
}

/**
 * fab_port_init() - initialise a port with nothing plugged in
 * @fab: the fabric
 * @port: zeroed, except its owner (sw, ep) and index
 * @p: parameters, which fab_port_params_check() accepts; must live as long as the port
 * @fifos: queues per class
 * @cls: zeroed memory, fab_port_class_mem() bytes
 * @mem: zeroed memory, fab_port_mem() bytes
 *
 * Return: the end of the memory used.
 */
void *fab_port_init(struct fab *fab, struct fab_port *port,
		    struct fab_port_params *p, u32 fifos, struct fab_class *cls, void *mem)
{
	u32 left;

	port->p = p;
	port->flow = p->disc->flow;
	port->fifos = fifos;
	port->plain = fifos == 1 && !port->flow->may_send && !port->flow->on_send;
	port->by_class = p->classes > 1 || p->disc->flow->mgmt;
	fab_event_init(&port->kick, fab_port_on_kick);
	fab_event_init(&port->flow_timer, port_on_timer);
	fab_event_init(&port->wire.arrival, fab_link_on_arrival);
	fab_event_init(&port->control.arrival, fab_control_on_arrival);
	port->cls = cls;
	for (left = fab_port_classes(port); left; left &= left - 1)
		mem = class_init(&port->cls[__ffs(left)], fifos, mem);
	if (fab_sched_needed(&p->sched, p->classes))
		port->sched = fab_mem_cut(&mem, 1, sizeof(*port->sched));
	fab_port_sched_set(port, &p->sched);
	port->flow_state = fab_mem_cut(&mem, 1, port_flow_size(p));
	if (port->sw)
		fab_mark_init(fab, port);
	port->special = port_special(port);
	if (port->special & FAB_SPECIAL_RETRY) {
		port->retry = fab_mem_cut(&mem, 1, sizeof(struct fab_retry));
		fab_retry_init(port);
	}
	fab_age_init(port, &mem);
	if (port->flow->init)
		port->flow->init(fab, port);
	return mem;
}

/*
 * Features of some ports before a packet joins a queue. Returns FAB_DROP_COUNT if it
 * can join, else the reason for a drop.
 */
static noinline enum fab_drop port_enqueue_special(struct fab *fab,
						   struct fab_port *port,
						   struct fab_pkt *pkt,
						   enum fab_drop why)
{
	if (why == FAB_DROP_QUEUE_FULL && port->special & FAB_SPECIAL_TRIM &&
	    fab_trim(fab, port, pkt))
		why = FAB_DROP_COUNT;
	if (why == FAB_DROP_COUNT && port->special & FAB_SPECIAL_MARK &&
	    !port->p->mark.dequeue)
		fab_mark_look(fab, port, pkt);
	return why;
}

/* Drop a packet that cannot join its queue. Returns as fab_port_enqueue(). */
static noinline int port_refuse(struct fab *fab, struct fab_port *port,
				struct fab_pkt *pkt, enum fab_drop why)
{
	fab_queue_release(fab, port, pkt);
	fab_port_drop(fab, port, pkt, why);
	return why == FAB_DROP_LINK_DOWN ? -ENOLINK : -ENOBUFS;
}

/**
 * fab_port_kick() - schedule the next attempt of a port to send
 * @fab: the fabric
 * @port: the port
 * @at: time; the end of the present transmission if that is later
 */
void fab_port_kick(struct fab *fab, struct fab_port *port, fab_time at)
{
	fab_kick(fab, port, at);
}

/**
 * fab_port_enqueue() - queue a packet for sending
 * @fab: the fabric
 * @port: the port
 * @pkt: the packet; pkt->at is the earliest time at which it may be sent
 * @fifo: queue within its class
 *
 * The port owns the packet in any case. A switch trims or drops it if its class is
 * full. An endpoint checks its ring before.
 *
 * Return: 0; -ENOLINK if it was dropped because the link is down, -ENOBUFS if for
 * another reason.
 */
int fab_port_enqueue(struct fab *fab, struct fab_port *port,
		     struct fab_pkt *pkt, u32 fifo)
{
	enum fab_drop why = fab_port_refuses(port, pkt);

	if (unlikely(port->special & (FAB_SPECIAL_MARK | FAB_SPECIAL_TRIM)))
		why = port_enqueue_special(fab, port, pkt, why);
	if (unlikely(why != FAB_DROP_COUNT))
		return port_refuse(fab, port, pkt, why);
	fab_queue_push(port, pkt, fifo);
	if (unlikely(port->special & FAB_SPECIAL_AGE))
		fab_age_joined(fab, port, pkt);
	fab_queue_joined(fab, port, pkt);
	return 0;
}

/* Take everything out of a class at once, so that callbacks find it empty. */
static struct fab_fifo class_take(struct fab_port *port, u32 cls)
{
	struct fab_fifo all = { .head = NULL };

	while (port->ready & BIT(cls))
		fab_fifo_push(&all,
			      fab_queue_pop(port, cls,
					    fab_bitset_next(port->cls[cls].active,
							    port->fifos, 0)));
	return all;
}

static void class_flush(struct fab *fab, struct fab_port *port, u32 cls,
			enum fab_drop why)
{
	struct fab_fifo all = class_take(port, cls);
	struct fab_pkt *pkt;

	if (port->age)
		fab_age_rest(fab, port);
	while ((pkt = fab_fifo_pop(&all))) {
		fab_queue_release(fab, port, pkt);
		fab_port_drop(fab, port, pkt, why);
	}
}

/**
 * fab_port_flush() - drop all queued packets
 * @fab: the fabric
 * @port: the port
 * @why: reason, reported to the host
 */
void fab_port_flush(struct fab *fab, struct fab_port *port, enum fab_drop why)
{
	u32 classes = fab_port_classes(port), left;

	fab_event_cancel(&fab->events, &port->kick);
	if (port->blocked)
		fab_port_waits(fab, port, 0, false);
	for (left = classes; left; left &= left - 1)
		class_flush(fab, port, __ffs(left), why);
	for (left = port->ep ? classes : 0; left; left &= left - 1)
		fab_endpoint_drained(fab, port->ep, __ffs(left));
}

/**
 * fab_port_flush_class() - drop all queued packets of a class
 * @fab: the fabric
 * @port: the port; one of an endpoint does not wake its host
 * @cls: the class
 * @why: reason, reported to the host
 */
void fab_port_flush_class(struct fab *fab, struct fab_port *port, u32 cls,
			  enum fab_drop why)
{
	if (port->blocked & BIT(cls))
		fab_port_waits(fab, port, port->blocked & ~BIT(cls),
			       port->waiting);
	class_flush(fab, port, cls, why);
	if (!port->ready && !port->urgent)
		fab_event_cancel(&fab->events, &port->kick);
}

/**
 * fab_port_expire() - drop the head of a queue
 * @fab: the fabric
 * @port: the port, of a switch
 * @cls: its class
 * @fifo: the queue, which is not empty
 * @why: reason, reported to the host
 */
void fab_port_expire(struct fab *fab, struct fab_port *port, u32 cls, u32 fifo,
		     enum fab_drop why)
{
	u32 turn = port->cls[cls].turn;
	struct fab_pkt *pkt = fab_queue_pop(port, cls, fifo);

	port->cls[cls].turn = turn;
	if (port->blocked & ~port->ready)
		fab_port_waits(fab, port, port->blocked & port->ready,
			       port->waiting);
	if (port->ready || port->urgent)
		fab_kick(fab, port, fab->now);
	else
		fab_event_cancel(&fab->events, &port->kick);
	fab_queue_release(fab, port, pkt);
	fab_port_drop(fab, port, pkt, why);
}

static void class_count_drop(struct fab_class_counters *c,
			     const struct fab_pkt *pkt, fab_time now)
{
	if (!c->dropped)
		c->first_drop_ps = now;
	c->dropped += pkt->segs;
}

/**
 * fab_port_drop() - return a packet to the host undelivered, and count the drop
 * @fab: the fabric
 * @port: where it was lost
 * @pkt: the packet, no longer in a queue
 * @why: reason, reported to the host
 *
 * A packet whose service level has no VL is not counted in a class.
 */
void fab_port_drop(struct fab *fab, struct fab_port *port,
		   struct fab_pkt *pkt, enum fab_drop why)
{
	port->c.drops[why] += pkt->segs;
	if (unlikely(fab->phased))
		fab_phase_dropped(fab, pkt);
	if (why == FAB_DROP_LINK_DOWN)
		fab_fault_cut_off(port, pkt);
	if (fab_port_has(port, pkt->cls))
		class_count_drop(&port->cls[pkt->cls].c, pkt, fab->now);
	fab->c.packets_dropped++;
	fab->host->drop(fab, port, pkt, why);
}
