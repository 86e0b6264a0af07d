/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of each network namespace: its fabrics.
 */
#ifndef WEFT_NETNS_H
#define WEFT_NETNS_H

#include <linux/xarray.h>

struct net;

#define WEFT_FABRICS_MAX	256	/* per network namespace */

/**
 * struct weft_netns - per network namespace
 */
struct weft_netns {
	/** @fabrics: fabrics by id (RTNL) */
	struct xarray fabrics;
	/** @generation: changes when a fabric comes or goes (RTNL) */
	u32 generation;
};

struct weft_netns *weft_netns_get(struct net *net);
int weft_netns_init(void);
void weft_netns_exit(void);

#endif
