/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of unprivileged users.
 */
#ifndef WEFT_LIMIT_H
#define WEFT_LIMIT_H

#include <linux/types.h>

struct net;
struct netlink_ext_ack;

/* Captures and trails of a limited fabric. */
#define WEFT_LIMIT_LISTENERS	8

bool weft_limit_applies(const struct net *net);
int weft_limit_take(bool limited, u32 objects, size_t bytes,
		    struct netlink_ext_ack *extack);
void weft_limit_give(bool limited, u32 objects, size_t bytes);

int weft_limit_init(void);
void weft_limit_exit(void);

#endif
