/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fabric: its clock, its events, its switches and endpoints.
 *
 * DOC: theory of operation
 *
 * The model is a discrete-event simulation that does not own a clock. The host
 * calls fab_run(fab, now, budget): every event due by then is executed, each at
 * its own time, and the time of the next one is returned. Between calls the host
 * hands packets in with fab_endpoint_send(); they count from fab->now on, so the
 * host runs the fabric up to the present first.
 *
 * The lateness of an event is the difference of the host's @now and the event's own
 * time. A host without a clock calls fab_run_to() and is never late.
 *
 * The host serialises all calls of one fabric. The model allocates nothing: the host
 * provides zeroed memory of the size that the fab_*_mem() functions return.
 */
#ifndef FAB_FABRIC_H
#define FAB_FABRIC_H

#include "core/counters.h"
#include "core/host.h"
#include "core/node/endpoint.h"
#include "core/node/phase.h"
#include "core/node/reduce.h"
#include "core/node/switch.h"
#include "core/node/trigger.h"
#include "core/sim/event.h"

#define FAB_NO_BUDGET		U64_MAX		/* run all that is due */

/**
 * struct fab - one emulated network
 */
struct fab {
	/** @host: callbacks */
	const struct fab_host_ops *host;
	/** @seed: source of all randomness */
	u64 seed;
	/** @now: time of the event being executed, or of the last fab_run() */
	fab_time now;
	/** @moved: when the last packet was put onto a wire */
	fab_time moved;
	/** @phased: something is counted for phases */
	bool phased;
	/** @events: pending events */
	struct fab_event_queue events;
	/** @switches: all switches */
	struct fab_switch *switches;
	/** @endpoints: all endpoints */
	struct fab_endpoint *endpoints;
	/** @traffics: all generators of traffic */
	struct fab_traffic *traffics;
	/** @triggers: what waits for a phase */
	struct fab_trigger *triggers;
	/** @guests: number of other users of events; set by the host, 0 at first */
	u32 guests;
	/** @left: packets that went to another part (cut.c) */
	u64 left;
	/** @entered: packets that came from another part */
	u64 entered;
	/** @wires: wires made so far; each gets a seed of its own */
	u64 wires;
	/** @late_bound: lateness above this counts; set by the host, 0 at first */
	fab_time late_bound;
	/** @late_events: events executed more than @late_bound after their time */
	u64 late_events;
	/** @late: lateness per event; read it through fab_lateness() */
	struct fab_hist late;
	/** @c: counters */
	struct fab_counters c;
	/** @phases: phases */
	struct fab_phases phases;
};

/**
 * fab_set_flow_hash() - ask the host for the flow hash of a packet that has none
 * @fab: the fabric
 * @pkt: the packet
 */
static inline void fab_set_flow_hash(struct fab *fab, struct fab_pkt *pkt)
{
	if (!pkt->flow_hash && fab->host->flow_hash)
		pkt->flow_hash = fab->host->flow_hash(fab, pkt);
}

/**
 * fab_port_busy() - count busy time of a wire, from now or behind what it sends
 * @fab: the fabric
 * @port: the port that sends
 * @time: for how long, ps
 */
static inline void fab_port_busy(struct fab *fab, struct fab_port *port,
				 fab_time time)
{
	port->c.tx_busy_ps += time;
	if (unlikely(fab->phased))
		fab_phase_carried(fab, port, time);
}

/**
 * fab_trace_pkt() - call the host's tracing hook, if there is one
 * @fab: the fabric
 * @port: where it happened
 * @pkt: the packet that it happened to
 * @what: what happened
 */
static inline void fab_trace_pkt(struct fab *fab, struct fab_port *port,
				 const struct fab_pkt *pkt, enum fab_trace what)
{
	if (fab->host->trace)
		fab->host->trace(port, pkt, what);
}

/**
 * fab_notice() - call the host's hook for a class, if there is one
 * @fab: the fabric
 * @port: where it happened
 * @cls: the class
 * @what: what happened
 */
static inline void fab_notice(struct fab *fab, struct fab_port *port, u8 cls,
			      enum fab_notice what)
{
	if (fab->host->notice)
		fab->host->notice(port, cls, what);
}

void fab_init(struct fab *fab, const struct fab_host_ops *host, u64 seed);
fab_time fab_run(struct fab *fab, fab_time now, u64 budget);
fab_time fab_run_to(struct fab *fab, const fab_time *end);

/**
 * fab_skip() - as fab_run() without a budget, if nothing is due
 * @fab: the fabric
 * @now: the present
 *
 * Return: as fab_run(); at most @now, with nothing changed, if an event is due.
 */
static inline fab_time fab_skip(struct fab *fab, fab_time now)
{
	fab_time next = fab_event_next(&fab->events);

	if (next <= now)
		return next;
	now = max(now, fab->now);
	fab->now = min(now, FAB_TIME_END);
	fab_event_pass(&fab->events, fab->now);
	return next > FAB_TIME_END ? FAB_NEVER : next;
}

const struct fab_hist *fab_lateness(struct fab *fab);
const char *fab_check(const struct fab *fab);

#endif
