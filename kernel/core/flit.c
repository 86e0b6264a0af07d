// SPDX-License-Identifier: GPL-2.0
/*
 * NVLink and PCIe: credits for headers and data, and replay after an error.
 *
 * DOC: theory of operation
 *
 * Both families cut what they carry into small packets of the link, lose none,
 * and differ in numbers only: sizes, pools, and whether credits ride in headers
 * of packets. A class is a virtual channel (PCIe: posted, non-posted,
 * completion). The packets of a frame go together here, as one event.
 *
 * Credits. The receiver grants each channel header credits, one per packet of
 * the link, and data credits, one per unit. Both are cumulative counters of 32
 * bits, so that a lost update is repaired by the next. A frame goes when the
 * channel has the credits for all of it; one that needs more than a whole pool
 * goes when the pool is free.
 *
 * Updates are told at the first chance that takes no time from packets: in a
 * control flit when the wire is idle, or, where the family can, in the header
 * of the next packet the other way. A flit of its own goes before packets when
 * a replay keeps new packets from going, or, where nothing rides, when a quarter
 * of a pool or of the replay buffer is free and the far end does not know. So
 * updates take at most a flit per quarter of a pool from the other direction,
 * and three quarters of a pool that cover the loop keep the wire busy.
 *
 * Replay. A packet hit by an error is refused before anything else sees it, and
 * so is what comes after it, by its sequence number. The NAK names the number
 * that is expected; the sender takes back what was refused and what is still on
 * the wire, and sends it once more, in order, before anything else (go-back-N).
 * Sequence numbers count bytes of the replay buffer. What is not acknowledged
 * fills it; a packet that does not fit waits, unless the buffer is empty.
 *
 * A control flit, or a header with its ride, may be hit as well. Wherever the
 * wire has errors a timer tells again what the far end has not heard. Where it
 * has, the repetition would change nothing and is left out, so that an idle
 * link is idle; that is the one thing for which a port looks at its far end.
 * The timer stands for the sender's REPLAY_TIMER and the receiver's period of
 * UpdateFC in PCIe, which have the same effect.
 *
 * Sources: PCI Express Base Specification 2.6.1 (credits, units, counters),
 * 3.6 (sequence numbers, ACK, NAK, replay buffer); for NVLink the error names of
 * NVIDIA's open driver (ctrl_dev_nvswitch.h: header, data and DL credits,
 * replay, CRC per flit), see Documentation/model/nvlink.rst.
 *
 * Not modelled: duplicates that a sender makes because an acknowledgement was
 * lost, retraining after many replays, ordering rules between PCIe's types.
 *
 * Invariants: what a channel sent is what the far end received and what is on
 * the wire or to be replayed, in both kinds of credits and in sequence numbers;
 * what the far end holds is in its queues; nobody knows of more credits than
 * were granted, and of fewer only while an update is under way or due.
 */
#include "bitset.h"
#include "fabric.h"
#include "fixed.h"
#include "flit.h"
#include "rng.h"

static struct fab_flit_state *flit(const struct fab_port *port)
{
	return port->disc_state;
}

static const struct fab_flit_params *flit_params(const struct fab_port *port)
{
	return &port->p.flow.flit;
}

/* Bit per virtual channel that a port receives on. */
static u16 flit_channels(const struct fab_port *port)
{
	return (1U << port->p.classes) - 1;
}

static struct fab_flit_credits flit_add(struct fab_flit_credits a,
					struct fab_flit_credits b)
{
	a.hdr += b.hdr;
	a.data += b.data;
	return a;
}

static struct fab_flit_credits flit_sub(struct fab_flit_credits a,
					struct fab_flit_credits b)
{
	a.hdr -= b.hdr;
	a.data -= b.data;
	return a;
}

static bool flit_same(struct fab_flit_credits a, struct fab_flit_credits b)
{
	return a.hdr == b.hdr && a.data == b.data;
}

/* Bytes of the replay buffer that a packet takes. */
static u32 flit_size(const struct fab_port *rx, const struct fab_pkt *pkt)
{
	const struct fab_flit_params *p = flit_params(rx);
	struct fab_flit_credits cost = fab_flit_cost(p, pkt);

	return cost.hdr * p->header + cost.data * p->unit;
}

/* The channel of a packet at the receiving port, which may have fewer. */
static u32 flit_channel(const struct fab_port *rx, const struct fab_pkt *pkt)
{
	return min((u32)pkt->cls, rx->p.classes - 1);
}

static struct fab_flit_credits flit_pool(const struct fab_port *rx, u32 vc)
{
	struct fab_flit_credits pool = {
		.hdr = flit_params(rx)->hdr[vc],
		.data = flit_params(rx)->data[vc],
	};

	return pool;
}

/* All that the receiving port has granted: what is not held is free. */
static struct fab_flit_credits flit_granted(const struct fab_port *rx, u32 vc)
{
	const struct fab_flit_vc *v = &flit(rx)->vc[vc];

	return flit_sub(flit_add(flit_pool(rx, vc), v->received), v->held);
}

static int flit_params_check(const struct fab_port_params *port)
{
	const struct fab_flit_params *p = &port->flow.flit;
	u32 vc;

	if (!p->unit || p->unit > FAB_UNIT_MAX)
		return -EINVAL;
	if (p->payload < p->unit || p->payload > FAB_PAYLOAD_MAX)
		return -EINVAL;
	if (p->header > FAB_OVERHEAD_MAX || p->replay > FAB_FLIT_REPLAY_MAX)
		return -EINVAL;
	if (!p->control || p->control > FAB_OVERHEAD_MAX)
		return -EINVAL;
	if (!p->repeat || p->repeat > FAB_DELAY_MAX)
		return -EINVAL;
	for (vc = 0; vc < port->classes; vc++) {
		if (!p->hdr[vc] || p->hdr[vc] > FAB_FLIT_CREDITS_MAX)
			return -EINVAL;
		/* The longest packet of the link has to fit. */
		if (p->data[vc] < DIV_ROUND_UP(p->payload, p->unit) ||
		    p->data[vc] > FAB_FLIT_CREDITS_MAX)
			return -EINVAL;
	}
	return 0;
}

static void flit_init(struct fab *fab, struct fab_port *port)
{
	port->lossless = flit_channels(port);
}

/* A packet is sent, or was when the counters began anew. */
static void flit_use(struct fab_port *port, const struct fab_pkt *pkt)
{
	struct fab_port *rx = port->peer;
	struct fab_flit_vc *v = &flit(port)->vc[flit_channel(rx, pkt)];

	v->used = flit_add(v->used, fab_flit_cost(flit_params(rx), pkt));
	flit(port)->seq += flit_size(rx, pkt);
}

/* Send again from packet @seq on, the oldest that was refused. */
static void flit_go_back(struct fab *fab, struct fab_port *port, u32 seq)
{
	struct fab_fifo again = port->unacked;

	port->unacked.head = NULL;
	fab_link_recall(fab, port, &again);
	fab_fifo_join(&again, &port->replay);
	port->replay = again;
	flit(port)->wire_seq = seq;
	if (!again.head)
		return;
	port->urgent |= FAB_URGENT_REPLAY;
	fab_port_kick(fab, port, fab->now);
}

/*
 * The sending side begins anew. Packets may be on the wire, when it is the other
 * one that went down or came up: they count as the first.
 */
static void flit_reset_tx(struct fab *fab, struct fab_port *port)
{
	struct fab_flit_state *s = flit(port);
	const struct fab_pkt *pkt;
	u32 vc;

	if (port->unacked.head)
		flit_go_back(fab, port, 0);
	for (vc = 0; vc < FAB_CLASSES_MAX; vc++) {
		memset(&s->vc[vc].used, 0, sizeof(s->vc[vc].used));
		memset(&s->vc[vc].limit, 0, sizeof(s->vc[vc].limit));
	}
	s->up = 0;
	s->seq = 0;
	s->wire_seq = 0;
	s->acked = 0;
	s->replays = 0;
	for (pkt = port->wire.in_flight.head; pkt; pkt = pkt->next)
		flit_use(port, pkt);
	for (pkt = port->replay.head; pkt; pkt = pkt->next)
		flit_use(port, pkt);
}

/* The receiving side begins anew; what it holds, it still holds. */
static void flit_reset_rx(struct fab_port *port)
{
	struct fab_flit_state *s = flit(port);
	u32 vc;

	for (vc = 0; vc < FAB_CLASSES_MAX; vc++) {
		memset(&s->vc[vc].received, 0, sizeof(s->vc[vc].received));
		memset(&s->vc[vc].told, 0, sizeof(s->vc[vc].told));
	}
	s->init = flit_channels(port);
	s->news = 0;
	s->nak = false;
	s->naks = 0;
	s->expect = 0;
	s->told_seq = 0;
}

static void flit_reset(struct fab *fab, struct fab_port *port)
{
	fab_event_cancel(&fab->events, &port->disc_timer);
	fab_control_clear(fab, port);
	flit_reset_tx(fab, port);
	flit_reset_rx(port);
	fab_control_want(fab, port);
}

static bool flit_enough(u32 limit, u32 used, u32 cost, u32 pool)
{
	s32 left = limit - used;

	return left >= (s32)min(cost, pool);
}

static bool flit_replay_room(const struct fab_port *port,
			     const struct fab_pkt *pkt)
{
	const struct fab_flit_state *s = flit(port);
	u32 room = flit_params(port)->replay, unacked = s->seq - s->acked;

	return !room || !unacked ||
	       unacked + flit_size(port->peer, pkt) <= room;
}

static bool flit_fits(const struct fab_port *port, const struct fab_pkt *pkt)
{
	const struct fab_port *rx = port->peer;
	struct fab_flit_credits cost = fab_flit_cost(flit_params(rx), pkt);
	u32 vc = flit_channel(rx, pkt);
	const struct fab_flit_vc *v = &flit(port)->vc[vc];
	struct fab_flit_credits pool = flit_pool(rx, vc);

	return flit(port)->up & BIT(vc) &&
	       flit_enough(v->limit.hdr, v->used.hdr, cost.hdr, pool.hdr) &&
	       flit_enough(v->limit.data, v->used.data, cost.data, pool.data) &&
	       flit_replay_room(port, pkt);
}

static bool flit_may_send(struct fab_port *port, const struct fab_pkt *pkt)
{
	return flit_fits(port, pkt);
}

/* Does the far end wait for acknowledgements? */
static bool flit_acks(const struct fab_port *port)
{
	return flit_params(port->peer)->replay;
}

/* Does it have to hear of this one? */
static bool flit_ack_news(const struct fab_port *port)
{
	return flit_acks(port) && flit(port)->expect != flit(port)->told_seq;
}

/* The channel with news whose turn it is, or the first. */
static u32 flit_next(const struct fab_flit_state *s)
{
	u32 rest = s->news & (~0U << s->turn);

	if (!s->news)
		return 0;
	return __ffs(rest ? rest : s->news);
}

/* Errors may hit what was just told: see later whether it was heard. */
static void flit_arm(struct fab *fab, struct fab_port *port)
{
	if (!port->wire.p.bits_per_error ||
	    fab_event_pending(&port->disc_timer))
		return;
	fab_event_schedule(&fab->events, &port->disc_timer,
			   fab->now + flit_params(port)->repeat);
}

/* Fill @c with what there is to say about @vc; count it as told. */
static void flit_tell(struct fab *fab, struct fab_port *port, u32 vc, u8 flags,
		      struct fab_control *c)
{
	struct fab_flit_state *s = flit(port);
	struct fab_flit_credits granted = flit_granted(port, vc);

	c->type = FAB_CONTROL_FLIT;
	c->flit.vc = vc;
	c->flit.flags = flags | FAB_FLIT_ACK;
	c->flit.seq = s->expect;
	c->flit.hdr = granted.hdr;
	c->flit.data = granted.data;
	s->vc[vc].told = granted;
	s->told_seq = s->expect;
	s->news &= ~BIT(vc);
	s->turn = (vc + 1) % FAB_CLASSES_MAX;
	flit_arm(fab, port);
}

/* Put what there is to say into the header of a packet that is sent now. */
static void flit_ride(struct fab *fab, struct fab_port *port,
		      const struct fab_pkt *pkt)
{
	struct fab_flit_state *s = flit(port);
	struct fab_pkt first = { .segs = 1 };
	struct fab_control c = {};

	if (s->init || s->nak || port->control.n == FAB_FLIT_SLOTS)
		return;
	if (!s->news && !flit_ack_news(port))
		return;
	flit_tell(fab, port, flit_next(s), 0, &c);
	if (pkt->flags & FAB_PKT_CORRUPT)
		return;
	first.len = min(DIV_ROUND_UP(pkt->len, pkt->segs),
			flit_params(port)->payload);
	fab_control_carry(fab, port, &c, fab_wire_time(&port->wire, &first));
}

static void flit_on_send(struct fab *fab, struct fab_port *port,
			 struct fab_pkt *pkt)
{
	flit_use(port, pkt);
	if (flit_params(port)->carry)
		flit_ride(fab, port, pkt);
}

/* Is a quarter of a pool free without the far end knowing? */
static bool flit_quarter(const struct fab_port *port, u32 vc)
{
	struct fab_flit_credits pool = flit_pool(port, vc), more;

	more = flit_sub(flit_granted(port, vc), flit(port)->vc[vc].told);
	return more.hdr >= DIV_ROUND_UP(pool.hdr, 4) ||
	       more.data >= DIV_ROUND_UP(pool.data, 4);
}

/* Is there something to say that is worth the time of a flit? */
static bool flit_urgent(const struct fab_port *port)
{
	const struct fab_flit_state *s = flit(port);
	u32 news, acks = s->expect - s->told_seq;

	if (port->replay.head)
		return true;
	if (flit_params(port)->carry)
		return false;
	for (news = s->news; news; news &= news - 1)
		if (flit_quarter(port, __ffs(news)))
			return true;
	return flit_acks(port) &&
	       acks >= DIV_ROUND_UP(flit_params(port->peer)->replay, 4);
}

static u32 flit_control(struct fab *fab, struct fab_port *port, bool idle,
			struct fab_control *c)
{
	struct fab_flit_state *s = flit(port);
	u32 vc = flit_next(s);
	u8 flags = 0;

	if (s->init) {
		vc = __ffs(s->init);
		s->init &= ~BIT(vc);
		flags = FAB_FLIT_INIT;
	} else if (s->nak) {
		s->nak = false;
		flags = FAB_FLIT_NAK;
	} else if (!s->news && !flit_ack_news(port)) {
		return 0;
	} else if (!idle && !flit_urgent(port)) {
		return 0;
	}
	flit_tell(fab, port, vc, flags, c);
	return flit_params(port)->control;
}

static void flit_on_control(struct fab *fab, struct fab_port *port,
			    const struct fab_control *c)
{
	const struct fab_control_flit *f = &c->flit;
	struct fab_flit_state *s = flit(port);

	if (f->flags & FAB_FLIT_INIT)
		s->up |= BIT(f->vc);
	s->vc[f->vc].limit.hdr = f->hdr;
	s->vc[f->vc].limit.data = f->data;
	s->acked = f->seq;
	if (f->flags & FAB_FLIT_NAK) {
		s->replays++;
		flit_go_back(fab, port, f->seq);
	}
	if (port->blocked)
		fab_port_kick(fab, port, fab->now);
}

static bool flit_on_arrive(struct fab *fab, struct fab_port *from,
			   struct fab_pkt *pkt)
{
	bool corrupt = pkt->flags & FAB_PKT_CORRUPT;
	struct fab_port *to = from->peer;
	struct fab_flit_state *s = flit(to);
	u32 size = flit_size(to, pkt), seq = flit(from)->wire_seq;

	flit(from)->wire_seq += size;
	if (!corrupt && seq == s->expect) {
		s->expect += size;
		if (flit_acks(to))
			fab_control_want(fab, to);
		return false;
	}
	if (corrupt)
		to->c.rx_replays += pkt->segs;
	fab_fifo_push(&from->unacked, pkt);
	/* The others follow one that a replay was asked for. */
	if (seq == s->expect) {
		s->nak = true;
		s->naks++;
		to->c.naks++;
		fab_control_want(fab, to);
	}
	return true;
}

/* There are more credits to tell of. */
static void flit_grant(struct fab *fab, struct fab_port *port, u32 vc)
{
	flit(port)->news |= BIT(vc);
	fab_control_want(fab, port);
}

static void flit_on_receive(struct fab *fab, struct fab_port *port,
			    struct fab_pkt *pkt, enum fab_drop verdict)
{
	struct fab_flit_credits cost = fab_flit_cost(flit_params(port), pkt);
	struct fab_flit_vc *v = &flit(port)->vc[pkt->cls_in];
	struct fab_class_counters *c = &port->cls[pkt->cls_in].c;

	pkt->flags &= ~FAB_PKT_COPY;
	v->received = flit_add(v->received, cost);
	if (verdict != FAB_DROP_COUNT) {
		flit_grant(fab, port, pkt->cls_in);
		return;
	}
	v->held = flit_add(v->held, cost);
	c->buffer_peak = max(c->buffer_peak,
			     (u64)v->held.data * flit_params(port)->unit);
}

static void flit_on_release(struct fab *fab, struct fab_port *port,
			    const struct fab_pkt *pkt)
{
	struct fab_flit_vc *v = &flit(port)->vc[pkt->cls_in];

	/* The room is that of the packet that the copy was made of. */
	if (pkt->flags & FAB_PKT_COPY)
		return;
	v->held = flit_sub(v->held, fab_flit_cost(flit_params(port), pkt));
	flit_grant(fab, port, pkt->cls_in);
}

/* Is a NAK on its way? */
static bool flit_nak_flies(const struct fab_port *port)
{
	const struct fab_control_wire *w = &port->control;
	u32 i;

	for (i = 0; i < w->n; i++)
		if (w->slot[(w->head + i) % FAB_FLIT_SLOTS].flit.flags &
		    FAB_FLIT_NAK)
			return true;
	return false;
}

/* The channels whose credits the far end does not know in full. */
static u16 flit_unheard(const struct fab_port *port)
{
	const struct fab_flit_state *far = flit(port->peer);
	u32 all, vc;
	u16 bits = 0;

	for (all = flit_channels(port); all; all &= all - 1) {
		vc = __ffs(all);
		if (!flit_same(far->vc[vc].limit, flit_granted(port, vc)))
			bits |= BIT(vc);
	}
	if (flit_acks(port) && far->acked != flit(port)->expect)
		bits |= BIT(0);
	return bits;
}

/* Forget that the far end was told what it did not hear. */
static void flit_retell(struct fab_port *port, u16 unheard)
{
	const struct fab_flit_state *far = flit(port->peer);
	struct fab_flit_state *s = flit(port);
	u32 vc;

	s->init = flit_channels(port) & ~far->up;
	s->news |= unheard & ~s->init;
	s->told_seq = far->acked;
	for (; unheard; unheard &= unheard - 1) {
		vc = __ffs(unheard);
		s->vc[vc].told = far->vc[vc].limit;
	}
}

static void flit_on_timer(struct fab *fab, struct fab_port *port)
{
	struct fab_flit_state *s = flit(port);

	flit_retell(port, flit_unheard(port));
	if (flit(port->peer)->replays != s->naks && !flit_nak_flies(port))
		s->nak = true;
	if (s->init || s->news || s->nak || flit_ack_news(port))
		fab_control_want(fab, port);
}

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
	const struct fab_pkt *pkt;
	u32 vc;

	for (pkt = q->head; pkt; pkt = pkt->next) {
		vc = flit_channel(rx, pkt);
		sum->vc[vc] = flit_add(sum->vc[vc],
				       fab_flit_cost(flit_params(rx), pkt));
		sum->size += flit_size(rx, pkt);
	}
}

/* What was sent has arrived, is on the wire, or is to be sent again. */
static const char *flit_check_sent(const struct fab_port *port)
{
	const struct fab_port *rx = port->peer;
	const struct fab_flit_state *s = flit(port), *r = flit(rx);
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
	for (vc = 0; vc < rx->p.classes; vc++) {
		away = flit_sub(s->vc[vc].used, r->vc[vc].received);
		sum.vc[vc] = flit_add(sum.vc[vc], late.vc[vc]);
		if (!flit_same(away, sum.vc[vc]))
			return "flit: credits used and packets disagree";
	}
	return NULL;
}

/* No more is known than was granted; less only while the rest is to be told. */
static const char *flit_check_granted(const struct fab_port *port)
{
	const struct fab_flit_state *far = flit(port->peer);
	struct fab_flit_credits more;
	u32 vc;

	for (vc = 0; vc < port->p.classes; vc++) {
		if (!(far->up & BIT(vc)))
			continue;
		more = flit_sub(flit_granted(port, vc), far->vc[vc].limit);
		if ((s32)more.hdr < 0 || (s32)more.data < 0)
			return "flit: more credits known than granted";
	}
	if (!fab_port_can_send(port) || port->control.n ||
	    port->urgent & FAB_URGENT_CONTROL ||
	    fab_event_pending(&port->disc_timer))
		return NULL;
	if (far->replays != flit(port)->naks)
		return "flit: a replay was asked for, and nobody will";
	return flit_unheard(port) ? "flit: credits that nobody will tell of" :
				    NULL;
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
	const struct fab_flit_params *p = flit_params(port);
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

	for (vc = 0; vc < port->p.classes; vc++)
		sum += flit_weigh(port->index, vc, flit(port)->vc[vc].held);
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
		for (cls = 0; cls < port->p.classes; cls++)
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
				     fab_flit_cost(flit_params(&ep->port),
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

	if (fab_event_pending(&port->kick))
		return NULL;
	/* A full ring of control flits goes on when the oldest arrives. */
	if (port->urgent && port->control.n < FAB_FLIT_SLOTS)
		return "flit: something urgent waits for nothing";
	for (; ready; ready &= ready - 1)
		if (flit_fits(port, flit_head(port, __ffs(ready))))
			return "flit: has credits, but will not send";
	return NULL;
}

static const char *flit_check(const struct fab_port *port)
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

#define FLIT_HOOKS						\
	.state_size = sizeof(struct fab_flit_state),		\
	.control_slots = FAB_FLIT_SLOTS,			\
	.own_room = true,					\
	.params_check = flit_params_check,			\
	.init = flit_init,					\
	.reset = flit_reset,					\
	.may_send = flit_may_send,				\
	.on_send = flit_on_send,				\
	.control = flit_control,				\
	.on_control = flit_on_control,				\
	.on_arrive = flit_on_arrive,				\
	.on_receive = flit_on_receive,				\
	.on_release = flit_on_release,				\
	.on_timer = flit_on_timer,				\
	.check = flit_check

const struct fab_discipline fab_nvlink = {
	.name = "nvlink",
	FLIT_HOOKS
};

const struct fab_discipline fab_pcie = {
	.name = "pcie",
	FLIT_HOOKS
};
