/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forwarding: destination -> group of ports -> one port of the group.
 */
#ifndef FAB_ROUTE_H
#define FAB_ROUTE_H

#include "pkt.h"
#include "types.h"

#define FAB_NO_GROUP	U16_MAX

/**
 * enum fab_select - how one port of a group is chosen
 * @FAB_SELECT_ECMP: by the packet's flow hash, salted per switch
 * @FAB_SELECT_SPRAY: per packet, in turn
 * @__FAB_SELECT_MAX: number of choices
 */
enum fab_select {
	FAB_SELECT_ECMP,
	FAB_SELECT_SPRAY,
	__FAB_SELECT_MAX
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
	/** @next: member that spray serves next */
	u16 next;
	/** @users: destinations that refer to the group */
	u32 users;
};

/**
 * struct fab_route_table - forwarding table of one switch
 */
struct fab_route_table {
	/** @group_of: group of each destination, FAB_NO_GROUP where there is none */
	u16 *group_of;
	/** @group: the groups */
	struct fab_group *group;
	/** @dsts: destinations in @group_of */
	u32 dsts;
	/** @groups: slots in @group */
	u32 groups;
	/** @ports: ports of the switch */
	u32 ports;
	/** @salt: makes the choices of switches independent of each other */
	u64 salt;
	/** @select: how a port is chosen */
	enum fab_select select;
	/** @flood: ports that a multicast packet is copied to, bitmap */
	unsigned long *flood;
};

size_t fab_route_mem(u32 ports, u32 dsts, u32 groups);
void *fab_route_init(struct fab_route_table *t, u32 ports, u32 dsts, u32 groups,
		     enum fab_select select, u64 salt, void *mem);
int fab_route_set(struct fab_route_table *t, u32 dst, const u16 *ports, u32 n);
int fab_route_del(struct fab_route_table *t, u32 dst);
const struct fab_group *fab_route_get(const struct fab_route_table *t, u32 dst);
int fab_route_flood_set(struct fab_route_table *t, const u16 *ports, u32 n);
int fab_route_select(struct fab_route_table *t, const struct fab_pkt *pkt);

#endif
