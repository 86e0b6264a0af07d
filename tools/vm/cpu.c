// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One host CPU for each machine.
 *
 * The guest's kernel and its processes take turns and never run at the same time. A
 * switch between them is three to four times cheaper within one CPU than between two. So
 * a machine stays on one CPU, and machines that run at the same time are on different
 * CPUs as far as possible. Each claims its CPU by a socket in the abstract name space,
 * which disappears with the process.
 */
#define _GNU_SOURCE
#include "cpu.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 64

static bool claim(int cpu, int round)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, len;

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	len = snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1,
		       "weft-vm-cpu-%d-%d", cpu, round);
	len += offsetof(struct sockaddr_un, sun_path) + 1;
	if (!bind(fd, (struct sockaddr *)&addr, len))
		return true;
	close(fd);
	return false;
}

/* Idle time of each CPU since boot, in clock ticks. */
static void read_idle(unsigned long long *idle)
{
	unsigned long long user, nice, sys, idl, iow;
	char line[256];
	FILE *f;
	int cpu;

	f = fopen("/proc/stat", "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu", &cpu, &user,
			   &nice, &sys, &idl, &iow) == 6 &&
		    cpu >= 0 && cpu < CPU_SETSIZE)
			idle[cpu] = idl + iow;
	fclose(f);
}

/* Idle time of each CPU during the next 30 ms, in clock ticks. */
static void measure_idle(unsigned long long *idle)
{
	static unsigned long long before[CPU_SETSIZE];
	struct timespec pause = { .tv_nsec = 30000000 };
	int cpu;

	read_idle(before);
	nanosleep(&pause, NULL);
	read_idle(idle);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		idle[cpu] -= before[cpu];
}

/* Remove the CPU with most idle time from @set and return it; -1 if the set is empty. */
static int take_idlest(cpu_set_t *set, const unsigned long long *idle)
{
	int cpu, best = -1;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && (best < 0 || idle[cpu] > idle[best]))
			best = cpu;
	if (best >= 0)
		CPU_CLR(best, set);
	return best;
}

/**
 * cpu_claim() - choose a CPU for a machine and claim it until this process exits
 *
 * Return: its number; -1 if there is only one CPU, or each is claimed ROUNDS times.
 */
int cpu_claim(void)
{
	static unsigned long long idle[CPU_SETSIZE];
	cpu_set_t allowed, left;
	int round, cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) ||
	    CPU_COUNT(&allowed) < 2)
		return -1;
	measure_idle(idle);
	for (round = 0; round < ROUNDS; round++) {
		left = allowed;
		while ((cpu = take_idlest(&left, idle)) >= 0)
			if (claim(cpu, round))
				return cpu;
	}
	return -1;
}
