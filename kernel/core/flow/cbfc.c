// SPDX-License-Identifier: GPL-2.0
/*
 * CBFC: credit-based flow control of Ultra Ethernet, per virtual channel (VC).
 *
 * DOC: theory of operation
 *
 * Room in the receive buffer of a VC is counted in credits; a frame of L bytes takes
 * ceil((L + overhead) / size) of them. The sender counts credits consumed (CC), the
 * receiver credits freed (CF), both modulo 2^20. A packet is sent if the credits in use
 * have room for it:
 *
 *	(CC - CF) + credits <= limit
 *
 * The receiver frees the credits of a packet when its transmission begins (switch) or
 * the host has emptied it (endpoint), and says so in a CF_Update. This is a control
 * ordered set of 8 bytes, here of one VC. It goes before packets. Two of a port are
 * at least spacing bytes apart. As it has the count since the link came up, a lost one
 * does no harm: the next has all of it. After repeat bytes it is sent again if the far
 * end lacks it. Hardware repeats always. Here an idle link is idle: the port reads the
 * state of the far end to know whether a repetition would tell anything, and for nothing
 * else.
 *
 * A packet that is lost on the wire consumes credits that nobody frees. So the sender
 * tells CC from time to time, in a CC_Update of 64 bytes, here of one VC. The receiver
 * counts as freed what did not arrive. A link with retry loses nothing, and sends none.
 *
 * A VC without buffer is best effort: it takes part in nothing of this, and its packets
 * may be dropped in the queues of a switch, or trimmed.
 *
 * Both ends know limits, size and overhead before they begin; hardware exchanges them by
 * LLDP. What the receiver still holds from before the link came up counts as consumed.
 * So does what is on a wire whose other direction came up.
 *
 * Sources: Ultra Ethernet Specification 1.0, section 5.2, as the proposal of its
 * management group for the Switch Abstraction Interface (SAI 1.18, "Credit Based Flow
 * Control") gives it: counters, rule, messages, their sizes and spacing.
 *
 * Not modelled: credits that the VCs of a port share, VCs 16 to 31, a change of a VC
 * while the link is up, several VCs in one message.
 *
 * Invariants: credits in use are at most the limit; they cover what the far end holds
 * and what is on the way there; a CF_Update that the far end lacks is in flight,
 * pending, or will be repeated.
 */
#include "core/flow/cbfc.h"
#include "core/fabric.h"
#include "core/sim/bitset.h"
#include "core/sim/fixed.h"

#define CBFC_SIZE_MAX	4096U
#define CBFC_OVERHEAD	127
#define CBFC_SLOTS	64	/* messages on a wire */

static struct fab_cbfc *cbfc(const struct fab_port *port)
{
	return port->flow_state;
}

static const struct fab_cbfc_params *cbfc_params(const struct fab_port *port)
{
	return &port->p->flow.cbfc;
}

/* The VCs with credits. */
static u16 cbfc_channels(const struct fab_port_params *p)
{
	u16 bits = 0;
	u32 n;

	for (n = 0; n < p->classes; n++)
		if (p->flow.cbfc.limit[n])
			bits |= BIT(n);
	return bits;
}

/**
 * fab_cbfc_credits() - credits that a packet takes
 * @p: parameters of either end of the link
 * @pkt: the packet; the frames of a train are taken to be of equal length
 *
 * Return: credits, each frame rounded up.
 */
u32 fab_cbfc_credits(const struct fab_port_params *p, const struct fab_pkt *pkt)
{
	const struct fab_cbfc_params *c = &p->flow.cbfc;

	return pkt->segs * DIV_ROUND_UP(fab_pkt_frame(pkt) + c->overhead, c->size);
}

static u32 cbfc_ahead(u32 a, u32 b)
{
	return (a - b) & FAB_CBFC_MASK;
}

static u32 cbfc_used(const struct fab_cbfc_vc *v)
{
	return cbfc_ahead(v->consumed, v->freed);
}

static int cbfc_params_check(const struct fab_port_params *p)
{
	const struct fab_cbfc_params *c = &p->flow.cbfc;
	u32 n;

	if (!c->size || c->size > CBFC_SIZE_MAX || c->overhead > CBFC_OVERHEAD)
		return -ERANGE;
	if (!c->sync || c->sync > FAB_DELAY_MAX)
		return -ERANGE;
	if (c->repeat > FAB_CBFC_SPACING_MAX || c->spacing > FAB_CBFC_SPACING_MAX)
		return -ERANGE;
	for (n = 0; n < p->classes; n++)
		if (c->limit[n] > FAB_CBFC_MAX)
			return -ERANGE;
	return 0;
}

/* Both ends must count equally, and mean the same VCs. */
static bool cbfc_agree(const struct fab_port_params *a, const struct fab_port_params *b)
{
	return a->classes == b->classes &&
	       a->flow.cbfc.size == b->flow.cbfc.size &&
	       a->flow.cbfc.overhead == b->flow.cbfc.overhead &&
	       cbfc_channels(a) == cbfc_channels(b);
}

/* The port has one timer, due at the earliest of the three times. */
static void cbfc_arm(struct fab *fab, struct fab_port *port)
{
	struct fab_cbfc *s = cbfc(port);

	fab_event_move(&fab->events, &port->flow_timer,
		       min(min(s->due, s->repeat), s->sync_at));
}

static fab_time cbfc_time(const struct fab_port *port, u32 bytes)
{
	return fab_serialise(bytes, port->wire.bps);
}

/* Send pending CF_Updates, now or when the last one is long enough ago. */
static void cbfc_tell(struct fab *fab, struct fab_port *port)
{
	struct fab_cbfc *s = cbfc(port);

	if (!s->news || !fab_port_can_send(port))
		return;
	if (fab->now >= s->next) {
		fab_control_want(fab, port);
	} else if (s->due == FAB_NEVER) {
		s->due = s->next;
		cbfc_arm(fab, port);
	}
}

static void cbfc_free(struct fab *fab, struct fab_port *port, u32 n, u32 credits)
{
	struct fab_cbfc *s = cbfc(port);

	s->vc[n].released = (s->vc[n].released + credits) & FAB_CBFC_MASK;
	s->news |= BIT(n);
	cbfc_tell(fab, port);
}

static void cbfc_init(struct fab *fab, struct fab_port *port)
{
	struct fab_cbfc *s = cbfc(port);

	s->due = FAB_NEVER;
	s->repeat = FAB_NEVER;
	s->sync_at = FAB_NEVER;
	port->lossless = cbfc_channels(port->p);
}

static u32 cbfc_sum(const struct fab_port *port, const struct fab_fifo *q, u32 n)
{
	const struct fab_pkt *pkt;
	u32 sum = 0;

	for (pkt = q->head; pkt; pkt = pkt->next)
		if (pkt->cls == n)
			sum += fab_cbfc_credits(port->p, pkt);
	return sum;
}

/* Credits of a VC on the wire from @port to its peer, or to be sent once more. */
static u32 cbfc_under_way(const struct fab_port *port, u32 n)
{
	return cbfc_sum(port, &port->wire.in_flight, n) +
	       cbfc_sum(port, &port->unacked, n) + cbfc_sum(port, &port->replay, n);
}

/*
 * Reset one end. The other is reset at the same time, whichever wire failed, and keeps
 * what it holds.
 */
static void cbfc_reset(struct fab *fab, struct fab_port *port)
{
	struct fab_cbfc *s = cbfc(port);
	const struct fab_cbfc *far = port->peer ? cbfc(port->peer) : NULL;
	u32 n;

	fab_control_clear(fab, port);
	for (n = 0; n < port->p->classes; n++) {
		struct fab_cbfc_vc fresh = { .held = s->vc[n].held };

		fresh.arrived = fresh.held;
		fresh.consumed = (far ? far->vc[n].held : 0) + cbfc_under_way(port, n);
		fresh.told_consumed = fresh.consumed;
		s->vc[n] = fresh;
	}
	s->news = 0;
	s->sync = 0;
	s->next = fab->now;
	s->due = FAB_NEVER;
	s->repeat = FAB_NEVER;
	s->sync_at = FAB_NEVER;
	cbfc_arm(fab, port);
	if (port->ready)
		fab_port_kick(fab, port, fab->now);
}

static bool cbfc_controls(const struct fab_port *port, u32 n)
{
	return port->lossless & BIT(n);
}

/* A packet of more credits than the VC has would block the packets behind it for ever. */
static bool cbfc_fits(const struct fab_port *port, const struct fab_pkt *pkt)
{
	return !cbfc_controls(port, pkt->cls) ||
	       fab_cbfc_credits(port->p, pkt) <= cbfc_params(port->peer)->limit[pkt->cls];
}

static bool cbfc_may_send(const struct fab_port *port, const struct fab_pkt *pkt)
{
	const struct fab_cbfc_vc *v = &cbfc(port)->vc[pkt->cls];

	if (!cbfc_controls(port, pkt->cls))
		return true;
	return cbfc_used(v) + fab_cbfc_credits(port->p, pkt) <=
	       cbfc_params(port->peer)->limit[pkt->cls];
}

static void cbfc_on_send(struct fab *fab, struct fab_port *port,
			 struct fab_pkt *pkt)
{
	struct fab_cbfc *s = cbfc(port);
	struct fab_cbfc_vc *v = &s->vc[pkt->cls];

	if (!cbfc_controls(port, pkt->cls))
		return;
	v->consumed += fab_cbfc_credits(port->p, pkt);
	v->consumed &= FAB_CBFC_MASK;
	if (port->retry || s->sync_at != FAB_NEVER)
		return;
	s->sync_at = fab->now + cbfc_params(port)->sync;
	cbfc_arm(fab, port);
}

static u32 cbfc_control_sync(struct fab_port *port, struct fab_control *c)
{
	struct fab_cbfc *s = cbfc(port);
	u32 n = __ffs(s->sync);

	s->sync &= ~BIT(n);
	s->vc[n].told_consumed = s->vc[n].consumed;
	c->cbfc.vc = n;
	c->cbfc.consumed = true;
	c->cbfc.count = s->vc[n].consumed;
	return FAB_CBFC_PACKET;
}

static u32 cbfc_control_free(struct fab *fab, struct fab_port *port,
			     struct fab_control *c)
{
	const struct fab_cbfc_params *p = cbfc_params(port);
	struct fab_cbfc *s = cbfc(port);
	u32 n = fab_bits_turn(s->news, s->turn);

	s->turn = (n + 1) % FAB_CLASSES_MAX;
	s->news &= ~BIT(n);
	s->vc[n].told = s->vc[n].released;
	s->next = fab->now + cbfc_time(port, p->spacing);
	if (s->repeat == FAB_NEVER && p->repeat)
		s->repeat = fab->now + cbfc_time(port, p->repeat);
	s->due = s->news ? s->next : FAB_NEVER;
	cbfc_arm(fab, port);
	c->cbfc.vc = n;
	c->cbfc.consumed = false;
	c->cbfc.count = s->vc[n].released;
	return FAB_CTLOS;
}

static u32 cbfc_control(struct fab *fab, struct fab_port *port,
			enum fab_say say, struct fab_control *c)
{
	struct fab_cbfc *s = cbfc(port);

	c->type = FAB_CONTROL_CBFC;
	if (s->news && fab->now >= s->next)
		return cbfc_control_free(fab, port, c);
	return s->sync ? cbfc_control_sync(port, c) : 0;
}

/* What was sent before the CC_Update and did not arrive is lost. */
static void cbfc_sync(struct fab *fab, struct fab_port *port,
		      const struct fab_control_cbfc *c)
{
	struct fab_cbfc_vc *v = &cbfc(port)->vc[c->vc];
	u32 lost = cbfc_ahead(c->count, v->arrived);

	/*
	 * With a reaction time, packets that were sent after the message came before it
	 * took effect. The next message has the rest.
	 */
	if (!lost || lost > FAB_CBFC_MASK / 2)
		return;
	v->arrived = c->count;
	cbfc_free(fab, port, c->vc, lost);
}

static void cbfc_on_control(struct fab *fab, struct fab_port *port,
			    const struct fab_control *c)
{
	struct fab_cbfc *s = cbfc(port);

	if (c->cbfc.consumed) {
		cbfc_sync(fab, port, &c->cbfc);
		return;
	}
	s->vc[c->cbfc.vc].freed = c->cbfc.count;
	if (port->blocked)
		fab_port_kick(fab, port, fab->now);
}

static enum fab_drop cbfc_take(struct fab_port *port, const struct fab_pkt *pkt)
{
	struct fab_class_counters *c = &port->cls[pkt->cls_in].c;
	struct fab_cbfc_vc *v = &cbfc(port)->vc[pkt->cls_in];

	if (!cbfc_controls(port, pkt->cls_in) || pkt->flags & FAB_PKT_COPY)
		return FAB_DROP_COUNT;
	v->held += fab_cbfc_credits(port->p, pkt);
	c->buffer_peak = max(c->buffer_peak, (u64)v->held * cbfc_params(port)->size);
	return FAB_DROP_COUNT;
}

static void cbfc_on_receive(struct fab *fab, struct fab_port *port,
			    struct fab_pkt *pkt, enum fab_drop verdict)
{
	struct fab_cbfc_vc *v = &cbfc(port)->vc[pkt->cls_in];
	u32 credits = fab_cbfc_credits(port->p, pkt);

	if (!cbfc_controls(port, pkt->cls_in) || verdict == FAB_DROP_BIT_ERROR ||
	    verdict == FAB_DROP_LINK_DOWN)
		return;
	v->arrived = (v->arrived + credits) & FAB_CBFC_MASK;
	if (verdict != FAB_DROP_COUNT)
		cbfc_free(fab, port, pkt->cls_in, credits);
}

static void cbfc_on_release(struct fab *fab, struct fab_port *port,
			    const struct fab_pkt *pkt)
{
	u32 credits = fab_cbfc_credits(port->p, pkt);

	/* The original packet holds the room. */
	if (!cbfc_controls(port, pkt->cls_in) || pkt->flags & FAB_PKT_COPY)
		return;
	cbfc(port)->vc[pkt->cls_in].held -= credits;
	cbfc_free(fab, port, pkt->cls_in, credits);
}

/* The VCs of which the far end lacks a CF_Update. */
static u16 cbfc_stale(const struct fab_port *port)
{
	const struct fab_cbfc *s = cbfc(port), *far = cbfc(port->peer);
	u16 stale = 0;
	u32 left, n;

	for (left = port->lossless; left; left &= left - 1) {
		n = __ffs(left);
		if (far->vc[n].freed != s->vc[n].released)
			stale |= BIT(n);
	}
	return stale;
}

/* The VCs whose far end has not counted all that was sent. */
static u16 cbfc_unsynced(const struct fab_port *port)
{
	const struct fab_cbfc *s = cbfc(port), *far = cbfc(port->peer);
	u16 bits = 0;
	u32 left, n;

	for (left = port->lossless; left; left &= left - 1) {
		n = __ffs(left);
		if (s->vc[n].told_consumed != s->vc[n].consumed ||
		    far->vc[n].arrived != s->vc[n].consumed)
			bits |= BIT(n);
	}
	return bits;
}

static void cbfc_on_timer(struct fab *fab, struct fab_port *port)
{
	const struct fab_cbfc_params *p = cbfc_params(port);
	struct fab_cbfc *s = cbfc(port);
	u16 stale;

	if (fab->now >= s->due)
		s->due = FAB_NEVER;
	if (fab->now >= s->repeat) {
		stale = cbfc_stale(port);
		s->news |= stale;
		s->repeat = stale ? fab->now + cbfc_time(port, p->repeat) : FAB_NEVER;
	}
	if (fab->now >= s->sync_at) {
		s->sync = cbfc_unsynced(port);
		s->sync_at = s->sync ? fab->now + p->sync : FAB_NEVER;
	}
	cbfc_arm(fab, port);
	cbfc_tell(fab, port);
	if (s->sync)
		fab_control_want(fab, port);
}

static const char *cbfc_check_vc(const struct fab_port *port, u32 n)
{
	const struct fab_cbfc *s = cbfc(port);
	const struct fab_cbfc_vc *v = &s->vc[n];
	u32 used = cbfc_used(v);

	if (used > cbfc_params(port->peer)->limit[n])
		return "cbfc: more was sent than there are credits";
	if (used < cbfc(port->peer)->vc[n].held + cbfc_under_way(port, n))
		return "cbfc: the far end can be overrun";
	if (v->told != v->released && !(s->news & BIT(n)))
		return "cbfc: what was freed is not going to be told";
	return NULL;
}

static const char *cbfc_check(const struct fab_port *port)
{
	const struct fab_cbfc *s = cbfc(port);
	fab_time at = min(min(s->due, s->repeat), s->sync_at);
	const char *wrong = NULL;
	u32 left;

	if (fab_event_pending(&port->flow_timer) ?
	    port->flow_timer.at != at : at != FAB_NEVER)
		return "cbfc: the timer is not due when it should be";
	if (!fab_port_can_send(port) || !fab_port_can_send(port->peer))
		return NULL;
	if (s->news && s->due == FAB_NEVER && !(port->urgent & FAB_URGENT_CONTROL))
		return "cbfc: something to tell, and the port does not know";
	for (left = port->lossless; left && !wrong; left &= left - 1)
		wrong = cbfc_check_vc(port, __ffs(left));
	if (!wrong && cbfc_params(port)->repeat && s->repeat == FAB_NEVER &&
	    cbfc_stale(port) & ~s->news)
		return "cbfc: the far end lacks something, and nothing is repeated";
	return wrong;
}

static const struct fab_flow_control cbfc_flow = {
	.kind = FAB_FLOW_CBFC,
	.credits = true,
	.best_effort = true,
	.state_size = sizeof(struct fab_cbfc),
	.control_slots = CBFC_SLOTS,
	.own_room = true,
	.params_check = cbfc_params_check,
	.agree = cbfc_agree,
	.init = cbfc_init,
	.reset = cbfc_reset,
	.fits = cbfc_fits,
	.may_send = cbfc_may_send,
	.on_send = cbfc_on_send,
	.control = cbfc_control,
	.on_control = cbfc_on_control,
	.take = cbfc_take,
	.on_receive = cbfc_on_receive,
	.on_release = cbfc_on_release,
	.on_timer = cbfc_on_timer,
	.check = cbfc_check,
};

const struct fab_discipline fab_cbfc = {
	.name = "cbfc",
	.framing = &fab_frames,
	.flow = &cbfc_flow,
	.family = FAB_ETHERNET,
};

const struct fab_discipline fab_uec = {
	.name = "uec",
	.framing = &fab_replayed_frames,
	.flow = &cbfc_flow,
	.family = FAB_ETHERNET,
};
