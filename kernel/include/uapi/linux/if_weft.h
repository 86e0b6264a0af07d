/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * rtnl kind "weft": what ip -d link shows. All of it is read-only; NICs are
 * attached by the generic netlink family of linux/weft.h.
 */
#ifndef _UAPI_LINUX_IF_WEFT_H
#define _UAPI_LINUX_IF_WEFT_H

enum {
	IFLA_WEFT_UNSPEC,
	IFLA_WEFT_FABRIC,	/* u32: id of the fabric; absent: attached to none */
	IFLA_WEFT_NIC,		/* u32: endpoint id in it */

	__IFLA_WEFT_MAX,
	IFLA_WEFT_MAX = (__IFLA_WEFT_MAX - 1)
};

#endif /* _UAPI_LINUX_IF_WEFT_H */
