/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For programs that test places which the machine may change in their text.
 */
#ifndef SELFTEST_TWICE_H
#define SELFTEST_TWICE_H

#include <sys/wait.h>
#include <unistd.h>

/**
 * selftest_twice() - test, and once more in a child, which has changed places already
 * @try_all:	the test; it leaves nothing in the buffers of streams; returns 0 if
 *		all is right
 *
 * Return: the exit code, 0 if both were right.
 */
static inline int selftest_twice(int (*try_all)(void))
{
	int wrong = try_all(), status;

	if (!fork())
		_exit(!!try_all());
	wait(&status);
	return wrong || status;
}

#endif
