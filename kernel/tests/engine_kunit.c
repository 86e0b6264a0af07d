// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the engine around a model of two endpoints, without netdevs.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/slab.h>

#include "fabric/engine.h"

#define ENGINE_RATE	100000000000ULL		/* 100 Gb/s: 80 ps a byte */
#define ENGINE_DELAY	10000			/* ps */

/**
 * struct engine_ctx - context of a test
 */
struct engine_ctx {
	/** @f: the fabric */
	struct weft_fabric *f;
	/** @ep: its endpoints */
	struct fab_endpoint *ep;
	/** @ev: an event of the test */
	struct fab_event ev;
	/** @runs: number of times that @ev was executed */
	u32 runs;
	/** @delivered: number of packets delivered */
	u32 delivered;
	/** @at: fabric time of the last delivery */
	fab_time at;
};

static struct engine_ctx *engine_ctx;

static void engine_deliver(struct fab_endpoint *ep, struct fab_pkt *pkt)
{
	engine_ctx->delivered++;
	engine_ctx->at = engine_ctx->f->fab.now;
}

static void engine_drop(struct fab *fab, struct fab_port *port,
			struct fab_pkt *pkt, enum fab_drop why)
{
}

static struct fab_pkt *engine_clone(struct fab *fab, const struct fab_pkt *pkt)
{
	return NULL;
}

static void engine_wake(struct fab_endpoint *ep, u8 cls)
{
}

static const struct fab_host_ops engine_host = {
	.deliver = engine_deliver,
	.drop = engine_drop,
	.clone = engine_clone,
	.tx_wake = engine_wake,
};

static void engine_endpoints(struct kunit *test, struct engine_ctx *ctx)
{
	struct fab_wire_params wire = { .rate_bps = ENGINE_RATE,
					.propagation = ENGINE_DELAY,
					.lanes = 1, .lanes_up = 1 };
	struct fab_endpoint_params *p;
	void *mem;
	u32 i;

	p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	p->port.classes = 1;
	p->port.queue_limit = 65536;
	p->port.sched.quantum = 1;
	p->port.disc = fab_discipline_find("drop-tail");
	KUNIT_ASSERT_NOT_NULL(test, p->port.disc);
	ctx->ep = kunit_kcalloc(test, 2, sizeof(*ctx->ep), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->ep);
	for (i = 0; i < 2; i++) {
		mem = kunit_kzalloc(test, fab_endpoint_mem(p), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, mem);
		fab_endpoint_init(&ctx->f->fab, &ctx->ep[i], i, p, mem);
	}
	KUNIT_ASSERT_EQ(test, fab_link_join(&ctx->f->fab, &ctx->ep[0].port,
					    &ctx->ep[1].port, &wire, &wire), 0);
}

static int engine_init(struct kunit *test)
{
	struct engine_ctx *ctx;

	ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx);
	ctx->f = kunit_kzalloc(test, sizeof(*ctx->f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->f);
	ctx->f->p.dilation = 1;
	fab_init(&ctx->f->fab, &engine_host, 1);
	ctx->f->fab.late_bound = 1000;
	weft_engine_init(ctx->f);
	engine_ctx = ctx;
	test->priv = ctx;
	engine_endpoints(test, ctx);
	return 0;
}

static void engine_exit(struct kunit *test)
{
	struct engine_ctx *ctx = test->priv;

	/* KUnit calls this even if init failed before it set test->priv. */
	if (ctx)
		weft_engine_stop(ctx->f);
}

static fab_time engine_run(struct engine_ctx *ctx, fab_time now)
{
	fab_time next;

	spin_lock_bh(&ctx->f->lock);
	next = weft_engine_run(ctx->f, now, NSEC_PER_MSEC);
	spin_unlock_bh(&ctx->f->lock);
	return next;
}

/* One-way time is serialisation and propagation: 1000 * 80 ps + 10 ns. */
static void engine_one_way(struct kunit *test)
{
	struct fab_pkt pkt = { .len = 1000, .segs = 1, .dst = 1 };
	struct engine_ctx *ctx = test->priv;
	fab_time next;

	engine_run(ctx, 5000);
	KUNIT_EXPECT_EQ(test, fab_endpoint_send(&ctx->f->fab, &ctx->ep[0],
						&pkt), 0);
	next = engine_run(ctx, 5000);
	KUNIT_EXPECT_LE(test, next, 95000);
	KUNIT_EXPECT_EQ(test, engine_run(ctx, 94999), 95000);
	KUNIT_EXPECT_EQ(test, ctx->delivered, 0);
	KUNIT_EXPECT_EQ(test, engine_run(ctx, 95000), FAB_NEVER);
	KUNIT_EXPECT_EQ(test, ctx->delivered, 1);
	KUNIT_EXPECT_EQ(test, ctx->at, 95000);
	KUNIT_EXPECT_NULL(test, fab_check(&ctx->f->fab));
}

/* A late engine computes the same result later. */
static void engine_late(struct kunit *test)
{
	struct fab_pkt pkt = { .len = 1000, .segs = 1, .dst = 1 };
	struct engine_ctx *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, fab_endpoint_send(&ctx->f->fab, &ctx->ep[0],
						&pkt), 0);
	engine_run(ctx, 0);
	KUNIT_EXPECT_EQ(test, ctx->f->fab.late_events, 0);
	engine_run(ctx, 90000 + 1001);
	KUNIT_EXPECT_EQ(test, ctx->at, 90000);
	KUNIT_EXPECT_EQ(test, ctx->f->fab.late_events, 1);
	KUNIT_EXPECT_EQ(test, fab_lateness(&ctx->f->fab)->count,
			ctx->f->fab.c.events);
	KUNIT_EXPECT_EQ(test, ctx->f->fab.now, 90000 + 1001);
}

static void engine_spin(struct fab *fab, struct fab_event *ev)
{
	struct engine_ctx *ctx = container_of(ev, struct engine_ctx, ev);

	ctx->runs++;
	fab_event_schedule(&fab->events, ev, fab->now + 1);
}

/* An endless chain of events does not keep the CPU: the engine stops before its end. */
static void engine_budget(struct kunit *test)
{
	struct engine_ctx *ctx = test->priv;
	fab_time next;
	u32 runs;

	fab_event_init(&ctx->ev, engine_spin);
	fab_event_schedule(&ctx->f->fab.events, &ctx->ev, 0);
	next = engine_run(ctx, 1000000);
	KUNIT_EXPECT_LT(test, next, 1000000);
	KUNIT_EXPECT_EQ(test, ctx->runs, next);
	KUNIT_EXPECT_LT(test, ctx->f->fab.now, next);
	runs = ctx->runs;
	engine_run(ctx, 1000000);
	KUNIT_EXPECT_GT(test, ctx->runs, runs);
}

/* An event that takes 1 us, even on a clock that does not advance while code runs. */
static void engine_work(struct fab *fab, struct fab_event *ev)
{
	udelay(1);
	engine_spin(fab, ev);
}

/* A turn ends at its time limit, or at most a slice of events later. */
static void engine_turn(struct kunit *test)
{
	struct engine_ctx *ctx = test->priv;

	fab_event_init(&ctx->ev, engine_work);
	fab_event_schedule(&ctx->f->fab.events, &ctx->ev, 0);
	KUNIT_EXPECT_LT(test, engine_run(ctx, 1000000), 1000000);
	KUNIT_EXPECT_GE(test, ctx->runs, 64);
	KUNIT_EXPECT_LE(test, ctx->runs, 1000 + 2 * 64);
}

static struct kunit_case engine_cases[] = {
	KUNIT_CASE(engine_one_way),
	KUNIT_CASE(engine_late),
	KUNIT_CASE(engine_budget),
	KUNIT_CASE(engine_turn),
	{}
};

static struct kunit_suite engine_suite = {
	.name = "weft_engine",
	.init = engine_init,
	.exit = engine_exit,
	.test_cases = engine_cases,
};

kunit_test_suite(engine_suite);
