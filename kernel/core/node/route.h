/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forwarding: destination -> group of ports -> one port of the group.
 */
#ifndef FAB_ROUTE_H
#define FAB_ROUTE_H

#include "core/pkt.h"
#include "core/sim/rng.h"
#include "core/types.h"

#define FAB_NO_GROUP		U16_MAX
#define FAB_ROUTE_MIXED		(U16_MAX - 1)
#define FAB_ROUTE_BLOCK		32U		/* entries: a line of the cache */
#define FAB_LMC_MAX		7U		/* IB: three bits of PortInfo */
#define FAB_MCASTS_MAX		0x3fffU		/* IB: LIDs from 0xc000 on */
#define FAB_FLOWLETS_MAX	((u32)BIT(20))	/* entries of a flowlet table */

struct fab_arns;

/**
 * enum fab_select - how one port of a group is chosen
 * @FAB_SELECT_ECMP: by the packet's flow hash, salted per switch
 * @FAB_SELECT_SPRAY: per packet, round robin
 * @FAB_SELECT_ADAPTIVE: per packet, the best port at that time
 * @FAB_SELECT_FLOWLET: the best port after a gap of the flow, then the same
 * @FAB_SELECT_RANDOM: per packet, random
 * @__FAB_SELECT_MAX: number of choices
 */
enum fab_select {
	FAB_SELECT_ECMP,
	FAB_SELECT_SPRAY,
	FAB_SELECT_ADAPTIVE,
	FAB_SELECT_FLOWLET,
	FAB_SELECT_RANDOM,
	__FAB_SELECT_MAX
};

/**
 * struct fab_route_params - parameters of a forwarding table
 */
struct fab_route_params {
	/** @ports: ports of the switch */
	u32 ports;
	/** @dsts: destinations, 0 to dsts - 1 */
	u32 dsts;
	/** @groups: groups of ports, below FAB_NO_GROUP */
	u32 groups;
	/** @mcasts: multicast groups, 0 to @mcasts - 1; 0: multicast is flooded */
	u32 mcasts;
	/** @lmc: log2 of the entries per destination (IB LMC), 0 to FAB_LMC_MAX */
	u32 lmc;
	/** @select: how one port of a group is chosen */
	enum fab_select select;
	/** @quantum: adaptive, flowlet: bytes of queue per step; 0: every byte is a step */
	u32 quantum;
	/** @flowlets: flowlet: entries of the flowlet table, a power of two; otherwise 0 */
	u32 flowlets;
	/** @flowlet_gap: flowlet: silence after which a flow may move, ps */
	fab_time flowlet_gap;
};

/**
 * struct fab_group - ports that lead to a destination equally well
 */
struct fab_group {
	/** @ports: bitmap of the member ports */
	unsigned long *ports;
	/** @member: the member ports, ascending */
	u16 *member;
	/** @n: members; 0: group not in use */
	u16 n;
	/** @next: next member of spray; it wins ties of adaptive */
	u16 next;
	/** @users: entries of the table that refer to the group */
	u32 users;
	/** @first: the first member */
	u16 first;
};

/**
 * struct fab_flowlet - port of some flows until they pause
 */
struct fab_flowlet {
	/** @until: from then on the flow may move; 0: the entry is new */
	fab_time until;
	/** @port: the port */
	u16 port;
};

/**
 * struct fab_route_table - forwarding table of one switch
 */
struct fab_route_table {
	/**
	 * @block: group of each FAB_ROUTE_BLOCK entries (dst << lmc | path) that have
	 * the same, FAB_NO_GROUP for none; FAB_ROUTE_MIXED: see @group_of
	 */
	u16 *block;
	/** @group_of: group of each entry of a block that is mixed, or FAB_NO_GROUP */
	u16 *group_of;
	/** @group: the groups */
	struct fab_group *group;
	/** @dsts: destinations, each of 1 << @lmc entries in @group_of */
	u32 dsts;
	/** @lmc: log2 of the entries per destination */
	u32 lmc;
	/** @groups: slots in @group */
	u32 groups;
	/** @ports: ports of the switch */
	u32 ports;
	/** @flows: there was an entry of several ports, or there are several to a destination */
	bool flows;
	/** @salt: makes the choices of switches independent of each other */
	u64 salt;
	/** @select: how a port is chosen */
	enum fab_select select;
	/** @quantum: bytes of queue that make a step of adaptive, not 0 */
	u32 quantum;
	/** @flowlet_mask: entries of @flowlet less one */
	u32 flowlet_mask;
	/** @flowlet_gap: silence after which a flow may move, ps */
	fab_time flowlet_gap;
	/** @flowlet: the flowlet table */
	struct fab_flowlet *flowlet;
	/** @arn: of the switches behind the ports, or NULL */
	const struct fab_arns *arn;
	/** @rng: source of random choices */
	u64 rng;
	/** @flood: ports that a multicast packet of no group is copied to, bitmap */
	unsigned long *flood;
	/** @mcasts: multicast groups; 0: all is flooded */
	u32 mcasts;
	/** @mcast: ports of each multicast group, bitmaps of the host; NULL: none */
	const unsigned long **mcast;
};

/**
 * fab_route_path() - path bits of a flow
 * @flow_hash: hash of the flow
 * @lmc: how many bits
 *
 * The sender of an InfiniBand packet chooses one of the receiver's LIDs, so
 * that they are a function of the flow alone and the same at every switch.
 *
 * Return: 0 to (1 << lmc) - 1.
 */
static inline u32 fab_route_path(u32 flow_hash, u32 lmc)
{
	return lmc ? fab_mix(flow_hash) & (BIT(lmc) - 1) : 0;
}

int fab_route_params_check(const struct fab_route_params *p);
size_t fab_route_mem(const struct fab_route_params *p);
void *fab_route_init(struct fab_route_table *t,
		     const struct fab_route_params *p, u64 salt, void *mem);
int fab_route_set(struct fab_route_table *t, u32 dst, const u16 *ports, u32 n);
int fab_route_set_path(struct fab_route_table *t, u32 dst, u32 path,
		       const u16 *ports, u32 n);
int fab_route_del(struct fab_route_table *t, u32 dst);
const struct fab_group *fab_route_get(const struct fab_route_table *t, u32 dst);
const struct fab_group *fab_route_get_path(const struct fab_route_table *t,
					   u32 dst, u32 path);
int fab_route_flood_set(struct fab_route_table *t, const u16 *ports, u32 n);
int fab_route_mcast_set(struct fab_route_table *t, u32 group,
			const unsigned long *ports);
const unsigned long *fab_route_mcast(const struct fab_route_table *t,
				     const struct fab_pkt *pkt);
int fab_route_select(struct fab_route_table *t, const struct fab_port *ports,
		     const struct fab_pkt *pkt, fab_time now);

#endif
