/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEFT_COMPAT_NET_GENETLINK_H
#define WEFT_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>
#include <linux/version.h>

#if KERNEL_VERSION(6, 2, 0) > LINUX_VERSION_CODE
#define genl_split_ops genl_ops		/* argument of pre_doit and post_doit */
#endif

#if KERNEL_VERSION(6, 6, 0) > LINUX_VERSION_CODE
#define genl_info_dump genl_dumpit_info	/* both have a member attrs */
#endif

#endif
