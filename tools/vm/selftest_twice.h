/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of instructions that the machine may replace in a program's text.
 */
#ifndef SELFTEST_TWICE_H
#define SELFTEST_TWICE_H

#include <sys/wait.h>
#include <unistd.h>

/**
 * selftest_twice() - run a test, then again in a child, where places are replaced already
 * @try_all:	the test; returns 0 if all is right; flushes its output
 *
 * Return: the exit code, 0 if both runs were right.
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
