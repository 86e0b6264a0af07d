// SPDX-License-Identifier: GPL-2.0
/*
 * The port of an RDMA device: arbitration among queue pairs.
 *
 * DOC: laws
 *
 * Room: a class gets another packet while at most rate * tx_latency bytes of it
 * are pending, that is between the arbiter and the first wire. A packet that is
 * handed in when the one before starts on the wire is then ready before that one
 * ends.
 *
 * Round robin: classes take turns, one packet each. Within a class urgent packets
 * go first, then queue pairs take turns, one packet each. Priorities between
 * classes are the model's.
 *
 * The NIC: after the first packet of a request the next packet of any queue pair
 * is taken 1 / message_rate later; after n bytes of payload, 8 n / pcie_bps later;
 * the longer of both holds. A queue pair that is not among the qp_cache most
 * recent ones stops the NIC for qp_miss before its packet is taken.
 * Acknowledgements and notifications cost none of this.
 *
 * Doorbell: where the NIC is not working on a queue pair, the first packet is
 * taken after the latency of the doorbell. While it is, it finds further requests
 * by itself.
 *
 * Pace: the next packet of a queue pair is not taken before the time that
 * weft_cc_pace() returned.
 *
 * Loopback: a packet to the NIC itself takes the NIC's latencies and, between them,
 * its time on the wire, one packet at a time. Its queue pair waits for the latter.
 *
 * Loss: a packet that the model refuses, or drops before the wire, counts as sent.
 * The next packet is taken after the time it would have taken on the wire, so the
 * arbiter does not drop an endless row of packets at one instant.
 */
#include "rdma/port/port.h"

#include <linux/math64.h>

#include "core/sim/bitset.h"
#include "rdma/agent/switch.h"
#include "rdma/dev.h"
#include "rdma/efa/efa.h"
#include "rdma/qp.h"
#include "rdma/reduce.h"
#include "rdma/srd/peer.h"
#include "rdma/ud.h"

#define PORT_URGENT_MAX		4096		/* of a class */
#define PORT_NO_LINK_BPS	1000000000ULL	/* pace where no link ever was */

/**
 * weft_port_rate() - rate of the wire
 * @dev: the device, whose NIC is there
 *
 * Context: any; the fabric's lock is held.
 * Return: bits per second; that of a slow link where there is none.
 */
u64 weft_port_rate(const struct weft_rdma_dev *dev)
{
	const struct fab_wire *w = &dev->client.wep->ep.port.wire;

	return w->bps ?: PORT_NO_LINK_BPS;
}

static u32 port_wire_bytes(const struct weft_rdma_dev *dev,
			   const struct fab_pkt *pkt)
{
	const struct fab_wire_params *w = &dev->client.wep->ep.port.wire.p;

	return max(pkt->len, w->min_frame) + w->overhead;
}

/**
 * weft_port_wire_time() - the time that the wire takes to send a packet
 * @dev: device, whose NIC is there
 * @pkt: the packet
 *
 * Context: any; the fabric's lock is held.
 * Return: ps, with padding, preamble and gap.
 */
fab_time weft_port_wire_time(const struct weft_rdma_dev *dev,
			     const struct fab_pkt *pkt)
{
	return fab_serialise(port_wire_bytes(dev, pkt), weft_port_rate(dev));
}

/**
 * weft_port_kick() - arbitrate at @at, or earlier if that is planned
 * @dev: the device
 * @at: when; the present if it is over
 *
 * While the arbiter hands out turns it needs no event: it goes on until nobody has a
 * packet that may go.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_kick(struct weft_rdma_dev *dev, fab_time at)
{
	struct fab_event *arbitrate = &dev->port.arbitrate;
	struct fab *fab = weft_rdma_fab(dev);

	at = max(at, fab->now);
	if (dev->port.arbitrating) {
		dev->port.kick_at = min(dev->port.kick_at, at);
		return;
	}
	if (!fab_event_pending(arbitrate) || arbitrate->at > at)
		fab_event_move(&fab->events, arbitrate, at);
}

/* The packet is on the wire, or lost: not pending any more. */
static void port_del_pending(struct weft_rpkt *p)
{
	struct weft_rdma_dev *dev = p->tx_dev;

	dev->port.txq[p->hw.pkt.cls].pending_bytes -= p->hw.pkt.len;
	hlist_del(&p->tx_node);
	p->tx_dev = NULL;
}

static bool rpkt_is_request(const struct weft_rpkt *p)
{
	u8 transport = weft_opcode_transport(p->opcode);

	return transport <= IB_OPCODE_UD && !weft_opcode_is_response(p->opcode);
}

/* Tell the queue pair that its packet is on the wire, or was lost before. */
static void port_sent(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	struct weft_qp *qp;

	if (dev->efa) {
		weft_efa_sent(dev, p);
		return;
	}
	if (!rpkt_is_request(p))
		return;
	qp = p->sq ? p->sq->qp : weft_qp_find(dev, p->sqpn);
	if (!qp)
		return;
	if (weft_qp_is_ud(qp))
		weft_ud_sent(qp, p);
	else
		weft_requester_sent(qp, p);
}

static void port_lost(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	struct weft_rdma_port *port = &dev->port;
	fab_time now = weft_rdma_fab(dev)->now;

	if (dev->client.wep)
		port->busy_until = max(port->busy_until,
				       now + weft_port_wire_time(dev, &p->hw.pkt));
	port_sent(dev, p);
	weft_port_kick(dev, port->busy_until);
}

/* There is room again in a class: for urgent packets now, for others when the NIC is free. */
static void port_has_room(struct weft_rdma_dev *dev, u8 cls)
{
	const struct weft_rdma_txq *txq = &dev->port.txq[cls];

	if (txq->urgent.head)
		weft_port_kick(dev, 0);
	else if (!list_empty(&txq->waiting))
		weft_port_kick(dev, dev->port.busy_until);
}

static void port_on_sent(struct weft_endpoint *wep, struct weft_hwpkt *c)
{
	struct weft_rpkt *p = weft_rpkt_of(c);
	struct weft_rdma_dev *dev = p->tx_dev;

	if (!dev)
		return;
	port_del_pending(p);
	/* That of an acknowledgement is another packet's. */
	if (rpkt_is_request(p) || weft_is_srd_data(p))
		p->stamp = weft_rdma_fab(dev)->now;
	port_sent(dev, p);
	port_has_room(dev, p->hw.pkt.cls);
}

static void port_on_drop(struct weft_hwpkt *c, enum fab_drop why)
{
	struct weft_rpkt *p = weft_rpkt_of(c);
	struct weft_rdma_dev *dev = p->tx_dev;

	if (dev) {
		port_del_pending(p);
		port_lost(dev, p);
	}
	weft_rpkt_free(p);
}

static struct weft_hwpkt *port_on_clone(const struct weft_hwpkt *c)
{
	struct weft_rpkt *p = weft_rpkt_clone(weft_rpkt_of(c));

	return p ? &p->hw : NULL;
}

/* Back to the head of the urgent packets. */
static void txq_requeue(struct weft_rdma_txq *txq, struct weft_rpkt *p)
{
	struct fab_pkt *pkt = &p->hw.pkt;

	if (!txq->urgent.head)
		txq->urgent.tail = pkt;
	pkt->next = txq->urgent.head;
	txq->urgent.head = pkt;
	txq->nurgent++;
}

static void port_count_tx(struct weft_rdma_dev *dev, u32 len, bool multicast)
{
	weft_rdma_count(dev, tx_packets, 1);
	weft_rdma_count(dev, tx_bytes, len);
	if (multicast)
		weft_rdma_count(dev, tx_mcast, 1);
}

/* Hand a packet to the model, which may drop it before this returns. */
static void port_xmit(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	bool multicast = p->dqpn == WEFT_QPN_MULTICAST;
	struct weft_rdma_txq *txq = &dev->port.txq[p->hw.pkt.cls];
	struct weft_rpkt **slot = weft_rpkt_clear_slot(p);
	u32 len = p->hw.pkt.len;
	int err;

	p->tx_dev = dev;
	hlist_add_head(&p->tx_node, &dev->port.pending);
	txq->pending_bytes += len;
	err = weft_hwpkt_send(dev->client.wep, &p->hw);
	if (!err) {
		port_count_tx(dev, len, multicast);
		return;
	}
	port_del_pending(p);
	if (err == -ENOBUFS) {
		txq->full = true;
		txq_requeue(txq, p);
		weft_rpkt_set_slot(p, slot);
		weft_rdma_count(dev, tx_stalls, 1);
		return;
	}
	port_lost(dev, p);
	weft_rpkt_free(p);
}

static bool port_is_loopback(const struct weft_rdma_dev *dev,
			     const struct fab_pkt *pkt)
{
	return !(pkt->flags & FAB_PKT_MULTICAST) &&
	       pkt->dst == dev->client.wep->ep.id;
}

/* Has it nowhere to go, or may it not leave by the port? */
static bool port_refuses(const struct weft_rdma_dev *dev,
			 const struct weft_rpkt *p)
{
	return (p->hw.pkt.dst == FAB_NO_DST &&
		!(p->hw.pkt.flags & FAB_PKT_MULTICAST)) ||
	       (dev->sma.managed && !weft_sma_sends(dev, p));
}

static void port_send(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	if (port_refuses(dev, p)) {
		port_lost(dev, p);
		weft_rpkt_free(p);
	} else if (port_is_loopback(dev, &p->hw.pkt)) {
		weft_rpkt_clear_slot(p);
		weft_loop_send(dev, p);
		port_sent(dev, p);
	} else {
		port_xmit(dev, p);
	}
}

/* Is the state of a queue pair in the NIC's cache? If not, fetch it now. */
static bool port_qpc_hit(struct weft_rdma_dev *dev, struct weft_tx *tx)
{
	const struct weft_verbs_params *v = weft_rdma_params(dev);
	struct weft_rdma_port *port = &dev->port;

	if (!v->qp_cache)
		return true;
	if (port->qpc_lru.next == &tx->lru)
		return true;
	if (!list_empty(&tx->lru)) {
		list_move(&tx->lru, &port->qpc_lru);
		return true;
	}
	while (port->qpc_count >= v->qp_cache) {
		list_del_init(port->qpc_lru.prev);
		port->qpc_count--;
	}
	list_add(&tx->lru, &port->qpc_lru);
	port->qpc_count++;
	weft_rdma_count(dev, cache_misses, 1);
	port->busy_until = weft_rdma_fab(dev)->now + v->qp_miss;
	return false;
}

/* Is it the first packet of a request? One bit for each opcode that starts one. */
static bool rpkt_starts_message(const struct weft_rpkt *p)
{
	static const u32 begins = BIT(IB_OPCODE_SEND_FIRST) |
				  BIT(IB_OPCODE_SEND_ONLY) |
				  BIT(IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE) |
				  BIT(IB_OPCODE_SEND_ONLY_WITH_INVALIDATE) |
				  BIT(IB_OPCODE_RDMA_WRITE_FIRST) |
				  BIT(IB_OPCODE_RDMA_WRITE_ONLY) |
				  BIT(IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE) |
				  BIT(IB_OPCODE_RDMA_READ_REQUEST) |
				  BIT(IB_OPCODE_COMPARE_SWAP) |
				  BIT(IB_OPCODE_FETCH_ADD);

	return begins >> (p->opcode & 0x1f) & 1;
}

static void port_charge(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	const struct weft_verbs_params *v = weft_rdma_params(dev);
	fab_time cost = 0;

	if (v->message_rate && rpkt_starts_message(p))
		cost = div64_u64(FAB_PS_PER_S + v->message_rate - 1,
				 v->message_rate);
	if (v->pcie_bps && p->len)
		cost = max(cost, fab_serialise(p->len, v->pcie_bps));
	if (cost)
		dev->port.busy_until = weft_rdma_fab(dev)->now + cost;
}

/* A packet of @tx was taken: account for it, and set when the next may be. */
static void port_taken(struct weft_rdma_dev *dev, struct weft_tx *tx,
		       const struct weft_rpkt *p)
{
	fab_time now = weft_rdma_fab(dev)->now;

	port_charge(dev, p);
	if (unlikely(p->dqpn == WEFT_QPN_MULTICAST))
		weft_loop_multicast(dev, p);
	tx->not_before = now;
	if (tx->ops->pace)
		tx->ops->pace(tx, p, port_wire_bytes(dev, &p->hw.pkt));
	if (port_is_loopback(dev, &p->hw.pkt))
		tx->not_before = max(tx->not_before,
				     max(dev->port.loop_busy_until, now) +
				     weft_port_wire_time(dev, &p->hw.pkt));
}

/* Send the next packet of the first that has one. */
static bool txq_serve(struct weft_rdma_dev *dev, struct weft_rdma_txq *txq)
{
	fab_time now = weft_rdma_fab(dev)->now;
	struct weft_rpkt *p;
	struct weft_tx *tx;

	while (dev->port.busy_until <= now) {
		tx = list_first_entry_or_null(&txq->waiting, struct weft_tx, node);
		if (!tx)
			return false;
		if (!port_qpc_hit(dev, tx) && dev->port.busy_until > now)
			return false;
		list_del_init(&tx->node);
		p = tx->ops->next(tx);
		if (!p)
			continue;
		port_taken(dev, tx, p);
		port_send(dev, p);
		if (tx->ops->again(tx))
			weft_tx_schedule(tx, now);
		return true;
	}
	return false;
}

static bool txq_has_room(const struct weft_rdma_txq *txq, u64 limit)
{
	return !txq->full && txq->pending_bytes <= limit;
}

/* Send one packet of a class. */
static bool txq_send_one(struct weft_rdma_dev *dev, struct weft_rdma_txq *txq,
			 u64 limit)
{
	struct fab_pkt *pkt;

	if (!txq_has_room(txq, limit))
		return false;
	pkt = fab_fifo_pop(&txq->urgent);
	if (!pkt)
		return txq_serve(dev, txq);
	txq->nurgent--;
	port_send(dev, weft_rpkt_of(weft_hwpkt_of(pkt)));
	return true;
}

/* Bytes that the wire sends during the NIC's transmit latency. */
static u64 port_pending_limit(const struct weft_rdma_dev *dev)
{
	return mul_u64_u64_div_u64(weft_port_rate(dev),
				   dev->client.wep->ep.p->tx_latency,
				   8 * FAB_PS_PER_S);
}

/* Queue pairs wait because the NIC is busy: arbitrate again when it is not. */
static void port_rearm(struct weft_rdma_dev *dev, u64 limit)
{
	struct weft_rdma_port *port = &dev->port;
	unsigned long txq_mask = port->txq_mask;
	unsigned int cls;

	if (port->busy_until <= weft_rdma_fab(dev)->now)
		return;
	for_each_set_bit(cls, &txq_mask, FAB_CLASSES_MAX)
		if (!list_empty(&port->txq[cls].waiting) &&
		    txq_has_room(&port->txq[cls], limit))
			return weft_port_kick(dev, port->busy_until);
}

/* The classes of the wire that may have something to send, a bit for each. */
static u32 port_txq_mask(const struct weft_rdma_dev *dev)
{
	return dev->port.txq_mask &
	       fab_port_classes(&dev->client.wep->ep.port);
}

static void port_txq_idle(struct weft_rdma_port *port, u32 cls)
{
	if (list_empty(&port->txq[cls].waiting) && !port->txq[cls].urgent.head)
		port->txq_mask &= ~BIT(cls);
}

/* Hand out turns. Who has something to send after a turn is seen in the next one. */
static void port_arbitrate(struct weft_rdma_dev *dev, u64 limit)
{
	struct weft_rdma_port *port = &dev->port;
	u32 left = port_txq_mask(dev), cls;

	port->kick_at = FAB_NEVER;
	while (left) {
		cls = fab_bits_turn(left, port->last_txq + 1);
		if (txq_send_one(dev, &port->txq[cls], limit)) {
			port->last_txq = cls;
			port->kick_at = FAB_NEVER;
			port_txq_idle(port, cls);
			left = port_txq_mask(dev);
		} else {
			left &= ~BIT(cls);
			port_txq_idle(port, cls);
		}
	}
}

static void port_on_arbitrate(struct fab *fab, struct fab_event *ev)
{
	struct weft_rdma_dev *dev = container_of(ev, struct weft_rdma_dev,
						 port.arbitrate);
	struct weft_rdma_port *port = &dev->port;
	u64 limit;

	if (!weft_port_is_running(dev))
		return;
	limit = port_pending_limit(dev);
	port->arbitrating = true;
	port_arbitrate(dev, limit);
	port->arbitrating = false;
	if (port->kick_at != FAB_NEVER)
		weft_port_kick(dev, port->kick_at);
	port_rearm(dev, limit);
}

/* Would a turn of the arbiter come next, before all that is due? The caller's act is the last. */
static __always_inline bool port_turn_is_next(struct weft_rdma_dev *dev)
{
	const struct weft_rdma_port *port = &dev->port;
	struct fab *fab = weft_rdma_fab(dev);

	return !port->arbitrating && !fab_event_pending(&port->arbitrate) &&
	       fab_event_omit(&fab->events, &port->arbitrate, fab->now);
}

/**
 * weft_port_turn() - as weft_port_kick(), but without an event for a turn that would come next
 * @dev: the device
 * @at: when; the present if it is over
 *
 * Context: as the last act of an event, or before the fabric's lock is released.
 */
void weft_port_turn(struct weft_rdma_dev *dev, fab_time at)
{
	if (at <= weft_rdma_fab(dev)->now && port_turn_is_next(dev))
		port_on_arbitrate(weft_rdma_fab(dev), &dev->port.arbitrate);
	else
		weft_port_kick(dev, at);
}

/**
 * weft_port_urgent() - send a packet before those of queue pairs
 * @dev: the device
 * @p: an acknowledgement or a notification, addressed; taken in any case
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_urgent(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	if (!weft_port_is_running(dev)) {
		weft_rpkt_free(p);
		return;
	}
	fab_fifo_push(&dev->port.txq[p->hw.pkt.cls].urgent, &p->hw.pkt);
	dev->port.txq[p->hw.pkt.cls].nurgent++;
	dev->port.txq_mask |= BIT(p->hw.pkt.cls);
	weft_port_kick(dev, 0);
}

/**
 * weft_port_answer() - as weft_port_urgent(), but at once if the arbiter would do that next
 * @dev: the device
 * @p: an acknowledgement, addressed; taken in any case
 *
 * Context: as the last act of an event; the fabric's lock is held.
 */
void weft_port_answer(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	u8 cls = p->hw.pkt.cls;

	if (dev->port.txq_mask || !txq_has_room(&dev->port.txq[cls], 0) ||
	    !weft_port_is_running(dev) || !port_turn_is_next(dev)) {
		weft_port_urgent(dev, p);
		return;
	}
	dev->port.last_txq = cls;
	port_send(dev, p);
}

/**
 * weft_port_urgent_full() - are there too many urgent packets in a class?
 * @dev: the device
 * @cls: class on the first wire
 *
 * Then an acknowledgement waits with its queue pair, and a notification is not
 * sent. This bounds the memory of a port that is paused for long.
 *
 * Context: any; the fabric's lock is held.
 * Return: true if there are.
 */
bool weft_port_urgent_full(const struct weft_rdma_dev *dev, u8 cls)
{
	return dev->port.txq[cls].nurgent >= PORT_URGENT_MAX;
}

/**
 * weft_port_wake() - the ring of a class has room again
 * @dev: the device
 * @cls: the class
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_wake(struct weft_rdma_dev *dev, u8 cls)
{
	if (!dev->port.txq[cls].full)
		return;
	dev->port.txq[cls].full = false;
	if (weft_port_is_running(dev))
		weft_port_kick(dev, 0);
}

const struct weft_hwpkt_ops weft_rpkt_ops = {
	.deliver = weft_port_on_deliver,
	.drop = port_on_drop,
	.clone = port_on_clone,
	.sent = port_on_sent,
	.punt = weft_agent_punt,
	.reducible = weft_reduce_may,
	.absorb = weft_reduce_absorb,
	.trimmed = true,
	.length = weft_rpkt_length,
	.frame = weft_rpkt_frame,
};

/**
 * weft_port_init() - prepare the port of a device
 * @dev: the device, zeroed
 *
 * Context: process.
 */
void weft_port_init(struct weft_rdma_dev *dev)
{
	struct weft_rdma_port *port = &dev->port;
	u32 cls;

	for (cls = 0; cls < FAB_CLASSES_MAX; cls++)
		INIT_LIST_HEAD(&port->txq[cls].waiting);
	INIT_LIST_HEAD(&port->qpc_lru);
	fab_event_init(&port->arbitrate, port_on_arbitrate);
	fab_event_init(&port->execute, weft_port_on_execute);
	fab_event_init(&port->loop_arrival, weft_loop_on_arrival);
}

static void port_free_all(struct fab_fifo *q)
{
	struct fab_pkt *pkt;

	while ((pkt = fab_fifo_pop(q)))
		weft_rpkt_free(weft_rpkt_of(weft_hwpkt_of(pkt)));
}

/**
 * weft_port_stop() - stop sending and receiving
 * @dev: the device
 *
 * Packets in the fabric are freed when they come back from there.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_stop(struct weft_rdma_dev *dev)
{
	struct fab_event_queue *events = &weft_rdma_fab(dev)->events;
	struct weft_rdma_port *port = &dev->port;
	struct hlist_node *next;
	struct weft_rpkt *p;
	u32 cls;

	port->stopped = true;
	fab_event_cancel(events, &port->arbitrate);
	fab_event_cancel(events, &port->execute);
	fab_event_cancel(events, &port->loop_arrival);
	hlist_for_each_entry_safe(p, next, &port->pending, tx_node)
		port_del_pending(p);
	for (cls = 0; cls < FAB_CLASSES_MAX; cls++)
		port_free_all(&port->txq[cls].urgent);
	port_free_all(&port->arrived);
	port_free_all(&port->loop);
}
