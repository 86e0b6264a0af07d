/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of JSON objects as tables.
 */
#ifndef WEFT_PRINT_TABLE_H
#define WEFT_PRINT_TABLE_H

#include <jansson.h>

void print_table(json_t *objects, const char *columns);

#endif
