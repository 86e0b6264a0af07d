/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reductions in switches: an aggregation node of a group at one switch.
 */
#ifndef FAB_REDUCE_H
#define FAB_REDUCE_H

#include "core/sim/event.h"

#define FAB_REDUCE_GROUPS	BIT(24)
#define FAB_REDUCE_SLOTS_MAX	65536U
#define FAB_REDUCE_ROOT		0xffffU		/* no port: the node has no parent */

/* fab_pkt.dst of what goes up a tree, of what comes down, and of a result for its owner. */
#define FAB_DST_REDUCE		0xf0000000U
#define FAB_DST_RESULT		0xf1000000U
#define FAB_DST_OWNER		0xf2000000U
#define FAB_DST_KIND		0xff000000U

/**
 * enum fab_reduce_to - who gets a result at the root of a tree
 * @FAB_REDUCE_ALL: all children: the switch multicasts it (SHARP)
 * @FAB_REDUCE_OWNER: one child, in turn, which stores it to all (NVLS)
 */
enum fab_reduce_to {
	FAB_REDUCE_ALL,
	FAB_REDUCE_OWNER,
};

/**
 * struct fab_reduce_params - parameters of an aggregation node
 */
struct fab_reduce_params {
	/** @group: the group, below FAB_REDUCE_GROUPS */
	u32 group;
	/** @children: ports to children, 1 at least */
	u32 children;
	/** @child: these ports, in the order in which their packets are reduced */
	const u16 *child;
	/** @parent: port to the parent, or FAB_REDUCE_ROOT */
	u16 parent;
	/** @to: at the root: who gets a result */
	enum fab_reduce_to to;
	/** @slots: chunks that it can work on at a time */
	u32 slots;
	/** @latency: time from the last packet of a chunk to its result, ps */
	fab_time latency;
};

/**
 * struct fab_reduce_slot - one chunk
 */
struct fab_reduce_slot {
	/** @due: event: its result is ready */
	struct fab_event due;
	/** @node: the aggregation node */
	struct fab_reduce *node;
	/** @whole: when the last packet that came is there as a whole */
	fab_time whole;
	/** @chunk: its number, with @came */
	u32 chunk;
	/** @came: packets that came */
	u32 came;
	/** @pkt: by child: its packet, or NULL */
	struct fab_pkt **pkt;
};

/**
 * struct fab_reduce - an aggregation node
 */
struct fab_reduce {
	/** @p: parameters; child is the node's own copy */
	struct fab_reduce_params p;
	/** @sw: its switch */
	struct fab_switch *sw;
	/** @next: next node of the switch */
	struct fab_reduce *next;
	/** @slot: chunk N is in slot N modulo fab_reduce_params.slots */
	struct fab_reduce_slot *slot;
	/** @due: when the last result is, or was, ready: they keep their order */
	fab_time due;
	/** @results: chunks that were reduced */
	u64 results;
	/** @peak: most chunks at a time */
	u32 peak;
	/** @busy: chunks of which a packet has come */
	u32 busy;
	/** @late: packets for which there was no slot, or that came twice */
	u64 late;
	/** @refused: packets that differ in length from others, or that the host refused */
	u64 refused;
};

int fab_reduce_params_check(const struct fab_switch *sw,
			    const struct fab_reduce_params *p);
size_t fab_reduce_mem(const struct fab_reduce_params *p);
void fab_reduce_init(struct fab *fab, struct fab_switch *sw, struct fab_reduce *r,
		     const struct fab_reduce_params *p, void *mem);
void fab_reduce_remove(struct fab *fab, struct fab_reduce *r);
void fab_reduce_remove_all(struct fab *fab, struct fab_switch *sw);
struct fab_reduce *fab_reduce_find(const struct fab_switch *sw, u32 group);
u32 fab_reduce_count(const struct fab_switch *sw);
void fab_reduce_empty(struct fab *fab, struct fab_reduce *r);
void fab_reduce_lose(struct fab *fab, struct fab_switch *sw);
void fab_reduce_take(struct fab *fab, struct fab_port *in, struct fab_pkt *pkt);
const char *fab_reduce_check(const struct fab_switch *sw, u64 *packets, u64 *events);

/**
 * fab_dst_reduces() - does a packet go up or down the tree of a group?
 * @dst: its destination
 *
 * Return: true if it does.
 */
static inline bool fab_dst_reduces(u32 dst)
{
	u32 kind = dst & FAB_DST_KIND;

	return kind == FAB_DST_REDUCE || kind == FAB_DST_RESULT ||
	       kind == FAB_DST_OWNER;
}

/**
 * fab_dst_store() - where a result goes whose owner stores it to all
 * @dst: destination of the result at its owner
 *
 * Return: the destination of what the owner sends.
 */
static inline u32 fab_dst_store(u32 dst)
{
	return FAB_DST_RESULT | (dst & ~FAB_DST_KIND);
}

/**
 * fab_dst_is_owner() - is it a result that its owner is to store to all?
 * @dst: destination of a packet that has come to a NIC
 *
 * Return: true if it is.
 */
static inline bool fab_dst_is_owner(u32 dst)
{
	return (dst & FAB_DST_KIND) == FAB_DST_OWNER;
}

#endif
