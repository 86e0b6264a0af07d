// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Headroom: buffer of a lossless class for packets that arrive after its pause
 *
 * A receiver that decides to pause its sender still receives packets for a
 * while. The pause frame waits behind a frame on the reverse wire, travels, and
 * takes effect after a reaction time. The wire is then full of packets that
 * were sent meanwhile. The bound in this file follows from these rules alone.
 * The formulas of products and simulators are in headroom_models.c and
 * reproduce their tables to the byte. Documentation/headroom.rst describes all
 * of them.
 *
 * All arithmetic is in integers; results are rounded only where a formula rounds.
 */
#include "plan/headroom.h"

#include <stdio.h>

#include "base/units.h"

/* Bytes at @rate (bit/s) during @ps, rounded up; UINT64_MAX if it is more. */
static uint64_t bytes_in(uint64_t rate, __uint128_t ps)
{
	const __uint128_t den = 8 * (__uint128_t)WEFT_PS_PER_S;
	__uint128_t bytes;

	if (__builtin_mul_overflow(ps, rate, &bytes))
		return UINT64_MAX;
	bytes = bytes / den + !!(bytes % den);
	return bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Bytes that arrive between the start of the pause frame and its effect. */
static uint64_t in_flight(const struct weft_headroom_in *in)
{
	return bytes_in(in->rate, 2 * (__uint128_t)in->propagation +
				  in->react);
}

/**
 * weft_headroom_least() - least bytes that arrive after the decision to pause
 * @in: the link and the class
 *
 * C (2p + t) + L + 84 bytes, with rate C, propagation p, reaction time t and
 * frame L on the reverse wire. A sender that never stops fills the wire while
 * the pause frame waits behind that frame, is sent, travels and takes effect. A
 * headroom that is smaller by more than a frame loses packets.
 *
 * Return: bytes, rounded up; UINT64_MAX if it is more.
 */
uint64_t weft_headroom_least(const struct weft_headroom_in *in)
{
	return add(in_flight(in), (uint64_t)in->reverse + WEFT_HEADROOM_PAUSE);
}

/**
 * weft_headroom_enough() - most bytes that can arrive after the decision to pause
 * @in: the link and the class
 *
 * Two frames more than weft_headroom_least(): the frame that the sender is
 * sending when the pause takes effect, and the frame whose arrival triggered
 * the pause.
 *
 * Return: bytes, rounded up; UINT64_MAX if it is more.
 */
uint64_t weft_headroom_enough(const struct weft_headroom_in *in)
{
	return add(weft_headroom_least(in), 2 * (uint64_t)in->mtu);
}

/**
 * weft_headroom_explain() - write the sum of weft_headroom_enough() in one line
 * @buf: result
 * @len: size of @buf; 256 bytes suffice
 * @in: the link and the class
 *
 * For error messages such as "headroom 40000 is below its need ...".
 *
 * Return: @buf.
 */
const char *weft_headroom_explain(char *buf, size_t len,
				  const struct weft_headroom_in *in)
{
	char rate[32], prop[32], react[32];

	snprintf(buf, len,
		 "need %llu = %s * (2 * %s + %s) %llu + reverse frame %u + pause frame %d + 2 * frame %u",
		 (unsigned long long)weft_headroom_enough(in),
		 weft_format_rate(rate, sizeof(rate), in->rate),
		 weft_format_time(prop, sizeof(prop), in->propagation),
		 weft_format_time(react, sizeof(react), in->react),
		 (unsigned long long)in_flight(in), in->reverse,
		 WEFT_HEADROOM_PAUSE, in->mtu);
	return buf;
}

/**
 * weft_headroom_propagation() - propagation delay of a cable
 * @length: length of the cable, m
 *
 * The speed is that of SONiC, 198e6 m/s: 5.0505... ns for a metre.
 *
 * Return: ps, rounded up.
 */
uint64_t weft_headroom_propagation(uint32_t length)
{
	return ((uint64_t)length * WEFT_PS_PER_US + 197) / 198;
}

/**
 * weft_headroom_quanta() - reaction time that IEEE 802.3 allows at a rate, in
 * quanta
 * @rate: bit/s
 *
 * The source is clause 31B.3.7, in the table of SONiC. A quantum is 512 bit times.
 *
 * Return: quanta, 0 for a rate that is not in the table.
 */
uint32_t weft_headroom_quanta(uint64_t rate)
{
	static const struct { uint32_t gbps, quanta; } table[] = {
		{ 10, 67 }, { 25, 80 }, { 40, 118 }, { 50, 147 }, { 100, 394 },
		{ 200, 453 }, { 400, 905 }, { 800, 905 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (rate == table[i].gbps * 1000000000ULL)
			return table[i].quanta;
	return 0;
}

/**
 * weft_headroom_react() - reaction time that IEEE 802.3 allows at a rate
 * @rate: bit/s
 *
 * Return: ps, rounded up, 0 for a rate that is not in the table.
 */
uint64_t weft_headroom_react(uint64_t rate)
{
	__uint128_t ps = weft_headroom_quanta(rate);

	ps = ps * 512 * WEFT_PS_PER_S;
	return rate ? (uint64_t)((ps + rate - 1) / rate) : 0;
}
