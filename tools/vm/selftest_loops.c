// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits for memory in random loops of a few instructions: loads, comparisons, arithmetic and
 * conditional jumps, of all widths. Another process writes random values, for all of which but
 * the last the loop has to go on. Which ones these are is told by the same instructions,
 * executed once by the processor. Prints how many loops ended with the last value.
 *
 * usage: selftest_loops SEED ROUNDS
 */
#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define VALUES 4	/* at most, of a round */
#define TRIES 400	/* to find a value that a loop ends or goes on with */
#define STUCK_S 1

struct code {
	uint8_t text[256];
	unsigned int len;
	unsigned int jump; /* where the conditional jump is */
};

/* What the loop is called with: the word that it waits for, and a number. */
typedef long loop_fn(volatile uint64_t *word, uint64_t number);

static struct shared {
	volatile uint64_t word;
	volatile uint32_t written;
} *shared;

static uint8_t *page;
static uint64_t state;

static uint64_t draw(void)
{
	state += 0x9e3779b97f4a7c15;
	uint64_t z = state;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint64_t below(uint64_t n)
{
	return draw() % n;
}

static void put(struct code *c, uint64_t bytes, unsigned int n)
{
	memcpy(c->text + c->len, &bytes, n);
	c->len += n;
}

/* The prefix of an operand of 2 or 8 bytes. Bytes need one for %sil. */
static void put_prefix(struct code *c, unsigned int size)
{
	if (size == 2)
		put(c, 0x66, 1);
	if (size == 8)
		put(c, 0x48, 1);
	else if (size == 1)
		put(c, 0x40, 1);
}

static void put_op(struct code *c, unsigned int size, uint8_t op, uint8_t modrm)
{
	put_prefix(c, size);
	put(c, op | (size > 1), 1);
	put(c, modrm, 1);
}

static void put_immediate(struct code *c, unsigned int size)
{
	put(c, below(2) ? draw() : below(4), size == 8 ? 4 : size);
}

/* Registers: %rax is 0, %rcx 1, %rsi 6, %rdi 7; ModRM 07 is (%rdi). */
static void put_alu(struct code *c, unsigned int size)
{
	uint8_t what = below(8);

	switch (below(4)) {
	case 0: /* op %rsi,%rax */
		put_op(c, size, what << 3, 0xf0);
		break;
	case 1: /* op %rax,%rsi with the other direction bit: %rax op= %rsi */
		put_op(c, size, what << 3 | 2, 0xc6);
		break;
	case 2: /* op $imm8,%rax */
		put_prefix(c, size);
		put(c, size > 1 ? 0x83 : 0x80, 1);
		put(c, 0xc0 | what << 3, 1);
		put(c, below(2) ? draw() : below(4), 1);
		break;
	default: /* op $imm,%rax */
		put_op(c, size, 0x80, 0xc0 | what << 3);
		put_immediate(c, size);
	}
}

static void put_load(struct code *c, unsigned int size)
{
	static const uint8_t extend[] = { 0xb6, 0xb7, 0xbe, 0xbf };

	if (size >= 4 && below(2)) { /* movzx, movsx */
		put_prefix(c, size);
		put(c, 0x0f, 1);
		put(c, extend[below(4)], 1);
		put(c, 0x07, 1);
	} else if (size == 8 && below(4) == 0) { /* movslq */
		put(c, 0x076348, 3);
	} else {
		put_op(c, size, 0x8a, 0x07);
	}
}

/* setcc %al, and a test of it; or cmovcc %rsi,%rax and a comparison */
static void put_flag_use(struct code *c)
{
	uint8_t cc = below(16);

	if (below(2)) {
		put(c, 0x0f, 1);
		put(c, 0x90 | cc, 1);
		put(c, 0xc0, 1);
		put(c, 0xc084, 2); /* test %al,%al */
	} else {
		put(c, 0x0f48, 2);
		put(c, 0x40 | cc, 1);
		put(c, 0xc6, 1);
		put(c, 0xf03948, 3); /* cmp %rsi,%rax */
	}
}

static void put_compare(struct code *c, unsigned int size)
{
	switch (below(5)) {
	case 0: /* cmp %rsi,(%rdi) */
		put_op(c, size, 0x38, 0x37);
		break;
	case 1: /* cmp (%rdi),%rsi */
		put_op(c, size, 0x3a, 0x37);
		break;
	case 2: /* test %rsi,(%rdi) */
		put_op(c, size, 0x84, 0x37);
		break;
	case 3: /* test $imm,(%rdi) */
		put_op(c, size, 0xf6, 0x07);
		put_immediate(c, size);
		break;
	default: /* cmp $imm,(%rdi) */
		put_op(c, size, 0x80, 0x3f);
		put_immediate(c, size);
	}
}

/* A body that ends with flags, and a conditional jump that goes on with the loop. */
static void make_body(struct code *c)
{
	static const unsigned int sizes[] = { 1, 2, 4, 8 };
	unsigned int size = sizes[below(4)], n;

	c->len = 0;
	put(c, 0xc031, 2); /* xor %eax,%eax */
	if (below(2))
		put(c, 0x90f3, 2); /* pause */
	if (below(3)) {
		put_load(c, size);
		for (n = 1 + below(3); n; n--)
			put_alu(c, size);
	} else {
		put_compare(c, size);
	}
	if (!below(3))
		put_flag_use(c);
	c->jump = c->len;
	put(c, 0x70 | below(16), 1);
}

/* Returns 1 if the loop would go on, and 0 if it would end. */
static loop_fn *make_once(const struct code *body)
{
	static const uint8_t tail[] = { 0x06, 0xb8, 0, 0, 0, 0, 0xc3, 0xb8, 1, 0, 0, 0, 0xc3 };

	memcpy(page, body->text, body->len);
	memcpy(page + body->len, tail, sizeof(tail));
	return (loop_fn *)(uintptr_t)page;
}

static loop_fn *make_loop(const struct code *body)
{
	uint8_t *at = page + 2048;

	memcpy(at, body->text, body->len);
	at[body->len] = -(body->len + 1);
	at[body->len + 1] = 0xc3;
	return (loop_fn *)(uintptr_t)at;
}

static bool find(loop_fn *once, uint64_t number, bool goes_on, uint64_t *value)
{
	volatile uint64_t word;

	for (int i = 0; i < TRIES; i++) {
		switch (below(4)) {
		case 0:
			word = draw();
			break;
		case 1:
			word = number + below(5) - 2;
			break;
		case 2:
			word = below(4) - 1;
			break;
		default:
			word = 1ULL << below(64);
		}
		if (once(&word, number) == goes_on) {
			*value = word;
			return true;
		}
	}
	return false;
}

struct plan {
	struct code body;
	uint64_t number;
	uint64_t value[VALUES];
	unsigned int values;
};

/* The same in both processes. Returns false if there is no such loop. */
static bool make_plan(struct plan *p)
{
	loop_fn *once;

	make_body(&p->body);
	p->number = below(2) ? draw() : below(300);
	p->values = 2 + below(VALUES - 1);
	once = make_once(&p->body);
	for (unsigned int i = 0; i < p->values; i++)
		if (!find(once, p->number, i + 1 < p->values, &p->value[i]))
			return false;
	return true;
}

static void rest(unsigned int us)
{
	struct timespec ts = { .tv_nsec = us * 1000L };

	nanosleep(&ts, NULL);
}

/* Write the values of each round, when told to by a byte. */
static _Noreturn void writer(int from, long rounds)
{
	struct plan p;
	char c;

	prctl(PR_SET_TIMERSLACK, 1);
	for (; rounds; rounds--) {
		if (!make_plan(&p))
			continue;
		if (read(from, &c, 1) != 1)
			break;
		for (unsigned int i = 1; i < p.values; i++) {
			rest(3 + i * 7);
			shared->written = i;
			shared->word = p.value[i];
		}
	}
	_exit(0);
}

static void stuck(int sig)
{
	static const char text[] = "a loop does not end\n";

	(void)sig;
	if (write(2, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

int main(int argc, char **argv)
{
	long rounds, done = 0, wrong = 0;
	int fds[2];
	pid_t pid;

	if (argc != 3)
		errx(2, "usage: selftest_loops SEED ROUNDS");
	state = strtoul(argv[1], NULL, 0);
	rounds = strtol(argv[2], NULL, 0);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || page == MAP_FAILED || pipe(fds))
		err(2, NULL);
	pid = fork();
	if (pid < 0)
		err(2, "fork");
	if (!pid)
		writer(fds[0], rounds);
	signal(SIGALRM, stuck);
	for (long i = 0; i < rounds; i++) {
		struct plan p;

		if (!make_plan(&p))
			continue;
		shared->written = 0;
		shared->word = p.value[0];
		alarm(STUCK_S);
		if (write(fds[1], "", 1) != 1)
			err(2, "the writer is gone");
		make_loop(&p.body)(&shared->word, p.number);
		alarm(0);
		if (shared->written != p.values - 1)
			wrong++;
		done++;
	}
	printf("%ld of %ld loops ended too early\n", wrong, done);
	kill(pid, SIGKILL);
	return wrong || !done;
}
