// SPDX-License-Identifier: GPL-2.0
/*
 * What users without privileges may have of the host.
 *
 * DOC: limits
 *
 * Who is root in a user namespace of their own may make network namespaces, NICs
 * and fabrics there. What all such users have together is bounded, so that however
 * many namespaces one of them makes, the host keeps its memory, and nobody holds RTNL
 * for long when they go:
 *
 *	net.weft.user_objects	ports of switches, links, NICs, faults, generators of
 *				traffic, captures and trails; a fabric counts as 64
 *	net.weft.user_memory	bytes of these, and of packets on their way, which
 *				no socket pays for any more
 *
 * Fabrics of namespaces that belong to the first user namespace are not limited, and
 * only from there can the limits be set. How much of the CPU a fabric gets that has
 * more to do than there is time for is the engine's matter (engine.c).
 */
#include "fabric/limit.h"

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/sysctl.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#define LIMIT_OBJECTS		16384
#define LIMIT_MEMORY_SHARE	16	/* of the host's memory, one part in so many */

static unsigned long limit_objects = LIMIT_OBJECTS;
static unsigned long limit_memory;

static atomic_long_t limit_objects_used;
static atomic_long_t limit_memory_used;

static struct ctl_table_header *limit_header;

static struct ctl_table limit_table[] = {
	{
		.procname = "user_memory",
		.data = &limit_memory,
		.maxlen = sizeof(limit_memory),
		.mode = 0644,
		.proc_handler = proc_doulongvec_minmax,
	},
	{
		.procname = "user_objects",
		.data = &limit_objects,
		.maxlen = sizeof(limit_objects),
		.mode = 0644,
		.proc_handler = proc_doulongvec_minmax,
	},
	{ }
};

/**
 * weft_limit_applies() - is what a network namespace makes limited?
 * @net: the namespace
 *
 * Context: any.
 * Return: whether it belongs to a user namespace other than the first.
 */
bool weft_limit_applies(const struct net *net)
{
	return net->user_ns != &init_user_ns;
}

static bool limit_add(atomic_long_t *used, unsigned long n, unsigned long limit)
{
	if (atomic_long_add_return(n, used) <= limit)
		return true;
	atomic_long_sub(n, used);
	return false;
}

/**
 * weft_limit_take() - have more of the host
 * @limited: does weft_limit_applies() say so? If not, nothing happens
 * @objects: so many objects
 * @bytes: so much memory
 * @extack: for the reason of a refusal; NULL for packets
 *
 * Context: any.
 * Return: 0, or -EDQUOT.
 */
int weft_limit_take(bool limited, u32 objects, size_t bytes,
		    struct netlink_ext_ack *extack)
{
	if (likely(!limited))
		return 0;
	if (!limit_add(&limit_objects_used, objects, READ_ONCE(limit_objects))) {
		NL_SET_ERR_MSG(extack,
			       "users have as many objects as net.weft.user_objects allows");
		return -EDQUOT;
	}
	if (!limit_add(&limit_memory_used, bytes, READ_ONCE(limit_memory))) {
		atomic_long_sub(objects, &limit_objects_used);
		NL_SET_ERR_MSG(extack,
			       "users have as much memory as net.weft.user_memory allows");
		return -EDQUOT;
	}
	return 0;
}

/**
 * weft_limit_give() - have less of the host
 * @limited: as for weft_limit_take()
 * @objects: as was taken
 * @bytes: as was taken
 *
 * Context: any.
 */
void weft_limit_give(bool limited, u32 objects, size_t bytes)
{
	if (likely(!limited))
		return;
	atomic_long_sub(objects, &limit_objects_used);
	atomic_long_sub(bytes, &limit_memory_used);
}

/**
 * weft_limit_init() - show the limits in the first network namespace
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int __init weft_limit_init(void)
{
	limit_memory = (totalram_pages() / LIMIT_MEMORY_SHARE) << PAGE_SHIFT;
	limit_header = register_net_sysctl_sz(&init_net, "net/weft", limit_table,
					      ARRAY_SIZE(limit_table) - 1);
	return limit_header ? 0 : -ENOMEM;
}

/**
 * weft_limit_exit() - show them no more
 *
 * Context: process, may sleep.
 */
void weft_limit_exit(void)
{
	unregister_net_sysctl_table(limit_header);
}
