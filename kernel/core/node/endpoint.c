// SPDX-License-Identifier: GPL-2.0
/*
 * An endpoint: the host's side of a NIC, with one fabric port.
 *
 * DOC: theory of operation
 *
 * The host asks fab_endpoint_stop() whether a class has room, and stops its own queue
 * if not. When less than half the ring is in use, tx_wake is called once. With half a
 * ring, one wake-up serves many packets. A packet is accepted as long as the ring is
 * below its limit, so the last one may exceed it.
 */
#include "core/node/endpoint.h"
#include "core/fabric.h"
#include "core/node/queue.h"
#include "core/node/traffic.h"
#include "core/node/trigger.h"
#include "core/sim/chain.h"
#include "core/sim/fixed.h"
#include "core/sim/mem.h"

/**
 * fab_endpoint_params_check() - check the parameters of an endpoint
 * @p: the parameters
 *
 * Return: 0, -ERANGE for a time, -EINVAL for the port.
 */
int fab_endpoint_params_check(const struct fab_endpoint_params *p)
{
	int err;

	if (p->tx_latency > FAB_DELAY_MAX || p->rx_latency > FAB_DELAY_MAX)
		return -ERANGE;
	err = fab_receive_params_check(&p->rx);
	if (!err)
		err = fab_moderation_params_check(&p->moderation);
	if (!err)
		err = fab_buffer_params_check(&p->buffer, 1, p->port.classes);
	return err ? err : fab_port_params_check(&p->port);
}

/**
 * fab_endpoint_mem() - memory that an endpoint needs in addition to its struct
 * @p: its parameters
 *
 * Return: bytes.
 */
size_t fab_endpoint_mem(const struct fab_endpoint_params *p)
{
	return FAB_LINE + fab_port_class_mem(&p->port) + fab_port_mem(&p->port, 1) +
	       fab_port_ring_mem(&p->port);
}

/**
 * fab_endpoint_init() - initialise an endpoint and add it to the fabric
 * @fab: the fabric
 * @ep: the endpoint
 * @id: destination id, unique in the fabric
 * @p: parameters, which fab_endpoint_params_check() accepts; in use until it is removed.
 * Endpoints whose parameters are never changed may share them
 * @mem: zeroed memory, fab_endpoint_mem() bytes, in use until it is removed
 */
void fab_endpoint_init(struct fab *fab, struct fab_endpoint *ep, u32 id,
		       struct fab_endpoint_params *p, void *mem)
{
	struct fab_class *cls;

	memset(ep, 0, sizeof(*ep));
	ep->p = p;
	ep->id = id;
	ep->port.ep = ep;
	fab_mem_line(&mem);
	cls = fab_mem_cut(&mem, 1, fab_port_class_mem(&p->port));
	mem = fab_port_init(fab, &ep->port, &ep->p->port, 1, cls, mem);
	fab_port_ring_init(&ep->port, mem);
	fab_receive_init(ep);
	fab_moderation_init(ep);
	fab_chain_push(fab->endpoints, ep, next, at);
}

/**
 * fab_endpoint_remove() - remove an endpoint from the fabric
 * @fab: the fabric
 * @ep: the endpoint
 *
 * Its link is unplugged. Packets queued or in flight on it are returned to the host
 * with FAB_DROP_TEARDOWN, and tx_wake is no longer called. Packets for it that are
 * elsewhere in the fabric continue. Its traffic generators are removed, and its
 * triggers will never be met.
 */
void fab_endpoint_remove(struct fab *fab, struct fab_endpoint *ep)
{
	/* A phase that is over is closed first, while the endpoint's counters exist. */
	if (unlikely(fab->phased))
		fab_phase_look(fab);
	while (ep->traffic)
		fab_traffic_remove(fab, ep->traffic);
	fab_trigger_nic_gone(ep);
	ep->stopped = 0;
	fab_link_part(fab, &ep->port, FAB_DROP_TEARDOWN);
	fab_event_cancel(&fab->events, &ep->port.flow_timer);
	fab_event_cancel(&fab->events, &ep->port.retry_timer);
	fab_receive_flush(fab, ep, FAB_DROP_TEARDOWN);
	fab_moderation_flush(fab, ep);
	fab_chain_del(ep, next, at);
}

/**
 * fab_endpoint_sched_set() - change the scheduler of an endpoint
 * @fab: the fabric
 * @ep: the endpoint
 * @p: the parameters
 *
 * The state of the scheduler is reset.
 *
 * Return: 0, or -EINVAL for invalid parameters.
 */
int fab_endpoint_sched_set(struct fab *fab, struct fab_endpoint *ep,
			   const struct fab_sched_params *p)
{
	int err = fab_sched_params_check(p, ep->p->port.classes);

	if (err)
		return err;
	ep->p->port.sched = *p;
	fab_port_sched_set(&ep->port, p);
	fab_port_kick(fab, &ep->port, fab->now);
	return 0;
}

static inline int endpoint_pkt_check(const struct fab_endpoint *ep,
				     const struct fab_pkt *pkt)
{
	if (!fab_port_has(&ep->port, pkt->cls) || !pkt->segs || !pkt->len)
		return -EINVAL;
	/* The train must fit the length limit with the overhead of any wire. */
	if (unlikely(pkt->len + (u64)pkt->segs * FAB_OVERHEAD_MAX > FAB_LEN_MAX / 2))
		return -EMSGSIZE;
	if (fab_endpoint_full(ep, pkt->cls))
		return -ENOBUFS;
	return 0;
}

/* As fab_port_enqueue(), whose usual case it does itself. */
static __always_inline void endpoint_enqueue(struct fab *fab, struct fab_port *port,
					     struct fab_pkt *pkt)
{
	if (unlikely(port->special & FAB_SPECIAL_AGE ||
		     fab_port_refuses(port, pkt) != FAB_DROP_COUNT)) {
		fab_port_enqueue(fab, port, pkt, 0);
		return;
	}
	fab_queue_push(port, pkt, 0);
	fab_queue_joined(fab, port, pkt);
}

static __always_inline int endpoint_take(struct fab *fab, struct fab_endpoint *ep,
					 struct fab_pkt *pkt, bool host)
{
	int err = endpoint_pkt_check(ep, pkt);

	if (err)
		return err;
	fab->c.packets_in++;
	pkt->born = fab->now;
	pkt->at = fab->now + ep->p->tx_latency;
	pkt->hops = 0;
	pkt->phased = false;
	if (unlikely(fab->phased) && host)
		fab_phase_sent(fab, ep, pkt);
	if (unlikely(ep->triggers) && host)
		fab_trigger_sent(fab, ep, pkt);
	endpoint_enqueue(fab, &ep->port, pkt);
	return 0;
}

/**
 * fab_endpoint_send() - send a packet of the host
 * @fab: the fabric
 * @ep: the endpoint that sends
 * @pkt: the packet
 *
 * An accepted packet is returned by deliver or drop, possibly before this function
 * returns (if the link is down).
 *
 * Return: 0 if it was accepted; -EINVAL for an invalid class, length or number of
 * frames; -EMSGSIZE if the train is too long; -ENOBUFS if the ring is full.
 */
int fab_endpoint_send(struct fab *fab, struct fab_endpoint *ep,
		      struct fab_pkt *pkt)
{
	return endpoint_take(fab, ep, pkt, true);
}

/**
 * fab_endpoint_generate() - send a packet of a traffic generator
 * @fab: the fabric
 * @ep: the endpoint that sends
 * @pkt: the packet, which belongs to no phase and meets no trigger
 *
 * Return: as fab_endpoint_send().
 */
int fab_endpoint_generate(struct fab *fab, struct fab_endpoint *ep,
			  struct fab_pkt *pkt)
{
	return endpoint_take(fab, ep, pkt, false);
}

/**
 * fab_endpoint_drained() - wake the host if a ring has room again
 * @fab: the fabric
 * @ep: the endpoint
 * @cls: the class, whose ring lost a packet
 *
 * The port calls this when its own state is consistent, because the host may send
 * from inside tx_wake.
 */
void fab_endpoint_drained(struct fab *fab, struct fab_endpoint *ep, u8 cls)
{
	if (!(ep->stopped & BIT(cls)))
		return;
	if (ep->port.cls[cls].bytes * 2 >= ep->p->port.queue_limit)
		return;
	ep->stopped &= ~BIT(cls);
	if (ep->traffic)
		fab_traffic_room(fab, ep, cls);
	fab->host->tx_wake(ep, cls);
}

/**
 * fab_endpoint_deliver() - deliver a packet to the host
 * @fab: the fabric
 * @ep: the endpoint
 * @pkt: the packet, no longer in a queue
 */
void fab_endpoint_deliver(struct fab *fab, struct fab_endpoint *ep,
			  struct fab_pkt *pkt)
{
	if (ep->latency)
		fab_hist_add(ep->latency, fab->now - pkt->born);
	fab->c.packets_delivered++;
	if (unlikely(fab->phased))
		fab_phase_delivered(fab, ep, pkt);
	fab->host->deliver(ep, pkt);
}
