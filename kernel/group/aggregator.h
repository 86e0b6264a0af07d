/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Aggregation nodes: reductions in switches.
 */
#ifndef WEFT_AGGREGATOR_H
#define WEFT_AGGREGATOR_H

#include <linux/types.h>

#include "core/node/reduce.h"

#define WEFT_AGGREGATORS_MAX	4096U		/* of a fabric */
#define WEFT_AGGREGATORS_SWITCH	64U		/* of a switch: a packet passes them */
#define WEFT_AGGREGATOR_MEM_MAX	(64U << 20)
#define WEFT_AGGREGATOR_SLOTS	256U		/* default */
#define WEFT_AGGREGATOR_LATENCY	(100 * FAB_PS_PER_NS)

struct netlink_ext_ack;
struct weft_endpoint;
struct weft_fabric;
struct weft_switch;

/**
 * struct weft_aggregator_group - what the aggregation nodes of a group share; members without
 * a lock are constant
 */
struct weft_aggregator_group {
	/** @node: in the fabric's table, by number (RTNL, fabric's lock) */
	struct hlist_node node;
	/** @number: the model's number of it */
	u32 number;
	/** @qkey: Q_Key of what is reduced */
	u32 qkey;
	/** @members: its aggregation nodes (RTNL) */
	u32 members;
	/** @dead: a NIC of it has no client any more (fabric's lock) */
	bool dead;
	/** @lost: packets of it that were lost anywhere (fabric's lock) */
	u64 lost;
};

/**
 * struct weft_aggregator - one aggregation node; members without a lock are constant
 */
struct weft_aggregator {
	/** @fabric: its fabric */
	struct weft_fabric *fabric;
	/** @id: number in the fabric */
	u32 id;
	/** @sw: its switch */
	struct weft_switch *sw;
	/** @group: its group */
	struct weft_aggregator_group *group;
	/** @told: listeners heard that it is down (RTNL) */
	bool told;
	/** @told_lost: listeners heard that packets were lost (RTNL) */
	bool told_lost;
	/** @r: the model's (fabric's lock) */
	struct fab_reduce r;
	/** @mem: memory of the model's */
	u64 mem[];
};

void weft_aggregator_prepare(struct weft_fabric *f);
struct weft_aggregator *weft_aggregator_create(struct weft_switch *sw,
					       const struct fab_reduce_params *p, u32 qkey,
					       struct netlink_ext_ack *extack);
void weft_aggregator_destroy(struct weft_aggregator *ag);
void weft_aggregator_tell(struct weft_fabric *f);
void weft_aggregator_switch_gone(struct weft_switch *sw);
void weft_aggregator_client_gone(struct weft_endpoint *wep);

/* the model's callbacks */
void weft_aggregator_fault(struct fab_switch *sw);
void weft_aggregator_lost(struct weft_fabric *f, const struct fab_pkt *pkt);
bool weft_aggregator_takes(const struct fab *fab, const struct fab_reduce *r,
			   const struct fab_pkt *pkt, const struct fab_pkt *other);
struct fab_pkt *weft_aggregator_reduce(struct fab *fab, struct fab_reduce *r,
				       struct fab_pkt *first);

#endif
