/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The requester of a queue pair: it sends requests and handles responses.
 */
#ifndef WEFT_RDMA_REQUESTER_H
#define WEFT_RDMA_REQUESTER_H

#include "core/sim/event.h"
#include "rdma/sq.h"

struct weft_qp;

/**
 * struct weft_requester - requester of a queue pair
 *
 * PSNs are modulo 2^24, WQE indexes modulo 2^32. UD uses only @psn, @wqe_idx and
 * @pkt_idx.
 */
struct weft_requester {
	/** @psn: PSN of the next packet */
	u32 psn;
	/** @high_psn: highest PSN ever sent, plus 1; below it is retransmission */
	u32 high_psn;
	/** @una: oldest unacknowledged PSN */
	u32 una;
	/** @wqe_idx: WQE that is being sent; the head of the queue if all are */
	u32 wqe_idx;
	/** @new_idx: first WQE that was never started, if it is after the tail */
	u32 new_idx;
	/** @pkt_idx: packet of @wqe_idx that is sent next */
	u32 pkt_idx;
	/** @since_ack_req: packets since the last one with AckReq */
	u32 since_ack_req;
	/** @rd_atomic_outstanding: reads and atomics without a response yet */
	u32 rd_atomic_outstanding;
	/** @retries_left: retries before the request fails */
	u8 retries_left;
	/** @rnr_retries_left: RNR retries before the request fails */
	u8 rnr_retries_left;
	/** @rnr_wait: an RNR NAK came, @timer ends the wait */
	bool rnr_wait;
	/** @implied_nak: a missing response was requested again, and is not here yet */
	bool implied_nak;
	/** @mem_checked: the memory of @wqe_idx was checked */
	bool mem_checked;
	/** @local_error: error with which @error_idx fails when it is the oldest */
	enum ib_wc_status local_error;
	/** @error_idx: with @local_error: the WQE */
	u32 error_idx;
	/** @deadline: end of the timeout, FAB_NEVER: none; @timer may expire earlier */
	fab_time deadline;
	/** @timer: acknowledgement timeout, or the end of @rnr_wait */
	struct fab_event timer;
	/** @deferred: event for what must not be done inside the port's arbiter */
	struct fab_event deferred;
};

/* requester.c: sending */
void weft_requester_init(struct weft_qp *qp);
void weft_requester_reset(struct weft_qp *qp);	/* at RTS: psn from the attributes */
void weft_requester_stop(struct weft_qp *qp);	/* timers */
bool weft_requester_ready(const struct weft_qp *qp);
struct weft_rpkt *weft_requester_next_packet(struct weft_qp *qp);
void weft_requester_sent(struct weft_qp *qp, const struct weft_rpkt *p);

/* acknowledge.c: responses */
void weft_requester_receive(struct weft_qp *qp, struct weft_rpkt *p);
void weft_requester_complete(struct weft_qp *qp);	/* the oldest request */
/* The oldest requests, as long as they are executed ones without packets. */
void weft_requester_complete_local(struct weft_qp *qp);
void weft_requester_progress(struct weft_qp *qp);
void weft_requester_fail(struct weft_qp *qp, enum ib_wc_status status);
enum ib_wc_status weft_requester_nak_status(struct weft_qp *qp, u8 code);
enum ib_wc_status weft_requester_place(struct weft_qp *qp, u32 wqe_idx,
				       const struct weft_rpkt *p);

/* retry.c: repeating */
void weft_requester_on_timer(struct fab *fab, struct fab_event *ev);
void weft_requester_arm_timer(struct weft_qp *qp);	/* from now */
void weft_requester_rewind(struct weft_qp *qp);	/* to the oldest packet */
void weft_requester_retry(struct weft_qp *qp);	/* from there, or fail */
void weft_requester_rnr_nak(struct weft_qp *qp, u8 code);

/* Is it executed by the NIC alone, without a packet? */
static inline bool weft_wqe_is_local(const struct weft_wqe *w)
{
	return !w->packets;
}

#endif
