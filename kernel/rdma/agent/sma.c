// SPDX-License-Identifier: GPL-2.0
/*
 * Subnet management agent: attributes of the port.
 *
 * DOC: theory of operation
 *
 * The attributes that a channel adapter has (InfiniBand Architecture
 * Specification, volume 1, 14.2): NodeDescription, NodeInfo, PortInfo, GUIDInfo,
 * P_KeyTable, SLtoVLMappingTable and VLArbitrationTable. They describe the
 * endpoint, for smpquery and the like, from any LID.
 *
 * There is no subnet manager: the fabric assigns LIDs, and the creator of the NIC
 * sets VLs and tables. A Set changes nothing and is answered with the present
 * values. Switches of the model do not answer; a directed route ends at the port.
 *
 * PortInfo of this layout has no field for XDR: a port with XDR reports NDR. A port
 * with FDR10, which is vendor specific, reports QDR.
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "rdma/agent/mad.h"
#include "rdma/dev.h"

#define SMA_LINK_DOWN_DEFAULT	2	/* polling */
#define SMA_HOQ_LIFE		18	/* as OpenSM has it; none is kept here */
#define SMA_VL_STALL		7
#define SMA_RESP_TIME		16	/* 4.096 us * 2^16 */
#define SMA_ERROR_LIMITS	0xff
#define SMA_SPEED_SUPPORTED	7	/* SDR, DDR, QDR */
#define SMA_SPEED_EXT		15	/* FDR, EDR, HDR, NDR */
#define SMA_WIDTHS		(IB_WIDTH_1X | IB_WIDTH_2X | IB_WIDTH_4X | \
				 IB_WIDTH_8X | IB_WIDTH_12X)
#define SMA_VL_DROP		15	/* in SLtoVLMappingTable: drop */
#define SMA_GID_PREFIX		0xfe80000000000000ULL
#define SMA_GUIDS		8	/* of a block */
#define SMA_PKEYS		32
#define SMA_ARB_ENTRIES		32
#define SMA_EXT_SPEED		62	/* PortInfo: LinkSpeedExtActive, -Supported */
#define SMA_EXT_ENABLED		63	/* the same: LinkSpeedExtEnabled */

static u16 sma_node_desc(struct weft_rdma_dev *dev, u8 *data)
{
	BUILD_BUG_ON(sizeof(dev->ib.node_desc) != IB_SMP_DATA_SIZE);
	memcpy(data, dev->ib.node_desc, IB_SMP_DATA_SIZE);
	return 0;
}

static u16 sma_node_info(struct weft_rdma_dev *dev, u8 *data)
{
	struct ib_node_info *info = (void *)data;

	*info = (struct ib_node_info) {
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = 1,
		.node_type = RDMA_NODE_IB_CA,
		.num_ports = 1,
		.sys_guid = dev->guid,
		.node_guid = dev->guid,
		.port_guid = dev->guid,
		.partition_cap = cpu_to_be16(1),
		.local_port_num = 1,
	};
	return 0;
}

/* Extended speeds are behind the fields of the kernel's structure. */
static void sma_speed(const struct ib_port_attr *attr, u8 *data)
{
	struct ib_port_info *i = (void *)data;
	u32 speed = attr->active_speed;
	u32 ext = min_t(u32, speed / IB_SPEED_FDR, IB_SPEED_NDR / IB_SPEED_FDR);

	i->linkspeed_portstate = SMA_SPEED_SUPPORTED << 4 | attr->state;
	i->linkspeedactive_enabled =
		min_t(u32, speed, IB_SPEED_QDR) << 4 | SMA_SPEED_SUPPORTED;
	BUILD_BUG_ON(offsetofend(struct ib_port_info, link_roundtrip_latency) >
		     SMA_EXT_SPEED);
	data[SMA_EXT_SPEED] = ext << 4 | SMA_SPEED_EXT;
	data[SMA_EXT_ENABLED] = SMA_SPEED_EXT;
}

static void sma_vls(struct weft_rdma_dev *dev,
		    const struct ib_port_attr *attr, struct ib_port_info *i)
{
	const struct fab_vlarb_params *p;

	i->vlcap_inittype = attr->max_vl_num << 4;
	i->operationalvl_pei_peo_fpi_fpo = attr->max_vl_num << 4;
	i->vlstallcnt_hoqlife = SMA_VL_STALL << 5 | SMA_HOQ_LIFE;
	weft_rdma_lock(dev);
	if (dev->client.wep) {
		p = &dev->client.wep->ep.p.port.sched.vlarb;
		i->vl_high_limit = p->high_limit;
		i->vl_arb_high_cap = p->high_entries;
		i->vl_arb_low_cap = p->low_entries;
	}
	weft_rdma_unlock(dev);
}

static void sma_links(const struct ib_port_attr *attr, struct ib_port_info *i)
{
	i->local_port_num = 1;
	i->link_width_enabled = SMA_WIDTHS;
	i->link_width_supported = SMA_WIDTHS;
	i->link_width_active = attr->active_width;
	i->portphysstate_linkdown = attr->phys_state << 4 |
				    SMA_LINK_DOWN_DEFAULT;
	i->neighbormtu_mastersmsl = attr->active_mtu << 4;
	i->inittypereply_mtucap = attr->max_mtu;
	i->localphyerrors_overrunerrors = SMA_ERROR_LIMITS;
}

static u16 sma_port_info(struct weft_rdma_dev *dev, u8 *data)
{
	struct ib_port_info *i = (void *)data;
	struct ib_port_attr attr = { };

	weft_rdma_query_port(&dev->ib, 1, &attr);
	memset(data, 0, IB_SMP_DATA_SIZE);
	i->gid_prefix = cpu_to_be64(SMA_GID_PREFIX);
	i->lid = cpu_to_be16(attr.lid);
	i->sm_lid = cpu_to_be16(attr.sm_lid);
	i->cap_mask = cpu_to_be32(attr.port_cap_flags | IB_PORT_SL_MAP_SUP |
				  IB_PORT_SYS_IMAGE_GUID_SUP |
				  IB_PORT_EXTENDED_SPEEDS_SUP);
	i->guid_cap = SMA_GUIDS;
	i->clientrereg_resv_subnetto = attr.subnet_timeout;
	i->resv_resptimevalue = SMA_RESP_TIME;
	sma_links(&attr, i);
	sma_speed(&attr, data);
	sma_vls(dev, &attr, i);
	return 0;
}

static u16 sma_guids(struct weft_rdma_dev *dev, u8 *data, u32 block)
{
	if (block)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	memset(data, 0, IB_SMP_DATA_SIZE);
	memcpy(data, &dev->guid, sizeof(dev->guid));
	return 0;
}

static u16 sma_pkeys(struct weft_rdma_dev *dev, u8 *data, u32 block)
{
	__be16 *pkeys = (void *)data;
	u16 pkey, i;

	if (block)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	memset(data, 0, IB_SMP_DATA_SIZE);
	for (i = 0; i < SMA_PKEYS; i++)
		if (!weft_rdma_query_pkey(&dev->ib, 1, i, &pkey))
			pkeys[i] = cpu_to_be16(pkey);
	return 0;
}

/* Four bits for each SL, SL 0 first. */
static u16 sma_sl_to_vl(const struct weft_rdma_dev *dev, u8 *data)
{
	const struct weft_endpoint *wep = dev->client.wep;
	u8 vl, sl;

	memset(data, 0, IB_SMP_DATA_SIZE);
	for (sl = 0; wep && sl < ARRAY_SIZE(wep->vl); sl++) {
		vl = min_t(u8, wep->vl[sl], SMA_VL_DROP);
		data[sl / 2] |= sl & 1 ? vl : vl << 4;
	}
	return 0;
}

/* Blocks 1 and 2 are the low-priority table, 3 and 4 the high-priority table. */
static u16 sma_arbitration(const struct weft_rdma_dev *dev, u8 *data, u32 block)
{
	struct ib_vl_weight_elem *to = (void *)data;
	const struct fab_vlarb_entry *from;
	const struct fab_vlarb_params *p;
	u32 i, first, entries;

	if (!block || block > 4)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	memset(data, 0, IB_SMP_DATA_SIZE);
	if (!dev->client.wep)
		return 0;
	p = &dev->client.wep->ep.p.port.sched.vlarb;
	from = block > 2 ? p->high : p->low;
	entries = block > 2 ? p->high_entries : p->low_entries;
	first = block & 1 ? 0 : SMA_ARB_ENTRIES;
	for (i = 0; i < SMA_ARB_ENTRIES && first + i < entries; i++) {
		to[i].vl = from[first + i].vl;
		to[i].weight = from[first + i].weight;
	}
	return 0;
}

/* Tables of the endpoint, which must not go meanwhile. */
static u16 sma_table(struct weft_rdma_dev *dev, struct ib_smp *smp)
{
	u32 block = be32_to_cpu(smp->attr_mod) >> 16;
	u16 status;

	weft_rdma_lock(dev);
	if (smp->attr_id == IB_SMP_ATTR_SL_TO_VL_TABLE)
		status = sma_sl_to_vl(dev, smp->data);
	else
		status = sma_arbitration(dev, smp->data, block);
	weft_rdma_unlock(dev);
	return status;
}

/**
 * weft_sma_answer() - answer a request of subnet management
 * @dev: the device
 * @out: a copy of the request; set to the response, except its header
 *
 * Context: process; takes the fabric's lock.
 * Return: status of the response.
 */
u16 weft_sma_answer(struct weft_rdma_dev *dev, struct ib_mad *out)
{
	struct ib_smp *smp = (struct ib_smp *)out;
	u32 mod = be32_to_cpu(smp->attr_mod);

	switch (smp->attr_id) {
	case IB_SMP_ATTR_NODE_DESC:
		return sma_node_desc(dev, smp->data);
	case IB_SMP_ATTR_NODE_INFO:
		return sma_node_info(dev, smp->data);
	case IB_SMP_ATTR_PORT_INFO:
		return sma_port_info(dev, smp->data);
	case IB_SMP_ATTR_GUID_INFO:
		return sma_guids(dev, smp->data, mod);
	case IB_SMP_ATTR_PKEY_TABLE:
		return sma_pkeys(dev, smp->data, mod & 0xffff);
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
	case IB_SMP_ATTR_VL_ARB_TABLE:
		return sma_table(dev, smp);
	default:
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	}
}
