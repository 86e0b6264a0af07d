/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_FORWARD_H
#define WEFT_VM_FORWARD_H

#include "tunnel.h"

#define FORWARD_POLLS	(1 + TUNNEL_CONNS)
#define FORWARD_WAIT_MS	10

struct machine;

/**
 * struct forward - connections from outside to the guest
 * @listen:	listening socket, -1: none
 * @tunnel:	the open connections
 */
struct forward {
	int listen;
	struct tunnel tunnel;
};

void forward_listen(struct forward *f, unsigned int port);
void forward_start(struct forward *f, const struct machine *m);
bool forward_poll(const struct forward *f, struct pollfd *p);
void forward_serve(struct forward *f, const struct pollfd *p);
void forward_take(struct forward *f, const struct vm_message *m);

#endif
