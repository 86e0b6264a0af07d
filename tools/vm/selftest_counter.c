// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the time-stamp counter by each instruction sequence that compilers and libraries
 * use, and checks that registers, flags and the red zone below the stack pointer do not
 * change. Prints a line for each; exit code 1 if there was an error.
 *
 * By the virtual clock, the counter runs at 1 GHz and stands still while a program
 * computes. A sleep advances it by its length, and a reading of the clock by its cost.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "selftest_twice.h"

#define READINGS	1000
#define IN_A_ROW	100
#define SLEEP_NS	1000000
#define SLACK_NS	50000		/* Linux may sleep longer by this, see PR_SET_TIMERSLACK */

/* The counter, and the state that must not change; WAY() has the offsets. */
struct kept {
	uint64_t value;
	uint64_t rcx, rbx, flags, zone;
};

#define CARRY_AND_SIGN	0x81ULL

/*
 * Set the flags to carry and sign, and the red zone and two registers to known values,
 * then read the counter.
 */
#define WAY(name, text, join)						\
static __attribute__((noinline)) void name(struct kept *k)		\
{									\
	asm volatile("movq %%rdi, %%r8\n\t"				\
		     "movq $0x1111, %%rcx\n\t"				\
		     "movq $0x2222, %%rbx\n\t"				\
		     "movq -8(%%rsp), %%r9\n\t"				\
		     "movq $0x3333, -8(%%rsp)\n\t"			\
		     "movb $0x81, %%ah\n\t"				\
		     "sahf\n\t"						\
		     text						\
		     "movq %%rcx, 8(%%r8)\n\t"				\
		     "movq %%rbx, 16(%%r8)\n\t"				\
		     "movq -8(%%rsp), %%r10\n\t"			\
		     "movq %%r10, 32(%%r8)\n\t"				\
		     "movq %%r9, -8(%%rsp)\n\t"				\
		     join						\
		     "movq %%rax, (%%r8)\n\t"				\
		     : : "D" (k)					\
		     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10",	\
		       "r11", "cc", "memory");				\
}

/* lahf would change rax, which holds half of the counter */
#define FLAGS	"movq %%rax, %%r11\n\t"					\
		"lahf\n\t"						\
		"movzbl %%ah, %%eax\n\t"				\
		"movq %%rax, 24(%%r8)\n\t"				\
		"movq %%r11, %%rax\n\t"
#define JOIN	"shlq $32, %%rdx\n\t"					\
		"orq %%rdx, %%rax\n\t"

WAY(fenced, "lfence\n\trdtsc\n\t" FLAGS, JOIN)
WAY(plain, "rdtsc\n\t" FLAGS, JOIN)
/* the shift belongs to the sequence and sets the flags */
#define SHIFT	"shlq $32, %%rdx\n\tmovq $0x81, 24(%%r8)\n\t"
WAY(shifted, "rdtsc\n\t" SHIFT, "orq %%rdx, %%rax\n\t")

/* with a load in between; a wrong one shows in the flags */
#define LOADED(before, load, value)					\
	before "rdtsc\n\tmovq " load ", %%r10\n\tshlq $32, %%rdx\n\t"	\
	"movq $0, 24(%%r8)\n\t"						\
	"cmpq $" value ", %%r10\n\t"					\
	"jne 1f\n\t"							\
	"movq $0x81, 24(%%r8)\n\t"					\
	"1:\n\t"
#define STORED	"movq $0x4444, 24(%%r8)\n\t"
WAY(loaded, LOADED(STORED, "24(%%r8)", "0x4444"), "orq %%rdx, %%rax\n\t")
#define FAR	"leaq -0x1000(%%r8), %%r11\n\t"
WAY(loaded_far, LOADED(STORED FAR, "0x1018(%%r11)", "0x4444"), "orq %%rdx, %%rax\n\t")
WAY(loaded_stack, LOADED("", "-8(%%rsp)", "0x3333"), "orq %%rdx, %%rax\n\t")

/* rdtscp writes the number of the processor, 0, to rcx */
#define CPU	"leaq 0x1111(%%rcx), %%rcx\n\t"
WAY(by_rdtscp, "rdtscp\n\t" CPU FLAGS, JOIN)
WAY(rdtscp_shifted, "rdtscp\n\t" SHIFT CPU, "orq %%rdx, %%rax\n\t")

static const struct way {
	const char *name;
	void (*read)(struct kept *k);
} ways[] = {
	{ "fenced", fenced },
	{ "shifted", shifted },
	{ "plain", plain },
	{ "loaded", loaded },
	{ "loaded-far", loaded_far },
	{ "loaded-stack", loaded_stack },
	{ "rdtscp", by_rdtscp },
	{ "rdtscp-shifted", rdtscp_shifted },
	{ NULL, NULL }
};

static int kept(const struct kept *k)
{
	/* bit 1 of the flags is always set */
	return k->rcx == 0x1111 && k->rbx == 0x2222 && k->zone == 0x3333 &&
	       (k->flags & ~2ULL) == CARRY_AND_SIGN;
}

/* Return: 0 if the sequence works. */
static int try(const struct way *way)
{
	const struct timespec sleep = { .tv_nsec = SLEEP_NS };
	struct kept first, k;
	uint64_t before, slept;
	int i, wrong = 0;

	way->read(&first);
	before = first.value;
	for (i = 0; i < READINGS; i++) {
		way->read(&k);
		wrong += !kept(&k) || k.value < before;
		before = k.value;
		/* a loop that only reads the clock counts as waiting for time to pass */
		if (write(STDERR_FILENO, "", 0))
			wrong++;
	}
	if (before != first.value)
		wrong++;
	/* as this one: some of its readings have to wait */
	for (i = 0; i < IN_A_ROW; i++) {
		way->read(&k);
		wrong += !kept(&k) || k.value < before;
		before = k.value;
	}
	nanosleep(&sleep, NULL);
	way->read(&k);
	slept = k.value - before;
	if (slept < SLEEP_NS + SLACK_NS || slept > SLEEP_NS + SLACK_NS + 10)
		wrong++;
	printf("%s %d\n", way->name, wrong);
	fflush(stdout);
	return wrong;
}

static int try_all(void)
{
	const struct way *way;
	int wrong = 0;

	for (way = ways; way->name; way++)
		wrong += try(way);
	return wrong;
}

int main(void)
{
	return selftest_twice(try_all);
}
