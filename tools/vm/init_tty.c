// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's terminal, where the caller has one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "init.h"

/**
 * terminal_open() - make a terminal of the caller's size
 * @rq:		size and use
 * @name:	buffer for the name of the command's end
 * @size:	of the buffer
 *
 * Where the caller's input is no terminal, the caller's terminal still
 * translates newlines, and ours must not do it a second time.
 *
 * Return: our end.
 */
int terminal_open(const struct request *rq, char *name, size_t size)
{
	struct winsize ws = { .ws_row = rq->rows, .ws_col = rq->cols };
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	struct termios t;

	if (fd < 0 || grantpt(fd) || unlockpt(fd) || ptsname_r(fd, name, size))
		die("cannot make", "a terminal");
	ioctl(fd, TIOCSWINSZ, &ws);
	if (!(rq->tty_mask & 1) && !tcgetattr(fd, &t)) {
		t.c_oflag &= ~OPOST;
		tcsetattr(fd, TCSANOW, &t);
	}
	return fd;
}

/**
 * terminal_pump() - pass on what the command wrote to its terminal
 * @c:		the command
 *
 * Return: true if there was something.
 */
bool terminal_pump(struct command *c)
{
	char buf[4096];
	ssize_t n = read(c->master, buf, sizeof(buf));

	if (n <= 0)
		return false;
	if (write(c->host[VM_FD_TERMINAL], buf, n) != n)
		return false;
	return true;
}
