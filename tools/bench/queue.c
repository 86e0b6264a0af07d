// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Benchmark of the event queue alone: the cost to cancel an event if there are few or
 * many. The event is the earliest each time, the one added last, or a random one.
 *
 * usage: queue [ROUNDS]	how often for each figure, 2000000 if it is not said
 *
 * The events are timers some milliseconds ahead that never fire, 100 ns apart, so all of
 * them share a few slots. A cancelled event is added again, later than all others, as a
 * timer of a connection is. Then the time of the next event is read, as the engine does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/sim/event.h"
#include "core/sim/rng.h"

#define QUEUE_APART	(100 * FAB_PS_PER_NS)

enum which { EARLIEST, LATEST, ANY, WHICH };

static const char *const which_names[WHICH] = { "earliest", "latest", "any" };

static void nothing(struct fab *fab, struct fab_event *ev)
{
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Nanoseconds to cancel one of @n events, add it again, and read the next time. */
static double queue_run(u32 n, enum which which, u32 rounds)
{
	struct fab_event *ev = calloc(n, sizeof(*ev));
	struct fab_event_queue *q = calloc(1, sizeof(*q));
	fab_time at = FAB_PS_PER_S / 100, sum = 0;
	u64 rng = 1;
	double start;
	u32 i, k;

	if (!ev || !q)
		abort();
	fab_event_queue_init(q, 1);
	for (i = 0; i < n; i++, at += QUEUE_APART) {
		fab_event_init(&ev[i], nothing);
		fab_event_schedule(q, &ev[i], at);
	}
	start = seconds();
	for (i = 0; i < rounds; i++, at += QUEUE_APART) {
		k = which == EARLIEST ? i % n :
		    which == LATEST ? n - 1 : fab_rng_next(&rng) % n;
		fab_event_cancel(q, &ev[k]);
		fab_event_schedule(q, &ev[k], at);
		sum += fab_event_next(q);
	}
	start = seconds() - start;
	if (!sum)
		abort();
	free(q);
	free(ev);
	return start * 1e9 / rounds;
}

int main(int argc, char **argv)
{
	u32 n, rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000000;
	enum which w;

	if (argc > 2 || !rounds) {
		fprintf(stderr, "usage: queue [ROUNDS]\n");
		return 1;
	}

	printf("%-10s", "events");
	for (w = 0; w < WHICH; w++)
		printf(" %10s", which_names[w]);
	printf("  ns each\n");
	for (n = 10; n <= 1000000; n *= 10) {
		printf("%-10u", n);
		for (w = 0; w < WHICH; w++)
			printf(" %10.1f", queue_run(n, w, rounds));
		printf("\n");
	}
	return 0;
}
