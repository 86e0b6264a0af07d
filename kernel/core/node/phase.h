/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Phases: stretches of time that a program names, or that its traffic shows.
 */
#ifndef FAB_PHASE_H
#define FAB_PHASE_H

#include "core/sim/bucket.h"
#include "core/sim/hist.h"

#define FAB_PHASE_NAME		32	/* bytes of a name, terminator included */
#define FAB_PHASE_AHEAD		1024	/* deliveries that may wait to be counted */
#define FAB_PHASE_LEAD		4	/* quiet / this: how long packets may lead up to one */
#define FAB_PHASE_LEAST_MAX	BIT(30)	/* bytes */
#define FAB_NO_LABEL		U32_MAX	/* of a wire: there is none */

/**
 * struct fab_phase_params - when traffic makes a phase
 */
struct fab_phase_params {
	/** @rate_bps: of all hosts together; 0: traffic makes none */
	u64 rate_bps;
	/** @least: bytes above that rate that begin one */
	u64 least;
	/** @quiet: it is over when so long nothing of it was sent or came, ps */
	fab_time quiet;
};

/**
 * enum fab_phase_sum - what phases count in the whole fabric
 * @FAB_PHASE_PACKETS: frames that hosts handed in
 * @FAB_PHASE_BYTES: their bytes
 * @FAB_PHASE_DROPPED: frames that were lost
 * @FAB_PHASE_WAIT: time that far ends held classes back, ps, by when it ended
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
	/** @name: as the program said; empty where traffic made it */
	char name[FAB_PHASE_NAME];
	/** @open: it is not over: the rest is as of now */
	bool open;
	/** @begin: when it began */
	fab_time begin;
	/** @end: when it ended */
	fab_time end;
	/** @sum: what was counted in it */
	u64 sum[FAB_PHASE_SUMS];
	/** @nics: endpoints that sent something */
	u32 nics;
	/** @wire: label of the wire that was busy longest, or FAB_NO_LABEL */
	u32 wire;
	/** @nic_bytes: bytes of the endpoint that sent most */
	u64 nic_bytes;
	/** @wire_busy: how long that wire was busy, ps */
	u64 wire_busy;
	/** @latency: hand-in to delivery of its packets */
	struct fab_hist latency;
};

/**
 * struct fab_tally - what is counted from a candidate's begin to an end that moves
 */
struct fab_tally {
	/** @sure: up to the end at the last look */
	u64 sure;
	/** @open: after it */
	u64 open;
	/** @begin: number of the begin that both belong to */
	u64 begin;
	/** @end: number of the end that @sure goes up to */
	u64 end;
};

/**
 * struct fab_phase_port - what a port counts for phases
 */
struct fab_phase_port {
	/** @busy: time that its wire was busy */
	struct fab_tally busy;
	/** @marked_busy: all such time when the phase of a mark began */
	u64 marked_busy;
	/** @label: the host's number of its wire */
	u32 label;
};

/**
 * struct fab_phase_nic - what an endpoint counts for phases
 */
struct fab_phase_nic {
	/** @bytes: bytes that its host handed in */
	struct fab_tally bytes;
	/** @all: the same, ever since somebody asked for phases */
	u64 all;
	/** @marked: @all when the phase of a mark began */
	u64 marked;
	/** @ignored: what it sends makes no phase and is of none */
	bool ignored;
};

/**
 * struct fab_phases - the phases of a fabric
 */
struct fab_phases {
	/** @p: when traffic makes one */
	struct fab_phase_params p;
	/** @list: memory of phases; NULL: nothing is counted */
	struct fab_phase *list;
	/** @room: how many fit */
	u32 room;
	/** @n: how many there are */
	u32 n;
	/** @missed: more there were */
	u64 missed;
	/** @found: phases that traffic made so far, with those that were missed */
	u64 found;
	/** @bucket: of @p.least bytes, leaks at @p.rate_bps: what was handed in */
	struct fab_bucket bucket;
	/** @before: when the packet before was handed in */
	fab_time before;
	/** @run: since then packets follow one another */
	fab_time run;
	/** @begin: when the candidate or the phase began; FAB_NEVER: neither is there */
	fab_time begin;
	/** @last: when the last packet of the phase was handed in */
	fab_time last;
	/** @end: when the last one so far was delivered, lost or handed in */
	fab_time end;
	/** @begins: number of @begin */
	u64 begins;
	/** @lasts: number of @last */
	u64 lasts;
	/** @ends: number of @end */
	u64 ends;
	/** @on: there is a phase, and not only a candidate */
	bool on;
	/** @by_traffic: the phase, NULL where @list was full */
	struct fab_phase *by_traffic;
	/** @by_mark: the phase of the last mark, NULL for none */
	struct fab_phase *by_mark;
	/** @mark: name of the last mark; empty: its phase was ended */
	char mark[FAB_PHASE_NAME];
	/** @tally: sums of the candidate or the phase */
	struct fab_tally tally[FAB_PHASE_SUMS];
	/** @all: the same, ever since somebody asked for phases */
	u64 all[FAB_PHASE_SUMS];
	/** @marked: @all when the phase of the mark began */
	u64 marked[FAB_PHASE_SUMS];
	/** @ahead: entries of @late */
	u32 ahead;
	/** @late: latencies of packets of which it is open whether they belong to it */
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
void fab_phase_delivered(struct fab *fab, const struct fab_pkt *pkt);
void fab_phase_dropped(struct fab *fab, const struct fab_pkt *pkt);
void fab_phase_carried(struct fab *fab, struct fab_port *port, fab_time time);
void fab_phase_count(struct fab *fab, enum fab_phase_sum what, u64 n);

#endif
