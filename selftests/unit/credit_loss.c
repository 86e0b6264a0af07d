// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Credit on wires with losses: credits lost with a packet or an update, how they are
 * recovered (I15), and links that go down and up.
 */
#include "core/sim/rng.h"
#include "ib.h"
#include "ktap.h"

#define FC		FAB_CREDIT_FRAME
#define REFRESH		(50 * US)

static struct fab_port *port(struct net *net, u32 id)
{
	return &net->node[id]->ep.port;
}

static struct fab_credit_vl *vl0(const struct fab_port *port)
{
	return &ib_state(port)->vl[0];
}

/* Blocks that a port may still send. */
static u32 hand(const struct fab_port *port)
{
	return (vl0(port)->fccl - vl0(port)->fctbs) & FAB_CREDIT_MASK;
}

/* From now on the mean distance of bit errors is @bits; 0: none. */
static void errors(struct net *net, struct fab_port *from, u64 bits)
{
	struct fab_wire_params p = from->wire.p;

	p.bits_per_error = bits;
	fab_link_set(&net->fab, from, &p);
}

/* Both ends are up to date, no block is held, and the sender has credit for all. */
static void whole(const struct fab_port *a, u32 blocks)
{
	EXPECT_EQ(hand(a), blocks);
	EXPECT_EQ(vl0(a)->fctbs, vl0(a->peer)->abr);
	EXPECT_EQ(vl0(a)->fccl, vl0(a->peer)->granted);
	EXPECT_EQ(vl0(a->peer)->used, 0);
}

/*
 * I15, updates at ticks only: a lost packet takes blocks(L) from the sender's credit,
 * and the receiver does not know of them. The credit is restored when a tick of the
 * sender has sent FCTBS and the next one of the receiver FCCL.
 */
static void leak(u64 bps, u32 payload)
{
	struct ib ib = { .bps = bps, .propagation = 50 * NS, .blocks = 1000,
			 .period = 100 * US, .lazy = true };
	struct net *net = ib_pair(&ib);
	struct fab_port *a = port(net, 0), *b = port(net, 1);
	fab_time tick = net->fab.now / ib.period * ib.period + ib.period;
	u32 n = ib_blocks(payload);

	errors(net, a, 1);
	net_send(net, 0, 1, payload);
	net_run(net, tick - 1);
	EXPECT_EQ(net->drops[FAB_DROP_BIT_ERROR], 1);
	errors(net, a, 0);
	EXPECT_EQ(hand(a), 1000 - n);
	EXPECT_EQ(vl0(b)->granted, 1000);
	EXPECT_EQ(vl0(b)->abr, 0);
	EXPECT_EQ(vl0(b)->used, 0);
	net_run(net, tick + ib_time(&ib, FC) + ib.propagation);
	EXPECT_EQ(vl0(b)->abr, n);
	EXPECT_EQ(vl0(b)->granted, 1000 + n);
	net_run(net, tick + ib.period);
	EXPECT_EQ(hand(a), 1000 - n);
	net_drain(net);
	whole(a, 1000);
	net_free(net);
}

TEST(credit_leak)
{
	leak(8 * GBPS, 2048);
	leak(100 * GBPS, 256);
	leak(400 * GBPS, 4096);
}

/*
 * With updates on an idle wire: the sender sends FCTBS after the lost packet, and the
 * receiver answers. So the leak lasts 2 f + 2 p after the packet, or the packet's time
 * and 2 f + p + p from its first bit.
 */
static void leak_heals(u64 bps, u32 payload, bool lossy_switch)
{
	struct ib ib = { .bps = bps, .propagation = 50 * NS, .blocks = 1000,
			 .latency = 100 * NS, .period = MS,
			 .forward = FAB_STORE_FORWARD };
	struct net *net = lossy_switch ? net_new(1) : ib_pair(&ib);
	struct fab_port *a;
	fab_time at;

	if (lossy_switch) {
		ib_switch(net, &ib, 0, 2);
		a = &ib_host(net, &ib, 0)->ep.port;
		ib_join(net, &ib, a, &net->sw[0]->port[0]);
		net_drain(net);
	}
	a = port(net, 0);
	at = net->fab.now + ib_time(&ib, payload + IB_HEADER) +
	     2 * (ib.propagation + ib_time(&ib, FC));
	errors(net, a, 1);
	net_send(net, 0, 1, payload);
	net_run(net, net->fab.now + 1);
	errors(net, a, 0);
	net_run(net, at - 1);
	EXPECT_EQ(net->drops[FAB_DROP_BIT_ERROR], 1);
	EXPECT_EQ(hand(a), 1000 - ib_blocks(payload));
	net_run(net, at);
	whole(a, 1000);
	net_free(net);
}

TEST(credit_leak_heals)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		leak_heals(8 * GBPS, 2048, i);
		leak_heals(100 * GBPS, 256, i);
		leak_heals(400 * GBPS, 4096, i);
	}
}

/* A cut-through switch has forwarded the packet before the error: no leak. */
TEST(credit_no_leak)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 50 * NS,
			 .blocks = 1000, .latency = 100 * NS, .period = MS };
	struct net *net = net_new(1);
	struct fab_switch *sw = ib_switch(net, &ib, 0, 2);
	u32 i;

	for (i = 0; i < 2; i++) {
		ib_join(net, &ib, &ib_host(net, &ib, i)->ep.port, &sw->port[i]);
		net_route(sw, i, i);
	}
	net_run(net, 10 * US);
	errors(net, port(net, 0), 1);
	net_send(net, 0, 1, 4096);
	net_run(net, 10 * US + 60 * NS);
	EXPECT_EQ(vl0(&sw->port[0])->abr, 65);
	errors(net, port(net, 0), 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->ep.port.c.drops[FAB_DROP_BIT_ERROR], 1);
	whole(port(net, 0), 1000);
	whole(&sw->port[1], 1000);
	net_free(net);
}

/*
 * All updates of the receiver are lost for a while, and with them the credit for the
 * second packet. The receiver repeats its update every refresh. So the sender has the
 * credit at the latest one refresh after the errors end; without refresh, never.
 */
static void lost_update(u64 bps, u32 payload, fab_time refresh)
{
	struct ib ib = { .bps = bps, .propagation = 50 * NS, .period = 5 * US,
			 .refresh = refresh };
	struct net *net;
	fab_time end;

	ib.blocks = ib_blocks(payload);
	net = ib_pair(&ib);
	errors(net, port(net, 1), 1);
	net_send(net, 0, 1, payload);
	net_send(net, 0, 1, payload);
	end = net->fab.now + 200 * US;
	net_run(net, end);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT(port(net, 1)->c.lost_control > 0);
	errors(net, port(net, 1), 0);
	net_run(net, end + refresh + 2 * ib.propagation +
		     ib_time(&ib, payload + IB_HEADER + FC));
	EXPECT_EQ(net->node[1]->rx, refresh ? 2 : 1);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, refresh ? 2 : 1);
	net_free(net);
}

TEST(credit_lost_update)
{
	lost_update(8 * GBPS, 2048, REFRESH);
	lost_update(100 * GBPS, 256, 7 * US);
	lost_update(400 * GBPS, 4096, 2 * REFRESH);
	lost_update(100 * GBPS, 4096, 0);
}

/* Initialisation is repeated until the far end has received it. */
TEST(credit_lost_initialisation)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 50 * NS,
			 .blocks = 65, .refresh = REFRESH, .vls = 3 };
	struct net *net = net_new(1);
	u32 i;

	for (i = 0; i < 2; i++)
		ib_host(net, &ib, i);
	ib_join(net, &ib, port(net, 0), port(net, 1));
	for (i = 0; i < 2; i++)
		errors(net, port(net, i), 1);
	net_run(net, 10 * REFRESH - 1);
	EXPECT_EQ(ib_state(port(net, 0))->heard, 0);
	EXPECT_EQ(port(net, 0)->c.lost_control, 3 * 10);
	errors(net, port(net, 0), 0);
	net_run(net, 15 * REFRESH);
	EXPECT_EQ(ib_state(port(net, 1))->heard, 7);
	EXPECT_EQ(ib_state(port(net, 1))->open, 0);
	errors(net, port(net, 1), 0);
	net_drain(net);
	EXPECT_EQ(ib_state(port(net, 0))->open, 7);
	EXPECT_EQ(ib_state(port(net, 1))->open, 7);
	net_free(net);
}

/*
 * Errors at random in both directions: data and updates are lost in any order. When
 * the errors end, all packets that were not hit arrive, and no block is missing: no
 * permanent loss of credit, and no hang.
 */
static void noise(u64 seed, u64 bits, u32 payload, u32 packets)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 300 * NS,
			 .refresh = REFRESH, .ring = 8 * payload };
	struct net *net;
	u32 i;

	ib.blocks = packets * ib_blocks(payload);
	net = net_new(seed);
	for (i = 0; i < 2; i++)
		ib_host(net, &ib, i);
	ib_join(net, &ib, port(net, 0), port(net, 1));
	for (i = 0; i < 2; i++) {
		errors(net, port(net, i), bits);
		net_pump(net, i, 1 - i, payload, 0);
	}
	net_run(net, MS);
	EXPECT(net->drops[FAB_DROP_BIT_ERROR] > 10);
	EXPECT(port(net, 0)->c.lost_control > 0);
	for (i = 0; i < 2; i++) {
		errors(net, port(net, i), 0);
		net_pump(net, i, 1 - i, 0, 0);
	}
	net_drain(net);
	EXPECT_EQ(net->sent, net->node[0]->rx + net->node[1]->rx +
			     net->drops[FAB_DROP_BIT_ERROR]);
	for (i = 0; i < 2; i++)
		whole(port(net, i), ib.blocks);
	net_free(net);
}

TEST(credit_noise)
{
	u64 seed;

	for (seed = 1; seed <= 4; seed++) {
		noise(seed, 100, 256, 1);
		noise(seed, 2000, 2048, 3);
		noise(seed, 10000, 4096, 8);
	}
}

/* The sender's counters wrap while packets are lost all the time. */
TEST(credit_noise_wraps)
{
	noise(5, 3000, 4096, 31);
	noise(6, 1000, 256, 400);
}

/*
 * A receiver that takes no packets: its buffer is full, both ends are up to date, and
 * no event is pending, however many packets wait. When it takes packets again, all
 * arrive.
 */
TEST(credit_idle)
{
	struct ib ib = { .bps = 400 * GBPS, .propagation = 50 * NS,
			 .blocks = 4 * 65, .refresh = 5 * US };
	struct net *net = ib_pair(&ib);
	u32 i;

	ib_stop(net, 1, 1);
	for (i = 0; i < 20; i++)
		net_send(net, 0, 1, 4096);
	net_drain(net);
	EXPECT(net->fab.now < 50 * US);
	EXPECT_EQ(port(net, 0)->c.tx_packets, 4);
	EXPECT_EQ(port(net, 0)->cls[0].packets, 16);
	net_run(net, 100 * MS);
	ib_stop(net, 1, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 20);
	whole(port(net, 0), 4 * 65);
	net_free(net);
}

/*
 * A wire goes down and up while data and updates are on both wires. Data on the other
 * wire is from the time before, and is dropped. Both ends reset, and room that is
 * still held is not granted again.
 */
static void flap(u32 which, fab_time down, u16 stopped)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 10 * US,
			 .blocks = 10 * 65, .refresh = REFRESH };
	struct net *net = ib_pair(&ib);
	struct fab_port *wire = port(net, which);
	u32 i;

	ib_stop(net, 1, stopped);
	for (i = 0; i < 2; i++)
		net_pump(net, i, 1 - i, 4096, 0);
	net_run(net, 200 * US);
	fab_link_up(&net->fab, wire, false);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_run(net, 200 * US + down);
	fab_link_up(&net->fab, wire, true);
	EXPECT_NULL_STR(fab_check(&net->fab));
	for (i = 0; i < 2; i++)
		net_pump(net, i, 1 - i, 4096, 0);
	net_run(net, 600 * US);
	EXPECT(net->drops[FAB_DROP_LINK_DOWN] > 0);
	EXPECT_EQ(net->fab.c.packets_dropped, net->drops[FAB_DROP_LINK_DOWN]);
	ib_stop(net, 1, 0);
	for (i = 0; i < 2; i++)
		net_pump(net, i, 1 - i, 0, 0);
	net_drain(net);
	for (i = 0; i < 2; i++)
		whole(port(net, i), ib.blocks);
	net_free(net);
}

TEST(credit_flap)
{
	u32 which;

	for (which = 0; which < 2; which++) {
		flap(which, 0, 0);
		flap(which, 3 * US, 1);
		flap(which, 30 * US, 0);
		flap(which, 100 * US, 1);
	}
}

/* A link is unplugged and plugged in again, with data and updates on it. */
TEST(credit_replug)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 10 * US,
			 .blocks = 10 * 65, .refresh = REFRESH };
	struct net *net = ib_pair(&ib);
	u32 i;

	net_pump(net, 0, 1, 4096, 0);
	for (i = 1; i <= 3; i++) {
		net_run(net, i * 133 * US);
		fab_link_part(&net->fab, port(net, 0), FAB_DROP_LINK_DOWN);
		EXPECT_NULL_STR(fab_check(&net->fab));
		ib_join(net, &ib, port(net, 0), port(net, 1));
		net_pump(net, 0, 1, 4096, 0);
	}
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	EXPECT_EQ(net->fab.c.packets_dropped, net->drops[FAB_DROP_LINK_DOWN]);
	whole(port(net, 0), ib.blocks);
	net_free(net);
}

/*
 * A wire becomes shorter under traffic. Packets on it arrive as they were sent. An
 * update sent later must not overtake them: the data before it would count twice, and
 * more would be granted than there is room for.
 */
TEST(credit_shorter)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 20 * US,
			 .blocks = 20 * 65, .refresh = 5 * US,
			 .period = US };
	struct net *net = ib_pair(&ib);
	struct fab_wire_params p = ib_wire(&ib);
	u32 i;

	ib_stop(net, 1, 1);
	net_pump(net, 0, 1, 4096, 0);
	net_run(net, net->fab.now + 5 * US);
	EXPECT(port(net, 0)->wire.in_flight.head);
	p.propagation = 10 * NS;
	fab_link_set(&net->fab, port(net, 0), &p);
	net_run(net, 200 * US);
	EXPECT_EQ(vl0(port(net, 1))->used, 20 * 65);
	ib_stop(net, 1, 0);
	for (i = 0; i < 10; i++) {
		p.propagation = i % 2 ? 10 * NS : 3 * US;
		fab_link_set(&net->fab, port(net, i % 2), &p);
		net_run(net, net->fab.now + 10 * US);
	}
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	whole(port(net, 0), ib.blocks);
	net_free(net);
}
