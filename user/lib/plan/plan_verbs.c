// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA devices of a plan.
 *
 * The family of the link decides between InfiniBand and RoCE. NVLink and PCIe
 * have no verbs, so a NIC there has no RDMA device, even if its node requests
 * one.
 */
#include "plan/plan_verbs.h"

#include <errno.h>

#include <linux/weft.h>

#include "netlink/discipline.h"
#include "netlink/ipoib.h"

static bool is_infiniband(const struct weft_port_params *port)
{
	return weft_port_discipline(port)->family == WEFT_INFINIBAND;
}

/* The congestion control of the sender must fit the notifications of the family. */
static int check_congestion(const struct weft_nic *nic, struct weft_err *err)
{
	const struct weft_discipline *d = weft_port_discipline(&nic->port);
	bool ib = is_infiniband(&nic->port);
	uint32_t wrong = ib ? WEFT_CONGESTION_DCQCN : WEFT_CONGESTION_IBCC;

	if (!(nic->verbs.has & WEFT_HAS(WEFT_A_VERBS_CONGESTION)) ||
	    nic->verbs.congestion != wrong)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "%s: verbs.congestion: expected none, %s or swift with discipline %s, not %s",
			    nic->name, ib ? "ibcc" : "dcqcn", d->name,
			    weft_congestion_words[wrong]);
}

/*
 * IP over InfiniBand joins multicast groups, and only a subnet manager answers for these.
 */
static int check_ipoib(const struct weft_plan *plan, unsigned int asked,
		       unsigned int had, struct weft_err *err)
{
	if (asked && !had)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "verbs.ipoib: no NIC has an RDMA device on InfiniBand, which IP over InfiniBand needs");
	if (had && !plan->fabric.managed)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "verbs.ipoib: expected off with subnet-manager: internal, as nobody there answers for multicast groups: set subnet-manager: external and run opensm in a node");
	return 0;
}

/**
 * weft_plan_verbs() - decide which NICs have an RDMA device
 * @plan: the plan, ports complete
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_plan_verbs(struct weft_plan *plan, struct weft_err *err)
{
	unsigned int asked = 0, had = 0;
	bool managed = false;

	for (unsigned int i = 0; i < plan->nics; i++) {
		struct weft_plan_nic *n = &plan->nic[i];

		if (!weft_family_verbs(weft_port_discipline(&n->nic.port)->family))
			*n->device = '\0';
		asked += n->ipoib != WEFT_IPOIB_OFF;
		if (!*n->device || !is_infiniband(&n->nic.port))
			n->ipoib = WEFT_IPOIB_OFF;
		had += n->ipoib != WEFT_IPOIB_OFF;
		if (!*n->device)
			n->nic.verbs = (struct weft_verbs) { 0 };
		if (check_congestion(&n->nic, err))
			return err->code;
		managed |= *n->device && is_infiniband(&n->nic.port);
	}
	if (check_ipoib(plan, asked, had, err))
		return err->code;
	if (!plan->fabric.managed || managed)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "subnet-manager: external: no NIC has an RDMA device on InfiniBand, so nothing could run the subnet manager");
}
