/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trimming: cutting packets down to their headers instead of dropping them.
 */
#ifndef FAB_TRIM_H
#define FAB_TRIM_H

#include "core/pkt.h"

/**
 * struct fab_trim_params - parameters of trimming
 */
struct fab_trim_params {
	/** @classes: bit per class whose packets are trimmed when its queue is full */
	u16 classes;
	/** @cls: class of the trimmed packets */
	u8 cls;
	/** @len: bytes that remain of a frame, FCS excluded; 0: no trimming */
	u32 len;
};

int fab_trim_params_check(const struct fab_port_params *p);
bool fab_trim(struct fab *fab, struct fab_port *port, struct fab_pkt *pkt);

#endif
