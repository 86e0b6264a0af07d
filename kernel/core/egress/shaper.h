/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rate limits of classes.
 */
#ifndef FAB_SHAPER_H
#define FAB_SHAPER_H

#include "core/types.h"

int fab_shaper_set(struct fab *fab, struct fab_port *port, u16 classes,
		   u64 bps);
void fab_shaper_sent(struct fab *fab, struct fab_port *port,
		     const struct fab_pkt *pkt);
bool fab_shaper_waits(const struct fab_port *port, u32 cls, fab_time now,
		      fab_time *later);

#endif
