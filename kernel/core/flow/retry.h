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
	/** @nak: receiving: a NAK is pending */
	bool nak;
	/** @naks: receiving: number of replays requested */
	u32 naks;
	/** @replays: sending: number of replays begun */
	u32 replays;
	/** @seq: sending: sequence number of the next new packet */
	u32 seq;
	/** @acked: sending: all packets before this number are acknowledged */
	u32 acked;
	/** @expect: receiving: sequence number of the next packet to accept */
	u32 expect;
	/** @arrived: receiving: sequence number of the next packet off the wire */
	u32 arrived;
	/** @told_seq: receiving: @expect in the last acknowledgement */
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
