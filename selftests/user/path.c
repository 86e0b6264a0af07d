// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The critical path of workloads whose times are set here, so that each part is plain.
 */
#include "workload/workload_path.h"

#include <string.h>

#include "ktap.h"

#define NS	1000ULL

/* A message from a node to another one, from @start to @end ns; alone it takes @ideal. */
static uint32_t add(struct weft_work *w, uint32_t from, uint32_t to, uint64_t start,
		    uint64_t end, uint64_t ideal)
{
	const struct weft_message like = {
		.from = from, .to = to, .bytes = from != to, .start = start * NS,
		.end = end * NS, .ideal = ideal * NS,
	};
	struct weft_err err = { 0 };

	if (!weft_work_add(w, &like, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	return w->messages - 1;
}

static void wait_for(struct weft_work *w, uint32_t m)
{
	struct weft_err err = { 0 };

	if (weft_work_wait(w, m, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
}

static struct weft_work_path path_of(const struct weft_work *w, uint32_t job)
{
	struct weft_work_path p;
	struct weft_err err = { 0 };

	if (weft_work_path(w, job, &p, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	return p;
}

static void expect_parts(const struct weft_work_path *p, uint64_t computing, uint64_t alone,
			 uint64_t longer, uint64_t held)
{
	EXPECT_EQ(p->computing, computing * NS);
	EXPECT_EQ(p->alone, alone * NS);
	EXPECT_EQ(p->longer, longer * NS);
	EXPECT_EQ(p->held, held * NS);
}

/*
 * 0 and 1 end at 10 and 30; 2 waits for both, computes 5 and starts 2 late, at 37. Then a
 * node works for 3. The other chain is 4 alone, which ends at 50 and is on no path.
 */
TEST(path_of_waits)
{
	struct weft_work w = { 0 };
	struct weft_work_path p;

	add(&w, 0, 2, 0, 10, 10);
	add(&w, 1, 2, 4, 30, 20);
	add(&w, 2, 3, 37, 57, 20);
	w.message[2].delay = 5 * NS;
	wait_for(&w, 0);
	wait_for(&w, 1);
	add(&w, 3, 3, 60, 60, 0);
	w.message[3].delay = 3 * NS;
	wait_for(&w, 2);
	add(&w, 4, 5, 0, 50, 1);
	p = path_of(&w, WEFT_ALL_JOBS);
	EXPECT_EQ(p.n, 3);
	EXPECT_EQ(p.message[0], 1);
	EXPECT_EQ(p.message[1], 2);
	EXPECT_EQ(p.message[2], 3);
	EXPECT_EQ(p.moves, 2);
	expect_parts(&p, 5 + 3, 20 + 20, 6, 4 + 2);
	EXPECT_EQ(p.worst.from, 1);
	EXPECT_EQ(p.worst.to, 2);
	EXPECT_EQ(p.worst.longer, 6 * NS);
	weft_work_path_free(&p);
	weft_work_free(&w);
}

/* One that took less than its ideal, as its estimate may be: nothing is negative. */
TEST(path_shorter_than_ideal)
{
	struct weft_work w = { 0 };
	struct weft_work_path p;

	add(&w, 0, 1, 0, 10, 12);
	p = path_of(&w, WEFT_ALL_JOBS);
	expect_parts(&p, 0, 10, 0, 0);
	EXPECT_EQ(p.worst.longer, 0);
	weft_work_path_free(&p);
	weft_work_free(&w);
}

/* Losses of two nodes add up: 2 times 3 is more than 5. */
TEST(path_worst_pair)
{
	struct weft_work w = { 0 };
	struct weft_work_path p;

	add(&w, 7, 8, 0, 13, 10);
	add(&w, 8, 9, 13, 28, 10);
	wait_for(&w, 0);
	add(&w, 7, 8, 28, 41, 10);
	wait_for(&w, 1);
	p = path_of(&w, WEFT_ALL_JOBS);
	EXPECT_EQ(p.n, 3);
	EXPECT_EQ(p.worst.from, 7);
	EXPECT_EQ(p.worst.to, 8);
	EXPECT_EQ(p.worst.longer, 6 * NS);
	weft_work_path_free(&p);
	weft_work_free(&w);
}

/*
 * Two reductions of three nodes. In the first, node 2 brings its part last, at 20, after it
 * has computed 12; in the second node 0, at 60. Another group is on no path.
 */
TEST(path_of_reductions)
{
	static const uint64_t first[] = { 1, 2, 20 }, second[] = { 60, 45, 41 };
	struct weft_work w = { 0 };
	struct weft_work_path p;

	for (uint32_t i = 0; i < 3; i++) {
		add(&w, i, i, first[i], 40, 15);
		w.message[i].group = 1;
	}
	w.message[2].delay = 12 * NS;
	for (uint32_t i = 0; i < 3; i++) {
		add(&w, i, i, second[i], 80 + i, 15);
		w.message[3 + i].group = 1;
		wait_for(&w, i);
	}
	add(&w, 9, 9, 70, 75, 5);
	w.message[6].group = 2;
	p = path_of(&w, WEFT_ALL_JOBS);
	EXPECT_EQ(p.n, 2);
	/* The end is that of node 2, the parts are those of nodes 2 and 0. */
	EXPECT_EQ(p.message[0], 2);
	EXPECT_EQ(p.message[1], 3);
	expect_parts(&p, 12, 15 + 15, 5 + 7, 8 + 20);
	weft_work_path_free(&p);
	weft_work_free(&w);
}

/* A path for each job; none of what has not ended, which was not started either. */
TEST(path_of_jobs)
{
	struct weft_work w = { 0 };
	struct weft_work_path p;

	add(&w, 0, 1, 0, 10, 10);
	add(&w, 2, 3, 0, 20, 10);
	w.message[1].job = 1;
	add(&w, 4, 5, 0, 0, 10);
	w.message[2].job = 2;
	w.message[2].start = WEFT_NOT_YET;
	w.message[2].end = WEFT_NOT_YET;
	p = path_of(&w, 0);
	expect_parts(&p, 0, 10, 0, 0);
	weft_work_path_free(&p);
	p = path_of(&w, 1);
	expect_parts(&p, 0, 10, 10, 0);
	weft_work_path_free(&p);
	p = path_of(&w, 2);
	EXPECT_EQ(p.n, 0);
	expect_parts(&p, 0, 0, 0, 0);
	weft_work_path_free(&p);
	weft_work_free(&w);
}
