/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control frames: messages between the disciplines of two ports.
 */
#ifndef FAB_CONTROL_H
#define FAB_CONTROL_H

#include "core/sim/event.h"

#define FAB_CONTROL_QUANTA	8	/* classes in a PFC frame */

/**
 * enum fab_control_type - types of control frames
 * @FAB_CONTROL_PAUSE: IEEE 802.3 31B PAUSE, quanta[0] for all classes
 * @FAB_CONTROL_PFC: IEEE 802.1Qbb priority-based pause
 * @FAB_CONTROL_CREDIT: InfiniBand flow-control packet
 * @FAB_CONTROL_FLIT: credits and acknowledgement of NVLink or PCIe
 * @FAB_CONTROL_RETRY: acknowledgement alone
 * @FAB_CONTROL_CBFC: CF_Update or CC_Update of Ultra Ethernet
 */
enum fab_control_type {
	FAB_CONTROL_PAUSE,
	FAB_CONTROL_PFC,
	FAB_CONTROL_CREDIT,
	FAB_CONTROL_FLIT,
	FAB_CONTROL_RETRY,
	FAB_CONTROL_CBFC,
};

/**
 * struct fab_control_pause - PAUSE and PFC
 */
struct fab_control_pause {
	/** @enable: bit per class whose quanta are valid */
	u16 enable;
	/** @quanta: time to pause in units of 512 bits of the link's rate, 0 resumes */
	u16 quanta[FAB_CONTROL_QUANTA];
};

/**
 * struct fab_control_credit - InfiniBand flow-control packet
 */
struct fab_control_credit {
	/** @op: 0 normal, 1 initialisation */
	u8 op;
	/** @vl: virtual lane */
	u8 vl;
	/** @fctbs: blocks that the sender has sent, modulo 4096 */
	u16 fctbs;
	/** @fccl: limit of the blocks that the receiver of this packet may send, modulo 4096 */
	u16 fccl;
};

/* fab_control_retry.flags */
#define FAB_RETRY_INIT		BIT(0)	/* initial credits: the channel opens */
#define FAB_RETRY_ACK		BIT(1)	/* all packets before seq arrived */
#define FAB_RETRY_NAK		BIT(2)	/* seq arrived with an error */

/**
 * struct fab_control_retry - acknowledgement
 */
struct fab_control_retry {
	/** @flags: FAB_RETRY_* */
	u8 flags;
	/** @seq: sequence number that is acknowledged or refused */
	u32 seq;
};

/**
 * struct fab_control_flit - credits of one virtual channel, acknowledgement
 */
struct fab_control_flit {
	/** @retry: acknowledgement; first, as in a frame of its own */
	struct fab_control_retry retry;
	/** @vc: virtual channel */
	u8 vc;
	/** @hdr: header credits granted since the link came up, modulo 2^32 */
	u32 hdr;
	/** @data: data credits granted since the link came up, modulo 2^32 */
	u32 data;
};

/**
 * struct fab_control_cbfc - credits of one virtual channel
 */
struct fab_control_cbfc {
	/** @vc: virtual channel */
	u8 vc;
	/** @consumed: CC_Update: @count is what its sender consumed; else what it freed */
	bool consumed;
	/** @count: credits since the link came up, modulo 2^20 */
	u32 count;
};

/**
 * struct fab_control - one control frame
 */
struct fab_control {
	/** @at: when it takes effect at the far end */
	fab_time at;
	/** @type: selects the member of the union */
	enum fab_control_type type;
	union {
		/** @pause: FAB_CONTROL_PAUSE and FAB_CONTROL_PFC */
		struct fab_control_pause pause;
		/** @credit: FAB_CONTROL_CREDIT */
		struct fab_control_credit credit;
		/** @flit: FAB_CONTROL_FLIT */
		struct fab_control_flit flit;
		/** @cbfc: FAB_CONTROL_CBFC */
		struct fab_control_cbfc cbfc;
		/** @retry: FAB_CONTROL_RETRY, and the first member of @flit */
		struct fab_control_retry retry;
	};
};

/**
 * struct fab_control_wire - control frames on a wire, in order; a ring
 */
struct fab_control_wire {
	/** @slot: the frames; room for fab_port_slots() */
	struct fab_control *slot;
	/** @slots: how many there is room for */
	u32 slots;
	/** @head: slot of the oldest */
	u32 head;
	/** @n: frames on the wire */
	u32 n;
	/** @arrival: fires when the oldest takes effect */
	struct fab_event arrival;
};

void fab_control_want(struct fab *fab, struct fab_port *port);
bool fab_control_transmit(struct fab *fab, struct fab_port *port, bool idle);
void fab_control_carry(struct fab *fab, struct fab_port *port,
		       const struct fab_control *c, fab_time time);
void fab_control_act(struct fab *fab, struct fab_port *port,
		     const struct fab_control *c);
void fab_control_clear(struct fab *fab, struct fab_port *port);
void fab_control_on_arrival(struct fab *fab, struct fab_event *ev);

#endif
