// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links of flits: packets, credits for headers and data, control flits.
 */
#include "ktap.h"
#include "nv.h"

static u32 wire_bytes(const struct fab_wire_params *p, u32 len, u16 segs)
{
	struct fab_pkt pkt = { .len = len, .segs = segs };
	struct fab_wire w = { .p = *p };

	return fab_wire_bytes(&w, &pkt);
}

/* payload / (payload + header), exactly: bytes on the wire * num = len * den. */
static void efficiency(u32 overhead, u32 len, u32 num, u32 den)
{
	struct fab_wire_params p = nv_wire(GBPS, 0);

	p.overhead = overhead;
	EXPECT_EQ(fab_wire_params_check(&p), 0);
	EXPECT_EQ((u64)wire_bytes(&p, len, 1) * num, (u64)len * den);
	/* The same for many packets of the link in one frame, and for trains. */
	EXPECT_EQ((u64)wire_bytes(&p, len, 1) * 16 * num, 16ULL * len * den);
	if (len == NV_PAYLOAD)
		EXPECT_EQ((u64)wire_bytes(&p, 16 * len, 1) * num,
			  16ULL * len * den);
	EXPECT_EQ((u64)wire_bytes(&p, 7 * len, 7) * num, 7ULL * len * den);
}

/* One header flit: 32 / 48, 64 / 80, 128 / 144, 256 / 272. */
TEST(efficiency_of_packets)
{
	efficiency(16, 32, 2, 3);
	efficiency(16, 64, 4, 5);
	efficiency(16, 128, 8, 9);
	efficiency(16, 256, 16, 17);
}

/* And one of address extension or byte enables: 32 / 64, ... 256 / 288. */
TEST(efficiency_with_an_extra_flit)
{
	efficiency(32, 32, 1, 2);
	efficiency(32, 64, 2, 3);
	efficiency(32, 128, 4, 5);
	efficiency(32, 256, 8, 9);
}

/* No packet of the link has more than 18 flits: header, extension, 16 of data. */
TEST(at_most_18_flits)
{
	struct fab_wire_params p = nv_wire(GBPS, 0);
	u32 len, packets;

	p.overhead = 32;
	for (len = 1; len <= 5000; len++) {
		packets = (len + 255) / 256;
		EXPECT(wire_bytes(&p, len, 1) <= packets * 18 * 16);
		EXPECT_EQ(wire_bytes(&p, len, 1),
			  packets * 32 + (len + 15) / 16 * 16);
	}
	EXPECT_EQ(wire_bytes(&p, 256, 1), 18 * 16);
}

/*
 * PCIe in front of flit mode: framing and sequence number 4, header 12 or 16,
 * LCRC 4, in whole double words. 128 / 148, ..., 512 / 536.
 */
TEST(efficiency_of_tlps)
{
	static const struct {
		u32 header, mps, wire;
	} tlp[] = {
		{ 12, 128, 148 }, { 12, 256, 276 }, { 12, 512, 532 },
		{ 16, 128, 152 }, { 16, 256, 280 }, { 16, 512, 536 },
	};
	struct fab_wire_params p = nv_wire(GBPS, 0);
	u32 i;

	p.unit = 4;
	for (i = 0; i < ARRAY_SIZE(tlp); i++) {
		p.payload = tlp[i].mps;
		p.overhead = tlp[i].header + 8;
		EXPECT_EQ(wire_bytes(&p, tlp[i].mps, 1), tlp[i].wire);
		EXPECT_EQ(wire_bytes(&p, 8 * tlp[i].mps, 1), 8 * tlp[i].wire);
		/* A last packet of one byte takes a double word. */
		EXPECT_EQ(wire_bytes(&p, tlp[i].mps + 1, 1),
			  tlp[i].wire + p.overhead + 4);
	}
}

static void cost(u32 len, u16 segs, u32 hdr, u32 data)
{
	struct fab_port_params p = nv_port(1, 1, 16);
	struct fab_pkt pkt = { .len = len, .segs = segs };
	struct fab_flit_credits c = fab_flit_cost(&p.flow.flit, &pkt);

	EXPECT_EQ(c.hdr, hdr);
	EXPECT_EQ(c.data, data);
}

TEST(cost)
{
	cost(1, 1, 1, 1);
	cost(16, 1, 1, 1);
	cost(17, 1, 1, 2);
	cost(256, 1, 1, 16);
	cost(257, 1, 2, 17);
	cost(4096, 1, 16, 256);
	cost(3 * 1500, 3, 3 * 6, 3 * 94);
	/* The frames of a train are assumed to be equal, rounded up. */
	cost(1001, 2, 2 * 2, 2 * 32);
}

static void refused(void (*spoil)(struct fab_port_params *p))
{
	struct fab_port_params p = nv_port(3, 4, 64);

	EXPECT_EQ(fab_port_params_check(&p), 0);
	spoil(&p);
	EXPECT(fab_port_params_check(&p) == -EINVAL);
}

#define REFUSED(name, member, value)					\
static void spoil_##name(struct fab_port_params *p)			\
{									\
	p->member = value;						\
}									\
TEST(refused_##name)							\
{									\
	refused(spoil_##name);						\
}

REFUSED(no_unit, flow.flit.unit, 0)
REFUSED(unit, flow.flit.unit, FAB_UNIT_MAX + 1)
REFUSED(short_payload, flow.flit.payload, NV_FLIT - 1)
REFUSED(payload, flow.flit.payload, FAB_PAYLOAD_MAX + 1)
REFUSED(header, flow.flit.header, FAB_OVERHEAD_MAX + 1)
REFUSED(no_control, retry.control, 0)
REFUSED(control, retry.control, FAB_OVERHEAD_MAX + 1)
REFUSED(replay, retry.replay, FAB_RETRY_BUFFER_MAX + 1)
REFUSED(no_repeat, retry.repeat, 0)
REFUSED(repeat, retry.repeat, FAB_DELAY_MAX + 1)
REFUSED(no_hdr, flow.flit.hdr[2], 0)
REFUSED(hdr, flow.flit.hdr[1], FAB_FLIT_CREDITS_MAX + 1)
REFUSED(data_below_a_packet, flow.flit.data[0], NV_PAYLOAD / NV_FLIT - 1)
REFUSED(data, flow.flit.data[2], FAB_FLIT_CREDITS_MAX + 1)

TEST(names)
{
	EXPECT(fab_discipline_find("nvlink") == &fab_nvlink);
	EXPECT(fab_discipline_find("pcie") == &fab_pcie);
}

/*
 * Initial credits: a flit of 16 bytes per channel, then a propagation. At
 * 128 Gb/s a flit takes 1 ns: the k-th channel is up at k + 100 ns, and the
 * first packet, which has waited for it, arrives 272 bytes and 100 ns later.
 */
TEST(initial_credits)
{
	struct fab_port_params port = nv_port(3, 4, 64);
	struct fab_wire_params wire = nv_wire(128 * GBPS, 100 * NS);
	struct net *net = nv_pair(&port, &wire);
	struct fab_port *a = &net->node[0]->ep.port;
	u32 vc;

	net_send(net, 0, 1, 256);
	EXPECT_EQ(nv_state(a)->up, 0);
	for (vc = 0; vc < 3; vc++) {
		net_run(net, (vc + 1) * NS + 100 * NS - 1);
		EXPECT_EQ(nv_state(a)->up, (1U << vc) - 1);
		net_run(net, (vc + 1) * NS + 100 * NS);
		EXPECT_EQ(nv_state(a)->up, (2U << vc) - 1);
		EXPECT_EQ(nv_state(a)->vc[vc].limit.hdr, 4);
		EXPECT_EQ(nv_state(a)->vc[vc].limit.data, 64);
	}
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx_at, (1 + 100 + 17 + 100) * NS);
	EXPECT_EQ(a->c.tx_control, 3);
	EXPECT_EQ(a->c.rx_control, 3 + 1);
	net_free(net);
}

/*
 * N2: credits that return at once. A sender with credits for W packets that always has
 * a packet sends W packets each loop
 *
 *	a = 2 p + (n + 16 ceil) / C + 16 / C + react
 *
 * (packet there, control flit back), if that is less than C: the i-th packet is sent
 * when the credits of packet i - W are back. Exact: from any instant on, k W packets
 * arrive in k loops.
 */
struct loop {
	u64 gbps;
	u32 p_ns;
	u32 len;
	u32 hdr, data;
	u32 window;	/* packets, by the smaller pool */
	u32 react_ns;
};

static void loop_run(const struct loop *l)
{
	struct fab_port_params port = nv_port(1, l->hdr, l->data);
	struct fab_wire_params wire = nv_wire(l->gbps * GBPS, l->p_ns * NS);
	struct net *net;
	fab_time a;
	u64 rx;

	port.react = l->react_ns * NS;
	net = nv_pair(&port, &wire);
	a = 2 * l->p_ns * NS + l->react_ns * NS +
	    8000 * (wire_bytes(&wire, l->len, 1) + NV_FLIT) / l->gbps;
	net_pump(net, 0, 1, l->len, 0);
	net_run(net, 10 * US);
	rx = net->node[1]->rx;
	net_run(net, 10 * US + 100 * a);
	EXPECT_EQ(net->node[1]->rx - rx, 100 * l->window);
	EXPECT(net->node[0]->ep.port.c.tx_wait_ps > 0);
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	net_free(net);
}

TEST(n2_data_pool)
{
	static const struct loop loops[] = {
		{ 200, 100, 256, NV_PLENTY, 16 * 4, 4, 0 },
		{ 400, 500, 256, NV_PLENTY, 16 * 40 + 15, 40, 0 },
		{ 1600, 20, 128, NV_PLENTY, 8 * 50, 50, 25 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(loops); i++)
		loop_run(&loops[i]);
}

/* Packets of 32 bytes use up headers first: goodput hdr * 32 / a. */
TEST(n2_header_pool)
{
	static const struct loop loops[] = {
		{ 200, 100, 32, 8, 16 * 64, 8, 0 },
		{ 400, 500, 32, 50, 16 * 64, 50, 0 },
		{ 1600, 20, 32, 60, 16 * 64, 60, 25 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(loops); i++)
		loop_run(&loops[i]);
}

/*
 * The same law if the pool covers the loop, so that the wire is never idle. N1: goodput
 * is C * len / (len + 16), exactly.
 */
static void full(u64 gbps, u32 p_ns, u32 len, bool both)
{
	struct fab_port_params port = nv_port(1, 4096, 65536);
	struct fab_wire_params wire = nv_wire(gbps * GBPS, p_ns * NS);
	struct net *net = nv_pair(&port, &wire);
	fab_time time = 8000 * wire_bytes(&wire, len, 1) / gbps;
	u64 rx[2], busy;
	u32 i;

	net_pump(net, 0, 1, len, 0);
	if (both)
		net_pump(net, 1, 0, len, 0);
	net_run(net, 10 * US);
	rx[0] = net->node[0]->rx;
	rx[1] = net->node[1]->rx;
	busy = net->node[0]->ep.port.c.tx_wire_bytes;
	net_run(net, 10 * US + 1000 * time);
	EXPECT_EQ(net->node[1]->rx - rx[1], 1000);
	EXPECT_EQ(net->node[0]->rx - rx[0], both ? 1000 : 0);
	busy = net->node[0]->ep.port.c.tx_wire_bytes - busy;
	EXPECT_EQ(busy, 1000 * wire_bytes(&wire, len, 1));
	for (i = 0; i < 2; i++)
		net_pump(net, i, 1 - i, 0, 0);
	net_drain(net);
	net_free(net);
}

TEST(n1_goodput)
{
	full(200, 100, 256, false);
	full(400, 200, 128, false);
	full(1600, 50, 64, false);
	full(1600, 50, 4096, false);
}

/* Credits ride in headers: no direction takes time from the other. */
TEST(n1_both_ways)
{
	full(200, 100, 256, true);
	full(400, 200, 128, true);
	full(1600, 50, 64, true);
}
