// SPDX-License-Identifier: GPL-2.0
/*
 * The agent of a switch: packets for the switch itself, and packets that it makes.
 *
 * DOC: theory of operation
 *
 * A switch forwards packets without a look at their payload. Some are for the switch:
 * those to its own number, and those to "the next device" (FAB_DST_NEXT), which are
 * InfiniBand's directed routes (IBTA 14.2.2). The agent is behind a port 0 of its own,
 * so a packet passes the pipeline to it, and once more from it to the egress port.
 *
 * The agent processes whole packets, one at a time, in the order in which their heads
 * arrived. With head arrival h, ingress time t_i, pipeline latency d and the
 * agent's latency a, it begins with a packet at h + t_i + d or when it is done with
 * the last one. When it is done after a, the host says where the packet goes. From
 * d later on the packet may leave.
 *
 * A packet keeps the room that it took at its ingress port until its transmission
 * begins, so the queue of the agent is bounded by the buffers of the ports.
 *
 * The forwarding table comes first: with an entry for the switch's own number,
 * packets follow it. Faults of the forwarding do not hit packets for the agent.
 *
 * Invariant: done is pending exactly when the queue holds a packet.
 */
#include "core/node/agent.h"
#include "core/fabric.h"
#include "core/node/room.h"

/* Begin with the first packet of the queue. */
static void agent_begin(struct fab *fab, struct fab_switch *sw)
{
	fab_time at = max(sw->agent.queue.head->at, fab->now);

	fab_event_schedule(&fab->events, &sw->agent.done,
			   at + sw->p.sma_latency);
}

static void agent_on_done(struct fab *fab, struct fab_event *ev)
{
	struct fab_agent *agent = container_of(ev, struct fab_agent, done);
	struct fab_switch *sw = container_of(agent, struct fab_switch, agent);
	struct fab_pkt *pkt = fab_fifo_pop(&agent->queue);
	int out;

	if (agent->queue.head)
		agent_begin(fab, sw);
	out = fab->host->punt(fab, sw, pkt->ingress, pkt);
	if (out < 0 || out >= (int)sw->p.ports)
		fab_switch_lose(fab, sw, pkt, FAB_DROP_NO_ROUTE);
	else
		fab_switch_emit(fab, sw, out, pkt);
}

/**
 * fab_agent_init() - initialise the agent of a switch
 * @sw: the switch
 */
void fab_agent_init(struct fab_switch *sw)
{
	fab_event_init(&sw->agent.done, agent_on_done);
}

/**
 * fab_agent_wants() - is a packet for the switch itself?
 * @fab: the fabric
 * @sw: the switch
 * @pkt: the packet
 *
 * Return: true if it is, and if the switch has an agent: with InfiniBand, and a host
 * that has punt().
 */
bool fab_agent_wants(const struct fab *fab, const struct fab_switch *sw,
		     const struct fab_pkt *pkt)
{
	if (!fab->host->punt || !fab_port_manages(sw->port) ||
	    pkt->flags & FAB_PKT_MULTICAST)
		return false;
	if (pkt->dst == FAB_DST_NEXT)
		return true;
	return pkt->dst == sw->p.dst && pkt->dst != FAB_NO_DST;
}

/**
 * fab_agent_take() - hand a packet to the agent
 * @fab: the fabric
 * @in: its ingress port
 * @pkt: the packet, which holds room; the head has just arrived, or with
 *	FAB_STORE_FORWARD the tail
 *
 * The host's punt() is called once the agent has processed it. A packet with a bit
 * error is dropped.
 */
void fab_agent_take(struct fab *fab, struct fab_port *in, struct fab_pkt *pkt)
{
	struct fab_switch *sw = in->sw;
	bool first = !sw->agent.queue.head;

	if (pkt->flags & FAB_PKT_CORRUPT) {
		fab_switch_lose(fab, sw, pkt, FAB_DROP_BIT_ERROR);
		return;
	}
	pkt->at = fab->now + sw->p.latency;
	if (sw->p.forward == FAB_CUT_THROUGH)
		pkt->at += fab_wire_time(&in->peer->wire, pkt);
	fab_fifo_push(&sw->agent.queue, pkt);
	if (first)
		agent_begin(fab, sw);
}

/**
 * fab_agent_flush() - drop all packets that the agent has
 * @fab: the fabric
 * @sw: its switch
 * @why: reason, reported to the host
 */
void fab_agent_flush(struct fab *fab, struct fab_switch *sw, enum fab_drop why)
{
	struct fab_fifo lost = sw->agent.queue;
	struct fab_pkt *pkt;

	/* Empty the queue before the callbacks, which may look at it. */
	sw->agent.queue.head = NULL;
	fab_event_cancel(&fab->events, &sw->agent.done);
	while ((pkt = fab_fifo_pop(&lost)))
		fab_switch_lose(fab, sw, pkt, why);
}

/* A packet for port @out that this switch makes begins its way. */
static void originate_begin(struct fab *fab, struct fab_switch *sw, u32 out, struct fab_pkt *pkt)
{
	fab->c.packets_in++;
	pkt->born = fab->now;
	pkt->phased = false;
	pkt->hops = 0;
	fab_room_label(&sw->port[out], pkt);
}

/* It passes the pipeline to @out. */
static void originate_enqueue(struct fab *fab, struct fab_switch *sw, u32 out,
			      struct fab_pkt *pkt)
{
	struct fab_port *port = &sw->port[out];

	pkt->at = fab->now + sw->p.latency;
	fab_port_enqueue(fab, port, pkt, port->fifos > 1 ? out : 0);
}

/**
 * fab_switch_originate() - send a packet that a switch itself makes
 * @fab: the fabric
 * @sw: the switch
 * @out: egress port
 * @pkt: the packet, with the class that it has on the wire
 *
 * It takes room at @out, as if it had arrived there, or is dropped. The model owns it
 * in any case, and returns it by deliver or drop, possibly before this function
 * returns.
 */
void fab_switch_originate(struct fab *fab, struct fab_switch *sw, u32 out,
			  struct fab_pkt *pkt)
{
	struct fab_port *port = &sw->port[out];
	enum fab_drop verdict;

	originate_begin(fab, sw, out, pkt);
	/* The far end has no part in the room, as with a copy. */
	pkt->flags |= FAB_PKT_COPY;
	verdict = fab_room_take(&sw->buffer, port, pkt);
	if (verdict != FAB_DROP_COUNT) {
		fab_port_drop(fab, port, pkt, verdict);
		return;
	}
	if (port->flow->on_copy)
		port->flow->on_copy(fab, port, pkt);
	originate_enqueue(fab, sw, out, pkt);
}

/**
 * fab_switch_inject() - send a packet that an aggregation node makes
 * @fab: the fabric
 * @sw: the switch
 * @out: egress port
 * @pkt: the packet, with the class that it has on the wire
 *
 * It passes the pipeline. It is in the node's memory until its transmission begins, so that
 * what goes one way never waits for room of what comes the other way.
 */
void fab_switch_inject(struct fab *fab, struct fab_switch *sw, u32 out, struct fab_pkt *pkt)
{
	originate_begin(fab, sw, out, pkt);
	pkt->roomless = true;
	originate_enqueue(fab, sw, out, pkt);
}
