/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links, ports and their classes, as JSON.
 */
#ifndef WEFT_PORT_OBJECTS_H
#define WEFT_PORT_OBJECTS_H

#include <jansson.h>

#include "base/err.h"
#include "lab/lab.h"

json_t *links_read(const struct weft_lab *lab, struct weft_err *err);
json_t *ports_read(const struct weft_lab *lab, struct weft_err *err);
json_t *classes_read(const struct weft_lab *lab, struct weft_err *err);

#endif
