/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The requester of a queue pair: requests become packets, responses completions.
 */
#ifndef WEFT_RDMA_REQUESTER_H
#define WEFT_RDMA_REQUESTER_H

#include "core/sim/event.h"
#include "rdma/sq.h"

struct weft_qp;

/**
 * struct weft_requester - part of a queue pair
 *
 * Sequence numbers of packets are modulo 2^24, those of requests modulo 2^32.
 * UD uses @seq and @packet only.
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
	/** @begun: the first request that was never begun, if it is after the tail */
	u32 begun;
	/** @packet: of @seq, the next to be sent */
	u32 packet;
	/** @unasked: packets since the last one that asked for an acknowledgement */
	u32 unasked;
	/** @reads: reads and atomics that wait for their response */
	u32 reads;
	/** @retries: left before the request fails */
	u8 retries;
	/** @rnr_retries: the same for receivers that are not ready */
	u8 rnr_retries;
	/** @rnr: waits for @timer because the receiver was not ready */
	bool rnr;
	/** @gap: a lost response was asked for again, and did not come yet */
	bool gap;
	/** @checked: the memory of @seq was found good */
	bool checked;
	/** @bad: @seq cannot be sent and fails with this, once it is the oldest */
	enum ib_wc_status bad;
	/** @deadline: @timer is early before this */
	fab_time deadline;
	/** @timer: acknowledgement timeout, or the end of @rnr */
	struct fab_event timer;
	/** @later: what must not be done inside the port's arbiter */
	struct fab_event later;
};

/* requester.c: sending */
void weft_requester_init(struct weft_qp *qp);
void weft_requester_reset(struct weft_qp *qp);	/* at RTS: psn from the attributes */
void weft_requester_stop(struct weft_qp *qp);	/* timers */
bool weft_requester_ready(const struct weft_qp *qp);
/* Responses are taken, and what was begun is sent, in these states. */
bool weft_requester_active(const struct weft_qp *qp);
/* Nothing was begun that is not complete. */
bool weft_requester_idle(const struct weft_qp *qp);
struct weft_rpkt *weft_requester_next(struct weft_qp *qp);
void weft_requester_sent(struct weft_qp *qp, const struct weft_rpkt *p);

/* acknowledge.c: responses */
void weft_requester_receive(struct weft_qp *qp, struct weft_rpkt *p);
void weft_requester_complete(struct weft_qp *qp);	/* the oldest request */
void weft_requester_fail(struct weft_qp *qp, enum ib_wc_status status);

/* retry.c: repeating */
void weft_requester_expired(struct fab *fab, struct fab_event *ev);
void weft_requester_watch(struct weft_qp *qp);	/* time counts from now */
void weft_requester_rest(struct weft_qp *qp);	/* nothing is outstanding */
void weft_requester_align(struct weft_qp *qp);	/* go on at the oldest packet */
void weft_requester_again(struct weft_qp *qp);	/* repeat from there, or fail */
void weft_requester_not_ready(struct weft_qp *qp, u8 code);

/* Does a request wait for more than an acknowledgement? */
static inline bool weft_wqe_reads(const struct weft_wqe *w)
{
	return w->opcode == IB_WR_RDMA_READ ||
	       w->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       w->opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

#endif
