// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits of connections to the web server: their number, and the time of a request.
 *
 * A request must be complete ASK_MS after the connection was opened or the
 * previous answer was sent, even if single bytes arrive in between. If all
 * seats are taken, the connection that has waited longest is closed, so idle
 * connections never keep out a new one that sends its request at once. Answers
 * in pieces have seats of their own; they need the token.
 *
 * libevent 2.1 reports a connection only when its request is complete, which is
 * too late. So connections are searched among all descriptors: no other
 * descriptor of the daemon is TCP. To close a connection, it is shut down, and
 * libevent handles its end as usual.
 */
#include "seats.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define ASK_MS	10000

/*
 * libevent accepts up to 128 connections at once, its backlog. The last of them
 * must not push out the first before the first was read.
 */
static const unsigned int seats_max[SEAT_KINDS] = {
	[SEAT_ASKS] = 160, [SEAT_HEARS] = 16,
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool has(int fd, int what, int want)
{
	socklen_t len = sizeof(int);
	int is = -1;

	return !getsockopt(fd, SOL_SOCKET, what, &is, &len) && is == want;
}

/* Cookie of a connection, 0 if the descriptor is none. */
static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (!has(fd, SO_PROTOCOL, IPPROTO_TCP) || !has(fd, SO_ACCEPTCONN, 0) ||
	    getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len))
		return 0;
	return cookie;
}

/* Find new connections; one that reuses a descriptor has another cookie. */
static void look(struct seats *all, int64_t now)
{
	for (int fd = 0; fd < SEATS_FDS; fd++) {
		uint64_t cookie = cookie_of(fd);

		if (cookie != all->seat[fd].cookie)
			all->seat[fd] = (struct seat) {
				.cookie = cookie, .since = now,
			};
	}
}

/* The oldest connection of a kind, NULL for none; @n is the number of them. */
static struct seat *oldest(struct seats *all, enum seat_kind kind,
			   unsigned int *n)
{
	struct seat *first = NULL;

	*n = 0;
	for (struct seat *s = all->seat; s < all->seat + SEATS_FDS; s++) {
		if (!s->cookie || s->kind != kind)
			continue;
		if (!first || s->since < first->since)
			first = s;
		++*n;
	}
	return first;
}

/* Close a connection. The cookie remains, so that look() does not find it again. */
static void end(struct seats *all, struct seat *s)
{
	shutdown((int)(s - all->seat), SHUT_RDWR);
	s->kind = SEAT_KINDS;
}

static struct seat *end_some(struct seats *all, enum seat_kind kind,
			     int64_t before)
{
	unsigned int n;
	struct seat *s;

	while ((s = oldest(all, kind, &n)) &&
	       (n > seats_max[kind] || s->since <= before))
		end(all, s);
	return s;
}

static void on_look(evutil_socket_t fd, short what, void *ctx)
{
	struct seats *all = ctx;
	int64_t now = now_ms();
	struct timeval left;
	struct seat *s;

	(void)fd;
	(void)what;
	look(all, now);
	end_some(all, SEAT_HEARS, INT64_MIN);
	s = end_some(all, SEAT_ASKS, now - ASK_MS);
	if (!s)
		return;
	now = s->since + ASK_MS - now;
	left = (struct timeval) { now / 1000, now % 1000 * 1000 };
	event_add(all->look, &left);
}

/**
 * seats_open() - initialise without connections
 * @all: result, zeroed before
 * @base: the loop
 * @err: error
 *
 * Return: 0 or negative errno; seats_close() must be called in both cases.
 */
int seats_open(struct seats *all, struct event_base *base, struct weft_err *err)
{
	all->look = evtimer_new(base, on_look, all);
	return all->look ? 0 : weft_err_nomem(err);
}

/**
 * seats_come() - note that there are new connections
 * @all: all connections
 *
 * They are checked after all pending connections are accepted, and before they
 * are read.
 */
void seats_come(struct seats *all)
{
	event_active(all->look, EV_TIMEOUT, 1);
}

/**
 * seats_set() - change the kind of a connection
 * @all: all connections
 * @fd: its descriptor
 * @kind: its new kind
 */
void seats_set(struct seats *all, int fd, enum seat_kind kind)
{
	if (fd < 0 || fd >= SEATS_FDS)
		return;
	all->seat[fd] = (struct seat) {
		.cookie = cookie_of(fd), .since = now_ms(), .kind = kind,
	};
	seats_come(all);
}

/**
 * seats_close() - end the supervision of connections
 * @all: all connections
 */
void seats_close(struct seats *all)
{
	if (all->look)
		event_free(all->look);
	all->look = NULL;
}
