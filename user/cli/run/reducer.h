/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The aggregation manager beside the program of `weft run --net sharp` or nvls.
 */
#ifndef WEFT_REDUCER_H
#define WEFT_REDUCER_H

#include <sys/types.h>

#include "lab/lab.h"

int reducer_start(const struct weft_lab *lab, const char *net, pid_t *pid,
		  struct weft_err *err);
int reducer_stop(pid_t pid);

#endif
