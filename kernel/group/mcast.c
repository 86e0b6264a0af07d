// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups of a switch in a managed fabric.
 *
 * The ports of a group are a bitmap, which is allocated when the first port is added,
 * and freed with the last one.
 */
#include "group/mcast.h"

#include <linux/bitmap.h>
#include <linux/export.h>

#include "fabric/fabric.h"
#include "fabric/limit.h"
#include "fabric/switch.h"

/**
 * weft_mcast_groups() - multicast groups of a switch
 * @f: the fabric
 * @p: parameters of the ports of the switch
 *
 * Without a subnet manager, multicast is flooded.
 *
 * Context: any.
 * Return: how many; 0 where multicast is flooded.
 */
u32 weft_mcast_groups(const struct weft_fabric *f,
		      const struct fab_port_params *p)
{
	return f->p.managed && p->disc->family == FAB_INFINIBAND ?
	       WEFT_MCAST_GROUPS : 0;
}

static size_t mcast_mem(const struct weft_switch *sw)
{
	return BITS_TO_LONGS(sw->sw.p.ports) * sizeof(unsigned long);
}

/* The bitmaps are made here, so they may be changed here. */
static unsigned long *mcast_ports(const struct weft_switch *sw, u32 group)
{
	if (group >= sw->sw.route.mcasts)
		return NULL;
	return (unsigned long *)sw->sw.route.mcast[group];
}

static int mcast_new(struct weft_switch *sw, u32 group)
{
	unsigned long *ports;
	int err;

	err = weft_limit_take(sw->fabric->limited, 0, mcast_mem(sw), NULL);
	if (err)
		return err;
	ports = bitmap_zalloc(sw->sw.p.ports, GFP_ATOMIC | __GFP_NOWARN);
	if (!ports) {
		weft_limit_give(sw->fabric->limited, 0, mcast_mem(sw));
		return -ENOMEM;
	}
	return fab_route_mcast_set(&sw->sw.route, group, ports);
}

static void mcast_drop(struct weft_switch *sw, u32 group)
{
	unsigned long *ports = mcast_ports(sw, group);

	if (!ports)
		return;
	fab_route_mcast_set(&sw->sw.route, group, NULL);
	bitmap_free(ports);
	weft_limit_give(sw->fabric->limited, 0, mcast_mem(sw));
}

/**
 * weft_mcast_set() - add a port to a multicast group, or remove it
 * @sw: the switch
 * @group: the group: its LID less 0xc000
 * @port: the port, from 0
 * @on: true: add
 *
 * Context: any; the fabric's lock is held.
 * Return: 0; -ERANGE where the switch has no such group or port, -ENOMEM, -EDQUOT.
 */
int weft_mcast_set(struct weft_switch *sw, u32 group, u32 port, bool on)
{
	unsigned long *ports = mcast_ports(sw, group);
	int err;

	lockdep_assert_held(&sw->fabric->lock);
	if (group >= sw->sw.route.mcasts || port >= sw->sw.p.ports)
		return -ERANGE;
	if (!ports && on) {
		err = mcast_new(sw, group);
		if (err)
			return err;
		ports = mcast_ports(sw, group);
	}
	if (!ports)
		return 0;
	__assign_bit(port, ports, on);
	if (bitmap_empty(ports, sw->sw.p.ports))
		mcast_drop(sw, group);
	return 0;
}
EXPORT_SYMBOL_GPL(weft_mcast_set);

/**
 * weft_mcast_has() - is a port in a multicast group?
 * @sw: the switch
 * @group: the group
 * @port: the port, from 0
 *
 * Context: any; the fabric's lock is held.
 * Return: true if it is.
 */
bool weft_mcast_has(const struct weft_switch *sw, u32 group, u32 port)
{
	const unsigned long *ports = mcast_ports(sw, group);

	return ports && port < sw->sw.p.ports && test_bit(port, ports);
}
EXPORT_SYMBOL_GPL(weft_mcast_has);

/**
 * weft_mcast_free() - free all groups of a switch that has left the fabric
 * @sw: the switch
 *
 * Context: process.
 */
void weft_mcast_free(struct weft_switch *sw)
{
	u32 group;

	for (group = 0; group < sw->sw.route.mcasts; group++)
		mcast_drop(sw, group);
}
