// SPDX-License-Identifier: GPL-2.0
/*
 * Rate limits of classes.
 *
 * DOC: theory of operation
 *
 * Classes of a port with a common limit share a bucket. With a rate R, a packet of B
 * bytes on the wire that is sent at t makes the bucket due at t + 8 B / R, and no
 * packet of its classes starts before. So the classes never send more than R t + L
 * bytes in any time t (L is the longest packet). If they always have a packet, and
 * the wire is free whenever the bucket is due, they send exactly one for each
 * 8 B / R. It is a token bucket with a depth of one packet, which is paid for
 * afterwards. Time without a packet is not made up for.
 *
 * Bytes are counted as in the scheduler, per-frame overhead included.
 *
 * The limit is before the scheduler: a class that waits for it is not in the round,
 * and keeps its deficit.
 *
 * Not modelled: bursts of more than a packet; guaranteed rates (802.1Qav).
 */
#include "core/egress/shaper.h"
#include "core/fabric.h"
#include "core/sim/fixed.h"

/* Is any class of @port limited? */
static bool shaper_used(const struct fab_port *port)
{
	u32 cls;

	for (cls = 0; cls < port->p->classes; cls++)
		if (port->cls[cls].rate_bps)
			return true;
	return false;
}

/**
 * fab_shaper_set() - limit the rate of some classes together
 * @fab: the fabric
 * @port: the port
 * @classes: bit per class
 * @bps: bits per second on the wire; 0: no limit
 *
 * What was sent before does not count against the new limit.
 *
 * Return: 0; -EINVAL for a class that does not exist, or for no class; -ERANGE for a
 * rate that no wire can have.
 */
int fab_shaper_set(struct fab *fab, struct fab_port *port, u16 classes,
		   u64 bps)
{
	u32 bucket, cls;

	if (!classes || classes >> port->p->classes)
		return -EINVAL;
	if (bps && (bps < FAB_RATE_MIN || bps > FAB_RATE_MAX))
		return -ERANGE;
	bucket = __ffs(classes);
	for (; classes; classes &= classes - 1) {
		cls = __ffs(classes);
		port->cls[cls].bucket = bucket;
		port->cls[cls].rate_bps = bps;
		port->cls[cls].due = 0;
	}
	if (shaper_used(port))
		port->special |= FAB_SPECIAL_RATE;
	else
		port->special &= ~FAB_SPECIAL_RATE;
	fab_port_kick(fab, port, fab->now);
	return 0;
}

/**
 * fab_shaper_sent() - a port with limits sends a packet
 * @fab: the fabric
 * @port: the port
 * @pkt: the packet
 */
void fab_shaper_sent(struct fab *fab, struct fab_port *port,
		     const struct fab_pkt *pkt)
{
	const struct fab_class *c = &port->cls[pkt->cls];
	u32 bytes = fab_wire_bytes(&port->wire, pkt);

	if (c->rate_bps)
		port->cls[c->bucket].due =
			fab->now + fab_serialise(bytes, c->rate_bps);
}

/**
 * fab_shaper_waits() - must a class wait for its bucket?
 * @port: a port with limits
 * @cls: the class
 * @now: the present
 * @later: lowered to when it need not any more
 *
 * Return: whether it must.
 */
bool fab_shaper_waits(const struct fab_port *port, u32 cls, fab_time now,
		      fab_time *later)
{
	const struct fab_class *c = &port->cls[cls];
	fab_time due = port->cls[c->bucket].due;

	if (!c->rate_bps || due <= now)
		return false;
	*later = min(*later, due);
	return true;
}
