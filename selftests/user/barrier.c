// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A barrier: nobody leaves before all have come, round by round.
 */
#include "base/barrier.h"

#include <pthread.h>

#include "ktap.h"

#define THREADS	5	/* more than CPUs, on a small machine: some have to sleep */
#define ROUNDS	500

static struct weft_barrier barrier;
/* Without atomics, as the barrier orders them. */
static int rounds[THREADS], wrong[THREADS];

/* Between two meetings of all, nobody writes. */
static void look(int me, int round)
{
	for (int i = 0; i < THREADS; i++)
		wrong[me] += rounds[i] != round;
}

static void *run(void *arg)
{
	int me = (int)((int *)arg - rounds);

	for (int i = 1; i <= ROUNDS; i++) {
		rounds[me] = i;
		weft_barrier_wait(&barrier);
		look(me, i);
		weft_barrier_wait(&barrier);
	}
	return NULL;
}

TEST(threads)
{
	pthread_t thread[THREADS];

	weft_barrier_init(&barrier, THREADS);
	for (int i = 0; i < THREADS; i++)
		EXPECT_EQ(pthread_create(&thread[i], NULL, run, &rounds[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		EXPECT_EQ(pthread_join(thread[i], NULL), 0);
		EXPECT_EQ(wrong[i], 0);
	}
}

TEST(one)
{
	struct weft_barrier alone;

	weft_barrier_init(&alone, 1);
	for (int i = 0; i < ROUNDS; i++)
		weft_barrier_wait(&alone);
	EXPECT_EQ(alone.round, ROUNDS);
}
