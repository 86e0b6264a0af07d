/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects of a simulation at its end, as the kernel would list those of a lab.
 */
#ifndef WEFT_SIM_OBJECTS_H
#define WEFT_SIM_OBJECTS_H

#include "netlink/fabric.h"
#include "netlink/fault.h"
#include "netlink/link.h"
#include "netlink/nic.h"
#include "netlink/switch.h"
#include "netlink/traffic.h"
#include "netlink/trigger.h"

/**
 * struct weft_sim_objects - parameters of the plan, counters of the model
 */
struct weft_sim_objects {
	/** @fabric: its counters; @fabric.now is when the last packet was executed, ps */
	struct weft_fabric fabric;
	/** @switches: entries of @sw */
	unsigned int switches;
	/** @sw: the switches */
	struct weft_switch *sw;
	/** @links: entries of @link */
	unsigned int links;
	/** @link: the links, with both wires */
	struct weft_link *link;
	/** @nics: entries of @nic */
	unsigned int nics;
	/** @nic: the NICs, with latencies from the sender's hand-over on */
	struct weft_nic *nic;
	/** @faults: entries of @fault */
	unsigned int faults;
	/** @fault: the faults */
	struct weft_fault *fault;
	/** @traffics: entries of @traffic */
	unsigned int traffics;
	/** @traffic: generators of background traffic */
	struct weft_traffic *traffic;
	/** @triggers: entries of @trigger */
	unsigned int triggers;
	/** @trigger: the triggers of faults; their numbers are those of the faults */
	struct weft_trigger *trigger;
};

void weft_sim_objects_free(struct weft_sim_objects *o);

#endif
