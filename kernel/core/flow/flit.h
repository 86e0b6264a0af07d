/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits for headers and data: state of one port.
 */
#ifndef FAB_FLIT_H
#define FAB_FLIT_H

#include "core/node/port.h"

#define FAB_FLIT_CREDITS_MAX	((u32)BIT(30))	/* of one pool, as counters wrap */

/**
 * struct fab_flit_credits - a number of credits of both kinds
 */
struct fab_flit_credits {
	/** @hdr: header credits, one per packet of the link */
	u32 hdr;
	/** @data: data credits, one per unit of data */
	u32 data;
};

/**
 * struct fab_flit_vc - one virtual channel of a port, both directions
 *
 * Counters start when the link comes up, modulo 2^32, except @held.
 */
struct fab_flit_vc {
	/** @used: sending: credits of the packets sent */
	struct fab_flit_credits used;
	/** @limit: sending: credits granted, by the last update */
	struct fab_flit_credits limit;
	/** @received: receiving: credits of the packets that arrived intact */
	struct fab_flit_credits received;
	/** @held: receiving: credits of the packets in the buffer now */
	struct fab_flit_credits held;
	/** @told: receiving: credits in the last update */
	struct fab_flit_credits told;
};

/**
 * struct fab_flit_state - state of one port
 */
struct fab_flit_state {
	/** @vc: the virtual channels */
	struct fab_flit_vc vc[FAB_CLASSES_MAX];
	/** @up: sending: bit per channel whose initial credits arrived */
	u16 up;
	/** @init: receiving: bit per channel whose initial credits are to be sent */
	u16 init;
	/** @news: receiving: bit per channel with a pending update */
	u16 news;
	/** @turn: receiving: channel whose update is sent next */
	u8 turn;
};

/**
 * fab_flit_cost() - credits that a packet takes
 * @p: parameters of the port that receives it
 * @pkt: the packet; each frame of a train is cut separately
 *
 * Return: header and data credits.
 */
static inline struct fab_flit_credits
fab_flit_cost(const struct fab_flit_params *p, const struct fab_pkt *pkt)
{
	u32 len = fab_pkt_frame(pkt);
	struct fab_flit_credits cost = {
		.hdr = pkt->segs * DIV_ROUND_UP(len, p->payload),
		.data = pkt->segs * DIV_ROUND_UP(len, p->unit),
	};

	return cost;
}

static inline struct fab_flit_credits fab_flit_add(struct fab_flit_credits a,
						   struct fab_flit_credits b)
{
	a.hdr += b.hdr;
	a.data += b.data;
	return a;
}

static inline struct fab_flit_credits fab_flit_sub(struct fab_flit_credits a,
						   struct fab_flit_credits b)
{
	a.hdr -= b.hdr;
	a.data -= b.data;
	return a;
}

static inline bool fab_flit_same(struct fab_flit_credits a,
				 struct fab_flit_credits b)
{
	return a.hdr == b.hdr && a.data == b.data;
}

static inline struct fab_flit_state *fab_flit(const struct fab_port *port)
{
	return port->flow_state;
}

static inline const struct fab_flit_params *
fab_flit_of(const struct fab_port *port)
{
	return &port->p->flow.flit;
}

/* The channel of a packet at the receiving port, which may have fewer. */
static inline u32 fab_flit_channel(const struct fab_port *rx,
				   const struct fab_pkt *pkt)
{
	return min((u32)pkt->cls, rx->p->classes - 1);
}

static inline struct fab_flit_credits
fab_flit_pool(const struct fab_port *rx, u32 vc)
{
	struct fab_flit_credits pool = {
		.hdr = fab_flit_of(rx)->hdr[vc],
		.data = fab_flit_of(rx)->data[vc],
	};

	return pool;
}

/* Credits that the receiving port has granted in total: all that are not held. */
static inline struct fab_flit_credits
fab_flit_granted(const struct fab_port *rx, u32 vc)
{
	const struct fab_flit_vc *v = &fab_flit(rx)->vc[vc];

	return fab_flit_sub(fab_flit_add(fab_flit_pool(rx, vc), v->received),
			    v->held);
}

u16 fab_flit_unheard(const struct fab_port *port);
const char *fab_flit_check(const struct fab_port *port);

#endif
