// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links of flits: errors, replay, acknowledgements, links that go down and up.
 */
#include <math.h>

#include "ktap.h"
#include "nv.h"

/**
 * struct line - a link with a window that no pool bounds
 * @gbps: rate
 * @p_ns: propagation
 * @len: bytes of a packet, at most one packet of the link
 */
struct line {
	u64 gbps;
	u32 p_ns;
	u32 len;
};

static const struct line lines[] = {
	{ 200, 100, 256 },
	{ 400, 30, 64 },
	{ 1600, 7, 128 },
	{ 200, 0, 256 },
};

static fab_time line_time(const struct line *l, u32 bytes)
{
	return 8000ULL * bytes / l->gbps;
}

static u32 line_bytes(const struct line *l)
{
	return l->len + NV_FLIT;
}

/*
 * Packet times that an error costs: the packet itself, and the packets that the sender
 * sends before the NAK takes effect, which is (packet there, NAK back)
 *
 *	loop = L / C + 2 p + 16 / C
 *
 * after the packet began, so that the replay begins ceil(loop / (L / C)) packet
 * times after it.
 */
static u32 line_window(const struct line *l)
{
	fab_time time = line_time(l, line_bytes(l));
	fab_time loop = time + 2 * l->p_ns * NS + line_time(l, NV_FLIT);

	return DIV_ROUND_UP(loop, time);
}

static struct net *line_net(const struct line *l, u32 replay)
{
	struct fab_port_params port = nv_port(1, NV_PLENTY, NV_PLENTY);
	struct fab_wire_params wire = nv_wire(l->gbps * GBPS, l->p_ns * NS);
	struct net *net;

	if (!replay)
		port.queue_limit = 1 << 24;
	port.retry.replay = replay;
	net = nv_pair(&port, &wire);
	nv_watch(net);
	net_run(net, US);
	return net;
}

static struct fab_port *end(struct net *net, u32 id)
{
	return &net->node[id]->ep.port;
}

static void send_many(struct net *net, const struct line *l, u32 n)
{
	while (n--)
		EXPECT_EQ(net_send(net, 0, 1, l->len), 0);
}

/* Check the state after @n packets have arrived with @naks errors. */
static void settled(struct net *net, const struct line *l, u32 n, u32 naks)
{
	u32 w = line_window(l);

	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, n);
	EXPECT_EQ(nv_drops(net), 0);
	EXPECT_EQ(end(net, 1)->c.rx_packets, n);
	EXPECT_EQ(end(net, 1)->c.naks, naks);
	EXPECT_EQ(end(net, 1)->c.rx_replays, naks);
	EXPECT_EQ(end(net, 0)->c.tx_replays, naks * w);
	EXPECT_EQ(end(net, 0)->c.tx_packets, n + naks * w);
}

/* N3 with an error in a known place: exactly W packet times are lost. */
TEST(one_error)
{
	struct net *net;
	fab_time begin;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		for (n = 0; n < 300; n += 61) {
			net = line_net(&lines[i], 0);
			begin = net->fab.now;
			nv_hit(end(net, 0), n * line_bytes(&lines[i]));
			send_many(net, &lines[i], 400);
			settled(net, &lines[i], 400, 1);
			EXPECT_EQ(net->node[1]->rx_at - begin,
				  lines[i].p_ns * NS +
				  line_time(&lines[i], line_bytes(&lines[i])) *
				  (400 + line_window(&lines[i])));
			net_free(net);
		}
}

/* The replay is hit too, at its first packet or a later one: another W. */
TEST(error_in_the_replay)
{
	struct net *net;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		for (n = 0; n < 2 * line_window(&lines[i]); n++) {
			net = line_net(&lines[i], 0);
			nv_hit(end(net, 0), 50 * line_bytes(&lines[i]));
			send_many(net, &lines[i], 300);
			while (!end(net, 0)->retry->replays)
				net_run(net, fab_event_next(&net->fab.events));
			nv_hit(end(net, 0), n * line_bytes(&lines[i]));
			settled(net, &lines[i], 300, 2);
			net_free(net);
		}
}

/* An error in a packet that is refused anyway costs no more. */
TEST(error_after_an_error)
{
	struct net *net = line_net(&lines[0], 0);

	nv_hit(end(net, 0), 0);
	send_many(net, &lines[0], 100);
	net_run(net, net->fab.now + 5 * NS);
	nv_hit(end(net, 0), 3 * line_bytes(&lines[0]));
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 100);
	EXPECT_EQ(end(net, 1)->c.naks, 1);
	EXPECT_EQ(end(net, 1)->c.rx_replays, 2);
	EXPECT_EQ(end(net, 0)->c.tx_packets, 100 + line_window(&lines[0]));
	net_free(net);
}

/*
 * N3 with random errors. Of the packets that the receiver does not refuse for their
 * number, a share q = 1 - exp(-bits / mean) has errors, independently. So the number of
 * NAKs among A + naks of them is binomial. Each costs exactly W packet times, so
 * goodput / C = A / (A + W naks), which for naks = (A + naks) q is
 * (1 - q) / (1 - q + q W). Five deviations.
 */
static void chance(const struct line *l, double q, u32 w, u32 n)
{
	struct net *net = line_net(l, 0);
	struct fab_wire_params wire = end(net, 0)->wire.p;
	double mean, hits, sigma, goodput, slope;
	u64 naks;

	EXPECT_EQ(line_window(l), w);
	wire.bits_per_error = -8.0 * line_bytes(l) / log1p(-q);
	fab_link_set(&net->fab, end(net, 0), &wire);
	net->no_check = true;
	send_many(net, l, n);
	net_drain(net);
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(net->node[1]->rx, n);
	EXPECT_EQ(nv_drops(net), 0);
	naks = end(net, 1)->c.naks;
	mean = q * (n + naks);
	sigma = sqrt(mean * (1 - q));
	EXPECT_NEAR(naks, mean, 5 * sigma);
	/* An error in the last W packets has fewer behind it. */
	hits = end(net, 0)->c.tx_packets - n;
	EXPECT_NEAR(hits, (double)naks * w, w);
	goodput = n / (n + hits);
	slope = goodput * goodput * w / n;
	EXPECT_NEAR(goodput, (1 - q) / (1 - q + q * w),
		    5 * sigma * slope + (double)w / n);
	net_free(net);
}

TEST(n3_goodput)
{
	static const struct line near = { 200, 100, 256 };
	static const struct line far = { 200, 535, 256 };

	chance(&near, 0.001, 20, 40000);
	chance(&near, 0.01, 20, 20000);
	chance(&far, 0.01, 100, 20000);
	chance(&lines[3], 0.05, 2, 20000);
}

/*
 * The NAK is lost: the timer, which every control flit starts, repeats it within its
 * period. Each packet that was accepted before was acknowledged by a flit.
 */
static void nak_lost(u32 n)
{
	const struct line *l = &lines[0];
	struct net *net = line_net(l, 0);
	fab_time repeat = end(net, 1)->p->retry.repeat, plain;

	nv_hit(end(net, 0), n * line_bytes(l));
	nv_hit(end(net, 1), n * NV_FLIT);
	plain = net->fab.now + line_time(l, line_bytes(l)) *
		(400 + line_window(l)) + l->p_ns * NS;
	send_many(net, l, 400);
	net_drain(net);
	EXPECT_EQ(end(net, 1)->c.lost_control, 1);
	EXPECT_EQ(end(net, 1)->c.naks, 1);
	EXPECT_EQ(end(net, 0)->retry->replays, 1);
	EXPECT_EQ(net->node[1]->rx, 400);
	EXPECT(net->node[1]->rx_at > plain);
	EXPECT(net->node[1]->rx_at <= plain + repeat);
	net_free(net);
}

TEST(nak_lost_is_repeated)
{
	nak_lost(0);
	nak_lost(1);
	nak_lost(40);
}

/* Lost initial credits: the timer repeats them. 16 B at 200 Gb/s are 640 ps. */
TEST(initial_credits_lost)
{
	struct fab_port_params port = nv_port(1, 8, 128);
	struct fab_wire_params wire = nv_wire(200 * GBPS, 100 * NS);
	struct net *net = nv_pair(&port, &wire);

	nv_hit(end(net, 1), 0);
	net_send(net, 0, 1, 256);
	net_drain(net);
	EXPECT_EQ(end(net, 1)->c.lost_control, 1);
	EXPECT_EQ(net->node[1]->rx_at, port.retry.repeat + 640 + 100 * NS +
				       10880 + 100 * NS);
	net_free(net);
}

/* The last update of a sender out of credit is lost. */
TEST(update_lost)
{
	struct fab_port_params port = nv_port(1, 1, 16);
	struct fab_wire_params wire = nv_wire(200 * GBPS, 100 * NS);
	struct net *net = nv_pair(&port, &wire);

	net_run(net, US);
	nv_hit(end(net, 1), 0);
	net_send(net, 0, 1, 256);
	net_send(net, 0, 1, 256);
	net_drain(net);
	EXPECT_EQ(end(net, 1)->c.lost_control, 1);
	EXPECT_EQ(net->node[1]->rx, 2);
	/* There, repeated after it, back, there. */
	EXPECT_EQ(net->node[1]->rx_at, US + 3 * 100 * NS + 2 * 10880 + 640 +
				       port.retry.repeat);
	net_free(net);
}

/*
 * A replay buffer of R bytes: floor(R / L) packets per loop, as N2 with acknowledgements
 * instead of credits.
 */
static void bounded(const struct line *l, u32 packets, u32 rest)
{
	u32 bytes = line_bytes(l);
	struct net *net = line_net(l, packets * bytes + rest);
	fab_time a = 2 * l->p_ns * NS + line_time(l, bytes + NV_FLIT);
	u64 rx;

	EXPECT(packets * line_time(l, bytes) < a);
	net_pump(net, 0, 1, l->len, 0);
	net_run(net, 10 * US);
	rx = net->node[1]->rx;
	net_run(net, 10 * US + 50 * a);
	EXPECT_EQ(net->node[1]->rx - rx, 50 * packets);
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	EXPECT_EQ(nv_drops(net), 0);
	net_free(net);
}

TEST(replay_buffer)
{
	bounded(&lines[0], 4, 0);
	bounded(&lines[0], 19, 271);
	bounded(&lines[1], 20, 1);
	bounded(&lines[2], 15, 143);
}

/* A frame longer than the buffer is sent when the buffer is empty. */
TEST(longer_than_the_replay_buffer)
{
	struct net *net = line_net(&lines[0], 272);
	u32 i;

	for (i = 0; i < 5; i++)
		net_send(net, 0, 1, 4096);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 5);
	net_free(net);
}

/* A frame that takes more than a pool is sent when the pool is free. */
TEST(longer_than_a_pool)
{
	struct fab_port_params port = nv_port(1, 3, 48);
	struct fab_wire_params wire = nv_wire(200 * GBPS, 100 * NS);
	struct net *net = nv_pair(&port, &wire);
	u32 i;

	for (i = 0; i < 5; i++) {
		net_send(net, 0, 1, 4096);
		net_send(net, 0, 1, 256);
	}
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 10);
	EXPECT_EQ(end(net, 1)->cls[0].c.buffer_peak, 4096);
	net_free(net);
}

/*
 * Errors everywhere, on packets, control flits and rides. All nodes send to all others
 * through a cut-through switch, with small pools and replay buffers. All packets
 * arrive, once, in order, intact.
 */
static void storm(u64 seed, bool carry, u32 replay)
{
	struct fab_port_params port = nv_port(2, 12, 100);
	struct fab_wire_params wire = nv_wire(400 * GBPS, 30 * NS);
	struct net *net;
	u32 i;

	port.retry.carry = carry;
	port.retry.replay = replay;
	port.retry.repeat = US;
	wire.bits_per_error = 40000;
	net = nv_star(3, &port, &wire);
	net->rng = seed;
	nv_watch(net);
	for (i = 0; i < 3; i++) {
		net->node[i]->vary = true;
		net_pump(net, i, (i + 1) % 3, 700, 0);
		net_pump(net, i, (i + 2) % 3, 300, 1);
	}
	net_run(net, (10 + seed) * US);
	for (i = 0; i < 3; i++) {
		net_pump(net, i, 0, 0, 0);
		net_pump(net, i, 0, 0, 1);
	}
	net_drain(net);
	EXPECT_EQ(nv_drops(net), 0);
	EXPECT_EQ(net->fab.c.packets_delivered, net->sent);
	EXPECT(net->fab.c.packets_delivered > 500);
	EXPECT(end(net, 0)->c.naks && end(net, 0)->c.lost_control);
	net_free(net);
}

TEST(errors_everywhere)
{
	storm(1, true, 0);
	storm(2, true, 4000);
	storm(3, false, 0);
	storm(4, false, 4000);
}

/*
 * A stopped host: the sender sends as much as the channel may hold, and no more; the
 * other channel works. When the host takes packets again, the channel resumes.
 */
TEST(stopped_host)
{
	struct fab_receive_params rx = { .stopped = BIT(0) };
	struct fab_port_params port = nv_port(2, 6, 96);
	struct fab_wire_params wire = nv_wire(200 * GBPS, 100 * NS);
	struct net *net = nv_pair(&port, &wire);
	u64 rx_1;

	fab_receive_set(&net->fab, &net->node[1]->ep, &rx);
	net_pump(net, 0, 1, 256, 0);
	net_pump(net, 0, 1, 256, 1);
	net_run(net, 10 * US);
	EXPECT_EQ(net->node[1]->rx_cls[0], 0);
	EXPECT_EQ(end(net, 0)->cls[0].c.tx_packets, 6);
	rx_1 = net->node[1]->rx_cls[1];
	EXPECT(rx_1 > 0);
	rx.stopped = 0;
	fab_receive_set(&net->fab, &net->node[1]->ep, &rx);
	net_run(net, 20 * US);
	EXPECT(net->node[1]->rx_cls[0] > 0);
	EXPECT(net->node[1]->rx_cls[1] > rx_1);
	net_pump(net, 0, 1, 0, 0);
	net_pump(net, 0, 1, 0, 1);
	net_drain(net);
	EXPECT_EQ(nv_drops(net), 0);
	net_free(net);
}

/*
 * One direction goes down and up under errors and load, or the link is unplugged and
 * joined again, while hosts hold packets. Only packets of the link are lost, and
 * afterwards the whole pool is usable.
 */
static void comes_and_goes(bool part, u64 seed)
{
	struct fab_receive_params rx = { .stopped = BIT(0) };
	struct fab_port_params port = nv_port(1, 8, 128);
	struct fab_wire_params wire = nv_wire(200 * GBPS, 100 * NS);
	struct net *net;
	u32 i;

	wire.bits_per_error = 20000;
	port.retry.repeat = US;
	net = nv_pair(&port, &wire);
	nv_watch(net);
	for (i = 0; i < 20; i++) {
		net_pump(net, 0, 1, 256, 0);
		net_pump(net, 1, 0, 256, 0);
		rx.stopped = i & 1;
		fab_receive_set(&net->fab, &net->node[1]->ep, &rx);
		net_run(net, net->fab.now + (300 + 37 * (i + seed)) * NS);
		if (part)
			fab_link_part(&net->fab, end(net, 0), FAB_DROP_LINK_DOWN);
		else
			fab_link_up(&net->fab, end(net, i % 2), false);
		EXPECT_NULL_STR(fab_check(&net->fab));
		net_run(net, net->fab.now + 150 * NS);
		if (part)
			nv_join(net, end(net, 0), end(net, 1), &wire);
		else
			fab_link_up(&net->fab, end(net, i % 2), true);
		EXPECT_NULL_STR(fab_check(&net->fab));
	}
	rx.stopped = 0;
	fab_receive_set(&net->fab, &net->node[1]->ep, &rx);
	net_pump(net, 0, 1, 0, 0);
	net_pump(net, 1, 0, 0, 0);
	net_drain(net);
	EXPECT_EQ(nv_drops(net), net->drops[FAB_DROP_LINK_DOWN]);
	EXPECT_EQ(net->fab.c.packets_delivered + nv_drops(net), net->sent);
	EXPECT_EQ(nv_state(end(net, 0))->vc[0].limit.hdr -
		  nv_state(end(net, 0))->vc[0].used.hdr, 8);
	EXPECT_EQ(nv_state(end(net, 0))->vc[0].limit.data -
		  nv_state(end(net, 0))->vc[0].used.data, 128);
	net_free(net);
}

TEST(link_comes_and_goes)
{
	u64 seed;

	for (seed = 0; seed < 5; seed++) {
		comes_and_goes(false, seed);
		comes_and_goes(true, seed);
	}
}

/* No packet is sent while the wire of the credits is down. */
TEST(half_a_link)
{
	struct net *net = line_net(&lines[0], 0);

	fab_link_up(&net->fab, end(net, 1), false);
	net_send(net, 0, 1, 256);
	net_run(net, net->fab.now + 10 * US);
	EXPECT_EQ(net->node[1]->rx, 0);
	EXPECT_EQ(end(net, 0)->cls[0].packets, 1);
	fab_link_up(&net->fab, end(net, 1), true);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	net_free(net);
}

/* Copies of a switch hold no credits; the original packet does. */
TEST(multicast)
{
	struct fab_pkt pkt = { .len = 256, .segs = 1,
			       .flags = FAB_PKT_MULTICAST };
	struct fab_port_params port = nv_port(1, 4, 64);
	struct fab_wire_params wire = nv_wire(200 * GBPS, 100 * NS);
	struct net *net = nv_star(4, &port, &wire);
	u16 ports[] = { 0, 1, 2, 3 };
	u32 i;

	EXPECT_EQ(fab_route_flood_set(&net->sw[0]->route, ports, 4), 0);
	for (i = 0; i < 50; i++)
		net_give(net->node[0], &pkt);
	net_drain(net);
	for (i = 1; i < 4; i++)
		EXPECT_EQ(net->node[i]->rx, 50);
	net_free(net);
}

/* Damage that fab_check() must detect: change one number, and restore it. */
static void spoilt(struct net *net, u32 *number, u32 by)
{
	EXPECT_NULL_STR(fab_check(&net->fab));
	*number += by;
	EXPECT(fab_check(&net->fab));
	*number -= by;
	EXPECT_NULL_STR(fab_check(&net->fab));
}

TEST(check_finds_a_leak)
{
	struct fab_receive_params rx = { .stopped = BIT(0) };
	struct fab_port_params port = nv_port(1, 8, 128);
	struct fab_wire_params wire = nv_wire(200 * GBPS, 100 * NS);
	struct net *net = nv_star(2, &port, &wire);
	struct fab_flit_state *tx = nv_state(end(net, 0));
	struct fab_flit_state *sw = nv_state(&net->sw[0]->port[0]);
	struct fab_flit_state *ep = nv_state(end(net, 1));

	fab_receive_set(&net->fab, &net->node[1]->ep, &rx);
	net_pump(net, 0, 1, 256, 0);
	net_run(net, 10 * US);
	spoilt(net, &tx->vc[0].used.hdr, 1);
	spoilt(net, &tx->vc[0].used.data, -1);
	spoilt(net, &tx->vc[0].limit.hdr, 1);
	spoilt(net, &tx->vc[0].limit.data, -1);
	spoilt(net, &end(net, 0)->retry->seq, 16);
	spoilt(net, &net->sw[0]->port[0].retry->arrived, 272);
	spoilt(net, &end(net, 0)->retry->replays, 1);
	spoilt(net, &sw->vc[0].held.hdr, 1);
	spoilt(net, &sw->vc[0].held.data, -1);
	spoilt(net, &sw->vc[0].received.data, 16);
	spoilt(net, &net->sw[0]->port[0].retry->expect, 272);
	spoilt(net, &ep->vc[0].held.hdr, -1);
	spoilt(net, &ep->vc[0].held.data, 1);
	net_free(net);
}
