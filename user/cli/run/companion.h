/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process that works beside the program of `weft run`.
 */
#ifndef WEFT_COMPANION_H
#define WEFT_COMPANION_H

#include <sys/types.h>

#include "base/err.h"

/**
 * typedef companion_fn - the work of the child
 * @ctx: passed to companion_start()
 * @ready: for companion_ready(), once the parent may continue
 * @err: error
 *
 * Return: 0 or negative errno.
 */
typedef int (*companion_fn)(const void *ctx, int ready, struct weft_err *err);

int companion_start(companion_fn fn, const void *ctx, const char *unable,
		    pid_t *pid, struct weft_err *err);
int companion_signals(struct weft_err *err);
int companion_ready(int ready, struct weft_err *err);
int companion_stop(pid_t pid);

#endif
