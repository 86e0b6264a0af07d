/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A NIC: a netdev of kind "weft".
 */
#ifndef WEFT_NIC_H
#define WEFT_NIC_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>

struct weft_endpoint;

#define WEFT_NIC_QUEUES		8	/* default of numtxqueues */
#define WEFT_NIC_BACKLOG	16384	/* packets that wait for NAPI */
#define WEFT_NIC_DSCPS		64
#define WEFT_NIC_PRIOS		8	/* 802.1Q priorities */

/**
 * struct weft_nic - private part of the netdev
 */
struct weft_nic {
	/** @dev: the netdev */
	struct net_device *dev;
	/**
	 * @ep: its endpoint in a fabric, NULL while it is attached to none.
	 * Written under RTNL, read under RTNL or RCU, freed after RCU.
	 */
	struct weft_endpoint __rcu *ep;
	/** @charged: its parent is charged to unprivileged users */
	bool charged;
	/** @train: super-packets are sent as trains of frames (RTNL) */
	bool train;
	/**
	 * @trust_dscp: a packet's priority is that of its DSCP. Like @dscp_prio
	 * it is written under RTNL; transmits read each byte without a lock.
	 */
	bool trust_dscp;
	/** @dscp_prio: priority of each DSCP, below WEFT_NIC_PRIOS */
	u8 dscp_prio[WEFT_NIC_DSCPS];
	/** @napi: delivers to the stack */
	struct napi_struct napi;
	/** @rx: packets that arrived; its lock also protects @rx_open */
	struct sk_buff_head rx;
	/** @rx_open: the netdev is up and takes packets */
	bool rx_open;
	/** @rx_raised: NAPI was scheduled and has not run yet (weft_nic_interrupt()) */
	bool rx_raised;
	/** @batch: packets that NAPI took from @rx; only NAPI uses it */
	struct sk_buff_head batch;
};

void weft_nic_setup(struct net_device *dev);
bool weft_nic_is(const struct net_device *dev);
u8 weft_nic_prio(const struct weft_nic *nic, struct sk_buff *skb);
void weft_nic_set_trust(struct weft_nic *nic, bool dscp);
void weft_nic_set_dscp(struct weft_nic *nic, u8 dscp, u8 prio);
int weft_nic_receive(struct weft_nic *nic, struct sk_buff *skb);
bool weft_nic_interrupt(struct weft_nic *nic);
void weft_nic_set_ethtool(struct net_device *dev);

#endif
