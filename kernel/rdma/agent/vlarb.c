// SPDX-License-Identifier: GPL-2.0
/*
 * VLArbitrationTable of subnet management (IBTA 14.2.5.9).
 *
 * Blocks 1 and 2 are the low-priority table, 3 and 4 the high-priority table. To a
 * subnet manager each table has room for all data VLs, as IBTA demands, however few
 * entries the creator of the port used.
 */
#include "rdma/agent/vlarb.h"

#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "core/egress/sched.h"

#define VLARB_ENTRIES	32U		/* of a block */
#define VLARB_INVALID	IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE

/* The part of a table that a block stands for. */
static u32 vlarb_part(const struct fab_vlarb_params *p, u32 block, u32 *first)
{
	u32 entries = block > 2 ? p->high_entries : p->low_entries;

	*first = block & 1 ? 0 : VLARB_ENTRIES;
	return entries > *first ? min(entries - *first, VLARB_ENTRIES) : 0;
}

/**
 * weft_sma_vlarb_get() - write a block of the tables
 * @p: scheduler of the port
 * @block: number of the block
 * @data: IB_SMP_DATA_SIZE bytes, all of which are written
 *
 * Context: any; the caller serialises.
 * Return: status of the response.
 */
u16 weft_sma_vlarb_get(const struct fab_sched_params *p, u32 block, u8 *data)
{
	const struct fab_vlarb_entry *from = block > 2 ? p->vlarb.high :
							 p->vlarb.low;
	struct ib_vl_weight_elem *to = (void *)data;
	u32 i, first, n;

	if (!block || block > 4)
		return VLARB_INVALID;
	memset(data, 0, IB_SMP_DATA_SIZE);
	n = vlarb_part(&p->vlarb, block, &first);
	for (i = 0; i < n; i++) {
		to[i].vl = from[first + i].vl;
		to[i].weight = from[first + i].weight;
	}
	return 0;
}

/* An entry for a VL that the port does not have is skipped (IBTA 7.6.9.2). */
static struct fab_vlarb_entry vlarb_entry(const struct ib_vl_weight_elem *e,
					  u32 vls)
{
	u8 vl = e->vl & 15;

	return (struct fab_vlarb_entry) {
		.vl = vl < vls ? vl : 0,
		.weight = vl < vls ? e->weight : 0,
	};
}

/**
 * weft_sma_vlarb_set() - set a block of the tables
 * @p: scheduler of the port; the caller applies it
 * @classes: classes of the port
 * @block: number of the block
 * @data: the attribute, IB_SMP_DATA_SIZE bytes
 *
 * Context: any; the caller serialises.
 * Return: status of the response.
 */
u16 weft_sma_vlarb_set(struct fab_sched_params *p, u32 classes, u32 block,
		       const u8 *data)
{
	struct fab_vlarb_entry *to = block > 2 ? p->vlarb.high : p->vlarb.low;
	const struct ib_vl_weight_elem *from = (const void *)data;
	u32 vls = min(classes, FAB_VL_MGMT);
	u32 i, first, n;

	if (!block || block > 4 || p->kind != FAB_SCHED_VLARB)
		return VLARB_INVALID;
	if (block > 2)
		p->vlarb.high_entries = weft_sma_vlarb_cap(p->vlarb.high_entries,
							   classes);
	else
		p->vlarb.low_entries = weft_sma_vlarb_cap(p->vlarb.low_entries,
							  classes);
	n = vlarb_part(&p->vlarb, block, &first);
	for (i = 0; i < n; i++)
		to[first + i] = vlarb_entry(&from[i], vls);
	return 0;
}
