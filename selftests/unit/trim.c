// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trimming: an incast of senders at line rate (E16), and the rest of a trimmed packet.
 */
#include "ktap.h"
#include "net.h"

#define LEN	4096U
#define HEADER	64U
#define LIMIT	(16 * LEN)	/* of each queue */

/**
 * struct incast - k senders at line rate to one receiver, all of one rate
 * @k: senders
 * @overhead: bytes per frame on the wire beside its length
 * @arbiter: of the switch
 */
struct incast {
	u32 k;
	u32 overhead;
	enum fab_arbiter arbiter;
};

/**
 * struct got - frames that arrived at the receiver
 * @whole: frames
 * @cut: frames that were trimmed
 */
struct got {
	u64 whole;
	u64 cut;
};

static struct got got;
static u64 traced;	/* frames traced as trimmed */

static void count_trace(struct fab_port *port, const struct fab_pkt *pkt,
			enum fab_trace what)
{
	if (what == FAB_TRACE_TRIM)
		traced += pkt->segs;
}

static void count(struct net_node *node, const struct fab_pkt *pkt)
{
	if (pkt->flags & FAB_PKT_TRIMMED) {
		EXPECT_EQ(pkt->len, pkt->segs * HEADER);
		EXPECT_EQ(pkt->cls, 1);
		got.cut += pkt->segs;
	} else {
		EXPECT_EQ(pkt->cls, 0);
		got.whole += pkt->segs;
	}
}

static struct fab_switch_params trim_switch(u32 ports)
{
	struct fab_switch_params p = net_switch_params(ports);

	p.port = net_port(2, LIMIT);
	p.port.trim = (struct fab_trim_params) {
		.classes = 1, .cls = 1, .len = HEADER,
	};
	return p;
}

/* Hosts 0 to @n - 1 at switch 0, wires of @bps and @overhead. */
static struct net *star(u32 n, const struct fab_switch_params *p, u64 bps,
			u32 overhead)
{
	static struct fab_host_ops ops;
	struct fab_endpoint_params ep = { .port = net_port(2, 1 << 20) };
	struct fab_wire_params wire = net_wire(bps, 10 * NS);
	struct net *net = net_new(1);
	struct net_node *node;
	u32 i;

	wire.overhead = overhead;
	net_switch_add(net, 0, p);
	for (i = 0; i < n; i++) {
		node = net_node_add(net, i, &ep);
		EXPECT_EQ(fab_link_join(&net->fab, &node->ep.port,
					&net->sw[0]->port[i], &wire, &wire), 0);
		net_route(net->sw[0], i, i);
		node->on_deliver = count;
	}
	ops = *net->fab.host;
	ops.trace = count_trace;
	net->fab.host = &ops;
	memset(&got, 0, sizeof(got));
	traced = 0;
	return net;
}

static struct net *incast(const struct incast *in)
{
	struct fab_switch_params p = trim_switch(in->k + 1);
	struct net *net;
	u32 i;

	p.arbiter = in->arbiter;
	net = star(in->k + 1, &p, 100 * GBPS, in->overhead);
	net->no_check = true;
	for (i = 0; i < in->k; i++)
		net_pump(net, i, in->k, LEN, 0);
	return net;
}

/*
 * E16. L and h are a frame and a header on the wire, overhead included. k senders at
 * rate C send kC/L frames per second; x of them leave whole and y as headers. Headers
 * go first, so all of them leave, and the wire is never idle:
 *
 *	x + y = kC/L	xL + yh = C	=>	xL/C = (L - kh) / (L - h)
 *
 * which needs kh <= L. It is the law of the reference, with wire lengths in it:
 * without overhead L/h = 4096/64, with 24 bytes 4120/88.
 *
 * Over n slots of L/C the first sum is exact to the k frames in flight at one end of
 * the interval and not at the other, and to the packets queued at one end only. Those
 * are at most a frame, as the queue is refilled when one leaves, and k headers. The
 * second sum is exact to one frame. So x is exact to (L + (2k + 1) h) / (L - h) frames,
 * which is less than 3 here, and y to 2k + 4.
 */
static void goodput(const struct incast *in)
{
	const u64 slots = 2000;
	double l = LEN + in->overhead, h = HEADER + in->overhead;
	fab_time slot = (LEN + in->overhead) * 80ULL;
	struct net *net = incast(in);
	double law = (l - in->k * h) / (l - h);
	struct fab_port *out = &net->sw[0]->port[in->k];
	u64 busy;

	net_run(net, 100 * slot);
	memset(&got, 0, sizeof(got));
	busy = out->c.tx_busy_ps;
	net_run(net, 100 * slot + slots * slot);
	EXPECT_NEAR(got.whole, slots * law, 3);
	EXPECT_NEAR(got.cut, slots * (in->k - law), 2 * in->k + 4);
	EXPECT_NEAR(out->c.tx_busy_ps - busy, slots * slot, slot);
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(net->drops[FAB_DROP_QUEUE_FULL], 0);
	net_free(net);
}

TEST(incast_goodput)
{
	static const u32 k[] = { 2, 4, 8, 16, 32 };
	struct incast in;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(k); i++) {
		in = (struct incast) { .k = k[i], .overhead = 0 };
		goodput(&in);
		in.overhead = 24;
		goodput(&in);
		in.arbiter = FAB_ARBITER_ROUND_ROBIN;
		goodput(&in);
	}
}

/* The values that the reference prints, to its three digits. */
TEST(incast_law_as_printed)
{
	static const struct { u32 k; double goodput; } row[] = {
		{ 2, .984 }, { 4, .952 }, { 8, .889 }, { 16, .762 },
		{ 32, .508 },
	};
	struct incast in = { .overhead = 0 };
	fab_time slot = LEN * 80ULL;
	struct net *net;
	u64 before;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		in.k = row[i].k;
		net = incast(&in);
		net_run(net, 100 * slot);
		before = got.whole;
		net_run(net, 10100 * slot);
		EXPECT_NEAR((got.whole - before) / 1e4, row[i].goodput, .004);
		net_free(net);
	}
}

/*
 * No frame is lost silently: after the senders stop, each frame has arrived whole or as
 * a header.
 */
TEST(no_silent_loss)
{
	static const u32 k[] = { 3, 12, 40 };
	struct incast in = { .overhead = 24 };
	struct net *net;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(k); i++) {
		in.k = k[i];
		net = incast(&in);
		net_run(net, 300 * 4120 * 80ULL);
		for (j = 0; j < in.k; j++)
			net_pump(net, j, in.k, 0, 0);
		net_drain(net);
		EXPECT(got.cut > 0);
		EXPECT_EQ(got.whole + got.cut, net->sent);
		EXPECT_EQ(net->sw[0]->port[in.k].cls[0].c.trimmed, got.cut);
		EXPECT_EQ(traced, got.cut);
		EXPECT_EQ(net->fab.c.packets_dropped, 0);
		net_free(net);
	}
}

/*
 * More than L/h senders: headers alone fill the wire, C/h of them per second. No frame
 * leaves whole. The rest of the kC/L frames is dropped whole, as the queue of the
 * headers is full. 48 * 88 > 4120.
 */
static void overflow(u32 k)
{
	struct incast in = { .k = k, .overhead = 24 };
	fab_time slot = 4120 * 80ULL;
	struct net *net = incast(&in);
	double cut = 1000.0 * 4120 / 88;
	u64 lost;

	/* Until the queue is full: k - L/h headers more in each slot. */
	net_run(net, slot * (100 + LIMIT / HEADER / (k - 4120 / 88.0)));
	memset(&got, 0, sizeof(got));
	lost = net->drops[FAB_DROP_QUEUE_FULL];
	net_run(net, net->fab.now + 1000 * slot);
	EXPECT_EQ(got.whole, 0);
	EXPECT_NEAR(got.cut, cut, k);
	EXPECT_NEAR(net->drops[FAB_DROP_QUEUE_FULL] - lost,
		    1000.0 * k - cut, 2 * k);
	EXPECT_EQ(net->sw[0]->port[k].cls[1].c.trimmed, 0);
	EXPECT_EQ(net->sw[0]->port[k].c.drops[FAB_DROP_QUEUE_FULL],
		  net->drops[FAB_DROP_QUEUE_FULL]);
	net_free(net);
}

TEST(header_queue_overflows)
{
	overflow(48);
	overflow(56);
	overflow(63);
}

/*
 * The room of the bytes cut off is free at once. A very slow wire has 16 frames queued
 * and one on it; each of the 100 that follow holds the room of a header, in the account
 * of its ingress port.
 */
TEST(room_of_the_rest_is_free)
{
	struct fab_switch_params p = trim_switch(3);
	struct fab_wire_params slow = net_wire(1000000, 0);
	struct net *net = star(3, &p, 100 * GBPS, 24);
	struct fab_switch *sw = net->sw[0];
	u32 i;

	fab_link_set(&net->fab, &sw->port[2], &slow);
	for (i = 0; i < 17; i++)
		net_send(net, 0, 2, LEN);
	net_run(net, 10 * US);
	EXPECT_EQ(sw->buffer.used, LIMIT);
	EXPECT_EQ(sw->port[0].held, LIMIT);
	for (i = 0; i < 100; i++)
		net_send(net, 1, 2, LEN);
	net_run(net, 50 * US);
	EXPECT_EQ(sw->port[2].cls[0].c.trimmed, 100);
	EXPECT_EQ(sw->port[2].cls[0].bytes, LIMIT);
	EXPECT_EQ(sw->port[2].cls[1].bytes, 100 * HEADER);
	EXPECT_EQ(sw->port[1].held, 100 * HEADER);
	EXPECT_EQ(sw->buffer.used, LIMIT + 100 * HEADER);
	net_drain(net);
	EXPECT_EQ(sw->buffer.used, 0);
	EXPECT_EQ(got.whole, 17);
	EXPECT_EQ(got.cut, 100);
	net_free(net);
}

/*
 * The same with accounts per class: the bytes cut off are released in the account of the
 * frame's ingress class, shared bytes before the reserve. Of 4096 bytes 1000 are taken
 * from the reserve; the 4032 that are cut off leave 64 of it.
 */
TEST(room_of_accounts)
{
	struct fab_switch_params p = trim_switch(3);
	struct fab_wire_params slow = net_wire(1000000, 0);
	struct fab_account *account;
	struct net *net;
	u32 i;

	p.buffer.accounts = true;
	for (i = 0; i < 2; i++)
		p.buffer.cls[i] = (struct fab_account_params) {
			.reserve = 1000, .dynamic = true, .alpha = -3,
		};
	net = star(3, &p, 100 * GBPS, 24);
	fab_link_set(&net->fab, &net->sw[0]->port[2], &slow);
	for (i = 0; i < 17; i++)
		net_send(net, 0, 2, LEN);
	net_run(net, 10 * US);
	account = &net->sw[0]->port[0].cls[0].account;
	EXPECT_EQ(account->reserved, 1000);
	EXPECT_EQ(account->shared, LIMIT - 1000);
	net_send(net, 1, 2, LEN);
	net_run(net, 20 * US);
	account = &net->sw[0]->port[1].cls[0].account;
	EXPECT_EQ(account->reserved, HEADER);
	EXPECT_EQ(account->shared, 0);
	EXPECT_EQ(net->sw[0]->port[1].cls[1].account.reserved, 0);
	net_send(net, 0, 2, LEN);
	net_run(net, 30 * US);
	account = &net->sw[0]->port[0].cls[0].account;
	EXPECT_EQ(account->reserved, 1000);
	EXPECT_EQ(account->shared, LIMIT - 1000 + HEADER);
	net_drain(net);
	EXPECT_EQ(net->sw[0]->buffer.shared, 0);
	EXPECT_EQ(net->sw[0]->buffer.used, 0);
	net_free(net);
}

/*
 * Frames that are not longer than a header, classes that are not trimmed, and
 * headers themselves are dropped; a train is cut to a header per frame.
 */
TEST(what_is_cut)
{
	struct fab_pkt train = { .len = 6000, .segs = 4, .dst = 2 };
	struct fab_pkt runt = { .len = HEADER, .segs = 1, .dst = 2 };
	struct fab_pkt other = { .len = LEN, .segs = 1, .dst = 2, .cls = 1 };
	struct fab_switch_params p = trim_switch(3);
	struct fab_wire_params slow = net_wire(1000000, 0);
	struct net *net = star(3, &p, 100 * GBPS, 24);
	struct fab_class *c = net->sw[0]->port[2].cls;
	u32 i;

	net->node[2]->on_deliver = NULL;
	fab_link_set(&net->fab, &net->sw[0]->port[2], &slow);
	for (i = 0; i < 17; i++)
		net_send(net, 0, 2, LEN);
	net_run(net, 10 * US);
	net_give(net->node[0], &train);
	net_give(net->node[1], &runt);
	net_run(net, 20 * US);
	EXPECT_EQ(c[0].c.trimmed, 4);
	EXPECT_EQ(c[1].bytes, 4 * HEADER);
	EXPECT_EQ(net->drops[FAB_DROP_QUEUE_FULL], 1);
	for (i = 0; i < 16; i++)
		net_give(net->node[0], &other);
	net_run(net, 30 * US);
	EXPECT_EQ(c[1].c.trimmed, 0);
	EXPECT_EQ(net->drops[FAB_DROP_QUEUE_FULL], 2);
	EXPECT_EQ(c[1].bytes, 15 * LEN + 4 * HEADER);
	net_free(net);
}

/*
 * Two senders at 400 Gb/s, then links of 100 and 25: both switches trim, and a header
 * from the first one has its class and its room at the second.
 */
TEST(two_switches_trim)
{
	struct fab_switch_params p = trim_switch(3);
	struct net *net = star(3, &p, 400 * GBPS, 24);
	struct fab_endpoint_params ep = { .port = net_port(2, 65536) };
	struct net_node *far = net_node_add(net, 3, &ep);
	u32 i;

	net_switch_add(net, 1, &p);
	fab_link_part(&net->fab, &net->sw[0]->port[2], FAB_DROP_TEARDOWN);
	net_join(net, &net->sw[0]->port[2], &net->sw[1]->port[0],
		 100 * GBPS, 0);
	net_join(net, &net->sw[1]->port[1], &far->ep.port, 25 * GBPS, 0);
	net_route(net->sw[0], 3, 2);
	net_route(net->sw[1], 3, 1);
	far->on_deliver = count;
	for (i = 0; i < 100; i++) {
		net_send(net, 0, 3, LEN);
		net_send(net, 1, 3, LEN);
		net_run(net, net->fab.now + 100 * NS);
	}
	net_drain(net);
	EXPECT_EQ(got.whole + got.cut, net->sent);
	EXPECT(net->sw[0]->port[2].cls[0].c.trimmed > 0);
	EXPECT(net->sw[1]->port[1].cls[0].c.trimmed > 0);
	EXPECT_EQ(net->sw[0]->port[2].cls[0].c.trimmed +
		  net->sw[1]->port[1].cls[0].c.trimmed, got.cut);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	net_free(net);
}

TEST(refusals)
{
	struct fab_flow_control flow = { .own_room = true };
	struct fab_discipline own = fab_drop_tail;
	struct fab_port_params p = net_port(4, 65536);

	p.trim = (struct fab_trim_params) { .classes = 7, .cls = 3, .len = 64 };
	EXPECT_EQ(fab_port_params_check(&p), 0);
	p.trim.classes = 15;
	EXPECT(fab_port_params_check(&p) == -EINVAL);
	p.trim.classes = 16;
	EXPECT(fab_port_params_check(&p) == -EINVAL);
	p.trim.classes = 1;
	p.trim.cls = 4;
	EXPECT(fab_port_params_check(&p) == -EINVAL);
	p.trim.cls = 1;
	own.flow = &flow;
	p.disc = &own;
	EXPECT(fab_port_params_check(&p) == -EINVAL);
	p.trim.len = 0;
	EXPECT_EQ(fab_port_params_check(&p), 0);
}
