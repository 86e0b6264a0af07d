/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receive side of an endpoint: its buffer, and the rate at which the host empties it.
 */
#ifndef FAB_RECEIVE_H
#define FAB_RECEIVE_H

#include "core/node/buffer.h"
#include "core/sim/event.h"

/**
 * struct fab_receive_params - parameters of the receive side
 */
struct fab_receive_params {
	/** @rate_bps: rate at which the host empties the buffer, bits per second; 0: at once */
	u64 rate_bps;
	/** @stopped: bit per class of which the host takes no packet */
	u16 stopped;
};

/**
 * struct fab_receive - state of the receive side
 */
struct fab_receive {
	/** @p: parameters, as set by the host */
	struct fab_receive_params p;
	/** @left: limits by faults: the remaining rate, and the stopped classes */
	struct fab_receive_params left;
	/** @buffer: its buffer */
	struct fab_buffer buffer;
	/** @turn: class that is emptied next */
	u8 turn;
	/** @ready: bit per class in @queue */
	u16 ready;
	/** @queue: packets in the buffer, by class */
	struct fab_fifo queue[FAB_CLASSES_MAX];
	/** @draining: packet that leaves the buffer now; NULL: none */
	struct fab_pkt *draining;
	/** @drain: fires when @draining has left the buffer */
	struct fab_event drain;
	/** @rising: packets on the way from the buffer to the host, which has each at pkt->at */
	struct fab_fifo rising;
	/** @deliver: fires when the host has the oldest of @rising */
	struct fab_event deliver;
};

/**
 * fab_receive_stopped() - classes of which the host takes no packet
 * @rx: the receive side
 *
 * Return: bit per class.
 */
static inline u16 fab_receive_stopped(const struct fab_receive *rx)
{
	return rx->p.stopped | rx->left.stopped;
}

int fab_receive_params_check(const struct fab_receive_params *p);
void fab_receive_init(struct fab_endpoint *ep);
void fab_receive_set(struct fab *fab, struct fab_endpoint *ep,
		     const struct fab_receive_params *p);
void fab_receive_limit(struct fab *fab, struct fab_endpoint *ep,
		       const struct fab_receive_params *left);
void fab_receive_pkt(struct fab *fab, struct fab_endpoint *ep,
		     struct fab_pkt *pkt);
void fab_receive_flush(struct fab *fab, struct fab_endpoint *ep,
		       enum fab_drop why);

#endif
