// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DCTCP over a step mark (E12): the highest queue, utilisation, amplitude.
 *
 * The sources are minimal: windows in packets, no loss, no slow
 * start, acknowledgements that take a fixed time back. Rules (Alizadeh et al.,
 * SIGCOMM 2010; Linux's tcp_dctcp.c for what the paper leaves open):
 *
 * - a window's worth of unmarked acknowledgements adds one packet to it, by a
 *   counter in whole packets;
 * - the first marked one cuts the window W by ceil(W alpha / 2); nothing else changes
 *   it until all packets in flight at that time are acknowledged;
 * - once per window alpha = (1 - g) alpha + g F with g = 1/16 and F the share
 *   of marked acknowledgements.
 */
#include <math.h>

#include "ktap.h"
#include "net.h"

#define FLOWS_MAX	40
#define LEN		976U		/* 1000 on the wire */
#define SLOT		(1000 * 80ULL)	/* ps of a packet at 100 Gb/s */
#define ACKS_MAX	4096		/* on their way back */

/**
 * struct flow - one DCTCP source
 */
struct flow {
	/** @window: packets that may be in flight */
	u32 window;
	/** @count: unmarked acknowledgements since the window grew */
	u32 count;
	/** @sent: packets sent */
	u64 sent;
	/** @acked: packets acknowledged */
	u64 acked;
	/** @cut_until: the window stays until this many are acknowledged */
	u64 cut_until;
	/** @epoch: alpha is updated when this many are acknowledged */
	u64 epoch;
	/** @begun: packets acknowledged at the begin of the present epoch */
	u64 begun;
	/** @marked: acknowledgements with a mark in this epoch */
	u64 marked;
	/** @alpha: estimate of the share of marks */
	double alpha;
};

/**
 * struct ack - an acknowledgement in flight
 */
struct ack {
	/** @at: when it arrives */
	fab_time at;
	/** @flow: its flow */
	u32 flow;
	/** @ce: the packet had a mark */
	bool ce;
};

/**
 * struct dctcp - n flows through one bottleneck
 */
struct dctcp {
	/** @net: the network */
	struct net *net;
	/** @n: flows */
	u32 n;
	/** @back: time of an acknowledgement */
	fab_time back;
	/** @flow: their sources */
	struct flow flow[FLOWS_MAX];
	/** @ack: acknowledgements in flight, a ring */
	struct ack ack[ACKS_MAX];
	/** @head: number of the oldest */
	u32 head;
	/** @tail: number of the next */
	u32 tail;
	/** @least: minimum of the queue, bytes */
	u32 least;
	/** @most: maximum of the queue, bytes */
	u32 most;
};

static struct dctcp d;

static void ack_send(struct net_node *node, const struct fab_pkt *pkt)
{
	struct ack *ack = &d.ack[d.tail++ % ACKS_MAX];

	EXPECT(d.tail - d.head <= ACKS_MAX);
	ack->at = d.net->fab.now + d.back;
	ack->flow = pkt->flow_hash;
	ack->ce = pkt->flags & FAB_PKT_CE;
}

static void flow_send(u32 i)
{
	struct fab_pkt pkt = {
		.len = LEN, .segs = 1, .dst = d.n, .flow_hash = i,
		.flags = FAB_PKT_ECT,
	};
	struct flow *f = &d.flow[i];

	while (f->sent - f->acked < f->window) {
		EXPECT_EQ(net_give(d.net->node[i], &pkt), 0);
		f->sent++;
	}
}

static void flow_cut(struct flow *f)
{
	f->window -= ceil(f->window * f->alpha / 2);
	if (!f->window)
		f->window = 1;
	f->count = 0;
	f->cut_until = f->sent;
}

static void flow_grow(struct flow *f)
{
	if (++f->count < f->window)
		return;
	f->window++;
	f->count = 0;
}

static void flow_epoch(struct flow *f)
{
	double share = (double)f->marked / (f->acked - f->begun);

	f->alpha += (share - f->alpha) / 16;
	f->marked = 0;
	f->begun = f->acked;
	f->epoch = f->sent;
}

static void flow_ack(const struct ack *ack)
{
	struct flow *f = &d.flow[ack->flow];

	f->acked++;
	f->marked += ack->ce;
	if (f->acked > f->cut_until && ack->ce)
		flow_cut(f);
	else if (f->acked > f->cut_until)
		flow_grow(f);
	if (f->acked >= f->epoch)
		flow_epoch(f);
	flow_send(ack->flow);
}

static struct fab_port *bottleneck(void)
{
	return &d.net->sw[0]->port[d.n];
}

static void dctcp_step(fab_time at)
{
	u32 before = bottleneck()->cls[0].bytes, after;

	fab_run(&d.net->fab, at, FAB_NO_BUDGET);
	after = bottleneck()->cls[0].bytes;
	d.most = max(d.most, max(before, after));
	d.least = min(d.least, after);
	while (d.head != d.tail && d.ack[d.head % ACKS_MAX].at <= at)
		flow_ack(&d.ack[d.head++ % ACKS_MAX]);
}

static void dctcp_run(fab_time until)
{
	fab_time next;

	for (;;) {
		next = fab_event_next(&d.net->fab.events);
		if (d.head != d.tail)
			next = min(next, d.ack[d.head % ACKS_MAX].at);
		if (next > until)
			break;
		dctcp_step(next);
	}
}

/*
 * n sources at 400 Gb/s, a bottleneck of 100 Gb/s that marks above @kmax bytes,
 * and a round trip of @rtt packet times without any queue.
 */
static void dctcp_new(u32 n, u32 rtt, u32 kmax)
{
	struct fab_switch_params p = net_switch_params(n + 1);
	u32 i;

	memset(&d, 0, sizeof(d));
	p.port.mark.red[0] = (struct fab_red) { kmax, kmax, FAB_MARK_ONE };
	d.net = net_new(1);
	d.n = n;
	net_switch_add(d.net, 0, &p);
	for (i = 0; i <= n; i++)
		net_join(d.net, &net_host(d.net, i)->ep.port,
			 &d.net->sw[0]->port[i], (i < n ? 400 : 100) * GBPS, 0);
	net_route(d.net->sw[0], n, n);
	d.net->node[n]->on_deliver = ack_send;
	d.net->no_check = true;
	d.least = U32_MAX;
	/* The head passes the switch at once: only L/C is spent there. */
	d.back = (rtt - 1) * SLOT;
	for (i = 0; i < n; i++) {
		d.flow[i].window = 1;
		flow_send(i);
	}
}

/* Until every window has grown to its share and been cut some twenty times. */
static fab_time settled(u32 n, u32 rtt, u32 k)
{
	return ((rtt + k) * (rtt + k) / n + 200 * (rtt + k)) * SLOT;
}

/*
 * E12, the highest queue, exactly. A packet is marked if it finds more than kmax bytes.
 * So with the first marked one the queue is q1 = floor(kmax / L) + 2 packets long,
 * itself included and the one on the wire not. The queue can only reach this length
 * for the first time because the packet's source has just added it. Until its
 * acknowledgement arrives, a window of packets of each source is acknowledged, all
 * sent before and none marked. So each source adds exactly one more, except this one,
 * whose next would come with the mark. Then all windows are cut. So
 *
 *	Qmax = q1 + N - 1
 *
 * With kmax = K L - 1, which marks a packet if it finds K, that is the paper's
 * K + N; with kmax = K L one more. (A switch that marks a packet if the queue is K long
 * with it has q1 = K and gets K + N - 1.)
 */
static void highest(u32 n, u32 rtt, u32 kmax)
{
	u32 k = DIV_ROUND_UP(kmax, LEN);

	dctcp_new(n, rtt, kmax);
	dctcp_run(settled(n, rtt, k));
	EXPECT_EQ(d.most % LEN, 0);
	EXPECT_EQ(d.most / LEN, kmax / LEN + 2 + n - 1);
	EXPECT_NULL_STR(fab_check(&d.net->fab));
	net_free(d.net);
}

TEST(highest_queue_is_k_plus_n)
{
	static const u32 set[][2] = { { 100, 20 }, { 100, 65 }, { 50, 30 },
				      { 200, 57 } };
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(set); i++)
		for (n = 1; n <= 16; n *= 2)
			highest(n, set[i][0], set[i][1] * LEN - 1);
	highest(3, 100, 20 * LEN);
	highest(5, 100, 65 * LEN + LEN / 2);
	highest(7, 80, 40 * LEN);
}

/* Share of the time that the bottleneck is busy, once settled. */
static double utilisation(u32 n, u32 rtt, u32 k)
{
	fab_time start = settled(n, rtt, k), time = 200 * rtt * SLOT;
	u64 busy;

	dctcp_new(n, rtt, k * LEN - 1);
	dctcp_run(start);
	d.least = U32_MAX;
	d.most = 0;
	busy = bottleneck()->c.tx_busy_ps;
	dctcp_run(start + time);
	busy = bottleneck()->c.tx_busy_ps - busy;
	net_free(d.net);
	return (double)busy / time;
}

/*
 * E12, utilisation. With B the packets of a round trip, windows swing by
 * A = sqrt(2 N (B + K)) / 2 in all, so that the queue falls to K + N - A. That is
 * least at N = (B + K) / 8, namely K - (B + K) / 8, and above zero for K > B / 7.
 * This law holds for a fluid. Here a window of those N sources has eight packets, and
 * whole packets are cut, so at K = B / 7 itself utilisation is two or three percent
 * below 1. Twice as much is enough for any N, half as much is not; B / 7 is enough for
 * few sources.
 */
static void seventh(u32 rtt)
{
	u32 k = rtt / 7;

	EXPECT_NEAR(utilisation((rtt + 3 * k) / 8, rtt, 3 * k), 1, .0001);
	EXPECT_NEAR(utilisation((rtt + 2 * k) / 8, rtt, 2 * k), 1, .002);
	EXPECT_NEAR(utilisation((rtt + k) / 8, rtt, k), 1, .03);
	EXPECT(utilisation((rtt + k / 2) / 8, rtt, k / 2) < .97);
	EXPECT_NEAR(utilisation(4, rtt, k), 1, .0001);
}

TEST(utilisation_needs_a_seventh)
{
	seventh(56);
	seventh(112);
	seventh(196);
}

/*
 * E12, amplitude: A = sqrt(2 N (B + K)) / 2. Fluid and packets differ at the lower end
 * of the swing; a queue that does not run empty swings by 0.9 to 1.6 A.
 */
TEST(amplitude)
{
	static const u32 set[][3] = {
		{ 1, 100, 20 }, { 2, 100, 40 }, { 4, 100, 65 }, { 8, 100, 65 },
		{ 16, 100, 65 }, { 2, 50, 30 }, { 8, 200, 57 },
	};
	u32 i, n, rtt, k;
	double a;

	for (i = 0; i < ARRAY_SIZE(set); i++) {
		n = set[i][0];
		rtt = set[i][1];
		k = set[i][2];
		a = sqrt(2.0 * n * (rtt + k)) / 2;
		EXPECT(utilisation(n, rtt, k) > .9999);
		EXPECT(d.least > 0);
		EXPECT_NEAR((double)(d.most - d.least) / LEN / a, 1.25, .35);
	}
}

/* Without marks the windows keep growing: the marks limit them. */
TEST(marks_are_what_holds_the_queue)
{
	dctcp_new(4, 100, U32_MAX);
	dctcp_run(settled(4, 100, 65));
	EXPECT(d.most > 200 * LEN);
	EXPECT_EQ(bottleneck()->cls[0].c.marked, 0);
	net_free(d.net);
}
