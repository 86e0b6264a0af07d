/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aggregation nodes: reductions in switches.
 */
#ifndef WEFT_AGGREGATOR_H
#define WEFT_AGGREGATOR_H

#include "netlink/nl.h"
#include "netlink/nl_fields.h"

/**
 * struct weft_aggregator - an aggregation node, of one group at one switch
 */
struct weft_aggregator {
	/** @has: bit per attribute that is set, WEFT_HAS(WEFT_A_AGGREGATOR_...) */
	uint32_t has;
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: number in the fabric, given by the kernel */
	uint32_t id;
	/** @group: its group */
	uint32_t group;
	/** @sw: its switch */
	uint32_t sw;
	/** @child: ports to children, in the order of the reduction */
	struct weft_u16s child;
	/** @parent: port to the parent; not set at the root */
	uint32_t parent;
	/** @slots: chunks at a time */
	uint32_t slots;
	/** @latency: time from the last packet of a chunk to its result, ps */
	uint64_t latency;
	/** @to: enum weft_reduce_to: who gets a result, at a root */
	uint32_t to;
	/** @qkey: Q_Key of what it reduces; the kernel does not tell it */
	uint32_t qkey;
	/** @results: chunks that were reduced */
	uint64_t results;
	/** @late: packets for which there was no slot, or that came twice */
	uint64_t late;
	/** @refused: packets that do not fit their chunk or the group */
	uint64_t refused;
	/** @busy: chunks of which some packets have come */
	uint32_t busy;
	/** @peak: most of these at a time */
	uint32_t peak;
	/** @down: a fault has it down */
	uint32_t down;
	/** @lost: packets of its group that were lost, anywhere */
	uint64_t lost;
};

int weft_aggregator_new(struct weft_nl *nl, struct weft_aggregator *ag,
			struct weft_err *err);
int weft_aggregator_del(struct weft_nl *nl, const struct weft_aggregator *ag,
			struct weft_err *err);
int weft_aggregator_list(struct weft_nl *nl, uint32_t fabric,
			 struct weft_aggregator **list, unsigned int *n,
			 struct weft_err *err);
void weft_aggregator_json(json_t *o, const struct weft_aggregator *ag);

#endif
