// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the invariants of the whole fabric.
 *
 * DOC: theory of operation
 *
 * fab_check() walks every queue and every wire once and compares the packets that it
 * finds with the accounts. The invariants hold between calls of the model, not inside
 * its callbacks.
 *
 * Packets must be accounted at the right ingress port. That is checked by weighted
 * sums, with a hash of the port number as weight: one sum over the queued packets, one
 * over the accounts of the ports. They are equal if the accounts are right; otherwise
 * they differ, except with a probability of 2^-64. That saves an array.
 */
#include "core/fabric.h"
#include "core/flow/retry.h"
#include "core/node/traffic.h"
#include "core/sim/bitset.h"
#include "core/sim/rng.h"

/**
 * struct check - sums over the objects checked so far
 * @fab: the fabric
 * @packets: packets seen in queues and on wires, a train as one
 * @events: pending events seen in objects
 * @sw_bytes: bytes queued in the present switch
 * @sw_weighted: the same, weighted by ingress port
 * @sw_classes: the same, weighted by ingress port and class there
 */
struct check {
	const struct fab *fab;
	u64 packets;
	u64 events;
	u64 sw_bytes;
	u64 sw_weighted;
	u64 sw_classes;
};

/* Weight of the bytes that a class of an ingress port holds. */
static u64 check_weight(u32 port, u32 cls)
{
	return fab_mix(port * FAB_CLASSES_MAX + cls + 1);
}

static const char *check_pkt(struct check *c, const struct fab_port *port,
			     u32 cls, u32 fifo, const struct fab_pkt *pkt)
{
	u32 held = pkt->roomless ? 0 : pkt->len;

	c->packets++;
	c->sw_bytes += held;
	c->sw_weighted += held * fab_mix(pkt->ingress + 1);
	c->sw_classes += held * check_weight(pkt->ingress, pkt->cls_in);
	if (pkt->cls != cls)
		return "port: packet in the queue of another class";
	if (port->sw && pkt->ingress >= port->sw->p.ports)
		return "port: packet from a port that does not exist";
	if (port->fifos > 1 && pkt->ingress != fifo)
		return "port: packet in the queue of another ingress port";
	return NULL;
}

static const char *check_fifo(struct check *c, const struct fab_port *port,
			      u32 cls, u32 fifo, u64 *packets, u64 *bytes)
{
	const struct fab_class *class = &port->cls[cls];
	const struct fab_pkt *pkt = class->fifo[fifo].head;
	const char *wrong = NULL;

	if (fab_bitset_has(class->active, fifo) != !!pkt)
		return "port: active bit and queue disagree";
	for (; pkt && !wrong; pkt = pkt->next) {
		wrong = check_pkt(c, port, cls, fifo, pkt);
		++*packets;
		*bytes += pkt->len;
	}
	return wrong;
}

static const char *check_class(struct check *c, const struct fab_port *port,
			       u32 cls, u64 *queued)
{
	const struct fab_class *class = &port->cls[cls];
	u64 packets = 0, bytes = 0;
	const char *wrong;
	u32 i;

	for (i = 0; i < port->fifos; i++) {
		wrong = check_fifo(c, port, cls, i, &packets, &bytes);
		if (wrong)
			return wrong;
	}
	*queued += bytes;
	if (class->packets != packets || class->bytes != bytes)
		return "port: class accounts and queues disagree";
	if (!!(port->ready & BIT(cls)) != !!packets)
		return "port: ready bit and queues disagree";
	if (port->sw && bytes > port->p->queue_limit &&
	    !(port->lossless & BIT(cls)))
		return "port: class queue above its limit";
	return NULL;
}

static const char *check_classes(struct check *c, const struct fab_port *port)
{
	const char *wrong;
	u64 queued = 0;
	u32 left;

	for (left = fab_port_classes(port); left; left &= left - 1) {
		wrong = check_class(c, port, __ffs(left), &queued);
		if (wrong)
			return wrong;
	}
	if (port->queued != queued)
		return "port: sum of the classes is not what is queued";
	return NULL;
}

static const char *check_kick(const struct fab_port *port)
{
	bool pending = fab_event_pending(&port->kick);

	if (pending && !port->ready && !port->urgent)
		return "port: about to send, but has nothing to send";
	if (pending && port->kick.at < port->busy_until)
		return "port: about to send while the wire is busy";
	if (!pending && port->ready & ~port->halted & fab_sched_serves(port->sched) &&
	    !port->flow->may_send && !port->retry && !fab_port_hangs(port))
		return "port: has something to send, but will not";
	return NULL;
}

/* @port sends on the wire; its packets and its arrival belong to this part. */
static const char *check_wire(struct check *c, const struct fab_port *port)
{
	const struct fab_pkt *pkt = port->wire.in_flight.head;
	bool pending = fab_event_pending(&port->wire.arrival);

	if (pending != !!pkt)
		return "wire: arrival and packets in flight disagree";
	if (pkt && port->wire.arrival.at != pkt->at)
		return "wire: arrival is not that of the oldest packet";
	c->events += pending;
	for (; pkt; pkt = pkt->next) {
		c->packets++;
		if (pkt->next && pkt->next->at < pkt->at)
			return "wire: a packet overtakes another";
	}
	return NULL;
}

static const char *check_control(const struct fab_port *port)
{
	const struct fab_control_wire *w = &port->control;
	fab_time before = 0, at;
	u32 i;

	if (fab_event_pending(&w->arrival) != !!w->n)
		return "control: arrival and frames on the wire disagree";
	if (w->n > w->slots)
		return "control: more frames on the wire than slots";
	for (i = 0; i < w->n; i++) {
		at = w->slot[(w->head + i) % w->slots].at;
		if (at < before)
			return "control: a frame overtakes another";
		before = at;
	}
	return NULL;
}

static const char *check_replay(struct check *c, const struct fab_port *port)
{
	const struct fab_pkt *pkt;

	for (pkt = port->unacked.head; pkt; pkt = pkt->next)
		c->packets++;
	for (pkt = port->replay.head; pkt; pkt = pkt->next)
		c->packets++;
	if (!!port->replay.head != !!(port->urgent & FAB_URGENT_REPLAY))
		return "replay: urgent bit and queue disagree";
	if (port->urgent && !fab_port_can_send(port))
		return "port: something urgent for a wire that is down";
	return NULL;
}

static const char *check_link(const struct fab_port *port)
{
	if (port->peer && port->peer->peer != port)
		return "link: the peer of the peer is another port";
	if (fab_port_can_send(port))
		return NULL;
	if (port->ready)
		return "link: packets wait for a wire that is down";
	if (port->wire.in_flight.head && !(port->special & FAB_SPECIAL_CUT))
		return "link: packets in flight on a wire that is down";
	return NULL;
}

static const char *check_port(struct check *c, const struct fab_port *port)
{
	const char *wrong = check_classes(c, port);

	c->events += fab_event_pending(&port->kick) +
		     fab_event_pending(&port->control.arrival) +
		     fab_event_pending(&port->flow_timer) +
		     fab_event_pending(&port->retry_timer) +
		     (port->age && fab_event_pending(&port->age->due));
	if (!wrong)
		wrong = check_kick(port);
	if (!wrong)
		wrong = check_wire(c, port->special & FAB_SPECIAL_CUT ?
				      port->peer : port);
	if (!wrong)
		wrong = check_control(port);
	if (!wrong)
		wrong = check_replay(c, port);
	if (!wrong)
		wrong = check_link(port);
	if (!wrong && port->special & FAB_SPECIAL_AGE)
		wrong = fab_age_check(c->fab, port);
	if (!wrong && port->retry)
		wrong = fab_retry_check(port);
	/* The far end of a cut link is at another time. */
	if (!wrong && port->flow->check && !(port->special & FAB_SPECIAL_CUT))
		wrong = port->flow->check(port);
	if (!wrong)
		wrong = fab_fault_check(port, &c->events);
	return wrong;
}

/* The most that may be held: @limit, or the occupancy when limits were last changed. */
static u64 check_limit(const struct fab_buffer *b, u64 limit)
{
	return max(limit, b->shrunk);
}

static const char *check_account(const struct fab_buffer *b,
				 const struct fab_account *a)
{
	if (a->reserved > check_limit(b, a->p.reserve))
		return "buffer: a class holds more than its reserve";
	if (a->headroom > check_limit(b, a->p.headroom))
		return "buffer: a class holds more than its headroom";
	return NULL;
}

/* Check the accounts of a port and add them to @weighted and @shared. */
static const char *check_port_accounts(const struct fab_buffer *b, u32 i,
				       u64 *weighted, u64 *shared)
{
	const struct fab_port *port = &b->port[i];
	const struct fab_account *a;
	u64 held = 0, before = *shared;
	const char *wrong;
	u32 cls;

	for (cls = 0; cls < port->p->classes; cls++) {
		a = &port->cls[cls].account;
		wrong = check_account(b, a);
		if (wrong)
			return wrong;
		if (!fab_account_held(a))
			continue;
		held += fab_account_held(a);
		*weighted += fab_account_held(a) * check_weight(i, cls);
		*shared += a->shared;
	}
	if (held != port->held)
		return "buffer: what the classes hold is not what the port holds";
	if (*shared - before > check_limit(b, fab_port_share(b, port)))
		return "buffer: a port holds more than its share";
	return NULL;
}

/* @classes: bytes in the buffer, weighted by ingress port and class. */
static const char *check_accounts(const struct fab_buffer *b, u64 classes)
{
	u64 weighted = 0, shared = 0;
	const char *wrong;
	u32 i;

	for (i = 0; i < b->ports; i++) {
		wrong = check_port_accounts(b, i, &weighted, &shared);
		if (wrong)
			return wrong;
	}
	if (shared != b->shared)
		return "buffer: what is shared is not what the classes hold";
	if (shared > check_limit(b, b->pool))
		return "buffer: more shared than there is";
	if (weighted != classes)
		return "buffer: accounted at the wrong class";
	return NULL;
}

static const char *check_buffer(const struct check *c,
				const struct fab_switch *sw)
{
	const struct fab_buffer *b = &sw->buffer;
	u64 held = 0, weighted = 0;
	u32 i;

	for (i = 0; i < sw->p.ports; i++) {
		held += sw->port[i].held;
		weighted += sw->port[i].held * fab_mix(i + 1);
		if (!b->p.accounts &&
		    sw->port[i].held >
		    check_limit(b, fab_port_share(b, &sw->port[i])))
			return "buffer: a port holds more than its share";
	}
	if (sw->p.port.disc->flow->own_room)
		return NULL;
	if (b->used != held)
		return "buffer: what the ports hold is not what is used";
	if (b->used != c->sw_bytes)
		return "buffer: what is queued is not what is used";
	if (weighted != c->sw_weighted)
		return "buffer: accounted at the wrong port";
	if (b->used > check_limit(b, b->limit))
		return "buffer: more used than there is";
	return b->p.accounts ? check_accounts(b, c->sw_classes) : NULL;
}

/* Packets for the switch itself hold room as those in the queues do. */
static const char *check_agent(struct check *c, const struct fab_switch *sw)
{
	const struct fab_agent *agent = &sw->agent;
	const struct fab_pkt *pkt;

	for (pkt = agent->queue.head; pkt; pkt = pkt->next) {
		c->packets++;
		c->sw_bytes += pkt->len;
		c->sw_weighted += pkt->len * fab_mix(pkt->ingress + 1);
		c->sw_classes += pkt->len *
				 check_weight(pkt->ingress, pkt->cls_in);
	}
	c->events += fab_event_pending(&agent->done);
	if (fab_event_pending(&agent->done) != !!agent->queue.head)
		return "agent: it works on nothing, or leaves a packet";
	return NULL;
}

static const char *check_switch(struct check *c, const struct fab_switch *sw)
{
	const char *wrong;
	u32 i;

	c->sw_bytes = 0;
	c->sw_weighted = 0;
	c->sw_classes = 0;
	for (i = 0; i < sw->p.ports; i++) {
		wrong = check_port(c, &sw->port[i]);
		if (wrong)
			return wrong;
	}
	wrong = fab_fault_check_switch(sw, &c->events);
	if (!wrong)
		wrong = check_agent(c, sw);
	if (!wrong)
		wrong = fab_reduce_check(sw, &c->packets, &c->events);
	fab_arn_check(sw, &c->events);
	return wrong ? wrong : check_buffer(c, sw);
}

static const char *check_receive(struct check *c,
				 const struct fab_endpoint *ep)
{
	const struct fab_receive *rx = &ep->rx;
	const struct fab_pkt *pkt;
	u64 bytes = 0, classes = 0;
	u32 cls;

	c->events += fab_event_pending(&rx->drain) +
		     fab_event_pending(&rx->deliver);
	for (cls = 0; cls < FAB_CLASSES_MAX; cls++)
		for (pkt = rx->queue[cls].head; pkt; pkt = pkt->next) {
			c->packets++;
			bytes += pkt->len;
			classes += pkt->len *
				   check_weight(0, pkt->cls_in);
		}
	if (rx->draining) {
		c->packets++;
		bytes += rx->draining->len;
		classes += rx->draining->len *
			   check_weight(0, rx->draining->cls_in);
	}
	for (pkt = rx->rising.head; pkt; pkt = pkt->next)
		c->packets++;
	if (fab_event_pending(&rx->drain) != !!rx->draining)
		return "receive: nothing is emptied, or without end";
	if (fab_event_pending(&rx->deliver) != !!rx->rising.head)
		return "receive: deliver and rising packets disagree";
	if (!rx->draining && rx->ready & ~fab_receive_stopped(rx))
		return "receive: a class waits that is not stopped";
	if (ep->port.flow->own_room)
		return NULL;
	if (rx->buffer.used != bytes)
		return "receive: what is queued is not what is used";
	return rx->buffer.p.accounts ? check_accounts(&rx->buffer, classes) :
				       NULL;
}

static const char *check_waiters(const struct fab_moment *m)
{
	struct fab_waiter *const *at = &m->waiters;

	for (; *at; at = &(*at)->next)
		if ((*at)->prev != at)
			return "moment: nothing points to who waits";
	return NULL;
}

/* A list of triggers, of NICs or not: all wait. */
static const char *check_triggers(struct fab_trigger *const *at, bool of_nic)
{
	const struct fab_trigger *t;
	const char *wrong;

	for (; *at; at = &t->next) {
		t = *at;
		if (t->prev != at)
			return "trigger: nothing points to it";
		if (fab_trigger_of_nic(t->p.kind) != of_nic)
			return "trigger: it is in a list of others";
		if (t->moment.known)
			return "trigger: it waits for what came";
		wrong = check_waiters(&t->moment);
		if (wrong)
			return wrong;
	}
	return NULL;
}

static const char *check_endpoint(struct check *c,
				  const struct fab_endpoint *ep)
{
	const char *wrong;
	u32 cls;

	for (cls = 0; cls < FAB_CLASSES_MAX; cls++)
		if (ep->stopped & BIT(cls) &&
		    ep->port.cls[cls].bytes * 2 < ep->p->port.queue_limit)
			return "endpoint: a class with room was not woken";
	wrong = check_port(c, &ep->port);
	if (!wrong)
		wrong = fab_moderation_check(ep, &c->events);
	if (!wrong)
		wrong = check_triggers(&ep->triggers, true);
	return wrong ? wrong : check_receive(c, ep);
}

static const char *check_objects(struct check *c)
{
	const struct fab_endpoint *ep;
	const struct fab_switch *sw;
	const char *wrong;

	for (sw = c->fab->switches; sw; sw = sw->next) {
		wrong = check_switch(c, sw);
		if (wrong)
			return wrong;
	}
	for (ep = c->fab->endpoints; ep; ep = ep->next) {
		wrong = check_endpoint(c, ep);
		if (wrong)
			return wrong;
	}
	return NULL;
}

/**
 * fab_check() - check all invariants
 * @fab: the fabric
 *
 * Context: not inside a callback of the model.
 * Return: NULL, or the violated invariant as text.
 */
const char *fab_check(const struct fab *fab)
{
	const struct fab_counters *n = &fab->c;
	struct check c = { .fab = fab };
	const char *wrong;
	u64 events;

	wrong = fab_event_queue_check(&fab->events, &events);
	if (!wrong)
		wrong = check_objects(&c);
	if (!wrong)
		wrong = fab_traffic_check(fab, &c.events);
	if (!wrong)
		wrong = check_triggers(&fab->triggers, false);
	if (wrong)
		return wrong;
	if (events < c.events || (events > c.events && !fab->guests))
		return "events: pending ones and those of the objects differ";
	if (fab_event_next(&fab->events) < fab->now)
		return "events: one is overdue";
	if (n->packets_in + n->packets_cloned + fab->entered !=
	    n->packets_delivered + n->packets_dropped + fab->left + c.packets)
		return "fabric: a packet was lost or came from nowhere";
	return NULL;
}
