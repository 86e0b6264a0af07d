// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DCTCP: a window that shrinks by the share of packets that came marked.
 *
 * Source: RFC 8257, 3.3. The window begins with ten packets (RFC 6928) and grows by one
 * for each packet that is acknowledged, until the first mark or loss; then by one packet
 * in a round trip. alpha estimates the share of marked packets, with weight 1/16 of each
 * window. Once in a window with marks, the window shrinks by alpha / 2. A loss halves it;
 * after a timeout it is one packet.
 *
 * An acknowledgement has the number of marked packets that it covers, where TCP has a
 * flag: no delayed acknowledgement makes the estimate worse.
 */
#include "sim/sim_run.h"

#define DCTCP_BEGIN	(10 * WEFT_SIM_PACKET)
#define DCTCP_LEAST	(2 * WEFT_SIM_PACKET)
#define DCTCP_ONE	(1U << 16)	/* alpha: all packets are marked */
#define DCTCP_SHIFT	4		/* g = 1/16 */

static void dctcp_begin(struct weft_sim_qp *qp)
{
	qp->cwnd = DCTCP_BEGIN;
	qp->dctcp.threshold = UINT64_MAX;
	qp->dctcp.alpha = DCTCP_ONE;
}

static void dctcp_cut(struct weft_sim_qp *qp, u64 to)
{
	qp->cwnd = max(to, DCTCP_LEAST);
	qp->dctcp.threshold = qp->cwnd;
}

/* The end of a window: the share of marked packets in it. */
static void dctcp_estimate(struct weft_sim_qp *qp)
{
	struct weft_sim_dctcp *d = &qp->dctcp;
	u32 share = (u32)((u64)d->marked * DCTCP_ONE / d->acked);

	d->alpha += (share >> DCTCP_SHIFT) - (d->alpha >> DCTCP_SHIFT);
	d->acked = 0;
	d->marked = 0;
	d->end = qp->high;
}

static void dctcp_acked(struct weft_sim *sim, struct weft_sim_qp *qp,
			const struct weft_sim_pkt *ack, u32 packets)
{
	struct weft_sim_dctcp *d = &qp->dctcp;

	d->acked += packets;
	d->marked += min(ack->ce, packets);
	if (ack->ce && (s32)(qp->una - d->cut_end) > 0) {
		dctcp_cut(qp, qp->cwnd - (qp->cwnd * d->alpha / DCTCP_ONE) / 2);
		d->cut_end = qp->high;
	} else if (!ack->ce) {
		weft_sim_grow(qp, packets, qp->cwnd >= qp->dctcp.threshold);
	}
	if ((s32)(qp->una - d->end) > 0)
		dctcp_estimate(qp);
}

static void dctcp_lost(struct weft_sim *sim, struct weft_sim_qp *qp, bool timeout)
{
	if ((s32)(qp->una - qp->dctcp.cut_end) < 0 && !timeout)
		return;
	dctcp_cut(qp, qp->cwnd / 2);
	if (timeout)
		qp->cwnd = WEFT_SIM_PACKET;
	qp->dctcp.cut_end = qp->high;
}

const struct weft_sim_cc weft_sim_dctcp = {
	.name = "dctcp",
	.ect = true,
	.window = true,
	.begin = dctcp_begin,
	.acked = dctcp_acked,
	.lost = dctcp_lost,
};
