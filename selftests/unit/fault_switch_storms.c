// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults of a switch under traffic, at random times, and the state after them.
 */
#include "core/sim/rng.h"
#include "ib.h"
#include "ktap.h"
#include "net.h"
#include "nv.h"
#include "pfcnet.h"

#define HOSTS	4U
#define FAULTS	6U

static void wire_up(struct net *net, const struct fab_wire_params *w)
{
	u32 i;

	for (i = 0; i < HOSTS; i++) {
		EXPECT_EQ(fab_link_join(&net->fab, &net->node[i]->ep.port,
					&net->sw[0]->port[i], w, w), 0);
		net_route(net->sw[0], i, i);
	}
}

static struct net *plain_star(void)
{
	struct fab_switch_params p = net_switch_params(HOSTS);
	struct fab_wire_params w = net_wire(100 * GBPS, 100 * NS);
	struct net *net = net_new(1);
	u32 i;

	p.latency = 300 * NS;
	net_switch_add(net, 0, &p);
	for (i = 0; i < HOSTS; i++)
		net_host(net, i);
	wire_up(net, &w);
	return net;
}

static struct net *pfc_star(void)
{
	struct fab_switch_params p = pfcnet_switch(HOSTS, 1, 30000, 30000);
	struct fab_endpoint_params ep = pfcnet_host(1, 1 << 20, 1 << 20);
	struct fab_wire_params w = net_wire(100 * GBPS, 100 * NS);
	struct net *net = net_new(1);
	u32 i;

	net_switch_add(net, 0, &p);
	for (i = 0; i < HOSTS; i++)
		net_node_add(net, i, &ep);
	wire_up(net, &w);
	return net;
}

static struct net *credit_star(void)
{
	struct ib ib = { .bps = 100 * GBPS, .propagation = 100 * NS,
			 .blocks = 2000, .refresh = 5 * US };
	struct fab_wire_params w = ib_wire(&ib);
	struct net *net = net_new(1);
	u32 i;

	ib_switch(net, &ib, 0, HOSTS);
	for (i = 0; i < HOSTS; i++)
		ib_host(net, &ib, i);
	wire_up(net, &w);
	return net;
}

static struct net *nvlink_star(void)
{
	struct fab_wire_params w = nv_wire(100 * GBPS, 100 * NS);
	struct fab_port_params p = nv_port(1, 4096, 4096);

	return nv_star(HOSTS, &p, &w);
}

static struct net *(*const stars[])(void) = {
	plain_star, pfc_star, credit_star, nvlink_star,
};

static u64 draw(u64 *rng, u64 n)
{
	return fab_rng_next(rng) % n;
}

/* A fault of any kind that the switch can have, in a few microseconds. */
static struct fab_fault_params any(struct net *net, u64 *rng)
{
	static const enum fab_fault_kind kinds[] = {
		FAB_FAULT_BLACKHOLE, FAB_FAULT_FORGET, FAB_FAULT_MISROUTE,
		FAB_FAULT_REBOOT, FAB_FAULT_BUFFER,
	};
	struct fab_fault_params p = {
		.kind = kinds[draw(rng, ARRAY_SIZE(kinds))],
		.ppb = 1 + draw(rng, FAB_FAULT_PPB),
		.dsts = draw(rng, 3),
		.dst = { draw(rng, HOSTS), draw(rng, HOSTS) },
		.out = draw(rng, HOSTS),
		.size = 1 + draw(rng, 100000),
		.start = net->fab.now + draw(rng, 5 * US),
		.duration = draw(rng, 3) ? 1 + draw(rng, 10 * US) : 0,
		.seed = fab_rng_next(rng),
	};

	if (p.duration && draw(rng, 2)) {
		p.period = p.duration + 1 + draw(rng, 5 * US);
		p.count = draw(rng, 5);
	}
	if (fab_fault_fits(net->sw[0], &p))
		p.kind = FAB_FAULT_MISROUTE;
	return p;
}

static void inject(struct net *net, struct fab_fault *f,
		   struct fab_fault_params p)
{
	EXPECT_EQ(fab_fault_params_check(&p), 0);
	memset(f, 0, sizeof(*f));
	fab_fault_add_switch(&net->fab, net->sw[0], f, &p);
}

/* Each host sends to the next one; restart the pumps that a wire stopped. */
static void pump(struct net *net)
{
	u32 i;

	for (i = 0; i < HOSTS; i++)
		if (fab_port_can_send(&net->node[i]->ep.port))
			net_pump(net, i, (i + 1) % HOSTS, 2000, 0);
}

static void stop(struct net *net)
{
	u32 i;

	for (i = 0; i < HOSTS; i++)
		net_pump(net, i, 0, 0, 0);
}

/* Under traffic, with the invariants after each instant. */
static void storm(struct net *net, u64 seed)
{
	struct fab_fault f[FAULTS] = { 0 };
	u64 rng = seed;
	u32 i, k;

	for (i = 0; i < HOSTS; i++)
		net->node[i]->vary = true;
	pump(net);
	for (i = 0; i < 40; i++) {
		k = draw(&rng, FAULTS);
		if (fab_fault_there(&f[k]))
			fab_fault_remove(&net->fab, &f[k]);
		else
			inject(net, &f[k], any(net, &rng));
		EXPECT_NULL_STR(fab_check(&net->fab));
		net_run(net, net->fab.now + draw(&rng, 4 * US));
		pump(net);
	}
	for (k = 0; k < FAULTS; k++)
		if (fab_fault_there(&f[k]))
			fab_fault_remove(&net->fab, &f[k]);
	EXPECT_NULL_STR(fab_check(&net->fab));
	pump(net);
}

static u64 received(const struct net *net)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < HOSTS; i++)
		bytes += net->node[i]->rx_bytes;
	return bytes;
}

/*
 * Afterwards each wire carries at its full rate, nothing is lost, and all runs
 * dry. 50 us at 100 Gb/s are 625,000 bytes of each of four; overhead takes less
 * than a tenth of packets that are 1030 bytes on average.
 */
TEST(storms)
{
	struct net *net;
	u64 lost, rx;
	u32 i, seed;

	for (i = 0; i < ARRAY_SIZE(stars); i++)
		for (seed = 1; seed <= 3; seed++) {
			net = stars[i]();
			storm(net, seed * 7919);
			net_run(net, net->fab.now + 50 * US);
			lost = net->fab.c.packets_dropped;
			rx = received(net);
			net_run(net, net->fab.now + 50 * US);
			EXPECT_EQ(net->fab.c.packets_dropped, lost);
			EXPECT(received(net) - rx > 4 * 562500);
			EXPECT(lost > 0);
			stop(net);
			net_drain(net);
			EXPECT_EQ(net->live, 0);
			EXPECT_EQ(net->sw[0]->faults.detours, 0);
			EXPECT_EQ(net->sw[0]->faults.reboots, 0);
			net_free(net);
		}
}

static u64 storm_digest(u32 star, u64 seed)
{
	struct net *net = stars[star]();
	u64 digest;

	net->no_check = true;
	storm(net, seed);
	digest = net->digest;
	stop(net);
	net_drain(net);
	net_free(net);
	return digest;
}

TEST(storms_repeat)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stars); i++) {
		EXPECT_EQ(storm_digest(i, 12345), storm_digest(i, 12345));
		EXPECT(storm_digest(i, 12345) != storm_digest(i, 12346));
	}
}

/*
 * After a fault of each kind, which affected 50 packets, and a drain, the results are
 * those of a fabric that never had it.
 */
static u64 digest_after(struct fab_fault_params p, bool faulty)
{
	struct net *net = plain_star();
	struct fab_fault f;
	u64 digest;
	u32 i;

	for (i = 0; i < 50; i++)
		net_send(net, 0, 1, 1000);
	net_run(net, MS);
	if (faulty)
		inject(net, &f, p);
	for (i = 0; i < 50; i++)
		net_send(net, 2, 3, 1000);
	net_run(net, 2 * MS);
	if (faulty) {
		EXPECT_EQ(f.c.packets, 50);
		fab_fault_remove(&net->fab, &f);
	}
	net_run(net, 3 * MS);
	net->digest = 0;
	for (i = 0; i < 200; i++)
		net_send(net, i % 2 * 2, 1 + i % 2 * 2, 64 + 5 * i);
	net_run(net, 4 * MS);
	digest = net->digest;
	EXPECT_EQ(net->node[1]->rx, 150);
	net_free(net);
	return digest;
}

TEST(removed_as_if_never_there)
{
	static const struct fab_fault_params t[] = {
		{ .kind = FAB_FAULT_BLACKHOLE, .ppb = FAB_FAULT_PPB },
		{ .kind = FAB_FAULT_FORGET },
		{ .kind = FAB_FAULT_MISROUTE, .ppb = FAB_FAULT_PPB, .out = 0 },
		{ .kind = FAB_FAULT_BUFFER, .size = 999 },
	};
	u64 without = digest_after(t[0], false);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		EXPECT_EQ(digest_after(t[i], true), without);
}

static u64 digest_with_reboot(bool faulty)
{
	struct net *net = plain_star();
	struct fab_fault f;
	u64 digest;
	u32 i;

	if (faulty)
		inject(net, &f, (struct fab_fault_params) {
			.kind = FAB_FAULT_REBOOT, .duration = 10 * US });
	net_run(net, MS);
	net->digest = 0;
	for (i = 0; i < 100; i++)
		net_send(net, 0, 1, 64 + 5 * i);
	net_run(net, 2 * MS);
	digest = net->digest;
	EXPECT_EQ(net->node[1]->rx, 100);
	net_free(net);
	return digest;
}

/* After a reboot a switch behaves as before. */
TEST(rebooted_as_if_never_down)
{
	EXPECT_EQ(digest_with_reboot(true), digest_with_reboot(false));
}
