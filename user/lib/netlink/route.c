// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries of the forwarding tables of switches.
 */
#include "netlink/route.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>

#include <linux/weft.h>

#include "base/array.h"

static int add_port(struct weft_route *r, uint32_t port, struct weft_err *err)
{
	void *more = weft_array_grow(r->port, r->ports, sizeof(*r->port));

	if (!more)
		return weft_err_nomem(err);
	r->port = more;
	r->port[r->ports++] = port;
	return 0;
}

static int parse_route(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_ROUTE_MAX + 1], *nla;
	struct weft_route *r = ctx;
	int rem;

	if (weft_nl_attrs(hdr, tb, WEFT_A_ROUTE_MAX, err))
		return err->code;
	if (tb[WEFT_A_ROUTE_FABRIC])
		r->fabric = nla_get_u32(tb[WEFT_A_ROUTE_FABRIC]);
	if (tb[WEFT_A_ROUTE_SWITCH])
		r->sw = nla_get_u32(tb[WEFT_A_ROUTE_SWITCH]);
	r->flood = tb[WEFT_A_ROUTE_FLOOD];
	if (tb[WEFT_A_ROUTE_DST])
		r->dst = nla_get_u32(tb[WEFT_A_ROUTE_DST]);
	r->dst_last = r->dst;
	if (tb[WEFT_A_ROUTE_DST_LAST])
		r->dst_last = nla_get_u32(tb[WEFT_A_ROUTE_DST_LAST]);
	nlmsg_for_each_attr(nla, hdr, 4, rem)
		if (nla_type(nla) == WEFT_A_ROUTE_PORT &&
		    add_port(r, nla_get_u32(nla), err))
			return err->code;
	return 0;
}

static void put_key(struct nl_msg *msg, const struct weft_route *r)
{
	nla_put_u32(msg, WEFT_A_ROUTE_FABRIC, r->fabric);
	nla_put_u32(msg, WEFT_A_ROUTE_SWITCH, r->sw);
	if (r->flood) {
		nla_put_flag(msg, WEFT_A_ROUTE_FLOOD);
		return;
	}
	nla_put_u32(msg, WEFT_A_ROUTE_DST, r->dst);
	if (r->dst_last != r->dst)
		nla_put_u32(msg, WEFT_A_ROUTE_DST_LAST, r->dst_last);
}

/**
 * weft_route_set() - set the egress ports for a range of destinations
 * @nl: socket
 * @r: switch, destinations and ports
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_route_set(struct weft_nl *nl, const struct weft_route *r,
		   struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_ROUTE_SET, 0);

	if (msg) {
		put_key(msg, r);
		for (unsigned int i = 0; i < r->ports; i++)
			nla_put_u32(msg, WEFT_A_ROUTE_PORT, r->port[i]);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_ROUTE, NULL, NULL, err);
}

/**
 * weft_route_del() - remove a range of destinations
 * @nl: socket
 * @r: switch and destinations
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_route_del(struct weft_nl *nl, const struct weft_route *r,
		   struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_ROUTE_DEL, 0);

	if (msg)
		put_key(msg, r);
	return weft_nl_send(nl, msg, WEFT_NL_SET_ROUTE, NULL, NULL, err);
}

/**
 * weft_route_list() - read the forwarding table of a switch
 * @nl: socket
 * @fabric: the fabric
 * @sw: the switch
 * @list: result, to be freed by weft_route_list_free() even after an error
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_route_list(struct weft_nl *nl, uint32_t fabric, uint32_t sw,
		    struct weft_route **list, unsigned int *n,
		    struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_ROUTE_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_route };
	int ret;

	if (msg) {
		nla_put_u32(msg, WEFT_A_ROUTE_FABRIC, fabric);
		nla_put_u32(msg, WEFT_A_ROUTE_SWITCH, sw);
	}
	ret = weft_nl_send(nl, msg, WEFT_NL_SET_ROUTE, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}

/**
 * weft_route_list_free() - free a list of entries
 * @list: the entries
 * @n: how many
 */
void weft_route_list_free(struct weft_route *list, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		free(list[i].port);
	free(list);
}
