/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The port of an RDMA device: who sends next, and to whom arrivals go.
 *
 * DOC: theory of operation
 *
 * Queue pairs that have something to send stand in line, one line for each class
 * of the first wire. One event, pull, takes packets from them in turn and hands
 * them to the model, as long as the NIC has room: so much of a class may be
 * between the arbiter and the wire that the wire never waits for the NIC's own
 * latency, and no more, so that queue pairs share by turns and what has to wait
 * waits in the memory of its process. Acknowledgements go before requests.
 *
 * The model of the NIC sits here: doorbell latency, message rate, rate of
 * reading the host's memory, misses of the queue-pair cache, pace of a queue
 * pair (static rate, congestion control), and the time to execute an arrival.
 * A packet from the NIC to itself is looped back at the rate of the port.
 */
#ifndef WEFT_RDMA_PORT_H
#define WEFT_RDMA_PORT_H

#include <linux/list.h>

#include "core/pkt.h"
#include "core/sim/event.h"
#include "core/types.h"

struct weft_qp;
struct weft_rdma_dev;
struct weft_rpkt;
struct weft_carrier_ops;

/**
 * struct weft_rdma_lane - one class of the port
 */
struct weft_rdma_lane {
	/** @line: queue pairs with something to send, struct weft_qp.tx */
	struct list_head line;
	/** @urgent: acknowledgements and notifications */
	struct fab_fifo urgent;
	/** @nurgent: how many */
	u32 nurgent;
	/** @inside: bytes handed to the model that are not on the wire yet */
	u64 inside;
	/** @full: the model's ring was full: room() will say when not */
	bool full;
};

/**
 * struct weft_rdma_port - arbitration and receiving of a device
 */
struct weft_rdma_port {
	/** @lane: by class */
	struct weft_rdma_lane lane[FAB_CLASSES_MAX];
	/** @lanes: bit per class that may have something to send */
	u32 lanes;
	/** @turn: class that sent last */
	u8 turn;
	/** @inside: packets handed to the model that are not on the wire yet */
	struct list_head inside;
	/** @stopped: nothing is sent or received any more */
	bool stopped;
	/** @pull: takes packets from the lines */
	struct fab_event pull;
	/** @free_at: the NIC begins no request, and reads no payload, before */
	fab_time free_at;
	/** @cached: queue pairs whose state the NIC keeps, latest first */
	struct list_head cached;
	/** @ncached: how many */
	u32 ncached;
	/** @arrived: packets that the NIC has not executed yet; pkt->at: when */
	struct fab_fifo arrived;
	/** @execute: fires for the first of them */
	struct fab_event execute;
	/** @loop: packets to itself on their way; pkt->at: arrival */
	struct fab_fifo loop;
	/** @looped: fires for the first of them */
	struct fab_event looped;
	/** @loop_free: when the loop has sent the last */
	fab_time loop_free;
};

extern const struct weft_carrier_ops weft_rpkt_ops;

/* All under the fabric's lock. */
void weft_port_init(struct weft_rdma_dev *dev);
void weft_port_stop(struct weft_rdma_dev *dev);	/* events cancelled, packets freed */
void weft_port_qp_init(struct weft_qp *qp);
void weft_port_qp_stop(struct weft_qp *qp);	/* out of line, event cancelled */
/* @qp has, or may have, something to send; @delay: not before so long from now. */
void weft_port_ready(struct weft_qp *qp, fab_time delay);
/* Send without standing in line; @p is taken in any case. */
void weft_port_urgent(struct weft_rdma_dev *dev, struct weft_rpkt *p);
/* Do so many wait for that in a class already that no more should come? */
bool weft_port_crowded(const struct weft_rdma_dev *dev, u8 cls);
void weft_port_room(struct weft_rdma_dev *dev, u8 cls);
u64 weft_port_rate(const struct weft_rdma_dev *dev);	/* of the wire, bits per second */
fab_time weft_port_wire_time(const struct weft_rdma_dev *dev,
			     const struct fab_pkt *pkt);

/* loop.c */
void weft_loop_send(struct weft_rdma_dev *dev, struct weft_rpkt *p);
void weft_loop_copy(struct weft_rdma_dev *dev, const struct weft_rpkt *p);
void weft_loop_on_arrival(struct fab *fab, struct fab_event *ev);

/* receive.c */
void weft_port_arrive(struct weft_rdma_dev *dev, struct weft_rpkt *p);
struct weft_rpkt *weft_port_due(struct fab *fab, struct fab_fifo *q,
				struct fab_event *ev);
void weft_port_on_execute(struct fab *fab, struct fab_event *ev);

#endif
