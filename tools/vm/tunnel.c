// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TCP connections in messages. The launcher and init use the same code.
 */
#define _GNU_SOURCE
#include "tunnel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "message.h"

/**
 * tunnel_init() - initialise a tunnel without connections
 * @t:		the tunnel
 * @pipe:	pipe for messages
 */
void tunnel_init(struct tunnel *t, int pipe)
{
	memset(t, 0, sizeof(*t));
	t->pipe = pipe;
	for (int i = 0; i < TUNNEL_CONNS; i++)
		t->conn[i] = (struct conn) { .fd = -1, .told = true, .heard = true };
}

/**
 * tunnel_free() - find a free number for a connection
 * @t:		the tunnel
 *
 * Return: the number, -1 if all are in use.
 */
int tunnel_free(const struct tunnel *t)
{
	for (int i = 0; i < TUNNEL_CONNS; i++)
		if (t->conn[i].told && t->conn[i].heard)
			return i;
	return -1;
}

/**
 * tunnel_open() - begin a connection
 * @t:		the tunnel
 * @n:		its number
 * @fd:		its socket, closed at its end; -1: it ends at once
 */
void tunnel_open(struct tunnel *t, unsigned int n, int fd)
{
	t->conn[n] = (struct conn) { .fd = fd };
}

/**
 * tunnel_is_open() - is the number of a connection in use?
 * @t:		the tunnel
 * @n:		the number from a message
 *
 * Return: true if it is in use or out of range.
 */
bool tunnel_is_open(const struct tunnel *t, unsigned int n)
{
	return n >= TUNNEL_CONNS || !t->conn[n].told || !t->conn[n].heard;
}

static void forget(struct conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->out);
	c->fd = -1;
	c->out = NULL;
	c->len = c->room = 0;
}

/**
 * tunnel_end() - end this side of a connection
 * @t:		the tunnel
 * @n:		its number
 */
void tunnel_end(struct tunnel *t, unsigned int n)
{
	struct vm_message m = { .kind = VM_BYTES, .conn = n };

	forget(&t->conn[n]);
	if (!t->conn[n].told)
		message_write(t->pipe, &m);
	t->conn[n].told = true;
}

static bool keep(struct conn *c, const char *bytes, size_t len)
{
	size_t room = c->room ? c->room : VM_BYTES_MAX;
	char *out;

	while (room < c->len + len)
		room *= 2;
	out = room == c->room ? c->out : realloc(c->out, room);
	if (!out)
		return false;
	memcpy(out + c->len, bytes, len);
	c->out = out;
	c->room = room;
	c->len += len;
	return true;
}

/* Return: false if the socket failed. */
static bool flush(struct conn *c)
{
	ssize_t n;

	while (c->len) {
		n = send(c->fd, c->out, c->len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		c->len -= n;
		memmove(c->out, c->out + n, c->len);
	}
	return true;
}

/* Received bytes are all written before the connection ends. */
static void write_on(struct tunnel *t, unsigned int n)
{
	struct conn *c = &t->conn[n];

	if (!flush(c) || (c->heard && !c->len))
		tunnel_end(t, n);
}

/**
 * tunnel_take() - handle a message of the other side about a connection
 * @t:		the tunnel
 * @m:		the message
 *
 * If this side has no such connection, or has ended it, the answer is its end.
 */
void tunnel_take(struct tunnel *t, const struct vm_message *m)
{
	struct conn *c = &t->conn[m->conn];

	if (m->conn >= TUNNEL_CONNS)
		return;
	c->heard = c->heard || !m->len;
	if (c->fd < 0 || !keep(c, m->bytes, m->len))
		tunnel_end(t, m->conn);
	else
		write_on(t, m->conn);
}

static void read_on(struct tunnel *t, unsigned int n)
{
	struct vm_message m = { .kind = VM_BYTES, .conn = n };
	ssize_t len;

	len = recv(t->conn[n].fd, m.bytes, sizeof(m.bytes), MSG_DONTWAIT);
	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	m.len = len > 0 ? len : 0;
	if (!m.len || !message_write(t->pipe, &m))
		tunnel_end(t, n);
}

/**
 * tunnel_poll() - fill the entries for poll()
 * @t:		the tunnel
 * @p:		result, TUNNEL_CONNS entries
 * @may_send:	messages can be sent now
 */
void tunnel_poll(const struct tunnel *t, struct pollfd *p, bool may_send)
{
	for (int i = 0; i < TUNNEL_CONNS; i++) {
		const struct conn *c = &t->conn[i];

		p[i].fd = c->fd;
		p[i].events = (may_send && !c->heard ? POLLIN : 0) |
			      (c->len ? POLLOUT : 0);
		p[i].revents = 0;
		if (!p[i].events)
			p[i].fd = -1;
	}
}

/**
 * tunnel_serve() - serve the connections after poll()
 * @t:		the tunnel
 * @p:		the entries of tunnel_poll(), after poll()
 */
void tunnel_serve(struct tunnel *t, const struct pollfd *p)
{
	for (int i = 0; i < TUNNEL_CONNS; i++) {
		if (p[i].fd < 0 || t->conn[i].fd != p[i].fd || !p[i].revents)
			continue;
		if (p[i].revents & POLLOUT)
			write_on(t, i);
		if (t->conn[i].fd >= 0 && (p[i].revents & ~POLLOUT))
			read_on(t, i);
	}
}
