/* SPDX-License-Identifier: GPL-2.0 */
/*
 * InfiniBand link-layer flow control: state of one port.
 */
#ifndef FAB_CREDIT_H
#define FAB_CREDIT_H

#include "core/types.h"

#define FAB_CREDIT_MASK		4095U	/* counters have 12 bits */
#define FAB_CREDIT_CAP		2048U	/* blocks that can be granted at a time */
#define FAB_CREDIT_FRAME	8U	/* bytes of a flow-control packet on the wire */

/**
 * struct fab_credit_vl - one virtual lane of a port
 *
 * Counters are in blocks, modulo 4096, since the link came up.
 */
struct fab_credit_vl {
	/** @fctbs: sending: blocks sent */
	u16 fctbs;
	/** @fccl: sending: limit of @fctbs, from the far end */
	u16 fccl;
	/** @abr: receiving: blocks that arrived */
	u16 abr;
	/** @granted: receiving: limit of @abr; the far end learns it as its @fccl */
	u16 granted;
	/** @told_fctbs: @fctbs in the last flow-control packet */
	u16 told_fctbs;
	/** @told_granted: @granted in the last flow-control packet */
	u16 told_granted;
	/** @used: receiving: blocks held in the buffer */
	u32 used;
	/** @excess: receiving: blocks held and granted in excess of the size, due to copies */
	u32 excess;
};

/**
 * struct fab_credit - state of the discipline "credit" at one port
 */
struct fab_credit {
	/** @vl: state by VL */
	struct fab_credit_vl vl[FAB_CLASSES_MAX];
	/** @heard: bit per VL: a flow-control packet arrived since the link came up */
	u16 heard;
	/** @open: bit per VL: one with op 0 arrived: data may be sent */
	u16 open;
	/** @news: bit per VL with a pending update */
	u16 news;
	/** @urgent: bit per VL whose update is sent before data */
	u16 urgent;
	/** @shut: bit per VL whose packets are dropped when they arrive (gate.c) */
	u16 shut;
	/** @turn: VL whose update is sent next */
	u8 turn;
	/** @since: when the link came up; ticks are whole periods after it */
	fab_time since;
	/** @tick: when pending updates become urgent; FAB_NEVER: no tick is due */
	fab_time tick;
	/** @refresh: when updates are repeated; FAB_NEVER: the far end is up to date */
	fab_time refresh;
};

u32 fab_credit_blocks(const struct fab_port_params *p,
		      const struct fab_pkt *pkt);

#endif
