/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of pauses at a port, which pfc.c and its watchdog share.
 */
#ifndef FAB_PFC_STATE_H
#define FAB_PFC_STATE_H

#include "core/node/port.h"

/**
 * struct pfc_class - pauses of one class, sent and received
 */
struct pfc_class {
	/** @until: while paused: when the pause ends */
	fab_time until;
	/** @refresh: while the far end is stopped: when XOFF is repeated */
	fab_time refresh;
	/** @heard: time of the last XOFF or XON, or of the detection of the storm */
	fab_time heard;
	/** @since: while paused: start of the pause, or the last poll if later */
	fab_time since;
	/** @paused: watchdog: time paused since the last poll, up to @since, ps */
	fab_time paused;
	/** @stuck: watchdog: time for which the class has been stuck, ps */
	fab_time stuck;
	/** @sent: watchdog: frames sent at the last poll */
	u64 sent;
};

/**
 * struct pfc - state of a port
 */
struct pfc {
	/** @paused: bit per class that the far end stops */
	u16 paused;
	/** @storm: bit per class in a storm, on which the watchdog acts */
	u16 storm;
	/** @told: bit per class of which the last frame was XOFF */
	u16 told;
	/** @due: bit per class whose XOFF is to be repeated */
	u16 due;
	/** @poll: when the watchdog polls next; FAB_NEVER: it is off or idle */
	fab_time poll;
	/** @cls: by class */
	struct pfc_class cls[];
};

static inline struct pfc *pfc_of(const struct fab_port *port)
{
	return port->flow_state;
}

/**
 * fab_pfc_halt() - after a change of what is paused, or in a storm
 * @port: the port
 */
static inline void fab_pfc_halt(struct fab_port *port)
{
	port->halted = pfc_of(port)->paused & ~pfc_of(port)->storm;
}

bool fab_pfc_watchdog_ok(const struct fab_pfc_params *p);
void fab_pfc_watch(struct fab *fab, struct fab_port *port);
void fab_pfc_poll(struct fab *fab, struct fab_port *port);
void fab_pfc_restore(struct fab *fab, struct fab_port *port, u32 cls);
void fab_pfc_end_storms(struct fab *fab, struct fab_port *port);

#endif
