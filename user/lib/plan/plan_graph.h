/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The planned links as a graph of switches.
 */
#ifndef WEFT_PLAN_GRAPH_H
#define WEFT_PLAN_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"

#define WEFT_FAR	UINT32_MAX

/**
 * struct weft_edge - a link, seen from one of its switches
 */
struct weft_edge {
	/** @port: port of this switch */
	uint32_t port;
	/** @is_nic: the other end is a NIC */
	bool is_nic;
	/** @to: the switch or NIC at the other end */
	uint32_t to;
	/** @far: port of the switch at the other end */
	uint32_t far;
	/** @link: the link */
	unsigned int link;
	/** @down: the link is down */
	bool down;
};

/**
 * struct weft_graph - the edges of all switches
 */
struct weft_graph {
	/** @switches: number of switches */
	unsigned int switches;
	/**
	 * @first: index of the first edge of each switch; one more entry for
	 * the end
	 */
	unsigned int *first;
	/**
	 * @edge: the edges, sorted by switch, then by port; all ports have a link
	 */
	struct weft_edge *edge;
	/**
	 * @hops: hops from each switch to the nearest target; WEFT_FAR:
	 * unreachable
	 */
	uint32_t *hops;
	/** @queue: memory of the search */
	uint32_t *queue;
};

int weft_graph_make(struct weft_graph *g, const struct weft_plan *plan,
		    struct weft_err *err);
void weft_graph_lose(struct weft_graph *g, const bool *down);
void weft_graph_search(struct weft_graph *g, uint32_t target);
void weft_graph_search_all(struct weft_graph *g, const uint32_t *targets,
			   unsigned int n);
void weft_graph_free(struct weft_graph *g);

#endif
