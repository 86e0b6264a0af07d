// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Credit: the counters, the rules of sending, initialisation, resynchronisation.
 */
#include "ib.h"
#include "ktap.h"

#define FC	FAB_CREDIT_FRAME

static struct fab_port *port(struct net *net, u32 id)
{
	return &net->node[id]->ep.port;
}

static struct fab_credit_vl *vl0(struct net *net, u32 id)
{
	return &ib_state(port(net, id))->vl[0];
}

TEST(credit_found)
{
	EXPECT(fab_discipline_find("credit") == &fab_credit);
}

/*
 * Both ends begin at 0 with op 1. It arrives at each a transmission f and a
 * propagation p later. The answer with op 0 is sent at once and opens the VL at the
 * far end at 2 f + 2 p, exactly. A packet that has waited since 0 begins then.
 */
static void initialise(u64 bps, fab_time p, u32 blocks)
{
	struct ib ib = { .bps = bps, .propagation = p, .blocks = blocks };
	struct net *net = net_new(1);
	fab_time at = 2 * ib_time(&ib, FC) + 2 * p;
	u32 grant = blocks > 2048 ? 2048 : blocks, i;

	for (i = 0; i < 2; i++)
		ib_host(net, &ib, i);
	ib_join(net, &ib, port(net, 0), port(net, 1));
	net_send(net, 0, 1, 2048);
	net_run(net, at / 2);
	EXPECT_EQ(ib_state(port(net, 0))->heard, 1);
	net_run(net, at - 1);
	EXPECT_EQ(ib_state(port(net, 0))->open, 0);
	EXPECT_EQ(port(net, 0)->c.tx_packets, 0);
	net_run(net, at);
	EXPECT_EQ(ib_state(port(net, 0))->open, 1);
	EXPECT_EQ(vl0(net, 0)->fccl, grant);
	EXPECT_EQ(vl0(net, 0)->fctbs, 33);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at, at + p + ib_time(&ib, 2048 + 26));
	net_free(net);
}

TEST(credit_initialise)
{
	initialise(8 * GBPS, 100 * NS, 1024);
	initialise(100 * GBPS, 5 * US, 2048);
	initialise(400 * GBPS, 10 * NS, 65535);
	initialise(800 * GBPS, 0, 33);
}

/* 15 VLs and one without flow control: each is opened. */
TEST(credit_initialise_lanes)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 50 * NS,
			 .blocks = 500, .vls = 16 };
	struct net *net = ib_pair(&ib);
	u32 i, n;

	for (i = 0; i < 2; i++) {
		EXPECT_EQ(ib_state(port(net, i))->open, 0x7fff);
		for (n = 0; n < 15; n++)
			EXPECT_EQ(ib_state(port(net, i))->vl[n].fccl, 500);
	}
	net_free(net);
}

/* The rule of IBTA against may_send(), for every credit and many lengths. */
TEST(credit_rule)
{
	struct ib ib = { .bps = 100 * GBPS, .blocks = 2048 };
	struct net *net = ib_pair(&ib);
	struct fab_credit_vl *vl = vl0(net, 0);
	struct fab_pkt pkt = { .segs = 1 };
	u32 fctbs, left, blocks;
	bool want;

	for (fctbs = 0; fctbs < 4096; fctbs += 315) {
		for (left = 0; left <= 2048; left++) {
			blocks = 1 + (left * 7 + fctbs) % 70;
			pkt.len = 64 * blocks - IB_HEADER;
			vl->fctbs = fctbs;
			vl->fccl = (fctbs + left) % 4096;
			want = (vl->fccl - (fctbs + blocks)) % 4096U <= 2048;
			EXPECT_EQ(fab_port_may_send(port(net, 0), &pkt), want);
			EXPECT_EQ(want, blocks <= left);
		}
	}
	vl->fctbs = 0;
	vl->fccl = vl0(net, 1)->granted;
	net_free(net);
}

/*
 * 12-bit counters wrap: n packets of b blocks are far more than 4096 blocks,
 * none is lost, and all counters are n * b mod 4096 where nothing is held.
 */
static void wrap(u32 payload, u32 blocks, u32 n)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 50 * NS,
			 .blocks = blocks };
	u32 b = ib_blocks(payload), grant = blocks < 2048 ? blocks : 2048, i;
	struct net *net = ib_pair(&ib);

	for (i = 0; i < n; i++) {
		EXPECT_EQ(net_send(net, 0, 1, payload), 0);
		if (i % 100 == 99)
			net_drain(net);
	}
	net_drain(net);
	EXPECT(n * b > 3 * 4096);
	EXPECT_EQ(net->node[1]->rx, n);
	EXPECT_EQ(vl0(net, 0)->fctbs, n * b % 4096);
	EXPECT_EQ(vl0(net, 1)->abr, n * b % 4096);
	EXPECT_EQ(vl0(net, 1)->granted, (n * b + grant) % 4096);
	EXPECT_EQ(vl0(net, 0)->fccl, (n * b + grant) % 4096);
	EXPECT_EQ(vl0(net, 1)->used, 0);
	net_free(net);
}

TEST(credit_wrap)
{
	wrap(2048, 66, 1000);
	wrap(4096, 2048, 400);
	wrap(256, 4000, 4000);
	wrap(4096, 65, 300);
}

/* At most 2048 blocks are in flight, however large the buffer is. */
TEST(credit_cap)
{
	static const u32 payload[] = { 256, 2048, 4096 };
	struct ib ib = { .bps = 400 * GBPS, .propagation = 200 * US,
			 .blocks = 65535 };
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(payload); i++) {
		net = ib_pair(&ib);
		net->no_check = true;
		net_pump(net, 0, 1, payload[i], 0);
		net_run(net, net->fab.now + 300 * US);
		EXPECT_EQ(port(net, 0)->c.tx_packets,
			  2048 / ib_blocks(payload[i]));
		EXPECT_NULL_STR(fab_check(&net->fab));
		net_pump(net, 0, 1, 0, 0);
		net_drain(net);
		EXPECT_EQ(net->fab.c.packets_dropped, 0);
		net_free(net);
	}
}

/* Two hosts whose blocks are of another size. */
static struct net *block_pair(struct ib *ib, u32 block)
{
	struct fab_endpoint_params p = { .port = ib_port(ib) };
	struct net *net = net_new(1);
	u32 i;

	p.port.flow.credit.block = block;
	for (i = 0; i < 2; i++)
		net_node_add(net, i, &p);
	ib_join(net, ib, port(net, 0), port(net, 1));
	net_drain(net);
	return net;
}

/* Larger blocks (for long links) waste more: floor(B / ceil(L / block)). */
TEST(credit_block_size)
{
	static const u32 block[] = { 64, 128, 256, 1024, 4096 };
	static const u32 packets[] = { 200 / 33, 200 / 17, 200 / 9, 200 / 3,
				       200 };
	struct ib ib = { .bps = 100 * GBPS, .blocks = 200,
			 .propagation = 30 * NS };
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(block); i++) {
		net = block_pair(&ib, block[i]);
		ib_stop(net, 1, 1);
		net_pump(net, 0, 1, 2048, 0);
		net->no_check = true;
		net_drain(net);
		EXPECT_NULL_STR(fab_check(&net->fab));
		EXPECT_EQ(port(net, 0)->c.tx_packets, packets[i]);
		EXPECT_EQ(port(net, 1)->cls[0].c.buffer_peak,
			  packets[i] * block[i] *
			  ((2074 + block[i] - 1) / block[i]));
		net_free(net);
	}
}

/* Each frame of a train takes whole blocks: 9000 bytes in 3, 5, 9 frames. */
TEST(credit_trains)
{
	static const u16 segs[] = { 1, 3, 5, 9 };
	static const u32 blocks[] = { 142, 3 * 48, 5 * 29, 9 * 17 };
	struct ib ib = { .bps = 100 * GBPS, .blocks = 400 };
	struct fab_pkt pkt = { .len = 9000, .dst = 1 };
	struct net *net = ib_pair(&ib);
	u32 i;

	ib_stop(net, 1, 1);
	for (i = 0; i < ARRAY_SIZE(segs); i++) {
		pkt.segs = segs[i];
		EXPECT_EQ(fab_credit_blocks(port(net, 0)->p, &pkt),
			  blocks[i]);
		EXPECT_EQ(net_give(net->node[0], &pkt), 0);
		net_drain(net);
	}
	/* 142 + 144 fit 400, 145 more do not; a train is sent as a whole or not. */
	EXPECT_EQ(vl0(net, 1)->used, 142 + 3 * 48);
	EXPECT_EQ(port(net, 0)->cls[0].packets, 2);
	ib_stop(net, 1, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 4);
	net_free(net);
}

/*
 * A packet that is longer than its VL could never be sent: it is dropped, and the
 * packets behind it are sent. A VL of 40 blocks of 64 bytes takes frames of up to
 * 40 * 64 - 26 bytes, and trains of up to 40 blocks.
 */
TEST(credit_too_long)
{
	static const struct {
		u32 len;
		u16 segs;
		bool fits;
	} cases[] = {
		{ 40 * 64 - 26, 1, true }, { 40 * 64 - 25, 1, false },
		{ 40 * (64 - 26), 40, true }, { 40 * (64 - 26), 41, false },
		{ 2048, 1, true },
	};
	struct ib ib = { .bps = 100 * GBPS, .blocks = 40 };
	struct fab_pkt pkt = { .dst = 1 };
	struct net *net = ib_pair(&ib);
	u64 lost = 0, came = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		pkt.len = cases[i].len;
		pkt.segs = cases[i].segs;
		if (cases[i].fits)
			came++;
		else
			lost += pkt.segs;
		EXPECT_EQ(net_give(net->node[0], &pkt), 0);
		net_drain(net);
		EXPECT_EQ(net->node[1]->rx, came);
		EXPECT_EQ(port(net, 0)->c.drops[FAB_DROP_TOO_LONG], lost);
	}
	net_free(net);
}

TEST(credit_params)
{
	struct ib ib = { .bps = GBPS, .blocks = 33, .vls = 2 };
	struct fab_port_params p = ib_port(&ib);
	struct fab_credit_params *c = &p.flow.credit;

#define REFUSED(lvalue, value, want) do {				\
		__typeof__(lvalue) kept_ = (lvalue);			\
									\
		EXPECT_EQ(fab_port_params_check(&p), 0);		\
		(lvalue) = (value);					\
		EXPECT_EQ(fab_port_params_check(&p), want);		\
		(lvalue) = kept_;					\
	} while (0)
	REFUSED(c->block, 0, -ERANGE);
	REFUSED(c->block, 32, -ERANGE);
	REFUSED(c->block, 8192, -ERANGE);
	REFUSED(c->block, 96, -EINVAL);
	REFUSED(c->block, 4096, 0);
	REFUSED(c->header, 257, -ERANGE);
	REFUSED(c->period, 0, -ERANGE);
	REFUSED(c->period, FAB_DELAY_MAX + 1, -ERANGE);
	REFUSED(c->refresh, FAB_DELAY_MAX + 1, -ERANGE);
	REFUSED(c->blocks[1], 0, -ERANGE);
	REFUSED(c->blocks[1], 65536, -ERANGE);
	REFUSED(c->blocks[1], 65535, 0);
	REFUSED(c->blocks[2], 0, 0);
	REFUSED(p.trim.len, 64, -EINVAL);
}

static void send_vl15(struct net *net, u32 n)
{
	struct fab_pkt pkt = { .len = 256, .dst = 1, .cls = 15, .segs = 1 };

	while (n--)
		EXPECT_EQ(net_give(net->node[0], &pkt), 0);
}

/* VL 15: packets that find no room at the host are dropped; data is not affected. */
TEST(credit_vl15_host)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 50 * NS,
			 .blocks = 17, .vls = 16 };
	struct net *net = ib_pair(&ib);

	ib_stop(net, 1, 0x8001);
	send_vl15(net, 8);
	net_send(net, 0, 1, 1000);
	net_send(net, 0, 1, 1000);
	net_drain(net);
	/* 282 bytes take 5 blocks: three packets fit 17. */
	EXPECT_EQ(ib_state(port(net, 1))->vl[15].used, 15);
	EXPECT_EQ(port(net, 1)->c.drops[FAB_DROP_RX_FULL], 5);
	EXPECT_EQ(net->fab.c.packets_dropped, 5);
	EXPECT_EQ(port(net, 0)->ready, 1);
	ib_stop(net, 1, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 5);
	EXPECT_EQ(port(net, 0)->c.tx_packets, 10);
	net_free(net);
}

/* The same at a switch: a slow wire takes one packet, three find room. */
TEST(credit_vl15_switch)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 50 * NS,
			 .blocks = 17, .vls = 16 }, slow = ib;
	struct net *net = net_new(1);
	struct fab_switch *sw = ib_switch(net, &ib, 0, 2);

	slow.bps = GBPS;
	ib_join(net, &ib, &ib_host(net, &ib, 0)->ep.port, &sw->port[0]);
	ib_join(net, &slow, &ib_host(net, &ib, 1)->ep.port, &sw->port[1]);
	net_route(sw, 1, 1);
	net_drain(net);
	send_vl15(net, 8);
	net_drain(net);
	EXPECT_EQ(sw->port[0].c.drops[FAB_DROP_PORT_LIMIT], 4);
	EXPECT_EQ(net->node[1]->rx, 4);
	net_free(net);
}

/*
 * A multicast packet fills the buffer that was granted for it, and the switch
 * makes copies. They hold room beyond the size, and no credit is granted until only
 * one of them is left. Then the sender gets credit for one packet again.
 */
static void multicast(u32 copies, u32 packets)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 50 * NS,
			 .blocks = packets * 33 }, one = ib;
	struct fab_pkt pkt = { .len = 2048, .segs = 1,
			       .flags = FAB_PKT_MULTICAST };
	struct net *net = net_new(1);
	struct fab_switch *sw = ib_switch(net, &ib, 0, copies + 1);
	u16 ports[NET_MAX];
	u32 i, left;

	one.blocks = 33;
	for (i = 0; i <= copies; i++) {
		ib_join(net, &ib, &ib_host(net, i ? &one : &ib, i)->ep.port,
			&sw->port[i]);
		ports[i] = i;
	}
	EXPECT_EQ(fab_route_flood_set(&sw->route, ports, copies + 1), 0);
	for (i = 1; i <= copies; i++)
		ib_stop(net, i, 1);
	net_drain(net);
	/* One for the hosts, and then as many as the switch takes. */
	for (i = 0; i < packets + 3; i++)
		net_give(net->node[0], &pkt);
	net_drain(net);
	EXPECT_EQ(port(net, 0)->c.tx_packets, packets + 1);
	left = packets * copies;
	EXPECT_EQ(vl0(net, 0)->fctbs, (packets + 1) * 33);
	EXPECT_EQ(ib_state(&sw->port[0])->vl[0].used, left * 33);
	EXPECT_EQ(ib_state(&sw->port[0])->vl[0].excess,
		  (left - packets) * 33);
	for (i = 1; i <= copies; i++)
		ib_stop(net, i, 0);
	net_drain(net);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	for (i = 1; i <= copies; i++)
		EXPECT_EQ(net->node[i]->rx, packets + 3);
	EXPECT_EQ(ib_state(&sw->port[0])->vl[0].used, 0);
	EXPECT_EQ(ib_state(&sw->port[0])->vl[0].excess, 0);
	EXPECT_EQ((vl0(net, 0)->fccl - vl0(net, 0)->fctbs) % 4096, ib.blocks);
	net_free(net);
}

TEST(credit_multicast)
{
	multicast(2, 1);
	multicast(3, 1);
	multicast(5, 4);
}

/* Break a value, expect the message @want, restore the value. */
#define BREAK(lvalue, value, want) do {					\
		__typeof__(lvalue) kept_ = (lvalue);			\
									\
		EXPECT_NULL_STR(fab_check(&net->fab));			\
		(lvalue) = (value);					\
		wrong(__LINE__, fab_check(&net->fab), want);		\
		(lvalue) = kept_;					\
		EXPECT_NULL_STR(fab_check(&net->fab));			\
	} while (0)

static void wrong(int line, const char *got, const char *want)
{
	if (!got || strcmp(got, want))
		ktap_fail(__FILE__, line, "said \"%s\", want \"%s\"",
			  got ? got : "nothing", want);
}

TEST(credit_check)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 5 * US,
			 .blocks = 20 * 33, .refresh = 50 * US };
	struct net *net = ib_pair(&ib);
	struct fab_credit *a = ib_state(port(net, 0));
	struct fab_credit *b = ib_state(port(net, 1));
	struct fab_credit_vl *av = a->vl, *bv = b->vl;

	ib_stop(net, 1, 1);
	net_pump(net, 0, 1, 2048, 0);
	net_run(net, net->fab.now + 6 * US);
	EXPECT(bv->used && port(net, 0)->wire.in_flight.head);
	BREAK(bv->granted, bv->granted + 1,
	      "credit: more granted than there is room for");
	BREAK(bv->granted, bv->abr - 1,
	      "credit: more arrived than was granted");
	BREAK(bv->used, bv->used + 1,
	      "credit: more granted than there is room for");
	BREAK(av->fccl, av->fctbs - 1, "credit: more was sent than granted");
	BREAK(av->fccl, av->fccl + 1,
	      "credit: the far end can overrun the buffer");
	BREAK(bv->told_granted, 7, "credit: a change is not going to be told");
	BREAK(b->heard, 0, "credit: a lane is open, but nothing was heard");
	BREAK(a->tick, 0,
	      "credit: the timer is not due when it should be");
	BREAK(a->refresh, 0, "credit: the timer is not due when it should be");
	BREAK(bv->abr, bv->abr - 1,
	      "credit: more granted than there is room for");
	BREAK(b->urgent, 1,
	      "credit: something urgent, but the port does not know");
	net_free(net);
}

/* The overrun itself: a sender with more credit than was granted. */
TEST(credit_overrun)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 50 * NS,
			 .blocks = 4 * 33 };
	struct net *net = ib_pair(&ib);

	net->no_check = true;
	ib_stop(net, 1, 1);
	vl0(net, 0)->fccl += 33;
	EXPECT(fab_check(&net->fab));
	net_pump(net, 0, 1, 2048, 0);
	net_drain(net);
	EXPECT_EQ(vl0(net, 1)->used, 5 * 33);
	wrong(__LINE__, fab_check(&net->fab),
	      "credit: more arrived than was granted");
	vl0(net, 1)->granted += 33;
	port(net, 1)->p->flow.credit.blocks[0] += 33;
	vl0(net, 1)->told_granted = vl0(net, 1)->granted;
	net_free(net);
}
