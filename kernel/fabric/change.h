/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of links in a fabric with a subnet manager, and what it did about them.
 *
 * DOC: theory of operation
 *
 * A change is an instant at which links of switches went down or came up. The traps
 * that follow and the blocks of forwarding tables that the manager writes belong to
 * the last change before them. Links that come up before the manager wrote its first block are no
 * changes: entry 0 has the tables of the beginning.
 *
 * Afterwards anyone can tell when the fabric had recovered: with the last block.
 */
#ifndef WEFT_CHANGE_H
#define WEFT_CHANGE_H

#include "core/types.h"

struct fab_port;
struct weft_fabric;

#define WEFT_CHANGES	32	/* that are kept; later ones are counted */

/**
 * struct weft_change - links that changed at the same time
 */
struct weft_change {
	/** @at: fabric time */
	fab_time at;
	/** @trap: when the first trap was sent, FAB_NEVER: none */
	fab_time trap;
	/** @manager: when a port was first given another manager, FAB_NEVER: none was */
	fab_time manager;
	/** @first: when the first block of a table was written */
	fab_time first;
	/** @last: when the last block was written */
	fab_time last;
	/** @blocks: number of blocks written */
	u32 blocks;
	/** @links: number of links that changed */
	u32 links;
	/** @up: they came up, or they went down */
	bool up;
	/** @port: port of switch @id at which the first of them ends */
	u16 port;
	/** @id: id of the switch */
	u32 id;
};

/**
 * struct weft_changes - the changes of a fabric
 */
struct weft_changes {
	/** @n: number of entries in @list */
	u32 n;
	/** @missed: number of changes after the last entry */
	u32 missed;
	/** @link: id of the link that changed last; another may have it now */
	u32 link;
	/** @list: in order of time */
	struct weft_change list[WEFT_CHANGES];
};

/* All under the fabric's lock; for a fabric with a subnet manager. */
void weft_change_link(struct weft_fabric *f, const struct fab_port *port,
		      bool up);
void weft_change_trap(struct weft_fabric *f);
void weft_change_manager(struct weft_fabric *f);
void weft_change_table(struct weft_fabric *f);

#endif
