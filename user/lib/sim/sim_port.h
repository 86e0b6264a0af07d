/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters of ports, buffers and wires: from a plan's to the model's.
 */
#ifndef WEFT_SIM_PORT_H
#define WEFT_SIM_PORT_H

#include "core/fabric.h"

#include "base/err.h"
#include "netlink/link.h"
#include "netlink/port_params.h"

/* @value where attribute @attr of a struct with the bits @has is set, or @other. */
#define OR(has, attr, value, other)	\
	((has) & WEFT_HAS(WEFT_A_##attr) ? (value) : (other))

void weft_sim_port(const struct weft_port_params *from, uint32_t classes,
		   uint32_t queue_limit, struct fab_port_params *to);
void weft_sim_buffer(const struct weft_buffer *from, struct fab_buffer_params *to);
void weft_sim_wire(const struct weft_wire *from, struct fab_wire_params *to);

#endif
