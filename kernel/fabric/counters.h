/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of the counters, for netlink and ethtool.
 */
#ifndef WEFT_COUNTERS_H
#define WEFT_COUNTERS_H

#include "core/counters.h"

/*
 * The counter structs of the model have only 64-bit counters, in the order of their
 * names, so they are read as arrays.
 */
#define WEFT_PORT_COUNTERS	(offsetof(struct fab_port_counters, drops) / \
				 sizeof(u64))
#define WEFT_CLASS_COUNTERS	(sizeof(struct fab_class_counters) / \
				 sizeof(u64))
#define WEFT_MODERATION_COUNTERS (sizeof(struct fab_moderation_counters) / \
				  sizeof(u64))
#define WEFT_FABRIC_COUNTERS	(sizeof(struct fab_counters) / sizeof(u64))

/**
 * enum weft_host_drop - why the host, not the fabric, lost a packet
 * @WEFT_HOST_DROP_RX_BACKLOG: receive queue of a NIC full
 * @WEFT_HOST_DROP_NO_MEMORY: no memory for a copy
 * @WEFT_HOST_DROP_LIMIT: packets on their way exceed net.weft.user_memory
 * @WEFT_HOST_DROP_COUNT: number of reasons
 */
enum weft_host_drop {
	WEFT_HOST_DROP_RX_BACKLOG,
	WEFT_HOST_DROP_NO_MEMORY,
	WEFT_HOST_DROP_LIMIT,
	WEFT_HOST_DROP_COUNT
};

extern const char *const weft_port_counter_name[WEFT_PORT_COUNTERS];
extern const char *const weft_class_counter_name[WEFT_CLASS_COUNTERS];
extern const char *const weft_moderation_counter_name[WEFT_MODERATION_COUNTERS];
extern const char *const weft_fabric_counter_name[WEFT_FABRIC_COUNTERS];
extern const char *const weft_drop_name[FAB_DROP_COUNT];
extern const char *const weft_host_drop_name[WEFT_HOST_DROP_COUNT];

#endif
