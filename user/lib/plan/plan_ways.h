/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths to a destination, by the policy of the topology.
 */
#ifndef WEFT_PLAN_WAYS_H
#define WEFT_PLAN_WAYS_H

#include "base/err.h"
#include "plan/plan.h"
#include "plan/plan_graph.h"
#include "plan/plan_torus.h"
#include "topology/topo.h"

/**
 * struct weft_ways - paths by a policy
 *
 * With up-down and fat-tree, all switches have one order from the top down, so
 * each link has an upper and a lower end.
 */
struct weft_ways {
	/** @plan: the plan, links complete */
	const struct weft_plan *plan;
	/** @topo: the topology */
	const struct weft_topo *topo;
	/** @g: the plan's graph */
	struct weft_graph *g;
	/**
	 * @policy: enum weft_policy; may differ from the topology's if links
	 * are down
	 */
	uint32_t policy;
	/** @lost: links are down */
	bool lost;
	/** @home: switch of each NIC, WEFT_FAR if it has none */
	uint32_t *home;
	/** @target: the switch to which the paths lead */
	uint32_t target;
	/** @torus: dimension-order: rings of the torus */
	struct weft_torus torus;
	/** @order: switches from the top down; NULL unless up-down or fat-tree */
	uint32_t *order;
	/** @place: position of each switch in @order */
	uint32_t *place;
	/** @level: hops of each switch to the nearest switch with NICs */
	uint32_t *level;
	/**
	 * @down: hops of each switch to the target by links down alone, or
	 * WEFT_FAR
	 */
	uint32_t *down;
	/**
	 * @legal: hops of each switch to the target, up first, then down, or
	 * WEFT_FAR
	 */
	uint32_t *legal;
	/** @number: fat-tree: number of each NIC in the order of leaves */
	uint32_t *number;
	/** @stride: fat-tree: NICs after which the uplinks of each level repeat */
	uint32_t *stride;
};

int weft_ways_make(struct weft_ways *w, const struct weft_plan *plan,
		   const struct weft_topo *topo, struct weft_graph *g,
		   struct weft_err *err);
int weft_ways_lose(struct weft_ways *w, const bool *down, struct weft_err *err);
int weft_ways_up_down(struct weft_ways *w, struct weft_err *err);
void weft_ways_aim(struct weft_ways *w, uint32_t target);
bool weft_ways_of_nic(const struct weft_ways *w);
unsigned int weft_ways_ports(const struct weft_ways *w, uint32_t sw,
			     uint32_t nic, uint32_t *ports);
void weft_ways_free(struct weft_ways *w);

int weft_updown_make(struct weft_ways *w, struct weft_err *err);
int weft_updown_again(struct weft_ways *w, struct weft_err *err);
void weft_updown_aim(struct weft_ways *w);
int weft_fat_tree_make(struct weft_ways *w, struct weft_err *err);

#endif
