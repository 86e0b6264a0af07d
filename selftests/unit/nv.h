/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links of flits for tests: ports, wires, pairs of nodes, switches.
 */
#ifndef NV_H
#define NV_H

#include "core/flow/flit.h"
#include "core/flow/retry.h"
#include "net.h"

#define NV_PAYLOAD	256U	/* most data of one packet of the link */
#define NV_FLIT		16U	/* header flit, unit of data, control flit */
#define NV_PLENTY	100000U	/* credits that never run out */

struct fab_port_params nv_port(u32 classes, u32 hdr, u32 data);
struct fab_wire_params nv_wire(u64 bps, fab_time propagation);
void nv_join(struct net *net, struct fab_port *a, struct fab_port *b,
	     const struct fab_wire_params *wire);
struct net *nv_pair(const struct fab_port_params *port,
		    const struct fab_wire_params *wire);
struct net *nv_star(u32 nodes, const struct fab_port_params *port,
		    const struct fab_wire_params *wire);
struct fab_flit_state *nv_state(const struct fab_port *port);
void nv_hit(struct fab_port *port, u64 bytes);
u32 nv_drops(const struct net *net);
void nv_watch(struct net *net);

#endif
