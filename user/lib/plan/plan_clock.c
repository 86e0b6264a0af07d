// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many times slower than the wall a fabric has to run on a real clock.
 *
 * A fabric is executed under one lock, by one CPU at a time, and takes at most half of
 * that CPU where it is behind (kernel/fabric/engine.c). So what it needs is the sum of all
 * transmissions: each direction of each link at full load, with the longest packets
 * that NICs send. Shorter ones need more; a job that leaves links idle needs less.
 */
#include <linux/weft.h>

#include "base/units.h"
#include "plan/plan.h"

/*
 * ps of the wall for a transmission. Documentation/cost.rst has 2,500 instructions for
 * one from NIC to NIC, 1,600 more for each switch, and 6,000 for a packet of RDMA. So
 * this is 3,000 of them at 10^9 a second, which every CPU of today exceeds, in half of
 * the time.
 */
#define HOP_PS		6000000ULL

#define RDMA_MTU	4096U

/* The shortest of what NICs send at most, bytes. */
static uint32_t packet_bytes(const struct weft_plan *p)
{
	uint32_t least = UINT32_MAX;

	for (unsigned int i = 0; i < p->nics; i++) {
		uint32_t mtu = p->nic[i].mtu;

		if (p->nic[i].device[0] && mtu > RDMA_MTU)
			mtu = RDMA_MTU;
		if (mtu < least)
			least = mtu;
	}
	return least;
}

/* ps of the wall that a second of the fabric takes. */
static __uint128_t needed(const struct weft_plan *p)
{
	uint32_t bytes = packet_bytes(p);
	__uint128_t ps = 0;

	for (unsigned int i = 0; i < p->links; i++) {
		const struct weft_wire *w = &p->link[i].wire[0];
		uint64_t bits = 8 * weft_wire_bytes(w, bytes);

		ps += (__uint128_t)2 * weft_wire_rate(w) * HOP_PS / bits;
	}
	return ps;
}

/**
 * weft_plan_dilation() - how many times slower a fabric has to run to keep its times
 * @plan: the plan, with NICs and links
 *
 * Return: 1, 2 or 5 times a power of ten, WEFT_DILATION_MAX at most.
 */
uint32_t weft_plan_dilation(const struct weft_plan *plan)
{
	static const uint32_t steps[] = { 1, 2, 5 };
	__uint128_t ps = needed(plan);

	for (uint32_t ten = 1; ten < WEFT_DILATION_MAX; ten *= 10) {
		for (unsigned int i = 0; i < 3; i++) {
			if (ps <= (__uint128_t)ten * steps[i] * WEFT_PS_PER_S)
				return ten * steps[i];
		}
	}
	return WEFT_DILATION_MAX;
}

/**
 * weft_plan_clock() - set the clock of a plan
 * @plan: the plan, with NICs and links
 * @clock: 0 virtual, 1 real, K real/K, WEFT_CLOCK_AUTO
 */
void weft_plan_clock(struct weft_plan *plan, uint32_t clock)
{
	if (clock == WEFT_CLOCK_AUTO)
		clock = weft_plan_dilation(plan);
	plan->clock = clock;
	plan->fabric.dilation = clock ? clock : 1;
}
