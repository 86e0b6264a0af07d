/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_TUNNEL_H
#define WEFT_VM_TUNNEL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "proto.h"

#define TUNNEL_CONNS 32

/**
 * struct conn - our end of a connection that goes on at the other side
 * @fd:		the socket, -1: none
 * @told:	the other side has been told that it ends
 * @heard:	the other side has told that it ends
 * @out:	what came from there and has not been taken yet
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
 * struct tunnel - connections that are carried by messages
 * @pipe:	where messages go
 * @conn:	the connections, by the number that messages have
 *
 * The launcher numbers them. A number is free again once both sides have told
 * each other the end, so that nothing of the last one reaches the next one.
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
