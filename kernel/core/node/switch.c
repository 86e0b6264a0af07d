// SPDX-License-Identifier: GPL-2.0
/*
 * A switch: ingress admission, forwarding, egress queues.
 *
 * DOC: theory of operation
 *
 * A packet takes room in the shared buffer, in the account of its ingress port. It is
 * forwarded, passes the pipeline, and waits for the wire in a queue of its egress
 * port. With the round-robin arbiter each egress class has a queue per ingress port
 * (virtual output queues), otherwise one.
 *
 * With ingress time t_i (the wire time of the packet on the incoming link),
 * egress time t_o, head arrival h and pipeline latency d, transmission begins
 *
 *	store-and-forward	at h + t_i + d or later
 *	cut-through		at h + d + max(0, t_i - t_o) or later
 *
 * If the outgoing link is the faster one, the last term keeps the tail from leaving
 * before it has arrived. A cut-through switch has sent the head before the checksum
 * arrives, so it forwards packets with bit errors; a store-and-forward switch drops
 * them.
 *
 * The class of a packet may change from wire to wire by a table. InfiniBand's is
 * indexed by ingress port, egress port and service level, which stays. The index may
 * also be the class of the last wire, so that a packet's next virtual channel depends
 * on its present one. Dally and Seitz change it at a date line in this way
 * (Deadlock-Free Message Routing in Multiprocessor Interconnection Networks,
 * IEEE Trans. Computers, 1987). Ethernet switches can do so by a rule of tag, ingress
 * and egress port (Hu and others, Tagger, 2017).
 *
 * Not modelled: the crossbar (it never blocks), fall-back from cut-through to
 * store-and-forward under load (a packet that waited has arrived in whole by then).
 */
#include "core/node/switch.h"
#include "core/fabric.h"
#include "core/node/room.h"
#include "core/sim/bitset.h"
#include "core/sim/chain.h"
#include "core/sim/mem.h"
#include "core/sim/rng.h"

#define SWITCH_LOST	(-2)	/* instead of a port: the packet is gone */

/* Entries of the table of classes: a row per pair of ports, or one row. */
static u32 switch_vls(const struct fab_switch_params *p)
{
	if (p->sl2vl == FAB_SL2VL_KEEP)
		return 0;
	if (p->sl2vl == FAB_SL2VL_SL)
		return FAB_CLASSES_MAX;
	return p->ports * p->ports * FAB_CLASSES_MAX;
}

static u32 switch_fifos(const struct fab_switch_params *p)
{
	return p->arbiter == FAB_ARBITER_ROUND_ROBIN ? p->ports : 1;
}

static struct fab_route_params
switch_route(const struct fab_switch_params *p)
{
	struct fab_route_params route = {
		.ports = p->ports,
		.dsts = p->dsts,
		.groups = p->groups,
		.mcasts = p->mcasts,
		.lmc = p->lmc,
		.select = p->select,
		.quantum = p->quantum,
		.flowlets = p->flowlets,
		.flowlet_gap = p->flowlet_gap,
	};

	return route;
}

/**
 * fab_switch_params_check() - check the parameters of a switch
 * @p: the parameters
 *
 * Return: 0, -ERANGE for a size or time, -EINVAL for anything else.
 */
int fab_switch_params_check(const struct fab_switch_params *p)
{
	struct fab_route_params route = switch_route(p);
	int err;

	if (!p->ports || p->ports > FAB_PORTS_MAX)
		return -ERANGE;
	if (p->latency > FAB_DELAY_MAX || p->sma_latency > FAB_DELAY_MAX ||
	    p->arn_hold > FAB_DELAY_MAX)
		return -ERANGE;
	if (p->forward >= __FAB_FORWARD_MAX || p->arbiter >= __FAB_ARBITER_MAX)
		return -EINVAL;
	if (p->sl2vl >= __FAB_SL2VL_MAX)
		return -EINVAL;
	err = fab_buffer_params_check(&p->buffer, p->ports, p->port.classes);
	if (!err)
		err = fab_route_params_check(&route);
	return err ? err : fab_port_params_check(&p->port);
}

/**
 * fab_switch_mem() - memory that a switch needs in addition to its struct
 * @p: its parameters
 *
 * Return: bytes.
 */
size_t fab_switch_mem(const struct fab_switch_params *p)
{
	struct fab_route_params route = switch_route(p);

	return FAB_LINE + fab_mem_size(p->ports, sizeof(struct fab_port)) +
	       p->ports * fab_port_class_mem(&p->port) +
	       p->ports * fab_port_mem(&p->port, switch_fifos(p)) +
	       fab_mem_size(switch_vls(p), 1) +
	       fab_mem_size(!!p->arn_hold, sizeof(struct fab_arns)) +
	       fab_route_mem(&route) + p->ports * fab_port_ring_mem(&p->port);
}

static void *switch_port_init(struct fab *fab, struct fab_switch *sw, u32 index,
			      struct fab_class *cls, void *mem)
{
	struct fab_port *port = &sw->port[index];

	port->sw = sw;
	port->index = index;
	return fab_port_init(fab, port, &sw->p.port, switch_fifos(&sw->p), cls, mem);
}

static void *switch_vl_init(struct fab_switch *sw, void *mem)
{
	u32 n = switch_vls(&sw->p), i;

	if (!n)
		return mem;
	sw->vl = fab_mem_cut(&mem, n, 1);
	for (i = 0; i < n; i++)
		sw->vl[i] = sw->p.vl[i % FAB_CLASSES_MAX];
	return mem;
}

static bool switch_has_rows(const struct fab_switch *sw)
{
	return sw->p.sl2vl == FAB_SL2VL_PORTS || sw->p.sl2vl == FAB_SL2VL_CLASS;
}

static u8 *switch_vl(const struct fab_switch *sw, u32 in, u32 out, u8 index)
{
	u32 row = 0;

	if (switch_has_rows(sw))
		row = in * sw->p.ports + out;
	return &sw->vl[row * FAB_CLASSES_MAX + index];
}

/**
 * fab_switch_sl2vl_set() - set an entry of the table between two ports
 * @sw: the switch, made with FAB_SL2VL_PORTS or FAB_SL2VL_CLASS
 * @in: ingress port of a packet
 * @out: its egress port
 * @index: its service level; with FAB_SL2VL_CLASS its class on the last wire
 * @vl: its class on the next wire; FAB_VL_DROP drops it
 *
 * Return: 0, or -EINVAL.
 */
int fab_switch_sl2vl_set(struct fab_switch *sw, u32 in, u32 out, u8 index,
			 u8 vl)
{
	if (!switch_has_rows(sw) || index >= FAB_CLASSES_MAX)
		return -EINVAL;
	if (in >= sw->p.ports || out >= sw->p.ports)
		return -EINVAL;
	if (vl != FAB_VL_DROP && vl >= sw->p.port.classes)
		return -EINVAL;
	*switch_vl(sw, in, out, index) = vl;
	return 0;
}

/**
 * fab_switch_sl2vl_get() - get an entry of the table between two ports
 * @sw: the switch
 * @in: ingress port of a packet, which exists
 * @out: its egress port, which exists
 * @index: its service level; with FAB_SL2VL_CLASS its class on the last wire
 *
 * Return: its class on the next wire, or FAB_VL_DROP; @index where the class stays.
 */
u8 fab_switch_sl2vl_get(const struct fab_switch *sw, u32 in, u32 out, u8 index)
{
	return sw->vl ? *switch_vl(sw, in, out, index) : index;
}

/**
 * fab_switch_sched_get() - get the scheduler of a port
 * @sw: the switch
 * @port: the port, which exists
 * @p: result
 */
void fab_switch_sched_get(const struct fab_switch *sw, u32 port,
			  struct fab_sched_params *p)
{
	const struct fab_sched *s = sw->port[port].sched;

	*p = sw->p.port.sched;
	if (s && s->kind == FAB_SCHED_VLARB)
		p->vlarb = s->tables;
}

/**
 * fab_switch_sched_set() - change the VL arbitration of a port
 * @fab: the fabric
 * @sw: the switch
 * @port: the port, which exists
 * @p: the parameters, with FAB_SCHED_VLARB as those of the switch
 *
 * The state of the scheduler is reset.
 *
 * Return: 0, or -EINVAL for invalid parameters.
 */
int fab_switch_sched_set(struct fab *fab, struct fab_switch *sw, u32 port,
			 const struct fab_sched_params *p)
{
	int err = fab_sched_params_check(p, sw->p.port.classes);

	if (err || p->kind != FAB_SCHED_VLARB || sw->p.port.sched.kind != p->kind)
		return -EINVAL;
	fab_port_sched_set(&sw->port[port], p);
	fab_port_kick(fab, &sw->port[port], fab->now);
	return 0;
}

/**
 * fab_switch_init() - initialise a switch, which fab_switch_enter() adds to the fabric
 * @fab: the fabric, of which only the seed is read. So no lock is needed while this
 *	function writes possibly many megabytes
 * @sw: the switch
 * @id: its number; salts the choices among equal ports
 * @p: parameters, which fab_switch_params_check() accepts
 * @mem: zeroed memory, fab_switch_mem() bytes, in use until it is removed
 */
void fab_switch_init(struct fab *fab, struct fab_switch *sw, u32 id,
		     const struct fab_switch_params *p, void *mem)
{
	struct fab_route_params route = switch_route(p);
	size_t size = fab_port_class_mem(&p->port);
	struct fab_arns *arn;
	char *cls;
	u32 i;

	memset(sw, 0, sizeof(*sw));
	sw->p = *p;
	sw->id = id;
	fab_mem_line(&mem);
	sw->port = fab_mem_cut(&mem, p->ports, sizeof(struct fab_port));
	cls = fab_mem_cut(&mem, p->ports, size);
	for (i = 0; i < p->ports; i++)
		mem = switch_port_init(fab, sw, i, (void *)(cls + i * size), mem);
	fab_agent_init(sw);
	fab_buffer_init(&sw->buffer, &p->buffer, sw->port, p->ports);
	mem = switch_vl_init(sw, mem);
	arn = fab_mem_cut(&mem, !!p->arn_hold, sizeof(*arn));
	mem = fab_route_init(&sw->route, &route, fab_mix(fab->seed + fab_mix(id)),
			     mem);
	for (i = 0; i < p->ports; i++)
		mem = fab_port_ring_init(&sw->port[i], mem);
	if (p->arn_hold)
		fab_arn_init(sw, arn);
}

/**
 * fab_switch_enter() - add a switch to its fabric
 * @fab: the fabric
 * @sw: the switch, just initialised
 */
void fab_switch_enter(struct fab *fab, struct fab_switch *sw)
{
	fab_chain_push(fab->switches, sw, next, at);
}

/**
 * fab_switch_remove() - remove a switch from the fabric
 * @fab: the fabric
 * @sw: the switch
 *
 * Its faults are removed and its links unplugged. Packets that it held and those in
 * flight on its links are returned to the host with FAB_DROP_TEARDOWN. Afterwards
 * nothing refers to it.
 */
void fab_switch_remove(struct fab *fab, struct fab_switch *sw)
{
	u32 i;

	while (sw->faults.first)
		fab_fault_remove(fab, sw->faults.first);
	fab_agent_flush(fab, sw, FAB_DROP_TEARDOWN);
	fab_reduce_remove_all(fab, sw);
	fab_arn_stop(fab, sw);
	for (i = 0; i < sw->p.ports; i++) {
		fab_link_part(fab, &sw->port[i], FAB_DROP_TEARDOWN);
		fab_event_cancel(&fab->events, &sw->port[i].flow_timer);
		fab_event_cancel(&fab->events, &sw->port[i].retry_timer);
		fab_age_stop(fab, &sw->port[i]);
	}
	fab_chain_del(sw, next, at);
}

/* How long the head of @pkt must wait, so that its tail does not leave before it has come. */
static noinline fab_time switch_wait(const struct fab_port *in, const struct fab_port *out,
				     const struct fab_pkt *pkt)
{
	fab_time time_in, time_out;

	if (in->sw->p.forward == FAB_STORE_FORWARD || !fab_port_can_send(out))
		return 0;
	/* The incoming rate is known at the port, though it is stored at the sender. */
	time_in = fab_wire_time(&in->peer->wire, pkt);
	time_out = fab_wire_time(&out->wire, pkt);
	return time_in > time_out ? time_in - time_out : 0;
}

/* Earliest time at which the first bit of @pkt may leave @out. */
static __always_inline fab_time switch_eligible(const struct fab *fab,
						const struct fab_port *in,
						const struct fab_port *out,
						const struct fab_pkt *pkt)
{
	fab_time at = fab->now + in->sw->p.latency;

	if (likely(fab_wire_alike(&in->peer->wire, &out->wire)))
		return at;
	return at + switch_wait(in, out, pkt);
}

/**
 * fab_switch_lose() - drop a packet that holds room and is in no queue
 * @fab: the fabric
 * @sw: the switch
 * @pkt: the packet
 * @why: reason, counted at its ingress port and reported to the host
 */
void fab_switch_lose(struct fab *fab, struct fab_switch *sw,
		     struct fab_pkt *pkt, enum fab_drop why)
{
	struct fab_port *in = &sw->port[pkt->ingress];

	fab_switch_release(fab, sw, pkt);
	fab_port_drop(fab, in, pkt, why);
}

/* Index of a packet in its row of the table of classes. */
static u8 switch_index(const struct fab_switch *sw, const struct fab_pkt *pkt)
{
	return sw->p.sl2vl == FAB_SL2VL_CLASS ? pkt->cls : pkt->sl;
}

/* Subnet management keeps its VL, whatever the table says (IBTA 7.6.4). */
static bool switch_manages(const struct fab_switch *sw,
			   const struct fab_pkt *pkt)
{
	return pkt->cls == FAB_VL_MGMT && fab_port_manages(sw->port);
}

/* Set the class of a packet by the table, which is there. Returns false if it was dropped. */
static noinline bool switch_map_by(struct fab *fab, struct fab_switch *sw, u32 out,
				   struct fab_pkt *pkt)
{
	if (switch_manages(sw, pkt))
		return true;
	pkt->cls = *switch_vl(sw, pkt->ingress, out, switch_index(sw, pkt));
	if (pkt->cls != FAB_VL_DROP)
		return true;
	fab_switch_lose(fab, sw, pkt, FAB_DROP_SL_DROP);
	return false;
}

/* Set the class of a packet on the next wire. Returns false if it was dropped. */
static __always_inline bool switch_map(struct fab *fab, struct fab_switch *sw, u32 out,
				       struct fab_pkt *pkt)
{
	return likely(!sw->vl) || switch_map_by(fab, sw, out, pkt);
}

/* Send a packet by a port: the way of each packet, so inline. */
static __always_inline void switch_pass(struct fab *fab, struct fab_port *in, u32 out,
					struct fab_pkt *pkt)
{
	struct fab_port *port = &in->sw->port[out];

	if (!switch_map(fab, in->sw, out, pkt))
		return;
	pkt->at = switch_eligible(fab, in, port, pkt);
	fab_port_enqueue(fab, port, pkt, port->fifos > 1 ? in->index : 0);
}

static noinline void switch_send(struct fab *fab, struct fab_port *in, u32 out,
				 struct fab_pkt *pkt)
{
	switch_pass(fab, in, out, pkt);
}

/**
 * fab_switch_emit() - send a packet of the switch's own agent
 * @fab: the fabric
 * @sw: the switch
 * @out: egress port
 * @pkt: the packet, which holds room at its ingress port
 *
 * It passes the pipeline. Its hops count from here, because the agents that pass on
 * a directed route count them themselves.
 */
void fab_switch_emit(struct fab *fab, struct fab_switch *sw, u32 out,
		     struct fab_pkt *pkt)
{
	struct fab_port *port = &sw->port[out];

	pkt->hops = 0;
	if (!switch_map(fab, sw, out, pkt))
		return;
	pkt->at = fab->now + sw->p.latency;
	fab_port_enqueue(fab, port, pkt, port->fifos > 1 ? pkt->ingress : 0);
}

/* A copy of @pkt for a port; NULL without memory. */
static struct fab_pkt *switch_clone(struct fab *fab, struct fab_switch *sw, u32 out,
				    const struct fab_pkt *pkt)
{
	struct fab_pkt *copy = fab->host->clone(fab, pkt);

	if (copy) {
		fab->c.packets_cloned++;
		return copy;
	}
	/* There is no packet to return to the host: only count the drop. */
	sw->port[out].c.drops[FAB_DROP_NO_MEMORY] += pkt->segs;
	if (unlikely(fab->phased))
		fab_phase_count(fab, FAB_PHASE_DROPPED, pkt->segs);
	return NULL;
}

/* Send a copy of @pkt; the original goes to another port. */
static void switch_copy(struct fab *fab, struct fab_port *in, u32 out,
			const struct fab_pkt *pkt)
{
	struct fab_pkt *copy = switch_clone(fab, in->sw, out, pkt);
	enum fab_drop verdict;

	if (!copy)
		return;
	copy->flags |= FAB_PKT_COPY;
	verdict = fab_room_take(&in->sw->buffer, in, copy);
	if (verdict != FAB_DROP_COUNT) {
		fab_port_drop(fab, in, copy, verdict);
		return;
	}
	if (in->flow->on_copy)
		in->flow->on_copy(fab, in, copy);
	switch_send(fab, in, out, copy);
}

/**
 * fab_switch_spread() - send a packet of a group by several ports
 * @fab: the fabric
 * @in: its ingress port, where it holds room
 * @ports: the ports, which may include @in
 * @n: number of them, 1 at least
 * @pkt: the packet; the last port gets it, the others copies, which hold no room
 */
void fab_switch_spread(struct fab *fab, struct fab_port *in, const u16 *ports, u32 n,
		       struct fab_pkt *pkt)
{
	struct fab_pkt *copy;
	u32 i;

	for (i = 0; i + 1 < n; i++) {
		copy = switch_clone(fab, in->sw, ports[i], pkt);
		if (!copy)
			continue;
		copy->roomless = true;
		switch_send(fab, in, ports[i], copy);
	}
	switch_send(fab, in, ports[n - 1], pkt);
}

static void switch_flood(struct fab *fab, struct fab_port *in,
			 struct fab_pkt *pkt)
{
	struct fab_switch *sw = in->sw;
	const unsigned long *ports = fab_route_mcast(&sw->route, pkt);
	u32 last = sw->p.ports, out;

	if (!ports) {
		fab_switch_lose(fab, sw, pkt, FAB_DROP_NO_ROUTE);
		return;
	}
	fab_bitset_for_each(out, ports, sw->p.ports) {
		if (out == in->index)
			continue;
		if (last < sw->p.ports)
			switch_copy(fab, in, last, pkt);
		last = out;
	}
	if (last < sw->p.ports)
		switch_send(fab, in, last, pkt);
	else
		fab_switch_lose(fab, sw, pkt, FAB_DROP_NO_ROUTE);
}

/* Admit a packet, which then holds room in the buffer. Returns FAB_DROP_COUNT or why not. */
static enum fab_drop switch_admit(struct fab_port *in, struct fab_pkt *pkt)
{
	if (pkt->flags & FAB_PKT_CORRUPT &&
	    in->sw->p.forward == FAB_STORE_FORWARD)
		return FAB_DROP_BIT_ERROR;
	if (++pkt->hops > FAB_HOPS_MAX)
		return FAB_DROP_HOP_LIMIT;
	return fab_room_take(&in->sw->buffer, in, pkt);
}

static void switch_label(struct fab_port *in, struct fab_pkt *pkt)
{
	fab_room_label(in, pkt);
	if (!(pkt->flags & FAB_PKT_CORRUPT))
		fab_port_count_rx(in, pkt);
}

/* Faults of the switch. Returns the port that they choose, -1 for none, or SWITCH_LOST. */
static noinline int switch_meet(struct fab *fab, struct fab_switch *sw, struct fab_pkt *pkt)
{
	enum fab_drop why;
	int out = -1;

	fab_set_flow_hash(fab, pkt);
	if (fab_agent_wants(fab, sw, pkt))
		return -1;
	why = fab_fault_meet(sw, pkt, &out);
	if (why == FAB_DROP_COUNT)
		return out;
	fab_switch_lose(fab, sw, pkt, why);
	return SWITCH_LOST;
}

/* Forward a packet that holds room. */
static void switch_forward(struct fab *fab, struct fab_port *in,
			   struct fab_pkt *pkt)
{
	struct fab_switch *sw = in->sw;
	int out = -1;

	if (sw->route.flows)
		fab_set_flow_hash(fab, pkt);
	if (unlikely(sw->faults.detours)) {
		out = switch_meet(fab, sw, pkt);
		if (out == SWITCH_LOST)
			return;
	}
	if (pkt->flags & FAB_PKT_MULTICAST) {
		switch_flood(fab, in, pkt);
		return;
	}
	if (out < 0)
		out = fab_route_select(&sw->route, sw->port, pkt, fab->now);
	if (unlikely(sw->arn) && out >= 0)
		fab_arn_look(fab, in, &sw->port[out], pkt);
	if (likely(out >= 0))
		switch_pass(fab, in, out, pkt);
	else if (fab_agent_wants(fab, sw, pkt))
		fab_agent_take(fab, in, pkt);
	else if (fab_dst_reduces(pkt->dst))
		fab_reduce_take(fab, in, pkt);
	else
		fab_switch_lose(fab, sw, pkt, FAB_DROP_NO_ROUTE);
}

/**
 * fab_switch_receive() - process a packet that arrived at a switch
 * @fab: the fabric
 * @in: its ingress port
 * @pkt: the packet
 */
void fab_switch_receive(struct fab *fab, struct fab_port *in,
			struct fab_pkt *pkt)
{
	enum fab_drop verdict;

	switch_label(in, pkt);
	verdict = switch_admit(in, pkt);
	fab_room_look(fab, &in->sw->buffer, in, pkt, verdict);
	if (verdict != FAB_DROP_COUNT) {
		fab_fault_refused(in->sw, pkt, verdict);
		fab_port_drop(fab, in, pkt, verdict);
		return;
	}
	switch_forward(fab, in, pkt);
}
