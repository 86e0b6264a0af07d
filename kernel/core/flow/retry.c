// SPDX-License-Identifier: GPL-2.0
/*
 * Retry of a link: packets hit by an error are retransmitted in order (go-back-N).
 *
 * DOC: theory of operation
 *
 * A packet hit by an error is refused before any other code sees it. So are the
 * packets after it, by their sequence numbers. The NAK has the expected number. The
 * sender takes back the refused packets and those on the wire, and retransmits them
 * in order before anything else. Sequence numbers count bytes of the replay buffer,
 * as the framing of the link measures them. Packets that are not acknowledged fill
 * it. A packet that does not fit waits, unless the buffer is empty.
 *
 * Acknowledgements are part of the frames of flow control if the framing has one
 * frame for both (flits). They ride on packets where that is possible, and otherwise
 * have frames of their own. They are sent at the first chance that takes no time from
 * packets. They go before packets when a replay holds up new packets. Without riding
 * they also do when enough has arrived unacknowledged: spacing bytes, or a quarter of the
 * replay buffer.
 *
 * An error may hit a control frame or a ride too. On a wire with errors a timer
 * repeats the acknowledgements and credits that the far end lacks. If it lacks none,
 * nothing is repeated, so an idle link is idle. For that alone a port reads the state
 * of its far end; it writes nothing there. The timer stands for the sender's
 * REPLAY_TIMER in PCIe, which has the same effect.
 *
 * Sources: PCI Express Base Specification 3.6 (sequence numbers, ACK, NAK,
 * replay buffer). For LLR of Ultra Ethernet 1.0, section 5.1, the proposal of its
 * management group for the Switch Abstraction Interface (SAI 1.18, "Link Layer Retry").
 *
 * Not modelled: duplicates from a sender whose acknowledgement was lost, retraining
 * after many replays, the states INIT and FLUSH of LLR.
 *
 * Invariants: by its sequence numbers, each packet sent has arrived in order, was
 * refused, is on the wire, or is to be retransmitted; a requested replay, and each
 * acknowledgement that the far end lacks, is in flight or pending.
 */
#include "core/flow/retry.h"
#include "core/fabric.h"
#include "core/sim/bitset.h"
#include "core/sim/fixed.h"

static const struct fab_retry_params *retry_of(const struct fab_port *port)
{
	return &port->p->retry;
}

/* Bytes that a packet to @rx takes in the replay buffer. */
static u32 retry_size(const struct fab_port *rx, const struct fab_pkt *pkt)
{
	return rx->p->disc->framing->size(rx->p, pkt);
}

/**
 * fab_retry_params_check() - check the parameters of retry
 * @p: parameters of the port, whose framing retries
 *
 * Return: 0, or -EINVAL.
 */
int fab_retry_params_check(const struct fab_port_params *p)
{
	const struct fab_retry_params *r = &p->retry;

	if (r->replay > FAB_RETRY_BUFFER_MAX || r->spacing > FAB_RETRY_BUFFER_MAX)
		return -EINVAL;
	if (!r->control || r->control > FAB_OVERHEAD_MAX)
		return -EINVAL;
	return !r->repeat || r->repeat > FAB_DELAY_MAX ? -EINVAL : 0;
}

/* Retransmit from the oldest refused packet on. */
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
 * fab_retry_reset() - reset the state of sender and receiver
 * @fab: the fabric
 * @port: the port
 *
 * Packets may be on the outgoing wire if the incoming one went down or came up. Flits
 * count as the first of the new sequence, as they do for credits. Frames are lost
 * with the link that they were sent on.
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
	/* What waited for room in the replay buffer has it. */
	if (port->ready)
		fab_port_kick(fab, port, fab->now);
}

/**
 * fab_retry_room() - does the replay buffer have room for a packet?
 * @port: port that would send it, which has a link
 * @pkt: the packet
 *
 * Return: true if it has.
 */
bool fab_retry_room(const struct fab_port *port, const struct fab_pkt *pkt)
{
	u32 room = retry_of(port)->replay, unacked;

	if (!room)
		return true;
	unacked = port->retry->seq - port->retry->acked;
	return !unacked || unacked + retry_size(port->peer, pkt) <= room;
}

/* Does the far end need acknowledgements: is its replay buffer limited? */
static bool retry_acks(const struct fab_port *port)
{
	return retry_of(port->peer)->replay;
}

/* Is an acknowledgement pending? */
static bool retry_news(const struct fab_port *port)
{
	const struct fab_retry *r = port->retry;

	return retry_acks(port) && r->expect != r->told_seq;
}

/* Errors may hit the acknowledgement just sent: check later that it arrived. */
static void retry_arm(struct fab *fab, struct fab_port *port)
{
	if (!fab_port_errs(port) || fab_event_pending(&port->retry_timer))
		return;
	fab_event_schedule(&fab->events, &port->retry_timer,
			   fab->now + retry_of(port)->repeat);
}

/* Fill @c with the acknowledgement and the NAK, and record them as sent. */
static void retry_tell(struct fab *fab, struct fab_port *port,
		       struct fab_control *c)
{
	struct fab_retry *r = port->retry;

	c->retry.flags |= FAB_RETRY_ACK;
	c->retry.seq = r->expect;
	r->told_seq = r->expect;
	/* A frame that opens a channel carries no NAK. */
	if (r->nak && !(c->retry.flags & FAB_RETRY_INIT)) {
		c->retry.flags |= FAB_RETRY_NAK;
		r->nak = false;
	}
	retry_arm(fab, port);
}

/* Put pending updates into the header of a packet whose transmission begins. */
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
 * fab_retry_on_send() - the transmission of a new packet begins
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
 * fab_retry_on_arrive() - accept or refuse a packet at the far end
 * @fab: the fabric
 * @from: port that sent it
 * @pkt: the packet
 *
 * Return: true if the link refused it. The packet is then in the sender's queue of
 * unacknowledged packets.
 */
bool fab_retry_on_arrive(struct fab *fab, struct fab_port *from,
			 struct fab_pkt *pkt)
{
	bool corrupt = pkt->flags & FAB_PKT_CORRUPT;
	struct fab_port *to = from->peer;
	struct fab_retry *r = to->retry;
	u32 size = retry_size(to, pkt), seq;

	/* A replay begins with the expected packet. */
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
	 * The packet and its copy in the replay buffer are one object. The sender
	 * does not read it before the NAK takes effect, so it learns of the error no
	 * earlier than the latency of the wire allows.
	 */
	fab_fifo_push(&from->unacked, pkt);
	/* Only the first refused packet requests a replay. */
	if (seq == r->expect) {
		r->nak = true;
		r->naks++;
		to->c.naks++;
		fab_control_want(fab, to);
	}
	return true;
}

/* Bytes of packets after which an acknowledgement delays packets. */
static u32 retry_spacing(const struct fab_port *port)
{
	u32 spacing = retry_of(port)->spacing;

	return spacing ? spacing : DIV_ROUND_UP(retry_of(port->peer)->replay, 4);
}

/* Is the pending acknowledgement or NAK worth the time of a frame? */
static bool retry_urgent(const struct fab_port *port)
{
	u32 acks = port->retry->expect - port->retry->told_seq;

	if (port->retry->nak || port->replay.head)
		return true;
	return !retry_of(port)->carry && acks >= retry_spacing(port);
}

/* Is a frame to be sent for an acknowledgement or a NAK? */
static bool retry_says(const struct fab_port *port, enum fab_say say)
{
	if (!port->retry->nak && !retry_news(port))
		return false;
	return say == FAB_SAY_NEWS || retry_urgent(port);
}

/* Does a control frame have an acknowledgement or a NAK? */
static bool retry_is_in(const struct fab_port *port,
			const struct fab_control *c)
{
	return port->p->disc->framing->shares || c->type == FAB_CONTROL_RETRY;
}

/* A frame for an acknowledgement or a NAK, if flow control has no update. */
static u32 retry_frame(struct fab *fab, struct fab_port *port,
		       struct fab_control *c)
{
	if (port->p->disc->framing->shares && port->flow->control)
		return port->flow->control(fab, port, FAB_SAY_ANY, c);
	c->type = FAB_CONTROL_RETRY;
	return retry_of(port)->control;
}

/**
 * fab_retry_control() - next control frame of a port with retry
 * @fab: the fabric
 * @port: the port, whose wire is free
 * @say: FAB_SAY_NEWS if no packet can be sent now, otherwise FAB_SAY_URGENT
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
 * fab_retry_on_control() - process an acknowledgement or a NAK
 * @fab: the fabric
 * @port: the port
 * @c: the control frame, which may have neither
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

/* Is a NAK in flight? */
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
 * fab_retry_init() - initialise the zeroed state of a port
 * @port: the port
 */
void fab_retry_init(struct fab_port *port)
{
	fab_event_init(&port->retry_timer, retry_on_timer);
}

/* Each packet sent has arrived, is on the wire, or is to be retransmitted. */
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

/* An update that the far end lacks must be in flight or pending. */
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

/* The next packet of a class. */
static const struct fab_pkt *retry_head(const struct fab_port *port, u32 cls)
{
	const struct fab_class *c = &port->cls[cls];
	u32 i = fab_bitset_next(c->active, port->fifos, c->turn);

	if (i >= port->fifos)
		i = fab_bitset_next(c->active, port->fifos, 0);
	return c->fifo[i].head;
}

/* If a head may be sent, the port must have an event pending. */
static const char *retry_check_stuck(const struct fab_port *port)
{
	u32 ready = port->ready & fab_sched_serves(port->sched);

	if (fab_event_pending(&port->kick) || fab_port_hangs(port))
		return NULL;
	/* A full ring of control frames continues when the oldest arrives. */
	if (port->urgent && port->control.n < port->control.slots)
		return "retry: something urgent waits for nothing";
	for (; ready; ready &= ready - 1)
		if (fab_port_may_send(port, retry_head(port, __ffs(ready))))
			return "retry: has credits and room, but will not send";
	return NULL;
}

/**
 * fab_retry_check() - check the invariants of a port with retry
 * @port: the port
 *
 * Return: NULL, or the violated invariant as text.
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
