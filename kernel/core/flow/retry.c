// SPDX-License-Identifier: GPL-2.0
/*
 * Retry of a link: what an error hit is sent once more, in order (go-back-N).
 *
 * DOC: theory of operation
 *
 * A packet hit by an error is refused before anything else sees it, and so is
 * what comes after it, by its sequence number. The NAK names the number that is
 * expected; the sender takes back what was refused and what is still on the
 * wire, and sends it once more, in order, before anything else. Sequence numbers
 * count bytes of the replay buffer, which the framing of the link measures. What
 * is not acknowledged fills it; a packet that does not fit waits, unless the
 * buffer is empty.
 *
 * Acknowledgements go with what flow control says where the framing has one
 * frame for both (flits), on packets where they may ride, and otherwise in
 * frames of their own. They are told at the first chance that takes no time from
 * packets. They go before packets when a replay keeps new packets from going,
 * or, where nothing rides, when a quarter of the replay buffer has arrived and
 * the far end does not know.
 *
 * What is told may be hit by an error as well. Wherever the wire has errors a
 * timer tells again what the far end has not heard. Where it has, the repetition
 * would change nothing and is left out, so that an idle link is idle; for that
 * alone a port looks at its far end, and writes nothing there. The timer stands for the sender's
 * REPLAY_TIMER in PCIe, which has the same effect.
 *
 * Sources: PCI Express Base Specification 3.6 (sequence numbers, ACK, NAK,
 * replay buffer).
 *
 * Not modelled: duplicates that a sender makes because an acknowledgement was
 * lost, retraining after many replays.
 *
 * Invariants: what was sent has arrived in order, was refused, is on the wire, or
 * is to be sent again, by its sequence numbers; a replay that was asked for, and
 * what the far end lacks, is on its way or due.
 */
#include "core/flow/retry.h"
#include "core/fabric.h"
#include "core/sim/bitset.h"
#include "core/sim/fixed.h"

static const struct fab_retry_params *retry_of(const struct fab_port *port)
{
	return &port->p->retry;
}

/* Bytes of the replay buffer that a packet takes on its way to @rx. */
static u32 retry_size(const struct fab_port *rx, const struct fab_pkt *pkt)
{
	return rx->p->disc->framing->size(rx->p, pkt);
}

/**
 * fab_retry_params_check() - can the model retry like this?
 * @p: parameters of the port, whose framing retries
 *
 * Return: 0, or -EINVAL.
 */
int fab_retry_params_check(const struct fab_port_params *p)
{
	const struct fab_retry_params *r = &p->retry;

	if (r->replay > FAB_RETRY_BUFFER_MAX)
		return -EINVAL;
	if (!r->control || r->control > FAB_OVERHEAD_MAX)
		return -EINVAL;
	return !r->repeat || r->repeat > FAB_DELAY_MAX ? -EINVAL : 0;
}

/* Send again from the oldest packet on that was refused. */
static void retry_go_back(struct fab *fab, struct fab_port *port)
{
	struct fab_fifo again = port->unacked;

	port->unacked.head = NULL;
	fab_link_recall(fab, port, &again);
	fab_fifo_join(&again, &port->replay);
	port->replay = again;
	if (!again.head)
		return;
	again.head->again = true;
	port->urgent |= FAB_URGENT_REPLAY;
	fab_port_kick(fab, port, fab->now);
}

static u32 retry_sum(const struct fab_port *rx, const struct fab_fifo *q)
{
	const struct fab_pkt *pkt;
	u32 sum = 0;

	for (pkt = q->head; pkt; pkt = pkt->next)
		sum += retry_size(rx, pkt);
	return sum;
}

/**
 * fab_retry_reset() - begin anew, both as sender and as receiver
 * @fab: the fabric
 * @port: the port
 *
 * Packets may be on the wire, when it is the other one that went down or came
 * up. Flits count as the first: what was granted for them is counted anew, too.
 * Frames are lost with the link that they were sent on.
 */
void fab_retry_reset(struct fab *fab, struct fab_port *port)
{
	fab_event_cancel(&fab->events, &port->retry_timer);
	fab_control_clear(fab, port);
	if (!port->p->disc->framing->shares)
		fab_link_lose(fab, port, FAB_DROP_LINK_DOWN);
	else if (port->unacked.head)
		retry_go_back(fab, port);
	memset(port->retry, 0, sizeof(*port->retry));
	if (port->peer)
		port->retry->seq = retry_sum(port->peer, &port->wire.in_flight) +
				   retry_sum(port->peer, &port->replay);
}

/**
 * fab_retry_room() - is there room to keep a packet until it is acknowledged?
 * @port: port that would send it, which has a link
 * @pkt: the packet
 *
 * Return: whether there is.
 */
bool fab_retry_room(const struct fab_port *port, const struct fab_pkt *pkt)
{
	u32 room = retry_of(port)->replay, unacked;

	if (!room)
		return true;
	unacked = port->retry->seq - port->retry->acked;
	return !unacked || unacked + retry_size(port->peer, pkt) <= room;
}

/* Does the far end wait for acknowledgements? */
static bool retry_acks(const struct fab_port *port)
{
	return retry_of(port->peer)->replay;
}

/* Does it have to hear of this one? */
static bool retry_news(const struct fab_port *port)
{
	const struct fab_retry *r = port->retry;

	return retry_acks(port) && r->expect != r->told_seq;
}

/* Errors may hit what was just told: see later whether it was heard. */
static void retry_arm(struct fab *fab, struct fab_port *port)
{
	if (!fab_port_errs(port) || fab_event_pending(&port->retry_timer))
		return;
	fab_event_schedule(&fab->events, &port->retry_timer,
			   fab->now + retry_of(port)->repeat);
}

/* Fill @c with what there is to say, and count it as told. */
static void retry_tell(struct fab *fab, struct fab_port *port,
		       struct fab_control *c)
{
	struct fab_retry *r = port->retry;

	c->retry.flags |= FAB_RETRY_ACK;
	c->retry.seq = r->expect;
	r->told_seq = r->expect;
	/* A frame that opens a channel refuses nothing. */
	if (r->nak && !(c->retry.flags & FAB_RETRY_INIT)) {
		c->retry.flags |= FAB_RETRY_NAK;
		r->nak = false;
	}
	retry_arm(fab, port);
}

/* Put what there is to say into the header of a packet that is sent now. */
static void retry_ride(struct fab *fab, struct fab_port *port,
		       const struct fab_pkt *pkt)
{
	const struct fab_flow_control *flow = port->flow;
	bool also = retry_news(port);
	struct fab_control c = {};
	fab_time time;

	if (port->retry->nak || port->control.n == port->control.slots)
		return;
	if (!flow->rides || !flow->rides(port, pkt, also, &time))
		return;
	flow->control(fab, port, FAB_SAY_ANY, &c);
	retry_tell(fab, port, &c);
	if (pkt->flags & FAB_PKT_CORRUPT)
		return;
	if (unlikely(port->special & FAB_SPECIAL_FAULT) && fab_fault_ride(port))
		return;
	fab_control_carry(fab, port, &c, time);
}

/**
 * fab_retry_on_send() - a new packet goes onto the wire
 * @fab: the fabric
 * @port: port that sends it
 * @pkt: the packet
 */
void fab_retry_on_send(struct fab *fab, struct fab_port *port,
		       const struct fab_pkt *pkt)
{
	port->retry->seq += retry_size(port->peer, pkt);
	if (retry_of(port)->carry)
		retry_ride(fab, port, pkt);
}

/**
 * fab_retry_on_arrive() - a packet is at the far end
 * @fab: the fabric
 * @from: port that sent it
 * @pkt: the packet
 *
 * Return: whether the link refused it; it is in the sender's queue of packets to
 * be replayed then.
 */
bool fab_retry_on_arrive(struct fab *fab, struct fab_port *from,
			 struct fab_pkt *pkt)
{
	bool corrupt = pkt->flags & FAB_PKT_CORRUPT;
	struct fab_port *to = from->peer;
	struct fab_retry *r = to->retry;
	u32 size = retry_size(to, pkt), seq;

	/* A replay begins with what was asked for. */
	if (pkt->again)
		r->arrived = r->expect;
	pkt->again = false;
	seq = r->arrived;
	r->arrived += size;
	if (!corrupt && seq == r->expect) {
		r->expect += size;
		if (retry_acks(to))
			fab_control_want(fab, to);
		return false;
	}
	if (corrupt)
		to->c.rx_replays += pkt->segs;
	/*
	 * There is one object for the packet and its copy in the replay buffer.
	 * The sender does not look at it before the NAK acts, so it learns
	 * nothing before the wire's time is over.
	 */
	fab_fifo_push(&from->unacked, pkt);
	/* The others follow one that a replay was asked for. */
	if (seq == r->expect) {
		r->nak = true;
		r->naks++;
		to->c.naks++;
		fab_control_want(fab, to);
	}
	return true;
}

/* Is there something to say that is worth the time of a frame? */
static bool retry_urgent(const struct fab_port *port)
{
	u32 acks = port->retry->expect - port->retry->told_seq;

	if (port->retry->nak || port->replay.head)
		return true;
	return !retry_of(port)->carry &&
	       acks >= DIV_ROUND_UP(retry_of(port->peer)->replay, 4);
}

/* Is a frame to be sent for what retry has to say? */
static bool retry_says(const struct fab_port *port, enum fab_say say)
{
	if (!port->retry->nak && !retry_news(port))
		return false;
	return say == FAB_SAY_NEWS || retry_urgent(port);
}

/* Does a control frame acknowledge or refuse? */
static bool retry_is_in(const struct fab_port *port,
			const struct fab_control *c)
{
	return port->p->disc->framing->shares || c->type == FAB_CONTROL_RETRY;
}

/* A frame for what retry has to say, when flow control has nothing. */
static u32 retry_frame(struct fab *fab, struct fab_port *port,
		       struct fab_control *c)
{
	if (port->p->disc->framing->shares)
		return port->flow->control(fab, port, FAB_SAY_ANY, c);
	c->type = FAB_CONTROL_RETRY;
	return retry_of(port)->control;
}

/**
 * fab_retry_control() - what a port whose framing retries says next
 * @fab: the fabric
 * @port: the port, whose wire is free
 * @say: FAB_SAY_NEWS when no packet can go now, otherwise FAB_SAY_URGENT
 * @c: filled with the control frame
 *
 * Return: its bytes on the wire, 0 for none.
 */
u32 fab_retry_control(struct fab *fab, struct fab_port *port, enum fab_say say,
		      struct fab_control *c)
{
	u32 bytes = 0;

	if (port->flow->control)
		bytes = port->flow->control(fab, port, say, c);
	if (!bytes && retry_says(port, say))
		bytes = retry_frame(fab, port, c);
	if (bytes && retry_is_in(port, c))
		retry_tell(fab, port, c);
	return bytes;
}

/**
 * fab_retry_on_control() - what the far end says of packets acts
 * @fab: the fabric
 * @port: the port
 * @c: the control frame, which may say nothing of them
 */
void fab_retry_on_control(struct fab *fab, struct fab_port *port,
			  const struct fab_control *c)
{
	struct fab_retry *r = port->retry;

	if (!retry_is_in(port, c))
		return;
	r->acked = c->retry.seq;
	if (c->retry.flags & FAB_RETRY_NAK) {
		r->replays++;
		retry_go_back(fab, port);
	}
	if (port->blocked)
		fab_port_kick(fab, port, fab->now);
}

/* Is a NAK on its way? */
static bool retry_nak_flies(const struct fab_port *port)
{
	const struct fab_control_wire *w = &port->control;
	const struct fab_control *c;
	u32 i;

	for (i = 0; i < w->n; i++) {
		c = &w->slot[(w->head + i) % w->slots];
		if (retry_is_in(port, c) && c->retry.flags & FAB_RETRY_NAK)
			return true;
	}
	return false;
}

/* Does the far end lack an acknowledgement? */
static bool retry_unheard(const struct fab_port *port)
{
	return retry_acks(port) &&
	       port->peer->retry->acked != port->retry->expect;
}

static void retry_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct fab_port *port = container_of(ev, struct fab_port, retry_timer);
	const struct fab_retry *far = port->peer->retry;
	struct fab_retry *r = port->retry;
	bool want = false;

	if (port->flow->repeat)
		want = port->flow->repeat(port, retry_unheard(port));
	r->told_seq = far->acked;
	if (far->replays != r->naks && !retry_nak_flies(port))
		r->nak = true;
	if (want || r->nak || retry_news(port))
		fab_control_want(fab, port);
}

/**
 * fab_retry_init() - prepare the zeroed state of a port
 * @port: the port
 */
void fab_retry_init(struct fab_port *port)
{
	fab_event_init(&port->retry_timer, retry_on_timer);
}

/* What was sent has arrived, is on the wire, or is to be sent again. */
static const char *retry_check_sent(const struct fab_port *port)
{
	const struct fab_port *rx = port->peer;
	const struct fab_retry *r = rx->retry;
	u32 sent = retry_sum(rx, &port->wire.in_flight) +
		   retry_sum(rx, &port->replay);
	const struct fab_pkt *next = port->wire.in_flight.head;
	u32 arrived;

	if (!next)
		next = port->replay.head;
	arrived = next && next->again ? r->expect : r->arrived;
	if (arrived - r->expect != retry_sum(rx, &port->unacked))
		return "retry: what was refused and sequence numbers disagree";
	if (port->retry->seq - arrived != sent)
		return "retry: what is sent and sequence numbers disagree";
	return NULL;
}

/* What the far end lacks is to be told. */
static const char *retry_check_told(const struct fab_port *port)
{
	if (!fab_port_can_send(port) || port->control.n ||
	    port->urgent & FAB_URGENT_CONTROL ||
	    fab_event_pending(&port->retry_timer))
		return NULL;
	if (port->peer->retry->replays != port->retry->naks)
		return "retry: a replay was asked for, and nobody will";
	if (retry_unheard(port))
		return "retry: an acknowledgement that nobody will tell of";
	return NULL;
}

/* The head of a class whose turn it is. */
static const struct fab_pkt *retry_head(const struct fab_port *port, u32 cls)
{
	const struct fab_class *c = &port->cls[cls];
	u32 i = fab_bitset_next(c->active, port->fifos, c->turn);

	if (i >= port->fifos)
		i = fab_bitset_next(c->active, port->fifos, 0);
	return c->fifo[i].head;
}

/* A head that may go has the port about to look. */
static const char *retry_check_stuck(const struct fab_port *port)
{
	u32 ready = port->ready & fab_sched_serves(&port->sched);

	if (fab_event_pending(&port->kick) || fab_port_hangs(port))
		return NULL;
	/* A full ring of control frames goes on when the oldest arrives. */
	if (port->urgent && port->control.n < port->control.slots)
		return "retry: something urgent waits for nothing";
	for (; ready; ready &= ready - 1)
		if (fab_port_may_send(port, retry_head(port, __ffs(ready))))
			return "retry: has credits and room, but will not send";
	return NULL;
}

/**
 * fab_retry_check() - the invariants of a port whose framing retries
 * @port: the port
 *
 * Return: NULL, or what is wrong.
 */
const char *fab_retry_check(const struct fab_port *port)
{
	const char *wrong = NULL;

	if (!port->peer)
		return NULL;
	wrong = retry_check_sent(port);
	if (!wrong)
		wrong = retry_check_told(port);
	return wrong ? wrong : retry_check_stuck(port);
}
