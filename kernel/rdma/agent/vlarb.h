/* SPDX-License-Identifier: GPL-2.0 */
/*
 * VLArbitrationTable of subnet management.
 */
#ifndef WEFT_RDMA_AGENT_VLARB_H
#define WEFT_RDMA_AGENT_VLARB_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "core/types.h"

struct fab_sched_params;

u16 weft_sma_vlarb_get(const struct fab_sched_params *p, u32 block, u8 *data);
u16 weft_sma_vlarb_set(struct fab_sched_params *p, u32 classes, u32 block,
		       const u8 *data);

/* Entries that a subnet manager may set, of a table in which @entries are in use. */
static inline u8 weft_sma_vlarb_cap(u8 entries, u32 classes)
{
	return max_t(u32, entries, min_t(u32, classes, FAB_VL_MGMT));
}

#endif
