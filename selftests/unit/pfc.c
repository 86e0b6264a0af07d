// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pauses between two ports: contents of the frames and the time at which they take
 * effect (E9, E10), and the bytes that arrive after the decision to stop (E1).
 */
#include "core/sim/fixed.h"
#include "ktap.h"
#include "pfcnet.h"

/**
 * struct link_case - a link
 * @bps: rate
 * @prop: propagation, at 5.05 ns per metre
 * @quanta: reaction time of the peer, units of 512 bits
 * @len: bytes of a packet
 * @overhead: bytes of a packet on the wire in addition to its length
 */
struct link_case {
	u64 bps;
	fab_time prop;
	u16 quanta;
	u32 len;
	u32 overhead;
};

/* 5 m, 40 m, 300 m, 5 m; reaction times of 802.3 as SONiC has them. */
static const struct link_case links[] = {
	{ 10 * GBPS, 25250, 67, 1518, 0 },
	{ 100 * GBPS, 202000, 394, 4158, 20 },
	{ 400 * GBPS, 1515000, 905, 9216, 24 },
	{ 800 * GBPS, 25250, 905, 1086, 0 },
};

static fab_time react_of(const struct link_case *l)
{
	return fab_pfc_time(l->quanta, l->bps);
}

static fab_time slot_of(const struct link_case *l, u32 len)
{
	return fab_serialise(len + l->overhead, l->bps);
}

static void join(struct net *net, const struct link_case *l,
		 struct fab_port *a, struct fab_port *b)
{
	struct fab_wire_params w = net_wire(l->bps, l->prop);

	w.overhead = l->overhead;
	EXPECT_EQ(fab_link_join(&net->fab, a, b, &w, &w), 0);
}

/* Two hosts at a switch. */
static struct net *pair(const struct link_case *l,
			const struct fab_switch_params *p)
{
	struct fab_endpoint_params ep = { .port = pfcnet_port(1, react_of(l)) };
	struct net *net = net_new(1);
	u32 i;

	net_switch_add(net, 0, p);
	for (i = 0; i < 2; i++) {
		join(net, l, &net_node_add(net, i, &ep)->ep.port,
		     &net->sw[0]->port[i]);
		net_route(net->sw[0], i, i);
	}
	pfcnet_log(net);
	return net;
}

TEST(find)
{
	EXPECT(fab_discipline_find("pfc") == &fab_pfc);
	EXPECT(fab_discipline_find("pause") == &fab_pause);
}

/* Quanta of 512 bits, rounded up to a picosecond; the longest of section 3.1. */
TEST(quanta)
{
	EXPECT_EQ(fab_pfc_time(0, GBPS), 0);
	EXPECT_EQ(fab_pfc_time(1, 100 * GBPS), 5120);
	EXPECT_EQ(fab_pfc_time(1, 3 * GBPS), 170667);
	EXPECT_EQ(fab_pfc_time(2, 3 * GBPS), 341334);
	EXPECT_EQ(fab_pfc_time(U16_MAX, 10 * GBPS), 65535 * 51200ULL);
	EXPECT_EQ(fab_pfc_time(U16_MAX, 800 * GBPS), 65535 * 640ULL);
	/* 65535 * 512e12 is above 2^64. */
	EXPECT_EQ(fab_pfc_time(U16_MAX, 1000), 65535 * 512000000000ULL);
	EXPECT_EQ(fab_pfc_time(U16_MAX, 7000), 4793417142857143ULL);
}

/*
 * E9: a pause of q quanta and nothing after it. It takes effect at t. The packet on the
 * wire is finished; the next one begins at t + q * 512 / rate exactly (or at the end of
 * the packet on the wire, if that is later). A packet that begins at b is received at
 * b + slot + p.
 */
static void pause_ends(const struct link_case *l, u16 quanta)
{
	struct fab_switch_params p = pfcnet_switch(2, 1, 1 << 20, 1 << 20);
	fab_time slot = slot_of(l, l->len), act, next;
	struct net *net = pair(l, &p);
	u64 before;

	net_pump(net, 0, 1, l->len, 0);
	act = 7 * slot + slot / 3;
	net_run(net, act);
	pfcnet_hold(net, &net->node[0]->ep.port, 0, quanta);
	next = max(act + fab_pfc_time(quanta, l->bps), 8 * slot);
	net_run(net, next - 1);
	/* Those that began at 0, 1, ..., 7 slots, and no other. */
	before = net->node[0]->ep.port.c.tx_packets;
	EXPECT_EQ(before, 8);
	net_run(net, next);
	EXPECT_EQ(net->node[0]->ep.port.c.tx_packets, 9);
	EXPECT_EQ(pfcnet_at(&net->node[0]->ep.port, 0, FAB_NOTICE_PAUSED, 0),
		  act);
	EXPECT_EQ(pfcnet_at(&net->node[0]->ep.port, 0, FAB_NOTICE_RESUMED, 0),
		  act + fab_pfc_time(quanta, l->bps));
	fab_port_settle(&net->fab, &net->node[0]->ep.port);
	EXPECT_EQ(net->node[0]->ep.port.cls[0].c.wait_ps, next - 8 * slot);
	EXPECT_EQ(net->node[0]->ep.port.c.tx_wait_ps, next - 8 * slot);
	net_free(net);
}

TEST(pause_ends_by_itself)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		pause_ends(&links[i], 1);
		pause_ends(&links[i], 1000);
		pause_ends(&links[i], U16_MAX);
	}
}

/*
 * The same over the wire: a pause that the far end begins to send at t takes effect at
 * t + 84 bytes + p + react.
 */
static void pause_travels(const struct link_case *l)
{
	struct fab_switch_params p = pfcnet_switch(2, 1, 1 << 20, 1 << 20);
	fab_time frame = fab_serialise(FAB_PFC_WIRE, l->bps);
	struct net *net = pair(l, &p);
	struct fab_control c = {
		.type = FAB_CONTROL_PFC,
		.pause.enable = 1,
		.pause.quanta[0] = 100,
	};

	net_run(net, US);
	fab_control_carry(&net->fab, &net->sw[0]->port[0], &c, frame);
	net_drain(net);
	EXPECT_EQ(pfcnet_at(&net->node[0]->ep.port, 0, FAB_NOTICE_PAUSED, 0),
		  US + frame + l->prop + react_of(l));
	EXPECT_EQ(pfcnet_at(&net->node[0]->ep.port, 0, FAB_NOTICE_RESUMED, 0),
		  US + frame + l->prop + react_of(l) +
		  fab_pfc_time(100, l->bps));
	EXPECT_EQ(net->node[0]->ep.port.cls[0].c.rx_pause, 1);
	net_free(net);
}

TEST(pause_travels)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(links); i++)
		pause_travels(&links[i]);
}

/*
 * E10: a pause of d every period P. From the end of a pause to the next one a packet
 * begins every slot, ceil((P - d) / slot) packets in total. The last may end within the
 * pause, if that is longer than a slot. So the rate is C (1 - d / P), to a packet per
 * period.
 */
static void duty_cycle(const struct link_case *l, u16 quanta, u32 periods,
		       fab_time period)
{
	struct fab_switch_params p = pfcnet_switch(2, 1, 1 << 20, 1 << 20);
	fab_time slot = slot_of(l, l->len), gap = fab_pfc_time(quanta, l->bps);
	struct net *net = pair(l, &p);
	u64 per = DIV_ROUND_UP(period - gap, slot);
	u32 i;

	EXPECT(gap > slot && (period - gap) % slot);
	net_pump(net, 0, 1, l->len, 0);
	for (i = 1; i <= periods; i++) {
		net_run(net, i * period);
		pfcnet_hold(net, &net->node[0]->ep.port, 0, quanta);
	}
	/* The first period has no pause before it. */
	EXPECT_EQ(net->node[0]->ep.port.c.tx_packets,
		  DIV_ROUND_UP(period, slot) + (periods - 1) * per);
	EXPECT_NEAR((double)per * slot / period, 1 - (double)gap / period,
		    (double)slot / period);
	net_free(net);
}

TEST(duty_cycle)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		fab_time gap = fab_pfc_time(500, links[i].bps);

		duty_cycle(&links[i], 500, 20, 2 * gap + 1);
		duty_cycle(&links[i], 500, 20, 3 * gap + 77);
		duty_cycle(&links[i], 500, 20, 11 * gap + 13);
	}
}

/**
 * struct stop - E1: the packets that the sender sends after the decision to stop
 *
 * The egress is held; packets of one length arrive at line rate. With the k-th the
 * class is over, k = ceil(X / L): the account holds X exactly, or would hold more and
 * is in the headroom. The pause is sent after @wait, when the reverse wire is free.
 * Count time from p before the decision: the pause takes effect at
 * D = wait + 84 / C + 2p + react. Store-and-forward decides at the tail of a packet, so
 * the sender began the next one at 0: it begins those at 0, s, 2s, ... before D,
 * ceil(D / s) packets. Cut-through decides at the head, a slot earlier: the sender
 * begins those at s, 2s, ... before D, one less.
 */
struct stop {
	/** @l: the link */
	const struct link_case *l;
	/** @forward: forwarding, which determines the time of the decision */
	enum fab_forward forward;
	/** @xoff: X */
	u64 xoff;
	/** @rev: length of packets that keep the reverse wire busy, or 0 */
	u32 rev;
	/** @wait: how long the pause waits for them */
	fab_time wait;
};

static fab_time stop_delay(const struct stop *s)
{
	return s->wait + fab_serialise(FAB_PFC_WIRE, s->l->bps) +
	       2 * s->l->prop + react_of(s->l);
}

static u64 stop_more(const struct stop *s)
{
	return DIV_ROUND_UP(stop_delay(s), slot_of(s->l, s->l->len)) -
	       (s->forward == FAB_CUT_THROUGH);
}

static u64 stop_first(const struct stop *s)
{
	return DIV_ROUND_UP(s->xoff, s->l->len);
}

/* Bytes of these in the headroom: the k-th packet too, unless it reaches X exactly. */
static u32 stop_headroom(const struct stop *s)
{
	return (stop_more(s) + !!(s->xoff % s->l->len)) * s->l->len;
}

/*
 * Start time for the worst phase: the decision is 1 ps after a packet of the reverse
 * wire began. Those begin at p + i t, with store-and-forward a slot t later. The k-th
 * packet arrives k slots (its head k - 1) and p after the first began.
 */
static fab_time stop_begin(struct stop *s)
{
	fab_time rev = slot_of(s->l, s->rev), slot = slot_of(s->l, s->l->len);
	u64 k = stop_first(s) - (s->forward == FAB_CUT_THROUGH);

	if (!s->rev)
		return 0;
	s->wait = rev - 1;
	return rev * (k * slot / rev + 2) - k * slot + 1;
}

static struct net *stop_run(struct stop *s, u32 headroom)
{
	struct fab_switch_params p = pfcnet_switch(2, 1, s->xoff, headroom);
	fab_time begin = stop_begin(s);
	struct net *net;

	p.forward = s->forward;
	net = pair(s->l, &p);
	pfcnet_hold(net, &net->sw[0]->port[1], 0, U16_MAX);
	if (s->rev)
		net_pump(net, 1, 0, s->rev, 0);
	net_run(net, begin);
	net_pump(net, 0, 1, s->l->len, 0);
	/* Well before the egress goes on. */
	net_run(net, begin + (stop_first(s) + stop_more(s) + 3) *
		slot_of(s->l, s->l->len) + stop_delay(s));
	EXPECT(net->fab.now < fab_pfc_time(U16_MAX, s->l->bps));
	EXPECT_EQ(net->sw[0]->port[0].cls[0].c.tx_pause, 1);
	return net;
}

/* Everything moves on in the end. */
static void stop_end(struct net *net, u64 drops)
{
	net_pump(net, 0, 1, 0, 0);
	net_pump(net, 1, 0, 0, 0);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_HEADROOM], drops);
	EXPECT_EQ(net->fab.c.packets_dropped, drops);
	EXPECT_EQ(net->fab.c.packets_delivered + drops, net->fab.c.packets_in);
	net_free(net);
}

/* The exact peak; a byte of headroom less loses one packet. */
static void stop_exact(struct stop *s)
{
	struct net *net = stop_run(s, 1 << 28);
	struct fab_class *c = net->sw[0]->port[0].cls;

	EXPECT_EQ(c->account.peak, (stop_first(s) + stop_more(s)) * s->l->len);
	EXPECT_EQ(c->account.headroom, stop_headroom(s));
	stop_end(net, 0);
	stop_end(stop_run(s, stop_headroom(s)), 0);
	stop_end(stop_run(s, stop_headroom(s) - 1), 1);
}

/*
 * The law, if packets take no more bytes on the wire than in the buffer: the peak is
 * above X by [lower, lower + 2 L], lower = C (2p + react) + L_rev + 84 bytes. In
 * cut-through both ends are L less, as a packet is accounted and decided on a slot
 * before its end. Headroom of lower + 2 L loses nothing; less than lower - L does. (The
 * wait is L_rev minus 1 ps, less than a byte.)
 */
static void stop_law(struct stop *s)
{
	double lower = (double)s->l->bps / 8e12 *
		       (2 * s->l->prop + react_of(s->l)) + s->rev +
		       FAB_PFC_WIRE;
	u32 len = s->l->len;
	struct net *net = stop_run(s, lower + 2 * len + 1);
	double above = net->sw[0]->port[0].cls[0].account.peak - s->xoff;

	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	net_free(net);
	if (s->forward == FAB_CUT_THROUGH)
		above += len;
	EXPECT(above > lower - 1 && above <= lower + 2 * len);
	if (lower - len < 1)
		return;
	net = stop_run(s, lower - len - 1);
	EXPECT(net->drops[FAB_DROP_HEADROOM] >= 1);
	EXPECT_EQ(net->sw[0]->port[0].c.drops[FAB_DROP_HEADROOM],
		  net->drops[FAB_DROP_HEADROOM]);
	EXPECT_EQ(net->sw[0]->port[0].cls[0].c.dropped,
		  net->drops[FAB_DROP_HEADROOM]);
	net_free(net);
}

static void stop_cases(const struct link_case *l, void (*fn)(struct stop *s))
{
	static const u32 rev[] = { 0, 700, 9216 };
	struct stop s = { .l = l };
	u32 i;

	for (i = 0; i < 2 * 2 * ARRAY_SIZE(rev); i++) {
		s.forward = i & 1 ? FAB_CUT_THROUGH : FAB_STORE_FORWARD;
		s.xoff = 20 * l->len + (i & 2 ? l->len / 3 : 0);
		s.rev = rev[i / 4];
		s.wait = 0;
		fn(&s);
	}
}

/* E1, the exact peak. */
TEST(headroom_is_exact)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(links); i++)
		stop_cases(&links[i], stop_exact);
}

/* E1, the interval. */
TEST(headroom_law)
{
	struct link_case l;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		l = links[i];
		l.overhead = 0;
		stop_cases(&l, stop_law);
	}
}
