/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The port of an RDMA device: arbitration among queue pairs, and arrivals.
 *
 * DOC: theory of operation
 *
 * Each class of the first wire (a VL, or a traffic class of Ethernet) has a
 * transmit queue. Queue pairs with something to send wait in it; on EFA the senders of SRD
 * do, one for each peer. The event
 * arbitrate takes packets from them in turn and hands them to the model as long as
 * the NIC has room. At most so many bytes of a class are pending, between the
 * arbiter and the wire, that the wire never waits for the NIC's own latency. So
 * queue pairs take turns packet by packet, and what has to wait does so in the
 * memory of its process. Acknowledgements go before requests.
 *
 * After a post, a doorbell or an arrival nothing else may be due before that event. Then the
 * arbiter does its work at once, without the event. That changes no time, and in an event no
 * order either; between events the place in the instant is not drawn.
 *
 * The model of the NIC is here: doorbell latency, message rate, rate of reading
 * the host's memory, misses of the queue-pair cache, pace of a queue pair (static
 * rate, congestion control), and the time to execute an arrival. A packet from
 * the NIC to itself is looped back at the rate of the port.
 */
#ifndef WEFT_RDMA_PORT_H
#define WEFT_RDMA_PORT_H

#include <linux/list.h>

#include "core/pkt.h"
#include "core/sim/event.h"
#include "core/types.h"

struct weft_endpoint;
struct weft_hwpkt;
struct weft_qp;
struct weft_rdma_dev;
struct weft_rpkt;
struct weft_hwpkt_ops;

struct weft_tx;

/**
 * struct weft_tx_ops - who takes turns at the port: queue pairs, senders of SRD
 *
 * Context of all: the fabric's lock is held, the NIC is there.
 */
struct weft_tx_ops {
	/** @class_of: class of the next packet on the first wire */
	u8 (*class_of)(const struct weft_tx *tx);
	/** @next: the next packet, addressed; NULL if there is none for now */
	struct weft_rpkt *(*next)(struct weft_tx *tx);
	/** @pace: a packet was taken, of @bytes on the wire: put off the next; may be NULL */
	void (*pace)(struct weft_tx *tx, const struct weft_rpkt *p, u32 bytes);
	/** @again: a packet was sent: may it send another as soon as its pace allows that? */
	bool (*again)(struct weft_tx *tx);
};

/**
 * struct weft_tx - one who takes turns
 */
struct weft_tx {
	/** @ops: who it is; constant */
	const struct weft_tx_ops *ops;
	/** @dev: its device; constant */
	struct weft_rdma_dev *dev;
	/** @node: in weft_rdma_txq.waiting while it has something to send */
	struct list_head node;
	/** @lru: in weft_rdma_port.qpc_lru while the NIC caches its state */
	struct list_head lru;
	/** @timer: event: it may send again (doorbell, pace) */
	struct fab_event timer;
	/** @not_before: pace: no packet is taken before */
	fab_time not_before;
	/** @cls: class on the first wire */
	u8 cls;
};

/**
 * struct weft_rdma_txq - transmit queue of a class
 */
struct weft_rdma_txq {
	/** @waiting: those with something to send, by weft_tx.node */
	struct list_head waiting;
	/** @urgent: acknowledgements and notifications */
	struct fab_fifo urgent;
	/** @nurgent: number of packets in @urgent */
	u32 nurgent;
	/** @pending_bytes: bytes handed to the model, but not on the wire yet */
	u64 pending_bytes;
	/** @full: the model's ring was full; weft_port_wake() clears it */
	bool full;
};

/**
 * struct weft_rdma_port - arbitration and arrivals of a device
 */
struct weft_rdma_port {
	/** @txq: transmit queues, by class */
	struct weft_rdma_txq txq[FAB_CLASSES_MAX];
	/** @txq_mask: bit of each class that may have something to send */
	u32 txq_mask;
	/** @last_txq: class that sent last */
	u8 last_txq;
	/** @pending: packets handed to the model, but not on the wire yet */
	struct hlist_head pending;
	/** @stopped: the port neither sends nor receives any more */
	bool stopped;
	/** @arbitrate: event: take packets from the transmit queues */
	struct fab_event arbitrate;
	/** @arbitrating: it hands out turns at present */
	bool arbitrating;
	/** @kick_at: when it is to do so again, since its last turn; FAB_NEVER: no need */
	fab_time kick_at;
	/** @busy_until: the NIC starts no request and reads no payload before */
	fab_time busy_until;
	/** @qpc_lru: queue pairs in the NIC's cache, most recent first */
	struct list_head qpc_lru;
	/** @qpc_count: number of queue pairs in @qpc_lru */
	u32 qpc_count;
	/** @arrived: packets that are not executed yet, due at pkt->at */
	struct fab_fifo arrived;
	/** @execute: event: the first of @arrived is due */
	struct fab_event execute;
	/** @loop: packets to the NIC itself, due at pkt->at */
	struct fab_fifo loop;
	/** @loop_arrival: event: the first of @loop is due */
	struct fab_event loop_arrival;
	/** @loop_busy_until: when the last bit of the last of @loop is sent */
	fab_time loop_busy_until;
};

extern const struct weft_hwpkt_ops weft_rpkt_ops;

/* All under the fabric's lock. */
void weft_port_init(struct weft_rdma_dev *dev);
void weft_port_stop(struct weft_rdma_dev *dev);	/* events cancelled, packets freed */
void weft_port_kick(struct weft_rdma_dev *dev, fab_time at);
/* Send before the packets of queue pairs; takes @p. */
void weft_port_urgent(struct weft_rdma_dev *dev, struct weft_rpkt *p);
/* As the last act of an event: weft_port_urgent() and weft_port_kick(), at once if that is next. */
void weft_port_answer(struct weft_rdma_dev *dev, struct weft_rpkt *p);
void weft_port_turn(struct weft_rdma_dev *dev, fab_time at);
/* Are there so many urgent packets in a class that no more should be added? */
bool weft_port_urgent_full(const struct weft_rdma_dev *dev, u8 cls);
void weft_port_wake(struct weft_rdma_dev *dev, u8 cls);
u64 weft_port_rate(const struct weft_rdma_dev *dev);	/* of the wire, bits per second */
fab_time weft_port_wire_time(const struct weft_rdma_dev *dev,
			     const struct fab_pkt *pkt);

/* tx.c */
void weft_tx_init(struct weft_tx *tx, struct weft_rdma_dev *dev, const struct weft_tx_ops *ops);
void weft_tx_stop(struct weft_tx *tx);	/* off the queue, event cancelled */
void weft_tx_schedule(struct weft_tx *tx, fab_time at);
void weft_port_qp_init(struct weft_qp *qp);
/* @qp has, or may have, something to send, @delay from now. */
void weft_port_schedule(struct weft_qp *qp, fab_time delay);
/* The same after a post, before the fabric's lock is released. */
void weft_port_ring(struct weft_qp *qp, fab_time doorbell);

/* loop.c */
void weft_loop_send(struct weft_rdma_dev *dev, struct weft_rpkt *p);
void weft_loop_multicast(struct weft_rdma_dev *dev, const struct weft_rpkt *p);
void weft_loop_on_arrival(struct fab *fab, struct fab_event *ev);

/* receive.c */
void weft_port_on_deliver(struct weft_endpoint *wep, struct weft_hwpkt *c);
void weft_port_arrive(struct weft_rdma_dev *dev, struct weft_rpkt *p);
struct weft_rpkt *weft_port_pop_due(struct fab *fab, struct fab_fifo *q,
				    struct fab_event *ev);
void weft_port_on_execute(struct fab *fab, struct fab_event *ev);

#endif
