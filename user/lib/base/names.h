/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of objects, and ranges of them: host[0-7].
 */
#ifndef WEFT_NAMES_H
#define WEFT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* "NODE.eth12" and a pair of short names must fit into WEFT_NAME_LEN. */
#define WEFT_OBJECT_NAME_MAX	24
#define WEFT_RANGE_MAX		16384

/**
 * struct weft_names - a list of names
 */
struct weft_names {
	/** @n: how many */
	size_t n;
	/** @name: the names, zero-terminated */
	char (*name)[WEFT_OBJECT_NAME_MAX + 1];
};

int weft_name_check(const char *name, struct weft_err *err);
int weft_names_expand(struct weft_names *names, const char *pattern,
		      struct weft_err *err);
void weft_names_free(struct weft_names *names);

#endif
