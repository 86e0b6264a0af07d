// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: phases.
 */
#include <linux/bitmap.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/phase.h"
#include "netlink/nl.h"
#include "netlink/nl_priv.h"

#define PHASE_LEAST	262144		/* bytes */
#define PHASE_QUIET	10000000	/* 10 us */

/**
 * struct phase_at - a phase, for the fill functions
 */
struct phase_at {
	/** @f: its fabric */
	struct weft_fabric *f;
	/** @id: its number */
	u32 id;
};

static int phase_put_wire(struct sk_buff *skb, const struct fab_phase *ph)
{
	u32 link, dir;

	if (ph->wire == FAB_NO_LABEL)
		return 0;
	link = weft_phase_wire(ph->wire, &dir);
	return nla_put_u32(skb, WEFT_A_PHASE_LINK, link) ?:
	       nla_put_u32(skb, WEFT_A_PHASE_DIRECTION, dir) ?:
	       weft_nl_put_u64(skb, WEFT_A_PHASE_BUSY, ph->wire_busy);
}

static int phase_put_counters(struct sk_buff *skb, const struct fab_phase *ph)
{
	static const char *const name[FAB_PHASE_SUMS] = {
		[FAB_PHASE_PACKETS] = "packets",
		[FAB_PHASE_BYTES] = "bytes",
		[FAB_PHASE_DROPPED] = "dropped",
		[FAB_PHASE_WAIT] = "wait_ps",
	};

	return weft_nl_put_counters(skb, WEFT_A_PHASE_COUNTER, name, ph->sum,
				    FAB_PHASE_SUMS);
}

static int phase_put(struct sk_buff *skb, const struct fab_phase *ph)
{
	return nla_put_u32(skb, WEFT_A_PHASE_OPEN, ph->open) ?:
	       weft_nl_put_u64(skb, WEFT_A_PHASE_BEGIN, ph->begin) ?:
	       weft_nl_put_u64(skb, WEFT_A_PHASE_END, ph->end) ?:
	       nla_put_u32(skb, WEFT_A_PHASE_NICS, ph->nics) ?:
	       weft_nl_put_u64(skb, WEFT_A_PHASE_NIC_BYTES, ph->nic_bytes) ?:
	       phase_put_wire(skb, ph) ?:
	       phase_put_counters(skb, ph) ?:
	       weft_nl_put_hist(skb, WEFT_A_PHASE_LATENCY, &ph->latency);
}

/* Put the name of a phase: its mark, or its number among the phases by traffic. */
static int phase_put_name(struct sk_buff *skb, const struct fab_phases *s, u32 id)
{
	u32 n = 0, i;

	if (*s->list[id].name)
		return weft_nl_put_name(skb, WEFT_A_PHASE_NAME,
					s->list[id].name);
	for (i = 0; i <= id; i++)
		n += !*s->list[i].name;
	return nla_put_u32(skb, WEFT_A_PHASE_NUMBER, n);
}

static int phase_fill(struct sk_buff *skb, const void *obj)
{
	const struct phase_at *at = obj;
	struct fab_phases *s = &at->f->fab.phases;
	int err;

	if (nla_put_u32(skb, WEFT_A_PHASE_FABRIC, at->f->id) ||
	    nla_put_u32(skb, WEFT_A_PHASE_ID, at->id))
		return -EMSGSIZE;
	weft_engine_lock(at->f);
	err = phase_put_name(skb, s, at->id) ?:
	      phase_put(skb, &s->list[at->id]) ?:
	      weft_nl_put_u64_set(skb, WEFT_A_PHASE_MISSED, s->missed);
	weft_engine_unlock(at->f);
	return err;
}

/* The present number of phases, which only grows. */
static u32 phase_count(struct weft_fabric *f)
{
	u32 n;

	weft_engine_lock(f);
	fab_phase_settle(&f->fab);
	n = f->fab.phases.n;
	weft_engine_unlock(f);
	return n;
}

/**
 * weft_nl_phase_changed() - notify that a phase began or ended
 * @f: its fabric
 * @id: its number
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_phase_changed(struct weft_fabric *f, u32 id)
{
	struct phase_at at = { .f = f, .id = id };

	weft_nl_notify(f, NULL, WEFT_CMD_PHASE_NTF, phase_fill, &at);
}

static int phase_get_nics(struct genl_info *info, struct weft_fabric *f,
			  unsigned long *nics)
{
	const struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != WEFT_A_PHASE_NIC)
			continue;
		if (!xa_load(&f->nics, nla_get_u32(attr))) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "fabric has no NIC of this id");
			return -ENOENT;
		}
		__set_bit(nla_get_u32(attr), nics);
	}
	return 0;
}

static int phase_get_params(struct genl_info *info, struct fab_phase_params *p)
{
	struct nlattr **attrs = info->attrs;
	int err = weft_nl_need(attrs, WEFT_A_PHASE_RATE, "rate", info->extack);

	if (err)
		return err;
	p->rate_bps = nla_get_u64(attrs[WEFT_A_PHASE_RATE]);
	p->least = weft_nl_u64_or(attrs[WEFT_A_PHASE_LEAST], PHASE_LEAST);
	p->quiet = weft_nl_u64_or(attrs[WEFT_A_PHASE_QUIET], PHASE_QUIET);
	err = fab_phase_params_check(p);
	if (err)
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_A_PHASE_RATE],
				    "rate must be 0, or at least 1 kb/s and carry \"least\" in 1000 s");
	return err;
}

static int phase_watch(struct genl_info *info, struct weft_fabric *f,
		       const struct fab_phase_params *p)
{
	unsigned long *nics;
	int err;

	if (!info->attrs[WEFT_A_PHASE_NIC])
		return weft_phase_watch(f, p, NULL, info->extack);
	nics = bitmap_zalloc(f->p.max_nics, GFP_KERNEL);
	if (!nics)
		return -ENOMEM;
	err = phase_get_nics(info, f, nics) ?:
	      weft_phase_watch(f, p, nics, info->extack);
	bitmap_free(nics);
	return err;
}

int weft_nl_phase_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_phase_params p = {};
	struct weft_fabric *f;

	BUILD_BUG_ON(FAB_PHASE_NAME != WEFT_NAME_LEN);
	f = weft_nl_fabric(genl_info_net(info), info->attrs,
			   WEFT_A_PHASE_FABRIC, info->extack);
	if (IS_ERR(f))
		return PTR_ERR(f);
	return phase_get_params(info, &p) ?: phase_watch(info, f, &p);
}

int weft_nl_phase_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct phase_at at;
	int err;

	at.f = weft_nl_fabric(genl_info_net(info), attrs, WEFT_A_PHASE_FABRIC,
			      info->extack);
	if (IS_ERR(at.f))
		return PTR_ERR(at.f);
	err = weft_nl_need(attrs, WEFT_A_PHASE_ID, "phase id", info->extack);
	if (err)
		return err;
	at.id = nla_get_u32(attrs[WEFT_A_PHASE_ID]);
	if (at.id < phase_count(at.f))
		return weft_nl_reply(info, phase_fill, &at);
	NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_A_PHASE_ID],
			    "fabric has no phase of this id");
	return -ENOENT;
}

static int phase_dump(struct sk_buff *skb, struct netlink_callback *cb,
		      struct weft_fabric *f)
{
	struct phase_at at = { .f = f, .id = cb->args[0] };
	u32 n = phase_count(f);
	int err;

	for (; at.id < n; at.id++) {
		err = weft_nl_dump(skb, cb, WEFT_CMD_PHASE_GET, phase_fill, &at);
		if (err)
			return skb->len ?: err;
		cb->args[0] = at.id + 1;
	}
	return skb->len;
}

int weft_nl_phase_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weft_fabric *f;
	int ret;

	rtnl_lock();
	f = weft_nl_fabric(sock_net(skb->sk), genl_info_dump(cb)->attrs,
			   WEFT_A_PHASE_FABRIC, cb->extack);
	cb->seq = IS_ERR(f) ? 0 : f->generation;
	ret = IS_ERR(f) ? PTR_ERR(f) : phase_dump(skb, cb, f);
	rtnl_unlock();
	return ret;
}
