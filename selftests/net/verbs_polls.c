// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long polls of completion queues wait on the virtual clock, where nothing else
 * takes time. Two queue pairs of one device write to each other through the loop of
 * the NIC.
 *
 * usage: verbs_polls			the names of the tests, one a line
 *        verbs_polls DEVICE GID_INDEX N	run test number N, from 0 on
 *
 * The rules are those of the page Documentation/model/rdma-host.rst.
 */
#include <stddef.h>
#include <time.h>

#include "verbs_pair.h"

#define REQUESTS	10
#define SHORT		20	/* ns */

static struct end a, b;

/* An empty poll: how many tenths of a microsecond does it wait? */
static int64_t empty(struct ibv_cq *cq)
{
	int64_t begin = now();
	struct ibv_wc wc;

	WANT(!ibv_poll_cq(cq, 1, &wc));
	return (now() - begin) / 100;
}

/* Take what earlier completions have left. */
static void use_up(struct ibv_cq *cq)
{
	int i;

	for (i = 0; i < 10000 && !empty(cq); i++)
		;
	WANT(i < 10000);
}

static void finish(int n)
{
	const struct timespec enough = { .tv_nsec = 1000000 };
	int i;

	for (i = 0; i < n; i++)
		WANT(!remote(&a, IBV_WR_RDMA_WRITE, i, 0, 64, HALF));
	nanosleep(&enough, NULL);
}

/* One wait is 1 us, and each further one half a microsecond longer. */
static void test_waits(void)
{
	int64_t first;
	int i;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	finish(1);
	WANT(next(a.scq).status == IBV_WC_SUCCESS);
	use_up(a.scq);
	first = empty(a.scq);
	for (i = 1; i < 20; i++)
		WANT(empty(a.scq) == first + 5 * i);
}

/* A program takes as many completions as there are, and polls once for each. */
static void test_free(void)
{
	struct ibv_wc wc[2 * REQUESTS];
	int64_t begin;
	int i;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	use_up(a.scq);
	finish(REQUESTS);
	begin = now();
	WANT(ibv_poll_cq(a.scq, 2 * REQUESTS, wc) == REQUESTS);
	for (i = 0; i < REQUESTS; i++)
		WANT(!empty(a.scq));
	WANT(now() - begin >= SHORT * REQUESTS && now() - begin < 2 * SHORT * REQUESTS);
	WANT(empty(a.scq) == 10);
}

static const struct test tests[] = {
	{ "polls that find nothing wait longer each time", test_waits },
	{ "for each completion one poll hardly waits", test_free },
};

int main(int argc, char **argv)
{
	return run_test(argc, argv, open_loop, tests,
			sizeof(tests) / sizeof(*tests));
}
