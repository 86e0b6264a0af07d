// SPDX-License-Identifier: GPL-2.0
/*
 * A switch of a fabric.
 */
#include "fabric/switch.h"

#include <linux/overflow.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/netlink.h>

#include "fabric/agent.h"
#include "fabric/devlink.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/fault.h"
#include "fabric/lids.h"
#include "fabric/limit.h"
#include "fabric/link.h"
#include "group/aggregator.h"
#include "group/mcast.h"

#define SWITCH_PORT_MEM		1024	/* bytes of a port outside of the model */

/* With what devlink keeps for its ports, about. */
static size_t switch_mem(const struct weft_fabric *f,
			 const struct fab_switch_params *p)
{
	return sizeof(struct weft_switch) + fab_switch_mem(p) +
	       p->ports * SWITCH_PORT_MEM + weft_agent_mem(p) +
	       (f->p.managed ? sizeof(struct weft_lft) + WEFT_LIDS : 0);
}

/* Free a switch that is not in the model. */
static void switch_free(struct weft_switch *sw)
{
	weft_lft_destroy(sw);
	kvfree(sw->agent);
	kvfree(sw->link);
	kvfree(sw);
}

static struct weft_switch *switch_alloc(const struct weft_fabric *f,
					const struct fab_switch_params *p)
{
	size_t mem = fab_switch_mem(p);
	struct weft_switch *sw;

	sw = kvzalloc(sizeof(*sw) + mem, GFP_KERNEL_ACCOUNT);
	if (!sw)
		return NULL;
	sw->link = kvcalloc(p->ports, sizeof(*sw->link), GFP_KERNEL_ACCOUNT);
	if (!sw->link)
		goto err_free_switch;
	if (!weft_agent_mem(p))
		return sw;
	sw->agent = kvzalloc(weft_agent_mem(p), GFP_KERNEL_ACCOUNT);
	if (!sw->agent)
		goto err_free_switch;
	if (!f->p.managed || !weft_lft_create(sw))
		return sw;

err_free_switch:
	switch_free(sw);
	return NULL;
}

static int switch_check(const struct fab_switch_params *p,
			struct netlink_ext_ack *extack)
{
	int err = fab_switch_params_check(p);

	if (err) {
		NL_SET_ERR_MSG(extack, "switch parameters out of range");
		return err;
	}
	if (fab_switch_mem(p) > WEFT_SWITCH_MEM_MAX) {
		NL_SET_ERR_MSG_FMT(extack,
				   "switch needs %zu MiB of memory, allowed are %u",
				   fab_switch_mem(p) >> 20,
				   WEFT_SWITCH_MEM_MAX >> 20);
		return -E2BIG;
	}
	return 0;
}

static bool switch_has_agent(const struct fab_port_params *p)
{
	return p->disc->family == FAB_INFINIBAND;
}

/**
 * weft_switch_dsts() - destinations of the forwarding table of a switch
 * @f: the fabric
 * @p: parameters of its ports
 *
 * The endpoints come first. With InfiniBand a switch is a destination, too: max_nics
 * of the fabric plus its id.
 *
 * Context: any.
 * Return: how many.
 */
u32 weft_switch_dsts(const struct weft_fabric *f,
		     const struct fab_port_params *p)
{
	return f->p.max_nics + (switch_has_agent(p) ? WEFT_SWITCHES_MAX : 0);
}

/**
 * weft_switch_manage() - make room for what a subnet manager sets
 * @f: the fabric
 * @p: parameters of a switch; those of a switch that is managed are changed
 *
 * A manager may give each port several LIDs, and each pair of ports a mapping.
 *
 * Context: any.
 */
void weft_switch_manage(const struct weft_fabric *f,
			struct fab_switch_params *p)
{
	if (!f->p.managed || !switch_has_agent(&p->port))
		return;
	p->lmc = max(p->lmc, WEFT_MANAGED_LMC);
	p->groups = max(p->groups, p->ports);
	if (p->sl2vl != FAB_SL2VL_CLASS)
		p->sl2vl = FAB_SL2VL_PORTS;
}

/* The number of a switch as a destination. */
static u32 switch_dst(const struct weft_switch *sw,
		      const struct fab_port_params *p)
{
	if (!switch_has_agent(p) || sw->id >= WEFT_SWITCHES_MAX)
		return FAB_NO_DST;
	return sw->fabric->p.max_nics + sw->id;
}

static int switch_enlist(struct weft_fabric *f, struct weft_switch *sw,
			 struct netlink_ext_ack *extack)
{
	struct xa_limit limit = xa_limit_31b;
	int err;

	if (f->p.managed)
		limit.max = WEFT_SWITCHES_MAX - 1;
	err = xa_alloc(&f->switches, &sw->id, sw, limit, GFP_KERNEL_ACCOUNT);
	if (err == -EBUSY)
		NL_SET_ERR_MSG_FMT(extack,
				   "a managed fabric has at most %u switches",
				   WEFT_SWITCHES_MAX);
	return err;
}

/**
 * weft_switch_create() - add a switch to a fabric
 * @f: the fabric
 * @name: its label
 * @p: the model's parameters; its own number is set here
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: the switch or an ERR_PTR.
 */
struct weft_switch *weft_switch_create(struct weft_fabric *f, const char *name,
				       const struct fab_switch_params *p,
				       struct netlink_ext_ack *extack)
{
	struct weft_switch *sw;
	int err;

	ASSERT_RTNL();
	err = switch_check(p, extack);
	if (err)
		return ERR_PTR(err);
	if (f->p.managed && switch_has_agent(&p->port) &&
	    p->ports > WEFT_AGENT_PORTS_MAX) {
		NL_SET_ERR_MSG_FMT(extack,
				   "a subnet manager knows %u ports of a switch at most",
				   WEFT_AGENT_PORTS_MAX);
		return ERR_PTR(-ERANGE);
	}
	err = weft_limit_take(f->limited, p->ports, switch_mem(f, p), extack);
	if (err)
		return ERR_PTR(err);
	sw = switch_alloc(f, p);
	if (!sw) {
		err = -ENOMEM;
		goto err_give;
	}
	sw->fabric = f;
	INIT_LIST_HEAD(&sw->faults);
	strscpy(sw->name, name, sizeof(sw->name));
	err = switch_enlist(f, sw, extack);
	if (err)
		goto err_free_switch;
	err = weft_devlink_new(sw, p);
	if (err)
		goto err_erase_switch;
	fab_switch_init(&f->fab, &sw->sw, sw->id, p, sw->mem);
	sw->sw.p.dst = switch_dst(sw, &p->port);
	weft_engine_lock(f);
	weft_agent_enter(sw);
	fab_switch_enter(&f->fab, &sw->sw);
	weft_engine_unlock(f);
	f->generation++;
	return sw;

err_erase_switch:
	xa_erase(&f->switches, sw->id);
err_free_switch:
	switch_free(sw);
err_give:
	weft_limit_give(f->limited, p->ports, switch_mem(f, p));
	return ERR_PTR(err);
}

/* The rows of one ingress port; the fabric's lock is held. */
static void switch_sl2vl(struct weft_switch *sw, u32 in, u32 out,
			 const u8 vl[FAB_CLASSES_MAX])
{
	u32 first = out == WEFT_PORT_ANY ? 0 : out;
	u32 end = out == WEFT_PORT_ANY ? sw->sw.p.ports : out + 1;
	u8 sl;

	for (out = first; out < end; out++)
		for (sl = 0; sl < FAB_CLASSES_MAX; sl++)
			fab_switch_sl2vl_set(&sw->sw, in, out, sl, vl[sl]);
}

/**
 * weft_switch_sl2vl() - set the mapping to the class on the next wire
 * @sw: the switch, created with FAB_SL2VL_PORTS or FAB_SL2VL_CLASS
 * @in: ingress port, or WEFT_PORT_ANY
 * @out: egress port, or WEFT_PORT_ANY
 * @vl: class of each service level, or of each class on the last wire, which the
 *	ports have, or FAB_VL_DROP
 *
 * As with a subnet manager, the change is not atomic: packets may pass between the
 * changes of two ingress ports.
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_switch_sl2vl(struct weft_switch *sw, u32 in, u32 out,
		       const u8 vl[FAB_CLASSES_MAX])
{
	u32 i = in == WEFT_PORT_ANY ? 0 : in;
	u32 end = in == WEFT_PORT_ANY ? sw->sw.p.ports : in + 1;

	ASSERT_RTNL();
	for (; i < end; i++) {
		weft_engine_lock(sw->fabric);
		switch_sl2vl(sw, i, out, vl);
		weft_engine_unlock(sw->fabric);
		cond_resched();
	}
	/* A mapping of all ports becomes the mapping of the switch. */
	if (in == WEFT_PORT_ANY && out == WEFT_PORT_ANY)
		memcpy(sw->sw.p.vl, vl, FAB_CLASSES_MAX);
	sw->fabric->generation++;
}

/**
 * weft_switch_destroy() - remove a switch and the links to it
 * @sw: the switch
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_switch_destroy(struct weft_switch *sw)
{
	struct weft_fabric *f = sw->fabric;
	u32 i;

	ASSERT_RTNL();
	weft_devlink_gone(sw);
	weft_fault_switch_gone(sw);
	weft_aggregator_switch_gone(sw);
	for (i = 0; i < sw->sw.p.ports; i++)
		if (sw->link[i])
			weft_link_destroy(sw->link[i]);
	weft_engine_lock(f);
	weft_agent_leave(sw);
	weft_lids_set(f, sw->sw.p.dst, 0, 0);
	fab_switch_remove(&f->fab, &sw->sw);
	weft_engine_unlock(f);
	xa_erase(&f->switches, sw->id);
	f->generation++;
	weft_mcast_free(sw);
	weft_limit_give(f->limited, sw->sw.p.ports, switch_mem(f, &sw->sw.p));
	switch_free(sw);
}
