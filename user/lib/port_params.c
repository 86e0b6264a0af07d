// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parameters of a port of a switch or a NIC.
 */
#include "port_params.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>

#include <linux/weft.h>

#include "nl.h"

/**
 * weft_port_params_put() - encode
 * @msg: request
 * @type: attribute that holds the parameters
 * @p: the parameters; without any, nothing is put
 */
void weft_port_params_put(struct nl_msg *msg, int type,
			  const struct weft_port_params *p)
{
	struct nlattr *nest;

	if (!p->has && !p->weights)
		return;
	nest = nla_nest_start(msg, type | NLA_F_NESTED);
	if (!nest)
		return;
	if (p->has & WEFT_PORT_HAS_CLASSES)
		nla_put_u32(msg, WEFT_A_PORT_PARAMS_CLASSES, p->classes);
	if (p->has & WEFT_PORT_HAS_QUEUE_LIMIT)
		nla_put_u32(msg, WEFT_A_PORT_PARAMS_QUEUE_LIMIT,
			    p->queue_limit);
	for (uint32_t i = 0; i < p->weights; i++)
		nla_put_u32(msg, WEFT_A_PORT_PARAMS_WEIGHT, p->weight[i]);
	if (p->has & WEFT_PORT_HAS_QUANTUM)
		nla_put_u32(msg, WEFT_A_PORT_PARAMS_QUANTUM, p->quantum);
	if (p->has & WEFT_PORT_HAS_DISCIPLINE)
		nla_put_string(msg, WEFT_A_PORT_PARAMS_DISCIPLINE,
			       p->discipline);
	nla_nest_end(msg, nest);
}

static void parse_one(struct weft_port_params *p, struct nlattr *nla)
{
	switch (nla_type(nla)) {
	case WEFT_A_PORT_PARAMS_CLASSES:
		p->classes = nla_get_u32(nla);
		p->has |= WEFT_PORT_HAS_CLASSES;
		break;
	case WEFT_A_PORT_PARAMS_QUEUE_LIMIT:
		p->queue_limit = nla_get_u32(nla);
		p->has |= WEFT_PORT_HAS_QUEUE_LIMIT;
		break;
	case WEFT_A_PORT_PARAMS_WEIGHT:
		if (p->weights < WEFT_PORT_WEIGHTS_MAX)
			p->weight[p->weights++] = nla_get_u32(nla);
		break;
	case WEFT_A_PORT_PARAMS_QUANTUM:
		p->quantum = nla_get_u32(nla);
		p->has |= WEFT_PORT_HAS_QUANTUM;
		break;
	case WEFT_A_PORT_PARAMS_DISCIPLINE:
		snprintf(p->discipline, sizeof(p->discipline), "%s",
			 nla_get_string(nla));
		p->has |= WEFT_PORT_HAS_DISCIPLINE;
		break;
	}
}

/**
 * weft_port_params_parse() - decode
 * @p: result
 * @nest: attribute that holds the parameters
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_port_params_parse(struct weft_port_params *p, struct nlattr *nest,
			   struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_PORT_PARAMS_MAX + 1], *nla;
	int rem;

	*p = (struct weft_port_params) { 0 };
	if (weft_nl_nested(nest, tb, WEFT_A_PORT_PARAMS_MAX, err))
		return err->code;
	nla_for_each_nested(nla, nest, rem)
		parse_one(p, nla);
	return 0;
}
