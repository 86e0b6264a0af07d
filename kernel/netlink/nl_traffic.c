// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: background traffic.
 */
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/traffic.h"
#include "fabric/trigger.h"
#include "netdev/nic.h"
#include "netlink/nl.h"
#include "netlink/nl_priv.h"

#define TRAFFIC_DEPTH		64	/* half a ring, unless frames are tiny */
#define TRAFFIC_DEPTH_GREEDY	4	/* the host has a ring of its own */
#define TRAFFIC_WINDOW		1024

static int traffic_fill_id(struct sk_buff *skb, const void *obj)
{
	const struct weft_traffic *tr = obj;

	return nla_put_u32(skb, WEFT_A_TRAFFIC_FABRIC, tr->fabric->id) ?:
	       nla_put_u32(skb, WEFT_A_TRAFFIC_ID, tr->id) ?:
	       nla_put_u32(skb, WEFT_A_TRAFFIC_GROUP, tr->p.group);
}

static int traffic_put_place(struct sk_buff *skb, const struct weft_traffic *tr)
{
	const struct fab_traffic_params *p = &tr->p.p;
	int err = 0;
	u32 i;

	if (tr->p.pattern != U32_MAX)
		err = nla_put_u32(skb, WEFT_A_TRAFFIC_PATTERN, tr->p.pattern);
	if (!err)
		err = nla_put_u32(skb, WEFT_A_TRAFFIC_NIC, tr->p.wep->ep.id);
	for (i = 0; !err && i < p->dsts; i++)
		err = nla_put_u32(skb, WEFT_A_TRAFFIC_DST, p->dst[i]);
	return err;
}

static int traffic_put_time(struct sk_buff *skb,
			    const struct fab_traffic_params *p)
{
	return weft_nl_put_u64_set(skb, WEFT_A_TRAFFIC_ON, p->on) ?:
	       weft_nl_put_u64_set(skb, WEFT_A_TRAFFIC_OFF, p->off) ?:
	       weft_nl_put_u32_set(skb, WEFT_A_TRAFFIC_DRAWN_TIMES,
				   p->drawn_times) ?:
	       weft_nl_put_u32_set(skb, WEFT_A_TRAFFIC_DRAWN_DSTS,
				   p->drawn_dsts) ?:
	       weft_nl_put_u64(skb, WEFT_A_TRAFFIC_DURATION, p->duration) ?:
	       weft_nl_put_u64_set(skb, WEFT_A_TRAFFIC_BYTES, p->bytes) ?:
	       weft_nl_put_u64(skb, WEFT_A_TRAFFIC_SEED, p->seed);
}

/* By a trigger, it is known only with its moment when it begins. */
static int traffic_put_start(struct sk_buff *skb, const struct weft_traffic *tr)
{
	fab_time start;
	bool known;

	if (!tr->p.trigger)
		return weft_nl_put_u64(skb, WEFT_A_TRAFFIC_START,
				       tr->p.p.start);
	weft_engine_lock(tr->fabric);
	known = !fab_moment_awaited(&tr->t.waiter);
	start = tr->t.p.start;
	weft_engine_unlock(tr->fabric);
	return nla_put_u32(skb, WEFT_A_TRAFFIC_TRIGGER, tr->p.trigger->id) ?:
	       weft_nl_put_u64(skb, WEFT_A_TRAFFIC_AFTER, tr->p.p.start) ?:
	       (known ? weft_nl_put_u64(skb, WEFT_A_TRAFFIC_START, start) : 0);
}

static int traffic_fill_params(struct sk_buff *skb, const void *obj)
{
	const struct weft_traffic *tr = obj;
	const struct fab_traffic_params *p = &tr->p.p;

	return traffic_fill_id(skb, tr) ?:
	       traffic_put_place(skb, tr) ?:
	       nla_put_u32(skb, WEFT_A_TRAFFIC_SL, p->sl) ?:
	       nla_put_u32(skb, WEFT_A_TRAFFIC_SIZE, p->len) ?:
	       weft_nl_put_u64_set(skb, WEFT_A_TRAFFIC_RATE, p->rate_bps) ?:
	       nla_put_u32(skb, WEFT_A_TRAFFIC_DEPTH, p->depth) ?:
	       nla_put_u32(skb, WEFT_A_TRAFFIC_WINDOW, tr->p.window) ?:
	       weft_nl_put_u32_set(skb, WEFT_A_TRAFFIC_MESSAGES, p->messages) ?:
	       traffic_put_start(skb, tr) ?:
	       traffic_put_time(skb, p);
}

static int traffic_put_counters(struct sk_buff *skb,
				const struct weft_traffic *tr)
{
#define X(name, text) #name,
	static const char *const name[] = {
		FAB_TRAFFIC_COUNTERS(X) "late_ps",
	};
#undef X
	struct {
		struct fab_traffic_counters c;
		u64 late_ps;
	} all = { tr->t.c, tr->t.waiter.late };

	BUILD_BUG_ON(sizeof(all) != ARRAY_SIZE(name) * sizeof(u64));
	if (!all.c.delivered_packets)
		all.c.latency_min_ps = 0;
	return weft_nl_put_counters(skb, WEFT_A_TRAFFIC_COUNTER, name,
				    (const u64 *)&all, ARRAY_SIZE(name));
}

static int traffic_fill(struct sk_buff *skb, const void *obj)
{
	const struct weft_traffic *tr = obj;
	int err = traffic_fill_params(skb, tr);

	if (err)
		return err;
	weft_engine_lock(tr->fabric);
	err = nla_put_u32(skb, WEFT_A_TRAFFIC_STATE,
			  fab_traffic_state(&tr->t)) ?:
	      nla_put_u32(skb, WEFT_A_TRAFFIC_INSIDE, tr->t.inside) ?:
	      traffic_put_counters(skb, tr);
	weft_engine_unlock(tr->fabric);
	return err;
}

static int traffic_get_nic(struct weft_fabric *f, struct genl_info *info,
			   struct weft_traffic_params *p)
{
	int err = weft_nl_need(info->attrs, WEFT_A_TRAFFIC_NIC, "nic",
			       info->extack);

	if (err)
		return err;
	p->wep = weft_nl_find(&f->nics, info->attrs, WEFT_A_TRAFFIC_NIC, "NIC",
			      info->extack);
	return PTR_ERR_OR_ZERO(p->wep);
}

/* Can the sending NIC reach @dst, which is in @attr? */
static int traffic_check_dst(struct genl_info *info, const struct nlattr *attr,
			     const struct weft_traffic_params *p, u32 dst)
{
	if (dst == p->wep->ep.id) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "a NIC sends nothing to itself");
		return -EINVAL;
	}
	if (weft_endpoint_find(p->wep->fabric, dst))
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
				"fabric has no NIC with id %u", dst);
	return -ENOENT;
}

static u32 traffic_count_dsts(struct genl_info *info)
{
	const struct nlattr *nla;
	u32 n = 0;
	int rem;

	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem)
		n += nla_type(nla) == WEFT_A_TRAFFIC_DST;
	return n;
}

static int traffic_get_dsts(struct genl_info *info,
			    struct weft_traffic_params *p)
{
	u32 n = traffic_count_dsts(info), *dst;
	const struct nlattr *nla;
	int err = 0, rem;

	if (n > WEFT_TRAFFIC_DSTS_MAX) {
		NL_SET_ERR_MSG_FMT(info->extack, "at most %u destinations",
				   WEFT_TRAFFIC_DSTS_MAX);
		return -ERANGE;
	}
	dst = kvcalloc(n, sizeof(*dst), GFP_KERNEL_ACCOUNT);
	if (!dst)
		return -ENOMEM;
	p->list = dst;
	p->p.dst = dst;
	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem) {
		if (err || nla_type(nla) != WEFT_A_TRAFFIC_DST)
			continue;
		dst[p->p.dsts++] = nla_get_u32(nla);
		err = traffic_check_dst(info, nla, p, nla_get_u32(nla));
	}
	return err;
}

static int traffic_check_message(struct genl_info *info,
				 const struct weft_traffic_params *p, u32 i)
{
	const struct fab_traffic_message *m = &p->p.message[i];
	struct nlattr *attr = info->attrs[WEFT_A_TRAFFIC_MESSAGE];
	const char *wrong = NULL;

	if (!m->bytes)
		wrong = "bytes must be above 0";
	else if (m->at > FAB_DELAY_MAX)
		wrong = "it is more than 1000 s behind the start";
	else if (i && m->at < m[-1].at)
		wrong = "it is before the one before";
	if (!wrong)
		return traffic_check_dst(info, attr, p, m->dst);
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr, "message %u: %s", i, wrong);
	return -EINVAL;
}

static int traffic_get_messages(struct genl_info *info,
				struct weft_traffic_params *p)
{
	struct nlattr *attr = info->attrs[WEFT_A_TRAFFIC_MESSAGE];
	u32 len = nla_len(attr), i;
	int err = 0;

	BUILD_BUG_ON(sizeof(*p->p.message) != 16);
	if (!len || len % sizeof(*p->p.message) ||
	    len / sizeof(*p->p.message) > WEFT_TRAFFIC_MSGS_MAX) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
					"1 to %u messages of 16 bytes",
					WEFT_TRAFFIC_MSGS_MAX);
		return -EINVAL;
	}
	p->list = kvmalloc(len, GFP_KERNEL_ACCOUNT);
	if (!p->list)
		return -ENOMEM;
	memcpy(p->list, nla_data(attr), len);
	p->p.message = p->list;
	p->p.messages = len / sizeof(*p->p.message);
	for (i = 0; !err && i < p->p.messages; i++)
		err = traffic_check_message(info, p, i);
	return err;
}

/* The packets: to some destinations, or those of messages. */
static int traffic_get_list(struct genl_info *info,
			    struct weft_traffic_params *p)
{
	static const int other[] = {
		WEFT_A_TRAFFIC_DST, WEFT_A_TRAFFIC_RATE, WEFT_A_TRAFFIC_ON,
		WEFT_A_TRAFFIC_OFF, WEFT_A_TRAFFIC_DURATION,
		WEFT_A_TRAFFIC_BYTES,
	};
	u32 i;
	int err;

	if (!info->attrs[WEFT_A_TRAFFIC_MESSAGE]) {
		err = weft_nl_need(info->attrs, WEFT_A_TRAFFIC_DST, "dst",
				   info->extack);
		return err ?: traffic_get_dsts(info, p);
	}
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		if (!info->attrs[other[i]])
			continue;
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[other[i]],
				    "not with messages");
		return -EINVAL;
	}
	return traffic_get_messages(info, p);
}

static int traffic_get_size(struct genl_info *info,
			    struct weft_traffic_params *p)
{
	u32 most = READ_ONCE(p->wep->nic->dev->mtu) + ETH_HLEN;
	struct nlattr *attr = info->attrs[WEFT_A_TRAFFIC_SIZE];

	most = min(most, FAB_TRAFFIC_LEN_MAX);
	p->p.len = weft_nl_u32_or(attr, most);
	if (p->p.len <= most)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
				"size must be at most %u, a frame of the NIC's MTU",
				most);
	return -ERANGE;
}

static int traffic_get_class(struct genl_info *info,
			     struct weft_traffic_params *p)
{
	struct nlattr *attr = info->attrs[WEFT_A_TRAFFIC_SL];

	p->p.sl = weft_nl_u32_or(attr, 0);
	p->p.cls = p->wep->vl[p->p.sl];
	if (p->p.cls < p->wep->ep.p->port.classes)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
				"the NIC has no class for service level %u",
				p->p.sl);
	return -EINVAL;
}

static void traffic_get_numbers(struct nlattr **tb,
				struct weft_traffic_params *p)
{
	struct fab_traffic_params *m = &p->p;
	bool open;

	m->rate_bps = weft_nl_u64_or(tb[WEFT_A_TRAFFIC_RATE], 0);
	open = m->rate_bps || m->messages;
	m->depth = weft_nl_u32_or(tb[WEFT_A_TRAFFIC_DEPTH],
				  open ? TRAFFIC_DEPTH : TRAFFIC_DEPTH_GREEDY);
	m->on = weft_nl_u64_or(tb[WEFT_A_TRAFFIC_ON], 0);
	m->off = weft_nl_u64_or(tb[WEFT_A_TRAFFIC_OFF], 0);
	m->drawn_times = weft_nl_u32_or(tb[WEFT_A_TRAFFIC_DRAWN_TIMES], 0);
	m->drawn_dsts = weft_nl_u32_or(tb[WEFT_A_TRAFFIC_DRAWN_DSTS], 0);
	m->start = weft_nl_u64_or(tb[WEFT_A_TRAFFIC_START],
				  weft_nl_u64_or(tb[WEFT_A_TRAFFIC_AFTER], 0));
	m->duration = weft_nl_u64_or(tb[WEFT_A_TRAFFIC_DURATION], 0);
	m->bytes = weft_nl_u64_or(tb[WEFT_A_TRAFFIC_BYTES], 0);
	m->seed = weft_nl_u64_or(tb[WEFT_A_TRAFFIC_SEED], 0);
	m->flags = FAB_PKT_HW | FAB_PKT_ECT;
	p->window = weft_nl_u32_or(tb[WEFT_A_TRAFFIC_WINDOW], TRAFFIC_WINDOW);
	p->group = weft_nl_u32_or(tb[WEFT_A_TRAFFIC_GROUP], 0);
	p->grouped = tb[WEFT_A_TRAFFIC_GROUP];
	p->pattern = weft_nl_u32_or(tb[WEFT_A_TRAFFIC_PATTERN], U32_MAX);
	p->relative = !tb[WEFT_A_TRAFFIC_START] && !p->trigger;
	p->seeded = tb[WEFT_A_TRAFFIC_SEED];
}

/* Refuse inconsistent numbers. */
static int traffic_check_numbers(struct genl_info *info,
				 const struct weft_traffic_params *p)
{
	struct nlattr **tb = info->attrs;
	int attr = WEFT_A_TRAFFIC_GROUP;

	if (tb[WEFT_A_TRAFFIC_START] && tb[WEFT_A_TRAFFIC_AFTER]) {
		attr = WEFT_A_TRAFFIC_AFTER;
		NL_SET_ERR_MSG(info->extack, "either start or after, not both");
	} else if (!p->p.on != !p->p.off) {
		attr = p->p.on ? WEFT_A_TRAFFIC_ON : WEFT_A_TRAFFIC_OFF;
		NL_SET_ERR_MSG(info->extack, "on and off need one another");
	} else if (p->grouped && p->group == U32_MAX) {
		NL_SET_ERR_MSG_FMT(info->extack, "group must be below %u",
				   U32_MAX);
	} else {
		return 0;
	}
	NL_SET_BAD_ATTR(info->extack, tb[attr]);
	return -EINVAL;
}

/* The model accepts what passed the checks of the attributes. */
static int traffic_check_model(struct genl_info *info,
			       const struct weft_traffic_params *p)
{
	int err = fab_traffic_params_check(&p->p, p->wep->ep.p->port.classes);

	if (err)
		NL_SET_ERR_MSG(info->extack, "traffic parameters out of range");
	return err;
}

static int traffic_get(struct weft_fabric *f, struct genl_info *info,
		       struct weft_traffic_params *p)
{
	int err;

	p->trigger = weft_nl_trigger_of(f, info->attrs, WEFT_A_TRAFFIC_TRIGGER,
					WEFT_A_TRAFFIC_START, info->extack);
	if (IS_ERR(p->trigger))
		return PTR_ERR(p->trigger);
	err = traffic_get_nic(f, info, p) ?:
	      traffic_get_list(info, p) ?:
	      traffic_get_size(info, p) ?:
	      traffic_get_class(info, p);
	if (err)
		return err;
	traffic_get_numbers(info->attrs, p);
	return traffic_check_numbers(info, p) ?:
	       weft_nl_check_start(f, info->attrs[WEFT_A_TRAFFIC_START],
				   info->extack) ?:
	       traffic_check_model(info, p);
}

/* The generator takes the list of the parameters. */
static void *traffic_create(struct weft_fabric *f, struct sk_buff *skb,
			    struct genl_info *info)
{
	struct weft_traffic_params p = {};
	struct weft_traffic *tr;
	int err;

	err = traffic_get(f, info, &p);
	tr = err ? ERR_PTR(err) : weft_traffic_create(f, &p, info->extack);
	if (IS_ERR(tr))
		kvfree(p.list);
	return tr;
}

static void traffic_destroy(void *obj)
{
	weft_traffic_destroy(obj);
}

static void traffic_withdraw(void *obj)
{
	struct weft_trigger *tg = ((struct weft_traffic *)obj)->p.trigger;

	weft_trigger_get(tg);
	weft_traffic_destroy(obj);
	weft_trigger_unget(tg);
}

static const struct weft_nl_objects traffic_objects = {
	.name = "generator",
	.offset = offsetof(struct weft_fabric, traffics),
	.fabric = WEFT_A_TRAFFIC_FABRIC,
	.id = WEFT_A_TRAFFIC_ID,
	.cmd = WEFT_CMD_TRAFFIC_GET,
	.ntf = WEFT_CMD_TRAFFIC_NTF,
	.fill = traffic_fill,
	.fill_id = traffic_fill_id,
	.fill_params = traffic_fill_params,
	.create = traffic_create,
	.destroy = traffic_destroy,
	.withdraw = traffic_withdraw,
};

int weft_nl_traffic_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_new(&traffic_objects, skb, info);
}

int weft_nl_traffic_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_del(&traffic_objects, info);
}

int weft_nl_traffic_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_get(&traffic_objects, info);
}

int weft_nl_traffic_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_nl_object_dump(&traffic_objects, skb, cb);
}

/**
 * weft_nl_traffic_gone() - send the event that a generator goes
 * @tr: the generator
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_traffic_gone(struct weft_traffic *tr)
{
	BUILD_BUG_ON((int)WEFT_TRAFFIC_STATE_OVER != FAB_TRAFFIC_OVER);
	weft_nl_notify(tr->fabric, NULL, WEFT_CMD_TRAFFIC_DEL_NTF,
		       traffic_fill_params, tr);
}
