// SPDX-License-Identifier: GPL-2.0
/*
 * Switches in devlink: an instance for each switch, with a port for each port.
 *
 * DOC: theory of operation
 *
 * devlink takes the lock of an instance outside of RTNL, and 6.1 itself takes RTNL to
 * report a port. Switches are created and destroyed under RTNL. So their instances
 * come and go in two steps, like netdevs (netdev_run_todo()). Under RTNL the switch
 * and its instance are connected or disconnected, and the instance is put on a list.
 * When RTNL has been released, weft_devlink_run() registers or unregisters the
 * instances on the list, before the request returns. Operations of devlink also take
 * RTNL, and find no switch in between.
 *
 * When a network namespace goes, it must have no instance left when devlink's exit
 * runs, because devlink would move the instance to another namespace. The exits of a
 * namespace run in the reverse order of the registrations, so ours disconnects its
 * switches early.
 *
 * An instance needs a device. The devices of the bus "weft" exist only for that, and
 * for the name: FABRIC-SWITCH, followed by a number if another namespace has the
 * same. User space is notified of them only by devlink.
 */
#include "fabric/devlink.h"

#include <linux/completion.h>
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <net/devlink.h>

#include "core/node/reduce.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/limit.h"
#include "fabric/switch.h"
#include "group/aggregator.h"

#define DEVLINK_AGGREGATORS	1	/* id of the resource */
#define DEVLINK_NAME_LEN	(2 * WEFT_NAME_LEN + 24)

/**
 * struct weft_devlink - the devlink instance of a switch
 */
struct weft_devlink {
	/** @dev: its device; this structure is freed with it */
	struct device dev;
	/** @todo: in devlink_todo (devlink_lock) */
	struct list_head todo;
	/** @sw: the switch; NULL when it is gone (RTNL and devlink_lock) */
	struct weft_switch *sw;
	/** @net: network namespace of the fabric; valid while there is a switch */
	struct net *net;
	/** @devlink: the instance, NULL while it is not registered (devlink_run) */
	struct devlink *devlink;
	/** @limited: of a user without privileges; constant */
	bool limited;
	/** @ports: number of ports; constant */
	u32 ports;
	/** @classes: number of classes; constant */
	u32 classes;
	/** @pool: bytes of the shared buffer, 0 if there is none; constant */
	u64 pool;
	/** @occ: last snapshot: total and each class, of each port (RTNL) */
	struct weft_devlink_occ *occ;
	/** @name: name of the device; constant */
	char name[DEVLINK_NAME_LEN];
	/** @port: the ports */
	struct devlink_port port[];
};

static LIST_HEAD(devlink_todo);
static DEFINE_SPINLOCK(devlink_lock);

/* Held while instances are registered and unregistered. */
static DEFINE_MUTEX(devlink_run);

/* Devices that are not freed yet, and the bus. */
static refcount_t devlink_devices;
static DECLARE_COMPLETION(devlink_released);

/* Not constant: 6.1 writes to it. */
static struct bus_type devlink_bus_type = {
	.name = "weft",
};

static void devlink_put_device(void)
{
	if (refcount_dec_and_test(&devlink_devices))
		complete(&devlink_released);
}

static void devlink_release(struct device *dev)
{
	struct weft_devlink *wd = container_of(dev, struct weft_devlink, dev);

	kvfree(wd->occ);
	kvfree(wd);
	devlink_put_device();
}

static void devlink_schedule(struct weft_devlink *wd, struct weft_switch *sw)
{
	spin_lock(&devlink_lock);
	wd->sw = sw;
	if (list_empty(&wd->todo))
		list_add_tail(&wd->todo, &devlink_todo);
	spin_unlock(&devlink_lock);
}

/* Labels may have any character, but names of devices are parts of paths. */
static void devlink_label(const struct weft_switch *sw, char *name)
{
	const struct weft_fabric *f = sw->fabric;
	char *c = name;
	int len = 0;

	if (*f->p.name)
		len = scnprintf(name, DEVLINK_NAME_LEN, "%s-", f->p.name);
	else
		len = scnprintf(name, DEVLINK_NAME_LEN, "fabric%u-", f->id);
	if (*sw->name)
		scnprintf(name + len, DEVLINK_NAME_LEN - len, "%s", sw->name);
	else
		scnprintf(name + len, DEVLINK_NAME_LEN - len, "switch%u",
			  sw->id);
	for (; *c; c++)
		if (!isalnum(*c) && !strchr("-_.", *c))
			*c = '_';
}

static struct weft_devlink *devlink_alloc_for(const struct fab_switch_params *p)
{
	struct weft_devlink *wd;

	wd = kvzalloc(struct_size(wd, port, p->ports), GFP_KERNEL_ACCOUNT);
	if (!wd)
		return NULL;
	wd->occ = kvcalloc(p->ports * (1 + p->port.classes), sizeof(*wd->occ),
			   GFP_KERNEL_ACCOUNT);
	if (!wd->occ) {
		kvfree(wd);
		return NULL;
	}
	wd->ports = p->ports;
	wd->classes = p->port.classes;
	if (!p->port.disc->flow->own_room)
		wd->pool = p->buffer.total;
	return wd;
}

/**
 * weft_devlink_new() - connect a new switch
 * @sw: the switch, which is in the model before RTNL is released
 * @p: its parameters
 *
 * Its instance will be registered by weft_devlink_run().
 *
 * Context: process, RTNL held, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_devlink_new(struct weft_switch *sw, const struct fab_switch_params *p)
{
	struct weft_devlink *wd;

	ASSERT_RTNL();
	wd = devlink_alloc_for(p);
	if (!wd)
		return -ENOMEM;
	INIT_LIST_HEAD(&wd->todo);
	wd->net = sw->fabric->net;
	wd->limited = sw->fabric->limited;
	devlink_label(sw, wd->name);
	device_initialize(&wd->dev);
	dev_set_uevent_suppress(&wd->dev, true);
	wd->dev.bus = &devlink_bus_type;
	wd->dev.release = devlink_release;
	refcount_inc(&devlink_devices);
	sw->devlink = wd;
	devlink_schedule(wd, sw);
	return 0;
}

/**
 * weft_devlink_gone() - disconnect a switch that is about to go
 * @sw: the switch; it may be disconnected already
 *
 * Its instance will be unregistered by weft_devlink_run().
 *
 * Context: process, RTNL held.
 */
void weft_devlink_gone(struct weft_switch *sw)
{
	ASSERT_RTNL();
	if (sw->devlink)
		devlink_schedule(sw->devlink, NULL);
	sw->devlink = NULL;
}

static struct weft_devlink *devlink_wd(struct devlink *devlink)
{
	return *(struct weft_devlink **)devlink_priv(devlink);
}

/**
 * weft_devlink_switch() - the switch of an instance
 * @devlink: the instance
 *
 * Context: process, RTNL held.
 * Return: the switch; NULL if it is gone.
 */
struct weft_switch *weft_devlink_switch(struct devlink *devlink)
{
	ASSERT_RTNL();
	return devlink_wd(devlink)->sw;
}

/**
 * weft_devlink_occ() - the last snapshot of a port
 * @devlink: the instance
 * @port: number of the port
 *
 * Context: process, RTNL held.
 * Return: the snapshot of the whole port, followed by those of its classes.
 */
struct weft_devlink_occ *weft_devlink_occ(struct devlink *devlink, u32 port)
{
	const struct weft_devlink *wd = devlink_wd(devlink);

	return &wd->occ[port * (1 + wd->classes)];
}

/* The first @n of the ports, last one first; it rests as weft_limit_rest() does. */
static void devlink_del_ports(struct weft_devlink *wd, u32 n, u64 *begin)
{
	while (n--) {
		devl_port_unregister(&wd->port[n]);
		weft_limit_rest(wd->limited, begin);
	}
}

static int devlink_add_ports(struct weft_devlink *wd)
{
	struct devlink_port_attrs attrs = {
		.flavour = DEVLINK_PORT_FLAVOUR_PHYSICAL,
	};
	u64 begin = 0;
	u32 i;
	int err;

	for (i = 0; i < wd->ports; i++) {
		attrs.phys.port_number = i;
		devlink_port_attrs_set(&wd->port[i], &attrs);
		err = devl_port_register(wd->devlink, &wd->port[i], i);
		if (err) {
			devlink_del_ports(wd, i, &begin);
			return err;
		}
		/* devlink would wait for a netdev, which these ports never have. */
		cancel_delayed_work_sync(&wd->port[i].type_warn_dw);
	}
	return 0;
}

static int devlink_add_sb(struct weft_devlink *wd)
{
	if (!wd->pool)
		return 0;
	return devl_sb_register(wd->devlink, 0, min_t(u64, wd->pool, U32_MAX),
				1, 0, wd->classes, 0);
}

static void devlink_del_sb(struct weft_devlink *wd)
{
	if (wd->pool)
		devl_sb_unregister(wd->devlink, 0);
}

/* How many aggregation nodes the switch has. */
static u64 devlink_aggregators(void *priv)
{
	struct weft_devlink *wd = priv;
	u32 n = 0;

	rtnl_lock();
	if (wd->sw) {
		weft_engine_lock(wd->sw->fabric);
		n = fab_reduce_count(&wd->sw->sw);
		weft_engine_unlock(wd->sw->fabric);
	}
	rtnl_unlock();
	return n;
}

static int devlink_add_resources(struct weft_devlink *wd)
{
	struct devlink_resource_size_params size;
	int err;

	devlink_resource_size_params_init(&size, WEFT_AGGREGATORS_SWITCH,
					  WEFT_AGGREGATORS_SWITCH, 1,
					  DEVLINK_RESOURCE_UNIT_ENTRY);
	err = devl_resource_register(wd->devlink, "aggregation-nodes",
				     WEFT_AGGREGATORS_SWITCH, DEVLINK_AGGREGATORS,
				     DEVLINK_RESOURCE_ID_PARENT_TOP, &size);
	if (err)
		return err;
	devl_resource_occ_get_register(wd->devlink, DEVLINK_AGGREGATORS,
				       devlink_aggregators, wd);
	return 0;
}

static void devlink_del_resources(struct weft_devlink *wd)
{
	devl_resource_occ_get_unregister(wd->devlink, DEVLINK_AGGREGATORS);
	devl_resources_unregister(wd->devlink);
}

static int devlink_fill_locked(struct weft_devlink *wd)
{
	int err;

	err = devlink_add_resources(wd);
	if (err)
		return err;
	err = devlink_add_sb(wd);
	if (err)
		goto err_del_resources;
	err = devlink_add_ports(wd);
	if (!err)
		return 0;
	devlink_del_sb(wd);
err_del_resources:
	devlink_del_resources(wd);
	return err;
}

/* Fill an instance that is not registered yet. */
static int devlink_fill(struct weft_devlink *wd)
{
	int err;

	devl_lock(wd->devlink);
	err = devlink_fill_locked(wd);
	devl_unlock(wd->devlink);
	return err;
}

/* Give the device a name that no other has. */
static int devlink_name(struct weft_devlink *wd)
{
	struct device *other;
	char name[DEVLINK_NAME_LEN + 12];
	u32 n = 1;

	strscpy(name, wd->name, sizeof(name));
	while ((other = bus_find_device_by_name(&devlink_bus_type, NULL,
						name))) {
		put_device(other);
		snprintf(name, sizeof(name), "%s-%u", wd->name, ++n);
	}
	return dev_set_name(&wd->dev, "%s", name);
}

/* The switch is there, and stays until its creator has returned. */
static int devlink_add(struct weft_devlink *wd)
{
	int err;

	err = devlink_name(wd) ?: device_add(&wd->dev);
	if (err)
		return err;
	wd->devlink = devlink_alloc_ns(&weft_devlink_ops, sizeof(wd), wd->net,
				       &wd->dev);
	err = -ENOMEM;
	if (!wd->devlink)
		goto err_del_device;
	*(struct weft_devlink **)devlink_priv(wd->devlink) = wd;
	err = devlink_fill(wd);
	if (err)
		goto err_free_devlink;
	devlink_register(wd->devlink);
	return 0;

err_free_devlink:
	devlink_free(wd->devlink);
	wd->devlink = NULL;
err_del_device:
	device_del(&wd->dev);
	return err;
}

static void devlink_del(struct weft_devlink *wd, u64 *begin)
{
	devlink_unregister(wd->devlink);
	devl_lock(wd->devlink);
	devlink_del_ports(wd, wd->ports, begin);
	devlink_del_sb(wd);
	devlink_del_resources(wd);
	devl_unlock(wd->devlink);
	devlink_free(wd->devlink);
	device_del(&wd->dev);
}

/* The next instance on the list. @gone: set to whether its switch is gone. */
static struct weft_devlink *devlink_next(bool *gone)
{
	struct weft_devlink *wd;

	spin_lock(&devlink_lock);
	wd = list_first_entry_or_null(&devlink_todo, struct weft_devlink, todo);
	if (wd) {
		list_del_init(&wd->todo);
		*gone = !wd->sw;
	}
	spin_unlock(&devlink_lock);
	return wd;
}

/**
 * weft_devlink_run() - register and unregister the instances on the list
 *
 * It is called after a switch was created or destroyed and RTNL was released. When
 * it returns, the work is done, by this or by another caller. Without memory a
 * switch has no instance, but works.
 *
 * Context: process, RTNL not held, may sleep.
 */
void weft_devlink_run(void)
{
	u64 begin = 0;
	struct weft_devlink *wd;
	bool gone;
	int err;

	mutex_lock(&devlink_run);
	while ((wd = devlink_next(&gone))) {
		if (!gone) {
			err = devlink_add(wd);
			if (err)
				pr_warn("weft: %s has no devlink instance: %d\n",
					wd->name, err);
			continue;
		}
		if (wd->devlink)
			devlink_del(wd, &begin);
		put_device(&wd->dev);
	}
	mutex_unlock(&devlink_run);
}

/**
 * weft_devlink_init() - register the bus
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int __init weft_devlink_init(void)
{
	refcount_set(&devlink_devices, 1);
	return bus_register(&devlink_bus_type);
}

/**
 * weft_devlink_exit() - wait until the last device is freed, and unregister the bus
 *
 * devlink frees its instances, and puts their devices, in a work item.
 *
 * Context: process, no switch is left, may sleep.
 */
void weft_devlink_exit(void)
{
	devlink_put_device();
	wait_for_completion(&devlink_released);
	bus_unregister(&devlink_bus_type);
}
