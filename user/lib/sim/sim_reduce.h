/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reductions in switches: the trees of a workload, and what its nodes send.
 */
#ifndef WEFT_SIM_REDUCE_H
#define WEFT_SIM_REDUCE_H

#include "sim/sim_run.h"

/**
 * struct weft_sim_leaf - a node in a group
 * @group: the group
 * @nic: its NIC
 * @next: the leaf of the same NIC in another group
 * @op: the operation that it is in; NULL: in none
 * @last: the operation that it will be in last
 * @chunks: chunks of @op
 * @first: number of its first chunk
 * @sent: chunks that were sent
 * @got: chunks of which it has the result
 */
struct weft_sim_leaf {
	struct weft_sim_group *group;
	struct weft_sim_nic *nic;
	struct weft_sim_leaf *next;
	struct weft_sim_message *op;
	struct weft_sim_message *last;
	u32 chunks;
	u32 first;
	u32 sent;
	u32 got;
};

/**
 * struct weft_sim_group - a group
 * @id: its number
 * @store: its results go to owners, which store them to all
 * @members: nodes in it
 * @leaf: the members, by node of the plan; with group NULL: not in it
 * @slots: chunks that may be under way
 * @small: it has no streaming tree: bytes of a chunk at most; 0: it has one
 */
struct weft_sim_group {
	u32 id;
	bool store;
	u32 members;
	struct weft_sim_leaf *leaf;
	u32 slots;
	u32 small;
};

/**
 * struct weft_sim_reduce - all groups of a simulation
 * @groups: entries of @group
 * @group: the groups, by their number less 1
 * @nodes: aggregation nodes in use
 * @node: the aggregation nodes
 * @streams: by switch: streaming trees
 */
struct weft_sim_reduce {
	u32 groups;
	struct weft_sim_group *group;
	u32 nodes;
	struct fab_reduce *node;
	u32 *streams;
};

/* sim_tree.c */
int weft_sim_tree(struct weft_sim *sim, struct weft_sim_group *g, struct weft_err *err);

/* sim_reduce.c */
int weft_sim_reduce_build(struct weft_sim *sim, struct weft_err *err);
void weft_sim_reduce_start(struct weft_sim *sim, struct weft_sim_message *m);
void weft_sim_reduce_receive(struct weft_sim *sim, struct weft_sim_nic *nic,
			     const struct weft_sim_pkt *pkt);
struct fab_pkt *weft_sim_reduce_pkts(struct fab *fab, struct fab_reduce *r,
				     struct fab_pkt *first);

#endif
