// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/barrier.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Looks at the others before a thread sleeps: some 20 us. */
#define LOOKS		1000
/* Waits without a look after one in vain; twice as many each time, so many times */
#define SKIP_DOUBLES	6

/**
 * weft_barrier_init() - prepare a barrier
 * @b: result; needs no end
 * @threads: how many meet, at least 1
 */
void weft_barrier_init(struct weft_barrier *b, uint32_t threads)
{
	*b = (struct weft_barrier) { .threads = threads };
}

static void rest(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

static bool have_met(struct weft_barrier *b, uint32_t round)
{
	return atomic_load(&b->round) != round;
}

/* Look for the others, unless that was in vain before: then only now and then. */
static bool meet_soon(struct weft_barrier *b, uint32_t round)
{
	uint32_t skip = atomic_load(&b->skip);

	if (skip) {
		atomic_store(&b->skip, skip - 1);
		return have_met(b, round);
	}
	for (int i = 0; i < LOOKS; i++) {
		if (have_met(b, round)) {
			atomic_store(&b->vain, 0);
			return true;
		}
		rest();
	}
	if (atomic_load(&b->vain) < SKIP_DOUBLES)
		atomic_fetch_add(&b->vain, 1);
	atomic_store(&b->skip, 1U << atomic_load(&b->vain));
	return false;
}

/* The kernel looks at @round again before it lets a thread sleep. */
static void sleep_until_met(struct weft_barrier *b, uint32_t round)
{
	atomic_fetch_add(&b->asleep, 1);
	while (!have_met(b, round))
		syscall(SYS_futex, &b->round, FUTEX_WAIT_PRIVATE, round, NULL, NULL, 0);
	atomic_fetch_sub(&b->asleep, 1);
}

/* Who sleeps was counted before it looked at @round, so this misses nobody. */
static void let_go(struct weft_barrier *b)
{
	atomic_store(&b->here, 0);
	atomic_fetch_add(&b->round, 1);
	if (atomic_load(&b->asleep))
		syscall(SYS_futex, &b->round, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/**
 * weft_barrier_wait() - wait until all threads have called this
 * @b: the barrier
 *
 * What a thread has written before, all see afterwards. It looks for a moment before it sleeps,
 * so there should be a CPU for each thread. Where others use the CPUs, it hardly ever does.
 */
void weft_barrier_wait(struct weft_barrier *b)
{
	uint32_t round = atomic_load(&b->round);

	if (atomic_fetch_add(&b->here, 1) + 1 == b->threads) {
		let_go(b);
		return;
	}
	if (!meet_soon(b, round))
		sleep_until_met(b, round);
}
