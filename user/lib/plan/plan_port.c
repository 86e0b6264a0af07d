// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ports of a plan: the discipline of each link.
 *
 * All ports of a switch have the same parameters. Both ends of a link have the
 * same discipline.
 */
#include "plan/plan_port.h"

#include <errno.h>
#include <string.h>

#include "netlink/discipline.h"
#include "topology/topo_port.h"

static void finish_switch(struct weft_switch *sw,
			  const struct weft_topo_switch *from,
			  const struct weft_wire *w)
{
	weft_port_finish(&from->port, &from->sw.port, w, &sw->port);
	if (sw->sl2vl != WEFT_SL2VL_KEEP &&
	    sw->port.has & WEFT_HAS(WEFT_A_PORT_PARAMS_VL)) {
		memcpy(sw->vl, sw->port.vl.v, sizeof(sw->vl));
		sw->has |= WEFT_SWITCH_HAS_VL;
	}
	/* Only NICs have this attribute. */
	sw->port.has &= ~WEFT_HAS(WEFT_A_PORT_PARAMS_VL);
}

static void finish_end(struct weft_plan *p, const struct weft_topo *t,
		       const struct weft_topo_end *end,
		       const struct weft_wire *w)
{
	const struct weft_topo_nic *nic;

	if (end->is_node) {
		nic = &t->node[end->index].nic[end->port];
		weft_port_finish(&nic->port, &nic->nic.port, w,
				 &p->nic[p->node[end->index].first +
					 end->port].nic.port);
	} else if (!end->port) {
		finish_switch(&p->sw[end->index], &t->sw[end->index], w);
	}
}

static const struct weft_port_params *port_at(const struct weft_plan *p,
					      const struct weft_end *end)
{
	return end->is_nic ? &p->nic[end->id].nic.port : &p->sw[end->id].port;
}

static const char *name_at(const struct weft_plan *p,
			   const struct weft_end *end)
{
	return end->is_nic ? p->nic[end->id].nic.name : p->sw[end->id].name;
}

static int check_link(const struct weft_plan *p, const struct weft_link *link,
		      struct weft_err *err)
{
	const char *a = port_at(p, &link->end[0])->discipline;
	const char *b = port_at(p, &link->end[1])->discipline;

	if (!strcmp(a, b))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "link %s: %s has discipline %s, %s has %s: give the switch or the link the profile of the other end",
			    link->name, name_at(p, &link->end[0]), a,
			    name_at(p, &link->end[1]), b);
}

/* With credits, the credits define the receive buffer. */
static int check_nic(const struct weft_nic *nic, struct weft_err *err)
{
	if (!(nic->has & WEFT_NIC_HAS_RX_BUFFER) ||
	    !weft_port_credits(&nic->port))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "%s: rx-buffer: discipline %s has buffers of its own",
			    nic->name, nic->port.discipline);
}

/**
 * weft_plan_ports() - plan the parameters of all ports
 * @plan: the plan, links complete
 * @topo: the topology
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_plan_ports(struct weft_plan *plan, const struct weft_topo *topo,
		    struct weft_err *err)
{
	for (unsigned int i = 0; i < topo->links; i++)
		for (unsigned int s = 0; s < 2; s++)
			finish_end(plan, topo, &topo->link[i].end[s],
				   &topo->link[i].wire);
	for (unsigned int i = 0; i < plan->links; i++) {
		const struct weft_link *link = &plan->link[i];

		if (check_link(plan, link, err))
			return err->code;
		if (weft_port_lossless(port_at(plan, &link->end[0])))
			plan->lossless = true;
	}
	for (unsigned int i = 0; i < plan->nics; i++)
		if (check_nic(&plan->nic[i].nic, err))
			return err->code;
	return 0;
}
