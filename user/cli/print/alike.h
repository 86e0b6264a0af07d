/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a table that differ in their names only: the first ones, and how many more.
 */
#ifndef WEFT_ALIKE_H
#define WEFT_ALIKE_H

#include <jansson.h>
#include <stddef.h>

json_t *alike_choose(json_t *rows, const char *const *keys, size_t most,
		     json_t *rest);

#endif
