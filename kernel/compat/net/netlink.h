/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEFT_COMPAT_NET_NETLINK_H
#define WEFT_COMPAT_NET_NETLINK_H

#include_next <net/netlink.h>
#include <linux/version.h>

#if KERNEL_VERSION(6, 7, 0) > LINUX_VERSION_CODE

/* The range could not be const, though nobody writes to it. */
#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, _range) {				\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),			\
	.validation_type = NLA_VALIDATE_RANGE_PTR,			\
	.range = (struct netlink_range_validation *)(_range),		\
}

#endif

#endif
