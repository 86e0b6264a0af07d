// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: aggregation nodes.
 */
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/switch.h"
#include "group/aggregator.h"
#include "netlink/nl.h"
#include "netlink/nl_priv.h"

static int aggregator_fill_id(struct sk_buff *skb, const void *obj)
{
	const struct weft_aggregator *ag = obj;

	return nla_put_u32(skb, WEFT_A_AGGREGATOR_FABRIC, ag->fabric->id) ?:
	       nla_put_u32(skb, WEFT_A_AGGREGATOR_ID, ag->id);
}

static int aggregator_put_params(struct sk_buff *skb, const struct weft_aggregator *ag)
{
	const struct fab_reduce_params *p = &ag->r.p;

	if (p->parent != FAB_REDUCE_ROOT &&
	    nla_put_u32(skb, WEFT_A_AGGREGATOR_PARENT, p->parent))
		return -EMSGSIZE;
	return nla_put_u32(skb, WEFT_A_AGGREGATOR_GROUP, p->group) ?:
	       nla_put_u32(skb, WEFT_A_AGGREGATOR_SWITCH, ag->sw->id) ?:
	       nla_put(skb, WEFT_A_AGGREGATOR_CHILD, p->children * sizeof(*p->child),
		       p->child) ?:
	       nla_put_u32(skb, WEFT_A_AGGREGATOR_SLOTS, p->slots) ?:
	       nla_put_u32(skb, WEFT_A_AGGREGATOR_TO, p->to) ?:
	       weft_nl_put_u64(skb, WEFT_A_AGGREGATOR_LATENCY, p->latency);
}

static int aggregator_put_state(struct sk_buff *skb, const struct weft_aggregator *ag)
{
	const struct fab_reduce *r = &ag->r;

	return weft_nl_put_u64(skb, WEFT_A_AGGREGATOR_RESULTS, r->results) ?:
	       weft_nl_put_u64(skb, WEFT_A_AGGREGATOR_LATE, r->late) ?:
	       weft_nl_put_u64(skb, WEFT_A_AGGREGATOR_REFUSED, r->refused) ?:
	       nla_put_u32(skb, WEFT_A_AGGREGATOR_BUSY, r->busy) ?:
	       nla_put_u32(skb, WEFT_A_AGGREGATOR_PEAK, r->peak) ?:
	       nla_put_u32(skb, WEFT_A_AGGREGATOR_DOWN, !!r->sw->faults.sharp_down) ?:
	       weft_nl_put_u64(skb, WEFT_A_AGGREGATOR_LOST, ag->group->lost);
}

static int aggregator_fill(struct sk_buff *skb, const void *obj)
{
	const struct weft_aggregator *ag = obj;
	int err = aggregator_fill_id(skb, ag) ?: aggregator_put_params(skb, ag);

	if (err)
		return err;
	weft_engine_lock(ag->fabric);
	err = aggregator_put_state(skb, ag);
	weft_engine_unlock(ag->fabric);
	return err;
}

static int aggregator_get_children(struct genl_info *info, struct fab_reduce_params *p)
{
	const struct nlattr *attr = info->attrs[WEFT_A_AGGREGATOR_CHILD];
	int err = weft_nl_need(info->attrs, WEFT_A_AGGREGATOR_CHILD, "child", info->extack);

	if (err)
		return err;
	if (!nla_len(attr) || nla_len(attr) % sizeof(*p->child)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "expected ports, of 16 bits each");
		return -EINVAL;
	}
	p->child = nla_data(attr);
	p->children = nla_len(attr) / sizeof(*p->child);
	return 0;
}

static int aggregator_get(struct genl_info *info, struct fab_reduce_params *p)
{
	struct nlattr **tb = info->attrs;
	int err;

	err = weft_nl_need(tb, WEFT_A_AGGREGATOR_GROUP, "group", info->extack) ?:
	      weft_nl_need(tb, WEFT_A_AGGREGATOR_QKEY, "qkey", info->extack) ?:
	      aggregator_get_children(info, p);
	if (err)
		return err;
	p->group = nla_get_u32(tb[WEFT_A_AGGREGATOR_GROUP]);
	p->parent = weft_nl_u32_or(tb[WEFT_A_AGGREGATOR_PARENT], FAB_REDUCE_ROOT);
	p->slots = weft_nl_u32_or(tb[WEFT_A_AGGREGATOR_SLOTS], WEFT_AGGREGATOR_SLOTS);
	p->latency = weft_nl_u64_or(tb[WEFT_A_AGGREGATOR_LATENCY], WEFT_AGGREGATOR_LATENCY);
	p->to = weft_nl_u32_or(tb[WEFT_A_AGGREGATOR_TO], FAB_REDUCE_ALL);
	if (p->to == FAB_REDUCE_ALL || p->parent == FAB_REDUCE_ROOT)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, tb[WEFT_A_AGGREGATOR_TO],
			    "results have owners at a root only");
	return -EINVAL;
}

static void *aggregator_create(struct weft_fabric *f, struct sk_buff *skb,
			       struct genl_info *info)
{
	struct fab_reduce_params p = { };
	struct weft_switch *sw;
	int err;

	sw = weft_nl_find(&f->switches, info->attrs, WEFT_A_AGGREGATOR_SWITCH, "switch",
			  info->extack);
	if (IS_ERR(sw))
		return sw;
	err = aggregator_get(info, &p);
	if (err)
		return ERR_PTR(err);
	return weft_aggregator_create(sw, &p, nla_get_u32(info->attrs[WEFT_A_AGGREGATOR_QKEY]),
				      info->extack);
}

static void aggregator_destroy(void *obj)
{
	weft_aggregator_destroy(obj);
}

static const struct weft_nl_objects aggregator_objects = {
	.name = "aggregation node",
	.offset = offsetof(struct weft_fabric, aggregators),
	.fabric = WEFT_A_AGGREGATOR_FABRIC,
	.id = WEFT_A_AGGREGATOR_ID,
	.cmd = WEFT_CMD_AGGREGATOR_GET,
	.ntf = WEFT_CMD_AGGREGATOR_NTF,
	.fill = aggregator_fill,
	.fill_id = aggregator_fill_id,
	.fill_params = aggregator_fill,
	.create = aggregator_create,
	.destroy = aggregator_destroy,
};

int weft_nl_aggregator_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_new(&aggregator_objects, skb, info);
}

int weft_nl_aggregator_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_del(&aggregator_objects, info);
}

int weft_nl_aggregator_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_get(&aggregator_objects, info);
}

int weft_nl_aggregator_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_nl_object_dump(&aggregator_objects, skb, cb);
}

/**
 * weft_nl_aggregator_changed() - notify that a fault took an aggregation node down, or up again
 * @ag: the aggregation node
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_aggregator_changed(struct weft_aggregator *ag)
{
	weft_nl_notify(ag->fabric, NULL, WEFT_CMD_AGGREGATOR_NTF, aggregator_fill, ag);
}

/**
 * weft_nl_aggregator_gone() - notify that an aggregation node is about to be removed
 * @ag: the aggregation node
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_aggregator_gone(struct weft_aggregator *ag)
{
	weft_nl_notify(ag->fabric, NULL, WEFT_CMD_AGGREGATOR_DEL_NTF, aggregator_fill, ag);
}
