// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's terminal, if the caller has one.
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
 * terminal_open() - open a terminal with the caller's size
 * @rq:		the request, with the size
 * @name:	buffer for the name of the command's end
 * @size:	size of the buffer
 *
 * If the caller's input is not a terminal, weft-vm does not set the caller's terminal to
 * raw mode. It still translates newlines then, so the guest's terminal must not.
 *
 * Return: descriptor of init's end.
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
 * terminal_pump() - forward output of the command from its terminal
 * @c:		the command
 *
 * Return: true if there was some and it was written.
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
