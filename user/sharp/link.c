// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A connection to the aggregation manager.
 */
#include "link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HELLO_MS	10000

/**
 * link_open() - connect to the manager that $WEFT_SHARP names
 *
 * Return: a socket, or negative errno; -ECONNREFUSED if the manager does not want this process.
 */
int link_open(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const char *path = getenv("WEFT_SHARP");
	struct weft_sharp_message hello;
	struct pollfd wait = { .events = POLLIN };
	int fd, ret = -ECONNREFUSED;

	if (!path)
		return -ENOENT;
	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	memcpy(addr.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	wait.fd = fd;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		ret = -errno;
	else if (poll(&wait, 1, HELLO_MS) == 1 && link_receive(fd, &hello) == WEFT_SHARP_HELLO)
		return fd;
	close(fd);
	return ret;
}

/**
 * link_send() - send a message
 * @fd: socket
 * @msg: the message; its version is set
 *
 * Return: 0 or negative errno.
 */
int link_send(int fd, struct weft_sharp_message *msg)
{
	msg->version = WEFT_SHARP_VERSION;
	return send(fd, msg, sizeof(*msg), MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* A manager that is gone says so by the end of its socket. */
static int receive(int fd, struct weft_sharp_message *msg, int flags)
{
	ssize_t n;

	do
		n = recv(fd, msg, sizeof(*msg), flags);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n == sizeof(*msg) && msg->version == WEFT_SHARP_VERSION)
		return 1;
	*msg = (struct weft_sharp_message) { .kind = WEFT_SHARP_FAILED };
	snprintf(msg->text, sizeof(msg->text), "the aggregation manager has ended");
	return 1;
}

/**
 * link_receive() - wait for a message
 * @fd: socket
 * @msg: set to the message; one that says so if the manager is gone
 *
 * Return: its kind.
 */
int link_receive(int fd, struct weft_sharp_message *msg)
{
	receive(fd, msg, 0);
	return (int)msg->kind;
}

/**
 * link_poll() - is there a message?
 * @fd: socket
 * @msg: set to the message
 *
 * Return: its kind, 0 if there is none.
 */
int link_poll(int fd, struct weft_sharp_message *msg)
{
	return receive(fd, msg, MSG_DONTWAIT) ? (int)msg->kind : 0;
}
