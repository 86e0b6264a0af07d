/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs in nodes.
 */
#ifndef WEFT_NODE_EXEC_H
#define WEFT_NODE_EXEC_H

#include "lab/lab.h"

/**
 * struct node_exec_options - how a program runs in a node
 */
struct node_exec_options {
	/** @slots: ranks on each node, for MPI launchers */
	unsigned int slots;
	/** @net: "tcp", "verbs", "efa", "sharp" or "nvls"; NULL keeps the caller's */
	const char *net;
};

int node_exec(const struct weft_lab *lab, const char *node,
	      const struct node_exec_options *how, char **argv);

#endif
