/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the routes of a lab up to date with its links.
 */
#ifndef WEFT_REROUTER_H
#define WEFT_REROUTER_H

#include <stdint.h>
#include <sys/types.h>

#include "cli.h"

/**
 * typedef rerouter_fn - called with new routes
 * @done: JSON of the change
 */
typedef void (*rerouter_fn)(json_t *done);

int rerouter_run(const struct weft_lab *lab, uint64_t wait, rerouter_fn tell,
		 struct weft_err *err);
int rerouter_start(const struct weft_lab *lab, pid_t *pid, struct weft_err *err);
void rerouter_stop(pid_t pid);

#endif
