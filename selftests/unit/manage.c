// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Management: VL 15 at ports with any number of VLs, and the gate of ports that are
 * not active.
 */
#include "core/node/gate.h"
#include "ib.h"
#include "ktap.h"

#define MAD	256U		/* bytes, IB_HEADER excluded */
#define DATA	4096U

static const u32 numbers[] = { 1, 2, 8, 15, 16 };

static const struct ib fast = {
	.bps = 100 * GBPS, .propagation = 50 * NS, .blocks = 260, .mgmt = 17,
};

static struct fab_port *port(struct net *net, u32 id)
{
	return &net->node[id]->ep.port;
}

static int send(struct net *net, u32 src, u32 dst, u32 len, u8 cls)
{
	struct fab_pkt pkt = {
		.len = len, .dst = dst, .cls = cls, .segs = 1, .flow_hash = src,
	};

	return net_give(net->node[src], &pkt);
}

static void send_many(struct net *net, u32 src, u32 dst, u32 len, u8 cls, u32 n)
{
	while (n--)
		EXPECT_EQ(send(net, src, dst, len, cls), 0);
}

/* Hosts 0 and 1 at a switch, with routes; @far is the link of host 1. */
static struct net *star_to(const struct ib *ib, const struct ib *far)
{
	struct net *net = net_new(1);
	struct fab_switch *sw = ib_switch(net, ib, 0, 2);
	u32 i;

	for (i = 0; i < 2; i++) {
		ib_join(net, i ? far : ib, &ib_host(net, ib, i)->ep.port,
			&sw->port[i]);
		net_route(sw, i, i);
	}
	net_drain(net);
	return net;
}

static struct net *star(const struct ib *ib)
{
	return star_to(ib, ib);
}

/* 282 bytes take 5 blocks: three packets fit 17; data has its own buffer. */
TEST(vl15_has_its_buffer)
{
	struct ib ib = fast;
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		ib.vls = numbers[i];
		net = ib_pair(&ib);
		ib_stop(net, 1, 0x8001);
		send_many(net, 0, 1, MAD, 15, 8);
		send_many(net, 0, 1, 1000, 0, 2);
		net_drain(net);
		EXPECT_EQ(ib_state(port(net, 1))->vl[15].used, 15);
		EXPECT_EQ(ib_state(port(net, 1))->vl[0].used, 34);
		EXPECT_EQ(port(net, 1)->c.drops[FAB_DROP_RX_FULL], 5);
		EXPECT_EQ(port(net, 1)->cls[15].c.dropped, 5);
		EXPECT_EQ(port(net, 0)->cls[15].c.tx_packets, 8);
		EXPECT_EQ(port(net, 1)->cls[15].c.rx_packets, 8);
		EXPECT_EQ(port(net, 1)->cls[15].c.buffer_peak, 15 * 64);
		ib_stop(net, 1, 0);
		net_drain(net);
		EXPECT_EQ(net->node[1]->rx, 5);
		EXPECT_EQ(net->node[1]->rx_cls[15], 3 * MAD);
		net_free(net);
	}
}

/* At a switch: a slow wire takes one packet, three find room. */
TEST(vl15_at_a_switch)
{
	struct ib ib = fast, slow;
	struct fab_port *in;
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		ib.vls = numbers[i];
		slow = ib;
		slow.bps = GBPS;
		net = star_to(&ib, &slow);
		in = &net->sw[0]->port[0];
		send_many(net, 0, 1, MAD, 15, 8);
		net_drain(net);
		EXPECT_EQ(in->c.drops[FAB_DROP_PORT_LIMIT], 4);
		EXPECT_EQ(in->cls[15].c.dropped, 4);
		EXPECT_EQ(net->node[1]->rx_cls[15], 4 * MAD);
		net_free(net);
	}
}

/*
 * It goes before data that waits: behind the packet on the wire, of time t, at 2 t' of
 * which t' is its own, whatever the number of lanes.
 */
TEST(vl15_goes_first)
{
	fab_time t = ib_time(&fast, DATA + IB_HEADER), sent;
	fab_time mad = ib_time(&fast, MAD + IB_HEADER);
	struct ib ib = fast;
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		ib.vls = numbers[i];
		net = ib_pair(&ib);
		sent = net->fab.now;
		send_many(net, 0, 1, DATA, 0, 3);
		net_run(net, sent + NS);
		send_many(net, 0, 1, MAD, 15, 2);
		net_run(net, sent + t + 2 * mad + ib.propagation);
		EXPECT_EQ(net->node[1]->rx, 3);
		EXPECT_EQ(net->node[1]->rx_cls[15], 2 * MAD);
		EXPECT_EQ(net->node[1]->rx_at,
			  sent + t + 2 * mad + ib.propagation);
		net_drain(net);
		EXPECT_EQ(net->node[1]->rx, 5);
		EXPECT_EQ(net->node[1]->rx_at,
			  sent + 3 * t + 2 * mad + ib.propagation);
		net_free(net);
	}
}

/* It needs no credit: data waits for a host that takes none, management does not. */
TEST(vl15_needs_no_credit)
{
	struct ib ib = fast;
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		ib.vls = numbers[i];
		net = ib_pair(&ib);
		ib_stop(net, 1, 1);
		send_many(net, 0, 1, DATA, 0, 10);
		net_drain(net);
		EXPECT_EQ(port(net, 0)->blocked, 1);
		send_many(net, 0, 1, MAD, 15, 1);
		net_drain(net);
		EXPECT_EQ(net->node[1]->rx, 1);
		EXPECT_EQ(net->node[1]->rx_cls[15], MAD);
		EXPECT_EQ(port(net, 0)->blocked, 1);
		ib_stop(net, 1, 0);
		net_drain(net);
		EXPECT_EQ(net->node[1]->rx, 11);
		net_free(net);
	}
}

/* Its ring fills and empties as those of data, and a link that fails loses it. */
TEST(vl15_ring)
{
	struct ib ib = fast;
	struct net *net;

	ib.ring = 4 * MAD;
	net = ib_pair(&ib);
	send_many(net, 0, 1, MAD, 15, 4);
	net_run(net, net->fab.now);
	send_many(net, 0, 1, MAD, 15, 1);
	EXPECT(!fab_endpoint_stop(&net->node[0]->ep, 0));
	EXPECT(!fab_endpoint_stop(&net->node[0]->ep, 14));
	EXPECT(fab_endpoint_stop(&net->node[0]->ep, 15));
	EXPECT_EQ(send(net, 0, 1, MAD, 15), -ENOBUFS);
	EXPECT_EQ(send(net, 0, 1, MAD, 14), -EINVAL);
	net_drain(net);
	EXPECT_EQ(net->node[0]->wakes, 1);
	EXPECT_EQ(net->node[1]->rx, 5);
	send_many(net, 0, 1, MAD, 15, 3);
	fab_link_up(&net->fab, port(net, 0), false);
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 3);
	EXPECT_EQ(port(net, 0)->cls[15].c.dropped, 3);
	net_free(net);
}

/*
 * Lifetimes are of data: behind a wire that takes 2.256 us for each, MADs wait longer
 * than 1 us at the head of the queue.
 */
TEST(vl15_has_no_lifetime)
{
	struct ib ib = fast, slow;
	struct net *net;

	ib.age = (struct fab_age_params) { .hoq = US, .life = 2 * US,
					   .stall_count = 7 };
	slow = ib;
	slow.bps = GBPS;
	net = star_to(&ib, &slow);
	send_many(net, 0, 1, MAD, 15, 4);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 4);
	send_many(net, 0, 1, MAD, 0, 4);
	net_drain(net);
	EXPECT(net->drops[FAB_DROP_HOQ_LIFE] + net->drops[FAB_DROP_SWITCH_LIFE]
	       > 0);
	net_free(net);
}

/* Ethernet has no such lane: class 15 is the last one that the switch has. */
TEST(vl15_is_of_infiniband)
{
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = net_new(1);

	p.port = net_port(2, 1 << 20);
	net_switch_add(net, 0, &p);
	EXPECT(!fab_port_manages(&net->sw[0]->port[0]));
	EXPECT(!fab_port_has(&net->sw[0]->port[0], 15));
	EXPECT_EQ(fab_port_class(&net->sw[0]->port[0], 15), 1);
	EXPECT_EQ(fab_port_classes(&net->sw[0]->port[0]), 3);
	EXPECT_EQ(fab_port_data(&net->fab, &net->sw[0]->port[0], false),
		  -EOPNOTSUPP);
	net_free(net);
}

/* A port that is closed sends no data, and loses what it had queued. */
TEST(gate_sends)
{
	struct net *net = ib_pair(&fast);

	send_many(net, 0, 1, DATA, 0, 5);
	net_run(net, net->fab.now);
	EXPECT_EQ(fab_port_data(&net->fab, port(net, 0), false), 0);
	EXPECT_EQ(net->drops[FAB_DROP_INACTIVE], 4);
	send_many(net, 0, 1, DATA, 0, 2);
	EXPECT_EQ(net->drops[FAB_DROP_INACTIVE], 6);
	EXPECT_EQ(port(net, 0)->c.drops[FAB_DROP_INACTIVE], 6);
	send_many(net, 0, 1, MAD, 15, 2);
	net_drain(net);
	/* The packet on the wire, and management. */
	EXPECT_EQ(net->node[1]->rx, 3);
	EXPECT_EQ(net->node[1]->rx_cls[15], 2 * MAD);
	fab_port_data(&net->fab, port(net, 0), true);
	send_many(net, 0, 1, DATA, 0, 2);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 5);
	net_free(net);
}

/*
 * A port that is closed takes no data. That is accounted for: three times what the
 * buffer holds arrives and is lost, and then the sender has credit for all of it.
 */
TEST(gate_receives)
{
	struct net *net = ib_pair(&fast);
	u32 n = 3 * 260 / ib_blocks(DATA);

	EXPECT_EQ(fab_port_data(&net->fab, port(net, 1), false), 0);
	send_many(net, 0, 1, DATA, 0, n);
	send_many(net, 0, 1, MAD, 15, 3);
	net_drain(net);
	EXPECT_EQ(port(net, 1)->c.drops[FAB_DROP_INACTIVE], n);
	EXPECT_EQ(net->node[1]->rx, 3);
	EXPECT_EQ(ib_state(port(net, 1))->vl[0].used, 0);
	fab_port_data(&net->fab, port(net, 1), true);
	send_many(net, 0, 1, DATA, 0, n);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 3 + n);
	EXPECT_EQ(net->fab.c.packets_dropped, n);
	net_free(net);
}

/* ARMED: a port receives data, but sends none. */
TEST(gate_armed)
{
	struct net *net = ib_pair(&fast);

	EXPECT_EQ(fab_port_gate(&net->fab, port(net, 0), false, true), 0);
	send_many(net, 0, 1, DATA, 0, 1);
	send_many(net, 1, 0, DATA, 0, 1);
	net_drain(net);
	EXPECT_EQ(net->node[0]->rx, 1);
	EXPECT_EQ(net->node[1]->rx, 0);
	EXPECT_EQ(net->drops[FAB_DROP_INACTIVE], 1);
	net_free(net);
}

/* A switch: data for a port that is closed is lost there, its room is free. */
TEST(gate_of_a_switch)
{
	struct net *net = star(&fast);
	struct fab_switch *sw = net->sw[0];

	EXPECT_EQ(fab_port_data(&net->fab, &sw->port[1], false), 0);
	send_many(net, 0, 1, DATA, 0, 10);
	send_many(net, 0, 1, MAD, 15, 1);
	send_many(net, 1, 0, DATA, 0, 3);
	net_drain(net);
	EXPECT_EQ(sw->port[1].c.drops[FAB_DROP_INACTIVE], 13);
	EXPECT_EQ(net->node[1]->rx, 1);
	EXPECT_EQ(net->node[0]->rx, 0);
	EXPECT_EQ(ib_state(&sw->port[0])->vl[0].used, 0);
	EXPECT_EQ(ib_state(&sw->port[1])->vl[0].used, 0);
	fab_port_data(&net->fab, &sw->port[1], true);
	send_many(net, 0, 1, DATA, 0, 10);
	send_many(net, 1, 0, DATA, 0, 3);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 11);
	EXPECT_EQ(net->node[0]->rx, 3);
	net_free(net);
}

/* A lane that stalled before the gate closed and opened is stalled after it. */
TEST(gate_and_stall)
{
	struct ib ib = fast;
	struct net *net;

	ib.age = (struct fab_age_params) { .hoq = 10 * US, .stall_count = 1 };
	net = star(&ib);
	ib_stop(net, 1, 1);
	send_many(net, 0, 1, DATA, 0, 10);
	net_run(net, net->fab.now + 20 * US);
	EXPECT_EQ(net->sw[0]->port[1].age->stalled, 1);
	EXPECT(net->drops[FAB_DROP_VL_STALL] > 0);
	fab_port_data(&net->fab, &net->sw[0]->port[1], false);
	send_many(net, 0, 1, DATA, 0, 1);
	net_run(net, net->fab.now + US);
	EXPECT_EQ(net->drops[FAB_DROP_INACTIVE], 1);
	net->drops[FAB_DROP_VL_STALL] = 0;
	fab_port_data(&net->fab, &net->sw[0]->port[1], true);
	send_many(net, 0, 1, DATA, 0, 1);
	net_run(net, net->fab.now + US);
	EXPECT_EQ(net->drops[FAB_DROP_VL_STALL], 1);
	/* The stall ends while the port is closed: then data passes again. */
	fab_port_data(&net->fab, &net->sw[0]->port[1], false);
	ib_stop(net, 1, 0);
	net_drain(net);
	EXPECT_EQ(net->sw[0]->port[1].age->stalled, 0);
	EXPECT_EQ(net->sw[0]->port[1].dropping, 0x7fff);
	fab_port_data(&net->fab, &net->sw[0]->port[1], true);
	EXPECT_EQ(net->sw[0]->port[1].dropping, 0);
	net->node[1]->rx = 0;
	send_many(net, 0, 1, DATA, 0, 1);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	net_free(net);
}
