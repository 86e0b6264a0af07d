/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of packets in the window of a queue pair.
 */
#ifndef WEFT_SIM_BITS_H
#define WEFT_SIM_BITS_H

#include "sim/sim_run.h"

/* Of a set of packets in the window, which are there by their number. */
static inline bool weft_sim_bit(const unsigned long *set, u32 psn)
{
	return fab_bitset_has(set, psn % WEFT_SIM_WINDOW);
}

static inline void weft_sim_bit_set(unsigned long *set, u32 psn)
{
	fab_bitset_add(set, psn % WEFT_SIM_WINDOW);
}

static inline void weft_sim_bit_clear(unsigned long *set, u32 psn)
{
	fab_bitset_del(set, psn % WEFT_SIM_WINDOW);
}

#endif
