/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A one-way wire: serialisation, propagation, overhead, bit errors, up or down.
 */
#ifndef FAB_WIRE_H
#define FAB_WIRE_H

#include "core/pkt.h"
#include "core/sim/event.h"
#include "core/sim/fixed.h"

/* Limits of the parameters: every sum of times and lengths fits 64 bits. */
#define FAB_RATE_MIN		1000ULL			/* 1 kb/s */
#define FAB_RATE_MAX		1000000000000000ULL	/* 1 Pb/s */
#define FAB_OVERHEAD_MAX	256U			/* bytes per frame */
#define FAB_FRAME_MIN_MAX	4096U			/* bytes */
#define FAB_ERROR_MAX		BIT_ULL(56)		/* bits */
#define FAB_LANES_MAX		1024U
#define FAB_PAYLOAD_MAX		4096U			/* bytes */
#define FAB_UNIT_MAX		256U			/* bytes */

/**
 * struct fab_wire_params - parameters of a wire
 */
struct fab_wire_params {
	/** @propagation: time of the first bit from end to end, ps */
	fab_time propagation;
	/** @overhead: bytes that each frame takes in addition (FCS, preamble, gap) */
	u32 overhead;
	/** @min_frame: shorter frames are padded to this many bytes, FCS excluded */
	u32 min_frame;
	/**
	 * @payload: a frame is sent as packets of at most this many bytes, each with
	 * @overhead (NVLink, PCIe); 0: a frame is not cut
	 */
	u32 payload;
	/** @unit: with @payload: a frame is padded to a multiple of this, bytes */
	u32 unit;
	/** @bits_per_error: mean distance of bit errors, bits; 0 for none */
	u64 bits_per_error;
	/** @rate_bps: data rate in bits per second, after line coding and FEC */
	u64 rate_bps;
	/** @lanes: number of parallel links or lanes, of which @rate_bps is the sum */
	u16 lanes;
	/** @lanes_up: number of lanes that work */
	u16 lanes_up;
};

/**
 * struct fab_wire - one direction of a link; part of the port that sends on it
 */
struct fab_wire {
	/**
	 * @pace: not 0: there are no bit errors, and each packet takes the same time on
	 * another wire with the same pace
	 */
	u64 pace;
	/** @ps_per_byte: exact time of a byte, ps; 0 if it is not a whole number */
	u32 ps_per_byte;
	/** @up: @enabled, and no fault keeps it down; a wire that is down carries no packet */
	bool up;
	/** @tail: the far end acts on the last bit, not on the first */
	bool tail;
	/** @arrival: fires when the far end acts on the oldest packet */
	struct fab_event arrival;
	/** @pace_far: @pace, beside what else the far end reads */
	u64 pace_far;
	/** @in_flight: packets on the wire; pkt->at: when the far end acts */
	struct fab_fifo in_flight;
	/** @rx_latency: delay of the far end before it acts, ps */
	fab_time rx_latency;
	/** @p: parameters */
	struct fab_wire_params p;
	/** @bps: rate of the lanes that work, limited by faults, bits per second */
	u64 bps;
	/** @cap_bps: lowest limit of the rate by a fault, bits per second; 0: none */
	u64 cap_bps;
	/** @cap_lanes: lowest limit of the lanes by a fault; 0: none */
	u32 cap_lanes;
	/** @enabled: the host has set the wire up */
	bool enabled;
	/** @rng: random state of bit errors */
	u64 rng;
	/** @error_in: bits until the next error */
	u64 error_in;
};

int fab_wire_params_check(const struct fab_wire_params *p);
void fab_wire_init(struct fab_wire *w, const struct fab_wire_params *p,
		   u64 seed);
void fab_wire_set(struct fab_wire *w, const struct fab_wire_params *p);
u32 fab_wire_bytes_cut(const struct fab_wire *w, const struct fab_pkt *pkt);
bool fab_wire_strike(struct fab_wire *w, u32 bytes);
u64 fab_wire_draw(u64 *rng, u64 mean);

/**
 * fab_wire_bytes_whole() - as fab_wire_bytes(), on a wire on which frames are not cut
 * @w: the wire
 * @pkt: the packet
 *
 * Return: bytes.
 */
static inline u32 fab_wire_bytes_whole(const struct fab_wire *w, const struct fab_pkt *pkt)
{
	if (likely(pkt->segs == 1))
		return max(pkt->len, w->p.min_frame) + w->p.overhead;
	return pkt->len + pkt->segs * w->p.overhead;
}

/**
 * fab_wire_bytes() - bytes that a packet takes on a wire
 * @w: the wire
 * @pkt: the packet
 *
 * Return: bytes, padding and overhead of each frame included.
 */
static inline u32 fab_wire_bytes(const struct fab_wire *w, const struct fab_pkt *pkt)
{
	if (unlikely(w->p.payload))
		return fab_wire_bytes_cut(w, pkt);
	return fab_wire_bytes_whole(w, pkt);
}

/**
 * fab_wire_time_of() - time that bytes take on a wire
 * @w: the wire
 * @bytes: length on the wire, from fab_wire_bytes()
 *
 * Return: picoseconds from the first bit to the last.
 */
static inline fab_time fab_wire_time_of(const struct fab_wire *w, u32 bytes)
{
	if (w->ps_per_byte)
		return (u64)bytes * w->ps_per_byte;
	return fab_serialise(bytes, w->bps);
}

/**
 * fab_wire_time() - time that a packet takes on a wire
 * @w: the wire
 * @pkt: the packet
 *
 * Return: picoseconds from its first bit to its last.
 */
static inline fab_time fab_wire_time(const struct fab_wire *w, const struct fab_pkt *pkt)
{
	return fab_wire_time_of(w, fab_wire_bytes(w, pkt));
}

/**
 * fab_wire_alike() - does each packet take the same time on two wires?
 * @in: a wire on which a packet arrives
 * @out: another
 *
 * Return: true if it certainly does.
 */
static inline bool fab_wire_alike(const struct fab_wire *in, const struct fab_wire *out)
{
	return in->pace_far == out->pace && out->pace;
}

/**
 * fab_wire_hit() - advance the bit errors of a wire by a transmission
 * @w: the wire
 * @bytes: its length on the wire
 *
 * Return: true if an error hits it.
 */
static inline bool fab_wire_hit(struct fab_wire *w, u32 bytes)
{
	return unlikely(w->p.bits_per_error) && fab_wire_strike(w, bytes);
}

#endif
