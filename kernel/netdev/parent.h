/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device that a NIC and its RDMA device are functions of.
 */
#ifndef WEFT_PARENT_H
#define WEFT_PARENT_H

struct net_device;
struct netlink_ext_ack;

int weft_parent_charge(struct net_device *dev, struct netlink_ext_ack *extack);
void weft_parent_uncharge(struct net_device *dev);
int weft_parent_add(struct net_device *dev);
void weft_parent_del(struct net_device *dev);

#endif
