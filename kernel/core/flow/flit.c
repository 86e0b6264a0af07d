// SPDX-License-Identifier: GPL-2.0
/*
 * NVLink and PCIe: flits, and credits for headers and data.
 *
 * DOC: theory of operation
 *
 * Both families cut frames into small packets of the link and lose none (retry.c).
 * They differ only in numbers: sizes, pools, and whether credits ride in headers of
 * packets. A class is a virtual channel (PCIe: posted, non-posted, completion). The
 * packets of a frame are transmitted together here, as one event.
 *
 * Credits. The receiver grants each channel header credits, one per packet of the
 * link, and data credits, one per unit. Both are cumulative counters of 32 bits, so
 * that the next update repairs a lost one. A frame is sent when the channel has the
 * credits for all of it. A frame that needs more than a whole pool is sent when the
 * pool is free.
 *
 * Updates are sent at the first chance that takes no time from packets: in a control
 * flit when the wire is idle, or, if the family can, in the header of the next packet
 * in the other direction. A control flit goes before packets when a replay holds up
 * new packets. Without riding it also does when a quarter of a pool is free and the
 * far end does not know. So updates take at most a flit per quarter of a pool from
 * the other direction. Three quarters of a pool that cover the round trip keep the
 * wire busy. A control flit has the credits of one channel, and an acknowledgement.
 *
 * An error may hit a control flit or a header with its ride too. They are repeated
 * like acknowledgements. The timer also stands for the receiver's period of UpdateFC
 * in PCIe, which has the same effect.
 *
 * Sources: PCI Express Base Specification 2.6.1 (credits, units, counters); for
 * NVLink the error names of NVIDIA's open driver (ctrl_dev_nvswitch.h: header,
 * data and DL credits, replay, CRC per flit), see
 * Documentation/model/nvlink.rst.
 *
 * Not modelled: ordering rules between PCIe's types.
 *
 * Invariants (flit_check.c), in both kinds of credits: packets that a channel sent
 * were received, are on the wire or are to be replayed; packets that the far end
 * holds are in its queues; a sender's limit is never above the granted credits, and
 * below them only while an update is in flight or pending.
 */
#include "core/flow/flit.h"
#include "core/fabric.h"
#include "core/sim/bitset.h"
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
	if (p->header > FAB_OVERHEAD_MAX)
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

/* Count a packet that is sent, or that was in flight at a reset of the counters. */
static void flit_use(struct fab_port *port, const struct fab_pkt *pkt)
{
	struct fab_port *rx = port->peer;
	struct fab_flit_vc *v = &fab_flit(port)->vc[fab_flit_channel(rx, pkt)];

	v->used = fab_flit_add(v->used, fab_flit_cost(fab_flit_of(rx), pkt));
}

/*
 * Reset the sending side. Packets may be on the outgoing wire if the incoming one went
 * down or came up: they count as the first.
 */
static void flit_reset_tx(struct fab_port *port)
{
	struct fab_flit_state *s = fab_flit(port);
	const struct fab_pkt *pkt;
	u32 vc;

	for (vc = 0; vc < FAB_CLASSES_MAX; vc++) {
		memset(&s->vc[vc].used, 0, sizeof(s->vc[vc].used));
		memset(&s->vc[vc].limit, 0, sizeof(s->vc[vc].limit));
	}
	s->up = 0;
	for (pkt = port->wire.in_flight.head; pkt; pkt = pkt->next)
		flit_use(port, pkt);
	for (pkt = port->replay.head; pkt; pkt = pkt->next)
		flit_use(port, pkt);
}

/* Reset the receiving side, which keeps the packets that it holds. */
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
}

static void flit_reset(struct fab *fab, struct fab_port *port)
{
	flit_reset_tx(port);
	flit_reset_rx(port);
	fab_control_want(fab, port);
}

static bool flit_enough(u32 limit, u32 used, u32 cost, u32 pool)
{
	s32 left = limit - used;

	return left >= (s32)min(cost, pool);
}

static bool flit_may_send(const struct fab_port *port, const struct fab_pkt *pkt)
{
	const struct fab_port *rx = port->peer;
	struct fab_flit_credits cost = fab_flit_cost(fab_flit_of(rx), pkt);
	u32 vc = fab_flit_channel(rx, pkt);
	const struct fab_flit_vc *v = &fab_flit(port)->vc[vc];
	struct fab_flit_credits pool = fab_flit_pool(rx, vc);

	return fab_flit(port)->up & BIT(vc) &&
	       flit_enough(v->limit.hdr, v->used.hdr, cost.hdr, pool.hdr) &&
	       flit_enough(v->limit.data, v->used.data, cost.data, pool.data);
}

/* The next channel with a pending update, round robin; channel 0 if there is none. */
static u32 flit_next(const struct fab_flit_state *s)
{
	return s->news ? fab_bits_turn(s->news, s->turn) : 0;
}

/* Fill @c with the credits of @vc, and record them as sent. */
static void flit_tell(struct fab_port *port, u32 vc, u8 flags,
		      struct fab_control *c)
{
	struct fab_flit_state *s = fab_flit(port);
	struct fab_flit_credits granted = fab_flit_granted(port, vc);

	c->type = FAB_CONTROL_FLIT;
	c->flit.retry.flags = flags;
	c->flit.vc = vc;
	c->flit.hdr = granted.hdr;
	c->flit.data = granted.data;
	s->vc[vc].told = granted;
	s->news &= ~BIT(vc);
	s->turn = (vc + 1) % FAB_CLASSES_MAX;
}

/* The update takes effect with the header of the first packet of the link. */
static bool flit_rides(const struct fab_port *port, const struct fab_pkt *pkt,
		       bool also, fab_time *time)
{
	const struct fab_flit_state *s = fab_flit(port);
	struct fab_pkt first = { .segs = 1 };

	if (s->init || (!s->news && !also))
		return false;
	first.len = min(fab_pkt_frame(pkt), fab_flit_of(port)->payload);
	*time = fab_wire_time(&port->wire, &first);
	return true;
}

static void flit_on_send(struct fab *fab, struct fab_port *port,
			 struct fab_pkt *pkt)
{
	flit_use(port, pkt);
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

/* Is a pending update worth the time of a flit? */
static bool flit_urgent(const struct fab_port *port)
{
	u32 news;

	if (port->replay.head)
		return true;
	if (port->p->retry.carry)
		return false;
	for (news = fab_flit(port)->news; news; news &= news - 1)
		if (flit_quarter(port, __ffs(news)))
			return true;
	return false;
}

/* Is a flit to be sent, or a header to be used, for the credits? */
static bool flit_says(const struct fab_port *port, enum fab_say say)
{
	if (say == FAB_SAY_ANY)
		return true;
	if (!fab_flit(port)->news)
		return false;
	return say == FAB_SAY_NEWS || flit_urgent(port);
}

static u32 flit_control(struct fab *fab, struct fab_port *port,
			enum fab_say say, struct fab_control *c)
{
	struct fab_flit_state *s = fab_flit(port);
	u32 vc;

	if (s->init) {
		vc = __ffs(s->init);
		s->init &= ~BIT(vc);
		flit_tell(port, vc, FAB_RETRY_INIT, c);
	} else if (flit_says(port, say)) {
		flit_tell(port, flit_next(s), 0, c);
	} else {
		return 0;
	}
	return port->p->retry.control;
}

static void flit_on_control(struct fab *fab, struct fab_port *port,
			    const struct fab_control *c)
{
	const struct fab_control_flit *f = &c->flit;
	struct fab_flit_state *s = fab_flit(port);

	if (f->retry.flags & FAB_RETRY_INIT)
		s->up |= BIT(f->vc);
	s->vc[f->vc].limit.hdr = f->hdr;
	s->vc[f->vc].limit.data = f->data;
	if (port->blocked)
		fab_port_kick(fab, port, fab->now);
}

/* Credits were freed: mark the update as pending. */
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

	/* The original packet holds the room. */
	if (pkt->flags & FAB_PKT_COPY)
		return;
	v->held = fab_flit_sub(v->held, fab_flit_cost(fab_flit_of(port), pkt));
	flit_grant(fab, port, pkt->cls_in);
}

/**
 * fab_flit_unheard() - find channels whose credits the far end lacks
 * @port: receiving port, which has a link
 *
 * Return: bit per channel of which the far end does not know all credits.
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
	return bits;
}

/*
 * Mark updates that the far end lacks as pending again. A repeated acknowledgement is
 * sent with the credits of the first channel.
 */
static bool flit_repeat(struct fab_port *port, bool also)
{
	const struct fab_flit_state *far = fab_flit(port->peer);
	u16 unheard = fab_flit_unheard(port) | (also ? BIT(0) : 0);
	struct fab_flit_state *s = fab_flit(port);
	u32 vc;

	s->init = flit_channels(port) & ~far->up;
	s->news |= unheard & ~s->init;
	for (; unheard; unheard &= unheard - 1) {
		vc = __ffs(unheard);
		s->vc[vc].told = far->vc[vc].limit;
	}
	return s->init || s->news;
}

/* Bytes that a packet takes in the replay buffer: its flits. */
static u32 flit_size(const struct fab_port_params *rx,
		     const struct fab_pkt *pkt)
{
	const struct fab_flit_params *p = &rx->flow.flit;
	struct fab_flit_credits cost = fab_flit_cost(p, pkt);

	return cost.hdr * p->header + cost.data * p->unit;
}

static const struct fab_framing flits = {
	.size = flit_size,
	.shares = true,
};

static const struct fab_flow_control flit_flow = {
	.kind = FAB_FLOW_FLIT,
	.credits = true,
	.reliable = true,
	.state_size = sizeof(struct fab_flit_state),
	.own_room = true,
	.params_check = flit_params_check,
	.init = flit_init,
	.reset = flit_reset,
	.may_send = flit_may_send,
	.on_send = flit_on_send,
	.control = flit_control,
	.on_control = flit_on_control,
	.on_receive = flit_on_receive,
	.on_release = flit_on_release,
	.rides = flit_rides,
	.repeat = flit_repeat,
	.check = fab_flit_check,
};

const struct fab_discipline fab_nvlink = {
	.name = "nvlink",
	.framing = &flits,
	.flow = &flit_flow,
	.family = FAB_NVLINK,
};

const struct fab_discipline fab_pcie = {
	.name = "pcie",
	.framing = &flits,
	.flow = &flit_flow,
	.family = FAB_PCIE,
};
