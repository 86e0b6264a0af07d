// SPDX-License-Identifier: GPL-2.0
/*
 * LIDs of an InfiniBand fabric, and the forwarding tables of its switches.
 */
#include "fabric/lids.h"

#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "fabric/fabric.h"
#include "fabric/reach.h"
#include "fabric/switch.h"

#define LIDS_NONE	U32_MAX
#define LIDS_PATHS	BIT(WEFT_LMC_MAX)

/* A hash, not 0, whose last bits name this path when the model mixes them. */
static u32 lids_hash(u32 path)
{
	u32 hash = 1;

	while (fab_route_path(hash, WEFT_LMC_MAX) != path)
		hash++;
	return hash;
}

/**
 * weft_lids_mem() - memory of the table of LIDs
 * @max_nics: of the fabric
 *
 * Context: any.
 * Return: bytes.
 */
size_t weft_lids_mem(u32 max_nics)
{
	const struct weft_lids *lids = NULL;

	return struct_size(lids, range, max_nics + WEFT_SWITCHES_MAX);
}

/**
 * weft_lids_create() - make the table of LIDs of a fabric with a subnet manager
 * @f: the fabric, whose parameters are set
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_lids_create(struct weft_fabric *f)
{
	u32 path;

	f->lids = kvzalloc(weft_lids_mem(f->p.max_nics), GFP_KERNEL_ACCOUNT);
	if (!f->lids)
		return -ENOMEM;
	f->lids->numbers = f->p.max_nics + WEFT_SWITCHES_MAX;
	memset(f->lids->of, 0xff, sizeof(f->lids->of));
	for (path = 0; path < LIDS_PATHS; path++)
		f->lids->hash[path] = lids_hash(path);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(weft_lids_create);

/**
 * weft_lids_destroy() - free the table of LIDs
 * @f: the fabric
 *
 * Context: process, may sleep.
 */
void weft_lids_destroy(struct weft_fabric *f)
{
	kvfree(f->lids);
}
EXPORT_SYMBOL_IF_KUNIT(weft_lids_destroy);

/**
 * weft_lft_create() - make the empty forwarding table of a switch
 * @sw: the switch, of a fabric with a subnet manager
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_lft_create(struct weft_switch *sw)
{
	sw->lft = kvzalloc(sizeof(*sw->lft), GFP_KERNEL_ACCOUNT);
	return sw->lft ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_IF_KUNIT(weft_lft_create);

/**
 * weft_lft_destroy() - free the forwarding table of a switch
 * @sw: the switch, which has one or not
 *
 * Context: process, may sleep.
 */
void weft_lft_destroy(struct weft_switch *sw)
{
	u32 i;

	if (!sw->lft)
		return;
	for (i = 0; i < WEFT_LFT_BLOCKS; i++)
		kfree(sw->lft->block[i]);
	kvfree(sw->lft);
}
EXPORT_SYMBOL_IF_KUNIT(weft_lft_destroy);

/* The entry of a LID: a port of the switch, from 0 on, or a negative number. */
static int lft_port(const struct weft_switch *sw, u32 lid)
{
	const u8 *block = sw->lft->block[lid / WEFT_LFT_BLOCK];
	u8 port;

	if (!block || lid > sw->lft->top)
		return -1;
	port = block[lid % WEFT_LFT_BLOCK];
	return port && port <= sw->sw.p.ports ? port - 1 : -1;
}

/* Derive the routes of single paths to a number; some LIDs lead nowhere. */
static void lft_apply_paths(struct weft_switch *sw, u32 dst,
			    const int port[LIDS_PATHS], u32 lids)
{
	u32 path;
	u16 out;

	fab_route_del(&sw->sw.route, dst);
	for (path = 0; path < BIT(sw->sw.p.lmc); path++) {
		out = port[path % lids];
		/* There is a group for each port, so this cannot fail. */
		if (port[path % lids] >= 0)
			WARN_ON_ONCE(fab_route_set_path(&sw->sw.route, dst, path,
							&out, 1));
	}
}

/* Derive the model's routes to a number. In most cases all paths are one. */
static void lft_apply(struct weft_switch *sw, u32 dst)
{
	struct weft_lid_range r = sw->fabric->lids->range[dst];
	u32 lids = r.first ? BIT(r.lmc) : 0, n, same = 0;
	int port[LIDS_PATHS];
	u16 out;

	for (n = 0; n < lids; n++) {
		port[n] = lft_port(sw, r.first + n);
		same += port[n] == port[0];
	}
	if (!lids || (same == lids && port[0] < 0)) {
		fab_route_del(&sw->sw.route, dst);
	} else if (same == lids) {
		out = port[0];
		WARN_ON_ONCE(fab_route_set(&sw->sw.route, dst, &out, 1));
	} else {
		lft_apply_paths(sw, dst, port, lids);
	}
}

/*
 * Derive the routes to the numbers that have LIDs of a block, once for each. A number
 * with 128 LIDs has two blocks.
 */
static void lft_apply_block(struct weft_switch *sw, u32 block)
{
	const u32 *of = sw->fabric->lids->of + block * WEFT_LFT_BLOCK;
	u32 i, dst, last = LIDS_NONE;

	for (i = 0; i < WEFT_LFT_BLOCK; i++) {
		dst = of[i] >> WEFT_LMC_MAX;
		if (of[i] == LIDS_NONE || dst == last)
			continue;
		last = dst;
		lft_apply(sw, dst);
	}
}

/* Take the LIDs of a number; false if it has none. */
static bool lids_clear(struct weft_lids *lids, u32 dst)
{
	struct weft_lid_range *r = &lids->range[dst];
	u32 path;

	if (!r->first)
		return false;
	for (path = 0; path < BIT(r->lmc); path++)
		if (lids->of[r->first + path] == (dst << WEFT_LMC_MAX | path))
			lids->of[r->first + path] = LIDS_NONE;
	r->first = 0;
	return true;
}

/* Give LIDs to a number; false for none. */
static bool lids_give(struct weft_lids *lids, u32 dst, u16 lid, u8 lmc)
{
	u32 path;

	if (!lid || lmc > WEFT_LMC_MAX || lid + BIT(lmc) > WEFT_LIDS)
		return false;
	for (path = 0; path < BIT(lmc); path++)
		lids->of[lid + path] = dst << WEFT_LMC_MAX | path;
	lids->range[dst] = (struct weft_lid_range) { .first = lid, .lmc = lmc };
	return true;
}

/**
 * weft_lids_lmc() - the largest LMC that a port may have
 * @f: the fabric, with a subnet manager
 *
 * Context: any; the fabric's lock is held.
 * Return: the LMC of the switch that has the least; WEFT_LMC_MAX without switches.
 */
u8 weft_lids_lmc(const struct weft_fabric *f)
{
	const struct fab_switch *s;
	u32 lmc = WEFT_LMC_MAX;

	lockdep_assert_held(&f->lock);
	for (s = f->fab.switches; s; s = s->next)
		if (container_of(s, struct weft_switch, sw)->lft)
			lmc = min(lmc, s->p.lmc);
	return lmc;
}
EXPORT_SYMBOL_GPL(weft_lids_lmc);

/**
 * weft_lids_set() - give LIDs to a number
 * @f: the fabric; nothing happens without a subnet manager
 * @dst: the number; one that has no LID in any case is ignored
 * @lid: its first LID, a multiple of 2^@lmc; 0, or one out of range: none
 * @lmc: it has 2^@lmc LIDs; at most weft_lids_lmc()
 *
 * It loses those that it had. Another number that had one of these LIDs loses it.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_lids_set(struct weft_fabric *f, u32 dst, u16 lid, u8 lmc)
{
	struct weft_lids *lids = f->lids;
	struct weft_switch *sw;
	struct fab_switch *s;
	bool news;

	lockdep_assert_held(&f->lock);
	if (!lids || dst >= lids->numbers)
		return;
	news = lids_clear(lids, dst);
	news |= lids_give(lids, dst, lid, lmc);
	for (s = news ? f->fab.switches : NULL; s; s = s->next) {
		sw = container_of(s, struct weft_switch, sw);
		if (sw->lft)
			lft_apply(sw, dst);
	}
}
EXPORT_SYMBOL_GPL(weft_lids_set);

/**
 * weft_lids_find() - find the number that has a LID
 * @f: the fabric
 * @lid: a LID of one port
 * @dst: set to the number
 * @hash: with a subnet manager: set to the flow hash for the LID's path
 *
 * Context: any; the fabric's lock is held.
 * Return: false if none has it; without a subnet manager, if none can have it.
 */
bool weft_lids_find(struct weft_fabric *f, u16 lid, u32 *dst, u32 *hash)
{
	u32 path;

	if (!lid || lid >= WEFT_LIDS)
		return false;
	*dst = lid - 1;
	if (!f->lids)
		return *dst < f->p.max_nics || weft_reach(f, *dst);
	path = f->lids->of[lid] & (LIDS_PATHS - 1);
	*dst = f->lids->of[lid] >> WEFT_LMC_MAX;
	*hash = f->lids->hash[path];
	return f->lids->of[lid] != LIDS_NONE;
}
EXPORT_SYMBOL_GPL(weft_lids_find);

/* Without a manager: what the routes say of a LID. */
static u8 lft_of_routes(const struct weft_switch *sw, u32 lid)
{
	const struct fab_group *g;

	if (lid && lid - 1 == sw->sw.p.dst)
		return 0;
	g = lid ? fab_route_get(&sw->sw.route, lid - 1) : NULL;
	return g && g->n ? g->member[0] + 1 : WEFT_LFT_NONE;
}

/**
 * weft_lft_get() - read a block of a forwarding table
 * @sw: the switch
 * @block: number of the block, below WEFT_LFT_BLOCKS
 * @ports: set to its entries: ports from 1 on, 0 for the switch itself
 *
 * Context: any; the fabric's lock is held.
 */
void weft_lft_get(const struct weft_switch *sw, u32 block,
		  u8 ports[WEFT_LFT_BLOCK])
{
	u32 i;

	if (sw->lft && sw->lft->block[block]) {
		memcpy(ports, sw->lft->block[block], WEFT_LFT_BLOCK);
		return;
	}
	memset(ports, WEFT_LFT_NONE, WEFT_LFT_BLOCK);
	for (i = 0; !sw->lft && i < WEFT_LFT_BLOCK; i++)
		ports[i] = lft_of_routes(sw, block * WEFT_LFT_BLOCK + i);
}
EXPORT_SYMBOL_GPL(weft_lft_get);

/**
 * weft_lft_set() - write a block of a forwarding table
 * @sw: the switch, of a fabric with a subnet manager
 * @block: number of the block, below WEFT_LFT_BLOCKS
 * @ports: its entries
 *
 * Context: any; the fabric's lock is held.
 * Return: 0 or -ENOMEM.
 */
int weft_lft_set(struct weft_switch *sw, u32 block,
		 const u8 ports[WEFT_LFT_BLOCK])
{
	u8 **old = &sw->lft->block[block];

	lockdep_assert_held(&sw->fabric->lock);
	if (!*old)
		*old = kmalloc(WEFT_LFT_BLOCK, GFP_ATOMIC | __GFP_NOWARN);
	if (!*old)
		return -ENOMEM;
	memcpy(*old, ports, WEFT_LFT_BLOCK);
	lft_apply_block(sw, block);
	weft_change_table(sw->fabric);
	return 0;
}
EXPORT_SYMBOL_GPL(weft_lft_set);

/**
 * weft_lft_set_top() - set the highest LID that a switch forwards
 * @sw: the switch, of a fabric with a subnet manager
 * @top: the LID, below WEFT_LIDS
 *
 * Context: any; the fabric's lock is held.
 */
void weft_lft_set_top(struct weft_switch *sw, u16 top)
{
	u32 block = min(sw->lft->top, top) / WEFT_LFT_BLOCK;
	u32 last = max(sw->lft->top, top) / WEFT_LFT_BLOCK;

	lockdep_assert_held(&sw->fabric->lock);
	sw->lft->top = top;
	for (; block <= last; block++)
		if (sw->lft->block[block])
			lft_apply_block(sw, block);
}
EXPORT_SYMBOL_GPL(weft_lft_set_top);
