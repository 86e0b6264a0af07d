// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Switches: limits of the buffer and the queues, to the byte; multicast; drops and
 * their reasons.
 */
#include "ktap.h"
#include "net.h"

/* Hosts 0 to n - 1 on ports 0 to n - 1, 100 Gb/s. */
static struct net *star_of(u32 n, const struct fab_switch_params *p)
{
	struct net *net = net_new(3);
	struct fab_switch *sw = net_switch_add(net, 0, p);
	u32 i;

	for (i = 0; i < n; i++) {
		net_join(net, &net_host(net, i)->ep.port, &sw->port[i],
			 100 * GBPS, 10 * NS);
		net_route(sw, i, i);
	}
	return net;
}

/* The port to host @id becomes so slow that nothing gets through. */
static void star_clog(struct net *net, u32 id)
{
	struct fab_wire_params p = net_wire(FAB_RATE_MIN, 0);

	fab_link_set(&net->fab, &net->sw[0]->port[id], &p);
}

/*
 * The first packet leaves the buffer as its transmission begins and takes
 * seconds; behind it floor(limit / 1000) packets of 1000 bytes fit.
 */
static void limit_exact(u64 limit, bool per_port, enum fab_drop why)
{
	struct fab_switch_params p = net_switch_params(2);
	u64 fit = limit / 1000, want = 60 - 1 - fit;
	struct net *net;
	u32 i;

	if (per_port)
		p.buffer.per_port = limit;
	else
		p.buffer.total = limit;
	net = star_of(2, &p);
	star_clog(net, 1);
	for (i = 0; i < 60; i++)
		EXPECT_EQ(net_send(net, 0, 1, 1000), 0);
	net_run(net, MS);
	EXPECT_EQ(net->drops[why], want);
	EXPECT_EQ(net->sw[0]->port[0].c.drops[why], want);
	EXPECT_EQ(net->sw[0]->buffer.used, fit * 1000);
	EXPECT_EQ(net->sw[0]->buffer.peak, fit * 1000);
	EXPECT_EQ(net->sw[0]->port[0].held, fit * 1000);
	net_free(net);
}

TEST(buffer_total_is_exact)
{
	limit_exact(10000, false, FAB_DROP_BUFFER_FULL);
	limit_exact(10999, false, FAB_DROP_BUFFER_FULL);
	limit_exact(11000, false, FAB_DROP_BUFFER_FULL);
	limit_exact(1000, false, FAB_DROP_BUFFER_FULL);
}

TEST(buffer_per_port_is_exact)
{
	limit_exact(10000, true, FAB_DROP_PORT_LIMIT);
	limit_exact(10999, true, FAB_DROP_PORT_LIMIT);
	limit_exact(1000, true, FAB_DROP_PORT_LIMIT);
}

/* A packet larger than any room never gets in. */
TEST(buffer_too_small)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net;

	p.buffer.total = 999;
	net = star_of(2, &p);
	net_send(net, 0, 1, 1000);
	net_send(net, 0, 1, 999);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_BUFFER_FULL], 1);
	EXPECT_EQ(net->node[1]->rx, 1);
	net_free(net);
}

/* Two ingress ports have a share each, and fill the buffer together. */
TEST(buffer_shares_are_separate)
{
	struct fab_switch_params p = net_switch_params(3);
	struct net *net;
	u32 i;

	p.buffer.per_port = 10000;
	p.buffer.total = 15000;
	net = star_of(3, &p);
	star_clog(net, 2);
	for (i = 0; i < 21; i++)
		net_send(net, 0, 2, 1000);
	net_run(net, 500 * US);
	EXPECT_EQ(net->drops[FAB_DROP_PORT_LIMIT], 10);
	for (i = 0; i < 10; i++)
		net_send(net, 1, 2, 1000);
	net_run(net, MS);
	EXPECT_EQ(net->drops[FAB_DROP_PORT_LIMIT], 10);
	EXPECT_EQ(net->drops[FAB_DROP_BUFFER_FULL], 5);
	EXPECT_EQ(net->sw[0]->port[1].held, 5000);
	net_free(net);
}

static void queue_exact(u32 limit, enum fab_arbiter arbiter)
{
	struct fab_switch_params p = net_switch_params(2);
	u32 fit = limit / 1000, i;
	struct net *net;

	p.port.queue_limit = limit;
	p.arbiter = arbiter;
	net = star_of(2, &p);
	star_clog(net, 1);
	for (i = 0; i < 60; i++)
		net_send(net, 0, 1, 1000);
	net_run(net, MS);
	EXPECT_EQ(net->drops[FAB_DROP_QUEUE_FULL], 60 - 1 - fit);
	EXPECT_EQ(net->sw[0]->port[1].c.drops[FAB_DROP_QUEUE_FULL],
		  60 - 1 - fit);
	EXPECT_EQ(net->sw[0]->port[1].c.queue_peak, fit * 1000);
	EXPECT_EQ(net->sw[0]->port[1].cls[0].packets, fit);
	fab_port_settle(&net->fab, &net->sw[0]->port[1]);
	EXPECT_EQ(net->sw[0]->port[1].c.queue, fit * 1000);
	net_free(net);
}

TEST(queue_limit_is_exact)
{
	queue_exact(5000, FAB_ARBITER_FIFO);
	queue_exact(5999, FAB_ARBITER_FIFO);
	queue_exact(6000, FAB_ARBITER_ROUND_ROBIN);
	queue_exact(1000, FAB_ARBITER_FIFO);
}

/* A lossless class has no limit of its own: 4.5 GB in the queue of one class. */
TEST(queue_beyond_32_bits)
{
	struct fab_switch_params p = net_switch_params(2);
	const u64 packets = 4500, len = 1000000;
	struct fab_port *out;
	struct net *net;
	u64 i;

	p.buffer.total = 1ULL << 40;
	p.buffer.per_port = 1ULL << 40;
	net = star_of(2, &p);
	out = &net->sw[0]->port[1];
	out->lossless = 1;
	star_clog(net, 1);
	net->no_check = true;
	for (i = 0; i < packets; i++) {
		EXPECT_EQ(net_send(net, 0, 1, len), 0);
		net_run(net, net->fab.now + 100 * US);
	}
	EXPECT_EQ(out->cls[0].bytes, (packets - 1) * len);
	EXPECT_EQ(out->cls[0].bytes, out->queued);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_free(net);
}

TEST(no_route)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = star_of(2, &p);

	net_send(net, 0, 5, 100);
	net_send(net, 0, FAB_NO_DST, 100);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_NO_ROUTE], 2);
	EXPECT_EQ(net->sw[0]->port[0].c.drops[FAB_DROP_NO_ROUTE], 2);
	EXPECT_EQ(net->sw[0]->buffer.used, 0);
	net_free(net);
}

/* Two switches that send to each other: the hop limit ends it. */
TEST(forwarding_loop_ends)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = net_new(1);
	u32 i;

	for (i = 0; i < 2; i++)
		net_route(net_switch_add(net, i, &p), 9, 1);
	net_join(net, &net->sw[0]->port[1], &net->sw[1]->port[1], GBPS, 0);
	net_join(net, &net->sw[0]->port[0], &net_host(net, 0)->ep.port, GBPS,
		 0);
	net_send(net, 0, 9, 100);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_HOP_LIMIT], 1);
	/* The endpoint's transmission, then one by each switch passed. */
	EXPECT_EQ(net->fab.c.hops, 1 + FAB_HOPS_MAX);
	net_free(net);
}

/* Bit errors: dropped where the checksum is checked. */
static void corrupt(enum fab_forward forward)
{
	struct fab_switch_params p = net_switch_params(2);
	struct fab_wire_params bad = net_wire(100 * GBPS, 10 * NS);
	bool cut = forward == FAB_CUT_THROUGH;
	struct net *net;
	u32 i;

	p.forward = forward;
	bad.bits_per_error = 1;
	net = star_of(2, &p);
	fab_link_set(&net->fab, &net->node[0]->ep.port, &bad);
	for (i = 0; i < 10; i++)
		net_send(net, 0, 1, 1000);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_BIT_ERROR], 10);
	EXPECT_EQ(net->node[1]->rx, 0);
	EXPECT_EQ(net->sw[0]->port[0].c.rx_packets, 0);
	EXPECT_EQ(net->sw[0]->port[1].c.tx_packets, cut ? 10 : 0);
	EXPECT_EQ(net->sw[0]->port[0].c.drops[FAB_DROP_BIT_ERROR],
		  cut ? 0 : 10);
	EXPECT_EQ(net->node[1]->ep.port.c.drops[FAB_DROP_BIT_ERROR],
		  cut ? 10 : 0);
	net_free(net);
}

TEST(bit_errors_cut_through)
{
	corrupt(FAB_CUT_THROUGH);
}

TEST(bit_errors_store_forward)
{
	corrupt(FAB_STORE_FORWARD);
}

static int multicast(struct net *net, u32 src, u32 len)
{
	struct fab_pkt pkt = {
		.len = len, .segs = 1, .flow_hash = src,
		.flags = FAB_PKT_MULTICAST,
		.dst = FAB_NO_DST,
	};

	return net_give(net->node[src], &pkt);
}

/* Two stars of three hosts joined by a trunk on port 3: one copy per host. */
static struct net *twin_stars(void)
{
	static const u16 all[] = { 0, 1, 2, 3 };
	struct fab_switch_params p = net_switch_params(4);
	struct net *net = net_new(1);
	u32 i;

	for (i = 0; i < 2; i++) {
		net_switch_add(net, i, &p);
		fab_route_flood_set(&net->sw[i]->route, all, 4);
	}
	for (i = 0; i < 6; i++)
		net_join(net, &net_host(net, i)->ep.port,
			 &net->sw[i / 3]->port[i % 3], 100 * GBPS, NS);
	net_join(net, &net->sw[0]->port[3], &net->sw[1]->port[3], 100 * GBPS,
		 NS);
	return net;
}

TEST(multicast_reaches_all_others_once)
{
	struct net *net = twin_stars();
	u32 src, i;

	for (src = 0; src < 6; src++) {
		EXPECT_EQ(multicast(net, src, 500), 0);
		net_drain(net);
		for (i = 0; i < 6; i++)
			EXPECT_EQ(net->node[i]->rx, src + 1 - (i <= src));
	}
	/* 5 receivers from 1 packet: 4 copies each time. */
	EXPECT_EQ(net->fab.c.packets_cloned, 6 * 4);
	EXPECT_EQ(net->fab.c.packets_delivered, 6 * 5);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	net_free(net);
}

TEST(multicast_without_memory)
{
	struct net *net = twin_stars();
	u32 i, drops = 0;

	net->no_clone = true;
	multicast(net, 0, 500);
	net_drain(net);
	for (i = 0; i < 4; i++)
		drops += net->sw[0]->port[i].c.drops[FAB_DROP_NO_MEMORY];
	/* Of ports 1, 2 and 3 the last gets the original. */
	EXPECT_EQ(drops, 2);
	EXPECT_EQ(net->fab.c.packets_cloned, 0);
	EXPECT_EQ(net->live, 0);
	net_free(net);
}

TEST(multicast_copies_take_room)
{
	struct net *net = twin_stars();

	net->sw[0]->buffer.limit = 1000;
	multicast(net, 0, 500);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_BUFFER_FULL], 1);
	EXPECT_EQ(net->sw[0]->buffer.peak, 1000);
	net_free(net);
}

TEST(multicast_without_ports)
{
	struct net *net = twin_stars();

	fab_route_flood_set(&net->sw[0]->route, NULL, 0);
	multicast(net, 0, 500);
	net_drain(net);
	EXPECT_EQ(net->drops[FAB_DROP_NO_ROUTE], 1);
	net_free(net);
}

/* A packet of a class that the switch does not have uses its last class. */
TEST(classes_are_clamped)
{
	struct fab_endpoint_params ep = { .port = net_port(4, 65536) };
	struct fab_switch_params p = net_switch_params(2);
	struct fab_pkt pkt = { .len = 100, .segs = 1, .dst = 1, .cls = 3 };
	struct net *net = net_new(1);
	u32 i;

	p.port.classes = 2;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++)
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], GBPS, 0);
	net_route(net->sw[0], 1, 1);
	net_give(net->node[0], &pkt);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(net->node[1]->rx_pkt.cls, 1);
	EXPECT_EQ(net->node[1]->rx_pkt.cls_in, 1);
	net_free(net);
}

TEST(params_out_of_range)
{
	struct fab_switch_params good = net_switch_params(2), p;

	EXPECT_EQ(fab_switch_params_check(&good), 0);
#define REFUSE(field, value, err) do {					\
		p = good;						\
		p.field = (value);					\
		EXPECT(fab_switch_params_check(&p) == (err));		\
	} while (0)
	REFUSE(ports, 0, -ERANGE);
	REFUSE(ports, FAB_PORTS_MAX + 1, -ERANGE);
	REFUSE(groups, FAB_NO_GROUP, -ERANGE);
	REFUSE(latency, FAB_DELAY_MAX + 1, -ERANGE);
	REFUSE(forward, __FAB_FORWARD_MAX, -EINVAL);
	REFUSE(arbiter, __FAB_ARBITER_MAX, -EINVAL);
	REFUSE(select, __FAB_SELECT_MAX, -EINVAL);
	REFUSE(port.classes, 0, -EINVAL);
	REFUSE(port.classes, FAB_CLASSES_MAX + 1, -EINVAL);
	REFUSE(port.queue_limit, 0, -EINVAL);
	REFUSE(port.queue_limit, FAB_QUEUE_MAX + 1, -EINVAL);
	REFUSE(port.sched.quantum, 0, -EINVAL);
	REFUSE(port.disc, NULL, -EINVAL);
#undef REFUSE
}

/*
 * Virtual output queues are scanned for an eligible head. In cut-through mode a packet
 * from a slow link is eligible later than one from a fast link that arrived after it.
 */
TEST(slow_ingress_does_not_block)
{
	struct fab_switch_params p = net_switch_params(3);
	struct fab_wire_params slow = net_wire(GBPS, 0);
	struct net *net;

	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	net = star_of(3, &p);
	fab_link_set(&net->fab, &net->node[0]->ep.port, &slow);
	net_send(net, 0, 2, 1000);
	net_run(net, US);
	net_send(net, 1, 2, 1000);
	net_run(net, 2 * US);
	EXPECT_EQ(net->node[2]->rx_from[1], 1);
	EXPECT_EQ(net->node[2]->rx_from[0], 0);
	net_drain(net);
	/* The tail arrives after 1024 bytes at 1 Gb/s, and passes 10 ns of wire. */
	EXPECT_EQ(net->node[2]->rx_at, 1024 * 8000 + 10 * NS);
	net_free(net);
}
