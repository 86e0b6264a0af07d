// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's side of --forward, see forward.c.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init.h"

/* On the loopback, connect() succeeds or fails at once. */
static int connect_to(uint16_t port)
{
	const struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof(at))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/**
 * forward_take() - handle the launcher's message about a connection
 * @c:		the command, with the connections
 * @m:		the message
 *
 * init connects when the first bytes arrive: much virtual time may pass before, and the
 * command would time out a connection without data.
 */
void forward_take(struct command *c, const struct vm_message *m)
{
	if (!tunnel_is_open(&c->tunnel, m->conn))
		tunnel_open(&c->tunnel, m->conn, m->len ? connect_to(c->port) : -1);
	tunnel_take(&c->tunnel, m);
}
