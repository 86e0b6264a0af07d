// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets per second from one network namespace to another, by one process on one CPU:
 * the cost of a packet, with sockets and everything between them.
 *
 * usage: udp_rate --from NS --to NS --addr IPV4 [--len BYTES] [--count N]
 *
 * The process has a socket in each namespace and keeps up to WINDOW packets in flight. It
 * prints one line: packets, seconds, packets per second, nanoseconds per packet, packets
 * lost.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH	32
#define WINDOW	256
#define PORT	9000
#define LEN_MAX	65507

struct rate {
	const char *from;
	const char *to;
	const char *addr;
	unsigned long len;
	unsigned long count;
	int tx;
	int rx;
	struct mmsghdr out[BATCH];
	struct mmsghdr in[BATCH];
	struct iovec out_iov;
	struct iovec in_iov;
	char payload[LEN_MAX];
	char sink[LEN_MAX];
};

static int socket_in(const char *netns)
{
	int size = 16 << 20, fd, ns;
	char path[256];

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	if (ns < 0 || setns(ns, CLONE_NEWNET))
		err(1, "%s", path);
	close(ns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		err(1, "socket");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		err(1, "socket buffer");
	return fd;
}

static void open_sockets(struct rate *r)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
	};

	r->rx = socket_in(r->to);
	if (bind(r->rx, (struct sockaddr *)&to, sizeof(to)))
		err(1, "bind");
	if (inet_pton(AF_INET, r->addr, &to.sin_addr) != 1)
		errx(1, "%s is no IPv4 address", r->addr);
	r->tx = socket_in(r->from);
	if (connect(r->tx, (struct sockaddr *)&to, sizeof(to)))
		err(1, "connect");
}

static void prepare(struct rate *r)
{
	r->out_iov = (struct iovec){ r->payload, r->len };
	r->in_iov = (struct iovec){ r->sink, sizeof(r->sink) };
	for (int i = 0; i < BATCH; i++) {
		r->out[i].msg_hdr = (struct msghdr){ .msg_iov = &r->out_iov,
						     .msg_iovlen = 1 };
		r->in[i].msg_hdr = (struct msghdr){ .msg_iov = &r->in_iov,
						    .msg_iovlen = 1 };
	}
}

/* Receive packets, and wait up to a second for the first. Returns 0 if none arrives. */
static int receive(struct rate *r)
{
	struct pollfd p = { .fd = r->rx, .events = POLLIN };
	int n = recvmmsg(r->rx, r->in, BATCH, MSG_DONTWAIT, NULL);

	if (n > 0)
		return n;
	if (poll(&p, 1, 1000) <= 0)
		return 0;
	n = recvmmsg(r->rx, r->in, BATCH, MSG_DONTWAIT, NULL);
	return n > 0 ? n : 0;
}

static unsigned long send_batch(struct rate *r, unsigned long left)
{
	int n = sendmmsg(r->tx, r->out, left < BATCH ? left : BATCH, 0);

	if (n < 0)
		err(1, "send to %s", r->addr);
	return n;
}

/* Send and receive @count packets; return how many were lost. */
static unsigned long move(struct rate *r, unsigned long count)
{
	unsigned long sent = 0, got = 0;

	while (got < count) {
		int n;

		if (sent < count && sent - got < WINDOW) {
			sent += send_batch(r, count - sent);
			continue;
		}
		n = receive(r);
		if (!n)
			break;
		got += n;
	}
	return count - got;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static unsigned long number(const char *what, const char *text,
			    unsigned long max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || end == text || !n || n > max)
		errx(2, "%s: %s is not a number from 1 to %lu", what, text, max);
	return n;
}

static void options(struct rate *r, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' },
		{ "addr", required_argument, NULL, 'a' },
		{ "len", required_argument, NULL, 'l' },
		{ "count", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longopts, NULL)) != -1) {
		if (c == 'f')
			r->from = optarg;
		else if (c == 't')
			r->to = optarg;
		else if (c == 'a')
			r->addr = optarg;
		else if (c == 'l')
			r->len = number("--len", optarg, LEN_MAX);
		else if (c == 'c')
			r->count = number("--count", optarg, 1000000000);
		else
			exit(2);
	}
	if (!r->from || !r->to || !r->addr || optind != argc)
		errx(2, "usage: udp_rate --from NS --to NS --addr IPV4 [--len BYTES] [--count N]");
}

int main(int argc, char **argv)
{
	static struct rate r = { .len = 64, .count = 200000 };
	unsigned long lost;
	double start, t;

	options(&r, argc, argv);
	open_sockets(&r);
	prepare(&r);
	move(&r, r.count / 10 + 1);
	start = now();
	lost = move(&r, r.count);
	t = now() - start;
	printf("%lu packets %.3f s %.0f pps %.0f ns/packet %lu lost\n", r.count,
	       t, (double)r.count / t, t / (double)r.count * 1e9, lost);
	return lost ? 1 : 0;
}
