// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: switches.
 */
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/switch.h"
#include "group/mcast.h"
#include "netlink/nl_priv.h"

#define SWITCH_BUFFER		SZ_32M
#define SWITCH_QUEUE		SZ_1M
#define SWITCH_CLASSES		8
#define SWITCH_QUANTUM		1024
#define SWITCH_FLOWLETS		1024
#define SWITCH_ARN_QUEUE	65536
#define SWITCH_FLOWLET_GAP	(10 * 1000 * FAB_PS_PER_NS)
#define SWITCH_STEP		4096
/* An assumption: nobody publishes how long the firmware of a switch takes for a MAD. */
#define SWITCH_SMA_LATENCY	(10 * 1000 * FAB_PS_PER_NS)

static int switch_fill_id(struct sk_buff *skb, const void *obj)
{
	const struct weft_switch *sw = obj;

	return nla_put_u32(skb, WEFT_A_SWITCH_FABRIC, sw->fabric->id) ?:
	       nla_put_u32(skb, WEFT_A_SWITCH_ID, sw->id);
}

static int switch_fill_forwarding(struct sk_buff *skb,
				  const struct fab_switch_params *p)
{
	BUILD_BUG_ON((int)FAB_STORE_FORWARD != WEFT_FORWARD_STORE_FORWARD);
	BUILD_BUG_ON((int)FAB_ARBITER_ROUND_ROBIN != WEFT_ARBITER_ROUND_ROBIN);
	BUILD_BUG_ON((int)FAB_SELECT_RANDOM != WEFT_SELECT_RANDOM);
	BUILD_BUG_ON((int)FAB_SL2VL_CLASS != WEFT_SL2VL_CLASS);
	if (weft_nl_put_u64(skb, WEFT_A_SWITCH_LATENCY, p->latency) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_FORWARD, p->forward) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_ARBITER, p->arbiter) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_SELECT, p->select) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_SL2VL, p->sl2vl) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_LMC, p->lmc) ||
	    weft_nl_put_u64(skb, WEFT_A_SWITCH_FLOWLET_GAP, p->flowlet_gap) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_QUANTUM, p->quantum))
		return -EMSGSIZE;
	if (p->flowlets &&
	    nla_put_u32(skb, WEFT_A_SWITCH_FLOWLETS, p->flowlets))
		return -EMSGSIZE;
	if (p->sl2vl == FAB_SL2VL_KEEP)
		return 0;
	return nla_put(skb, WEFT_A_SWITCH_VL, FAB_CLASSES_MAX, p->vl);
}

static int switch_fill_arn(struct sk_buff *skb, const struct weft_switch *sw)
{
	const struct fab_switch_params *p = &sw->sw.p;
	u64 sent, heard;

	if (!p->arn_hold)
		return 0;
	weft_engine_lock(sw->fabric);
	sent = sw->sw.arn->sent;
	heard = sw->sw.arn->heard;
	weft_engine_unlock(sw->fabric);
	return weft_nl_put_u64(skb, WEFT_A_SWITCH_ARN_HOLD, p->arn_hold) ?:
	       nla_put_u32(skb, WEFT_A_SWITCH_ARN_QUEUE, p->arn_queue) ?:
	       weft_nl_put_u64(skb, WEFT_A_SWITCH_ARN_SENT, sent) ?:
	       weft_nl_put_u64(skb, WEFT_A_SWITCH_ARN_HEARD, heard);
}

/* Only switches of InfiniBand have agents. */
static int switch_fill_agent(struct sk_buff *skb,
			     const struct fab_switch_params *p)
{
	if (p->port.disc->family != FAB_INFINIBAND)
		return 0;
	return weft_nl_put_u64(skb, WEFT_A_SWITCH_SMA_LATENCY, p->sma_latency);
}

static int switch_fill_params(struct sk_buff *skb, const void *obj)
{
	const struct weft_switch *sw = obj;
	const struct fab_buffer_params *b = &sw->sw.buffer.p;
	const struct fab_switch_params *p = &sw->sw.p;

	if (switch_fill_id(skb, sw) ||
	    weft_nl_put_name(skb, WEFT_A_SWITCH_NAME, sw->name) ||
	    nla_put_u32(skb, WEFT_A_SWITCH_PORTS, p->ports) ||
	    switch_fill_forwarding(skb, p) ||
	    switch_fill_agent(skb, p) ||
	    weft_nl_put_u64(skb, WEFT_A_SWITCH_BUFFER_TOTAL, b->total) ||
	    weft_nl_put_u64(skb, WEFT_A_SWITCH_BUFFER_PER_PORT, b->per_port) ||
	    weft_nl_put_accounts(skb, WEFT_A_SWITCH_BUFFER_CLASS,
				 p->port.classes, b) ||
	    weft_nl_put_port(skb, WEFT_A_SWITCH_PORT_PARAMS, &p->port, NULL))
		return -EMSGSIZE;
	return 0;
}

static int switch_fill(struct sk_buff *skb, const void *obj)
{
	const struct weft_switch *sw = obj;
	u64 used, peak, reduced;

	weft_engine_lock(sw->fabric);
	used = sw->sw.buffer.used;
	peak = sw->sw.buffer.peak;
	reduced = sw->sw.reduced;
	weft_engine_unlock(sw->fabric);
	return switch_fill_params(skb, sw) ?:
	       switch_fill_arn(skb, sw) ?:
	       weft_nl_put_u64(skb, WEFT_A_SWITCH_REDUCED, reduced) ?:
	       weft_nl_put_u64(skb, WEFT_A_SWITCH_BUFFER_USED, used) ?:
	       weft_nl_put_u64(skb, WEFT_A_SWITCH_BUFFER_PEAK, peak);
}

static void switch_defaults(const struct weft_fabric *f,
			    struct fab_switch_params *p)
{
	p->buffer.total = SWITCH_BUFFER;
	p->sma_latency = SWITCH_SMA_LATENCY;
	p->quantum = SWITCH_STEP;
	p->flowlet_gap = SWITCH_FLOWLET_GAP;
	p->arn_queue = SWITCH_ARN_QUEUE;
	p->port.classes = SWITCH_CLASSES;
	p->port.queue_limit = SWITCH_QUEUE;
	p->port.sched.quantum = SWITCH_QUANTUM;
	p->port.disc = &fab_drop_tail;
}

static int switch_get_flowlets(struct nlattr **attrs,
			       struct fab_switch_params *p,
			       struct netlink_ext_ack *extack)
{
	const struct nlattr *nla = attrs[WEFT_A_SWITCH_FLOWLETS];

	p->flowlet_gap = weft_nl_u64_or(attrs[WEFT_A_SWITCH_FLOWLET_GAP],
					p->flowlet_gap);
	if (p->select == FAB_SELECT_FLOWLET) {
		p->flowlets = weft_nl_u32_or(nla, SWITCH_FLOWLETS);
	} else if (nla) {
		NL_SET_ERR_MSG_ATTR(extack, nla,
				    "flowlets, but select is not flowlet");
		return -EINVAL;
	}
	if (!nla || is_power_of_2(p->flowlets))
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, nla,
				"flowlets must be a power of two, not %u",
				p->flowlets);
	return -EINVAL;
}

static int switch_get_vl(struct nlattr **attrs, struct fab_switch_params *p,
			 struct netlink_ext_ack *extack)
{
	const struct nlattr *nla = attrs[WEFT_A_SWITCH_VL];
	u32 sl;

	p->sl2vl = weft_nl_u32_or(attrs[WEFT_A_SWITCH_SL2VL], p->sl2vl);
	if (nla && p->sl2vl == FAB_SL2VL_KEEP) {
		NL_SET_ERR_MSG_ATTR(extack, nla, "vl, but sl2vl is keep");
		return -EINVAL;
	}
	for (sl = 0; sl < FAB_CLASSES_MAX; sl++)
		p->vl[sl] = min(sl, p->port.classes - 1);
	return weft_nl_get_vl(nla, p->port.classes, p->vl, extack);
}

static int switch_get_buffer(struct genl_info *info,
			     struct fab_switch_params *p)
{
	static const struct weft_nl_buffer_attrs attrs = {
		.name = "buffer-total",
		.total = WEFT_A_SWITCH_BUFFER_TOTAL,
		.cls = WEFT_A_SWITCH_BUFFER_CLASS,
	};
	int err;

	err = weft_nl_get_buffer(info, &attrs, p->ports, &p->port, &p->buffer);
	p->buffer.per_port =
		weft_nl_u64_or(info->attrs[WEFT_A_SWITCH_BUFFER_PER_PORT],
			       p->buffer.total);
	return err;
}

static int switch_get_params(struct genl_info *info,
			     struct fab_switch_params *p)
{
	struct nlattr **attrs = info->attrs;

	p->ports = nla_get_u32(attrs[WEFT_A_SWITCH_PORTS]);
	/* One group for each port, and as many for destinations behind several ports. */
	p->groups = 2 * p->ports + 64;
	p->latency = weft_nl_u64_or(attrs[WEFT_A_SWITCH_LATENCY], p->latency);
	p->sma_latency = weft_nl_u64_or(attrs[WEFT_A_SWITCH_SMA_LATENCY],
					p->sma_latency);
	p->forward = weft_nl_u32_or(attrs[WEFT_A_SWITCH_FORWARD], p->forward);
	p->arbiter = weft_nl_u32_or(attrs[WEFT_A_SWITCH_ARBITER], p->arbiter);
	p->select = weft_nl_u32_or(attrs[WEFT_A_SWITCH_SELECT], p->select);
	p->lmc = weft_nl_u32_or(attrs[WEFT_A_SWITCH_LMC], p->lmc);
	p->quantum = weft_nl_u32_or(attrs[WEFT_A_SWITCH_QUANTUM], p->quantum);
	p->arn_hold = weft_nl_u64_or(attrs[WEFT_A_SWITCH_ARN_HOLD], 0);
	p->arn_queue = weft_nl_u32_or(attrs[WEFT_A_SWITCH_ARN_QUEUE], p->arn_queue);
	return weft_nl_get_port(attrs[WEFT_A_SWITCH_PORT_PARAMS], &p->port,
				NULL, info->extack) ?:
	       switch_get_flowlets(attrs, p, info->extack) ?:
	       switch_get_vl(attrs, p, info->extack) ?:
	       switch_get_buffer(info, p);
}

static void *switch_create(struct weft_fabric *f, struct sk_buff *skb,
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
	p.dsts = weft_switch_dsts(f, &p.port);
	weft_switch_manage(f, &p);
	p.mcasts = weft_mcast_groups(f, &p.port);
	if (info->attrs[WEFT_A_SWITCH_NAME])
		nla_strscpy(name, info->attrs[WEFT_A_SWITCH_NAME],
			    sizeof(name));
	return weft_switch_create(f, name, &p, info->extack);
}

static void switch_destroy(void *obj)
{
	weft_switch_destroy(obj);
}

static const struct weft_nl_objects switch_objects = {
	.name = "switch",
	.offset = offsetof(struct weft_fabric, switches),
	.fabric = WEFT_A_SWITCH_FABRIC,
	.id = WEFT_A_SWITCH_ID,
	.cmd = WEFT_CMD_SWITCH_GET,
	.ntf = WEFT_CMD_SWITCH_NTF,
	.fill = switch_fill,
	.fill_id = switch_fill_id,
	.fill_params = switch_fill_params,
	.create = switch_create,
	.destroy = switch_destroy,
};

int weft_nl_switch_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_new(&switch_objects, skb, info);
}

int weft_nl_switch_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_switch *sw = weft_nl_object_of(&switch_objects, info);

	if (IS_ERR(sw))
		return PTR_ERR(sw);
	weft_nl_notify(sw->fabric, info, WEFT_CMD_SWITCH_DEL_NTF,
		       switch_fill_params, sw);
	weft_switch_destroy(sw);
	return 0;
}

/* Port of a request to set the SL-to-VL table; WEFT_PORT_ANY without one. */
static int switch_set_port(struct weft_switch *sw, const struct nlattr *nla,
			   u32 *port, struct netlink_ext_ack *extack)
{
	*port = weft_nl_u32_or(nla, WEFT_PORT_ANY);
	if (!nla || *port < sw->sw.p.ports)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, nla,
				"switch has %u ports, counted from 0",
				sw->sw.p.ports);
	return -ERANGE;
}

static int switch_set(struct weft_switch *sw, struct nlattr **attrs,
		      struct netlink_ext_ack *extack)
{
	u8 vl[FAB_CLASSES_MAX];
	u32 in, out;
	int err;

	err = weft_nl_need(attrs, WEFT_A_SWITCH_VL, "vl", extack) ?:
	      switch_set_port(sw, attrs[WEFT_A_SWITCH_IN_PORT], &in, extack) ?:
	      switch_set_port(sw, attrs[WEFT_A_SWITCH_OUT_PORT], &out,
			      extack) ?:
	      weft_nl_get_vl(attrs[WEFT_A_SWITCH_VL], sw->sw.p.port.classes, vl,
			     extack);
	if (err)
		return err;
	if (sw->sw.p.sl2vl != FAB_SL2VL_PORTS &&
	    sw->sw.p.sl2vl != FAB_SL2VL_CLASS) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[WEFT_A_SWITCH_VL],
				    "only a switch with sl2vl ports or class has a table for each pair of ports");
		return -EOPNOTSUPP;
	}
	weft_switch_sl2vl(sw, in, out, vl);
	return 0;
}

int weft_nl_switch_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_switch *sw = weft_nl_object_of(&switch_objects, info);
	int err;

	if (IS_ERR(sw))
		return PTR_ERR(sw);
	err = switch_set(sw, info->attrs, info->extack);
	if (!err)
		weft_nl_notify(sw->fabric, info, WEFT_CMD_SWITCH_NTF,
			       switch_fill_params, sw);
	return err;
}

int weft_nl_switch_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_get(&switch_objects, info);
}

int weft_nl_switch_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_nl_object_dump(&switch_objects, skb, cb);
}
