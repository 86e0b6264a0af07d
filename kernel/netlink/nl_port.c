// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: parameters of ports.
 */
#include <kunit/visibility.h>

#include "fabric/fabric.h"
#include "fabric/switch.h"
#include "netlink/nl_priv.h"

static int port_weights(const struct nlattr *attr, struct fab_port_params *p,
			struct netlink_ext_ack *extack)
{
	const struct nlattr *nla;
	u32 cls = 0;
	int rem;

	nla_for_each_nested(nla, attr, rem) {
		if (nla_type(nla) != WEFT_A_PORT_PARAMS_WEIGHT)
			continue;
		if (cls >= p->classes) {
			NL_SET_ERR_MSG_ATTR_FMT(extack, nla,
						"more weights than classes (%u)",
						p->classes);
			return -EINVAL;
		}
		p->sched.weight[cls++] = nla_get_u32(nla);
	}
	return 0;
}

static int port_discipline(const struct nlattr *attr,
			   struct fab_port_params *p,
			   struct netlink_ext_ack *extack)
{
	char known[64] = "";
	int len = 0, i;

	if (!attr)
		return 0;
	p->disc = fab_discipline_find(nla_data(attr));
	if (p->disc)
		return 0;
	for (i = 0; fab_discipline_name(i); i++)
		len += scnprintf(known + len, sizeof(known) - len, "%s%s",
				 i ? ", " : "", fab_discipline_name(i));
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
				"discipline is none of %s", known);
	return -EINVAL;
}

/* By default the class of a service level is its number, or the last class. */
static void port_vl_default(u32 classes, u8 *vl)
{
	u32 sl;

	for (sl = 0; sl < FAB_CLASSES_MAX; sl++)
		vl[sl] = min(sl, classes - 1);
}

static int port_vl(const struct nlattr *attr, u32 classes, u8 *vl,
		   struct netlink_ext_ack *extack)
{
	if (vl) {
		port_vl_default(classes, vl);
		return weft_nl_get_vl(attr, classes, vl, extack);
	}
	if (!attr)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr,
			    "vl in port-params is for NICs, a switch has sl2vl and vl");
	return -EINVAL;
}

static int port_get(const struct nlattr *attr, struct nlattr **tb,
		    struct fab_port_params *p, struct netlink_ext_ack *extack)
{
	p->classes = weft_nl_u32_or(tb[WEFT_A_PORT_PARAMS_CLASSES], p->classes);
	p->queue_limit = weft_nl_u32_or(tb[WEFT_A_PORT_PARAMS_QUEUE_LIMIT],
					p->queue_limit);
	p->sched.quantum = weft_nl_u32_or(tb[WEFT_A_PORT_PARAMS_QUANTUM],
					  p->sched.quantum);
	p->react = weft_nl_u64_or(tb[WEFT_A_PORT_PARAMS_REACT], p->react);
	p->ipd = weft_nl_u32_or(tb[WEFT_A_PORT_PARAMS_IPD], p->ipd);
	return port_discipline(tb[WEFT_A_PORT_PARAMS_DISCIPLINE], p, extack) ?:
	       port_weights(attr, p, extack) ?:
	       weft_nl_get_flow(tb, p, extack) ?:
	       weft_nl_get_egress(attr, tb, p, extack);
}

/**
 * weft_nl_get_class() - read the class of a nest
 * @tb: attributes of the nest
 * @attr: attribute of the class
 * @classes: number of classes
 * @seen: bit of each class that had a nest already
 * @cls: set to the class
 * @extack: for the reason of a refusal
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int weft_nl_get_class(struct nlattr *const *tb, int attr, u32 classes,
		      u16 *seen, u32 *cls, struct netlink_ext_ack *extack)
{
	int err = weft_nl_need(tb, attr, "class", extack);

	if (err)
		return err;
	*cls = nla_get_u32(tb[attr]);
	if (*cls >= classes) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, tb[attr],
					"class %u is beyond the last one, %u",
					*cls, classes - 1);
		return -ERANGE;
	}
	if (*seen & BIT(*cls)) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, tb[attr],
					"class %u is there twice", *cls);
		return -EINVAL;
	}
	*seen |= BIT(*cls);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(weft_nl_get_class);

/**
 * weft_nl_get_vl() - read a table with the class of each service level
 * @attr: the attribute, NULL for none
 * @classes: number of classes
 * @vl: the table; without @attr it does not change
 * @extack: for the reason of a refusal
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int weft_nl_get_vl(const struct nlattr *attr, u32 classes, u8 *vl,
		   struct netlink_ext_ack *extack)
{
	const u8 *table;
	u32 sl;

	if (!attr)
		return 0;
	table = nla_data(attr);
	for (sl = 0; sl < FAB_CLASSES_MAX; sl++) {
		if (table[sl] < classes || table[sl] == FAB_VL_DROP)
			continue;
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"service level %u has class %u, allowed are 0 to %u and %u",
					sl, table[sl], classes - 1,
					FAB_VL_DROP);
		return -EINVAL;
	}
	memcpy(vl, table, FAB_CLASSES_MAX);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(weft_nl_get_vl);

/**
 * weft_nl_get_port() - read the parameters of a port
 * @attr: the attribute that they are nested in, NULL for none
 * @p: the parameters; those without an attribute do not change
 * @vl: at a NIC: set to the class of each service level; NULL at a switch
 * @extack: for the reason of a refusal
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int weft_nl_get_port(const struct nlattr *attr, struct fab_port_params *p,
		     u8 *vl, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_PORT_PARAMS_MAX + 1];
	int err;

	if (!attr)
		return port_vl(NULL, p->classes, vl, extack);
	err = nla_parse_nested(tb, WEFT_A_PORT_PARAMS_MAX, attr,
			       weft_port_params_nl_policy, extack);
	return err ?: port_get(attr, tb, p, extack) ?:
	       port_vl(tb[WEFT_A_PORT_PARAMS_VL], p->classes, vl, extack);
}

/**
 * weft_nl_put_port() - put the parameters of a port
 * @skb: the message
 * @attr: the attribute to nest them in
 * @p: the parameters
 * @vl: at a NIC: the class of each service level; NULL at a switch
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_port(struct sk_buff *skb, int attr,
		     const struct fab_port_params *p, const u8 *vl)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	u32 cls;

	if (!nest ||
	    nla_put_u32(skb, WEFT_A_PORT_PARAMS_CLASSES, p->classes) ||
	    nla_put_u32(skb, WEFT_A_PORT_PARAMS_QUEUE_LIMIT, p->queue_limit) ||
	    nla_put_u32(skb, WEFT_A_PORT_PARAMS_QUANTUM, p->sched.quantum) ||
	    nla_put_string(skb, WEFT_A_PORT_PARAMS_DISCIPLINE, p->disc->name))
		return -EMSGSIZE;
	for (cls = 0; cls < p->classes && p->sched.kind == FAB_SCHED_DRR; cls++)
		if (nla_put_u32(skb, WEFT_A_PORT_PARAMS_WEIGHT,
				p->sched.weight[cls]))
			return -EMSGSIZE;
	if (weft_nl_put_u64(skb, WEFT_A_PORT_PARAMS_REACT, p->react) ||
	    nla_put_u32(skb, WEFT_A_PORT_PARAMS_IPD, p->ipd) ||
	    weft_nl_put_flow(skb, p) || weft_nl_put_egress(skb, p))
		return -EMSGSIZE;
	if (vl && nla_put(skb, WEFT_A_PORT_PARAMS_VL, FAB_CLASSES_MAX, vl))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
