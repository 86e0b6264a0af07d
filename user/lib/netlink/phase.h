/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phases of a fabric: parts of a run that traffic makes or a program marks.
 */
#ifndef WEFT_LIB_PHASE_H
#define WEFT_LIB_PHASE_H

#include <stdint.h>

#include "base/err.h"
#include "netlink/fabric.h"
#include "netlink/nl.h"
#include "netlink/nl_fields.h"
#include "netlink/stats.h"

/**
 * struct weft_phase - a phase; Documentation/phases.rst defines it
 */
struct weft_phase {
	/** @has: bit per attribute that is set, WEFT_HAS(WEFT_A_PHASE_...) */
	uint32_t has;
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: number in the fabric */
	uint32_t id;
	/** @name: name of the mark; empty if traffic made the phase */
	char name[WEFT_NAME_SIZE];
	/** @open: it is not over */
	uint32_t open;
	/** @begin: fabric time of its begin, ps */
	uint64_t begin;
	/** @end: fabric time of its end, ps */
	uint64_t end;
	/** @nics: number of NICs that sent something */
	uint32_t nics;
	/** @nic_bytes: bytes sent by the NIC that sent most */
	uint64_t nic_bytes;
	/** @link: link of the wire that was busy longest; not set: no wire was busy */
	uint32_t link;
	/** @direction: enum weft_direction of that wire */
	uint32_t direction;
	/** @busy: how long that wire was busy, ps */
	uint64_t busy;
	/** @missed: phases of the fabric that were not recorded, for lack of room */
	uint64_t missed;
	/** @number: number among the phases by traffic, from 1; 0 for a mark */
	uint32_t number;
	/** @counters: packets, bytes, dropped, wait_ps */
	struct weft_counters counters;
	/** @latency: latency of its packets, ps */
	struct weft_hist latency;
};

/**
 * struct weft_phase_rule - when traffic makes a phase
 */
struct weft_phase_rule {
	/** @rate: traffic above this makes a phase, sum of its NICs, bit/s; 0: no such phases */
	uint64_t rate;
	/** @least: bytes above that rate that begin a phase */
	uint64_t least;
	/** @quiet: a phase ends if none of its packets was sent or arrived for this time, ps */
	uint64_t quiet;
	/** @nics: entries of @nic; 0: all NICs */
	unsigned int nics;
	/** @nic: endpoint ids of the NICs whose traffic counts */
	uint32_t *nic;
};

int weft_phase_set(struct weft_nl *nl, uint32_t fabric,
		   const struct weft_phase_rule *rule, struct weft_err *err);
int weft_phase_list(struct weft_nl *nl, uint32_t fabric,
		    struct weft_phase **list, unsigned int *n,
		    struct weft_err *err);
int weft_phase_parse(struct nlmsghdr *hdr, struct weft_phase *ph,
		     struct weft_err *err);
const char *weft_phase_name(const struct weft_phase *ph, char *buf, size_t len);
void weft_phase_list_free(struct weft_phase *list, unsigned int n);

#endif
