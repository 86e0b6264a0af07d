/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters of the RDMA device of a NIC: its timing, and how its queue pairs react
 * to congestion.
 *
 * Each struct begins with a bit per attribute that is set, see nl_fields.h.
 */
#ifndef WEFT_VERBS_H
#define WEFT_VERBS_H

#include <jansson.h>
#include <stdint.h>

#include <linux/weft.h>

#include "base/err.h"
#include "netlink/nl_fields.h"

struct nl_msg;
struct nlattr;

/**
 * struct weft_dcqcn - parameters of DCQCN (RoCE)
 */
struct weft_dcqcn {
	/** @has: bits of WEFT_A_DCQCN_* */
	uint32_t has;
	/** @g: weight of a new sample in alpha, 1/1024 */
	uint32_t g;
	/** @initial_alpha: alpha at the first CNP of a flow, 1/1024 */
	uint32_t initial_alpha;
	/** @alpha_timer: period of updates of alpha, ps */
	uint64_t alpha_timer;
	/** @reduce_period: shortest time between rate cuts, ps */
	uint64_t reduce_period;
	/** @increase_timer: time between increases, ps */
	uint64_t increase_timer;
	/** @byte_reset: bytes between increases; 0: by the timer only */
	uint64_t byte_reset;
	/** @threshold: stages of fast recovery */
	uint32_t threshold;
	/** @ai_rate: additive increase, bit/s */
	uint64_t ai_rate;
	/** @hai_rate: hyper increase, bit/s */
	uint64_t hai_rate;
	/** @min_rate: lowest rate, bit/s */
	uint64_t min_rate;
	/** @clamp_target: each cut also sets the target rate */
	uint32_t clamp_target;
	/** @cnp_interval: shortest time between CNPs of a flow, ps */
	uint64_t cnp_interval;
};

/**
 * struct weft_ibcc - parameters of InfiniBand's congestion control (Annex A10)
 */
struct weft_ibcc {
	/** @has: bits of WEFT_A_IBCC_* */
	uint32_t has;
	/** @increase: added to the table index at each BECN */
	uint32_t increase;
	/** @limit: highest table index */
	uint32_t limit;
	/** @min: lowest table index */
	uint32_t min;
	/** @timer: the table index decreases by 1 each time this passes, ps */
	uint64_t timer;
	/** @cct: the table: the shift in bits 15 and 14, the multiplier in bits 13 to 0 */
	struct weft_u16s cct;
};

/**
 * struct weft_verbs - parameters of the RDMA device of a NIC
 */
struct weft_verbs {
	/** @has: bits of WEFT_A_VERBS_*, nests excluded */
	uint32_t has;
	/** @doorbell: from the post of a request until the NIC starts it, ps */
	uint64_t doorbell;
	/** @process: from the last bit of a request to its execution, ps */
	uint64_t process;
	/** @message_rate: most requests started per second; 0: no limit */
	uint64_t message_rate;
	/** @pcie_rate: rate at which payload is read from the host, bit/s; 0: no limit */
	uint64_t pcie_rate;
	/** @qp_cache: queue pairs whose state the NIC caches; 0: all */
	uint32_t qp_cache;
	/** @qp_miss: time to fetch the state of a queue pair that is not cached, ps */
	uint64_t qp_miss;
	/** @ack_every: request an ACK after so many packets of a message; 0: after the last only */
	uint32_t ack_every;
	/** @ordering: enum weft_ordering */
	uint32_t ordering;
	/** @reorder_time: how late a packet may be before it counts as lost, ps */
	uint64_t reorder_time;
	/** @congestion: enum weft_congestion */
	uint32_t congestion;
	/** @target_delay: the delay that WEFT_CONGESTION_SWIFT aims at, ps */
	uint64_t target_delay;
	/** @kind: enum weft_verbs_kind */
	uint32_t kind;
	/** @paths: EFA: paths over which it sprays */
	uint32_t paths;
	/** @retransmit_time: EFA: after which a packet is lost in any case, ps */
	uint64_t retransmit_time;
	/** @cnp_sl: service level of CNPs */
	uint32_t cnp_sl;
	/** @dcqcn: parameters for WEFT_CONGESTION_DCQCN */
	struct weft_dcqcn dcqcn;
	/** @ibcc: parameters for WEFT_CONGESTION_IBCC */
	struct weft_ibcc ibcc;
};

extern const char *const weft_ordering_words[];
extern const char *const weft_verbs_kind_words[];
extern const char *const weft_congestion_words[];

void weft_verbs_put(struct nl_msg *msg, int type, const struct weft_verbs *v);
int weft_verbs_parse(struct weft_verbs *v, struct nlattr *nest,
		     struct weft_err *err);
json_t *weft_verbs_json(const struct weft_verbs *v);

#endif
