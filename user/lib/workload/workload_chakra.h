/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chakra's execution traces, a file for each rank.
 */
#ifndef WEFT_WORKLOAD_CHAKRA_H
#define WEFT_WORKLOAD_CHAKRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workload/workload_ops.h"

struct weft_chakra_node;
struct weft_chakra_claim;
struct weft_chakra_call;

/**
 * struct weft_chakra - traces that are being read; all zero but the first three is empty
 */
struct weft_chakra {
	/** @prefix: the files' names, before ".RANK.et" */
	const char *prefix;
	/** @total: number of ranks; rank n is node n of the topology */
	uint32_t total;
	/** @err: error */
	struct weft_err *err;
	/** @rank: whose file it is */
	uint32_t rank;
	/** @at: byte in this file at which the message begins */
	size_t at;
	/** @ops: operations of all ranks */
	struct weft_ops ops;
	/** @names: entries of @name */
	size_t names;
	/** @name: labels of the operations */
	char **name;
	/** @calls: entries of @call */
	size_t calls;
	/** @call: collectives of all ranks */
	struct weft_chakra_call *call;
	/** @nodes: entries of @node */
	size_t nodes;
	/** @node: nodes of this file */
	struct weft_chakra_node *node;
	/** @claims: entries of @claim */
	size_t claims;
	/** @claim: what nodes of this file wait for */
	struct weft_chakra_claim *claim;
};

int weft_chakra_rank(struct weft_chakra *c, const uint8_t *bytes, size_t len);
int weft_chakra_end(struct weft_chakra *c, struct weft_work *w);
void weft_chakra_free(struct weft_chakra *c);

bool weft_work_is_chakra(const char *spec);
int weft_work_chakra(struct weft_work *w, const char *spec,
		     const struct weft_plan *plan, struct weft_err *err);

#endif
