// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adaptive routing notifications: what lies beyond the next switch, by their laws.
 *
 * Host 0 is at switch 0, host 1 at switch 1. Between them are switches 2 and 3, side by side.
 * All wires are of one rate, so that switch 0 takes the two in turn while both are idle; that of
 * host 1 is faster, as what waited comes beside what did not.
 */
#include "ktap.h"
#include "net.h"

#define RATE	(100 * GBPS)
#define LEN	1000
#define T	(1024 * 80ULL)		/* of a packet on the wire, with its gap */
#define PROP	(211 * NS)
#define CUT	(317 * NS)		/* latency of a switch */
#define HOLD	(50 * US)
#define FAR	2			/* port of switch 0 to switch 3 */

/* @slow: rate of the wire from switch 3 to switch 1; 0: as the others. */
static struct net *diamond(fab_time hold, u32 queue, u32 limit, u64 slow)
{
	struct fab_switch_params p = net_switch_params(3);
	const u16 both[] = { 1, FAR };
	struct net *net = net_new(1);
	u32 i;

	p.latency = CUT;
	p.select = FAB_SELECT_ADAPTIVE;
	/* a packet from the slow wire, of which the tail is not there, holds up no other */
	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	p.quantum = 1;
	p.arn_hold = hold;
	p.arn_queue = queue;
	p.port = net_port(1, limit);
	EXPECT_EQ(fab_switch_params_check(&p), 0);
	for (i = 0; i < 4; i++)
		net_switch_add(net, i, &p);
	for (i = 0; i < 2; i++) {
		net_host(net, i);
		net_join(net, &net->node[i]->ep.port, &net->sw[i]->port[0],
			 (1 + i) * RATE, PROP);
		net_route(net->sw[i], i, 0);
		net_join(net, &net->sw[0]->port[1 + i], &net->sw[2 + i]->port[0], RATE, PROP);
		net_join(net, &net->sw[2 + i]->port[1], &net->sw[1]->port[1 + i],
			 i && slow ? slow : RATE, PROP);
		net_route(net->sw[2 + i], 1, 1);
	}
	EXPECT_EQ(fab_route_set(&net->sw[0]->route, 1, both, 2), 0);
	return net;
}

/* Packets that go by switch 3 until its notice is at switch 0: each other one of 2 (p + d). */
static u32 until_told(void)
{
	return (PROP + CUT + T - 1) / T;
}

/*
 * A link that is down beyond the next switch. Without notices half of the packets are lost. With
 * them it is those until a notice is there, once in notice_hold.
 */
TEST(arn_link_down)
{
	struct net *net = diamond(0, 0, 1 << 20, 0);
	u64 lost;

	fab_link_up(&net->fab, &net->sw[3]->port[1], false);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 4000 * T);
	EXPECT_NEAR(net->drops[FAB_DROP_LINK_DOWN], 2000, 10);
	net_free(net);

	net = diamond(HOLD, 1 << 20, 1 << 20, 0);
	fab_link_up(&net->fab, &net->sw[3]->port[1], false);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, HOLD - 2 * US);
	lost = net->drops[FAB_DROP_LINK_DOWN];
	EXPECT_EQ(lost, until_told());
	EXPECT_EQ(net->sw[3]->arn->sent, 1);
	EXPECT_EQ(net->sw[0]->arn->heard, 1);
	EXPECT_EQ(net->sw[2]->arn->sent, 0);
	EXPECT_EQ(net->sw[0]->arn->sent, 0);
	net_run(net, 2 * HOLD - 2 * US);
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 2 * lost);
	EXPECT_EQ(net->sw[3]->arn->sent, 2);
	/* It comes up: both are used again. */
	fab_link_up(&net->fab, &net->sw[3]->port[1], true);
	net_run(net, 4 * HOLD);
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 2 * lost);
	EXPECT(net->sw[3]->port[1].c.tx_packets > 500);
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	net_free(net);
}

/*
 * A wire of a quarter of the rate beyond the next switch, which gets half of the packets. Without
 * notices its queue overflows. With them it gets what is under way when it tells: the queue of
 * arn_queue, a packet for that and two on the wires, and half the rate for as long as a notice
 * takes, and for what was sent before it.
 */
TEST(arn_queue)
{
	const u32 queue = 8 * LEN;
	const u32 limit = queue + (3 + until_told()) * LEN;
	struct net *net = diamond(0, 0, limit, RATE / 4);

	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 4000 * T);
	EXPECT(net->drops[FAB_DROP_QUEUE_FULL] > 500);
	net_free(net);

	net = diamond(10 * US, queue, limit, RATE / 4);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 4000 * T);
	EXPECT_EQ(net->drops[FAB_DROP_QUEUE_FULL], 0);
	EXPECT(net->sw[3]->arn->sent > 10);
	EXPECT_NEAR(net->node[1]->rx, 4000, 50);
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	net_free(net);
}

/* A switch that has one way, which is bad, tells it on. */
TEST(arn_told_on)
{
	struct net *net = diamond(HOLD, 1 << 20, 1 << 20, 0);
	struct fab_switch_params p = net->sw[3]->p;

	net_switch_add(net, 4, &p);
	fab_link_part(&net->fab, &net->sw[3]->port[1], FAB_DROP_LINK_DOWN);
	net_join(net, &net->sw[3]->port[1], &net->sw[4]->port[0], RATE, PROP);
	net_join(net, &net->sw[4]->port[1], &net->sw[1]->port[2], RATE, PROP);
	net_route(net->sw[4], 1, 1);
	fab_link_up(&net->fab, &net->sw[4]->port[1], false);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, HOLD - 2 * US);
	EXPECT_EQ(net->sw[4]->arn->sent, 1);
	EXPECT_EQ(net->sw[3]->arn->heard, 1);
	EXPECT_EQ(net->sw[3]->arn->sent, 1);
	EXPECT_EQ(net->sw[0]->arn->heard, 1);
	/* There and back by two switches; the first packet after a notice tells it on. */
	EXPECT_NEAR(net->drops[FAB_DROP_LINK_DOWN], 2.0 * (PROP + CUT) / T + 1, 1);
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	/* Removed while a notice is on its way. */
	net_run(net, 2 * HOLD);
	net_pump(net, 0, 1, LEN, 0);
	while (!fab_event_pending(&net->sw[4]->arn->way[1].arrive))
		net_run(net, net->fab.now + 10 * NS);
	net_switch_del(net, 3);
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	net_free(net);
}

/* More destinations than notices may be on their way: the rest is told with later packets. */
TEST(arn_many)
{
	struct net *net = diamond(HOLD, 1 << 20, 1 << 20, 0);
	struct fab_pkt pkt = { .len = 16, .segs = 1 };
	u32 i;

	fab_link_up(&net->fab, &net->sw[3]->port[1], false);
	for (i = 2; i < NET_MAX; i++) {
		net_route(net->sw[0], i, FAR);
		net_route(net->sw[3], i, 1);
		pkt.dst = i;
		net_give(net->node[0], &pkt);
	}
	net_drain(net);
	EXPECT_EQ(net->sw[3]->arn->sent + net->sw[3]->arn->unsent, NET_MAX - 2);
	EXPECT(net->sw[3]->arn->unsent > 0);
	EXPECT(net->sw[3]->arn->sent >= FAB_ARN_WAYS);
	EXPECT_EQ(net->sw[0]->arn->heard, net->sw[3]->arn->sent);
	net_free(net);
}
