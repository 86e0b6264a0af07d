// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting time of packets at a port, by class and in total.
 *
 * Packets wait when the wire is idle and the discipline lets none of them go
 * (PortXmitWait); a class waits while its head is held back.
 */
#include "core/fabric.h"
#include "core/node/port.h"

/* The classes of @changed started or stopped to wait. */
static void wait_classes(struct fab *fab, struct fab_port *port, u16 changed,
			 u16 blocked)
{
	struct fab_class *c;
	u32 cls;

	for (; changed; changed &= changed - 1) {
		cls = __ffs(changed);
		c = &port->cls[cls];
		if (blocked & BIT(cls)) {
			c->blocked_since = fab->now;
			c->c.held_since_ps = fab->now;
			fab_notice(fab, port, cls, FAB_NOTICE_STALLED);
		} else {
			/* Whole, whoever looked meanwhile. */
			if (unlikely(fab->phased))
				fab_phase_count(fab, FAB_PHASE_WAIT,
						fab->now - c->c.held_since_ps);
			c->c.held_since_ps = 0;
			c->c.wait_ps += fab->now - c->blocked_since;
			fab_notice(fab, port, cls, FAB_NOTICE_UNSTALLED);
		}
	}
}

/**
 * fab_port_waits() - update the waiting time, after a search for a packet
 * @fab: the fabric
 * @port: the port
 * @blocked: bit of each class that the discipline holds back
 * @idle: nothing is sent
 */
void fab_port_waits(struct fab *fab, struct fab_port *port, u16 blocked,
		    bool idle)
{
	bool waits = blocked && idle;

	wait_classes(fab, port, blocked ^ port->blocked, blocked);
	port->blocked = blocked;
	if (waits == port->waiting)
		return;
	port->waiting = waits;
	if (waits)
		port->wait_since = fab->now;
	else
		port->c.tx_wait_ps += fab->now - port->wait_since;
}

/**
 * fab_port_settle() - update the counters that run with time
 * @fab: the fabric
 * @port: the port
 */
void fab_port_settle(struct fab *fab, struct fab_port *port)
{
	u16 blocked = port->blocked;
	struct fab_class *c;
	u32 classes, cls;

	port->c.queue = port->queued;
	/* With a single class, packets are counted once. */
	if (!port->by_class) {
		port->cls[0].c.tx_packets = port->c.tx_packets;
		port->cls[0].c.tx_bytes = port->c.tx_bytes;
		port->cls[0].c.rx_packets = port->c.rx_packets;
		port->cls[0].c.rx_bytes = port->c.rx_bytes;
	}
	/* A flow control with room of its own counts it itself. */
	for (classes = port->flow->own_room ? 0 : fab_port_classes(port); classes;
	     classes &= classes - 1) {
		c = &port->cls[__ffs(classes)];
		c->c.buffer_peak = c->account.peak;
	}
	for (; blocked; blocked &= blocked - 1) {
		cls = __ffs(blocked);
		c = &port->cls[cls];
		c->c.wait_ps += fab->now - c->blocked_since;
		c->blocked_since = fab->now;
	}
	if (!port->waiting)
		return;
	port->c.tx_wait_ps += fab->now - port->wait_since;
	port->wait_since = fab->now;
}
