/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A port: class queues, a scheduler, flow control and the outgoing wire.
 */
#ifndef FAB_PORT_H
#define FAB_PORT_H

#include "core/counters.h"
#include "core/egress/age.h"
#include "core/egress/mark.h"
#include "core/egress/sched.h"
#include "core/egress/trim.h"
#include "core/fault/fault.h"
#include "core/flow/discipline.h"
#include "core/flow/flow.h"
#include "core/node/buffer.h"
#include "core/node/cut.h"
#include "core/node/phase.h"
#include "core/pkt.h"
#include "core/sim/event.h"
#include "core/wire/control.h"
#include "core/wire/wire.h"

#define FAB_QUEUE_MAX		((u32)BIT(31))	/* bytes of a class queue */
#define FAB_IPD_MAX		1023U		/* packet times */
#define FAB_RETRY_SLOTS		64U		/* acknowledgements on a wire */

/* fab_port.urgent: work that goes before the queues */
#define FAB_URGENT_CONTROL	BIT(0)	/* a control frame is to be sent */
#define FAB_URGENT_REPLAY	BIT(1)	/* packets are to be replayed */
#define FAB_URGENT_HOLD		BIT(2)	/* no packet before hold_until */

/* fab_port.special: features that take a packet off the fast path */
#define FAB_SPECIAL_IPD		BIT(0)	/* the wire is idle for a time after each packet */
#define FAB_SPECIAL_MARK	BIT(1)	/* some class is marked */
#define FAB_SPECIAL_TRIM	BIT(2)	/* some class is trimmed */
#define FAB_SPECIAL_AGE		BIT(3)	/* packets have a lifetime */
#define FAB_SPECIAL_RATE	BIT(4)	/* some class has a limited rate */
#define FAB_SPECIAL_RETRY	BIT(5)	/* the link retransmits packets with errors */
#define FAB_SPECIAL_FAULT	BIT(6)	/* the wire has faults, or packets that are late */
#define FAB_SPECIAL_CUT		BIT(7)	/* the far end is in another part; no faults */

/**
 * struct fab_port_params - parameters of a port
 */
struct fab_port_params {
	/** @disc: discipline of the link */
	const struct fab_discipline *disc;
	/** @classes: classes in use, 1 to FAB_CLASSES_MAX; see also fab_port_manages() */
	u32 classes;
	/** @queue_limit: bytes that each class queue holds, the packet on the wire excluded */
	u32 queue_limit;
	/** @react: from a control frame's last bit to its effect, ps */
	fab_time react;
	/** @ipd: static rate: idle time of the wire after each packet, in packet times */
	u32 ipd;
	/** @trim: trimming */
	struct fab_trim_params trim;
	/** @sched: scheduling of the classes */
	struct fab_sched_params sched;
	/** @age: lifetimes */
	struct fab_age_params age;
	/** @mark: congestion marks */
	struct fab_mark_params mark;
	/** @retry: retry, if the framing has it */
	struct fab_retry_params retry;
	/** @flow: flow control */
	union fab_flow_params flow;
};

/**
 * struct fab_class - queue of one class at a port
 *
 * With virtual output queues there is one fifo per ingress port, served round
 * robin; otherwise all packets share fifo[0].
 */
struct fab_class {
	/** @fifo: queues, as many as fab_port.fifos */
	struct fab_fifo *fifo;
	/** @active: bit per fifo that holds a packet */
	unsigned long *active;
	/** @turn: fifo that is served next */
	u32 turn;
	/** @packets: packets queued, a train as one */
	u32 packets;
	/** @bytes: bytes queued; a lossless class may hold more than 4 GiB */
	u64 bytes;
	/** @one: the queue, if there is only one */
	struct fab_fifo one;
	/** @one_active: @active, if there is only one queue */
	unsigned long one_active;
	/** @blocked_since: when flow control began to block the class */
	fab_time blocked_since;

	/* 64: what arrives */
	/** @account: occupancy of the receive buffer by the class */
	struct fab_account account;
	/** @c: counters */
	struct fab_class_counters c;

	/** @bucket: with @rate_bps: class whose @due applies to this one */
	u8 bucket;
	/** @rate_bps: rate limit, bits per second; 0: none */
	u64 rate_bps;
	/** @due: earliest start of the next packet of the classes in this bucket */
	fab_time due;
};

/**
 * struct fab_port - one end of a link
 *
 * What a packet uses comes first, in lines of a cache by what happens to it: who the port
 * is, its queues, the packets on its wire, its next transmission, its counters. The lines
 * hold where the memory is aligned to them, as it is in a switch.
 */
struct fab_port {
	/* 0: the port itself */
	/** @sw: switch that owns the port, NULL at an endpoint */
	struct fab_switch *sw;
	/** @ep: endpoint that owns the port, NULL at a switch */
	struct fab_endpoint *ep;
	/** @peer: far end of the link, NULL when nothing is plugged in */
	struct fab_port *peer;
	/** @cls: class queues: p.classes of them, and that of FAB_VL_MGMT */
	struct fab_class *cls;
	/** @p: parameters, of the owner; ports of a switch share them */
	struct fab_port_params *p;
	/** @flow: flow control, that of @p */
	const struct fab_flow_control *flow;
	/** @flow_state: state of the flow control (state_size, class_size) */
	void *flow_state;
	/** @index: number of the port in its switch, 0 at an endpoint */
	u16 index;
	/** @fifos: queues per class */
	u16 fifos;
	/** @lossless: bit per class that must not lose a packet in a queue */
	u16 lossless;
	/** @by_class: each packet updates counters of its class, see fab_port_settle() */
	bool by_class;
	/** @special: FAB_SPECIAL_* */
	u8 special;

	/* 64: its queues */
	/** @busy_until: when the last bit of the present transmission is sent */
	fab_time busy_until;
	/** @queued: bytes queued in all classes */
	u64 queued;
	/** @held: bytes in the switch's buffer that arrived through this port */
	u64 held;
	/** @held_peak: maximum of @held */
	u64 held_peak;
	/** @ready: bit per class that holds a packet */
	u16 ready;
	/** @blocked: bit per class that flow control blocked at the last kick */
	u16 blocked;
	/** @dropping: bit per class whose packets are dropped instead of queued */
	u16 dropping;
	/** @alone: bit per class that needs no arbitration if no other is ready */
	u16 alone;
	/** @halted: bit per class that flow control stops, whatever its may_send says */
	u16 halted;
	/** @over: with pauses: bit per class that the far end must not send */
	u16 over;
	/** @urgent: FAB_URGENT_* */
	u8 urgent;
	/** @plain: one queue per class, and flow control that looks at no packet on its way out */
	bool plain;
	/** @waiting: flow control blocks packets while the wire is idle */
	bool waiting;

	/* 112: the end of the same line, and two more */
	/** @wire: outgoing half of the link */
	struct fab_wire wire;
	/** @hold_until: earliest start of the next packet, with FAB_URGENT_HOLD */
	fab_time hold_until;
	/** @wait_since: with @waiting: since when */
	fab_time wait_since;

	/* 320 */
	/** @kick: fires when the port may start a transmission */
	struct fab_event kick;
	/** @share: its own limit, bytes, instead of the buffer's per_port; 0: none */
	u64 share;

	/* 384: of which the first 64 */
	/** @c: counters */
	struct fab_port_counters c;

	/** @unacked: packets that the far end refused, until its NAK takes effect */
	struct fab_fifo unacked;
	/** @replay: packets to be retransmitted, before anything else */
	struct fab_fifo replay;
	/** @control: control frames on the outgoing wire */
	struct fab_control_wire control;
	/** @sched: scheduler; NULL with one class and no tables */
	struct fab_sched *sched;
	/** @mark: state of the congestion marks */
	struct fab_mark mark;
	/** @age: lifetimes of the packets, NULL without */
	struct fab_age *age;
	/** @flow_timer: timer of the flow control */
	struct fab_event flow_timer;
	/** @retry_timer: repeats acknowledgements and credits that an error may have hit */
	struct fab_event retry_timer;
	/** @retry: state of retry, NULL without */
	struct fab_retry *retry;
	/** @faults: faults of the outgoing wire */
	struct fab_port_faults faults;
	/** @phase: its counters for phases */
	struct fab_phase_port phase;
	/** @cut: with FAB_SPECIAL_CUT: the outgoing wire */
	struct fab_cut *cut;
	/** @shut: bit per class, also of @dropping, that the gate drops (gate.c) */
	u16 shut;
	/** @dropping_why: reason for the drops of @dropping, those of @shut excepted */
	u8 dropping_why;
};

int fab_port_params_check(const struct fab_port_params *p);
size_t fab_port_ring_mem(const struct fab_port_params *p);
void *fab_port_ring_init(struct fab_port *port, void *mem);
size_t fab_port_class_mem(const struct fab_port_params *p);
size_t fab_port_mem(const struct fab_port_params *p, u32 fifos);
void *fab_port_init(struct fab *fab, struct fab_port *port,
		    struct fab_port_params *p, u32 fifos, struct fab_class *cls, void *mem);
void fab_port_sched_set(struct fab_port *port, const struct fab_sched_params *p);
int fab_port_enqueue(struct fab *fab, struct fab_port *port,
		     struct fab_pkt *pkt, u32 fifo);
void fab_port_kick(struct fab *fab, struct fab_port *port, fab_time at);
void fab_port_on_kick(struct fab *fab, struct fab_event *ev);
void fab_port_flush(struct fab *fab, struct fab_port *port, enum fab_drop why);
void fab_port_flush_class(struct fab *fab, struct fab_port *port, u32 cls,
			  enum fab_drop why);
void fab_port_expire(struct fab *fab, struct fab_port *port, u32 cls, u32 fifo,
		     enum fab_drop why);
void fab_port_waits(struct fab *fab, struct fab_port *port, u16 blocked,
		    bool idle);
void fab_port_settle(struct fab *fab, struct fab_port *port);
void fab_port_drop(struct fab *fab, struct fab_port *port,
		   struct fab_pkt *pkt, enum fab_drop why);

/**
 * fab_port_can_send() - is there a link, and is its outgoing wire up?
 * @port: the port
 *
 * Return: true if packets may be queued.
 */
static inline bool fab_port_can_send(const struct fab_port *port)
{
	return port->peer && port->wire.up;
}

/**
 * fab_port_manages() - has the port a VL of its own for subnet management?
 * @port: the port
 *
 * FAB_VL_MGMT is then a class of the port, though it may have fewer for data.
 *
 * Return: true if it has.
 */
static inline bool fab_port_manages(const struct fab_port *port)
{
	return port->flow->mgmt;
}

/**
 * fab_port_classes() - the classes of a port, that of management included
 * @port: the port
 *
 * Return: a bit per class.
 */
static inline u32 fab_port_classes(const struct fab_port *port)
{
	u32 classes = BIT(port->p->classes) - 1;

	return fab_port_manages(port) ? classes | BIT(FAB_VL_MGMT) : classes;
}

/**
 * fab_port_has() - has a port a class?
 * @port: the port
 * @cls: the class
 *
 * Return: true if it has.
 */
static inline bool fab_port_has(const struct fab_port *port, u32 cls)
{
	return likely(cls < port->p->classes) ||
	       (cls == FAB_VL_MGMT && fab_port_manages(port));
}

/**
 * fab_port_class() - class of a packet at a port
 * @port: the port; the far end may have more classes
 * @cls: class of the packet on the wire
 *
 * Return: the same, or the last class for data.
 */
static inline u8 fab_port_class(const struct fab_port *port, u8 cls)
{
	if (likely(!cls))
		return 0;
	return fab_port_has(port, cls) ? cls : port->p->classes - 1;
}

/**
 * fab_port_errs() - can the outgoing wire corrupt or lose packets?
 * @port: the port
 *
 * Return: true if it has bit errors or faults.
 */
static inline bool fab_port_errs(const struct fab_port *port)
{
	return port->wire.p.bits_per_error || port->special & FAB_SPECIAL_FAULT;
}

/**
 * fab_port_is_plain() - is a packet sent without any more rules than those of its queue?
 * @port: the port
 *
 * Return: true if so. It may be marked or trimmed when it joins the queue.
 */
static inline bool fab_port_is_plain(const struct fab_port *port)
{
	return port->plain && port->wire.pace &&
	       !(port->special & ~(FAB_SPECIAL_MARK | FAB_SPECIAL_TRIM | FAB_SPECIAL_CUT));
}

/**
 * fab_port_hangs() - does a fault keep a NIC from sending?
 * @port: the port
 *
 * Return: true if its packets have to wait.
 */
static inline bool fab_port_hangs(const struct fab_port *port)
{
	return unlikely(port->special & FAB_SPECIAL_FAULT) &&
	       port->faults.hangs;
}

/**
 * fab_port_last() - arrival of the last packet on a wire that is not reordered
 * @port: port that sends on the wire, on which there is a packet
 *
 * Return: its time.
 */
static inline fab_time fab_port_last(const struct fab_port *port)
{
	return port->faults.late ? port->faults.order :
				   port->wire.in_flight.tail->at;
}

/**
 * fab_port_refuses() - check that a packet can join its queue
 * @port: the port
 * @pkt: the packet
 *
 * Return: FAB_DROP_COUNT if it can, else the reason for a drop.
 */
static inline enum fab_drop fab_port_refuses(const struct fab_port *port,
					     const struct fab_pkt *pkt)
{
	u64 bytes = port->cls[pkt->cls].bytes + pkt->len;

	if (!fab_port_can_send(port))
		return FAB_DROP_LINK_DOWN;
	if (unlikely(port->dropping & BIT(pkt->cls)))
		return port->shut & BIT(pkt->cls) ? FAB_DROP_INACTIVE :
						    port->dropping_why;
	if (unlikely(bytes > port->p->queue_limit) && port->sw &&
	    !(port->lossless & BIT(pkt->cls)))
		return FAB_DROP_QUEUE_FULL;
	if (port->flow->fits && unlikely(!port->flow->fits(port, pkt)))
		return FAB_DROP_TOO_LONG;
	return FAB_DROP_COUNT;
}

/**
 * fab_port_count_rx() - count a packet that arrived intact
 * @port: its ingress port
 * @pkt: the packet
 */
static inline void fab_port_count_rx(struct fab_port *port,
				     const struct fab_pkt *pkt)
{
	struct fab_class_counters *c;

	port->c.rx_packets += pkt->segs;
	port->c.rx_bytes += pkt->len;
	if (!port->by_class)
		return;
	c = &port->cls[fab_port_class(port, pkt->cls)].c;
	c->rx_packets += pkt->segs;
	c->rx_bytes += pkt->len;
}

bool fab_retry_room(const struct fab_port *port, const struct fab_pkt *pkt);

/**
 * fab_port_may_send() - do flow control and retry permit a packet to be sent?
 * @port: the port
 * @pkt: the packet, head of its class
 *
 * Return: true if its transmission may begin now.
 */
static inline bool fab_port_may_send(const struct fab_port *port,
				     const struct fab_pkt *pkt)
{
	if (unlikely(port->halted & BIT(pkt->cls)))
		return false;
	if (port->flow->may_send && !port->flow->may_send(port, pkt))
		return false;
	return likely(!(port->special & FAB_SPECIAL_RETRY)) ||
	       fab_retry_room(port, pkt);
}

/**
 * fab_port_share() - limit of a port in a buffer
 * @b: the buffer
 * @port: the port
 *
 * Return: bytes; with accounts, of the shared part.
 */
static inline u64 fab_port_share(const struct fab_buffer *b,
				 const struct fab_port *port)
{
	if (unlikely(b->own_shares) && port->share)
		return port->share;
	return b->p.per_port;
}

int fab_link_join(struct fab *fab, struct fab_port *a, struct fab_port *b,
		  const struct fab_wire_params *ab,
		  const struct fab_wire_params *ba);
void fab_link_reach(struct fab_port *from);
void fab_link_set(struct fab *fab, struct fab_port *from,
		  const struct fab_wire_params *p);
void fab_link_up(struct fab *fab, struct fab_port *from, bool up);
void fab_link_settle(struct fab *fab, struct fab_port *from);
void fab_link_lose(struct fab *fab, struct fab_port *from, enum fab_drop why);
void fab_link_recall(struct fab *fab, struct fab_port *from,
		     struct fab_fifo *q);
void fab_link_on_arrival(struct fab *fab, struct fab_event *ev);
void fab_link_part(struct fab *fab, struct fab_port *a, enum fab_drop why);

#endif
