// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the counters, for netlink and ethtool.
 */
#include "fabric/counters.h"

/* A missing name does not compile: the arrays have the sizes of the structs. */
#define X(name, text) #name,

const char *const weft_port_counter_name[] = {
	FAB_PORT_COUNTERS(X)
};

const char *const weft_class_counter_name[] = {
	FAB_CLASS_COUNTERS(X)
};

const char *const weft_moderation_counter_name[] = {
	FAB_MODERATION_COUNTERS(X)
};

const char *const weft_fabric_counter_name[] = {
	FAB_COUNTERS(X)
};

#undef X
#define X(NAME, name, text) #name,

const char *const weft_drop_name[] = {
	FAB_DROPS(X)
};

#undef X

const char *const weft_host_drop_name[] = {
	[WEFT_HOST_DROP_RX_BACKLOG] = "rx_backlog",
	[WEFT_HOST_DROP_NO_MEMORY] = "no_memory",
	[WEFT_HOST_DROP_LIMIT] = "limit",
};
