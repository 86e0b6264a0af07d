// SPDX-License-Identifier: GPL-2.0
/*
 * Adaptive routing notifications: a switch tells the one before it which destinations it can
 * hardly reach.
 *
 * DOC: theory of operation
 *
 * Adaptive routing by queues of its own does not see what lies beyond the next switch. With
 * notices a switch that forwards a packet to a port that is bad for it tells the switch that
 * the packet came from. A port is bad
 *
 * - if its link is down;
 * - if its peer has told that it is, for this destination;
 * - if the packet's class is held back, or its queue is longer than arn_queue.
 *
 * The switch before avoids its port to the sender for that destination for arn_hold, as
 * long as another one is up. So a switch whose ports are all bad tells it on. The next notice
 * of the same kind is sent when half of arn_hold has passed, if the port is bad then.
 *
 * A notice is there after the propagation and the latency of the switch that it comes to. It
 * takes no time of the wire, and is not lost.
 *
 * Tables have no lists: what collides replaces what was there. Then a notice is sent again, or
 * forgotten early.
 *
 * Source: NVIDIA's switches have adaptive routing notifications, of which the idea is public and
 * the format is not. The rules are choices.
 */
#include "core/node/arn.h"
#include "core/fabric.h"
#include "core/sim/rng.h"

static struct fab_arn *arn_at(struct fab_arn *table, u32 port, u32 dst)
{
	return &table[fab_mix((u64)dst << 16 | port) & (FAB_ARN_ENTRIES - 1)];
}

static bool arn_holds(const struct fab_arn *e, u32 port, u32 dst, fab_time now)
{
	return e->until > now && e->dst == dst && e->port == port;
}

/**
 * fab_arn_known() - has the switch behind a port told that it can hardly reach a destination?
 * @n: the notices
 * @port: number of the port
 * @dst: the destination
 * @now: the time
 *
 * Return: true if so, not too long ago.
 */
bool fab_arn_known(const struct fab_arns *n, u32 port, u32 dst, fab_time now)
{
	return arn_holds(arn_at((struct fab_arn *)n->known, port, dst), port, dst,
			    now);
}

static void arn_put(struct fab_arn *table, u32 port, u32 dst, fab_time until)
{
	*arn_at(table, port, dst) = (struct fab_arn) {
		.until = until, .dst = dst, .port = port,
	};
}

/* If the link was moved meanwhile, who is there now hears it: it is its own port's fault. */
static void arn_on_arrive(struct fab *fab, struct fab_event *ev)
{
	struct fab_arn_way *w = container_of(ev, struct fab_arn_way, arrive);
	const struct fab_port *peer = w->sw->port[w->port].peer;
	struct fab_switch *to = peer ? peer->sw : NULL;

	if (!to || !to->arn)
		return;
	to->arn->heard++;
	arn_put(to->arn->known, peer->index, w->dst, fab->now + to->p.arn_hold);
}

/**
 * fab_arn_init() - let a switch send and hear notices
 * @sw: the switch
 * @n: zeroed
 */
void fab_arn_init(struct fab_switch *sw, struct fab_arns *n)
{
	u32 i;

	for (i = 0; i < FAB_ARN_WAYS; i++) {
		n->way[i].sw = sw;
		fab_event_init(&n->way[i].arrive, arn_on_arrive);
	}
	sw->arn = n;
	sw->route.arn = n;
}

/**
 * fab_arn_stop() - drop the notices that a switch has on their way
 * @fab: the fabric
 * @sw: the switch
 */
void fab_arn_stop(struct fab *fab, struct fab_switch *sw)
{
	u32 i;

	for (i = 0; sw->arn && i < FAB_ARN_WAYS; i++)
		fab_event_cancel(&fab->events, &sw->arn->way[i].arrive);
}

static bool arn_is_bad(const struct fab *fab, const struct fab_switch *sw,
		       const struct fab_port *out, const struct fab_pkt *pkt)
{
	return !fab_port_can_send(out) ||
	       fab_arn_known(sw->arn, out->index, pkt->dst, fab->now) ||
	       (out->blocked & out->ready) >> pkt->cls & 1 ||
	       out->cls[pkt->cls].bytes > sw->p.arn_queue;
}

static void arn_send(struct fab *fab, struct fab_port *in, u32 dst)
{
	struct fab_arns *n = in->sw->arn;
	struct fab_arn_way *w = &n->way[n->next];

	if (fab_event_pending(&w->arrive)) {
		n->unsent++;
		return;
	}
	n->next = (n->next + 1) % FAB_ARN_WAYS;
	n->sent++;
	arn_put(n->told, in->index, dst, fab->now + in->sw->p.arn_hold / 2);
	w->dst = dst;
	w->port = in->index;
	fab_event_schedule(&fab->events, &w->arrive, fab->now + in->wire.p.propagation +
			   in->peer->sw->p.latency);
}

/**
 * fab_arn_look() - a packet is about to be forwarded: tell where it came from, if that is bad
 * @fab: the fabric
 * @in: its ingress port, of a switch with notices
 * @out: its egress port
 * @pkt: the packet
 */
void fab_arn_look(struct fab *fab, struct fab_port *in, const struct fab_port *out,
		  const struct fab_pkt *pkt)
{
	struct fab_switch *sw = in->sw;

	if (!in->peer || !in->peer->sw || !fab_port_can_send(in) ||
	    !arn_is_bad(fab, sw, out, pkt))
		return;
	if (!arn_holds(arn_at(sw->arn->told, in->index, pkt->dst), in->index,
		       pkt->dst, fab->now))
		arn_send(fab, in, pkt->dst);
}

/**
 * fab_arn_check() - count the pending events of a switch's notices
 * @sw: the switch
 * @events: raised by their number
 */
void fab_arn_check(const struct fab_switch *sw, u64 *events)
{
	u32 i;

	for (i = 0; sw->arn && i < FAB_ARN_WAYS; i++)
		*events += fab_event_pending(&sw->arn->way[i].arrive);
}
