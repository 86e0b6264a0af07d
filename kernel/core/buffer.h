/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared packet buffer of a switch, accounted at ingress.
 */
#ifndef FAB_BUFFER_H
#define FAB_BUFFER_H

#include "port.h"

/**
 * struct fab_buffer_params - size of the buffer
 */
struct fab_buffer_params {
	/** @total: bytes of the whole switch */
	u64 total;
	/** @per_port: bytes that packets of one ingress port may hold */
	u64 per_port;
};

/**
 * struct fab_buffer - its occupancy
 */
struct fab_buffer {
	/** @p: parameters */
	struct fab_buffer_params p;
	/** @used: bytes held; the sum of fab_port.held over the ports */
	u64 used;
	/** @peak: most bytes ever held */
	u64 peak;
};

enum fab_drop fab_buffer_admit(struct fab_buffer *b, struct fab_port *in,
			       const struct fab_pkt *pkt);
void fab_buffer_release(struct fab_buffer *b, struct fab_port *in,
			const struct fab_pkt *pkt);

#endif
