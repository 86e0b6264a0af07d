/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Phases: stretches of time that a program names, or that its traffic shows.
 */
#ifndef FAB_PHASE_H
#define FAB_PHASE_H

#include "core/sim/bucket.h"
#include "core/sim/hist.h"

#define FAB_PHASE_NAME		32	/* bytes of a name, terminator included */
#define FAB_PHASE_AHEAD		1024	/* latencies that may wait to be counted */
#define FAB_PHASE_LEAD		4	/* quiet / this: longest run of packets before a phase */
#define FAB_PHASE_LEAST_MAX	BIT(30)	/* bytes */
#define FAB_NO_LABEL		U32_MAX	/* no wire */

/**
 * struct fab_phase_params - conditions of a phase by traffic
 */
struct fab_phase_params {
	/** @rate_bps: rate of all hosts together, bits per second; 0: no phases by traffic */
	u64 rate_bps;
	/** @least: bytes in excess of that rate that begin a phase */
	u64 least;
	/** @quiet: a phase is over when for this nothing happened to a packet of it, ps */
	fab_time quiet;
};

/**
 * enum fab_phase_sum - counters of phases over the whole fabric
 * @FAB_PHASE_PACKETS: frames that hosts handed in
 * @FAB_PHASE_BYTES: their bytes
 * @FAB_PHASE_DROPPED: frames that were lost
 * @FAB_PHASE_WAIT: time that far ends blocked classes, ps, counted when the block ends
 * @FAB_PHASE_SUMS: number of sums
 */
enum fab_phase_sum {
	FAB_PHASE_PACKETS,
	FAB_PHASE_BYTES,
	FAB_PHASE_DROPPED,
	FAB_PHASE_WAIT,
	FAB_PHASE_SUMS
};

/**
 * struct fab_phase - a phase, over or not
 */
struct fab_phase {
	/** @name: name of the program's mark; empty for a phase by traffic */
	char name[FAB_PHASE_NAME];
	/** @open: it is not over: the other fields are preliminary */
	bool open;
	/** @begin: when it began */
	fab_time begin;
	/** @end: when it ended */
	fab_time end;
	/** @sum: its counters */
	u64 sum[FAB_PHASE_SUMS];
	/** @nics: number of endpoints that sent packets in it */
	u32 nics;
	/** @wire: label of the wire that was busy longest, or FAB_NO_LABEL */
	u32 wire;
	/** @nic_bytes: bytes of the endpoint that sent most */
	u64 nic_bytes;
	/** @wire_busy: time that @wire was busy, ps */
	u64 wire_busy;
	/** @latency: time from hand-in to delivery of its packets */
	struct fab_hist latency;
};

/**
 * struct fab_tally - a count from the begin of a candidate to an end that moves
 */
struct fab_tally {
	/** @sure: count up to the end number @end */
	u64 sure;
	/** @open: count after that end */
	u64 open;
	/** @begin: number of the begin from which both count */
	u64 begin;
	/** @end: number of the end up to which @sure counts */
	u64 end;
};

/**
 * struct fab_phase_port - counters of a port for phases
 */
struct fab_phase_port {
	/** @busy: time that its wire was busy, ps */
	struct fab_tally busy;
	/** @marked_busy: total busy time at the begin of the phase by mark, ps */
	u64 marked_busy;
	/** @label: the host's number of its wire */
	u32 label;
};

/**
 * struct fab_phase_nic - counters of an endpoint for phases
 */
struct fab_phase_nic {
	/** @bytes: bytes that its host handed in */
	struct fab_tally bytes;
	/** @all: the same in total, since fab_phase_start() */
	u64 all;
	/** @marked: @all at the begin of the phase by mark */
	u64 marked;
	/** @arrived: when the packet delivered last was handed in; FAB_NEVER: not counted */
	fab_time arrived;
	/** @held: the same of the oldest held packet since @held_begin; FAB_NEVER: none */
	fab_time held;
	/** @held_begin: number of the begin that @held is not older than */
	u64 held_begin;
	/** @ignored: its packets make no phase and belong to none */
	bool ignored;
};

/**
 * struct fab_phases - the phases of a fabric
 */
struct fab_phases {
	/** @p: conditions of phases by traffic */
	struct fab_phase_params p;
	/** @list: memory of phases; NULL: phases are not counted */
	struct fab_phase *list;
	/** @room: number of phases that fit in @list */
	u32 room;
	/** @n: number of phases in @list */
	u32 n;
	/** @missed: number of phases that did not fit */
	u64 missed;
	/** @found: number of phases by traffic so far, those that did not fit included */
	u64 found;
	/** @bucket: bytes handed in; it holds @p.least bytes and leaks at @p.rate_bps */
	struct fab_bucket bucket;
	/** @before: when the previous packet was handed in */
	fab_time before;
	/** @run: begin of the present run of packets that follow one another closely */
	fab_time run;
	/** @begin: when the candidate or the phase began; FAB_NEVER: there is neither */
	fab_time begin;
	/** @last: when the last packet of the phase was handed in */
	fab_time last;
	/** @end: when a packet of it was last handed in, delivered, interrupted for or lost */
	fab_time end;
	/** @begins: number of @begin */
	u64 begins;
	/** @lasts: number of @last */
	u64 lasts;
	/** @ends: number of @end */
	u64 ends;
	/** @on: the candidate has become a phase */
	bool on;
	/** @by_traffic: the phase by traffic; NULL if there is none or @list was full */
	struct fab_phase *by_traffic;
	/** @by_mark: the phase of the last mark; NULL if there is none or @list was full */
	struct fab_phase *by_mark;
	/** @mark: name of the last mark; empty: its phase was ended */
	char mark[FAB_PHASE_NAME];
	/** @tally: counters of the candidate or the phase */
	struct fab_tally tally[FAB_PHASE_SUMS];
	/** @all: the same in total, since fab_phase_start() */
	u64 all[FAB_PHASE_SUMS];
	/** @marked: @all at the begin of the phase by mark */
	u64 marked[FAB_PHASE_SUMS];
	/** @ahead: entries of @late */
	u32 ahead;
	/** @late: latencies of packets that may turn out to belong to the phase, ps */
	fab_time late[FAB_PHASE_AHEAD];
};

bool fab_phase_name_valid(const char *name);
int fab_phase_excess_check(u64 rate_bps, u64 bytes);
int fab_phase_params_check(const struct fab_phase_params *p);
void fab_phase_start(struct fab *fab, struct fab_phase *list, u32 room);
void fab_phase_watch(struct fab *fab, const struct fab_phase_params *p);
void fab_phase_mark(struct fab *fab, const char *name);
void fab_phase_settle(struct fab *fab);
void fab_phase_plugged(struct fab *fab, struct fab_port *port, u32 label);

/* For the model itself, once fab_phase_start() was called. */
void fab_phase_look(struct fab *fab);
void fab_phase_sent(struct fab *fab, struct fab_endpoint *ep,
		    struct fab_pkt *pkt);
void fab_phase_delivered(struct fab *fab, struct fab_endpoint *ep,
			 const struct fab_pkt *pkt);
void fab_phase_held(struct fab *fab, struct fab_endpoint *ep);
void fab_phase_told(struct fab *fab, struct fab_endpoint *ep);
void fab_phase_dropped(struct fab *fab, const struct fab_pkt *pkt);
void fab_phase_carried(struct fab *fab, struct fab_port *port, fab_time time);
void fab_phase_count(struct fab *fab, enum fab_phase_sum what, u64 n);

#endif
