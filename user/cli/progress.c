// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Progress on standard error, and Ctrl-C between two steps.
 *
 * While a lab is being made, signals that would end the process are held back;
 * the next step sees them and ends the work in order.
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

/* What the caller wants ignored, as nohup does, never gets here. */
static bool interrupted(void)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
	       sigismember(&set, SIGHUP);
}

/**
 * progress_begin() - long work begins
 * @p: result
 * @verbose: the user wants to see all
 */
void progress_begin(struct progress *p, bool verbose)
{
	sigset_t set;

	*p = (struct progress) { .verbose = verbose, .tty = isatty(2) };
	hold(&set);
	sigprocmask(SIG_BLOCK, &set, &p->before);
}

/**
 * progress_step() - a step begins
 * @ctx: the struct progress
 * @what: what it does
 * @done: steps done
 * @total: steps in all
 *
 * Return: whether to go on.
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
 * progress_end() - long work is over
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
