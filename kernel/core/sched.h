/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Egress scheduling: which class of a port sends next.
 */
#ifndef FAB_SCHED_H
#define FAB_SCHED_H

#include "types.h"

/**
 * struct fab_sched_params - scheduling of the classes of a port
 *
 * Strict classes go first, the higher number before the lower (802.1Q 8.6.8.1);
 * the others share what is left by deficit round robin (Shreedhar and Varghese
 * 1995) in proportion to their weights.
 */
struct fab_sched_params {
	/** @weight: quantum of a class in units of @quantum bytes; 0: strict */
	u16 weight[FAB_CLASSES_MAX];
	/** @quantum: bytes per unit of weight, at least 1 */
	u32 quantum;
};

/**
 * struct fab_sched - its state
 */
struct fab_sched {
	/** @p: parameters */
	struct fab_sched_params p;
	/** @strict: bit per strict class */
	u16 strict;
	/** @turn: the weighted class whose visit it is */
	u8 turn;
	/** @fresh: the visit has just begun: the quantum is still to be added */
	bool fresh;
	/** @deficit: bytes that a weighted class may still send in this visit */
	s64 deficit[FAB_CLASSES_MAX];
};

void fab_sched_init(struct fab_sched *s, const struct fab_sched_params *p);
int fab_sched_pick(struct fab_sched *s, u16 ready, const u32 *head_bytes);
void fab_sched_sent(struct fab_sched *s, u8 cls, u32 bytes);
void fab_sched_idle(struct fab_sched *s, u8 cls);

#endif
