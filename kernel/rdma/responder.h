/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The responder of a queue pair: packets become writes, receives and responses.
 */
#ifndef WEFT_RDMA_RESPONDER_H
#define WEFT_RDMA_RESPONDER_H

#include "core/sim/event.h"
#include "rdma/rq.h"

struct weft_mem;
struct weft_qp;
struct weft_rpkt;

#define WEFT_RESP_RESOURCES	16	/* reads and atomics remembered, WEFT_RDMA_RD_ATOMIC */

/* AETH syndromes: a kind in bits 6 and 5, below it a code (IBA vol 1, 9.7.5) */
#define WEFT_AETH_ACK		0x1f	/* and no end-to-end credits */
#define WEFT_AETH_RNR		0x20	/* plus the code of the time to wait */
#define WEFT_AETH_NAK		0x60	/* plus a WEFT_NAK_* */
#define WEFT_AETH_KIND		0x60
#define WEFT_AETH_CODE		0x1f

#define WEFT_NAK_SEQUENCE	0	/* PSN sequence error */
#define WEFT_NAK_INVALID	1	/* invalid request */
#define WEFT_NAK_ACCESS		2	/* remote access error */
#define WEFT_NAK_OPERATION	3	/* remote operational error */

/**
 * enum weft_resp_result - result of a request, or of one packet of a request
 * @WEFT_RESP_OK: executed
 * @WEFT_RESP_LOST: counts as lost, because the sender's memory is gone
 * @WEFT_RESP_RNR: no receive WQE is posted
 * @WEFT_RESP_INVALID_REQ: invalid request: opcode, sequence or length
 * @WEFT_RESP_LENGTH_ERR: too long for the receive WQE, which is complete
 * @WEFT_RESP_ACCESS_ERR: R_Key, bounds or access rights
 * @WEFT_RESP_OP_ERR: the receive WQE names bad memory; it is complete
 */
enum weft_resp_result {
	WEFT_RESP_OK,
	WEFT_RESP_LOST,
	WEFT_RESP_RNR,
	WEFT_RESP_INVALID_REQ,
	WEFT_RESP_LENGTH_ERR,
	WEFT_RESP_ACCESS_ERR,
	WEFT_RESP_OP_ERR,
};

/**
 * struct weft_resp_resource - responder resources of a read or an atomic
 *
 * They are kept because the requester may repeat the request.
 */
struct weft_resp_resource {
	/** @first_psn: PSN of the first packet of the response */
	u32 first_psn;
	/** @packets: number of packets of the response */
	u32 packets;
	/** @opcode: BTH opcode of the request */
	u8 opcode;
	/** @pending: packets of the response are still to be sent */
	bool pending;
	/** @first_pkt: packet that the response to the latest request began with */
	u32 first_pkt;
	/** @next_pkt: packet of the response that is sent next */
	u32 next_pkt;
	/** @va: read: virtual address */
	u64 va;
	/** @rkey: read: R_Key */
	u32 rkey;
	/** @dma_len: read: bytes */
	u32 dma_len;
	/** @orig_data: atomic: original remote data */
	u64 orig_data;
	/** @msn: MSN of the request */
	u32 msn;
};

/**
 * struct weft_responder - responder of a queue pair
 */
struct weft_responder {
	/** @epsn: expected PSN */
	u32 epsn;
	/** @msn: MSN, number of requests executed */
	u32 msn;
	/** @nak_sent: a NAK was sent, and the missing packet has not come yet */
	bool nak_sent;
	/** @in_message: a message of several packets is not complete */
	bool in_message;
	/** @last_op: OP_* flags of the last packet (execute.c) */
	u8 last_op;
	/** @failed: a request failed: no more are executed */
	bool failed;
	/** @async_event: with @failed: IB_EVENT_* to be raised, 0: none */
	int async_event;
	/** @recv: receive WQE in use */
	struct weft_rwqe_max recv;
	/** @recv_valid: @recv is in use */
	bool recv_valid;
	/** @received: bytes of the present message that arrived */
	u32 received;
	/** @va: RETH of the present write: virtual address */
	u64 va;
	/** @rkey: RETH of the present write: R_Key */
	u32 rkey;
	/** @dma_len: RETH of the present write: bytes */
	u32 dma_len;
	/** @res: ring of responder resources, the oldest is overwritten */
	struct weft_resp_resource res[WEFT_RESP_RESOURCES];
	/** @res_head: index for the next request; free-running */
	u32 res_head;
	/** @res_next: index of the next response, @res_head if none; free-running */
	u32 res_next;
	/** @queued_ack: ACK that waits in the port, or NULL */
	struct weft_rpkt *queued_ack;
	/**
	 * @ack_deferred: an ACK or NAK waits until the responses before it are
	 * sent, or until the port has room
	 */
	bool ack_deferred;
	/** @deferred_syndrome: its AETH syndrome */
	u8 deferred_syndrome;
	/** @deferred_psn: its PSN */
	u32 deferred_psn;
	/** @deferred: event for what must not be done inside the port's arbiter */
	struct fab_event deferred;
};

/* responder.c: requests are checked and executed */
void weft_responder_init(struct weft_qp *qp);
void weft_responder_reset(struct weft_qp *qp);	/* at RTR: psn from the attributes */
void weft_responder_stop(struct weft_qp *qp);	/* flush the request in use */
bool weft_responder_receive(struct weft_qp *qp, struct weft_rpkt *p);
/* Execute the packet with the expected PSN, and answer it. */
void weft_responder_take(struct weft_qp *qp, const struct weft_rpkt *p);

/* respond.c: what is said in return */
struct weft_rpkt *weft_responder_next_packet(struct weft_qp *qp);
void weft_responder_send_ack(struct weft_qp *qp, u8 syndrome, u32 psn);
void weft_responder_nack(struct weft_qp *qp, u32 psn);	/* that packet is lost */
void weft_responder_fail(struct weft_qp *qp, u8 nak, int event, u32 psn);
enum weft_resp_result weft_responder_read(struct weft_qp *qp,
					  const struct weft_rpkt *p);
enum weft_resp_result weft_responder_atomic(struct weft_qp *qp,
					    const struct weft_rpkt *p);
void weft_responder_duplicate(struct weft_qp *qp, const struct weft_rpkt *p);
void weft_responder_on_deferred(struct fab *fab, struct fab_event *ev);

/* execute.c: sends and writes */
bool weft_opcode_is_first(u8 opcode);	/* a send or a write */
enum weft_resp_result weft_responder_execute(struct weft_qp *qp,
					     const struct weft_rpkt *p);
/* Copy the payload of a write that is ahead, if nothing speaks against it. */
void weft_responder_place(struct weft_qp *qp, struct weft_rpkt *p);

#endif
