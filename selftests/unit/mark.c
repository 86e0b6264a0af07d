// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Congestion marks (E11): RED's line and its ends, FECN's root and victim.
 */
#include <math.h>

#include "ktap.h"
#include "net.h"

#define LEN	1000U
#define SLOT	((LEN + 24) * 80ULL)	/* ps of a frame at 100 Gb/s */
#define FILL	60U			/* packets that stand in the queue */

static u64 traced;	/* packets traced as marked */

static void count_trace(struct fab_port *port, const struct fab_pkt *pkt,
			enum fab_trace what)
{
	traced += what == FAB_TRACE_MARK;
}

/**
 * struct marks - packets that arrived at the destination
 * @n: number of packets
 * @ce: number of packets with a mark
 * @last: a bit for each of the last 64, set if it had a mark
 * @from: number of packets with a mark, by flow
 */
struct marks {
	u64 n;
	u64 ce;
	u64 last;
	u64 from[NET_MAX];
};

static struct marks seen;

static void count_marks(struct net_node *node, const struct fab_pkt *pkt)
{
	bool ce = pkt->flags & FAB_PKT_CE;

	seen.n++;
	seen.ce += ce;
	seen.last = seen.last << 1 | ce;
	seen.from[pkt->flow_hash] += ce;
}

static void forget(void)
{
	memset(&seen, 0, sizeof(seen));
}

/* n senders and a receiver at one switch, all at 100 Gb/s. */
static struct net *star(u32 n, const struct fab_mark_params *mark, u64 seed)
{
	static struct fab_host_ops ops;
	struct fab_switch_params p = net_switch_params(n + 1);
	struct net *net = net_new(seed);
	u32 i;

	p.port.mark = *mark;
	net_switch_add(net, 0, &p);
	for (i = 0; i <= n; i++)
		net_join(net, &net_host(net, i)->ep.port, &net->sw[0]->port[i],
			 100 * GBPS, 0);
	net_route(net->sw[0], n, n);
	ops = *net->fab.host;
	ops.trace = count_trace;
	net->fab.host = &ops;
	net->node[n]->on_deliver = count_marks;
	net->no_check = true;
	traced = 0;
	forget();
	return net;
}

static void pump(struct net *net, u32 src, u32 dst, u32 len, u8 flags)
{
	net->node[src]->pump[0].flags = flags;
	net_pump(net, src, dst, len, 0);
}

/*
 * A queue of constant length: sender 0 sends exactly at the rate at which the queue
 * drains, after sender 1 put FILL packets in. One shorter packet shifts the departures
 * between the arrivals. So each packet finds the same number of bytes on arrival, and
 * leaves the same number behind at departure.
 */
static struct net *standing(const struct fab_mark_params *mark, u8 flags,
			    u64 seed)
{
	struct net *net = star(2, mark, seed);
	u32 i;

	net_send(net, 1, 2, LEN / 2);
	for (i = 0; i < FILL; i++)
		net_send(net, 1, 2, LEN);
	pump(net, 0, 2, LEN, flags);
	net_run(net, 2 * FILL * SLOT);
	return net;
}

/* The least and the most bytes queued in the next @n slots. */
static void extremes(struct net *net, u32 n, u32 *least, u32 *most)
{
	const struct fab_class *c = &net->sw[0]->port[2].cls[0];
	fab_time until = net->fab.now + n * SLOT;
	fab_time next = fab_event_next(&net->fab.events);

	*least = U32_MAX;
	*most = 0;
	for (; next <= until; next = fab_run(&net->fab, next, FAB_NO_BUDGET)) {
		*least = min(*least, c->bytes);
		*most = max(*most, c->bytes);
	}
}

TEST(queue_stands)
{
	static const struct fab_mark_params none;
	struct net *net = standing(&none, FAB_PKT_ECT, 1);
	u32 least, most;

	extremes(net, 1000, &least, &most);
	EXPECT_EQ(least, FILL * LEN);
	EXPECT_EQ(most, (FILL + 1) * LEN);
	EXPECT_EQ(net->sw[0]->port[2].special, 0);
	EXPECT_EQ(seen.ce, 0);
	net_free(net);
}

/* Marks on 20000 packets that all find FILL * LEN bytes. */
static struct marks marks_at(u32 kmin, u32 kmax, u32 pmax, bool dequeue,
			     u8 flags)
{
	struct fab_mark_params p = {
		.red[0] = { .kmin = kmin, .kmax = kmax, .pmax = pmax },
		.dequeue = dequeue,
	};
	struct net *net = standing(&p, flags, 7);
	struct marks got;

	/* By then all packets that arrived before the queue was constant are gone. */
	net_run(net, net->fab.now + 2 * FILL * SLOT);
	forget();
	net_run(net, net->fab.now + 20000 * SLOT);
	got = seen;
	EXPECT_EQ(got.n, 20000);
	EXPECT_EQ(net->sw[0]->port[2].cls[0].c.marked, traced);
	net_free(net);
	return got;
}

/*
 * E11 between the thresholds: with q bytes queued each packet is marked with
 * probability P = pmax (q - kmin) / (kmax - kmin), independently. So n packets have n P
 * marks with the deviation sqrt(n P (1 - P)). Five deviations are exceeded once in two
 * million trials.
 */
static void between(u32 kmin, u32 kmax, u32 pmax)
{
	double q = FILL * LEN;
	double p = pmax / 1e6 * (q - kmin) / ((double)kmax - kmin);
	struct marks m;
	u32 i;

	for (i = 0; i < 2; i++) {
		m = marks_at(kmin, kmax, pmax, i, FAB_PKT_ECT);
		EXPECT_NEAR(m.ce, m.n * p, 5 * sqrt(m.n * p * (1 - p)));
	}
}

TEST(between_the_thresholds)
{
	between(20000, 100000, 1000000);	/* P = .5 */
	between(40000, 160000, 200000);		/* P = .0333, HPCC at 10G */
	between(5000, 200000, 10000);		/* P = .00282, DCQCN paper */
	between(0, 61000, 900000);		/* P = .885 */
	between(59999, 4000000000U, 1000000);	/* P = 2.5e-10: rounds to 0 */
}

/* E11 at the ends: the probability is 0 at kmin, pmax at kmax, and 1 a byte above. */
TEST(ends_of_the_line)
{
	const u32 q = FILL * LEN;
	struct marks m;
	u32 i;

	for (i = 0; i < 2; i++) {
		EXPECT_EQ(marks_at(q, q + 1, 1000000, i, FAB_PKT_ECT).ce, 0);
		EXPECT_EQ(marks_at(q, q, 1000000, i, FAB_PKT_ECT).ce, 0);
		EXPECT_EQ(marks_at(q + 1, 2 * q, 1000000, i, FAB_PKT_ECT).ce,
			  0);
		EXPECT_EQ(marks_at(0, q - 1, 0, i, FAB_PKT_ECT).ce, 20000);
		EXPECT_EQ(marks_at(q - 1, q - 1, 0, i, FAB_PKT_ECT).ce, 20000);
		EXPECT_EQ(marks_at(q - 1, q, 1000000, i, FAB_PKT_ECT).ce,
			  20000);
		EXPECT_EQ(marks_at(q - 1, q, 0, i, FAB_PKT_ECT).ce, 0);
		m = marks_at(0, q, 250000, i, FAB_PKT_ECT);
		EXPECT_NEAR(m.ce, 5000, 5 * sqrt(20000 * .25 * .75));
	}
}

/* A transport that does not understand marks gets none, and loses nothing. */
TEST(not_ect_is_left_alone)
{
	EXPECT_EQ(marks_at(0, 1, 1000000, false, 0).ce, 0);
	EXPECT_EQ(marks_at(0, 1, 1000000, true, 0).ce, 0);
}

/* The class with thresholds is marked, another one with a longer queue is not. */
TEST(classes_are_separate)
{
	struct fab_endpoint_params ep = { .port = net_port(2, 65536) };
	struct fab_switch_params p = net_switch_params(3);
	struct net *net = net_new(1);
	struct fab_port *out;
	u32 i;

	p.port = net_port(2, 1 << 20);
	p.port.mark.red[1] = (struct fab_red) { .kmax = 1 };
	net_switch_add(net, 0, &p);
	for (i = 0; i < 3; i++)
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], 100 * GBPS, 0);
	net_route(net->sw[0], 2, 2);
	for (i = 0; i < 2; i++) {
		net->node[i]->pump[i].flags = FAB_PKT_ECT;
		net_pump(net, i, 2, LEN, i);
	}
	out = &net->sw[0]->port[2];
	net_run(net, 100 * SLOT);
	EXPECT_EQ(out->cls[0].c.marked, 0);
	EXPECT(out->cls[0].bytes > 90 * LEN);
	net->node[0]->pump[1].flags = FAB_PKT_ECT;
	net_pump(net, 0, 2, LEN, 1);
	net_run(net, 200 * SLOT);
	EXPECT_EQ(out->cls[0].c.marked, 0);
	EXPECT(out->cls[1].c.marked > 90);
	net_free(net);
}

/*
 * Trains of three frames through two switches that mark all packets except those that
 * find an empty queue. A train counts with its frames, and a marked one only once.
 */
TEST(marked_once)
{
	struct fab_switch_params p = net_switch_params(2);
	struct fab_pkt pkt = {
		.len = 3 * LEN, .segs = 3, .dst = 1, .flags = FAB_PKT_ECT,
	};
	struct net *net = net_new(1);
	u32 i;

	p.port.mark.red[0] = (struct fab_red) { .kmax = 1 };
	for (i = 0; i < 2; i++) {
		net_switch_add(net, i, &p);
		net_host(net, i);
		net_route(net->sw[i], 1, 1);
	}
	net_join(net, &net->node[0]->ep.port, &net->sw[0]->port[0],
		 400 * GBPS, 0);
	net_join(net, &net->sw[0]->port[1], &net->sw[1]->port[0],
		 100 * GBPS, 0);
	net_join(net, &net->sw[1]->port[1], &net->node[1]->ep.port,
		 10 * GBPS, 0);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(net_give(net->node[0], &pkt), 0);
	net_drain(net);
	/* The first is sent at once; the third finds the second. */
	EXPECT_EQ(net->sw[0]->port[1].cls[0].c.marked, 3 * 2);
	EXPECT_EQ(net->sw[1]->port[1].cls[0].c.marked, 0);
	EXPECT(net->node[1]->rx_pkt.flags & FAB_PKT_CE);
	net_free(net);
}

/* The queue of a NIC does not mark. */
TEST(endpoints_do_not_mark)
{
	struct fab_endpoint_params ep = { .port = net_port(1, 65536) };
	struct net *net = net_new(1);
	struct net_node *node;

	ep.port.mark.red[0] = (struct fab_red) { .kmax = 1 };
	ep.port.mark.fecn.threshold = 1;
	node = net_node_add(net, 0, &ep);
	net_join(net, &node->ep.port, &net_host(net, 1)->ep.port,
		 100 * GBPS, 0);
	EXPECT_EQ(node->ep.port.special, 0);
	pump(net, 0, 1, LEN, FAB_PKT_ECT);
	net_run(net, 10 * SLOT);
	EXPECT_EQ(node->ep.port.cls[0].c.marked, 0);
	net_free(net);
}

static u64 last_marks(u64 seed)
{
	struct fab_mark_params p = {
		.red[0] = { .kmax = 2 * FILL * LEN, .pmax = 1000000 },
	};
	struct net *net = standing(&p, FAB_PKT_ECT, seed);

	EXPECT(net->sw[0]->port[0].mark.rng != net->sw[0]->port[1].mark.rng);
	net_run(net, net->fab.now + 200 * SLOT);
	net_free(net);
	return seen.last;
}

/* A run repeats with its seed; ports draw from generators of their own. */
TEST(randomness)
{
	u64 first = last_marks(1);

	EXPECT(first != 0 && first != U64_MAX);
	EXPECT_EQ(last_marks(1), first);
	EXPECT(last_marks(2) != first);
	EXPECT(last_marks(3) != last_marks(2));
}

static struct marks fecn_at(const struct fab_fecn *fecn, bool dequeue, u8 flags)
{
	struct fab_mark_params p = { .fecn = *fecn, .dequeue = dequeue };
	struct net *net = standing(&p, flags, 7);
	struct marks got;

	net_run(net, net->fab.now + 2 * FILL * SLOT);
	forget();
	net_run(net, net->fab.now + 20000 * SLOT);
	got = seen;
	net_free(net);
	return got;
}

/* From the threshold on; blocks of 64 bytes: 1000 bytes are 16 of them. */
TEST(fecn_threshold_and_size)
{
	struct fab_fecn at = { .threshold = FILL * LEN, .packet_size = 16 };
	struct fab_fecn above = { .threshold = FILL * LEN + 1 };
	struct fab_fecn small = { .threshold = 1, .packet_size = 17 };
	u32 i;

	for (i = 0; i < 2; i++) {
		/* InfiniBand knows no ECT. */
		EXPECT_EQ(fecn_at(&at, i, 0).ce, 20000);
		EXPECT_EQ(fecn_at(&at, i, FAB_PKT_ECT).ce, 20000);
		EXPECT_EQ(fecn_at(&above, i, 0).ce, 0);
		EXPECT_EQ(fecn_at(&small, i, 0).ce, 0);
	}
}

/* The marks on 1000 packets that meet the queue after FECN of its port was changed. */
static u64 fecn_becomes(struct net *net, u32 threshold)
{
	const struct fab_fecn fecn = { .threshold = threshold };

	fab_mark_fecn_set(&net->sw[0]->port[2], &fecn);
	/* Those that met it before leave. */
	net_run(net, net->fab.now + 2 * FILL * SLOT);
	forget();
	net_run(net, net->fab.now + 1000 * SLOT);
	return seen.ce;
}

/* FECN of one port is changed while packets flow; the other ports keep theirs. */
TEST(fecn_of_one_port)
{
	static const struct fab_mark_params none;
	struct net *net = standing(&none, 0, 7);

	EXPECT_EQ(seen.ce, 0);
	EXPECT_EQ(fecn_becomes(net, FILL * LEN), 1000);
	EXPECT_EQ(net->sw[0]->port[2].special, FAB_SPECIAL_MARK);
	EXPECT_EQ(net->sw[0]->port[1].special, 0);
	EXPECT_EQ(fecn_becomes(net, FILL * LEN + 1), 0);
	EXPECT_EQ(fecn_becomes(net, 1), 1000);
	EXPECT_EQ(fecn_becomes(net, 0), 0);
	EXPECT_EQ(net->sw[0]->port[2].special, 0);
	net_free(net);
}

/*
 * Marking_Rate r: on average r packets between two marks, so one of r + 1 is marked:
 * n / (r + 1) marks with the deviation of a binomial.
 */
TEST(fecn_marking_rate)
{
	static const u16 rate[] = { 1, 4, 99, 1000 };
	struct fab_fecn fecn = { .threshold = 1 };
	struct marks m;
	double p;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(rate); i++) {
		fecn.marking_rate = rate[i / 2];
		p = 1.0 / (fecn.marking_rate + 1);
		m = fecn_at(&fecn, i & 1, 0);
		EXPECT_NEAR(m.ce, m.n * p, 5 * sqrt(m.n * p * (1 - p)));
	}
}

/*
 * n senders in turn and a rate of n - 1: a counter would only mark the packets of one
 * of them. Here each has n_i / n marks.
 */
TEST(fecn_marks_every_flow)
{
	struct fab_mark_params p = {
		.fecn = { .threshold = 1, .marking_rate = 3 },
		.dequeue = true,
	};
	struct net *net = star(4, &p, 3);
	double want;
	u32 i;

	for (i = 0; i < 4; i++)
		pump(net, i, 4, LEN, 0);
	net_run(net, 20000 * SLOT);
	for (i = 0; i < 4; i++) {
		want = net->node[4]->rx_from[i] / 4.0;
		EXPECT_NEAR(seen.from[i], want, 5 * sqrt(want * .75));
	}
	net_free(net);
}

/**
 * struct gate - a discipline that sends a limited number of packets
 * @left: packets that may still be sent
 */
struct gate {
	u32 left;
};

static bool gate_may_send(const struct fab_port *port, const struct fab_pkt *pkt)
{
	return ((struct gate *)port->flow_state)->left;
}

static void gate_on_send(struct fab *fab, struct fab_port *port,
			 struct fab_pkt *pkt)
{
	((struct gate *)port->flow_state)->left--;
}

static void gate_init(struct fab *fab, struct fab_port *port)
{
	((struct gate *)port->flow_state)->left = port->sw ? 0 : U32_MAX;
}

static const struct fab_flow_control gate_flow = {
	.state_size = sizeof(struct gate),
	.init = gate_init,
	.may_send = gate_may_send,
	.on_send = gate_on_send,
};

static const struct fab_discipline gate_discipline = {
	.name = "gate",
	.framing = &fab_frames,
	.flow = &gate_flow,
};

static void gate_open(struct net *net, u32 packets)
{
	struct fab_port *out = &net->sw[0]->port[1];

	((struct gate *)out->flow_state)->left = packets;
	fab_port_kick(&net->fab, out, net->fab.now);
}

static struct net *gated(const struct fab_mark_params *mark)
{
	struct fab_endpoint_params ep = { .port = net_port(1, 65536) };
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = net_new(1);
	u32 i;

	ep.port.disc = &gate_discipline;
	p.port.disc = &gate_discipline;
	p.port.mark = *mark;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++)
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], 100 * GBPS, 0);
	net_route(net->sw[0], 1, 1);
	return net;
}

/*
 * Ten packets arrive without credit, then six with credit for all that are left. The
 * first finds an empty queue; the others see a victim, then a root of congestion.
 */
static u64 at_enqueue(bool victim)
{
	struct fab_mark_params p = {
		.fecn = { .threshold = 1, .victim = victim },
	};
	struct net *net = gated(&p);
	u64 marked;
	u32 i;

	for (i = 0; i < 10; i++)
		net_send(net, 0, 1, LEN);
	net_run(net, 20 * SLOT);
	EXPECT_EQ(net->sw[0]->port[1].cls[0].packets, 10);
	EXPECT_EQ(net->sw[0]->port[1].cls[0].c.marked, victim ? 9 : 0);
	for (i = 0; i < 6; i++)
		net_send(net, 0, 1, LEN);
	gate_open(net, 1000);
	net_drain(net);
	marked = net->sw[0]->port[1].cls[0].c.marked;
	net_free(net);
	return marked;
}

/*
 * Ten packets wait; credit arrives for one at a time. A packet that took the last credit
 * leaves a queue that is a victim of congestion. Then credit for five arrives at once:
 * four leave a queue that is its root. The last of all leaves an empty queue.
 */
static u64 at_dequeue(bool victim)
{
	struct fab_mark_params p = {
		.fecn = { .threshold = 1, .victim = victim },
		.dequeue = true,
	};
	struct net *net = gated(&p);
	u64 marked;
	u32 i;

	for (i = 0; i < 10; i++)
		net_send(net, 0, 1, LEN);
	net_run(net, 20 * SLOT);
	for (i = 0; i < 4; i++) {
		gate_open(net, 1);
		net_run(net, net->fab.now + 2 * SLOT);
	}
	EXPECT_EQ(net->sw[0]->port[1].cls[0].c.marked, victim ? 4 : 0);
	gate_open(net, 5);
	net_run(net, net->fab.now + 10 * SLOT);
	gate_open(net, 1);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 10);
	marked = net->sw[0]->port[1].cls[0].c.marked;
	net_free(net);
	return marked;
}

TEST(fecn_root_and_victim)
{
	EXPECT_EQ(at_enqueue(false), 6);
	EXPECT_EQ(at_enqueue(true), 9 + 6);
	EXPECT_EQ(at_dequeue(false), 4);
	EXPECT_EQ(at_dequeue(true), 4 + 5);
}

TEST(refusals)
{
	struct fab_port_params p = net_port(1, 65536);

	p.mark.red[0] = (struct fab_red) { 10, 10, 1000000 };
	EXPECT_EQ(fab_port_params_check(&p), 0);
	p.mark.red[0].kmin = 11;
	EXPECT(fab_port_params_check(&p) == -EINVAL);
	p.mark.red[0].kmin = 0;
	p.mark.red[0].pmax = 1000001;
	EXPECT(fab_port_params_check(&p) == -EINVAL);
	p.mark.red[0].pmax = 0;
	p.mark.red[15].kmin = 1;
	EXPECT(fab_port_params_check(&p) == -EINVAL);
}
