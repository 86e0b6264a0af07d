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
 * UD uses @wqe_idx and @pkt_idx only.
 */
struct weft_requester {
	/** @psn: of the next packet */
	u32 psn;
	/** @high_psn: one more than the highest PSN ever sent: below, it is a repetition */
	u32 high_psn;
	/** @una: oldest PSN that is not acknowledged */
	u32 una;
	/** @wqe_idx: request that is being sent; the send queue's head when all are */
	u32 wqe_idx;
	/** @new_idx: the first request that was never begun, if it is after the tail */
	u32 new_idx;
	/** @pkt_idx: of @wqe_idx, the next to be sent */
	u32 pkt_idx;
	/** @since_ack_req: packets since the last one that asked for an acknowledgement */
	u32 since_ack_req;
	/** @rd_atomic_outstanding: reads and atomics that wait for their response */
	u32 rd_atomic_outstanding;
	/** @retries_left: left before the request fails */
	u8 retries_left;
	/** @rnr_retries_left: the same for receivers that are not ready */
	u8 rnr_retries_left;
	/** @rnr_wait: waits for @timer because the receiver was not ready */
	bool rnr_wait;
	/** @implied_nak: a lost response was asked for again, and did not come yet */
	bool implied_nak;
	/** @mem_checked: the memory of @wqe_idx was found good */
	bool mem_checked;
	/** @local_error: @wqe_idx cannot be sent and fails with this, once it is the oldest */
	enum ib_wc_status local_error;
	/** @deadline: @timer is early before this */
	fab_time deadline;
	/** @timer: acknowledgement timeout, or the end of @rnr_wait */
	struct fab_event timer;
	/** @deferred: what must not be done inside the port's arbiter */
	struct fab_event deferred;
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
struct weft_rpkt *weft_requester_next_packet(struct weft_qp *qp);
void weft_requester_sent(struct weft_qp *qp, const struct weft_rpkt *p);

/* acknowledge.c: responses */
void weft_requester_receive(struct weft_qp *qp, struct weft_rpkt *p);
void weft_requester_complete(struct weft_qp *qp);	/* the oldest request */
void weft_requester_fail(struct weft_qp *qp, enum ib_wc_status status);

/* retry.c: repeating */
void weft_requester_on_timer(struct fab *fab, struct fab_event *ev);
void weft_requester_arm_timer(struct weft_qp *qp);	/* time counts from now */
void weft_requester_disarm_timer(struct weft_qp *qp);	/* nothing is outstanding */
void weft_requester_rewind(struct weft_qp *qp);	/* go on at the oldest packet */
void weft_requester_retry(struct weft_qp *qp);	/* repeat from there, or fail */
void weft_requester_rnr_nak(struct weft_qp *qp, u8 code);

/* Does a request wait for more than an acknowledgement? */
static inline bool weft_wqe_is_rd_atomic(const struct weft_wqe *w)
{
	return w->opcode == IB_WR_RDMA_READ ||
	       w->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       w->opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

#endif
