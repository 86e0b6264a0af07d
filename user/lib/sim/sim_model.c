// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The model of a plan: the objects that `weft up` makes, in the same order.
 */
#include "sim/sim_run.h"

#include <errno.h>

#include <linux/weft.h>

#include "core/sim/hist.h"
#include "netlink/discipline.h"
#include "sim/sim_port.h"

/* What kernel/netlink gives an object for which nothing else is set. */
#define SWITCH_BUFFER		(32ULL << 20)
#define SWITCH_QUEUE		(1U << 20)
#define SWITCH_CLASSES		8
#define SWITCH_STEP		4096
#define SWITCH_FLOWLETS		1024
#define SWITCH_ARN_QUEUE	65536U
#define SWITCH_FLOWLET_GAP	(10000ULL * FAB_PS_PER_NS)
#define NIC_QUEUE		(64U << 10)
#define NIC_CLASSES		8

static_assert((int)FAB_STORE_FORWARD == WEFT_FORWARD_STORE_FORWARD, "same words");
static_assert((int)FAB_ARBITER_ROUND_ROBIN == WEFT_ARBITER_ROUND_ROBIN, "same words");
static_assert((int)FAB_SELECT_RANDOM == WEFT_SELECT_RANDOM, "same words");
static_assert((int)FAB_SL2VL_CLASS == WEFT_SL2VL_CLASS, "same words");

static int model_refuse(struct weft_err *err, const char *name, const char *why)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP, "%s: %s", name, why);
}

static void model_default_vl(u32 classes, u8 vl[FAB_CLASSES_MAX])
{
	for (u32 sl = 0; sl < FAB_CLASSES_MAX; sl++)
		vl[sl] = (u8)min(sl, classes - 1);
}

#define HAS(attr)	(from->has & WEFT_SWITCH_HAS_##attr)

static void switch_ways(const struct weft_switch *from, struct fab_switch_params *p)
{
	p->select = HAS(SELECT) ? from->select : FAB_SELECT_ECMP;
	p->lmc = HAS(LMC) ? from->lmc : 0;
	p->quantum = HAS(QUANTUM) ? from->quantum : SWITCH_STEP;
	p->flowlet_gap = HAS(FLOWLET_GAP) ? from->flowlet_gap : SWITCH_FLOWLET_GAP;
	p->arn_hold = HAS(ARN_HOLD) ? from->arn_hold : 0;
	p->arn_queue = HAS(ARN_QUEUE) ? from->arn_queue : SWITCH_ARN_QUEUE;
	if (p->select == FAB_SELECT_FLOWLET)
		p->flowlets = HAS(FLOWLETS) ? from->flowlets : SWITCH_FLOWLETS;
	p->sl2vl = HAS(SL2VL) ? from->sl2vl : FAB_SL2VL_KEEP;
	model_default_vl(p->port.classes, p->vl);
	if (HAS(VL))
		memcpy(p->vl, from->vl, sizeof(p->vl));
}

static struct fab_switch_params switch_params(const struct weft_sim *sim,
					      const struct weft_switch *from)
{
	struct fab_switch_params p = {
		.ports = from->ports,
		.groups = 2 * from->ports + 64,
		.dsts = sim->plan->nics,
		.dst = FAB_NO_DST,
		.latency = HAS(LATENCY) ? from->latency : 0,
		.forward = HAS(FORWARD) ? from->forward : FAB_CUT_THROUGH,
		.arbiter = HAS(ARBITER) ? from->arbiter : FAB_ARBITER_FIFO,
		.buffer.total = HAS(BUFFER) ? from->buffer : SWITCH_BUFFER,
	};

	weft_sim_port(&from->port, SWITCH_CLASSES, SWITCH_QUEUE, &p.port);
	p.buffer.per_port = HAS(BUFFER_PER_PORT) ? from->buffer_per_port :
						   p.buffer.total;
	weft_sim_buffer(&from->classes, &p.buffer);
	switch_ways(from, &p);
	return p;
}

#undef HAS

static int build_switch(struct weft_sim *sim, u32 id, struct weft_err *err)
{
	const struct weft_switch *from = &sim->plan->sw[id];
	struct fab_switch_params p = switch_params(sim, from);
	void *mem;

	if (fab_switch_params_check(&p))
		return model_refuse(err, from->name, "switch parameters out of range");
	mem = weft_sim_alloc(sim, 1, fab_switch_mem(&p));
	if (!mem)
		return weft_err_nomem(err);
	fab_switch_init(&sim->fab, &sim->sw[id], id, &p, mem);
	fab_switch_name(&sim->fab, &sim->sw[id]);
	fab_switch_enter(&sim->fab, &sim->sw[id]);
	return 0;
}

static int build_switches(struct weft_sim *sim, struct weft_err *err)
{
	const struct weft_plan *p = sim->plan;

	for (u32 i = 0; i < p->switches; i++)
		if (build_switch(sim, i, err))
			return err->code;
	for (u32 i = 0; i < p->vls; i++)
		for (u8 cls = 0; cls < FAB_CLASSES_MAX; cls++)
			if (fab_switch_sl2vl_set(&sim->sw[p->vl[i].sw], p->vl[i].in,
						 p->vl[i].out, cls, p->vl[i].vl[cls]))
				return model_refuse(err, p->sw[p->vl[i].sw].name,
						    "classes between two ports out of range");
	return 0;
}

static void nic_params(const struct weft_nic *from, struct fab_endpoint_params *p)
{
	memset(p, 0, sizeof(*p));
	p->tx_latency = from->has & WEFT_NIC_HAS_TX_LATENCY ? from->tx_latency : 0;
	p->rx_latency = from->has & WEFT_NIC_HAS_RX_LATENCY ? from->rx_latency : 0;
	p->rx.rate_bps = from->has & WEFT_NIC_HAS_RX_RATE ? from->rx_rate : 0;
	p->buffer.total = from->has & WEFT_NIC_HAS_RX_BUFFER ? from->rx_buffer : 0;
	if (from->has & WEFT_NIC_HAS_RX_STOP)
		p->rx.stopped = (u16)from->rx_stop;
	weft_sim_port(&from->port, NIC_CLASSES, NIC_QUEUE, &p->port);
	weft_sim_buffer(&from->classes, &p->buffer);
}

/* Padding that differs costs memory and nothing else. */
static bool same_bytes(const void *a, const void *b, size_t n)
{
	return !memcmp(a, b, n);
}

/* The parameters of a NIC: those of the NIC before if they are the same, as mostly. */
static struct fab_endpoint_params *nic_params_of(struct weft_sim *sim, u32 id)
{
	struct fab_endpoint_params *before = id ? sim->nic[id - 1].ep.p : NULL, *own, p;

	nic_params(&sim->plan->nic[id].nic, &p);
	if (before && same_bytes(before, &p, sizeof(p)))
		return before;
	own = weft_sim_alloc(sim, 1, sizeof(p));
	if (own)
		memcpy(own, &p, sizeof(p));
	return own;
}

/**
 * weft_sim_class() - class of a service level on the first wire
 * @nic: the NIC, in the model
 * @sl: the service level; on Ethernet the priority
 *
 * Return: the class; not below the number of classes: it has none.
 */
u8 weft_sim_class(const struct weft_sim_nic *nic, u32 sl)
{
	const struct weft_port_params *port = &nic->plan->nic.port;
	u8 vl[FAB_CLASSES_MAX];

	model_default_vl(nic->ep.p->port.classes, vl);
	if (port->has & WEFT_HAS(WEFT_A_PORT_PARAMS_VL))
		memcpy(vl, port->vl.v, min((size_t)port->vl.n, sizeof(vl)));
	return vl[sl % FAB_CLASSES_MAX];
}

/* The class on the first wire of the service level of all packets. */
static int nic_classes(struct weft_sim *sim, struct weft_sim_nic *nic, struct weft_err *err)
{
	nic->cls = weft_sim_class(nic, sim->o->sl);
	nic->cnp_cls = weft_sim_class(nic, nic->plan->nic.verbs.cnp_sl);
	if (nic->cls < nic->ep.p->port.classes)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "%s: service level %u has no class; expected another one with --sl",
			    nic->plan->nic.name, sim->o->sl);
}

/* Unless the options say it: by the RDMA device, if there is one. */
static const struct weft_sim_transport *transport_of(const struct weft_sim *sim,
						     const struct weft_plan_nic *nic)
{
	if (sim->transport)
		return sim->transport;
	if (!*nic->device)
		return &weft_sim_frames;
	return nic->nic.verbs.kind == WEFT_VERBS_KIND_EFA ? &weft_sim_srd : &weft_sim_rc;
}

static int build_nic(struct weft_sim *sim, u32 id, struct weft_err *err)
{
	const struct weft_plan_nic *from = &sim->plan->nic[id];
	struct fab_endpoint_params *p = nic_params_of(sim, id);
	const struct weft_sim_transport *transport = transport_of(sim, from);
	const char *why = transport->refuse(from);
	struct weft_sim_nic *nic = &sim->nic[id];
	void *mem;

	nic->sim = sim;
	nic->plan = from;
	nic->transport = transport;
	if (!p)
		return weft_err_nomem(err);
	if (why)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "%s: transport %s: %s", from->nic.name,
				    transport->name, why);
	if (fab_endpoint_params_check(p))
		return model_refuse(err, from->nic.name, "NIC parameters out of range");
	mem = weft_sim_alloc(sim, 1, fab_endpoint_mem(p));
	if (!mem)
		return weft_err_nomem(err);
	fab_endpoint_init(&sim->fab, &nic->ep, id, p, mem);
	fab_endpoint_name(&sim->fab, &nic->ep);
	if (nic_classes(sim, nic, err))
		return err->code;
	if (sim->latency) {
		fab_hist_init(&sim->latency[id]);
		nic->ep.latency = &sim->latency[id];
	}
	return 0;
}

/**
 * weft_sim_port_of() - the model's port of an end of a link
 * @sim: the simulation
 * @end: the end
 *
 * Return: the port.
 */
struct fab_port *weft_sim_port_of(const struct weft_sim *sim, const struct weft_end *end)
{
	return end->is_nic ? &sim->nic[end->id].ep.port :
			     &sim->sw[end->id].port[end->port];
}

static int build_link(struct weft_sim *sim, const struct weft_link *link,
		      struct weft_err *err)
{
	struct fab_port *a = weft_sim_port_of(sim, &link->end[0]);
	struct fab_port *b = weft_sim_port_of(sim, &link->end[1]);
	const struct weft_wire *w = &link->wire[0];
	bool up = !(w->has & WEFT_WIRE_HAS_UP) || w->up;
	struct fab_wire_params p;

	weft_sim_wire(w, &p);
	if (fab_wire_params_check(&p))
		return model_refuse(err, link->name, "link parameters out of range");
	if (a->flow->agree && !a->flow->agree(a->p, b->p))
		return model_refuse(err, link->name,
				    "both ends must have the same classes and units of the discipline");
	if (fab_link_join(&sim->fab, a, b, &p, &p))
		return model_refuse(err, link->name, "ports cannot be joined");
	fab_link_up(&sim->fab, a, up);
	fab_link_up(&sim->fab, b, up);
	return 0;
}

static int build_route(struct weft_sim *sim, const struct weft_route *r,
		       struct weft_err *err)
{
	u16 ports[FAB_PORTS_MAX];

	for (u32 i = 0; i < r->ports; i++)
		ports[i] = (u16)r->port[i];
	for (u32 dst = r->dst; dst <= r->dst_last; dst++)
		if (fab_route_set(&sim->sw[r->sw].route, dst, ports, r->ports))
			return model_refuse(err, sim->plan->sw[r->sw].name,
					    "a route does not fit its forwarding table");
	return 0;
}

static int build_wiring(struct weft_sim *sim, struct weft_err *err)
{
	const struct weft_plan *p = sim->plan;

	for (u32 i = 0; i < p->links; i++)
		if (build_link(sim, &p->link[i], err))
			return err->code;
	/* No packet of a simulation is flooded. */
	for (u32 i = 0; i < p->routes; i++)
		if (!p->route[i].flood && build_route(sim, &p->route[i], err))
			return err->code;
	for (u32 i = 0; i < p->nics; i++)
		if (weft_sim_nic_init(sim, &sim->nic[i], err))
			return err->code;
	return weft_sim_add_faults(sim, err);
}

/* At a checkpoint nobody knows whether the objects will be wanted at the end. */
static bool wants_latency(const struct weft_sim *sim)
{
	return sim->o->objects || sim->o->checkpoint || sim->o->resume;
}

/**
 * weft_sim_build() - make the model of a plan
 * @sim: the simulation, with plan, options and transport
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_build(struct weft_sim *sim, struct weft_err *err)
{
	const struct weft_plan *p = sim->plan;

	if (p->fabric.managed)
		return model_refuse(err, "subnet-manager: external",
				    "no subnet manager is simulated; expected routes of the plan");
	sim->nic = weft_sim_alloc(sim, p->nics, sizeof(*sim->nic));
	sim->sw = weft_sim_alloc(sim, p->switches, sizeof(*sim->sw));
	if (wants_latency(sim))
		sim->latency = weft_sim_alloc(sim, p->nics, sizeof(*sim->latency));
	if (!sim->nic || !sim->sw || (wants_latency(sim) && !sim->latency))
		return weft_err_nomem(err);
	fab_init(&sim->fab, &weft_sim_host, sim->o->seed);
	/* Starts of messages, queue pairs and NICs have events of their own. */
	sim->fab.guests = 1;
	if (build_switches(sim, err))
		return err->code;
	for (u32 i = 0; i < p->nics; i++)
		if (build_nic(sim, i, err))
			return err->code;
	return build_wiring(sim, err);
}
