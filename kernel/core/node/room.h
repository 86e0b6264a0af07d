/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room that an arrival takes: of a buffer, or of the flow control's own account.
 */
#ifndef FAB_ROOM_H
#define FAB_ROOM_H

#include "core/node/port.h"

/**
 * fab_room_take() - take room for a packet
 * @b: buffer of whoever received it
 * @port: port that it came in through
 * @pkt: the packet, with its fab_pkt.cls_in
 *
 * Return: FAB_DROP_COUNT, or why there is none.
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
 * fab_room_release() - give the room of a packet back
 * @fab: the fabric
 * @b: buffer of whoever received it
 * @port: port that it came in through
 * @pkt: the packet
 */
static inline void fab_room_release(struct fab *fab, struct fab_buffer *b,
				    struct fab_port *port, struct fab_pkt *pkt)
{
	const struct fab_flow_control *flow = port->flow;

	if (!flow->own_room)
		fab_buffer_release(b, port, pkt);
	if (flow->on_release)
		flow->on_release(fab, port, pkt);
}

/**
 * fab_room_label() - note where the room of an arrival is accounted
 * @port: port that it came in through
 * @pkt: the packet
 *
 * The far end may have more classes: what is in those is in the last one here.
 */
static inline void fab_room_label(const struct fab_port *port,
				  struct fab_pkt *pkt)
{
	if (pkt->cls >= port->p->classes)
		pkt->cls = port->p->classes - 1;
	pkt->cls_in = pkt->cls;
	pkt->ingress = port->index;
}

#endif
