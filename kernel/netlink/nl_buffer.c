// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: limits of the packet buffer of a switch, or of a NIC's receive side.
 */
#include "fabric/fabric.h"
#include "netlink/nl_priv.h"

static int buffer_get_total(const struct nlattr *attr, u64 *total,
			    const char *what, struct netlink_ext_ack *extack)
{
	*total = weft_nl_u64_or(attr, *total);
	if (*total <= FAB_BUFFER_MAX)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr, "%s must not exceed %llu bytes",
				what, FAB_BUFFER_MAX);
	return -ERANGE;
}

static int account_get_threshold(struct nlattr **tb,
				 struct fab_account_params *a,
				 struct netlink_ext_ack *extack)
{
	const struct nlattr *threshold = tb[WEFT_A_BUFFER_CLASS_THRESHOLD];
	const struct nlattr *alpha = tb[WEFT_A_BUFFER_CLASS_ALPHA];
	s32 exponent;

	if (threshold && alpha) {
		NL_SET_ERR_MSG_ATTR(extack, alpha,
				    "either threshold or alpha, not both");
		return -EINVAL;
	}
	if (!alpha)
		return buffer_get_total(threshold, &a->threshold, "threshold",
					extack);
	exponent = nla_get_s32(alpha);
	if (exponent < FAB_ALPHA_MIN || exponent > FAB_ALPHA_MAX) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, alpha,
					"alpha is an exponent from %d to %d",
					FAB_ALPHA_MIN, FAB_ALPHA_MAX);
		return -ERANGE;
	}
	a->dynamic = true;
	a->alpha = exponent;
	return 0;
}

static int account_get(const struct nlattr *nest, u32 classes, u16 *seen,
		       struct fab_buffer_params *b,
		       struct netlink_ext_ack *extack)
{
	struct nlattr *tb[WEFT_A_BUFFER_CLASS_MAX + 1];
	struct fab_account_params *a;
	u32 cls;
	int err;

	err = nla_parse_nested(tb, WEFT_A_BUFFER_CLASS_MAX, nest,
			       weft_buffer_class_nl_policy, extack);
	err = err ?: weft_nl_get_class(tb, WEFT_A_BUFFER_CLASS_CLASS, classes,
				       seen, &cls, extack);
	if (err)
		return err;
	a = &b->cls[cls];
	a->reserve = weft_nl_u32_or(tb[WEFT_A_BUFFER_CLASS_RESERVE], 0);
	a->headroom = weft_nl_u32_or(tb[WEFT_A_BUFFER_CLASS_HEADROOM], 0);
	a->xon = weft_nl_u32_or(tb[WEFT_A_BUFFER_CLASS_XON], 0);
	return account_get_threshold(tb, a, extack);
}

static int accounts_get(struct genl_info *info, int type, u32 classes,
			struct fab_buffer_params *b)
{
	const struct nlattr *nla;
	u16 seen = 0;
	int err, rem;
	u32 cls;

	for (cls = 0; cls < FAB_CLASSES_MAX; cls++)
		b->cls[cls].threshold = b->total;
	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nla) != type)
			continue;
		err = account_get(nla, classes, &seen, b, info->extack);
		if (err)
			return err;
	}
	b->accounts = true;
	return 0;
}

/* All reserves and headrooms together must fit the buffer. */
static int accounts_check(const struct nlattr *attr, u32 ports, u32 classes,
			  const struct fab_buffer_params *b, const char *what,
			  struct netlink_ext_ack *extack)
{
	u64 fixed = 0;
	u32 cls;

	for (cls = 0; cls < classes; cls++)
		fixed += (u64)b->cls[cls].reserve + b->cls[cls].headroom;
	if (ports * fixed <= b->total)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
				"reserve + headroom %llu x %u ports = %llu > %s %llu",
				fixed, ports, ports * fixed, what, b->total);
	return -ENOSPC;
}

/**
 * weft_nl_get_buffer() - read the limits of a packet buffer
 * @info: the request
 * @attrs: names of its attributes
 * @ports: ports that share the buffer
 * @port: parameters of the ports
 * @b: the limits; the total is kept without an attribute, 0: no limit
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int weft_nl_get_buffer(struct genl_info *info,
		       const struct weft_nl_buffer_attrs *attrs, u32 ports,
		       const struct fab_port_params *port,
		       struct fab_buffer_params *b)
{
	const struct nlattr *cls = info->attrs[attrs->cls];
	struct netlink_ext_ack *extack = info->extack;
	int err;

	err = buffer_get_total(info->attrs[attrs->total], &b->total,
			       attrs->name, extack);
	if (err || !cls)
		return err;
	if (port->disc->flow->own_room) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, cls,
					"buffer-class, but discipline %s has buffers of its own",
					port->disc->name);
		return -EINVAL;
	}
	if (!b->total) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, cls, "buffer-class needs %s",
					attrs->name);
		return -EINVAL;
	}
	return accounts_get(info, attrs->cls, port->classes, b) ?:
	       accounts_check(cls, ports, port->classes, b, attrs->name,
			      extack);
}

static int account_put(struct sk_buff *skb, int attr, u32 cls,
		       const struct fab_account_params *a)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	int err;

	if (!nest ||
	    nla_put_u32(skb, WEFT_A_BUFFER_CLASS_CLASS, cls) ||
	    nla_put_u32(skb, WEFT_A_BUFFER_CLASS_RESERVE, a->reserve) ||
	    nla_put_u32(skb, WEFT_A_BUFFER_CLASS_HEADROOM, a->headroom) ||
	    nla_put_u32(skb, WEFT_A_BUFFER_CLASS_XON, a->xon))
		return -EMSGSIZE;
	if (a->dynamic)
		err = nla_put_s32(skb, WEFT_A_BUFFER_CLASS_ALPHA, a->alpha);
	else
		err = weft_nl_put_u64(skb, WEFT_A_BUFFER_CLASS_THRESHOLD,
				      a->threshold);
	nla_nest_end(skb, nest);
	return err;
}

/**
 * weft_nl_put_accounts() - put the limits of the classes in a packet buffer
 * @skb: the message
 * @attr: the attribute to nest each in
 * @classes: classes of a port
 * @b: the limits
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_accounts(struct sk_buff *skb, int attr, u32 classes,
			 const struct fab_buffer_params *b)
{
	u32 cls;

	if (!b->accounts)
		return 0;
	for (cls = 0; cls < classes; cls++)
		if (account_put(skb, attr, cls, &b->cls[cls]))
			return -EMSGSIZE;
	return 0;
}
