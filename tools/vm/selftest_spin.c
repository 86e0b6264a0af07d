// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits for another process without sleeping, in each way that programs use, and prints
 * how long it took by the clock.
 *
 * usage: selftest_spin HOW MICROSECONDS ROUNDS
 *
 * The other process sleeps that long, then answers, so each round should last as long as
 * its sleep. "clock" and "tsc" only wait for the clock; "sleep" does sleep. "rate" prints
 * the frequency of the time-stamp counter by the clock, in MHz.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static volatile uint32_t *flag;
static int fds[2], epoll_fd;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int by_poll(void)
{
	struct pollfd p = { .fd = fds[0], .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static int by_epoll(void)
{
	struct epoll_event e;

	return epoll_wait(epoll_fd, &e, 1, 0) == 1;
}

static int by_select(void)
{
	struct timeval tv = { 0 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fds[0], &set);
	return select(fds[0] + 1, &set, NULL, NULL, &tv) == 1;
}

/* As in some programs: a descriptor that is always ready makes each poll() return. */
static int by_ready(void)
{
	struct pollfd p = { .fd = fds[0], .events = POLLIN | POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
}

static int by_recv(void)
{
	char c;

	return recv(fds[0], &c, 1, MSG_DONTWAIT | MSG_PEEK) == 1;
}

static int by_yield(void)
{
	sched_yield();
	return *flag;
}

static int by_memory(void)
{
	return *flag;
}

/* A counter in a register: the state is never the same twice. */
static int by_counter(void)
{
	uint64_t n = 1;

	while (!*flag)
		n = n * 3 + 1;
	return n != 0;
}

static int by_child(void)
{
	siginfo_t info = { 0 };

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

static int by_file(void)
{
	return access("spin-flag", F_OK) == 0;
}

static const struct way {
	const char *name;
	int (*done)(void);
} ways[] = {
	{ "poll", by_poll }, { "epoll", by_epoll }, { "select", by_select },
	{ "ready", by_ready }, { "recv", by_recv }, { "yield", by_yield },
	{ "memory", by_memory }, { "counter", by_counter },
	{ "child", by_child }, { "file", by_file },
};

static void answer(long us)
{
	struct timespec ts = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
	int fd;

	prctl(PR_SET_TIMERSLACK, 1);
	nanosleep(&ts, NULL);
	*flag = 1;
	if (send(fds[1], "", 1, 0) != 1)
		_exit(1);
	fd = open("spin-flag", O_CREAT | O_WRONLY, 0666);
	_exit(fd < 0);
}

static int round_of(const struct way *way, long us)
{
	char c;

	*flag = 0;
	unlink("spin-flag");
	if (!fork())
		answer(us);
	while (!way->done())
		;
	wait(NULL);
	return recv(fds[0], &c, 1, 0) == 1;
}

static void by_clock(long us)
{
	int64_t end = now() + us * 1000;

	while (now() < end)
		;
}

static void by_tsc(long us)
{
	uint64_t end = __rdtsc() + us * 1000;

	while (__rdtsc() < end)
		;
}

/* Reads both clocks; to compare them must not count as waiting. */
static double rate(long us)
{
	uint64_t cycles = __rdtsc();
	int64_t start = now(), end;

	do
		end = now();
	while (end < start + us * 1000);
	cycles = __rdtsc() - cycles;
	return cycles * 1e3 / (end - start);
}

static void by_sleep(long us)
{
	struct timespec ts = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };

	prctl(PR_SET_TIMERSLACK, 1);
	nanosleep(&ts, NULL);
}

static const struct way *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	fprintf(stderr, "no way \"%s\"\n", name);
	exit(1);
}

static void set_up(void)
{
	struct epoll_event e = { .events = EPOLLIN };

	flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	epoll_fd = epoll_create1(0);
	if (flag == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, fds) ||
	    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fds[0], &e)) {
		perror("set-up");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int64_t start;
	long us, n, i;

	if (argc != 4)
		return 1;
	us = atol(argv[2]);
	n = atol(argv[3]);
	set_up();
	if (!strcmp(argv[1], "rate")) {
		printf("%.2f\n", rate(us));
		return 0;
	}
	start = now();
	for (i = 0; i < n; i++) {
		if (!strcmp(argv[1], "clock"))
			by_clock(us);
		else if (!strcmp(argv[1], "tsc"))
			by_tsc(us);
		else if (!strcmp(argv[1], "sleep"))
			by_sleep(us);
		else if (!round_of(find(argv[1]), us))
			return 1;
	}
	printf("%lld\n", (long long)(now() - start));
	return 0;
}
