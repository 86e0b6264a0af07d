/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device that a NIC and its RDMA device are functions of.
 */
#ifndef WEFT_PARENT_H
#define WEFT_PARENT_H

struct net_device;

int weft_parent_add(struct net_device *dev);
void weft_parent_del(struct net_device *dev);

#endif
