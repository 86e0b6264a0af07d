/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MAC address -> NIC, one table per fabric.
 */
#ifndef WEFT_MAC_H
#define WEFT_MAC_H

#include <linux/etherdevice.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/types.h>

/**
 * struct weft_mac_entry - an address in the table, embedded in its owner
 */
struct weft_mac_entry {
	/** @node: entry of the bucket's list; unhashed: not in the table */
	struct hlist_node node;
	/** @addr: the address */
	u8 addr[ETH_ALEN];
};

/**
 * struct weft_mac_table - hash table of addresses; the caller serialises
 */
struct weft_mac_table {
	/** @bucket: the buckets */
	struct hlist_head *bucket;
	/** @bits: binary logarithm of their number */
	u32 bits;
};

size_t weft_mac_mem(u32 entries);
int weft_mac_init(struct weft_mac_table *t, u32 entries);
void weft_mac_free(struct weft_mac_table *t);
int weft_mac_add(struct weft_mac_table *t, struct weft_mac_entry *e,
		 const u8 *addr);
void weft_mac_del(struct weft_mac_entry *e);

/* The bucket of an address, which begins at an even place, as everywhere in the network stack. */
static inline struct hlist_head *weft_mac_bucket(const struct weft_mac_table *t, const u8 *addr)
{
	const u16 *part = (const u16 *)addr;
	u64 value = part[0] | (u64)part[1] << 16 | (u64)part[2] << 32;

	return &t->bucket[hash_64(value, t->bits)];
}

/**
 * weft_mac_find() - look up an address
 * @t: the table
 * @addr: the address
 *
 * Context: any.
 * Return: its entry, or NULL.
 */
static inline struct weft_mac_entry *weft_mac_find(const struct weft_mac_table *t,
						   const u8 *addr)
{
	struct weft_mac_entry *e;

	hlist_for_each_entry(e, weft_mac_bucket(t, addr), node)
		if (ether_addr_equal(e->addr, addr))
			return e;
	return NULL;
}

#endif
