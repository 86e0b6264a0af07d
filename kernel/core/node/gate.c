// SPDX-License-Identifier: GPL-2.0
/*
 * The gate of a port: data passes only while the port is active.
 *
 * DOC: theory of operation
 *
 * A port of InfiniBand whose link is up passes data only in the state that a subnet
 * manager sets (IBTA 7.2.7). Management on VL 15 and flow control always pass:
 *
 *	state	sends data	receives data
 *	INIT	no		no
 *	ARMED	no		yes
 *	ACTIVE	yes		yes
 *
 * Data that a port must not send is dropped instead of queued, and what it has queued
 * is dropped when the gate closes. Data that it must not receive is dropped when it
 * arrives. The flow control has accounted for it, so credits stay right.
 *
 * Not modelled: a port that is ARMED becomes ACTIVE by itself when data arrives. Who
 * sets the states sees that.
 */
#include "core/node/gate.h"
#include "core/fabric.h"

/* Data that waits is dropped. A host that is woken may send again, to be dropped. */
static void gate_flush(struct fab *fab, struct fab_port *port)
{
	u32 left, cls;

	for (left = port->ready & port->shut; left; left &= left - 1) {
		cls = __ffs(left);
		fab_port_flush_class(fab, port, cls, FAB_DROP_INACTIVE);
		if (port->ep)
			fab_endpoint_drained(fab, port->ep, cls);
	}
}

/**
 * fab_port_gate() - set which data passes a port
 * @fab: the fabric
 * @port: the port
 * @sends: data is sent; if not it is dropped with FAB_DROP_INACTIVE
 * @receives: data is received; if not it is dropped with FAB_DROP_INACTIVE
 *
 * Return: 0, or -EOPNOTSUPP for a port without a VL of its own for management.
 */
int fab_port_gate(struct fab *fab, struct fab_port *port, bool sends,
		  bool receives)
{
	const u16 data = BIT(FAB_VL_MGMT) - 1;

	if (!fab_port_manages(port))
		return -EOPNOTSUPP;
	port->shut = sends ? 0 : data;
	port->dropping = port->shut;
	if (port->age)
		port->dropping |= port->age->stalled;
	port->flow->shut(port, receives ? 0 : data);
	gate_flush(fab, port);
	return 0;
}
