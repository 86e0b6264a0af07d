// SPDX-License-Identifier: GPL-2.0
/*
 * Subnet management agent of a switch (IBTA 14.2.5).
 *
 * Without a subnet manager a Set changes nothing and is answered with the present
 * values, as at a channel adapter.
 *
 * A switch of this kind has no partition enforcement and no filter of raw packets:
 * SwitchInfo and PortInfo say so. No subnet manager runs in it, so SMInfo is refused.
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "fabric/change.h"
#include "fabric/fabric.h"
#include "fabric/lids.h"
#include "rdma/agent/far.h"
#include "rdma/agent/switch.h"
#include "rdma/agent/vlarb.h"
#include "rdma/dev.h"

#define SMA_NODE_SWITCH		2
#define SMA_DEVICE		1
#define SMA_LED_ON		BIT(31)
#define SMA_LIFE_SHIFT		3
#define SMA_PORT_CHANGE		BIT(2)
#define SMA_INVALID		IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE
#define SMA_UNSUPPORTED		IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB

/**
 * struct sma_switch_info - SwitchInfo (IBTA 14.2.5.4)
 */
struct sma_switch_info {
	/** @linear_cap: entries of the linear forwarding table */
	__be16 linear_cap;
	/** @random_cap: entries of a random one */
	__be16 random_cap;
	/** @mcast_cap: entries of the multicast forwarding table */
	__be16 mcast_cap;
	/** @linear_top: highest LID that is forwarded */
	__be16 linear_top;
	/** @def_port: of the random table */
	u8 def_port;
	/** @def_mcast: default ports of multicast, primary and the other one */
	u8 def_mcast[2];
	/** @life_change: LifeTimeValue, PortStateChange, optimised SL to VL */
	u8 life_change;
	/** @lids_per_port: of the random table */
	__be16 lids_per_port;
	/** @enforce_cap: P_Keys of a port that are enforced */
	__be16 enforce_cap;
	/** @flags: what is enforced, filtered; enhanced port 0 */
	u8 flags;
	/** @reserved: 0 */
	u8 reserved;
	/** @mcast_top: highest multicast LID that is forwarded */
	__be16 mcast_top;
} __packed;

/* Fill in what a link has; port 0 has none, but a rate. */
static void sma_wire(const struct fab_port *port, struct weft_sma_link *l)
{
	const struct fab_vlarb_params *arb = &port->p->sched.vlarb;

	weft_attr_rate(port->wire.bps, &l->speed, &l->width);
	l->phys_state = weft_far_trains(port) ? IB_PORT_PHYS_STATE_LINK_UP :
						IB_PORT_PHYS_STATE_POLLING;
	l->arb_high = arb->high_entries;
	l->arb_low = arb->low_entries;
}

static void sma_arb_caps(const struct weft_switch *sw, struct weft_sma_link *l)
{
	u32 classes = sw->sw.p.port.classes;

	if (!weft_agent_managed(sw))
		return;
	l->arb_high = weft_sma_vlarb_cap(l->arb_high, classes);
	l->arb_low = weft_sma_vlarb_cap(l->arb_low, classes);
}

/**
 * weft_agent_link_of() - a port and its link, as the hardware has them
 * @sw: the switch
 * @in: number of the port that the request came in by
 * @port: number of the port, 0 for the switch's own
 * @l: result
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_link_of(struct weft_switch *sw, u8 in, u8 port,
			struct weft_sma_link *l)
{
	const struct weft_agent *a = sw->agent;

	*l = (struct weft_sma_link) {
		.port = in,
		.mtu_cap = IB_MTU_4096,
		.vl_cap = weft_sma_vl_code(sw->sw.p.port.classes),
		.speed = IB_SPEED_SDR,
		.width = IB_WIDTH_4X,
		.phys_state = IB_PORT_PHYS_STATE_LINK_UP,
	};
	if (port) {
		sma_wire(weft_agent_fab_port(sw, port), l);
		sma_arb_caps(sw, l);
		if (a->port[port].sma.disabled)
			l->phys_state = IB_PORT_PHYS_STATE_DISABLED;
		return;
	}
	l->cap_mask = IB_PORT_TRAP_SUP | IB_PORT_SL_MAP_SUP |
		      IB_PORT_SYS_IMAGE_GUID_SUP | IB_PORT_EXTENDED_SPEEDS_SUP |
		      IB_PORT_LED_INFO_SUP;
	l->guids = 1;
}

static u16 sma_node_desc(struct weft_switch *sw, struct ib_smp *smp)
{
	BUILD_BUG_ON(sizeof(sw->name) > IB_SMP_DATA_SIZE);
	memset(smp->data, 0, IB_SMP_DATA_SIZE);
	memcpy(smp->data, sw->name, sizeof(sw->name));
	return 0;
}

static u16 sma_node_info(struct weft_switch *sw, u8 in, struct ib_smp *smp)
{
	const struct weft_agent *a = sw->agent;
	struct ib_node_info *info = (void *)smp->data;

	memset(smp->data, 0, IB_SMP_DATA_SIZE);
	*info = (struct ib_node_info) {
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = 1,
		.node_type = SMA_NODE_SWITCH,
		.num_ports = sw->sw.p.ports,
		.sys_guid = a->guid,
		.node_guid = a->guid,
		.port_guid = a->guid,
		.partition_cap = cpu_to_be16(WEFT_SMA_PKEYS),
		.device_id = cpu_to_be16(SMA_DEVICE),
		.local_port_num = in,
		.vendor_id = { WEFT_RDMA_VENDOR >> 16, WEFT_RDMA_VENDOR >> 8 & 0xff,
			       WEFT_RDMA_VENDOR & 0xff },
	};
	return 0;
}

static u16 sma_switch_set(struct weft_switch *sw, const u8 *data)
{
	const struct sma_switch_info *i = (const void *)data;
	struct weft_agent *a = sw->agent;

	if (be16_to_cpu(i->linear_top) >= WEFT_LIDS)
		return SMA_INVALID;
	weft_lft_set_top(sw, be16_to_cpu(i->linear_top));
	a->def_port = i->def_port;
	memcpy(a->def_mcast, i->def_mcast, sizeof(a->def_mcast));
	a->life = i->life_change >> SMA_LIFE_SHIFT;
	a->mcast_top = be16_to_cpu(i->mcast_top);
	/* Writing a 1 clears it. */
	if (i->life_change & SMA_PORT_CHANGE)
		a->port_change = false;
	return 0;
}

static u16 sma_switch_info(struct weft_switch *sw, struct ib_smp *smp, bool set)
{
	struct sma_switch_info *i = (void *)smp->data;
	const struct weft_agent *a = sw->agent;
	u16 status = set ? sma_switch_set(sw, smp->data) : 0;
	u16 top;

	if (status)
		return status;
	top = weft_agent_managed(sw) ? sw->lft->top :
	      min(sw->sw.p.dsts, WEFT_LIDS - 1);
	memset(smp->data, 0, IB_SMP_DATA_SIZE);
	i->linear_cap = cpu_to_be16(WEFT_LIDS);
	i->mcast_cap = cpu_to_be16(sw->sw.route.mcasts);
	i->linear_top = cpu_to_be16(top);
	i->def_port = a->def_port;
	memcpy(i->def_mcast, a->def_mcast, sizeof(i->def_mcast));
	i->life_change = a->life << SMA_LIFE_SHIFT |
			 (a->port_change ? SMA_PORT_CHANGE : 0);
	i->mcast_top = cpu_to_be16(a->mcast_top);
	return 0;
}

static u16 sma_guids(struct weft_switch *sw, struct ib_smp *smp)
{
	const struct weft_agent *a = sw->agent;

	if (smp->attr_mod)
		return SMA_INVALID;
	memset(smp->data, 0, IB_SMP_DATA_SIZE);
	memcpy(smp->data, &a->guid, sizeof(a->guid));
	return 0;
}

/* PortInfo has the limit of the high table of VL arbitration. */
static void sma_high_limit(struct weft_switch *sw, u8 port, u8 limit)
{
	struct fab_sched_params sched;

	fab_switch_sched_get(&sw->sw, port - 1, &sched);
	if (sched.vlarb.high_limit == limit)
		return;
	sched.vlarb.high_limit = limit;
	fab_switch_sched_set(&sw->fabric->fab, &sw->sw, port - 1, &sched);
}

/* Apply what a Set of PortInfo changed. */
static void sma_port_apply(struct weft_switch *sw, u8 port, u32 changed)
{
	struct weft_agent *a = sw->agent;
	struct weft_sma_port *p = &a->port[port].sma;

	/* Port 0 has no link that could go down. */
	if (!port) {
		p->state = IB_PORT_ACTIVE;
		p->disabled = false;
	}
	if (!port && changed & WEFT_SMA_NEW_LID)
		weft_lids_set(sw->fabric, sw->sw.p.dst, p->lid, 0);
	if (port && changed & WEFT_SMA_NEW_VLS)
		sma_high_limit(sw, port, p->vl_high_limit);
	if (port && changed & WEFT_SMA_NEW_STATE)
		weft_agent_gate(sw, port);
	if (!port || !(changed & WEFT_SMA_WENT_DOWN))
		return;
	weft_far_retrain(weft_agent_fab_port(sw, port));
	weft_agent_sync(sw, port);
}

static u16 sma_port_info(struct weft_switch *sw, u8 in, struct ib_smp *smp,
			 bool set)
{
	u32 port = be32_to_cpu(smp->attr_mod) & 0xff, changed = 0;
	struct weft_agent *a = sw->agent;
	u16 status = 0, manager = a->port[0].sma.sm_lid;
	struct weft_sma_link l;

	if (port > sw->sw.p.ports)
		return SMA_INVALID;
	if (port)
		weft_agent_sync(sw, port);
	weft_agent_link_of(sw, in, port, &l);
	if (set)
		status = weft_sma_port_set(&a->port[port].sma, &l, smp->data,
					   &changed);
	if (status)
		return status;
	sma_port_apply(sw, port, changed);
	if (manager && a->port[0].sma.sm_lid != manager)
		weft_change_manager(sw->fabric);
	weft_sma_port_get(&a->port[port].sma, &l,
			  weft_sma_port_shows_mkey(&a->port[0].sma, smp),
			  smp->data);
	return 0;
}

/* Only port 0 has one, as the others enforce no partitions. */
static u16 sma_pkeys(struct weft_switch *sw, struct ib_smp *smp, bool set)
{
	u32 mod = be32_to_cpu(smp->attr_mod), changed = 0;
	struct weft_agent *a = sw->agent;
	u16 status = 0;

	if (mod >> 16)
		return SMA_INVALID;
	if (set)
		status = weft_sma_pkeys_set(&a->port[0].sma, smp->data,
					    mod & 0xffff, &changed);
	return status ?: weft_sma_pkeys_get(&a->port[0].sma, smp->data,
					    mod & 0xffff);
}

static u16 sma_led(struct weft_switch *sw, struct ib_smp *smp, bool set)
{
	u32 port = be32_to_cpu(smp->attr_mod) & 0xff;
	struct weft_agent *a = sw->agent;
	__be32 *led = (void *)smp->data;

	if (port > sw->sw.p.ports)
		return SMA_INVALID;
	if (set)
		a->port[port].led = be32_to_cpu(*led) & SMA_LED_ON;
	memset(smp->data, 0, IB_SMP_DATA_SIZE);
	*led = cpu_to_be32(a->port[port].led ? SMA_LED_ON : 0);
	return 0;
}

/**
 * weft_agent_sma() - answer a request of subnet management
 * @sw: the switch, whose agents are set up
 * @in: number of the port that it came in by
 * @smp: the request; set to the response, except its header
 *
 * Context: any; the fabric's lock is held.
 * Return: status of the response.
 */
u16 weft_agent_sma(struct weft_switch *sw, u8 in, struct ib_smp *smp)
{
	bool write = smp->method == IB_MGMT_METHOD_SET;
	bool set = write && weft_agent_managed(sw);

	switch (smp->attr_id) {
	case IB_SMP_ATTR_NODE_DESC:
		return write ? SMA_UNSUPPORTED : sma_node_desc(sw, smp);
	case IB_SMP_ATTR_NODE_INFO:
		return write ? SMA_UNSUPPORTED : sma_node_info(sw, in, smp);
	case IB_SMP_ATTR_SWITCH_INFO:
		return sma_switch_info(sw, smp, set);
	case IB_SMP_ATTR_GUID_INFO:
		return sma_guids(sw, smp);
	case IB_SMP_ATTR_PORT_INFO:
		return sma_port_info(sw, in, smp, set);
	case IB_SMP_ATTR_PKEY_TABLE:
		return sma_pkeys(sw, smp, set);
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
		return weft_agent_sl2vl(sw, smp, set);
	case IB_SMP_ATTR_VL_ARB_TABLE:
		return weft_agent_vlarb(sw, smp, set);
	case IB_SMP_ATTR_LINEAR_FORWARD_TABLE:
		return weft_agent_lft(sw, smp, set);
	case IB_SMP_ATTR_MCAST_FORWARD_TABLE:
		return weft_agent_mft(sw, smp, set);
	case IB_SMP_ATTR_LED_INFO:
		return sma_led(sw, smp, set);
	default:
		return SMA_UNSUPPORTED;
	}
}
