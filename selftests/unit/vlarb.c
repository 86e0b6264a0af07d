// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * InfiniBand VL arbitration: shares by weight (I9), the limit of the high table (I10),
 * and the state of the arbiter.
 *
 * Lengths are those of packets on the wire, LRH to VCRC: 282, 2074 and 4122
 * bytes carry 256, 2048 and 4096 and take 5, 33 and 65 blocks of 64.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/egress/sched.h"
#include "core/sim/rng.h"
#include "ktap.h"
#include "net.h"

#define VLS	FAB_CLASSES_MAX
#define OPENSM_HIGH "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0," \
		    "13:0,14:0"
#define OPENSM_LOW "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4," \
		   "13:4,14:4"

/**
 * struct load - an arbiter, and VLs with equal packets in each
 */
struct load {
	struct fab_sched s;
	u16 ready;
	u32 head[VLS];
	u64 packets[VLS];
};

/* "VL:weight,VL:weight", as OpenSM writes it. */
static u8 table(struct fab_vlarb_entry *e, const char *list)
{
	unsigned int vl, weight;
	u8 n = 0;
	int len;

	while (sscanf(list, "%u:%u%n", &vl, &weight, &len) == 2) {
		e[n].vl = vl;
		e[n++].weight = weight;
		list += len;
		list += *list == ',';
	}
	return n;
}

static struct fab_sched_params tables(const char *high, const char *low,
				      u8 limit)
{
	struct fab_sched_params p = { .kind = FAB_SCHED_VLARB };

	p.vlarb.high_entries = table(p.vlarb.high, high);
	p.vlarb.low_entries = table(p.vlarb.low, low);
	p.vlarb.high_limit = limit;
	return p;
}

/* All VLs except 15 are ready, with packets of @bytes. */
static void load_init(struct load *l, const char *high, const char *low,
		      u8 limit, u32 bytes)
{
	struct fab_sched_params p = tables(high, low, limit);
	u32 i;

	memset(l, 0, sizeof(*l));
	EXPECT_EQ(fab_sched_params_check(&p, VLS), 0);
	fab_sched_init(&l->s, &p);
	l->ready = BIT(FAB_VL_MGMT) - 1;
	for (i = 0; i < VLS; i++)
		l->head[i] = bytes;
}

static int load_send(struct load *l)
{
	int vl = fab_sched_pick(&l->s, l->ready, l->head);

	if (vl < 0)
		return vl;
	EXPECT(l->ready & BIT(vl));
	fab_sched_sent(&l->s, vl, l->head[vl]);
	l->packets[vl]++;
	return vl;
}

static void sends(struct load *l, u32 n, int vl)
{
	while (n--)
		EXPECT(load_send(l) == vl);
}

/* @want: a hexadecimal digit per packet, its VL; '-' if none may be sent. */
static void order(struct load *l, const char *want)
{
	char got[2] = "-";
	int vl;

	for (; *want; want++) {
		if (*want == ' ')
			continue;
		vl = load_send(l);
		got[0] = vl < 0 ? '-' : "0123456789abcdef"[vl];
		EXPECT_EQ(got[0], *want);
	}
}

static u32 div_up(u32 a, u32 b)
{
	return a / b + !!(a % b);
}

/*
 * I9, including the order: a visit with weight w to a VL with packets of L bytes ends
 * with the packet that uses the weight up, after
 *	n = ceil(w / ceil(L / 64))
 * packets, and the next visit begins with the full weight.
 */
static void rounds(struct load *l, const char *list)
{
	struct fab_vlarb_entry e[FAB_VLARB_ENTRIES];
	u32 n = table(e, list), round, i;

	for (round = 0; round < 100; round++)
		for (i = 0; i < n; i++)
			sends(l, div_up(e[i].weight,
					div_up(l->head[e[i].vl], 64)), e[i].vl);
}

/* I9 with the list as the only table, be it the high or the low one. */
static void one_table(const char *list, const u32 *bytes, u32 n,
		      const u64 *packets)
{
	static const u8 limits[] = { 0, 1, 16, 255 };
	struct load l;
	u32 high, i, k;

	for (k = 0; k < 2 * ARRAY_SIZE(limits); k++) {
		high = k & 1;
		load_init(&l, high ? list : "", high ? "" : list,
			  limits[k / 2], 0);
		for (i = 0; i < n; i++)
			l.head[i] = bytes[i];
		rounds(&l, list);
		for (i = 0; i < n; i++)
			EXPECT_EQ(l.packets[i], 100 * packets[i]);
	}
}

/* 33 blocks: ceil(64/33) = 2, ceil(128/33) = 4, ceil(255/33) = 8. */
TEST(shares_by_weight)
{
	static const u32 bytes[] = { 2074, 2074, 2074 };
	static const u64 packets[] = { 2, 4, 8 };

	one_table("0:64,1:128,2:255", bytes, 3, packets);
}

/* Each weight below a packet permits one packet. */
TEST(weights_below_a_packet_are_equal)
{
	static const u32 bytes[] = { 2074, 2074, 2074 };
	static const u64 packets[] = { 1, 1, 1 };

	one_table("0:4,1:8,2:16", bytes, 3, packets);
}

/*
 * Blocks 5, 65, 1, 141 (9000 bytes): ceil(100/5) = 20, ceil(100/65) = 2,
 * 100 / 1 = 100, ceil(1/141) = 1. Equal weights, unequal bytes: 5640, 8244,
 * 6400, 9000.
 */
TEST(shares_with_unequal_lengths)
{
	static const u32 bytes[] = { 282, 4122, 64, 9000 };
	static const u64 packets[] = { 20, 2, 100, 1 };

	one_table("0:100,1:100,2:100,3:1", bytes, 4, packets);
}

/* ceil(10/5) + ceil(200/5) = 42 of lane 0, ceil(64/33) = 2, ceil(255/65) = 4. */
TEST(lane_listed_twice)
{
	static const u32 bytes[] = { 282, 2074, 4122 };
	static const u64 packets[] = { 42, 2, 4 };

	one_table("0:10,1:64,0:200,2:255", bytes, 3, packets);
}

/* 66 = 2 * 33 and 99 = 3 * 33 are used up exactly: not a packet more. */
TEST(weights_of_whole_packets)
{
	static const u32 bytes[] = { 2074, 2074, 65 };
	static const u64 packets[] = { 2, 3, 1 };

	one_table("0:66,1:99,2:2", bytes, 3, packets);
}

/* Weight 0 is skipped, at the beginning, in the middle and at the end. */
TEST(weight_zero_is_skipped)
{
	static const u32 bytes[] = { 2074, 2074, 282, 282 };
	static const u64 packets[] = { 0, 1, 0, 3 };

	one_table("0:0,1:33,2:0,2:0,3:15,0:0", bytes, 4, packets);
}

/* 64 entries, lane i mod 15: lanes 0 to 3 are listed 5 times, the rest 4. */
TEST(full_table)
{
	char list[64 * 8], *at = list;
	u64 packets[15];
	u32 bytes[15], i;

	for (i = 0; i < 15; i++) {
		bytes[i] = 64;
		packets[i] = i < 4 ? 5 : 4;
	}
	for (i = 0; i < 64; i++)
		at += sprintf(at, "%u:1,", i % 15);
	one_table(list, bytes, 15, packets);
}

/*
 * I10: a packet of the high table may be sent while the blocks sent before are fewer
 * than the limit h, 64 h blocks. With equal packets of b blocks, after
 *	N = ceil(64 h / b), for h = 0 a single one,
 * there is one packet of the low table, whose share is thus 1 / (N + 1).
 */
static void high_limit(u8 h, u32 bytes)
{
	u32 n = h ? div_up(64 * h, div_up(bytes, 64)) : 1, round;
	struct load l;

	load_init(&l, "0:7", "1:200", h, bytes);
	for (round = 0; round < 20; round++) {
		sends(&l, n, 0);
		sends(&l, 1, 1);
	}
	EXPECT_EQ(l.packets[0], 20 * n);
	EXPECT_EQ(l.packets[1], 20);
}

TEST(high_limit_shares)
{
	static const u8 h[] = { 0, 1, 4, 16, 254 };
	static const u32 bytes[] = { 64, 282, 2074, 4122, 9000 };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(h); i++)
		for (j = 0; j < ARRAY_SIZE(bytes); j++)
			high_limit(h[i], bytes[j]);
}

/* The same by hand, at 33 blocks: 64/33, 256/33, 1024/33, 16256/33. */
TEST(high_limit_by_hand)
{
	static const struct {
		u8 h;
		u32 n;
	} c[] = { { 0, 1 }, { 1, 2 }, { 4, 8 }, { 16, 32 }, { 254, 493 } };
	struct load l;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		load_init(&l, "0:255", "1:1", c[i].h, 2074);
		sends(&l, c[i].n, 0);
		sends(&l, 1, 1);
		sends(&l, c[i].n, 0);
	}
}

/* I10, h = 255: the low table starves, but gets the time that the high one leaves. */
TEST(unlimited_high_starves_low)
{
	static const u32 bytes[] = { 64, 2074, U32_MAX };
	struct load l;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		load_init(&l, "0:1,1:255", "2:255", 255, bytes[i]);
		while (l.packets[0] + l.packets[1] < 100000)
			load_send(&l);
		EXPECT_EQ(l.packets[2], 0);
		l.ready = BIT(2);
		sends(&l, 3, 2);
		l.ready = 7;
		EXPECT(load_send(&l) != 2);
	}
}

/*
 * The limit counts blocks of all VLs of the table, and its overshoot is not
 * owed. VL 0 has packets of 33 blocks, VL 1 of 5, a packet a visit, limit
 * 64: 33 + 5 + 33 = 71, then 5 + 33 + 5 + 33 = 76 from where it stopped.
 */
TEST(high_limit_overshoot)
{
	struct load l;

	load_init(&l, "0:33,1:5", "2:255", 1, 2074);
	l.head[1] = 282;
	order(&l, "010 2 1010 2 1010 2 1010 2");
}

/*
 * Each table continues where it was, with its entry and remaining weight, however often
 * the other one interrupts: its own packets are in the order of I9.
 */
static void both_tables(const char *high, const char *low, u8 h, u32 bytes)
{
	u32 n = h ? div_up(64 * h, div_up(bytes, 64)) : 1, round;
	struct load both, alone_high, alone_low;

	load_init(&both, high, low, h, bytes);
	load_init(&alone_high, high, "", h, bytes);
	load_init(&alone_low, "", low, h, bytes);
	for (round = 0; round < 1000; round++) {
		u32 i;

		for (i = 0; i < n; i++)
			sends(&both, 1, load_send(&alone_high));
		sends(&both, 1, load_send(&alone_low));
	}
}

TEST(tables_keep_their_place)
{
	static const u8 h[] = { 0, 1, 4, 16, 254 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(h); i++) {
		both_tables("0:64,1:128", "2:64,3:255", h[i], 2074);
		both_tables("0:4,1:0,0:255", "2:64,0:100,3:1", h[i], 282);
		both_tables("4:3,5:2,6:1", "4:1,5:2,6:3", h[i], 64);
	}
}

/* ceil(34/33) = 2 packets use 66, and the excess of 32 is not owed. */
TEST(weight_overshoot)
{
	struct load l;

	load_init(&l, "", "0:34,1:33", 0, 2074);
	order(&l, "001 001 001 001");
}

/* A VL that becomes ready waits for the end of the visit: 4 packets of 33. */
TEST(ready_during_a_visit)
{
	struct load l;

	load_init(&l, "", "0:132,1:33,2:33", 0, 2074);
	l.ready = BIT(0);
	order(&l, "00");
	l.ready = BIT(0) | BIT(1);
	order(&l, "001");
	l.ready |= BIT(2);
	order(&l, "2 0000 1");
	/* For a VL alone, the end of a visit is the beginning of the next. */
	l.ready = BIT(0);
	order(&l, "0000000");
	l.ready = 7;
	order(&l, "01");
}

/* When the index moves on, the remaining weight is lost: 4 packets, not 2. */
TEST(moving_on_forgets_the_weight)
{
	struct load l;

	load_init(&l, "", "0:132,1:33", 0, 2074);
	order(&l, "00");
	l.ready = BIT(1);
	order(&l, "1");
	l.ready = BIT(0) | BIT(1);
	order(&l, "0000 1 0000");
}

/* If no VL is ready there is no arbitration, and the visit continues. */
TEST(silence_keeps_the_visit)
{
	struct load l;

	load_init(&l, "", "0:132,1:33", 0, 2074);
	order(&l, "00");
	fab_sched_idle(&l.s, 0);
	l.ready = 0;
	order(&l, "--");
	l.ready = BIT(0) | BIT(1);
	order(&l, "001");
}

/*
 * If no VL of a table was ready, the search went round the whole table: the same entry
 * is next, with its full weight.
 */
TEST(looking_in_vain_renews_the_visit)
{
	struct load l;

	load_init(&l, "0:33,1:132", "2:33", 255, 2074);
	order(&l, "011");
	l.ready = BIT(2);
	order(&l, "2");
	l.ready = 7;
	order(&l, "1111 0");
}

TEST(high_table_empty)
{
	struct load l;

	load_init(&l, "", "0:66,1:33", 0, 2074);
	order(&l, "001001");
	/* Entries with weight 0 are like no entries. */
	load_init(&l, "0:0,1:0", "0:66,1:33", 4, 2074);
	order(&l, "001001");
}

/* The limit does not stop the high table while the low one has no packet. */
TEST(low_table_empty)
{
	struct load l;
	u32 h;

	for (h = 0; h < 256; h++) {
		load_init(&l, "0:66,1:33", "", h, 2074);
		order(&l, "001001001");
		load_init(&l, "0:66,1:33", "2:0", h, 2074);
		order(&l, "001001001");
	}
}

/*
 * The low table does not save up turns: after any time without a packet, it has one
 * turn. (2^26 blocks a packet would also wrap a counter of 32 bits.)
 */
TEST(low_becomes_ready)
{
	static const u8 h[] = { 0, 1, 4, 254 };
	struct load l;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(h); i++) {
		load_init(&l, "0:255", "1:255", h[i], U32_MAX);
		l.ready = BIT(0);
		sends(&l, 100, 0);
		l.ready = BIT(0) | BIT(1);
		order(&l, "10101");
	}
}

/* Any packet of the low table renews the limit: 64 blocks, 2 packets. */
TEST(low_packet_renews_the_limit)
{
	struct load l;

	load_init(&l, "0:255", "1:255", 1, 2074);
	order(&l, "0");
	l.ready = BIT(1);
	order(&l, "111");
	l.ready = BIT(0) | BIT(1);
	order(&l, "001 001");
}

/* VL 15 goes first, for as long as it has packets, and uses no weight or limit. */
TEST(management_first)
{
	struct load l;

	load_init(&l, "0:66,1:33", "2:33", 1, 2074);
	l.ready |= BIT(15);
	sends(&l, 100, 15);
	l.ready &= ~BIT(15);
	/* The first of two packets of lane 0 ... */
	order(&l, "0");
	l.ready |= BIT(15);
	sends(&l, 100, 15);
	l.ready &= ~BIT(15);
	/* ... and the second, which uses the limit up as well. */
	order(&l, "02 10 2");
	l.ready = BIT(15);
	order(&l, "ff");
}

/* A VL without a weight in any table is not served, and does not block others. */
TEST(unlisted_lane_is_not_served)
{
	struct load l;

	load_init(&l, "0:66,4:0", "1:33,4:0", 255, 2074);
	EXPECT_EQ(fab_sched_serves(&l.s), BIT(0) | BIT(1) | BIT(15));
	l.ready = BIT(3) | BIT(4);
	order(&l, "---");
	l.ready |= BIT(1);
	order(&l, "111");
	l.ready |= BIT(0);
	order(&l, "000");
}

/*
 * The defaults of OpenSM: VL 0 has every other packet, VLs 1 to 14 the others in turn.
 * VLs that become empty in between change nothing.
 */
TEST(opensm_defaults)
{
	struct load l;
	u32 i;

	load_init(&l, OPENSM_HIGH, OPENSM_LOW, 0, 4122);
	EXPECT_EQ(fab_sched_serves(&l.s), U16_MAX);
	order(&l, "0102030405060708 090a0b0c0d0e");
	for (i = 0; i < VLS; i++)
		fab_sched_idle(&l.s, i);
	for (i = 0; i < 28 * 99; i++)
		load_send(&l);
	EXPECT_EQ(l.packets[0], 1400);
	for (i = 1; i < 15; i++)
		EXPECT_EQ(l.packets[i], 100);
}

/*
 * Random VLs and lengths: a packet is sent whenever a VL that is served is ready.
 * Between two turns of the low table, while it has packets and VL 15 has none, the high
 * table sends less than its limit and a packet.
 */
static void any_traffic(const char *high, const char *low, u8 h, u64 seed)
{
	const u32 longest = div_up(9000, 64);
	u32 sent = 0, i, k;
	struct load l;
	int vl;

	load_init(&l, high, low, h, 0);
	for (k = 0; k < 20000; k++) {
		l.ready = fab_rng_next(&seed) & fab_rng_next(&seed);
		for (i = 0; i < VLS; i++)
			l.head[i] = 64 + fab_rng_next(&seed) % 8937;
		vl = load_send(&l);
		EXPECT((vl < 0) == !(l.ready & fab_sched_serves(&l.s)));
		if (vl < 0 || vl == 15)
			continue;
		if (l.s.vlarb.from_high && l.ready & l.s.vlarb.low.vls)
			sent += div_up(l.head[vl], 64);
		else
			sent = 0;
		EXPECT(h == 255 || sent < (h ? h * 64 : 1) + longest);
	}
}

TEST(any_traffic_is_carried)
{
	static const u8 h[] = { 0, 1, 4, 16, 254, 255 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(h); i++) {
		any_traffic("0:64,1:128,2:255", "3:1,4:2", h[i], 1);
		any_traffic(OPENSM_HIGH, OPENSM_LOW, h[i], 2);
		any_traffic("", "7:1,0:255,7:3", h[i], 3);
		any_traffic("5:255,6:0,5:1,2:9", "2:1,14:255", h[i], 4);
	}
}

TEST(refusals)
{
	struct fab_sched_params p = tables("0:1,3:255", "1:0,2:7", 255);

	EXPECT_EQ(fab_sched_params_check(&p, 4), 0);
	EXPECT(fab_sched_params_check(&p, 3) == -EINVAL);
	p = tables("", "7:1", 0);
	EXPECT_EQ(fab_sched_params_check(&p, 8), 0);
	EXPECT(fab_sched_params_check(&p, 7) == -EINVAL);
	/* Lane 15 is not arbitrated, even where the port has it. */
	p = tables("0:1,15:1", "", 0);
	EXPECT(fab_sched_params_check(&p, 16) == -EINVAL);
	p = tables("", "0:1,15:0", 0);
	EXPECT(fab_sched_params_check(&p, 16) == -EINVAL);
	/* Nothing would ever be sent. */
	p = tables("", "", 0);
	EXPECT(fab_sched_params_check(&p, 16) == -EINVAL);
	p = tables("0:0,1:0", "0:0", 255);
	EXPECT(fab_sched_params_check(&p, 16) == -EINVAL);
	p = tables("0:1", "1:1", 1);
	p.vlarb.high_entries = 64;
	p.vlarb.low_entries = 64;
	EXPECT_EQ(fab_sched_params_check(&p, 16), 0);
	p.vlarb.high_entries = 65;
	EXPECT(fab_sched_params_check(&p, 16) == -EINVAL);
	p.vlarb.high_entries = 64;
	p.vlarb.low_entries = 65;
	EXPECT(fab_sched_params_check(&p, 16) == -EINVAL);
	/* The other kind of scheduler ignores the tables. */
	p.kind = FAB_SCHED_DRR;
	p.quantum = 1;
	EXPECT_EQ(fab_sched_params_check(&p, 16), 0);
}

/* Two hosts; each VL of the first always has packets of @wire bytes. */
static struct net *pair(const char *high, const char *low, u8 limit, u32 vls,
			u32 wire)
{
	struct fab_endpoint_params p = { .port = net_port(VLS, 65536) };
	struct net *net = net_new(1);
	u32 i;

	p.port.sched = tables(high, low, limit);
	/* The tables' port has no use for it, but a port may ask for it. */
	p.port.sched.quantum = 1;
	for (i = 0; i < 2; i++)
		net_node_add(net, i, &p);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port,
		 400 * GBPS, 10 * NS);
	for (i = 0; i < vls; i++)
		net_pump(net, 0, 1, wire - 24, i);
	return net;
}

/*
 * Through a whole port, from its first packet on: 2074 bytes at 400 Gb/s are 41.48 ns,
 * so k packets have arrived after k times that and 10 ns.
 */
static void port_shares(const char *high, const char *low, u8 limit, u32 round,
			const u64 *packets, u32 vls)
{
	struct net *net = pair(high, low, limit, vls, 2074);
	u32 i;

	net_run(net, 10 * NS + 50 * round * 41480ULL);
	for (i = 0; i < vls; i++)
		EXPECT_EQ(net->node[1]->rx_cls[i], 50 * packets[i] * 2050);
	net_free(net);
}

/*
 * I9 and I10: rounds of 14 with the low table alone. With a limit of 64 blocks rounds are
 * of 3, hence of 42 until the high table completes a round as well: 4:8:16 and 14.
 */
TEST(shares_through_a_port)
{
	static const u64 weights[] = { 2, 4, 8 }, equal[] = { 1, 1, 1 };
	static const u64 limited[] = { 4, 8, 16, 14 };

	port_shares("", "0:64,1:128,2:255", 0, 14, weights, 3);
	port_shares("0:4,1:8,2:16", "", 4, 3, equal, 3);
	port_shares("0:64,1:128,2:255", "3:1", 1, 42, limited, 4);
}

/* Through a port, a VL that is not served blocks no other. */
TEST(unlisted_lane_waits_in_the_port)
{
	struct net *net = pair("", "0:64,2:64", 0, 3, 2074);
	struct fab_port *port = &net->node[0]->ep.port;

	net_run(net, MS);
	EXPECT_EQ(net->node[1]->rx_cls[1], 0);
	EXPECT(port->c.tx_busy_ps >= MS);
	net_pump(net, 0, 1, 0, 0);
	net_pump(net, 0, 1, 0, 2);
	net_run(net, 2 * MS);
	EXPECT_EQ(port->ready, BIT(1));
	net_free(net);
}
