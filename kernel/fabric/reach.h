/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routes to switches, for datagrams of management without a subnet manager.
 */
#ifndef WEFT_REACH_H
#define WEFT_REACH_H

#include <linux/types.h>

struct weft_fabric;

bool weft_reach(struct weft_fabric *f, u32 dst);	/* fabric's lock */

#endif
