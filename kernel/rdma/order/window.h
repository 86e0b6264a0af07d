/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows of a connection whose packets may come in any order.
 *
 * DOC: theory of operation
 *
 * A reliable connection has windows if its NIC said "ordering any" when it became
 * ready to receive, otherwise its pointer to them is NULL and it goes back to what
 * is missing. Both ends must have windows: a packet says which kind its sender is
 * (WEFT_RPKT_ANY), and a request of the other kind is refused as invalid.
 *
 * A window begins at the oldest PSN that is not done and has WEFT_WINDOW PSNs. What
 * it knows of a PSN is at the PSN modulo WEFT_WINDOW, and nothing is known of PSNs
 * outside. The fabric's lock protects both windows.
 *
 * The responder (hold.c) holds the packets that are ahead of the expected one. The
 * payload of a write is in memory by then, as each packet of a write says where it
 * belongs. All else, that is checks, receives, completions, reads and atomics,
 * happens in order, when the packets before are there.
 *
 * The requester (repeat.c, response.c) repeats what is lost and nothing else.
 */
#ifndef WEFT_RDMA_WINDOW_H
#define WEFT_RDMA_WINDOW_H

#include <linux/bitmap.h>

#include "core/sim/event.h"
#include "rdma/responder.h"

struct weft_qp;
struct weft_rpkt;
struct weft_wqe;

#define WEFT_WINDOW		2048	/* PSNs, a power of two; 86 us of 4 KiB at 800 Gb/s */
#define WEFT_SACK_BITS		64	/* PSNs that an acknowledgement tells of */

/**
 * struct weft_rx_window - window of a responder
 */
struct weft_rx_window {
	/** @held: packets that are ahead of the expected one */
	struct weft_rpkt *held[WEFT_WINDOW];
	/** @nheld: number of packets held */
	u32 nheld;
	/** @latest: PSN of the latest packet that was held */
	u32 latest;
	/** @nacked: highest PSN of a packet that was trimmed, plus 1; or the expected */
	u32 nacked;
	/** @replay: reads and atomics to be answered again */
	struct weft_resp_resource replay[WEFT_RESP_RESOURCES];
	/** @replay_head: index for the next one; free-running */
	u32 replay_head;
	/** @replay_next: index of the one that is answered; free-running */
	u32 replay_next;
};

/**
 * struct weft_tx_window - window of a requester
 *
 * A read has a PSN for each packet of its response, and its request is the packet
 * of the first. Packets in flight were sent, and nothing is known of them.
 */
struct weft_tx_window {
	/** @flight: request packets in flight */
	DECLARE_BITMAP(flight, WEFT_WINDOW);
	/** @lost: packets to be sent again; reads and atomics: responses to be */
	DECLARE_BITMAP(lost, WEFT_WINDOW);
	/** @resent: packets that were sent more than once */
	DECLARE_BITMAP(resent, WEFT_WINDOW);
	/** @done: reads and atomics: the response is here */
	DECLARE_BITMAP(done, WEFT_WINDOW);
	/** @asked: reads and atomics: the response was requested again */
	DECLARE_BITMAP(asked, WEFT_WINDOW);
	/** @sent: when a packet was put onto the wire last */
	fab_time sent[WEFT_WINDOW];
	/** @nflight: number of packets in flight */
	u32 nflight;
	/** @nlost: number of PSNs in @lost */
	u32 nlost;
	/** @limit: packets in flight at most, lower after congestion */
	u32 limit;
	/** @arrived: arrivals since @limit has changed */
	u32 arrived;
	/** @executed: all requests before this PSN were executed */
	u32 executed;
	/** @front: latest instant at which a packet was sent that has arrived */
	fab_time front;
	/** @rtt: time from that to its acknowledgement */
	fab_time rtt;
	/** @last_response: highest PSN of a response that is here, plus 1 */
	u32 last_response;
	/** @gap_end: responses before this PSN are lost if they are not here at @gap_at */
	u32 gap_end;
	/** @gap_at: see there; FAB_NEVER if no response is missing */
	fab_time gap_at;
	/** @rnr_psn: during requester.rnr_wait: packet that there was no receive for */
	u32 rnr_psn;
	/** @refused: the request with PSN @refused_psn was refused */
	bool refused;
	/** @refused_code: WEFT_NAK_* */
	u8 refused_code;
	/** @refused_psn: its PSN */
	u32 refused_psn;
	/** @timer: event: packets may count as lost now */
	struct fab_event timer;
};

/**
 * struct weft_window - windows of a connection
 */
struct weft_window {
	/** @qp: their queue pair; constant */
	struct weft_qp *qp;
	/** @rx: of the responder */
	struct weft_rx_window rx;
	/** @tx: of the requester */
	struct weft_tx_window tx;
};

static inline u32 weft_window_at(u32 psn)
{
	return psn & (WEFT_WINDOW - 1);
}

/* window.c */
int weft_window_prepare(struct weft_qp *qp);
void weft_window_free(struct weft_qp *qp);

/* hold.c: all for queue pairs with a window */
void weft_hold_reset(struct weft_qp *qp);
void weft_hold_stop(struct weft_qp *qp);	/* free the packets */
bool weft_hold_receive(struct weft_qp *qp, struct weft_rpkt *p);
void weft_hold_trimmed(struct weft_qp *qp, const struct weft_rpkt *p);
/* What an acknowledgement says of packets that are held, from PSN @first on. */
void weft_hold_tell(const struct weft_qp *qp, struct weft_rpkt *p, u32 first);
u32 weft_hold_first(const struct weft_qp *qp);	/* for an ACK */

/* replay.c: reads and atomics that are answered again */
void weft_replay_add(struct weft_qp *qp, const struct weft_rpkt *p);
struct weft_resp_resource *weft_replay_next(const struct weft_qp *qp);
void weft_replay_done(struct weft_qp *qp);

/* repeat.c: all for queue pairs with a window */
void weft_repeat_init(struct weft_window *w);
void weft_repeat_reset(struct weft_qp *qp);
void weft_repeat_stop(struct weft_qp *qp);
bool weft_repeat_has_room(const struct weft_qp *qp);
bool weft_repeat_wants_ack(const struct weft_qp *qp);
void weft_repeat_taken(struct weft_qp *qp, const struct weft_rpkt *p);
void weft_repeat_sent(struct weft_qp *qp, const struct weft_rpkt *p);
u32 weft_repeat_first(const struct weft_qp *qp, u32 *wqe_idx);
u32 weft_repeat_again(struct weft_qp *qp, const struct weft_wqe *w, u32 psn);
void weft_repeat_all(struct weft_qp *qp);
void weft_repeat_rnr_over(struct weft_qp *qp);
void weft_repeat_receive(struct weft_qp *qp, struct weft_rpkt *p);
void weft_repeat_mark(struct weft_qp *qp, u32 psn);
void weft_repeat_arrived(struct weft_qp *qp, u32 psn);
void weft_repeat_advance(struct weft_qp *qp);
bool weft_repeat_find(const struct weft_qp *qp, u32 psn, u32 *wqe_idx);
bool weft_repeat_in_window(const struct weft_qp *qp, u32 psn);
void weft_repeat_arm(struct weft_qp *qp, fab_time at);

/* response.c: responses to reads and atomics */
u32 weft_response_receive(struct weft_qp *qp, const struct weft_rpkt *p);
void weft_response_trimmed(struct weft_qp *qp, u32 psn);
void weft_response_check(struct weft_qp *qp);	/* for missing ones, by the clock */

#endif
