/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Agents of switches: what weft_rdma does for the management of InfiniBand.
 *
 * Datagrams for a switch come to the agents by weft_hwpkt_ops.punt. The state of the
 * agents is plain memory of the switch, so it stays when weft_rdma is unloaded. Links
 * that go down meanwhile are noted in weft_switch.went_down: a port loses its state
 * then, also if its link is up again when weft_rdma is back.
 */
#ifndef WEFT_AGENT_H
#define WEFT_AGENT_H

#include <linux/types.h>

#include "core/types.h"

struct fab_port;
struct fab_switch_params;
struct weft_switch;

#define WEFT_AGENT_PORTS_MAX	254U	/* InfiniBand has no more numbers of ports */
#define WEFT_AGENT_MEM		512U	/* bytes of the agents of a switch */
#define WEFT_AGENT_PORT_MEM	448U	/* bytes of each port, port 0 included */

/**
 * struct weft_agent_ops - what the agents are told
 */
struct weft_agent_ops {
	/**
	 * @link: the link at a port went down, or came up. Context: softirqs off,
	 * the fabric's lock is held.
	 */
	void (*link)(struct weft_switch *sw, u32 port);
	/** @timer: weft_switch.agent_timer expired. Context: as above. */
	void (*timer)(struct weft_switch *sw);
};

void weft_agent_register(const struct weft_agent_ops *ops);
size_t weft_agent_mem(const struct fab_switch_params *p);
void weft_agent_link(struct fab_port *port);
void weft_agent_enter(struct weft_switch *sw);
void weft_agent_leave(struct weft_switch *sw);
void weft_agent_timer_set(struct weft_switch *sw, fab_time at);

#endif
