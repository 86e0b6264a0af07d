/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directed routes through a switch.
 */
#ifndef WEFT_RDMA_WALK_H
#define WEFT_RDMA_WALK_H

#include <linux/types.h>

struct ib_smp;

/**
 * enum weft_walk_to - where a datagram with a directed route goes
 * @WEFT_WALK_DROP: nowhere: its route is not valid here
 * @WEFT_WALK_HERE: to the agent of this switch
 * @WEFT_WALK_PORT: to the device behind a port of this switch
 * @WEFT_WALK_LID: to a LID, by the forwarding tables
 * @WEFT_WALK_BACK: the same, to the LID that the datagram came from
 */
enum weft_walk_to {
	WEFT_WALK_DROP,
	WEFT_WALK_HERE,
	WEFT_WALK_PORT,
	WEFT_WALK_LID,
	WEFT_WALK_BACK,
};

/**
 * struct weft_walk - next step of a directed route
 */
struct weft_walk {
	/** @to: where it goes */
	enum weft_walk_to to;
	/** @port: with WEFT_WALK_PORT: number of the port, from 1 on */
	u8 port;
	/** @lid: with WEFT_WALK_LID: the LID */
	u16 lid;
};

struct weft_walk weft_walk_arrive(struct ib_smp *smp, u8 in, u8 ports);
struct weft_walk weft_walk_reply(struct ib_smp *smp, u8 ports);

#endif
