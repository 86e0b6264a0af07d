// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: directed routes. The unit is included, as weft_rdma exports nothing.
 */
#include <kunit/test.h>
#include <rdma/ib_smi.h>

#include "rdma/agent/walk.c"

#define WALK_PORTS	36
#define WALK_LID	0x1234

/* A request of @hops hops by port 2 of each switch, as it leaves its sender. */
static struct ib_smp walk_request(u8 hops)
{
	struct ib_smp smp = {
		.hop_cnt = hops,
		.hop_ptr = 1,
		.dr_slid = IB_LID_PERMISSIVE,
		.dr_dlid = IB_LID_PERMISSIVE,
	};

	memset(smp.initial_path, 2, sizeof(smp.initial_path));
	return smp;
}

/* Switch i of the way has its ingress port i. Each hop but the last is a switch's. */
static void walk_there_and_back(struct kunit *test)
{
	struct ib_smp smp = walk_request(63);
	struct weft_walk w;
	u8 i;

	for (i = 1; i < 63; i++) {
		KUNIT_EXPECT_EQ(test, smp.hop_ptr, i);
		w = weft_walk_arrive(&smp, i, 63);
		KUNIT_ASSERT_EQ(test, (int)w.to, (int)WEFT_WALK_PORT);
		KUNIT_EXPECT_EQ(test, w.port, 2);
	}
	w = weft_walk_arrive(&smp, 63, 63);
	KUNIT_ASSERT_EQ(test, (int)w.to, (int)WEFT_WALK_HERE);
	w = weft_walk_reply(&smp, 63);
	for (i = 63; i > 1; i--) {
		KUNIT_ASSERT_EQ(test, (int)w.to, (int)WEFT_WALK_PORT);
		KUNIT_EXPECT_EQ(test, w.port, i);
		KUNIT_EXPECT_EQ(test, smp.hop_ptr, i);
		w = weft_walk_arrive(&smp, 2, 63);
	}
	KUNIT_EXPECT_EQ(test, w.port, 1);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 1);
	KUNIT_EXPECT_EQ(test, smp.status, IB_SMP_DIRECTION);
}

/* From a LID to the first switch, by one hop to the second one, and to a LID. */
static void walk_lids_at_both_ends(struct kunit *test)
{
	struct ib_smp smp = walk_request(1);
	struct weft_walk w;

	smp.hop_ptr = 0;
	smp.dr_slid = cpu_to_be16(WALK_LID);
	smp.dr_dlid = cpu_to_be16(WALK_LID + 1);
	w = weft_walk_arrive(&smp, 9, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_PORT);
	KUNIT_EXPECT_EQ(test, w.port, 2);
	w = weft_walk_arrive(&smp, 5, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_LID);
	KUNIT_EXPECT_EQ(test, w.lid, WALK_LID + 1);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 2);

	/* The adapter sends its response back to the LID of the second switch. */
	smp.status = IB_SMP_DIRECTION;
	w = weft_walk_arrive(&smp, 7, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_PORT);
	KUNIT_EXPECT_EQ(test, w.port, 5);
	w = weft_walk_arrive(&smp, 2, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_LID);
	KUNIT_EXPECT_EQ(test, w.lid, WALK_LID);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 0);
}

/* A switch at the LID where the directed part went on, after the most hops. */
static void walk_switch_at_a_lid(struct kunit *test)
{
	struct ib_smp smp = walk_request(63);
	struct weft_walk w;

	smp.hop_ptr = 63;
	smp.dr_dlid = cpu_to_be16(WALK_LID);
	w = weft_walk_arrive(&smp, 5, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_LID);
	w = weft_walk_arrive(&smp, 9, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_HERE);
	w = weft_walk_reply(&smp, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_BACK);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 64);

	w = weft_walk_arrive(&smp, 7, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_PORT);
	KUNIT_EXPECT_EQ(test, w.port, 5);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 63);
}

/* A directed part without a hop: to a switch by its LID, and back. */
static void walk_no_hop(struct kunit *test)
{
	struct ib_smp smp = walk_request(0);
	struct weft_walk w;

	smp.hop_ptr = 0;
	smp.dr_slid = cpu_to_be16(WALK_LID);
	w = weft_walk_arrive(&smp, 9, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_HERE);
	KUNIT_EXPECT_EQ(test, smp.return_path[0], 0);
	w = weft_walk_reply(&smp, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_LID);
	KUNIT_EXPECT_EQ(test, w.lid, WALK_LID);
}

/**
 * struct walk_bad - a route that is discarded
 */
struct walk_bad {
	/** @what: what is wrong */
	const char *what;
	/** @hop_cnt: HopCount */
	u8 hop_cnt;
	/** @hop_ptr: HopPointer */
	u8 hop_ptr;
	/** @port: entry of both paths */
	u8 port;
	/** @back: it is a response */
	bool back;
};

static const struct walk_bad walk_bad[] = {
	{ "count 64", 64, 1, 2, false },
	{ "count 255", 255, 1, 2, false },
	{ "count 64, back", 64, 3, 2, true },
	{ "pointer beyond count", 3, 4, 2, false },
	{ "pointer 255", 3, 255, 2, false },
	{ "port 0", 3, 1, 0, false },
	{ "no such port", 3, 1, WALK_PORTS + 1, false },
	{ "pointer 0, back", 3, 0, 2, true },
	{ "pointer beyond count + 1, back", 3, 5, 2, true },
	{ "port 0, back", 3, 3, 0, true },
	{ "no such port, back", 3, 3, WALK_PORTS + 1, true },
	{ "at the end of the way back", 3, 1, 2, true },
};

static void walk_bad_name(const struct walk_bad *b, char *name)
{
	strscpy(name, b->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(walk_bad, walk_bad, walk_bad_name);

static void walk_discards(struct kunit *test)
{
	const struct walk_bad *b = test->param_value;
	struct ib_smp smp = walk_request(b->hop_cnt);
	struct weft_walk w;

	smp.hop_ptr = b->hop_ptr;
	smp.status = b->back ? IB_SMP_DIRECTION : 0;
	memset(smp.initial_path, b->port, sizeof(smp.initial_path));
	memset(smp.return_path, b->port, sizeof(smp.return_path));
	w = weft_walk_arrive(&smp, 1, WALK_PORTS);
	KUNIT_EXPECT_EQ(test, (int)w.to, (int)WEFT_WALK_DROP);
}

static struct kunit_case walk_cases[] = {
	KUNIT_CASE(walk_there_and_back),
	KUNIT_CASE(walk_lids_at_both_ends),
	KUNIT_CASE(walk_switch_at_a_lid),
	KUNIT_CASE(walk_no_hop),
	KUNIT_CASE_PARAM(walk_discards, walk_bad_gen_params),
	{}
};

static struct kunit_suite walk_suite = {
	.name = "weft_walk",
	.test_cases = walk_cases,
};

kunit_test_suite(walk_suite);
