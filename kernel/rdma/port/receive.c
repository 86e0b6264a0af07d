// SPDX-License-Identifier: GPL-2.0
/*
 * Arrivals at an RDMA device: after the NIC's processing time, their queue pair
 * executes them.
 */
#include "core/node/reduce.h"
#include "rdma/cc.h"
#include "rdma/dev.h"
#include "rdma/efa/efa.h"
#include "rdma/port/port.h"
#include "rdma/qp.h"
#include "rdma/reduce.h"
#include "rdma/ud.h"

/* Does a packet come from the peer of a connected queue pair? */
static bool qp_is_from_peer(const struct weft_qp *qp, const struct weft_rpkt *p)
{
	if (weft_qp_is_ud(qp))
		return true;
	if (qp->dev->is_ib)
		return p->path.slid == qp->path.dlid;
	return p->path.vlan == qp->path.vlan &&
	       !memcmp(&p->path.sgid, &qp->path.dgid, sizeof(p->path.sgid));
}

static bool qp_has_transport(const struct weft_qp *qp, u8 opcode)
{
	u8 transport = weft_opcode_transport(opcode);

	return transport == qp->transport || transport == IB_OPCODE_CNP;
}

/* QP0 belongs to no partition, QP1 to all of the port (IBTA 10.9.3). */
static bool qp_is_member(const struct weft_qp *qp, u16 pkey)
{
	const struct weft_sma *sma = &qp->dev->sma;

	if (!qp->ib.qp_num)
		return true;
	if (qp->ib.qp_num == 1 && sma->managed)
		return weft_sma_pkey_find(&sma->port, pkey) >= 0;
	return weft_sma_pkeys_match(qp->pkey, pkey);
}

static __always_inline bool qp_may_receive(const struct weft_qp *qp, const struct weft_rpkt *p)
{
	if (qp->state < IB_QPS_RTR || qp->state == IB_QPS_ERR)
		return false;
	if (likely(qp_is_member(qp, p->pkey)))
		return true;
	weft_sma_bad_pkey(qp->dev, p);
	return false;
}

/**
 * weft_qp_may_receive() - do state and partition allow a packet?
 * @qp: the queue pair
 * @p: the packet
 *
 * A wrong P_Key counts as a violation.
 *
 * Context: any; the fabric's lock is held.
 * Return: true if they do.
 */
bool weft_qp_may_receive(const struct weft_qp *qp, const struct weft_rpkt *p)
{
	return qp_may_receive(qp, p);
}

static bool qp_accepts(const struct weft_qp *qp, const struct weft_rpkt *p)
{
	return qp_may_receive(qp, p) && qp_has_transport(qp, p->opcode) &&
	       qp_is_from_peer(qp, p);
}

/* Of a packet that was trimmed only the header is there: it is lost. */
static void qp_trimmed(struct weft_qp *qp, const struct weft_rpkt *p)
{
	if (!qp->window)
		return;
	weft_rdma_count(qp->dev, rx_trimmed, 1);
	if (!weft_opcode_is_response(p->opcode))
		weft_hold_trimmed(qp, p);
	else if (p->opcode != IB_OPCODE_RC_ACKNOWLEDGE)
		weft_response_trimmed(qp, p->psn);
}

/* Return: true if the packet is the queue pair's now. */
static bool qp_execute(struct weft_qp *qp, struct weft_rpkt *p)
{
	bool notification = weft_opcode_transport(p->opcode) == IB_OPCODE_CNP;

	if (p->hw.pkt.flags & FAB_PKT_CE)
		weft_cc_marked(qp, p);
	if (p->flags & WEFT_RPKT_BECN || notification)
		weft_cc_notified(qp);
	if (notification)
		return false;
	if (weft_qp_is_ud(qp)) {
		weft_ud_receive(qp, p);
		return false;
	}
	if (unlikely(qp->state == IB_QPS_RTR))
		weft_qp_established(qp);
	if (p->hw.pkt.flags & FAB_PKT_TRIMMED)
		qp_trimmed(qp, p);
	else if (weft_opcode_is_response(p->opcode))
		weft_requester_receive(qp, p);
	else
		return weft_responder_receive(qp, p);
	return false;
}

static void port_execute(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	struct weft_qp *qp;
	bool kept = false;

	if (unlikely(fab_dst_is_owner(p->hw.pkt.dst))) {
		weft_reduce_store(dev, p);
		return;
	}
	if (dev->efa) {
		weft_efa_receive(dev, p);
	} else if (p->dqpn == WEFT_QPN_MULTICAST) {
		weft_mcast_receive(dev, p);
	} else {
		qp = weft_qp_find(dev, p->dqpn);
		if (qp && qp_accepts(qp, p))
			kept = qp_execute(qp, p);
		else
			weft_rdma_count(dev, no_qp, 1);
	}
	if (!kept)
		weft_rpkt_free(p);
	weft_rdma_memory_written(dev);
}

static __always_inline void port_arrive(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	fab_time process = weft_rdma_params(dev)->process;
	struct weft_rdma_port *port = &dev->port;
	struct fab *fab = weft_rdma_fab(dev);

	weft_rdma_count(dev, rx_packets, 1);
	weft_rdma_count(dev, rx_bytes, p->hw.pkt.len);
	if (!process && !port->arrived.head) {
		port_execute(dev, p);
		return;
	}
	p->hw.pkt.at = fab->now + process;
	fab_fifo_push(&port->arrived, &p->hw.pkt);
	if (!fab_event_pending(&port->execute))
		fab_event_schedule(&fab->events, &port->execute,
				   p->hw.pkt.at);
}

/**
 * weft_port_arrive() - the last bit of a packet has arrived
 * @dev: the device
 * @p: the packet; taken
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_arrive(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	port_arrive(dev, p);
}

/* Is a packet of no use, because a switch has trimmed it? */
static bool port_is_trimmed(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	const struct weft_qp *qp;

	if (likely(!(p->hw.pkt.flags & FAB_PKT_TRIMMED)))
		return false;
	if (dev->efa)
		return true;
	qp = weft_qp_find(dev, p->dqpn);
	return !qp || !qp->window || !weft_rpkt_has_bth(p);
}

/* Mostly the model brings what it was told to bring here. */
static inline bool port_is_stray(const struct weft_rdma_dev *dev, const struct weft_endpoint *wep,
				 const struct weft_rpkt *p)
{
	const struct fab_pkt *pkt = &p->hw.pkt;

	if (likely(pkt->dst == wep->ep.id && !(pkt->flags & FAB_PKT_MULTICAST) &&
		   !dev->sma.managed))
		return false;
	return weft_rpkt_is_stray(dev, p);
}

/**
 * weft_port_on_deliver() - the last bit of a packet has arrived
 * @wep: the endpoint
 * @c: the packet; taken
 *
 * Context: callback of the model.
 */
void weft_port_on_deliver(struct weft_endpoint *wep, struct weft_hwpkt *c)
{
	struct weft_rdma_dev *dev = container_of(wep->client,
						 struct weft_rdma_dev, client);
	struct weft_rpkt *p = weft_rpkt_of(c);

	if (dev->port.stopped || port_is_trimmed(dev, p) ||
	    (dev->sma.managed && !weft_sma_receives(dev, p))) {
		weft_rpkt_free(p);
	} else if (unlikely(port_is_stray(dev, wep, p))) {
		weft_rdma_count(dev, no_qp, 1);
		weft_rpkt_free(p);
	} else {
		port_arrive(dev, p);
	}
}

/**
 * weft_port_pop_due() - take the oldest packet of a queue, which is due
 * @fab: the fabric
 * @q: the queue, in the order of pkt->at
 * @ev: its event; scheduled for the next packet
 *
 * Context: any; the fabric's lock is held.
 * Return: the packet or NULL.
 */
struct weft_rpkt *weft_port_pop_due(struct fab *fab, struct fab_fifo *q,
				    struct fab_event *ev)
{
	struct fab_pkt *pkt = fab_fifo_pop(q);

	if (!pkt)
		return NULL;
	if (q->head)
		fab_event_schedule(&fab->events, ev, q->head->at);
	return weft_rpkt_of(weft_hwpkt_of(pkt));
}

/**
 * weft_port_on_execute() - the NIC executes the oldest arrival
 * @fab: the fabric
 * @ev: the event, weft_rdma_port.execute
 *
 * Context: event of the fabric.
 */
void weft_port_on_execute(struct fab *fab, struct fab_event *ev)
{
	struct weft_rdma_dev *dev = container_of(ev, struct weft_rdma_dev,
						 port.execute);
	struct weft_rpkt *p = weft_port_pop_due(fab, &dev->port.arrived, ev);

	if (p)
		port_execute(dev, p);
}
