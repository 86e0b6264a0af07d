/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of a NIC by dcbnl: traffic classes, PFC, receive buffers, priorities of
 * applications.
 */
#ifndef WEFT_DCB_H
#define WEFT_DCB_H

#include <linux/dcbnl.h>

struct net_device;

/**
 * struct weft_dcb - settings of dcbnl that the model has in another form
 */
struct weft_dcb {
	/** @ets_set: @ets was set; otherwise the weights determine it */
	bool ets_set;
	/** @ets: traffic classes of the priorities, and their shares (RTNL) */
	struct ieee_ets ets;
	/** @maxrate: limits of the traffic classes (RTNL) */
	struct ieee_maxrate maxrate;
};

#if IS_ENABLED(CONFIG_DCB)

/* dcb_app.c */
int weft_dcb_setapp(struct net_device *dev, struct dcb_app *app);
int weft_dcb_delapp(struct net_device *dev, struct dcb_app *app);
int weft_dcb_setapptrust(struct net_device *dev, u8 *selector, int n);
int weft_dcb_getapptrust(struct net_device *dev, u8 *selector, int *n);

/* dcb_ets.c */
int weft_dcb_getets(struct net_device *dev, struct ieee_ets *ets);
int weft_dcb_setets(struct net_device *dev, struct ieee_ets *ets);
int weft_dcb_getmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate);
int weft_dcb_setmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate);

/* dcb.c */
void weft_nic_set_dcb(struct net_device *dev);

#else

static inline void weft_nic_set_dcb(struct net_device *dev)
{
}

#endif

#endif
