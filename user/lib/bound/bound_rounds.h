/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least time of messages that depend on each other.
 */
#ifndef WEFT_BOUND_ROUNDS_H
#define WEFT_BOUND_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "bound/bound_cut.h"
#include "bound/bound_path.h"

/* With more nodes, paths are found anew for each message. */
#define WEFT_KNOWN_NODES_MAX	2048

/**
 * struct weft_kind - paths that are alike
 */
struct weft_kind {
	/** @lane: the first of them */
	struct weft_lane lane;
	/** @bytes: a message, whose @time is known */
	uint64_t bytes;
	/** @time: its time, ps */
	uint64_t time;
	/** @wire: the time that it takes on the first wire, ps */
	uint64_t wire;
	/** @last: the same on the last one */
	uint64_t last;
	/** @latency: of a bit, ps */
	uint64_t latency;
};

/**
 * struct weft_load - what all messages take at one NIC
 */
struct weft_load {
	/** @busy: time that its wire is busy, ps */
	uint64_t busy;
	/** @latency: least latency of one of them, ps */
	uint64_t latency;
};

/**
 * struct weft_turn - what a rank sends and receives in one round
 */
struct weft_turn {
	/** @sent: time of its NIC's wire, ps */
	uint64_t sent;
	/** @sent_latency: least latency of what it sends, ps */
	uint64_t sent_latency;
	/** @received: time of its NIC's wire, ps */
	uint64_t received;
	/** @begin: when the first bit of it can be here, ps */
	uint64_t begin;
};

/**
 * struct weft_rounds_sink - who takes the messages of rounds instead of their times
 */
struct weft_rounds_sink {
	/** @send: a message of this round */
	void (*send)(void *ctx, unsigned int from, unsigned int to, uint64_t bytes);
	/** @next: the round is over */
	void (*next)(void *ctx);
	/** @ctx: for both */
	void *ctx;
	/** @streamed: there was a message that is passed on while it arrives */
	bool streamed;
};

/**
 * struct weft_rounds - messages in rounds
 *
 * What a rank sends in a round depends on all that it received in the rounds
 * before.
 */
struct weft_rounds {
	/** @sink: takes the messages; then only @ranks counts of the rest; may be NULL */
	struct weft_rounds_sink *sink;
	/** @ranks: how many */
	unsigned int ranks;
	/** @per_node: on each node */
	unsigned int per_node;
	/** @nodes: of the plan */
	unsigned int nodes;
	/** @lanes: paths */
	struct weft_lanes lanes;
	/** @floor: cuts and latencies */
	struct weft_floor floor;
	/** @kinds: entries of @kind */
	unsigned int kinds;
	/** @kind: paths, no two alike */
	struct weft_kind *kind;
	/** @known: of each pair of nodes, kind + 1, or 0; NULL: too many */
	uint32_t *known;
	/** @ready: when each rank has what the rounds so far sent it, ps */
	uint64_t *ready;
	/** @next: the same after this round */
	uint64_t *next;
	/** @turn: of each rank, this round */
	struct weft_turn *turn;
	/** @end: when all that was sent has arrived, ps */
	uint64_t end;
	/** @tx: what each NIC sent */
	struct weft_load *tx;
	/** @rx: what each NIC received */
	struct weft_load *rx;
	/** @out: bytes that left each group, cut after cut */
	uint64_t *out;
	/** @in: bytes that came into each group */
	uint64_t *in;
	/** @groups: entries of @out and @in */
	unsigned int groups;
	/** @failed: there was an error: @err has it */
	bool failed;
	/** @err: error */
	struct weft_err *err;
};

int weft_rounds_make(struct weft_rounds *r, const struct weft_plan *plan,
		     unsigned int ranks, unsigned int per_node, bool verbs,
		     struct weft_err *err);
void weft_rounds_free(struct weft_rounds *r);
void weft_rounds_begin(struct weft_rounds *r, struct weft_err *err);
void weft_rounds_send(struct weft_rounds *r, unsigned int from, unsigned int to,
		      uint64_t bytes);
void weft_rounds_stream(struct weft_rounds *r, unsigned int from,
			unsigned int to, uint64_t bytes);
void weft_rounds_next(struct weft_rounds *r);
void weft_rounds_ring(struct weft_rounds *r, unsigned int steps, uint64_t bytes);
int weft_rounds_time(const struct weft_rounds *r, double *seconds);

#endif
