/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Triggers: what programs do makes a moment.
 */
#ifndef FAB_TRIGGER_H
#define FAB_TRIGGER_H

#include "core/node/phase.h"
#include "core/sim/bucket.h"
#include "core/sim/moment.h"

/**
 * enum fab_trigger_kind - what makes the moment
 * @FAB_TRIGGER_MARK: the phase of a mark begins
 * @FAB_TRIGGER_PHASE: a phase that traffic makes begins
 * @FAB_TRIGGER_RATE: the host of a NIC hands in more than a rate
 * @FAB_TRIGGER_BYTES: the host of a NIC has handed in so much
 */
enum fab_trigger_kind {
	FAB_TRIGGER_MARK,
	FAB_TRIGGER_PHASE,
	FAB_TRIGGER_RATE,
	FAB_TRIGGER_BYTES,
};

/**
 * struct fab_trigger_params - what makes the moment
 */
struct fab_trigger_params {
	/** @kind: kind */
	enum fab_trigger_kind kind;
	/** @mark: MARK: name of the phase */
	char mark[FAB_PHASE_NAME];
	/** @phase: PHASE: which of those of the fabric, from 1 */
	u64 phase;
	/** @rate_bps: RATE: the rate */
	u64 rate_bps;
	/** @bytes: RATE: so much above it; BYTES: so much from now on */
	u64 bytes;
};

/**
 * struct fab_trigger - a trigger
 */
struct fab_trigger {
	/** @next: the next one of the same list, the fabric's or an endpoint's */
	struct fab_trigger *next;
	/** @prev: what points to it; NULL: it is in no list */
	struct fab_trigger **prev;
	/** @p: parameters */
	struct fab_trigger_params p;
	/** @bucket: RATE: what is handed in above the rate */
	struct fab_bucket bucket;
	/** @bytes: BYTES: what was handed in */
	u64 bytes;
	/** @moment: the moment */
	struct fab_moment moment;
};

int fab_trigger_params_check(const struct fab_trigger_params *p);
bool fab_trigger_of_nic(enum fab_trigger_kind kind);
void fab_trigger_add(struct fab *fab, struct fab_endpoint *ep,
		     struct fab_trigger *t, const struct fab_trigger_params *p);
void fab_trigger_remove(struct fab_trigger *t);

/* For the model itself. */
void fab_trigger_marked(struct fab *fab, const char *name);
void fab_trigger_phased(struct fab *fab);
void fab_trigger_sent(struct fab *fab, struct fab_endpoint *ep,
		      const struct fab_pkt *pkt);
void fab_trigger_nic_gone(struct fab_endpoint *ep);

#endif
