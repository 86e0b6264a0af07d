/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pauses: IEEE 802.3x for a whole link, 802.1Qbb for each of its classes.
 */
#ifndef FAB_PFC_H
#define FAB_PFC_H

#include "core/flow/flow.h"

#define FAB_PFC_WIRE		84U	/* bytes of a pause frame, preamble and gap included */
#define FAB_PFC_QUANTUM		64U	/* bytes, 512 bits */
#define FAB_PFC_QUANTA_MIN	4U	/* half of it is longer than a pause frame */

int fab_pfc_set(struct fab *fab, struct fab_port *port,
		const struct fab_pfc_params *p);
void fab_pfc_storm(struct fab *fab, struct fab_port *port, u16 storm);

/**
 * fab_pfc_time() - duration of a pause
 * @quanta: its length in quanta of 512 bit times
 * @bps: rate of the paused wire, bits per second
 *
 * Return: picoseconds, rounded up.
 */
static inline fab_time fab_pfc_time(u16 quanta, u64 bps)
{
	/* Half of the bits: their picoseconds fit 64 bits. */
	u64 half = (u64)quanta * (FAB_PFC_QUANTUM * 8 / 2) * FAB_PS_PER_S;
	u64 rest, time = div64_u64_rem(half, bps, &rest);

	return 2 * time + div64_u64(2 * rest + bps - 1, bps);
}

#endif
