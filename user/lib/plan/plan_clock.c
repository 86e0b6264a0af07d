// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The clock of a plan: the dilation that a fabric needs on a real clock.
 *
 * A fabric is executed under one lock, by one CPU at a time. A fabric that is
 * behind uses at most half of that CPU (kernel/fabric/engine.c). Its need is
 * the sum of all transmissions: each direction of each link at full load, with
 * the longest packets that NICs send. Shorter packets need more time, idle
 * links less.
 */
#include <linux/weft.h>

#include "base/units.h"
#include "plan/plan.h"

/*
 * Wall-clock time of a transmission, ps. Documentation/cost.rst measured 2,500
 * instructions from NIC to NIC, 1,600 more for each switch, and 6,000 for a
 * packet of RDMA. The value is 3,000 instructions in half of the time of a CPU
 * with 10^9 instructions per second, which is slower than any CPU of today.
 */
#define HOP_PS		6000000ULL

#define RDMA_MTU	4096U

/* Smallest of the NICs' longest packets, bytes. */
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

/* Wall-clock time that a second of the fabric takes, ps. */
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
 * weft_plan_dilation() - least dilation with which a real clock can keep up
 * @plan: the plan, with NICs and links
 *
 * Return: 1, 2 or 5 times a power of ten, at most WEFT_DILATION_MAX.
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
 * @clock: 0: virtual; 1: real; K: real/K; WEFT_CLOCK_AUTO: choose K
 */
void weft_plan_clock(struct weft_plan *plan, uint32_t clock)
{
	if (clock == WEFT_CLOCK_AUTO)
		clock = weft_plan_dilation(plan);
	plan->clock = clock;
	plan->fabric.dilation = clock ? clock : 1;
}
