/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An endpoint: the host's side of a NIC, with one fabric port.
 */
#ifndef FAB_ENDPOINT_H
#define FAB_ENDPOINT_H

#include "core/node/moderate.h"
#include "core/node/port.h"
#include "core/node/receive.h"
#include "core/sim/hist.h"

/**
 * struct fab_endpoint_params - parameters of an endpoint
 */
struct fab_endpoint_params {
	/** @tx_latency: from the hand-in by the host to the port, ps */
	fab_time tx_latency;
	/** @rx_latency: from the last bit to the delivery to the host, ps */
	fab_time rx_latency;
	/** @rx: receive side */
	struct fab_receive_params rx;
	/** @moderation: interrupt moderation */
	struct fab_moderation_params moderation;
	/** @port: its port; queue_limit is the transmit ring of each class */
	struct fab_port_params port;
	/** @buffer: receive buffer of packets that wait for the host; total 0: no limit */
	struct fab_buffer_params buffer;
};

/**
 * struct fab_endpoint - one endpoint
 */
struct fab_endpoint {
	/** @port: its port */
	struct fab_port port;
	/** @id: destination id, unique in the fabric, given by the host */
	u32 id;
	/** @stopped: bit per class whose ring was full and whose sender waits for tx_wake */
	u16 stopped;
	/** @staged: packets pass the receive buffer; else they are delivered directly */
	bool staged;
	/** @next: next endpoint of the fabric */
	struct fab_endpoint *next;
	/** @at: what points to it in the fabric's list */
	struct fab_endpoint **at;
	/** @traffic: generators that send here, in the order of their turns */
	struct fab_traffic *traffic;
	/** @p: parameters, memory of the host */
	struct fab_endpoint_params *p;
	/** @rx: receive side */
	struct fab_receive rx;
	/** @moderation: packets for which the host was not interrupted yet */
	struct fab_moderation moderation;
	/** @phase: its counters for phases */
	struct fab_phase_nic phase;
	/** @triggers: triggers on the packets that its host hands in */
	struct fab_trigger *triggers;
	/**
	 * @latency: time from hand-in to delivery of the packets that arrived here;
	 * memory of the host, which sets it after fab_endpoint_init(). NULL: not counted
	 */
	struct fab_hist *latency;
};

int fab_endpoint_params_check(const struct fab_endpoint_params *p);
size_t fab_endpoint_mem(const struct fab_endpoint_params *p);
void fab_endpoint_init(struct fab *fab, struct fab_endpoint *ep, u32 id,
		       struct fab_endpoint_params *p, void *mem);
void fab_endpoint_remove(struct fab *fab, struct fab_endpoint *ep);
int fab_endpoint_send(struct fab *fab, struct fab_endpoint *ep,
		      struct fab_pkt *pkt);
int fab_endpoint_generate(struct fab *fab, struct fab_endpoint *ep,
			  struct fab_pkt *pkt);
int fab_endpoint_sched_set(struct fab *fab, struct fab_endpoint *ep,
			   const struct fab_sched_params *p);
void fab_endpoint_drained(struct fab *fab, struct fab_endpoint *ep, u8 cls);
void fab_endpoint_deliver(struct fab *fab, struct fab_endpoint *ep,
			  struct fab_pkt *pkt);

/**
 * fab_endpoint_full() - is the ring of a class full?
 * @ep: the endpoint
 * @cls: the class, which exists
 *
 * Return: true if it takes no packet.
 */
static inline bool fab_endpoint_full(const struct fab_endpoint *ep, u8 cls)
{
	return ep->port.cls[cls].bytes >= ep->p->port.queue_limit;
}

/**
 * fab_endpoint_stop() - must the host stop the queue of a class?
 * @ep: the endpoint
 * @cls: the class
 *
 * Return: true if the ring is full; then tx_wake will be called once. False for a
 * class that does not exist; fab_endpoint_send() returns the error.
 */
static inline bool fab_endpoint_stop(struct fab_endpoint *ep, u8 cls)
{
	if (!fab_port_has(&ep->port, cls) || likely(!fab_endpoint_full(ep, cls)))
		return false;
	ep->stopped |= BIT(cls);
	return true;
}

/**
 * fab_moderation_gap() - time from a packet to the start of a gap
 * @ep: the endpoint that has the packet
 * @pkt: the packet
 *
 * Return: ps after the packet, for fab_moderation_frames().
 */
static inline fab_time fab_moderation_gap(const struct fab_endpoint *ep,
					  const struct fab_pkt *pkt)
{
	const struct fab_port *from = ep->port.peer;
	fab_time t;

	if (!ep->moderation.p.adaptive || !from)
		return 0;
	t = fab_wire_time(&from->wire, pkt);
	return t + min(t, ep->p->tx_latency + ep->p->rx_latency);
}

#endif
