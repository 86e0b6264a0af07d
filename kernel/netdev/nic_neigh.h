/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Neighbours of a NIC whose MAC address follows from their IP address.
 */
#ifndef WEFT_NIC_NEIGH_H
#define WEFT_NIC_NEIGH_H

#include <linux/types.h>

struct neighbour;
struct net_device;

bool weft_nic_neigh_mac4(u16 prefix, const u8 *ip, u8 *mac);
bool weft_nic_neigh_mac6(const u8 *ip, u8 *mac);
int weft_nic_neigh_construct(struct net_device *dev, struct neighbour *n);

#endif
