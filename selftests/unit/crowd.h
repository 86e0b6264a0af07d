/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thousand senders into one port.
 */
#ifndef CROWD_H
#define CROWD_H

#include "net.h"

#define CROWD		1000U
#define CROWD_STEP	31U

/**
 * struct crowd - a thousand senders, one receiver, one switch
 */
struct crowd {
	/** @net: the network; the nodes are not in its table */
	struct net *net;
	/** @sw: the switch; the last port is the receiver's */
	struct fab_switch *sw;
	/** @node: the senders, and the receiver at the end */
	struct net_node node[CROWD + 1];
	/** @mem: their memory */
	void *mem[CROWD + 1];
	/** @step: number of events from one check of the invariants to the next */
	u32 step;
	/** @events: number of events executed */
	u64 events;
	/** @checks: number of checks of the invariants */
	u64 checks;
};

struct crowd *crowd_new(const struct fab_switch_params *p);
struct fab_port *crowd_join(struct crowd *c, u32 id,
			    const struct fab_endpoint_params *p);
void crowd_pump(struct crowd *c, u32 len);
void crowd_run(struct crowd *c, fab_time until);
void crowd_free(struct crowd *c);

#endif
