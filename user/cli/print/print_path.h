/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The critical path of a workload: how its time is made up.
 */
#ifndef WEFT_PRINT_PATH_H
#define WEFT_PRINT_PATH_H

#include <jansson.h>

#include "plan/plan.h"
#include "workload/workload_path.h"

void print_path(const struct weft_plan *plan, const struct weft_work_path *p);
json_t *path_json(const struct weft_plan *plan, const struct weft_work_path *p);

#endif
