// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: parameters of egress ports: arbitration of classes, lifetimes, marking,
 * trimming.
 *
 * Lifetimes, marking and trimming are for ports of switches. A NIC accepts and
 * ignores them, so that both ends of a link can have the same profile.
 */
#include <linux/if_ether.h>

#include "fabric/fabric.h"
#include "netlink/nl_priv.h"

#define VLARB_ENTRY	2	/* bytes: VL and weight */

static int vlarb_get_table(const struct nlattr *attr, u32 classes,
			   struct fab_vlarb_entry *e, u8 *entries,
			   struct netlink_ext_ack *extack)
{
	u32 vls = min_t(u32, classes, FAB_VL_MGMT), n, i;
	const u8 *raw;

	if (!attr)
		return 0;
	raw = nla_data(attr);
	n = nla_len(attr) / VLARB_ENTRY;
	if (nla_len(attr) % VLARB_ENTRY || n > FAB_VLARB_ENTRIES) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"a table has up to %u entries of 2 bytes, VL and weight",
					FAB_VLARB_ENTRIES);
		return -EINVAL;
	}
	for (i = 0; i < n; i++) {
		e[i].vl = raw[VLARB_ENTRY * i];
		e[i].weight = raw[VLARB_ENTRY * i + 1];
		if (e[i].vl < vls)
			continue;
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"entry %u is for VL %u, allowed are 0 to %u",
					i, e[i].vl, vls - 1);
		return -EINVAL;
	}
	*entries = n;
	return 0;
}

static int vlarb_get(const struct nlattr *nest, struct fab_port_params *p,
		     struct netlink_ext_ack *extack)
{
	struct fab_vlarb_params *v = &p->sched.vlarb;
	struct nlattr *tb[WEFT_A_VLARB_MAX + 1];
	int err;

	err = nla_parse_nested(tb, WEFT_A_VLARB_MAX, nest, weft_vlarb_nl_policy,
			       extack);
	if (err)
		return err;
	v->high_limit = weft_nl_u32_or(tb[WEFT_A_VLARB_HIGH_LIMIT],
				       v->high_limit);
	return vlarb_get_table(tb[WEFT_A_VLARB_HIGH], p->classes, v->high,
			       &v->high_entries, extack) ?:
	       vlarb_get_table(tb[WEFT_A_VLARB_LOW], p->classes, v->low,
			       &v->low_entries, extack);
}

static int sched_get_vlarb(struct nlattr **tb, struct fab_port_params *p,
			   struct netlink_ext_ack *extack)
{
	const struct nlattr *nest = tb[WEFT_A_PORT_PARAMS_VLARB];
	int err = 0;

	if (tb[WEFT_A_PORT_PARAMS_WEIGHT]) {
		NL_SET_ERR_MSG_ATTR(extack, tb[WEFT_A_PORT_PARAMS_WEIGHT],
				    "weights, but the scheduler is vlarb");
		return -EINVAL;
	}
	if (nest)
		err = vlarb_get(nest, p, extack);
	if (!err && fab_vlarb_params_check(&p->sched.vlarb, p->classes)) {
		NL_SET_ERR_MSG_ATTR(extack, nest ?: tb[WEFT_A_PORT_PARAMS_SCHEDULER],
				    "scheduler vlarb needs an entry with a weight");
		err = -EINVAL;
	}
	return err;
}

static int sched_get(struct nlattr **tb, struct fab_port_params *p,
		     struct netlink_ext_ack *extack)
{
	BUILD_BUG_ON((int)FAB_SCHED_VLARB != WEFT_SCHEDULER_VLARB);
	p->sched.kind = weft_nl_u32_or(tb[WEFT_A_PORT_PARAMS_SCHEDULER],
				       p->sched.kind);
	if (p->sched.kind == FAB_SCHED_VLARB)
		return sched_get_vlarb(tb, p, extack);
	if (!tb[WEFT_A_PORT_PARAMS_VLARB])
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, tb[WEFT_A_PORT_PARAMS_VLARB],
			    "vlarb tables, but the scheduler is drr");
	return -EINVAL;
}

static int age_get(const struct nlattr *nest, struct fab_age_params *age,
		   struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_AGE_MAX + 1];
	int err;

	if (!nest)
		return 0;
	err = nla_parse_nested(tb, WEFT_A_AGE_MAX, nest, weft_age_nl_policy,
			       extack);
	if (err)
		return err;
	age->hoq = weft_nl_u64_or(tb[WEFT_A_AGE_HOQ], age->hoq);
	age->life = weft_nl_u64_or(tb[WEFT_A_AGE_LIFE], age->life);
	age->stall_count = weft_nl_u32_or(tb[WEFT_A_AGE_STALL_COUNT],
					  age->stall_count);
	return 0;
}

static int red_get(const struct nlattr *nest, struct fab_port_params *p,
		   u16 *seen, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_RED_MAX + 1];
	struct fab_red *red;
	int err;
	u32 cls;

	err = nla_parse_nested(tb, WEFT_A_RED_MAX, nest, weft_red_nl_policy,
			       extack);
	err = err ?: weft_nl_get_class(tb, WEFT_A_RED_CLASS, p->classes, seen,
				       &cls, extack);
	if (err)
		return err;
	red = &p->mark.red[cls];
	red->kmin = weft_nl_u32_or(tb[WEFT_A_RED_KMIN], 0);
	red->kmax = weft_nl_u32_or(tb[WEFT_A_RED_KMAX], 0);
	red->pmax = weft_nl_u32_or(tb[WEFT_A_RED_PMAX], FAB_MARK_ONE);
	if (red->kmin <= red->kmax)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, nest, "kmin %u is above kmax %u",
				red->kmin, red->kmax);
	return -EINVAL;
}

static int fecn_get(const struct nlattr *nest, struct fab_fecn *fecn,
		    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_FECN_MAX + 1];
	int err;

	if (!nest)
		return 0;
	err = nla_parse_nested(tb, WEFT_A_FECN_MAX, nest, weft_fecn_nl_policy,
			       extack);
	if (err)
		return err;
	fecn->threshold = weft_nl_u32_or(tb[WEFT_A_FECN_THRESHOLD],
					 fecn->threshold);
	fecn->packet_size = weft_nl_u32_or(tb[WEFT_A_FECN_PACKET_SIZE],
					   fecn->packet_size);
	fecn->marking_rate = weft_nl_u32_or(tb[WEFT_A_FECN_MARKING_RATE],
					    fecn->marking_rate);
	fecn->victim = weft_nl_u32_or(tb[WEFT_A_FECN_VICTIM], fecn->victim);
	return 0;
}

static int mark_get(const struct nlattr *attr, struct nlattr **tb,
		    struct fab_port_params *p, struct netlink_ext_ack *extack)
{
	const struct nlattr *nla;
	u16 seen = 0;
	int err, rem;

	nla_for_each_nested(nla, attr, rem) {
		if (nla_type(nla) != WEFT_A_PORT_PARAMS_RED)
			continue;
		err = red_get(nla, p, &seen, extack);
		if (err)
			return err;
	}
	if (tb[WEFT_A_PORT_PARAMS_MARK_AT])
		p->mark.dequeue =
			nla_get_u32(tb[WEFT_A_PORT_PARAMS_MARK_AT]) ==
			WEFT_MARK_AT_DEQUEUE;
	return fecn_get(tb[WEFT_A_PORT_PARAMS_FECN], &p->mark.fecn, extack);
}

static int trim_check(const struct nlattr *nest,
		      const struct fab_port_params *p,
		      struct netlink_ext_ack *extack)
{
	const struct fab_trim_params *trim = &p->trim;

	if (!trim->len)
		return 0;
	if (trim->len < ETH_HLEN)
		NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
					"len must be 0 or at least %u, an Ethernet header",
					ETH_HLEN);
	else if (trim->cls >= p->classes || trim->classes >> p->classes)
		NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
					"trim has a class beyond the last one, %u",
					p->classes - 1);
	else if (trim->classes & BIT(trim->cls))
		NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
					"class %u, which headers go on in, is trimmed itself",
					trim->cls);
	else if (p->disc->flow->own_room && !p->disc->flow->best_effort)
		NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
					"trim, but discipline %s drops nothing",
					p->disc->name);
	else
		return 0;
	return -EINVAL;
}

static int trim_get(const struct nlattr *nest, struct fab_port_params *p,
		    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_TRIM_MAX + 1];
	struct fab_trim_params *trim = &p->trim;
	int err;

	if (!nest)
		return 0;
	err = nla_parse_nested(tb, WEFT_A_TRIM_MAX, nest, weft_trim_nl_policy,
			       extack);
	if (err)
		return err;
	trim->classes = weft_nl_u32_or(tb[WEFT_A_TRIM_CLASSES], trim->classes);
	trim->cls = weft_nl_u32_or(tb[WEFT_A_TRIM_CLASS], trim->cls);
	trim->len = weft_nl_u32_or(tb[WEFT_A_TRIM_LEN], trim->len);
	return trim_check(nest, p, extack);
}

/**
 * weft_nl_get_egress() - read the egress parameters of a port
 * @attr: the parameters of the port
 * @tb: the attributes in @attr
 * @p: the parameters, with discipline and classes
 * @extack: for the reason of a refusal
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int weft_nl_get_egress(const struct nlattr *attr, struct nlattr **tb,
		       struct fab_port_params *p,
		       struct netlink_ext_ack *extack)
{
	return sched_get(tb, p, extack) ?:
	       age_get(tb[WEFT_A_PORT_PARAMS_AGE], &p->age, extack) ?:
	       mark_get(attr, tb, p, extack) ?:
	       trim_get(tb[WEFT_A_PORT_PARAMS_TRIM], p, extack);
}

static int vlarb_put_table(struct sk_buff *skb, int attr,
			   const struct fab_vlarb_entry *e, u32 entries)
{
	struct nlattr *nla = nla_reserve(skb, attr, entries * VLARB_ENTRY);
	u8 *raw;
	u32 i;

	if (!nla)
		return -EMSGSIZE;
	raw = nla_data(nla);
	for (i = 0; i < entries; i++) {
		raw[VLARB_ENTRY * i] = e[i].vl;
		raw[VLARB_ENTRY * i + 1] = e[i].weight;
	}
	return 0;
}

static int sched_put(struct sk_buff *skb, const struct fab_sched_params *p)
{
	const struct fab_vlarb_params *v = &p->vlarb;
	struct nlattr *nest;

	if (nla_put_u32(skb, WEFT_A_PORT_PARAMS_SCHEDULER, p->kind))
		return -EMSGSIZE;
	if (p->kind != FAB_SCHED_VLARB)
		return 0;
	nest = nla_nest_start(skb, WEFT_A_PORT_PARAMS_VLARB);
	if (!nest ||
	    vlarb_put_table(skb, WEFT_A_VLARB_HIGH, v->high, v->high_entries) ||
	    vlarb_put_table(skb, WEFT_A_VLARB_LOW, v->low, v->low_entries) ||
	    nla_put_u32(skb, WEFT_A_VLARB_HIGH_LIMIT, v->high_limit))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int age_put(struct sk_buff *skb, const struct fab_age_params *age)
{
	struct nlattr *nest = nla_nest_start(skb, WEFT_A_PORT_PARAMS_AGE);

	if (!nest ||
	    weft_nl_put_u64(skb, WEFT_A_AGE_HOQ, age->hoq) ||
	    weft_nl_put_u64(skb, WEFT_A_AGE_LIFE, age->life) ||
	    nla_put_u32(skb, WEFT_A_AGE_STALL_COUNT, age->stall_count))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int red_put(struct sk_buff *skb, u32 cls, const struct fab_red *red)
{
	struct nlattr *nest;

	if (!red->kmax)
		return 0;
	nest = nla_nest_start(skb, WEFT_A_PORT_PARAMS_RED);
	if (!nest || nla_put_u32(skb, WEFT_A_RED_CLASS, cls) ||
	    nla_put_u32(skb, WEFT_A_RED_KMIN, red->kmin) ||
	    nla_put_u32(skb, WEFT_A_RED_KMAX, red->kmax) ||
	    nla_put_u32(skb, WEFT_A_RED_PMAX, red->pmax))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int fecn_put(struct sk_buff *skb, const struct fab_fecn *fecn)
{
	struct nlattr *nest = nla_nest_start(skb, WEFT_A_PORT_PARAMS_FECN);

	if (!nest ||
	    nla_put_u32(skb, WEFT_A_FECN_THRESHOLD, fecn->threshold) ||
	    nla_put_u32(skb, WEFT_A_FECN_PACKET_SIZE, fecn->packet_size) ||
	    nla_put_u32(skb, WEFT_A_FECN_MARKING_RATE, fecn->marking_rate) ||
	    nla_put_u32(skb, WEFT_A_FECN_VICTIM, fecn->victim))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int mark_put(struct sk_buff *skb, const struct fab_port_params *p)
{
	u32 at = p->mark.dequeue ? WEFT_MARK_AT_DEQUEUE : WEFT_MARK_AT_ENQUEUE;
	u32 cls;

	for (cls = 0; cls < p->classes; cls++)
		if (red_put(skb, cls, &p->mark.red[cls]))
			return -EMSGSIZE;
	return nla_put_u32(skb, WEFT_A_PORT_PARAMS_MARK_AT, at) ?:
	       fecn_put(skb, &p->mark.fecn);
}

static int trim_put(struct sk_buff *skb, const struct fab_trim_params *trim)
{
	struct nlattr *nest = nla_nest_start(skb, WEFT_A_PORT_PARAMS_TRIM);

	if (!nest ||
	    nla_put_u32(skb, WEFT_A_TRIM_CLASSES, trim->classes) ||
	    nla_put_u32(skb, WEFT_A_TRIM_CLASS, trim->cls) ||
	    nla_put_u32(skb, WEFT_A_TRIM_LEN, trim->len))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * weft_nl_put_egress() - put the egress parameters of a port
 * @skb: the message
 * @p: the parameters of the port
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_egress(struct sk_buff *skb, const struct fab_port_params *p)
{
	return sched_put(skb, &p->sched) ?: age_put(skb, &p->age) ?:
	       mark_put(skb, p) ?: trim_put(skb, &p->trim);
}
