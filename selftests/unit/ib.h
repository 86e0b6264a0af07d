/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * InfiniBand links for tests: ports with credit, wires with 26 bytes of headers and
 * checksums (LRH 8, BTH 12, ICRC 4, VCRC 2) in addition to the payload.
 */
#ifndef IB_H
#define IB_H

#include "core/flow/credit.h"
#include "net.h"

#define IB_HEADER	26U
#define IB_FOREVER	(1ULL << 20)	/* bytes: deep enough a transmit ring */

/**
 * struct ib - parameters of all links of a network
 */
struct ib {
	/** @bps: rate */
	u64 bps;
	/** @propagation: one way, ps */
	fab_time propagation;
	/** @blocks: receive buffer of each VL, blocks */
	u32 blocks;
	/** @mgmt: receive buffer of VL 15, blocks; 0: @blocks */
	u32 mgmt;
	/** @vls: number of VLs, 0: one */
	u32 vls;
	/** @period: period of updates, ps; 0: 4.096 us */
	fab_time period;
	/** @refresh: refresh of updates, ps */
	fab_time refresh;
	/** @lazy: updates at ticks only */
	bool lazy;
	/** @react: processing time of an update */
	fab_time react;
	/** @latency: pipeline of switches */
	fab_time latency;
	/** @ipd: static rate */
	u32 ipd;
	/** @forward: of switches */
	enum fab_forward forward;
	/** @age: lifetimes in switches */
	struct fab_age_params age;
	/** @ring: bytes of the transmit ring; 0: 1 MiB */
	u32 ring;
};

u32 ib_blocks(u32 payload);
fab_time ib_time(const struct ib *ib, u32 bytes);
struct fab_port_params ib_port(const struct ib *ib);
struct fab_wire_params ib_wire(const struct ib *ib);
struct net_node *ib_host(struct net *net, const struct ib *ib, u32 id);
struct fab_switch *ib_switch(struct net *net, const struct ib *ib, u32 id,
			     u32 ports);
void ib_join(struct net *net, const struct ib *ib, struct fab_port *a,
	     struct fab_port *b);
struct net *ib_pair(const struct ib *ib);
struct fab_credit *ib_state(const struct fab_port *port);
void ib_stop(struct net *net, u32 id, u16 classes);

#endif
