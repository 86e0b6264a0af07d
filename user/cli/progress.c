// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Progress on standard error, and Ctrl-C between two steps.
 *
 * While a lab is being made, signals that would end the process only raise a
 * flag, and the next step ends the work in order.
 */
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* A signal handler has no other way to speak. */
static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

/* What the caller wants ignored, as nohup does, stays so. */
static void set_handlers(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler }, old;

	for (unsigned int i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
}

/**
 * progress_begin() - long work begins
 * @p: result
 * @verbose: the user wants to see all
 */
void progress_begin(struct progress *p, bool verbose)
{
	*p = (struct progress) { .verbose = verbose, .tty = isatty(2) };
	interrupted = 0;
	set_handlers(on_signal);
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
	return !interrupted;
}

/**
 * progress_end() - long work is over
 * @p: the progress
 */
void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	set_handlers(SIG_DFL);
}
