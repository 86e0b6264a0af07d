// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages by TCP: a connection carries them one way, each behind the one before.
 *
 * As both ends are in one process, what comes needs no header: the receiver knows how
 * long each message is. One without bytes has one on the wire. What comes is thrown away
 * and not copied.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "messages/carrier.h"

#define EVENTS	64

/**
 * enum kind - what a socket is
 * @LISTENS: it waits for the connection
 * @SENDS: the sender's end
 * @RECEIVES: the receiver's end
 * @KINDS: how many there are
 */
enum kind { LISTENS, SENDS, RECEIVES, KINDS };

/**
 * struct socket - one of the sockets of a lane
 * @lane: the lane
 * @kind: which one
 * @fd: its descriptor; -1: there is none
 */
struct socket {
	struct weft_carrier_lane *lane;
	enum kind kind;
	int fd;
};

struct weft_carrier_device {
	struct weft_carrier_room room;
	int epoll;
};

struct weft_carrier_lane {
	struct weft_carrier_device *end[2];	/* the sender, the receiver */
	struct weft_carrier_wants wants;
	struct sockaddr_in at;			/* where it listens */
	uint32_t number;
	struct socket socket[KINDS];
	bool waits;				/* for room in the sender's socket */
	uint64_t left;				/* bytes that were posted and not sent */
	uint32_t head;				/* of size[] */
	uint32_t posted;			/* entries of size[], a ring */
	uint64_t size[];			/* what is left of each message */
};

static int fail(char why[WEFT_CARRIER_WHY], const char *what)
{
	snprintf(why, WEFT_CARRIER_WHY, "%s: %s", what, strerror(errno));
	return -1;
}

static int lane_fails(const struct weft_carrier_lane *l, uint32_t *lane, const char *what,
		      char why[WEFT_CARRIER_WHY])
{
	*lane = l->number;
	return fail(why, what);
}

static struct weft_carrier_device *tcp_open(const struct weft_carrier_room *room,
					    char why[WEFT_CARRIER_WHY])
{
	struct weft_carrier_device *d = calloc(1, sizeof(*d));

	if (!d) {
		fail(why, "open");
		return NULL;
	}
	d->room = *room;
	d->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (d->epoll >= 0)
		return d;
	fail(why, "open");
	free(d);
	return NULL;
}

static int tcp_fd(const struct weft_carrier_device *d)
{
	return d->epoll;
}

static uint64_t tcp_most(const struct weft_carrier_device *d)
{
	(void)d;
	return UINT64_MAX;
}

static struct weft_carrier_lane *tcp_lane(struct weft_carrier_device *from,
					  struct weft_carrier_device *to, uint32_t number,
					  const struct weft_carrier_wants *w,
					  char why[WEFT_CARRIER_WHY])
{
	struct weft_carrier_lane *l;

	l = calloc(1, sizeof(*l) + w->receives * sizeof(*l->size));
	if (!l) {
		fail(why, "connection");
		return NULL;
	}
	l->end[0] = from;
	l->end[1] = to;
	l->number = number;
	l->wants = *w;
	for (int i = 0; i < KINDS; i++)
		l->socket[i] = (struct socket) { l, (enum kind)i, -1 };
	return l;
}

static struct weft_carrier_device *device_of(const struct socket *s)
{
	return s->lane->end[s->kind != SENDS];
}

static int watch(struct socket *s, int how, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = s };

	return epoll_ctl(device_of(s)->epoll, how, s->fd, &ev);
}

/* A socket at the address of its NIC. */
static int make_socket(struct socket *s)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_addr = { htonl(device_of(s)->room.ip) },
	};
	int priority = (int)s->lane->wants.sl, one = 1;

	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	return s->fd < 0 || bind(s->fd, (struct sockaddr *)&at, sizeof(at)) ||
	       setsockopt(s->fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)) ||
	       setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ? -1 : 0;
}

static int begin_listening(struct weft_carrier_lane *l)
{
	struct socket *s = &l->socket[LISTENS];
	socklen_t len = sizeof(l->at);

	return make_socket(s) || listen(s->fd, 1) ||
	       getsockname(s->fd, (struct sockaddr *)&l->at, &len) ?
	       -1 : watch(s, EPOLL_CTL_ADD, EPOLLIN);
}

static int begin_connecting(struct weft_carrier_lane *l)
{
	struct socket *s = &l->socket[SENDS];

	if (make_socket(s) ||
	    (connect(s->fd, (struct sockaddr *)&l->at, sizeof(l->at)) && errno != EINPROGRESS))
		return -1;
	return watch(s, EPOLL_CTL_ADD, 0);
}

static int tcp_connect(struct weft_carrier_lane *l, bool receives, char why[WEFT_CARRIER_WHY])
{
	if (receives ? begin_listening(l) : begin_connecting(l))
		return fail(why, "connect");
	return 0;
}

/* Send what was posted, as far as there is room. */
static int push(struct weft_carrier_lane *l)
{
	const struct weft_carrier_room *room = &l->end[0]->room;
	struct socket *s = &l->socket[SENDS];
	bool full = false;

	while (l->left && !full) {
		size_t most = l->left < room->bytes ? l->left : room->bytes;
		ssize_t n = send(s->fd, room->memory, most, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -1;
		full = n < (ssize_t)most;
		if (n > 0)
			l->left -= (uint64_t)n;
	}
	if (l->waits == full)
		return 0;
	l->waits = full;
	return watch(s, EPOLL_CTL_MOD, full ? EPOLLOUT : 0);
}

static int tcp_post(struct weft_carrier_lane *l, uint64_t bytes, char why[WEFT_CARRIER_WHY])
{
	if (l->posted == l->wants.receives)
		return 1;
	l->size[(l->head + l->posted++) % l->wants.receives] = bytes ?: 1;
	l->left += bytes ?: 1;
	return !l->waits && push(l) ? fail(why, "send") : 0;
}

static int take_connection(struct weft_carrier_lane *l)
{
	struct socket *s = &l->socket[RECEIVES];

	s->fd = accept4(l->socket[LISTENS].fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (s->fd < 0)
		return errno == EAGAIN ? 0 : -1;
	close(l->socket[LISTENS].fd);
	l->socket[LISTENS].fd = -1;
	return watch(s, EPOLL_CTL_ADD, EPOLLIN);
}

/* Take of the first message what has come. Return: 1 if that was the rest of it. */
static int take_bytes(struct weft_carrier_lane *l)
{
	uint64_t *left = &l->size[l->head];
	ssize_t n;

	n = recv(l->socket[RECEIVES].fd, NULL, l->posted ? *left : 1, MSG_TRUNC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (!n) {
		errno = ECONNRESET;
		return -1;
	}
	*left -= (uint64_t)n;
	if (*left)
		return 0;
	l->head = (l->head + 1) % l->wants.receives;
	l->posted--;
	return 1;
}

/* It has room, or an error. */
static int push_again(struct weft_carrier_lane *l)
{
	socklen_t len = sizeof(errno);

	if (getsockopt(l->socket[SENDS].fd, SOL_SOCKET, SO_ERROR, &errno, &len) || errno)
		return -1;
	return push(l);
}

static int handle(struct socket *s)
{
	switch (s->kind) {
	case LISTENS:
		return take_connection(s->lane);
	case SENDS:
		return push_again(s->lane);
	default:
		return take_bytes(s->lane);
	}
}

/* Each socket that has something gives one message at most, so @room is enough. */
static int tcp_take(struct weft_carrier_device *d, uint32_t *lane, uint32_t room,
		    char why[WEFT_CARRIER_WHY])
{
	struct epoll_event ev[EVENTS];
	int n, taken = 0;

	n = epoll_wait(d->epoll, ev, room < EVENTS ? (int)room : EVENTS, 0);
	if (n < 0)
		return errno == EINTR ? 0 : fail(why, "wait");
	for (int i = 0; i < n; i++) {
		const struct socket *s = ev[i].data.ptr;
		int ret = handle(ev[i].data.ptr);

		if (ret < 0)
			return lane_fails(s->lane, lane, "connection", why);
		if (ret)
			lane[taken++] = s->lane->number;
	}
	return taken;
}

static void tcp_disconnect(struct weft_carrier_lane *l)
{
	for (int i = 0; i < KINDS; i++)
		if (l->socket[i].fd >= 0)
			close(l->socket[i].fd);
	free(l);
}

static void tcp_close(struct weft_carrier_device *d)
{
	close(d->epoll);
	free(d);
}

const struct weft_carrier weft_carrier_tcp = {
	.version = WEFT_CARRIER_VERSION,
	.open = tcp_open,
	.fd = tcp_fd,
	.most = tcp_most,
	.lane = tcp_lane,
	.connect = tcp_connect,
	.post = tcp_post,
	.take = tcp_take,
	.disconnect = tcp_disconnect,
	.close = tcp_close,
};
