/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_TUNNEL_H
#define WEFT_VM_TUNNEL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "proto.h"

#define TUNNEL_CONNS 32

/**
 * struct conn - this side of a connection
 * @fd:		the socket, -1: none
 * @told:	its end was sent to the other side
 * @heard:	its end was received from the other side
 * @out:	bytes from the other side that are not written to the socket yet
 * @len:	bytes in @out
 * @room:	size of @out
 */
struct conn {
	int fd;
	bool told;
	bool heard;
	char *out;
	size_t len;
	size_t room;
};

/**
 * struct tunnel - connections in messages
 * @pipe:	pipe for messages
 * @conn:	the connections, by their number in messages
 *
 * The launcher assigns the numbers. A number is free again after both sides have sent the
 * end, so that no bytes of a connection reach the next one with this number.
 */
struct tunnel {
	int pipe;
	struct conn conn[TUNNEL_CONNS];
};

void tunnel_init(struct tunnel *t, int pipe);
int tunnel_free(const struct tunnel *t);
void tunnel_open(struct tunnel *t, unsigned int n, int fd);
bool tunnel_is_open(const struct tunnel *t, unsigned int n);
void tunnel_end(struct tunnel *t, unsigned int n);
void tunnel_take(struct tunnel *t, const struct vm_message *m);
void tunnel_poll(const struct tunnel *t, struct pollfd *p, bool may_send);
void tunnel_serve(struct tunnel *t, const struct pollfd *p);

#endif
