// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages between the launcher and the guest's init. A message may be read in pieces;
 * it is written as a whole.
 */
#include "message.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

/* Bytes to read next: the head first, which has the length of the rest. */
static size_t wanted(const struct inbox *in)
{
	size_t all = VM_MESSAGE_HEAD;

	if (in->have >= VM_MESSAGE_HEAD)
		all += in->m.len;
	return all - in->have;
}

/**
 * message_read() - read the next message, or a part of it
 * @in:		state of reading; keep it between calls
 * @fd:		a pipe, non-blocking
 *
 * Return: 1 if @in->m is a complete message, 0 if it is not complete yet, -1 at the end
 * or after an error.
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
 * Return: true if it was written. A part of it is never written.
 */
bool message_write(int fd, const struct vm_message *m)
{
	ssize_t len = VM_MESSAGE_HEAD + m->len;

	return write(fd, m, len) == len;
}
