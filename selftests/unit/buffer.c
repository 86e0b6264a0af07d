// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shared buffer with accounts: the parts that packets take room from, thresholds
 * (E3), limits that change, and the invariants, each broken once.
 */
#include "core/node/room.h"
#include "ktap.h"
#include "pfcnet.h"

/* Ports that exist on their own, with a buffer. */
#define PORTS	4

/**
 * struct bench - a buffer and ports to use it
 */
struct bench {
	struct fab_buffer b;
	struct fab_port_params p;
	struct fab_port port[PORTS];
	struct fab_class cls[PORTS][2];
};

static struct fab_buffer_params params(u64 total)
{
	struct fab_buffer_params p = {
		.total = total, .per_port = total, .accounts = true,
	};

	return p;
}

static void bench_init(struct bench *t, const struct fab_buffer_params *p,
		       u16 lossless)
{
	u32 i;

	memset(t, 0, sizeof(*t));
	t->p.classes = 2;
	for (i = 0; i < PORTS; i++) {
		t->port[i].p = &t->p;
		t->port[i].lossless = lossless;
		t->port[i].cls = t->cls[i];
	}
	EXPECT_EQ(fab_buffer_params_check(p, PORTS, 2), 0);
	fab_buffer_init(&t->b, p, t->port, PORTS);
}

static struct fab_pkt pkt_of(u8 cls, u32 len)
{
	struct fab_pkt pkt = { .len = len, .segs = 1, .cls = cls, .cls_in = cls };

	return pkt;
}

static enum fab_drop take(struct bench *t, u32 port, u8 cls, u32 len)
{
	struct fab_pkt pkt = pkt_of(cls, len);

	return fab_buffer_admit(&t->b, &t->port[port], &pkt);
}

static void give(struct bench *t, u32 port, u8 cls, u32 len)
{
	struct fab_pkt pkt = pkt_of(cls, len);

	fab_buffer_release(&t->b, &t->port[port], &pkt);
}

static void expect_account(int line, const struct bench *t, u32 port, u8 cls,
			   u32 reserved, u64 shared, u32 headroom)
{
	const struct fab_account *a = &t->cls[port][cls].account;

	if (a->reserved != reserved || a->shared != shared ||
	    a->headroom != headroom)
		ktap_fail(__FILE__, line, "%u/%llu/%u, want %u/%llu/%u",
			  a->reserved, a->shared, a->headroom, reserved, shared,
			  headroom);
}

#define EXPECT_ACCOUNT(t, port, cls, reserved, shared, headroom)	\
	expect_account(__LINE__, t, port, cls, reserved, shared, headroom)

/*
 * fab_room_pass() is the way through take, look and release: peaks and occupancy are the same
 * as of a bench where each step is done, with thresholds that some packets reach.
 */
TEST(what_does_not_stay)
{
	static const struct fab_flow_control flow = { .at_threshold = true };
	struct fab_buffer_params p = params(20000);
	u32 i, len, passed = 0;
	struct bench a, b;
	struct fab_pkt pkt;
	u8 cls;

	p.cls[0].reserve = 700;
	p.cls[0].dynamic = true;
	p.cls[0].alpha = -1;
	p.cls[1].threshold = 5000;
	p.cls[1].headroom = 3000;
	bench_init(&a, &p, 2);
	bench_init(&b, &p, 2);
	a.port[0].flow = &flow;
	b.port[0].flow = &flow;
	for (i = 0; i < 20000; i++) {
		cls = fab_mix(i) & 1;
		len = 1 + (fab_mix(i) >> 8) % 12000;
		pkt = pkt_of(cls, len);
		if (i % 100 == 50) {
			EXPECT_EQ(take(&a, 1, 0, 800), take(&b, 1, 0, 800));
			EXPECT(!fab_room_pass(&b.b, &b.port[0], &pkt));
			give(&a, 1, 0, 800);
			give(&b, 1, 0, 800);
		}
		if (fab_room_pass(&b.b, &b.port[0], &pkt)) {
			EXPECT_EQ(take(&a, 0, cls, len), FAB_DROP_COUNT);
			EXPECT(!fab_buffer_over(&a.b, &a.cls[0][cls].account));
			give(&a, 0, cls, len);
			passed++;
		}
		EXPECT_EQ(a.b.used, b.b.used);
		EXPECT_EQ(a.b.peak, b.b.peak);
		EXPECT_EQ(a.port[0].held_peak, b.port[0].held_peak);
		EXPECT_EQ(a.cls[0][cls].account.peak, b.cls[0][cls].account.peak);
	}
	EXPECT(passed > 5000 && passed < 15000);
	b.port[0].over = 1;
	pkt = pkt_of(0, 100);
	EXPECT(!fab_room_pass(&b.b, &b.port[0], &pkt));
}

TEST(pool_is_what_is_left)
{
	struct fab_buffer_params p = params(100000);
	struct bench t;

	p.cls[0].reserve = 1000;
	p.cls[0].headroom = 5000;
	p.cls[1].reserve = 300;
	bench_init(&t, &p, 1);
	EXPECT_EQ(t.b.pool, 100000 - PORTS * 6300);
	/* Class 1 is not there: its reserve does not count. */
	EXPECT_EQ(fab_buffer_params_check(&p, 16, 1), 0);
	EXPECT(fab_buffer_params_check(&p, 16, 2) == -ENOSPC);
	p.total = 16 * 6300;
	EXPECT_EQ(fab_buffer_params_check(&p, 16, 2), 0);
	p.total--;
	EXPECT(fab_buffer_params_check(&p, 16, 2) == -ENOSPC);
}

TEST(params_out_of_range)
{
	struct fab_buffer_params good = params(1 << 20), p;

#define REFUSE(field, value) do {					\
		p = good;						\
		p.field = (value);					\
		EXPECT(fab_buffer_params_check(&p, 4, 2) == -ERANGE);	\
	} while (0)
	REFUSE(total, FAB_BUFFER_MAX + 1);
	REFUSE(cls[1].alpha, FAB_ALPHA_MIN - 1);
	REFUSE(cls[1].alpha, FAB_ALPHA_MAX + 1);
	REFUSE(cls[1].threshold, FAB_BUFFER_MAX + 1);
#undef REFUSE
	/* Of a class that is not there, anything goes. */
	p = good;
	p.cls[2].alpha = FAB_ALPHA_MAX + 1;
	EXPECT_EQ(fab_buffer_params_check(&p, 4, 2), 0);
}

/* Reserve, then shared up to the threshold, then headroom, then nothing. */
TEST(order_of_taking_and_giving)
{
	struct fab_buffer_params p = params(100000);
	struct bench t;

	p.cls[0] = (struct fab_account_params) {
		.reserve = 1000, .threshold = 2000, .headroom = 1500,
	};
	bench_init(&t, &p, 1);
	EXPECT_EQ(take(&t, 0, 0, 600), FAB_DROP_COUNT);
	EXPECT_ACCOUNT(&t, 0, 0, 600, 0, 0);
	/* A packet may be in both. */
	EXPECT_EQ(take(&t, 0, 0, 600), FAB_DROP_COUNT);
	EXPECT_ACCOUNT(&t, 0, 0, 1000, 200, 0);
	EXPECT_EQ(take(&t, 0, 0, 1800), FAB_DROP_COUNT);
	EXPECT_ACCOUNT(&t, 0, 0, 1000, 2000, 0);
	EXPECT(fab_buffer_over(&t.b, &t.port[0].cls[0].account));
	EXPECT_EQ(take(&t, 0, 0, 1), FAB_DROP_COUNT);
	EXPECT_EQ(take(&t, 0, 0, 1499), FAB_DROP_COUNT);
	EXPECT_ACCOUNT(&t, 0, 0, 1000, 2000, 1500);
	EXPECT_EQ(take(&t, 0, 0, 1), FAB_DROP_HEADROOM);
	EXPECT_EQ(t.b.used, 4500);
	EXPECT_EQ(t.b.shared, 2000);
	EXPECT_EQ(t.port[0].held, 4500);
	EXPECT_EQ(t.cls[0][0].account.peak, 4500);
	give(&t, 0, 0, 600);
	EXPECT_ACCOUNT(&t, 0, 0, 1000, 2000, 900);
	give(&t, 0, 0, 1800);
	EXPECT_ACCOUNT(&t, 0, 0, 1000, 1100, 0);
	give(&t, 0, 0, 1499);
	EXPECT_ACCOUNT(&t, 0, 0, 601, 0, 0);
	give(&t, 0, 0, 601);
	EXPECT_EQ(t.b.used | t.b.shared | t.port[0].held, 0);
	EXPECT_EQ(t.cls[0][0].account.peak, 4500);
}

/* A packet that does not fit what is left below T goes to the headroom whole. */
TEST(headroom_takes_whole_packets)
{
	struct fab_buffer_params p = params(100000);
	struct bench t;

	p.cls[0] = (struct fab_account_params) {
		.reserve = 1000, .threshold = 2000, .headroom = 1500,
	};
	bench_init(&t, &p, 1);
	take(&t, 0, 0, 900);
	EXPECT_EQ(take(&t, 0, 0, 2101), FAB_DROP_HEADROOM);
	EXPECT_EQ(take(&t, 0, 0, 2100), FAB_DROP_COUNT);
	EXPECT_ACCOUNT(&t, 0, 0, 1000, 2000, 0);
	give(&t, 0, 0, 2100);
	EXPECT_EQ(take(&t, 0, 0, 1000), FAB_DROP_COUNT);
	EXPECT_EQ(take(&t, 0, 0, 1200), FAB_DROP_COUNT);
	EXPECT_ACCOUNT(&t, 0, 0, 1000, 900, 1200);
}

/* Only lossless classes have headroom; the others are dropped, with the reason. */
TEST(lossy_classes)
{
	struct fab_buffer_params p = params(10000);
	struct bench t;

	p.cls[0].threshold = 2000;
	p.cls[0].headroom = 1000;
	p.cls[1].threshold = 20000;
	bench_init(&t, &p, 0);
	EXPECT_EQ(t.b.pool, 6000);
	EXPECT_EQ(take(&t, 0, 0, 2000), FAB_DROP_COUNT);
	EXPECT_EQ(take(&t, 0, 0, 1), FAB_DROP_PORT_LIMIT);
	EXPECT_EQ(take(&t, 0, 1, 4001), FAB_DROP_BUFFER_FULL);
	EXPECT_EQ(take(&t, 0, 1, 4000), FAB_DROP_COUNT);
	EXPECT_EQ(take(&t, 1, 0, 1), FAB_DROP_BUFFER_FULL);
}

/* The share of a port is a limit of the shared part, over its classes. */
TEST(share_of_a_port)
{
	struct fab_buffer_params p = params(10000);
	struct bench t;
	u32 i;

	p.per_port = 3000;
	for (i = 0; i < 2; i++) {
		p.cls[i].reserve = 100;
		p.cls[i].headroom = 500;
		p.cls[i].threshold = 2000;
	}
	bench_init(&t, &p, 1);
	EXPECT_EQ(take(&t, 0, 0, 2100), FAB_DROP_COUNT);
	EXPECT_EQ(take(&t, 0, 1, 1101), FAB_DROP_PORT_LIMIT);
	EXPECT_EQ(take(&t, 0, 1, 1100), FAB_DROP_COUNT);
	EXPECT_EQ(take(&t, 0, 0, 500), FAB_DROP_COUNT);
	EXPECT_ACCOUNT(&t, 0, 0, 100, 2000, 500);
	EXPECT_ACCOUNT(&t, 0, 1, 100, 1000, 0);
	EXPECT_EQ(take(&t, 1, 0, 1500), FAB_DROP_COUNT);
}

/* One port may have a share of its own, with accounts and without. */
static void own_share(bool accounts)
{
	struct fab_buffer_params p = params(10000);
	struct bench t;

	p.accounts = accounts;
	p.per_port = 3000;
	p.cls[0].threshold = 10000;
	bench_init(&t, &p, 0);
	fab_buffer_share(&t.b, &t.port[1], 2000);
	EXPECT_EQ(take(&t, 0, 0, 3000), FAB_DROP_COUNT);
	EXPECT_EQ(take(&t, 1, 0, 2001), FAB_DROP_PORT_LIMIT);
	EXPECT_EQ(take(&t, 1, 0, 2000), FAB_DROP_COUNT);
	fab_buffer_share(&t.b, &t.port[1], 0);
	EXPECT_EQ(take(&t, 1, 0, 1001), FAB_DROP_PORT_LIMIT);
	EXPECT_EQ(take(&t, 1, 0, 1000), FAB_DROP_COUNT);
}

TEST(share_of_one_port)
{
	own_share(true);
	own_share(false);
}

TEST(peaks_are_forgotten)
{
	struct fab_buffer_params p = params(10000);
	struct bench t;

	p.cls[0].threshold = 10000;
	bench_init(&t, &p, 0);
	take(&t, 1, 0, 2000);
	take(&t, 1, 0, 500);
	give(&t, 1, 0, 2000);
	EXPECT_EQ(t.b.peak, 2500);
	EXPECT_EQ(t.port[1].held_peak, 2500);
	EXPECT_EQ(t.cls[1][0].account.peak, 2500);
	fab_buffer_forget(&t.b);
	EXPECT_EQ(t.b.peak, 500);
	EXPECT_EQ(t.port[1].held_peak, 500);
	EXPECT_EQ(t.cls[1][0].account.peak, 500);
	EXPECT_EQ(t.cls[0][0].account.peak, 0);
}

/* XOFF at T and above; XON out of the headroom and xon below T, or at 0. */
TEST(over_and_under)
{
	struct fab_buffer_params p = params(100000);
	struct bench t;

	p.cls[0] = (struct fab_account_params) {
		.reserve = 1000, .threshold = 2000, .headroom = 1500,
		.xon = 300,
	};
	bench_init(&t, &p, 1);
	take(&t, 0, 0, 1000 + 1700);
	EXPECT(!fab_buffer_over(&t.b, &t.port[0].cls[0].account));
	EXPECT(fab_buffer_under(&t.b, &t.port[0].cls[0].account));
	take(&t, 0, 0, 1);
	EXPECT(!fab_buffer_over(&t.b, &t.port[0].cls[0].account));
	EXPECT(!fab_buffer_under(&t.b, &t.port[0].cls[0].account));
	take(&t, 0, 0, 299);
	EXPECT(fab_buffer_over(&t.b, &t.port[0].cls[0].account));
	EXPECT(!fab_buffer_under(&t.b, &t.port[0].cls[0].account));
	give(&t, 0, 0, 299);
	take(&t, 0, 0, 300);
	/* In the headroom, though not at the threshold. */
	EXPECT_ACCOUNT(&t, 0, 0, 1000, 1701, 300);
	EXPECT(fab_buffer_over(&t.b, &t.port[0].cls[0].account));
	give(&t, 0, 0, 301);
	EXPECT(fab_buffer_under(&t.b, &t.port[0].cls[0].account));
	/* An offset above the threshold: only at 0. */
	t.cls[0][0].account.p.xon = 5000;
	EXPECT(!fab_buffer_under(&t.b, &t.port[0].cls[0].account));
	give(&t, 0, 0, 1700);
	EXPECT(fab_buffer_under(&t.b, &t.port[0].cls[0].account));
}

/* Nothing shared and a threshold of 0: the headroom alone decides. */
TEST(reserve_and_headroom_only)
{
	struct fab_buffer_params p = params(100000);
	struct bench t;

	p.cls[0].reserve = 1000;
	p.cls[0].headroom = 1000;
	bench_init(&t, &p, 1);
	take(&t, 0, 0, 1000);
	EXPECT(!fab_buffer_over(&t.b, &t.port[0].cls[0].account));
	EXPECT(fab_buffer_under(&t.b, &t.port[0].cls[0].account));
	take(&t, 0, 0, 1);
	EXPECT(fab_buffer_over(&t.b, &t.port[0].cls[0].account));
	EXPECT(!fab_buffer_under(&t.b, &t.port[0].cls[0].account));
}

TEST(no_accounts_never_over)
{
	struct fab_buffer_params p = { .total = 1000, .per_port = 1000 };
	struct bench t;

	bench_init(&t, &p, 1);
	EXPECT_EQ(take(&t, 0, 0, 1000), FAB_DROP_COUNT);
	EXPECT_EQ(take(&t, 0, 0, 1), FAB_DROP_PORT_LIMIT);
	EXPECT_EQ(take(&t, 1, 0, 1), FAB_DROP_BUFFER_FULL);
	EXPECT(!fab_buffer_over(&t.b, &t.port[0].cls[0].account));
	EXPECT(fab_buffer_under(&t.b, &t.port[0].cls[0].account));
	EXPECT(fab_buffer_limit(&t.b, NULL, 0, &p.cls[0]) == -EINVAL);
}

static u64 dynamic(struct bench *t, s8 alpha)
{
	t->cls[0][0].account.p.dynamic = true;
	t->cls[0][0].account.p.alpha = alpha;
	return fab_buffer_threshold(&t->b, &t->cls[0][0].account);
}

TEST(dynamic_threshold)
{
	struct fab_buffer_params p = params(FAB_BUFFER_MAX);
	struct bench t;

	p.cls[1].threshold = FAB_BUFFER_MAX;
	bench_init(&t, &p, 0);
	EXPECT_EQ(dynamic(&t, 0), FAB_BUFFER_MAX);
	EXPECT_EQ(dynamic(&t, FAB_ALPHA_MAX), BIT_ULL(60));
	EXPECT_EQ(dynamic(&t, FAB_ALPHA_MIN), BIT_ULL(20));
	take(&t, 1, 1, 1 << 30);
	EXPECT_EQ(dynamic(&t, 0), FAB_BUFFER_MAX - (1 << 30));
	EXPECT_EQ(dynamic(&t, -3), (FAB_BUFFER_MAX - (1 << 30)) / 8);
	/* Lowered below what is held: nothing is free. */
	EXPECT_EQ(fab_buffer_resize(&t.b, 1000, 1000), 0);
	EXPECT_EQ(dynamic(&t, 3), 0);
}

/*
 * E3: n classes that always have more, none with headroom, T = alpha times what
 * is free. In each round every one of them offers a packet of L. With
 * alpha B / (1 + n alpha) = m L: the i-th (from 0) of round r has r L after it
 * and finds n (r - 1) + i taken, and gets in if r L <= alpha (B - (n (r - 1) +
 * i) L). With i = n - 1, r = m that is m L <= m L + alpha L: true; with i = 0,
 * r = m + 1 it is (m + 1) L <= m L: false. So each holds m L in the end, and
 * all of them n alpha B / (1 + n alpha), exactly.
 */
static void steady(u32 n, s8 alpha, u32 m, u32 len)
{
	struct fab_switch_params p = net_switch_params(n + 1);
	u64 a = alpha < 0 ? 1 : 1 << alpha, b = alpha < 0 ? 1 << -alpha : 1;
	struct net *net = net_new(n);
	u32 i;

	/* alpha = a / b, so B = m L (b + n a) / a. */
	EXPECT_EQ(m * (b + n * a) % a, 0);
	p.buffer.total = m * (b + n * a) / a * len;
	p.buffer.per_port = p.buffer.total;
	p.buffer.accounts = true;
	p.buffer.cls[0].dynamic = true;
	p.buffer.cls[0].alpha = alpha;
	p.port = pfcnet_port(1, 0);
	p.port.flow.pfc.enable = 0;
	p.port.queue_limit = FAB_QUEUE_MAX;
	net_switch_add(net, 0, &p);
	for (i = 0; i <= n; i++) {
		struct fab_endpoint_params ep = { .port = pfcnet_port(1, 0) };

		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], 100 * GBPS, 10 * NS);
		net_route(net->sw[0], i, i);
	}
	/* The way out is shut: a wire of 1 kb/s sends its first packet. */
	fab_link_set(&net->fab, &net->sw[0]->port[n],
		     &(struct fab_wire_params) {
			.rate_bps = FAB_RATE_MIN, .lanes = 1, .lanes_up = 1,
		     });
	net_send(net, 0, n, len);
	net_run(net, US);
	EXPECT_EQ(net->sw[0]->buffer.used, 0);
	for (i = 0; i < n; i++)
		net_pump(net, i, n, len, 0);
	net_run(net, US + (m + 20) * (len + 24) * 80ULL);
	for (i = 0; i < n; i++)
		EXPECT_EQ(net->sw[0]->port[i].cls[0].account.shared,
			  (u64)m * len);
	EXPECT_EQ(net->sw[0]->buffer.used, (u64)n * m * len);
	EXPECT_NEAR((double)net->sw[0]->buffer.used / p.buffer.total,
		    (double)n * a / (b + n * a), 0.000000001);
	EXPECT(net->drops[FAB_DROP_PORT_LIMIT] >= 10);
	net_free(net);
}

TEST(steady_state)
{
	static const u32 n[] = { 1, 2, 4, 8, 16 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(n); i++) {
		steady(n[i], -3, 20, 1000);
		steady(n[i], 0, 17, 9216);
		steady(n[i], 3, 24, 300);
	}
}

/* Limits are checked as a whole; a class above a new one keeps its bytes. */
TEST(limits_change)
{
	struct fab_account_params small = { .reserve = 10, .threshold = 100 };
	struct fab_account_params huge = { .headroom = 99000 };
	struct fab_buffer_params p = params(100000);
	struct bench t;

	p.cls[0].reserve = 1000;
	p.cls[0].threshold = 5000;
	bench_init(&t, &p, 1);
	take(&t, 1, 0, 4000);
	EXPECT(fab_buffer_limit(&t.b, NULL, 2, &small) == -EINVAL);
	EXPECT(fab_buffer_limit(&t.b, NULL, 0, &huge) == -ENOSPC);
	EXPECT(fab_buffer_limit(&t.b, &t.port[2], 1, &huge) == -ENOSPC);
	huge.alpha = 21;
	EXPECT(fab_buffer_limit(&t.b, &t.port[2], 1, &huge) == -ERANGE);
	EXPECT(fab_buffer_resize(&t.b, 3999, 1) == -ENOSPC);
	EXPECT(fab_buffer_resize(&t.b, FAB_BUFFER_MAX + 1, 1) == -ERANGE);
	EXPECT_EQ(t.b.pool, 96000);
	EXPECT_EQ(t.b.p.total, 100000);

	/* One class of one port. */
	EXPECT_EQ(fab_buffer_limit(&t.b, &t.port[1], 0, &small), 0);
	EXPECT_EQ(t.b.pool, 100000 - 3 * 1000 - 10);
	EXPECT_ACCOUNT(&t, 1, 0, 1000, 3000, 0);
	EXPECT_EQ(take(&t, 1, 0, 1), FAB_DROP_HEADROOM);
	EXPECT_EQ(take(&t, 0, 0, 6000), FAB_DROP_COUNT);
	give(&t, 1, 0, 2999);
	EXPECT_EQ(take(&t, 1, 0, 100), FAB_DROP_HEADROOM);
	EXPECT_EQ(take(&t, 1, 0, 99), FAB_DROP_COUNT);
	give(&t, 1, 0, 1100);
	EXPECT_EQ(take(&t, 1, 0, 110), FAB_DROP_COUNT);
	EXPECT_ACCOUNT(&t, 1, 0, 10, 100, 0);

	/* A class of all ports. */
	EXPECT_EQ(fab_buffer_limit(&t.b, NULL, 0, &small), 0);
	EXPECT_EQ(t.b.pool, 100000 - 4 * 10);
	EXPECT_EQ(t.b.p.cls[0].reserve, 10);
	EXPECT_EQ(t.cls[3][0].account.p.threshold, 100);

	/* The size: bytes that are held stay, and no packet is admitted. */
	EXPECT_EQ(fab_buffer_resize(&t.b, 5000, 5000), 0);
	EXPECT_EQ(t.b.pool, 4960);
	EXPECT_EQ(t.b.used, 6110);
	EXPECT_EQ(take(&t, 2, 0, 1), FAB_DROP_BUFFER_FULL);
	give(&t, 0, 0, 2000);
	EXPECT_EQ(take(&t, 2, 0, 1), FAB_DROP_COUNT);
}

/* A held way out, class 1 of port 0 in its headroom, class 0 below T. */
static struct net *busy(void)
{
	struct fab_switch_params p = pfcnet_switch(2, 2, 5000, 1 << 20);
	struct fab_endpoint_params ep = { .port = pfcnet_port(2, 0) };
	struct net *net = net_new(1);
	struct fab_pkt pkt = { .len = 1000, .segs = 1, .dst = 1 };
	u32 i;

	p.buffer.cls[0].reserve = 500;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++) {
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], 100 * GBPS, 10 * NS);
		net_route(net->sw[0], i, i);
	}
	for (i = 0; i < 2; i++)
		pfcnet_hold(net, &net->sw[0]->port[1], i, U16_MAX);
	for (i = 0; i < 10; i++) {
		pkt.cls = i % 3 > 0;
		EXPECT_EQ(net_give(net->node[0], &pkt), 0);
	}
	net_run(net, 10 * US);
	return net;
}

TEST(invariants)
{
	struct net *net = busy();
	struct fab_buffer *b = &net->sw[0]->buffer;
	struct fab_class *c = net->sw[0]->port[0].cls;
	struct fab_pkt *pkt = net->sw[0]->port[1].cls[0].fifo[0].head;

	EXPECT_EQ(c[0].account.reserved, 500);
	EXPECT_EQ(c[0].account.shared, 3500);
	EXPECT_EQ(c[1].account.headroom, 1000);
	EXPECT_EQ(b->shared, 8500);
	PFCNET_BREAK(c[0].account.shared, 3499,
		     "buffer: what the classes hold is not what the port holds");
	PFCNET_BREAK(c[0].account.p.reserve, 499,
		     "buffer: a class holds more than its reserve");
	PFCNET_BREAK(c[1].account.p.headroom, 999,
		     "buffer: a class holds more than its headroom");
	PFCNET_BREAK(b->p.per_port, 8499, "buffer: a port holds more than its share");
	PFCNET_BREAK(b->shared, 8501,
		     "buffer: what is shared is not what the classes hold");
	PFCNET_BREAK(b->pool, 8499, "buffer: more shared than there is");
	PFCNET_BREAK(b->limit, 9999, "buffer: more used than there is");
	PFCNET_BREAK(pkt->cls_in, 1, "buffer: accounted at the wrong class");
	net_free(net);
}

/* The receive buffer of an endpoint, with the same accounts. */
TEST(invariants_of_a_nic)
{
	struct fab_endpoint_params p = pfcnet_host(2, 5000, 1 << 20);
	struct net *net = net_new(1);
	struct fab_account *a;
	u32 i;

	p.rx.stopped = 3;
	for (i = 0; i < 2; i++)
		net_node_add(net, i, &p);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port,
		 100 * GBPS, 0);
	for (i = 0; i < 7; i++)
		net_send(net, 0, 1, 1000);
	net_run(net, 10 * US);
	a = &net->node[1]->ep.port.cls[0].account;
	EXPECT_EQ(a->shared, 5000);
	EXPECT_EQ(a->headroom, 1000);
	PFCNET_BREAK(net->node[1]->ep.rx.queue[0].head->cls_in, 1,
		     "buffer: accounted at the wrong class");
	PFCNET_BREAK(a->p.headroom, 999,
		     "buffer: a class holds more than its headroom");
	net_free(net);
}

/* Limits below the occupancy are no violation, and apply to new packets. */
TEST(limits_change_under_load)
{
	struct fab_account_params small = { .reserve = 10, .threshold = 10 };
	struct net *net = busy();
	struct fab_buffer *b = &net->sw[0]->buffer;
	u32 i;

	for (i = 0; i < 2; i++) {
		EXPECT_EQ(fab_buffer_limit(b, NULL, i, &small), 0);
		EXPECT_NULL_STR(fab_check(&net->fab));
	}
	EXPECT_EQ(fab_buffer_resize(b, 5000, 100), 0);
	EXPECT_EQ(b->used, 10000);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_send(net, 0, 1, 1000);
	net_drain(net);
	EXPECT_EQ(net->fab.c.packets_dropped, 1);
	EXPECT_EQ(net->node[1]->rx, 10);
	EXPECT_EQ(b->used, 0);
	net_free(net);
}
