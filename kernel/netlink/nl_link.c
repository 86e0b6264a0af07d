// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: links.
 */
#include <linux/if_ether.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/switch.h"
#include "netdev/nic.h"
#include "netlink/nl.h"
#include "netlink/nl_priv.h"

#define LINK_OVERHEAD	24	/* preamble 8, FCS 4, gap 12 */
#define LINK_MIN_FRAME	60
#define LINK_UNIT	16

static int link_fill_id(struct sk_buff *skb, const void *obj)
{
	const struct weft_link *link = obj;

	return nla_put_u32(skb, WEFT_A_LINK_FABRIC, link->fabric->id) ?:
	       nla_put_u32(skb, WEFT_A_LINK_ID, link->id);
}

static int link_put_end(struct sk_buff *skb, int attr,
			const struct weft_link_end *end)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	int err;

	if (!nest)
		return -EMSGSIZE;
	if (end->sw)
		err = nla_put_u32(skb, WEFT_A_END_SWITCH, end->sw->id) ?:
		      nla_put_u32(skb, WEFT_A_END_PORT, end->port);
	else
		err = nla_put_u32(skb, WEFT_A_END_NIC, end->wep->ep.id);
	nla_nest_end(skb, nest);
	return err;
}

static int link_put_wire_params(struct sk_buff *skb, const struct fab_wire *w)
{
	if (weft_nl_put_u64(skb, WEFT_A_WIRE_RATE, w->p.rate_bps) ||
	    weft_nl_put_u64(skb, WEFT_A_WIRE_PROPAGATION, w->p.propagation) ||
	    nla_put_u32(skb, WEFT_A_WIRE_OVERHEAD, w->p.overhead) ||
	    nla_put_u32(skb, WEFT_A_WIRE_MIN_FRAME, w->p.min_frame) ||
	    weft_nl_put_u64(skb, WEFT_A_WIRE_BITS_PER_ERROR,
			    w->p.bits_per_error) ||
	    nla_put_u32(skb, WEFT_A_WIRE_UP, w->up) ||
	    nla_put_u32(skb, WEFT_A_WIRE_PAYLOAD, w->p.payload) ||
	    nla_put_u32(skb, WEFT_A_WIRE_UNIT, w->p.unit) ||
	    nla_put_u32(skb, WEFT_A_WIRE_LANES, w->p.lanes) ||
	    nla_put_u32(skb, WEFT_A_WIRE_LANES_UP, w->p.lanes_up))
		return -EMSGSIZE;
	return 0;
}

static int link_put_wire(struct sk_buff *skb, const struct weft_link *link,
			 enum weft_direction dir, bool counters)
{
	struct fab_port *port = weft_link_port(&link->end[dir]);
	struct nlattr *nest = nla_nest_start(skb, WEFT_A_LINK_WIRE);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, WEFT_A_WIRE_DIRECTION, dir) ?:
	      link_put_wire_params(skb, &port->wire);
	if (!err && counters) {
		fab_port_settle(&link->fabric->fab, port);
		err = weft_nl_put_port_counters(skb, WEFT_A_WIRE_COUNTER,
						WEFT_A_WIRE_DROP, &port->c) ?:
		      weft_nl_put_classes(skb, WEFT_A_WIRE_CLASS, port);
	}
	nla_nest_end(skb, nest);
	return err;
}

static int link_put(struct sk_buff *skb, const struct weft_link *link,
		    bool counters)
{
	return link_fill_id(skb, link) ?:
	       weft_nl_put_name(skb, WEFT_A_LINK_NAME, link->name) ?:
	       link_put_end(skb, WEFT_A_LINK_A, &link->end[0]) ?:
	       link_put_end(skb, WEFT_A_LINK_B, &link->end[1]) ?:
	       link_put_wire(skb, link, WEFT_DIRECTION_A_TO_B, counters) ?:
	       link_put_wire(skb, link, WEFT_DIRECTION_B_TO_A, counters);
}

static int link_fill_params(struct sk_buff *skb, const void *obj)
{
	return link_put(skb, obj, false);
}

static int link_fill(struct sk_buff *skb, const void *obj)
{
	const struct weft_link *link = obj;
	int err;

	weft_engine_lock(link->fabric);
	err = link_put(skb, link, true);
	weft_engine_unlock(link->fabric);
	return err;
}

static int link_end_switch(struct weft_fabric *f, struct nlattr **tb,
			   struct weft_link_end *end,
			   struct netlink_ext_ack *extack)
{
	int err;

	err = weft_nl_need(tb, WEFT_A_END_PORT, "port of the switch", extack);
	if (err)
		return err;
	end->sw = weft_nl_find(&f->switches, tb, WEFT_A_END_SWITCH, "switch",
			       extack);
	if (IS_ERR(end->sw))
		return PTR_ERR(end->sw);
	end->port = nla_get_u32(tb[WEFT_A_END_PORT]);
	if (end->port < end->sw->sw.p.ports)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, tb[WEFT_A_END_PORT],
				"switch has %u ports, counted from 0",
				end->sw->sw.p.ports);
	return -ERANGE;
}

static int link_end_nic(struct weft_fabric *f, struct nlattr **tb,
			struct weft_link_end *end,
			struct netlink_ext_ack *extack)
{
	end->wep = weft_nl_find(&f->nics, tb, WEFT_A_END_NIC, "NIC", extack);
	return PTR_ERR_OR_ZERO(end->wep);
}

static int link_get_end(struct weft_fabric *f, const struct nlattr *attr,
			struct weft_link_end *end,
			struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_END_MAX + 1];
	int err;

	err = nla_parse_nested(tb, WEFT_A_END_MAX, attr, weft_end_nl_policy,
			       extack);
	if (err)
		return err;
	if (!tb[WEFT_A_END_SWITCH] == !tb[WEFT_A_END_NIC]) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "an end is either a switch and its port, or a NIC");
		return -EINVAL;
	}
	err = tb[WEFT_A_END_NIC] ? link_end_nic(f, tb, end, extack) :
				   link_end_switch(f, tb, end, extack);
	if (err)
		return err;
	if (weft_link_end_taken(end)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "end has a link already");
		return -EBUSY;
	}
	return 0;
}

/* The longest frames of the stacks at both ends must fit. */
static int link_check_frames(const struct weft_link_end end[2],
			     const struct nlattr *attr,
			     struct netlink_ext_ack *extack)
{
	int err = 0, i;
	u32 len;

	for (i = 0; !err && i < 2; i++) {
		if (!end[i].wep)
			continue;
		len = end[i].wep->nic->dev->mtu + ETH_HLEN;
		err = weft_nl_check_frame(attr, weft_link_port(&end[0])->p,
					  len, extack) ?:
		      weft_nl_check_frame(attr, weft_link_port(&end[1])->p,
					  len, extack);
	}
	return err;
}

static int link_check_ends(const struct weft_link_end end[2],
			   const struct nlattr *attr,
			   struct netlink_ext_ack *extack)
{
	const struct fab_port *a = weft_link_port(&end[0]);
	const struct fab_port *b = weft_link_port(&end[1]);

	if (a == b) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "both ends are the same port");
		return -EINVAL;
	}
	if (a->p->disc != b->p->disc) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"discipline of end a is %s, of end b %s",
					a->p->disc->name, b->p->disc->name);
		return -EPROTO;
	}
	if (a->flow->agree && !a->flow->agree(a->p, b->p)) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"both ends must have the same classes and units of %s",
					a->p->disc->name);
		return -EPROTO;
	}
	return link_check_frames(end, attr, extack);
}

static int link_get_ends(struct weft_fabric *f, struct genl_info *info,
			 struct weft_link_end end[2])
{
	int err;

	err = weft_nl_need(info->attrs, WEFT_A_LINK_A, "end a",
			   info->extack) ?:
	      weft_nl_need(info->attrs, WEFT_A_LINK_B, "end b", info->extack);
	if (err)
		return err;
	err = link_get_end(f, info->attrs[WEFT_A_LINK_A], &end[0],
			   info->extack) ?:
	      link_get_end(f, info->attrs[WEFT_A_LINK_B], &end[1],
			   info->extack);
	if (err)
		return err;
	return link_check_ends(end, info->attrs[WEFT_A_LINK_B], info->extack);
}

static void link_merge_wire(struct nlattr **tb, struct weft_link_wire *w)
{
	struct fab_wire_params *p = &w->p;

	p->rate_bps = weft_nl_u64_or(tb[WEFT_A_WIRE_RATE], p->rate_bps);
	p->propagation = weft_nl_u64_or(tb[WEFT_A_WIRE_PROPAGATION],
					p->propagation);
	p->overhead = weft_nl_u32_or(tb[WEFT_A_WIRE_OVERHEAD], p->overhead);
	p->min_frame = weft_nl_u32_or(tb[WEFT_A_WIRE_MIN_FRAME], p->min_frame);
	p->bits_per_error = weft_nl_u64_or(tb[WEFT_A_WIRE_BITS_PER_ERROR],
					   p->bits_per_error);
	p->payload = weft_nl_u32_or(tb[WEFT_A_WIRE_PAYLOAD], p->payload);
	p->unit = weft_nl_u32_or(tb[WEFT_A_WIRE_UNIT], p->unit);
	if (tb[WEFT_A_WIRE_LANES]) {
		p->lanes = nla_get_u32(tb[WEFT_A_WIRE_LANES]);
		p->lanes_up = p->lanes;
	}
	p->lanes_up = weft_nl_u32_or(tb[WEFT_A_WIRE_LANES_UP], p->lanes_up);
	w->up = weft_nl_u32_or(tb[WEFT_A_WIRE_UP], w->up);
}

/* Checks of more than one attribute, which the policy cannot do. */
static int link_check_wire(const struct nlattr *attr,
			   const struct fab_wire_params *p,
			   struct netlink_ext_ack *extack)
{
	if (!p->rate_bps)
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "rate is missing in one direction or both");
	else if (p->lanes_up > p->lanes)
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"lanes-up %u is above lanes %u",
					p->lanes_up, p->lanes);
	else if (p->payload && p->payload < p->overhead)
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"payload %u is below overhead %u",
					p->payload, p->overhead);
	else if (fab_wire_params_check(p))
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"rate of the lanes that are up must be at least %llu",
					FAB_RATE_MIN);
	else
		return 0;
	return -EINVAL;
}

static int link_get_wire(const struct nlattr *attr,
			 struct weft_link_wire wire[2],
			 struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_WIRE_MAX + 1];
	int err;
	u32 i;

	err = nla_parse_nested(tb, WEFT_A_WIRE_MAX, attr, weft_wire_nl_policy,
			       extack);
	if (err)
		return err;
	if (tb[WEFT_A_WIRE_COUNTER] || tb[WEFT_A_WIRE_DROP] ||
	    tb[WEFT_A_WIRE_CLASS]) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "counters are read-only");
		return -EINVAL;
	}
	for (i = 0; i < 2; i++)
		if (!tb[WEFT_A_WIRE_DIRECTION] ||
		    nla_get_u32(tb[WEFT_A_WIRE_DIRECTION]) == i)
			link_merge_wire(tb, &wire[i]);
	return 0;
}

static int link_get_wires(struct genl_info *info, struct weft_link_wire wire[2])
{
	const struct nlattr *nla;
	int err, rem;

	err = weft_nl_need(info->attrs, WEFT_A_LINK_WIRE, "wire", info->extack);
	if (err)
		return err;
	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nla) != WEFT_A_LINK_WIRE)
			continue;
		err = link_get_wire(nla, wire, info->extack);
		if (err)
			return err;
	}
	nla = info->attrs[WEFT_A_LINK_WIRE];
	return link_check_wire(nla, &wire[0].p, info->extack) ?:
	       link_check_wire(nla, &wire[1].p, info->extack);
}

static int link_get_params(struct weft_fabric *f, struct genl_info *info,
			   struct weft_link_params *p)
{
	int err, i;

	for (i = 0; i < 2; i++) {
		p->wire[i].p.overhead = LINK_OVERHEAD;
		p->wire[i].p.min_frame = LINK_MIN_FRAME;
		p->wire[i].p.unit = LINK_UNIT;
		p->wire[i].p.lanes = 1;
		p->wire[i].p.lanes_up = 1;
		p->wire[i].up = true;
	}
	err = link_get_ends(f, info, p->end) ?: link_get_wires(info, p->wire);
	if (!err && info->attrs[WEFT_A_LINK_NAME])
		nla_strscpy(p->name, info->attrs[WEFT_A_LINK_NAME],
			    sizeof(p->name));
	return err;
}

static void *link_create(struct weft_fabric *f, struct sk_buff *skb,
			 struct genl_info *info)
{
	struct weft_link_params p = {};
	int err;

	err = link_get_params(f, info, &p);
	if (err)
		return ERR_PTR(err);
	return weft_link_create(f, &p, info->extack);
}

static void link_destroy(void *obj)
{
	weft_link_destroy(obj);
}

static const struct weft_nl_objects link_objects = {
	.name = "link",
	.offset = offsetof(struct weft_fabric, links),
	.fabric = WEFT_A_LINK_FABRIC,
	.id = WEFT_A_LINK_ID,
	.cmd = WEFT_CMD_LINK_GET,
	.ntf = WEFT_CMD_LINK_NTF,
	.fill = link_fill,
	.fill_id = link_fill_id,
	.fill_params = link_fill_params,
	.create = link_create,
	.destroy = link_destroy,
};

int weft_nl_link_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_new(&link_objects, skb, info);
}

int weft_nl_link_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_link *link = weft_nl_object_of(&link_objects, info);
	struct weft_link_wire wire[2];
	int err;

	if (IS_ERR(link))
		return PTR_ERR(link);
	weft_link_wires(link, wire);
	err = link_get_wires(info, wire);
	if (err)
		return err;
	weft_link_set(link, wire);
	weft_nl_notify(link->fabric, info, WEFT_CMD_LINK_NTF, link_fill_params,
		       link);
	return 0;
}

int weft_nl_link_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_link *link = weft_nl_object_of(&link_objects, info);

	if (IS_ERR(link))
		return PTR_ERR(link);
	weft_link_destroy(link);
	return 0;
}

int weft_nl_link_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_get(&link_objects, info);
}

int weft_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_nl_object_dump(&link_objects, skb, cb);
}

/**
 * weft_nl_link_changed() - send the event that a fault took a link down or up
 * @link: the link
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_link_changed(struct weft_link *link)
{
	weft_nl_notify(link->fabric, NULL, WEFT_CMD_LINK_NTF, link_fill_params,
		       link);
}

/**
 * weft_nl_link_gone() - send the event that a link goes
 * @link: the link
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_link_gone(struct weft_link *link)
{
	weft_nl_notify(link->fabric, NULL, WEFT_CMD_LINK_DEL_NTF,
		       link_fill_params, link);
}
