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
 * Invariants (flit_check.c): what a channel sent is what the far end received
 * and what is on the wire or to be replayed, in both kinds of credits and in
 * sequence numbers;
 * what the far end holds is in its queues; nobody knows of more credits than
 * were granted, and of fewer only while an update is under way or due.
 */
#include "core/flow/flit.h"
#include "core/fabric.h"
#include "core/sim/fixed.h"

/* Bit per virtual channel that a port receives on. */
static u16 flit_channels(const struct fab_port *port)
{
	return (1U << port->p->classes) - 1;
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
	struct fab_flit_vc *v = &fab_flit(port)->vc[fab_flit_channel(rx, pkt)];

	v->used = fab_flit_add(v->used, fab_flit_cost(fab_flit_of(rx), pkt));
	fab_flit(port)->seq += fab_flit_size(rx, pkt);
}

/* Send again from packet @seq on, the oldest that was refused. */
static void flit_go_back(struct fab *fab, struct fab_port *port, u32 seq)
{
	struct fab_fifo again = port->unacked;

	port->unacked.head = NULL;
	fab_link_recall(fab, port, &again);
	fab_fifo_join(&again, &port->replay);
	port->replay = again;
	fab_flit(port)->wire_seq = seq;
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
	struct fab_flit_state *s = fab_flit(port);
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
	struct fab_flit_state *s = fab_flit(port);
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
	fab_event_cancel(&fab->events, &port->flow_timer);
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
	const struct fab_flit_state *s = fab_flit(port);
	u32 room = fab_flit_of(port)->replay, unacked = s->seq - s->acked;

	return !room || !unacked ||
	       unacked + fab_flit_size(port->peer, pkt) <= room;
}

/**
 * fab_flit_fits() - are there credits and room to replay for a packet?
 * @port: port that would send it, which has a link
 * @pkt: the packet
 *
 * Return: whether it may go.
 */
bool fab_flit_fits(const struct fab_port *port, const struct fab_pkt *pkt)
{
	const struct fab_port *rx = port->peer;
	struct fab_flit_credits cost = fab_flit_cost(fab_flit_of(rx), pkt);
	u32 vc = fab_flit_channel(rx, pkt);
	const struct fab_flit_vc *v = &fab_flit(port)->vc[vc];
	struct fab_flit_credits pool = fab_flit_pool(rx, vc);

	return fab_flit(port)->up & BIT(vc) &&
	       flit_enough(v->limit.hdr, v->used.hdr, cost.hdr, pool.hdr) &&
	       flit_enough(v->limit.data, v->used.data, cost.data, pool.data) &&
	       flit_replay_room(port, pkt);
}

static bool flit_may_send(struct fab_port *port, const struct fab_pkt *pkt)
{
	return fab_flit_fits(port, pkt);
}

/* Does the far end wait for acknowledgements? */
static bool flit_acks(const struct fab_port *port)
{
	return fab_flit_of(port->peer)->replay;
}

/* Does it have to hear of this one? */
static bool flit_ack_news(const struct fab_port *port)
{
	const struct fab_flit_state *s = fab_flit(port);

	return flit_acks(port) && s->expect != s->told_seq;
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
	if (!fab_port_errs(port) || fab_event_pending(&port->flow_timer))
		return;
	fab_event_schedule(&fab->events, &port->flow_timer,
			   fab->now + fab_flit_of(port)->repeat);
}

/* Fill @c with what there is to say about @vc; count it as told. */
static void flit_tell(struct fab *fab, struct fab_port *port, u32 vc, u8 flags,
		      struct fab_control *c)
{
	struct fab_flit_state *s = fab_flit(port);
	struct fab_flit_credits granted = fab_flit_granted(port, vc);

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
	struct fab_flit_state *s = fab_flit(port);
	struct fab_pkt first = { .segs = 1 };
	struct fab_control c = {};

	if (s->init || s->nak || port->control.n == FAB_FLIT_SLOTS)
		return;
	if (!s->news && !flit_ack_news(port))
		return;
	flit_tell(fab, port, flit_next(s), 0, &c);
	if (pkt->flags & FAB_PKT_CORRUPT)
		return;
	if (unlikely(port->special & FAB_SPECIAL_FAULT) && fab_fault_ride(port))
		return;
	first.len = min(DIV_ROUND_UP(pkt->len, pkt->segs),
			fab_flit_of(port)->payload);
	fab_control_carry(fab, port, &c, fab_wire_time(&port->wire, &first));
}

static void flit_on_send(struct fab *fab, struct fab_port *port,
			 struct fab_pkt *pkt)
{
	flit_use(port, pkt);
	if (fab_flit_of(port)->carry)
		flit_ride(fab, port, pkt);
}

/* Is a quarter of a pool free without the far end knowing? */
static bool flit_quarter(const struct fab_port *port, u32 vc)
{
	struct fab_flit_credits pool = fab_flit_pool(port, vc), more;

	more = fab_flit_sub(fab_flit_granted(port, vc),
			    fab_flit(port)->vc[vc].told);
	return more.hdr >= DIV_ROUND_UP(pool.hdr, 4) ||
	       more.data >= DIV_ROUND_UP(pool.data, 4);
}

/* Is there something to say that is worth the time of a flit? */
static bool flit_urgent(const struct fab_port *port)
{
	const struct fab_flit_state *s = fab_flit(port);
	u32 news, acks = s->expect - s->told_seq;

	if (port->replay.head)
		return true;
	if (fab_flit_of(port)->carry)
		return false;
	for (news = s->news; news; news &= news - 1)
		if (flit_quarter(port, __ffs(news)))
			return true;
	return flit_acks(port) &&
	       acks >= DIV_ROUND_UP(fab_flit_of(port->peer)->replay, 4);
}

static u32 flit_control(struct fab *fab, struct fab_port *port, bool idle,
			struct fab_control *c)
{
	struct fab_flit_state *s = fab_flit(port);
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
	return fab_flit_of(port)->control;
}

static void flit_on_control(struct fab *fab, struct fab_port *port,
			    const struct fab_control *c)
{
	const struct fab_control_flit *f = &c->flit;
	struct fab_flit_state *s = fab_flit(port);

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
	struct fab_flit_state *s = fab_flit(to);
	u32 size = fab_flit_size(to, pkt), seq = fab_flit(from)->wire_seq;

	fab_flit(from)->wire_seq += size;
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
	fab_flit(port)->news |= BIT(vc);
	fab_control_want(fab, port);
}

static void flit_on_receive(struct fab *fab, struct fab_port *port,
			    struct fab_pkt *pkt, enum fab_drop verdict)
{
	struct fab_flit_credits cost = fab_flit_cost(fab_flit_of(port), pkt);
	struct fab_flit_vc *v = &fab_flit(port)->vc[pkt->cls_in];
	struct fab_class_counters *c = &port->cls[pkt->cls_in].c;

	pkt->flags &= ~FAB_PKT_COPY;
	v->received = fab_flit_add(v->received, cost);
	if (verdict != FAB_DROP_COUNT) {
		flit_grant(fab, port, pkt->cls_in);
		return;
	}
	v->held = fab_flit_add(v->held, cost);
	c->buffer_peak = max(c->buffer_peak,
			     (u64)v->held.data * fab_flit_of(port)->unit);
}

static void flit_on_release(struct fab *fab, struct fab_port *port,
			    const struct fab_pkt *pkt)
{
	struct fab_flit_vc *v = &fab_flit(port)->vc[pkt->cls_in];

	/* The room is that of the packet that the copy was made of. */
	if (pkt->flags & FAB_PKT_COPY)
		return;
	v->held = fab_flit_sub(v->held, fab_flit_cost(fab_flit_of(port), pkt));
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

/**
 * fab_flit_unheard() - what does the far end not know?
 * @port: receiving port, which has a link
 *
 * Return: bit per channel whose credits it does not know in full; the first
 * also where it lacks an acknowledgement.
 */
u16 fab_flit_unheard(const struct fab_port *port)
{
	const struct fab_flit_state *far = fab_flit(port->peer);
	u32 all, vc;
	u16 bits = 0;

	for (all = flit_channels(port); all; all &= all - 1) {
		vc = __ffs(all);
		if (!fab_flit_same(far->vc[vc].limit,
				   fab_flit_granted(port, vc)))
			bits |= BIT(vc);
	}
	if (flit_acks(port) && far->acked != fab_flit(port)->expect)
		bits |= BIT(0);
	return bits;
}

/* Forget that the far end was told what it did not hear. */
static void flit_retell(struct fab_port *port, u16 unheard)
{
	const struct fab_flit_state *far = fab_flit(port->peer);
	struct fab_flit_state *s = fab_flit(port);
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
	struct fab_flit_state *s = fab_flit(port);

	flit_retell(port, fab_flit_unheard(port));
	if (fab_flit(port->peer)->replays != s->naks && !flit_nak_flies(port))
		s->nak = true;
	if (s->init || s->news || s->nak || flit_ack_news(port))
		fab_control_want(fab, port);
}

static const struct fab_flow_control flit_flow = {
	.kind = FAB_FLOW_FLIT,
	.credits = true,
	.state_size = sizeof(struct fab_flit_state),
	.control_slots = FAB_FLIT_SLOTS,
	.own_room = true,
	.params_check = flit_params_check,
	.init = flit_init,
	.reset = flit_reset,
	.may_send = flit_may_send,
	.on_send = flit_on_send,
	.control = flit_control,
	.on_control = flit_on_control,
	.on_arrive = flit_on_arrive,
	.on_receive = flit_on_receive,
	.on_release = flit_on_release,
	.on_timer = flit_on_timer,
	.check = fab_flit_check,
};

const struct fab_discipline fab_nvlink = {
	.name = "nvlink",
	.flow = &flit_flow,
	.family = FAB_NVLINK,
};

const struct fab_discipline fab_pcie = {
	.name = "pcie",
	.flow = &flit_flow,
	.family = FAB_PCIE,
};
