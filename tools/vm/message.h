/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_MESSAGE_H
#define WEFT_VM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "proto.h"

/**
 * struct inbox - state of reading a message
 * @have:	bytes of it that were read
 * @m:		these bytes
 */
struct inbox {
	size_t have;
	struct vm_message m;
};

int message_read(struct inbox *in, int fd);
bool message_write(int fd, const struct vm_message *m);

#endif
