/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sources of a lab: copies of its topology file and profiles, since the
 * files may change.
 */
#ifndef WEFT_LAB_SOURCES_H
#define WEFT_LAB_SOURCES_H

#include <jansson.h>

#include "base/err.h"
#include "lab/lab.h"
#include "plan/plan.h"
#include "topology/topo.h"

json_t *weft_lab_sources_make(const char *file, const char *text, struct weft_err *err);
int weft_lab_sources_topo(const json_t *sources, struct weft_topo *topo,
			  struct weft_err *err);
int weft_lab_sources_save(const struct weft_lab *lab, struct weft_err *err);
json_t *weft_lab_sources_load(const struct weft_lab *lab, struct weft_err *err);
int weft_lab_plan(const struct weft_lab *lab, struct weft_topo *topo, struct weft_plan *plan,
		  struct weft_err *err);

#endif
