/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room of an arriving packet: in a buffer, or in the flow control's own account.
 */
#ifndef FAB_ROOM_H
#define FAB_ROOM_H

#include "core/node/port.h"
#include "core/node/switch.h"

/**
 * fab_room_held() - count bytes that a buffer holds from now on
 * @b: the buffer
 * @in: ingress port of the bytes
 * @bytes: how many
 */
static inline void fab_room_held(struct fab_buffer *b, struct fab_port *in, u32 bytes)
{
	in->held += bytes;
	if (in->held > in->held_peak)
		in->held_peak = in->held;
	b->used += bytes;
	if (b->used > b->peak)
		b->peak = b->used;
}

/**
 * fab_room_taken() - count bytes that were taken into an account
 * @b: its buffer
 * @in: its port
 * @a: the account
 * @bytes: how many
 */
static inline void fab_room_taken(struct fab_buffer *b, struct fab_port *in,
				  struct fab_account *a, u32 bytes)
{
	fab_room_held(b, in, bytes);
	a->peak = max(a->peak, fab_account_held(a));
}

/*
 * The usual case of fab_buffer_admit() with accounts: all of a packet comes from the shared
 * part, and there is enough. Returns false, with nothing changed, in any other.
 */
static __always_inline bool room_share(struct fab_buffer *b, struct fab_port *in,
				       const struct fab_pkt *pkt)
{
	struct fab_account *a = &in->cls[pkt->cls_in].account;
	u32 len = pkt->len;

	if (!b->p.accounts || a->reserved < a->p.reserve || fab_port_share(b, in) < b->pool)
		return false;
	if (b->used + len > b->limit || b->shared + len > b->pool ||
	    a->shared + len > fab_buffer_threshold(b, a))
		return false;
	a->shared += len;
	b->shared += len;
	fab_room_taken(b, in, a, len);
	return true;
}

/* The same for fab_buffer_release(): all goes back to the shared part. */
static __always_inline bool room_unshare(struct fab_buffer *b, struct fab_port *in,
					 const struct fab_pkt *pkt)
{
	struct fab_account *a = &in->cls[pkt->cls_in].account;
	u32 len = pkt->len;

	if (!b->p.accounts || a->headroom || a->shared < len)
		return false;
	in->held -= len;
	b->used -= len;
	a->shared -= len;
	b->shared -= len;
	return true;
}

/**
 * fab_room_take() - take room for a packet
 * @b: buffer of the receiving switch or endpoint
 * @port: its ingress port
 * @pkt: the packet, with its fab_pkt.cls_in
 *
 * Return: FAB_DROP_COUNT if the room was taken, else the reason for a drop.
 */
static __always_inline enum fab_drop fab_room_take(struct fab_buffer *b,
						   struct fab_port *port,
						   const struct fab_pkt *pkt)
{
	const struct fab_flow_control *flow = port->flow;

	if (!flow->own_room)
		return likely(room_share(b, port, pkt)) ? FAB_DROP_COUNT :
							  fab_buffer_admit(b, port, pkt);
	return flow->take ? flow->take(port, pkt) : FAB_DROP_COUNT;
}

/**
 * fab_room_pass() - take and release the room of a packet that does not stay
 * @b: buffer of the receiving endpoint
 * @port: its ingress port
 * @pkt: the packet, with its fab_pkt.cls_in, which leaves the buffer at once
 *
 * For the usual case: the buffer is empty, and the packet reaches no threshold. Then
 * fab_room_take(), fab_room_look() and fab_room_release() change the peaks only.
 *
 * Return: false, with nothing changed, if it is another case.
 */
static __always_inline bool fab_room_pass(struct fab_buffer *b, struct fab_port *port,
					  const struct fab_pkt *pkt)
{
	struct fab_account *a = &port->cls[pkt->cls_in].account;
	const struct fab_flow_control *flow = port->flow;
	u64 len = pkt->len;

	if (b->used || !b->p.accounts || flow->own_room || !flow->at_threshold ||
	    port->over || fab_port_share(b, port) < b->pool)
		return false;
	if (len > b->limit || len > b->pool || len >= fab_buffer_threshold_with(b, a, len))
		return false;
	port->held_peak = max(port->held_peak, len);
	b->peak = max(b->peak, len);
	a->peak = max(a->peak, len);
	return true;
}

/**
 * fab_room_look() - let flow control see a packet that arrived
 * @fab: the fabric
 * @b: buffer of the receiving switch or endpoint
 * @port: its ingress port
 * @pkt: the packet, with its fab_pkt.cls_in
 * @verdict: what fab_room_take() returned
 */
static __always_inline void fab_room_look(struct fab *fab, struct fab_buffer *b,
					  struct fab_port *port, struct fab_pkt *pkt,
					  enum fab_drop verdict)
{
	const struct fab_flow_control *flow = port->flow;

	if (!flow->on_receive)
		return;
	if (!flow->at_threshold || verdict != FAB_DROP_COUNT ||
	    unlikely(fab_buffer_over(b, &port->cls[pkt->cls_in].account)))
		flow->on_receive(fab, port, pkt, verdict);
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
	if (!flow->own_room && !likely(room_unshare(b, port, pkt)))
		fab_buffer_release(b, port, pkt);
	if (flow->on_release && (!flow->at_threshold || unlikely(port->over)))
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
