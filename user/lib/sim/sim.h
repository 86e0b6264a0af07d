/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model alone: a plan and a workload, without a kernel and without programs.
 */
#ifndef WEFT_SIM_H
#define WEFT_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/fault.h"
#include "netlink/traffic.h"
#include "netlink/trigger.h"
#include "plan/plan.h"
#include "sim/objects.h"
#include "sim/team.h"
#include "workload/workload.h"

#define WEFT_SIM_PARTS_MAX	WEFT_TEAM_MAX
#define WEFT_SIM_CELLS_MAX	1024		/* of a part */
#define WEFT_SIM_AT		256		/* bytes of a place in a file */

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
 * struct weft_sim_fault - a fault of a link or a switch
 */
struct weft_sim_fault {
	/** @fault: the fault; its numbers of links and switches are those of the plan */
	struct weft_fault fault;
	/** @start: when it begins, in place of the time in @fault, ps */
	uint64_t start;
	/** @by: by.given: it begins by.after after a trigger of a NIC of the plan instead */
	struct weft_at by;
	/** @at: where it is written, for messages */
	char at[WEFT_SIM_AT];
};

/**
 * struct weft_sim_traffic - a generator of background traffic
 */
struct weft_sim_traffic {
	/**
	 * @traffic: the generator, with nic, dst and message by numbers of the plan, a group,
	 * all of which begin alike, and when it starts; without trigger and window
	 */
	struct weft_traffic traffic;
	/** @by: by.given: it begins by.after after a trigger of a NIC of the plan instead */
	struct weft_at by;
	/** @at: where it is written, for messages */
	char at[WEFT_SIM_AT];
};

/**
 * struct weft_sim_freeze - a time in which a node computes nothing and starts nothing
 */
struct weft_sim_freeze {
	/** @node: the node, by number of the plan */
	uint32_t node;
	/** @begin: when it stops, ps */
	uint64_t begin;
	/** @end: when it goes on, ps, after @begin */
	uint64_t end;
};

/**
 * struct weft_sim_options - what is simulated, besides plan and workload
 */
struct weft_sim_options {
	/** @transport: "rc", "srd" or "frames"; NULL: by the RDMA device of each NIC */
	const char *transport;
	/** @seed: seed of all random numbers */
	uint64_t seed;
	/** @sl: service level of all packets; on Ethernet the priority */
	uint32_t sl;
	/** @congestion: congestion control of all queue pairs; NULL: that of their NICs */
	const char *congestion;
	/** @ack_timeout: rc: an acknowledgement is awaited for 4096 ns * 2^this; 0: for ever */
	uint32_t ack_timeout;
	/** @retries: rc: how often a packet is sent again before the run fails */
	uint32_t retries;
	/** @parts: parts that run side by side, 0 to WEFT_SIM_PARTS_MAX; 0 means 1 */
	uint32_t parts;
	/** @cells: cells of each part, if it has as many groups; 0: by size */
	uint32_t cells;
	/** @team: ranks of MPI, as many as @parts, each of which runs one; NULL: threads do */
	const struct weft_team *team;
	/** @until: fabric time at which it ends, ps; 0: when all messages have ended */
	uint64_t until;
	/** @faults: entries of @fault */
	unsigned int faults;
	/** @fault: faults, in the order in which they are added */
	const struct weft_sim_fault *fault;
	/** @traffics: entries of @traffic */
	unsigned int traffics;
	/** @traffic: background traffic, until the run ends */
	const struct weft_sim_traffic *traffic;
	/** @freezes: entries of @freeze */
	unsigned int freezes;
	/** @freeze: by node, then by time; those of a node do not overlap */
	const struct weft_sim_freeze *freeze;
	/** @objects: set at the end of a run that succeeds; NULL: they are not wanted */
	struct weft_sim_objects *objects;
	/**
	 * @sample: called at time 0, and then at each time that it returned, in ps, until
	 * the last packet: takes the objects, which are then to be freed by it. NULL:
	 * nothing is sampled. Ranks of MPI all call theirs, at the same times
	 */
	uint64_t (*sample)(void *ctx, struct weft_sim_objects *o);
	/** @sample_ctx: for @sample */
	void *sample_ctx;
	/** @checkpoint: directory for checkpoints, made if it is not there; NULL: none */
	const char *checkpoint;
	/** @every: with @checkpoint: fabric time between two of them, ps, not 0 */
	uint64_t every;
	/**
	 * @resume: directory with the checkpoint from which it goes on; NULL: it begins.
	 * Plan, workload, faults, traffic, freezes and the options before @parts are as they
	 * were; @cells is 0
	 */
	const char *resume;
	/** @warn: called when a checkpoint could not be written; may be NULL */
	void (*warn)(void *ctx, const struct weft_err *err);
	/** @progress: called now and then; false ends the simulation; may be NULL */
	bool (*progress)(void *ctx, const struct weft_sim_progress *p);
	/** @ctx: for @progress and @warn */
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
	/** @hops: packets sent on a wire */
	uint64_t hops;
	/** @packets: packets delivered */
	uint64_t packets;
	/** @marked: of these, how many came marked */
	uint64_t marked;
	/** @lost: packets lost */
	uint64_t lost;
	/** @repeated: packets sent again */
	uint64_t repeated;
};

/**
 * struct weft_sim_division - where a fabric is cut
 */
struct weft_sim_division {
	/** @parts: how many parts there are */
	uint32_t parts;
	/** @cells: cells of each part */
	uint32_t cells;
	/** @of_node: part of each node */
	uint32_t *of_node;
	/** @of_switch: part of each switch */
	uint32_t *of_switch;
	/** @cut: links that are cut between parts */
	uint32_t cut;
	/** @ahead: length of a window, ps; UINT64_MAX if no link is cut */
	uint64_t ahead;
};

int weft_sim_division(const struct weft_plan *plan, uint32_t parts,
		      struct weft_sim_division *d, struct weft_err *err);
void weft_sim_division_free(struct weft_sim_division *d);
int weft_sim_run(const struct weft_plan *plan, struct weft_work *work,
		 const struct weft_sim_options *o, struct weft_sim_result *r,
		 struct weft_err *err);

#endif
