// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CBFC and LLR of Ultra Ethernet: the rule of sending, the laws of rates, lost messages,
 * lost packets, best-effort VCs.
 */
#include "core/flow/cbfc.h"
#include "core/flow/retry.h"
#include "ktap.h"
#include "net.h"

#define RATE		(400 * GBPS)
#define PROP		(500 * NS)
#define SIZE		256		/* bytes of a credit */
#define OVERHEAD	16
#define LEN		4096
#define NEED		17		/* credits of a packet: (4096 + 16) / 256, rounded up */
#define BE		1		/* a best-effort VC */

/* At 400 Gb/s. */
static fab_time wire_time(u32 bytes)
{
	return 20ULL * bytes;
}

#define T		wire_time(LEN + 24)
#define CTLOS		wire_time(8)
#define CC		wire_time(84)

/**
 * struct uec - two hosts and a link, or what a switch is between
 * @disc: discipline of the links
 * @limit: credits of VC 0
 * @spacing: bytes between CF_Updates
 * @repeat: bytes after which they are repeated
 * @sync: interval of CC_Updates
 * @replay: bytes of the replay buffer
 * @ack: bytes between acknowledgements
 * @trim: bytes of a trimmed packet of the VC BE
 */
struct uec {
	const struct fab_discipline *disc;
	u32 limit;
	u32 spacing;
	u32 repeat;
	fab_time sync;
	u32 replay;
	u32 ack;
	u32 trim;
};

static struct fab_port_params uec_port(const struct uec *u)
{
	struct fab_port_params p = net_port(3, 1 << 20);
	struct fab_cbfc_params *c = &p.flow.cbfc;

	p.disc = u->disc ? u->disc : &fab_uec;
	c->limit[0] = u->limit;
	c->limit[2] = u->limit;
	c->size = SIZE;
	c->overhead = OVERHEAD;
	c->spacing = u->spacing;
	c->repeat = u->repeat;
	c->sync = u->sync ? u->sync : 100 * US;
	p.retry.control = 8;
	p.retry.replay = u->replay;
	p.retry.spacing = u->ack;
	p.retry.repeat = 5 * US;
	return p;
}

static struct net_node *uec_host(struct net *net, const struct uec *u, u32 id)
{
	struct fab_endpoint_params p = { .port = uec_port(u) };

	return net_node_add(net, id, &p);
}

static struct net *uec_pair(const struct uec *u)
{
	struct net *net = net_new(1);
	u32 i;

	for (i = 0; i < 2; i++)
		uec_host(net, u, i);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port, RATE, PROP);
	net_drain(net);
	return net;
}

/* Host 0 and host 1 at a switch, whose packets wait when the second wire is slow. */
static struct net *uec_switch(const struct uec *u, u64 slow)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = net_new(1);
	u32 i;

	p.port = uec_port(u);
	p.port.queue_limit = 8 * LEN;
	p.port.trim.len = u->trim;
	p.port.trim.classes = BIT(BE);
	p.port.trim.cls = 2;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++) {
		uec_host(net, u, i);
		net_join(net, &net->node[i]->ep.port, &net->sw[0]->port[i],
			 i ? slow : RATE, PROP);
		net_route(net->sw[0], i, i);
	}
	net_drain(net);
	return net;
}

static struct fab_port *end(struct net *net, u32 id)
{
	return &net->node[id]->ep.port;
}

static struct fab_cbfc_vc *vc(struct fab_port *port, u32 n)
{
	return &((struct fab_cbfc *)port->flow_state)->vc[n];
}

static void send_vc(struct net *net, u8 cls, u32 n)
{
	struct fab_pkt pkt = { .len = LEN, .dst = 1, .segs = 1, .cls = cls };

	while (n--)
		EXPECT_EQ(net_give(net->node[0], &pkt), 0);
}

TEST(cbfc_found)
{
	EXPECT(fab_discipline_find("cbfc") == &fab_cbfc);
	EXPECT(fab_discipline_find("uec") == &fab_uec);
}

/* (CC - CF) + credits <= limit, for counters that wrap. */
TEST(cbfc_rule)
{
	struct uec u = { .limit = 5000 };
	struct net *net = uec_pair(&u);
	struct fab_cbfc_vc *v = vc(end(net, 0), 0);
	struct fab_pkt pkt = { .segs = 1 };
	u32 freed, used, need;

	for (freed = 0; freed < 1 << 20; freed += 104729) {
		for (used = 0; used <= 5000; used++) {
			need = 1 + (used * 7 + freed) % 70;
			pkt.len = SIZE * need - OVERHEAD;
			v->freed = freed;
			v->consumed = (freed + used) % (1 << 20);
			EXPECT_EQ(fab_port_may_send(end(net, 0), &pkt),
				  used + need <= 5000);
			pkt.len++;
			EXPECT_EQ(fab_cbfc_credits(end(net, 0)->p, &pkt), need + 1);
		}
	}
	v->freed = 0;
	v->consumed = 0;
	net_free(net);
}

/*
 * Credits for k packets, and room at the host again as soon as a packet has arrived:
 * k packets per loop, of T, two propagations and a CF_Update. A spacing that is longer
 * than the loop is what counts then, from the first CF_Update on.
 */
static void loop(u32 k, u32 spacing)
{
	struct uec u = { .limit = k * NEED + NEED / 2, .spacing = spacing };
	struct net *net = uec_pair(&u);
	fab_time begin = net->fab.now, once = T + 2 * PROP + CTLOS;
	fab_time round = k == 1 ? max(once, wire_time(spacing)) : once;
	u32 rounds = 20;

	EXPECT(k * T <= once);
	send_vc(net, 0, rounds * k);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, rounds * k);
	EXPECT_EQ(net->node[1]->rx_at - begin, k * T + PROP + once + (rounds - 2) * round);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	EXPECT_EQ(vc(end(net, 0), 0)->freed, rounds * k * NEED);
	EXPECT_EQ(vc(end(net, 1), 0)->held, 0);
	net_free(net);
}

TEST(cbfc_loop)
{
	loop(1, 0);
	loop(1, 800);
	loop(1, 6400);
	loop(1, 262144);
	loop(2, 0);
	loop(7, 0);
	loop(12, 0);
}

/* Enough credits: a wire at its rate, for more than 2^20 of them. */
TEST(cbfc_rate)
{
	struct uec u = { .limit = 2000, .spacing = 6400, .repeat = 262144 };
	struct net *net = uec_pair(&u);
	fab_time begin = net->fab.now;
	u32 n = (1 << 20) / NEED + 1000, i;

	net->no_check = true;
	for (i = 0; i < n; i += 100) {
		send_vc(net, 0, 100);
		/* The wire never rests. */
		net_run(net, begin + (i + 90) * T);
	}
	net_drain(net);
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(net->node[1]->rx, i);
	EXPECT_EQ(net->node[1]->rx_at - begin, i * T + PROP);
	EXPECT_EQ(vc(end(net, 0), 0)->consumed, i * NEED % (1 << 20));
	EXPECT_EQ(vc(end(net, 0), 0)->freed, i * NEED % (1 << 20));
	/* CF_Updates are at least 6400 bytes apart; nothing else is said that way. */
	EXPECT(end(net, 1)->c.tx_control <= i * T / wire_time(6400) + 1);
	net_free(net);
}

/* A lost CF_Update does no harm but its repetition: the next has the whole count. */
TEST(cbfc_lost_update)
{
	struct uec u = { .limit = NEED, .repeat = 262144 };
	struct net *net = uec_pair(&u);
	fab_time begin = net->fab.now;
	struct fab_fault f;

	net_hit(net, end(net, 1), &f, T + 2 * PROP);
	send_vc(net, 0, 2);
	net_drain(net);
	EXPECT_EQ(f.c.control, 1);
	EXPECT_EQ(net->node[1]->rx, 2);
	/* Said at T + p, and once more 262144 bytes later. */
	EXPECT_EQ(net->node[1]->rx_at - begin, T + PROP + wire_time(262144) +
		  CTLOS + PROP + T + PROP);
	net_free(net);
}

/*
 * Without retry a packet that is lost takes its credits with it. The CC_Update brings
 * them back: S after the first packet was sent, and the second is sent a CC_Update, a
 * CF_Update and two propagations later. A second CC_Update is sent for the second packet.
 */
TEST(cbfc_leak)
{
	struct uec u = { .disc = &fab_cbfc, .limit = NEED, .sync = 20 * US };
	struct net *net = uec_pair(&u);
	fab_time begin = net->fab.now;
	struct fab_fault f;

	net_hit(net, end(net, 0), &f, T / 2);
	send_vc(net, 0, 2);
	net_drain(net);
	EXPECT_EQ(net->fab.c.packets_dropped, 1);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(net->node[1]->rx_at - begin,
		  20 * US + CC + PROP + CTLOS + PROP + T + PROP);
	EXPECT_EQ(end(net, 0)->c.tx_control, 2);
	EXPECT_EQ(vc(end(net, 1), 0)->arrived, 2 * NEED);
	EXPECT_EQ(vc(end(net, 0), 0)->freed, 2 * NEED);
	net_free(net);
}

/* One packet in ten is lost: without CC_Updates the link would stand still. */
TEST(cbfc_leaks)
{
	struct uec u = { .disc = &fab_cbfc, .limit = 20 * NEED, .sync = 5 * US,
			 .spacing = 6400, .repeat = 65536 };
	const struct fab_fault_params p = {
		.kind = FAB_FAULT_LOSS, .ppb = FAB_FAULT_PPB / 10,
		.start = 0, .duration = FAB_NEVER,
	};
	struct net *net = uec_pair(&u);
	struct fab_fault f = {};

	fab_fault_add(&net->fab, end(net, 0), &f, &p);
	send_vc(net, 0, 200);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx + net->fab.c.packets_dropped, 200);
	EXPECT(net->fab.c.packets_dropped > 5);
	EXPECT(net->node[1]->rx > 150);
	fab_fault_remove(&net->fab, &f);
	net_drain(net);
	EXPECT_EQ(vc(end(net, 0), 0)->freed, vc(end(net, 0), 0)->consumed);
	net_free(net);
}

/*
 * LLR: a packet that is hit comes again W packet times later, W = ceil((T + 2 p + A) / T),
 * as what was sent meanwhile is refused. Nothing is lost, and credits count it once.
 */
TEST(llr_one_error)
{
	struct uec u = { .limit = 2000, .spacing = 6400, .repeat = 262144 };
	struct net *net = uec_pair(&u);
	u32 w = DIV_ROUND_UP(T + 2 * PROP + CTLOS, T);
	fab_time begin = net->fab.now;
	struct fab_fault f;

	net_hit(net, end(net, 0), &f, T / 2);
	send_vc(net, 0, 100);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 100);
	EXPECT_EQ(net->node[1]->rx_at - begin, (100 + w) * T + PROP);
	EXPECT_EQ(end(net, 1)->c.naks, 1);
	EXPECT_EQ(end(net, 0)->c.tx_replays, w);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	EXPECT_EQ(vc(end(net, 1), 0)->arrived, 100 * NEED);
	net_free(net);
}

/*
 * Goodput against the bit-error rate: go-back-N with packet errors of probability q
 * spends W packet times on each, so a packet takes 1 + W q / (1 - q) times T (N3 of the
 * oracles, with the first transmission of each). 40,000 packets, five standard
 * deviations of the number of errors.
 */
static void errors(u64 bits_per_error)
{
	struct uec u = { .limit = 4000, .spacing = 6400, .repeat = 262144,
			 .replay = 262144, .ack = 2048 };
	u32 n = 40000, w = DIV_ROUND_UP(T + 2 * PROP + CTLOS, T), i;
	struct net *net = uec_pair(&u);
	struct fab_wire_params wire = net_wire(RATE, PROP);
	fab_time begin = net->fab.now, took;
	double bits = 8.0 * (LEN + 24), q, law, spread, got;

	wire.bits_per_error = bits_per_error;
	fab_link_set(&net->fab, end(net, 0), &wire);
	net->no_check = true;
	for (i = 0; i < n; i += 50) {
		send_vc(net, 0, 50);
		while (end(net, 0)->cls[0].packets > 20)
			net_run(net, fab_event_next(&net->fab.events));
	}
	net_drain(net);
	EXPECT_NULL_STR(fab_check(&net->fab));
	took = net->node[1]->rx_at - begin - PROP;
	EXPECT_EQ(net->node[1]->rx, n);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	q = bits / (double)bits_per_error;
	q = q - q * q / 2 + q * q * q / 6;	/* 1 - exp(-q) */
	law = 1 + w * q / (1 - q);
	got = (double)took / (double)(n * T);
	spread = 5 * w * __builtin_sqrt(q / n) + 0.001;
	if (got < law - spread || got > law + spread)
		ktap_fail(__FILE__, __LINE__, "q %g: %g times the wire, the law is %g +- %g",
			  q, got, law, spread);
	net_free(net);
}

TEST(llr_goodput)
{
	errors(100000000);	/* q = 3.3e-4: 1.005 */
	errors(10000000);	/* 3.3e-3: 1.046 */
	errors(1000000);	/* 0.032: 1.46 */
}

/*
 * The replay buffer limits what is unacknowledged: with room for k packets, k in a loop
 * of T, two propagations and an acknowledgement. As it is for both, the CF_Update goes
 * first, and the acknowledgement waits for it.
 */
TEST(llr_replay_buffer)
{
	struct uec u = { .limit = 4000, .spacing = 1 << 20, .replay = 2 * LEN, .ack = 1 };
	fab_time round = T + 2 * PROP + CTLOS, begin;
	struct net *net = uec_pair(&u);

	/* Its CF_Update is the only one. */
	send_vc(net, 0, 1);
	net_drain(net);
	begin = net->fab.now;
	send_vc(net, 0, 40);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 41);
	EXPECT_EQ(net->node[1]->rx_at - begin, 2 * T + PROP + 19 * round);
	net_free(net);
}

/* Best effort: no credits, the full queue of a switch drops; the VC beside it loses none. */
TEST(cbfc_best_effort)
{
	struct uec u = { .limit = 20 * NEED, .spacing = 800, .repeat = 65536 };
	struct net *net = uec_switch(&u, 10 * GBPS);
	u64 lost;

	send_vc(net, BE, 60);
	send_vc(net, 0, 60);
	net_drain(net);
	lost = net->sw[0]->port[1].c.drops[FAB_DROP_QUEUE_FULL];
	EXPECT(lost > 40);
	EXPECT_EQ(net->fab.c.packets_dropped, lost);
	EXPECT_EQ(net->node[1]->rx_cls[0], 60 * LEN);
	EXPECT_EQ(net->node[1]->rx_cls[BE], (60 - lost) * LEN);
	EXPECT_EQ(vc(end(net, 0), BE)->consumed, 0);
	EXPECT(net->sw[0]->port[0].cls[0].c.buffer_peak <= 20 * NEED * SIZE);
	EXPECT(net->sw[0]->port[0].cls[0].c.buffer_peak > 19 * NEED * SIZE);
	net_free(net);
}

/* What best effort would lose is trimmed instead, and its headers take credits of theirs. */
TEST(cbfc_trim)
{
	struct uec u = { .limit = 20 * NEED, .spacing = 800, .repeat = 65536, .trim = 64 };
	struct net *net = uec_switch(&u, 10 * GBPS);
	u64 cut;

	send_vc(net, BE, 60);
	net_drain(net);
	cut = net->sw[0]->port[1].cls[BE].c.trimmed;
	EXPECT(cut > 40);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	EXPECT_EQ(net->node[1]->rx, 60);
	EXPECT_EQ(net->node[1]->rx_cls[2], cut * 64);
	EXPECT_EQ(vc(&net->sw[0]->port[1], 2)->consumed, cut);
	net_free(net);
}

/* The copies of a multicast packet hold no credits; the packet does, once. */
TEST(cbfc_multicast)
{
	struct uec u = { .limit = 4 * NEED, .spacing = 800, .repeat = 65536 };
	struct fab_pkt pkt = { .len = LEN, .segs = 1, .flags = FAB_PKT_MULTICAST };
	struct fab_switch_params p = net_switch_params(4);
	u16 ports[4] = { 0, 1, 2, 3 };
	struct net *net = net_new(1);
	u32 i;

	p.port = uec_port(&u);
	net_switch_add(net, 0, &p);
	for (i = 0; i < 4; i++) {
		uec_host(net, &u, i);
		net_join(net, end(net, i), &net->sw[0]->port[i], i ? 100 * GBPS : RATE,
			 PROP);
	}
	EXPECT_EQ(fab_route_flood_set(&net->sw[0]->route, ports, 4), 0);
	net_drain(net);
	for (i = 0; i < 30; i++)
		net_give(net->node[0], &pkt);
	net_drain(net);
	for (i = 1; i < 4; i++)
		EXPECT_EQ(net->node[i]->rx, 30);
	EXPECT_EQ(vc(&net->sw[0]->port[0], 0)->held, 0);
	EXPECT_EQ(vc(end(net, 0), 0)->freed, 30 * NEED);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	net_free(net);
}

/*
 * The link fails while the switch holds packets. They count as consumed when it comes
 * up, so that the buffer is not overrun, and their credits come back one by one.
 */
static void link_down(const struct fab_discipline *disc)
{
	struct uec u = { .disc = disc, .limit = 8 * NEED, .spacing = 800,
			 .repeat = 65536, .sync = 20 * US };
	struct net *net = uec_switch(&u, 10 * GBPS);
	struct fab_port *in = &net->sw[0]->port[0];
	u32 i;

	for (i = 0; i < 4; i++) {
		send_vc(net, 0, 30);
		net_run(net, net->fab.now + 10 * US);
		EXPECT(vc(in, 0)->held >= 6 * NEED);
		fab_link_up(&net->fab, i & 1 ? in : end(net, 0), false);
		EXPECT_NULL_STR(fab_check(&net->fab));
		fab_link_up(&net->fab, i & 1 ? in : end(net, 0), true);
		EXPECT_NULL_STR(fab_check(&net->fab));
		EXPECT_EQ(vc(end(net, 0), 0)->consumed, vc(in, 0)->held);
		send_vc(net, 0, 20);
		net_drain(net);
		EXPECT(in->cls[0].c.buffer_peak <= 8 * NEED * SIZE);
		EXPECT_EQ(vc(in, 0)->held, 0);
		EXPECT_EQ(vc(end(net, 0), 0)->freed, vc(end(net, 0), 0)->consumed);
		EXPECT_EQ(net->node[1]->rx + net->fab.c.packets_dropped, net->sent);
	}
	net_free(net);
}

TEST(cbfc_link_down)
{
	link_down(&fab_cbfc);
	link_down(&fab_uec);
}

TEST(cbfc_params)
{
	struct uec u = { .limit = 33 };
	struct fab_port_params p = uec_port(&u);
	struct fab_cbfc_params *c = &p.flow.cbfc;

#define REFUSED(lvalue, value, want) do {				\
		__typeof__(lvalue) kept_ = (lvalue);			\
									\
		EXPECT_EQ(fab_port_params_check(&p), 0);		\
		(lvalue) = (value);					\
		EXPECT_EQ(fab_port_params_check(&p), want);		\
		(lvalue) = kept_;					\
	} while (0)
	REFUSED(c->size, 0, -ERANGE);
	REFUSED(c->size, 4097, -ERANGE);
	REFUSED(c->size, 254, 0);
	REFUSED(c->overhead, 128, -ERANGE);
	REFUSED(c->limit[0], 1 << 20, -ERANGE);
	REFUSED(c->limit[0], (1 << 20) - 1, 0);
	REFUSED(c->limit[0], 0, 0);
	REFUSED(c->sync, 0, -ERANGE);
	REFUSED(c->spacing, 1U << 31, -ERANGE);
	REFUSED(c->repeat, 1U << 31, -ERANGE);
	REFUSED(p.retry.spacing, 1U << 31, -EINVAL);
	REFUSED(p.trim.len, 64, 0);
}
