/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress on standard error, and Ctrl-C between two steps.
 */
#ifndef WEFT_PROGRESS_H
#define WEFT_PROGRESS_H

#include <signal.h>
#include <stdbool.h>

/**
 * struct progress - how to show it
 * @verbose: one line per step
 * @tty: one line that is written over
 * @shown: something is on the line
 * @before: signals that were held back before
 */
struct progress {
	bool verbose;
	bool tty;
	bool shown;
	sigset_t before;
};

void progress_begin(struct progress *p, bool verbose);
bool progress_step(void *ctx, const char *what, unsigned int done,
		   unsigned int total);
void progress_end(struct progress *p);

#endif
