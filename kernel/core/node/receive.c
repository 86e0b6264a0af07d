// SPDX-License-Identifier: GPL-2.0
/*
 * Receive side of an endpoint: its buffer, and the rate at which the host empties it.
 *
 * DOC: theory of operation
 *
 * A host that takes packets as they come needs no buffer. Packets are staged in the
 * buffer if the host is slow, or if the flow control of the link accounts for room.
 * They take room. The host takes them at its rate, one at a time, round robin over
 * the classes. At the end of a packet its room is free and its rx_latency begins.
 * Packets of a stopped class stay in the buffer.
 *
 * The rate counts fab_pkt.len bytes, which a NIC moves into the host's memory.
 *
 * Invariants: the drain event is pending exactly when a packet is draining; a class
 * that is not stopped holds packets only then; deliver is pending exactly when
 * packets are rising.
 *
 * Not modelled: PCIe as a link of its own, descriptors. moderate.c decides when the
 * host is interrupted for a packet.
 */
#include "core/node/receive.h"
#include "core/fabric.h"
#include "core/node/room.h"
#include "core/sim/bitset.h"
#include "core/sim/fixed.h"

/* The rate at which the host empties the buffer, bits per second; 0: at once. */
static u64 receive_rate(const struct fab_receive *rx)
{
	if (!rx->p.rate_bps || !rx->left.rate_bps)
		return rx->p.rate_bps + rx->left.rate_bps;
	return min(rx->p.rate_bps, rx->left.rate_bps);
}

static bool receive_staged(const struct fab_endpoint *ep)
{
	const struct fab_flow_control *flow = ep->port.flow;

	return flow->on_receive || flow->own_room || receive_rate(&ep->rx) ||
	       fab_receive_stopped(&ep->rx);
}

/* @pkt has left the buffer: pass it to the host. */
static __always_inline void receive_pass(struct fab *fab, struct fab_endpoint *ep,
					 struct fab_pkt *pkt)
{
	struct fab_receive *rx = &ep->rx;

	if (!ep->p->rx_latency) {
		fab_endpoint_deliver(fab, ep, pkt);
		return;
	}
	pkt->at = fab->now + ep->p->rx_latency;
	if (!rx->rising.head)
		fab_event_schedule(&fab->events, &rx->deliver, pkt->at);
	fab_fifo_push(&rx->rising, pkt);
}

/* @pkt leaves the buffer: release its room and pass it to the host. */
static void receive_rise(struct fab *fab, struct fab_endpoint *ep,
			 struct fab_pkt *pkt)
{
	fab_room_release(fab, &ep->rx.buffer, &ep->port, pkt);
	receive_pass(fab, ep, pkt);
}

/* The next class to empty, round robin, or -1 if there is none. */
static int receive_next(const struct fab_receive *rx)
{
	u32 ready = rx->ready & ~fab_receive_stopped(rx);

	return ready ? (int)fab_bits_turn(ready, rx->turn) : -1;
}

static struct fab_pkt *receive_pop(struct fab_receive *rx, u32 cls)
{
	struct fab_pkt *pkt = fab_fifo_pop(&rx->queue[cls]);

	if (!rx->queue[cls].head)
		rx->ready &= ~BIT(cls);
	rx->turn = (cls + 1) % FAB_CLASSES_MAX;
	return pkt;
}

/* Begin to drain the next packet; without a rate, pass on all packets at once. */
static void receive_go(struct fab *fab, struct fab_endpoint *ep)
{
	struct fab_receive *rx = &ep->rx;
	u64 rate = receive_rate(rx);
	struct fab_pkt *pkt;
	int cls;

	while (!rx->draining && (cls = receive_next(rx)) >= 0) {
		pkt = receive_pop(rx, cls);
		if (!rate) {
			receive_rise(fab, ep, pkt);
			continue;
		}
		rx->draining = pkt;
		fab_event_schedule(&fab->events, &rx->drain, fab->now +
				   fab_serialise(pkt->len, rate));
	}
}

static void receive_on_drain(struct fab *fab, struct fab_event *ev)
{
	struct fab_receive *rx = container_of(ev, struct fab_receive, drain);
	struct fab_endpoint *ep = container_of(rx, struct fab_endpoint, rx);
	struct fab_pkt *pkt = rx->draining;

	rx->draining = NULL;
	receive_rise(fab, ep, pkt);
	receive_go(fab, ep);
}

static void receive_on_deliver(struct fab *fab, struct fab_event *ev)
{
	struct fab_receive *rx = container_of(ev, struct fab_receive, deliver);
	struct fab_endpoint *ep = container_of(rx, struct fab_endpoint, rx);
	struct fab_pkt *pkt = fab_fifo_pop(&rx->rising);

	if (rx->rising.head)
		fab_event_schedule(&fab->events, ev, rx->rising.head->at);
	fab_endpoint_deliver(fab, ep, pkt);
}

/**
 * fab_receive_params_check() - check the parameters of the receive side
 * @p: the parameters
 *
 * Return: 0, or -ERANGE.
 */
int fab_receive_params_check(const struct fab_receive_params *p)
{
	if (!p->rate_bps)
		return 0;
	if (p->rate_bps < FAB_RATE_MIN || p->rate_bps > FAB_RATE_MAX)
		return -ERANGE;
	return 0;
}

/**
 * fab_receive_init() - initialise the receive side of an endpoint, empty
 * @ep: the endpoint, whose parameters and port are initialised
 */
void fab_receive_init(struct fab_endpoint *ep)
{
	struct fab_buffer_params buffer = ep->p->buffer;
	struct fab_receive *rx = &ep->rx;

	if (!buffer.total)
		buffer.total = FAB_BUFFER_MAX;
	buffer.per_port = buffer.total;
	rx->p = ep->p->rx;
	fab_buffer_init(&rx->buffer, &buffer, &ep->port, 1);
	fab_event_init(&rx->drain, receive_on_drain);
	fab_event_init(&rx->deliver, receive_on_deliver);
	ep->staged = receive_staged(ep);
}

static void receive_change(struct fab *fab, struct fab_endpoint *ep)
{
	if (receive_staged(ep) && !ep->staged) {
		ep->staged = true;
		/* The sender's wire stores the time at which this end acts on a packet. */
		if (ep->port.peer)
			fab_link_reach(ep->port.peer);
	}
	receive_go(fab, ep);
}

/**
 * fab_receive_set() - change the parameters of the receive side
 * @fab: the fabric
 * @ep: the endpoint
 * @p: parameters, which fab_receive_params_check() accepts
 *
 * The packet that is draining continues at the old rate. Once packets have been
 * staged in the buffer, they always are.
 */
void fab_receive_set(struct fab *fab, struct fab_endpoint *ep,
		     const struct fab_receive_params *p)
{
	ep->rx.p = *p;
	receive_change(fab, ep);
}

/**
 * fab_receive_limit() - change the limits by faults
 * @fab: the fabric
 * @ep: the endpoint
 * @left: lowest remaining rate, 0 for no limit, and the stopped classes
 */
void fab_receive_limit(struct fab *fab, struct fab_endpoint *ep,
		       const struct fab_receive_params *left)
{
	ep->rx.left = *left;
	receive_change(fab, ep);
}

static enum fab_drop receive_admit(struct fab_endpoint *ep,
				   const struct fab_pkt *pkt)
{
	enum fab_drop verdict = fab_room_take(&ep->rx.buffer, &ep->port, pkt);

	if (verdict == FAB_DROP_PORT_LIMIT || verdict == FAB_DROP_BUFFER_FULL)
		return FAB_DROP_RX_FULL;
	return verdict;
}

/* Does the host take a packet at once, and is none before it? */
static inline bool receive_passes(const struct fab_receive *rx)
{
	return !(rx->ready | fab_receive_stopped(rx)) && !rx->draining &&
	       !(rx->p.rate_bps | rx->left.rate_bps);
}

/**
 * fab_receive_pkt() - stage a packet that arrived intact
 * @fab: the fabric
 * @ep: the endpoint, whose packets are staged in the buffer
 * @pkt: the packet
 */
void fab_receive_pkt(struct fab *fab, struct fab_endpoint *ep,
		     struct fab_pkt *pkt)
{
	struct fab_port *port = &ep->port;
	enum fab_drop verdict;
	bool passes;

	if (unlikely(port->special & FAB_SPECIAL_FAULT))
		fab_fault_received(port, pkt);
	fab_room_label(port, pkt);
	passes = receive_passes(&ep->rx);
	if (passes && fab_room_pass(&ep->rx.buffer, port, pkt)) {
		ep->rx.turn = (pkt->cls + 1) % FAB_CLASSES_MAX;
		receive_pass(fab, ep, pkt);
		return;
	}
	verdict = receive_admit(ep, pkt);
	fab_room_look(fab, &ep->rx.buffer, port, pkt, verdict);
	if (verdict != FAB_DROP_COUNT) {
		fab_port_drop(fab, port, pkt, verdict);
		return;
	}
	if (passes) {
		ep->rx.turn = (pkt->cls + 1) % FAB_CLASSES_MAX;
		receive_rise(fab, ep, pkt);
		return;
	}
	fab_fifo_push(&ep->rx.queue[pkt->cls], pkt);
	ep->rx.ready |= BIT(pkt->cls);
	receive_go(fab, ep);
}

/* Take the next packet out of the buffer, the draining one first. */
static struct fab_pkt *receive_take(struct fab_receive *rx)
{
	struct fab_pkt *pkt = rx->draining;

	rx->draining = NULL;
	if (!pkt && rx->ready)
		pkt = receive_pop(rx, __ffs(rx->ready));
	return pkt;
}

/**
 * fab_receive_flush() - drop all packets on the receive side
 * @fab: the fabric
 * @ep: the endpoint
 * @why: reason, reported to the host
 */
void fab_receive_flush(struct fab *fab, struct fab_endpoint *ep,
		       enum fab_drop why)
{
	struct fab_receive *rx = &ep->rx;
	struct fab_pkt *pkt;

	fab_event_cancel(&fab->events, &rx->drain);
	fab_event_cancel(&fab->events, &rx->deliver);
	while ((pkt = receive_take(rx))) {
		fab_room_release(fab, &rx->buffer, &ep->port, pkt);
		fab_port_drop(fab, &ep->port, pkt, why);
	}
	while ((pkt = fab_fifo_pop(&rx->rising)))
		fab_port_drop(fab, &ep->port, pkt, why);
}
