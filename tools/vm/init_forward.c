// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's side of --forward.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init.h"

/* On the loopback a connection is there or refused at once. */
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
 * forward_take() - the launcher says something of a connection
 * @c:		the command, with the connections
 * @m:		the message
 *
 * A connection is made when its first bytes come: the guest's clock may go far
 * while it waits, and who was connected without a word would time out.
 */
void forward_take(struct command *c, const struct vm_message *m)
{
	if (!tunnel_is_open(&c->tunnel, m->conn))
		tunnel_open(&c->tunnel, m->conn, m->len ? connect_to(c->port) : -1);
	tunnel_take(&c->tunnel, m);
}
