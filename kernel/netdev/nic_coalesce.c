// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt moderation of a NIC by ethtool.
 */
#include "netdev/nic_coalesce.h"

#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "fabric/endpoint.h"
#include "netdev/nic.h"
#include "netlink/nl.h"

static struct weft_endpoint *coalesce_endpoint(struct net_device *dev,
					       struct netlink_ext_ack *extack)
{
	const struct weft_nic *nic = netdev_priv(dev);
	struct weft_endpoint *wep = rtnl_dereference(nic->ep);

	if (wep)
		return wep;
	NL_SET_ERR_MSG(extack, "netdev is attached to no fabric");
	return ERR_PTR(-ENODEV);
}

/**
 * weft_nic_get_coalesce() - get the moderation
 * @dev: the netdev
 * @coal: result
 * @kcoal: unused
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: 0, or -ENODEV.
 */
int weft_nic_get_coalesce(struct net_device *dev,
			  struct ethtool_coalesce *coal,
			  struct kernel_ethtool_coalesce *kcoal,
			  struct netlink_ext_ack *extack)
{
	struct weft_endpoint *wep = coalesce_endpoint(dev, extack);

	if (IS_ERR(wep))
		return PTR_ERR(wep);
	coal->rx_coalesce_usecs = wep->ep.moderation.p.usecs;
	coal->rx_max_coalesced_frames = wep->ep.moderation.p.frames;
	coal->use_adaptive_rx_coalesce = wep->ep.moderation.p.adaptive;
	return 0;
}

static int coalesce_check(const struct ethtool_coalesce *coal,
			  struct netlink_ext_ack *extack)
{
	if (coal->rx_coalesce_usecs > FAB_MODERATION_USECS_MAX) {
		NL_SET_ERR_MSG_FMT(extack, "rx-usecs must be 0 to %u",
				   FAB_MODERATION_USECS_MAX);
		return -ERANGE;
	}
	if (coal->rx_max_coalesced_frames > FAB_MODERATION_FRAMES_MAX) {
		NL_SET_ERR_MSG_FMT(extack, "rx-frames must be 0 to %u",
				   FAB_MODERATION_FRAMES_MAX);
		return -ERANGE;
	}
	return 0;
}

/**
 * weft_nic_set_coalesce() - set the moderation
 * @dev: the netdev
 * @coal: the settings
 * @kcoal: unused
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: 0, -ENODEV or -ERANGE.
 */
int weft_nic_set_coalesce(struct net_device *dev,
			  struct ethtool_coalesce *coal,
			  struct kernel_ethtool_coalesce *kcoal,
			  struct netlink_ext_ack *extack)
{
	const struct fab_moderation_params p = {
		.usecs = coal->rx_coalesce_usecs,
		.frames = coal->rx_max_coalesced_frames,
		.adaptive = coal->use_adaptive_rx_coalesce,
	};
	struct weft_endpoint *wep = coalesce_endpoint(dev, extack);
	int err;

	if (IS_ERR(wep))
		return PTR_ERR(wep);
	err = coalesce_check(coal, extack);
	if (err)
		return err;
	weft_endpoint_set_moderation(wep, &p);
	weft_nl_nic_changed(wep);
	return 0;
}
