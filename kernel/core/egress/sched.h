/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Egress scheduling: which class of a port sends next.
 */
#ifndef FAB_SCHED_H
#define FAB_SCHED_H

#include "core/egress/vlarb.h"

/**
 * enum fab_sched_kind - how the classes of a port are scheduled
 * @FAB_SCHED_DRR: strict classes first, the higher number before the lower
 *	(802.1Q 8.6.8.1); the others share what is left by deficit round robin
 *	(Shreedhar and Varghese 1995) in proportion to their weights
 * @FAB_SCHED_VLARB: InfiniBand's arbitration by two tables (IBTA 7.6.9)
 */
enum fab_sched_kind {
	FAB_SCHED_DRR,
	FAB_SCHED_VLARB,
};

/**
 * struct fab_sched_params - scheduling of the classes of a port
 */
struct fab_sched_params {
	/** @kind: which of the parameters below count */
	enum fab_sched_kind kind;
	/** @quantum: DRR: bytes per unit of weight, at least 1 */
	u32 quantum;
	/** @weight: DRR: quantum of a class in units of @quantum; 0: strict */
	u16 weight[FAB_CLASSES_MAX];
	/** @vlarb: VLARB: the tables */
	struct fab_vlarb_params vlarb;
};

/**
 * struct fab_sched - its state
 *
 * One kind or the other.
 */
struct fab_sched {
	/** @kind: which it is */
	enum fab_sched_kind kind;
	union {
		struct {
			/** @quantum: DRR: as in the parameters */
			u32 quantum;
			/** @strict: DRR: bit per strict class */
			u16 strict;
			/** @turn: DRR: the weighted class whose visit it is */
			u8 turn;
			/** @fresh: DRR: the quantum of the visit is still to be added */
			bool fresh;
			/** @weight: DRR: as in the parameters */
			u16 weight[FAB_CLASSES_MAX];
			/** @deficit: DRR: bytes that a weighted class may still send */
			s64 deficit[FAB_CLASSES_MAX];
		};
		struct {
			/** @vlarb: VLARB: where the arbiter stands */
			struct fab_vlarb vlarb;
			/** @tables: VLARB: as in the parameters */
			struct fab_vlarb_params tables;
		};
	};
};

int fab_sched_params_check(const struct fab_sched_params *p, u32 classes);
void fab_sched_init(struct fab_sched *s, const struct fab_sched_params *p);
int fab_sched_pick(struct fab_sched *s, u16 ready, const u32 *head_bytes);
bool fab_sched_only(struct fab_sched *s, u32 cls, u32 bytes);
void fab_sched_sent(struct fab_sched *s, u8 cls, u32 bytes);

/**
 * fab_sched_idle() - a class ran empty
 * @s: the scheduler
 * @cls: the class
 *
 * A visit of the arbitration by tables needs no end: that is seen at the next
 * choice, if the class is still empty then.
 */
static inline void fab_sched_idle(struct fab_sched *s, u8 cls)
{
	if (s->kind == FAB_SCHED_DRR)
		s->deficit[cls] = 0;
}

/**
 * fab_sched_last() - as fab_sched_only() and fab_sched_sent() for the last packet of a port
 * @s: the scheduler
 * @cls: its class; no other is ready, and it runs empty: fab_sched_idle() follows
 *
 * What deficit is left in the end is 0 in any case.
 *
 * Return: false if the kind of scheduler needs both.
 */
static inline bool fab_sched_last(struct fab_sched *s, u32 cls)
{
	if (unlikely(s->kind != FAB_SCHED_DRR))
		return false;
	if (!(s->strict & BIT(cls))) {
		s->turn = cls;
		s->fresh = false;
	}
	return true;
}

/**
 * fab_sched_needed() - does a port need a scheduler?
 * @p: its parameters
 * @classes: classes of the port
 *
 * Return: false if a single class is always served.
 */
static inline bool fab_sched_needed(const struct fab_sched_params *p, u32 classes)
{
	return classes > 1 || p->kind == FAB_SCHED_VLARB;
}

/**
 * fab_sched_strict() - which classes are strict?
 * @s: the scheduler
 *
 * They are served at once if no other is ready, and have no state.
 *
 * Return: bit per class.
 */
static inline u16 fab_sched_strict(const struct fab_sched *s)
{
	return s->kind == FAB_SCHED_DRR ? s->strict : 0;
}

/**
 * fab_sched_serves() - which classes are ever served?
 * @s: the scheduler, or NULL
 *
 * Return: bit per class.
 */
static inline u16 fab_sched_serves(const struct fab_sched *s)
{
	if (s && s->kind == FAB_SCHED_VLARB)
		return fab_vlarb_serves(&s->vlarb);
	return U16_MAX;
}

#endif
