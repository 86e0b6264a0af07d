// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: switches.
 */
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "engine.h"
#include "fabric.h"
#include "nl_priv.h"
#include "switch.h"

#define SWITCH_BUFFER		SZ_32M
#define SWITCH_QUEUE		SZ_1M
#define SWITCH_CLASSES		8
#define SWITCH_QUANTUM		1024

/**
 * weft_nl_switch() - find the switch that a request names
 * @f: its fabric
 * @attr: attribute with its id
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: the switch or an ERR_PTR.
 */
struct weft_switch *weft_nl_switch(struct weft_fabric *f,
				   const struct nlattr *attr,
				   struct netlink_ext_ack *extack)
{
	struct weft_switch *sw = weft_switch_find(f, nla_get_u32(attr));

	if (sw)
		return sw;
	NL_SET_ERR_MSG_ATTR(extack, attr, "fabric has no switch of this id");
	return ERR_PTR(-ENOENT);
}

static int switch_fill_id(struct sk_buff *skb, const void *obj)
{
	const struct weft_switch *sw = obj;

	return nla_put_u32(skb, WEFT_A_SWITCH_FABRIC, sw->fabric->id) ?:
	       nla_put_u32(skb, WEFT_A_SWITCH_ID, sw->id);
}

static int switch_fill_params(struct sk_buff *skb, const void *obj)
{
	const struct weft_switch *sw = obj;
	const struct fab_switch_params *p = &sw->sw.p;

	BUILD_BUG_ON((int)FAB_STORE_FORWARD != WEFT_FORWARD_STORE_FORWARD);
	BUILD_BUG_ON((int)FAB_ARBITER_ROUND_ROBIN != WEFT_ARBITER_ROUND_ROBIN);
	BUILD_BUG_ON((int)FAB_SELECT_SPRAY != WEFT_SELECT_SPRAY);
	if (switch_fill_id(skb, sw) ||
	    weft_nl_put_name(skb, WEFT_A_SWITCH_NAME, sw->name) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_PORTS, p->ports) ||
	    weft_nl_put_u64(skb, WEFT_A_SWITCH_LATENCY, p->latency) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_FORWARD, p->forward) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_ARBITER, p->arbiter) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_SELECT, p->select) ||
	    weft_nl_put_u64(skb, WEFT_A_SWITCH_BUFFER_TOTAL, p->buffer.total) ||
	    weft_nl_put_u64(skb, WEFT_A_SWITCH_BUFFER_PER_PORT,
			    p->buffer.per_port) ||
	    weft_nl_put_port(skb, WEFT_A_SWITCH_PORT_PARAMS, &p->port))
		return -EMSGSIZE;
	return 0;
}

static int switch_fill(struct sk_buff *skb, const void *obj)
{
	const struct weft_switch *sw = obj;
	u64 used, peak;

	weft_engine_lock(sw->fabric);
	used = sw->sw.buffer.used;
	peak = sw->sw.buffer.peak;
	weft_engine_unlock(sw->fabric);
	return switch_fill_params(skb, sw) ?:
	       weft_nl_put_u64(skb, WEFT_A_SWITCH_BUFFER_USED, used) ?:
	       weft_nl_put_u64(skb, WEFT_A_SWITCH_BUFFER_PEAK, peak);
}

static void switch_defaults(const struct weft_fabric *f,
			    struct fab_switch_params *p)
{
	p->buffer.total = SWITCH_BUFFER;
	p->dsts = f->p.max_nics;
	p->port.classes = SWITCH_CLASSES;
	p->port.queue_limit = SWITCH_QUEUE;
	p->port.sched.quantum = SWITCH_QUANTUM;
	p->port.disc = &fab_drop_tail;
}

static int switch_get_params(struct genl_info *info,
			     struct fab_switch_params *p)
{
	struct nlattr **attrs = info->attrs;

	if (attrs[WEFT_A_SWITCH_LATENCY])
		p->latency = nla_get_u64(attrs[WEFT_A_SWITCH_LATENCY]);
	if (attrs[WEFT_A_SWITCH_FORWARD])
		p->forward = nla_get_u32(attrs[WEFT_A_SWITCH_FORWARD]);
	if (attrs[WEFT_A_SWITCH_ARBITER])
		p->arbiter = nla_get_u32(attrs[WEFT_A_SWITCH_ARBITER]);
	if (attrs[WEFT_A_SWITCH_SELECT])
		p->select = nla_get_u32(attrs[WEFT_A_SWITCH_SELECT]);
	if (attrs[WEFT_A_SWITCH_BUFFER_TOTAL])
		p->buffer.total = nla_get_u64(attrs[WEFT_A_SWITCH_BUFFER_TOTAL]);
	p->buffer.per_port = p->buffer.total;
	if (attrs[WEFT_A_SWITCH_BUFFER_PER_PORT])
		p->buffer.per_port =
			nla_get_u64(attrs[WEFT_A_SWITCH_BUFFER_PER_PORT]);
	p->ports = nla_get_u32(attrs[WEFT_A_SWITCH_PORTS]);
	/* One group per port, and as many again for what lies behind several. */
	p->groups = 2 * p->ports + 64;
	return weft_nl_get_port(attrs[WEFT_A_SWITCH_PORT_PARAMS], &p->port,
				info->extack);
}

static struct weft_switch *switch_new(struct weft_fabric *f,
				      struct genl_info *info)
{
	struct fab_switch_params p = {};
	char name[WEFT_NAME_LEN] = "";
	int err;

	err = weft_nl_need(info->attrs, WEFT_A_SWITCH_PORTS, "number of ports",
			   info->extack);
	if (err)
		return ERR_PTR(err);
	switch_defaults(f, &p);
	err = switch_get_params(info, &p);
	if (err)
		return ERR_PTR(err);
	if (info->attrs[WEFT_A_SWITCH_NAME])
		nla_strscpy(name, info->attrs[WEFT_A_SWITCH_NAME],
			    sizeof(name));
	return weft_switch_create(f, name, &p, info->extack);
}

int weft_nl_switch_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_fabric *f;
	struct weft_switch *sw;
	struct sk_buff *reply;
	void *hdr;

	f = weft_nl_fabric(genl_info_net(info), info->attrs,
			   WEFT_A_SWITCH_FABRIC, info->extack);
	if (IS_ERR(f))
		return PTR_ERR(f);
	reply = weft_nl_reply_new(info, &hdr);
	if (!reply)
		return -ENOMEM;
	sw = switch_new(f, info);
	if (IS_ERR(sw)) {
		nlmsg_free(reply);
		return PTR_ERR(sw);
	}
	switch_fill_id(reply, sw);
	weft_nl_notify(f, info, WEFT_CMD_SWITCH_NTF, switch_fill_params, sw);
	return weft_nl_reply_send(info, reply, hdr);
}

static struct weft_switch *switch_of(struct genl_info *info)
{
	struct weft_fabric *f;
	int err;

	f = weft_nl_fabric(genl_info_net(info), info->attrs,
			   WEFT_A_SWITCH_FABRIC, info->extack);
	if (IS_ERR(f))
		return ERR_CAST(f);
	err = weft_nl_need(info->attrs, WEFT_A_SWITCH_ID, "switch id",
			   info->extack);
	if (err)
		return ERR_PTR(err);
	return weft_nl_switch(f, info->attrs[WEFT_A_SWITCH_ID], info->extack);
}

int weft_nl_switch_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_switch *sw = switch_of(info);

	if (IS_ERR(sw))
		return PTR_ERR(sw);
	weft_nl_notify(sw->fabric, info, WEFT_CMD_SWITCH_DEL_NTF,
		       switch_fill_params, sw);
	weft_switch_destroy(sw);
	return 0;
}

int weft_nl_switch_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_switch *sw = switch_of(info);

	if (IS_ERR(sw))
		return PTR_ERR(sw);
	return weft_nl_reply(info, switch_fill, sw);
}

int weft_nl_switch_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weft_fabric *f;
	int ret;

	rtnl_lock();
	f = weft_nl_fabric(sock_net(skb->sk), genl_info_dump(cb)->attrs,
			   WEFT_A_SWITCH_FABRIC, cb->extack);
	ret = PTR_ERR_OR_ZERO(f);
	if (!ret) {
		cb->seq = f->generation;
		ret = weft_nl_dump_objects(skb, cb, &f->switches,
					   WEFT_CMD_SWITCH_GET, switch_fill);
	}
	rtnl_unlock();
	return ret;
}
