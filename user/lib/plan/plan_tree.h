/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of a group whose switches reduce.
 */
#ifndef WEFT_PLAN_TREE_H
#define WEFT_PLAN_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"

#define WEFT_TREE_ROOT		UINT32_MAX	/* no parent */
#define WEFT_REDUCE_SLOTS	256U		/* defaults of a switch */
#define WEFT_REDUCE_LATENCY	100000ULL	/* ps */
#define WEFT_REDUCE_GROUPS	64U
#define WEFT_REDUCE_SMALL	256U

/**
 * struct weft_tree_node - a switch of a tree
 */
struct weft_tree_node {
	/** @sw: the switch */
	uint32_t sw;
	/** @parent: its port to the parent, or WEFT_TREE_ROOT */
	uint32_t parent;
	/** @latency: from the last packet of a chunk to its result, ps */
	uint64_t latency;
	/** @groups: how many groups it can reduce for */
	uint32_t groups;
	/** @streams: how many of these may have streaming trees */
	uint32_t streams;
	/** @children: entries of @child */
	uint32_t children;
	/** @child: its ports to children, in ascending order; borrowed from the tree */
	const uint16_t *child;
};

/**
 * struct weft_tree - a tree
 */
struct weft_tree {
	/** @nodes: entries of @node */
	unsigned int nodes;
	/** @node: its switches, in ascending order */
	struct weft_tree_node *node;
	/** @depth: links from the root's switch to the farthest NIC's */
	uint32_t depth;
	/** @slots: chunks at a time: those of the switch that has fewest */
	uint32_t slots;
	/** @small: bytes of a chunk, if it is no streaming tree: those of the switch with fewest */
	uint32_t small;
	/** @child: memory of the children of all nodes */
	uint16_t *child;
};

int weft_tree_make(struct weft_tree *t, const struct weft_plan *plan, const bool *down,
		   const uint32_t *nic, unsigned int nics, struct weft_err *err);
int weft_tree_check_owners(const struct weft_tree *t, struct weft_err *err);
void weft_tree_free(struct weft_tree *t);

#endif
