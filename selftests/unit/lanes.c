// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links and lanes of a bundle that fail: the others still carry packets.
 */
#include "ktap.h"
#include "nv.h"

/**
 * struct bundle - parallel links as one wire
 * @lanes: how many
 * @gbps: rate of each
 */
struct bundle {
	u16 lanes;
	u64 gbps;
};

static const struct bundle bundles[] = {
	{ 18, 200 },	/* fourth generation of NVLink */
	{ 18, 400 },	/* fifth */
	{ 12, 200 },	/* third */
	{ 6, 200 },	/* second */
};

static struct fab_wire_params bundle_wire(const struct bundle *b, u16 up)
{
	struct fab_wire_params p = nv_wire(b->lanes * b->gbps * GBPS, 10 * NS);

	p.lanes = b->lanes;
	p.lanes_up = up;
	return p;
}

static struct net *bundle_net(const struct bundle *b, u16 up)
{
	struct fab_port_params port = nv_port(1, 16384, 262144);
	struct fab_wire_params wire = bundle_wire(b, up);

	return nv_pair(&port, &wire);
}

/* Link packets that arrive in the time that one takes on a link, times @n. */
static u64 carried(const struct bundle *b, u16 up, u32 n)
{
	struct net *net = bundle_net(b, up);
	fab_time cell = 8000 * 272 / b->gbps;
	u64 rx;

	/* A packet for each link that works: they take one cell time. */
	net_pump(net, 0, 1, up * NV_PAYLOAD, 0);
	net_run(net, US);
	rx = net->node[1]->rx_bytes;
	net_run(net, US + n * cell);
	rx = net->node[1]->rx_bytes - rx;
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	net_free(net);
	return rx;
}

/*
 * N4: without j of n links (n - j) / n of the bandwidth remains, exactly. On the
 * bundle, n - j packets take 272 (n - j) / (C (n - j) / n), the time of one
 * packet on one link, which is a whole number of picoseconds.
 */
TEST(n4_links_down)
{
	u64 all, left;
	u32 i, j, n;

	for (i = 0; i < ARRAY_SIZE(bundles); i++) {
		n = bundles[i].lanes;
		all = carried(&bundles[i], n, 50);
		EXPECT_EQ(all, 50ULL * n * NV_PAYLOAD);
		for (j = 1; j < n; j++) {
			left = carried(&bundles[i], n - j, 50);
			EXPECT_EQ(left * n, all * (n - j));
		}
	}
}

static void lose(struct net *net, const struct bundle *b, u16 up)
{
	struct fab_wire_params wire = bundle_wire(b, up);
	struct fab_port *port = &net->node[0]->ep.port;

	EXPECT_EQ(fab_wire_params_check(&wire), 0);
	fab_link_set(&net->fab, port, &wire);
}

/*
 * The same at run time and under load: links fail one by one and come back. From a
 * packet time and a propagation after a change, the rate is that of the remaining
 * links. A packet takes 272 bytes / C (n - j) / n, rounded up to 1 ps.
 */
static void under_load(const struct bundle *b)
{
	struct net *net = bundle_net(b, b->lanes);
	u32 step, up;
	fab_time time;
	u64 rx;

	nv_watch(net);
	net_pump(net, 0, 1, NV_PAYLOAD, 0);
	for (step = 1; step < 2 * b->lanes; step++) {
		up = step < b->lanes ? b->lanes - step : step - b->lanes + 1;
		lose(net, b, up);
		net_run(net, net->fab.now + 100 * NS);
		rx = net->node[1]->rx;
		time = DIV_ROUND_UP(8000 * 272, b->gbps * up);
		net_run(net, net->fab.now + 200 * time);
		EXPECT_EQ(net->node[1]->rx - rx, 200);
	}
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	EXPECT_EQ(nv_drops(net), 0);
	EXPECT_EQ(net->node[1]->rx, net->sent);
	net_free(net);
}

TEST(n4_under_load)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bundles); i++)
		under_load(&bundles[i]);
}

/* Links that fail while packets are replayed. */
TEST(replay_over_fewer_links)
{
	struct net *net = bundle_net(&bundles[0], 18);
	struct fab_wire_params wire = bundle_wire(&bundles[0], 18);
	u32 up;

	nv_watch(net);
	net_pump(net, 0, 1, NV_PAYLOAD, 0);
	for (up = 18; up; up--) {
		wire.lanes_up = up;
		wire.bits_per_error = 100000;
		fab_link_set(&net->fab, &net->node[0]->ep.port, &wire);
		net_run(net, net->fab.now + 300 * NS);
	}
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	EXPECT(net->node[1]->ep.port.c.naks > 10);
	EXPECT_EQ(nv_drops(net), 0);
	EXPECT_EQ(net->node[1]->rx, net->sent);
	net_free(net);
}

TEST(lanes_out_of_range)
{
	struct fab_wire_params p = bundle_wire(&bundles[0], 18);

	EXPECT_EQ(fab_wire_params_check(&p), 0);
	p.lanes_up = 0;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p.lanes_up = 19;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p.lanes = 0;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p.lanes = FAB_LANES_MAX + 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
}

TEST(packets_out_of_range)
{
	struct fab_wire_params good = nv_wire(GBPS, 0), p = good;

	p.payload = FAB_PAYLOAD_MAX + 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p = good;
	p.payload = p.overhead - 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p = good;
	p.unit = 0;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
	p.unit = FAB_UNIT_MAX + 1;
	EXPECT(fab_wire_params_check(&p) == -ERANGE);
}
