/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credit-based flow control of Ultra Ethernet: state of one port.
 */
#ifndef FAB_CBFC_H
#define FAB_CBFC_H

#include "core/types.h"

#define FAB_CBFC_MASK	((1U << 20) - 1)	/* counters have 20 bits */
#define FAB_CBFC_MAX	FAB_CBFC_MASK		/* credits of a VC */
#define FAB_CBFC_PACKET	84U			/* bytes of a CC_Update: 64, preamble, gap */

/**
 * struct fab_cbfc_vc - one virtual channel of a port
 *
 * Counters are in credits, modulo 2^20, since the link came up.
 */
struct fab_cbfc_vc {
	/** @consumed: sending: credits of packets that were sent (S_CC) */
	u32 consumed;
	/** @freed: sending: credits that the far end freed, as it said (S_CF) */
	u32 freed;
	/** @told_consumed: sending: @consumed in the last CC_Update */
	u32 told_consumed;
	/** @arrived: receiving: credits of packets that arrived (R_CC) */
	u32 arrived;
	/** @released: receiving: credits of packets that are gone (R_CF) */
	u32 released;
	/** @told: receiving: @released in the last CF_Update */
	u32 told;
	/** @held: receiving: credits of packets in the buffer */
	u32 held;
};

/**
 * struct fab_cbfc - state of one port
 */
struct fab_cbfc {
	/** @vc: state by VC */
	struct fab_cbfc_vc vc[FAB_CLASSES_MAX];
	/** @news: receiving: bit per VC whose CF_Update is pending */
	u16 news;
	/** @sync: sending: bit per VC whose CC_Update is pending */
	u16 sync;
	/** @turn: VC whose CF_Update is next */
	u8 turn;
	/** @next: no CF_Update is sent before */
	fab_time next;
	/** @due: when pending CF_Updates may be sent; FAB_NEVER: at once, or none is */
	fab_time due;
	/** @repeat: when CF_Updates are repeated; FAB_NEVER: the far end lacks none */
	fab_time repeat;
	/** @sync_at: when the next CC_Update is due; FAB_NEVER: nothing was sent */
	fab_time sync_at;
};

u32 fab_cbfc_credits(const struct fab_port_params *p, const struct fab_pkt *pkt);

#endif
