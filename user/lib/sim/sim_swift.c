// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Swift: a window that follows the delay of packets.
 *
 * Source: Kumar et al., Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter, SIGCOMM 2020, algorithm 1. The delay of a packet is from its first bit on
 * the wire to its acknowledgement. Below the target the window grows by one packet in a
 * round trip; above it, at most once in a round trip, it shrinks by 0.8 of the excess,
 * at most to a half. The target is higher for a small window (section 3.5), so that many
 * flows of a bottleneck find their share. A window below one packet paces packets.
 *
 * Choices, as the paper leaves them to the fabric: the base of the target is twice the
 * round trip of a packet alone, and its range for small windows as much again; a queue
 * pair begins with what the wire sends in the base. All delay is taken together: that of
 * the fabric and that of the hosts.
 */
#include "sim/sim_run.h"

#define SWIFT_LEAST	(WEFT_SIM_PACKET / 1000)
#define SWIFT_MOST	(100 * WEFT_SIM_PACKET)	/* without any addition to the target */
#define SWIFT_FEW	(WEFT_SIM_PACKET / 10)	/* with all of it */

/* The square root of @n, rounded down. */
static u64 root(u64 n)
{
	u64 r = 0;

	for (u64 bit = 1ULL << 31; bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= n)
			r += bit;
	return r;
}

/*
 * range * (1 / sqrt(w) - 1 / sqrt(most)) / (1 / sqrt(few) - 1 / sqrt(most)), between 0 and
 * the range. Square roots of windows have 8 bits behind the point.
 */
static fab_time swift_addition(const struct weft_sim_qp *qp)
{
	const u64 one = 1ULL << 32, most = one / root(SWIFT_MOST);
	u64 cwnd = max(qp->cwnd, SWIFT_FEW);

	if (cwnd >= SWIFT_MOST)
		return 0;
	return (fab_time)((__uint128_t)qp->swift.base * (one / root(cwnd) - most) /
			  (one / root(SWIFT_FEW) - most));
}

static void swift_begin(struct weft_sim_qp *qp)
{
	qp->swift.base = 2 * qp->alone;
	qp->swift.rtt = qp->alone;
	qp->cwnd = qp->swift.base * WEFT_SIM_PACKET / weft_sim_packet_time(qp->from) +
		   WEFT_SIM_PACKET;
	qp->cwnd = min(qp->cwnd, WEFT_SIM_CWND_MAX);
}

static void swift_cut(struct weft_sim *sim, struct weft_sim_qp *qp, fab_time excess,
		      fab_time delay)
{
	fab_time now = sim->fab.now;

	if (qp->swift.has_cut && now - qp->swift.cut_at < qp->swift.rtt)
		return;
	/* 1 - 0.8 * excess / delay, at least 1/2 */
	excess = min(excess * 4 / 5, delay / 2);
	qp->cwnd -= (u64)((__uint128_t)qp->cwnd * excess / delay);
	qp->cwnd = max(qp->cwnd, SWIFT_LEAST);
	qp->swift.cut_at = now;
	qp->swift.has_cut = true;
}

static void swift_acked(struct weft_sim *sim, struct weft_sim_qp *qp,
			const struct weft_sim_pkt *ack, u32 packets)
{
	fab_time delay = sim->fab.now - ack->stamp;
	fab_time target = qp->swift.base + swift_addition(qp);

	qp->swift.rtt = delay;
	if (delay > target) {
		swift_cut(sim, qp, delay - target, delay);
		return;
	}
	weft_sim_grow(qp, packets, qp->cwnd >= WEFT_SIM_PACKET);
}

/* As after the greatest excess. */
static void swift_lost(struct weft_sim *sim, struct weft_sim_qp *qp, bool timeout)
{
	swift_cut(sim, qp, 2, 2);
}

static fab_time swift_pace(struct weft_sim *sim, struct weft_sim_qp *qp, u32 bytes)
{
	fab_time now = sim->fab.now;

	if (qp->cwnd >= WEFT_SIM_PACKET)
		return now;
	return now + qp->swift.rtt * WEFT_SIM_PACKET / qp->cwnd;
}

const struct weft_sim_cc weft_sim_swift = {
	.name = "swift",
	.window = true,
	.begin = swift_begin,
	.pace = swift_pace,
	.acked = swift_acked,
	.lost = swift_lost,
};
