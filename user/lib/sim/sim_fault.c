// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults of a simulation, those that `weft fault add` gives to the kernel, with the same
 * seeds; and triggers, by which faults and traffic begin.
 *
 * Faults are added before the fabric is divided, so that no link with a fault is cut.
 *
 * As in the kernel, a trigger counts the packets that the host of a NIC hands to the
 * model, and its moment is that of the packet that meets it. What it begins may do so in
 * that instant, wherever it is. So the trigger's node and what a fault is on, or the nodes
 * that send, are never cut apart (sim_parts.c).
 */
#include "sim/sim_traffic.h"

#include <errno.h>
#include <stdlib.h>

#include <linux/weft.h>

static_assert((int)FAB_FAULT_SHARP_SLOW == WEFT_FAULT_KIND_SHARP_SLOW, "same words");
static_assert((int)FAB_FAULT_DSTS_MAX == WEFT_LIST_MAX, "as many destinations");

#define TRIGGER_LEAST	262144	/* bytes above a rate, as in the kernel */

static_assert((int)FAB_TRIGGER_RATE == WEFT_TRIGGER_KIND_RATE, "same words");
static_assert((int)FAB_TRIGGER_BYTES == WEFT_TRIGGER_KIND_BYTES, "same words");

static struct fab_trigger_params trigger_params(const struct weft_trigger *from)
{
	const bool sized = from->has & WEFT_HAS(WEFT_A_TRIGGER_SIZE);

	return (struct fab_trigger_params) {
		.kind = (enum fab_trigger_kind)from->kind,
		.rate_bps = from->rate,
		.bytes = sized ? from->size : TRIGGER_LEAST,
	};
}

static int trigger_refuse(const char *at, const char *why, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s: at: %s", at, why);
}

/**
 * weft_sim_trigger_add() - add a trigger
 * @sim: the simulation, with its NICs
 * @number: its place in sim->trigger
 * @by: the trigger
 * @at: where it is written, for messages
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_trigger_add(struct weft_sim *sim, u32 number, const struct weft_at *by,
			 const char *at, struct weft_err *err)
{
	struct fab_trigger_params p = trigger_params(&by->trigger);
	struct weft_sim_nic *nic;

	if (!fab_trigger_of_nic(p.kind))
		return trigger_refuse(at, "a simulation has no phases; expected a time, traffic or bytes",
				      err);
	if (fab_trigger_params_check(&p))
		return trigger_refuse(at, "above a rate, size is at most 1 GiB and what the rate carries in 1000 s",
				      err);
	nic = &sim->nic[by->trigger.nic];
	fab_trigger_add(&nic->sim->fab, &nic->ep, &sim->trigger[number], &p);
	return 0;
}

static int fault_refuse(const struct weft_sim_fault *from, const char *why,
			struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s: %s", from->at, why);
}

#define HAS(attr)		(from->has & WEFT_HAS(WEFT_A_FAULT_##attr))
#define OR(attr, value, other)	(HAS(attr) ? (value) : (other))

/* The share of packets, or of flows, that it hits. */
static u32 fault_share(const struct weft_fault *from)
{
	if (from->kind == WEFT_FAULT_KIND_BLACKHOLE || from->kind == WEFT_FAULT_KIND_MISROUTE)
		return OR(FLOWS, from->flows, FAB_FAULT_PPB);
	return OR(PROBABILITY, from->probability, 0);
}

static struct fab_fault_params fault_params(const struct weft_fault *from)
{
	struct fab_fault_params p = {
		.kind = (enum fab_fault_kind)from->kind,
		.rate_bps = OR(RATE, from->rate, 0),
		.lanes = OR(LANES, from->lanes, 0),
		.delay = OR(DELAY, from->delay, 0),
		.jitter = OR(JITTER, from->jitter, 0),
		.ppb = fault_share(from),
		.burst = OR(BURST, from->burst, 0),
		.bits_per_error = OR(BITS_PER_ERROR, from->bits_per_error, 0),
		.classes = (u16)OR(CLASSES, from->classes, 0),
		.red.kmax = OR(KMAX, from->kmax, 0),
		.red.pmax = OR(PMAX, from->pmax, FAB_MARK_ONE),
		.out = OR(PORT, from->port, 0),
		.size = OR(SIZE, from->size, 0),
		.duration = OR(DURATION, from->duration, 0),
		.period = OR(PERIOD, from->period, 0),
		.count = OR(COUNT, from->count, 0),
		.seed = from->seed,
		.dsts = from->dst.n,
	};

	p.red.kmin = OR(KMIN, from->kmin, p.red.kmax);
	for (u32 i = 0; i < p.dsts; i++)
		p.dst[i] = from->dst.v[i];
	return p;
}

#undef OR

/* Do transports repeat what is lost on a link? */
static bool all_repeat(const struct weft_sim *sim, const struct fab_port *port)
{
	const struct fab_port *at = port->ep ? port : port->peer;

	if (at->ep)
		return sim->nic[at->ep->id].transport->repeats;
	for (u32 i = 0; i < sim->plan->nics; i++)
		if (!sim->nic[i].transport->repeats)
			return false;
	return true;
}

/* Why the wire that a port sends on cannot have the fault; NULL if it can. */
static const char *fault_misfit(const struct weft_sim *sim, const struct fab_port *port,
				const struct fab_fault_params *p)
{
	if (!all_repeat(sim, port) &&
	    (p->kind == FAB_FAULT_DUPLICATE || p->kind == FAB_FAULT_REORDER))
		return "transport frames takes each packet once and in order";
	if (!fab_fault_suits(port, p->kind))
		return "the link cannot have this kind of fault";
	if (p->lanes > min(port->wire.p.lanes, port->peer->wire.p.lanes))
		return "lanes: more than the link has";
	if (p->kind == FAB_FAULT_PAUSE_STORM) {
		u16 lossless = port->lossless & port->peer->lossless;

		return lossless && !(p->classes & ~lossless) ? NULL :
		       "classes: only lossless classes can be paused";
	}
	return p->classes >> port->p->classes ? "classes: more than the port has" : NULL;
}

/* Both wires have the fault if it names no direction, each with a seed of its own. */
static int add_to_link(struct weft_sim *sim, const struct weft_sim_fault *of,
		       struct fab_fault *fault, struct fab_fault_params p,
		       struct weft_err *err)
{
	const struct weft_fault *from = &of->fault;
	const struct weft_link *link = &sim->plan->link[from->link];
	u64 seed = p.seed;

	for (u32 i = 0; i < 2; i++) {
		struct fab_port *port = weft_sim_port_of(sim, &link->end[i]);
		const char *why;

		if (HAS(DIRECTION) && from->direction != i)
			continue;
		why = fault_misfit(sim, port, &p);
		if (why)
			return fault_refuse(of, why, err);
		p.seed = fab_mix(seed + i);
		fab_fault_add(&sim->fab, port, &fault[i], &p);
	}
	return 0;
}

#undef HAS

static int add_to_switch(struct weft_sim *sim, const struct weft_sim_fault *of,
			 struct fab_fault *fault, const struct fab_fault_params *p,
			 struct weft_err *err)
{
	struct fab_switch *sw = &sim->sw[of->fault.sw];
	int misfit = fab_fault_fits(sw, p);

	if (misfit == -ERANGE)
		return fault_refuse(of, "port: more than the switch has", err);
	if (misfit)
		return fault_refuse(of, "its links account for room themselves", err);
	fab_fault_add_switch(&sim->fab, sw, fault, p);
	return 0;
}

static int add_fault(struct weft_sim *sim, u32 i, struct weft_err *err)
{
	const struct weft_sim_fault *of = &sim->o->fault[i];
	struct fab_fault_params p = fault_params(&of->fault);

	p.start = of->start;
	if (of->by.given) {
		if (weft_sim_trigger_add(sim, i, &of->by, of->at, err))
			return err->code;
		p.moment = &sim->trigger[i].moment;
		p.start = of->by.after;
	}
	if (!(of->fault.has & WEFT_HAS(WEFT_A_FAULT_SEED)))
		p.seed = fab_mix(sim->o->seed ^ fab_mix(i + 1));
	if (fab_fault_params_check(&p))
		return fault_refuse(of, "its numbers are out of range, or do not fit together",
				    err);
	return fab_fault_of_switch(p.kind) ?
	       add_to_switch(sim, of, sim->fault[i], &p, err) :
	       add_to_link(sim, of, sim->fault[i], p, err);
}

/**
 * weft_sim_add_faults() - add the faults of the options
 * @sim: the simulation, with its links
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_add_faults(struct weft_sim *sim, struct weft_err *err)
{
	sim->fault = weft_sim_alloc(sim, sim->o->faults, sizeof(*sim->fault));
	sim->trigger = weft_sim_alloc(sim, sim->o->faults + weft_sim_traffic_groups(sim->o),
				      sizeof(*sim->trigger));
	if (!sim->fault || !sim->trigger)
		return weft_err_nomem(err);
	for (u32 i = 0; i < sim->o->faults; i++)
		if (add_fault(sim, i, err))
			return err->code;
	return 0;
}
