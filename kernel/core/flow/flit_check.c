// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the invariants of links with flits, which flit.c describes.
 */
#include "core/fabric.h"
#include "core/flow/flit.h"
#include "core/sim/rng.h"

/**
 * struct flit_sum - sum of the credits of packets
 * @vc: credits, by channel
 */
struct flit_sum {
	struct fab_flit_credits vc[FAB_CLASSES_MAX];
};

static void flit_sum(struct flit_sum *sum, const struct fab_port *rx,
		     const struct fab_fifo *q)
{
	struct fab_flit_credits cost;
	const struct fab_pkt *pkt;
	u32 vc;

	for (pkt = q->head; pkt; pkt = pkt->next) {
		vc = fab_flit_channel(rx, pkt);
		cost = fab_flit_cost(fab_flit_of(rx), pkt);
		sum->vc[vc] = fab_flit_add(sum->vc[vc], cost);
	}
}

/* Each packet sent has arrived, is on the wire, or is to be retransmitted. */
static const char *flit_check_sent(const struct fab_port *port)
{
	const struct fab_port *rx = port->peer;
	const struct fab_flit_state *s = fab_flit(port), *r = fab_flit(rx);
	struct fab_flit_credits away;
	struct flit_sum sum = {};
	u32 vc;

	flit_sum(&sum, rx, &port->unacked);
	flit_sum(&sum, rx, &port->wire.in_flight);
	flit_sum(&sum, rx, &port->replay);
	for (vc = 0; vc < rx->p->classes; vc++) {
		away = fab_flit_sub(s->vc[vc].used, r->vc[vc].received);
		if (!fab_flit_same(away, sum.vc[vc]))
			return "flit: credits used and packets disagree";
	}
	return NULL;
}

/* A limit is never above the granted credits; below only while an update is pending. */
static const char *flit_check_granted(const struct fab_port *port)
{
	const struct fab_flit_state *far = fab_flit(port->peer);
	struct fab_flit_credits more;
	u32 vc;

	for (vc = 0; vc < port->p->classes; vc++) {
		if (!(far->up & BIT(vc)))
			continue;
		more = fab_flit_sub(fab_flit_granted(port, vc),
				    far->vc[vc].limit);
		if ((s32)more.hdr < 0 || (s32)more.data < 0)
			return "flit: more credits known than granted";
	}
	if (!fab_port_can_send(port) || port->control.n ||
	    port->urgent & FAB_URGENT_CONTROL ||
	    fab_event_pending(&port->retry_timer))
		return NULL;
	if (fab_flit_unheard(port))
		return "flit: credits that nobody will tell of";
	return NULL;
}

/* A weight for each port and channel, the same for both kinds of credits. */
static u64 flit_weigh(u32 port, u32 vc, struct fab_flit_credits c)
{
	u32 id = 2 * (port * FAB_CLASSES_MAX + vc);

	return c.hdr * fab_mix(id + 1) + c.data * fab_mix(id + 2);
}

static u64 flit_weigh_queue(const struct fab_port *port,
			    const struct fab_fifo *q)
{
	const struct fab_flit_params *p = fab_flit_of(port);
	const struct fab_pkt *pkt;
	u64 sum = 0;

	for (pkt = q->head; pkt; pkt = pkt->next)
		if (!(pkt->flags & FAB_PKT_COPY))
			sum += flit_weigh(pkt->ingress, pkt->cls_in,
					  fab_flit_cost(p, pkt));
	return sum;
}

static u64 flit_weigh_held(const struct fab_port *port)
{
	u64 sum = 0;
	u32 vc;

	for (vc = 0; vc < port->p->classes; vc++)
		sum += flit_weigh(port->index, vc, fab_flit(port)->vc[vc].held);
	return sum;
}

/*
 * The queues of a switch hold the packets that its ports account for: the weighted
 * sums are equal, as in fab_check() for bytes.
 */
static const char *flit_check_switch(const struct fab_switch *sw)
{
	u64 held = 0, queued = 0;
	const struct fab_port *port;
	u32 i, cls, fifo;

	for (i = 0; i < sw->p.ports; i++) {
		port = &sw->port[i];
		held += flit_weigh_held(port);
		for (cls = 0; cls < port->p->classes; cls++)
			for (fifo = 0; fifo < port->fifos; fifo++)
				queued += flit_weigh_queue(port,
					&port->cls[cls].fifo[fifo]);
	}
	return held != queued ? "flit: credits held in no queue" : NULL;
}

static const char *flit_check_endpoint(const struct fab_endpoint *ep)
{
	const struct fab_fifo draining = { .head = ep->rx.draining,
					   .tail = ep->rx.draining };
	u64 queued = 0;
	u32 cls;

	for (cls = 0; cls < FAB_CLASSES_MAX; cls++)
		queued += flit_weigh_queue(&ep->port, &ep->rx.queue[cls]);
	if (draining.head)
		queued += flit_weigh(0, draining.head->cls_in,
				     fab_flit_cost(fab_flit_of(&ep->port),
						   draining.head));
	return queued != flit_weigh_held(&ep->port) ?
	       "flit: credits held in no queue" : NULL;
}

/**
 * fab_flit_check() - check the invariants of a port
 * @port: the port
 *
 * Return: NULL, or the violated invariant as text.
 */
const char *fab_flit_check(const struct fab_port *port)
{
	const char *wrong = NULL;

	if (port->sw && !port->index)
		wrong = flit_check_switch(port->sw);
	if (port->ep)
		wrong = flit_check_endpoint(port->ep);
	if (wrong || !port->peer)
		return wrong;
	wrong = flit_check_sent(port);
	return wrong ? wrong : flit_check_granted(port);
}
