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

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
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

static void *own_cpu(void *cpu)
{
	*(int *)cpu = sched_getcpu();
	return NULL;
}

/*
 * Of @set, which is not empty, the CPU that the host thinks has least to do: it starts
 * new threads there. To measure it would take as long as a guest to boot. The caller's
 * thread stays in @set.
 */
static int idlest(const cpu_set_t *set)
{
	pthread_t thread;
	int cpu = -1;

	if (!sched_setaffinity(0, sizeof(*set), set) &&
	    !pthread_create(&thread, NULL, own_cpu, &cpu))
		pthread_join(thread, NULL);
	return cpu;
}

static int claim_idlest(cpu_set_t left, int round)
{
	int cpu;

	while (CPU_COUNT(&left)) {
		cpu = idlest(&left);
		if (cpu < 0 || !CPU_ISSET(cpu, &left))
			return -1;
		if (claim(cpu, round))
			return cpu;
		CPU_CLR(cpu, &left);
	}
	return -1;
}

/**
 * cpu_claim() - choose a CPU for a machine and claim it until this process exits
 *
 * Return: its number; -1 if there is only one CPU, or each is claimed ROUNDS times.
 */
int cpu_claim(void)
{
	cpu_set_t allowed;
	int round, cpu = -1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) ||
	    CPU_COUNT(&allowed) < 2)
		return -1;
	for (round = 0; round < ROUNDS && cpu < 0; round++)
		cpu = claim_idlest(allowed, round);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return cpu;
}
