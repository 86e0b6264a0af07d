// SPDX-License-Identifier: GPL-2.0
/*
 * Faults: when they are active, and the effect of those of a wire on packets.
 *
 * DOC: theory of operation
 *
 * A fault belongs to one wire, or to one switch (fault_switch.c). Its timer, an event
 * of the fabric, begins and ends it at exact times. Its effect on a packet is drawn
 * from random numbers of its own. So it repeats with its seed, and does not change the
 * draws of the wire's bit errors or of other faults. (It does change the order of
 * events of one instant: one more event there is one more draw.)
 *
 * A wire without faults has no cost: FAB_SPECIAL_FAULT is a bit among those that a
 * port checks anyway.
 *
 * Several faults of one wire act together. The wire is up if it is set up and none
 * keeps it down. Its rate is the lowest of its own and theirs, and so is the number of
 * lanes that work. Delays add up. A packet is lost if one of them loses it. Each draws
 * for each packet, so that losses are independent. A fault never writes the settings
 * of the wire, so they need not be restored.
 *
 * A lost frame never arrives. On a link with retry (NVLink, PCIe) a loss is an error
 * instead, as such a link notices each missing frame. Delays keep the order of
 * packets. A packet that is reordered is flagged; the packets behind it only keep the
 * order among those without the flag.
 *
 * Losses in bursts follow Gilbert's model (Capacity of a Burst-Noise Channel, Bell
 * System Technical Journal 39, 1960). All frames are lost in the bad state, which has
 * a mean length of B frames, and none in the good one. The bad state is left with
 * probability 1/B and entered with p / (1 - p) / B, so that the share p is lost.
 *
 * Invariants: the wire is down exactly when it is set down or some active fault keeps
 * it down; the number of flagged packets in flight is the one counted; the timer is
 * pending exactly when the fault will begin or end.
 */
#include "core/fault/fault.h"
#include "core/fabric.h"
#include "core/node/port.h"

/* num / den in units of 2^-64, for den below 2^32; U64_MAX if it is 1 or more. */
static u64 fault_fraction(u32 num, u32 den)
{
	u64 rest, high;

	if (num >= den)
		return U64_MAX;
	high = div64_u64_rem((u64)num << 32, den, &rest);
	return high << 32 | div64_u64(rest << 32, den);
}

/* Draw uniformly from 0 to @most. */
static fab_time fault_uniform(struct fab_fault *f, fab_time most)
{
	u64 rest;

	if (!most)
		return 0;
	div64_u64_rem(fab_rng_next(&f->rng), most + 1, &rest);
	return rest;
}

static int fault_check_time(const struct fab_fault_params *p)
{
	if (p->start > FAB_FAULT_START_MAX || p->duration > FAB_DELAY_MAX ||
	    p->period > FAB_DELAY_MAX)
		return -ERANGE;
	if (p->period ? !p->duration || p->duration >= p->period : p->count)
		return -EINVAL;
	return 0;
}

static int fault_check_rate(const struct fab_fault_params *p)
{
	return p->rate_bps && (p->rate_bps < FAB_RATE_MIN ||
			       p->rate_bps > FAB_RATE_MAX) ? -ERANGE : 0;
}

/* Check the parameters of a fault that hits only some packets or flows. */
static int fault_check_chance(const struct fab_fault_params *p)
{
	if (!p->ppb || p->ppb > FAB_FAULT_PPB || p->dsts > FAB_FAULT_DSTS_MAX)
		return -ERANGE;
	if (p->kind == FAB_FAULT_REORDER)
		return p->delay ? 0 : -EINVAL;
	if (p->kind != FAB_FAULT_LOSS || !p->burst)
		return 0;
	return p->burst > FAB_FAULT_BURST_MAX ||
	       p->ppb > FAB_FAULT_BURST_PPB ? -ERANGE : 0;
}

/**
 * fab_fault_params_check() - check the parameters of a fault
 * @p: the parameters
 *
 * Return: 0; -ERANGE for a number out of range; -EINVAL for parameters that do not
 * fit together.
 */
int fab_fault_params_check(const struct fab_fault_params *p)
{
	int err = fault_check_time(p);

	if (err)
		return err;
	if (p->delay > FAB_DELAY_MAX || p->jitter > FAB_DELAY_MAX)
		return -ERANGE;
	switch (p->kind) {
	case FAB_FAULT_DOWN:
	case FAB_FAULT_PAUSE_STORM:
	case FAB_FAULT_HANG:
		return 0;
	case FAB_FAULT_RATE:
		return p->rate_bps || p->lanes ? fault_check_rate(p) : -EINVAL;
	case FAB_FAULT_SLOW:
		return fault_check_rate(p);
	case FAB_FAULT_ECN:
		return p->red.kmin > p->red.kmax ||
		       p->red.pmax > FAB_MARK_ONE ? -EINVAL : 0;
	case FAB_FAULT_DELAY:
		return p->delay || p->jitter ? 0 : -EINVAL;
	case FAB_FAULT_FORGET:
	case FAB_FAULT_REBOOT:
	case FAB_FAULT_SHARP_DOWN:
		return 0;
	case FAB_FAULT_SHARP_SLOW:
		return p->delay ? 0 : -EINVAL;
	case FAB_FAULT_BUFFER:
		return !p->size || p->size > FAB_BUFFER_MAX ? -ERANGE : 0;
	case FAB_FAULT_CORRUPT:
		return !p->bits_per_error ||
		       p->bits_per_error > FAB_ERROR_MAX ? -ERANGE : 0;
	default:
		return fault_check_chance(p);
	}
}

/**
 * fab_fault_suits() - can the wire that a port sends on have a kind of fault?
 * @port: the port
 * @kind: the kind
 *
 * Links with credits or retry account for each packet in order, so they cannot have
 * duplicate or reordered packets.
 *
 * Return: true if it can.
 */
bool fab_fault_suits(const struct fab_port *port, enum fab_fault_kind kind)
{
	const struct fab_discipline *disc = port->p->disc;
	const struct fab_flow_control *flow = disc->flow;

	switch (kind) {
	case FAB_FAULT_DUPLICATE:
	case FAB_FAULT_REORDER:
		return !flow->credits && !disc->framing->size;
	case FAB_FAULT_CREDIT_LOSS:
		return flow->credits;
	case FAB_FAULT_PAUSE_STORM:
		return flow->pauses != FAB_PAUSES_NONE;
	case FAB_FAULT_HANG:
	case FAB_FAULT_SLOW:
		return port->ep;
	case FAB_FAULT_ECN:
		return port->sw;
	default:
		return true;
	}
}

/* Set the rate and the lanes of the wire by the active faults. */
static void fault_rate(struct fab_port *port)
{
	struct fab_wire *w = &port->wire;
	const struct fab_fault *f;

	w->cap_bps = 0;
	w->cap_lanes = 0;
	for (f = port->faults.first; f; f = f->next) {
		if (f->state != FAB_FAULT_ACTIVE || f->p.kind != FAB_FAULT_RATE)
			continue;
		if (f->p.rate_bps && (!w->cap_bps || f->p.rate_bps < w->cap_bps))
			w->cap_bps = f->p.rate_bps;
		if (f->p.lanes && (!w->cap_lanes || f->p.lanes < w->cap_lanes))
			w->cap_lanes = f->p.lanes;
	}
	fab_wire_set(w, &w->p);
}

static u64 fault_lost(const struct fab_fault *f)
{
	return f->port->c.drops[FAB_DROP_LINK_DOWN];
}

/* A fault that keeps the wire down began or ended. */
static void fault_cut(struct fab *fab, struct fab_fault *f)
{
	struct fab_port *port = f->port;

	if (f->state == FAB_FAULT_ACTIVE)
		port->faults.cuts++;
	else
		port->faults.cuts--;
	fab_link_settle(fab, port);
	if (fab->host->link)
		fab->host->link(port);
}

/* Update the wire, port or switch when a fault of it begins or ends. */
static void fault_change(struct fab *fab, struct fab_fault *f)
{
	if (f->sw)
		fab_fault_change_switch(fab, f);
	else if (f->p.kind == FAB_FAULT_DOWN)
		fault_cut(fab, f);
	else if (f->p.kind == FAB_FAULT_RATE)
		fault_rate(f->port);
	else
		fab_fault_change_port(fab, f);
}

static void fault_begin(struct fab *fab, struct fab_fault *f)
{
	f->state = FAB_FAULT_ACTIVE;
	f->begun = fab->now;
	f->c.windows++;
	f->bad = false;
	if (f->p.kind == FAB_FAULT_DOWN)
		f->lost_before = fault_lost(f);
	if (f->p.kind == FAB_FAULT_CORRUPT)
		f->error_in = fab_wire_draw(&f->rng, f->p.bits_per_error);
	if (f->p.duration)
		fab_event_schedule(&fab->events, &f->timer,
				   fab->now + f->p.duration);
	fault_change(fab, f);
}

static void fault_end(struct fab *fab, struct fab_fault *f)
{
	fab_fault_settle(fab, f);
	f->state = FAB_FAULT_OVER;
	fault_change(fab, f);
}

static void fault_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct fab_fault *f = container_of(ev, struct fab_fault, timer);

	if (f->state == FAB_FAULT_WAITING) {
		fault_begin(fab, f);
		return;
	}
	fault_end(fab, f);
	if (!f->p.period || f->c.windows == f->p.count)
		return;
	f->state = FAB_FAULT_WAITING;
	fab_event_schedule(&fab->events, ev,
			   fab->now - f->p.duration + f->p.period);
}

static void fault_on_moment(struct fab *fab, struct fab_waiter *w, fab_time at)
{
	struct fab_fault *f = container_of(w, struct fab_fault, waiter);

	f->p.start = at;
	fab_event_schedule(&fab->events, &f->timer, at);
}

/**
 * fab_fault_settle() - bring the counters of a fault up to date
 * @fab: the fabric
 * @f: the fault
 */
void fab_fault_settle(const struct fab *fab, struct fab_fault *f)
{
	if (f->state != FAB_FAULT_ACTIVE)
		return;
	f->c.active_ps += fab->now - f->begun;
	f->begun = fab->now;
	if (f->p.kind != FAB_FAULT_DOWN)
		return;
	f->c.packets += fault_lost(f) - f->lost_before;
	f->lost_before = fault_lost(f);
}

/**
 * fab_fault_next() - time at which a fault begins or ends next
 * @f: the fault
 *
 * Return: the fabric time; FAB_NEVER if it does not, or waits for its moment.
 */
fab_time fab_fault_next(const struct fab_fault *f)
{
	return fab_event_pending(&f->timer) ? f->timer.at : FAB_NEVER;
}

/* If the events of its port or switch have names, so has that of a fault. */
static void fault_name(struct fab_fault *f, u32 n)
{
	u64 name = f->port ? f->port->kick.name : f->sw->agent.done.name;

	if (name)
		fab_event_name(&f->timer, fab_mix(name + n) | 1);
}

/**
 * fab_fault_enlist() - add a fault to the list of its port or switch
 * @fab: the fabric
 * @last: head of the list
 * @f: the fault, whose port or switch is set
 * @p: parameters
 */
void fab_fault_enlist(struct fab *fab, struct fab_fault **last,
		      struct fab_fault *f, const struct fab_fault_params *p)
{
	u32 n = 1;

	for (; *last; last = &(*last)->next)
		n++;
	*last = f;
	f->p = *p;
	f->rng = fab_mix(p->seed);
	f->enter = fault_fraction(p->ppb, FAB_FAULT_PPB);
	f->leave = 0;
	if (p->burst) {
		f->enter = div64_u64(fault_fraction(p->ppb,
						    FAB_FAULT_PPB - p->ppb),
				     p->burst);
		f->leave = fault_fraction(1, p->burst);
	}
	fab_event_init(&f->timer, fault_on_timer);
	fault_name(f, n);
	if (p->moment)
		fab_moment_wait(fab, p->moment, &f->waiter, p->start,
				fault_on_moment);
	else if (p->start > fab->now)
		fab_event_schedule(&fab->events, &f->timer, p->start);
	else
		fault_begin(fab, f);
}

/**
 * fab_fault_add() - add a fault to the wire that a port sends on
 * @fab: the fabric
 * @port: the port, which has a link; fab_fault_suits() it
 * @f: the fault, zeroed; in use until it is removed
 * @p: parameters of a fault of wires, which fab_fault_params_check() accepts
 */
void fab_fault_add(struct fab *fab, struct fab_port *port, struct fab_fault *f,
		   const struct fab_fault_params *p)
{
	f->port = port;
	port->special |= FAB_SPECIAL_FAULT;
	fab_fault_enlist(fab, &port->faults.first, f, p);
}

/* Put the port back on the fast path if it has no fault and no reordered packet. */
static void fault_special(struct fab_port *port)
{
	if (!port->faults.first && !port->faults.late)
		port->special &= ~FAB_SPECIAL_FAULT;
}

/**
 * fab_fault_remove() - remove a fault
 * @fab: the fabric
 * @f: the fault, which belongs to the host again
 *
 * From now on the wire or switch is as it would be without the fault. Packets in
 * flight arrive as they were sent.
 */
void fab_fault_remove(struct fab *fab, struct fab_fault *f)
{
	struct fab_fault **at = f->sw ? &f->sw->faults.first :
				       &f->port->faults.first;

	fab_event_cancel(&fab->events, &f->timer);
	fab_moment_leave(&f->waiter);
	if (f->state == FAB_FAULT_ACTIVE)
		fault_end(fab, f);
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	if (f->port)
		fault_special(f->port);
	f->port = NULL;
	f->sw = NULL;
}

/* Does a fault hit a frame of @bytes on the wire? */
static bool fault_hits(struct fab_fault *f, u32 bytes)
{
	u64 bits = (u64)bytes * 8;

	if (f->p.kind == FAB_FAULT_LOSS && f->leave) {
		f->bad = f->bad ? !fab_fault_chance(f, f->leave) :
				  fab_fault_chance(f, f->enter);
		return f->bad;
	}
	if (f->p.kind != FAB_FAULT_CORRUPT)
		return fab_fault_chance(f, f->enter);
	if (f->error_in > bits) {
		f->error_in -= bits;
		return false;
	}
	f->error_in = fab_wire_draw(&f->rng, f->p.bits_per_error);
	return true;
}

static bool fault_harms(const struct fab_fault *f)
{
	return f->state == FAB_FAULT_ACTIVE &&
	       (f->p.kind == FAB_FAULT_LOSS || f->p.kind == FAB_FAULT_CORRUPT);
}

static bool fault_harms_control(const struct fab_fault *f)
{
	return fault_harms(f) || (f->state == FAB_FAULT_ACTIVE &&
				  f->p.kind == FAB_FAULT_CREDIT_LOSS);
}

/**
 * fab_fault_expose() - apply losses and errors by faults to a packet
 * @fab: the fabric
 * @port: port that sends it
 * @pkt: the packet, whose transmission begins
 * @bytes: its length on the wire
 */
void fab_fault_expose(struct fab *fab, struct fab_port *port,
		      struct fab_pkt *pkt, u32 bytes)
{
	bool replays = port->special & FAB_SPECIAL_RETRY;
	struct fab_fault *f;

	for (f = port->faults.first; f; f = f->next) {
		if (!fault_harms(f) || !fault_hits(f, bytes))
			continue;
		f->c.packets += pkt->segs;
		if (f->p.kind == FAB_FAULT_CORRUPT || replays)
			pkt->flags |= FAB_PKT_CORRUPT;
		else
			port->faults.lost = true;
	}
}

/**
 * fab_fault_expose_control() - apply losses and errors by faults to a control frame
 * @port: port that sends it
 * @bytes: its length on the wire
 *
 * Return: true if it is lost.
 */
bool fab_fault_expose_control(struct fab_port *port, u32 bytes)
{
	struct fab_fault *f;
	bool lost = false;

	for (f = port->faults.first; f; f = f->next) {
		if (!fault_harms_control(f) || !fault_hits(f, bytes))
			continue;
		f->c.control++;
		lost = true;
	}
	return lost;
}

static bool fault_delays(const struct fab_fault *f)
{
	return f->state == FAB_FAULT_ACTIVE && f->p.kind == FAB_FAULT_DELAY;
}

/**
 * fab_fault_delay_control() - additional delay of a control frame by faults
 * @port: port that sends it
 *
 * Return: the delay, ps.
 */
fab_time fab_fault_delay_control(struct fab_port *port)
{
	struct fab_fault *f;
	fab_time delay = 0;

	for (f = port->faults.first; f; f = f->next) {
		if (!fault_delays(f))
			continue;
		f->c.control++;
		delay += f->p.delay + fault_uniform(f, f->p.jitter);
	}
	return delay;
}

/* Additional delay of a packet, ps. Sets @late if others may overtake it. */
static fab_time fault_delay(struct fab_port *port, const struct fab_pkt *pkt,
			    bool *late)
{
	struct fab_fault *f;
	fab_time delay = 0;

	for (f = port->faults.first; f; f = f->next) {
		if (f->state != FAB_FAULT_ACTIVE)
			continue;
		if (f->p.kind == FAB_FAULT_RATE) {
			f->c.packets += pkt->segs;
		} else if (f->p.kind == FAB_FAULT_DELAY) {
			f->c.packets += pkt->segs;
			delay += f->p.delay + fault_uniform(f, f->p.jitter);
		} else if (f->p.kind == FAB_FAULT_REORDER &&
			   fab_fault_chance(f, f->enter)) {
			f->c.packets += pkt->segs;
			delay += f->p.delay;
			*late = true;
		}
	}
	return delay;
}

/* Insert a packet into those in flight, by arrival, after those of the same time. */
static void fault_insert(struct fab *fab, struct fab_port *port,
			 struct fab_pkt *pkt)
{
	struct fab_wire *w = &port->wire;
	struct fab_pkt **at = &w->in_flight.head;

	if (!*at || w->in_flight.tail->at <= pkt->at) {
		fab_fifo_push(&w->in_flight, pkt);
	} else {
		while ((*at)->at <= pkt->at)
			at = &(*at)->next;
		pkt->next = *at;
		*at = pkt;
	}
	if (w->in_flight.head == pkt)
		fab_event_move(&fab->events, &w->arrival, pkt->at);
}

static void fault_put(struct fab *fab, struct fab_port *port,
		      struct fab_pkt *pkt, bool late)
{
	struct fab_port_faults *all = &port->faults;
	const struct fab_fifo *q = &port->wire.in_flight;

	if (!all->late)
		all->order = q->head ? q->tail->at : 0;
	if (late) {
		all->late++;
		pkt->flags |= FAB_PKT_LATE;
	} else {
		pkt->at = max(pkt->at, all->order);
		all->order = pkt->at;
	}
	fault_insert(fab, port, pkt);
}

/* Send a copy of @pkt directly behind it, which takes @time on the wire as well. */
static void fault_copy(struct fab *fab, struct fab_port *port,
		       const struct fab_pkt *pkt, fab_time at, fab_time time)
{
	struct fab_pkt *copy = fab->host->clone(fab, pkt);

	if (!copy)
		return;
	fab->c.packets_cloned++;
	port->c.tx_packets += pkt->segs;
	port->c.tx_bytes += pkt->len;
	port->c.tx_wire_bytes += fab_wire_bytes(&port->wire, pkt);
	fab_port_busy(fab, port, time);
	port->busy_until += time;
	copy->flags &= ~FAB_PKT_LATE;
	copy->at = at;
	fault_put(fab, port, copy, false);
	fab_trace_pkt(fab, port, copy, FAB_TRACE_REPLAY);
}

static bool fault_doubles(struct fab_port *port, const struct fab_pkt *pkt)
{
	struct fab_fault *f;
	bool twice = false;

	for (f = port->faults.first; f; f = f->next) {
		if (f->state != FAB_FAULT_ACTIVE ||
		    f->p.kind != FAB_FAULT_DUPLICATE ||
		    !fab_fault_chance(f, f->enter))
			continue;
		f->c.packets += pkt->segs;
		twice = true;
	}
	return twice;
}

/**
 * fab_fault_carry() - put a packet onto a wire with faults
 * @fab: the fabric
 * @port: port that sends it
 * @pkt: the packet; pkt->at: its time of arrival without faults
 * @time: from its first bit to its last, ps
 */
void fab_fault_carry(struct fab *fab, struct fab_port *port,
		     struct fab_pkt *pkt, fab_time time)
{
	fab_time at = pkt->at;
	bool late = false;

	if (port->faults.lost) {
		port->faults.lost = false;
		fab_port_drop(fab, port, pkt, FAB_DROP_FAULT);
		return;
	}
	pkt->at += fault_delay(port, pkt, &late);
	fault_put(fab, port, pkt, late);
	if (fault_doubles(port, pkt))
		fault_copy(fab, port, pkt, (late ? at : pkt->at) + time, time);
}

/**
 * fab_fault_arrived() - note that a packet left a wire with faults
 * @port: port that sent it
 * @pkt: the packet
 */
void fab_fault_arrived(struct fab_port *port, struct fab_pkt *pkt)
{
	if (!(pkt->flags & FAB_PKT_LATE))
		return;
	pkt->flags &= ~FAB_PKT_LATE;
	port->faults.late--;
	fault_special(port);
}

/**
 * fab_fault_cleared() - note that all packets in flight on a wire are lost
 * @port: port that sent them
 */
void fab_fault_cleared(struct fab_port *port)
{
	port->faults.late = 0;
	fault_special(port);
}

static bool fault_should_wait(const struct fab_fault *f)
{
	if (f->state == FAB_FAULT_ACTIVE)
		return f->p.duration;
	return f->state == FAB_FAULT_WAITING &&
	       !fab_moment_awaited(&f->waiter);
}

/**
 * fab_fault_check_timers() - check the timers of a list of faults
 * @f: the first fault of a port or switch
 * @events: the number of pending timers is added to it
 *
 * Return: NULL, or the violated invariant as text.
 */
const char *fab_fault_check_timers(const struct fab_fault *f, u64 *events)
{
	for (; f; f = f->next) {
		*events += fab_event_pending(&f->timer);
		if (fab_event_pending(&f->timer) != fault_should_wait(f))
			return "fault: its timer is not due when it should be";
	}
	return NULL;
}

/**
 * fab_fault_check() - check the invariants of a port's faults
 * @port: the port
 * @events: the number of their pending events is added to it
 *
 * Return: NULL, or the violated invariant as text.
 */
const char *fab_fault_check(const struct fab_port *port, u64 *events)
{
	const struct fab_port_faults *all = &port->faults;
	const struct fab_fault *f;
	const struct fab_pkt *pkt;
	const char *wrong = fab_fault_check_timers(all->first, events);
	u32 cuts = 0, late = 0;

	if (wrong)
		return wrong;
	for (f = all->first; f; f = f->next)
		cuts += f->state == FAB_FAULT_ACTIVE &&
			f->p.kind == FAB_FAULT_DOWN;
	for (pkt = port->wire.in_flight.head; pkt; pkt = pkt->next)
		late += !!(pkt->flags & FAB_PKT_LATE);
	if (cuts != all->cuts)
		return "fault: more or fewer keep the wire down than act";
	if (late != all->late)
		return "fault: more or fewer packets are late than counted";
	if (!!(port->special & FAB_SPECIAL_FAULT) != (all->first || late))
		return "fault: the port does not know of its faults";
	if (port->peer &&
	    port->wire.up != (port->wire.enabled && !fab_fault_cuts(port)))
		return "fault: the wire is up or down for no reason";
	return fab_fault_check_port(port);
}
