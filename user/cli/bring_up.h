/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a topology's name to a lab that is up.
 */
#ifndef WEFT_BRING_UP_H
#define WEFT_BRING_UP_H

#include <stdbool.h>

#include "base/err.h"
#include "lab/lab.h"
#include "plan/plan.h"
#include "topology/share.h"

/**
 * struct bring_up - options of the user
 * @topology: the topology
 * @clock: NULL for the topology's choice
 * @name: NULL for the topology's choice
 * @seed: NULL for the topology's choice
 * @verbose: print each step, and a plan or a report in full
 */
struct bring_up {
	struct weft_share_choice topology;
	const char *clock;
	const char *name;
	const char *seed;
	bool verbose;
};

int bring_up_plan(const struct bring_up *up, struct weft_plan *plan,
		  struct weft_err *err);
int bring_up(const struct bring_up *up, struct weft_lab *lab,
	     struct weft_err *err);

#endif
