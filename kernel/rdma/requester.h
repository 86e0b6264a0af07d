/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The requester of a queue pair: requests become packets, responses completions.
 */
#ifndef WEFT_RDMA_REQUESTER_H
#define WEFT_RDMA_REQUESTER_H

#include "../core/event.h"
#include "pkt.h"

struct weft_qp;

/**
 * struct weft_requester - part of a queue pair
 */
struct weft_requester {
	/** @psn: of the next packet */
	u32 psn;
	/** @top: one more than the highest PSN ever sent: below, it is a repetition */
	u32 top;
	/** @una: oldest PSN that is not acknowledged */
	u32 una;
	/** @seq: request that is being sent; the send queue's head when all are */
	u32 seq;
	/** @packet: of it, the next to be sent */
	u32 packet;
	/** @reads: reads and atomics that wait for their response */
	u32 reads;
	/** @got: bytes of the oldest read that arrived */
	u32 got;
	/** @retries: left before the request fails */
	u8 retries;
	/** @rnr_retries: the same for receivers that are not ready */
	u8 rnr_retries;
	/** @rnr: waits for @timer because the receiver was not ready */
	bool rnr;
	/** @nak: asked for repetition since the last progress */
	bool nak;
	/** @timer: acknowledgement timeout, or the end of @rnr */
	struct fab_event timer;
};

void weft_requester_init(struct weft_qp *qp);
void weft_requester_reset(struct weft_qp *qp);	/* at RTS: psn from the attributes */
void weft_requester_stop(struct weft_qp *qp);	/* timers */
bool weft_requester_ready(const struct weft_qp *qp);
struct weft_rpkt *weft_requester_next(struct weft_qp *qp);
void weft_requester_sent(struct weft_qp *qp, const struct weft_rpkt *p);
void weft_requester_receive(struct weft_qp *qp, struct weft_rpkt *p);

#endif
