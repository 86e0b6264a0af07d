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
 * A Set is answered with the values that hold after it. In a fabric that manages
 * itself it changes nothing: the fabric assigns LIDs, and the creator of the NIC
 * sets VLs and tables. A Set that is refused has changed nothing either.
 *
 * A request with a wrong M_Key gets no response.
 */
#include "rdma/agent/sma.h"

#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "fabric/change.h"
#include "rdma/agent/vlarb.h"
#include "rdma/dev.h"

#define SMA_REREGISTER		0x80	/* of clientrereg_resv_subnetto */

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
		.partition_cap = cpu_to_be16(weft_rdma_pkeys(dev)),
		.local_port_num = 1,
		.vendor_id = { WEFT_RDMA_VENDOR >> 16,
			       WEFT_RDMA_VENDOR >> 8 & 0xff,
			       WEFT_RDMA_VENDOR & 0xff },
	};
	return 0;
}

/* An adapter with one port: 0 means the port that the request came in by. */
static u16 sma_port_info(struct weft_rdma_dev *dev, const struct ib_smp *smp,
			 u8 *data)
{
	struct weft_sma_port *port = &dev->sma.port;
	struct weft_sma_link l;
	bool show;

	if (weft_sma_port_num(be32_to_cpu(smp->attr_mod)) > 1)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	weft_sma_describe(dev, &l);
	show = weft_sma_port_shows_mkey(port, smp);
	weft_sma_port_get(port, &l, show, data);
	return 0;
}

static u16 sma_guids(struct weft_rdma_dev *dev, u8 *data, u32 block)
{
	if (block)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	BUILD_BUG_ON(sizeof(dev->sma.guids) != IB_SMP_DATA_SIZE);
	memcpy(data, dev->sma.guids, IB_SMP_DATA_SIZE);
	return 0;
}

static u16 sma_sl_to_vl(const struct weft_rdma_dev *dev, u8 *data)
{
	u8 sl;

	memset(data, 0, IB_SMP_DATA_SIZE);
	for (sl = 0; dev->client.wep && sl < ARRAY_SIZE(dev->sma.sl_vl); sl++)
		weft_sma_vl_put(data, sl, dev->sma.sl_vl[sl]);
	return 0;
}

static u16 sma_arbitration(const struct weft_rdma_dev *dev, u8 *data, u32 block)
{
	static const struct fab_sched_params none;

	return weft_sma_vlarb_get(dev->client.wep ?
				  &dev->client.wep->ep.p->port.sched : &none,
				  block, data);
}

static u16 sma_get(struct weft_rdma_dev *dev, struct ib_smp *smp)
{
	u32 mod = be32_to_cpu(smp->attr_mod);

	switch (smp->attr_id) {
	case IB_SMP_ATTR_NODE_DESC:
		return sma_node_desc(dev, smp->data);
	case IB_SMP_ATTR_NODE_INFO:
		return sma_node_info(dev, smp->data);
	case IB_SMP_ATTR_PORT_INFO:
		return sma_port_info(dev, smp, smp->data);
	case IB_SMP_ATTR_GUID_INFO:
		return sma_guids(dev, smp->data, mod);
	case IB_SMP_ATTR_PKEY_TABLE:
		return weft_sma_pkeys_get(&dev->sma.port, smp->data,
					  mod & 0xffff);
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
		return sma_sl_to_vl(dev, smp->data);
	case IB_SMP_ATTR_VL_ARB_TABLE:
		return sma_arbitration(dev, smp->data, mod >> 16);
	default:
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	}
}

static u16 sma_set_port(struct weft_rdma_dev *dev, const struct ib_smp *smp,
			u32 *changed)
{
	u16 manager = dev->sma.port.sm_lid, status;
	struct weft_sma_link l;

	if (weft_sma_port_num(be32_to_cpu(smp->attr_mod)) > 1)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	weft_sma_describe(dev, &l);
	status = weft_sma_port_set(&dev->sma.port, &l, smp->data, changed);
	if (manager && dev->sma.port.sm_lid != manager)
		weft_change_manager(dev->client.fabric);
	return status;
}

/* The first GUID is the hardware's. */
static u16 sma_set_guids(struct weft_rdma_dev *dev, const struct ib_smp *smp,
			 u32 *changed)
{
	const size_t one = sizeof(dev->sma.guids[0]);
	const size_t rest = sizeof(dev->sma.guids) - one;

	if (smp->attr_mod)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	if (memcmp(dev->sma.guids + 1, smp->data + one, rest))
		*changed |= WEFT_SMA_NEW_GUIDS;
	memcpy(dev->sma.guids + 1, smp->data + one, rest);
	return 0;
}

static u16 sma_set_sl_to_vl(struct weft_rdma_dev *dev, const u8 *data,
			    u32 *changed)
{
	u8 sl;

	for (sl = 0; sl < ARRAY_SIZE(dev->sma.sl_vl); sl++)
		dev->sma.sl_vl[sl] = weft_sma_vl_of(data, sl);
	*changed |= WEFT_SMA_NEW_VLS;
	return 0;
}

static u16 sma_set_arbitration(struct weft_rdma_dev *dev, const u8 *data,
			       u32 block)
{
	struct weft_endpoint *wep = dev->client.wep;
	struct fab_sched_params sched = wep->ep.p->port.sched;
	u16 status = weft_sma_vlarb_set(&sched, wep->ep.p->port.classes, block,
					data);

	if (status)
		return status;
	if (fab_endpoint_sched_set(weft_rdma_fab(dev), &wep->ep, &sched))
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	return 0;
}

/* The NIC is there: else there is nothing to be set. */
static u16 sma_set(struct weft_rdma_dev *dev, const struct ib_smp *smp,
		   u32 *changed)
{
	u32 mod = be32_to_cpu(smp->attr_mod);

	switch (smp->attr_id) {
	case IB_SMP_ATTR_PORT_INFO:
		return sma_set_port(dev, smp, changed);
	case IB_SMP_ATTR_GUID_INFO:
		return sma_set_guids(dev, smp, changed);
	case IB_SMP_ATTR_PKEY_TABLE:
		return weft_sma_pkeys_set(&dev->sma.port, smp->data,
					  mod & 0xffff, changed);
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
		return sma_set_sl_to_vl(dev, smp->data, changed);
	case IB_SMP_ATTR_VL_ARB_TABLE:
		return sma_set_arbitration(dev, smp->data, mod >> 16);
	default:
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	}
}

/* The bit that clients have to register again stays set (IBTA o14-12.2.1). */
static void sma_reregistered(struct ib_smp *smp, u32 changed)
{
	struct ib_port_info *i = (void *)smp->data;

	if (changed & WEFT_SMA_REREGISTER)
		i->clientrereg_resv_subnetto |= SMA_REREGISTER;
}

static u16 sma_execute(struct weft_rdma_dev *dev, struct ib_smp *smp)
{
	u32 changed = 0;
	u16 refused = 0, status;

	if (smp->method == IB_MGMT_METHOD_SET && dev->sma.managed &&
	    dev->client.wep)
		refused = sma_set(dev, smp, &changed);
	weft_sma_changed(dev, changed);
	status = sma_get(dev, smp);
	sma_reregistered(smp, changed);
	return refused ?: status;
}

/**
 * weft_sma_answer() - answer a request of subnet management
 * @dev: the device
 * @flags: IB_MAD_*: checks of keys to be skipped
 * @out: a copy of the request; set to the response, except its header
 *
 * Context: process; takes the fabric's lock.
 * Return: status of the response; -EACCES: there is none.
 */
int weft_sma_answer(struct weft_rdma_dev *dev, int flags, struct ib_mad *out)
{
	struct ib_smp *smp = (struct ib_smp *)out;
	int status = -EACCES;

	weft_rdma_lock(dev);
	if (!(flags & IB_MAD_IGNORE_MKEY) &&
	    !weft_sma_port_mkey(&dev->sma.port, smp, weft_rdma_fab(dev)->now))
		weft_trap_mkey(dev, smp);
	else if (smp->method == IB_MGMT_METHOD_TRAP_REPRESS)
		weft_trap_repress(dev, smp);
	else
		status = sma_execute(dev, smp);
	weft_rdma_unlock(dev);
	return status;
}
