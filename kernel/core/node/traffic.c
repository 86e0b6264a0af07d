// SPDX-License-Identifier: GPL-2.0
/*
 * Background traffic: packets that the fabric generates at an endpoint.
 *
 * DOC: theory of operation
 *
 * A generator offers packets. With a rate, the interval after a packet is the time
 * that it takes on the wire of the NIC at this rate. Messages of a trace are offered
 * at their times. Without either, a packet is offered whenever the NIC takes one.
 * Offered packets wait, as a number, until they can be handed to the NIC. For that
 * fewer than depth packets of the generator are there, its class has room in the
 * ring, and a packet is free. Offering does not depend on that, so the time at which
 * a packet is due is a closed form.
 *
 * At the NIC its packets queue with those of the host, in the same classes. When a
 * full ring gets room the generators use it first, each up to its depth. The host
 * uses the rest.
 *
 * The host owns the packets. It puts them into free and reports what happens to each.
 * Lost packets are not retransmitted. Generators do not slow down after marks or
 * losses.
 *
 * Packet n of a window is due at its begin + floor(n * bits / rate): the remainder of
 * each division is carried into the next one. A window ends before a packet that
 * would be due at its end.
 *
 * A link that is down drops a packet at once, and the next one would follow at the
 * same instant. So after such a loss the generator rests for the time of a packet.
 * Without a rate it sends nothing into a link that is down.
 */
#include "core/node/traffic.h"
#include "core/fabric.h"
#include "core/sim/chain.h"
#include "core/sim/fixed.h"
#include "core/sim/rng.h"

static bool traffic_greedy(const struct fab_traffic *t)
{
	return !t->p.rate_bps && !t->p.messages;
}

static int traffic_check_messages(const struct fab_traffic_params *p)
{
	u32 i;

	if (p->dsts || p->rate_bps || p->on || p->bytes || p->duration)
		return -EINVAL;
	for (i = 0; i < p->messages; i++) {
		if (!p->message[i].bytes ||
		    p->message[i].at > FAB_DELAY_MAX)
			return -ERANGE;
		if (i && p->message[i].at < p->message[i - 1].at)
			return -EINVAL;
	}
	return 0;
}

static bool traffic_times_fit(const struct fab_traffic_params *p)
{
	return p->start <= FAB_TRAFFIC_START_MAX &&
	       p->duration <= FAB_DELAY_MAX && p->on <= FAB_DELAY_MAX &&
	       p->off <= FAB_DELAY_MAX;
}

/**
 * fab_traffic_params_check() - check the parameters of a generator
 * @p: the parameters
 * @classes: number of classes of the endpoint
 *
 * Return: 0; -ERANGE for a number out of range; -EINVAL for parameters that do not
 * fit together.
 */
int fab_traffic_params_check(const struct fab_traffic_params *p, u32 classes)
{
	if (!p->len || p->len > FAB_TRAFFIC_LEN_MAX || !p->depth ||
	    p->depth > FAB_TRAFFIC_DEPTH_MAX || !traffic_times_fit(p))
		return -ERANGE;
	if (p->rate_bps && (p->rate_bps < FAB_RATE_MIN ||
			    p->rate_bps > FAB_RATE_MAX))
		return -ERANGE;
	if (p->cls >= classes || !p->on != !p->off)
		return -EINVAL;
	if (p->messages)
		return traffic_check_messages(p);
	return p->dsts ? 0 : -EINVAL;
}

/* Bytes that a frame of @len bytes takes on the wire of its NIC. */
static u32 traffic_wire_bytes(const struct fab_traffic *t, u32 len)
{
	const struct fab_pkt pkt = { .len = len, .segs = 1 };

	return fab_wire_bytes(&t->ep->port.wire, &pkt);
}

static void traffic_end(struct fab *fab, struct fab_traffic *t)
{
	fab_event_cancel(&fab->events, &t->due);
	fab_moment_leave(&t->waiter);
	t->over = true;
	t->on = false;
	t->next_at = FAB_NEVER;
	t->edge = FAB_NEVER;
	t->stop = FAB_NEVER;
}

static fab_time traffic_window(struct fab_traffic *t, fab_time mean)
{
	return t->p.drawn_times ? fab_wire_draw(&t->times, mean) : mean;
}

/* A window begins: the first packet is due at once. */
static void traffic_begin(struct fab_traffic *t, fab_time now)
{
	t->on = true;
	t->rest = 0;
	t->edge = t->p.on ? now + traffic_window(t, t->p.on) : FAB_NEVER;
	if (t->p.messages)
		t->next_at = now + t->p.message[0].at;
	else
		t->next_at = traffic_greedy(t) ? FAB_NEVER : now;
}

static void traffic_pause(struct fab_traffic *t, fab_time now)
{
	t->on = false;
	t->edge = now + traffic_window(t, t->p.off);
	t->next_at = FAB_NEVER;
}

/* Bytes of the packet that begins after @before bytes of the stream. */
static u32 traffic_piece(const struct fab_traffic *t, u64 before)
{
	if (!t->p.bytes)
		return t->p.len;
	return min((u64)t->p.len, t->p.bytes - before);
}

/* @packets with @bytes in total are due. Ends the generator at its limit of bytes. */
static void traffic_count_offered(struct fab *fab, struct fab_traffic *t,
				  u32 packets, u32 bytes)
{
	t->c.offered_packets += packets;
	t->c.offered_bytes += bytes;
	if (t->p.bytes && t->c.offered_bytes >= t->p.bytes)
		traffic_end(fab, t);
}

static void traffic_offer_packet(struct fab *fab, struct fab_traffic *t)
{
	u32 len = traffic_piece(t, t->c.offered_bytes);
	u64 bits = traffic_wire_bytes(t, len) * 8ULL * FAB_PS_PER_S + t->rest;

	t->next_at += div64_u64_rem(bits, t->p.rate_bps, &t->rest);
	traffic_count_offered(fab, t, 1, len);
}

static void traffic_offer_message(struct fab *fab, struct fab_traffic *t)
{
	const struct fab_traffic_message *m = &t->p.message[t->heard++];

	traffic_count_offered(fab, t, DIV_ROUND_UP(m->bytes, t->p.len),
			      m->bytes);
	if (t->heard == t->p.messages)
		traffic_end(fab, t);
	else
		t->next_at += m[1].at - m->at;
}

/* Does it have a packet to hand to the NIC? */
static bool traffic_wants(const struct fab_traffic *t)
{
	if (!t->ep || t->resting)
		return false;
	if (traffic_greedy(t))
		return t->on && fab_port_can_send(&t->ep->port);
	return t->c.offered_packets != t->c.sent_packets;
}

/*
 * Can it hand a packet to the NIC now? Not while senders wait for room in the ring:
 * this generator would take each free place, and leave none to the others.
 */
static bool traffic_may(const struct fab_traffic *t)
{
	return traffic_wants(t) && t->waiting < t->p.depth && t->free.head &&
	       !(t->ep->stopped & BIT(t->p.cls));
}

static u32 traffic_next_dst(struct fab_traffic *t)
{
	u32 i = t->turn, draw;

	if (t->p.drawn_dsts) {
		draw = fab_rng_next(&t->dsts) >> 32;
		i = mul_u64_u32_shr(draw, t->p.dsts, 32);
	} else {
		t->turn = i + 1 == t->p.dsts ? 0 : i + 1;
	}
	return t->p.dst[i];
}

static void traffic_fill_message(struct fab_traffic *t, struct fab_pkt *pkt)
{
	const struct fab_traffic_message *m = &t->p.message[t->said];

	if (!t->left)
		t->left = m->bytes;
	pkt->dst = m->dst;
	pkt->len = min(t->left, t->p.len);
	t->left -= pkt->len;
	if (!t->left)
		t->said++;
}

static void traffic_fill(struct fab_traffic *t, struct fab_pkt *pkt)
{
	memset(pkt, 0, sizeof(*pkt));
	if (t->p.messages) {
		traffic_fill_message(t, pkt);
	} else {
		pkt->len = traffic_piece(t, t->c.sent_bytes);
		pkt->dst = traffic_next_dst(t);
	}
	pkt->flow_hash = fab_mix(t->p.seed ^ pkt->dst);
	pkt->segs = 1;
	pkt->cls = t->p.cls;
	pkt->sl = t->p.sl;
	pkt->flags = t->p.flags;
}

/* A packet was lost at once: send no more within this instant. */
static void traffic_rest(struct fab *fab, struct fab_traffic *t, u32 len)
{
	const struct fab_wire *w = &t->ep->port.wire;
	fab_time time = FAB_PS_PER_NS;

	if (w->bps)
		time = fab_wire_time_of(w, traffic_wire_bytes(t, len));
	t->resting = true;
	fab_event_cancel(&fab->events, &t->go);
	fab_event_schedule(&fab->events, &t->go, fab->now + time);
}

static void traffic_send(struct fab *fab, struct fab_traffic *t)
{
	struct fab_pkt *pkt = fab_fifo_pop(&t->free);
	u64 lost = t->c.lost_packets;
	u32 len;

	traffic_fill(t, pkt);
	len = pkt->len;
	if (traffic_greedy(t))
		traffic_count_offered(fab, t, 1, len);
	t->c.sent_packets++;
	t->c.sent_bytes += len;
	t->inside++;
	t->waiting++;
	if (fab_endpoint_generate(fab, t->ep, pkt))
		fab_traffic_lost(fab, t, pkt, true);
	if (t->c.lost_packets != lost)
		traffic_rest(fab, t, len);
}

static void traffic_push(struct fab *fab, struct fab_traffic *t)
{
	while (traffic_may(t) && !fab_endpoint_stop(t->ep, t->p.cls))
		traffic_send(fab, t);
}

/* Schedule the hand-over of packets, which must not run inside a callback. */
static void traffic_poke(struct fab *fab, struct fab_traffic *t)
{
	if (traffic_may(t) && !fab_event_pending(&t->go))
		fab_event_schedule(&fab->events, &t->go, fab->now);
}

static void traffic_on_go(struct fab *fab, struct fab_event *ev)
{
	struct fab_traffic *t = container_of(ev, struct fab_traffic, go);

	t->resting = false;
	traffic_push(fab, t);
}

static void traffic_schedule(struct fab *fab, struct fab_traffic *t)
{
	fab_time at = min(min(t->next_at, t->edge), t->stop);

	if (at != FAB_NEVER)
		fab_event_schedule(&fab->events, &t->due, at);
}

static void traffic_on_due(struct fab *fab, struct fab_event *ev)
{
	struct fab_traffic *t = container_of(ev, struct fab_traffic, due);
	fab_time now = fab->now;

	if (now >= t->stop)
		traffic_end(fab, t);
	else if (now >= t->edge && t->on)
		traffic_pause(t, now);
	else if (now >= t->edge)
		traffic_begin(t, now);
	if (now >= t->next_at && t->p.messages)
		traffic_offer_message(fab, t);
	else if (now >= t->next_at)
		traffic_offer_packet(fab, t);
	traffic_push(fab, t);
	traffic_schedule(fab, t);
}

static void traffic_start(struct fab *fab, struct fab_traffic *t, fab_time at)
{
	t->p.start = min(at, FAB_TIME_END);
	t->edge = t->p.start;
	if (t->p.duration)
		t->stop = t->p.start + t->p.duration;
	traffic_schedule(fab, t);
}

static void traffic_on_moment(struct fab *fab, struct fab_waiter *w, fab_time at)
{
	traffic_start(fab, container_of(w, struct fab_traffic, waiter), at);
}

static void traffic_link(struct fab *fab, struct fab_traffic *t)
{
	fab_chain_push(fab->traffics, t, next, at);
	fab_chain_push(t->ep->traffic, t, ep_next, ep_at);
}

/**
 * fab_traffic_add() - add a generator to an endpoint
 * @fab: the fabric
 * @ep: the endpoint
 * @t: the generator; the host has filled its free list and nothing else
 * @p: parameters, which fab_traffic_params_check() accepts
 */
void fab_traffic_add(struct fab *fab, struct fab_endpoint *ep,
		     struct fab_traffic *t, const struct fab_traffic_params *p)
{
	struct fab_fifo free = t->free;

	memset(t, 0, sizeof(*t));
	t->free = free;
	t->ep = ep;
	t->p = *p;
	t->times = fab_mix(p->seed);
	t->dsts = fab_mix(p->seed + 1);
	t->c.latency_min_ps = FAB_NEVER;
	t->next_at = FAB_NEVER;
	t->edge = FAB_NEVER;
	t->stop = FAB_NEVER;
	fab_event_init(&t->due, traffic_on_due);
	fab_event_init(&t->go, traffic_on_go);
	if (p->name) {
		fab_event_name(&t->due, p->name);
		fab_event_name(&t->go, fab_mix(p->name));
	}
	traffic_link(fab, t);
	if (p->moment)
		fab_moment_wait(fab, p->moment, &t->waiter, p->start,
				traffic_on_moment);
	else
		traffic_start(fab, t, max(p->start, fab->now));
}

/**
 * fab_traffic_remove() - remove a generator from its endpoint
 * @fab: the fabric
 * @t: the generator
 *
 * Packets that it sent continue, and return to it.
 */
void fab_traffic_remove(struct fab *fab, struct fab_traffic *t)
{
	fab_chain_del(t, next, at);
	fab_chain_del(t, ep_next, ep_at);
	fab_event_cancel(&fab->events, &t->go);
	traffic_end(fab, t);
	t->ep = NULL;
}

/**
 * fab_traffic_state() - state of a generator
 * @t: the generator
 *
 * Return: the state.
 */
enum fab_traffic_state fab_traffic_state(const struct fab_traffic *t)
{
	if (t->over)
		return FAB_TRAFFIC_OVER;
	return t->on ? FAB_TRAFFIC_ACTIVE : FAB_TRAFFIC_WAITING;
}

/**
 * fab_traffic_sent() - report that the transmission of a packet began at the NIC
 * @fab: the fabric
 * @t: its generator
 */
void fab_traffic_sent(struct fab *fab, struct fab_traffic *t)
{
	t->waiting--;
	traffic_poke(fab, t);
}

static void traffic_back(struct fab *fab, struct fab_traffic *t,
			 struct fab_pkt *pkt)
{
	t->inside--;
	fab_fifo_push(&t->free, pkt);
	traffic_poke(fab, t);
}

/**
 * fab_traffic_delivered() - report that a packet was delivered
 * @fab: the fabric
 * @t: its generator
 * @pkt: the packet
 */
void fab_traffic_delivered(struct fab *fab, struct fab_traffic *t,
			   struct fab_pkt *pkt)
{
	fab_time latency = fab->now - pkt->born;

	t->c.delivered_packets++;
	t->c.delivered_bytes += pkt->len;
	t->c.marked_packets += !!(pkt->flags & FAB_PKT_CE);
	t->c.latency_sum_ps += latency;
	t->c.latency_min_ps = min(t->c.latency_min_ps, latency);
	t->c.latency_max_ps = max(t->c.latency_max_ps, latency);
	traffic_back(fab, t, pkt);
}

/**
 * fab_traffic_lost() - report that a packet was lost
 * @fab: the fabric
 * @t: its generator
 * @pkt: the packet
 * @waited: its transmission at the NIC had not begun
 */
void fab_traffic_lost(struct fab *fab, struct fab_traffic *t,
		      struct fab_pkt *pkt, bool waited)
{
	t->c.lost_packets++;
	t->waiting -= waited;
	traffic_back(fab, t, pkt);
}

/**
 * fab_traffic_room() - let generators use a ring that was full and has room
 * @fab: the fabric
 * @ep: the endpoint, which has generators
 * @cls: the class
 *
 * The generator that is first now is the last next time.
 */
void fab_traffic_room(struct fab *fab, struct fab_endpoint *ep, u8 cls)
{
	struct fab_traffic *first = ep->traffic, *t = first;
	struct fab_traffic **end = &ep->traffic;

	do {
		if (t->p.cls == cls)
			traffic_push(fab, t);
		t = t->ep_next;
	} while (t);
	fab_chain_del(first, ep_next, ep_at);
	while (*end)
		end = &(*end)->ep_next;
	fab_chain_push(*end, first, ep_next, ep_at);
}

/**
 * fab_traffic_kick() - let generators continue after a link came up
 * @fab: the fabric
 * @ep: the endpoint
 */
void fab_traffic_kick(struct fab *fab, struct fab_endpoint *ep)
{
	struct fab_traffic *t;

	for (t = ep->traffic; t; t = t->ep_next)
		traffic_poke(fab, t);
}

static const char *traffic_check(const struct fab_traffic *t)
{
	const struct fab_traffic_counters *c = &t->c;

	if (c->sent_packets != c->delivered_packets + c->lost_packets +
			       t->inside)
		return "traffic: a packet was lost or came from nowhere";
	if (c->sent_packets > c->offered_packets)
		return "traffic: more sent than was offered";
	if (t->waiting > t->inside || t->waiting > t->p.depth)
		return "traffic: more packets at the NIC than may be";
	if (t->over && fab_event_pending(&t->due))
		return "traffic: over, but goes on";
	if (fab_moment_awaited(&t->waiter))
		return t->on || fab_event_pending(&t->due) ?
		       "traffic: goes on before its moment came" : NULL;
	if (!t->over && !fab_event_pending(&t->due) &&
	    !(t->on && traffic_greedy(t)))
		return "traffic: not over, but does not go on";
	if (traffic_may(t) && !fab_event_pending(&t->go))
		return "traffic: has something to send, but will not";
	return NULL;
}

/**
 * fab_traffic_check() - check the invariants of all generators
 * @fab: the fabric
 * @events: the number of their pending events is added to it
 *
 * Return: NULL, or the violated invariant as text.
 */
const char *fab_traffic_check(const struct fab *fab, u64 *events)
{
	const struct fab_traffic *t;
	const char *wrong;

	for (t = fab->traffics; t; t = t->next) {
		*events += fab_event_pending(&t->due) +
			   fab_event_pending(&t->go);
		wrong = traffic_check(t);
		if (wrong)
			return wrong;
	}
	return NULL;
}
