/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters of flow control and of retry.
 */
#ifndef FAB_FLOW_H
#define FAB_FLOW_H

#include "core/types.h"

/**
 * enum fab_watchdog_action - what becomes of a class in a pause storm
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
 * struct fab_pfc_params - of "pause" and "pfc"
 */
struct fab_pfc_params {
	/** @enable: bit per lossless class ("pause": all) */
	u16 enable;
	/** @quanta: pause asked for, units of 512 bit times */
	u16 quanta;
	/** @action: of the watchdog */
	enum fab_watchdog_action action;
	/** @poll: distance of the watchdog's looks, ps */
	fab_time poll;
	/** @detect: how long a class is stuck before the watchdog acts, ps */
	fab_time detect;
	/** @restore: how long no pause comes before it lets go, ps */
	fab_time restore;
};

/**
 * struct fab_credit_params - of "credit" (InfiniBand)
 */
struct fab_credit_params {
	/** @blocks: receive buffer of each VL, blocks */
	u32 blocks[FAB_CLASSES_MAX];
	/** @block: bytes of a block */
	u32 block;
	/** @header: bytes beside fab_pkt.len that count for credit (LRH to VCRC) */
	u32 header;
	/** @period: shortest distance of two updates that delay data, ps */
	fab_time period;
	/** @refresh: after which the far end is told again what it lacks, ps; 0: never */
	fab_time refresh;
	/** @eager: send updates also when the wire would be idle */
	bool eager;
};

/**
 * struct fab_flit_params - of "nvlink" and "pcie"
 *
 * Both ends of a link go by what the receiving one says, so that they agree.
 */
struct fab_flit_params {
	/** @hdr: header credits of each virtual channel */
	u32 hdr[FAB_CLASSES_MAX];
	/** @data: data credits of each virtual channel */
	u32 data[FAB_CLASSES_MAX];
	/** @payload: most bytes of data in one packet of the link */
	u32 payload;
	/** @unit: bytes of a data credit */
	u32 unit;
	/** @header: bytes beside its data that a packet takes in the replay buffer */
	u32 header;
};

/**
 * struct fab_retry_params - of framing that sends again what errors hit
 */
struct fab_retry_params {
	/** @control: bytes of an acknowledgement on the wire, credits included */
	u32 control;
	/** @carry: acknowledgements and credits also ride in headers of packets */
	bool carry;
	/** @replay: bytes of the replay buffer; 0: no limit */
	u32 replay;
	/** @repeat: when what a bit error may have hit is told again, ps */
	fab_time repeat;
};

/**
 * union fab_flow_params - parameters of whichever discipline a port has
 */
union fab_flow_params {
	/** @pfc: of "pause" and "pfc" */
	struct fab_pfc_params pfc;
	/** @credit: of "credit" */
	struct fab_credit_params credit;
	/** @flit: of "nvlink" and "pcie" */
	struct fab_flit_params flit;
};

#endif
