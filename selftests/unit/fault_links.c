// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults on links with flow control, at random times, and the state after them.
 */
#include "core/sim/rng.h"
#include "ib.h"
#include "ktap.h"
#include "net.h"
#include "nv.h"
#include "pfcnet.h"

#define FAULTS	8U

static struct net *plain_pair(void)
{
	struct net *net = net_new(1);

	net_join(net, &net_host(net, 0)->ep.port, &net_host(net, 1)->ep.port,
		 100 * GBPS, 100 * NS);
	return net;
}

static struct net *pfc_pair(void)
{
	struct fab_endpoint_params p = pfcnet_host(1, 20000, 1 << 20);
	struct net *net = net_new(1);
	u32 i;

	p.rx.rate_bps = 60 * GBPS;
	for (i = 0; i < 2; i++)
		net_node_add(net, i, &p);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port,
		 100 * GBPS, 100 * NS);
	return net;
}

static struct net *credit_pair(void)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 100 * NS,
			 .blocks = 2000, .refresh = 5 * US };

	return ib_pair(&ib);
}

static struct net *nvlink_pair(void)
{
	struct fab_wire_params w = nv_wire(100 * GBPS, 100 * NS);
	struct fab_port_params p = nv_port(1, 4096, 4096);
	struct net *net = nv_pair(&p, &w);

	nv_watch(net);
	return net;
}

static struct net *(*const pairs[])(void) = {
	plain_pair, pfc_pair, credit_pair, nvlink_pair,
};

static void inject(struct net *net, struct fab_fault *f,
		   struct fab_fault_params p)
{
	EXPECT_EQ(fab_fault_params_check(&p), 0);
	memset(f, 0, sizeof(*f));
	fab_fault_add(&net->fab, &net->node[0]->ep.port, f, &p);
}

static u64 draw(u64 *rng, u64 n)
{
	return fab_rng_next(rng) % n;
}

/* A fault of any kind, in a few microseconds from now. */
static struct fab_fault_params any(struct net *net, u64 *rng)
{
	struct fab_fault_params p = {
		.kind = draw(rng, FAB_FAULT_BLACKHOLE),
		.rate_bps = (1 + draw(rng, 100)) * GBPS,
		.delay = 1 + draw(rng, 3 * US),
		.jitter = draw(rng, 2 * US),
		.ppb = 1 + draw(rng, 200000000),
		.bits_per_error = 1000 + draw(rng, 1000000),
		.start = net->fab.now + draw(rng, 5 * US),
		.duration = draw(rng, 3) ? 1 + draw(rng, 10 * US) : 0,
		.seed = fab_rng_next(rng),
		.classes = draw(rng, 4),
	};

	if (p.kind == FAB_FAULT_LOSS)
		p.burst = draw(rng, 10);
	if (p.duration && draw(rng, 2)) {
		p.period = p.duration + 1 + draw(rng, 5 * US);
		p.count = draw(rng, 5);
	}
	if (!fab_fault_suits(&net->node[0]->ep.port, p.kind))
		p.kind = FAB_FAULT_DELAY;
	return p;
}

/* Restart the pumps: a wire that was down stopped its pump; one that is down stays empty. */
static void pump(struct net *net)
{
	if (fab_port_can_send(&net->node[0]->ep.port))
		net_pump(net, 0, 1, 2000, 0);
}

/* Under traffic both ways, with the invariants after each instant. */
static void storm(struct net *net, u64 seed)
{
	struct fab_fault f[FAULTS] = { 0 };
	u64 rng = seed;
	u32 i, k;

	net->node[0]->vary = true;
	net_pump(net, 0, 1, 2000, 0);
	net_pump(net, 1, 0, 300, 0);
	for (i = 0; i < 60; i++) {
		k = draw(&rng, FAULTS);
		if (f[k].port)
			fab_fault_remove(&net->fab, &f[k]);
		else
			inject(net, &f[k], any(net, &rng));
		EXPECT_NULL_STR(fab_check(&net->fab));
		net_run(net, net->fab.now + draw(&rng, 5 * US));
		pump(net);
	}
	for (k = 0; k < FAULTS; k++)
		if (f[k].port)
			fab_fault_remove(&net->fab, &f[k]);
	pump(net);
}

/* Afterwards the link carries at its full rate, loses nothing, and runs dry. */
TEST(storms)
{
	u64 before, lost, rx;
	struct net *net;
	u32 i, seed;

	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		for (seed = 1; seed <= 5; seed++) {
			net = pairs[i]();
			storm(net, seed * 7919);
			net_pump(net, 1, 0, 0, 0);
			net_run(net, net->fab.now + 50 * US);
			lost = net->fab.c.packets_dropped;
			before = net->fab.now;
			rx = net->node[1]->rx_bytes;
			net_run(net, before + 100 * US);
			EXPECT_EQ(net->fab.c.packets_dropped, lost);
			/* 100 us at 100 Gb/s are 1,250,000 bytes; PFC: 60 %. */
			EXPECT(net->node[1]->rx_bytes - rx > 700000);
			net_pump(net, 0, 1, 0, 0);
			net_drain(net);
			EXPECT(!(net->node[0]->ep.port.special &
				 FAB_SPECIAL_FAULT));
			net_free(net);
		}
}

static u64 storm_digest(u32 pair, u64 seed)
{
	struct net *net = pairs[pair]();
	u64 digest;

	storm(net, seed);
	digest = net->digest;
	net_pump(net, 0, 1, 0, 0);
	net_pump(net, 1, 0, 0, 0);
	net_drain(net);
	net_free(net);
	return digest;
}

TEST(storms_repeat)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		EXPECT_EQ(storm_digest(i, 12345), storm_digest(i, 12345));
		EXPECT(storm_digest(i, 12345) != storm_digest(i, 12346));
	}
}

/* On a link with retry, a loss costs time and no packet. */
TEST(loss_is_replayed)
{
	static const u32 ppb[] = { 1000000, 20000000, 200000000 };
	struct fab_fault f;
	struct net *net;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(ppb); i++) {
		net = nvlink_pair();
		inject(net, &f, (struct fab_fault_params) {
			.kind = FAB_FAULT_LOSS, .ppb = ppb[i] });
		for (k = 0; k < 50; k++)
			net_send(net, 0, 1, 1000);
		net_run(net, 10 * MS);
		EXPECT_EQ(net->node[1]->rx, 50);
		EXPECT_EQ(nv_drops(net), 0);
		EXPECT(net->node[0]->ep.port.c.tx_replays >= f.c.packets);
		fab_fault_remove(&net->fab, &f);
		net_drain(net);
		net_free(net);
	}
}

/* Credits of lost packets are recovered, as the far end learns the blocks sent. */
TEST(loss_returns_credits)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 100 * NS,
			 .blocks = 65, .refresh = 5 * US };
	struct net *net = ib_pair(&ib);
	struct fab_fault f;
	u32 i;

	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_LOSS, .ppb = 300000000, .seed = 3 });
	/* Each fills the whole buffer of the far end. */
	for (i = 0; i < 100; i++)
		net_send(net, 0, 1, 4096);
	net_run(net, 10 * MS);
	EXPECT_EQ(net->node[1]->rx + f.c.packets, 100);
	EXPECT_EQ(net->drops[FAB_DROP_FAULT], f.c.packets);
	EXPECT(f.c.packets > 10);
	fab_fault_remove(&net->fab, &f);
	net_drain(net);
	net_free(net);
}

/*
 * The results after @from do not depend on whether there was a fault of each kind
 * before, on a wire with errors of its own, drained in between.
 */
static u64 digest_after(struct net *net, struct fab_fault_params p, bool faulty)
{
	struct fab_wire_params w = net->node[0]->ep.port.wire.p;
	struct fab_fault f;
	u64 digest;
	u32 i;

	w.bits_per_error = 100000;
	fab_link_set(&net->fab, &net->node[0]->ep.port, &w);
	if (faulty)
		inject(net, &f, p);
	for (i = 0; i < 100; i++)
		net_send(net, 0, 1, 1000);
	net_run(net, MS);
	if (faulty)
		fab_fault_remove(&net->fab, &f);
	net_run(net, 2 * MS);
	net->digest = 0;
	for (i = 0; i < 200; i++)
		net_send(net, 0, 1, 64 + 5 * i);
	net_run(net, 3 * MS);
	digest = net->digest;
	net_free(net);
	return digest;
}

TEST(removed_as_if_never_there)
{
	static const struct fab_fault_params t[] = {
		{ .kind = FAB_FAULT_RATE, .rate_bps = 3 * GBPS },
		{ .kind = FAB_FAULT_DELAY, .delay = 7 * US, .jitter = US },
		{ .kind = FAB_FAULT_LOSS, .ppb = 300000000 },
		{ .kind = FAB_FAULT_LOSS, .ppb = 300000000, .burst = 4 },
		{ .kind = FAB_FAULT_CORRUPT, .bits_per_error = 9000 },
		{ .kind = FAB_FAULT_REORDER, .ppb = 300000000, .delay = US },
	};
	u64 without = digest_after(plain_pair(), t[0], false);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		EXPECT_EQ(digest_after(plain_pair(), t[i], true), without);
}

/* Unplugging a link removes its faults. */
TEST(unplugged_with_faults)
{
	struct net *net = plain_pair();
	struct fab_fault f[2];

	inject(net, &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_DOWN, .start = 5 * US });
	inject(net, &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_DELAY, .delay = 5 * US });
	net_send(net, 0, 1, 1000);
	fab_link_part(&net->fab, &net->node[0]->ep.port, FAB_DROP_TEARDOWN);
	EXPECT(!f[0].port && !f[1].port);
	EXPECT_EQ(net->drops[FAB_DROP_TEARDOWN], 1);
	EXPECT_EQ(fab_event_next(&net->fab.events), FAB_NEVER);
	net_free(net);
}

/* fab_check() detects each kind of damage. */
TEST(check_sees)
{
	struct net *net = plain_pair();
	struct fab_port *port = &net->node[0]->ep.port;
	struct fab_fault f;

	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_DOWN, .duration = US });
	PFCNET_BREAK(f.p.duration, 0,
		     "fault: its timer is not due when it should be");
	PFCNET_BREAK(port->faults.cuts, 2,
		     "fault: more or fewer keep the wire down than act");
	PFCNET_BREAK(port->faults.late, 1,
		     "fault: more or fewer packets are late than counted");
	PFCNET_BREAK(port->special, 0,
		     "fault: the port does not know of its faults");
	PFCNET_BREAK(port->wire.up, true,
		     "fault: the wire is up or down for no reason");
	net_free(net);
}
