// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PID 1 of the guest: prepares the file system, runs one command, reports its exit code
 * and switches the machine off.
 */
#define _GNU_SOURCE
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_MAX (4 << 20)

static int status_fd = -1;

static void finish(int code)
{
	const struct vm_message m = {
		.kind = VM_END, .len = sizeof(m.status), .status.code = code,
	};

	if (!message_write(status_fd, &m))
		dprintf(2, "weft-vm: the exit code is lost\n");
	reboot(RB_POWER_OFF);
	_exit(0);
}

/**
 * die() - print an error and switch the machine off
 * @what:	what failed; errno has the reason
 * @which:	the object, or NULL
 */
void die(const char *what, const char *which)
{
	dprintf(2, "weft-vm: %s%s%s: %s\n", what, which ? " " : "",
		which ? which : "", strerror(errno));
	finish(VM_EXIT_FAILED);
	abort();
}

/**
 * write_text() - write a short text to a file of procfs or sysfs
 * @path:	the file; a missing file is not an error
 * @text:	the text
 */
void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		dprintf(2, "weft-vm: %s: %s\n", path, strerror(errno));
	close(fd);
}

static int open_host(int n, int flags)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/host%d", n);
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		die("cannot open", path);
	return fd;
}

static void open_all(struct command *c)
{
	int i, fd, null;

	/* without a console, descriptors 0 to 2 are free: occupy them */
	do {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (null >= 0 && null < 3);
	for (i = 0; i < VM_FD_MAX; i++) {
		fd = open_host(i, i == VM_FD_STDIN || i == VM_FD_CONTROL ?
			       O_RDONLY | O_NONBLOCK : O_RDWR);
		c->host[i] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
		close(fd);
	}
	dup2(c->host[VM_FD_STDERR], 2);
	status_fd = c->host[VM_FD_STATUS];
}

static char *read_request(int fd, size_t *len)
{
	char *buf = malloc(REQUEST_MAX);
	ssize_t n;

	*len = 0;
	while (buf && (n = read(fd, buf + *len, REQUEST_MAX - *len)) > 0)
		*len += n;
	if (!buf || n < 0 || *len == REQUEST_MAX)
		die("cannot read", "the request");
	return buf;
}

static void take_record(struct request *rq, char *rec, int *env, int *arg)
{
	switch ((enum vm_record)*rec) {
	case VM_REC_CWD:
		rq->cwd = rec + 1;
		break;
	case VM_REC_RW:
		rq->rw[rq->rw_count++] = rec + 1;
		break;
	case VM_REC_ENV:
		rq->env[(*env)++] = rec + 1;
		break;
	case VM_REC_ARG:
		rq->argv[(*arg)++] = rec + 1;
		break;
	case VM_REC_TTY:
		sscanf(rec + 1, "%hu %hu %u", &rq->rows, &rq->cols, &rq->tty_mask);
		break;
	case VM_REC_PORT:
		rq->port = atoi(rec + 1);
		break;
	case VM_REC_MODULES:
		rq->modules = rec + 1;
		break;
	case VM_REC_START:
		rq->start = atoi(rec + 1);
		break;
	}
}

/* A later NAME=VALUE replaces an earlier one. */
static void unique_env(char **env)
{
	char **in, **out, **old;
	size_t len;

	for (in = out = env; *in; in++) {
		len = strcspn(*in, "=") + 1;
		for (old = env; old < out; old++)
			if (!strncmp(*old, *in, len))
				break;
		*old = *in;
		if (old == out)
			out++;
	}
	*out = NULL;
}

static void parse_request(struct request *rq, int fd)
{
	size_t len, words = 1;
	int env = 0, arg = 0;
	char *buf, *p;

	buf = read_request(fd, &len);
	for (p = buf; p < buf + len; p += strlen(p) + 1)
		words++;
	rq->rw = calloc(words, sizeof(char *));
	rq->env = calloc(words, sizeof(char *));
	rq->argv = calloc(words, sizeof(char *));
	if (!rq->rw || !rq->env || !rq->argv)
		die("cannot take", "the request");
	for (p = buf; p < buf + len; p += strlen(p) + 1)
		take_record(rq, p, &env, &arg);
	unique_env(rq->env);
}

static void loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr))
		die("cannot switch on", "lo");
	close(fd);
}

/*
 * The monotonic clock starts at 0 when the kernel boots. Some programs take a time of 0
 * seconds for "not set", and the duration of the boot should not affect the command. So
 * the command starts at a fixed full second.
 */
static void wait_for_start(int second)
{
	struct timespec ts = { .tv_sec = second };

	prctl(PR_SET_TIMERSLACK, 1);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
	prctl(PR_SET_TIMERSLACK, 0);
}

/* For the progress outside. It is always sent, so that it does not change any timing. */
static void say_start(void)
{
	const struct vm_message m = { .kind = VM_START };

	message_write(status_fd, &m);
}

static void limits(void)
{
	const struct rlimit files = { 1024, 65536 };
	const struct rlimit locked = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_MEMLOCK, &locked);
}

/*
 * The neighbours that all nodes may talk to. The kernel's limit of 1,024 is for one host: a
 * lab in which each of 64 nodes talks to each would make entries again for most packets.
 * These are for 512 nodes, and 130 MB.
 */
static void neighbour_limits(void)
{
	write_text("/proc/sys/net/ipv4/neigh/default/gc_thresh3", "262144");
	write_text("/proc/sys/net/ipv4/neigh/default/gc_thresh2", "131072");
	write_text("/proc/sys/net/ipv6/neigh/default/gc_thresh3", "262144");
	write_text("/proc/sys/net/ipv6/neigh/default/gc_thresh2", "131072");
}

int main(void)
{
	struct request rq = { 0 };
	struct command c;

	mount_basics();
	open_all(&c);
	parse_request(&rq, c.host[VM_FD_REQUEST]);
	mount_files(&rq);
	sethostname("weft", 4);
	loopback_up();
	limits();
	neighbour_limits();
	say_start();
	wait_for_start(rq.start);
	command_start(&c, &rq);
	finish(command_wait(&c));
	return 0;
}
