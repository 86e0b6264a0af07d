// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shares of a congested link: incast (I8), parking lot (I7), classes (E14).
 */
#include <math.h>

#include "ktap.h"
#include "net.h"

#define LEN	1000

/* Time of a packet of LEN bytes at 100 Gb/s. */
static fab_time slot(void)
{
	return (LEN + 24) * 80ULL;
}

static struct net *incast(u32 k, const struct fab_switch_params *p, u64 seed)
{
	struct net *net = net_new(seed);
	struct fab_switch *sw = net_switch_add(net, 0, p);
	u32 i;

	for (i = 0; i <= k; i++) {
		net_join(net, &net_host(net, i)->ep.port, &sw->port[i],
			 100 * GBPS, 10 * NS);
		net_route(sw, i, i);
	}
	net->no_check = true;
	return net;
}

static void forget(struct net *net, u32 id)
{
	memset(net->node[id]->rx_from, 0, sizeof(net->node[id]->rx_from));
	net->node[id]->rx = 0;
}

/*
 * I8 with tail drop: k senders that began at the same instant offer a packet each per
 * slot, so k arrivals and one departure are at one instant, in random order. All senders
 * are equal, so each gets 1/k on average. One of them gets each slot, so over m slots
 * the deviation is at most that of m independent draws, sqrt(m (1/k) (1 - 1/k)). The
 * output is never idle: exactly one packet per slot.
 */
static void incast_random(u32 k, u64 seed)
{
	struct fab_switch_params p = net_switch_params(k + 1);
	const u32 m = 10000;
	struct net *net;
	u32 i;

	p.port.queue_limit = 20 * LEN;
	net = incast(k, &p, seed);
	for (i = 0; i < k; i++)
		net_pump(net, i, k, LEN, 0);
	net_run(net, 1000 * slot());
	forget(net, k);
	net_run(net, (1000 + m) * slot());
	EXPECT_EQ(net->node[k]->rx, m);
	for (i = 0; i < k; i++)
		EXPECT_NEAR(net->node[k]->rx_from[i], (double)m / k,
			    5 * sqrt(m * (1.0 / k) * (1 - 1.0 / k)));
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_free(net);
}

TEST(incast_tail_drop)
{
	incast_random(2, 1);
	incast_random(3, 2);
	incast_random(4, 3);
	incast_random(8, 4);
	incast_random(31, 5);
}

/*
 * I8 with virtual output queues and a share of the buffer per ingress port: no queue
 * runs empty, so round robin is exact, whatever the phases of the senders.
 */
static void incast_turns(u32 k)
{
	struct fab_switch_params p = net_switch_params(k + 1);
	const u32 m = 1000 * k;
	struct net *net;
	u32 i;

	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	p.buffer.per_port = 20 * LEN;
	net = incast(k, &p, 1);
	for (i = 0; i < k; i++) {
		net_run(net, i * slot() / k + i);
		net_pump(net, i, k, LEN, 0);
	}
	net_run(net, 1000 * slot());
	forget(net, k);
	net_run(net, (1000 + m) * slot());
	EXPECT_EQ(net->node[k]->rx, m);
	for (i = 0; i < k; i++)
		EXPECT_EQ(net->node[k]->rx_from[i], 1000);
	net_free(net);
}

TEST(incast_round_robin)
{
	incast_turns(2);
	incast_turns(3);
	incast_turns(4);
	incast_turns(8);
	incast_turns(31);
}

/*
 * The phase effect (Floyd and Jacobson, On Traffic Phase Effects in
 * Packet-Switched Gateways, 1992). There is one tail-drop queue, and two senders have
 * exactly the same rate but different phases. The room that a departure frees goes to
 * the sender that arrives first after it, which is always the same one. Here departures
 * are half a slot after the arrivals of the first sender (the pipeline's latency), and
 * those of the second a third of a slot after them: the first gets everything.
 */
TEST(phase_effect)
{
	struct fab_switch_params p = net_switch_params(3);
	struct net *net;

	p.port.queue_limit = 20 * LEN;
	p.latency = slot() / 2;
	net = incast(2, &p, 1);
	net_pump(net, 0, 2, LEN, 0);
	net_run(net, slot() / 3);
	net_pump(net, 1, 2, LEN, 0);
	net_run(net, 1000 * slot());
	forget(net, 2);
	net_run(net, 2000 * slot());
	EXPECT_EQ(net->node[2]->rx_from[0], 1000);
	EXPECT_EQ(net->node[2]->rx_from[1], 0);
	net_free(net);
}

/* Offered load below capacity: nothing is lost, and each sender gets its load. */
TEST(below_capacity_loses_nothing)
{
	struct fab_switch_params p = net_switch_params(5);
	struct net *net = incast(4, &p, 1);
	u32 n, i;

	for (n = 0; n < 1000; n++) {
		net_run(net, n * 4 * slot());
		for (i = 0; i < 4; i++)
			EXPECT_EQ(net_send(net, i, 4, LEN), 0);
	}
	net_drain(net);
	EXPECT_EQ(net->node[4]->rx, 4000);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	/* At most four packets met: one on the wire, three queued. */
	EXPECT_EQ(net->sw[0]->port[4].c.queue_peak, 4 * LEN);
	net_free(net);
}

/*
 * I7: a line of m switches, one host at each, two at the first, all sending to
 * the end of the line. Each switch serves its inputs round robin. At the last one half
 * goes to its own host and half to the line, of which half goes to the host before, and
 * so on: 1/2, 1/4, ..., and the first two share the rest.
 *
 * Tail drop gives the same if the packets that a full port loses are drawn fairly (see
 * phase_effect for a case where they are not). Here all events are on one grid of slots:
 * an arrival per slot at each input and a departure every second one, in random order
 * at the same instant. So of two packets in a row either one may be admitted. The
 * deviation is that of independent draws.
 */
static void parking_lot(u32 m)
{
	struct fab_switch_params p = net_switch_params(3);
	struct net *net = net_new(7);
	u32 i, n = m + 1;
	double share, rx;

	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	p.buffer.per_port = 60000;
	for (i = 0; i < m; i++) {
		net_switch_add(net, i, &p);
		net_route(net->sw[i], n, 2);
		if (i)
			net_join(net, &net->sw[i - 1]->port[2],
				 &net->sw[i]->port[0], 100 * GBPS, slot());
	}
	for (i = 0; i < n; i++)
		net_join(net, &net_host(net, i)->ep.port,
			 i ? &net->sw[i - 1]->port[1] : &net->sw[0]->port[0],
			 100 * GBPS, slot());
	net_join(net, &net->sw[m - 1]->port[2], &net_host(net, n)->ep.port,
		 100 * GBPS, slot());
	net->no_check = true;
	for (i = 0; i < n; i++)
		net_pump(net, i, n, LEN, 0);
	net_run(net, MS);
	forget(net, n);
	net_run(net, 6 * MS);
	rx = net->node[n]->rx;
	for (i = 0; i < n; i++) {
		share = 1.0 / (1U << (i ? m - i + 1 : m));
		EXPECT_NEAR(net->node[n]->rx_from[i], rx * share,
			    5 * sqrt(rx * share * (1 - share)));
	}
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_free(net);
}

TEST(parking_lot_of_drop_tail)
{
	parking_lot(2);
	parking_lot(3);
	parking_lot(4);
}

static struct net *pair(u32 classes, const u16 *weight, u32 quantum)
{
	struct fab_endpoint_params p = { .port = net_port(classes, 65536) };
	struct net *net = net_new(1);
	u32 i;

	p.port.sched.quantum = quantum;
	for (i = 0; i < classes; i++)
		p.port.sched.weight[i] = weight[i];
	for (i = 0; i < 2; i++)
		net_node_add(net, i, &p);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port,
		 100 * GBPS, 10 * NS);
	net->no_check = true;
	for (i = 0; i < classes; i++)
		net_pump(net, 0, 1, 500 + 1000 * i, i);
	return net;
}

/*
 * E14 through a whole port: wire bytes by class are proportional to the weights, to a
 * quantum and a packet each (see sched.c for the bound), and the wire is always busy.
 */
static void port_shares(const u16 *weight, u32 classes, u32 quantum)
{
	struct net *net = pair(classes, weight, quantum);
	double per_weight[FAB_CLASSES_MAX];
	u32 i, len, longest = 524 + 1000 * (classes - 1);

	net_run(net, MS);
	EXPECT(net->node[0]->ep.port.c.tx_busy_ps >= MS);
	EXPECT(net->node[0]->ep.port.c.tx_busy_ps < MS + longest * 80ULL);
	for (i = 0; i < classes; i++) {
		len = 500 + 1000 * i;
		per_weight[i] = (double)net->node[1]->rx_cls[i] / len *
				(len + 24) / weight[i];
		/* What is in flight is not received yet. */
		EXPECT_NEAR(per_weight[i], per_weight[0], quantum +
			    2.0 * longest / weight[i] +
			    2.0 * longest / weight[0]);
	}
	net_free(net);
}

TEST(weighted_classes)
{
	static const u16 a[] = { 1, 1 }, b[] = { 1, 2, 4 };
	static const u16 c[] = { 10, 20, 30, 40 };

	port_shares(a, 2, 1500);
	port_shares(b, 3, 9000);
	port_shares(c, 4, 64);
}

/* E14: the strict class takes everything for as long as it has packets. */
TEST(strict_class_starves)
{
	static const u16 weight[] = { 3, 0 };
	struct net *net = pair(2, weight, 1500);
	u64 before;

	net_run(net, MS);
	/* One packet was sent when no other was queued yet. */
	EXPECT(net->node[1]->rx_cls[0] <= 500);
	before = net->node[1]->rx_cls[0];
	net_pump(net, 0, 1, 0, 1);
	net_run(net, 2 * MS);
	EXPECT(net->node[1]->rx_cls[0] > before + 500);
	net_free(net);
}

/* Both directions of a link are separate: line rate each way. */
TEST(full_duplex)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = incast(1, &p, 1);

	net_pump(net, 0, 1, LEN, 0);
	net_pump(net, 1, 0, LEN, 0);
	net_run(net, 100 * slot());
	forget(net, 0);
	forget(net, 1);
	net_run(net, 1100 * slot());
	EXPECT_EQ(net->node[0]->rx, 1000);
	EXPECT_EQ(net->node[1]->rx, 1000);
	net_free(net);
}
