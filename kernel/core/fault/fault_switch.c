// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of a switch: their effect on it, and on the packets in it.
 *
 * DOC: theory of operation
 *
 * When a packet meets faults it has arrived, holds room in the buffer, and is to be
 * forwarded. The active faults are tried in the order in which they were added; the
 * first one that hits the packet decides. A blackhole drops it. A switch that forgot
 * its routes finds none. A misroute chooses the port instead of the table, which is
 * not consulted. So flow control sees a packet that came and went, and the state of
 * the table (turns, flowlets) is as without the packet.
 *
 * If only a share of the flows is hit, a hash of the flow and the fault's seed selects
 * them. It always selects the same ones, as with a broken entry of a table or a bad
 * member of a group. The hash is not the one that chooses among equal ports.
 *
 * A switch that reboots has all its wires down, both of each link. Each packet that it
 * holds waits for one of them or for the agent, and is lost with it. Its table, its
 * parameters and its limits stay, as they belong to its controller.
 *
 * A smaller buffer admits packets by the smaller size (buffer.c).
 *
 * A switch whose aggregation nodes are down loses what they hold and all that comes for them,
 * upwards and downwards; the rest of it goes on. Slow ones add to the latency of each result.
 *
 * Invariants: the counts of faults that keep the switch down, and of those that check
 * packets, are those of the active ones; the buffer's cap is the lowest of the active
 * ones.
 */
#include "core/fabric.h"
#include "core/fault/fault.h"
#include "core/node/reduce.h"
#include "core/node/switch.h"
#include "core/sim/rng.h"

/* Does a kind check each packet that is to be forwarded? */
static bool fault_detours(enum fab_fault_kind kind)
{
	return kind == FAB_FAULT_BLACKHOLE || kind == FAB_FAULT_FORGET ||
	       kind == FAB_FAULT_MISROUTE;
}

static bool fault_acts(const struct fab_fault *f, enum fab_fault_kind kind)
{
	return f->state == FAB_FAULT_ACTIVE && f->p.kind == kind;
}

/**
 * fab_fault_fits() - check that a switch can have a fault
 * @sw: the switch
 * @p: parameters of a fault of switches
 *
 * Return: 0; -ERANGE if the switch has no such port; -EOPNOTSUPP for a fault of the
 * buffer if the links account for room themselves.
 */
int fab_fault_fits(const struct fab_switch *sw,
		   const struct fab_fault_params *p)
{
	if (p->kind == FAB_FAULT_MISROUTE && p->out >= sw->p.ports)
		return -ERANGE;
	if (p->kind == FAB_FAULT_BUFFER && sw->p.port.disc->flow->own_room)
		return -EOPNOTSUPP;
	return 0;
}

/**
 * fab_fault_add_switch() - add a fault to a switch
 * @fab: the fabric
 * @sw: the switch
 * @f: the fault, zeroed; in use until it is removed
 * @p: parameters of a fault of switches, which fab_fault_params_check() and
 *	fab_fault_fits() accept
 */
void fab_fault_add_switch(struct fab *fab, struct fab_switch *sw,
			  struct fab_fault *f,
			  const struct fab_fault_params *p)
{
	f->sw = sw;
	fab_fault_enlist(fab, &sw->faults.first, f, p);
}

/* The smallest buffer of the active faults; U64_MAX without. */
static u64 fault_cap(const struct fab_switch *sw)
{
	const struct fab_fault *f;
	u64 cap = U64_MAX;

	for (f = sw->faults.first; f; f = f->next)
		if (fault_acts(f, FAB_FAULT_BUFFER))
			cap = min(cap, f->p.size);
	return cap;
}

/* What the active faults add to the latency of aggregation nodes. */
static fab_time fault_sharp_delay(const struct fab_switch *sw)
{
	const struct fab_fault *f;
	fab_time delay = 0;

	for (f = sw->faults.first; f; f = f->next)
		if (fault_acts(f, FAB_FAULT_SHARP_SLOW))
			delay += f->p.delay;
	return min(delay, (fab_time)FAB_DELAY_MAX);
}

static void fault_change_sharp(struct fab *fab, const struct fab_fault *f, u32 step)
{
	struct fab_switch *sw = f->sw;

	if (f->p.kind == FAB_FAULT_SHARP_SLOW) {
		sw->faults.sharp_delay = fault_sharp_delay(sw);
		return;
	}
	sw->faults.sharp_down += step;
	if (sw->faults.sharp_down)
		fab_reduce_lose(fab, sw);
	if (fab->host->aggregation)
		fab->host->aggregation(sw);
}

/* Bring all wires of a switch down or up. */
static void fault_settle_wires(struct fab *fab, struct fab_switch *sw)
{
	struct fab_port *port;

	for (port = sw->port; port < sw->port + sw->p.ports; port++) {
		if (!port->peer)
			continue;
		fab_link_settle(fab, port);
		fab_link_settle(fab, port->peer);
		if (fab->host->link)
			fab->host->link(port);
	}
}

/**
 * fab_fault_change_switch() - update a switch when a fault of it begins or ends
 * @fab: the fabric
 * @f: the fault
 */
void fab_fault_change_switch(struct fab *fab, const struct fab_fault *f)
{
	u32 step = f->state == FAB_FAULT_ACTIVE ? 1 : -1;

	if (fault_detours(f->p.kind)) {
		f->sw->faults.detours += step;
	} else if (f->p.kind == FAB_FAULT_BUFFER) {
		fab_buffer_cap(&f->sw->buffer, fault_cap(f->sw));
	} else if (f->p.kind != FAB_FAULT_REBOOT) {
		fault_change_sharp(fab, f, step);
	} else {
		f->sw->faults.reboots += step;
		fault_settle_wires(fab, f->sw);
		if (f->sw->faults.reboots)
			fab_agent_flush(fab, f->sw, FAB_DROP_LINK_DOWN);
	}
}

static bool fault_names(const struct fab_fault_params *p, u32 dst)
{
	u32 i;

	for (i = 0; i < p->dsts; i++)
		if (p->dst[i] == dst)
			return true;
	return false;
}

/* Multicast packets go to many destinations: only a blackhole of all hits them. */
static bool fault_is_for(const struct fab_fault_params *p,
			 const struct fab_pkt *pkt)
{
	if (p->kind == FAB_FAULT_FORGET)
		return true;
	if (pkt->flags & FAB_PKT_MULTICAST)
		return p->kind == FAB_FAULT_BLACKHOLE && !p->dsts;
	return !p->dsts || fault_names(p, pkt->dst);
}

/* Is the flow of a packet among those that are hit? */
static bool fault_hits_flow(const struct fab_fault *f,
			    const struct fab_pkt *pkt)
{
	return f->p.kind == FAB_FAULT_FORGET || f->enter == U64_MAX ||
	       fab_mix(f->rng ^ pkt->flow_hash) < f->enter;
}

/* The first active fault that hits a packet, or NULL. */
static struct fab_fault *fault_first(const struct fab_switch *sw,
				     const struct fab_pkt *pkt)
{
	struct fab_fault *f;

	for (f = sw->faults.first; f; f = f->next)
		if (f->state == FAB_FAULT_ACTIVE && fault_detours(f->p.kind) &&
		    fault_is_for(&f->p, pkt) && fault_hits_flow(f, pkt))
			return f;
	return NULL;
}

/**
 * fab_fault_meet() - apply the faults of a switch to a packet to be forwarded
 * @sw: the switch
 * @pkt: the packet
 * @out: set to the egress port if a fault chooses it
 *
 * Return: FAB_DROP_COUNT, or the reason for a drop.
 */
enum fab_drop fab_fault_meet(const struct fab_switch *sw,
			     const struct fab_pkt *pkt, int *out)
{
	struct fab_fault *f = fault_first(sw, pkt);

	if (!f)
		return FAB_DROP_COUNT;
	f->c.packets += pkt->segs;
	if (f->p.kind == FAB_FAULT_FORGET)
		return FAB_DROP_NO_ROUTE;
	if (f->p.kind == FAB_FAULT_BLACKHOLE)
		return FAB_DROP_FAULT;
	*out = f->p.out;
	return FAB_DROP_COUNT;
}

static void fault_count(const struct fab_switch *sw, enum fab_fault_kind kind,
			const struct fab_pkt *pkt)
{
	struct fab_fault *f;

	for (f = sw->faults.first; f; f = f->next)
		if (fault_acts(f, kind))
			f->c.packets += pkt->segs;
}

/**
 * fab_fault_refused() - count a packet that a switch did not admit
 * @sw: the switch
 * @pkt: the packet
 * @why: the reason
 */
void fab_fault_refused(const struct fab_switch *sw, const struct fab_pkt *pkt,
		       enum fab_drop why)
{
	if (why == FAB_DROP_BUFFER_FULL || why == FAB_DROP_PORT_LIMIT ||
	    why == FAB_DROP_HEADROOM)
		fault_count(sw, FAB_FAULT_BUFFER, pkt);
}

/**
 * fab_fault_aggregates() - count a packet for an aggregation node
 * @sw: the switch
 * @pkt: the packet
 *
 * Return: false if it is lost, as the node is down.
 */
bool fab_fault_aggregates(const struct fab_switch *sw, const struct fab_pkt *pkt)
{
	if (likely(!sw->faults.sharp_down && !sw->faults.sharp_delay))
		return true;
	fault_count(sw, sw->faults.sharp_down ? FAB_FAULT_SHARP_DOWN : FAB_FAULT_SHARP_SLOW, pkt);
	return !sw->faults.sharp_down;
}

/**
 * fab_fault_cut_off() - count a packet that is lost because a wire is down
 * @port: the port that has sent it, or was going to
 * @pkt: the packet
 */
void fab_fault_cut_off(const struct fab_port *port, const struct fab_pkt *pkt)
{
	if (port->sw)
		fault_count(port->sw, FAB_FAULT_REBOOT, pkt);
	if (port->peer && port->peer->sw)
		fault_count(port->peer->sw, FAB_FAULT_REBOOT, pkt);
}

/**
 * fab_fault_cuts() - does a fault keep a wire down?
 * @port: the port that sends on it
 *
 * Return: true if a fault of the wire does, or one of a switch at one of its ends.
 */
bool fab_fault_cuts(const struct fab_port *port)
{
	const struct fab_port *peer = port->peer;

	return port->faults.cuts || (port->sw && port->sw->faults.reboots) ||
	       (peer && peer->sw && peer->sw->faults.reboots);
}

/**
 * fab_fault_check_switch() - check the invariants of a switch's faults
 * @sw: the switch
 * @events: the number of their pending events is added to it
 *
 * Return: NULL, or the violated invariant as text.
 */
const char *fab_fault_check_switch(const struct fab_switch *sw, u64 *events)
{
	const char *wrong = fab_fault_check_timers(sw->faults.first, events);
	u32 reboots = 0, detours = 0, sharp = 0;
	const struct fab_fault *f;

	for (f = sw->faults.first; f; f = f->next) {
		reboots += fault_acts(f, FAB_FAULT_REBOOT);
		sharp += fault_acts(f, FAB_FAULT_SHARP_DOWN);
		detours += f->state == FAB_FAULT_ACTIVE &&
			   fault_detours(f->p.kind);
	}
	if (wrong)
		return wrong;
	if (reboots != sw->faults.reboots)
		return "fault: more or fewer keep the switch down than act";
	if (detours != sw->faults.detours)
		return "fault: more or fewer look at packets than act";
	if (sharp != sw->faults.sharp_down || sw->faults.sharp_delay != fault_sharp_delay(sw))
		return "fault: aggregation nodes are not as the active ones leave them";
	if (sw->buffer.cap != fault_cap(sw))
		return "fault: the buffer is smaller or larger than they leave it";
	return NULL;
}
