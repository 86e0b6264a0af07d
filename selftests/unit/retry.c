// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Retry of a link that carries frames: with no flow control, with pauses and
 * with credits; and a framing of the test's own.
 */
#include "core/flow/retry.h"
#include "ib.h"
#include "ktap.h"
#include "net.h"

#define RATE	(100 * GBPS)
#define PROP	(500 * NS)
#define LEN	1000
#define ACK	84		/* bytes of an acknowledgement on the wire */

static fab_time wire_time(u32 bytes)
{
	return 80ULL * bytes;	/* at 100 Gb/s */
}

static const struct fab_framing *const frames = &fab_replayed_frames;

/**
 * struct pair - two hosts and a link
 * @disc: discipline of the link
 * @replay: bytes of the replay buffer
 */
struct pair {
	const struct fab_discipline *disc;
	u32 replay;
};

static struct net *pair_new(const struct pair *p)
{
	struct fab_wire_params w = net_wire(RATE, PROP);
	struct fab_endpoint_params ep = { .port = net_port(1, 1 << 20) };
	struct ib ib = { .bps = RATE, .blocks = 2048, .period = MS };
	struct net *net = net_new(1);
	u32 i;

	if (p->disc->flow->kind == FAB_FLOW_CREDIT)
		ep.port = ib_port(&ib);
	if (p->disc->flow->kind == FAB_FLOW_PFC) {
		ep.port.flow.pfc.quanta = U16_MAX;
		ep.port.flow.pfc.enable = BIT(0);
	}
	ep.port.disc = p->disc;
	ep.port.retry.control = ACK;
	ep.port.retry.replay = p->replay;
	ep.port.retry.repeat = 10 * US;
	for (i = 0; i < 2; i++)
		net_node_add(net, i, &ep);
	EXPECT_EQ(fab_link_join(&net->fab, &net->node[0]->ep.port,
				&net->node[1]->ep.port, &w, &w), 0);
	net_drain(net);
	return net;
}

static struct fab_port *end(struct net *net, u32 id)
{
	return &net->node[id]->ep.port;
}

static void send_many(struct net *net, u32 n)
{
	while (n--)
		EXPECT_EQ(net_send(net, 0, 1, LEN), 0);
}

/*
 * The first of @n packets is hit. It is refused at T + p, the NAK takes effect A + p
 * later, and all packets sent by then are retransmitted: all are delivered
 *
 *	W = ceil((T + 2 p + A) / T)
 *
 * packet times later than without the error.
 */
static void one_error(const struct fab_discipline *disc)
{
	struct pair p = { .disc = disc };
	struct net *net = pair_new(&p);
	fab_time time = wire_time(LEN + 24), begin = net->fab.now;
	u32 w = DIV_ROUND_UP(time + 2 * PROP + wire_time(ACK), time);
	struct fab_fault f;

	net_hit(net, end(net, 0), &f, time / 2);
	send_many(net, 100);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 100);
	EXPECT_EQ(net->node[1]->rx_at - begin, (100 + w) * time + PROP);
	EXPECT_EQ(end(net, 1)->c.naks, 1);
	EXPECT_EQ(end(net, 0)->c.tx_replays, w);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	net_free(net);
}

TEST(one_error_without_flow_control)
{
	const struct fab_discipline disc = {
		.name = "llr", .framing = frames, .flow = &fab_flow_none,
	};

	one_error(&disc);
}

TEST(one_error_with_pauses)
{
	const struct fab_discipline disc = {
		.name = "llr-pfc", .framing = frames, .flow = fab_pfc.flow,
	};

	one_error(&disc);
}

/* There are credits for all packets and no update is due, so credits cost no time. */
TEST(one_error_with_credits)
{
	const struct fab_discipline disc = {
		.name = "llr-credit", .framing = frames, .flow = fab_credit.flow,
	};

	one_error(&disc);
}

/*
 * The toy: each packet is one unit of the replay buffer, whatever its length.
 * With room for one, the next is sent when the last is acknowledged, a time
 * T + p + A + p after it. Bytes do not count, unlike with frames.
 */
static u32 toy_size(const struct fab_port_params *rx,
		    const struct fab_pkt *pkt)
{
	return 1;
}

static const struct fab_framing toy_framing = { .size = toy_size };

TEST(toy_framing)
{
	const struct fab_discipline disc = {
		.name = "toy", .framing = &toy_framing, .flow = &fab_flow_none,
	};
	struct pair p = { .disc = &disc, .replay = 1 };
	fab_time loop = wire_time(LEN + 24) + wire_time(ACK) + 2 * PROP;
	struct net *net = pair_new(&p);
	fab_time begin = net->fab.now;

	send_many(net, 10);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 10);
	EXPECT_EQ(net->node[1]->rx_at - begin,
		  9 * loop + wire_time(LEN + 24) + PROP);
	EXPECT_EQ(end(net, 1)->c.tx_control, 10);
	net_free(net);
}

/* A lost NAK is repeated after the repetition time, and no other is. */
TEST(lost_nak)
{
	const struct fab_discipline disc = {
		.name = "llr", .framing = frames, .flow = &fab_flow_none,
	};
	struct pair p = { .disc = &disc };
	struct net *net = pair_new(&p);
	fab_time time = wire_time(LEN + 24), begin = net->fab.now;
	struct fab_fault data, nak;

	net_hit(net, end(net, 0), &data, time / 2);
	net_hit(net, end(net, 1), &nak, 2 * US);
	send_many(net, 2);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 2);
	EXPECT_EQ(nak.c.control, 1);
	/* Two packets were refused and come again. */
	EXPECT_EQ(net->node[1]->rx_at - begin,
		  time + PROP + 10 * US + wire_time(ACK) + PROP +
		  2 * time + PROP);
	net_free(net);
}

/* Unacknowledged packets are lost with the link, and not retransmitted later. */
TEST(link_down)
{
	const struct fab_discipline disc = {
		.name = "llr-credit", .framing = frames, .flow = fab_credit.flow,
	};
	struct pair p = { .disc = &disc };
	struct net *net = pair_new(&p);
	struct fab_fault f;
	u32 i;

	for (i = 0; i < 2; i++) {
		net_hit(net, end(net, 0), &f, 10 * NS);
		send_many(net, 50);
		/* The NAK has arrived; the other wire fails. */
		net_run(net, net->fab.now + 2 * US);
		fab_link_up(&net->fab, end(net, 1), false);
		EXPECT_NULL_STR(fab_check(&net->fab));
		fab_link_up(&net->fab, end(net, 1), true);
		fab_fault_remove(&net->fab, &f);
		net_drain(net);
		EXPECT_EQ(net->fab.c.packets_delivered +
			  net->fab.c.packets_dropped, net->sent);
		EXPECT(net->drops[FAB_DROP_LINK_DOWN] > 0);
	}
	net_free(net);
}

/*
 * The ring of a long wire is full of acknowledgements, and more are pending, when the
 * link fails. The ring is emptied: what waited for room in it goes on, on the wire
 * that is still up.
 */
TEST(full_ring_link_down)
{
	const struct fab_discipline disc = {
		.name = "llr", .framing = frames, .flow = &fab_flow_none,
	};
	struct pair p = { .disc = &disc, .replay = FAB_RETRY_BUFFER_MAX };
	struct net *net = pair_new(&p);
	struct fab_wire_params w = net_wire(RATE, MS);
	struct fab_port *from = end(net, 1);

	fab_link_set(&net->fab, from, &w);
	send_many(net, 2 * FAB_RETRY_SLOTS);
	while (from->control.n < from->control.slots ||
	       fab_event_pending(&from->kick))
		net_run(net, fab_event_next(&net->fab.events));
	EXPECT(from->urgent & FAB_URGENT_CONTROL);
	fab_link_up(&net->fab, end(net, 0), false);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_drain(net);
	EXPECT_EQ(from->urgent, 0);
	fab_link_up(&net->fab, end(net, 0), true);
	send_many(net, 1);
	net_drain(net);
	EXPECT_EQ(end(net, 0)->retry->acked, LEN);
	net_free(net);
}

/*
 * The buffer is full, and the acknowledgement is lost as the wire that it would come on
 * fails. What is on the wire is lost, too, and what waits goes on at once.
 */
TEST(full_buffer_link_down)
{
	const struct fab_discipline disc = {
		.name = "llr", .framing = frames, .flow = &fab_flow_none,
	};
	struct pair p = { .disc = &disc, .replay = LEN };
	fab_time time = wire_time(LEN + 24), begin;
	struct net *net = pair_new(&p);

	send_many(net, 3);
	net_run(net, net->fab.now + time + PROP + wire_time(ACK) / 2);
	EXPECT_EQ(net->node[1]->rx, 1);
	begin = net->fab.now;
	fab_link_up(&net->fab, end(net, 1), false);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 2);
	EXPECT_EQ(net->node[1]->rx_at - begin, time + PROP);
	fab_link_up(&net->fab, end(net, 1), true);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 3);
	net_free(net);
}

/* Choices that do not go together. */
TEST(sensible)
{
	const struct fab_framing shares = { .size = toy_size, .shares = true };
	struct fab_discipline d = fab_nvlink;

	EXPECT(fab_discipline_sensible(&d));
	d.framing = &fab_frames;	/* an error would lose credits for good */
	EXPECT(!fab_discipline_sensible(&d));
	d.framing = &fab_replayed_frames;
	EXPECT(fab_discipline_sensible(&d));
	d.framing = &shares;
	EXPECT(fab_discipline_sensible(&d));
	d.flow = fab_credit.flow;	/* its frames do not acknowledge */
	EXPECT(!fab_discipline_sensible(&d));
	d.framing = NULL;
	EXPECT(!fab_discipline_sensible(&d));
	d = fab_drop_tail;
	d.flow = NULL;
	EXPECT(!fab_discipline_sensible(&d));
}
