// SPDX-License-Identifier: GPL-2.0
/*
 * Captures: frames of a link, for a netlink socket.
 *
 * DOC: theory of operation
 *
 * A capture belongs to a link and to a netlink socket. It has a tap on each of the
 * two ports, in a table of the fabric that is searched for each frame that starts on
 * a wire. A static key skips that while there is no capture anywhere.
 *
 * A frame is put into the receive buffer of the socket at once, under the fabric's
 * lock, because on a virtual clock time could run ahead of a work item without
 * bound. A frame without room there is counted and lost.
 *
 * A capture ends by request, with its link, or with its socket. Netlink reports the
 * last in process context, without RTNL, so the list of captures has a mutex of its
 * own. Order of the locks: RTNL, the mutex, the fabric's lock.
 *
 * Teardown: the capture is removed from the list, then its taps are removed under
 * the fabric's lock. After that nobody can find it, and it is freed. A link removes
 * its captures before it goes, and a fabric its links. So the pointers of a capture
 * on the list are valid as long as the mutex is held.
 */
#include "observe/capture.h"

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/host.h"
#include "fabric/link.h"
#include "netlink/nl.h"

DEFINE_STATIC_KEY_FALSE(weft_capture_key);

static DEFINE_MUTEX(capture_mutex);	/* protects capture_list */
static LIST_HEAD(capture_list);

static struct weft_capture *capture_find(const struct weft_link *link,
					 u32 portid)
{
	struct weft_capture *c;

	lockdep_assert_held(&capture_mutex);
	list_for_each_entry(c, &capture_list, list)
		if (c->link == link && c->portid == portid)
			return c;
	return NULL;
}

static void capture_add(struct weft_capture *c)
{
	struct weft_fabric *f = c->link->fabric;
	int i;

	lockdep_assert_held(&capture_mutex);
	list_add_tail(&c->list, &capture_list);
	static_branch_inc(&weft_capture_key);
	spin_lock_bh(&f->lock);
	for (i = 0; i < 2; i++) {
		c->tap[i].capture = c;
		c->tap[i].port = weft_link_port(&c->link->end[i]);
		hash_add(f->taps, &c->tap[i].node,
			 (unsigned long)c->tap[i].port);
	}
	spin_unlock_bh(&f->lock);
}

static void capture_end(struct weft_capture *c)
{
	struct weft_fabric *f = c->link->fabric;

	lockdep_assert_held(&capture_mutex);
	spin_lock_bh(&f->lock);
	hash_del(&c->tap[0].node);
	hash_del(&c->tap[1].node);
	spin_unlock_bh(&f->lock);
	static_branch_dec(&weft_capture_key);
	list_del(&c->list);
	weft_fabric_unlisten(f);
	kfree(c);
}

/**
 * weft_capture_start() - capture the frames of a link
 * @link: the link
 * @portid: port id of the socket, in the fabric's namespace
 * @snaplen: captured bytes of each frame at most
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: 0, -EEXIST if the socket has a capture there, -EDQUOT, -ENOMEM.
 */
int weft_capture_start(struct weft_link *link, u32 portid, u32 snaplen,
		       struct netlink_ext_ack *extack)
{
	struct weft_capture *c;
	int err;

	ASSERT_RTNL();
	err = weft_fabric_listen(link->fabric, extack);
	if (err)
		return err;
	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c) {
		weft_fabric_unlisten(link->fabric);
		return -ENOMEM;
	}
	c->link = link;
	c->portid = portid;
	c->snaplen = snaplen;
	mutex_lock(&capture_mutex);
	if (capture_find(link, portid)) {
		NL_SET_ERR_MSG(extack, "this socket captures the link already");
		err = -EEXIST;
		weft_fabric_unlisten(link->fabric);
		kfree(c);
	} else {
		capture_add(c);
	}
	mutex_unlock(&capture_mutex);
	return err;
}

/**
 * weft_capture_stop() - end a capture
 * @link: the link
 * @portid: port id of the socket
 *
 * Context: process, RTNL held, may sleep.
 * Return: 0, or -ENOENT if the socket has none there.
 */
int weft_capture_stop(const struct weft_link *link, u32 portid)
{
	struct weft_capture *c;

	ASSERT_RTNL();
	mutex_lock(&capture_mutex);
	c = capture_find(link, portid);
	if (c)
		capture_end(c);
	mutex_unlock(&capture_mutex);
	return c ? 0 : -ENOENT;
}

/**
 * weft_capture_link_gone() - end the captures of a link that is about to go
 * @link: the link
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_capture_link_gone(const struct weft_link *link)
{
	struct weft_capture *c, *next;

	ASSERT_RTNL();
	mutex_lock(&capture_mutex);
	list_for_each_entry_safe(c, next, &capture_list, list)
		if (c->link == link)
			capture_end(c);
	mutex_unlock(&capture_mutex);
}

static int capture_socket_gone(struct notifier_block *nb, unsigned long event,
			       void *data)
{
	const struct netlink_notify *n = data;
	struct weft_capture *c, *next;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC ||
	    !weft_capture_any())
		return NOTIFY_DONE;
	mutex_lock(&capture_mutex);
	list_for_each_entry_safe(c, next, &capture_list, list)
		if (c->portid == n->portid &&
		    net_eq(c->link->fabric->net, n->net))
			capture_end(c);
	mutex_unlock(&capture_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block capture_notifier = {
	.notifier_call = capture_socket_gone,
};

/**
 * weft_capture_init() - register the notifier of closed sockets
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int __init weft_capture_init(void)
{
	return netlink_register_notifier(&capture_notifier);
}

/**
 * weft_capture_exit() - unregister the notifier
 *
 * No capture is left: each belongs to a fabric, which holds the module.
 *
 * Context: process, may sleep.
 */
void weft_capture_exit(void)
{
	netlink_unregister_notifier(&capture_notifier);
}

static void capture_frame(const struct fab_port *port,
			  const struct fab_pkt *pkt,
			  const struct fab_control *control)
{
	struct weft_fabric *f = weft_host_fabric(port);
	struct weft_capture_tap *tap;
	struct weft_capture *c;

	lockdep_assert_held(&f->lock);
	hash_for_each_possible(f->taps, tap, node, (unsigned long)port) {
		c = tap->capture;
		if (tap->port == port &&
		    weft_nl_capture_frame(c, tap - c->tap, pkt, control))
			c->lost++;
	}
}

/**
 * weft_capture_pkt() - a packet starts on a wire
 * @port: port that sends it
 * @pkt: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_capture_pkt(const struct fab_port *port, const struct fab_pkt *pkt)
{
	capture_frame(port, pkt, NULL);
}

/**
 * weft_capture_control() - a control frame starts on a wire
 * @port: port that sends it
 * @c: the frame
 *
 * Context: any; the fabric's lock is held.
 */
void weft_capture_control(const struct fab_port *port,
			  const struct fab_control *c)
{
	capture_frame(port, NULL, c);
}
