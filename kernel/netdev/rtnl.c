// SPDX-License-Identifier: GPL-2.0
/*
 * The rtnl kind "weft": creation and deletion of NICs.
 *
 * It has no attributes: the generic netlink family attaches a NIC and sets its
 * parameters.
 */
#include "netdev/rtnl.h"

#include <linux/etherdevice.h>
#include <linux/module.h>
#include <net/rtnetlink.h>
#include <uapi/linux/if_weft.h>

#include "fabric/endpoint.h"
#include "fabric/fabric.h"
#include "netdev/nic.h"
#include "netdev/parent.h"

static const struct nla_policy rtnl_policy[IFLA_WEFT_MAX + 1] = {
	[IFLA_WEFT_FABRIC] = {
		.type = NLA_REJECT,
		.reject_message = "fabric is read-only: attach the NIC by family weft",
	},
	[IFLA_WEFT_NIC] = {
		.type = NLA_REJECT,
		.reject_message = "NIC id is read-only: attach the NIC by family weft",
	},
};

static int rtnl_validate(struct nlattr *tb[], struct nlattr *data[],
			 struct netlink_ext_ack *extack)
{
	if (tb[IFLA_NUM_TX_QUEUES] &&
	    nla_get_u32(tb[IFLA_NUM_TX_QUEUES]) > FAB_CLASSES_MAX) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, tb[IFLA_NUM_TX_QUEUES],
					"at most %u transmit queues, one per class",
					FAB_CLASSES_MAX);
		return -EINVAL;
	}
	if (!tb[IFLA_ADDRESS])
		return 0;
	if (nla_len(tb[IFLA_ADDRESS]) != ETH_ALEN) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_ADDRESS],
				    "MAC address must have 6 bytes");
		return -EINVAL;
	}
	if (!is_valid_ether_addr(nla_data(tb[IFLA_ADDRESS]))) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_ADDRESS],
				    "MAC address must be neither zero nor a group's");
		return -EADDRNOTAVAIL;
	}
	return 0;
}

static int rtnl_newlink(struct net *net, struct net_device *dev,
			struct nlattr *tb[], struct nlattr *data[],
			struct netlink_ext_ack *extack)
{
	int err = weft_parent_charge(dev, extack);

	if (err)
		return err;
	err = register_netdevice(dev);
	if (err)
		weft_parent_uncharge(dev);
	return err;
}

static unsigned int rtnl_queues(void)
{
	return WEFT_NIC_QUEUES;
}

static size_t rtnl_size(const struct net_device *dev)
{
	return 2 * nla_total_size(sizeof(u32));
}

static int rtnl_fill(struct sk_buff *skb, const struct net_device *dev)
{
	const struct weft_nic *nic = netdev_priv(dev);
	const struct weft_endpoint *wep;
	int err = 0;

	rcu_read_lock();
	wep = rcu_dereference(nic->ep);
	if (wep && (nla_put_u32(skb, IFLA_WEFT_FABRIC, wep->fabric->id) ||
		    nla_put_u32(skb, IFLA_WEFT_NIC, wep->ep.id)))
		err = -EMSGSIZE;
	rcu_read_unlock();
	return err;
}

static struct rtnl_link_ops rtnl_ops __read_mostly = {
	.kind = "weft",
	.priv_size = sizeof(struct weft_nic),
	.setup = weft_nic_setup,
	.maxtype = IFLA_WEFT_MAX,
	.policy = rtnl_policy,
	.validate = rtnl_validate,
	.newlink = rtnl_newlink,
	.get_num_tx_queues = rtnl_queues,
	.get_size = rtnl_size,
	.fill_info = rtnl_fill,
};

/**
 * weft_rtnl_init() - register the kind
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int weft_rtnl_init(void)
{
	return rtnl_link_register(&rtnl_ops);
}

/**
 * weft_rtnl_exit() - unregister the kind and delete all NICs
 *
 * Context: process, may sleep.
 */
void weft_rtnl_exit(void)
{
	rtnl_link_unregister(&rtnl_ops);
}

MODULE_ALIAS_RTNL_LINK("weft");
