/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Swift: a window that follows the delay of packets. It has no events.
 */
#ifndef FAB_SWIFT_H
#define FAB_SWIFT_H

#include "core/types.h"

#define FAB_SWIFT_PACKET	BIT_ULL(16)	/* a packet, in units of the window */

/**
 * struct fab_swift - the sender of one flow; zeroed: it has not begun
 */
struct fab_swift {
	/** @cwnd: packets that may be on their way, in 1 / FAB_SWIFT_PACKET */
	u64 cwnd;
	/** @base: target without any addition, ps */
	fab_time base;
	/** @rtt: last delay, ps */
	fab_time rtt;
	/** @cut_at: with @has_cut: when it shrank last */
	fab_time cut_at;
	/** @has_cut: it shrank before */
	bool has_cut;
};

void fab_swift_init(struct fab_swift *s, fab_time base, fab_time packet);
bool fab_swift_acked(struct fab_swift *s, fab_time now, fab_time delay, u32 packets);
bool fab_swift_lost(struct fab_swift *s, fab_time now);
fab_time fab_swift_pace(const struct fab_swift *s, fab_time now);

/**
 * fab_swift_fits() - has the window room for a packet?
 * @s: the flow
 * @flight: packets that are not acknowledged
 *
 * Return: true if it has. A window of less than a packet has room for one, and so has a flow
 * that has not begun.
 */
static inline bool fab_swift_fits(const struct fab_swift *s, u32 flight)
{
	return !flight || !s->cwnd || flight < s->cwnd / FAB_SWIFT_PACKET;
}

#endif
