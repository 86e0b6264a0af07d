/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Multicast groups of a switch in a managed fabric.
 */
#ifndef WEFT_MCAST_H
#define WEFT_MCAST_H

#include <linux/types.h>

struct fab_port_params;
struct weft_fabric;
struct weft_switch;

#define WEFT_MCAST_GROUPS	4096	/* of a switch: LIDs from 0xc000 on */

u32 weft_mcast_groups(const struct weft_fabric *f,
		      const struct fab_port_params *p);
int weft_mcast_set(struct weft_switch *sw, u32 group, u32 port, bool on);
bool weft_mcast_has(const struct weft_switch *sw, u32 group, u32 port);
void weft_mcast_free(struct weft_switch *sw);

#endif
