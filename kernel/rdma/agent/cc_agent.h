/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control management: the agent of a channel adapter.
 */
#ifndef WEFT_RDMA_CC_AGENT_H
#define WEFT_RDMA_CC_AGENT_H

#include <linux/types.h>

#include "core/types.h"
#include "rdma/agent/cc_mad.h"

struct ib_mad;
struct weft_qp;
struct weft_rdma_dev;

#define WEFT_CC_LOG_ENTRIES	13	/* that fit a CongestionLog */

/**
 * struct weft_cc_event - an entry of the congestion log
 */
struct weft_cc_event {
	/** @qpn: queue pair whose index reached Trigger_Threshold */
	u32 qpn;
	/** @remote_qpn: its destination */
	u32 remote_qpn;
	/** @lid: LID of the queue pair's port */
	u16 lid;
	/** @remote_lid: LID of the destination */
	u16 remote_lid;
	/** @sl: service level */
	u8 sl;
	/** @service: 0: RC, 1: UC, 3: UD */
	u8 service;
	/** @at: fabric time */
	fab_time at;
};

/**
 * struct weft_cc_agent - what a manager of congestion control set, and the log
 *
 * The fabric's lock protects it. The parameters of the flows are those of the NIC,
 * weft_verbs_params.ibcc.
 */
struct weft_cc_agent {
	/** @key: CC_Key */
	struct weft_cc_key key;
	/** @trigger: Trigger_Threshold of each service level, 0: nothing is logged */
	u8 trigger[16];
	/** @events: events since the last log was read */
	u16 events;
	/** @sls: bit per service level that logged an event since then */
	u16 sls;
	/** @next: entry of @log that is written next */
	u8 next;
	/** @log: the last events */
	struct weft_cc_event log[WEFT_CC_LOG_ENTRIES];
};

int weft_cc_agent_answer(struct weft_rdma_dev *dev, struct ib_mad *out);
void weft_cc_agent_log(struct weft_qp *qp);

#endif
