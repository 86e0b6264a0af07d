/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupt moderation of a NIC by ethtool.
 */
#ifndef WEFT_NIC_COALESCE_H
#define WEFT_NIC_COALESCE_H

struct ethtool_coalesce;
struct kernel_ethtool_coalesce;
struct net_device;
struct netlink_ext_ack;

int weft_nic_get_coalesce(struct net_device *dev,
			  struct ethtool_coalesce *coal,
			  struct kernel_ethtool_coalesce *kcoal,
			  struct netlink_ext_ack *extack);
int weft_nic_set_coalesce(struct net_device *dev,
			  struct ethtool_coalesce *coal,
			  struct kernel_ethtool_coalesce *kcoal,
			  struct netlink_ext_ack *extack);

#endif
