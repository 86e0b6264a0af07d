/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switches in devlink.
 */
#ifndef WEFT_DEVLINK_H
#define WEFT_DEVLINK_H

#include <linux/errno.h>
#include <linux/kconfig.h>
#include <linux/types.h>

struct devlink;
struct devlink_ops;
struct fab_switch_params;
struct weft_devlink;
struct weft_switch;

/**
 * struct weft_devlink_occ - occupancy of a part of a buffer
 */
struct weft_devlink_occ {
	/** @now: bytes held */
	u32 now;
	/** @peak: most bytes ever held */
	u32 peak;
};

#if IS_ENABLED(CONFIG_NET_DEVLINK)

int weft_devlink_init(void);
void weft_devlink_exit(void);
int weft_devlink_new(struct weft_switch *sw, const struct fab_switch_params *p);
void weft_devlink_gone(struct weft_switch *sw);
void weft_devlink_run(void);

/* for the shared buffer's part, devlink_sb.c */
extern const struct devlink_ops weft_devlink_ops;
struct weft_switch *weft_devlink_switch(struct devlink *devlink);
struct weft_devlink_occ *weft_devlink_occ(struct devlink *devlink, u32 port);

#else

static inline int weft_devlink_init(void)
{
	return 0;
}

static inline void weft_devlink_exit(void)
{
}

static inline int weft_devlink_new(struct weft_switch *sw,
				   const struct fab_switch_params *p)
{
	return 0;
}

static inline void weft_devlink_gone(struct weft_switch *sw)
{
}

static inline void weft_devlink_run(void)
{
}

#endif

#endif
