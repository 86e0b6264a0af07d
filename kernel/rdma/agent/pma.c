// SPDX-License-Identifier: GPL-2.0
/*
 * Performance management: the counters of the port.
 *
 * DOC: theory of operation
 *
 * ClassPortInfo, PortCounters and PortCountersExtended (InfiniBand Architecture
 * Specification, volume 1, 16.1), for perfquery and for the files below
 * /sys/class/infiniband/DEVICE/ports/1/counters.
 *
 * InfiniBand: the counters of the port, frames of sockets included. Data is counted
 * from LRH to ICRC, in words of four bytes. PortXmitWait is the time in which
 * packets waited while the wire was idle, in ticks of 1 ns. RoCE: as on mlx5, only
 * the packets of verbs, and their data is the Ethernet frame without FCS; the
 * netdev counts the rest. Multicast counters count those of verbs.
 *
 * A counter that does not fit its field has the largest value that does. A Set
 * changes the counters of CounterSelect to the given value, usually 0. The two
 * attributes have separate offsets, so they may differ after a reset.
 *
 * Not modelled: link error recovery, link downed, remote physical errors, switch
 * relay errors, constraint errors, local link integrity, buffer overruns (all are
 * always 0); samples, and counters of single VLs.
 *
 * The ports of a switch have the same attributes (switch_pma.c).
 */
#include <linux/math64.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>

#include "rdma/agent/mad.h"
#include "rdma/dev.h"
#include "rdma/pkt.h"

#define PMA_TICK	FAB_PS_PER_NS	/* of PortXmitWait */
#define PMA_RESP_TIME	18		/* 4.096 us * 2^18 */
#define PMA_ALL_PORTS	0xff
#define PMA_LINK_BYTES	(WEFT_IB_OVERHEAD - 2)	/* up to the ICRC */

/**
 * struct pma_field - field of a counter in an attribute
 * @select: its bit in CounterSelect, with CounterSelect2 from bit 16 on
 * @counter: WEFT_PMA_*
 * @offset: offset of the field
 * @bytes: size of the field
 */
struct pma_field {
	u32 select;
	u8 counter;
	u8 offset;
	u8 bytes;
};

#define NARROW(bit, member, which) {					\
	.select = BIT(bit),						\
	.counter = WEFT_PMA_##which,					\
	.offset = offsetof(struct ib_pma_portcounters, member),		\
	.bytes = sizeof_field(struct ib_pma_portcounters, member),	\
}

#define WIDE(bit, member, which) {					\
	.select = BIT(bit),						\
	.counter = WEFT_PMA_##which,					\
	.offset = offsetof(struct ib_pma_portcounters_ext, member),	\
	.bytes = sizeof_field(struct ib_pma_portcounters_ext, member),	\
}

static const struct pma_field pma_narrow[] = {
	NARROW(0, symbol_error_counter, SYMBOL_ERRORS),
	NARROW(3, port_rcv_errors, RCV_ERRORS),
	NARROW(6, port_xmit_discards, XMIT_DISCARDS),
	NARROW(11, vl15_dropped, VL15_DROPPED),
	NARROW(12, port_xmit_data, XMIT_DATA),
	NARROW(13, port_rcv_data, RCV_DATA),
	NARROW(14, port_xmit_packets, XMIT_PACKETS),
	NARROW(15, port_rcv_packets, RCV_PACKETS),
	NARROW(16, port_xmit_wait, XMIT_WAIT),
};

static const struct pma_field pma_wide[] = {
	WIDE(0, port_xmit_data, XMIT_DATA),
	WIDE(1, port_rcv_data, RCV_DATA),
	WIDE(2, port_xmit_packets, XMIT_PACKETS),
	WIDE(3, port_rcv_packets, RCV_PACKETS),
	WIDE(4, port_unicast_xmit_packets, UNICAST_XMIT),
	WIDE(5, port_unicast_rcv_packets, UNICAST_RCV),
	WIDE(6, port_multicast_xmit_packets, MULTICAST_XMIT),
	WIDE(7, port_multicast_rcv_packets, MULTICAST_RCV),
};

/* Packets that the port dropped before they were sent. */
static u64 pma_discards(const struct fab_port *port)
{
	u64 sum = 0;
	u32 why;

	for (why = 0; why < FAB_DROP_COUNT; why++)
		if (why != FAB_DROP_BIT_ERROR && why != FAB_DROP_RX_FULL &&
		    why != FAB_DROP_NO_MEMORY && why != FAB_DROP_FAULT)
			sum += port->c.drops[why];
	return sum;
}

static u64 pma_words(u64 bytes, u64 packets)
{
	return (bytes + PMA_LINK_BYTES * packets) / 4;
}

/**
 * weft_pma_of_port() - the counters of a port of InfiniBand
 * @fab: the fabric
 * @port: the port
 * @now: WEFT_PMA_COUNTERS of them; those of multicast stay as they are
 *
 * Context: any; the fabric's lock is held.
 */
void weft_pma_of_port(struct fab *fab, struct fab_port *port, u64 *now)
{
	const struct fab_port_counters *c = &port->c;

	fab_port_settle(fab, port);
	now[WEFT_PMA_SYMBOL_ERRORS] = c->drops[FAB_DROP_BIT_ERROR] +
				      c->lost_control + c->rx_replays;
	now[WEFT_PMA_RCV_ERRORS] = c->drops[FAB_DROP_BIT_ERROR];
	now[WEFT_PMA_XMIT_DISCARDS] = pma_discards(port);
	now[WEFT_PMA_XMIT_DATA] = pma_words(c->tx_bytes, c->tx_packets);
	now[WEFT_PMA_RCV_DATA] = pma_words(c->rx_bytes, c->rx_packets);
	now[WEFT_PMA_XMIT_PACKETS] = c->tx_packets;
	now[WEFT_PMA_RCV_PACKETS] = c->rx_packets;
	now[WEFT_PMA_XMIT_WAIT] = div_u64(c->tx_wait_ps, PMA_TICK);
	if (fab_port_manages(port))
		now[WEFT_PMA_VL15_DROPPED] = port->cls[FAB_VL_MGMT].c.dropped;
}

static void pma_of_verbs(struct weft_rdma_dev *dev, u64 *now)
{
	const struct weft_verbs_counters *c = &dev->client.wep->verbs.c;

	now[WEFT_PMA_XMIT_DATA] = c->tx_bytes / 4;
	now[WEFT_PMA_RCV_DATA] = c->rx_bytes / 4;
	now[WEFT_PMA_XMIT_PACKETS] = c->tx_packets;
	now[WEFT_PMA_RCV_PACKETS] = c->rx_packets;
}

/* All counters since the NIC was attached; zeros when it is gone. */
static void pma_count(struct weft_rdma_dev *dev, u64 *now)
{
	const struct weft_verbs_counters *c;

	memset(now, 0, sizeof(*now) * WEFT_PMA_COUNTERS);
	if (!dev->client.wep)
		return;
	c = &dev->client.wep->verbs.c;
	if (dev->is_ib)
		weft_pma_of_port(weft_rdma_fab(dev), &dev->client.wep->ep.port,
				 now);
	else
		pma_of_verbs(dev, now);
	now[WEFT_PMA_MULTICAST_XMIT] = c->tx_mcast;
	now[WEFT_PMA_MULTICAST_RCV] = c->rx_mcast;
	now[WEFT_PMA_UNICAST_XMIT] = now[WEFT_PMA_XMIT_PACKETS] - c->tx_mcast;
	now[WEFT_PMA_UNICAST_RCV] = now[WEFT_PMA_RCV_PACKETS] - c->rx_mcast;
}

static void pma_put(u8 *at, u64 v, u32 bytes)
{
	if (bytes < sizeof(v))
		v = min(v, BIT_ULL(8 * bytes) - 1);
	for (; bytes; v >>= 8)
		at[--bytes] = v;
}

static u64 pma_get(const u8 *at, u32 bytes)
{
	u64 v = 0;

	for (; bytes; bytes--)
		v = v << 8 | *at++;
	return v;
}

/**
 * struct pma_attr - an attribute with counters
 * @fields: its counters
 * @num: number of @fields
 * @bytes: size of the attribute
 */
struct pma_attr {
	const struct pma_field *fields;
	u32 num;
	u32 bytes;
};

static const struct pma_attr pma_counters = {
	.fields = pma_narrow,
	.num = ARRAY_SIZE(pma_narrow),
	.bytes = sizeof(struct ib_pma_portcounters),
};

static const struct pma_attr pma_counters_ext = {
	.fields = pma_wide,
	.num = ARRAY_SIZE(pma_wide),
	.bytes = sizeof(struct ib_pma_portcounters_ext),
};

static const struct pma_attr *pma_attr_of(__be16 id)
{
	if (id == IB_PMA_PORT_COUNTERS)
		return &pma_counters;
	return id == IB_PMA_PORT_COUNTERS_EXT ? &pma_counters_ext : NULL;
}

static void pma_set(const struct pma_attr *a, const u8 *data, u64 *base,
		    const u64 *now, u32 select)
{
	const struct pma_field *f;

	for (f = a->fields; f < a->fields + a->num; f++)
		if (f->select & select)
			base[f->counter] = now[f->counter] -
				pma_get(data + f->offset, f->bytes);
}

static void pma_fill(const struct pma_attr *a, u8 *data, const u64 *base,
		     const u64 *now)
{
	const struct pma_field *f;

	for (f = a->fields; f < a->fields + a->num; f++)
		pma_put(data + f->offset, now[f->counter] - base[f->counter],
			f->bytes);
}

/*
 * Does PortSelect name the port? A channel adapter has no port 0. But perfquery
 * uses 0 for a LID without a port number, so a Get of port 0 gets the counters of
 * the port, as on mlx5, which ignores PortSelect of a Get. All others are refused
 * as on qib, a Set of port 0 included.
 */
static bool pma_selected(u8 method, u8 port)
{
	return port == 1 || port == PMA_ALL_PORTS ||
	       (!port && method == IB_MGMT_METHOD_GET);
}

static u64 *pma_base(struct weft_pma *pma, const struct pma_attr *a)
{
	return a == &pma_counters ? pma->narrow : pma->wide;
}

/**
 * weft_pma_reset() - set the counters that a request selects
 * @in: the request, a Set of PortCounters or PortCountersExtended
 * @pma: offsets of the port
 * @now: its counters
 *
 * Both attributes start with the same fields; only PortCounters has CounterSelect2.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_pma_reset(const struct ib_mad *in, struct weft_pma *pma,
		    const u64 *now)
{
	const struct ib_pma_mad *mad = (const void *)in;
	const struct ib_pma_portcounters *p = (const void *)mad->data;
	const struct pma_attr *a = pma_attr_of(in->mad_hdr.attr_id);
	u32 select = be16_to_cpu(p->counter_select) | (u32)p->reserved1 << 16;

	pma_set(a, mad->data, pma_base(pma, a), now, select);
}

/**
 * weft_pma_show() - write counters to a response
 * @out: the response, to PortCounters or PortCountersExtended
 * @pma: offsets of the port
 * @now: its counters
 *
 * Context: any; the fabric's lock is held.
 */
void weft_pma_show(struct ib_mad *out, struct weft_pma *pma, const u64 *now)
{
	const u32 head = offsetofend(struct ib_pma_portcounters, counter_select);
	const struct pma_attr *a = pma_attr_of(out->mad_hdr.attr_id);
	struct ib_pma_mad *mad = (void *)out;

	memset(mad->data + head, 0, a->bytes - head);
	pma_fill(a, mad->data, pma_base(pma, a), now);
}

static u16 pma_answer(struct weft_rdma_dev *dev, struct ib_mad *out)
{
	const struct ib_pma_mad *mad = (const void *)out;
	const struct ib_pma_portcounters *p = (const void *)mad->data;
	u64 now[WEFT_PMA_COUNTERS];

	if (!pma_selected(out->mad_hdr.method, p->port_select))
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	weft_rdma_lock(dev);
	pma_count(dev, now);
	if (out->mad_hdr.method == IB_MGMT_METHOD_SET)
		weft_pma_reset(out, &dev->pma, now);
	weft_pma_show(out, &dev->pma, now);
	weft_rdma_unlock(dev);
	return 0;
}

/**
 * weft_pma_class_info() - write ClassPortInfo
 * @out: the response
 *
 * Context: any.
 */
void weft_pma_class_info(struct ib_mad *out)
{
	struct ib_pma_mad *mad = (void *)out;
	struct ib_class_port_info *info = (void *)mad->data;

	*info = (struct ib_class_port_info) {
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = 1,
		.capability_mask = IB_PMA_CLASS_CAP_ALLPORTSELECT |
				   IB_PMA_CLASS_CAP_EXT_WIDTH |
				   IB_PMA_CLASS_CAP_XMIT_WAIT,
		.cap_mask2_resp_time = cpu_to_be32(PMA_RESP_TIME),
	};
}

/**
 * weft_pma_answer() - answer a request of performance management
 * @dev: the device
 * @out: a copy of the request; set to the response, except its header
 *
 * Context: process; takes the fabric's lock.
 * Return: status of the response.
 */
u16 weft_pma_answer(struct weft_rdma_dev *dev, struct ib_mad *out)
{
	switch (out->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		weft_pma_class_info(out);
		return 0;
	case IB_PMA_PORT_COUNTERS:
	case IB_PMA_PORT_COUNTERS_EXT:
		return pma_answer(dev, out);
	default:
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	}
}
