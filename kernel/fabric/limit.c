// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of unprivileged users.
 *
 * DOC: limits
 *
 * A user who is root in a user namespace may create network namespaces, NICs and
 * fabrics there. There are limits for all such users together. So the host keeps its
 * memory, and the removal of objects does not hold RTNL for long, however many
 * namespaces a user creates:
 *
 *	net.weft.user_objects	ports of switches, links, NICs, faults, generators of
 *				traffic, triggers, captures and trails, the phases of a
 *				fabric; a fabric counts as 64
 *	net.weft.user_memory	bytes of these, of the parents of NICs (parent.c), and of
 *				packets on their way, which are not charged to a
 *				socket any more
 *
 * Fabrics of namespaces that belong to the initial user namespace are not limited,
 * and only from there can the limits be set. The engine limits the CPU time of a
 * fabric that has too much work (engine.c), and a thread of the kernel that removes what
 * such a user had rests as long as it works (weft_limit_rest()).
 */
#include "fabric/limit.h"

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/sysctl.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#define LIMIT_OBJECTS		16384
#define LIMIT_WORK_NS		(500 * NSEC_PER_USEC)	/* between rests */
#define LIMIT_MEMORY_SHARE	16	/* default: this fraction of the host's memory */

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
 * weft_limit_applies() - are the objects of a network namespace limited?
 * @net: the namespace
 *
 * Context: any.
 * Return: true if it does not belong to the initial user namespace.
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
 * weft_limit_charge() - charge objects and memory to unprivileged users
 * @objects: number of objects
 * @bytes: bytes of memory
 * @extack: for the reason of a refusal; NULL for packets
 *
 * Context: any.
 * Return: 0, or -EDQUOT.
 */
int weft_limit_charge(u32 objects, size_t bytes, struct netlink_ext_ack *extack)
{
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
EXPORT_SYMBOL_GPL(weft_limit_charge);

/**
 * weft_limit_uncharge() - uncharge objects and memory
 * @objects: as was taken
 * @bytes: as was taken
 *
 * Context: any.
 */
void weft_limit_uncharge(u32 objects, size_t bytes)
{
	atomic_long_sub(objects, &limit_objects_used);
	atomic_long_sub(bytes, &limit_memory_used);
}
EXPORT_SYMBOL_GPL(weft_limit_uncharge);

/**
 * weft_limit_sleep() - rest as long as some work took
 * @ns: duration of the work
 *
 * Context: process, may sleep.
 */
void weft_limit_sleep(u64 ns)
{
	u64 us = div_u64(ns, NSEC_PER_USEC) + 1;

	usleep_range(us, us + us / 4);
}

/**
 * weft_limit_rest() - long work for unprivileged users takes half of one CPU at most
 * @limited: result of weft_limit_applies(); if false, it only gives way
 * @begin: 0 at first; then since when it works without a rest, in ns of ktime_get_ns()
 *
 * It is called between small pieces of the work. Without rests, each thread that has more
 * to do than a tick of the scheduler keeps all others waiting until that tick. Where
 * there are none, the clock is not read: on the virtual clock that takes 1 ns.
 *
 * Context: process, may sleep.
 */
void weft_limit_rest(bool limited, u64 *begin)
{
	u64 now, ns;

	cond_resched();
	if (!limited)
		return;
	now = ktime_get_ns();
	if (!*begin)
		*begin = now;
	ns = now - *begin;
	if (ns < LIMIT_WORK_NS)
		return;
	weft_limit_sleep(min_t(u64, ns, LIMIT_WORK_NS * 2));
	*begin = ktime_get_ns();
}

/**
 * weft_limit_init() - register the sysctls in the initial network namespace
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
 * weft_limit_exit() - unregister the sysctls
 *
 * Context: process, may sleep.
 */
void weft_limit_exit(void)
{
	unregister_net_sysctl_table(limit_header);
}
