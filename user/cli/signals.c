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
 * signals_hold() - note SIGINT and SIGTERM in place of ending
 * @before: result: the mask for ppoll(), which lets them in
 *
 * They are blocked except while the command waits with that mask. SIGPIPE is ignored:
 * writing to a pipe without a reader is an ordinary error.
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
 * signals_came() - has one of these signals come?
 *
 * Return: true if the command is to end.
 */
bool signals_came(void)
{
	return came;
}
