/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Congestion control of a simulation: what it does, and its state in a queue pair.
 */
#ifndef WEFT_SIM_CC_H
#define WEFT_SIM_CC_H

#include "core/cc/swift.h"
#include "core/types.h"

#include "base/err.h"

struct fab_port;
struct weft_sim;
struct weft_sim_nic;
struct weft_sim_pkt;
struct weft_sim_qp;

#define WEFT_SIM_PACKET		(1ULL << 16)		/* a packet of a window */
#define WEFT_SIM_CWND_MAX	(WEFT_SIM_PACKET << 22)

#define WEFT_SIM_HOPS	5	/* ports that write INT into a packet */

/**
 * struct weft_sim_hop - INT of a port
 */
struct weft_sim_hop {
	/** @port: which one it is */
	u32 port;
	/** @at: when it began to send the packet, 16 ps, modulo 2^32: 69 ms */
	u32 at;
	/** @sent: bytes that it had sent on the wire before, modulo 2^32 */
	u32 sent;
	/** @wait: how long the packet waited, 16 ps */
	u32 wait;
	/** @kbps: its rate */
	u32 kbps;
};

/**
 * struct weft_sim_dctcp - state of DCTCP
 */
struct weft_sim_dctcp {
	/** @threshold: window from which on it grows slowly, as weft_sim_qp.cwnd */
	u64 threshold;
	/** @alpha: estimated share of marked packets, in 2^-16 */
	u32 alpha;
	/** @acked: packets acknowledged in this window of data */
	u32 acked;
	/** @marked: of these, how many came marked */
	u32 marked;
	/** @end: the window of data ends with the packet before this one */
	u32 end;
	/** @cut_end: it does not shrink before packets from this one on are acknowledged */
	u32 cut_end;
};

/**
 * struct weft_sim_hpcc - state of HPCC
 */
struct weft_sim_hpcc {
	/** @exact: window, of which weft_sim_qp.cwnd is rounded up to packets */
	u64 exact;
	/** @window: that at the begin of the round trip */
	u64 window;
	/** @share: bytes in flight at the fullest port, as a share of a round trip, in 2^-20 */
	u64 share;
	/** @stage: steps of increase since the window was fitted last */
	u32 stage;
	/** @round_end: the round trip ends behind this packet */
	u32 round_end;
	/** @hops: entries of @hop */
	u32 hops;
	/** @hop: the last INT */
	struct weft_sim_hop hop[WEFT_SIM_HOPS];
};

/**
 * struct weft_sim_ndp - state of NDP
 */
struct weft_sim_ndp {
	/** @sent: packets sent, again or for the first time */
	u32 sent;
	/** @allowed: packets that may be sent in all */
	u32 allowed;
	/** @pulled: packets that the receiver has asked for, as far as the sender knows */
	u32 pulled;
	/* The rest belongs to the cell of the receiver. */
	/** @pulls: packets that it has asked for */
	u32 pulls;
	/** @wanted: packets that it will ask for */
	u32 wanted;
	/** @end: with @ends: the sender had nothing from this number on */
	u32 end;
	/** @ends: @end is known */
	bool ends;
	/** @listed: it is in the list of those that are asked */
	bool listed;
	/** @next: the queue pair behind it there */
	struct weft_sim_qp *next;
};

/**
 * enum weft_sim_links - links that a congestion control is for
 * @WEFT_SIM_CC_ANY: any
 * @WEFT_SIM_CC_ETHERNET: those that are not InfiniBand
 * @WEFT_SIM_CC_IB: InfiniBand
 */
enum weft_sim_links {
	WEFT_SIM_CC_ANY,
	WEFT_SIM_CC_ETHERNET,
	WEFT_SIM_CC_IB,
};

u32 weft_sim_packet_bytes(const struct weft_sim_nic *nic);
fab_time weft_sim_packet_time(const struct weft_sim_nic *nic);

/**
 * struct weft_sim_cc - a congestion control; a function that is NULL does nothing
 */
struct weft_sim_cc {
	/** @name: what users write */
	const char *name;
	/** @links: links that it is for */
	enum weft_sim_links links;
	/** @ect: its packets can be marked */
	bool ect;
	/** @window: each packet asks for an acknowledgement; see @fits */
	bool window;
	/** @any: it is for packets that come in any order */
	bool any;
	/** @measures: it wants INT */
	bool measures;
	/** @init: take the parameters of a NIC */
	void (*init)(struct weft_sim_nic *nic);
	/** @begin: the state of a new queue pair */
	void (*begin)(struct weft_sim_qp *qp);
	/** @pace: after a packet of @bytes on the wire: when may the next one be taken? */
	fab_time (*pace)(struct weft_sim *sim, struct weft_sim_qp *qp, u32 bytes);
	/** @marked: at the receiver: a marked packet of a message is executed */
	void (*marked)(struct weft_sim *sim, struct weft_sim_pkt *pkt);
	/** @notified: a CNP or BECN came */
	void (*notified)(struct weft_sim *sim, struct weft_sim_qp *qp);
	/** @acked: @packets were acknowledged */
	void (*acked)(struct weft_sim *sim, struct weft_sim_qp *qp,
		      const struct weft_sim_pkt *ack, u32 packets);
	/** @fits: with @window: may a packet be sent? NULL: if weft_sim_qp.cwnd has room */
	bool (*fits)(const struct weft_sim_qp *qp);
	/** @taken: a packet was taken from its message; @last: it is the last one */
	void (*taken)(struct weft_sim_qp *qp, struct weft_sim_pkt *pkt, bool last);
	/** @came: at the receiver: a packet of a message, or its header, was executed */
	void (*came)(struct weft_sim *sim, struct weft_sim_qp *qp,
		     const struct weft_sim_pkt *pkt);
	/** @pulled: the receiver asks for packets */
	void (*pulled)(struct weft_sim *sim, struct weft_sim_qp *qp,
		       const struct weft_sim_pkt *pull);
	/** @lost: a packet is missing; @timeout: nothing came back for long */
	void (*lost)(struct weft_sim *sim, struct weft_sim_qp *qp, bool timeout);
};

extern const struct weft_sim_cc weft_sim_dcqcn, weft_sim_ibcc, weft_sim_dctcp, weft_sim_swift,
				weft_sim_hpcc, weft_sim_ndp;

/* sim_cc.c */
int weft_sim_cc_check(const struct weft_sim *sim, struct weft_err *err);
int weft_sim_cc_init(struct weft_sim_nic *nic, struct weft_err *err);
fab_time weft_sim_pace(struct weft_sim *sim, struct weft_sim_qp *qp, u32 len);
void weft_sim_marked(struct weft_sim *sim, struct weft_sim_pkt *pkt);
void weft_sim_notified(struct weft_sim *sim, struct weft_sim_qp *qp);
void weft_sim_notify(struct weft_sim *sim, struct weft_sim_qp *qp, u8 cls, u8 sl, u8 flags);
void weft_sim_add_news(struct weft_sim_qp *qp, struct weft_sim_pkt *ack);
bool weft_sim_fits(const struct weft_sim_qp *qp);
void weft_sim_grow(struct weft_sim_qp *qp, u32 packets, bool slowly);

/* sim_hpcc.c */
void weft_sim_measure(const struct fab_port *port, struct weft_sim_pkt *pkt);

#endif
