// SPDX-License-Identifier: GPL-2.0
/*
 * Subnet management agent of a switch: its tables (IBTA 14.2.5.8 to 14.2.5.12).
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "fabric/fabric.h"
#include "fabric/lids.h"
#include "group/mcast.h"
#include "rdma/agent/switch.h"
#include "rdma/agent/vlarb.h"

#define TABLE_INVALID		IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE
#define TABLE_MFT_GROUPS	32U		/* of a block */
#define TABLE_MFT_PORTS		16U		/* of a position */
#define TABLE_MFT_BLOCK		0x1ffU		/* in the modifier */

/**
 * weft_agent_lft() - LinearForwardingTable
 * @sw: the switch
 * @smp: the request; set to the response, except its header
 * @set: it is a Set, and there is a subnet manager
 *
 * Context: any; the fabric's lock is held.
 * Return: status of the response. Without memory it is that of a busy agent.
 */
u16 weft_agent_lft(struct weft_switch *sw, struct ib_smp *smp, bool set)
{
	u32 block = be32_to_cpu(smp->attr_mod) & 0xffff;

	if (block >= WEFT_LFT_BLOCKS)
		return TABLE_INVALID;
	if (set && weft_lft_set(sw, block, smp->data))
		return IB_MGMT_MAD_STATUS_BUSY;
	weft_lft_get(sw, block, smp->data);
	return 0;
}

/* A row of the mapping. */
static void sl2vl_get(struct weft_switch *sw, u32 in, u32 out, u8 *data)
{
	u8 sl;

	memset(data, 0, IB_SMP_DATA_SIZE);
	for (sl = 0; sl < FAB_CLASSES_MAX; sl++)
		weft_sma_vl_put(data, sl,
				fab_switch_sl2vl_get(&sw->sw, in, out, sl));
}

/* A VL that the port does not have drops the packet, as VL 15 does. */
static void sl2vl_set(struct weft_switch *sw, u32 in, u32 out, const u8 *data)
{
	u8 sl, vl;

	for (sl = 0; sl < FAB_CLASSES_MAX; sl++) {
		vl = weft_sma_vl_of(data, sl);
		if (vl >= sw->sw.p.port.classes)
			vl = FAB_VL_DROP;
		fab_switch_sl2vl_set(&sw->sw, in, out, sl, vl);
	}
}

/**
 * weft_agent_sl2vl() - SLtoVLMappingTable
 * @sw: the switch
 * @smp: the request; set to the response, except its header
 * @set: it is a Set, and there is a subnet manager
 *
 * The modifier has the ingress port and the egress port. Responses of the agents go
 * out as if they came in by port 0: their row is that of a packet that leaves by the
 * port that it came in by, which no other packet does.
 *
 * Context: any; the fabric's lock is held.
 * Return: status of the response.
 */
u16 weft_agent_sl2vl(struct weft_switch *sw, struct ib_smp *smp, bool set)
{
	u32 mod = be32_to_cpu(smp->attr_mod), ports = sw->sw.p.ports;
	u32 in = mod >> 8 & 0xff, out = mod & 0xff;

	if (!out || in > ports || out > ports || mod >> 16)
		return TABLE_INVALID;
	in = in ?: out;
	if (set)
		sl2vl_set(sw, in - 1, out - 1, smp->data);
	sl2vl_get(sw, in - 1, out - 1, smp->data);
	return 0;
}

/**
 * weft_agent_vlarb() - VLArbitrationTable
 * @sw: the switch
 * @smp: the request; set to the response, except its header
 * @set: it is a Set, and there is a subnet manager
 *
 * A table that would serve no VL at all is refused.
 *
 * Context: any; the fabric's lock is held.
 * Return: status of the response.
 */
u16 weft_agent_vlarb(struct weft_switch *sw, struct ib_smp *smp, bool set)
{
	u32 mod = be32_to_cpu(smp->attr_mod), port = mod & 0xffff;
	struct fab_sched_params sched;
	u16 status = 0;

	if (!port || port > sw->sw.p.ports)
		return TABLE_INVALID;
	fab_switch_sched_get(&sw->sw, port - 1, &sched);
	if (set)
		status = weft_sma_vlarb_set(&sched, sw->sw.p.port.classes,
					    mod >> 16, smp->data);
	if (!status && set &&
	    fab_switch_sched_set(&sw->fabric->fab, &sw->sw, port - 1, &sched))
		status = TABLE_INVALID;
	return status ?: weft_sma_vlarb_get(&sched, mod >> 16, smp->data);
}

/* Ports 16 * @position on of a group; port 0, the switch's own, joins none. */
static u16 mft_mask(const struct weft_switch *sw, u32 group, u32 position)
{
	u32 port = position * TABLE_MFT_PORTS, bit;
	u16 mask = 0;

	for (bit = !port; bit < TABLE_MFT_PORTS; bit++)
		if (weft_mcast_has(sw, group, port + bit - 1))
			mask |= BIT(bit);
	return mask;
}

static int mft_set(struct weft_switch *sw, u32 group, u32 position, u16 mask)
{
	u32 port = position * TABLE_MFT_PORTS, bit;
	int err;

	for (bit = !port; bit < TABLE_MFT_PORTS; bit++) {
		if (port + bit > sw->sw.p.ports)
			break;
		err = weft_mcast_set(sw, group, port + bit - 1,
				     mask & BIT(bit));
		if (err)
			return err;
	}
	return 0;
}

/**
 * weft_agent_mft() - MulticastForwardingTable
 * @sw: the switch
 * @smp: the request; set to the response, except its header
 * @set: it is a Set, and there is a subnet manager
 *
 * The modifier has the block of 32 groups, and the position of the 16 ports that the
 * masks stand for. Port 0 is in no group, as nothing at the switch receives multicast.
 *
 * Context: any; the fabric's lock is held.
 * Return: status of the response. Without memory it is that of a busy agent.
 */
u16 weft_agent_mft(struct weft_switch *sw, struct ib_smp *smp, bool set)
{
	u32 mod = be32_to_cpu(smp->attr_mod), position = mod >> 28, i;
	u32 group = (mod & TABLE_MFT_BLOCK) * TABLE_MFT_GROUPS;
	__be16 *masks = (void *)smp->data;

	BUILD_BUG_ON(TABLE_MFT_GROUPS * sizeof(*masks) != IB_SMP_DATA_SIZE);
	if (group >= WEFT_MCAST_GROUPS ||
	    position * TABLE_MFT_PORTS > sw->sw.p.ports)
		return TABLE_INVALID;
	for (i = 0; set && i < TABLE_MFT_GROUPS; i++)
		if (mft_set(sw, group + i, position, be16_to_cpu(masks[i])))
			return IB_MGMT_MAD_STATUS_BUSY;
	for (i = 0; i < TABLE_MFT_GROUPS; i++)
		masks[i] = cpu_to_be16(mft_mask(sw, group + i, position));
	return 0;
}
