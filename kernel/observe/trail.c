// SPDX-License-Identifier: GPL-2.0
/*
 * Trails: the paths of packets through a fabric, for a netlink socket.
 *
 * DOC: theory of operation
 *
 * A trail belongs to a fabric and to a netlink socket, which gets each step of each
 * packet: it joins a queue, it starts on a wire, it ends. A packet has no number.
 * Its handle stays at one address while it is in the fabric, so a keyed hash of that
 * address identifies the packet without revealing the address. The end is a step
 * too, so the next packet at that address is not taken for the same.
 *
 * As with captures (capture.c), a step is put into the receive buffer of the socket
 * at once, under the fabric's lock. A step without room there is counted and lost. A
 * static key skips all of this while there is no trail anywhere.
 *
 * A trail ends by request, with its fabric, or with its socket. Order of the locks:
 * RTNL, the mutex of the list, the fabric's lock. A trail is removed from the list,
 * then from its fabric under the fabric's lock. After that nobody can find it, and
 * it is freed.
 */
#include "observe/trail.h"

#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "fabric/fabric.h"
#include "netlink/nl.h"

DEFINE_STATIC_KEY_FALSE(weft_trail_key);

static DEFINE_MUTEX(trail_mutex);	/* protects trail_list */
static LIST_HEAD(trail_list);

static struct weft_trail *trail_find(const struct weft_fabric *f, u32 portid)
{
	struct weft_trail *t;

	lockdep_assert_held(&trail_mutex);
	list_for_each_entry(t, &trail_list, list)
		if (t->fabric == f && t->portid == portid)
			return t;
	return NULL;
}

static void trail_add(struct weft_trail *t)
{
	lockdep_assert_held(&trail_mutex);
	list_add_tail(&t->list, &trail_list);
	static_branch_inc(&weft_trail_key);
	spin_lock_bh(&t->fabric->lock);
	hlist_add_head(&t->node, &t->fabric->trails);
	spin_unlock_bh(&t->fabric->lock);
}

static void trail_end(struct weft_trail *t)
{
	lockdep_assert_held(&trail_mutex);
	spin_lock_bh(&t->fabric->lock);
	hlist_del(&t->node);
	spin_unlock_bh(&t->fabric->lock);
	static_branch_dec(&weft_trail_key);
	list_del(&t->list);
	weft_fabric_unlisten(t->fabric);
	kfree(t);
}

/**
 * weft_trail_start() - follow the packets of a fabric
 * @f: the fabric
 * @portid: port id of the socket, in the fabric's namespace
 * @snaplen: bytes of each packet at most
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: 0, -EEXIST if the socket follows the fabric already, -EDQUOT, -ENOMEM.
 */
int weft_trail_start(struct weft_fabric *f, u32 portid, u32 snaplen,
		     struct netlink_ext_ack *extack)
{
	struct weft_trail *t;
	int err;

	ASSERT_RTNL();
	err = weft_fabric_listen(f, extack);
	if (err)
		return err;
	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (!t) {
		weft_fabric_unlisten(f);
		return -ENOMEM;
	}
	t->fabric = f;
	t->portid = portid;
	t->snaplen = snaplen;
	mutex_lock(&trail_mutex);
	if (trail_find(f, portid)) {
		NL_SET_ERR_MSG(extack, "this socket follows the fabric already");
		err = -EEXIST;
		weft_fabric_unlisten(f);
		kfree(t);
	} else {
		trail_add(t);
	}
	mutex_unlock(&trail_mutex);
	return err;
}

/**
 * weft_trail_stop() - end a trail
 * @f: the fabric
 * @portid: port id of the socket
 *
 * Context: process, RTNL held, may sleep.
 * Return: 0, or -ENOENT if the socket has none there.
 */
int weft_trail_stop(const struct weft_fabric *f, u32 portid)
{
	struct weft_trail *t;

	ASSERT_RTNL();
	mutex_lock(&trail_mutex);
	t = trail_find(f, portid);
	if (t)
		trail_end(t);
	mutex_unlock(&trail_mutex);
	return t ? 0 : -ENOENT;
}

/**
 * weft_trail_fabric_gone() - end the trails of a fabric that is about to go
 * @f: the fabric
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_trail_fabric_gone(const struct weft_fabric *f)
{
	struct weft_trail *t, *next;

	ASSERT_RTNL();
	mutex_lock(&trail_mutex);
	list_for_each_entry_safe(t, next, &trail_list, list)
		if (t->fabric == f)
			trail_end(t);
	mutex_unlock(&trail_mutex);
}

static int trail_socket_gone(struct notifier_block *nb, unsigned long event,
			     void *data)
{
	const struct netlink_notify *n = data;
	struct weft_trail *t, *next;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC ||
	    !weft_trail_any())
		return NOTIFY_DONE;
	mutex_lock(&trail_mutex);
	list_for_each_entry_safe(t, next, &trail_list, list)
		if (t->portid == n->portid && net_eq(t->fabric->net, n->net))
			trail_end(t);
	mutex_unlock(&trail_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block trail_notifier = {
	.notifier_call = trail_socket_gone,
};

/**
 * weft_trail_init() - register the notifier of closed sockets
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int __init weft_trail_init(void)
{
	return netlink_register_notifier(&trail_notifier);
}

/**
 * weft_trail_exit() - unregister the notifier
 *
 * No trail is left: each belongs to a fabric, which holds the module.
 *
 * Context: process, may sleep.
 */
void weft_trail_exit(void)
{
	netlink_unregister_notifier(&trail_notifier);
}

/**
 * weft_trail_tell() - send a step to the trails of a fabric
 * @f: the fabric
 * @s: the step
 *
 * Context: any; the fabric's lock is held.
 */
void weft_trail_tell(struct weft_fabric *f, const struct weft_trail_step *s)
{
	struct weft_trail *t;

	lockdep_assert_held(&f->lock);
	hlist_for_each_entry(t, &f->trails, node)
		if (weft_nl_trail_step(t, s))
			t->lost++;
}
