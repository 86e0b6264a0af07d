// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: fabrics.
 */
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/lids.h"
#include "fabric/netns.h"
#include "netlink/nl_priv.h"

#define FABRIC_NICS		1024
#define FABRIC_LATE_BOUND	1000000		/* 1 us */
#define FABRIC_SEED		1

static int fabric_fill_id(struct sk_buff *skb, const void *obj)
{
	const struct weft_fabric *f = obj;

	return nla_put_u32(skb, WEFT_A_FABRIC_ID, f->id);
}

static int fabric_fill_params(struct sk_buff *skb, const void *obj)
{
	const struct weft_fabric *f = obj;

	if (fabric_fill_id(skb, f) ||
	    weft_nl_put_name(skb, WEFT_A_FABRIC_NAME, f->p.name) ||
	    weft_nl_put_u64(skb, WEFT_A_FABRIC_SEED, f->p.seed) ||
	    nla_put_u32(skb, WEFT_A_FABRIC_DILATION, f->p.dilation) ||
	    nla_put_u32(skb, WEFT_A_FABRIC_MAX_NICS, f->p.max_nics) ||
	    weft_nl_put_u64(skb, WEFT_A_FABRIC_LATE_BOUND, f->p.late_bound))
		return -EMSGSIZE;
	if (f->thread && nla_put_u32(skb, WEFT_A_FABRIC_CPU, f->cpu))
		return -EMSGSIZE;
	if (f->p.managed && nla_put_flag(skb, WEFT_A_FABRIC_MANAGED))
		return -EMSGSIZE;
	return 0;
}

static int change_put_end(struct sk_buff *skb, const struct weft_change *e)
{
	struct nlattr *nest = nla_nest_start(skb, WEFT_A_CHANGE_END);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, WEFT_A_END_SWITCH, e->id) ||
	    nla_put_u32(skb, WEFT_A_END_PORT, e->port))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int change_put_times(struct sk_buff *skb, const struct weft_change *e)
{
	int err = weft_nl_put_u64(skb, WEFT_A_CHANGE_AT, e->at);

	if (!err && e->trap != FAB_NEVER)
		err = weft_nl_put_u64(skb, WEFT_A_CHANGE_TRAP, e->trap);
	if (!err && e->manager != FAB_NEVER)
		err = weft_nl_put_u64(skb, WEFT_A_CHANGE_MANAGER, e->manager);
	if (err || !e->blocks)
		return err;
	return weft_nl_put_u64(skb, WEFT_A_CHANGE_FIRST, e->first) ?:
	       weft_nl_put_u64(skb, WEFT_A_CHANGE_LAST, e->last);
}

static int change_put(struct sk_buff *skb, const struct weft_change *e)
{
	struct nlattr *nest = nla_nest_start(skb, WEFT_A_FABRIC_CHANGE);

	if (!nest || change_put_times(skb, e) ||
	    nla_put_u32(skb, WEFT_A_CHANGE_LINKS, e->links) ||
	    nla_put_u32(skb, WEFT_A_CHANGE_UP, e->up) ||
	    nla_put_u32(skb, WEFT_A_CHANGE_BLOCKS, e->blocks) ||
	    (e->links && change_put_end(skb, e)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* The fabric's lock is held. */
static int fabric_put_changes(struct sk_buff *skb, const struct weft_fabric *f)
{
	const struct weft_changes *c;
	int err = 0;
	u32 i;

	if (!f->lids)
		return 0;
	c = &f->lids->changes;
	for (i = 0; !err && i < c->n; i++)
		err = change_put(skb, &c->list[i]);
	if (!err && c->missed)
		err = nla_put_u32(skb, WEFT_A_FABRIC_CHANGES_MISSED, c->missed);
	return err;
}

static int fabric_put_counters(struct sk_buff *skb, const struct weft_fabric *f)
{
	return weft_nl_put_counters(skb, WEFT_A_FABRIC_COUNTER,
				    weft_fabric_counter_name,
				    (const u64 *)&f->fab.c,
				    WEFT_FABRIC_COUNTERS) ?:
	       weft_nl_put_counters(skb, WEFT_A_FABRIC_HOST_DROP,
				    weft_host_drop_name, f->host_drops,
				    WEFT_HOST_DROP_COUNT);
}

static int fabric_fill(struct sk_buff *skb, const void *obj)
{
	struct weft_fabric *f = (struct weft_fabric *)obj;
	int err;

	if (fabric_fill_params(skb, f))
		return -EMSGSIZE;
	weft_engine_lock(f);
	err = weft_nl_put_u64(skb, WEFT_A_FABRIC_NOW, f->fab.now) ?:
	      weft_nl_put_u64(skb, WEFT_A_FABRIC_LATE_EVENTS,
			      f->fab.late_events) ?:
	      weft_nl_put_hist(skb, WEFT_A_FABRIC_LATENESS,
			       fab_lateness(&f->fab)) ?:
	      fabric_put_counters(skb, f) ?:
	      fabric_put_changes(skb, f);
	weft_engine_unlock(f);
	return err;
}

static int fabric_get_params(struct genl_info *info,
			     struct weft_fabric_params *p)
{
	struct nlattr **attrs = info->attrs;

	p->seed = FABRIC_SEED;
	p->dilation = 1;
	p->max_nics = FABRIC_NICS;
	p->late_bound = FABRIC_LATE_BOUND;
	if (attrs[WEFT_A_FABRIC_SEED])
		p->seed = nla_get_u64(attrs[WEFT_A_FABRIC_SEED]);
	if (attrs[WEFT_A_FABRIC_DILATION])
		p->dilation = nla_get_u32(attrs[WEFT_A_FABRIC_DILATION]);
	if (attrs[WEFT_A_FABRIC_MAX_NICS])
		p->max_nics = nla_get_u32(attrs[WEFT_A_FABRIC_MAX_NICS]);
	if (attrs[WEFT_A_FABRIC_LATE_BOUND])
		p->late_bound = nla_get_u64(attrs[WEFT_A_FABRIC_LATE_BOUND]);
	p->managed = attrs[WEFT_A_FABRIC_MANAGED];
	if (!attrs[WEFT_A_FABRIC_NAME])
		return 0;
	nla_strscpy(p->name, attrs[WEFT_A_FABRIC_NAME], sizeof(p->name));
	if (!weft_fabric_find_name(genl_info_net(info), p->name))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_A_FABRIC_NAME],
			    "another fabric has this name");
	return -EEXIST;
}

static void *fabric_create(struct weft_fabric *f, struct sk_buff *skb,
			   struct genl_info *info)
{
	struct weft_fabric_params p = {};
	int err;

	err = fabric_get_params(info, &p);
	if (err)
		return ERR_PTR(err);
	return weft_fabric_create(genl_info_net(info), &p, info->extack);
}

static void fabric_destroy(void *obj)
{
	weft_fabric_destroy(obj);
}

static const struct weft_nl_objects fabric_objects = {
	.ntf = WEFT_CMD_FABRIC_NTF,
	.fill_id = fabric_fill_id,
	.fill_params = fabric_fill_params,
	.create = fabric_create,
	.destroy = fabric_destroy,
};

int weft_nl_fabric_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_new(&fabric_objects, skb, info);
}

int weft_nl_fabric_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_fabric *f;

	f = weft_nl_fabric(genl_info_net(info), info->attrs, WEFT_A_FABRIC_ID,
			   info->extack);
	if (IS_ERR(f))
		return PTR_ERR(f);
	weft_nl_notify(f, info, WEFT_CMD_FABRIC_DEL_NTF, fabric_fill_params, f);
	weft_fabric_destroy(f);
	return 0;
}

int weft_nl_fabric_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_fabric *f;
	int err;

	f = weft_nl_fabric(genl_info_net(info), info->attrs, WEFT_A_FABRIC_ID,
			   info->extack);
	if (IS_ERR(f))
		return PTR_ERR(f);
	err = weft_nl_need(info->attrs, WEFT_A_FABRIC_CPU, "cpu", info->extack);
	if (err)
		return err;
	err = weft_engine_pin(f, nla_get_u32(info->attrs[WEFT_A_FABRIC_CPU]),
			      info->extack);
	if (err)
		return err;
	weft_nl_notify(f, info, WEFT_CMD_FABRIC_NTF, fabric_fill_params, f);
	return 0;
}

static struct weft_fabric *fabric_by_name(struct genl_info *info)
{
	struct nlattr *name = info->attrs[WEFT_A_FABRIC_NAME];
	struct weft_fabric *f;

	f = weft_fabric_find_name(genl_info_net(info), nla_data(name));
	if (f)
		return f;
	NL_SET_ERR_MSG_ATTR(info->extack, name, "no fabric has this name");
	return ERR_PTR(-ENOENT);
}

int weft_nl_fabric_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_fabric *f;

	if (info->attrs[WEFT_A_FABRIC_NAME] && !info->attrs[WEFT_A_FABRIC_ID])
		f = fabric_by_name(info);
	else
		f = weft_nl_fabric(genl_info_net(info), info->attrs,
				   WEFT_A_FABRIC_ID, info->extack);
	if (IS_ERR(f))
		return PTR_ERR(f);
	return weft_nl_reply(info, fabric_fill, f);
}

int weft_nl_fabric_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weft_netns *wn = weft_netns_get(sock_net(skb->sk));
	int ret;

	rtnl_lock();
	cb->seq = wn->generation;
	ret = weft_nl_dump_objects(skb, cb, &wn->fabrics, WEFT_CMD_FABRIC_GET,
				   fabric_fill);
	rtnl_unlock();
	return ret;
}
