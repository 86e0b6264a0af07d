// SPDX-License-Identifier: GPL-2.0
/*
 * Swift: a window that follows the delay of packets.
 *
 * DOC: theory of operation
 *
 * The delay of a packet is from its first bit on the wire to its acknowledgement. Below the
 * target the window grows by one packet in a round trip; above it, at most once in a round
 * trip, it shrinks by 0.8 of the excess, at most to a half. The target is higher for a small
 * window (section 3.5), so that many flows of a bottleneck find their share. A window below
 * one packet paces packets.
 *
 * Choices, as the paper leaves them to the fabric: the target is higher by as much again at
 * most; a flow begins with what the wire sends in the target. All delay is taken together:
 * that of the fabric and that of the hosts.
 *
 * Source: Kumar et al., Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter, SIGCOMM 2020, algorithm 1.
 */
#include "core/cc/swift.h"

#define SWIFT_LEAST	(FAB_SWIFT_PACKET / 1000)
#define SWIFT_LARGEST	(FAB_SWIFT_PACKET << 22)
#define SWIFT_MOST	(100 * FAB_SWIFT_PACKET)	/* without any addition to the target */
#define SWIFT_FEW	(FAB_SWIFT_PACKET / 10)		/* with all of it */

/* The square root of @n, rounded down. */
static u64 swift_root(u64 n)
{
	u64 r = 0, bit;

	for (bit = BIT_ULL(31); bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= n)
			r += bit;
	return r;
}

/*
 * base * (1 / sqrt(w) - 1 / sqrt(most)) / (1 / sqrt(few) - 1 / sqrt(most)), between 0 and
 * the base. Square roots of windows have 8 bits behind the point.
 */
static fab_time swift_addition(const struct fab_swift *s)
{
	const u64 one = BIT_ULL(32), most = div64_u64(one, swift_root(SWIFT_MOST));
	u64 cwnd = max(s->cwnd, SWIFT_FEW);

	if (cwnd >= SWIFT_MOST)
		return 0;
	return mul_u64_u64_div_u64(s->base, div64_u64(one, swift_root(cwnd)) - most,
				   div64_u64(one, swift_root(SWIFT_FEW)) - most);
}

/**
 * fab_swift_init() - begin
 * @s: the flow
 * @base: target without any addition: twice the round trip of a packet alone is a good one, ps
 * @packet: time of a packet of full size on the wire, ps, at least 1
 */
void fab_swift_init(struct fab_swift *s, fab_time base, fab_time packet)
{
	*s = (struct fab_swift) { .base = base, .rtt = base / 2 };
	s->cwnd = mul_u64_u64_div_u64(base, FAB_SWIFT_PACKET, packet) + FAB_SWIFT_PACKET;
	s->cwnd = min(s->cwnd, SWIFT_LARGEST);
}

static bool swift_cut(struct fab_swift *s, fab_time now, fab_time excess, fab_time delay)
{
	if (s->has_cut && now - s->cut_at < s->rtt)
		return false;
	/* 1 - 0.8 * excess / delay, at least 1/2 */
	excess = min(div64_u64(excess * 4, 5), delay / 2);
	s->cwnd -= mul_u64_u64_div_u64(s->cwnd, excess, delay);
	s->cwnd = max(s->cwnd, SWIFT_LEAST);
	s->cut_at = now;
	s->has_cut = true;
	return true;
}

/**
 * fab_swift_acked() - packets were acknowledged
 * @s: the flow, which has begun
 * @now: fabric time
 * @delay: that of the newest of them, ps
 * @packets: how many more than before, 1 at least
 *
 * Return: true if the window has shrunk.
 */
bool fab_swift_acked(struct fab_swift *s, fab_time now, fab_time delay, u32 packets)
{
	fab_time target = s->base + swift_addition(s);
	u64 more = packets * FAB_SWIFT_PACKET;

	s->rtt = delay;
	if (delay > target)
		return swift_cut(s, now, delay - target, delay);
	if (s->cwnd >= FAB_SWIFT_PACKET)
		more = div64_u64(more * FAB_SWIFT_PACKET, s->cwnd);
	s->cwnd = min(s->cwnd + more, SWIFT_LARGEST);
	return false;
}

/**
 * fab_swift_lost() - a packet is missing: as after the greatest excess
 * @s: the flow, which has begun
 * @now: fabric time
 *
 * Return: true if the window has shrunk.
 */
bool fab_swift_lost(struct fab_swift *s, fab_time now)
{
	return swift_cut(s, now, 2, 2);
}

/**
 * fab_swift_pace() - when may the packet after this one be sent?
 * @s: the flow, which has begun
 * @now: fabric time
 *
 * Return: fabric time, at least @now.
 */
fab_time fab_swift_pace(const struct fab_swift *s, fab_time now)
{
	if (s->cwnd >= FAB_SWIFT_PACKET)
		return now;
	return now + mul_u64_u64_div_u64(s->rtt, FAB_SWIFT_PACKET, s->cwnd);
}
