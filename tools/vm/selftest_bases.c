// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that each thread has its own bases of FS and GS: two threads and a child make
 * calls in turn and check them after each call. A process that sets an invalid address
 * must end without harm to others. Prints a line with the number of errors for each test;
 * exit code 1 if there was an error.
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS	1000
#define NO_ADDRESS	(1UL << 63)

static __thread uint64_t mine;

static uint64_t at_gs(void)
{
	uint64_t value;

	__asm__ volatile("movq %%gs:0, %0" : "=r"(value));
	return value;
}

/* Make calls in turn with the others; @number is this thread's own. */
static int calls(uint64_t number)
{
	uint64_t there = number;
	int i, wrong = 0;

	mine = number;
	wrong += syscall(SYS_arch_prctl, ARCH_SET_GS, &there) != 0;
	for (i = 0; i < CALLS; i++) {
		sched_yield();
		wrong += mine != number || at_gs() != number;
	}
	return wrong + (syscall(SYS_arch_prctl, ARCH_SET_GS, 0) != 0);
}

static void *thread(void *wrong)
{
	*(int *)wrong = calls(2);
	return NULL;
}

static int threads(void)
{
	int wrong, other = 1;
	pthread_t t;

	if (pthread_create(&t, NULL, thread, &other))
		return 1;
	wrong = calls(1);
	return wrong + (pthread_join(t, NULL) != 0) + other;
}

static int child(void)
{
	int wrong, status;

	if (!fork())
		_exit(!!calls(3));
	wrong = calls(4);
	return wrong + (wait(&status) < 0) + !!status;
}

/* Linux refuses an invalid address; if it is accepted, the process must end by SIGSEGV. */
static int no_address(int what)
{
	int status;

	if (!fork()) {
		if (syscall(SYS_arch_prctl, what, NO_ADDRESS))
			_exit(0);
		getppid();
		_exit(1);
	}
	return wait(&status) < 0 || (status && WTERMSIG(status) != SIGSEGV);
}

int main(void)
{
	int wrong[] = {
		threads(), child(), no_address(ARCH_SET_FS), no_address(ARCH_SET_GS),
	};

	printf("threads %d\nchild %d\nfs %d\ngs %d\n", wrong[0], wrong[1], wrong[2],
	       wrong[3]);
	return wrong[0] || wrong[1] || wrong[2] || wrong[3];
}
