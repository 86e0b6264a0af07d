/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The agent of a switch: packets for the switch itself, and packets that it makes.
 */
#ifndef FAB_AGENT_H
#define FAB_AGENT_H

#include "core/pkt.h"
#include "core/sim/event.h"

/**
 * struct fab_agent - packets for a switch itself
 */
struct fab_agent {
	/** @queue: packets for the agent, which processes the first one */
	struct fab_fifo queue;
	/** @done: when it has processed the first one */
	struct fab_event done;
};

void fab_agent_init(struct fab_switch *sw);
bool fab_agent_wants(const struct fab *fab, const struct fab_switch *sw,
		     const struct fab_pkt *pkt);
void fab_agent_take(struct fab *fab, struct fab_port *in, struct fab_pkt *pkt);
void fab_agent_flush(struct fab *fab, struct fab_switch *sw,
		     enum fab_drop why);
void fab_switch_originate(struct fab *fab, struct fab_switch *sw, u32 out,
			  struct fab_pkt *pkt);
void fab_switch_inject(struct fab *fab, struct fab_switch *sw, u32 out, struct fab_pkt *pkt);

#endif
