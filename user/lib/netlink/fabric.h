/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fabrics.
 */
#ifndef WEFT_FABRIC_H
#define WEFT_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/nl.h"
#include "netlink/stats.h"

#define WEFT_NAME_SIZE	32
#define WEFT_FABRIC_NO_CPU	UINT32_MAX

/** enum weft_fabric_has - fields of struct weft_fabric that are set */
enum weft_fabric_has {
	WEFT_FABRIC_HAS_SEED = 1,
	WEFT_FABRIC_HAS_DILATION = 2,
	WEFT_FABRIC_HAS_MAX_NICS = 4,
	WEFT_FABRIC_HAS_LATE_BOUND = 8,
};

/**
 * struct weft_change - links that changed, and what the subnet manager did about it
 *
 * Times are fabric times, ps.
 */
struct weft_change {
	/** @at: when links went down or came up */
	uint64_t at;
	/** @links: how many; 0: the beginning */
	uint32_t links;
	/** @up: they came up */
	bool up;
	/** @id: number of the switch at which the first of them ends */
	uint32_t id;
	/** @port: port of that switch */
	uint32_t port;
	/** @trapped: @trap is known */
	bool trapped;
	/** @trap: when the first trap was sent */
	uint64_t trap;
	/** @managed: @manager is known */
	bool managed;
	/** @manager: when a port was first given another subnet manager */
	uint64_t manager;
	/** @first: with @blocks: when the first block of a forwarding table was written */
	uint64_t first;
	/** @last: when the last one was written */
	uint64_t last;
	/** @blocks: blocks of forwarding tables that were written */
	uint32_t blocks;
};

/**
 * struct weft_fabric - a fabric
 */
struct weft_fabric {
	/** @has: bits of enum weft_fabric_has, for weft_fabric_new() */
	uint32_t has;
	/** @id: number, given by the kernel */
	uint32_t id;
	/** @name: unique in its network namespace */
	char name[WEFT_NAME_SIZE];
	/** @seed: seed of all random numbers */
	uint64_t seed;
	/** @dilation: fabric time runs this many times slower than the kernel's clock */
	uint32_t dilation;
	/** @max_nics: endpoint ids run from 0 to this minus 1 */
	uint32_t max_nics;
	/** @late_bound: an event that runs later than this counts as late, ps */
	uint64_t late_bound;
	/** @managed: a subnet manager assigns LIDs and routes of InfiniBand */
	bool managed;
	/** @changes: entries of @change */
	unsigned int changes;
	/** @change: with @managed: changes of links, in order of time */
	struct weft_change *change;
	/** @changes_missed: changes after the last entry */
	uint32_t changes_missed;
	/** @pinned: a thread of its own on CPU @cpu runs it */
	bool pinned;
	/** @cpu: of that thread */
	uint32_t cpu;
	/** @now: fabric time, ps */
	uint64_t now;
	/** @late_events: events that ran later than @late_bound */
	uint64_t late_events;
	/** @lateness: lateness of events, ps */
	struct weft_hist lateness;
	/** @counters: counters of the fabric */
	struct weft_counters counters;
	/** @host_drops: packets lost because of the host, by reason */
	struct weft_counters host_drops;
};

int weft_fabric_new(struct weft_nl *nl, struct weft_fabric *f,
		    struct weft_err *err);
int weft_fabric_del(struct weft_nl *nl, uint32_t id, struct weft_err *err);
int weft_fabric_pin(struct weft_nl *nl, uint32_t id, uint32_t cpu,
		    struct weft_err *err);
int weft_fabric_find(struct weft_nl *nl, const char *name,
		     struct weft_fabric *f, struct weft_err *err);
int weft_fabric_list(struct weft_nl *nl, struct weft_fabric **list,
		     unsigned int *n, struct weft_err *err);
void weft_fabric_free(struct weft_fabric *f);

#endif
