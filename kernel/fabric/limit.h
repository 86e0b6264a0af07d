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
void weft_limit_sleep(u64 ns);
void weft_limit_rest(bool limited, u64 *begin);
int weft_limit_charge(u32 objects, size_t bytes, struct netlink_ext_ack *extack);
void weft_limit_uncharge(u32 objects, size_t bytes);

/**
 * weft_limit_take() - charge objects and memory
 * @limited: result of weft_limit_applies(); if false, nothing is done
 * @objects: number of objects
 * @bytes: bytes of memory
 * @extack: for the reason of a refusal; NULL for packets
 *
 * Context: any.
 * Return: 0, or -EDQUOT.
 */
static inline int weft_limit_take(bool limited, u32 objects, size_t bytes,
				  struct netlink_ext_ack *extack)
{
	return limited ? weft_limit_charge(objects, bytes, extack) : 0;
}

/**
 * weft_limit_give() - uncharge objects and memory
 * @limited: as for weft_limit_take()
 * @objects: as was taken
 * @bytes: as was taken
 *
 * Context: any.
 */
static inline void weft_limit_give(bool limited, u32 objects, size_t bytes)
{
	if (limited)
		weft_limit_uncharge(objects, bytes);
}

int weft_limit_init(void);
void weft_limit_exit(void);

#endif
