// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: parameters of ports.
 */
#include "fabric.h"
#include "nl_priv.h"

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
	if (!attr)
		return 0;
	p->disc = fab_discipline_find(nla_data(attr));
	if (p->disc)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr,
			    "unknown discipline, known is drop-tail");
	return -EINVAL;
}

/**
 * weft_nl_get_port() - read the parameters of a port
 * @attr: the attribute that they are nested in, NULL for none
 * @p: the parameters; what @attr lacks stays as it is
 * @extack: for the reason of a refusal
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int weft_nl_get_port(const struct nlattr *attr, struct fab_port_params *p,
		     struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_PORT_PARAMS_MAX + 1];
	int err;

	if (!attr)
		return 0;
	err = nla_parse_nested(tb, WEFT_A_PORT_PARAMS_MAX, attr,
			       weft_port_params_nl_policy, extack);
	if (err)
		return err;
	if (tb[WEFT_A_PORT_PARAMS_CLASSES])
		p->classes = nla_get_u32(tb[WEFT_A_PORT_PARAMS_CLASSES]);
	if (tb[WEFT_A_PORT_PARAMS_QUEUE_LIMIT])
		p->queue_limit =
			nla_get_u32(tb[WEFT_A_PORT_PARAMS_QUEUE_LIMIT]);
	if (tb[WEFT_A_PORT_PARAMS_QUANTUM])
		p->sched.quantum = nla_get_u32(tb[WEFT_A_PORT_PARAMS_QUANTUM]);
	err = port_discipline(tb[WEFT_A_PORT_PARAMS_DISCIPLINE], p, extack);
	return err ?: port_weights(attr, p, extack);
}

/**
 * weft_nl_put_port() - put the parameters of a port
 * @skb: the message
 * @attr: the attribute to nest them in
 * @p: the parameters
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_port(struct sk_buff *skb, int attr,
		     const struct fab_port_params *p)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	u32 cls;

	if (!nest ||
	    nla_put_u32(skb, WEFT_A_PORT_PARAMS_CLASSES, p->classes) ||
	    nla_put_u32(skb, WEFT_A_PORT_PARAMS_QUEUE_LIMIT, p->queue_limit) ||
	    nla_put_u32(skb, WEFT_A_PORT_PARAMS_QUANTUM, p->sched.quantum) ||
	    nla_put_string(skb, WEFT_A_PORT_PARAMS_DISCIPLINE, p->disc->name))
		return -EMSGSIZE;
	for (cls = 0; cls < p->classes; cls++)
		if (nla_put_u32(skb, WEFT_A_PORT_PARAMS_WEIGHT,
				p->sched.weight[cls]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
