// SPDX-License-Identifier: GPL-2.0
/*
 * The port of an RDMA device: who sends next, and to whom arrivals go.
 *
 * DOC: laws
 *
 * Room: a class is given a packet while at most rate * tx_latency bytes of it are
 * inside, that is between the arbiter and the first wire. A packet handed in when
 * the one before begins on the wire is then there before that one ends.
 *
 * Turns: classes in turn, one packet each; in a class what is urgent, then its
 * queue pairs in turn, one packet each. Priorities are the model's to know.
 *
 * The NIC: after a packet that begins a request the next packet of a queue pair
 * is taken not before 1 / message_rate; after one with n bytes of payload not
 * before 8 n / pcie_bps; the longer of both counts. A queue pair that is not
 * among the qp_cache latest stops the NIC for qp_miss before its packet is
 * taken. Acknowledgements and notifications cost none of this.
 *
 * The doorbell is rung where the NIC does not work on the queue pair: its first
 * packet is taken after that latency. Further requests it finds by itself.
 *
 * Pace: the next packet of a queue pair is taken when weft_cc_pace() said.
 *
 * Loop: a packet to the NIC itself takes the NIC's latencies and, between them, the
 * time that it would take on the wire, no two at a time; its queue pair waits for
 * the latter.
 *
 * Lost: what the model does not take, or drops before the wire, is as if sent. The
 * next packet is taken after the time it would have taken, so that no
 * instant sees an endless row of them.
 */
#include "rdma/port.h"

#include <linux/math64.h>

#include "rdma/cc.h"
#include "rdma/dev.h"
#include "rdma/qp.h"
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

static bool port_works(const struct weft_rdma_dev *dev)
{
	return dev->client.wep && !dev->port.stopped;
}

/* Look for something to send at @at, or earlier if that is planned. */
static void port_kick(struct weft_rdma_dev *dev, fab_time at)
{
	struct fab_event *pull = &dev->port.pull;
	struct fab *fab = weft_rdma_fab(dev);

	at = max(at, fab->now);
	if (!fab_event_pending(pull) || pull->at > at)
		fab_event_move(&fab->events, pull, at);
}

static bool qp_wants(const struct weft_qp *qp)
{
	if (weft_qp_datagrams(qp))
		return weft_ud_ready(qp);
	return weft_responder_ready(qp) || weft_requester_ready(qp);
}

static struct weft_rpkt *qp_next(struct weft_qp *qp)
{
	struct weft_rpkt *p = NULL;

	if (weft_qp_datagrams(qp))
		return weft_ud_next_packet(qp);
	if (weft_responder_ready(qp))
		p = weft_responder_next_packet(qp);
	return p ?: weft_requester_next_packet(qp);
}

static u8 qp_class(const struct weft_qp *qp)
{
	return weft_qp_datagrams(qp) ? weft_ud_class(qp) :
	       weft_path_class(qp->dev, &qp->path, qp->ib.qp_num);
}

static void qp_join(struct weft_qp *qp)
{
	struct weft_rdma_dev *dev = qp->dev;

	if (!list_empty(&qp->tx.node))
		return;
	qp->tx.cls = qp_class(qp);
	list_add_tail(&qp->tx.node, &dev->port.lane[qp->tx.cls].line);
	dev->port.lanes |= BIT(qp->tx.cls);
	port_kick(dev, dev->port.free_at);
}

static void qp_on_wait(struct fab *fab, struct fab_event *ev)
{
	struct weft_qp *qp = container_of(ev, struct weft_qp, tx.wait);

	if (port_works(qp->dev))
		qp_join(qp);
}

/* Is there nothing but what the doorbell, on its way, will tell the NIC of? */
static bool qp_rings(const struct weft_qp *qp)
{
	fab_time doorbell = weft_rdma_params(qp->dev)->doorbell;
	u32 wqe_idx = qp->req.wqe_idx;

	if (!fab_event_pending(&qp->tx.wait) || weft_responder_ready(qp))
		return false;
	return wqe_idx == qp->sq->head ||
	       weft_sq_wqe(qp->sq, wqe_idx)->posted + doorbell >
	       weft_rdma_fab(qp->dev)->now;
}

/**
 * weft_port_ready() - a queue pair has, or may have, something to send
 * @qp: the queue pair
 * @delay: not before so long from now, ps; 0 where the NIC knows already
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_ready(struct weft_qp *qp, fab_time delay)
{
	struct fab *fab = weft_rdma_fab(qp->dev);
	fab_time at = max(fab->now + delay, qp->tx.not_before);
	struct fab_event *wait = &qp->tx.wait;

	if (!port_works(qp->dev) || !list_empty(&qp->tx.node))
		return;
	if (!delay && qp_rings(qp))
		return;
	if (at > fab->now) {
		if (!fab_event_pending(wait) || wait->at > at)
			fab_event_move(&fab->events, wait, at);
		return;
	}
	fab_event_cancel(&fab->events, wait);
	qp_join(qp);
}

/* The packet is no more between the arbiter and the wire. */
static void port_leaves(struct weft_rpkt *p)
{
	struct weft_rdma_dev *dev = p->home;

	dev->port.lane[p->car.pkt.cls].inside -= p->car.pkt.len;
	list_del(&p->node);
	p->home = NULL;
}

static bool rpkt_asks(const struct weft_rpkt *p)
{
	u8 transport = weft_opcode_transport(p->opcode);

	return transport <= IB_OPCODE_UD && !weft_opcode_answers(p->opcode);
}

/* Tell the queue pair that its packet is on the wire, or lost before. */
static void port_sent(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	struct weft_qp *qp;

	if (!rpkt_asks(p))
		return;
	qp = p->sq ? p->sq->qp : weft_qp_find(dev, p->sqpn);
	if (!qp)
		return;
	if (weft_qp_datagrams(qp))
		weft_ud_sent(qp, p);
	else
		weft_requester_sent(qp, p);
}

static void port_lost(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	struct weft_rdma_port *port = &dev->port;
	fab_time now = weft_rdma_fab(dev)->now;

	if (dev->client.wep)
		port->free_at = max(port->free_at,
				    now + weft_port_wire_time(dev, &p->car.pkt));
	port_sent(dev, p);
	port_kick(dev, port->free_at);
}

static void port_on_sent(struct weft_endpoint *wep, struct weft_carrier *c)
{
	struct weft_rpkt *p = weft_rpkt_of(c);
	struct weft_rdma_dev *dev = p->home;

	if (!dev)
		return;
	port_leaves(p);
	port_sent(dev, p);
	port_kick(dev, 0);
}

static void port_on_drop(struct weft_carrier *c, enum fab_drop why)
{
	struct weft_rpkt *p = weft_rpkt_of(c);
	struct weft_rdma_dev *dev = p->home;

	if (dev) {
		port_leaves(p);
		port_lost(dev, p);
	}
	weft_rpkt_free(p);
}

static struct weft_carrier *port_on_clone(const struct weft_carrier *c)
{
	struct weft_rpkt *p = weft_rpkt_clone(weft_rpkt_of(c));

	return p ? &p->car : NULL;
}

/* In front of all that is urgent, as it was there first. */
static void lane_return(struct weft_rdma_lane *lane, struct weft_rpkt *p)
{
	struct fab_pkt *pkt = &p->car.pkt;

	if (!lane->urgent.head)
		lane->urgent.tail = pkt;
	pkt->next = lane->urgent.head;
	lane->urgent.head = pkt;
	lane->nurgent++;
}

static void port_count_tx(struct weft_rdma_dev *dev, u32 len, bool multicast)
{
	weft_rdma_count(dev, tx_packets, 1);
	weft_rdma_count(dev, tx_bytes, len);
	if (multicast)
		weft_rdma_count(dev, tx_mcast, 1);
}

/* Hand a packet to the model, which may drop it before this returns. */
static void port_hand_over(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	bool multicast = p->dqpn == WEFT_QPN_MULTICAST;
	struct weft_rdma_lane *lane = &dev->port.lane[p->car.pkt.cls];
	struct weft_rpkt **place = weft_rpkt_leaves(p);
	u32 len = p->car.pkt.len;
	int err;

	p->home = dev;
	list_add_tail(&p->node, &dev->port.inside);
	lane->inside += len;
	err = weft_carrier_send(dev->client.wep, &p->car);
	if (!err) {
		port_count_tx(dev, len, multicast);
		return;
	}
	port_leaves(p);
	if (err == -ENOBUFS) {
		lane->full = true;
		lane_return(lane, p);
		weft_rpkt_waits(p, place);
		weft_rdma_count(dev, tx_stalls, 1);
		return;
	}
	port_lost(dev, p);
	weft_rpkt_free(p);
}

static bool port_is_self(const struct weft_rdma_dev *dev,
			 const struct fab_pkt *pkt)
{
	return !(pkt->flags & FAB_PKT_MULTICAST) &&
	       pkt->dst == dev->client.wep->ep.id;
}

static void port_send(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	if (p->car.pkt.dst == FAB_NO_DST &&
	    !(p->car.pkt.flags & FAB_PKT_MULTICAST)) {
		port_lost(dev, p);
		weft_rpkt_free(p);
	} else if (port_is_self(dev, &p->car.pkt)) {
		weft_rpkt_leaves(p);
		weft_loop_send(dev, p);
		port_sent(dev, p);
	} else {
		port_hand_over(dev, p);
	}
}

/* Does the NIC know the state of a queue pair? If not, it fetches it now. */
static bool port_cached(struct weft_rdma_dev *dev, struct weft_qp *qp)
{
	const struct weft_verbs_params *v = weft_rdma_params(dev);
	struct weft_rdma_port *port = &dev->port;

	if (!v->qp_cache)
		return true;
	if (!list_empty(&qp->tx.lru)) {
		list_move(&qp->tx.lru, &port->cached);
		return true;
	}
	while (port->ncached >= v->qp_cache) {
		list_del_init(port->cached.prev);
		port->ncached--;
	}
	list_add(&qp->tx.lru, &port->cached);
	port->ncached++;
	weft_rdma_count(dev, cache_misses, 1);
	port->free_at = weft_rdma_fab(dev)->now + v->qp_miss;
	return false;
}

/* Is it the first packet of a request? Bit per operation that begins one. */
static bool rpkt_begins(const struct weft_rpkt *p)
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

	if (v->message_rate && rpkt_begins(p))
		cost = div64_u64(FAB_PS_PER_S + v->message_rate - 1,
				 v->message_rate);
	if (v->pcie_bps && p->len)
		cost = max(cost, fab_serialise(p->len, v->pcie_bps));
	if (cost)
		dev->port.free_at = weft_rdma_fab(dev)->now + cost;
}

/* A packet of @qp was taken: what follows from it, and when the next may be. */
static void port_taken(struct weft_rdma_dev *dev, struct weft_qp *qp,
		       const struct weft_rpkt *p)
{
	fab_time next;

	port_charge(dev, p);
	weft_loop_copy(dev, p);
	next = weft_cc_pace(qp, p, port_wire_bytes(dev, &p->car.pkt));
	if (port_is_self(dev, &p->car.pkt))
		next = max(next, max(dev->port.loop_free,
				     weft_rdma_fab(dev)->now) +
				 weft_port_wire_time(dev, &p->car.pkt));
	qp->tx.not_before = next;
}

/* Send the next packet of the first queue pair in line that has one. */
static bool lane_serve(struct weft_rdma_dev *dev, struct weft_rdma_lane *lane)
{
	fab_time now = weft_rdma_fab(dev)->now;
	struct weft_rpkt *p;
	struct weft_qp *qp;

	while (dev->port.free_at <= now) {
		qp = list_first_entry_or_null(&lane->line, struct weft_qp,
					      tx.node);
		if (!qp)
			return false;
		if (!port_cached(dev, qp) && dev->port.free_at > now)
			return false;
		list_del_init(&qp->tx.node);
		p = qp_next(qp);
		if (!p)
			continue;
		port_taken(dev, qp, p);
		port_send(dev, p);
		if (qp_wants(qp))
			weft_port_ready(qp, 0);
		return true;
	}
	return false;
}

static bool lane_has_room(const struct weft_rdma_lane *lane, u64 limit)
{
	return !lane->full && lane->inside <= limit;
}

/* Send one packet of a class. */
static bool lane_turn(struct weft_rdma_dev *dev, struct weft_rdma_lane *lane,
		      u64 limit)
{
	struct fab_pkt *pkt;

	if (!lane_has_room(lane, limit))
		return false;
	pkt = fab_fifo_pop(&lane->urgent);
	if (!pkt)
		return lane_serve(dev, lane);
	lane->nurgent--;
	port_send(dev, weft_rpkt_of(weft_carrier_of(pkt)));
	return true;
}

/* Bytes that the wire sends in the time that the NIC takes to hand them over. */
static u64 port_limit(const struct weft_rdma_dev *dev)
{
	return mul_u64_u64_div_u64(weft_port_rate(dev),
				   dev->client.wep->ep.p.tx_latency,
				   8 * FAB_PS_PER_S);
}

/* The NIC was the reason that queue pairs wait: come back when it has time. */
static void port_come_back(struct weft_rdma_dev *dev, u64 limit)
{
	struct weft_rdma_port *port = &dev->port;
	unsigned long lanes = port->lanes;
	unsigned int cls;

	if (port->free_at <= weft_rdma_fab(dev)->now)
		return;
	for_each_set_bit(cls, &lanes, FAB_CLASSES_MAX)
		if (!list_empty(&port->lane[cls].line) &&
		    lane_has_room(&port->lane[cls], limit))
			return port_kick(dev, port->free_at);
}

/* The classes of the wire that may have something to send, a bit for each. */
static u32 port_lanes(const struct weft_rdma_dev *dev)
{
	return dev->port.lanes &
	       (BIT_ULL(dev->client.wep->ep.p.port.classes) - 1);
}

/* Of the classes @left, the next in turn. */
static u32 port_next_lane(const struct weft_rdma_port *port, u32 left)
{
	u32 later = left & ~(u32)(BIT_ULL(port->turn + 1) - 1);

	return __ffs(later ?: left);
}

static void port_lane_rests(struct weft_rdma_port *port, u32 cls)
{
	if (list_empty(&port->lane[cls].line) && !port->lane[cls].urgent.head)
		port->lanes &= ~BIT(cls);
}

static void port_on_pull(struct fab *fab, struct fab_event *ev)
{
	struct weft_rdma_dev *dev = container_of(ev, struct weft_rdma_dev,
						 port.pull);
	struct weft_rdma_port *port = &dev->port;
	u32 left, cls;
	u64 limit;

	if (!port_works(dev))
		return;
	limit = port_limit(dev);
	left = port_lanes(dev);
	while (left) {
		cls = port_next_lane(port, left);
		if (lane_turn(dev, &port->lane[cls], limit)) {
			port->turn = cls;
			left = port_lanes(dev);
		} else {
			left &= ~BIT(cls);
			port_lane_rests(port, cls);
		}
	}
	port_come_back(dev, limit);
}

/**
 * weft_port_urgent() - send a packet without standing in line
 * @dev: the device
 * @p: an acknowledgement or a notification, addressed; taken in any case
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_urgent(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	if (!port_works(dev)) {
		weft_rpkt_free(p);
		return;
	}
	fab_fifo_push(&dev->port.lane[p->car.pkt.cls].urgent, &p->car.pkt);
	dev->port.lane[p->car.pkt.cls].nurgent++;
	dev->port.lanes |= BIT(p->car.pkt.cls);
	port_kick(dev, 0);
}

/**
 * weft_port_crowded() - do too many packets wait for weft_port_urgent() to send?
 * @dev: the device
 * @cls: class on the first wire
 *
 * An acknowledgement may then stand in line with its queue pair, a notification be
 * left out. A port that is paused for long would else keep all that it is asked.
 *
 * Context: any; the fabric's lock is held.
 * Return: whether it is so.
 */
bool weft_port_crowded(const struct weft_rdma_dev *dev, u8 cls)
{
	return dev->port.lane[cls].nurgent >= PORT_URGENT_MAX;
}

/**
 * weft_port_room() - the ring of a class, which was full, has room
 * @dev: the device
 * @cls: the class
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_room(struct weft_rdma_dev *dev, u8 cls)
{
	if (!dev->port.lane[cls].full)
		return;
	dev->port.lane[cls].full = false;
	if (port_works(dev))
		port_kick(dev, 0);
}

static void port_on_deliver(struct weft_endpoint *wep, struct weft_carrier *c)
{
	struct weft_rdma_dev *dev = container_of(wep->client,
						 struct weft_rdma_dev, client);
	struct weft_rpkt *p = weft_rpkt_of(c);

	/* What a switch cut is no packet of this transport any more. */
	if (dev->port.stopped || p->car.pkt.flags & FAB_PKT_TRIMMED) {
		weft_rpkt_free(p);
	} else if (unlikely(weft_rpkt_is_stray(dev, p))) {
		weft_rdma_count(dev, no_qp, 1);
		weft_rpkt_free(p);
	} else {
		weft_port_arrive(dev, p);
	}
}

const struct weft_carrier_ops weft_rpkt_ops = {
	.deliver = port_on_deliver,
	.drop = port_on_drop,
	.clone = port_on_clone,
	.sent = port_on_sent,
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
		INIT_LIST_HEAD(&port->lane[cls].line);
	INIT_LIST_HEAD(&port->inside);
	INIT_LIST_HEAD(&port->cached);
	fab_event_init(&port->pull, port_on_pull);
	fab_event_init(&port->execute, weft_port_on_execute);
	fab_event_init(&port->looped, weft_loop_on_arrival);
}

static void port_free_all(struct fab_fifo *q)
{
	struct fab_pkt *pkt;

	while ((pkt = fab_fifo_pop(q)))
		weft_rpkt_free(weft_rpkt_of(weft_carrier_of(pkt)));
}

/**
 * weft_port_stop() - neither send nor receive any more
 * @dev: the device
 *
 * What is in the fabric comes back from there, and is nobody's.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_stop(struct weft_rdma_dev *dev)
{
	struct fab_event_queue *events = &weft_rdma_fab(dev)->events;
	struct weft_rdma_port *port = &dev->port;
	struct weft_rpkt *p, *next;
	u32 cls;

	port->stopped = true;
	fab_event_cancel(events, &port->pull);
	fab_event_cancel(events, &port->execute);
	fab_event_cancel(events, &port->looped);
	list_for_each_entry_safe(p, next, &port->inside, node)
		port_leaves(p);
	for (cls = 0; cls < FAB_CLASSES_MAX; cls++)
		port_free_all(&port->lane[cls].urgent);
	port_free_all(&port->arrived);
	port_free_all(&port->loop);
}

/**
 * weft_port_qp_init() - prepare a queue pair's place at the port
 * @qp: the queue pair, zeroed
 *
 * Context: process.
 */
void weft_port_qp_init(struct weft_qp *qp)
{
	INIT_LIST_HEAD(&qp->tx.node);
	INIT_LIST_HEAD(&qp->tx.lru);
	fab_event_init(&qp->tx.wait, qp_on_wait);
}

/**
 * weft_port_qp_stop() - take a queue pair out of line
 * @qp: the queue pair
 *
 * Packets of it that wait here, or are on their way, go on.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_qp_stop(struct weft_qp *qp)
{
	fab_event_cancel(&weft_rdma_fab(qp->dev)->events, &qp->tx.wait);
	list_del_init(&qp->tx.node);
	if (!list_empty(&qp->tx.lru)) {
		list_del_init(&qp->tx.lru);
		qp->dev->port.ncached--;
	}
}
