// SPDX-License-Identifier: GPL-2.0
/*
 * The application table of dcbnl: the priority of each DSCP.
 *
 * The kernel keeps the table. The NIC keeps the resulting priority of each DSCP, for
 * transmits. The table belongs to the netdev, attached or not. The first entry for a
 * DSCP makes the NIC trust DSCPs; the removal of the last one ends that. If a DSCP
 * has several priorities the highest counts. If it has none, the default priority
 * counts, or 0.
 */
#include <net/dcbnl.h>

#include "netdev/dcb.h"
#include "netdev/nic.h"

static int app_check(const struct dcb_app *app)
{
	if (app->priority >= WEFT_NIC_PRIOS)
		return -EINVAL;
	switch (app->selector) {
	case IEEE_8021QAZ_APP_SEL_DSCP:
		return app->protocol < WEFT_NIC_DSCPS ? 0 : -EINVAL;
	case IEEE_8021QAZ_APP_SEL_ETHERTYPE:
		/* Only the default priority. */
		return app->protocol ? -EOPNOTSUPP : 0;
	default:
		return -EOPNOTSUPP;
	}
}

static u8 app_highest(u8 prios)
{
	return prios ? fls(prios) - 1 : 0;
}

/* Returns whether the table has an entry for a DSCP. */
static bool app_apply(struct net_device *dev)
{
	u8 rest = app_highest(dcb_ieee_getapp_default_prio_mask(dev));
	struct weft_nic *nic = netdev_priv(dev);
	struct dcb_ieee_app_dscp_map map;
	bool any = false;
	u8 prio;
	int i;

	dcb_ieee_getapp_dscp_prio_mask_map(dev, &map);
	for (i = 0; i < WEFT_NIC_DSCPS; i++) {
		prio = map.map[i] ? app_highest(map.map[i]) : rest;
		weft_nic_set_dscp(nic, i, prio);
		any |= map.map[i];
	}
	return any;
}

/**
 * weft_dcb_setapp() - add an entry to the table of a NIC
 * @dev: its netdev
 * @app: a DSCP or the default, and its priority
 *
 * Context: process, RTNL held.
 * Return: 0; -EEXIST if it is there; -EINVAL for a value out of range; -EOPNOTSUPP
 * for another selector than DSCP.
 */
int weft_dcb_setapp(struct net_device *dev, struct dcb_app *app)
{
	int err = app_check(app);

	err = err ?: dcb_ieee_setapp(dev, app);
	if (err)
		return err;
	app_apply(dev);
	if (app->selector == IEEE_8021QAZ_APP_SEL_DSCP)
		weft_nic_set_trust(netdev_priv(dev), true);
	return 0;
}

/**
 * weft_dcb_delapp() - remove an entry from the table of a NIC
 * @dev: its netdev
 * @app: the entry
 *
 * Context: process, RTNL held.
 * Return: 0; -ENOENT when it is not there.
 */
int weft_dcb_delapp(struct net_device *dev, struct dcb_app *app)
{
	int err = dcb_ieee_delapp(dev, app);

	if (err)
		return err;
	if (!app_apply(dev))
		weft_nic_set_trust(netdev_priv(dev), false);
	return 0;
}

/**
 * weft_dcb_setapptrust() - set the trusted selectors
 * @dev: the netdev
 * @selector: DSCP
 * @n: 1, or 0: nothing in the packet is trusted
 *
 * Context: process, RTNL held.
 * Return: 0 or -EOPNOTSUPP.
 */
int weft_dcb_setapptrust(struct net_device *dev, u8 *selector, int n)
{
	if (n > 1 || (n && selector[0] != IEEE_8021QAZ_APP_SEL_DSCP))
		return -EOPNOTSUPP;
	weft_nic_set_trust(netdev_priv(dev), n);
	return 0;
}

/**
 * weft_dcb_getapptrust() - get the trusted selectors
 * @dev: the netdev
 * @selector: set to DSCP
 * @n: set to 1, or to 0 if nothing in the packet is trusted
 *
 * Context: process, RTNL held.
 * Return: 0.
 */
int weft_dcb_getapptrust(struct net_device *dev, u8 *selector, int *n)
{
	const struct weft_nic *nic = netdev_priv(dev);

	*n = nic->trust_dscp;
	selector[0] = IEEE_8021QAZ_APP_SEL_DSCP;
	return 0;
}
