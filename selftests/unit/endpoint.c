// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Endpoints: packets that they accept, and when they stop and wake their host.
 */
#include "core/sim/fixed.h"
#include "ktap.h"
#include "net.h"

static struct net *pair(u32 classes, u32 ring)
{
	struct fab_endpoint_params p = { .port = net_port(classes, ring) };
	struct net *net = net_new(1);
	u32 i;

	for (i = 0; i < 2; i++)
		net_node_add(net, i, &p);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port,
		 100 * GBPS, 0);
	return net;
}

TEST(send_refusals)
{
	struct fab_pkt good = { .len = 100, .segs = 1, .dst = 1 }, pkt;
	struct net *net = pair(2, 1000);

	pkt = good;
	pkt.cls = 2;
	EXPECT(net_give(net->node[0], &pkt) == -EINVAL);
	pkt = good;
	pkt.segs = 0;
	EXPECT(net_give(net->node[0], &pkt) == -EINVAL);
	pkt = good;
	pkt.len = 0;
	EXPECT(net_give(net->node[0], &pkt) == -EINVAL);
	pkt = good;
	pkt.len = FAB_LEN_MAX;
	EXPECT(net_give(net->node[0], &pkt) == -EMSGSIZE);
	pkt.len = 65536;
	pkt.segs = U16_MAX;
	EXPECT(net_give(net->node[0], &pkt) == -EMSGSIZE);
	EXPECT_EQ(net->fab.c.packets_in, 0);
	pkt.len = FAB_LEN_MAX / 2 - FAB_OVERHEAD_MAX;
	pkt.segs = 1;
	EXPECT_EQ(net_give(net->node[0], &pkt), 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	net_free(net);
}

/* The ring takes packets below its limit, so it may end one packet above. */
TEST(ring_limit_is_exact)
{
	struct net *net = pair(2, 3000);
	struct fab_endpoint *ep = &net->node[0]->ep;
	struct fab_pkt other = { .len = 9, .segs = 1, .dst = 1, .cls = 1 };

	EXPECT(!fab_endpoint_stop(ep, 0));
	EXPECT_EQ(net_send(net, 0, 1, 2999), 0);
	EXPECT(!fab_endpoint_stop(ep, 0));
	EXPECT_EQ(net_send(net, 0, 1, 9000), 0);
	EXPECT(net_send(net, 0, 1, 1) == -ENOBUFS);
	EXPECT_EQ(ep->port.cls[0].bytes, 11999);
	/* The other class has a ring of its own; a third does not exist. */
	EXPECT(!fab_endpoint_stop(ep, 2));
	EXPECT(!fab_endpoint_stop(ep, 1));
	EXPECT_EQ(net_give(net->node[0], &other), 0);
	EXPECT(fab_endpoint_stop(ep, 0));
	net_free(net);
}

/*
 * Stopped at 4 x 1000 of 4000 bytes. Packets leave the ring as they begin:
 * below half, that is at 1000 bytes, after the third has begun. One wake.
 */
TEST(wake_below_half)
{
	struct net *net = pair(1, 4000);
	fab_time slot = 1024 * 80;
	u32 i;

	for (i = 0; i < 4; i++)
		net_send(net, 0, 1, 1000);
	EXPECT(fab_endpoint_stop(&net->node[0]->ep, 0));
	net_run(net, 2 * slot - 1);
	EXPECT_EQ(net->node[0]->wakes, 0);
	EXPECT_EQ(net->node[0]->ep.port.cls[0].bytes, 2000);
	net_run(net, 2 * slot);
	EXPECT_EQ(net->node[0]->wakes, 1);
	net_drain(net);
	EXPECT_EQ(net->node[0]->wakes, 1);
	net_free(net);
}

TEST(no_wake_without_stop)
{
	struct net *net = pair(1, 4000);
	u32 i;

	for (i = 0; i < 4; i++)
		net_send(net, 0, 1, 1000);
	net_drain(net);
	EXPECT_EQ(net->node[0]->wakes, 0);
	net_free(net);
}

/* A host that refills on every wake keeps the wire busy without a gap. */
TEST(pump_keeps_line_rate)
{
	struct net *net = pair(1, 4000);
	fab_time slot = 1024 * 80;

	net_pump(net, 0, 1, 1000, 0);
	net_run(net, 500 * slot);
	EXPECT_EQ(net->node[1]->rx, 500);
	net_free(net);
}

/* A train counts with all its frames, on the wire and in the counters. */
TEST(trains)
{
	struct fab_pkt train = { .len = 45 * 1514, .segs = 45, .dst = 1 };
	struct net *net = pair(1, 100000);
	struct fab_port *tx = &net->node[0]->ep.port;
	struct fab_port *rx = &net->node[1]->ep.port;

	net_give(net->node[0], &train);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at, 45 * (1514 + 24) * 80);
	EXPECT_EQ(tx->c.tx_packets, 45);
	EXPECT_EQ(tx->c.tx_bytes, 45 * 1514);
	EXPECT_EQ(tx->c.tx_wire_bytes, 45 * 1538);
	EXPECT_EQ(tx->c.tx_busy_ps, 45 * 1538 * 80);
	EXPECT_EQ(rx->c.rx_packets, 45);
	EXPECT_EQ(rx->c.rx_bytes, 45 * 1514);
	net_free(net);
}

TEST(params_out_of_range)
{
	struct fab_endpoint_params p = { .port = net_port(1, 1) };

	EXPECT_EQ(fab_endpoint_params_check(&p), 0);
	p.tx_latency = FAB_DELAY_MAX + 1;
	EXPECT(fab_endpoint_params_check(&p) == -ERANGE);
	p.tx_latency = 0;
	p.rx_latency = FAB_DELAY_MAX + 1;
	EXPECT(fab_endpoint_params_check(&p) == -ERANGE);
	p.rx_latency = 0;
	p.port.classes = 0;
	EXPECT(fab_endpoint_params_check(&p) == -EINVAL);
}

TEST(latency_histogram)
{
	struct net *net = pair(1, 100000);
	u32 i;

	/* Packet i waits for i others: i + 1 slots. */
	for (i = 0; i < 100; i++)
		net_send(net, 0, 1, 1000);
	net_drain(net);
	EXPECT_EQ(net->node[1]->ep.latency->count, 100);
	EXPECT_EQ(net->node[1]->ep.latency->min, 1024 * 80);
	EXPECT_EQ(net->node[1]->ep.latency->max, 100 * 1024 * 80);
	EXPECT_NEAR(fab_hist_percentile(net->node[1]->ep.latency, 500),
		    50 * 1024 * 80, 50 * 1024 * 80 / 16);
	net_free(net);
}
