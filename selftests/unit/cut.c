// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cut links: two parts do the same as the whole.
 *
 * Two hosts send each other packets over a link with credits, each at times of its own.
 * In the whole they are in one fabric. In two parts each has a fabric, and both run in
 * turn as far as the propagation of the link allows. What one sends is kept until then, or
 * handed over at once.
 */
#include <stdlib.h>

#include "core/sim/rng.h"
#include "ib.h"
#include "ktap.h"

#define WIRES	2
#define KEPT	4096
#define PACKETS	20000

/**
 * enum how - how the hosts are divided
 * @WHOLE: not at all
 * @KEPT_UNTIL_END: in two parts; what is sent is kept until the end of the window
 * @AT_ONCE: in two parts; what is sent is handed over at once
 */
enum how {
	WHOLE,
	KEPT_UNTIL_END,
	AT_ONCE,
};

/**
 * struct sent - what is on its way to the other part
 * @cut: its wire
 * @pkt: the packet; NULL: a control frame
 * @control: the control frame
 */
struct sent {
	struct fab_cut *cut;
	struct fab_pkt *pkt;
	struct fab_control control;
};

/**
 * struct part - a fabric, with one host or both
 * @fab: the fabric
 * @sent: what it has sent
 * @n: how many
 * @to: the part to which all is handed over at once; NULL: it is kept
 */
struct part {
	struct fab fab;
	struct sent sent[KEPT];
	u32 n;
	struct part *to;
};

/**
 * struct talker - a host
 * @ep: its endpoint
 * @p: parameters of @ep
 * @mem: its memory
 * @part: its part
 * @talk: it sends the next packet
 * @left: packets that it has not sent
 * @gap: the next one comes less than so many ns later
 * @rng: its times and lengths
 * @digest: what came, and when
 * @came: packets that came
 */
struct talker {
	struct fab_endpoint ep;
	struct fab_endpoint_params p;
	void *mem;
	struct part *part;
	struct fab_event talk;
	u32 left;
	u32 gap;
	u64 rng;
	u64 digest;
	u32 came;
};

static void talk_deliver(struct fab_endpoint *ep, struct fab_pkt *pkt)
{
	struct talker *t = container_of(ep, struct talker, ep);

	t->digest = fab_mix(t->digest ^ t->part->fab.now) + pkt->flow_hash;
	t->came++;
	free(pkt);
}

static void talk_drop(struct fab *fab, struct fab_port *port, struct fab_pkt *pkt,
		      enum fab_drop why)
{
	(void)fab;
	(void)port;
	EXPECT_EQ(why, FAB_DROP_COUNT);
	free(pkt);
}

static void talk_wake(struct fab_endpoint *ep, u8 cls)
{
	(void)ep;
	(void)cls;
}

static struct sent *keep(struct part *part, struct fab_cut *cut)
{
	if (part->n == KEPT)
		abort();
	part->sent[part->n].cut = cut;
	return &part->sent[part->n++];
}

static void talk_leave(struct fab *fab, struct fab_cut *cut, struct fab_pkt *pkt)
{
	struct part *part = container_of(fab, struct part, fab);

	if (part->to)
		fab_cut_arrive(&part->to->fab, cut, pkt);
	else
		keep(part, cut)->pkt = pkt;
}

static void talk_tell(struct fab *fab, struct fab_cut *cut, const struct fab_control *c)
{
	struct part *part = container_of(fab, struct part, fab);
	struct sent *s;

	if (part->to) {
		fab_cut_hear(&part->to->fab, cut, c);
		return;
	}
	s = keep(part, cut);
	s->pkt = NULL;
	s->control = *c;
}

static const struct fab_host_ops talk_ops = {
	.deliver = talk_deliver,
	.drop = talk_drop,
	.tx_wake = talk_wake,
	.leave = talk_leave,
	.tell = talk_tell,
};

/* Send a packet, and the next one a whole number of ns later. */
static void talk_on(struct fab *fab, struct fab_event *ev)
{
	struct talker *t = container_of(ev, struct talker, talk);
	struct fab_pkt *pkt = calloc(1, sizeof(*pkt));
	u64 draw = fab_rng_next(&t->rng);

	if (!pkt)
		abort();
	pkt->len = 64 + draw % 4000;
	pkt->segs = 1;
	pkt->dst = !t->ep.id;
	pkt->flow_hash = t->left;
	EXPECT_EQ(fab_endpoint_send(fab, &t->ep, pkt), 0);
	if (--t->left)
		fab_event_schedule(&fab->events, ev, fab->now + (draw >> 32) % t->gap * NS);
}

static void talker_init(struct part *part, struct talker *t, u32 id, const struct ib *ib,
			u32 gap)
{
	memset(t, 0, sizeof(*t));
	t->p.port = ib_port(ib);
	t->p.buffer.total = 1 << 30;
	t->part = part;
	t->left = PACKETS;
	t->gap = gap;
	t->rng = id;
	t->mem = calloc(1, fab_endpoint_mem(&t->p));
	fab_endpoint_init(&part->fab, &t->ep, id, &t->p, t->mem);
	fab_endpoint_name(&part->fab, &t->ep);
	fab_event_init(&t->talk, talk_on);
	fab_event_name(&t->talk, fab_name(part->fab.seed, FAB_NAME_HOST, id, 0));
}

static void cut_wire(struct fab_cut *cut, u32 id, struct fab_port *port)
{
	EXPECT(fab_cut_possible(port));
	fab_cut_init(cut, id, port, calloc(1, fab_cut_mem(port)),
		     calloc(1, fab_cut_ring_mem(port)));
}

/* Hand over what @from has sent. */
static void hand_over(struct part *from, struct part *to)
{
	u32 i;

	for (i = 0; i < from->n; i++)
		if (from->sent[i].pkt)
			fab_cut_arrive(&to->fab, from->sent[i].cut, from->sent[i].pkt);
		else
			fab_cut_hear(&to->fab, from->sent[i].cut, &from->sent[i].control);
	from->n = 0;
}

static void run_until(struct part *part, fab_time end)
{
	fab_time next;

	while ((next = fab_event_next(&part->fab.events)) <= end)
		fab_run(&part->fab, next, FAB_NO_BUDGET);
}

static bool are_talking(const struct talker t[2])
{
	if (t[0].part->fab.now > 100 * MS) {
		ktap_fail(__FILE__, __LINE__, "%u and %u packets came in 100 ms",
			  t[0].came, t[1].came);
		return false;
	}
	return t[0].came < PACKETS || t[1].came < PACKETS;
}

static void run_windows(struct part *part, struct talker *t, fab_time ahead)
{
	const char *broken = NULL;
	fab_time next;

	while (!broken && are_talking(t)) {
		next = min(fab_event_next(&part[0].fab.events),
			   fab_event_next(&part[1].fab.events));
		if (next == FAB_NEVER) {
			broken = "packets are left, and nothing is due";
			break;
		}
		run_until(&part[0], next + ahead - 1);
		run_until(&part[1], next + ahead - 1);
		broken = fab_check(&part[0].fab);
		if (!broken)
			broken = fab_check(&part[1].fab);
		hand_over(&part[0], &part[1]);
		hand_over(&part[1], &part[0]);
	}
	if (broken)
		ktap_fail(__FILE__, __LINE__, "%s", broken);
}

/* Let two hosts talk. */
static void talk(const struct ib *ib, u32 gap, struct talker t[2], enum how how)
{
	bool parts = how != WHOLE;
	static struct part part[2];
	struct fab_wire_params wire = ib_wire(ib);
	struct fab_cut cut[WIRES];
	u32 i;

	memset(part, 0, sizeof(part));
	for (i = 0; i < 2; i++) {
		fab_init(&part[i].fab, &talk_ops, 1);
		part[i].fab.guests = 1;
		part[i].to = how == AT_ONCE ? &part[!i] : NULL;
	}
	for (i = 0; i < 2; i++)
		talker_init(&part[0], &t[i], i, ib, gap);
	EXPECT_EQ(fab_link_join(&part[0].fab, &t[0].ep.port, &t[1].ep.port, &wire, &wire), 0);
	if (parts) {
		for (i = 0; i < WIRES; i++)
			cut_wire(&cut[i], i, &t[i].ep.port);
		fab_endpoint_change(&part[0].fab, &part[1].fab, &t[1].ep);
		t[1].part = &part[1];
	}
	for (i = 0; i < 2; i++)
		fab_event_schedule(&t[i].part->fab.events, &t[i].talk, 0);
	if (parts)
		run_windows(part, t, ib->propagation);
	while (!parts && are_talking(t))
		run_until(&part[0], fab_event_next(&part[0].fab.events));
	for (i = 0; parts && i < WIRES; i++) {
		free(cut[i].lane);
		free(cut[i].far.slot);
	}
	for (i = 0; i < 2; i++)
		free(t[i].mem);
}

static void expect_same_as(const struct talker whole[2], const struct ib *ib, u32 gap,
			   enum how how)
{
	struct talker cut[2];
	u32 i;

	talk(ib, gap, cut, how);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(whole[i].digest, cut[i].digest);
		EXPECT_EQ(whole[i].ep.port.c.tx_packets, cut[i].ep.port.c.tx_packets);
		EXPECT_EQ(whole[i].ep.port.c.rx_bytes, cut[i].ep.port.c.rx_bytes);
	}
}

static void expect_same(const struct ib *ib, u32 gap)
{
	struct talker whole[2];

	talk(ib, gap, whole, WHOLE);
	expect_same_as(whole, ib, gap, KEPT_UNTIL_END);
	expect_same_as(whole, ib, gap, AT_ONCE);
}

/* Updates at ticks, repeated after 7 us if the far end may lack one. */
TEST(refreshed_credits_are_the_same)
{
	const struct ib ib = {
		.bps = 400 * GBPS, .propagation = 500 * NS, .blocks = 2048,
		.period = 3 * US, .refresh = 7 * US, .lazy = true, .react = 20 * NS,
	};

	expect_same(&ib, 160);
}

/* Each instant is a multiple of 1 ns, so many events share one. */
TEST(ties_are_the_same)
{
	const struct ib ib = {
		.bps = 8 * GBPS, .propagation = 500 * NS, .blocks = 512,
		.period = 2 * US, .refresh = 3 * US, .react = 100 * NS,
	};

	expect_same(&ib, 8200);
}

/* The ring of control frames is full most of the time. */
TEST(a_full_ring_is_the_same)
{
	const struct ib ib = {
		.bps = 400 * GBPS, .propagation = 20 * US, .blocks = 4000,
		.period = 4 * US, .refresh = 5 * US,
	};

	expect_same(&ib, 2000);
}

/* A wire with errors, without propagation or with retry is not cut. */
TEST(what_is_not_cut)
{
	struct ib ib = { .bps = 400 * GBPS, .propagation = 5 * NS, .blocks = 512 };
	struct net *net = ib_pair(&ib);
	struct fab_port *port = &net->node[0]->ep.port;
	struct fab_wire_params p = port->wire.p;

	EXPECT(fab_cut_possible(port));
	p.propagation = 0;
	fab_link_set(&net->fab, port, &p);
	EXPECT(!fab_cut_possible(port));
	p.propagation = 1;
	p.bits_per_error = 1000000;
	fab_link_set(&net->fab, port, &p);
	EXPECT(!fab_cut_possible(port));
	net_free(net);
}
