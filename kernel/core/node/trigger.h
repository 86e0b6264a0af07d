/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Triggers: moments that programs or their traffic cause.
 */
#ifndef FAB_TRIGGER_H
#define FAB_TRIGGER_H

#include "core/node/phase.h"
#include "core/sim/bucket.h"
#include "core/sim/moment.h"

/**
 * enum fab_trigger_kind - condition of a trigger
 * @FAB_TRIGGER_MARK: the phase of a mark begins
 * @FAB_TRIGGER_PHASE: a phase by traffic begins
 * @FAB_TRIGGER_RATE: the host of a NIC exceeds a rate
 * @FAB_TRIGGER_BYTES: the host of a NIC has handed in a number of bytes
 */
enum fab_trigger_kind {
	FAB_TRIGGER_MARK,
	FAB_TRIGGER_PHASE,
	FAB_TRIGGER_RATE,
	FAB_TRIGGER_BYTES,
};

/**
 * struct fab_trigger_params - parameters of a trigger
 */
struct fab_trigger_params {
	/** @kind: kind */
	enum fab_trigger_kind kind;
	/** @mark: MARK: name of the phase */
	char mark[FAB_PHASE_NAME];
	/** @phase: PHASE: number of the phase by traffic, from 1 */
	u64 phase;
	/** @rate_bps: RATE: the rate, bits per second */
	u64 rate_bps;
	/** @bytes: RATE: excess over the rate; BYTES: bytes since the trigger was added */
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
	/** @bucket: RATE: bytes in excess of the rate */
	struct fab_bucket bucket;
	/** @bytes: BYTES: bytes handed in so far */
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
