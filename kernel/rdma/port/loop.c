// SPDX-License-Identifier: GPL-2.0
/*
 * Loopback: packets from an RDMA device to itself. They have the rate and the
 * latencies of the NIC, and do not enter the fabric.
 */
#include "core/node/reduce.h"
#include "rdma/dev.h"
#include "rdma/pkt.h"
#include "rdma/port/port.h"
#include "rdma/srd/peer.h"

/**
 * weft_loop_send() - loop a packet back
 * @dev: the device, whose NIC is there
 * @p: the packet, taken
 *
 * Context: any; the fabric's lock is held.
 */
void weft_loop_send(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	const struct fab_endpoint_params *ep = dev->client.wep->ep.p;
	struct weft_rdma_port *port = &dev->port;
	struct fab *fab = weft_rdma_fab(dev);

	port->loop_busy_until = max(port->loop_busy_until, fab->now) +
				weft_port_wire_time(dev, &p->hw.pkt);
	if (weft_is_srd(p) ? weft_is_srd_data(p) : !weft_opcode_is_response(p->opcode))
		p->stamp = fab->now;
	p->hw.pkt.at = port->loop_busy_until + ep->tx_latency + ep->rx_latency;
	fab_fifo_push(&port->loop, &p->hw.pkt);
	if (!fab_event_pending(&port->loop_arrival))
		fab_event_schedule(&fab->events, &port->loop_arrival,
				   port->loop.head->at);
	weft_rdma_count(dev, loopback, 1);
}

/**
 * weft_loop_multicast() - loop back a copy of a multicast packet
 * @dev: the device, whose NIC is there
 * @p: a multicast packet that is about to be sent
 *
 * A group may have members at the sender's own device, and a switch does not send
 * the packet back. Nothing is done for what switches reduce, or without memory.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_loop_multicast(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	struct weft_rpkt *copy;

	if (!dev->ngroups || fab_dst_reduces(p->hw.pkt.dst))
		return;
	copy = weft_rpkt_clone(p);
	if (!copy)
		return;
	weft_loop_send(dev, copy);
}

/**
 * weft_loop_on_arrival() - a looped packet arrives
 * @fab: the fabric
 * @ev: the event loop_arrival of a port
 *
 * Context: any; the fabric's lock is held.
 */
void weft_loop_on_arrival(struct fab *fab, struct fab_event *ev)
{
	struct weft_rdma_dev *dev = container_of(ev, struct weft_rdma_dev,
						 port.loop_arrival);
	struct weft_rpkt *p = weft_port_pop_due(fab, &dev->port.loop, ev);

	if (p)
		weft_port_arrive(dev, p);
}
