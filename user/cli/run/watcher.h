/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Having the routes of a lab follow its links.
 */
#ifndef WEFT_WATCHER_H
#define WEFT_WATCHER_H

#include <stdint.h>
#include <sys/types.h>

#include "cli.h"

/**
 * typedef watcher_fn - told about new routes
 * @done: what was done
 */
typedef void (*watcher_fn)(json_t *done);

int watcher_run(const struct weft_lab *lab, uint64_t wait, watcher_fn tell,
		struct weft_err *err);
int watcher_start(const struct weft_lab *lab, pid_t *pid, struct weft_err *err);
void watcher_stop(pid_t pid);

#endif
