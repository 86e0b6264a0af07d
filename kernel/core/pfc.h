/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pauses: IEEE 802.3x for a whole link, 802.1Qbb for each of its classes.
 */
#ifndef FAB_PFC_H
#define FAB_PFC_H

#include "flow.h"

#define FAB_PFC_WIRE		84U	/* bytes of a pause on the wire, slot included */
#define FAB_PFC_QUANTUM		64U	/* bytes, 512 bits */
#define FAB_PFC_QUANTA_MIN	4U	/* half of it is longer than a pause */

int fab_pfc_set(struct fab *fab, struct fab_port *port,
		const struct fab_pfc_params *p);
fab_time fab_pfc_time(u16 quanta, u64 bps);

#endif
