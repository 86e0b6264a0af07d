/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupt moderation: when a NIC interrupts its host.
 */
#ifndef FAB_MODERATE_H
#define FAB_MODERATE_H

#include "core/counters.h"
#include "core/sim/event.h"

struct fab_endpoint;
struct fab_pkt;

/* As ConnectX has them: 12 and 16 bits of a completion queue's context. */
#define FAB_MODERATION_USECS_MAX	4095U
#define FAB_MODERATION_FRAMES_MAX	65535U

/**
 * struct fab_moderation_params - how long a NIC may hold frames
 */
struct fab_moderation_params {
	/** @usecs: time from the first held frame to the interrupt, us; 0: none is held */
	u32 usecs;
	/** @frames: held frames that interrupt earlier; 0: no limit */
	u32 frames;
	/** @adaptive: hold only frames of a stream, until its end */
	bool adaptive;
};

/**
 * struct fab_moderation - moderation of an endpoint
 */
struct fab_moderation {
	/** @p: parameters */
	struct fab_moderation_params p;
	/** @held: frames that wait for an interrupt */
	u32 held;
	/** @run: adaptive: frames without a gap so far, up to FAB_MODERATION_RUN */
	u32 run;
	/** @limit: with @held: latest time of the interrupt */
	fab_time limit;
	/** @quiet: adaptive: a frame later than this comes after a gap */
	fab_time quiet;
	/** @due: event: interrupt the host; pending exactly if frames are held */
	struct fab_event due;
	/** @c: counters */
	struct fab_moderation_counters c;
};

int fab_moderation_params_check(const struct fab_moderation_params *p);
void fab_moderation_init(struct fab_endpoint *ep);
void fab_moderation_set(struct fab *fab, struct fab_endpoint *ep,
			const struct fab_moderation_params *p);
void fab_moderation_flush(struct fab *fab, struct fab_endpoint *ep);
void fab_moderation_frames(struct fab *fab, struct fab_endpoint *ep,
			   u32 frames, fab_time gap);
const char *fab_moderation_check(const struct fab_endpoint *ep, u64 *events);

#endif
