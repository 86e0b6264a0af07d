/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notices to the subnet manager: what traps of adapters and of switches have in common.
 */
#ifndef WEFT_RDMA_NOTICE_H
#define WEFT_RDMA_NOTICE_H

#include <rdma/ib_smi.h>

#include "core/types.h"

#define WEFT_TRAP_SENDS	5	/* the first and its repetitions */
#define WEFT_TRAP_TICK	(4096 * FAB_PS_PER_NS)	/* of the subnet timeout */

struct ib_mad_notice_attr;
struct weft_rpkt;

struct weft_rpkt *weft_notice_packet(const struct ib_mad_notice_attr *n, u64 tid);
void weft_notice_mkey(struct ib_mad_notice_attr *n, const struct ib_smp *smp);
void weft_notice_key(struct ib_mad_notice_attr *n, u32 key,
		     const struct weft_rpkt *p);

#endif
