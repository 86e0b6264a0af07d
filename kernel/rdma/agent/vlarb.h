/* SPDX-License-Identifier: GPL-2.0 */
/*
 * VLArbitrationTable of subnet management.
 */
#ifndef WEFT_RDMA_AGENT_VLARB_H
#define WEFT_RDMA_AGENT_VLARB_H

#include <linux/types.h>

struct fab_sched_params;

u16 weft_sma_vlarb_get(const struct fab_sched_params *p, u32 block, u8 *data);
u16 weft_sma_vlarb_set(struct fab_sched_params *p, u32 classes, u32 block,
		       const u8 *data);

#endif
