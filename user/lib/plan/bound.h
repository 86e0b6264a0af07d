/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least time that a collective can take on a planned fabric.
 */
#ifndef WEFT_BOUND_H
#define WEFT_BOUND_H

#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"

/**
 * struct weft_ring - a ring of ranks on a planned fabric
 */
struct weft_ring {
	/** @ranks: how many */
	unsigned int ranks;
	/** @latency: of minimal packets on the longest chain of steps, ps */
	uint64_t latency;
	/** @rate: of the link on the ring that carries least, bit/s */
	uint64_t rate;
	/** @payload: bytes that a packet carries there */
	uint32_t payload;
	/** @wire: bytes that it takes there, all packets of the link together */
	uint32_t wire;
};

int weft_ring_make(struct weft_ring *ring, const struct weft_plan *plan,
		   unsigned int ranks, unsigned int per_node,
		   struct weft_err *err);
double weft_ring_allreduce(const struct weft_ring *ring, uint64_t bytes);

#endif
