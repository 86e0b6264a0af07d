// SPDX-License-Identifier: GPL-2.0
/*
 * Trimming: cutting packets down to their headers instead of dropping them.
 *
 * DOC: theory of operation
 *
 * If the queue of a packet at a switch is full, the packet is cut to its first bytes
 * and forwarded in another class. So its receiver learns at once which packet is
 * missing (NDP, Handley et al., SIGCOMM 2017; UEC; NVIDIA's Spectrum-4 as "packet
 * trimming"). That class should be a strict one, above the trimmed ones; the
 * configuration is responsible for it, not the code. As in Spectrum-4 only packets
 * that would be dropped are trimmed. If the queue of the headers is full too, the
 * packet is dropped whole.
 *
 * The room of the bytes cut off is free in the shared buffer at once. The packet stays
 * accounted in its ingress class. Flow control that waits for the room is notified
 * when the header leaves.
 *
 * A train of frames is cut to a header for each of its frames.
 *
 * The time at which the packet may leave does not change: a cut-through switch sends
 * a header no earlier than it would have sent the packet.
 *
 * Not modelled: NDP's coin, which in half of the cases trims a packet at the end of
 * the queue instead of the arriving one; a new DSCP for the next switch, as the class
 * travels with the packet; a corrected checksum (after a bit error in the bytes cut
 * off, the header is still bad).
 */
#include "core/egress/trim.h"
#include "core/fabric.h"
#include "core/node/buffer.h"

/**
 * fab_trim_params_check() - check the parameters of trimming
 * @p: parameters of the port
 *
 * Flow control that accounts for room itself excludes trimming: it counts a packet by
 * its length on arrival and on release. It loses no packet in a queue, either. With
 * best-effort classes it may trim those, whose room nobody counts.
 *
 * Return: 0; -EINVAL for classes that do not exist, for headers that would be trimmed
 * themselves, and for such flow control.
 */
int fab_trim_params_check(const struct fab_port_params *p)
{
	const struct fab_trim_params *trim = &p->trim;

	if (!trim->len)
		return 0;
	if (trim->classes >> p->classes || trim->cls >= p->classes)
		return -EINVAL;
	if (trim->classes & BIT(trim->cls))
		return -EINVAL;
	if (p->disc->flow->own_room && !p->disc->flow->best_effort)
		return -EINVAL;
	return 0;
}

/* The packet that would remain of @pkt. */
static struct fab_pkt trim_header(const struct fab_port *port,
				  const struct fab_pkt *pkt)
{
	struct fab_pkt header = *pkt;

	header.cls = port->p->trim.cls;
	header.len = min(pkt->len / pkt->segs, port->p->trim.len) * pkt->segs;
	return header;
}

/* Shorten a packet, and release the room of the rest. */
static void trim_cut(struct fab_port *port, struct fab_pkt *pkt, u32 len)
{
	struct fab_switch *sw = port->sw;

	if (!port->flow->own_room)
		fab_buffer_free(&sw->buffer, &sw->port[pkt->ingress], pkt->cls_in,
				pkt->len - len);
	pkt->len = len;
}

/* Does flow control count the room of a packet by its length? */
static bool trim_counted(const struct fab_port *port, const struct fab_pkt *pkt)
{
	return port->flow->own_room &&
	       port->sw->port[pkt->ingress].lossless & BIT(pkt->cls_in);
}

/**
 * fab_trim() - trim a packet if its header has room
 * @fab: the fabric
 * @port: egress port of a switch, whose special has FAB_SPECIAL_TRIM
 * @pkt: the packet, not in a queue, whose queue is full
 *
 * Return: true if it was trimmed and has room in the queue of its new class.
 */
bool fab_trim(struct fab *fab, struct fab_port *port, struct fab_pkt *pkt)
{
	struct fab_pkt header = trim_header(port, pkt);

	if (!(port->p->trim.classes & BIT(pkt->cls)) || header.len >= pkt->len)
		return false;
	if (trim_counted(port, pkt))
		return false;
	if (fab_port_refuses(port, &header) != FAB_DROP_COUNT)
		return false;
	port->cls[pkt->cls].c.trimmed += pkt->segs;
	trim_cut(port, pkt, header.len);
	pkt->cls = header.cls;
	pkt->flags |= FAB_PKT_TRIMMED;
	fab_trace_pkt(fab, port, pkt, FAB_TRACE_TRIM);
	return true;
}
