/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations of ranks, as traces and schedules have them, and what each waits for.
 */
#ifndef WEFT_WORKLOAD_OPS_H
#define WEFT_WORKLOAD_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "bound/bound.h"
#include "workload/workload.h"

/**
 * enum weft_op_kind - what an operation is
 * @WEFT_OP_CALC: work of its rank for a time
 * @WEFT_OP_SEND: a message; it ends when the receiver has all of it
 * @WEFT_OP_RECV: ends when it has started and its send has ended
 * @WEFT_OP_PUT: a message without a receive
 */
enum weft_op_kind { WEFT_OP_CALC, WEFT_OP_SEND, WEFT_OP_RECV, WEFT_OP_PUT };

/**
 * struct weft_op - an operation
 */
struct weft_op {
	/** @label: its name; NULL: it has none. The reader's */
	const char *label;
	/** @size: bytes; ps of work */
	uint64_t size;
	/** @kind: what it is */
	enum weft_op_kind kind;
	/** @rank: whose it is */
	uint32_t rank;
	/** @peer: the other rank of a transfer */
	uint32_t peer;
	/** @tag: sends and receives of one tag match */
	uint32_t tag;
	/** @line: its line, or number, in the file */
	uint32_t line;
	/* the rest belongs to workload_ops.c */
	/** @edges: its first entry in weft_ops.edge, once they are sorted */
	uint32_t edges;
	/** @waiters: the first one that waits for it, among those sorted by that */
	uint32_t waiters;
	/** @waits: number of operations that have to be put before it */
	uint32_t waits;
	/** @begins: another one waits for its start */
	bool begins;
	/** @begin: message without bytes that ends at its start, if @begins */
	uint32_t begin;
	/** @message: its message, once it has one */
	uint32_t message;
};

/**
 * enum weft_op_how - what an operation waits for
 * @WEFT_OP_END: the other one has ended
 * @WEFT_OP_START: the other one has started
 * @WEFT_OP_SENT: of a receive: its send has ended
 */
enum weft_op_how { WEFT_OP_END, WEFT_OP_START, WEFT_OP_SENT };

/**
 * struct weft_op_edge - an operation waits for another one
 */
struct weft_op_edge {
	/** @op: the one that waits */
	uint32_t op;
	/** @on: the one that it waits for */
	uint32_t on;
	/** @how: for what of it */
	enum weft_op_how how;
};

/**
 * struct weft_ops - all operations; all zero but @fail and @reader is empty
 */
struct weft_ops {
	/** @ops: entries of @op */
	uint32_t ops;
	/** @op: the operations, in the order of the file */
	struct weft_op *op;
	/** @edges: entries of @edge */
	uint32_t edges;
	/** @edge: who waits for whom */
	struct weft_op_edge *edge;
	/** @fail: reports an error at an operation; returns a negative errno */
	int (*fail)(void *reader, const struct weft_op *op, const char *text);
	/** @reader: for @fail */
	void *reader;
	/** @err: error */
	struct weft_err *err;
};

/**
 * struct weft_ops_call - a collective of all ranks
 */
struct weft_ops_call {
	/** @algorithm: how it is done */
	const struct weft_algorithm *algorithm;
	/** @bytes: its buffer, as in COLLECTIVE:ALGORITHM:SIZE */
	uint64_t bytes;
	/** @ranks: entries of @begin and @end */
	uint32_t ranks;
	/** @begin: of each rank, the operation that its part waits for */
	const uint32_t *begin;
	/** @end: of each rank, the operation that waits for its part, and names its messages */
	const uint32_t *end;
};

int weft_ops_add(struct weft_ops *o, const struct weft_op *like);
int weft_ops_wait(struct weft_ops *o, uint32_t op, uint32_t on, enum weft_op_how how);
int weft_ops_call(struct weft_ops *o, const struct weft_ops_call *call);
int weft_ops_work(struct weft_ops *o, struct weft_work *w);
void weft_ops_free(struct weft_ops *o);

#endif
