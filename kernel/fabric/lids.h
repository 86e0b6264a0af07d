/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LIDs of an InfiniBand fabric, and the forwarding tables of its switches.
 *
 * DOC: theory of operation
 *
 * The model forwards to numbers: those of endpoints, from 0 on, and behind them
 * those of switches, for datagrams of management. A LID stands for a number and a
 * path to it.
 *
 * Without a subnet manager the LID of a number is the number plus 1, and the tables
 * show the model's routes. With one, the manager gives LIDs to ports, and writes the
 * tables: a byte for each LID, the number of the egress port. What it wrote is kept
 * as it is. The model's routes are derived from it whenever a table or a LID changes.
 *
 * A number without the LMC of the table has fewer LIDs than the table has paths: then
 * each LID stands for several of these paths. The table of a switch has entries for all
 * paths to all numbers, so its LMC costs memory: 2^LMC * 10 KiB with 1024 NICs. A port
 * gets no larger LMC than all switches have.
 *
 * Invariant: without LIDs a number has no routes. So a change takes time for the
 * switches only if the number had LIDs, or has some then, and never for all LIDs.
 */
#ifndef WEFT_LIDS_H
#define WEFT_LIDS_H

#include <linux/bits.h>
#include <linux/types.h>

#include "fabric/change.h"

struct weft_fabric;
struct weft_switch;

#define WEFT_LIDS		0xc000U		/* multicast LIDs begin here */
#define WEFT_LID_PERMISSIVE	0xffffU
#define WEFT_LFT_BLOCK		64U		/* entries of a block */
#define WEFT_LFT_BLOCKS		(WEFT_LIDS / WEFT_LFT_BLOCK)
#define WEFT_LFT_NONE		255U		/* entry without a port */
#define WEFT_LMC_MAX		7U		/* paths to a port: 2^7 */
#define WEFT_MANAGED_LMC	3U		/* of a switch whose topology has no more */

/**
 * struct weft_lid_range - the LIDs of a number
 */
struct weft_lid_range {
	/** @first: the first one, 0: none */
	u16 first;
	/** @lmc: log2 of how many; another number may have some of them */
	u8 lmc;
};

/**
 * struct weft_lids - who has which LID
 */
struct weft_lids {
	/** @of: by LID: number << WEFT_LMC_MAX | path, U32_MAX for none */
	u32 of[WEFT_LIDS];
	/** @hash: by path: a flow hash that the model sends by it; constant */
	u32 hash[BIT(WEFT_LMC_MAX)];
	/** @changes: changes of links, and what the manager did about them */
	struct weft_changes changes;
	/** @numbers: how many numbers there are; constant */
	u32 numbers;
	/** @range: by number: its LIDs */
	struct weft_lid_range range[];
};

/**
 * struct weft_lft - linear forwarding table of a switch, as it was written
 */
struct weft_lft {
	/** @top: highest LID that is forwarded, LinearFDBTop */
	u16 top;
	/** @block: by LID / WEFT_LFT_BLOCK: entries, NULL where none was written */
	u8 *block[WEFT_LFT_BLOCKS];
};

/* Process context, RTNL held. */
size_t weft_lids_mem(u32 max_nics);
int weft_lids_create(struct weft_fabric *f);
void weft_lids_destroy(struct weft_fabric *f);
int weft_lft_create(struct weft_switch *sw);
void weft_lft_destroy(struct weft_switch *sw);

/* All under the fabric's lock. */
u8 weft_lids_lmc(const struct weft_fabric *f);
void weft_lids_set(struct weft_fabric *f, u32 dst, u16 lid, u8 lmc);
bool weft_lids_find(struct weft_fabric *f, u16 lid, u32 *dst, u32 *hash);
void weft_lft_get(const struct weft_switch *sw, u32 block,
		  u8 ports[WEFT_LFT_BLOCK]);
int weft_lft_set(struct weft_switch *sw, u32 block,
		 const u8 ports[WEFT_LFT_BLOCK]);
void weft_lft_set_top(struct weft_switch *sw, u16 top);

#endif
