// SPDX-License-Identifier: GPL-2.0
/*
 * Credit: InfiniBand's flow control by blocks, per virtual lane (IBTA 7.9).
 *
 * DOC: theory of operation
 *
 * Room in the receive buffer of a VL is counted in blocks; each frame takes a whole
 * number of them. The sender counts blocks sent (FCTBS). The receiver counts blocks
 * that arrived (ABR), and grants up to FCCL = ABR + free blocks. A packet is sent if
 * there is credit for all of it:
 *
 *	(FCCL - (FCTBS + blocks)) mod 4096 <= 2048
 *
 * All counters have 12 bits, so at most 2048 blocks can be granted at a time.
 * Room is free again when the transmission of the packet begins (switch) or the
 * host has emptied it (endpoint).
 *
 * Flow-control packets carry FCTBS of one direction and FCCL of the other. A change
 * is sent
 *   - at the next tick, before any data (the min-time timer). Ticks are a whole
 *     number of periods after the link came up;
 *   - with eager, as soon as no data can be sent;
 *   - again after refresh, if the far end lacks it.
 *
 * The last rule stands for the upper bound of IBTA, an update at least every
 * 65,536 symbol times. A packet that would tell the far end nothing new is not sent,
 * so an idle fabric has no event pending. The port reads the counters of the far end
 * to know that, and for no other purpose. The only effect is that some 8-byte
 * packets are left out.
 *
 * Initialisation: a port sends op 1 until a flow-control packet arrives, then op 0.
 * Data passes once op 0 has arrived, that is, when both ends are reset. Earlier data
 * is from the time before the link came up, and is dropped.
 *
 * Resynchronisation: if the FCTBS of a flow-control packet is ahead of ABR, data was
 * lost, and ABR becomes that FCTBS. If it is behind, data that was sent after the
 * flow-control packet took effect before it, and the next packet has the rest.
 * The cause is the head of a packet in a cut-through switch, or a reaction time.
 * Data that a cut-through switch forwards with a bit error is not lost. A link with
 * retry loses nothing, and does not resynchronise.
 *
 * Copies that a switch makes of a multicast packet hold room of their own. The far
 * end has no part in them, so they may exceed the buffer. Credits that were granted
 * stay, but none are granted until everything fits again.
 *
 * VL 15 has no flow control: packets that find no room are dropped. Every port has it,
 * with a buffer of its own, however many VLs it has for data.
 *
 * Invariant, which excludes loss: unused credit of the sender, blocks on the wire and
 * blocks held are together at most the size, copies excepted.
 *
 * Not modelled: the receiver's watchdog (Trap 131), errors in flow-control packets
 * that their CRC does not detect, link states other than the above.
 */
#include "core/flow/credit.h"
#include "core/fabric.h"
#include "core/sim/bitset.h"

#define CREDIT_BLOCK_MIN	64U
#define CREDIT_BLOCK_MAX	4096U
#define CREDIT_BLOCKS_MAX	65535U
#define CREDIT_HEADER_MAX	256U
#define CREDIT_SLOTS		64	/* flow-control packets on a wire */

static struct fab_credit *credit(const struct fab_port *port)
{
	return port->flow_state;
}

static u32 credit_ahead(u32 a, u32 b)
{
	return (a - b) & FAB_CREDIT_MASK;
}

/* The VLs with flow control. */
static u16 credit_lanes(const struct fab_port *port)
{
	u32 all = (1U << port->p->classes) - 1;

	return all & ~BIT(FAB_VL_MGMT);
}

static bool credit_controls(const struct fab_port *port, u32 vl)
{
	return vl < port->p->classes && vl != FAB_VL_MGMT;
}

/* Flow control needs both directions. */
static bool credit_alive(const struct fab_port *port)
{
	return fab_port_can_send(port) && fab_port_can_send(port->peer);
}

/**
 * fab_credit_blocks() - blocks that a packet takes
 * @p: parameters of the port that receives it
 * @pkt: the packet; the frames of a train are assumed to have equal length
 *
 * Return: blocks, each frame rounded up.
 */
u32 fab_credit_blocks(const struct fab_port_params *p,
		      const struct fab_pkt *pkt)
{
	const struct fab_credit_params *c = &p->flow.credit;
	u32 len = fab_pkt_frame(pkt) + c->header;

	return pkt->segs * DIV_ROUND_UP(len, c->block);
}

static int credit_params_check(const struct fab_port_params *p)
{
	const struct fab_credit_params *c = &p->flow.credit;
	u32 i;

	if (c->block & (c->block - 1) || p->trim.len)
		return -EINVAL;
	if (c->block < CREDIT_BLOCK_MIN || c->block > CREDIT_BLOCK_MAX)
		return -ERANGE;
	if (c->header > CREDIT_HEADER_MAX)
		return -ERANGE;
	if (!c->period || c->period > FAB_DELAY_MAX ||
	    c->refresh > FAB_DELAY_MAX)
		return -ERANGE;
	for (i = 0; i < FAB_CLASSES_MAX; i++)
		if ((i < p->classes || i == FAB_VL_MGMT) &&
		    (!c->blocks[i] || c->blocks[i] > CREDIT_BLOCKS_MAX))
			return -ERANGE;
	return 0;
}

/* Both ends must count equally, and a VL that one end lacks would never open. */
static bool credit_agree(const struct fab_port_params *a,
			 const struct fab_port_params *b)
{
	return a->classes == b->classes &&
	       a->flow.credit.block == b->flow.credit.block &&
	       a->flow.credit.header == b->flow.credit.header;
}

/* The port has one timer, due at the earlier of the two times. */
static void credit_arm(struct fab *fab, struct fab_port *port)
{
	struct fab_credit *s = credit(port);

	fab_event_move(&fab->events, &port->flow_timer,
		       min(s->tick, s->refresh));
}

static fab_time credit_next_tick(const struct fab *fab,
				 const struct fab_port *port)
{
	fab_time period = port->p->flow.credit.period;
	u64 rest;

	div64_u64_rem(fab->now - credit(port)->since, period, &rest);
	return fab->now + period - rest;
}

/* Mark the update of a VL as pending. */
static void credit_news(struct fab *fab, struct fab_port *port, u32 vl)
{
	struct fab_credit *s = credit(port);

	if (!credit_alive(port))
		return;
	s->news |= BIT(vl);
	if (s->tick == FAB_NEVER) {
		s->tick = credit_next_tick(fab, port);
		credit_arm(fab, port);
	}
	if (port->p->flow.credit.eager)
		fab_control_want(fab, port);
}

/* Send the updates of @lanes before anything else. */
static void credit_hurry(struct fab *fab, struct fab_port *port, u16 lanes)
{
	credit(port)->urgent |= lanes;
	if (credit(port)->urgent)
		fab_control_want(fab, port);
}

static u32 credit_outstanding(const struct fab_credit_vl *vl)
{
	return credit_ahead(vl->granted, vl->abr);
}

static void credit_settle_excess(struct fab_credit_vl *vl, u32 size)
{
	u32 sum = credit_outstanding(vl) + vl->used;

	vl->excess = min(vl->excess, sum > size ? sum - size : 0);
}

/* Grant blocks that are free and not yet granted. Returns true if there were any. */
static bool credit_grant(struct fab_port *port, u32 n)
{
	struct fab_credit_vl *vl = &credit(port)->vl[n];
	u32 size = port->p->flow.credit.blocks[n];
	u32 room = size > vl->used ? size - vl->used : 0;

	credit_settle_excess(vl, size);
	room = min(room, FAB_CREDIT_CAP);
	if (room <= credit_outstanding(vl))
		return false;
	vl->granted = (vl->abr + room) & FAB_CREDIT_MASK;
	return true;
}

static void credit_init(struct fab *fab, struct fab_port *port)
{
	struct fab_credit *s = credit(port);

	s->tick = FAB_NEVER;
	s->refresh = FAB_NEVER;
	port->lossless = credit_lanes(port);
}

static void credit_vl_reset(struct fab_port *port, u32 n)
{
	struct fab_credit_vl *vl = &credit(port)->vl[n];
	u32 size = port->p->flow.credit.blocks[n];
	struct fab_credit_vl fresh = {
		.used = vl->used,
		.excess = vl->used > size ? vl->used - size : 0,
	};

	*vl = fresh;
	credit_grant(port, n);
}

/*
 * Reset both ends. A link is trained in both directions: whichever wire failed,
 * flow-control packets in flight are stale.
 */
static void credit_reset(struct fab *fab, struct fab_port *port)
{
	struct fab_credit *s = credit(port);
	u32 n;

	fab_control_clear(fab, port);
	for (n = 0; n < port->p->classes; n++)
		credit_vl_reset(port, n);
	s->heard = 0;
	s->open = 0;
	s->news = 0;
	s->urgent = 0;
	s->since = fab->now;
	s->tick = FAB_NEVER;
	s->refresh = FAB_NEVER;
	credit_arm(fab, port);
	if (credit_alive(port))
		credit_hurry(fab, port, credit_lanes(port));
}

/*
 * A packet of more blocks than the VL has would never get credit, and would block the
 * packets behind it. The management VL has no flow control.
 */
static bool credit_fits(const struct fab_port *port, const struct fab_pkt *pkt)
{
	const struct fab_credit_params *far = &port->peer->p->flow.credit;

	return pkt->cls == FAB_VL_MGMT ||
	       fab_credit_blocks(port->p, pkt) <=
	       min(far->blocks[pkt->cls], FAB_CREDIT_CAP);
}

static bool credit_may_send(const struct fab_port *port, const struct fab_pkt *pkt)
{
	const struct fab_credit *s = credit(port);
	const struct fab_credit_vl *vl = &s->vl[pkt->cls];
	u32 left = credit_ahead(vl->fccl, vl->fctbs);

	if (pkt->cls == FAB_VL_MGMT)
		return true;
	if (!(s->open & BIT(pkt->cls)) || left > FAB_CREDIT_CAP)
		return false;
	return fab_credit_blocks(port->p, pkt) <= left;
}

/* Start the refresh timer, which repeats an update that the far end does not get. */
static void credit_follow(struct fab *fab, struct fab_port *port)
{
	struct fab_credit *s = credit(port);

	if (s->refresh != FAB_NEVER || !port->p->flow.credit.refresh)
		return;
	s->refresh = fab->now + port->p->flow.credit.refresh;
	credit_arm(fab, port);
}

static void credit_on_send(struct fab *fab, struct fab_port *port,
			   struct fab_pkt *pkt)
{
	struct fab_credit_vl *vl = &credit(port)->vl[pkt->cls];

	if (pkt->cls == FAB_VL_MGMT)
		return;
	vl->fctbs += fab_credit_blocks(port->p, pkt);
	vl->fctbs &= FAB_CREDIT_MASK;
	credit_follow(fab, port);
	credit_news(fab, port, pkt->cls);
}

/* The VL of @lanes whose update is next, round robin. */
static u32 credit_next(struct fab_credit *s, u16 lanes)
{
	u32 vl = fab_bits_turn(lanes, s->turn);

	s->turn = (vl + 1) % FAB_CLASSES_MAX;
	return vl;
}

static u32 credit_control(struct fab *fab, struct fab_port *port,
			  enum fab_say say, struct fab_control *c)
{
	struct fab_credit *s = credit(port);
	struct fab_credit_vl *vl;
	u16 lanes = s->urgent;
	u32 n;

	if (!lanes && say != FAB_SAY_URGENT && port->p->flow.credit.eager)
		lanes = s->news;
	if (!lanes)
		return 0;
	n = credit_next(s, lanes);
	vl = &s->vl[n];
	s->urgent &= ~BIT(n);
	s->news &= ~BIT(n);
	vl->told_fctbs = vl->fctbs;
	vl->told_granted = vl->granted;
	c->type = FAB_CONTROL_CREDIT;
	c->credit.op = !(s->heard & BIT(n));
	c->credit.vl = n;
	c->credit.fctbs = vl->fctbs;
	c->credit.fccl = vl->granted;
	credit_follow(fab, port);
	return FAB_CREDIT_FRAME;
}

/* Data was lost if the far end has sent more than arrived. */
static void credit_resync(struct fab *fab, struct fab_port *port, u32 n,
			  u16 fctbs)
{
	struct fab_credit_vl *vl = &credit(port)->vl[n];

	/* A link with retry retransmits lost packets. */
	if (port->retry)
		return;
	/* Ignore an FCTBS behind ABR: it would exceed the granted blocks. */
	if (credit_ahead(fctbs, vl->abr) > credit_outstanding(vl))
		return;
	vl->abr = fctbs;
	if (credit_grant(port, n))
		credit_news(fab, port, n);
}

static void credit_on_control(struct fab *fab, struct fab_port *port,
			      const struct fab_control *c)
{
	struct fab_credit *s = credit(port);
	u32 n = c->credit.vl;
	bool first;

	/* The far end may have more VLs. */
	if (!credit_controls(port, n))
		return;
	first = !(s->heard & BIT(n));
	s->heard |= BIT(n);
	credit_resync(fab, port, n, c->credit.fctbs);
	if (first || c->credit.op)
		credit_hurry(fab, port, BIT(n));
	if (c->credit.op)
		return;
	s->open |= BIT(n);
	s->vl[n].fccl = c->credit.fccl;
	fab_port_kick(fab, port, fab->now);
}

/* The reason to drop @pkt; FAB_DROP_COUNT if there is room. */
static enum fab_drop credit_refuses(const struct fab_port *port,
				    const struct fab_pkt *pkt, u32 blocks)
{
	const struct fab_credit *s = credit(port);
	u32 n = pkt->cls_in;

	if (likely(s->heard & ~s->shut & BIT(n)))
		return FAB_DROP_COUNT;
	if (n != FAB_VL_MGMT)
		return s->heard & BIT(n) ? FAB_DROP_INACTIVE :
					   FAB_DROP_LINK_DOWN;
	return s->vl[n].used + blocks > port->p->flow.credit.blocks[n] ?
	       FAB_DROP_PORT_LIMIT : FAB_DROP_COUNT;
}

static enum fab_drop credit_take(struct fab_port *port,
				 const struct fab_pkt *pkt)
{
	struct fab_class_counters *c = &port->cls[pkt->cls_in].c;
	u32 blocks = fab_credit_blocks(port->p, pkt);
	enum fab_drop why = credit_refuses(port, pkt, blocks);
	u64 bytes;

	if (why != FAB_DROP_COUNT)
		return why;
	credit(port)->vl[pkt->cls_in].used += blocks;
	bytes = (u64)credit(port)->vl[pkt->cls_in].used *
		port->p->flow.credit.block;
	if (bytes > c->buffer_peak)
		c->buffer_peak = bytes;
	return FAB_DROP_COUNT;
}

static void credit_on_copy(struct fab *fab, struct fab_port *port,
			   const struct fab_pkt *pkt)
{
	struct fab_credit_vl *vl = &credit(port)->vl[pkt->cls_in];
	u32 size = port->p->flow.credit.blocks[pkt->cls_in];
	u32 sum = credit_outstanding(vl) + vl->used;

	if (sum > size)
		vl->excess = sum - size;
}

static void credit_on_receive(struct fab *fab, struct fab_port *port,
			      struct fab_pkt *pkt, enum fab_drop verdict)
{
	struct fab_credit_vl *vl = &credit(port)->vl[pkt->cls_in];

	if (pkt->cls_in == FAB_VL_MGMT)
		return;
	if (verdict == FAB_DROP_BIT_ERROR || verdict == FAB_DROP_LINK_DOWN)
		return;
	vl->abr += fab_credit_blocks(port->p, pkt);
	vl->abr &= FAB_CREDIT_MASK;
	if (credit_grant(port, pkt->cls_in))
		credit_news(fab, port, pkt->cls_in);
}

static void credit_shut(struct fab_port *port, u16 classes)
{
	credit(port)->shut = classes;
}

static void credit_on_release(struct fab *fab, struct fab_port *port,
			      const struct fab_pkt *pkt)
{
	struct fab_credit_vl *vl = &credit(port)->vl[pkt->cls_in];

	vl->used -= fab_credit_blocks(port->p, pkt);
	if (pkt->cls_in == FAB_VL_MGMT)
		return;
	if (credit_grant(port, pkt->cls_in))
		credit_news(fab, port, pkt->cls_in);
}

/* The VLs of which the far end lacks an update. */
static u16 credit_stale(const struct fab_port *port)
{
	const struct fab_credit *s = credit(port), *far = credit(port->peer);
	u16 lanes = credit_lanes(port) & credit_lanes(port->peer), stale;
	u32 left, n;

	stale = lanes & ~(far->heard & far->open);
	for (left = lanes & ~stale; left; left &= left - 1) {
		n = __ffs(left);
		if (far->vl[n].fccl != s->vl[n].granted ||
		    far->vl[n].abr != s->vl[n].fctbs)
			stale |= BIT(n);
	}
	return stale;
}

/* The same if the far end is in another part. */
static u16 credit_stale_cut(const struct fab *fab, const struct fab_port *port)
{
	u16 stale = 0;
	u32 left, n;

	for (left = credit_lanes(port) & credit_lanes(port->peer); left;
	     left &= left - 1) {
		n = __ffs(left);
		if (fab_cut_lacks(fab, port, n, credit(port)->vl[n].granted))
			stale |= BIT(n);
	}
	return stale;
}

static void credit_refresh(struct fab *fab, struct fab_port *port)
{
	struct fab_credit *s = credit(port);
	u16 stale = port->special & FAB_SPECIAL_CUT ?
			    credit_stale_cut(fab, port) : credit_stale(port);

	s->urgent |= stale;
	s->refresh = stale ? fab->now + port->p->flow.credit.refresh :
			     FAB_NEVER;
}

static void credit_on_timer(struct fab *fab, struct fab_port *port)
{
	struct fab_credit *s = credit(port);

	if (fab->now >= s->tick) {
		s->tick = FAB_NEVER;
		s->urgent |= s->news;
	}
	if (fab->now >= s->refresh)
		credit_refresh(fab, port);
	credit_arm(fab, port);
	credit_hurry(fab, port, 0);
}

static u32 credit_queued(const struct fab_port *port, const struct fab_fifo *q,
			 u32 n)
{
	const struct fab_pkt *pkt;
	u32 blocks = 0;

	for (pkt = q->head; pkt; pkt = pkt->next)
		if (pkt->cls == n)
			blocks += fab_credit_blocks(port->p, pkt);
	return blocks;
}

/* Blocks of a VL on the wire from @port to its peer, or to be retransmitted. */
static u32 credit_in_flight(const struct fab_port *port, u32 n)
{
	return credit_queued(port, &port->wire.in_flight, n) +
	       credit_queued(port, &port->unacked, n) +
	       credit_queued(port, &port->replay, n);
}

/* The far end must not have credit to overrun the buffer of @port. */
static const char *credit_check_room(const struct fab_port *port, u32 n)
{
	const struct fab_credit *far = credit(port->peer);
	const struct fab_credit_vl *vl = &credit(port)->vl[n];
	u32 hand = credit_ahead(far->vl[n].fccl, far->vl[n].fctbs);

	if (!(far->open & BIT(n)))
		return NULL;
	if (hand > FAB_CREDIT_CAP)
		return "credit: more was sent than granted";
	if (hand + credit_in_flight(port->peer, n) + vl->used >
	    port->p->flow.credit.blocks[n] + vl->excess)
		return "credit: the far end can overrun the buffer";
	return NULL;
}

static const char *credit_check_vl(const struct fab_port *port, u32 n)
{
	const struct fab_credit *s = credit(port);
	const struct fab_credit_vl *vl = &s->vl[n];
	u32 out = credit_outstanding(vl);

	if (out > FAB_CREDIT_CAP)
		return "credit: more arrived than was granted";
	if (out + vl->used > port->p->flow.credit.blocks[n] + vl->excess)
		return "credit: more granted than there is room for";
	if (!credit_alive(port))
		return NULL;
	if (s->open & ~s->heard)
		return "credit: a lane is open, but nothing was heard";
	if (!(s->news & BIT(n)) && !(s->urgent & BIT(n)) &&
	    (vl->told_fctbs != vl->fctbs || vl->told_granted != vl->granted))
		return "credit: a change is not going to be told";
	return n < port->peer->p->classes ? credit_check_room(port, n) : NULL;
}

static const char *credit_check_timer(const struct fab_port *port)
{
	const struct fab_credit *s = credit(port);
	fab_time at = min(s->tick, s->refresh);

	if (fab_event_pending(&port->flow_timer) ?
	    port->flow_timer.at != at : at != FAB_NEVER)
		return "credit: the timer is not due when it should be";
	if (s->news & ~s->urgent && s->tick == FAB_NEVER)
		return "credit: news, but no tick";
	if (s->urgent && !(port->urgent & FAB_URGENT_CONTROL))
		return "credit: something urgent, but the port does not know";
	if (credit_alive(port) && port->p->flow.credit.refresh &&
	    s->refresh == FAB_NEVER &&
	    credit_stale(port) & ~(s->urgent | s->news))
		return "credit: the far end lacks something, and no refresh";
	return NULL;
}

static const char *credit_check(const struct fab_port *port)
{
	u32 lanes = credit_lanes(port);
	const char *wrong = NULL;

	for (; lanes && !wrong; lanes &= lanes - 1)
		wrong = credit_check_vl(port, __ffs(lanes));
	return wrong ? wrong : credit_check_timer(port);
}

static const struct fab_flow_control credit_flow = {
	.kind = FAB_FLOW_CREDIT,
	.credits = true,
	.state_size = sizeof(struct fab_credit),
	.control_slots = CREDIT_SLOTS,
	.own_room = true,
	.mgmt = true,
	.params_check = credit_params_check,
	.agree = credit_agree,
	.init = credit_init,
	.reset = credit_reset,
	.fits = credit_fits,
	.may_send = credit_may_send,
	.on_send = credit_on_send,
	.control = credit_control,
	.on_control = credit_on_control,
	.take = credit_take,
	.on_copy = credit_on_copy,
	.on_receive = credit_on_receive,
	.on_release = credit_on_release,
	.shut = credit_shut,
	.on_timer = credit_on_timer,
	.check = credit_check,
};

const struct fab_discipline fab_credit = {
	.name = "credit",
	.framing = &fab_frames,
	.flow = &credit_flow,
	.family = FAB_INFINIBAND,
};
