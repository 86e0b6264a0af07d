// SPDX-License-Identifier: GPL-2.0
/*
 * Trimming: cutting packets down to their headers instead of dropping them.
 *
 * DOC: theory of operation
 *
 * A packet that finds its queue at a switch full is cut to its first bytes and
 * goes on in another class, so that its receiver learns at once what is missing
 * (NDP, Handley et al., SIGCOMM 2017; UEC; NVIDIA's Spectrum-4 as "packet
 * trimming"). That class is to be a strict one, higher than the trimmed ones:
 * the configuration sees to it, not the code. As in Spectrum-4 only what would
 * be dropped is trimmed; and what would be dropped even so, because the headers'
 * queue is full too, is dropped as it came.
 *
 * What is cut off is free in the shared buffer at once. The class that the
 * packet came in through stays the one that it is accounted in. Who waits for
 * that room hears of it when the header leaves.
 *
 * A train of frames is cut to a header for each of its frames.
 *
 * When the packet may leave is not changed: a cut-through switch sends a header
 * no earlier than it would have sent the packet.
 *
 * Not modelled: NDP's coin, which trims a packet at the end of the queue instead
 * of the arriving one in half of the cases; a new DSCP for the next switch, as
 * the class travels with the packet; a corrected checksum (a bit error in what
 * was cut off still makes the header a bad one).
 */
#include "core/egress/trim.h"
#include "core/fabric.h"
#include "core/node/buffer.h"

/**
 * fab_trim_params_check() - can the model trim like this?
 * @p: parameters of the port
 *
 * A flow control that accounts for its room itself counts a packet by its
 * length on arrival and on release; it loses none in a queue, either.
 *
 * Return: 0; -EINVAL for classes that do not exist, headers that would be
 * trimmed themselves, and such a flow control.
 */
int fab_trim_params_check(const struct fab_port_params *p)
{
	const struct fab_trim_params *trim = &p->trim;

	if (!trim->len)
		return 0;
	if (trim->classes >> p->classes || trim->cls >= p->classes)
		return -EINVAL;
	if (trim->classes & BIT(trim->cls) || p->disc->flow->own_room)
		return -EINVAL;
	return 0;
}

/* What would be left of @pkt. */
static struct fab_pkt trim_header(const struct fab_port *port,
				  const struct fab_pkt *pkt)
{
	struct fab_pkt header = *pkt;

	header.cls = port->p->trim.cls;
	header.len = min(pkt->len / pkt->segs, port->p->trim.len) * pkt->segs;
	return header;
}

/* Make the packet shorter, and give back the room of the rest. */
static void trim_cut(struct fab_port *port, struct fab_pkt *pkt, u32 len)
{
	struct fab_switch *sw = port->sw;

	fab_buffer_free(&sw->buffer, &sw->port[pkt->ingress], pkt->cls_in,
			pkt->len - len);
	pkt->len = len;
}

/**
 * fab_trim() - cut a packet down, if that helps
 * @fab: the fabric
 * @port: egress port of a switch, whose special has FAB_SPECIAL_TRIM
 * @pkt: the packet, in no queue, for which its queue has no room
 *
 * Return: whether it is cut, and has room in the queue of its new class.
 */
bool fab_trim(struct fab *fab, struct fab_port *port, struct fab_pkt *pkt)
{
	struct fab_pkt header = trim_header(port, pkt);

	if (!(port->p->trim.classes & BIT(pkt->cls)) || header.len >= pkt->len)
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
