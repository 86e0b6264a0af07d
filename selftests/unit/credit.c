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
 * Both ends begin at 0 with op 1. Each hears it a transmission f and a
 * propagation p later and answers with op 0 at once, which opens the lane at
 * the far end at 2 f + 2 p, exactly. A packet that waits since 0 begins then.
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

/* 15 lanes and one without flow control: each is opened. */
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
