// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Repeats one kind of operation. bench.sh measures the real time from outside, as no
 * virtual time passes inside.
 *
 * usage: bench syscall|clock|tsc|fault|walk|exec|switch|spin COUNT
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

extern char **environ;

/* A system call by its C library function, as most programs make it. */
static void do_syscall(long n)
{
	while (n-- > 0)
		umask(022);
}

static void do_clock(long n)
{
	struct timespec ts;

	while (n-- > 0)
		clock_gettime(CLOCK_MONOTONIC, &ts);
}

static void do_tsc(long n)
{
	while (n-- > 0)
		__rdtsc();
}

/* Touch @n pages of new memory, @step bytes apart. */
static void touch(long n, long step)
{
	volatile char *p;
	long i;

	p = mmap(NULL, n * step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		exit(1);
	for (i = 0; i < n; i++)
		p[i * step] = 1;
}

static void do_fault(long n)
{
	touch(n, 64 << 10);
}

static void do_walk(long n)
{
	touch(n, 4096);
}

static void do_exec(long n)
{
	static const char * const argv[] = { "/bin/true", NULL };
	pid_t pid;

	while (n-- > 0) {
		if (posix_spawn(&pid, argv[0], NULL, NULL, (char * const *)argv, environ))
			exit(1);
		waitpid(pid, NULL, 0);
	}
}

/* Two processes send a byte back and forth by pipes. */
static void do_switch(long n)
{
	int to[2], fro[2];
	char c = 0;

	if (pipe(to) || pipe(fro))
		exit(1);
	if (!fork()) {
		while (read(to[0], &c, 1) == 1 && write(fro[1], &c, 1) == 1)
			;
		_exit(0);
	}
	close(to[0]);
	while (n-- > 0)
		if (write(to[1], &c, 1) != 1 || read(fro[0], &c, 1) != 1)
			exit(1);
}

/* Set *@whose to @mine, make a system call as a sender does, and wait for the answer. */
static void turn(volatile long *whose, long mine, int fd)
{
	*whose = mine;
	if (write(fd, "", 1) != 1)
		exit(1);
	while (*whose == mine)
		;
}

/* Two processes take turns; each waits in a loop for the other one's value in memory. */
static void do_spin(long n)
{
	volatile long *whose;
	long i;
	int fds[2];

	whose = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (whose == MAP_FAILED || pipe(fds))
		exit(1);
	if (n && !fork()) {
		while (!*whose)
			;
		for (i = 1; i < n; i++)
			turn(whose, 2 * i, fds[1]);
		*whose = 2 * n;
		_exit(0);
	}
	for (i = 0; i < n; i++)
		turn(whose, 2 * i + 1, fds[1]);
	wait(NULL);
}

static const struct operation {
	const char *name;
	void (*run)(long n);
} operations[] = {
	{ "syscall", do_syscall }, { "clock", do_clock }, { "tsc", do_tsc },
	{ "fault", do_fault }, { "walk", do_walk }, { "exec", do_exec },
	{ "switch", do_switch }, { "spin", do_spin },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 3 && i < sizeof(operations) / sizeof(*operations); i++) {
		if (strcmp(operations[i].name, argv[1]))
			continue;
		operations[i].run(atol(argv[2]));
		return 0;
	}
	fprintf(stderr, "usage: bench OPERATION COUNT\n");
	return 1;
}
