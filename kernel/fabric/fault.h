/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults of links and switches.
 */
#ifndef WEFT_FAULT_H
#define WEFT_FAULT_H

#include "core/fault/fault.h"

#define WEFT_FAULTS_MAX	1024U	/* of a fabric */

struct netlink_ext_ack;
struct weft_fabric;
struct weft_link;
struct weft_switch;
struct weft_trigger;
struct work_struct;

/**
 * struct weft_fault_params - parameters of a fault
 */
struct weft_fault_params {
	/** @p: the model's parameters */
	struct fab_fault_params p;
	/** @link: the link; NULL for a fault of a switch */
	struct weft_link *link;
	/** @sw: the switch; NULL for a fault of a link */
	struct weft_switch *sw;
	/** @trigger: trigger from whose moment p.start counts; NULL: none */
	struct weft_trigger *trigger;
	/** @wires: bit per direction that it affects; 1 for a switch */
	u32 wires;
	/** @relative: p.start counts from now */
	bool relative;
	/** @seeded: the user has set p.seed */
	bool seeded;
};

/**
 * struct weft_fault - one fault; all members but the model's are constant
 */
struct weft_fault {
	/** @fabric: its fabric */
	struct weft_fabric *fabric;
	/** @id: number in the fabric */
	u32 id;
	/** @node: entry in the list of its link or switch (RTNL) */
	struct list_head node;
	/** @p: parameters, with the actual start and seed */
	struct weft_fault_params p;
	/**
	 * @wire: the model's faults, from a to b and from b to a; a switch uses
	 * only the first (fabric's lock)
	 */
	struct fab_fault wire[2];
};

void weft_fault_carrier(struct weft_fabric *f);
void weft_fault_prepare(struct weft_fabric *f);
struct weft_fault *weft_fault_create(struct weft_fabric *f,
				     const struct weft_fault_params *p,
				     struct netlink_ext_ack *extack);
void weft_fault_destroy(struct weft_fault *fault);
void weft_fault_link_gone(const struct weft_link *link);
void weft_fault_switch_gone(const struct weft_switch *sw);

#endif
