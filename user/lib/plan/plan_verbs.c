// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA devices of a plan.
 *
 * InfiniBand where the discipline is credit, RoCE on Ethernet. NVLink and PCIe
 * have no verbs, so a NIC there has no device, whatever its node's entry says.
 */
#include "plan/plan_verbs.h"

#include <errno.h>
#include <string.h>

#include <linux/weft.h>

static bool has_verbs(const char *discipline)
{
	return strcmp(discipline, "nvlink") && strcmp(discipline, "pcie");
}

/* What reacts must be what is notified. */
static int check_congestion(const struct weft_nic *nic, struct weft_err *err)
{
	bool ib = !strcmp(nic->port.discipline, "credit");
	uint32_t wrong = ib ? WEFT_CONGESTION_DCQCN : WEFT_CONGESTION_IBCC;

	if (!(nic->verbs.has & WEFT_HAS(WEFT_A_VERBS_CONGESTION)) ||
	    nic->verbs.congestion != wrong)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "%s: verbs.congestion: discipline %s has none or %s, not %s",
			    nic->name,
			    *nic->port.discipline ? nic->port.discipline :
						    "drop-tail",
			    ib ? "ibcc" : "dcqcn",
			    weft_congestion_words[wrong]);
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
	for (unsigned int i = 0; i < plan->nics; i++) {
		struct weft_plan_nic *n = &plan->nic[i];

		if (!has_verbs(n->nic.port.discipline))
			*n->device = '\0';
		if (!*n->device)
			n->nic.verbs = (struct weft_verbs) { 0 };
		if (check_congestion(&n->nic, err))
			return err->code;
	}
	return 0;
}
