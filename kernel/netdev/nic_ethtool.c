// SPDX-License-Identifier: GPL-2.0
/*
 * A NIC in ethtool.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>

#include "fabric/counters.h"
#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "netdev/nic.h"
#include "netdev/nic_coalesce.h"
#include "version.h"

#define ETHTOOL_PORT_COUNTERS	(WEFT_PORT_COUNTERS + FAB_DROP_COUNT)

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

/* A class for each allocated queue; unlike the number in use it never changes. */
static u32 ethtool_classes(const struct net_device *dev)
{
	return min_t(u32, dev->num_tx_queues, FAB_CLASSES_MAX);
}

static int ethtool_sset_count(struct net_device *dev, int sset)
{
	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return ETHTOOL_PORT_COUNTERS +
	       WEFT_CLASS_COUNTERS * ethtool_classes(dev) +
	       WEFT_MODERATION_COUNTERS;
}

/* tx_prio3_packets, rx_prio3_pause: names that drivers of real NICs use. */
static void ethtool_class_string(u8 **data, const char *name, u32 cls)
{
	if (str_has_prefix(name, "tx_") || str_has_prefix(name, "rx_"))
		ethtool_sprintf(data, "%.3sprio%u_%s", name, cls, name + 3);
	else
		ethtool_sprintf(data, "prio%u_%s", cls, name);
}

static void ethtool_strings(struct net_device *dev, u32 sset, u8 *data)
{
	u32 cls, i;

	if (sset != ETH_SS_STATS)
		return;
	for (i = 0; i < WEFT_PORT_COUNTERS; i++, data += ETH_GSTRING_LEN)
		strscpy(data, weft_port_counter_name[i], ETH_GSTRING_LEN);
	for (i = 0; i < FAB_DROP_COUNT; i++)
		ethtool_sprintf(&data, "drop_%s", weft_drop_name[i]);
	for (cls = 0; cls < ethtool_classes(dev); cls++)
		for (i = 0; i < WEFT_CLASS_COUNTERS; i++)
			ethtool_class_string(&data, weft_class_counter_name[i],
					     cls);
	for (i = 0; i < WEFT_MODERATION_COUNTERS; i++, data += ETH_GSTRING_LEN)
		strscpy(data, weft_moderation_counter_name[i], ETH_GSTRING_LEN);
}

static void ethtool_stats(struct net_device *dev, struct ethtool_stats *stats,
			  u64 *data)
{
	struct weft_endpoint *wep = ethtool_endpoint(dev);
	struct fab_port *port;
	u32 cls, n;

	BUILD_BUG_ON(sizeof(port->c) != ETHTOOL_PORT_COUNTERS * sizeof(u64));
	BUILD_BUG_ON(sizeof(port->cls->c) != WEFT_CLASS_COUNTERS * sizeof(u64));
	memset(data, 0, ethtool_sset_count(dev, ETH_SS_STATS) * sizeof(*data));
	if (!wep)
		return;
	port = &wep->ep.port;
	n = min(port->p->classes, ethtool_classes(dev));
	weft_engine_lock(wep->fabric);
	fab_port_settle(&wep->fabric->fab, port);
	memcpy(data, &port->c, sizeof(port->c));
	data += ETHTOOL_PORT_COUNTERS;
	for (cls = 0; cls < n; cls++, data += WEFT_CLASS_COUNTERS)
		memcpy(data, &port->cls[cls].c, sizeof(port->cls[cls].c));
	/* The NIC may have more queues than the fabric has classes. */
	data += WEFT_CLASS_COUNTERS * (ethtool_classes(dev) - n);
	memcpy(data, &wep->ep.moderation.c, sizeof(wep->ep.moderation.c));
	weft_engine_unlock(wep->fabric);
}

/* What a NIC can tell the far end of its link to stop. */
static enum fab_pauses ethtool_pauses(const struct weft_endpoint *wep)
{
	return wep ? wep->ep.port.flow->pauses : FAB_PAUSES_NONE;
}

/* The topology determines pause: there is nothing to negotiate or to set. */
static void ethtool_pauseparam(struct net_device *dev,
			       struct ethtool_pauseparam *p)
{
	bool pause = ethtool_pauses(ethtool_endpoint(dev)) == FAB_PAUSES_LINK;

	p->autoneg = AUTONEG_DISABLE;
	p->rx_pause = pause;
	p->tx_pause = pause;
}

static struct fab_port_counters ethtool_counters(struct weft_endpoint *wep)
{
	struct fab_port_counters c;

	weft_engine_lock(wep->fabric);
	c = wep->ep.port.c;
	weft_engine_unlock(wep->fabric);
	return c;
}

static void ethtool_pause_stats(struct net_device *dev,
				struct ethtool_pause_stats *stats)
{
	struct weft_endpoint *wep = ethtool_endpoint(dev);
	struct fab_port_counters c;

	if (ethtool_pauses(wep) != FAB_PAUSES_LINK)
		return;
	c = ethtool_counters(wep);
	stats->tx_pause_frames = c.tx_control;
	stats->rx_pause_frames = c.rx_control;
}

/* Flow control packets of InfiniBand and flits are no MAC control frames. */
static void ethtool_ctrl_stats(struct net_device *dev,
			       struct ethtool_eth_ctrl_stats *stats)
{
	struct weft_endpoint *wep = ethtool_endpoint(dev);
	struct fab_port_counters c;

	if (ethtool_pauses(wep) == FAB_PAUSES_NONE)
		return;
	c = ethtool_counters(wep);
	stats->MACControlFramesTransmitted = c.tx_control;
	stats->MACControlFramesReceived = c.rx_control;
}

static void ethtool_mac_stats(struct net_device *dev,
			      struct ethtool_eth_mac_stats *stats)
{
	struct weft_endpoint *wep = ethtool_endpoint(dev);
	struct fab_port_counters c;

	if (!wep)
		return;
	c = ethtool_counters(wep);
	stats->FramesTransmittedOK = c.tx_packets;
	stats->FramesReceivedOK = c.rx_packets;
	stats->FrameCheckSequenceErrors = c.drops[FAB_DROP_BIT_ERROR];
}

static const struct ethtool_ops nic_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_RX_USECS |
				     ETHTOOL_COALESCE_RX_MAX_FRAMES |
				     ETHTOOL_COALESCE_USE_ADAPTIVE_RX,
	.get_coalesce = weft_nic_get_coalesce,
	.set_coalesce = weft_nic_set_coalesce,
	.get_drvinfo = ethtool_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_ts_info = ethtool_op_get_ts_info,
	.get_link_ksettings = ethtool_get_link_ksettings,
	.get_sset_count = ethtool_sset_count,
	.get_strings = ethtool_strings,
	.get_ethtool_stats = ethtool_stats,
	.get_pauseparam = ethtool_pauseparam,
	.get_pause_stats = ethtool_pause_stats,
	.get_eth_ctrl_stats = ethtool_ctrl_stats,
	.get_eth_mac_stats = ethtool_mac_stats,
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
