/* SPDX-License-Identifier: GPL-2.0 */
/*
 * InfiniBand congestion control (Annex A10): a channel adapter's side.
 *
 * It has no events, like dcqcn.h.
 */
#ifndef FAB_IBCC_H
#define FAB_IBCC_H

#include "core/types.h"

#define FAB_CCT_MAX	256	/* entries of a table */
#define FAB_IBCC_SLS	16	/* service levels */

/**
 * struct fab_ibcc_sl - parameters of the flows of a service level
 */
struct fab_ibcc_sl {
	/** @increase: CCTI_Increase, per BECN */
	u16 increase;
	/** @min: CCTI_Min */
	u16 min;
	/** @timer: the index falls by one in this time, ps (CCTI_Timer times 1.024 us) */
	fab_time timer;
};

/**
 * struct fab_ibcc_params - parameters, as congestion control management names them
 */
struct fab_ibcc_params {
	/** @sl: by service level */
	struct fab_ibcc_sl sl[FAB_IBCC_SLS];
	/** @map: Control_Map, bit per service level that is controlled */
	u16 map;
	/** @limit: CCTI_Limit, highest index */
	u16 limit;
	/** @cct: entries of the table: shift in bits 15 and 14, multiplier below */
	u16 cct[FAB_CCT_MAX];
};

/**
 * struct fab_ibcc - state of one flow
 */
struct fab_ibcc {
	/** @index: CCTI */
	u16 index;
	/** @sl: service level of its packets */
	u8 sl;
	/** @fall_at: when it falls next, FAB_NEVER at the minimum */
	fab_time fall_at;
};

int fab_ibcc_params_check(const struct fab_ibcc_params *p);
void fab_ibcc_defaults(struct fab_ibcc_params *p);
void fab_ibcc_set_all(struct fab_ibcc_params *p,
		      const struct fab_ibcc_sl *all);
void fab_ibcc_init(struct fab_ibcc *cc, const struct fab_ibcc_params *p);
bool fab_ibcc_on_becn(struct fab_ibcc *cc, const struct fab_ibcc_params *p,
		      fab_time now);
fab_time fab_ibcc_delay(struct fab_ibcc *cc, const struct fab_ibcc_params *p,
			fab_time now, fab_time packet_time);

#endif
