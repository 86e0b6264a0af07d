// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links: joining, parting, going down and up, changing under traffic.
 */
#include "ktap.h"
#include "net.h"

/* Two hosts at one switch, 100 Gb/s. */
static struct net *trio(void)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = net_new(1);
	u32 i;

	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++) {
		net_join(net, &net_host(net, i)->ep.port,
			 &net->sw[0]->port[i], 100 * GBPS, 1000 * NS);
		net_route(net->sw[0], i, i);
	}
	return net;
}

TEST(join_refusals)
{
	struct fab_wire_params good = net_wire(GBPS, 0), bad = good;
	struct net *net = trio();
	struct fab_port *a = &net_host(net, 2)->ep.port;
	struct fab_port *b = &net_host(net, 3)->ep.port;

	bad.rate_bps = 0;
	EXPECT(fab_link_join(&net->fab, a, a, &good, &good) == -EINVAL);
	EXPECT(fab_link_join(&net->fab, a, &net->node[0]->ep.port, &good,
			     &good) == -EBUSY);
	EXPECT(fab_link_join(&net->fab, &net->node[0]->ep.port, a, &good,
			     &good) == -EBUSY);
	EXPECT(fab_link_join(&net->fab, a, b, &bad, &good) == -ERANGE);
	EXPECT(fab_link_join(&net->fab, a, b, &good, &bad) == -ERANGE);
	EXPECT(!a->peer && !b->peer);
	EXPECT(fab_link_join(&net->fab, a, b, &good, &good) == 0);
	net_free(net);
}

TEST(nothing_plugged_in)
{
	struct net *net = net_new(1);

	net_host(net, 0);
	EXPECT_EQ(net_send(net, 0, 1, 100), 0);
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 1);
	fab_link_part(&net->fab, &net->node[0]->ep.port, FAB_DROP_TEARDOWN);
	net_free(net);
}

/* 10 packets of 1000 bytes take 81.92 ns each: where is each after 1 us? */
TEST(down_loses_queue_and_flight)
{
	struct net *net = trio();
	struct fab_port *port = &net->node[0]->ep.port;
	u32 i;

	for (i = 0; i < 20; i++)
		net_send(net, 0, 1, 1000);
	/* 1 us is 12.2 packet times: 13 begun, the first just arriving. */
	net_run(net, 999 * NS);
	fab_link_up(&net->fab, port, false);
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 20);
	EXPECT_EQ(port->c.drops[FAB_DROP_LINK_DOWN], 20);
	EXPECT_EQ(port->c.tx_packets, 13);
	/* The wire was busy until it was cut. */
	EXPECT_EQ(port->c.tx_busy_ps, 999 * NS);
	EXPECT_EQ(net_send(net, 0, 1, 1000), 0);
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 21);
	/* The other direction still works. */
	net_send(net, 1, 0, 1000);
	net_drain(net);
	EXPECT_EQ(net->node[0]->rx, 1);
	net_free(net);
}

TEST(down_and_up_again)
{
	struct net *net = trio();
	struct fab_port *port = &net->sw[0]->port[1];
	fab_time then;
	u32 i;

	fab_link_up(&net->fab, port, true);
	for (i = 0; i < 5; i++)
		net_send(net, 0, 1, 1000);
	net_run(net, 1200 * NS);
	fab_link_up(&net->fab, port, false);
	fab_link_up(&net->fab, port, false);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 5);
	EXPECT_EQ(net->sw[0]->buffer.used, 0);
	fab_link_up(&net->fab, port, true);
	then = net->fab.now;
	net_send(net, 0, 1, 1000);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	/* Cut-through: two propagations and one packet time. */
	EXPECT_EQ(net->node[1]->rx_at - then, 2000 * NS + 1024 * 80);
	net_free(net);
}

/* A sender that was stopped by a full ring is woken when the link fails. */
TEST(down_wakes_the_sender)
{
	struct net *net = trio();

	net_pump(net, 0, 1, 1000, 0);
	EXPECT(net->node[0]->ep.stopped & 1);
	fab_link_up(&net->fab, &net->node[0]->ep.port, false);
	EXPECT_EQ(net->node[0]->wakes, 1);
	EXPECT(!net->node[0]->ep.stopped);
	EXPECT_EQ(net->node[0]->ep.port.queued, 0);
	net_free(net);
}

TEST(part_and_join_elsewhere)
{
	struct net *net = trio();
	u32 i;

	for (i = 0; i < 20; i++) {
		net_send(net, 0, 1, 1000);
		net_send(net, 1, 0, 1000);
	}
	net_run(net, 1500 * NS);
	fab_link_part(&net->fab, &net->sw[0]->port[1], FAB_DROP_TEARDOWN);
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT(!net->node[1]->ep.port.peer);
	net_drain(net);
	net_join(net, &net->node[1]->ep.port, &net_host(net, 2)->ep.port,
		 100 * GBPS, 10 * NS);
	net_send(net, 1, 2, 1000);
	net_drain(net);
	EXPECT_EQ(net->node[2]->rx, 1);
	net_free(net);
}

/* A shorter, faster wire does not reorder packets. */
TEST(change_keeps_order)
{
	struct fab_wire_params p = net_wire(800 * GBPS, 0);
	struct net *net = trio();
	struct fab_port *port = &net->node[0]->ep.port;
	u32 i;

	for (i = 0; i < 10; i++)
		net_send(net, 0, 1, 1000);
	net_run(net, 200 * NS);
	fab_link_set(&net->fab, port, &p);
	EXPECT_EQ(port->wire.ps_per_byte, 10);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 10);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	net_free(net);
}

/* The next transmission is the first at the new rate. */
TEST(change_of_rate)
{
	struct fab_wire_params p = net_wire(10 * GBPS, 0);
	struct net *net = net_new(1);

	net_join(net, &net_host(net, 0)->ep.port, &net_host(net, 1)->ep.port,
		 100 * GBPS, 0);
	net_send(net, 0, 1, 1000);
	net_send(net, 0, 1, 1000);
	net_run(net, 1000);
	fab_link_set(&net->fab, &net->node[0]->ep.port, &p);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at, 1024 * 80 + 1024 * 800);
	net_free(net);
}

/* Each wire has errors of its own. */
TEST(wires_differ)
{
	struct net *net = trio();

	EXPECT(net->node[0]->ep.port.wire.rng !=
	       net->node[1]->ep.port.wire.rng);
	EXPECT(net->node[0]->ep.port.wire.rng !=
	       net->sw[0]->port[0].wire.rng);
	net_free(net);
}
