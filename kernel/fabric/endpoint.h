/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An endpoint: the attachment of a NIC to a fabric.
 */
#ifndef WEFT_ENDPOINT_H
#define WEFT_ENDPOINT_H

#include <uapi/linux/weft.h>

#include "core/node/endpoint.h"
#include "fabric/mac.h"
#include "fabric/verbs.h"
#include "netdev/dcb.h"

struct net_device;
struct netlink_ext_ack;
struct weft_client;
struct weft_fabric;
struct weft_link;
struct weft_nic;

#define WEFT_ENDPOINT_ANY	U32_MAX		/* the lowest id that is free */

/**
 * struct weft_endpoint_params - parameters of an endpoint
 */
struct weft_endpoint_params {
	/** @id: endpoint id, or WEFT_ENDPOINT_ANY */
	u32 id;
	/** @name: label; empty for none */
	char name[WEFT_NAME_LEN];
	/** @train: super-packets are sent as trains of frames */
	bool train;
	/** @neigh_prefix: see &struct weft_endpoint */
	u16 neigh_prefix;
	/** @neigh_eui64: see &struct weft_endpoint */
	bool neigh_eui64;
	/** @vl: class of each service level, FAB_VL_DROP for none */
	u8 vl[FAB_CLASSES_MAX];
	/** @ep: the model's parameters */
	struct fab_endpoint_params ep;
	/** @verbs: the NIC as an RDMA device */
	struct weft_verbs_params verbs;
};

/**
 * struct weft_class_count - frames that a NIC sent in one class
 */
struct weft_class_count {
	/** @packets: frames */
	u64 packets;
	/** @bytes: their length */
	u64 bytes;
};

/**
 * struct weft_endpoint - an attached NIC
 *
 * It is created by an attach and freed by a detach, so no state of one fabric
 * gets into the next.
 */
struct weft_endpoint {
	/**
	 * @rcu: it is freed by RCU, because a transmit may have a pointer; near
	 * the front for kvfree_rcu()
	 */
	struct rcu_head rcu;
	/** @ep: the model's endpoint (fabric's lock) */
	struct fab_endpoint ep;
	/** @p: parameters of @ep (fabric's lock) */
	struct fab_endpoint_params p;
	/** @latency: histogram of @ep (fabric's lock) */
	struct fab_hist latency;
	/** @gone: detached: a late transmit must not touch it (fabric's lock) */
	bool gone;
	/** @mac: its address in the fabric's table (fabric's lock) */
	struct weft_mac_entry mac;
	/** @tx: counters of the classes (fabric's lock) */
	struct weft_class_count tx[FAB_CLASSES_MAX];
	/** @fabric: its fabric; constant */
	struct weft_fabric *fabric;
	/** @nic: its NIC, which only a late transmit may outlive; constant */
	struct weft_nic *nic;
	/**
	 * @neigh_prefix: first two bytes of the MAC address of a neighbour, before its
	 * IPv4 address; 0: it does not follow from it. Constant
	 */
	u16 neigh_prefix;
	/**
	 * @neigh_eui64: that of a neighbour with a link-local IPv6 address follows from
	 * it; constant
	 */
	bool neigh_eui64;
	/** @vl: class of each service level, FAB_VL_DROP for none; constant */
	u8 vl[FAB_CLASSES_MAX];
	/** @name: label; constant */
	char name[WEFT_NAME_LEN];
	/** @link: link at its port, NULL for none (RTNL) */
	struct weft_link *link;
	/** @dcb: settings of dcbnl (RTNL) */
	struct weft_dcb dcb;
	/** @client: client of the NIC, NULL for none (RTNL and fabric's lock) */
	struct weft_client *client;
	/** @had_client: there is or was a client (RTNL) */
	bool had_client;
	/** @verbs: parameters and counters of verbs (fabric's lock) */
	struct weft_verbs verbs;
	/** @mem: memory of the model's endpoint */
	u64 mem[];
};

struct weft_endpoint *
weft_endpoint_attach(struct weft_fabric *f, struct weft_nic *nic,
		     const struct weft_endpoint_params *p,
		     struct netlink_ext_ack *extack);
void weft_endpoint_detach(struct weft_endpoint *wep);
void weft_endpoint_set_receive(struct weft_endpoint *wep,
			       const struct fab_receive_params *p);
void weft_endpoint_set_moderation(struct weft_endpoint *wep,
				  const struct fab_moderation_params *p);
void weft_endpoint_set_verbs(struct weft_endpoint *wep,
			     const struct weft_verbs_params *p);
struct weft_endpoint *weft_endpoint_find(struct weft_fabric *f, u32 id);
void weft_endpoint_carrier(struct weft_endpoint *wep);

#endif
