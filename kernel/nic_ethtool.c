// SPDX-License-Identifier: GPL-2.0
/*
 * A NIC as ethtool shows it.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>

#include "counters.h"
#include "endpoint.h"
#include "engine.h"
#include "nic.h"
#include "version.h"

#define ETHTOOL_CLASS_COUNTERS	2	/* packets and bytes */

#define ETHTOOL_PORT_COUNTERS	(WEFT_PORT_COUNTERS + FAB_DROP_COUNT)
#define ETHTOOL_COUNTERS	(ETHTOOL_PORT_COUNTERS + \
				 ETHTOOL_CLASS_COUNTERS * FAB_CLASSES_MAX)

static struct weft_endpoint *ethtool_endpoint(struct net_device *dev)
{
	return rtnl_dereference(((struct weft_nic *)netdev_priv(dev))->ep);
}

static void ethtool_drvinfo(struct net_device *dev,
			    struct ethtool_drvinfo *info)
{
	strscpy(info->driver, "weft", sizeof(info->driver));
	strscpy(info->version, WEFT_VERSION, sizeof(info->version));
}

/* Rates go up to 1 Pb/s, which is 1e9 in Mb/s: the sum fits. */
static int ethtool_get_link_ksettings(struct net_device *dev,
				      struct ethtool_link_ksettings *cmd)
{
	const struct weft_endpoint *wep = ethtool_endpoint(dev);

	ethtool_link_ksettings_zero_link_mode(cmd, supported);
	ethtool_link_ksettings_zero_link_mode(cmd, advertising);
	cmd->base.port = PORT_OTHER;
	cmd->base.autoneg = AUTONEG_DISABLE;
	cmd->base.speed = SPEED_UNKNOWN;
	cmd->base.duplex = DUPLEX_UNKNOWN;
	if (wep && wep->ep.port.peer) {
		cmd->base.speed = div_u64(wep->ep.port.wire.p.rate_bps,
					  1000000);
		cmd->base.duplex = DUPLEX_FULL;
	}
	return 0;
}

static int ethtool_sset_count(struct net_device *dev, int sset)
{
	return sset == ETH_SS_STATS ? ETHTOOL_COUNTERS : -EOPNOTSUPP;
}

static void ethtool_strings(struct net_device *dev, u32 sset, u8 *data)
{
	int cls, i;

	if (sset != ETH_SS_STATS)
		return;
	for (i = 0; i < WEFT_PORT_COUNTERS; i++, data += ETH_GSTRING_LEN)
		strscpy(data, weft_port_counter_name[i], ETH_GSTRING_LEN);
	for (i = 0; i < FAB_DROP_COUNT; i++)
		ethtool_sprintf(&data, "drop_%s", weft_drop_name[i]);
	for (cls = 0; cls < FAB_CLASSES_MAX; cls++) {
		ethtool_sprintf(&data, "class%d_tx_packets", cls);
		ethtool_sprintf(&data, "class%d_tx_bytes", cls);
	}
}

static void ethtool_stats(struct net_device *dev, struct ethtool_stats *stats,
			  u64 *data)
{
	struct weft_endpoint *wep = ethtool_endpoint(dev);
	const struct fab_port_counters *c;
	int cls;

	memset(data, 0, ETHTOOL_COUNTERS * sizeof(*data));
	if (!wep)
		return;
	BUILD_BUG_ON(sizeof(*c) != ETHTOOL_PORT_COUNTERS * sizeof(u64));
	c = &wep->ep.port.c;
	weft_engine_lock(wep->fabric);
	memcpy(data, c, sizeof(*c));
	data += ETHTOOL_PORT_COUNTERS;
	for (cls = 0; cls < FAB_CLASSES_MAX; cls++) {
		*data++ = wep->tx[cls].packets;
		*data++ = wep->tx[cls].bytes;
	}
	weft_engine_unlock(wep->fabric);
}

static const struct ethtool_ops nic_ethtool_ops = {
	.get_drvinfo = ethtool_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_ts_info = ethtool_op_get_ts_info,
	.get_link_ksettings = ethtool_get_link_ksettings,
	.get_sset_count = ethtool_sset_count,
	.get_strings = ethtool_strings,
	.get_ethtool_stats = ethtool_stats,
};

/**
 * weft_nic_set_ethtool() - give a netdev its ethtool operations
 * @dev: the netdev
 *
 * Context: process, RTNL held.
 */
void weft_nic_set_ethtool(struct net_device *dev)
{
	dev->ethtool_ops = &nic_ethtool_ops;
}
