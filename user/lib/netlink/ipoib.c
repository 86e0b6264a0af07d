// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Netdevs of IP over InfiniBand.
 *
 * The kernel's ib_ipoib makes one for each port of InfiniBand, in the initial network
 * namespace. Its hardware address ends with the port's GID.
 */
#include "netlink/ipoib.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define HARDWARE_SIZE	20	/* flags and queue pair, GID */
#define GID_SIZE	16

const char *const weft_ipoib_words[] = { "off", "datagram", "connected", NULL };

/**
 * struct search - search for a netdev
 * @gid: GID of its port
 * @dev: result
 * @found: result: there is such a netdev
 */
struct search {
	const uint8_t *gid;
	struct weft_ipoib *dev;
	bool found;
};

static struct nl_msg *begin(int flags, uint32_t index)
{
	struct ifinfomsg ifi = { .ifi_index = (int)index };
	struct nl_msg *msg;

	msg = nlmsg_alloc_simple(flags & NLM_F_DUMP ? RTM_GETLINK : RTM_SETLINK,
				 NLM_F_REQUEST | flags);
	if (msg && nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static int compare(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	const struct ifinfomsg *ifi = nlmsg_data(hdr);
	struct nlattr *tb[IFLA_MAX + 1];
	struct search *s = ctx;

	if (nlmsg_parse(hdr, sizeof(*ifi), tb, IFLA_MAX, NULL))
		return weft_err_set(err, WEFT_ERR_OTHER, -EBADMSG,
				    "malformed list of interfaces");
	if (!tb[IFLA_ADDRESS] || !tb[IFLA_IFNAME] ||
	    nla_len(tb[IFLA_ADDRESS]) != HARDWARE_SIZE ||
	    memcmp((char *)nla_data(tb[IFLA_ADDRESS]) + HARDWARE_SIZE - GID_SIZE,
		   s->gid, GID_SIZE))
		return 0;
	if (s->found && (uint32_t)ifi->ifi_index < s->dev->index)
		return 0;
	s->found = true;
	s->dev->index = (uint32_t)ifi->ifi_index;
	snprintf(s->dev->name, sizeof(s->dev->name), "%s",
		 nla_get_string(tb[IFLA_IFNAME]));
	return 0;
}

/**
 * weft_ipoib_find() - find the netdev of a port
 * @nl: rtnetlink socket; the netdev is in its network namespace
 * @gid: the port's GID
 * @dev: result
 * @err: error, with the kernel's text
 *
 * Fabrics may have the same GIDs. Of several netdevs the newest one is found.
 *
 * Return: 0 or negative errno; -ENOENT if there is none.
 */
int weft_ipoib_find(struct weft_nl *nl, const uint8_t gid[16],
		    struct weft_ipoib *dev, struct weft_err *err)
{
	struct search s = { .gid = gid, .dev = dev };

	if (weft_nl_send(nl, begin(NLM_F_DUMP, 0), WEFT_NL_SET_NONE, compare, &s,
			 err))
		return err->code;
	if (s.found)
		return 0;
	return weft_err_set(err, WEFT_ERR_KERNEL, -ENOENT,
			    "ib_ipoib has made no interface here: it makes them in the initial network namespace only");
}

/**
 * weft_ipoib_move() - move a netdev to a network namespace
 * @nl: rtnetlink socket in its present namespace
 * @dev: the netdev
 * @netns: the namespace, a file descriptor
 * @name: its name there
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_ipoib_move(struct weft_nl *nl, const struct weft_ipoib *dev,
		    int netns, const char *name, struct weft_err *err)
{
	struct nl_msg *msg = begin(0, dev->index);

	if (msg) {
		nla_put_u32(msg, IFLA_NET_NS_FD, (uint32_t)netns);
		nla_put_string(msg, IFLA_IFNAME, name);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_NONE, NULL, NULL, err);
}
