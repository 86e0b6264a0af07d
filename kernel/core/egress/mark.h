/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion marks at an egress queue: RED with ECN, and InfiniBand's FECN.
 */
#ifndef FAB_MARK_H
#define FAB_MARK_H

#include "core/pkt.h"

#define FAB_MARK_ONE		1000000U	/* probability 1, in ppm */

/**
 * struct fab_red - thresholds of one class
 *
 * With q bytes queued beside the packet itself, it is marked with probability 0
 * for q <= @kmin, @pmax * (q - @kmin) / (@kmax - @kmin) up to @kmax, and 1
 * above. @kmin equal to @kmax is the step that DCTCP wants.
 */
struct fab_red {
	/** @kmin: bytes; with @kmax 0 the class is never marked */
	u32 kmin;
	/** @kmax: bytes, at least @kmin */
	u32 kmax;
	/** @pmax: probability at @kmax, ppm */
	u32 pmax;
};

/**
 * struct fab_fecn - InfiniBand Annex A10, switch side
 */
struct fab_fecn {
	/** @threshold: bytes queued from which on a VL is congested, 0: never */
	u32 threshold;
	/** @packet_size: frames of fewer blocks of 64 bytes are not marked */
	u16 packet_size;
	/** @marking_rate: mean number of packets between two that are marked */
	u16 marking_rate;
	/** @victim: mark also where the VL lacks credit */
	bool victim;
};

/**
 * struct fab_mark_params - marking at a port
 */
struct fab_mark_params {
	/** @red: thresholds of each class */
	struct fab_red red[FAB_CLASSES_MAX];
	/** @fecn: of all classes */
	struct fab_fecn fecn;
	/** @dequeue: look when the packet leaves the queue, not when it joins */
	bool dequeue;
};

/**
 * struct fab_mark - state of marking at a port
 */
struct fab_mark {
	/** @rng: generator */
	u64 rng;
	/** @fecn: FECN of this port; begins as that of the parameters */
	struct fab_fecn fecn;
};

int fab_mark_params_check(const struct fab_mark_params *p);
bool fab_mark_used(const struct fab_port *port);
void fab_mark_init(struct fab *fab, struct fab_port *port);
void fab_mark_fecn_set(struct fab_port *port, const struct fab_fecn *fecn);
void fab_mark_look(struct fab *fab, struct fab_port *port,
		   struct fab_pkt *pkt);

#endif
