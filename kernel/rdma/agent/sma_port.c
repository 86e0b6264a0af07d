// SPDX-License-Identifier: GPL-2.0
/*
 * A port as subnet management sees it: PortInfo, P_Key table, M_Key.
 *
 * PortInfo of the kernel's layout has no field for XDR: a port with XDR reports NDR.
 * A port with FDR10, which is vendor specific, reports QDR. Partition enforcement and
 * filters of raw packets are always off, as SwitchInfo has no such capability.
 */
#include "rdma/agent/sma_port.h"

#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include <rdma/ib_verbs.h>

#define PORT_POLLING		2	/* LinkDownDefaultState */
#define PORT_HOQ_LIFE		18	/* as OpenSM has it; none is kept here */
#define PORT_VL_STALL		7
#define PORT_RESP_TIME		16	/* 4.096 us * 2^16 */
#define PORT_SUBNET_TIMEOUT	18
#define PORT_ERROR_LIMITS	0xff
#define PORT_SPEEDS		7	/* SDR, DDR, QDR */
#define PORT_SPEEDS_ALL		15	/* "all that are supported" */
#define PORT_SPEEDS_EXT		15	/* FDR, EDR, HDR, NDR */
#define PORT_SPEEDS_EXT_NONE	30	/* extended speeds disabled */
#define PORT_SPEEDS_EXT_ALL	31
#define PORT_WIDTHS		(IB_WIDTH_1X | IB_WIDTH_2X | IB_WIDTH_4X | \
				 IB_WIDTH_8X | IB_WIDTH_12X)
#define PORT_WIDTHS_ALL		0xff
#define PORT_EXT_SPEED		62	/* LinkSpeedExtActive, -Supported */
#define PORT_EXT_ENABLED	63	/* LinkSpeedExtEnabled */
#define PORT_EXT_ENABLED_MASK	0x1f
#define PORT_LMC_MASK		7
#define PORT_PROT_SHIFT		6
#define PORT_TIMEOUT_MASK	0x1f
#define PORT_REREGISTER		0x80
#define PORT_LID_MULTICAST	0xc000

/**
 * weft_sma_port_init() - a port as after power-up, without a link
 * @p: the port
 * @has_lid: it is of a channel adapter, or port 0 of a switch
 * @l: port and link
 *
 * Context: any.
 */
void weft_sma_port_init(struct weft_sma_port *p, bool has_lid,
			const struct weft_sma_link *l)
{
	*p = (struct weft_sma_port) {
		.has_lid = has_lid,
		.state = IB_PORT_DOWN,
		.gid_prefix = WEFT_SMA_GID_PREFIX,
		.mtu = l->mtu_cap,
		.vls = l->vl_cap,
		.stall_hoq = PORT_VL_STALL << 5 | PORT_HOQ_LIFE,
		.down_default = PORT_POLLING,
		.width_enabled = IB_WIDTH_1X | l->width,
		.speed_enabled = PORT_SPEEDS,
		.speed_ext_enabled = PORT_SPEEDS_EXT,
		.subnet_timeout = PORT_SUBNET_TIMEOUT,
		.error_limits = PORT_ERROR_LIMITS,
		.pkeys[0] = IB_DEFAULT_PKEY_FULL,
	};
}

/**
 * weft_sma_port_link() - the link came up, or went down
 * @p: the port
 * @up: it is up
 *
 * What the manager set stays, as on hardware.
 *
 * Context: any; the caller serialises.
 * Return: true if the state changed.
 */
bool weft_sma_port_link(struct weft_sma_port *p, bool up)
{
	u8 old = p->state;

	if (!up || p->disabled)
		p->state = IB_PORT_DOWN;
	else if (old == IB_PORT_DOWN)
		p->state = IB_PORT_INIT;
	return p->state != old;
}

static void port_get_lid(const struct weft_sma_port *p, bool show_mkey,
			 struct ib_port_info *i)
{
	if (!p->has_lid)
		return;
	if (show_mkey)
		i->mkey = p->mkey;
	i->gid_prefix = cpu_to_be64(p->gid_prefix);
	i->lid = cpu_to_be16(p->lid);
	i->sm_lid = cpu_to_be16(p->sm_lid);
	i->mkey_lease_period = cpu_to_be16(p->mkey_lease);
	i->mkeyprot_resv_lmc = p->mkey_prot << PORT_PROT_SHIFT | p->lmc;
	i->clientrereg_resv_subnetto = p->subnet_timeout;
	i->resv_resptimevalue = PORT_RESP_TIME;
}

/* Extended speeds are behind the fields of the kernel's structure. */
static void port_get_speed(const struct weft_sma_port *p,
			   const struct weft_sma_link *l, u8 *data)
{
	struct ib_port_info *i = (void *)data;
	u32 ext = min_t(u32, l->speed / IB_SPEED_FDR, IB_SPEED_NDR / IB_SPEED_FDR);

	i->linkspeed_portstate = PORT_SPEEDS << 4 | p->state;
	i->linkspeedactive_enabled =
		min_t(u32, l->speed, IB_SPEED_QDR) << 4 | p->speed_enabled;
	BUILD_BUG_ON(offsetofend(struct ib_port_info, link_roundtrip_latency) >
		     PORT_EXT_SPEED);
	data[PORT_EXT_SPEED] = ext << 4 | PORT_SPEEDS_EXT;
	data[PORT_EXT_ENABLED] = p->speed_ext_enabled;
}

static void port_get_link(const struct weft_sma_port *p,
			  const struct weft_sma_link *l, struct ib_port_info *i)
{
	/* Tools complain of a link that supports more than it has. */
	u8 widths = IB_WIDTH_1X | l->width;

	i->cap_mask = cpu_to_be32(l->cap_mask);
	i->local_port_num = l->port;
	i->link_width_enabled = p->width_enabled & widths ?: widths;
	i->link_width_supported = widths;
	i->link_width_active = l->width;
	i->portphysstate_linkdown = l->phys_state << 4 | p->down_default;
	i->inittypereply_mtucap = p->init_type << 4 | l->mtu_cap;
	i->vlcap_inittype = l->vl_cap << 4 | l->init_type;
	i->vl_arb_high_cap = l->arb_high;
	i->vl_arb_low_cap = l->arb_low;
	i->guid_cap = l->guids;
}

static void port_get_set(const struct weft_sma_port *p, struct ib_port_info *i)
{
	i->neighbormtu_mastersmsl = p->mtu << 4 | p->sm_sl;
	i->vl_high_limit = p->vl_high_limit;
	i->vlstallcnt_hoqlife = p->stall_hoq;
	i->operationalvl_pei_peo_fpi_fpo = p->vls << 4;
	i->mkey_violations = cpu_to_be16(p->mkey_violations);
	i->pkey_violations = cpu_to_be16(p->pkey_violations);
	i->qkey_violations = cpu_to_be16(p->qkey_violations);
	i->localphyerrors_overrunerrors = p->error_limits;
}

/**
 * weft_sma_port_get() - write PortInfo
 * @p: the port
 * @l: port and link
 * @show_mkey: the M_Key may be shown to the requester
 * @data: IB_SMP_DATA_SIZE bytes, all of which are written
 *
 * Context: any; the caller serialises.
 */
void weft_sma_port_get(const struct weft_sma_port *p,
		       const struct weft_sma_link *l, bool show_mkey, u8 *data)
{
	struct ib_port_info *i = (void *)data;

	memset(data, 0, IB_SMP_DATA_SIZE);
	port_get_lid(p, show_mkey, i);
	port_get_link(p, l, i);
	port_get_set(p, i);
	port_get_speed(p, l, data);
}

static bool port_lid_ok(u16 lid, u16 now)
{
	return lid == now || (lid && lid < PORT_LID_MULTICAST);
}

static bool port_addresses_ok(const struct weft_sma_port *p,
			      const struct weft_sma_link *l,
			      const struct ib_port_info *i)
{
	u16 lid = be16_to_cpu(i->lid);
	u8 lmc = i->mkeyprot_resv_lmc & PORT_LMC_MASK;

	if (!p->has_lid)
		return true;
	return port_lid_ok(lid, p->lid) &&
	       port_lid_ok(be16_to_cpu(i->sm_lid), p->sm_lid) &&
	       lmc <= l->lmc_max && !(lid & (BIT(lmc) - 1)) &&
	       lid + BIT(lmc) <= PORT_LID_MULTICAST;
}

static bool port_speeds_ok(const struct ib_port_info *i, const u8 *data)
{
	u8 width = i->link_width_enabled;
	u8 speed = i->linkspeedactive_enabled & 15;
	u8 ext = data[PORT_EXT_ENABLED] & PORT_EXT_ENABLED_MASK;

	return (width == PORT_WIDTHS_ALL || !(width & ~PORT_WIDTHS)) &&
	       (speed == PORT_SPEEDS_ALL || speed <= PORT_SPEEDS) &&
	       (ext >= PORT_SPEEDS_EXT_NONE || ext <= PORT_SPEEDS_EXT);
}

/* The state and the physical state: only DOWN goes with the latter. */
static bool port_state_ok(const struct weft_sma_port *p,
			  const struct ib_port_info *i)
{
	u8 state = i->linkspeed_portstate & 15;
	u8 phys = i->portphysstate_linkdown >> 4;

	if (phys > IB_PORT_PHYS_STATE_DISABLED ||
	    (phys && state != IB_PORT_NOP && state != IB_PORT_DOWN))
		return false;
	switch (state) {
	case IB_PORT_NOP:
	case IB_PORT_DOWN:
		return true;
	case IB_PORT_ARMED:
		return p->state == IB_PORT_INIT || p->state == IB_PORT_ARMED;
	case IB_PORT_ACTIVE:
		return p->state == IB_PORT_ARMED || p->state == IB_PORT_ACTIVE;
	default:
		return false;
	}
}

static bool port_set_ok(const struct weft_sma_port *p,
			const struct weft_sma_link *l, const u8 *data)
{
	const struct ib_port_info *i = (const void *)data;
	u8 mtu = i->neighbormtu_mastersmsl >> 4;

	return port_addresses_ok(p, l, i) && port_speeds_ok(i, data) &&
	       port_state_ok(p, i) && mtu >= IB_MTU_256 && mtu <= l->mtu_cap &&
	       i->operationalvl_pei_peo_fpi_fpo >> 4 <= l->vl_cap &&
	       (i->portphysstate_linkdown & 15) <= PORT_POLLING;
}

/* Set a field; return @bit if that changed it. */
#define PORT_CHANGE(field, value, bit) ({				\
	typeof(field) __v = (value);					\
	u32 __bit = (field) != __v ? (bit) : 0;				\
									\
	(field) = __v;							\
	__bit;								\
})

static u32 port_set_lid(struct weft_sma_port *p, const struct ib_port_info *i)
{
	u32 changed = 0;

	if (!p->has_lid)
		return 0;
	changed |= PORT_CHANGE(p->lid, be16_to_cpu(i->lid), WEFT_SMA_NEW_LID);
	changed |= PORT_CHANGE(p->lmc, i->mkeyprot_resv_lmc & PORT_LMC_MASK,
			       WEFT_SMA_NEW_LID);
	changed |= PORT_CHANGE(p->sm_lid, be16_to_cpu(i->sm_lid),
			       WEFT_SMA_NEW_SM);
	changed |= PORT_CHANGE(p->sm_sl, i->neighbormtu_mastersmsl & 15,
			       WEFT_SMA_NEW_SM);
	changed |= PORT_CHANGE(p->gid_prefix, be64_to_cpu(i->gid_prefix),
			       WEFT_SMA_NEW_PREFIX);
	changed |= PORT_CHANGE(p->subnet_timeout,
			       i->clientrereg_resv_subnetto & PORT_TIMEOUT_MASK,
			       WEFT_SMA_NEW_TIMEOUT);
	if (i->clientrereg_resv_subnetto & PORT_REREGISTER)
		changed |= WEFT_SMA_REREGISTER;
	p->mkey = i->mkey;
	p->mkey_prot = i->mkeyprot_resv_lmc >> PORT_PROT_SHIFT;
	p->mkey_lease = be16_to_cpu(i->mkey_lease_period);
	p->leased = false;
	return changed;
}

static void port_set_speeds(struct weft_sma_port *p, const u8 *data)
{
	const struct ib_port_info *i = (const void *)data;
	u8 width = i->link_width_enabled;
	u8 speed = i->linkspeedactive_enabled & 15;
	u8 ext = data[PORT_EXT_ENABLED] & PORT_EXT_ENABLED_MASK;

	if (width)
		p->width_enabled = width & PORT_WIDTHS;
	if (speed)
		p->speed_enabled = speed & PORT_SPEEDS;
	if (ext == PORT_SPEEDS_EXT_NONE)
		p->speed_ext_enabled = 0;
	else if (ext)
		p->speed_ext_enabled = ext & PORT_SPEEDS_EXT;
}

/* Violations can only be cleared. */
static void port_clear_violations(struct weft_sma_port *p,
				  const struct ib_port_info *i)
{
	if (!i->mkey_violations)
		p->mkey_violations = 0;
	if (!i->pkey_violations)
		p->pkey_violations = 0;
	if (!i->qkey_violations)
		p->qkey_violations = 0;
}

static u32 port_set_link(struct weft_sma_port *p, const struct ib_port_info *i)
{
	u8 vls = i->operationalvl_pei_peo_fpi_fpo >> 4;
	u32 changed = 0;

	changed |= PORT_CHANGE(p->mtu, i->neighbormtu_mastersmsl >> 4,
			       WEFT_SMA_NEW_MTU);
	changed |= PORT_CHANGE(p->vls, vls ?: p->vls, WEFT_SMA_NEW_VLS);
	changed |= PORT_CHANGE(p->vl_high_limit, i->vl_high_limit,
			       WEFT_SMA_NEW_VLS);
	p->stall_hoq = i->vlstallcnt_hoqlife;
	p->init_type = i->inittypereply_mtucap >> 4;
	p->error_limits = i->localphyerrors_overrunerrors;
	if (i->portphysstate_linkdown & 15)
		p->down_default = i->portphysstate_linkdown & 15;
	return changed;
}

/* To DOWN: the link trains again at once, unless it is disabled. */
static u32 port_set_down(struct weft_sma_port *p, u8 phys)
{
	bool was_disabled = p->disabled;
	u8 old = p->state;

	p->disabled = phys ? phys == IB_PORT_PHYS_STATE_DISABLED : p->disabled;
	if (old != IB_PORT_DOWN)
		p->state = p->disabled ? IB_PORT_DOWN : IB_PORT_INIT;
	if (old == IB_PORT_DOWN && p->disabled == was_disabled)
		return 0;
	return WEFT_SMA_NEW_STATE | WEFT_SMA_WENT_DOWN;
}

static u32 port_set_state(struct weft_sma_port *p, const struct ib_port_info *i)
{
	u8 state = i->linkspeed_portstate & 15;
	u8 phys = i->portphysstate_linkdown >> 4;

	if (state == IB_PORT_DOWN || phys)
		return port_set_down(p, phys);
	if (state == IB_PORT_NOP)
		return 0;
	return PORT_CHANGE(p->state, state, WEFT_SMA_NEW_STATE);
}

/**
 * weft_sma_port_set() - set PortInfo
 * @p: the port
 * @l: port and link
 * @data: the attribute, IB_SMP_DATA_SIZE bytes
 * @changed: WEFT_SMA_* of what changed are added
 *
 * Context: any; the caller serialises.
 * Return: status of the response; except 0 nothing was changed.
 */
u16 weft_sma_port_set(struct weft_sma_port *p, const struct weft_sma_link *l,
		      const u8 *data, u32 *changed)
{
	const struct ib_port_info *i = (const void *)data;

	if (!port_set_ok(p, l, data))
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	*changed |= port_set_lid(p, i);
	*changed |= port_set_link(p, i);
	port_set_speeds(p, data);
	port_clear_violations(p, i);
	*changed |= port_set_state(p, i);
	return 0;
}

/* The lease of the M_Key may have ended: then the protection ends. */
static void port_mkey_lease(struct weft_sma_port *p, fab_time now)
{
	if (!p->leased || now < p->lease_end)
		return;
	p->leased = false;
	p->mkey_prot = 0;
}

static bool port_mkey_needed(const struct weft_sma_port *p, u8 method)
{
	if (method == IB_MGMT_METHOD_GET)
		return p->mkey_prot >= 2;
	return method == IB_MGMT_METHOD_SET ||
	       method == IB_MGMT_METHOD_TRAP_REPRESS;
}

/**
 * weft_sma_port_mkey() - does the M_Key allow a request?
 * @p: the port that has the M_Key: of the adapter, or port 0 of the switch
 * @smp: the request
 * @now: fabric time
 *
 * A wrong M_Key counts as a violation and starts the lease; the right one ends the
 * countdown (IBTA 14.2.4). Only Gets at protection 0 and 1 need none.
 *
 * Context: any; the caller serialises.
 * Return: true if it does; else the request gets no response, but trap 256.
 */
bool weft_sma_port_mkey(struct weft_sma_port *p, const struct ib_smp *smp,
			fab_time now)
{
	port_mkey_lease(p, now);
	if (!p->mkey || p->mkey == smp->mkey) {
		p->leased = false;
		return true;
	}
	if (!port_mkey_needed(p, smp->method))
		return true;
	weft_sma_violation(&p->mkey_violations);
	if (!p->leased && p->mkey_lease) {
		p->leased = true;
		p->lease_end = now + p->mkey_lease * FAB_PS_PER_S;
	}
	return false;
}

/**
 * weft_sma_port_shows_mkey() - may the response to a request contain the M_Key?
 * @p: the port that has the M_Key
 * @smp: the request, which the M_Key allows
 *
 * Who has set it may see it: opensm takes the M_Key of its next request from there.
 *
 * Context: any; the caller serialises.
 * Return: true if it may.
 */
bool weft_sma_port_shows_mkey(const struct weft_sma_port *p,
			      const struct ib_smp *smp)
{
	return !p->mkey_prot || p->mkey == smp->mkey ||
	       smp->method == IB_MGMT_METHOD_SET;
}

/**
 * weft_sma_pkeys_get() - write a block of the P_Key table
 * @p: the port
 * @data: IB_SMP_DATA_SIZE bytes, all of which are written
 * @block: number of the block
 *
 * Context: any; the caller serialises.
 * Return: status of the response.
 */
u16 weft_sma_pkeys_get(const struct weft_sma_port *p, u8 *data, u32 block)
{
	__be16 *to = (void *)data;
	u32 n;

	BUILD_BUG_ON(sizeof(*to) * WEFT_SMA_PKEYS != IB_SMP_DATA_SIZE);
	if (block)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	for (n = 0; n < WEFT_SMA_PKEYS; n++)
		to[n] = cpu_to_be16(p->pkeys[n]);
	return 0;
}

/**
 * weft_sma_pkeys_set() - set a block of the P_Key table
 * @p: the port
 * @data: the attribute, IB_SMP_DATA_SIZE bytes
 * @block: number of the block
 * @changed: WEFT_SMA_NEW_PKEYS is added if an entry changed
 *
 * Context: any; the caller serialises.
 * Return: status of the response.
 */
u16 weft_sma_pkeys_set(struct weft_sma_port *p, const u8 *data, u32 block,
		       u32 *changed)
{
	const __be16 *from = (const void *)data;
	u32 n;

	if (block)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	for (n = 0; n < WEFT_SMA_PKEYS; n++)
		*changed |= PORT_CHANGE(p->pkeys[n], be16_to_cpu(from[n]),
					WEFT_SMA_NEW_PKEYS);
	return 0;
}

/**
 * weft_sma_pkey_find() - look for the partition of a packet in the P_Key table
 * @p: the port
 * @pkey: P_Key of the packet
 *
 * Context: any; the caller serialises.
 * Return: index of the first entry that may talk to it, or -ENOENT.
 */
int weft_sma_pkey_find(const struct weft_sma_port *p, u16 pkey)
{
	u32 n;

	for (n = 0; n < WEFT_SMA_PKEYS; n++)
		if (weft_sma_pkeys_match(p->pkeys[n], pkey))
			return n;
	return -ENOENT;
}
