// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Netdevs, addresses and routes.
 */
#include "netlink/rtnl.h"

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>

static struct nl_msg *begin(int type, int flags, void *hdr, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (msg && nlmsg_append(msg, hdr, len, NLMSG_ALIGNTO)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static int finish(struct weft_nl *nl, struct nl_msg *msg, struct weft_err *err)
{
	return weft_nl_send(nl, msg, WEFT_NL_SET_NONE, NULL, NULL, err);
}

/**
 * weft_rtnl_nic_new() - create a netdev of kind weft
 * @nl: rtnetlink socket
 * @name: its name
 * @index: its interface index
 * @mac: its MAC address
 * @mtu: its MTU
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_rtnl_nic_new(struct weft_nl *nl, const char *name, uint32_t index,
		      const uint8_t mac[6], uint32_t mtu, struct weft_err *err)
{
	struct ifinfomsg ifi = { .ifi_index = (int)index };
	struct nl_msg *msg;
	struct nlattr *info;

	msg = begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi, sizeof(ifi));
	if (msg) {
		nla_put_string(msg, IFLA_IFNAME, name);
		nla_put(msg, IFLA_ADDRESS, 6, mac);
		nla_put_u32(msg, IFLA_MTU, mtu);
		info = nla_nest_start(msg, IFLA_LINKINFO);
		nla_put_string(msg, IFLA_INFO_KIND, "weft");
		nla_nest_end(msg, info);
	}
	return finish(nl, msg, err);
}

/**
 * weft_rtnl_dummy_new() - create a dummy netdev
 * @nl: rtnetlink socket
 * @name: its name
 * @index: its interface index
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_rtnl_dummy_new(struct weft_nl *nl, const char *name, uint32_t index,
			struct weft_err *err)
{
	struct ifinfomsg ifi = { .ifi_index = (int)index };
	struct nl_msg *msg;
	struct nlattr *info;
	int ret;

	msg = begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi, sizeof(ifi));
	if (msg) {
		nla_put_string(msg, IFLA_IFNAME, name);
		info = nla_nest_start(msg, IFLA_LINKINFO);
		nla_put_string(msg, IFLA_INFO_KIND, "dummy");
		nla_nest_end(msg, info);
	}
	ret = finish(nl, msg, err);
	if (ret)
		weft_err_prefix(err, "make dummy netdev %s", name);
	return ret;
}

static int set_up(struct weft_nl *nl, uint32_t index, bool up,
		  struct weft_err *err)
{
	struct ifinfomsg ifi = {
		.ifi_index = (int)index,
		.ifi_flags = up ? IFF_UP : 0,
		.ifi_change = IFF_UP,
	};

	return finish(nl, begin(RTM_NEWLINK, 0, &ifi, sizeof(ifi)), err);
}

/**
 * weft_rtnl_link_up() - bring a netdev up
 * @nl: rtnetlink socket
 * @index: its interface index
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_rtnl_link_up(struct weft_nl *nl, uint32_t index, struct weft_err *err)
{
	return set_up(nl, index, true, err);
}

/**
 * weft_rtnl_link_down() - take a netdev down
 * @nl: rtnetlink socket
 * @index: its interface index
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_rtnl_link_down(struct weft_nl *nl, uint32_t index,
			struct weft_err *err)
{
	return set_up(nl, index, false, err);
}

/**
 * weft_rtnl_link_sync() - have a netdev run whose carrier has just come
 * @nl: rtnetlink socket
 * @index: its interface index
 * @err: error, with the kernel's text
 *
 * Who asks Linux for a link has it handle the carrier first (from 6.8 on: rtnl_getlink()); else
 * a work item does, some time.
 *
 * Return: 0 or negative errno.
 */
int weft_rtnl_link_sync(struct weft_nl *nl, uint32_t index, struct weft_err *err)
{
	struct ifinfomsg ifi = { .ifi_index = (int)index };

	return finish(nl, begin(RTM_GETLINK, 0, &ifi, sizeof(ifi)), err);
}

/**
 * weft_rtnl_addr_new() - add an IPv4 address to a netdev
 * @nl: rtnetlink socket
 * @index: its interface index
 * @ip: the address, in the host's byte order
 * @prefix: length of the network prefix, bits
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_rtnl_addr_new(struct weft_nl *nl, uint32_t index, uint32_t ip,
		       unsigned int prefix, struct weft_err *err)
{
	struct ifaddrmsg ifa = {
		.ifa_family = AF_INET,
		.ifa_prefixlen = (uint8_t)prefix,
		.ifa_index = index,
	};
	uint32_t all = prefix < 32 ? UINT32_MAX >> prefix : 0;
	struct nl_msg *msg;

	msg = begin(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &ifa, sizeof(ifa));
	if (msg) {
		nla_put_u32(msg, IFA_LOCAL, htonl(ip));
		nla_put_u32(msg, IFA_ADDRESS, htonl(ip));
		nla_put_u32(msg, IFA_BROADCAST, htonl(ip | all));
	}
	return finish(nl, msg, err);
}

/**
 * weft_rtnl_route6_new() - add a route to a network of IPv6 on a netdev's link
 * @nl: rtnetlink socket
 * @index: interface index of the netdev
 * @to: address of the network
 * @prefix: length of its prefix, bits
 * @err: error, with the kernel's text
 *
 * The same network may be on other netdevs, too.
 *
 * Return: 0 or negative errno.
 */
int weft_rtnl_route6_new(struct weft_nl *nl, uint32_t index,
			 const uint8_t to[16], unsigned int prefix,
			 struct weft_err *err)
{
	struct rtmsg rtm = {
		.rtm_family = AF_INET6,
		.rtm_dst_len = (uint8_t)prefix,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_scope = RT_SCOPE_LINK,
		.rtm_type = RTN_UNICAST,
	};
	struct nl_msg *msg;

	msg = begin(RTM_NEWROUTE, NLM_F_CREATE, &rtm, sizeof(rtm));
	if (msg) {
		nla_put(msg, RTA_DST, 16, to);
		nla_put_u32(msg, RTA_OIF, index);
	}
	return finish(nl, msg, err);
}

/* RTNH_F_ONLINK: the gateway need not be in the IP network of the netdev. */
static void put_hops(struct nl_msg *msg, const struct weft_hop *hop,
		     unsigned int n)
{
	struct nlattr *all = nla_nest_start(msg, RTA_MULTIPATH);
	struct rtnexthop *nh;

	for (unsigned int i = 0; i < n; i++) {
		nh = nlmsg_reserve(msg, sizeof(*nh), NLMSG_ALIGNTO);
		if (!nh)
			return;
		*nh = (struct rtnexthop) {
			.rtnh_flags = RTNH_F_ONLINK,
			.rtnh_ifindex = (int)hop[i].ifindex,
		};
		nla_put_u32(msg, RTA_GATEWAY, htonl(hop[i].via));
		nh->rtnh_len = (unsigned short)((char *)nlmsg_tail(nlmsg_hdr(msg)) -
						(char *)nh);
	}
	nla_nest_end(msg, all);
}

/**
 * weft_rtnl_route_new() - queue a route to an IPv4 address
 * @nl: rtnetlink socket; weft_nl_flush() adds the routes
 * @to: the address, in the host's byte order
 * @from: preferred source address, in the host's byte order
 * @metric: its metric. Linux looks for an equal set of hops among the routes with the same
 *	source, devices and metric, one by one; so many routes need metrics of their own
 * @hop: next hops; the hash of a flow chooses one
 * @n: number of next hops
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_rtnl_route_new(struct weft_nl *nl, uint32_t to, uint32_t from, uint32_t metric,
			const struct weft_hop *hop, unsigned int n, struct weft_err *err)
{
	struct rtmsg rtm = {
		.rtm_family = AF_INET,
		.rtm_dst_len = 32,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_scope = RT_SCOPE_UNIVERSE,
		.rtm_type = RTN_UNICAST,
	};
	struct nl_msg *msg;

	msg = begin(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &rtm, sizeof(rtm));
	if (msg) {
		nla_put_u32(msg, RTA_DST, htonl(to));
		nla_put_u32(msg, RTA_PREFSRC, htonl(from));
		nla_put_u32(msg, RTA_PRIORITY, metric);
		put_hops(msg, hop, n);
	}
	return weft_nl_queue(nl, msg, err);
}
