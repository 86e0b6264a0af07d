// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings that change while packets are in the fabric: weights, shares of the buffer,
 * peaks.
 */
#include "ktap.h"
#include "net.h"

#define LEN	1000U
#define LINE	(100 * GBPS)

/* Host 0 has two classes that always have a packet for host 1. */
static struct net *pair(void)
{
	struct fab_endpoint_params p = { .port = net_port(2, 1 << 20) };
	struct net *net = net_new(1);

	p.port.sched.quantum = LEN;
	net_node_add(net, 0, &p);
	net_node_add(net, 1, &p);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port, LINE, 0);
	net_pump(net, 0, 1, LEN, 0);
	net_pump(net, 0, 1, LEN, 1);
	return net;
}

/*
 * From the change on the law of deficit round robin holds, in bytes on the
 * wire: |b0 / w0 - b1 / w1| < Q + L / w0 + L / w1.
 */
static void weights(u16 w0, u16 w1)
{
	struct net *net = pair();
	struct fab_endpoint *ep = &net->node[0]->ep;
	struct fab_sched_params p = ep->p->port.sched;
	u32 wire = LEN + ep->port.wire.p.overhead;
	u64 before[2];
	double a, b;

	net_run(net, 100 * US);
	/* Strict: class 1 has the whole wire. */
	EXPECT_EQ(ep->port.cls[0].c.tx_packets, 0);
	before[0] = ep->port.cls[0].c.tx_packets;
	before[1] = ep->port.cls[1].c.tx_packets;
	p.weight[0] = w0;
	p.weight[1] = w1;
	EXPECT_EQ(fab_endpoint_sched_set(&net->fab, ep, &p), 0);
	net_run(net, 1 * MS);
	a = (double)wire * (ep->port.cls[0].c.tx_packets - before[0]) / w0;
	b = (double)wire * (ep->port.cls[1].c.tx_packets - before[1]) / w1;
	EXPECT_NEAR(a - b, 0, LEN + (double)wire / w0 + (double)wire / w1);
	EXPECT_EQ(ep->p->port.sched.weight[1], w1);
	net_free(net);
}

TEST(weights_change)
{
	weights(1, 3);
	weights(7, 2);
	weights(1, 1);
}

TEST(weights_refused)
{
	struct net *net = pair();
	struct fab_endpoint *ep = &net->node[0]->ep;
	struct fab_sched_params p = { .quantum = 0 };

	EXPECT(fab_endpoint_sched_set(&net->fab, ep, &p) == -EINVAL);
	EXPECT_EQ(ep->port.sched->quantum, LEN);
	net_free(net);
}

/*
 * Two hosts send to a third that is as fast as one of them, so half of the packets stay
 * in the switch: after 1 ms at 100 Gb/s that would be far more than the shares.
 */
static struct net *crowd(void)
{
	struct fab_switch_params p = net_switch_params(3);
	struct net *net = net_new(1);
	u32 i;

	p.buffer.total = 1000 * LEN;
	p.buffer.per_port = 400 * LEN;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 3; i++) {
		net_host(net, i);
		net_join(net, &net->node[i]->ep.port, &net->sw[0]->port[i],
			 LINE, 0);
		net_route(net->sw[0], i, i);
	}
	net_pump(net, 0, 2, LEN, 0);
	net_pump(net, 1, 2, LEN, 0);
	return net;
}

/* Each port holds as many whole packets as its own share has room for. */
static void shares(u64 share)
{
	struct net *net = crowd();
	struct fab_switch *sw = net->sw[0];

	fab_buffer_share(&sw->buffer, &sw->port[0], share);
	net_run(net, 2 * MS);
	EXPECT_EQ(sw->port[0].held_peak, share / LEN * LEN);
	EXPECT_EQ(sw->port[1].held_peak, 400 * LEN);
	fab_buffer_share(&sw->buffer, &sw->port[0], 0);
	net_run(net, 4 * MS);
	EXPECT_EQ(sw->port[0].held_peak, 400 * LEN);
	net_free(net);
}

TEST(share_of_a_port)
{
	shares(100 * LEN);
	shares(250 * LEN + 1);
	shares(37 * LEN - 1);
}

/* A reset of the peaks sets them to the present occupancy. */
TEST(peaks_forgotten)
{
	struct net *net = crowd();
	struct fab_switch *sw = net->sw[0];

	net_run(net, 2 * MS);
	EXPECT_EQ(sw->buffer.peak, 800 * LEN);
	net->node[0]->pump[0].len = 0;
	net->node[1]->pump[0].len = 0;
	net_drain(net);
	EXPECT_EQ(sw->port[0].held_peak, 400 * LEN);
	fab_buffer_forget(&sw->buffer);
	EXPECT_EQ(sw->buffer.peak, 0);
	EXPECT_EQ(sw->port[0].held_peak, 0);
	EXPECT_EQ(sw->port[1].held_peak, 0);
	net_free(net);
}
