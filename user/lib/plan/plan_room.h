/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffers and credits of a plan: do they suffice to lose no packet?
 */
#ifndef WEFT_PLAN_ROOM_H
#define WEFT_PLAN_ROOM_H

#include "base/err.h"
#include "plan/plan.h"
#include "topology/topo.h"

/**
 * struct weft_load - the largest packet that a port may receive
 */
struct weft_load {
	/** @len: its bytes without FCS and overhead */
	uint64_t len;
	/** @segs: number of frames that it represents */
	uint64_t segs;
};

/**
 * struct weft_rooms - state of the planning of buffers and credits
 */
struct weft_rooms {
	/** @plan: the plan */
	struct weft_plan *plan;
	/** @topo: its topology */
	const struct weft_topo *topo;
	/** @load: largest packet of each switch, then of each NIC */
	struct weft_load *load;
	/** @err: error */
	struct weft_err *err;
};

int weft_plan_rooms(struct weft_plan *plan, const struct weft_topo *topo,
		    struct weft_err *err);

int weft_plan_note(struct weft_plan *plan, struct weft_err *err,
		   const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int weft_rooms_fault(struct weft_rooms *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
uint64_t weft_load_wire(const struct weft_load *l, const struct weft_wire *w);

int weft_rooms_buffers(struct weft_rooms *r);
int weft_rooms_credits(struct weft_rooms *r);

#endif
