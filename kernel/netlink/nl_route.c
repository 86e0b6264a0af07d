// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: forwarding tables.
 */
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/switch.h"
#include "netlink/nl_priv.h"

#define ROUTE_CHUNK	64	/* destinations changed in one go */

/**
 * struct route_req - switch and destinations of a request
 */
struct route_req {
	/** @sw: the switch */
	struct weft_switch *sw;
	/** @first: first destination */
	u32 first;
	/** @last: last destination */
	u32 last;
	/** @flood: the request is about the flood ports, not about destinations */
	bool flood;
};

/**
 * struct route_entry - a route in a message
 */
struct route_entry {
	/** @req: its switch and destinations */
	struct route_req req;
	/** @ports: bitmap of the ports */
	const unsigned long *ports;
};

static int route_fill(struct sk_buff *skb, const void *obj)
{
	const struct route_entry *e = obj;
	const struct weft_switch *sw = e->req.sw;
	unsigned int port;

	if (nla_put_u32(skb, WEFT_A_ROUTE_FABRIC, sw->fabric->id) ||
	    nla_put_u32(skb, WEFT_A_ROUTE_SWITCH, sw->id))
		return -EMSGSIZE;
	if (e->req.flood && nla_put_flag(skb, WEFT_A_ROUTE_FLOOD))
		return -EMSGSIZE;
	if (!e->req.flood &&
	    (nla_put_u32(skb, WEFT_A_ROUTE_DST, e->req.first) ||
	     nla_put_u32(skb, WEFT_A_ROUTE_DST_LAST, e->req.last)))
		return -EMSGSIZE;
	for_each_set_bit(port, e->ports, sw->sw.p.ports)
		if (nla_put_u32(skb, WEFT_A_ROUTE_PORT, port))
			return -EMSGSIZE;
	return 0;
}

/* The switch of a request. */
static const struct weft_nl_objects route_switches = {
	.name = "switch",
	.offset = offsetof(struct weft_fabric, switches),
	.fabric = WEFT_A_ROUTE_FABRIC,
	.id = WEFT_A_ROUTE_SWITCH,
};

/* @last is NULL if the command has no such attribute. */
static int route_get_range(struct genl_info *info, const struct nlattr *last,
			   struct route_req *req)
{
	const struct nlattr *dst = info->attrs[WEFT_A_ROUTE_DST];
	u32 dsts = req->sw->fabric->p.max_nics;

	req->first = nla_get_u32(dst);
	req->last = last ? nla_get_u32(last) : req->first;
	if (req->first >= dsts || req->last >= dsts) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack,
					req->first >= dsts ? dst : last,
					"destination must be below %u, the max-nics of the fabric",
					dsts);
		return -ERANGE;
	}
	if (req->last < req->first) {
		NL_SET_ERR_MSG_ATTR(info->extack, last,
				    "range ends before it begins");
		return -EINVAL;
	}
	return 0;
}

static int route_get_req(struct genl_info *info, struct route_req *req)
{
	struct nlattr **attrs = info->attrs;

	req->sw = weft_nl_object_of(&route_switches, info);
	if (IS_ERR(req->sw))
		return PTR_ERR(req->sw);
	req->flood = nla_get_flag(attrs[WEFT_A_ROUTE_FLOOD]);
	if (!req->flood && !attrs[WEFT_A_ROUTE_DST])
		return weft_nl_need(attrs, WEFT_A_ROUTE_DST,
				    "destination or flood", info->extack);
	if (!req->flood)
		return route_get_range(info, attrs[WEFT_A_ROUTE_DST_LAST], req);
	if (!attrs[WEFT_A_ROUTE_DST] && !attrs[WEFT_A_ROUTE_DST_LAST])
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_A_ROUTE_FLOOD],
			    "either a destination or flood, not both");
	return -EINVAL;
}

static int route_get_port(const struct nlattr *nla, u32 have,
			  const struct weft_switch *sw, u16 *port,
			  struct netlink_ext_ack *extack)
{
	if (nla_get_u32(nla) >= sw->sw.p.ports) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, nla,
					"switch has %u ports, counted from 0",
					sw->sw.p.ports);
		return -ERANGE;
	}
	if (have >= sw->sw.p.ports) {
		NL_SET_ERR_MSG_ATTR(extack, nla, "a port is named twice");
		return -EINVAL;
	}
	*port = nla_get_u32(nla);
	return 0;
}

/* Return: number of ports, or a negative error. */
static int route_get_ports(struct genl_info *info, const struct weft_switch *sw,
			   u16 *ports)
{
	const struct nlattr *nla;
	int err, rem, n = 0;

	err = weft_nl_need(info->attrs, WEFT_A_ROUTE_PORT, "port",
			   info->extack);
	if (err)
		return err;
	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nla) != WEFT_A_ROUTE_PORT)
			continue;
		err = route_get_port(nla, n, sw, &ports[n], info->extack);
		if (err)
			return err;
		n++;
	}
	return n;
}

/*
 * Only the first destination can fail, for lack of a group: the others use the group
 * of the first.
 */
static int route_set(const struct route_req *req, const u16 *ports, u32 n)
{
	struct fab_route_table *t = &req->sw->sw.route;
	struct weft_fabric *f = req->sw->fabric;
	u32 dst = req->first, end;
	int err = 0;

	while (dst <= req->last && !err) {
		end = min(req->last, dst + ROUTE_CHUNK - 1);
		weft_engine_lock(f);
		for (; dst <= end && !err; dst++)
			err = fab_route_set(t, dst, ports, n);
		weft_engine_unlock(f);
		cond_resched();
	}
	return err;
}

static int route_flood(const struct route_req *req, const u16 *ports, u32 n)
{
	struct weft_fabric *f = req->sw->fabric;
	int err;

	weft_engine_lock(f);
	err = fab_route_flood_set(&req->sw->sw.route, ports, n);
	weft_engine_unlock(f);
	return err;
}

static int route_apply(const struct route_req *req, const u16 *ports, u32 n,
		       struct netlink_ext_ack *extack)
{
	int err;

	err = req->flood ? route_flood(req, ports, n) :
			   route_set(req, ports, n);
	if (err == -ENOSPC)
		NL_SET_ERR_MSG_FMT(extack,
				   "switch has no port group left: %u different ones are in use",
				   req->sw->sw.p.groups);
	if (!err)
		req->sw->fabric->generation++;
	return err;
}

int weft_nl_route_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct route_req req;
	u16 *ports;
	int err;

	err = route_get_req(info, &req);
	if (err)
		return err;
	if (req.sw->lft) {
		NL_SET_ERR_MSG(info->extack,
			       "a subnet manager writes the tables of this switch");
		return -EOPNOTSUPP;
	}
	ports = kmalloc_array(req.sw->sw.p.ports, sizeof(*ports), GFP_KERNEL);
	if (!ports)
		return -ENOMEM;
	err = route_get_ports(info, req.sw, ports);
	if (err > 0)
		err = route_apply(&req, ports, err, info->extack);
	kfree(ports);
	return err;
}

/* Return: number of destinations that had a route. */
static u32 route_del(const struct route_req *req)
{
	struct weft_fabric *f = req->sw->fabric;
	u32 dst = req->first, had = 0, end;

	while (dst <= req->last) {
		end = min(req->last, dst + ROUTE_CHUNK - 1);
		weft_engine_lock(f);
		for (; dst <= end; dst++)
			had += !fab_route_del(&req->sw->sw.route, dst);
		weft_engine_unlock(f);
		cond_resched();
	}
	return had;
}

int weft_nl_route_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct route_req req;
	int err;

	err = route_get_req(info, &req);
	if (err)
		return err;
	if (req.flood)
		return route_apply(&req, NULL, 0, info->extack);
	if (!route_del(&req)) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[WEFT_A_ROUTE_DST],
				    "no route to this destination");
		return -ENOENT;
	}
	req.sw->fabric->generation++;
	return 0;
}

int weft_nl_route_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct fab_group *group;
	struct route_entry e = {};
	int err;

	e.req.sw = weft_nl_object_of(&route_switches, info);
	if (IS_ERR(e.req.sw))
		return PTR_ERR(e.req.sw);
	err = weft_nl_need(info->attrs, WEFT_A_ROUTE_DST, "destination",
			   info->extack);
	if (err)
		return err;
	err = route_get_range(info, NULL, &e.req);
	if (err)
		return err;
	group = fab_route_get(&e.req.sw->sw.route, e.req.first);
	if (!group) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[WEFT_A_ROUTE_DST],
				    "no route to this destination");
		return -ENOENT;
	}
	e.ports = group->ports;
	return weft_nl_reply(info, route_fill, &e);
}

/* Consecutive NICs with the same ports are one message. */
static int route_dump_dsts(struct sk_buff *skb, struct netlink_callback *cb,
			   struct weft_switch *sw)
{
	const struct fab_route_table *t = &sw->sw.route;
	struct route_entry e = { .req.sw = sw };
	u32 dsts = sw->fabric->p.max_nics;
	const struct fab_group *group;
	int err;

	while (cb->args[0] < dsts) {
		e.req.first = cb->args[0];
		e.req.last = e.req.first;
		group = fab_route_get(t, e.req.first);
		while (e.req.last + 1 < dsts &&
		       fab_route_get(t, e.req.last + 1) == group)
			e.req.last++;
		if (group) {
			e.ports = group->ports;
			err = weft_nl_dump(skb, cb, WEFT_CMD_ROUTE_GET,
					   route_fill, &e);
			if (err)
				return err;
		}
		cb->args[0] = e.req.last + 1;
	}
	return 0;
}

static int route_dump_flood(struct sk_buff *skb, struct netlink_callback *cb,
			    struct weft_switch *sw)
{
	struct route_entry e = { .req.sw = sw, .req.flood = true };
	int err = 0;

	e.ports = sw->sw.route.flood;
	if (cb->args[1])
		return 0;
	if (!bitmap_empty(e.ports, sw->sw.p.ports))
		err = weft_nl_dump(skb, cb, WEFT_CMD_ROUTE_GET, route_fill, &e);
	if (!err)
		cb->args[1] = 1;
	return err;
}

int weft_nl_route_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weft_switch *sw;
	int err;

	rtnl_lock();
	sw = weft_nl_object(&route_switches, sock_net(skb->sk),
			    genl_info_dump(cb)->attrs, cb->extack);
	err = PTR_ERR_OR_ZERO(sw);
	if (!err) {
		cb->seq = sw->fabric->generation;
		err = route_dump_dsts(skb, cb, sw) ?:
		      route_dump_flood(skb, cb, sw);
	}
	rtnl_unlock();
	return skb->len ?: err;
}
