// SPDX-License-Identifier: GPL-2.0
/*
 * A one-way wire: the length and the time of packets on it, and bit errors.
 *
 * DOC: theory of operation
 *
 * A frame of a packet occupies its length, padded to the minimum, plus a fixed
 * overhead (frame check sequence, preamble, gap). A train of several frames occupies
 * the sum; its frames are assumed to be longer than the minimum.
 *
 * On a link whose packets are small (NVLink, PCIe) a frame is cut into packets of at
 * most payload bytes, each with the overhead. The end of the frame is padded to a
 * whole unit (a flit of 16 bytes, a double word).
 *
 * The rate is that of all lanes together. Lanes that do not work reduce it by their
 * share. The distribution of packets over lanes is not modelled.
 *
 * Bit errors are a Poisson process along the bits: the distance to the next one
 * is -ln(U) times the mean, so a packet of n bits on the wire is hit with
 * probability 1 - exp(-n / mean). The process has no memory, so after a hit a new
 * distance is drawn from the end of the packet.
 *
 * Not modelled: bursts (which an error of the FEC decoder causes), the position of the
 * error within a train, which is lost as a whole.
 */
#include "core/wire/wire.h"
#include "core/sim/fixed.h"
#include "core/sim/rng.h"

#define WIRE_LOG_BITS	26	/* -ln(U) < 45 in 32 bits */
#define WIRE_LN2	46516320ULL	/* ln(2) * 2^26, rounded */

/* log2(@x) in units of 2^-26, truncated; @x is not 0. */
static u64 wire_log2(u64 x)
{
	u32 whole = fls64(x) - 1, i;
	u64 log = whole;
	/* The mantissa, in [1, 2) with 31 fractional bits. */
	u64 m = whole > 31 ? x >> (whole - 31) : x << (31 - whole);

	for (i = 0; i < WIRE_LOG_BITS; i++) {
		m = m * m >> 31;
		log <<= 1;
		if (m >> 32) {
			m >>= 1;
			log |= 1;
		}
	}
	return log;
}

/**
 * fab_wire_draw() - draw the distance to the next bit error
 * @rng: the generator
 * @mean: mean distance, bits
 *
 * Return: bits, exponentially distributed, at least 1.
 */
u64 fab_wire_draw(u64 *rng, u64 mean)
{
	u64 u = fab_rng_next(rng) | 1;
	u64 log = (64ULL << WIRE_LOG_BITS) - wire_log2(u);
	u32 ln = log * WIRE_LN2 >> WIRE_LOG_BITS;

	return mul_u64_u32_shr(mean, ln, WIRE_LOG_BITS) + 1;
}

/**
 * fab_wire_params_check() - check the parameters of a wire
 * @p: the parameters
 *
 * The limits keep every sum of times and lengths within 64 bits.
 *
 * Return: 0, or -ERANGE.
 */
int fab_wire_params_check(const struct fab_wire_params *p)
{
	if (p->rate_bps < FAB_RATE_MIN || p->rate_bps > FAB_RATE_MAX)
		return -ERANGE;
	if (p->propagation > FAB_DELAY_MAX)
		return -ERANGE;
	if (p->overhead > FAB_OVERHEAD_MAX || p->min_frame > FAB_FRAME_MIN_MAX)
		return -ERANGE;
	if (p->bits_per_error > FAB_ERROR_MAX)
		return -ERANGE;
	if (!p->lanes || p->lanes > FAB_LANES_MAX)
		return -ERANGE;
	if (!p->lanes_up || p->lanes_up > p->lanes)
		return -ERANGE;
	if (div64_u64(p->rate_bps * p->lanes_up, p->lanes) < FAB_RATE_MIN)
		return -ERANGE;
	if (!p->payload)
		return 0;
	if (p->payload < p->overhead || p->payload > FAB_PAYLOAD_MAX)
		return -ERANGE;
	return !p->unit || p->unit > FAB_UNIT_MAX ? -ERANGE : 0;
}

/* The rate of the lanes that work, limited by faults, bits per second. */
static u64 wire_rate(const struct fab_wire *w)
{
	u32 lanes = w->p.lanes_up;
	u64 bps;

	if (w->cap_lanes)
		lanes = min(lanes, w->cap_lanes);
	bps = div64_u64(w->p.rate_bps * lanes, w->p.lanes);
	if (w->cap_bps)
		bps = min(bps, w->cap_bps);
	return max(bps, FAB_RATE_MIN);
}

/* All that a packet meets on the wire, if that has room in a word; else 0. */
static u64 wire_pace(const struct fab_wire *w)
{
	if (w->p.payload || w->p.bits_per_error || !w->ps_per_byte)
		return 0;
	return (u64)w->ps_per_byte << 32 | w->p.min_frame << 16 | w->p.overhead;
}

/**
 * fab_wire_set() - change the parameters of a wire
 * @w: the wire
 * @p: its parameters, which fab_wire_params_check() accepts
 *
 * Packets in flight arrive as they were sent.
 */
void fab_wire_set(struct fab_wire *w, const struct fab_wire_params *p)
{
	bool errors = p->bits_per_error != w->p.bits_per_error;
	u64 byte_ps, rest;

	w->p = *p;
	w->bps = wire_rate(w);
	byte_ps = div64_u64_rem(8 * FAB_PS_PER_S, w->bps, &rest);
	w->ps_per_byte = !rest && byte_ps <= U32_MAX ? byte_ps : 0;
	w->pace = wire_pace(w);
	w->pace_far = w->pace;
	if (errors && p->bits_per_error)
		w->error_in = fab_wire_draw(&w->rng, p->bits_per_error);
}

/**
 * fab_wire_init() - initialise a wire, up and empty
 * @w: the wire
 * @p: its parameters, which fab_wire_params_check() accepts
 * @seed: seed of its bit errors
 */
void fab_wire_init(struct fab_wire *w, const struct fab_wire_params *p,
		   u64 seed)
{
	w->up = true;
	w->enabled = true;
	w->cap_bps = 0;
	w->cap_lanes = 0;
	w->in_flight.head = NULL;
	w->rng = seed;
	w->error_in = 0;
	w->p.bits_per_error = 0;
	fab_wire_set(w, p);
}

/**
 * fab_wire_bytes_cut() - bytes that a packet takes on a wire that cuts frames
 * @w: the wire, with a payload
 * @pkt: the packet; the frames of a train are assumed to have equal length
 *
 * Return: bytes, padding and overhead included.
 */
u32 fab_wire_bytes_cut(const struct fab_wire *w, const struct fab_pkt *pkt)
{
	const struct fab_wire_params *p = &w->p;
	u32 len = fab_pkt_frame(pkt);
	u32 packets = DIV_ROUND_UP(len, p->payload);

	return pkt->segs * (packets * p->overhead +
			    DIV_ROUND_UP(len, p->unit) * p->unit);
}

/**
 * fab_wire_strike() - advance the bit errors of a wire that has some
 * @w: the wire
 * @bytes: length of a transmission on it
 *
 * Return: true if an error hits it.
 */
bool fab_wire_strike(struct fab_wire *w, u32 bytes)
{
	u64 bits = (u64)bytes * 8;

	if (w->error_in > bits) {
		w->error_in -= bits;
		return false;
	}
	w->error_in = fab_wire_draw(&w->rng, w->p.bits_per_error);
	return true;
}
