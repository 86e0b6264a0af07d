// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that vector registers keep their values when tasks switch: between threads of a
 * process, in signal handlers, after fork(). Exit code 1 if a value was lost.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 300

static int put_and_get(uint64_t value, long nr, long arg1, long arg2)
{
	uint64_t back = 0;
	long ret = nr;

	asm volatile("movq %[value], %%xmm8\n\t"
		     "movq %[value], %%xmm15\n\t"
		     "syscall\n\t"
		     "movq %%xmm8, %[back]\n\t"
		     "movq %%xmm15, %%r9\n\t"
		     "xor %%r9, %[back]\n\t"
		     "movq %%xmm8, %%r9\n\t"
		     "xor %[value], %%r9\n\t"
		     "or %%r9, %[back]"
		     : "+a" (ret), [back] "+&r" (back)
		     : [value] "r" (value), "D" (arg1), "S" (arg2)
		     : "rcx", "r11", "r9", "xmm8", "xmm15", "memory");
	return back == 0;
}

static void check(uint64_t value, long nr, long arg1, long arg2, const char *what)
{
	if (put_and_get(value, nr, arg1, arg2))
		return;
	printf("a vector register was lost across %s\n", what);
	exit(1);
}

static void handler(int sig)
{
	asm volatile("pxor %%xmm8, %%xmm8\n\tpxor %%xmm15, %%xmm15" ::: "xmm8", "xmm15");
	check(0x5555 + sig, 24, 0, 0, "sched_yield in a handler");
}

static void *thread(void *arg)
{
	struct timespec ts = { .tv_nsec = 1000 };
	uint64_t value = (uintptr_t)arg * 0x0101010101010101ull;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		check(value + i, 24, 0, 0, "sched_yield");
		check(value + i, 35, (long)&ts, 0, "nanosleep");
	}
	return NULL;
}

static void by_threads(void)
{
	pthread_t t[4];
	uintptr_t i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)(i + 1)))
			exit(1);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void by_signals(void)
{
	int i;

	signal(SIGUSR1, handler);
	for (i = 0; i < ROUNDS; i++)
		check(i, 62, getpid(), SIGUSR1, "a signal handler");
}

/* across fork(), and while the child uses the registers, too */
static void by_fork(void)
{
	int i, status;

	for (i = 0; i < 10; i++) {
		check(i + 7, 39, 0, 0, "getpid");
		if (!fork()) {
			thread((void *)9);
			_exit(0);
		}
		thread((void *)5);
		wait(&status);
		if (status)
			exit(1);
	}
}

int main(void)
{
	by_threads();
	by_signals();
	by_fork();
	return 0;
}
