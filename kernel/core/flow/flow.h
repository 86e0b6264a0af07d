/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters of flow control and of retry.
 */
#ifndef FAB_FLOW_H
#define FAB_FLOW_H

#include "core/types.h"

/**
 * enum fab_watchdog_action - action of the watchdog on a class in a pause storm
 * @FAB_WATCHDOG_OFF: no watchdog
 * @FAB_WATCHDOG_DROP: its packets are dropped
 * @FAB_WATCHDOG_FORWARD: pauses are ignored
 * @__FAB_WATCHDOG_MAX: number of actions
 */
enum fab_watchdog_action {
	FAB_WATCHDOG_OFF,
	FAB_WATCHDOG_DROP,
	FAB_WATCHDOG_FORWARD,
	__FAB_WATCHDOG_MAX
};

/**
 * struct fab_pfc_params - parameters of "pause" and "pfc"
 */
struct fab_pfc_params {
	/** @enable: bit per lossless class ("pause": all) */
	u16 enable;
	/** @quanta: duration of a requested pause, units of 512 bit times */
	u16 quanta;
	/** @action: action of the watchdog */
	enum fab_watchdog_action action;
	/** @poll: interval of the watchdog's polls, ps */
	fab_time poll;
	/** @detect: how long a class is stuck before the watchdog acts, ps */
	fab_time detect;
	/** @restore: time without a pause after which the watchdog restores the class, ps */
	fab_time restore;
};

/**
 * struct fab_credit_params - parameters of "credit" (InfiniBand)
 */
struct fab_credit_params {
	/** @blocks: receive buffer of each VL, blocks */
	u32 blocks[FAB_CLASSES_MAX];
	/** @block: bytes of a block */
	u32 block;
	/** @header: bytes that count for credit in addition to fab_pkt.len (LRH to VCRC) */
	u32 header;
	/** @period: minimum interval of updates that delay data, ps */
	fab_time period;
	/** @refresh: interval of repeated updates to a far end that lacks one, ps; 0: never */
	fab_time refresh;
	/** @eager: also send updates when the wire would be idle */
	bool eager;
};

/**
 * struct fab_flit_params - parameters of "nvlink" and "pcie"
 *
 * Both ends of a direction use the parameters of its receiver, so that they agree.
 */
struct fab_flit_params {
	/** @hdr: header credits of each virtual channel */
	u32 hdr[FAB_CLASSES_MAX];
	/** @data: data credits of each virtual channel */
	u32 data[FAB_CLASSES_MAX];
	/** @payload: maximum bytes of data in one packet of the link */
	u32 payload;
	/** @unit: bytes of a data credit */
	u32 unit;
	/** @header: bytes that a packet takes in the replay buffer in addition to its data */
	u32 header;
};

#define FAB_CTLOS		8U	/* bytes of a control ordered set on the wire */
#define FAB_CBFC_SPACING_MAX	BIT(30)	/* bytes */

/**
 * struct fab_cbfc_params - parameters of "cbfc" and "uec" (Ultra Ethernet)
 */
struct fab_cbfc_params {
	/** @limit: receive buffer of each virtual channel, credits; 0: best effort */
	u32 limit[FAB_CLASSES_MAX];
	/** @size: bytes of a credit */
	u32 size;
	/** @overhead: bytes that count for credits in addition to fab_pkt.len */
	u32 overhead;
	/** @spacing: minimum bytes between two CF_Updates */
	u32 spacing;
	/** @repeat: bytes after which one that the far end lacks is repeated; 0: never */
	u32 repeat;
	/** @sync: interval of CC_Updates, ps */
	fab_time sync;
};

/**
 * struct fab_retry_params - parameters of framing with retry
 */
struct fab_retry_params {
	/** @control: bytes of an acknowledgement on the wire, credits included */
	u32 control;
	/** @carry: acknowledgements and credits also ride in headers of packets */
	bool carry;
	/** @replay: bytes of the replay buffer; 0: no limit */
	u32 replay;
	/**
	 * @spacing: bytes of packets between acknowledgements that delay packets;
	 * 0: a quarter of the far end's @replay
	 */
	u32 spacing;
	/** @repeat: interval after which an unheard acknowledgement or credit is repeated, ps */
	fab_time repeat;
};

/**
 * union fab_flow_params - parameters of the discipline of a port
 */
union fab_flow_params {
	/** @pfc: of "pause" and "pfc" */
	struct fab_pfc_params pfc;
	/** @credit: of "credit" */
	struct fab_credit_params credit;
	/** @flit: of "nvlink" and "pcie" */
	struct fab_flit_params flit;
	/** @cbfc: of "cbfc" and "uec" */
	struct fab_cbfc_params cbfc;
};

#endif
