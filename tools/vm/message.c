// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages between the launcher and the guest's init: read in pieces, written
 * as a whole.
 */
#include "message.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

/* Head first: it says how much there is. */
static size_t wanted(const struct inbox *in)
{
	size_t all = VM_MESSAGE_HEAD;

	if (in->have >= VM_MESSAGE_HEAD)
		all += in->m.len;
	return all - in->have;
}

/**
 * message_read() - read on
 * @in:		what has come before; what is there afterwards
 * @fd:		where from; not to be waited for
 *
 * Return: 1 when @in->m is a message, 0 when its end is not there yet, -1 when
 * nothing will come any more.
 */
int message_read(struct inbox *in, int fd)
{
	size_t want;
	ssize_t n;

	if (in->have >= VM_MESSAGE_HEAD && !wanted(in))
		in->have = 0;
	while ((want = wanted(in)) > 0) {
		if (in->have + want > sizeof(in->m))
			return -1;
		n = read(fd, (char *)&in->m + in->have, want);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0)
			return -1;
		in->have += n;
	}
	return 1;
}

/**
 * message_write() - write a message
 * @fd:		a pipe
 * @m:		the message
 *
 * Return: whether it was written; never a part of it.
 */
bool message_write(int fd, const struct vm_message *m)
{
	ssize_t len = VM_MESSAGE_HEAD + m->len;

	return write(fd, m, len) == len;
}
