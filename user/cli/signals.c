// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands that end with Ctrl-C.
 */
#include "signals.h"

#include <stddef.h>

static volatile sig_atomic_t came;

static void on_signal(int sig)
{
	(void)sig;
	came = 1;
}

/**
 * signals_hold() - have SIGINT and SIGTERM be noted
 * @before: result: mask for ppoll(), in which they are let in
 *
 * They are held back except while the command waits with that mask. Writing to
 * a pipe that nobody reads is an error like another.
 */
void signals_hold(sigset_t *before)
{
	const struct sigaction act = { .sa_handler = on_signal };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, before);
	sigdelset(before, SIGINT);
	sigdelset(before, SIGTERM);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/**
 * signals_came() - did one of them come?
 *
 * Return: whether the command is to end.
 */
bool signals_came(void)
{
	return came;
}
