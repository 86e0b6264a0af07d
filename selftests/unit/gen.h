/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generators of background traffic, with a log of the packets handed to their NICs.
 */
#ifndef UNIT_GEN_H
#define UNIT_GEN_H

#include "core/node/traffic.h"
#include "net.h"

#define GENS	8U
#define POOL	512U
#define LOG	4096U

struct gen;

/**
 * struct gen_pkt - a packet of a generator
 */
struct gen_pkt {
	/** @p: its handle */
	struct fab_pkt p;
	/** @of: its generator */
	struct gen *of;
	/** @waits: it has not left the NIC */
	bool waits;
};

/**
 * struct gen - a generator, its packets, and a log of those handed to its NIC
 */
struct gen {
	/** @t: the generator */
	struct fab_traffic t;
	/** @pkt: its packets */
	struct gen_pkt pkt[POOL];
	/** @n: entries of the log, as far as they fit */
	u32 n;
	/** @at: when a packet was handed over */
	fab_time at[LOG];
	/** @dst: where to */
	u32 dst[LOG];
	/** @len: bytes of it */
	u32 len[LOG];
};

struct net *with_gens(struct net *net);
struct gen *gen_new(struct net *net, u32 src,
		    const struct fab_traffic_params *p, u32 pool);
void gen_free(struct net *net, struct gen *g);

#endif
