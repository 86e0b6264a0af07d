/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress on standard error, and Ctrl-C between two steps.
 */
#ifndef WEFT_PROGRESS_H
#define WEFT_PROGRESS_H

#include <signal.h>
#include <stdbool.h>

/**
 * struct progress - progress of a long operation
 * @verbose: print one line per step
 * @tty: print one line that is overwritten
 * @shown: this line is not empty
 * @before: signal mask before progress_begin()
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
