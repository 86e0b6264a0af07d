// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spins for MS milliseconds in one of the ways in which programs do, and prints
 * how many nanoseconds of the clock went by.
 *
 * usage: spin clock|poll|yield|memory|counter MS
 *
 *	clock	reads the clock until the time is over
 *	poll	polls a pipe without waiting, until another process writes
 *	yield	yields until another process sets a flag in shared memory
 *	memory	reads that flag and nothing else
 *	counter	the same, and counts in a register: never the same state twice
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void pause_for(uint64_t ns)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };

	prctl(PR_SET_TIMERSLACK, 1);
	nanosleep(&ts, NULL);
}

static uint64_t spin_counter(volatile int *flag)
{
	uint64_t n = 1;

	while (!*flag)
		n = n * 3 + 1;
	return n;
}

static int spin(const char *how, volatile int *flag, int fd, uint64_t until)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (!strcmp(how, "clock"))
		while (now() < until)
			;
	else if (!strcmp(how, "poll"))
		while (poll(&p, 1, 0) == 0)
			;
	else if (!strcmp(how, "yield"))
		while (!*flag)
			sched_yield();
	else if (!strcmp(how, "memory"))
		while (!*flag)
			;
	else if (!strcmp(how, "counter"))
		return spin_counter(flag) == 0;
	else
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t ns, start;
	int *flag, fds[2];
	int bad;
	pid_t pid;

	if (argc != 3)
		return 1;
	ns = strtoull(argv[2], NULL, 10) * 1000000;
	flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (flag == MAP_FAILED || pipe(fds))
		return 1;
	*flag = 0;
	start = now();
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		pause_for(ns);
		__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
		_exit(write(fds[1], "x", 1) != 1);
	}
	bad = spin(argv[1], flag, fds[0], start + ns);
	printf("%llu\n", (unsigned long long)(now() - start));
	waitpid(pid, NULL, 0);
	return bad;
}
