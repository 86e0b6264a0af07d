// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The launcher's side of --forward: connections to a port of the host's loopback go to
 * the same port of the guest's loopback.
 */
#define _GNU_SOURCE
#include "forward.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"
#include "machine.h"

/* Bytes of the control pipe that connections may fill; the rest is for signals. */
#define SHARE_OF_PIPE 16384

/**
 * forward_listen() - listen for connections; exits on error
 * @f:		result
 * @port:	the port; 0: do not listen
 */
void forward_listen(struct forward *f, unsigned int port)
{
	const struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int one = 1;

	f->listen = -1;
	if (!port)
		return;
	f->listen = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (f->listen < 0 ||
	    setsockopt(f->listen, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(f->listen, (const struct sockaddr *)&at, sizeof(at)) ||
	    listen(f->listen, SOMAXCONN))
		fail("--forward %u: %s", port, strerror(errno));
}

/**
 * forward_start() - connect the tunnel to a guest that was started
 * @f:		set by forward_listen()
 * @m:		the guest
 */
void forward_start(struct forward *f, const struct machine *m)
{
	tunnel_init(&f->tunnel, m->control);
}

static bool pipe_has_room(const struct forward *f)
{
	int used;

	return !ioctl(f->tunnel.pipe, FIONREAD, &used) && used < SHARE_OF_PIPE;
}

/**
 * forward_poll() - fill the entries for poll()
 * @f:		the connections
 * @p:		result, FORWARD_POLLS entries
 *
 * Return: true if poll() must return within FORWARD_WAIT_MS: the connections' share of the
 * control pipe is full, and poll() does not report when there is room again.
 */
bool forward_poll(const struct forward *f, struct pollfd *p)
{
	bool more = f->listen >= 0 && tunnel_free(&f->tunnel) >= 0;
	bool room = f->listen >= 0 && pipe_has_room(f);

	p[0] = (struct pollfd) { .fd = more ? f->listen : -1, .events = POLLIN };
	tunnel_poll(&f->tunnel, p + 1, room);
	return f->listen >= 0 && !room;
}

/* The guest learns of the connection by its first bytes. */
static void take_connection(struct forward *f)
{
	int fd = accept4(f->listen, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0)
		tunnel_open(&f->tunnel, tunnel_free(&f->tunnel), fd);
}

/**
 * forward_serve() - serve the connections after poll()
 * @f:		the connections
 * @p:		the entries of forward_poll(), after poll()
 */
void forward_serve(struct forward *f, const struct pollfd *p)
{
	tunnel_serve(&f->tunnel, p + 1);
	if (p[0].revents)
		take_connection(f);
}

/**
 * forward_take() - handle the guest's message about a connection
 * @f:		the connections
 * @m:		the message
 */
void forward_take(struct forward *f, const struct vm_message *m)
{
	tunnel_take(&f->tunnel, m);
}
