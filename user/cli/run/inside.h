/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs in nodes.
 */
#ifndef WEFT_INSIDE_H
#define WEFT_INSIDE_H

#include "lab/lab.h"

/**
 * struct inside_how - how a program runs in a node
 */
struct inside_how {
	/** @slots: ranks on each node, for MPI launchers */
	unsigned int slots;
	/** @net: "tcp" or "verbs", NULL for the caller's */
	const char *net;
};

int inside_exec(const struct weft_lab *lab, const char *node,
		const struct inside_how *how, char **argv);

#endif
