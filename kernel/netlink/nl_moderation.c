// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: interrupt moderation of a NIC.
 */
#include <net/netlink.h>

#include "fabric/counters.h"
#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "netlink/nl_gen.h"
#include "netlink/nl_priv.h"

/**
 * weft_nl_get_moderation() - read interrupt moderation from a request
 * @attr: the nest, or NULL
 * @p: the parameters; those without an attribute do not change
 * @extack: for the reason of a refusal
 *
 * The policy checks the ranges.
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int weft_nl_get_moderation(const struct nlattr *attr,
			   struct fab_moderation_params *p,
			   struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_MODERATION_MAX + 1];
	int err;

	if (!attr)
		return 0;
	err = nla_parse_nested(tb, WEFT_A_MODERATION_MAX, attr,
			       weft_moderation_nl_policy, extack);
	if (err)
		return err;
	p->usecs = weft_nl_u32_or(tb[WEFT_A_MODERATION_RX_USECS], p->usecs);
	p->frames = weft_nl_u32_or(tb[WEFT_A_MODERATION_RX_FRAMES], p->frames);
	p->adaptive = weft_nl_u32_or(tb[WEFT_A_MODERATION_ADAPTIVE_RX],
				     p->adaptive);
	return 0;
}

static int moderation_put(struct sk_buff *skb, const struct fab_moderation *m)
{
	return nla_put_u32(skb, WEFT_A_MODERATION_RX_USECS, m->p.usecs) ?:
	       nla_put_u32(skb, WEFT_A_MODERATION_RX_FRAMES, m->p.frames) ?:
	       nla_put_u32(skb, WEFT_A_MODERATION_ADAPTIVE_RX,
			   m->p.adaptive) ?:
	       weft_nl_put_counters(skb, WEFT_A_MODERATION_COUNTER,
				    weft_moderation_counter_name,
				    (const u64 *)&m->c,
				    WEFT_MODERATION_COUNTERS);
}

/**
 * weft_nl_put_moderation() - put the interrupt moderation of a NIC, and counters
 * @skb: the message
 * @attr: attribute of the nest
 * @wep: the NIC's endpoint
 *
 * Context: process, RTNL held.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_moderation(struct sk_buff *skb, int attr,
			   struct weft_endpoint *wep)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	int err;

	if (!nest)
		return -EMSGSIZE;
	weft_engine_lock(wep->fabric);
	err = moderation_put(skb, &wep->ep.moderation);
	weft_engine_unlock(wep->fabric);
	if (err)
		return err;
	nla_nest_end(skb, nest);
	return 0;
}
