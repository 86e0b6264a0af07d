// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: a NIC as an RDMA device.
 *
 * Parameters can be set and read without a device. A request changes only the
 * parameters that it has attributes for.
 */
#include <linux/rtnetlink.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/hwpkt.h"
#include "netlink/nl_priv.h"

#define X(name, text) #name,
static const char *const verbs_counter_name[] = { WEFT_VERBS_COUNTERS(X) };
#undef X

static void dcqcn_get(struct nlattr **tb, struct fab_dcqcn_params *p)
{
	p->g = weft_nl_u32_or(tb[WEFT_A_DCQCN_G], p->g);
	p->initial_alpha = weft_nl_u32_or(tb[WEFT_A_DCQCN_INITIAL_ALPHA],
					  p->initial_alpha);
	p->alpha_timer = weft_nl_u64_or(tb[WEFT_A_DCQCN_ALPHA_TIMER],
					p->alpha_timer);
	p->reduce_period = weft_nl_u64_or(tb[WEFT_A_DCQCN_REDUCE_PERIOD],
					  p->reduce_period);
	p->increase_timer = weft_nl_u64_or(tb[WEFT_A_DCQCN_INCREASE_TIMER],
					   p->increase_timer);
	p->byte_reset = weft_nl_u64_or(tb[WEFT_A_DCQCN_BYTE_RESET],
				       p->byte_reset);
	p->threshold = weft_nl_u32_or(tb[WEFT_A_DCQCN_THRESHOLD], p->threshold);
	p->ai_bps = weft_nl_u64_or(tb[WEFT_A_DCQCN_AI_RATE], p->ai_bps);
	p->hai_bps = weft_nl_u64_or(tb[WEFT_A_DCQCN_HAI_RATE], p->hai_bps);
	p->min_bps = weft_nl_u64_or(tb[WEFT_A_DCQCN_MIN_RATE], p->min_bps);
	p->clamp_target = weft_nl_u32_or(tb[WEFT_A_DCQCN_CLAMP_TARGET],
					 p->clamp_target);
	p->cnp_interval = weft_nl_u64_or(tb[WEFT_A_DCQCN_CNP_INTERVAL],
					 p->cnp_interval);
}

static int verbs_get_dcqcn(const struct nlattr *nest,
			   struct fab_dcqcn_params *p,
			   struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_DCQCN_MAX + 1];
	int err;

	if (!nest)
		return 0;
	err = nla_parse_nested(tb, WEFT_A_DCQCN_MAX, nest,
			       weft_dcqcn_nl_policy, extack);
	if (err)
		return err;
	dcqcn_get(tb, p);
	err = fab_dcqcn_params_check(p);
	if (err)
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "dcqcn parameters out of range");
	return err;
}

/* The last entry of a short table holds for all higher indexes. */
static int ibcc_get_table(const struct nlattr *attr, u16 *cct,
			  struct netlink_ext_ack *extack)
{
	u32 n, i;

	if (!attr)
		return 0;
	n = nla_len(attr) / sizeof(*cct);
	if (!n || n > FAB_CCT_MAX || nla_len(attr) % sizeof(*cct)) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"a table has 1 to %u entries of 2 bytes",
					FAB_CCT_MAX);
		return -EINVAL;
	}
	nla_memcpy(cct, attr, n * sizeof(*cct));
	for (i = n; i < FAB_CCT_MAX; i++)
		cct[i] = cct[n - 1];
	return 0;
}

static int verbs_get_ibcc(const struct nlattr *nest, struct fab_ibcc_params *p,
			  struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_IBCC_MAX + 1];
	struct fab_ibcc_sl all = p->sl[0];
	int err;

	if (!nest)
		return 0;
	err = nla_parse_nested(tb, WEFT_A_IBCC_MAX, nest, weft_ibcc_nl_policy,
			       extack);
	if (err)
		return err;
	all.increase = weft_nl_u32_or(tb[WEFT_A_IBCC_INCREASE], all.increase);
	all.min = weft_nl_u32_or(tb[WEFT_A_IBCC_MIN], all.min);
	all.timer = weft_nl_u64_or(tb[WEFT_A_IBCC_TIMER], all.timer);
	if (tb[WEFT_A_IBCC_INCREASE] || tb[WEFT_A_IBCC_MIN] ||
	    tb[WEFT_A_IBCC_TIMER])
		fab_ibcc_set_all(p, &all);
	p->limit = weft_nl_u32_or(tb[WEFT_A_IBCC_LIMIT], p->limit);
	err = ibcc_get_table(tb[WEFT_A_IBCC_CCT], p->cct, extack);
	if (err)
		return err;
	err = fab_ibcc_params_check(p);
	if (err == -ERANGE)
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "the timer of a service level is 0");
	else if (err)
		NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
					"min %u is above limit %u",
					all.min, p->limit);
	return err;
}

static void verbs_get(struct nlattr **tb, struct weft_verbs_params *p)
{
	p->doorbell = weft_nl_u64_or(tb[WEFT_A_VERBS_DOORBELL], p->doorbell);
	p->process = weft_nl_u64_or(tb[WEFT_A_VERBS_PROCESS], p->process);
	p->message_rate = weft_nl_u64_or(tb[WEFT_A_VERBS_MESSAGE_RATE],
					 p->message_rate);
	p->pcie_bps = weft_nl_u64_or(tb[WEFT_A_VERBS_PCIE_RATE], p->pcie_bps);
	p->qp_cache = weft_nl_u32_or(tb[WEFT_A_VERBS_QP_CACHE], p->qp_cache);
	p->qp_miss = weft_nl_u64_or(tb[WEFT_A_VERBS_QP_MISS], p->qp_miss);
	p->ack_every = weft_nl_u32_or(tb[WEFT_A_VERBS_ACK_EVERY],
				      p->ack_every);
	p->ordering = weft_nl_u32_or(tb[WEFT_A_VERBS_ORDERING], p->ordering);
	p->reorder = weft_nl_u64_or(tb[WEFT_A_VERBS_REORDER_TIME], p->reorder);
	p->cc = weft_nl_u32_or(tb[WEFT_A_VERBS_CONGESTION], p->cc);
	p->target = weft_nl_u64_or(tb[WEFT_A_VERBS_TARGET_DELAY], p->target);
	p->kind = weft_nl_u32_or(tb[WEFT_A_VERBS_KIND], p->kind);
	p->paths = weft_nl_u32_or(tb[WEFT_A_VERBS_PATHS], p->paths);
	p->timeout = weft_nl_u64_or(tb[WEFT_A_VERBS_RETRANSMIT_TIME], p->timeout);
	p->cnp_sl = weft_nl_u32_or(tb[WEFT_A_VERBS_CNP_SL], p->cnp_sl);
}

/**
 * weft_nl_get_verbs() - read parameters of an RDMA device from a request
 * @attr: the nest, or NULL
 * @p: the parameters; those without an attribute do not change
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: 0 or a negative error, with @p in part changed.
 */
int weft_nl_get_verbs(const struct nlattr *attr, struct weft_verbs_params *p,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_VERBS_MAX + 1];
	int err;

	BUILD_BUG_ON((int)WEFT_CC_DCQCN != WEFT_CONGESTION_DCQCN);
	BUILD_BUG_ON((int)WEFT_CC_IBCC != WEFT_CONGESTION_IBCC);
	BUILD_BUG_ON((int)WEFT_CC_SWIFT != WEFT_CONGESTION_SWIFT);
	BUILD_BUG_ON((int)WEFT_KIND_EFA != WEFT_VERBS_KIND_EFA);
	BUILD_BUG_ON((int)WEFT_ORDER_ANY != WEFT_ORDERING_ANY);
	if (!attr)
		return 0;
	err = nla_parse_nested(tb, WEFT_A_VERBS_MAX, attr, weft_verbs_nl_policy,
			       extack);
	if (err)
		return err;
	verbs_get(tb, p);
	return verbs_get_dcqcn(tb[WEFT_A_VERBS_DCQCN], &p->dcqcn, extack) ?:
	       verbs_get_ibcc(tb[WEFT_A_VERBS_IBCC], &p->ibcc, extack);
}

static int dcqcn_put(struct sk_buff *skb, const struct fab_dcqcn_params *p)
{
	return nla_put_u32(skb, WEFT_A_DCQCN_G, p->g) ?:
	       nla_put_u32(skb, WEFT_A_DCQCN_INITIAL_ALPHA, p->initial_alpha) ?:
	       weft_nl_put_u64(skb, WEFT_A_DCQCN_ALPHA_TIMER, p->alpha_timer) ?:
	       weft_nl_put_u64(skb, WEFT_A_DCQCN_REDUCE_PERIOD,
			       p->reduce_period) ?:
	       weft_nl_put_u64(skb, WEFT_A_DCQCN_INCREASE_TIMER,
			       p->increase_timer) ?:
	       weft_nl_put_u64(skb, WEFT_A_DCQCN_BYTE_RESET, p->byte_reset) ?:
	       nla_put_u32(skb, WEFT_A_DCQCN_THRESHOLD, p->threshold) ?:
	       weft_nl_put_u64(skb, WEFT_A_DCQCN_AI_RATE, p->ai_bps) ?:
	       weft_nl_put_u64(skb, WEFT_A_DCQCN_HAI_RATE, p->hai_bps) ?:
	       weft_nl_put_u64(skb, WEFT_A_DCQCN_MIN_RATE, p->min_bps) ?:
	       nla_put_u32(skb, WEFT_A_DCQCN_CLAMP_TARGET, p->clamp_target) ?:
	       weft_nl_put_u64(skb, WEFT_A_DCQCN_CNP_INTERVAL, p->cnp_interval);
}

static int verbs_put_dcqcn(struct sk_buff *skb,
			   const struct fab_dcqcn_params *p)
{
	struct nlattr *nest = nla_nest_start(skb, WEFT_A_VERBS_DCQCN);

	if (!nest || dcqcn_put(skb, p))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* A manager may have set service levels apart: 0 stands for all. */
static int verbs_put_ibcc(struct sk_buff *skb, const struct fab_ibcc_params *p)
{
	struct nlattr *nest = nla_nest_start(skb, WEFT_A_VERBS_IBCC);
	const struct fab_ibcc_sl *sl = &p->sl[0];

	if (!nest || nla_put_u32(skb, WEFT_A_IBCC_INCREASE, sl->increase) ||
	    nla_put_u32(skb, WEFT_A_IBCC_LIMIT, p->limit) ||
	    nla_put_u32(skb, WEFT_A_IBCC_MIN, sl->min) ||
	    weft_nl_put_u64(skb, WEFT_A_IBCC_TIMER, sl->timer) ||
	    nla_put(skb, WEFT_A_IBCC_CCT, sizeof(p->cct), p->cct))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int verbs_put(struct sk_buff *skb, const struct weft_verbs_params *p)
{
	return weft_nl_put_u64(skb, WEFT_A_VERBS_DOORBELL, p->doorbell) ?:
	       weft_nl_put_u64(skb, WEFT_A_VERBS_PROCESS, p->process) ?:
	       weft_nl_put_u64(skb, WEFT_A_VERBS_MESSAGE_RATE,
			       p->message_rate) ?:
	       weft_nl_put_u64(skb, WEFT_A_VERBS_PCIE_RATE, p->pcie_bps) ?:
	       nla_put_u32(skb, WEFT_A_VERBS_QP_CACHE, p->qp_cache) ?:
	       weft_nl_put_u64(skb, WEFT_A_VERBS_QP_MISS, p->qp_miss) ?:
	       nla_put_u32(skb, WEFT_A_VERBS_ACK_EVERY, p->ack_every) ?:
	       nla_put_u32(skb, WEFT_A_VERBS_ORDERING, p->ordering) ?:
	       weft_nl_put_u64(skb, WEFT_A_VERBS_REORDER_TIME, p->reorder) ?:
	       nla_put_u32(skb, WEFT_A_VERBS_CONGESTION, p->cc) ?:
	       weft_nl_put_u64(skb, WEFT_A_VERBS_TARGET_DELAY, p->target) ?:
	       nla_put_u32(skb, WEFT_A_VERBS_KIND, p->kind) ?:
	       nla_put_u32(skb, WEFT_A_VERBS_PATHS, p->paths) ?:
	       weft_nl_put_u64(skb, WEFT_A_VERBS_RETRANSMIT_TIME, p->timeout) ?:
	       nla_put_u32(skb, WEFT_A_VERBS_CNP_SL, p->cnp_sl) ?:
	       verbs_put_dcqcn(skb, &p->dcqcn) ?:
	       verbs_put_ibcc(skb, &p->ibcc);
}

/* Put counters if there is or was a device. */
static int verbs_put_counters(struct sk_buff *skb, struct weft_endpoint *wep)
{
	struct weft_verbs_counters c;

	BUILD_BUG_ON(sizeof(c) !=
		     ARRAY_SIZE(verbs_counter_name) * sizeof(u64));
	if (!wep->had_client)
		return 0;
	weft_engine_lock(wep->fabric);
	c = wep->verbs.c;
	weft_engine_unlock(wep->fabric);
	return weft_nl_put_counters(skb, WEFT_A_VERBS_COUNTER,
				    verbs_counter_name, (const u64 *)&c,
				    ARRAY_SIZE(verbs_counter_name));
}

/**
 * weft_nl_put_verbs() - put parameters and counters of a NIC's RDMA device
 * @skb: the message
 * @attr: attribute of the nest
 * @wep: the NIC's endpoint
 *
 * Context: process, RTNL held.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_verbs(struct sk_buff *skb, int attr, struct weft_endpoint *wep)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || verbs_put(skb, &wep->verbs.p) ||
	    verbs_put_counters(skb, wep))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * weft_nl_put_rdma() - put the name of the RDMA device on a NIC, if there is one
 * @skb: the message
 * @attr: the attribute
 * @wep: the NIC's endpoint
 *
 * Context: process, RTNL held.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_rdma(struct sk_buff *skb, int attr, struct weft_endpoint *wep)
{
	struct weft_client *c = wep->client;
	const char *name;

	name = c ? c->ops->name(c) : NULL;
	return name ? nla_put_string(skb, attr, name) : 0;
}
