/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lifetimes: how long a packet may wait in a switch.
 */
#ifndef FAB_AGE_H
#define FAB_AGE_H

#include "types.h"

/**
 * struct fab_age_params - lifetimes at an egress port of a switch
 */
struct fab_age_params {
	/** @hoq: ps that a packet may be head of its class, 0 for ever */
	fab_time hoq;
	/** @life: ps that a packet may stay in the switch, 0 for ever */
	fab_time life;
	/** @stall_count: drops for @hoq in a row that stall the class, 0: never */
	u8 stall_count;
};

#endif
