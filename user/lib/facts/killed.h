/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that the virtual machine killed for lack of memory.
 */
#ifndef WEFT_KILLED_H
#define WEFT_KILLED_H

#include "lab/lab.h"

#define WEFT_KILLED_MAX		8
#define WEFT_KILLED_TEXT	(WEFT_KILLED_MAX * 84 + 128)

/**
 * struct weft_killed - processes killed for lack of memory
 */
struct weft_killed {
	/** @n: number of processes */
	unsigned int n;
	/** @what: the first few: "NAME of NODE" */
	char what[WEFT_KILLED_MAX][80];
};

void weft_killed_parse(struct weft_killed *k, const struct weft_lab *lab,
		       const char *text);
void weft_killed_read(struct weft_killed *k, const struct weft_lab *lab);
void weft_killed_text(const struct weft_killed *k, char *text, size_t size);

#endif
