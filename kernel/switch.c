// SPDX-License-Identifier: GPL-2.0
/*
 * A switch of a fabric.
 */
#include "switch.h"

#include <linux/overflow.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/netlink.h>

#include "engine.h"
#include "link.h"

/**
 * weft_switch_find() - look a switch up
 * @f: its fabric
 * @id: its id
 *
 * Context: process, RTNL held.
 * Return: the switch or NULL.
 */
struct weft_switch *weft_switch_find(struct weft_fabric *f, u32 id)
{
	ASSERT_RTNL();
	return xa_load(&f->switches, id);
}

static struct weft_switch *switch_alloc(const struct fab_switch_params *p)
{
	size_t mem = fab_switch_mem(p);
	struct weft_switch *sw;

	sw = kvzalloc(sizeof(*sw) + mem, GFP_KERNEL_ACCOUNT);
	if (!sw)
		return NULL;
	sw->link = kvcalloc(p->ports, sizeof(*sw->link), GFP_KERNEL_ACCOUNT);
	if (!sw->link) {
		kvfree(sw);
		return NULL;
	}
	return sw;
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

/**
 * weft_switch_create() - add a switch to a fabric
 * @f: the fabric
 * @name: its label
 * @p: the model's parameters
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
	sw = switch_alloc(p);
	if (!sw)
		return ERR_PTR(-ENOMEM);
	sw->fabric = f;
	strscpy(sw->name, name, sizeof(sw->name));
	err = xa_alloc(&f->switches, &sw->id, sw, xa_limit_31b,
		       GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_free_switch;
	weft_engine_lock(f);
	fab_switch_init(&f->fab, &sw->sw, sw->id, p, sw->mem);
	weft_engine_unlock(f);
	f->generation++;
	return sw;

err_free_switch:
	kvfree(sw->link);
	kvfree(sw);
	return ERR_PTR(err);
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
	for (i = 0; i < sw->sw.p.ports; i++)
		if (sw->link[i])
			weft_link_destroy(sw->link[i]);
	weft_engine_lock(f);
	fab_switch_remove(&f->fab, &sw->sw);
	weft_engine_unlock(f);
	xa_erase(&f->switches, sw->id);
	f->generation++;
	kvfree(sw->link);
	kvfree(sw);
}
