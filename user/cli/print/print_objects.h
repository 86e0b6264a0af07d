/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects of a lab, as JSON and as tables.
 */
#ifndef WEFT_PRINT_OBJECTS_H
#define WEFT_PRINT_OBJECTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "lab/lab.h"

bool objects_known(const char *kind);
json_t *objects_read(const struct weft_lab *lab, const char *kind,
		     struct weft_err *err);
void objects_print(const char *kind, json_t *objects, bool all);
void labs_print(json_t *labs);

#endif
