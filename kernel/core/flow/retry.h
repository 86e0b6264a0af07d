/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Retry of a link: state of one port.
 */
#ifndef FAB_RETRY_H
#define FAB_RETRY_H

#include "core/flow/discipline.h"

#define FAB_RETRY_BUFFER_MAX	((u32)BIT(30))	/* bytes: sequence numbers wrap */

/**
 * struct fab_retry - state of one port, both directions
 *
 * Sequence numbers count bytes of the replay buffer, modulo 2^32.
 */
struct fab_retry {
	/** @nak: receiving: a replay is to be asked for */
	bool nak;
	/** @naks: receiving: replays asked for */
	u32 naks;
	/** @replays: sending: replays begun */
	u32 replays;
	/** @seq: sending: of the next new packet */
	u32 seq;
	/** @acked: sending: what is before arrived */
	u32 acked;
	/** @expect: receiving: of the packet that is taken next */
	u32 expect;
	/** @arrived: receiving: of the packet that comes off the wire next */
	u32 arrived;
	/** @told_seq: receiving: @expect as the far end was told */
	u32 told_seq;
};

int fab_retry_params_check(const struct fab_port_params *p);
void fab_retry_init(struct fab_port *port);
void fab_retry_reset(struct fab *fab, struct fab_port *port);
void fab_retry_on_send(struct fab *fab, struct fab_port *port,
		       const struct fab_pkt *pkt);
bool fab_retry_on_arrive(struct fab *fab, struct fab_port *from,
			 struct fab_pkt *pkt);
u32 fab_retry_control(struct fab *fab, struct fab_port *port, enum fab_say say,
		      struct fab_control *c);
void fab_retry_on_control(struct fab *fab, struct fab_port *port,
			  const struct fab_control *c);
const char *fab_retry_check(const struct fab_port *port);

#endif
