// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Progress on standard error, and Ctrl-C between two steps.
 *
 * While a lab is being made, the signals that would end the process are blocked. The
 * next step finds them pending and ends the work in order.
 */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void hold(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* A signal that the caller ignores, like with nohup, never becomes pending. */
static bool interrupted(void)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
	       sigismember(&set, SIGHUP);
}

/**
 * progress_begin() - start a long operation; blocks SIGINT, SIGTERM and SIGHUP
 * @p: result
 * @verbose: print each step
 */
void progress_begin(struct progress *p, bool verbose)
{
	sigset_t set;

	*p = (struct progress) { .verbose = verbose, .tty = isatty(2) };
	hold(&set);
	sigprocmask(SIG_BLOCK, &set, &p->before);
}

/**
 * progress_step() - show the next step
 * @ctx: the struct progress
 * @what: description of the step
 * @done: number of steps done
 * @total: number of steps in all
 *
 * Return: false if a signal is pending and the operation is to end.
 */
bool progress_step(void *ctx, const char *what, unsigned int done,
		   unsigned int total)
{
	struct progress *p = ctx;

	if (p->verbose) {
		fprintf(stderr, "weft: [%u/%u] %s\n", done + 1, total, what);
	} else if (p->tty) {
		fprintf(stderr, "\rweft: [%u/%u] %s\033[K", done + 1, total,
			what);
		p->shown = true;
	}
	return !interrupted();
}

/**
 * progress_end() - end a long operation; unblocks the signals and discards pending ones
 * @p: the progress
 */
void progress_end(struct progress *p)
{
	const struct timespec now = { 0 };
	sigset_t set;

	if (p->shown)
		fputs("\r\033[K", stderr);
	hold(&set);
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, &p->before, NULL);
}
