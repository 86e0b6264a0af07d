// SPDX-License-Identifier: GPL-2.0
/*
 * MAC address -> NIC, one table per fabric.
 */
#include "fabric/mac.h"

#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/slab.h>

#define MAC_BITS_MAX	14

static u32 mac_bits(u32 entries)
{
	return clamp(ilog2(entries) + 1, 4, MAC_BITS_MAX);
}

/**
 * weft_mac_mem() - memory of a table
 * @entries: as for weft_mac_init()
 *
 * Context: any.
 * Return: bytes.
 */
size_t weft_mac_mem(u32 entries)
{
	return sizeof(struct hlist_head) << mac_bits(entries);
}

/**
 * weft_mac_init() - initialise an empty table
 * @t: the table
 * @entries: expected number of addresses; more are possible
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_mac_init(struct weft_mac_table *t, u32 entries)
{
	t->bits = mac_bits(entries);
	t->bucket = kvcalloc(1UL << t->bits, sizeof(*t->bucket),
			     GFP_KERNEL_ACCOUNT);
	return t->bucket ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_IF_KUNIT(weft_mac_init);

/**
 * weft_mac_free() - free an empty table
 * @t: the table
 *
 * Context: process, may sleep.
 */
void weft_mac_free(struct weft_mac_table *t)
{
	kvfree(t->bucket);
}
EXPORT_SYMBOL_IF_KUNIT(weft_mac_free);

/**
 * weft_mac_add() - add an address to the table, or change it
 * @t: the table
 * @e: its entry; removed first if it is in the table
 * @addr: the address
 *
 * Context: any.
 * Return: 0, or -EEXIST, with nothing changed, if another entry has the address.
 */
int weft_mac_add(struct weft_mac_table *t, struct weft_mac_entry *e,
		 const u8 *addr)
{
	struct weft_mac_entry *other = weft_mac_find(t, addr);

	if (other)
		return other == e ? 0 : -EEXIST;
	weft_mac_del(e);
	ether_addr_copy(e->addr, addr);
	hlist_add_head(&e->node, weft_mac_bucket(t, addr));
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(weft_mac_add);

/**
 * weft_mac_del() - remove an entry, if it is in a table
 * @e: the entry
 *
 * Context: any.
 */
void weft_mac_del(struct weft_mac_entry *e)
{
	hlist_del_init(&e->node);
}
EXPORT_SYMBOL_IF_KUNIT(weft_mac_del);
