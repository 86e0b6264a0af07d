// SPDX-License-Identifier: GPL-2.0
/*
 * Shared packet buffer of a switch, accounted at ingress.
 *
 * DOC: theory of operation
 *
 * A packet takes its length from the moment the switch learns of it (the head
 * in cut-through, the tail in store-and-forward) to the moment its transmission
 * begins, in the account of the port that it came in through. That is how
 * mlxsw and the MMU of the ns-3 models count. Both limits are hard.
 *
 * Invariant: used is the sum of held over the ports, and of the lengths of the
 * packets queued in the switch.
 *
 * Not modelled: cells (a packet takes its exact length), dynamic thresholds.
 */
#include "buffer.h"
#include "port.h"

/**
 * fab_buffer_params_check() - can the model carry these parameters?
 * @p: the parameters
 * @ports: ports that share the buffer
 * @classes: classes of each
 *
 * Return: 0, or -ERANGE.
 */
int fab_buffer_params_check(const struct fab_buffer_params *p, u32 ports,
			    u32 classes)
{
	return p->total > FAB_BUFFER_MAX ? -ERANGE : 0;
}

/**
 * fab_buffer_init() - make an empty buffer
 * @b: the buffer
 * @p: parameters, which fab_buffer_params_check() accepts
 * @ports: ports that share it
 * @classes: classes of each
 */
void fab_buffer_init(struct fab_buffer *b, const struct fab_buffer_params *p,
		     u32 ports, u32 classes)
{
	memset(b, 0, sizeof(*b));
	b->p = *p;
	b->pool = p->total;
}

/**
 * fab_buffer_admit() - take room for a packet
 * @b: the buffer
 * @in: port that it came in through
 * @pkt: the packet
 *
 * Return: FAB_DROP_COUNT when the room was taken, else why not.
 */
enum fab_drop fab_buffer_admit(struct fab_buffer *b, struct fab_port *in,
			       const struct fab_pkt *pkt)
{
	if (in->held + pkt->len > b->p.per_port)
		return FAB_DROP_PORT_LIMIT;
	if (b->used + pkt->len > b->p.total)
		return FAB_DROP_BUFFER_FULL;
	in->held += pkt->len;
	b->used += pkt->len;
	if (b->used > b->peak)
		b->peak = b->used;
	return FAB_DROP_COUNT;
}

/**
 * fab_buffer_release() - give the room of a packet back
 * @b: the buffer
 * @in: port that it came in through
 * @pkt: the packet
 */
void fab_buffer_release(struct fab_buffer *b, struct fab_port *in,
			const struct fab_pkt *pkt)
{
	in->held -= pkt->len;
	b->used -= pkt->len;
}
