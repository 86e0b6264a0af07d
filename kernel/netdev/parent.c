// SPDX-License-Identifier: GPL-2.0
/*
 * The device that a NIC and its RDMA device are functions of.
 *
 * DOC: why there is one
 *
 * The netdev and the RDMA device of an adapter have the same parent in sysfs, its
 * PCI function. By it programs find one from the other
 * (/sys/class/infiniband/DEVICE/device/net), and the place of both in the machine.
 * The parent of a NIC of kind weft is a platform device without a driver. It is of
 * no network namespace. The netdev and the RDMA device below it are visible in their
 * own namespace only.
 *
 * The kernel charges the netdev to the control group of its creator, but not the
 * platform device and its files in sysfs. So these count as memory of unprivileged
 * users (limit.c).
 */
#include "netdev/parent.h"

#include <linux/err.h>
#include <linux/netdevice.h>
#include <linux/platform_device.h>

#include "fabric/limit.h"
#include "netdev/nic.h"

#define PARENT_MEM	4096	/* bytes of the device and its files in sysfs, about */

/**
 * weft_parent_charge() - charge the parent of a netdev to unprivileged users
 * @dev: the netdev, which is not registered yet
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: 0, or -EDQUOT.
 */
int weft_parent_charge(struct net_device *dev, struct netlink_ext_ack *extack)
{
	struct weft_nic *nic = netdev_priv(dev);
	bool limited = weft_limit_applies(dev_net(dev));
	int err = weft_limit_take(limited, 0, PARENT_MEM, extack);

	nic->charged = limited && !err;
	return err;
}

/**
 * weft_parent_uncharge() - end that, if it was charged
 * @dev: the netdev, which may have moved to another namespace
 *
 * Context: any.
 */
void weft_parent_uncharge(struct net_device *dev)
{
	struct weft_nic *nic = netdev_priv(dev);

	weft_limit_give(nic->charged, 0, PARENT_MEM);
	nic->charged = false;
}

/**
 * weft_parent_add() - create the parent of a netdev
 * @dev: the netdev, not in sysfs yet
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int weft_parent_add(struct net_device *dev)
{
	struct platform_device *parent;

	parent = platform_device_register_simple("weft", PLATFORM_DEVID_AUTO,
						 NULL, 0);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	SET_NETDEV_DEV(dev, &parent->dev);
	return 0;
}

/**
 * weft_parent_del() - remove the parent of a netdev
 * @dev: the netdev, not in sysfs any more; nothing refers to it
 *
 * Its RDMA device is gone, because that has a reference to the netdev.
 *
 * Context: process, may sleep.
 */
void weft_parent_del(struct net_device *dev)
{
	platform_device_unregister(to_platform_device(dev->dev.parent));
	SET_NETDEV_DEV(dev, NULL);
}
