// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: check that the ports of a link can have a fault, and in which classes.
 */
#include "fabric/fault.h"
#include "fabric/link.h"
#include "netlink/nl_priv.h"

static struct fab_port *fault_port(const struct weft_fault_params *p, u32 wire)
{
	return weft_link_port(&p->link->end[wire]);
}

static const char *fault_refusal(enum fab_fault_kind kind)
{
	switch (kind) {
	case FAB_FAULT_CREDIT_LOSS:
		return "have no credits";
	case FAB_FAULT_PAUSE_STORM:
		return "know no pauses";
	default:
		return "carry each packet once and in order";
	}
}

static int fault_refuse(struct genl_info *info,
			const struct weft_fault_params *p)
{
	const struct nlattr *kind = info->attrs[WEFT_A_FAULT_KIND];

	if (p->p.kind == FAB_FAULT_HANG || p->p.kind == FAB_FAULT_SLOW)
		NL_SET_ERR_MSG_ATTR(info->extack, kind,
				    "no NIC sends on this wire");
	else if (p->p.kind == FAB_FAULT_ECN)
		NL_SET_ERR_MSG_ATTR(info->extack, kind,
				    "no switch sends on this wire, and NICs do not mark");
	else
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, kind,
					"links of discipline %s %s",
					fault_port(p, 0)->p->disc->name,
					fault_refusal(p->p.kind));
	return -EOPNOTSUPP;
}

/* A storm on a wire may only pause classes that are lossless at both ends. */
static int fault_check_storm(struct genl_info *info, const struct fab_port *port,
			     u16 classes)
{
	struct nlattr *nla = info->attrs[WEFT_A_FAULT_CLASSES];
	u16 lossless = port->lossless & port->peer->lossless;

	if (nla && port->flow->pauses == FAB_PAUSES_LINK) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, nla,
					"pauses of discipline %s are of all classes",
					port->p->disc->name);
		return -EINVAL;
	}
	if (lossless && !(classes & ~lossless))
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack,
				nla ?: info->attrs[WEFT_A_FAULT_KIND],
				"only lossless classes can be paused: mask 0x%x",
				lossless);
	return -ERANGE;
}

static int fault_check_classes(struct genl_info *info,
			       const struct weft_fault_params *p, u32 wire)
{
	const struct fab_port *port = fault_port(p, wire);

	if (p->p.kind == FAB_FAULT_PAUSE_STORM)
		return fault_check_storm(info, port, p->p.classes);
	if (!(p->p.classes >> port->p->classes))
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[WEFT_A_FAULT_CLASSES],
				"port has %u classes, counted from 0",
				port->p->classes);
	return -ERANGE;
}

/**
 * weft_nl_fault_wires() - reduce the directions of a fault to the possible ones
 * @info: the request
 * @p: the fault; its wires are the requested directions, and are reduced to those that
 *	can have the fault
 *
 * A request that names a direction has one; otherwise it has both.
 *
 * Return: 0; -EOPNOTSUPP if no direction can have the fault; -ERANGE for classes that
 * the port does not have or that are not lossless; -EINVAL for classes if pauses apply
 * to all. The reason is in the extack of @info.
 */
int weft_nl_fault_wires(struct genl_info *info, struct weft_fault_params *p)
{
	u32 wire;
	int err;

	for (wire = 0; wire < 2; wire++)
		if (!fab_fault_suits(fault_port(p, wire), p->p.kind))
			p->wires &= ~BIT(wire);
	if (!p->wires)
		return fault_refuse(info, p);
	for (wire = 0; wire < 2; wire++) {
		if (!(p->wires & BIT(wire)))
			continue;
		err = fault_check_classes(info, p, wire);
		if (err)
			return err;
	}
	return 0;
}
