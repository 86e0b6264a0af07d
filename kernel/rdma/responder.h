/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The responder of a queue pair: packets become writes, receives and responses.
 */
#ifndef WEFT_RDMA_RESPONDER_H
#define WEFT_RDMA_RESPONDER_H

#include "rq.h"

struct weft_qp;
struct weft_rpkt;

#define WEFT_RESOURCES	16	/* reads and atomics remembered, WEFT_RDMA_RD_ATOMIC */

/**
 * struct weft_resource - a read or an atomic that may be asked for again
 */
struct weft_resource {
	/** @psn: first of the response */
	u32 psn;
	/** @packets: of the response */
	u32 packets;
	/** @opcode: of the request */
	u8 opcode;
	/** @va: of a read */
	u64 va;
	/** @rkey: of a read */
	u32 rkey;
	/** @len: of a read */
	u32 len;
	/** @old: what an atomic found */
	u64 old;
	/** @msn: of the request */
	u32 msn;
};

/**
 * struct weft_responder - part of a queue pair
 */
struct weft_responder {
	/** @psn: expected */
	u32 psn;
	/** @msn: messages executed */
	u32 msn;
	/** @nak: a NAK was sent, and the packet did not come yet */
	bool nak;
	/** @open: within a message of several packets; @opcode is its last packet's */
	bool open;
	/** @opcode: of the last packet */
	u8 opcode;
	/** @recv: receive request in use */
	struct weft_rwqe_max recv;
	/** @have_recv: it is */
	bool have_recv;
	/** @done: bytes of the message that arrived */
	u32 done;
	/** @va: of the write: where it goes */
	u64 va;
	/** @rkey: its key */
	u32 rkey;
	/** @left: bytes of it that are to come */
	u32 left;
	/** @res: ring of reads and atomics, oldest overwritten */
	struct weft_resource res[WEFT_RESOURCES];
	/** @res_head: where the next one goes; free-running */
	u32 res_head;
	/** @res_next: next one to be answered; free-running */
	u32 res_next;
	/** @res_packet: packets of it that were answered */
	u32 res_packet;
};

void weft_responder_init(struct weft_qp *qp);
void weft_responder_reset(struct weft_qp *qp);	/* at RTR: psn from the attributes */
void weft_responder_stop(struct weft_qp *qp);	/* flush the request in use */
bool weft_responder_ready(const struct weft_qp *qp);	/* responses to send */
struct weft_rpkt *weft_responder_next(struct weft_qp *qp);
void weft_responder_receive(struct weft_qp *qp, struct weft_rpkt *p);

#endif
