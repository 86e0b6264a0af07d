// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control management: the agent of a switch.
 *
 * DOC: theory of operation
 *
 * For ibccquery, ibccconfig and opensm with congestion_control: ClassPortInfo,
 * CongestionInfo, CongestionKeyInfo, SwitchCongestionSetting,
 * SwitchPortCongestionSetting and TimeStamp (InfiniBand Architecture Specification,
 * Annex A10). Layouts are those of libibmad, the bits of Control_Map those of OpenSM.
 *
 * What a Set changes is FECN of the model's ports (mark.c), for each VL. Until then
 * the attributes show what the topology has, with the nearest Threshold.
 *
 * Threshold is a weight from 1, loose, to 15, aggressive; 0 marks nothing. How many
 * bytes it stands for is left to the switch. Here a VL with room for B bytes at a port
 * is congested from
 *
 *	B (16 - Threshold) / 16
 *
 * queued bytes on. A port with Valid set has a Threshold, Packet_Size and Marking_Rate
 * of its own. The others have those of the switch. Victim_Mask is for all of them.
 *
 * Not modelled: credit starvation, so that a Credit_Mask, a CS_Threshold and
 * Control_Type 1 are refused, as CongestionInfo says; the congestion log; the trap of
 * a wrong CC_Key.
 */
#include <rdma/ib_mad.h>

#include "core/egress/mark.h"
#include "fabric/fabric.h"
#include "rdma/agent/switch.h"

#define CC_HEAD			32	/* bytes of a MAD before its reserved ones */
#define CC_WEIGHTS		16U	/* Threshold has four bits */
#define CC_PORTS		32U	/* in a SwitchPortCongestionSetting */
#define CC_MASK_BITS		256U	/* ports of a mask, the last one first */
#define CC_MAP_VICTIM		BIT(0)
#define CC_MAP_CREDIT		BIT(1)
#define CC_MAP_THRESHOLD	BIT(2)
#define CC_MAP_STARVATION	BIT(3)
#define CC_MAP_RATE		BIT(4)
#define CC_PORT_VALID		BIT(7)
#define CC_PORT_STARVATION	BIT(6)	/* Control_Type */

#define CC_BAD_FIELD	IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE
#define CC_BAD_METHOD	IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB

/**
 * struct cc_switch_setting - SwitchCongestionSetting
 * @map: Control_Map: which of the others a Set changes
 * @victim: Victim_Mask: ports that mark without credit, too
 * @credit: Credit_Mask
 * @threshold: Threshold in the upper four bits
 * @packet_size: Packet_Size, blocks of 64 bytes
 * @cs_threshold: CS_Threshold in the upper four bits
 * @reserved: 0
 * @cs_delay: CS_ReturnDelay
 * @rate: Marking_Rate
 */
struct cc_switch_setting {
	__be32 map;
	u8 victim[CC_MASK_BITS / 8];
	u8 credit[CC_MASK_BITS / 8];
	u8 threshold;
	u8 packet_size;
	u8 cs_threshold;
	u8 reserved;
	__be16 cs_delay;
	__be16 rate;
};

/**
 * struct cc_port_setting - a port of SwitchPortCongestionSetting
 * @control: Valid, Control_Type, Threshold
 * @packet_size: Packet_Size, blocks of 64 bytes
 * @rate: Cong_Parm_Marking_Rate
 */
struct cc_port_setting {
	u8 control;
	u8 packet_size;
	__be16 rate;
};

/* Bytes that the buffer of a VL holds. */
static u32 cc_room(const struct weft_switch *sw)
{
	const struct fab_credit_params *c = &sw->sw.p.port.flow.credit;

	return c->blocks[0] * c->block;
}

static u32 cc_bytes(const struct weft_switch *sw, u8 weight)
{
	return weight ? cc_room(sw) / CC_WEIGHTS * (CC_WEIGHTS - weight) : 0;
}

/* The nearest weight of a threshold in bytes. */
static u8 cc_weight(const struct weft_switch *sw, u32 bytes)
{
	u32 step = cc_room(sw) / CC_WEIGHTS;
	u32 steps = DIV_ROUND_CLOSEST(bytes, step);

	return bytes ? CC_WEIGHTS - clamp(steps, 1U, CC_WEIGHTS - 1) : 0;
}

/**
 * weft_agent_cc_init() - show what the topology has
 * @sw: the switch, whose agents are being set up
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_cc_init(struct weft_switch *sw)
{
	const struct fab_fecn *fecn = &sw->sw.p.port.mark.fecn;
	struct weft_agent *a = sw->agent;
	u32 n;

	a->cc = (struct weft_agent_fecn) {
		.weight = cc_weight(sw, fecn->threshold),
		.packet_size = min_t(u16, fecn->packet_size, U8_MAX),
		.rate = fecn->marking_rate,
	};
	a->cc_map = fecn->threshold ? CC_MAP_VICTIM | CC_MAP_THRESHOLD |
				      CC_MAP_RATE : 0;
	for (n = 1; n <= sw->sw.p.ports; n++)
		a->port[n].victim = fecn->victim;
}

/* Make a port mark as it is set. */
static void cc_apply(struct weft_switch *sw, u8 port)
{
	const struct weft_agent *a = sw->agent;
	const struct weft_agent_port *p = &a->port[port];
	const struct weft_agent_fecn *s = p->fecn.own ? &p->fecn : &a->cc;
	const struct fab_fecn fecn = {
		.threshold = cc_bytes(sw, s->weight),
		.packet_size = s->packet_size,
		.marking_rate = s->rate,
		.victim = p->victim,
	};

	fab_mark_fecn_set(weft_agent_fab_port(sw, port), &fecn);
}

/* The bit of a port; that of port 0 is the last one. */
static u8 *cc_port_mask(u8 *mask, u32 port, u8 *bit)
{
	*bit = BIT(port % 8);
	return &mask[CC_MASK_BITS / 8 - 1 - port / 8];
}

static bool cc_switch_ok(const struct cc_switch_setting *s, u32 map)
{
	if (map & CC_MAP_CREDIT && memchr_inv(s->credit, 0, sizeof(s->credit)))
		return false;
	return !(map & CC_MAP_STARVATION) || !(s->cs_threshold >> 4);
}

static void cc_victims_set(struct weft_switch *sw, struct cc_switch_setting *s)
{
	struct weft_agent *a = sw->agent;
	u8 bit, *byte;
	u32 n;

	for (n = 1; n <= sw->sw.p.ports; n++) {
		byte = cc_port_mask(s->victim, n, &bit);
		a->port[n].victim = *byte & bit;
	}
}

static u16 cc_switch_set(struct weft_switch *sw, struct cc_switch_setting *s)
{
	u32 map = be32_to_cpu(s->map), n;
	struct weft_agent *a = sw->agent;

	if (!cc_switch_ok(s, map))
		return CC_BAD_FIELD;
	if (map & CC_MAP_VICTIM)
		cc_victims_set(sw, s);
	if (map & CC_MAP_THRESHOLD) {
		a->cc.weight = s->threshold >> 4;
		a->cc.packet_size = s->packet_size;
	}
	if (map & CC_MAP_RATE)
		a->cc.rate = be16_to_cpu(s->rate);
	a->cc_map = map;
	for (n = 1; n <= sw->sw.p.ports; n++)
		cc_apply(sw, n);
	return 0;
}

static u16 cc_switch(struct weft_switch *sw, bool set, u8 *data)
{
	struct cc_switch_setting *s = (void *)data;
	const struct weft_agent *a = sw->agent;
	u16 status = set ? cc_switch_set(sw, s) : 0;
	u8 bit, *byte;
	u32 n;

	if (status)
		return status;
	*s = (struct cc_switch_setting) {
		.map = cpu_to_be32(a->cc_map),
		.threshold = a->cc.weight << 4,
		.packet_size = a->cc.packet_size,
		.rate = cpu_to_be16(a->cc.rate),
	};
	for (n = 1; n <= sw->sw.p.ports; n++) {
		byte = cc_port_mask(s->victim, n, &bit);
		if (a->port[n].victim)
			*byte |= bit;
	}
	return 0;
}

static void cc_port_set(struct weft_switch *sw, u32 port,
			const struct cc_port_setting *s)
{
	struct weft_agent *a = sw->agent;

	a->port[port].fecn = (struct weft_agent_fecn) {
		.own = s->control & CC_PORT_VALID,
		.weight = s->control & (CC_WEIGHTS - 1),
		.packet_size = s->packet_size,
		.rate = be16_to_cpu(s->rate),
	};
	cc_apply(sw, port);
}

static void cc_port_get(const struct weft_switch *sw, u32 port,
			struct cc_port_setting *s)
{
	const struct weft_agent *a = sw->agent;
	const struct weft_agent_fecn *f = &a->port[port].fecn;

	*s = (struct cc_port_setting) {
		.control = (f->own ? CC_PORT_VALID : 0) | f->weight,
		.packet_size = f->packet_size,
		.rate = cpu_to_be16(f->rate),
	};
}

/* The modifier is the number of a block of ports; port 0 queues nothing to mark. */
static u16 cc_ports(struct weft_switch *sw, u32 block, bool set, u8 *data)
{
	struct cc_port_setting *s = (void *)data;
	u32 first = block * CC_PORTS, n;

	if (block > sw->sw.p.ports / CC_PORTS)
		return CC_BAD_FIELD;
	for (n = 0; set && n < CC_PORTS; n++)
		if (s[n].control & CC_PORT_STARVATION)
			return CC_BAD_FIELD;
	for (n = 0; n < CC_PORTS; n++) {
		if (!(first + n) || first + n > sw->sw.p.ports) {
			memset(&s[n], 0, sizeof(s[n]));
			continue;
		}
		if (set)
			cc_port_set(sw, first + n, &s[n]);
		cc_port_get(sw, first + n, &s[n]);
	}
	return 0;
}

static u16 cc_attr(struct weft_switch *sw, struct ib_mad *mad)
{
	const struct ib_mad_hdr *h = &mad->mad_hdr;
	bool set = h->method == IB_MGMT_METHOD_SET;
	u8 *data = (u8 *)mad + WEFT_CC_DATA;
	struct weft_agent *a = sw->agent;

	BUILD_BUG_ON(sizeof(struct cc_switch_setting) != 76);
	if (!set && h->method != IB_MGMT_METHOD_GET)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD;
	if (h->attr_id == WEFT_CC_ATTR_KEY)
		return weft_cc_key_info(&a->cc_key, mad, data);
	if (h->attr_id == WEFT_CC_ATTR_SWITCH_SETTING)
		return cc_switch(sw, set, data);
	if (h->attr_id == WEFT_CC_ATTR_PORT_SETTING)
		return cc_ports(sw, be32_to_cpu(h->attr_mod), set, data);
	if (set)
		return CC_BAD_METHOD;
	memset((u8 *)mad + CC_HEAD, 0, sizeof(*mad) - CC_HEAD);
	switch (h->attr_id) {
	case WEFT_CC_ATTR_CLASS_INFO:
		return weft_cc_class_info(data);
	case WEFT_CC_ATTR_INFO:
		return 0;
	case WEFT_CC_ATTR_TIME:
		return weft_cc_time(data, sw->fabric->fab.now);
	default:
		return CC_BAD_METHOD;
	}
}

/**
 * weft_agent_cc() - answer a request of congestion control management
 * @sw: the switch, whose agents are set up
 * @mad: the request; set to the response, except its header
 *
 * Context: any; the fabric's lock is held.
 * Return: status of the response; -EACCES if there is none, as the key was wrong.
 */
int weft_agent_cc(struct weft_switch *sw, struct ib_mad *mad)
{
	struct weft_agent *a = sw->agent;

	if (!weft_cc_key_fits(&a->cc_key, mad, sw->fabric->fab.now))
		return -EACCES;
	return weft_cc_version(&mad->mad_hdr) ?: cc_attr(sw, mad);
}
