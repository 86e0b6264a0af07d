/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEFT_COMPAT_NET_NET_NAMESPACE_H
#define WEFT_COMPAT_NET_NET_NAMESPACE_H

#include_next <net/net_namespace.h>
#include <linux/version.h>

#if KERNEL_VERSION(6, 6, 0) > LINUX_VERSION_CODE

/* An empty entry is the end of a table there. */
#define register_net_sysctl_sz(net, path, table, size) \
	register_net_sysctl(net, path, table)

#endif

#endif
