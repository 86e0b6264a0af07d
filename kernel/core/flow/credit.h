/* SPDX-License-Identifier: GPL-2.0 */
/*
 * InfiniBand link-layer flow control: state of one port.
 */
#ifndef FAB_CREDIT_H
#define FAB_CREDIT_H

#include "core/types.h"

#define FAB_CREDIT_MASK		4095U	/* counters have 12 bits */
#define FAB_CREDIT_CAP		2048U	/* blocks that can be granted at a time */
#define FAB_CREDIT_VL_MGMT	15U	/* subnet management: no flow control */
#define FAB_CREDIT_FRAME	8U	/* bytes of a flow-control packet on the wire */

/**
 * struct fab_credit_vl - one virtual lane of a port
 *
 * Counters are in blocks, modulo 4096, since the link came up.
 */
struct fab_credit_vl {
	/** @fctbs: sending: blocks sent */
	u16 fctbs;
	/** @fccl: sending: blocks that may be sent in all */
	u16 fccl;
	/** @abr: receiving: blocks that arrived */
	u16 abr;
	/** @granted: receiving: blocks that may arrive in all; @fccl of the far end */
	u16 granted;
	/** @told_fctbs: @fctbs in the last flow-control packet */
	u16 told_fctbs;
	/** @told_granted: @granted in the last flow-control packet */
	u16 told_granted;
	/** @used: receiving: blocks held in the buffer */
	u32 used;
	/** @excess: receiving: held and granted beyond the size, for copies */
	u32 excess;
};

/**
 * struct fab_credit - state of the discipline "credit" at one port
 */
struct fab_credit {
	/** @vl: the lanes */
	struct fab_credit_vl vl[FAB_CLASSES_MAX];
	/** @heard: bit per lane: the far end spoke since the link came up */
	u16 heard;
	/** @open: bit per lane: the far end has heard, too: data passes */
	u16 open;
	/** @news: bit per lane with something to tell */
	u16 news;
	/** @urgent: bit per lane of which it goes before data */
	u16 urgent;
	/** @turn: lane that is told next */
	u8 turn;
	/** @since: when the link came up; ticks are whole periods later */
	fab_time since;
	/** @tick: when news become urgent, FAB_NEVER without */
	fab_time tick;
	/** @refresh: when the far end is told again, FAB_NEVER: it knows all */
	fab_time refresh;
};

u32 fab_credit_blocks(const struct fab_port_params *p,
		      const struct fab_pkt *pkt);

#endif
