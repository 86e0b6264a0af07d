/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A switch of a fabric.
 */
#ifndef WEFT_SWITCH_H
#define WEFT_SWITCH_H

#include <linux/sizes.h>
#include <linux/types.h>
#include <uapi/linux/weft.h>

#include "core/node/switch.h"
#include "fabric/agent.h"

struct netlink_ext_ack;
struct weft_devlink;
struct weft_fabric;
struct weft_lft;
struct weft_link;

#define WEFT_SWITCH_MEM_MAX	SZ_256M
#define WEFT_SWITCHES_MAX	4096		/* numbers of switches as destinations */
#define WEFT_PORT_ANY		U32_MAX		/* each port of the switch */

/**
 * struct weft_switch - one switch
 */
struct weft_switch {
	/** @sw: the model's switch (fabric's lock) */
	struct fab_switch sw;
	/** @fabric: its fabric; constant */
	struct weft_fabric *fabric;
	/** @id: number in the fabric; constant */
	u32 id;
	/** @name: label; constant */
	char name[WEFT_NAME_LEN];
	/** @link: link at each port, NULL for none (RTNL) */
	struct weft_link **link;
	/** @faults: its faults (RTNL) */
	struct list_head faults;
	/** @devlink: its devlink instance, NULL when that is going (RTNL) */
	struct weft_devlink *devlink;
	/** @lft: its forwarding table, with a subnet manager (fabric's lock) */
	struct weft_lft *lft;
	/** @agent: state of its agents, NULL without (fabric's lock) */
	void *agent;
	/**
	 * @went_down: with a subnet manager: ports whose link went down while nobody
	 * was told (fabric's lock)
	 */
	DECLARE_BITMAP(went_down, WEFT_AGENT_PORTS_MAX);
	/** @agent_timer: timer of its agents (fabric's lock) */
	struct fab_event agent_timer;
	/** @reach_epoch: weft_fabric.link_epoch of the routes to it (fabric's lock) */
	u64 reach_epoch;
	/** @reach_next: next switch of a search (fabric's lock) */
	struct weft_switch *reach_next;
	/** @reached: the search has found it (fabric's lock) */
	bool reached;
	/** @mem: memory of the model's switch */
	u64 mem[];
};

struct weft_switch *weft_switch_create(struct weft_fabric *f, const char *name,
				       const struct fab_switch_params *p,
				       struct netlink_ext_ack *extack);
u32 weft_switch_dsts(const struct weft_fabric *f,
		     const struct fab_port_params *p);
void weft_switch_manage(const struct weft_fabric *f,
			struct fab_switch_params *p);
void weft_switch_destroy(struct weft_switch *sw);
void weft_switch_sl2vl(struct weft_switch *sw, u32 in, u32 out,
		       const u8 vl[FAB_CLASSES_MAX]);

#endif
