/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model alone: a plan and a workload, without a kernel and without programs.
 */
#ifndef WEFT_SIM_H
#define WEFT_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"
#include "sim/workload.h"

/**
 * struct weft_sim_progress - how far a simulation is
 */
struct weft_sim_progress {
	/** @now: fabric time, ps */
	uint64_t now;
	/** @hops: packets sent on a wire, by NICs and by switches */
	uint64_t hops;
	/** @bytes: bytes of messages that have ended */
	uint64_t bytes;
	/** @total: bytes of all messages */
	uint64_t total;
};

/**
 * struct weft_sim_options - what is simulated, besides plan and workload
 */
struct weft_sim_options {
	/** @transport: "rc" or "frames"; NULL: rc where all NICs have verbs, else frames */
	const char *transport;
	/** @seed: seed of all random numbers */
	uint64_t seed;
	/** @sl: service level of all packets; on Ethernet the priority */
	uint32_t sl;
	/** @until: fabric time at which it ends, ps; 0: when all messages have ended */
	uint64_t until;
	/** @progress: called now and then; false ends the simulation; may be NULL */
	bool (*progress)(void *ctx, const struct weft_sim_progress *p);
	/** @ctx: for @progress */
	void *ctx;
};

/**
 * struct weft_sim_result - what a simulation found, besides the times of messages
 */
struct weft_sim_result {
	/** @transport: name of the transport */
	const char *transport;
	/** @now: fabric time at the end, ps */
	uint64_t now;
	/** @ended: messages that have ended */
	unsigned int ended;
	/** @bytes: their bytes */
	uint64_t bytes;
	/** @events: events of the model */
	uint64_t events;
	/** @hops: packets sent on a wire */
	uint64_t hops;
	/** @packets: packets delivered */
	uint64_t packets;
	/** @marked: of these, how many came marked */
	uint64_t marked;
};

int weft_sim_run(const struct weft_plan *plan, struct weft_work *work,
		 const struct weft_sim_options *o, struct weft_sim_result *r,
		 struct weft_err *err);

#endif
