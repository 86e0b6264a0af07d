// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Computes for a long time without a system call, in loops whose general registers have
 * the same values in each iteration: the counter is in memory, written by instructions of
 * different forms, or in a floating-point register. Such a loop must not be taken for one
 * that waits. Prints the nanoseconds that passed by the clock, which must be 0.
 *
 * usage: selftest_compute ROUNDS
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t rounds;
static uint64_t left[4];
static __thread uint64_t left_here;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void by_base(void)
{
	__asm__ volatile("1: decq (%0); jnz 1b"
			 : : "r"(left) : "cc", "memory");
}

static void by_index(void)
{
	__asm__ volatile("1: decq -24(%0,%1,8); jnz 1b"
			 : : "r"(left), "r"(3UL) : "cc", "memory");
}

static void by_upper_index(void)
{
	register uint64_t index __asm__("r12") = 5;

	__asm__ volatile("1: decq -40(%0,%1,8); jnz 1b"
			 : : "r"(left), "r"(index) : "cc", "memory");
}

static void by_place(void)
{
	__asm__ volatile("1: decq %0; jnz 1b" : "+m"(left[0]) : : "cc");
}

static void by_segment(void)
{
	left_here = rounds;
	__asm__ volatile("1: decq %0; jnz 1b" : "+m"(left_here) : : "cc");
}

static void by_push(void)
{
	__asm__ volatile("sub $128, %%rsp; push %0\n"
			 "1: pop %%rax; dec %%rax; push %%rax\n"
			 "mov $0, %%eax; jnz 1b\n"
			 "pop %%rax; add $128, %%rsp"
			 : : "r"(rounds) : "rax", "cc", "memory");
}

static void by_string(void)
{
	__asm__ volatile("1: mov (%%rdi), %%rax; dec %%rax; stosq\n"
			 "lea -8(%%rdi), %%rdi; mov $0, %%eax; jnz 1b"
			 : : "D"(left) : "rax", "cc", "memory");
}

static void by_exchange(void)
{
	uint64_t value = 0;

	left[0] /= 8;
	__asm__ volatile("1: xchg %0, %1; dec %0; xchg %0, %1; jnz 1b"
			 : "+r"(value), "+m"(left[0]) : : "cc");
}

static void by_vector(void)
{
	static const uint64_t one[2] __attribute__((aligned(16))) = { 1, 0 };

	__asm__ volatile("1: movdqu %0, %%xmm0; psubq %1, %%xmm0\n"
			 "movdqu %%xmm0, %0; pxor %%xmm0, %%xmm0\n"
			 "cmpq $0, %0; jnz 1b"
			 : "+m"(*(uint64_t (*)[2])left) : "m"(one)
			 : "xmm0", "cc");
}

static void by_float(void)
{
	double from = 0, step = 1, to = rounds;

	__asm__ volatile("1: addsd %1, %0; ucomisd %0, %2; ja 1b"
			 : "+x"(from) : "x"(step), "x"(to) : "cc");
}

static void by_x87(void)
{
	double to = rounds;

	__asm__ volatile("fldl %0; fldz\n"
			 "1: fld1; faddp; fcomi %%st(1), %%st; jb 1b\n"
			 "fstp %%st(0); fstp %%st(0)"
			 : : "m"(to) : "cc", "st", "st(1)", "st(2)");
}

/* pushf must not store the trap flag while the loop is executed step by step. */
static void by_flags(void)
{
	__asm__ volatile("sub $128, %%rsp\n"
			 "1: decq (%0); pushf; popf; jnz 1b\n"
			 "add $128, %%rsp"
			 : : "r"(left) : "cc", "memory");
}

static const struct way {
	const char *name;
	void (*compute)(void);
} ways[] = {
	{ "base", by_base }, { "index", by_index },
	{ "upper-index", by_upper_index }, { "place", by_place },
	{ "segment", by_segment }, { "push", by_push },
	{ "string", by_string }, { "exchange", by_exchange },
	{ "vector", by_vector }, { "float", by_float }, { "x87", by_x87 },
	{ "flags", by_flags },
};

int main(int argc, char **argv)
{
	int64_t start;
	size_t i;

	if (argc != 2)
		return 1;
	rounds = strtoull(argv[1], NULL, 0);
	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		memset(left, 0, sizeof(left));
		left[0] = rounds;
		start = now();
		ways[i].compute();
		printf("%s %lld\n", ways[i].name, (long long)(now() - start));
		fflush(stdout);
	}
	return 0;
}
