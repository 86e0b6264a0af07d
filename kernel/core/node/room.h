/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room of an arriving packet: in a buffer, or in the flow control's own account.
 */
#ifndef FAB_ROOM_H
#define FAB_ROOM_H

#include "core/node/port.h"
#include "core/node/switch.h"

/**
 * fab_room_take() - take room for a packet
 * @b: buffer of the receiving switch or endpoint
 * @port: its ingress port
 * @pkt: the packet, with its fab_pkt.cls_in
 *
 * Return: FAB_DROP_COUNT if the room was taken, else the reason for a drop.
 */
static inline enum fab_drop fab_room_take(struct fab_buffer *b,
					  struct fab_port *port,
					  const struct fab_pkt *pkt)
{
	const struct fab_flow_control *flow = port->flow;

	if (!flow->own_room)
		return fab_buffer_admit(b, port, pkt);
	return flow->take ? flow->take(port, pkt) : FAB_DROP_COUNT;
}

/**
 * fab_room_release() - release the room of a packet
 * @fab: the fabric
 * @b: buffer of the receiving switch or endpoint
 * @port: its ingress port
 * @pkt: the packet
 */
static inline void fab_room_release(struct fab *fab, struct fab_buffer *b,
				    struct fab_port *port, struct fab_pkt *pkt)
{
	const struct fab_flow_control *flow = port->flow;

	if (unlikely(pkt->roomless)) {
		pkt->roomless = false;
		return;
	}
	if (!flow->own_room)
		fab_buffer_release(b, port, pkt);
	if (flow->on_release)
		flow->on_release(fab, port, pkt);
}

/**
 * fab_switch_release() - release the room of a packet in a switch
 * @fab: the fabric
 * @sw: the switch
 * @pkt: the packet
 */
static inline void fab_switch_release(struct fab *fab, struct fab_switch *sw,
				      struct fab_pkt *pkt)
{
	fab_room_release(fab, &sw->buffer, &sw->port[pkt->ingress], pkt);
}

/**
 * fab_room_label() - record in a packet which port and class account for it
 * @port: its ingress port
 * @pkt: the packet
 *
 * The far end may have more classes; packets of those are in the last class here.
 */
static inline void fab_room_label(const struct fab_port *port,
				  struct fab_pkt *pkt)
{
	pkt->cls = fab_port_class(port, pkt->cls);
	pkt->cls_in = pkt->cls;
	pkt->flags &= ~FAB_PKT_COPY;
	pkt->ingress = port->index;
}

#endif
