/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adaptive routing notifications (notices, for short): a switch tells the one before it which
 * destinations it can hardly reach.
 */
#ifndef FAB_ARN_H
#define FAB_ARN_H

#include "core/sim/event.h"

struct fab_pkt;
struct fab_port;
struct fab_switch;

#define FAB_ARN_ENTRIES	1024U	/* of a table; a power of two */
#define FAB_ARN_WAYS		64U	/* notices of a switch on their way */

/**
 * struct fab_arn - a port and a destination
 */
struct fab_arn {
	/** @until: how long it holds; 0: there is none */
	fab_time until;
	/** @dst: the destination */
	u32 dst;
	/** @port: the port */
	u16 port;
};

/**
 * struct fab_arn_way - a notice on its way
 */
struct fab_arn_way {
	/** @arrive: event: it is there */
	struct fab_event arrive;
	/** @sw: the switch that sent it */
	struct fab_switch *sw;
	/** @dst: the destination */
	u32 dst;
	/** @port: by which port */
	u16 port;
};

/**
 * struct fab_arns - notices of a switch
 */
struct fab_arns {
	/** @sent: notices sent */
	u64 sent;
	/** @heard: notices that came */
	u64 heard;
	/** @unsent: notices that were not sent, for too many were on their way */
	u64 unsent;
	/** @next: next entry of @way */
	u32 next;
	/** @told: what was sent last, at the hash of port and destination */
	struct fab_arn told[FAB_ARN_ENTRIES];
	/** @known: what came last, in the same way */
	struct fab_arn known[FAB_ARN_ENTRIES];
	/** @way: those on their way */
	struct fab_arn_way way[FAB_ARN_WAYS];
};

void fab_arn_init(struct fab_switch *sw, struct fab_arns *n);
void fab_arn_stop(struct fab *fab, struct fab_switch *sw);
void fab_arn_look(struct fab *fab, struct fab_port *in, const struct fab_port *out,
		  const struct fab_pkt *pkt);
bool fab_arn_known(const struct fab_arns *n, u32 port, u32 dst, fab_time now);
void fab_arn_check(const struct fab_switch *sw, u64 *events);

#endif
