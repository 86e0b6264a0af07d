// SPDX-License-Identifier: GPL-2.0
/*
 * Those who take turns at the port of an RDMA device: queue pairs, and on EFA the senders
 * of SRD.
 *
 * Who has something to send waits in the transmit queue of its class, or for its timer: for
 * the doorbell, for its pace. The port decides whose turn it is (port.c).
 */
#include "rdma/port/port.h"

#include "rdma/cc.h"
#include "rdma/dev.h"
#include "rdma/qp.h"
#include "rdma/ud.h"

/* It is in no queue yet. */
static inline void tx_enqueue(struct weft_tx *tx)
{
	struct weft_rdma_port *port = &tx->dev->port;

	tx->cls = tx->ops->class_of(tx);
	list_add_tail(&tx->node, &port->txq[tx->cls].waiting);
	port->txq_mask |= BIT(tx->cls);
}

static void tx_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct weft_tx *tx = container_of(ev, struct weft_tx, timer);

	if (!weft_port_is_running(tx->dev) || !list_empty(&tx->node))
		return;
	tx_enqueue(tx);
	weft_port_turn(tx->dev, tx->dev->port.busy_until);
}

/* It is in no queue, and the port runs. Returns true if it may be taken now. */
static __always_inline bool tx_admit(struct weft_tx *tx, fab_time at)
{
	struct fab *fab = weft_rdma_fab(tx->dev);

	at = max(at, tx->not_before);
	if (at > fab->now) {
		if (!fab_event_pending(&tx->timer) || tx->timer.at > at)
			fab_event_move(&fab->events, &tx->timer, at);
		return false;
	}
	fab_event_cancel(&fab->events, &tx->timer);
	tx_enqueue(tx);
	return true;
}

/**
 * weft_tx_schedule() - one who takes turns has, or may have, something to send
 * @tx: who it is
 * @at: when it may be taken
 *
 * Context: any; the fabric's lock is held.
 */
void weft_tx_schedule(struct weft_tx *tx, fab_time at)
{
	if (weft_port_is_running(tx->dev) && list_empty(&tx->node) && tx_admit(tx, at))
		weft_port_kick(tx->dev, tx->dev->port.busy_until);
}

/**
 * weft_tx_init() - prepare one who takes turns
 * @tx: zeroed
 * @dev: its device
 * @ops: who it is
 *
 * Context: any.
 */
void weft_tx_init(struct weft_tx *tx, struct weft_rdma_dev *dev, const struct weft_tx_ops *ops)
{
	tx->ops = ops;
	tx->dev = dev;
	INIT_LIST_HEAD(&tx->node);
	INIT_LIST_HEAD(&tx->lru);
	fab_event_init(&tx->timer, tx_on_timer);
}

/**
 * weft_tx_stop() - remove one from arbitration
 * @tx: who
 *
 * Its packets that were taken already go on.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_tx_stop(struct weft_tx *tx)
{
	fab_event_cancel(&weft_rdma_fab(tx->dev)->events, &tx->timer);
	list_del_init(&tx->node);
	if (!list_empty(&tx->lru)) {
		list_del_init(&tx->lru);
		tx->dev->port.qpc_count--;
	}
}

/* Has the queue pair only requests whose doorbell is still on its way to the NIC? */
static bool qp_doorbell_pending(const struct weft_qp *qp)
{
	fab_time doorbell = weft_rdma_params(qp->dev)->doorbell;
	u32 wqe_idx = qp->req.wqe_idx;

	if (!fab_event_pending(&qp->tx.timer) || weft_responder_ready(qp))
		return false;
	return wqe_idx == qp->sq->head ||
	       weft_sq_wqe(qp->sq, wqe_idx)->posted + doorbell >
	       weft_rdma_fab(qp->dev)->now;
}

/* Returns true if the queue pair waits for its turn now, and did not before. */
static __always_inline bool qp_admit(struct weft_qp *qp, fab_time delay)
{
	if (!weft_port_is_running(qp->dev) || !list_empty(&qp->tx.node))
		return false;
	if (!delay && qp_doorbell_pending(qp))
		return false;
	return tx_admit(&qp->tx, weft_rdma_fab(qp->dev)->now + delay);
}

/**
 * weft_port_schedule() - a queue pair has, or may have, something to send
 * @qp: the queue pair
 * @delay: ps from now until it may send; 0 where the NIC knows already
 *
 * Context: any; the fabric's lock is held.
 */
void weft_port_schedule(struct weft_qp *qp, fab_time delay)
{
	if (qp_admit(qp, delay))
		weft_port_kick(qp->dev, qp->dev->port.busy_until);
}

/**
 * weft_port_ring() - as weft_port_schedule(), for requests that were posted just now
 * @qp: the queue pair
 * @doorbell: latency of the doorbell, ps
 *
 * Context: before the fabric's lock is released.
 */
void weft_port_ring(struct weft_qp *qp, fab_time doorbell)
{
	if (qp_admit(qp, doorbell))
		weft_port_turn(qp->dev, qp->dev->port.busy_until);
}

static struct weft_qp *qp_of(const struct weft_tx *tx)
{
	return container_of((void *)tx, struct weft_qp, tx);
}

static bool qp_has_packet(const struct weft_qp *qp)
{
	if (weft_qp_is_ud(qp))
		return weft_ud_ready(qp);
	return weft_responder_ready(qp) || weft_requester_ready(qp);
}

static struct weft_rpkt *qp_next_packet(struct weft_tx *tx)
{
	struct weft_qp *qp = qp_of(tx);
	struct weft_rpkt *p = NULL;

	if (weft_qp_is_ud(qp))
		return weft_ud_next_packet(qp);
	if (weft_responder_ready(qp))
		p = weft_responder_next_packet(qp);
	return p ?: weft_requester_next_packet(qp);
}

static u8 qp_class(const struct weft_tx *tx)
{
	const struct weft_qp *qp = qp_of(tx);

	return weft_qp_is_ud(qp) ? weft_ud_class(qp) :
	       weft_path_class(qp->dev, &qp->path, qp->ib.qp_num);
}

static void qp_pace(struct weft_tx *tx, const struct weft_rpkt *p, u32 bytes)
{
	tx->not_before = weft_cc_pace(qp_of(tx), p, bytes);
}

static bool qp_again(struct weft_tx *tx)
{
	return qp_has_packet(qp_of(tx)) && !qp_doorbell_pending(qp_of(tx));
}

static const struct weft_tx_ops qp_tx_ops = {
	.class_of = qp_class,
	.next = qp_next_packet,
	.pace = qp_pace,
	.again = qp_again,
};

/**
 * weft_port_qp_init() - prepare a queue pair for arbitration
 * @qp: the queue pair, zeroed
 *
 * Context: process.
 */
void weft_port_qp_init(struct weft_qp *qp)
{
	weft_tx_init(&qp->tx, qp->dev, &qp_tx_ops);
}
