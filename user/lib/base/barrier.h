/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place where threads wait for each other.
 *
 * That of the C library sleeps at once. A thread that is woken on another CPU runs 20 us later,
 * which is more than many a window of a simulation takes.
 */
#ifndef WEFT_BARRIER_H
#define WEFT_BARRIER_H

#include <stdatomic.h>
#include <stdint.h>

/**
 * struct weft_barrier - threads that wait for each other, time and again
 * @threads: how many meet; 1: nobody ever waits
 * @here: of these, how many have come
 * @round: how often all have met; the futex of those that sleep
 * @asleep: how many sleep, or are about to
 * @vain: how often in a row a thread has looked for the others until it slept
 * @skip: how often one sleeps at once, for that
 */
struct weft_barrier {
	uint32_t threads;
	atomic_uint here;
	atomic_uint round;
	atomic_uint asleep;
	atomic_uint vain;
	atomic_uint skip;
};

void weft_barrier_init(struct weft_barrier *b, uint32_t threads);
void weft_barrier_wait(struct weft_barrier *b);

#endif
