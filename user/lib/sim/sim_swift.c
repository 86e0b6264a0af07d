// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Swift: kernel/core/cc/swift.c has the rules.
 *
 * The target is that of the NIC. Without one it is twice the round trip of a packet alone, by
 * queue pair.
 */
#include <linux/weft.h>

#include "sim/sim_run.h"

static void swift_begin(struct weft_sim_qp *qp)
{
	const struct weft_verbs *v = &qp->from->plan->nic.verbs;
	fab_time base = 2 * qp->alone;

	if (v->has & WEFT_HAS(WEFT_A_VERBS_TARGET_DELAY))
		base = v->target_delay;
	else if (v->congestion == WEFT_CONGESTION_SWIFT)
		base = WEFT_TARGET_DELAY;
	fab_swift_init(&qp->swift, base, weft_sim_packet_time(qp->from));
	qp->cwnd = qp->swift.cwnd;
}

static void swift_acked(struct weft_sim *sim, struct weft_sim_qp *qp,
			const struct weft_sim_pkt *ack, u32 packets)
{
	fab_swift_acked(&qp->swift, sim->fab.now, sim->fab.now - ack->stamp, packets);
	qp->cwnd = qp->swift.cwnd;
}

static void swift_lost(struct weft_sim *sim, struct weft_sim_qp *qp, bool timeout)
{
	fab_swift_lost(&qp->swift, sim->fab.now);
	qp->cwnd = qp->swift.cwnd;
}

static fab_time swift_pace(struct weft_sim *sim, struct weft_sim_qp *qp, u32 bytes)
{
	return fab_swift_pace(&qp->swift, sim->fab.now);
}

const struct weft_sim_cc weft_sim_swift = {
	.name = "swift",
	.window = true,
	.begin = swift_begin,
	.pace = swift_pace,
	.acked = swift_acked,
	.lost = swift_lost,
};
