// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults of switches: their effect on packets, and the state after their end.
 */
#include <math.h>

#include "ktap.h"
#include "net.h"
#include "pfcnet.h"

#define BYTE	80ULL		/* ps at 100 Gb/s */
#define HOP	(1024 * BYTE)	/* a 1000-byte frame on a wire */

/* Switch 0 with a host at each of its ports, which is the route to it. */
static struct net *star(u32 hosts)
{
	struct fab_switch_params p = net_switch_params(hosts);
	struct net *net = net_new(1);
	u32 i;

	p.forward = FAB_STORE_FORWARD;
	net_switch_add(net, 0, &p);
	for (i = 0; i < hosts; i++) {
		net_join(net, &net_host(net, i)->ep.port, &net->sw[0]->port[i],
			 100 * GBPS, 0);
		net_route(net->sw[0], i, i);
	}
	return net;
}

static void inject(struct net *net, struct fab_fault *f,
		   struct fab_fault_params p)
{
	EXPECT_EQ(fab_fault_params_check(&p), 0);
	EXPECT_EQ(fab_fault_fits(net->sw[0], &p), 0);
	memset(f, 0, sizeof(*f));
	fab_fault_add_switch(&net->fab, net->sw[0], f, &p);
	EXPECT_NULL_STR(fab_check(&net->fab));
}

/* Number of packets that arrive at @dst if @src sends @n. */
static u64 arrive(struct net *net, u32 src, u32 dst, u32 n)
{
	u64 before = net->node[dst]->rx;
	u32 i;

	for (i = 0; i < n; i++)
		net_send(net, src, dst, 1000);
	net_drain(net);
	return net->node[dst]->rx - before;
}

TEST(params)
{
	static const struct {
		struct fab_fault_params p;
		int err;
	} t[] = {
		{ { .kind = FAB_FAULT_BLACKHOLE }, -ERANGE },
		{ { .kind = FAB_FAULT_BLACKHOLE, .ppb = FAB_FAULT_PPB }, 0 },
		{ { .kind = FAB_FAULT_BLACKHOLE, .ppb = FAB_FAULT_PPB + 1 },
		  -ERANGE },
		{ { .kind = FAB_FAULT_MISROUTE, .ppb = 1,
		    .dsts = FAB_FAULT_DSTS_MAX }, 0 },
		{ { .kind = FAB_FAULT_MISROUTE, .ppb = 1,
		    .dsts = FAB_FAULT_DSTS_MAX + 1 }, -ERANGE },
		{ { .kind = FAB_FAULT_FORGET }, 0 },
		{ { .kind = FAB_FAULT_FORGET, .period = 1 }, -EINVAL },
		{ { .kind = FAB_FAULT_REBOOT }, 0 },
		{ { .kind = FAB_FAULT_SHARP_DOWN }, 0 },
		{ { .kind = FAB_FAULT_SHARP_SLOW }, -EINVAL },
		{ { .kind = FAB_FAULT_SHARP_SLOW, .delay = 1 }, 0 },
		{ { .kind = FAB_FAULT_SHARP_SLOW, .delay = FAB_DELAY_MAX + 1 }, -ERANGE },
		{ { .kind = FAB_FAULT_BUFFER }, -ERANGE },
		{ { .kind = FAB_FAULT_BUFFER, .size = 1 }, 0 },
		{ { .kind = FAB_FAULT_BUFFER, .size = FAB_BUFFER_MAX + 1 },
		  -ERANGE },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		EXPECT_EQ(fab_fault_params_check(&t[i].p), t[i].err);
	for (i = 0; i < __FAB_FAULT_MAX; i++)
		EXPECT_EQ(fab_fault_of_switch(i),
			  i == FAB_FAULT_BLACKHOLE || i == FAB_FAULT_FORGET ||
			  i == FAB_FAULT_MISROUTE || i == FAB_FAULT_REBOOT ||
			  i == FAB_FAULT_BUFFER || i == FAB_FAULT_SHARP_DOWN ||
			  i == FAB_FAULT_SHARP_SLOW);
}

/* A misroute needs an existing port, a smaller buffer one whose limits apply. */
TEST(fits)
{
	static const struct {
		const struct fab_discipline *disc;
		int err;
	} t[] = {
		{ &fab_drop_tail, 0 }, { &fab_pause, 0 }, { &fab_pfc, 0 },
		{ &fab_credit, -EOPNOTSUPP }, { &fab_nvlink, -EOPNOTSUPP },
		{ &fab_pcie, -EOPNOTSUPP },
	};
	struct fab_fault_params p = { .kind = FAB_FAULT_BUFFER, .size = 1 };
	struct fab_switch sw = { .p.ports = 4 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		sw.p.port.disc = t[i].disc;
		EXPECT_EQ(fab_fault_fits(&sw, &p), t[i].err);
	}
	p.kind = FAB_FAULT_MISROUTE;
	p.out = 3;
	EXPECT_EQ(fab_fault_fits(&sw, &p), 0);
	p.out = 4;
	EXPECT_EQ(fab_fault_fits(&sw, &p), -ERANGE);
	p.kind = FAB_FAULT_REBOOT;
	EXPECT_EQ(fab_fault_fits(&sw, &p), 0);
}

/* Packets to the named destinations are lost, and no others. */
TEST(blackhole)
{
	struct net *net = star(4);
	struct fab_fault f;

	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_BLACKHOLE, .ppb = FAB_FAULT_PPB,
		.dsts = 2, .dst = { 1, 3 } });
	EXPECT_EQ(arrive(net, 0, 1, 5), 0);
	EXPECT_EQ(arrive(net, 0, 2, 5), 5);
	EXPECT_EQ(arrive(net, 1, 3, 5), 0);
	EXPECT_EQ(arrive(net, 1, 0, 5), 5);
	EXPECT_EQ(f.c.packets, 10);
	EXPECT_EQ(net->drops[FAB_DROP_FAULT], 10);
	fab_fault_remove(&net->fab, &f);
	EXPECT_EQ(arrive(net, 0, 1, 5), 5);
	EXPECT(!fab_fault_there(&f));
	net_free(net);
}

static void multicast(struct net *net)
{
	static const u16 ports[] = { 0, 1, 2 };
	struct fab_pkt pkt = {
		.len = 500, .segs = 1, .flags = FAB_PKT_MULTICAST,
	};

	EXPECT_EQ(fab_route_flood_set(&net->sw[0]->route, ports, 3), 0);
	EXPECT_EQ(net_give(net->node[0], &pkt), 0);
	net_drain(net);
}

/* Multicast packets are only hit by a fault of all destinations, and never misrouted. */
TEST(groups)
{
	static const struct {
		struct fab_fault_params p;
		u64 copies;
	} t[] = {
		{ { .kind = FAB_FAULT_BLACKHOLE, .ppb = FAB_FAULT_PPB,
		    .dsts = 1, .dst = { 1 } }, 2 },
		{ { .kind = FAB_FAULT_BLACKHOLE, .ppb = FAB_FAULT_PPB }, 0 },
		{ { .kind = FAB_FAULT_MISROUTE, .ppb = FAB_FAULT_PPB }, 2 },
		{ { .kind = FAB_FAULT_FORGET }, 0 },
	};
	struct fab_fault f;
	struct net *net;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		net = star(3);
		inject(net, &f, t[i].p);
		multicast(net);
		EXPECT_EQ(net->node[1]->rx + net->node[2]->rx, t[i].copies);
		EXPECT_EQ(f.c.packets, !t[i].copies);
		net_free(net);
	}
}

/* Send two packets of each flow. @map: bit per flow that is hit. */
static u64 hit_flows(struct net *net, u32 flows, u64 *map)
{
	struct fab_pkt pkt = { .len = 60, .dst = 1, .segs = 1 };
	u64 hit = 0, before;
	u32 i;

	for (i = 0; i < flows; i++) {
		pkt.flow_hash = i;
		before = net->node[1]->rx;
		net_give(net->node[0], &pkt);
		net_drain(net);
		net_give(net->node[0], &pkt);
		net_drain(net);
		EXPECT(net->node[1]->rx - before != 1);
		hit += net->node[1]->rx == before;
		if (i < 64)
			*map |= (u64)(net->node[1]->rx == before) << i;
	}
	return hit;
}

/* Binomial: mean n p, deviation sqrt(n p (1 - p)); five of them. */
TEST(share_of_flows)
{
	static const u32 ppb[] = { 10000000, 250000000, 900000000 };
	u32 i, n = 20000;

	for (i = 0; i < ARRAY_SIZE(ppb); i++) {
		double share = ppb[i] / 1e9, mean = n * share;
		u64 hit, map = 0, again = 0, other = 0;
		struct net *net = star(2);
		struct fab_fault f;

		net->no_check = true;
		inject(net, &f, (struct fab_fault_params) {
			.kind = FAB_FAULT_BLACKHOLE, .ppb = ppb[i],
			.seed = i });
		hit = hit_flows(net, n, &map);
		EXPECT(fabs((double)hit - mean) <
		       5 * sqrt(mean * (1 - share)));
		EXPECT_EQ(f.c.packets, 2 * hit);
		hit_flows(net, 64, &again);
		EXPECT_EQ(again, map);
		fab_fault_remove(&net->fab, &f);
		inject(net, &f, (struct fab_fault_params) {
			.kind = FAB_FAULT_BLACKHOLE, .ppb = 500000000,
			.seed = i + 99 });
		hit_flows(net, 64, &other);
		EXPECT(other != map);
		net_free(net);
	}
}

/*
 * A fault that begins at 10 us, while host 0 sends a packet each 100 ns: those
 * that it sends from @from on and before @to are lost, and no others.
 */
static void lose_some(u32 kind, fab_time lasts, fab_time from, fab_time to,
		      enum fab_drop why)
{
	struct net *net = star(2);
	u32 sent = 0, lost = 0;
	struct fab_fault f;
	bool down;
	fab_time t;

	inject(net, &f, (struct fab_fault_params) {
		.kind = kind, .start = 10 * US, .duration = lasts });
	for (t = 0; t < 30 * US; t += 100 * NS, sent++) {
		net_run(net, t);
		net_send(net, 0, 1, 1000);
		lost += t >= from && t < to;
		down = t >= 10 * US && t < 10 * US + lasts;
		EXPECT_EQ(net->node[1]->ep.port.wire.up,
			  !(down && kind == FAB_FAULT_REBOOT));
	}
	net_drain(net);
	EXPECT_EQ(net->drops[why], lost);
	EXPECT_EQ(net->node[1]->rx, sent - lost);
	EXPECT_EQ(f.c.packets, lost);
	EXPECT_EQ(f.c.active_ps, lasts);
	EXPECT_EQ(f.state, FAB_FAULT_OVER);
	net_free(net);
}

/* A packet sent at t is routed at t + HOP, after the first wire. */
TEST(forget)
{
	lose_some(FAB_FAULT_FORGET, 2 * US, 10 * US - HOP, 12 * US - HOP,
		  FAB_DROP_NO_ROUTE);
}

/* The host of the other port gets them, at the time at which the right one would. */
TEST(misroute)
{
	struct net *net = star(3);
	struct fab_fault f;
	fab_time then;

	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_MISROUTE, .ppb = FAB_FAULT_PPB,
		.dsts = 1, .dst = { 1 }, .out = 2 });
	then = net->fab.now;
	EXPECT_EQ(arrive(net, 0, 1, 1), 0);
	EXPECT_EQ(net->node[2]->rx, 1);
	EXPECT_EQ(net->node[2]->rx_at, then + 2 * HOP);
	EXPECT_EQ(f.c.packets, 1);
	/* Back to where it came from. */
	fab_fault_remove(&net->fab, &f);
	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_MISROUTE, .ppb = FAB_FAULT_PPB, .out = 0 });
	EXPECT_EQ(arrive(net, 0, 1, 3), 0);
	EXPECT_EQ(net->node[0]->rx, 3);
	/* Without a link they are lost. */
	fab_link_part(&net->fab, &net->sw[0]->port[0], FAB_DROP_TEARDOWN);
	EXPECT_EQ(arrive(net, 1, 2, 1), 0);
	EXPECT_EQ(net->drops[FAB_DROP_LINK_DOWN], 1);
	fab_fault_remove(&net->fab, &f);
	EXPECT_EQ(arrive(net, 1, 2, 1), 1);
	net_free(net);
}

/*
 * Two switches send a packet to each other: it passes switches 64 times, and is
 * dropped the 65th time. It begins at switch 1, so every second one is switch 0, 32
 * times, and switch 1 drops it.
 */
TEST(misroute_loops)
{
	struct net *net = star(2);
	struct fab_switch_params p = net_switch_params(2);
	struct fab_fault f;

	net_switch_add(net, 1, &p);
	fab_link_part(&net->fab, &net->sw[0]->port[0], FAB_DROP_TEARDOWN);
	net_join(net, &net->node[0]->ep.port, &net->sw[1]->port[0],
		 100 * GBPS, 0);
	net_join(net, &net->sw[1]->port[1], &net->sw[0]->port[0],
		 100 * GBPS, 0);
	net_route(net->sw[1], 1, 1);
	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_MISROUTE, .ppb = FAB_FAULT_PPB, .out = 0 });
	EXPECT_EQ(arrive(net, 0, 1, 1), 0);
	EXPECT_EQ(net->drops[FAB_DROP_HOP_LIMIT], 1);
	EXPECT_EQ(f.c.packets, FAB_HOPS_MAX / 2);
	EXPECT_EQ(net->sw[1]->port[1].c.drops[FAB_DROP_HOP_LIMIT], 1);
	fab_fault_remove(&net->fab, &f);
	EXPECT_EQ(arrive(net, 0, 1, 1), 1);
	net_free(net);
}

/* Of several faults the one that was added first decides, and counts the packet. */
TEST(first_decides)
{
	struct net *net = star(3);
	struct fab_fault f[3];

	inject(net, &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_MISROUTE, .ppb = FAB_FAULT_PPB,
		.dsts = 1, .dst = { 1 }, .out = 2 });
	inject(net, &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_BLACKHOLE, .ppb = FAB_FAULT_PPB,
		.dsts = 2, .dst = { 1, 2 } });
	inject(net, &f[2], (struct fab_fault_params) {
		.kind = FAB_FAULT_FORGET });
	arrive(net, 0, 1, 1);
	arrive(net, 0, 2, 1);
	arrive(net, 1, 0, 1);
	EXPECT_EQ(net->node[2]->rx, 1);
	EXPECT_EQ(f[0].c.packets, 1);
	EXPECT_EQ(f[1].c.packets, 1);
	EXPECT_EQ(f[2].c.packets, 1);
	EXPECT_EQ(net->drops[FAB_DROP_FAULT], 1);
	EXPECT_EQ(net->drops[FAB_DROP_NO_ROUTE], 1);
	net_free(net);
}

/*
 * A packet sent at t is on the first wire until t + HOP, on the second until
 * t + 2 HOP; it is lost when the switch goes down within that time, or is down
 * at t.
 */
TEST(reboot)
{
	lose_some(FAB_FAULT_REBOOT, 5 * US, 10 * US - 2 * HOP, 15 * US,
		  FAB_DROP_LINK_DOWN);
}

/* All packets that wait in it are lost at once, and its buffer is empty. */
TEST(reboot_empties)
{
	struct net *net = star(3);
	struct fab_fault f;
	u64 rx;

	net_pump(net, 0, 2, 1000, 0);
	net_pump(net, 1, 2, 1000, 0);
	net_run(net, 20 * US);
	EXPECT(net->sw[0]->buffer.used > 50000);
	net_pump(net, 0, 2, 0, 0);
	net_pump(net, 1, 2, 0, 0);
	rx = net->node[2]->rx;
	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_REBOOT });
	EXPECT_EQ(net->sw[0]->buffer.used, 0);
	EXPECT_EQ(net->live, 0);
	EXPECT_EQ(net->node[2]->rx, rx);
	EXPECT_EQ(f.c.packets, net->drops[FAB_DROP_LINK_DOWN]);
	fab_fault_remove(&net->fab, &f);
	EXPECT_EQ(arrive(net, 0, 2, 5), 5);
	net_free(net);
}

/* Settings and links that change meanwhile apply once it is up again. */
TEST(reboot_and_links)
{
	struct net *net = star(3);
	struct fab_port *port = &net->node[0]->ep.port;
	struct fab_fault f[2];

	inject(net, &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_REBOOT });
	inject(net, &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_REBOOT });
	fab_link_part(&net->fab, port, FAB_DROP_TEARDOWN);
	net_join(net, port, &net->sw[0]->port[0], 100 * GBPS, 0);
	EXPECT(!port->wire.up && !net->sw[0]->port[0].wire.up);
	EXPECT_NULL_STR(fab_check(&net->fab));
	fab_link_up(&net->fab, &net->node[1]->ep.port, false);
	fab_fault_remove(&net->fab, &f[0]);
	EXPECT(!port->wire.up);
	fab_fault_remove(&net->fab, &f[1]);
	EXPECT(port->wire.up && net->sw[0]->port[0].wire.up);
	EXPECT(!net->node[1]->ep.port.wire.up);
	EXPECT(net->sw[0]->port[1].wire.up);
	EXPECT_EQ(arrive(net, 0, 2, 1), 1);
	net_free(net);
}

/* Host 1 at a hundredth of host 0's rate: packets sent at once have to wait. */
static struct net *funnel(void)
{
	struct net *net = star(1);
	struct fab_switch_params p = net_switch_params(2);

	net_switch_del(net, 0);
	p.forward = FAB_STORE_FORWARD;
	net_switch_add(net, 0, &p);
	net_join(net, &net->node[0]->ep.port, &net->sw[0]->port[0],
		 100 * GBPS, 0);
	net_join(net, &net_host(net, 1)->ep.port, &net->sw[0]->port[1],
		 GBPS, 0);
	net_route(net->sw[0], 1, 1);
	return net;
}

/*
 * The first of ten is forwarded at once; 3500 bytes have room for three that wait, the
 * last six find none.
 */
TEST(buffer)
{
	struct net *net = funnel();
	struct fab_fault f[2];

	inject(net, &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_BUFFER, .size = 3500 });
	EXPECT_EQ(arrive(net, 0, 1, 10), 4);
	EXPECT_EQ(net->drops[FAB_DROP_BUFFER_FULL], 6);
	EXPECT_EQ(f[0].c.packets, 6);
	/* The smaller of two applies; one larger than the buffer changes nothing. */
	inject(net, &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_BUFFER, .size = FAB_BUFFER_MAX });
	EXPECT_EQ(arrive(net, 0, 1, 10), 4);
	fab_fault_remove(&net->fab, &f[0]);
	EXPECT_EQ(arrive(net, 0, 1, 10), 10);
	fab_fault_remove(&net->fab, &f[1]);
	EXPECT_EQ(net->sw[0]->buffer.limit, 1 << 30);
	net_free(net);
}

/*
 * Packets in the buffer stay: eight wait when it shrinks to five. The next one finds
 * room when the fifth has left: one leaves every 1024 bytes at 1 Gb/s.
 */
TEST(buffer_shrinks)
{
	fab_time slow = 1024 * 8000, then;
	struct net *net = funnel();
	struct fab_fault f;
	u32 i;

	for (i = 0; i < 9; i++)
		net_send(net, 0, 1, 1000);
	net_run(net, 9 * HOP);
	EXPECT_EQ(net->sw[0]->buffer.used, 8000);
	inject(net, &f, (struct fab_fault_params) {
		.kind = FAB_FAULT_BUFFER, .size = 5000 });
	for (i = 1; i <= 4; i++) {
		then = HOP + i * slow;
		net_run(net, then);
		EXPECT_EQ(net->sw[0]->buffer.used, 8000 - 1000 * i);
		net_send(net, 0, 1, 1000);
		net_run(net, then + HOP);
		EXPECT_EQ(net->drops[FAB_DROP_BUFFER_FULL], min(i, 3U));
	}
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 10);
	net_free(net);
}

/* fab_check() detects each kind of damage. */
TEST(check_sees)
{
	struct net *net = star(2);
	struct fab_switch *sw = net->sw[0];
	struct fab_fault f[2];

	inject(net, &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_FORGET, .duration = US });
	inject(net, &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_BUFFER, .size = 10000 });
	PFCNET_BREAK(f[0].p.duration, 0,
		     "fault: its timer is not due when it should be");
	PFCNET_BREAK(sw->faults.detours, 0,
		     "fault: more or fewer look at packets than act");
	PFCNET_BREAK(f[1].p.size, 9999,
		     "fault: the buffer is smaller or larger than they leave it");
	f[1].p.kind = FAB_FAULT_REBOOT;
	pfcnet_wrong(__LINE__, __FILE__, fab_check(&net->fab),
		     "fault: more or fewer keep the switch down than act");
	f[1].p.kind = FAB_FAULT_BUFFER;
	net_free(net);
}

/* Removing a switch removes its faults. */
TEST(removed_with_faults)
{
	struct net *net = star(2);
	struct fab_fault f[3];

	inject(net, &f[0], (struct fab_fault_params) {
		.kind = FAB_FAULT_REBOOT, .duration = 5 * US });
	inject(net, &f[1], (struct fab_fault_params) {
		.kind = FAB_FAULT_BUFFER, .size = 1000, .start = 9 * US });
	inject(net, &f[2], (struct fab_fault_params) {
		.kind = FAB_FAULT_FORGET });
	net_switch_del(net, 0);
	EXPECT(!fab_fault_there(&f[0]) && !fab_fault_there(&f[1]) &&
	       !fab_fault_there(&f[2]));
	EXPECT_EQ(fab_event_next(&net->fab.events), FAB_NEVER);
	net_free(net);
}
