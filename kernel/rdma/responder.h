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

#define WEFT_RESOURCES	16	/* reads and atomics remembered, WEFT_RDMA_RD_ATOMIC */

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
 * enum weft_verdict - what became of a request, or of one of its packets
 * @WEFT_DONE: executed
 * @WEFT_LOST: as if it had not come: the sender's memory is gone
 * @WEFT_NOT_READY: no receive request
 * @WEFT_INVALID: wrong in its form
 * @WEFT_FAULT: the receive request in use was too short; it is complete
 * @WEFT_ACCESS: key, bounds or rights
 * @WEFT_OPERATION: the receive request in use was wrong; it is complete
 */
enum weft_verdict {
	WEFT_DONE,
	WEFT_LOST,
	WEFT_NOT_READY,
	WEFT_INVALID,
	WEFT_FAULT,
	WEFT_ACCESS,
	WEFT_OPERATION,
};

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
	/** @wanted: its response, or the rest of it, is to be sent */
	bool wanted;
	/** @from: packet of the response that the answer began with */
	u32 from;
	/** @packet: packet of the response that is next */
	u32 packet;
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
	/** @open: within a message of several packets; @form is its kind */
	bool open;
	/** @form: of the last packet */
	u8 form;
	/** @dead: a request was refused for good: no more are executed */
	bool dead;
	/** @event: IB_EVENT_* that goes with it, 0: none */
	int event;
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
	/** @len: bytes of the write */
	u32 len;
	/** @res: ring of reads and atomics, oldest overwritten */
	struct weft_resource res[WEFT_RESOURCES];
	/** @res_head: where the next one goes; free-running */
	u32 res_head;
	/** @res_next: next one to be answered, or @res_head; free-running */
	u32 res_next;
	/** @waiting: acknowledgement that waits in the port for its turn, or NULL */
	struct weft_rpkt *waiting;
	/** @held: one waits until the responses before it are out, or the port has room */
	bool held;
	/** @held_syndrome: what it says */
	u8 held_syndrome;
	/** @held_psn: its PSN */
	u32 held_psn;
	/** @deferred: what must not be done inside the port's arbiter */
	struct fab_event deferred;
};

/* responder.c: requests are checked and executed */
void weft_responder_init(struct weft_qp *qp);
void weft_responder_reset(struct weft_qp *qp);	/* at RTR: psn from the attributes */
void weft_responder_stop(struct weft_qp *qp);	/* flush the request in use */
void weft_responder_receive(struct weft_qp *qp, struct weft_rpkt *p);

/* respond.c: what is said in return */
bool weft_responder_ready(const struct weft_qp *qp);	/* responses to send */
struct weft_rpkt *weft_responder_next_packet(struct weft_qp *qp);
void weft_responder_say(struct weft_qp *qp, u8 syndrome, u32 psn);
void weft_responder_refuse(struct weft_qp *qp, u8 nak, int event, u32 psn);
enum weft_verdict weft_responder_read(struct weft_qp *qp,
				      const struct weft_rpkt *p);
enum weft_verdict weft_responder_atomic(struct weft_qp *qp,
					const struct weft_rpkt *p);
void weft_responder_duplicate(struct weft_qp *qp, const struct weft_rpkt *p);
void weft_responder_late(struct fab *fab, struct fab_event *ev);

/* execute.c: sends and writes */
bool weft_responder_begins(u8 opcode);	/* a send or a write */
enum weft_verdict weft_responder_execute(struct weft_qp *qp,
					 const struct weft_rpkt *p);

#endif
