/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A port: class queues, a scheduler, a discipline and the outgoing wire.
 */
#ifndef FAB_PORT_H
#define FAB_PORT_H

#include "counters.h"
#include "discipline.h"
#include "event.h"
#include "pkt.h"
#include "sched.h"
#include "wire.h"

#define FAB_QUEUE_MAX		((u32)BIT(31))	/* bytes of a class queue */

/**
 * struct fab_port_params - what a port is
 */
struct fab_port_params {
	/** @disc: discipline of the link */
	const struct fab_discipline *disc;
	/** @classes: classes in use, 1 to FAB_CLASSES_MAX */
	u32 classes;
	/** @queue_limit: bytes that each class queue holds, the packet on the wire excluded */
	u32 queue_limit;
	/** @sched: scheduling of the classes */
	struct fab_sched_params sched;
};

/**
 * struct fab_class - queue of one class at a port
 *
 * With virtual output queues there is one fifo per ingress port, served in
 * turn; otherwise all packets share fifo[0].
 */
struct fab_class {
	/** @fifo: queues, as many as fab_port.fifos */
	struct fab_fifo *fifo;
	/** @active: bit per fifo that holds a packet */
	unsigned long *active;
	/** @turn: fifo that is served next */
	u32 turn;
	/** @packets: handles queued */
	u32 packets;
	/** @bytes: bytes queued */
	u32 bytes;
};

/**
 * struct fab_port - one end of a link
 *
 * What every packet touches comes first.
 */
struct fab_port {
	/** @sw: switch that owns the port, NULL at an endpoint */
	struct fab_switch *sw;
	/** @ep: endpoint that owns the port, NULL at a switch */
	struct fab_endpoint *ep;
	/** @peer: far end of the link, NULL when nothing is plugged in */
	struct fab_port *peer;
	/** @cls: class queues, p.classes of them */
	struct fab_class *cls;
	/** @index: number of the port in its switch, 0 at an endpoint */
	u16 index;
	/** @ready: bit per class that holds a packet */
	u16 ready;
	/** @fifos: queues per class */
	u32 fifos;
	/** @busy_until: when the last bit of the present transmission is sent */
	fab_time busy_until;
	/** @queued: bytes queued in all classes */
	u64 queued;
	/** @held: bytes that arrived through this port and are in the switch's buffer */
	u64 held;
	/** @kick: fires when the port may start a transmission */
	struct fab_event kick;
	/** @wire: outgoing half of the link */
	struct fab_wire wire;
	/** @c: counters */
	struct fab_port_counters c;
	/** @p: parameters */
	struct fab_port_params p;
	/** @sched: scheduler */
	struct fab_sched sched;
	/** @disc_timer: timer of the discipline */
	struct fab_event disc_timer;
	/** @disc_state: state of the discipline, p.disc->state_size bytes */
	void *disc_state;
};

int fab_port_params_check(const struct fab_port_params *p);
size_t fab_port_mem(const struct fab_port_params *p, u32 fifos);
void *fab_port_init(struct fab *fab, struct fab_port *port,
		    const struct fab_port_params *p, u32 fifos, void *mem);
int fab_port_enqueue(struct fab *fab, struct fab_port *port,
		     struct fab_pkt *pkt, u32 fifo);
void fab_port_kick(struct fab *fab, struct fab_port *port, fab_time at);
void fab_port_flush(struct fab *fab, struct fab_port *port, enum fab_drop why);
void fab_port_drop(struct fab *fab, struct fab_port *port,
		   struct fab_pkt *pkt, enum fab_drop why);

/**
 * fab_port_can_send() - is there a link, and is its outgoing wire up?
 * @port: the port
 *
 * Return: whether packets may be queued.
 */
static inline bool fab_port_can_send(const struct fab_port *port)
{
	return port->peer && port->wire.up;
}

/**
 * fab_port_may_send() - does the discipline let a packet go?
 * @port: the port
 * @pkt: head of its class
 *
 * Return: whether it may go onto the wire now.
 */
static inline bool fab_port_may_send(struct fab_port *port,
				     const struct fab_pkt *pkt)
{
	return !port->p.disc->may_send || port->p.disc->may_send(port, pkt);
}

int fab_link_join(struct fab *fab, struct fab_port *a, struct fab_port *b,
		  const struct fab_wire_params *ab,
		  const struct fab_wire_params *ba);
void fab_link_set(struct fab *fab, struct fab_port *from,
		  const struct fab_wire_params *p);
void fab_link_up(struct fab *fab, struct fab_port *from, bool up);
void fab_link_carry(struct fab *fab, struct fab_port *from,
		    struct fab_pkt *pkt, fab_time time);
void fab_link_on_arrival(struct fab *fab, struct fab_event *ev);
void fab_link_part(struct fab *fab, struct fab_port *a, enum fab_drop why);

#endif
