/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that follow the routes of a plan, for the tests.
 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "plan/plan.h"

#define FOLLOW_MAX	1024	/* ends of links */

/**
 * struct follow_map - what is at the other end of each port of a switch
 */
struct follow_map {
	/** @plan: the plan */
	const struct weft_plan *plan;
	/** @first: of each switch, the number of its port 0 */
	unsigned int first[FOLLOW_MAX];
	/** @ports: in all */
	unsigned int ports;
	/** @far: of each port, the other end */
	struct weft_end far[FOLLOW_MAX];
	/** @at: of each NIC, its port */
	struct weft_end at[FOLLOW_MAX];
};

/**
 * typedef follow_fn - looks at a step of a packet
 * @ctx: as given
 * @port: number of the port that it leaves a switch through
 * @cls: its class from there on
 * @before: number of the port of the step before, -1 if there was none
 * @cls_before: its class there
 */
typedef void (*follow_fn)(void *ctx, unsigned int port, unsigned int cls,
			  int before, unsigned int cls_before);

void follow_map(struct follow_map *m, const struct weft_plan *plan);
unsigned int follow(const struct follow_map *m, uint32_t from, uint32_t to,
		    unsigned int cls, follow_fn fn, void *ctx);

#endif
