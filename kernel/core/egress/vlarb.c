// SPDX-License-Identifier: GPL-2.0
/*
 * InfiniBand VL arbitration: two tables of weights choose the next VL.
 *
 * DOC: theory of operation
 *
 * VL 15, subnet management, goes before all others and is in no table. Each of the
 * two tables is walked in a circle. A visit to an entry lasts while some of its
 * weight is left and its VL has a packet that may go. The last packet may exceed the
 * weight, and the excess is forgotten. The next visit has the whole weight again. A
 * table keeps its position while the other one sends. Only if it has no ready VL at
 * all has the walk come round, and the visit starts again.
 *
 * The high table goes first until it has sent the high limit. Then the low table goes
 * first, for one packet. Any packet of the low table, in this way or not, gives the
 * high table its whole limit again. So the low table waits for at most the limit and
 * a packet, and gets at most one packet for having waited.
 *
 * Both count blocks of 64 bytes, each packet rounded up, like credits.
 *
 * Sources: IBTA volume 1, 7.6.9, as the OpenSM documentation retells it
 * (QoS_management_in_OpenSM.txt, section 7); where that is silent, the arbiter
 * of Mellanox's flit-level OMNeT++ model (vlarb.cc). Documentation/model/vlarb.rst
 * has the source of each rule, and where the model was not followed.
 *
 * Invariants: a table with a ready VL returns a ready VL; high_left, as loaded, is
 * above 0.
 */
#include "core/egress/vlarb.h"

/* Blocks that the high table may send, except the excess of the last packet. */
static s32 high_blocks(const struct fab_vlarb_params *p)
{
	/* A single packet takes up 1, however long it is. */
	return p->high_limit ? p->high_limit * FAB_VLARB_LIMIT_BLOCKS : 1;
}

static u16 table_vls(const struct fab_vlarb_entry *e, u32 entries)
{
	u16 vls = 0;
	u32 i;

	for (i = 0; i < entries; i++)
		if (e[i].weight)
			vls |= BIT(e[i].vl);
	return vls;
}

static bool table_ok(const struct fab_vlarb_entry *e, u32 entries, u32 classes)
{
	u32 i;

	if (entries > FAB_VLARB_ENTRIES)
		return false;
	for (i = 0; i < entries; i++)
		if (e[i].vl >= classes || e[i].vl == FAB_VL_MGMT)
			return false;
	return true;
}

/**
 * fab_vlarb_params_check() - can these tables be used?
 * @p: the tables
 * @classes: classes of the port, 1 to FAB_CLASSES_MAX
 *
 * IBTA lets a port skip an entry for a VL that it does not have, or send from any
 * other. Here such an entry is refused, because it is probably a mistake.
 *
 * Return: 0; -EINVAL for more than 64 entries, for a VL that the port does not have,
 * for VL 15, and if no entry has a weight, so that nothing would ever be sent.
 */
int fab_vlarb_params_check(const struct fab_vlarb_params *p, u32 classes)
{
	if (!table_ok(p->high, p->high_entries, classes) ||
	    !table_ok(p->low, p->low_entries, classes))
		return -EINVAL;
	if (!table_vls(p->high, p->high_entries) &&
	    !table_vls(p->low, p->low_entries))
		return -EINVAL;
	return 0;
}

static void visit_init(struct fab_vlarb_visit *t,
		       const struct fab_vlarb_entry *e, u32 entries)
{
	t->vls = table_vls(e, entries);
	t->index = 0;
	t->left = e[0].weight;
}

/**
 * fab_vlarb_init() - initialise, at the first entry of each table
 * @v: the arbiter
 * @p: its tables, which fab_vlarb_params_check() accepts
 */
void fab_vlarb_init(struct fab_vlarb *v, const struct fab_vlarb_params *p)
{
	visit_init(&v->high, p->high, p->high_entries);
	visit_init(&v->low, p->low, p->low_entries);
	v->high_left = high_blocks(p);
	v->from_high = false;
}

/* The next VL of @ready in a table, or -1. */
static int visit_pick(struct fab_vlarb_visit *t,
		      const struct fab_vlarb_entry *e, u32 entries, u16 ready)
{
	if (!(ready & t->vls)) {
		t->left = e[t->index].weight;
		return -1;
	}
	while (t->left <= 0 || !(ready & BIT(e[t->index].vl))) {
		if (++t->index == entries)
			t->index = 0;
		t->left = e[t->index].weight;
	}
	return e[t->index].vl;
}

static int pick_from(struct fab_vlarb *v, const struct fab_vlarb_params *p,
		     bool high, u16 ready)
{
	int vl;

	if (high)
		vl = visit_pick(&v->high, p->high, p->high_entries, ready);
	else
		vl = visit_pick(&v->low, p->low, p->low_entries, ready);
	if (vl >= 0)
		v->from_high = high;
	return vl;
}

/**
 * fab_vlarb_pick() - choose the VL that sends next
 * @v: the arbiter
 * @p: its tables
 * @ready: bit of each VL whose first packet may go now
 *
 * The caller sends the packet and calls fab_vlarb_sent().
 *
 * Return: the VL; -1 if no table has a VL of @ready.
 */
int fab_vlarb_pick(struct fab_vlarb *v, const struct fab_vlarb_params *p,
		   u16 ready)
{
	bool high = v->high_left > 0;
	int vl;

	if (ready & BIT(FAB_VL_MGMT))
		return FAB_VL_MGMT;
	vl = pick_from(v, p, high, ready);
	return vl >= 0 ? vl : pick_from(v, p, !high, ready);
}

/**
 * fab_vlarb_sent() - a packet was sent
 * @v: the arbiter
 * @p: its tables
 * @vl: its VL, as fab_vlarb_pick() returned
 * @bytes: its length on the wire
 */
void fab_vlarb_sent(struct fab_vlarb *v, const struct fab_vlarb_params *p,
		    u8 vl, u32 bytes)
{
	s32 blocks = ((u64)bytes + FAB_VLARB_BLOCK - 1) / FAB_VLARB_BLOCK;

	if (vl == FAB_VL_MGMT)
		return;
	if (!v->from_high) {
		v->low.left -= blocks;
		v->high_left = high_blocks(p);
		return;
	}
	v->high.left -= blocks;
	/* Not below the first overshoot: low may be empty for ever. */
	if (p->high_limit != FAB_VLARB_UNLIMITED && v->high_left > 0)
		v->high_left -= blocks;
}
