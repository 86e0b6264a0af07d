/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a lab: its objects as they are now, and statistics of the virtual clock.
 */
#ifndef WEFT_FACTS_H
#define WEFT_FACTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "facts/killed.h"
#include "lab/lab.h"
#include "netlink/fabric.h"
#include "netlink/fault.h"
#include "netlink/link.h"
#include "netlink/nic.h"
#include "netlink/phase.h"
#include "netlink/switch.h"
#include "netlink/traffic.h"
#include "netlink/trigger.h"
#include "sharp/aggregator.h"

#define WEFT_SPINNERS_MAX	8

/**
 * struct weft_spinners - names of commands that spun on memory, each once
 */
struct weft_spinners {
	/** @names: entries of @name */
	unsigned int names;
	/** @name: the first few commands */
	char name[WEFT_SPINNERS_MAX][32];
};

/**
 * struct weft_vclock - statistics of the virtual clock
 */
struct weft_vclock {
	/** @forced: times that a spinning process was interrupted */
	uint64_t forced;
	/** @by_force: commands that had to be interrupted */
	struct weft_spinners by_force;
	/** @by_proof: commands that were proved to wait, which costs no time */
	struct weft_spinners by_proof;
};

/**
 * struct weft_facts - all facts that a report uses
 */
struct weft_facts {
	/** @lab: name of the lab */
	const char *lab;
	/** @topology: topology of the lab */
	const char *topology;
	/** @clock: name of the clock */
	const char *clock;
	/** @since: start of the lab, ps of fabric time */
	uint64_t since;
	/** @fabric: the fabric */
	struct weft_fabric fabric;
	/** @switches: entries of @sw */
	unsigned int switches;
	/** @sw: the switches */
	struct weft_switch *sw;
	/** @links: entries of @link */
	unsigned int links;
	/** @link: the links */
	struct weft_link *link;
	/** @nics: entries of @nic */
	unsigned int nics;
	/** @nic: the NICs */
	struct weft_nic *nic;
	/** @faults: entries of @fault */
	unsigned int faults;
	/** @fault: the faults of its links */
	struct weft_fault *fault;
	/** @reroutes: changes of routes, JSON array; NULL without memory */
	json_t *reroutes;
	/** @reductions: what its switches reduced, JSON object; NULL: nobody asked for it */
	json_t *reductions;
	/** @aggregators: entries of @aggregator */
	unsigned int aggregators;
	/** @aggregator: aggregation nodes of its switches */
	struct weft_aggregator *aggregator;
	/** @traffics: entries of @traffic */
	unsigned int traffics;
	/** @traffic: generators of background traffic */
	struct weft_traffic *traffic;
	/** @triggers: entries of @trigger */
	unsigned int triggers;
	/** @trigger: triggers; read only if there are faults or traffic */
	struct weft_trigger *trigger;
	/** @phases: entries of @phase */
	unsigned int phases;
	/** @phase: phases, in the order of detection; set by weft_facts_read_whole() */
	struct weft_phase *phase;
	/** @vclock: the virtual clock */
	struct weft_vclock vclock;
	/** @killed: processes killed for lack of memory; set by weft_facts_read_whole() */
	struct weft_killed killed;
	/** @lossless: the plan has lossless classes, and none of them can lose packets */
	bool lossless;
	/** @notes: the plan's notes, borrowed; NULL for none */
	json_t *notes;
};

int weft_facts_read(struct weft_facts *facts, const struct weft_lab *lab,
		    struct weft_err *err);
int weft_facts_read_whole(struct weft_facts *facts, const struct weft_lab *lab,
			  struct weft_err *err);
int weft_facts_phases(struct weft_facts *facts, struct weft_nl *nl,
		      struct weft_err *err);
int weft_facts_refresh(struct weft_facts *facts, struct weft_nl *nl,
		       struct weft_err *err);
void weft_facts_free(struct weft_facts *facts);
void weft_vclock_parse(struct weft_vclock *v, char *text);

#endif
