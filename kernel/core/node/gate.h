/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gate of a port: data passes only while the port is active.
 */
#ifndef FAB_GATE_H
#define FAB_GATE_H

#include "core/types.h"

int fab_port_gate(struct fab *fab, struct fab_port *port, bool sends,
		  bool receives);

/**
 * fab_port_data() - open or close a port for data, in both directions
 * @fab: the fabric
 * @port: the port
 * @on: true: open
 *
 * Return: as fab_port_gate().
 */
static inline int fab_port_data(struct fab *fab, struct fab_port *port, bool on)
{
	return fab_port_gate(fab, port, on, on);
}

#endif
