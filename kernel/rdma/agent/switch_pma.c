// SPDX-License-Identifier: GPL-2.0
/*
 * Performance management agent of a switch.
 *
 * Each port has counters of its own. Port 0, the switch's own, counts nothing, as its
 * packets never cross a wire. PortSelect 255 stands for all ports: a Get adds their
 * counters up, a Set sets those of each.
 *
 * A switch of the model does not tell multicast from other packets. So
 * PortCountersExtended counts all of them as unicast.
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>

#include "fabric/fabric.h"
#include "rdma/agent/switch.h"

#define PMA_ALL_PORTS	0xff

/* The counters of a port, as they are without offsets. */
static void pma_count(struct weft_switch *sw, u8 port, u64 *now)
{
	memset(now, 0, sizeof(*now) * WEFT_PMA_COUNTERS);
	if (!port)
		return;
	weft_pma_of_port(&sw->fabric->fab, weft_agent_fab_port(sw, port), now);
	now[WEFT_PMA_UNICAST_XMIT] = now[WEFT_PMA_XMIT_PACKETS];
	now[WEFT_PMA_UNICAST_RCV] = now[WEFT_PMA_RCV_PACKETS];
}

static void pma_one(struct weft_switch *sw, struct ib_mad *mad, u8 port)
{
	struct weft_agent *a = sw->agent;
	u64 now[WEFT_PMA_COUNTERS];

	pma_count(sw, port, now);
	if (mad->mad_hdr.method == IB_MGMT_METHOD_SET)
		weft_pma_reset(mad, &a->port[port].pma, now);
	weft_pma_show(mad, &a->port[port].pma, now);
}

/* Add the counters up; the offsets count backwards. */
static void pma_all(struct weft_switch *sw, struct ib_mad *mad)
{
	struct weft_agent *a = sw->agent;
	u64 now[WEFT_PMA_COUNTERS], sum[WEFT_PMA_COUNTERS] = { };
	struct weft_pma base = { }, *pma;
	u32 port, i;

	for (port = 1; port <= sw->sw.p.ports; port++) {
		pma = &a->port[port].pma;
		pma_count(sw, port, now);
		if (mad->mad_hdr.method == IB_MGMT_METHOD_SET)
			weft_pma_reset(mad, pma, now);
		for (i = 0; i < WEFT_PMA_COUNTERS; i++) {
			sum[i] += now[i];
			base.narrow[i] += pma->narrow[i];
			base.wide[i] += pma->wide[i];
		}
	}
	weft_pma_show(mad, &base, sum);
}

static u16 pma_counters(struct weft_switch *sw, struct ib_mad *mad)
{
	const struct ib_pma_portcounters *p =
		(const void *)((struct ib_pma_mad *)mad)->data;

	if (p->port_select == PMA_ALL_PORTS)
		pma_all(sw, mad);
	else if (p->port_select <= sw->sw.p.ports)
		pma_one(sw, mad, p->port_select);
	else
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	return 0;
}

/**
 * weft_agent_pma() - answer a request of performance management
 * @sw: the switch, whose agents are set up
 * @mad: the request; set to the response, except its header
 *
 * Context: any; the fabric's lock is held.
 * Return: status of the response.
 */
u16 weft_agent_pma(struct weft_switch *sw, struct ib_mad *mad)
{
	switch (mad->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		weft_pma_class_info(mad);
		return 0;
	case IB_PMA_PORT_COUNTERS:
	case IB_PMA_PORT_COUNTERS_EXT:
		return pma_counters(sw, mad);
	default:
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	}
}
