/* SPDX-License-Identifier: GPL-2.0 */
/*
 * InfiniBand VL arbitration: two tables of weights choose the next VL.
 */
#ifndef FAB_VLARB_H
#define FAB_VLARB_H

#include "core/types.h"

#define FAB_VLARB_ENTRIES	64	/* of a table, at most */
#define FAB_VLARB_BLOCK		64	/* bytes per unit of weight */
#define FAB_VLARB_LIMIT_BLOCKS	64	/* blocks per unit of the high limit */
#define FAB_VLARB_UNLIMITED	255	/* high limit: low may starve */

/**
 * struct fab_vlarb_entry - one entry of a table
 */
struct fab_vlarb_entry {
	/** @vl: VL, 0 to 14 and below the classes of the port */
	u8 vl;
	/** @weight: blocks of 64 bytes in a visit, 0 to 255; 0: skipped */
	u8 weight;
};

/**
 * struct fab_vlarb_params - the tables of a port
 *
 * A VL may be listed several times, and in both tables. A VL without a weight in
 * either is not served.
 */
struct fab_vlarb_params {
	/** @high: high-priority table */
	struct fab_vlarb_entry high[FAB_VLARB_ENTRIES];
	/** @low: low-priority table */
	struct fab_vlarb_entry low[FAB_VLARB_ENTRIES];
	/** @high_entries: entries of @high in use, 0 to 64 */
	u8 high_entries;
	/** @low_entries: entries of @low in use, 0 to 64 */
	u8 low_entries;
	/**
	 * @high_limit: how much @high may send before @low has a turn, in units
	 * of 4096 bytes; 0: one packet; 255: no limit
	 */
	u8 high_limit;
};

/**
 * struct fab_vlarb_visit - position of the arbiter in a table
 */
struct fab_vlarb_visit {
	/** @vls: bit of each VL that has a weight in the table */
	u16 vls;
	/** @index: the entry being visited */
	u8 index;
	/** @left: blocks of its weight not used yet; an overshoot is below 0 */
	s32 left;
};

/**
 * struct fab_vlarb - state of an arbiter
 */
struct fab_vlarb {
	/** @high: visit of the high table */
	struct fab_vlarb_visit high;
	/** @low: visit of the low table */
	struct fab_vlarb_visit low;
	/** @high_left: blocks that the high table may send before the low one */
	s32 high_left;
	/** @from_high: the last pick was from the high table */
	bool from_high;
};

int fab_vlarb_params_check(const struct fab_vlarb_params *p, u32 classes);
void fab_vlarb_init(struct fab_vlarb *v, const struct fab_vlarb_params *p);
int fab_vlarb_pick(struct fab_vlarb *v, const struct fab_vlarb_params *p,
		   u16 ready);
void fab_vlarb_sent(struct fab_vlarb *v, const struct fab_vlarb_params *p,
		    u8 vl, u32 bytes);

/**
 * fab_vlarb_serves() - VLs that are served
 * @v: the arbiter
 *
 * Return: bit of each VL.
 */
static inline u16 fab_vlarb_serves(const struct fab_vlarb *v)
{
	return v->high.vls | v->low.vls | BIT(FAB_VL_MGMT);
}

#endif
