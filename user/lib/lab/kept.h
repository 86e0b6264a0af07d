/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a lab was made of, kept beside it: they may change.
 */
#ifndef WEFT_KEPT_H
#define WEFT_KEPT_H

#include <jansson.h>

#include "base/err.h"
#include "lab/lab.h"
#include "topology/topo.h"

json_t *weft_kept_make(const char *file, const char *text, struct weft_err *err);
int weft_kept_topo(const json_t *kept, struct weft_topo *topo,
		   struct weft_err *err);
int weft_kept_save(const struct weft_lab *lab, struct weft_err *err);
json_t *weft_kept_load(const struct weft_lab *lab, struct weft_err *err);

#endif
