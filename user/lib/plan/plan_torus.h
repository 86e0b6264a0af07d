/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links of a torus, and the steps of dimension-order routing.
 */
#ifndef WEFT_PLAN_TORUS_H
#define WEFT_PLAN_TORUS_H

#include <stdbool.h>

#include "plan/plan_graph.h"
#include "topology/topo.h"

/**
 * struct weft_torus - dimensions of a torus
 */
struct weft_torus {
	/** @topo: the topology, with coordinates */
	const struct weft_topo *topo;
	/** @wraps: for each dimension: all its lines are rings */
	bool wraps[WEFT_DIMS_MAX];
	/**
	 * @cut: for each place, a bit per dimension: no link up; NULL if all
	 * are up
	 */
	uint8_t *cut;
};

/**
 * struct weft_step - a step to a neighbour
 */
struct weft_step {
	/** @dim: the dimension in which the neighbours differ */
	unsigned int dim;
	/** @up: the step is to the next coordinate, modulo the size */
	bool up;
	/**
	 * @wraps: the step is between the last and the first coordinate of a ring
	 */
	bool wraps;
};

void weft_torus_make(struct weft_torus *t, const struct weft_topo *topo,
		     const struct weft_graph *g);
int weft_torus_lose(struct weft_torus *t, const struct weft_graph *g,
		    struct weft_err *err);
struct weft_step weft_torus_step(const struct weft_torus *t, uint32_t from,
				 uint32_t to);
bool weft_torus_next(const struct weft_torus *t, uint32_t from, uint32_t to,
		     struct weft_step *step);
void weft_torus_free(struct weft_torus *t);

#endif
