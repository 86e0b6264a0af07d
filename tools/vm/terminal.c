// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The caller's terminal.
 */
#include "terminal.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios saved;
static bool is_raw;

/**
 * terminal_mask() - which of the standard descriptors are terminals
 *
 * Return: bit n set: descriptor n is one.
 */
unsigned int terminal_mask(void)
{
	unsigned int mask = 0;
	int fd;

	for (fd = 0; fd < 3; fd++)
		if (isatty(fd))
			mask |= 1u << fd;
	return mask;
}

/**
 * terminal_fd() - find a standard descriptor that is the terminal
 *
 * Return: the descriptor, or -1 if there is none.
 */
int terminal_fd(void)
{
	unsigned int mask = terminal_mask();

	if (mask & 2)
		return 1;
	if (mask & 4)
		return 2;
	return mask & 1 ? 0 : -1;
}

/**
 * terminal_size() - get the size of the terminal
 * @rows:	lines, 0 if there is no terminal
 * @cols:	columns, 0 if there is no terminal
 */
void terminal_size(uint16_t *rows, uint16_t *cols)
{
	struct winsize size = { 0 };
	int fd = terminal_fd();

	if (fd < 0 || ioctl(fd, TIOCGWINSZ, &size))
		size.ws_row = size.ws_col = 0;
	*rows = size.ws_row;
	*cols = size.ws_col;
}

/**
 * terminal_raw() - set raw mode, so that all keys go to the guest's terminal
 *
 * If standard output is not the terminal, a program that reads it may write there. So
 * lines keep their ends as they were.
 *
 * Does nothing if standard input is not a terminal, or if the launcher runs in the
 * background.
 */
void terminal_raw(void)
{
	struct termios raw;

	if (!isatty(0) || tcgetpgrp(0) != getpgrp() || tcgetattr(0, &saved))
		return;
	raw = saved;
	cfmakeraw(&raw);
	if (!isatty(1))
		raw.c_oflag = saved.c_oflag;
	is_raw = !tcsetattr(0, TCSADRAIN, &raw);
}

/**
 * terminal_restore() - undo terminal_raw(), if it was called
 */
void terminal_restore(void)
{
	if (is_raw)
		tcsetattr(0, TCSADRAIN, &saved);
	is_raw = false;
}
