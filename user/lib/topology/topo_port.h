/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The group "port": parameters that both ends of a link have in common.
 */
#ifndef WEFT_TOPO_PORT_H
#define WEFT_TOPO_PORT_H

#include <stdint.h>

#include "base/err.h"
#include "netlink/link.h"
#include "netlink/port_params.h"
#include "topology/topo.h"
#include "topology/topo_params.h"
#include "topology/topo_raw.h"

int weft_port_group(const struct weft_place *at,
		    const struct weft_raw_port *raw,
		    struct weft_topo_port *port, struct weft_err *err);
void weft_port_finish(const struct weft_topo_port *port,
		      const struct weft_port_params *own,
		      const struct weft_wire *w, struct weft_port_params *p);
uint32_t weft_port_classes(const struct weft_port_params *p);
uint32_t weft_port_lossless(const struct weft_port_params *p);

#endif
