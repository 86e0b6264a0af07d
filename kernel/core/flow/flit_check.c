// SPDX-License-Identifier: GPL-2.0
/*
 * Invariants of links of flits, as code. What they are is said in flit.c.
 */
#include "core/fabric.h"
#include "core/flow/flit.h"
#include "core/sim/bitset.h"
#include "core/sim/rng.h"

/**
 * struct flit_sum - what packets add up to
 * @vc: credits, by channel
 * @size: bytes of the replay buffer
 */
struct flit_sum {
	struct fab_flit_credits vc[FAB_CLASSES_MAX];
	u32 size;
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
		sum->size += fab_flit_size(rx, pkt);
	}
}

/* What was sent has arrived, is on the wire, or is to be sent again. */
static const char *flit_check_sent(const struct fab_port *port)
{
	const struct fab_port *rx = port->peer;
	const struct fab_flit_state *s = fab_flit(port), *r = fab_flit(rx);
	struct flit_sum sum = {}, late = {};
	struct fab_flit_credits away;
	u32 vc;

	flit_sum(&late, rx, &port->unacked);
	if (s->wire_seq - r->expect != late.size)
		return "flit: what was refused and sequence numbers disagree";
	flit_sum(&sum, rx, &port->wire.in_flight);
	flit_sum(&sum, rx, &port->replay);
	if (s->seq - s->wire_seq != sum.size)
		return "flit: what is sent and sequence numbers disagree";
	for (vc = 0; vc < rx->p->classes; vc++) {
		away = fab_flit_sub(s->vc[vc].used, r->vc[vc].received);
		sum.vc[vc] = fab_flit_add(sum.vc[vc], late.vc[vc]);
		if (!fab_flit_same(away, sum.vc[vc]))
			return "flit: credits used and packets disagree";
	}
	return NULL;
}

/* No more is known than was granted; less only while the rest is to be told. */
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
	    fab_event_pending(&port->flow_timer))
		return NULL;
	if (far->replays != fab_flit(port)->naks)
		return "flit: a replay was asked for, and nobody will";
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
 * The queues of a switch hold what its ports say that they hold: equal sums,
 * weighted by port, as fab_check() does it for bytes.
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

/* The head of a class whose turn it is. */
static const struct fab_pkt *flit_head(const struct fab_port *port, u32 cls)
{
	const struct fab_class *c = &port->cls[cls];
	u32 i = fab_bitset_next(c->active, port->fifos, c->turn);

	if (i >= port->fifos)
		i = fab_bitset_next(c->active, port->fifos, 0);
	return c->fifo[i].head;
}

/* A head that may go has the port about to look. */
static const char *flit_check_stuck(const struct fab_port *port)
{
	u32 ready = port->ready & fab_sched_serves(&port->sched);

	if (fab_event_pending(&port->kick) || fab_port_hangs(port))
		return NULL;
	/* A full ring of control flits goes on when the oldest arrives. */
	if (port->urgent && port->control.n < FAB_FLIT_SLOTS)
		return "flit: something urgent waits for nothing";
	for (; ready; ready &= ready - 1)
		if (fab_flit_fits(port, flit_head(port, __ffs(ready))))
			return "flit: has credits, but will not send";
	return NULL;
}

/**
 * fab_flit_check() - the invariants of a port
 * @port: the port
 *
 * Return: NULL, or what is wrong.
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
	if (!wrong)
		wrong = flit_check_granted(port);
	return wrong ? wrong : flit_check_stuck(port);
}
