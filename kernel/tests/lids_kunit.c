// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: LIDs, and the routes that follow from forwarding tables.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#include "fabric/fabric.h"
#include "fabric/lids.h"
#include "fabric/switch.h"

#define LIDS_NICS	4
#define LIDS_PORTS	8
#define LIDS_ALL	BIT(WEFT_MANAGED_LMC)

/**
 * struct lids_ctx - context of a test
 */
struct lids_ctx {
	/** @f: a fabric with a subnet manager */
	struct weft_fabric *f;
	/** @sw: its switch */
	struct weft_switch *sw;
};

static const struct fab_host_ops lids_host;

static void lids_switch(struct kunit *test, struct lids_ctx *ctx)
{
	struct fab_switch_params p = {
		.ports = LIDS_PORTS, .groups = LIDS_PORTS,
		.dsts = LIDS_NICS, .lmc = WEFT_MANAGED_LMC,
	};

	p.port.classes = 1;
	p.port.queue_limit = 65536;
	p.port.sched.quantum = 1;
	p.port.disc = fab_discipline_find("drop-tail");
	KUNIT_ASSERT_NOT_NULL(test, p.port.disc);
	ctx->sw = kunit_kzalloc(test, sizeof(*ctx->sw) + fab_switch_mem(&p),
				GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->sw);
	ctx->sw->fabric = ctx->f;
	fab_switch_init(&ctx->f->fab, &ctx->sw->sw, 0, &p, ctx->sw->mem);
	fab_switch_enter(&ctx->f->fab, &ctx->sw->sw);
	KUNIT_ASSERT_EQ(test, weft_lft_create(ctx->sw), 0);
}

static int lids_init(struct kunit *test)
{
	struct lids_ctx *ctx;

	ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx);
	ctx->f = kunit_kzalloc(test, sizeof(*ctx->f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->f);
	ctx->f->p.max_nics = LIDS_NICS;
	spin_lock_init(&ctx->f->lock);
	fab_init(&ctx->f->fab, &lids_host, 1);
	KUNIT_ASSERT_EQ(test, weft_lids_create(ctx->f), 0);
	test->priv = ctx;
	lids_switch(test, ctx);
	return 0;
}

static void lids_exit(struct kunit *test)
{
	struct lids_ctx *ctx = test->priv;

	/* KUnit calls this even if init failed before it set test->priv. */
	if (!ctx)
		return;
	if (ctx->sw)
		weft_lft_destroy(ctx->sw);
	weft_lids_destroy(ctx->f);
}

static void lids_set(struct lids_ctx *ctx, u32 dst, u16 lid, u8 lmc)
{
	spin_lock_bh(&ctx->f->lock);
	weft_lids_set(ctx->f, dst, lid, lmc);
	spin_unlock_bh(&ctx->f->lock);
}

/* LIDs 0 to 63 leave by port lid % 8, from 0 on, up to @top. */
static void lids_tables(struct kunit *test, struct lids_ctx *ctx, u16 top)
{
	u8 ports[WEFT_LFT_BLOCK];
	u32 i;

	for (i = 0; i < WEFT_LFT_BLOCK; i++)
		ports[i] = i % LIDS_PORTS + 1;
	spin_lock_bh(&ctx->f->lock);
	weft_lft_set_top(ctx->sw, top);
	KUNIT_EXPECT_EQ(test, weft_lft_set(ctx->sw, 0, ports), 0);
	spin_unlock_bh(&ctx->f->lock);
}

/* The port of a path to a number, or -1. */
static int lids_port(struct lids_ctx *ctx, u32 dst, u32 path)
{
	const struct fab_group *g;

	g = fab_route_get_path(&ctx->sw->sw.route, dst, path);
	return g ? g->member[0] : -1;
}

/* Who has a LID, or -1. */
static int lids_owner(struct lids_ctx *ctx, u16 lid)
{
	u32 dst, hash;
	bool found;

	spin_lock_bh(&ctx->f->lock);
	found = weft_lids_find(ctx->f, lid, &dst, &hash);
	spin_unlock_bh(&ctx->f->lock);
	return found ? (int)dst : -1;
}

/* 2^lmc LIDs stand for eight paths: path p leaves as LID first + p mod 2^lmc does. */
static void lids_paths(struct kunit *test)
{
	struct lids_ctx *ctx = test->priv;
	u32 path, lmc;

	lids_tables(test, ctx, 63);
	for (lmc = 0; lmc <= WEFT_MANAGED_LMC; lmc++) {
		lids_set(ctx, 0, 16, lmc);
		for (path = 0; path < LIDS_ALL; path++)
			KUNIT_EXPECT_EQ(test, lids_port(ctx, 0, path),
					(int)(path % BIT(lmc)));
	}
	lids_set(ctx, 0, 0, 0);
	for (path = 0; path < LIDS_ALL; path++)
		KUNIT_EXPECT_EQ(test, lids_port(ctx, 0, path), -1);
	KUNIT_EXPECT_EQ(test, lids_owner(ctx, 16), -1);
}

/* Only the paths of LIDs up to the top have a port. */
static void lids_top(struct kunit *test)
{
	struct lids_ctx *ctx = test->priv;
	u32 path;

	lids_set(ctx, 0, 8, WEFT_MANAGED_LMC);
	lids_tables(test, ctx, 12);
	for (path = 0; path < LIDS_ALL; path++)
		KUNIT_EXPECT_EQ(test, lids_port(ctx, 0, path),
				8 + path <= 12 ? (int)path : -1);
	lids_tables(test, ctx, 63);
	for (path = 0; path < LIDS_ALL; path++)
		KUNIT_EXPECT_EQ(test, lids_port(ctx, 0, path), (int)path);
}

/* Another number takes one of eight LIDs: the other seven keep their ports. */
static void lids_overlap(struct kunit *test)
{
	struct lids_ctx *ctx = test->priv;
	u32 path;

	lids_set(ctx, 0, 8, WEFT_MANAGED_LMC);
	lids_set(ctx, 1, 10, 0);
	lids_tables(test, ctx, 63);
	for (path = 0; path < LIDS_ALL; path++) {
		KUNIT_EXPECT_EQ(test, lids_owner(ctx, 8 + path), path == 2);
		if (path != 2)
			KUNIT_EXPECT_EQ(test, lids_port(ctx, 0, path), (int)path);
	}
	KUNIT_EXPECT_EQ(test, lids_port(ctx, 1, 0), 2);
	lids_set(ctx, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, lids_owner(ctx, 8), -1);
	KUNIT_EXPECT_EQ(test, lids_owner(ctx, 10), 1);
}

/* LIDs that do not exist are none: those of before are gone. */
static void lids_range(struct kunit *test)
{
	struct lids_ctx *ctx = test->priv;

	lids_tables(test, ctx, 63);
	lids_set(ctx, 0, 8, WEFT_MANAGED_LMC);
	lids_set(ctx, 0, WEFT_LIDS - 1, 1);
	KUNIT_EXPECT_EQ(test, lids_owner(ctx, 8), -1);
	KUNIT_EXPECT_EQ(test, lids_owner(ctx, WEFT_LIDS - 1), -1);
	KUNIT_EXPECT_EQ(test, lids_port(ctx, 0, 0), -1);
	lids_set(ctx, 0, WEFT_LIDS - 1, 0);
	KUNIT_EXPECT_EQ(test, lids_owner(ctx, WEFT_LIDS - 1), 0);
}

static struct kunit_case lids_cases[] = {
	KUNIT_CASE(lids_paths),
	KUNIT_CASE(lids_top),
	KUNIT_CASE(lids_overlap),
	KUNIT_CASE(lids_range),
	{}
};

static struct kunit_suite lids_suite = {
	.name = "weft_lids",
	.init = lids_init,
	.exit = lids_exit,
	.test_cases = lids_cases,
};

kunit_test_suite(lids_suite);
